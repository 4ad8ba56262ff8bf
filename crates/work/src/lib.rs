//! Work counted in steps, so that it can be bounded, and so that workers can take turns, without a clock: the
//! same work always stops at the same place.
//!
//! ```
//! let all = winset_work::Work::default();
//! let trial = all.part(1000);
//! assert!(trial.spend(999).is_ok());
//! assert!(trial.spend(1).is_err() && trial.spend(0).is_err());
//! drop(trial);
//! assert_eq!(all.done(), 1000);
//! assert!(all.spend(1).is_ok());
//! ```

mod turns;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
pub use turns::{Seat, Turns};

/// The work may not go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exhausted;

impl fmt::Display for Exhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("this takes more steps than it may")
    }
}

impl std::error::Error for Exhausted {}

/// Decides whether work goes on.
pub trait Pace: Send + Sync {
    /// After `done` steps: how many there may be before this is asked again, or none if the work
    /// is to stop. May wait. What has been stopped stays so.
    fn go_on(&self, done: u64) -> Option<u64>;
}

/// A count of steps. Clones count together.
#[derive(Clone)]
pub struct Work(Arc<Count>);

struct Count {
    done: AtomicU64,
    /// The number of steps after which it is asked whether to go on.
    next: AtomicU64,
    rule: Rule,
}

enum Rule {
    Free,
    Part { of: Work, limit: AtomicU64, told: AtomicU64 },
    Paced(Arc<dyn Pace>),
}

/// How many steps of a part are told to the whole at a time.
const TOLD: u64 = 1 << 12;

impl Default for Work {
    /// Work without a limit.
    fn default() -> Self {
        Work::new(Rule::Free, u64::MAX)
    }
}

impl fmt::Debug for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} steps", self.done())
    }
}

impl Work {
    fn new(rule: Rule, next: u64) -> Self {
        Work(Arc::new(Count { done: AtomicU64::new(0), next: AtomicU64::new(next), rule }))
    }

    /// Work that asks whether to go on, from the first step on.
    pub fn paced(pace: Arc<dyn Pace>) -> Self {
        Work::new(Rule::Paced(pace), 0)
    }

    /// A part of this work, which counts here too, of fewer steps than a limit.
    pub fn part(&self, limit: u64) -> Work {
        let rule = Rule::Part { of: self.clone(), limit: AtomicU64::new(limit), told: AtomicU64::new(0) };
        Work::new(rule, limit.min(TOLD))
    }

    /// The steps made so far.
    pub fn done(&self) -> u64 {
        self.0.done.load(Relaxed)
    }

    /// The steps that are left before this stops; none if nothing says so in advance.
    ///
    /// ```
    /// let all = winset_work::Work::default();
    /// assert_eq!(all.left(), None);
    /// assert_eq!(all.part(1000).part(5000).left(), Some(1000));
    /// ```
    pub fn left(&self) -> Option<u64> {
        let Rule::Part { of, limit, .. } = &self.0.rule else { return None };
        match limit.load(Relaxed) {
            u64::MAX => of.left(),
            limit => {
                let left = limit.saturating_sub(self.done());
                Some(of.left().map_or(left, |whole| whole.min(left)))
            }
        }
    }

    /// Takes the limit of a part away, because it has shown that it is worth it: only the whole can stop it now.
    ///
    /// ```
    /// let part = winset_work::Work::default().part(1000);
    /// part.lift();
    /// assert!(part.spend(5000).is_ok());
    /// ```
    pub fn lift(&self) {
        if let Rule::Part { limit, .. } = &self.0.rule {
            limit.store(u64::MAX, Relaxed);
        }
    }

    /// Counts steps that have been made. The next [`Work::spend`] sees whether they were too many.
    pub fn add(&self, steps: u64) {
        self.0.done.fetch_add(steps, Relaxed);
    }

    /// Takes back steps that have been counted: they were worth it.
    pub fn forgive(&self, steps: u64) {
        // Only a count; what is seen a little late is forgiven a little late.
        let _ = self.0.done.fetch_update(Relaxed, Relaxed, |done| Some(done.saturating_sub(steps)));
    }

    /// Counts steps, and says whether the work may go on.
    #[inline]
    pub fn spend(&self, steps: u64) -> Result<(), Exhausted> {
        let done = self.0.done.fetch_add(steps, Relaxed).saturating_add(steps);
        if done < self.0.next.load(Relaxed) { Ok(()) } else { self.ask(done) }
    }

    #[cold]
    fn ask(&self, done: u64) -> Result<(), Exhausted> {
        let next = match &self.0.rule {
            Rule::Free => u64::MAX,
            Rule::Part { of, limit, told } => {
                of.spend(done.saturating_sub(told.swap(done, Relaxed)))?;
                let limit = limit.load(Relaxed);
                if done >= limit {
                    return Err(Exhausted);
                }
                (done + TOLD).min(limit)
            }
            Rule::Paced(pace) => pace.go_on(done).ok_or(Exhausted)?,
        };
        self.0.next.store(next, Relaxed);
        Ok(())
    }
}

impl Drop for Count {
    fn drop(&mut self) {
        if let Rule::Part { of, told, .. } = &self.rule {
            of.add(self.done.load(Relaxed).saturating_sub(told.load(Relaxed)));
        }
    }
}
