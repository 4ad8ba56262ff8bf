//! What is said at the begin of work that will take long: how large the game is, how long it takes, and whether it can fit.
//!
//! Nothing is estimated before the engine has worked for two seconds on layers that still grow: what is solved sooner pays
//! nothing. Then the engine waits between two layers, for a few seconds of work that takes ten or more, and no two of them
//! need memory at the same time.

use crate::commands::estimate::sentence;
use crate::interrupt;
use crate::memory;
use crate::output::tell;
use crate::progress::Progress;
use crate::report::table::bytes;
use crate::source;
use winset::{Catalogue, Estimate, Job};
use winset_model::Game;

/// The part of the memory which nobody uses that an estimate may take, and the least with which it can tell anything.
const PART: u64 = 4;
const LEAST: u64 = 16 << 20;
/// How many smaller boards are looked at.
const SMALLER: usize = 6;

/// Announces a game once.
pub struct Announcer<'a> {
    game: &'a Game,
    job: &'a Job,
    done: bool,
}

impl<'a> Announcer<'a> {
    /// For this job.
    pub fn new(game: &'a Game, job: &'a Job) -> Self {
        Announcer { game, job, done: false }
    }

    /// Says what is known, if the work turns out to be long.
    pub fn hear(&mut self, progress: &mut Progress) {
        let memory = memory::left() / PART;
        if self.done || !progress.forecast().is_long() {
            return;
        }
        self.done = true;
        if memory < LEAST || !progress.announces() {
            return;
        }
        progress.step("estimate", 0, None, "how large the game is");
        let estimate = winset::estimate_within(self.game, memory);
        let Some(expected) = estimate.expected else { return };
        progress.forecast().expect(expected.positions);
        progress.announce(&format!("{}: {}", self.game.title(), sentence(&estimate)), &estimate);
        if !estimate.cannot_fit(self.job.memory) {
            return;
        }
        let needs = estimate.memory().map_or(String::new(), |needs| {
            let [low, high] = needs.map(|size| bytes(size as u64));
            format!("{low} to {high} of memory")
        });
        let has = bytes(self.job.memory);
        progress.aside(|| {
            tell!("winset: warning: it needs about {needs}, may use {has}, and is not likely to fit: --memory gives it more");
        });
        progress.step("estimate", 0, None, "which board would fit");
        if let Some((title, fits)) = smaller(self.game, self.job.memory, memory) {
            progress.aside(|| tell!("winset: {title} would: {}", sentence(&fits)));
        }
    }
}

/// The largest smaller board that fits: always one less of what there is most of.
fn smaller(game: &Game, memory: u64, for_estimate: u64) -> Option<(String, Estimate)> {
    let family = Catalogue::family(game.name()).ok()?;
    let numbers: Option<Vec<usize>> = game.size().split('x').map(|number| number.parse().ok()).collect();
    let mut numbers = numbers?;
    for _ in 0..SMALLER {
        let least = |at: usize| family.numbers.get(at).map_or(usize::MAX, |number| number.min);
        let most = (0..numbers.len()).filter(|&at| numbers[at] > least(at)).max_by_key(|&at| numbers[at])?;
        numbers[most] -= 1;
        if interrupt::requested() {
            return None;
        }
        let size: Vec<String> = numbers.iter().map(ToString::to_string).collect();
        let Ok(rules) = source::catalogue().game(game.name(), Some(&size.join("x")), game.choices()) else {
            continue;
        };
        let estimate = winset::estimate_within(&rules.game, for_estimate);
        if estimate.fits(memory) {
            return Some((rules.game.title(), estimate));
        }
    }
    None
}
