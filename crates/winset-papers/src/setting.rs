//! What an experiment may use, and what it says on the way.

use crate::comparison::Comparison;
use crate::error::PapersError;
use std::path::Path;
use std::time::Duration;
use winset::Catalogue;
use winset_report::table::grouped;
use winset_symbolic::{Iteration, Observer, Phase, SymbolicError};

/// Hears how far an experiment is: what is done, how many pieces of it, and more about it.
pub trait Listener {
    /// A piece of work is about to be done, or was done.
    fn step(&self, phase: &str, done: u64, message: &str);
}

/// Nobody listens.
impl Listener for () {
    fn step(&self, _: &str, _: u64, _: &str) {}
}

/// How much of an experiment to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Size {
    /// What takes seconds: the smallest boards.
    Small,
    /// What takes minutes.
    Usual,
    /// Also what takes hours or many gigabytes.
    Large,
}

/// What an experiment may use.
pub struct Setting<'a> {
    /// How much to run.
    pub size: Size,
    /// For tests: every published figure is changed before it is compared, so that what still matches cannot fail.
    pub falsify: bool,
    /// The memory budget in bytes.
    pub memory: u64,
    /// Who hears of progress.
    pub listener: &'a dyn Listener,
    /// Reads rules in GDL.
    pub catalogue: &'a Catalogue,
    /// Where GDL games with known results are.
    pub games: Option<&'a Path>,
    /// How long each of those games may take.
    pub limit: Duration,
    /// How many bytes the process has from its allocator, if that is counted.
    pub used: Option<fn() -> u64>,
    /// The program `winset`, which solves each of those games in a process of its own.
    pub program: &'a Path,
}

impl Setting<'_> {
    /// The layer engine's options: all cores, and the memory that is allowed.
    pub fn layers(&self) -> winset_layers::Options {
        winset_layers::Options {
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            memory: Some(self.memory),
            directory: Some(std::env::temp_dir()),
            ..Default::default()
        }
    }

    /// Everything is to be run, whatever it takes.
    pub fn is_large(&self) -> bool {
        self.size == Size::Large
    }

    /// Only what is quick is to be run.
    pub fn is_small(&self) -> bool {
        self.size == Size::Small
    }

    /// Says what is about to be done.
    pub fn begin(&self, experiment: &str, what: &str) {
        self.listener.step(experiment, 0, what);
    }
}

/// What was found, or none if it did not fit: then a row says which limit was hit.
pub fn within_memory<T>(
    found: Result<T, SymbolicError>,
    what: impl Into<String>,
    comparison: &mut Comparison,
) -> Result<Option<T>, PapersError> {
    match found {
        Err(error @ SymbolicError::OutOfMemory { .. }) => {
            comparison.beside(what, "", "not done", &error.to_string());
            Ok(None)
        }
        found => Ok(Some(found?)),
    }
}

/// Tells the listener of each iteration of the BDD engine as it is done, and keeps it.
pub struct Watch<'a> {
    listener: &'a dyn Listener,
    /// All iterations so far.
    pub iterations: Vec<Iteration>,
    /// After how many of them it is enough.
    pub enough: usize,
}

impl<'a> Watch<'a> {
    /// A watch that has seen nothing.
    pub fn new(setting: &Setting<'a>) -> Self {
        Watch { listener: setting.listener, iterations: vec![], enough: usize::MAX }
    }
}

impl Observer for Watch<'_> {
    fn iteration(&mut self, it: &Iteration) {
        let message = format!("{} states, {} nodes", grouped(it.states), grouped(it.nodes as u64));
        let phase = match it.phase {
            Phase::Forward => "forward",
            Phase::Backward => "backward",
        };
        self.listener.step(phase, it.index.max(0) as u64, &message);
        self.iterations.push(it.clone());
    }

    fn is_cancelled(&self) -> bool {
        self.iterations.len() >= self.enough
    }
}
