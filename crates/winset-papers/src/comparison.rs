//! Published figures beside ours.

use crate::error::PapersError;
use crate::printed::agrees;
use serde::{Deserialize, Serialize};
use winset_report::plot::{self, Series};
use winset_report::table::{Table, grouped};

/// What is said of two figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// They are the same, or ours is what was published rounded or cut off.
    #[serde(rename = "match")]
    Match,
    /// They are not.
    #[serde(rename = "differs")]
    Differs,
    /// They stand beside each other and could not fail to: seconds of different machines, or whatever was solved.
    #[serde(rename = "not compared")]
    NotCompared,
    /// Nothing was published.
    #[serde(rename = "")]
    Unpublished,
}

impl Verdict {
    fn word(self) -> &'static str {
        match self {
            Verdict::Match => "match",
            Verdict::Differs => "differs",
            Verdict::NotCompared => "not compared",
            Verdict::Unpublished => "",
        }
    }
}

/// One published figure and ours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// What is compared.
    pub what: String,
    /// The published figure as printed; empty if there is none.
    pub published: String,
    /// Ours, computed just now.
    pub ours: String,
    /// What to say of the two.
    pub verdict: Verdict,
    /// Why it differs, or cannot be compared.
    pub why: String,
    /// It differs, and no reason for that is declared.
    pub fault: bool,
}

/// What is said of a difference that nothing explains.
const FAULT: &str = "a fault";

/// All figures of one table or figure.
#[derive(Debug, Serialize, Deserialize)]
pub struct Comparison {
    /// The experiment's name on the command line.
    pub name: String,
    /// Where the figures were published.
    pub source: String,
    /// The figures, in the order of the publication.
    pub rows: Vec<Row>,
    /// What was noticed.
    pub notes: Vec<String>,
    /// How long it took.
    pub seconds: f64,
    /// Pictures like the published ones.
    #[serde(skip)]
    pub figures: Vec<Figure>,
    /// Every published figure that is compared is changed first.
    #[serde(skip)]
    falsify: bool,
}

/// A picture.
#[derive(Debug)]
pub struct Figure {
    /// Its name, that of a file without its ending.
    pub name: String,
    /// The picture itself.
    pub svg: String,
}

impl Comparison {
    /// A comparison with no rows yet.
    pub fn new(name: &str, source: &str) -> Self {
        let (name, source) = (name.to_owned(), source.to_owned());
        let (rows, notes, figures) = (vec![], vec![], vec![]);
        Comparison { name, source, rows, notes, seconds: 0.0, figures, falsify: false }
    }

    /// The same with every published figure changed before it is compared: what matched before and still does is a
    /// comparison that cannot fail. For tests.
    pub fn falsified(self, falsify: bool) -> Self {
        Comparison { falsify, ..self }
    }

    fn published(&self, text: impl Into<String>) -> String {
        let text = text.into();
        if self.falsify { falsified(&text) } else { text }
    }

    fn add(&mut self, what: impl Into<String>, published: String, ours: String, same: bool, why: &str) {
        let verdict = if same { Verdict::Match } else { Verdict::Differs };
        let fault = !same && why.is_empty();
        let why = match () {
            () if fault => FAULT,
            () if same => "",
            () => why,
        };
        let why = why.to_owned();
        self.rows.push(Row { what: what.into(), published, ours, verdict, why, fault });
    }

    /// Adds a figure that must be ours exactly; any difference is a fault.
    pub fn must_match(
        &mut self,
        what: impl Into<String>,
        published: impl Into<String>,
        ours: impl Into<String>,
    ) {
        self.declared(what, published, ours, "");
    }

    /// Adds a figure that is known to differ, with the reason. Without one the difference is a fault.
    pub fn declared(
        &mut self,
        what: impl Into<String>,
        published: impl Into<String>,
        ours: impl Into<String>,
        why: &str,
    ) {
        let (published, ours) = (self.published(published), ours.into());
        let same = published == ours;
        self.add(what, published, ours, same, why);
    }

    /// Adds an exact count beside one of which only the first digits were published.
    pub fn rounded(&mut self, what: impl Into<String>, published: &str, ours: u128) {
        self.fraction(what, published, [ours, 1], grouped(ours));
    }

    /// Adds an exact fraction, written as `ours`, beside a decimal number. It matches if it is that number, rounded or cut
    /// off at the last digit that was printed: the literature does both.
    pub fn fraction(&mut self, what: impl Into<String>, published: &str, exact: [u128; 2], ours: String) {
        let published = self.published(published);
        let same = agrees(&published, exact);
        self.add(what, published, ours, same, "");
    }

