//! How many positions of which value there are.

use crate::error::ExploreError;
use crate::sentence::does;
use serde::Serialize;
use std::io::Write;
use winset_model::Rewards;
use winset_report::plot::{Bar, Content, Figure, Format, Panel};
use winset_report::table::Table;
use winset_store::{Encoding, Header, LayerRecord, Store};

/// Counts of a solution, layer by layer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// The game.
    pub game: String,
    /// Its size.
    pub size: String,
    /// What each column of values stands for.
    pub values: Vec<Column>,
    /// The layers.
    pub layers: Vec<Row>,
    /// Their sums; the layer is the number of layers.
    pub total: Row,
}

/// What a column of counts stands for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Column {
    /// In words.
    pub name: String,
    /// The rewards of the players.
    pub rewards: Vec<u8>,
}

/// The counts of a layer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Row {
    /// Its number, in the order of play.
    pub layer: usize,
    /// How much higher than at the start the progress measure is; null if the layers are not those of a measure.
    pub measure: Option<u32>,
    /// All positions.
    pub positions: u64,
    /// Those in which the game has ended.
    pub terminal: u64,
    /// Positions of each value, terminal ones included where they were counted; null until solved.
    pub by_value: Option<Vec<u64>>,
    /// The size of the set's file.
    pub set_bytes: u64,
    /// The size of the values' file.
    pub value_bytes: u64,
    /// How the values are kept.
    pub encoding: Option<Encoding>,
    /// The longest distance to the end, if distances are kept.
    pub longest: Option<u32>,
}

/// Counts a solution. Reads nothing but the manifest.
pub fn stats(store: &Store) -> Stats {
    let header = &store.manifest().header;
    let records = store.manifest().layers.iter().enumerate();
    let layers: Vec<Row> = records.map(|(number, record)| row(header, number, record)).collect();
    let mut total = Row { layer: layers.len(), ..Row::default() };
    let mut by_value = Some(vec![0u64; header.codes.len()]);
    for layer in &layers {
        total.positions += layer.positions;
        total.terminal += layer.terminal;
        total.set_bytes += layer.set_bytes;
        total.value_bytes += layer.value_bytes;
        total.longest = total.longest.max(layer.longest);
        by_value = by_value
            .zip(layer.by_value.as_ref())
            .map(|(sum, more)| sum.iter().zip(more).map(|(sum, more)| sum + more).collect());
    }
    total.by_value = by_value;
    let name = |rewards: Rewards| match rewards.leader() {
        _ if !header.is_win_draw_loss() => rewards.to_string(),
        Some(player) => does(&header.game.players[player.index()], "wins", "win"),
        None if store.every_play_ends() => "tied".to_owned(),
        // Ended level or endless: the counts do not tell which.
        None => "level".to_owned(),
    };
    let column = |&rewards: &Rewards| Column { name: name(rewards), rewards: rewards.to_vec() };
    let values = header.codes.iter().map(column).collect();
    Stats { game: header.game.name.clone(), size: header.game.size.clone(), values, layers, total }
}

fn row(header: &Header, number: usize, record: &LayerRecord) -> Row {
    let by_value = record.values.as_ref().map(|values| {
        let mut sums = values.by_code.clone();
        sums.resize(header.codes.len(), 0);
        let ended = record.terminal_by_code.iter();
        sums.iter_mut().zip(ended).for_each(|(sum, n)| *sum += n);
        sums
    });
    Row {
        layer: number,
        measure: header.layering.measure(record),
        positions: record.positions,
        terminal: record.terminal,
        by_value,
        set_bytes: record.set.bytes,
        value_bytes: record.values.as_ref().map_or(0, |values| values.file.bytes),
        encoding: record.values.as_ref().map(|values| values.encoding),
        longest: record.values.as_ref().and_then(|values| values.longest),
    }
}

impl Stats {
    fn head(&self) -> Vec<String> {
        let before = ["layer", "measure", "positions", "terminal"].map(str::to_owned).into_iter();
        let values = self.values.iter().map(|column| column.name.clone());
        before.chain(values).chain(["set bytes", "value bytes"].map(str::to_owned)).collect()
    }

    fn cells(&self, row: &Row, name: &str) -> Vec<String> {
        let measure = row.measure.map_or(String::new(), |measure| measure.to_string());
        let mut cells = vec![name.to_owned(), measure, row.positions.to_string(), row.terminal.to_string()];
        match &row.by_value {
            Some(counts) => cells.extend(counts.iter().map(u64::to_string)),
            None => cells.extend(self.values.iter().map(|_| String::new())),
        }
        cells.extend([row.set_bytes.to_string(), row.value_bytes.to_string()]);
        cells
    }
}

/// The counts as a table, with the sums below.
pub fn table(stats: &Stats) -> Table {
    let mut table = Table::new(stats.head());
    for row in &stats.layers {
        table.row(stats.cells(row, &row.layer.to_string()));
    }
    table.foot(stats.cells(&stats.total, "all"));
    table
}

/// Aligned columns, with the sums below.
pub fn write_table(out: &mut dyn Write, stats: &Stats) -> Result<(), ExploreError> {
    Ok(out.write_all(table(stats).text().as_bytes())?)
}

/// Comma-separated values, a line per layer.
pub fn write_csv(out: &mut dyn Write, stats: &Stats) -> Result<(), ExploreError> {
    Ok(out.write_all(table(stats).csv().as_bytes())?)
}

/// A diagram: a bar per layer, cut by value.
pub fn panel(stats: &Stats) -> Panel {
    let parts: Vec<String> = stats.values.iter().map(|column| column.name.clone()).collect();
    let bar = |row: &Row| {
        let counts = row.by_value.clone().unwrap_or_else(|| vec![row.positions]);
        Bar { label: row.layer.to_string(), parts: counts.iter().map(|&n| n as f64).collect() }
    };
    let bars = stats.layers.iter().map(bar).collect();
    let [heading, x, y] = ["positions per layer", "layer", "positions"].map(str::to_owned);
    Panel { heading, x, y, content: Content::Bars(parts, bars) }
}

/// The same as a picture.
pub fn write_svg(out: &mut dyn Write, stats: &Stats) -> Result<(), ExploreError> {
    let title = format!("{} {}: positions per layer", stats.game, stats.size);
    let panel = Panel { heading: String::new(), ..panel(stats) };
    Ok(out.write_all(&Figure { title, panels: vec![panel] }.draw(Format::Svg)?)?)
}
