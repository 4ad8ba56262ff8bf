//! What is solved of a game, asked by states as the ground rules have them.

use crate::cache::{Cache, Shelf};
use rustc_hash::FxHashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use winset::{Catalogue, Options, Rules, Session, Solved, Stage, State, VarId, Watcher};
use winset_gdl::{Facts, Simulation};
use winset_model::Value;

/// A solution, or the part of it that there is.
pub(crate) struct Knowledge {
    pub solved: Solved,
    /// Every position has its value.
    pub complete: bool,
    /// For every fact the variable and the value that stand for it.
    places: FxHashMap<String, (VarId, Value)>,
    /// For every variable its value where no fact says another.
    otherwise: Vec<Option<Value>>,
}

impl Knowledge {
    pub fn new(solved: Solved) -> Self {
        let mut places = FxHashMap::default();
        let mut otherwise = vec![];
        for (var, variable) in solved.game().variables().iter().enumerate() {
            let mut none = None;
            for (value, name) in variable.values.iter().enumerate() {
                match name.is_empty() {
                    true => none = Some(value as Value),
                    false => {
                        places.insert(name.clone(), (VarId(var as u32), value as Value));
                    }
                }
            }
            otherwise.push(none);
        }
        let complete = solved.store().is_complete();
        Knowledge { solved, complete, places, otherwise }
    }

    /// The same state as the solved game writes it; none if it cannot: then nothing is known.
    pub fn state(&self, simulation: &Simulation, facts: &Facts) -> Option<State> {
        let mut values: Vec<Option<Value>> = vec![None; self.otherwise.len()];
        for fact in simulation.facts(facts) {
            let (var, value) = self.places.get(fact)?;
            // Two values of one variable at once: no state of the solved game.
            if values[var.index()].replace(*value).is_some() {
                return None;
            }
        }
        let each = values.into_iter().zip(&self.otherwise).map(|(value, none)| value.or(*none));
        Some(State(each.collect::<Option<Vec<Value>>>()?.into()))
    }

    /// What each role gets from these states, where that is known.
    pub fn values(&self, session: &mut Session<'_>, states: Vec<Option<State>>) -> Vec<Option<Box<[u8]>>> {
        let asked: Vec<State> = states.iter().flatten().cloned().collect();
        let Ok(found) = session.values(&asked) else { return vec![None; states.len()] };
        let mut found = found.into_iter();
        let value = |state: Option<State>| {
            let value = state.and_then(|_| found.next())?.valuation()?;
            Some(value.rewards.iter().copied().collect())
        };
        states.into_iter().map(value).collect()
    }
}

/// What solving needs to know.
pub(crate) struct Job<'a> {
    pub rules: &'a str,
    pub memory: u64,
    pub threads: usize,
    pub gdl: winset_gdl::Options,
    pub cache: Option<&'a Cache>,
    pub stop: &'a AtomicBool,
}

/// How solving came to its end.
pub(crate) enum Outcome {
    /// It was solved before.
    Found(Solved),
    /// It is solved now.
    Solved(Solved),
    /// It was not solved.
    Not(String),
}

/// Solves the rules, or finds them solved. `learn` hears of parts that are solved on the way. Where the solution is kept
/// must be kept itself for as long as it is asked.
pub(crate) fn solve(job: &Job<'_>, learn: &mut (dyn FnMut(Solved) + Send)) -> (Outcome, Option<Shelf>) {
    let shelf = job.cache.and_then(|cache| cache.shelf(job.rules));
    (solve_on(job, shelf.as_ref(), learn), shelf)
}

fn solve_on(job: &Job<'_>, shelf: Option<&Shelf>, learn: &mut (dyn FnMut(Solved) + Send)) -> Outcome {
    let catalogue = Catalogue { gdl: job.gdl.clone() };
    let rules = match catalogue.gdl("match", job.rules) {
        Ok(rules) => rules,
        Err(error) => return Outcome::Not(error.to_string()),
    };
    if job.stop.load(Ordering::Relaxed) {
        return Outcome::Not("stopped".to_owned());
    }
    let path = shelf.map(Shelf::path);
    let known = path.and_then(|path| winset::open_as(path, rules.clone()).ok());
    if let Some(solved) = known {
        if solved.store().is_complete() {
            return Outcome::Found(solved);
        }
        learn(solved);
    }
    let options = |out: Option<&Path>| Options {
        out: out.map(Path::to_owned),
        memory: Some(job.memory),
        threads: Some(job.threads),
        ..Options::default()
    };
    let mut watcher = Watch {
        rules: rules.clone(),
        shelf: path,
        learn,
        stop: job.stop,
        next: Instant::now() + Duration::from_secs(1),
        full: &|| shelf.is_some_and(Shelf::is_full),
    };
    match winset::solve_watched(rules.clone(), &options(path), &mut watcher) {
        Ok(solved) => Outcome::Solved(solved),
        // What was kept cannot be read, or cannot be written: without it, in memory.
        Err(winset::Error::Store(error)) if path.is_some() => {
            if let Some(shelf) = shelf {
                shelf.clear();
            }
            watcher.shelf = None;
            match winset::solve_watched(rules, &options(None), &mut watcher) {
                Ok(solved) => Outcome::Solved(solved),
                Err(again) => Outcome::Not(format!("{error}; {again}")),
            }
        }
        Err(error) => Outcome::Not(error.to_string()),
    }
}

/// Looks from time to time at what is solved, and stops the work when the match is over.
struct Watch<'a> {
    rules: Rules,
    shelf: Option<&'a Path>,
    learn: &'a mut (dyn FnMut(Solved) + Send),
    stop: &'a AtomicBool,
    next: Instant,
    full: &'a (dyn Fn() -> bool + Sync),
}

impl Watcher for Watch<'_> {
    fn stage(&mut self, stage: &Stage<'_>) {
        let Some(shelf) = self.shelf.filter(|_| stage.phase == "backward" && Instant::now() >= self.next)
        else {
            return;
        };
        let began = Instant::now();
        if let Ok(solved) = winset::open_as(shelf, self.rules.clone()) {
            (self.learn)(solved);
        }
        // Looking is to take a small part of the time.
        self.next = Instant::now() + Duration::from_secs(1).max(20 * began.elapsed());
    }

    fn stop(&mut self) -> bool {
        self.stop.load(Ordering::Relaxed) || (self.full)()
    }
}