    /// Adds what stands beside a published figure and cannot be compared with it, and why not.
    pub fn beside(
        &mut self,
        what: impl Into<String>,
        published: impl Into<String>,
        ours: impl Into<String>,
        why: &str,
    ) {
        let (what, published, ours, why) = (what.into(), published.into(), ours.into(), why.to_owned());
        let verdict = if published.is_empty() { Verdict::Unpublished } else { Verdict::NotCompared };
        self.rows.push(Row { what, published, ours, verdict, why, fault: false });
    }

    /// Adds a figure of which nothing was published.
    pub fn ours(&mut self, what: impl Into<String>, ours: impl Into<String>) {
        self.beside(what, "", ours, "");
    }

    /// Adds a column of counts, one for each layer from 0 on. A layer too many or too few is a fault.
    pub fn layers(&mut self, what: impl Fn(usize) -> String, published: &[u128], ours: &[u128]) {
        let cell =
            |column: &[u128], layer: usize| column.get(layer).map_or("none".to_owned(), |&n| grouped(n));
        for layer in 0..published.len().max(ours.len()) {
            self.must_match(what(layer), cell(published, layer), cell(ours, layer));
        }
    }

    /// Draws a picture of lines with a logarithmic axis.
    pub fn figure(
        &mut self,
        name: &str,
        title: &str,
        x: &str,
        y: &str,
        series: &[Series],
    ) -> Result<(), PapersError> {
        self.figures.push(Figure { name: name.to_owned(), svg: plot::lines(title, x, y, series)? });
        Ok(())
    }

    /// Adds a sentence below the table.
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// What differs although it should match.
    pub fn faults(&self) -> impl Iterator<Item = String> {
        let faults = self.rows.iter().filter(|row| row.fault);
        faults
            .map(|row| format!("{}: {}: {} published, {} ours", self.name, row.what, row.published, row.ours))
    }

    /// The table alone, of those rows.
    pub fn table<'r>(rows: impl IntoIterator<Item = &'r Row>) -> String {
        let mut table = Table::new(["", "published", "ours", "", ""]);
        for row in rows {
            table.row([&row.what, &row.published, &row.ours, &row.verdict.word().to_owned(), &row.why]);
        }
        table.text()
    }

    /// A title line, the table and the notes.
    pub fn text(&self) -> String {
        let mut text = format!("{}: {}\n\n{}", self.name, self.source, Self::table(&self.rows));
        for note in &self.notes {
            text.push_str(&format!("\n{note}\n"));
        }
        text
    }
}

/// Another figure: the first digit is another one, or there is a mark where there are no digits.
fn falsified(text: &str) -> String {
    let mut changed = false;
    let other = |c: char| match c.to_digit(10) {
        Some(digit) if !changed => {
            changed = true;
            char::from(b'0' + ((digit + 1) % 10) as u8)
        }
        _ => c,
    };
    let text: String = text.chars().map(other).collect();
    if changed || text.is_empty() { text } else { text + "?" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_match_exactly_or_rounded_or_cut_off() {
        let mut comparison = Comparison::new("a", "b");
        comparison.must_match("nodes", "22", "22");
        comparison.declared("nodes", "22", "23", "complement edges");
        comparison.rounded("states", "3.7e8", 370_593_513);
        comparison.rounded("states", "3.7e8", 380_593_513);
        comparison.beside("seconds", "10", "1", "another machine");
        comparison.ours("nodes", "1");
        let verdicts: Vec<Verdict> = comparison.rows.iter().map(|row| row.verdict).collect();
        use Verdict::{Differs, Match, NotCompared, Unpublished};
        assert_eq!(verdicts, [Match, Differs, Match, Differs, NotCompared, Unpublished]);
        assert_eq!(comparison.faults().count(), 1);
    }

    #[test]
    fn a_layer_too_many_or_too_few_is_a_fault() {
        for (published, ours, faults) in
            [(&[1, 7][..], &[1, 7][..], 0), (&[1, 7], &[1], 1), (&[1], &[1, 7], 1), (&[1, 7], &[1, 8], 1)]
        {
            let mut comparison = Comparison::new("a", "b");
            comparison.layers(|layer| layer.to_string(), published, ours);
            assert_eq!(comparison.faults().count(), faults, "{published:?} {ours:?}");
        }
    }

    /// Whatever matches is noticed when it is falsified.
    #[test]
    fn a_planted_figure_is_noticed() {
        let mut comparison = Comparison::new("a", "b").falsified(true);
        comparison.must_match("nodes", "22", "22");
        comparison.must_match("winner", "first", "first");
        comparison.rounded("states", "9.7e8", 970_593_513);
        comparison.fraction("share", "98.36%", [9836, 100], "98.36%".to_owned());
        comparison.layers(|layer| layer.to_string(), &[1, 9], &[1, 9]);
        assert_eq!(comparison.faults().count(), 6);
    }
}
