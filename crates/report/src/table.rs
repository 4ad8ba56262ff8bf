//! Tables that line up on a terminal, and the same as CSV.

use std::fmt::Write;
pub use winset_model::grouped;
use winset_model::visible;

/// Rows of cells under headers. Cells that look like numbers are set flush right.
#[derive(Debug, Default)]
pub struct Table {
    headers: Vec<String>,
    rows: Vec<Vec<String>>,
    foot: Option<Vec<String>>,
}

impl Table {
    /// A table with these headers and no rows yet.
    pub fn new<S: Into<String>>(headers: impl IntoIterator<Item = S>) -> Self {
        let shown = |title: S| visible(&title.into()).into_owned();
        Table { headers: headers.into_iter().map(shown).collect(), rows: vec![], foot: None }
    }

    /// Adds a row. Cells may hold names.
    pub fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        let shown = |cell: S| visible(&cell.into()).into_owned();
        self.rows.push(cells.into_iter().map(shown).collect());
    }

    /// Gives the table a last line, such as sums. Its words do not decide how columns are set, and CSV leaves it out:
    /// who reads that adds up for themselves.
    pub fn foot<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        let shown = |cell: S| visible(&cell.into()).into_owned();
        self.foot = Some(cells.into_iter().map(shown).collect());
    }

    /// The table as text, columns two blanks apart.
    pub fn text(&self) -> String {
        let lines = || std::iter::once(&self.headers).chain(&self.rows).chain(&self.foot);
        let width =
            |column: usize| lines().filter_map(|row| row.get(column)).map(|c| c.chars().count()).max();
        let widths: Vec<usize> = (0..self.headers.len()).map(|column| width(column).unwrap_or(0)).collect();
        let right: Vec<bool> = (0..self.headers.len())
            .map(|column| {
                let mut cells = self.rows.iter().filter_map(|row| row.get(column)).filter(|c| !c.is_empty());
                cells.clone().next().is_some() && cells.all(|cell| looks_numeric(cell))
            })
            .collect();
        let mut text = String::new();
        for row in lines() {
            let mut line = String::new();
            for (column, cell) in row.iter().enumerate() {
                let gap = if column == 0 { "" } else { "  " };
                let width = widths[column];
                let _ = match right[column] {
                    true => write!(line, "{gap}{cell:>width$}"),
                    false => write!(line, "{gap}{cell:<width$}"),
                };
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    /// The table as CSV; numbers lose their thousands separators.
    pub fn csv(&self) -> String {
        let mut text = String::new();
        for row in std::iter::once(&self.headers).chain(&self.rows) {
            let cells: Vec<String> = row.iter().map(|cell| csv_cell(cell)).collect();
            text.push_str(&cells.join(","));
            text.push('\n');
        }
        text
    }
}

fn looks_numeric(cell: &str) -> bool {
    cell.starts_with(|c: char| c.is_ascii_digit() || "+-.<>".contains(c))
        && cell.chars().all(|c| c.is_ascii_digit() || "+-.,%x<> ".contains(c))
}

fn csv_cell(cell: &str) -> String {
    let digits = cell.replace(',', "");
    if looks_numeric(cell) {
        digits
    } else if cell.contains([',', '"', '\n']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

/// Seconds with as many digits as are worth reading.
pub fn seconds(s: f64) -> String {
    if s < 10.0 { format!("{s:.2}") } else { format!("{s:.1}") }
}

/// A number of bytes in binary units.
pub fn bytes(n: u64) -> String {
    let (mut value, mut unit) = (n as f64, "B");
    for next in ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"] {
        if value < 1024.0 {
            break;
        }
        (value, unit) = (value / 1024.0, next);
    }
    if unit == "B" { format!("{n} B") } else { format!("{value:.1} {unit}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_flush_right_and_words_flush_left() {
        let mut table = Table::new(["layer", "positions", "note"]);
        table.row(["0", "1", "start"]);
        table.row(["10", "1,234", ""]);
        assert_eq!(table.text(), "layer  positions  note\n    0          1  start\n   10      1,234\n");
        assert_eq!(table.csv(), "layer,positions,note\n0,1,start\n10,1234,\n");
    }

    #[test]
    fn counts_are_grouped() {
        assert_eq!(grouped(0u64), "0");
        assert_eq!(grouped(999u64), "999");
        assert_eq!(grouped(4_531_985_219_092u64), "4,531,985,219,092");
    }

    #[test]
    fn sizes_have_binary_units() {
        assert_eq!(bytes(512), "512 B");
        assert_eq!(bytes(3 << 30), "3.0 GiB");
    }
}
