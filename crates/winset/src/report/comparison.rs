//! Published figures beside ours.

use super::table::Table;
use serde::Serialize;

/// One published figure and ours.
#[derive(Debug, Serialize)]
pub struct Row {
    /// What is compared.
    pub what: String,
    /// The published figure as printed; empty if there is none.
    pub published: String,
    /// Ours, computed just now.
    pub ours: String,
    /// "match", "differs", or empty where nothing was published.
    pub verdict: &'static str,
    /// Why it differs.
    pub why: String,
}

/// All figures of one table or figure.
#[derive(Debug, Serialize)]
pub struct Comparison {
    /// The experiment's name on the command line.
    pub name: String,
    /// Where the figures were published.
    pub source: String,
    pub rows: Vec<Row>,
    /// What was noticed.
    pub notes: Vec<String>,
    pub seconds: f64,
}

impl Comparison {
    /// A comparison with no rows yet.
    pub fn new(name: &str, source: &str) -> Self {
        let (name, source) = (name.to_owned(), source.to_owned());
        Comparison { name, source, rows: vec![], notes: vec![], seconds: 0.0 }
    }

    /// Adds a figure; equal texts match. `why` explains a difference.
    pub fn compare(
        &mut self,
        what: impl Into<String>,
        published: impl Into<String>,
        ours: impl Into<String>,
        why: &str,
    ) {
        let (published, ours) = (published.into(), ours.into());
        let verdict = match () {
            () if published.is_empty() => "",
            () if published == ours => "match",
            () => "differs",
        };
        let why = if verdict == "differs" { why.to_owned() } else { String::new() };
        self.rows.push(Row { what: what.into(), published, ours, verdict, why });
    }

    /// A title line, the table and the notes.
    pub fn text(&self) -> String {
        let mut table = Table::new(["", "published", "ours", "", ""]);
        for row in &self.rows {
            table.row([&row.what, &row.published, &row.ours, &row.verdict.to_owned(), &row.why]);
        }
        let mut text = format!("{}: {}\n\n{}", self.name, self.source, table.text());
        for note in &self.notes {
            text.push_str(&format!("\n{note}\n"));
        }
        text
    }
}
