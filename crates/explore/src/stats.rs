//! How many positions of which value there are.

use crate::error::ExploreError;
use crate::sentence::capital;
use serde::Serialize;
use std::io::Write;
use winset_model::Rewards;
use winset_store::{Encoding, LayerRecord, Store};

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
    /// Its number.
    pub layer: u32,
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
    let layers: Vec<Row> = store.manifest().layers.iter().map(|l| row(header.codes.len(), l)).collect();
    let mut total = Row { layer: layers.len() as u32, ..Row::default() };
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
        Some(player) => format!("{} wins", capital(&header.game.players[player])),
        None if store.every_play_ends() => "tied".to_owned(),
        // Ended level or endless: the counts do not tell which.
        None => "level".to_owned(),
    };
    let column = |&rewards: &Rewards| Column { name: name(rewards), rewards: rewards.to_vec() };
    let values = header.codes.iter().map(column).collect();
    Stats { game: header.game.name.clone(), size: header.game.size.clone(), values, layers, total }
}

fn row(codes: usize, record: &LayerRecord) -> Row {
    let by_value = record.values.as_ref().map(|values| {
        let mut sums = values.by_code.clone();
        sums.resize(codes, 0);
        let ended = record.terminal_by_code.iter();
        sums.iter_mut().zip(ended).for_each(|(sum, n)| *sum += n);
        sums
    });
    Row {
        layer: record.layer,
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
        let before = ["layer", "positions", "terminal"].map(str::to_owned).into_iter();
        let values = self.values.iter().map(|column| column.name.clone());
        before.chain(values).chain(["set bytes", "value bytes"].map(str::to_owned)).collect()
    }

    fn cells(&self, row: &Row, name: &str) -> Vec<String> {
        let mut cells = vec![name.to_owned(), row.positions.to_string(), row.terminal.to_string()];
        match &row.by_value {
            Some(counts) => cells.extend(counts.iter().map(u64::to_string)),
            None => cells.extend(self.values.iter().map(|_| String::new())),
        }
        cells.extend([row.set_bytes.to_string(), row.value_bytes.to_string()]);
        cells
    }
}

/// Aligned columns, with the sums below.
pub fn write_table(out: &mut dyn Write, stats: &Stats) -> Result<(), ExploreError> {
    let mut lines = vec![stats.head()];
    lines.extend(stats.layers.iter().map(|row| stats.cells(row, &row.layer.to_string())));
    lines.push(stats.cells(&stats.total, "all"));
    let width = |i: usize| lines.iter().map(|line| line[i].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..lines[0].len()).map(width).collect();
    for line in &lines {
        let cells: Vec<String> = line.iter().zip(&widths).map(|(cell, &w)| format!("{cell:>w$}")).collect();
        writeln!(out, "{}", cells.join("  "))?;
    }
    Ok(())
}

/// Comma-separated values, a line per layer.
pub fn write_csv(out: &mut dyn Write, stats: &Stats) -> Result<(), ExploreError> {
    writeln!(out, "{}", stats.head().join(","))?;
    for row in &stats.layers {
        writeln!(out, "{}", stats.cells(row, &row.layer.to_string()).join(","))?;
    }
    Ok(())
}

/// A picture: a bar per layer, cut by value. Blue, grey and orange, which everybody can tell apart, and other
/// shades for more values.
pub fn write_svg(out: &mut dyn Write, stats: &Stats) -> Result<(), ExploreError> {
    const COLOURS: [&str; 6] = ["#0072b2", "#e69f00", "#999999", "#56b4e9", "#d55e00", "#555555"];
    let (width, height, left, bottom) = (960.0, 420.0, 20.0, 40.0);
    let most = stats.layers.iter().map(|row| row.positions).max().unwrap_or(1).max(1) as f64;
    let step = (width - 2.0 * left) / stats.layers.len().max(1) as f64;
    writeln!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">"#
    )?;
    writeln!(out, "<title>{} {}: positions per layer</title>", escape(&stats.game), escape(&stats.size))?;
    for (i, row) in stats.layers.iter().enumerate() {
        let x = left + i as f64 * step;
        let mut y = height - bottom;
        let whole = [row.positions];
        let parts = row.by_value.as_deref().unwrap_or(&whole);
        for (part, &count) in parts.iter().enumerate() {
            let tall = count as f64 / most * (height - bottom - 40.0);
            y -= tall;
            let colour = if row.by_value.is_some() { COLOURS[part % COLOURS.len()] } else { "#dddddd" };
            let bar = step * 0.9;
            writeln!(
                out,
                r#"<rect x="{x:.1}" y="{y:.1}" width="{bar:.1}" height="{tall:.1}" fill="{colour}"/>"#
            )?;
        }
        if stats.layers.len() <= 50 || i % 5 == 0 {
            let (x, y, layer) = (x + step / 2.0, height - bottom + 16.0, row.layer);
            writeln!(out, r#"<text x="{x:.1}" y="{y:.1}" text-anchor="middle">{layer}</text>"#)?;
        }
    }
    for (i, column) in stats.values.iter().take(12).enumerate() {
        let (x, colour) = (left + i as f64 * 150.0, COLOURS[i % COLOURS.len()]);
        writeln!(out, r#"<rect x="{x}" y="8" width="12" height="12" fill="{colour}"/>"#)?;
        writeln!(out, r#"<text x="{}" y="18">{}</text>"#, x + 18.0, escape(&column.name))?;
    }
    writeln!(out, "</svg>")?;
    Ok(())
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
