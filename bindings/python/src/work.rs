//! Solving and proving.

use crate::database::Database;
use crate::errors;
use crate::waiting::{Told, wait};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use winset::{
    Auto, Bdd, Catalogue, Choices, Engine, Error, ExplicitSearch, Layers, Opponent, Options, Solved, Stage,
    Watcher, solve_watched,
};
use winset_verify::{Report, VerifyError, verify_by_diagrams, verify_full, verify_sample};

/// Solves a game: `name` with `size` and `options`, or rules in GDL as `text`, which are then called `name`.
#[pyfunction]
#[pyo3(signature = (name, size, text, options, *, out, distance, memory, threads, engine, opponent, compact, progress))]
#[allow(clippy::too_many_arguments, reason = "the caller is Python, which names them")]
pub fn solve(
    py: Python<'_>,
    name: String,
    size: Option<String>,
    text: Option<String>,
    options: BTreeMap<String, String>,
    out: Option<PathBuf>,
    distance: bool,
    memory: Option<u64>,
    threads: Option<usize>,
    engine: &str,
    opponent: Option<&str>,
    compact: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Database> {
    let opponent = match opponent {
        None => None,
        Some("difference") => Some(Opponent::Difference),
        Some("own") => Some(Opponent::Own),
        Some(other) => {
            return Err(errors::value(format!("opponent is \"difference\" or \"own\", not {other:?}")));
        }
    };
    if !["auto", "layers", "bdd", "explicit"].contains(&engine) {
        return Err(errors::value(format!(
            "engine is \"auto\", \"layers\", \"bdd\" or \"explicit\", not {engine:?}"
        )));
    }
    if threads == Some(0) {
        return Err(errors::value("0 threads do no work"));
    }
    let solved = wait(py, progress.as_ref(), |stop, tell| {
        let chosen: Option<Box<dyn Engine>> = match engine {
            "layers" => Some(Box::new(Layers::default())),
            "explicit" => Some(Box::new(ExplicitSearch::default())),
            "bdd" => Some(Box::new(Bdd::default())),
            _ => Some(Box::new(Auto::default())),
        };
        let catalogue = Catalogue::default();
        let choices = Choices(options);
        tell(("read".to_owned(), 0, None, "reading the rules".to_owned()));
        let rules = match text {
            Some(text) => catalogue.gdl_with(&name, &text, &choices)?,
            None => catalogue.game(&name, size.as_deref(), &choices)?,
        };
        let options = Options { engine: chosen, opponent, distance, out, compact, memory, threads };
        solve_watched(rules, &options, &mut Telling { stop, tell })
    })?;
    match solved {
        Ok(solved) => Ok(Database::new(solved)),
        Err(error) => Err(errors::of(py, error)),
    }
}

/// Hands on what an engine says.
struct Telling<'a> {
    stop: &'a AtomicBool,
    tell: &'a (dyn Fn(Told) + Sync),
}

impl Watcher for Telling<'_> {
    fn stage(&mut self, stage: &Stage<'_>) {
        (self.tell)((stage.phase.to_owned(), stage.done, stage.of, stage.message.to_owned()));
    }

    fn stop(&mut self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Carried out of a check that is to stop: it has no other way to be left.
struct Left;

/// Checks a solution against the rules: all of it, or a sample. The faults found, as a dictionary.
pub fn verify<'py>(
    py: Python<'py>,
    solved: &Solved,
    sample: Option<u64>,
    seed: u64,
    memory: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let memory = memory.unwrap_or(winset_verify::MEMORY);
    let checked = wait(py, progress.as_ref(), |stop, tell| {
        let watch = |done: u64, of: u64| {
            if stop.load(Ordering::Relaxed) {
                resume_unwind(Box::new(Left));
            }
            tell(("verify".to_owned(), done, Some(of), String::new()));
        };
        let store = solved.store();
        let check = || match sample {
            Some(count) => verify_sample(store, count, seed, memory, &watch),
            None if winset_verify::suits_diagrams(store.manifest()) => {
                verify_by_diagrams(store, memory, &watch)
            }
            None => verify_full(store, memory, &watch),
        };
        catch_unwind(AssertUnwindSafe(check)).unwrap_or_else(|panic| match panic.downcast::<Left>() {
            // Nobody sees this: the exception that asked to stop is what comes out.
            Ok(_) => Err(VerifyError::TooMany),
            Err(panic) => resume_unwind(panic),
        })
    })?;
    let report = checked.map_err(|error| errors::of(py, Error::Verify(error)))?;
    as_dict(py, solved, &report)
}

fn as_dict<'py>(py: Python<'py>, solved: &Solved, report: &Report) -> PyResult<Bound<'py, PyDict>> {
    let layers = &solved.store().manifest().layers;
    let dict = PyDict::new(py);
    dict.set_item("checked", report.checked)?;
    dict.set_item("stored", report.of)?;
    dict.set_item("faults", report.faults)?;
    dict.set_item("complete", report.is_complete())?;
    dict.set_item("proved", report.is_proof())?;
    dict.set_item("missing", &report.missing)?;
    dict.set_item("sentence", report.to_string())?;
    let examples = report.examples.iter().map(|fault| {
        let layer = layers.iter().position(|l| l.layer == fault.layer);
        (layer, fault.rank, fault.position.clone(), fault.to_string())
    });
    dict.set_item("examples", examples.collect::<Vec<_>>())?;
    Ok(dict)
}
