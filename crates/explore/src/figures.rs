//! The histogram of distances as a table and as a picture, and a picture of all statistics.

use crate::census::{self, Histogram};
use crate::error::ExploreError;
use crate::stats::{self, Column, Row, Stats};
use std::collections::BTreeMap;
use winset_report::plot::{Bar, Content, Figure, Format, Panel, Series};
use winset_report::table::Table;
use winset_store::Store;

/// What a value is called in the statistics.
fn name(stats: &stats::Stats, rewards: &[u8]) -> String {
    let column = stats.values.iter().find(|column| column.rewards == rewards);
    column.map_or(String::new(), |column| column.name.clone())
}

/// A line for each value and distance.
pub fn histogram_table(store: &Store, histogram: &Histogram) -> Table {
    let stats = stats::stats(store);
    let mut table = Table::new(["value", "distance", "positions"].map(str::to_owned).to_vec());
    for bin in &histogram.bins {
        let distance = match bin.remoteness {
            Some(plies) => plies.to_string(),
            None if bin.endless => "endless".to_owned(),
            None => String::new(),
        };
        table.row(vec![name(&stats, &bin.rewards), distance, bin.positions.to_string()]);
    }
    table
}

/// A diagram with a logarithmic axis: a line for each value over the distances. What has no distance is not in it.
pub fn histogram_panel(stats: &Stats, histogram: &Histogram) -> Panel {
    let mut lines: BTreeMap<&[u8], Vec<(f64, f64)>> = BTreeMap::new();
    for bin in &histogram.bins {
        if let Some(plies) = bin.remoteness {
            lines.entry(&bin.rewards).or_default().push((f64::from(plies), bin.positions as f64));
        }
    }
    // In the order of the statistics, so that a value has the same colour everywhere.
    let line = |column: &Column| {
        let points = lines.get(column.rewards.as_slice()).cloned().unwrap_or_default();
        Series { name: column.name.clone(), points }
    };
    let [heading, x, y] =
        ["positions by distance to the end", "plies to the end", "positions"].map(str::to_owned);
    Panel { heading, x, y, content: Content::Lines(stats.values.iter().map(line).collect()) }
}

/// The same as a picture.
pub fn histogram_svg(store: &Store, histogram: &Histogram) -> Result<String, ExploreError> {
    let stats = stats::stats(store);
    let title = format!("{} {}: positions by distance to the end", stats.game, stats.size);
    let panel = Panel { heading: String::new(), ..histogram_panel(&stats, histogram) };
    let svg = Figure { title, panels: vec![panel] }.draw(Format::Svg)?;
    Ok(String::from_utf8_lossy(&svg).into_owned())
}

/// Everything that can be counted of a solution in one picture: values per layer, distances where they are kept, and the
/// bytes of the files.
pub fn figure(store: &Store) -> Result<Figure, ExploreError> {
    let stats = stats::stats(store);
    let mut panels = vec![stats::panel(&stats)];
    // Distances are not in the manifest: all values are read for them.
    if stats.total.longest.is_some()
        && let Some(histogram) = census::histogram(store, &mut || false)?
    {
        panels.push(histogram_panel(&stats, &histogram));
    }
    let bar = |row: &Row| {
        let parts = vec![row.set_bytes as f64, row.value_bytes as f64];
        Bar { label: row.layer.to_string(), parts }
    };
    let parts = ["positions", "values"].map(str::to_owned).to_vec();
    let [heading, x, y] = ["size of the files per layer", "layer", "bytes"].map(str::to_owned);
    let content = Content::Bars(parts, stats.layers.iter().map(bar).collect());
    panels.push(Panel { heading, x, y, content });
    let title = format!("{} {}", stats.game, stats.size).trim_end().to_owned();
    Ok(Figure { title, panels })
}
