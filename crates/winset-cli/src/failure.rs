//! Why a command did not do its work, and the exit code that says so.

use crate::output::{self, tell};
use serde_json::json;
use std::fmt;
use std::process::ExitCode;
use winset::{CatalogueError, EngineError};

/// Wrong use and what could not be done are told apart by the exit code.
#[derive(Debug)]
pub enum Failure {
    /// The user asked for something that does not exist or makes no sense: exit code 2.
    Use(String),
    /// It was asked rightly and could not be done: exit code 1.
    Cannot(anyhow::Error),
    /// A specification is false: exit code 3.
    False(String),
    /// What was to be checked is not finished; what is there holds: exit code 4.
    Unfinished(String),
    /// A process of a cluster's job has stopped before its time was up, and the same command goes on: exit code 75, as in
    /// sysexits.h.
    #[cfg_attr(not(feature = "mpi"), allow(dead_code, reason = "only processes of an MPI job stop so"))]
    TryAgain(String),
}

impl Failure {
    /// Wrong use, with the sentence that says what is wrong.
    pub fn wrong_use(message: impl fmt::Display) -> Self {
        Failure::Use(message.to_string())
    }

    /// Of rules that are not there or are refused.
    pub fn of_rules(error: CatalogueError) -> Self {
        match error {
            CatalogueError::Io(..) => Failure::Cannot(error.into()),
            other => Failure::wrong_use(other),
        }
    }

    /// Of an engine that did not do its job.
    pub fn of_engine(error: EngineError) -> Self {
        match error {
            EngineError::WrongUse(message) => Failure::Use(message),
            other => Failure::Cannot(other.into()),
        }
    }

    /// The number of the exit code, and a word for it.
    pub fn kind(&self) -> (u8, &'static str) {
        match self {
            Failure::Cannot(_) => (1, "could-not-be-done"),
            Failure::Use(_) => (2, "wrong-use"),
            Failure::False(_) => (3, "specification-false"),
            Failure::Unfinished(_) => (4, "not-finished"),
            Failure::TryAgain(_) => (winset_cluster::TRY_AGAIN, "stopped"),
        }
    }

    /// The exit code for this failure.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.kind().0)
    }

    /// Says on standard error what went wrong: a sentence for people, and one JSON object where `--json` is given.
    pub fn tell(&self) {
        if !wants_json() {
            return tell!("winset: {self}");
        }
        let (exit_code, kind) = self.kind();
        let message = self.to_string();
        output::remark_json(&json!({"error": {"kind": kind, "exit_code": exit_code, "message": message}}));
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Use(message)
            | Failure::False(message)
            | Failure::Unfinished(message)
            | Failure::TryAgain(message) => f.write_str(message),
            Failure::Cannot(error) => f.write_str(&told_once(error)),
        }
    }
}

/// The command line asks for JSON. It may be wrong in any other way, so that nobody has read it yet.
pub fn wants_json() -> bool {
    std::env::args_os().skip(1).take_while(|word| word != "--").any(|word| word == "--json")
}

/// An error with its causes; those whose text it gives already are not repeated.
fn told_once(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(|cause| cause.to_string()) {
        if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

impl<E: Into<anyhow::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Failure::Cannot(error.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_told_once() {
        let error = anyhow::anyhow!("no room").context("a.bin: writing failed: no room").context("not kept");
        assert_eq!(told_once(&error), "not kept: a.bin: writing failed: no room");
    }
}
