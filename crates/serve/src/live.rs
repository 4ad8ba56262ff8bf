//! Solving while somebody watches: layers fill in on the page, over server-sent events.
//!
//! What changes something here (to solve, to stop) needs a token that only our own page has: other origins may read
//! answers about games, but neither the page nor anything below `/api/v1/jobs`.

mod routes;
mod watch;

use crate::problem::Problem;
pub use routes::{pages, routes, served};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use tokio::sync::watch as channel;
pub use watch::{Tee, Watched};
use winset::{EngineError, Job, Rules, StoreCheckpoint};
use winset_store::OsDisk;

/// Games with more positions are not solved for the page: what is found so far is kept, and the command goes on with it.
pub const MOST_POSITIONS: u64 = 50_000_000;
/// Jobs that are remembered.
const MOST_JOBS: usize = 100;

/// A layer as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LayerNow {
    /// Its number in the order of play.
    pub layer: usize,
    /// Its positions.
    pub positions: u64,
    /// Those in which the game has ended.
    pub terminal: u64,
    /// The nodes of the diagram of its positions, if this run has found it.
    pub nodes: Option<u64>,
    /// Its values are known.
    pub solved: bool,
}

/// How the work came to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "how")]
pub enum End {
    /// Everything is solved.
    Done {
        /// Where to explore it, if it is served.
        page: Option<String>,
        /// The value of the start in words.
        sentence: Option<String>,
    },
    /// Somebody stopped it. Nothing that was finished is lost.
    Stopped {
        /// How to go on.
        detail: String,
    },
    /// It could not be done.
    Failed {
        /// Why.
        detail: String,
    },
}

/// How far the work is.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Snapshot {
    /// The job's number.
    pub job: u64,
    /// The game.
    pub title: String,
    /// What is being done: reading, forward, backward, ...
    pub phase: String,
    /// More about it.
    pub message: String,
    /// The layers.
    pub layers: Vec<LayerNow>,
    /// Positions found.
    pub positions: u64,
    /// Positions whose values are known.
    pub solved: u64,
    /// Positions found or solved in a second.
    pub per_second: Option<u64>,
    /// Bytes of memory that the process takes.
    pub memory: Option<u64>,
    /// Since the beginning.
    pub seconds: f64,
    /// Until the end, once that can be said.
    pub seconds_left: Option<f64>,
    /// How it ended, once it has.
    pub end: Option<End>,
}

/// A piece of work that is watched.
pub struct Running {
    now: channel::Sender<Arc<Snapshot>>,
    stop: AtomicBool,
    /// More positions than this are not found; none: no limit.
    most: Option<u64>,
    start: Instant,
}

impl Running {
    /// What clients see, and what changes later.
    pub fn subscribe(&self) -> channel::Receiver<Arc<Snapshot>> {
        self.now.subscribe()
    }

    /// How far it is.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.now.borrow().clone()
    }

    /// Asks the work to stop after this layer.
    pub fn cancel(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    fn change(&self, change: impl FnOnce(&mut Snapshot)) {
        self.now.send_modify(|now| {
            let snapshot = Arc::make_mut(now);
            change(snapshot);
            snapshot.seconds = self.start.elapsed().as_secs_f64();
        });
    }

    fn is_too_large(&self) -> bool {
        self.most.is_some_and(|most| self.now.borrow().positions > most)
    }
}

/// All work that is or was watched here.
pub struct Live {
    jobs: Mutex<BTreeMap<u64, Arc<Running>>>,
    /// Only our own page knows it.
    pub token: String,
    /// Where the page's solutions go; none: the page does not solve.
    pub into: Option<PathBuf>,
    /// What solving may take.
    pub memory: u64,
}

impl Live {
    /// Nothing is being solved yet.
    pub fn new(into: Option<PathBuf>, memory: u64) -> Self {
        Live { jobs: Mutex::default(), token: token(), into, memory }
    }

    /// The job with this number.
    pub fn get(&self, job: u64) -> Result<Arc<Running>, Problem> {
        let jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        jobs.get(&job).cloned().ok_or_else(|| Problem::missing("there is no such job"))
    }

    /// All jobs, the first first.
    pub fn all(&self) -> Vec<Arc<Snapshot>> {
        let jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        jobs.values().map(|running| running.snapshot()).collect()
    }

    /// A new piece of work, with a limit on its positions or without.
    pub fn begin(&self, title: &str, most: Option<u64>) -> Arc<Running> {
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        let job = jobs.last_key_value().map_or(1, |(last, _)| last + 1);
        let phase = "reading".to_owned();
        let snapshot = Snapshot { job, title: title.to_owned(), phase, ..Snapshot::default() };
        let running = Arc::new(Running {
            now: channel::Sender::new(Arc::new(snapshot)),
            stop: AtomicBool::new(false),
            most,
            start: Instant::now(),
        });
        jobs.insert(job, running.clone());
        if jobs.len() > MOST_JOBS {
            jobs.pop_first();
        }
        running
    }

    /// Whether something of the page's is being solved: one at a time.
    fn is_busy(&self) -> bool {
        let jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        jobs.values().any(|running| running.most.is_some() && running.now.borrow().end.is_none())
    }
}

/// Solves a game into a directory while clients watch. Where a former run has got to, it goes on.
pub fn solve(
    running: &Arc<Running>,
    rules: &Rules,
    directory: PathBuf,
    memory: u64,
) -> Result<(), EngineError> {
    let job = Job { distance: true, keep: true, memory, ..Job::default() };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let record = rules.record.clone();
    let mut store = StoreCheckpoint::new(
        Arc::new(OsDisk),
        &directory,
        &rules.game,
        record,
        job.opponent,
        memory,
        threads,
    );
    let mut tee = Tee::new(&mut store, running.clone());
    let mut watcher = Watched::new(running.clone());
    winset::run(&rules.game, &winset::Auto::default(), &job, &mut tee, &mut watcher).map(drop)
}

/// Says how the work ended.
pub fn finish(running: &Running, end: End) {
    running.change(|now| {
        now.end = Some(end);
        now.seconds_left = None;
        now.phase = "finished".to_owned();
        now.message.clear();
    });
}

/// What a failure is to somebody who watches.
pub fn end_of(running: &Running, error: &EngineError, command: &str) -> End {
    match error {
        EngineError::Stopped if running.is_too_large() => End::Stopped {
            detail: format!(
                "more than {} positions: too many for the page. Nothing is lost: `{command}` goes on",
                winset_model::grouped(MOST_POSITIONS)
            ),
        },
        EngineError::Stopped => End::Stopped {
            detail: format!("stopped; nothing that was finished is lost: `{command}` goes on"),
        },
        other => End::Failed { detail: winset_model::visible_lines(&other.to_string()).into_owned() },
    }
}

/// A word that cannot be guessed: the keys of the standard library's hash are drawn by the system.
fn token() -> String {
    use std::hash::{BuildHasher, RandomState};
    (0..4u64).map(|i| format!("{:016x}", RandomState::new().hash_one(i))).collect()
}
