//! What is said at the begin of work that will take long: how large the game is, how long it takes, and whether it can fit.
//!
//! Of a game that looks large at a glance it is said before the work begins. Otherwise nothing is estimated before the
//! engine has worked for some seconds on layers that still grow: what is solved sooner pays nothing. Then the engine waits
//! between two layers, for a few seconds of work that takes ten or more, and no two of them need memory at the same time.
//! Seconds are the processor's as well as the clock's: on a busy machine the clock goes on while nothing is done.

use crate::commands::estimate::{room, sentence};
use crate::interrupt;
use crate::memory;
use crate::output::tell;
use crate::progress::Progress;
use crate::report::table::bytes;
use crate::source;
use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;
use winset::{Catalogue, Estimate, Job};
use winset_model::Game;

/// The part of the memory which nobody uses that an estimate may take, and the least with which it can tell anything.
const PART: u64 = 4;
const LEAST: u64 = 16 << 20;
/// The same before the work begins, when nothing else needs memory.
const PART_BEFORE: u64 = 2;
/// The time that the engine's threads have worked together before anything is estimated.
const PATIENCE: Duration = Duration::from_secs(4);
/// How many smaller boards are glanced at, and how many of them are looked at closely.
const SMALLER: usize = 40;
const CLOSELY: usize = 6;

/// Announces a game once.
pub struct Announcer<'a> {
    game: &'a Game,
    job: &'a Job,
    done: bool,
    /// What the process had worked when it began.
    began: Duration,
}

impl<'a> Announcer<'a> {
    /// For this job.
    pub fn new(game: &'a Game, job: &'a Job) -> Self {
        Announcer { game, job, done: false, began: worked() }
    }

    /// Says before the work begins what is known of a game that looks large. Nothing is said again when work
    /// goes on that was begun before.
    pub fn begin(&mut self, progress: &mut Progress) {
        let memory = memory::left() / PART_BEFORE;
        if memory < LEAST || !progress.announces() {
            return;
        }
        if winset::looks_large(self.game, memory) {
            progress.step("estimate", 0, None, "how large the game is");
            let rough = winset::estimate_roughly(self.game, memory);
            // The larger a game is, the longer an estimate takes, and the less it is needed.
            let sure = rough.cannot_fit(self.job.memory);
            let estimate = if sure { rough } else { winset::estimate_within(self.game, memory) };
            self.say(progress, estimate, memory);
        }
    }

    /// Says what is known, if the work turns out to be long.
    pub fn hear(&mut self, progress: &mut Progress) {
        if self.done || !progress.forecast().is_long() || worked().saturating_sub(self.began) < PATIENCE {
            return;
        }
        let memory = memory::left() / PART;
        if memory < LEAST || !progress.announces() {
            self.done = true;
            return;
        }
        progress.step("estimate", 0, None, "how large the game is");
        self.say(progress, winset::estimate_within(self.game, memory), memory);
    }

    fn say(&mut self, progress: &mut Progress, estimate: Estimate, memory: u64) {
        self.done = true;
        let Some(expected) = estimate.expected else { return };
        progress.forecast().expect(expected.positions);
        progress.announce(&format!("{}: {}", self.game.title(), sentence(&estimate)), &estimate);
        warn(self.game, &estimate, self.job.memory, memory, progress);
    }
}

/// How long all threads of this process have worked.
fn worked() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.try_into().unwrap_or(0), time.tv_nsec.try_into().unwrap_or(0))
}

/// Warns of a game that is not likely to fit, and names the largest smaller board that would.
pub fn warn(game: &Game, estimate: &Estimate, budget: u64, for_estimate: u64, progress: &Progress) {
    if !estimate.cannot_fit(budget) {
        return;
    }
    let needs = estimate.memory().map_or(String::new(), |needs| {
        let [low, high] = needs.map(room);
        format!("{low} to {high} of memory")
    });
    let has = bytes(budget);
    progress.aside(|| {
        tell!("winset: warning: it needs about {needs}, may use {has}, and is not likely to fit: --memory gives it more");
    });
    progress.step("estimate", 0, None, "which board would fit");
    if let Some((title, fits)) = smaller(game, budget, for_estimate) {
        progress.aside(|| tell!("winset: {title} would: {}", sentence(&fits)));
    }
}

/// The largest smaller board that fits: always one less of what there is most of.
fn smaller(game: &Game, memory: u64, for_estimate: u64) -> Option<(String, Estimate)> {
    let family = Catalogue::family(game.name()).ok()?;
    let numbers: Option<Vec<usize>> = game.size().split('x').map(|number| number.parse().ok()).collect();
    let mut numbers = numbers?;
    let mut looks = 0;
    for _ in 0..SMALLER {
        let least = |at: usize| family.numbers.get(at).map_or(usize::MAX, |number| number.min);
        let most = (0..numbers.len()).filter(|&at| numbers[at] > least(at)).max_by_key(|&at| numbers[at])?;
        numbers[most] -= 1;
        if interrupt::requested() || looks == CLOSELY {
            return None;
        }
        let size: Vec<String> = numbers.iter().map(ToString::to_string).collect();
        let Ok(rules) = source::catalogue().game(game.name(), Some(&size.join("x")), game.choices()) else {
            continue;
        };
        // A rough estimate is enough of what is far too large.
        let large = winset::looks_large(&rules.game, for_estimate);
        if large && winset::estimate_roughly(&rules.game, for_estimate).cannot_fit(memory) {
            continue;
        }
        looks += 1;
        let estimate = winset::estimate_within(&rules.game, for_estimate);
        if estimate.fits(memory) {
            return Some((rules.game.title(), estimate));
        }
    }
    None
}
