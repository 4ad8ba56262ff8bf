//! What is solved of a game, asked by states as the ground rules have them.

use rustc_hash::FxHashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use winset::{
    Cache, CacheOrigin, Cached, Catalogue, Options, Rules, Session, Solved, Stage, State, VarId, Watcher,
    solve_uncached,
};
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

/// Solves the rules, or finds them solved; says why if it cannot. `learn` hears of parts that are solved on the way. What
/// comes out must be kept itself for as long as it is asked, or somebody may take it from the cache.
pub(crate) fn solve(job: &Job<'_>, learn: &mut (dyn FnMut(Solved) + Send)) -> Result<Cached, String> {
    let catalogue = Catalogue { gdl: job.gdl.clone() };
    let rules = catalogue.gdl("match", job.rules).map_err(|error| error.to_string())?;
    if job.stop.load(Ordering::Relaxed) {
        return Err("stopped".to_owned());
    }
    let path = job.cache.map(|cache| cache.root().join(Cache::folder(&rules)));
    // What was begun is finished, and a part is better than nothing until then.
    if let Some(solved) = path.as_ref().and_then(|path| winset::open_as(path, rules.clone()).ok())
        && !solved.store().is_complete()
    {
        learn(solved);
    }
    let options = Options { memory: Some(job.memory), threads: Some(job.threads), ..Options::default() };
    let most = job.cache.map_or(u64::MAX, |cache| cache.limit);
    let mut watcher = Watch {
        rules: rules.clone(),
        shelf: path.as_deref(),
        learn,
        stop: job.stop,
        next: Instant::now() + Duration::from_secs(1),
        most,
    };
    let solved = match job.cache {
        Some(cache) => cache.solve(rules, &options, &mut watcher),
        None => solve_uncached(rules, &options, &mut watcher),
    };
    solved.map_err(|error| error.to_string())
}

/// It was solved before.
pub(crate) fn was_found(cached: &Cached) -> bool {
    cached.origin == CacheOrigin::Found
}

/// The bytes of all files in a directory and below.
fn size(directory: &Path) -> u64 {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let each = entries.map(|entry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => size(&entry.path()),
        Ok(kind) if kind.is_file() => entry.metadata().map_or(0, |data| data.len()),
        _ => 0,
    });
    each.sum()
}

/// Looks from time to time at what is solved, and stops the work when the match is over.
struct Watch<'a> {
    rules: Rules,
    shelf: Option<&'a Path>,
    learn: &'a mut (dyn FnMut(Solved) + Send),
    stop: &'a AtomicBool,
    next: Instant,
    /// The most bytes that the whole cache may have.
    most: u64,
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
        self.stop.load(Ordering::Relaxed) || self.shelf.is_some_and(|shelf| size(shelf) > self.most)
    }
}
