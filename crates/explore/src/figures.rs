//! The histogram of distances as a table and as a picture.

use crate::census::Histogram;
use crate::error::ExploreError;
use crate::stats;
use std::collections::BTreeMap;
use winset_report::plot::{self, Series};
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

/// A picture with a logarithmic axis: a line for each value over the distances. What has no distance is not in it.
pub fn histogram_svg(store: &Store, histogram: &Histogram) -> Result<String, ExploreError> {
    let stats = stats::stats(store);
    let mut lines: BTreeMap<&[u8], Vec<(f64, f64)>> = BTreeMap::new();
    for bin in &histogram.bins {
        if let Some(plies) = bin.remoteness {
            lines.entry(&bin.rewards).or_default().push((f64::from(plies), bin.positions as f64));
        }
    }
    let series: Vec<Series> =
        lines.into_iter().map(|(rewards, points)| Series { name: name(&stats, rewards), points }).collect();
    let title = format!("{} {}: positions by distance to the end", stats.game, stats.size);
    Ok(plot::lines(&title, "plies to the end", "positions", &series)?)
}
