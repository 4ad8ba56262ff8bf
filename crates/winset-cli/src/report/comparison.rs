//! Published figures beside ours.

use super::table::{Table, grouped};
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
    /// It differs, and no reason for that is known.
    pub fault: bool,
}

/// What is said of a difference that nothing explains.
const FAULT: &str = "a fault";

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

    /// Adds a figure that should be ours exactly; any difference is a fault.
    pub fn must_match(
        &mut self,
        what: impl Into<String>,
        published: impl Into<String>,
        ours: impl Into<String>,
    ) {
        self.compare(what, published, ours, "");
    }

    /// Adds a figure; equal texts match. `why` declares a reason for a difference; without one it is a fault.
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
        let differs = verdict == "differs";
        let fault = differs && why.is_empty();
        let why = if fault {
            FAULT
        } else if differs {
            why
        } else {
            ""
        }
        .to_owned();
        self.rows.push(Row { what: what.into(), published, ours, verdict, why, fault });
    }

    /// Adds an exact count beside one published in scientific notation; it matches if its first digits are
    /// those, rounded or cut off: the literature does both.
    pub fn compare_rounded(&mut self, what: impl Into<String>, published: &str, ours: u128) {
        self.must_match(what, published, grouped(ours));
        let digits = published.split('e').next().unwrap_or("").len().saturating_sub(2);
        if let Some(row) = self.rows.last_mut()
            && row.fault
            && (published == format!("{:.digits$e}", ours as f64) || published == cut_off(ours, digits))
        {
            row.verdict = "match";
            row.fault = false;
            row.why.clear();
        }
    }

    /// What differs although it should match.
    pub fn faults(&self) -> impl Iterator<Item = String> {
        let faults = self.rows.iter().filter(|row| row.fault);
        faults
            .map(|row| format!("{}: {}: {} published, {} ours", self.name, row.what, row.published, row.ours))
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

/// A count in scientific notation with n digits after the point, the rest cut off.
fn cut_off(count: u128, digits: usize) -> String {
    let text = count.to_string();
    let kept: String = text.chars().skip(1).chain(std::iter::repeat('0')).take(digits).collect();
    let point = if digits > 0 { "." } else { "" };
    format!("{}{point}{kept}e{}", &text[..1], text.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_match_exactly_or_rounded() {
        let mut comparison = Comparison::new("a", "b");
        comparison.compare("nodes", "22", "22", "");
        comparison.compare("nodes", "22", "23", "complement edges");
        comparison.compare_rounded("states", "3.7e8", 370_593_513);
        comparison.compare_rounded("states", "1.51722e7", 15_172_249);
        comparison.compare_rounded("states", "3.7e8", 380_593_513);
        comparison.compare_rounded("states", "3.2e8", 325_321_458);
        comparison.compare_rounded("states", "3.1e8", 325_321_458);
        let verdicts: Vec<&str> = comparison.rows.iter().map(|row| row.verdict).collect();
        let faults: Vec<bool> = comparison.rows.iter().map(|row| row.fault).collect();
        assert_eq!(faults, [false, false, false, false, true, false, true]);
        assert_eq!(comparison.faults().count(), 2);
        assert_eq!(verdicts, ["match", "differs", "match", "match", "differs", "match", "differs"]);
    }
}
