//! What was measured: the files of `results/`, and the page that is made of them.
//!
//! A [`Set`] is a file: runs of commands with what they cost and what they found. [`page`] renders all of them as
//! RESULTS.md, so that the page says nothing that no file has. `cargo run --release -p winset-papers --example results`
//! measures a set again and renders the page.

mod render;

use crate::comparison::Comparison;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::Path;
use thiserror::Error;

pub use render::page;

/// What belongs together: a section of the page, and a file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Set {
    /// The section's title.
    pub title: String,
    /// Sections are in this order.
    pub place: u32,
    /// What is to be known before the table.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// The figures that every run has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<Column>,
    /// What was run.
    pub runs: Vec<Run>,
    /// What else was noticed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// One figure of every run.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// The column's title.
    pub name: String,
    /// Where it stands in the JSON that the command prints; none: it is entered by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
}

/// A command, what it cost, and what it found.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// What it is called on the page; the command if nothing is said.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The command, as it is typed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub command: String,
    /// When and where it was run, and what it cost.
    #[serde(default, skip_serializing_if = "Measured::is_empty")]
    pub measured: Measured,
    /// A figure for each of the set's columns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<Value>,
    /// What `winset reproduce` printed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comparisons: Vec<Comparison>,
    /// What is to be known about this run.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// The circumstances of a run, and its cost. What is not known is left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// The commit of the program that was run; of a run that was entered by hand, the commit that entered it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub commit: String,
    /// The processor and the number of its cores.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub machine: String,
    /// User and system time together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_seconds: Option<f64>,
    /// Time by the clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall_seconds: Option<f64>,
    /// CPU time in units of the yardstick program, which is run before and after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub units: Option<f64>,
    /// The largest resident set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_bytes: Option<u64>,
    /// The exit code, where it was not 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
}

impl Measured {
    fn is_empty(&self) -> bool {
        *self == Measured::default()
    }
}

/// Why a file of results cannot be used.
#[derive(Debug, Error)]
pub enum ResultsError {
    /// It cannot be read.
    #[error("{0}: {1}")]
    Io(String, #[source] std::io::Error),
    /// It is not what it should be.
    #[error("{0}: {1}")]
    Json(String, #[source] serde_json::Error),
    /// A run has more or fewer figures than there are columns.
    #[error("{file}: {run} has {figures} figures for {columns} columns")]
    Columns {
        /// The file.
        file: String,
        /// The run's name.
        run: String,
        /// How many figures it has.
        figures: usize,
        /// How many there are columns.
        columns: usize,
    },
}

impl Run {
    /// What the run is called.
    pub fn title(&self) -> &str {
        if self.name.is_empty() { &self.command } else { &self.name }
    }
}

impl Set {
    /// Reads a set from its file.
    pub fn read(path: &Path) -> Result<Self, ResultsError> {
        let file = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| ResultsError::Io(file.clone(), error))?;
        let set: Set =
            serde_json::from_str(&text).map_err(|error| ResultsError::Json(file.clone(), error))?;
        let columns = set.columns.len();
        match set.runs.iter().find(|run| run.comparisons.is_empty() && run.figures.len() != columns) {
            None => Ok(set),
            Some(run) => {
                let (run, figures) = (run.title().to_owned(), run.figures.len());
                Err(ResultsError::Columns { file, run, figures, columns })
            }
        }
    }

    /// All sets of a directory, in the order of the page.
    pub fn read_all(directory: &Path) -> Result<Vec<Self>, ResultsError> {
        let name = directory.display().to_string();
        let entries = std::fs::read_dir(directory).map_err(|error| ResultsError::Io(name, error))?;
        let paths = entries.flatten().map(|entry| entry.path());
        let mut paths: Vec<_> = paths.filter(|path| path.extension().is_some_and(|e| e == "json")).collect();
        paths.sort();
        let mut sets = paths.iter().map(|path| Set::read(path)).collect::<Result<Vec<_>, _>>()?;
        sets.sort_by_key(|set| set.place);
        Ok(sets)
    }

    /// The set as the text of its file.
    pub fn text(&self) -> String {
        serde_json::to_string_pretty(self).expect("strings and numbers") + "\n"
    }
}
