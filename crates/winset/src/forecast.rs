//! How far a piece of work is and how long it will still take, from what the engine tells of it.
//!
//! Engines find the layers first (forward) and then their values (backward). While layers are being found, only an
//! [`Estimate`](crate::Estimate) can tell how many positions there will be; once all are found, their number is known, and how
//! fast values are found has been seen.

use crate::engine::Stage;

/// The share of the time that finding positions takes, where their values are found too: see `estimate/cost.rs`.
const FINDING: f64 = 1.0 / 3.0;
/// After this many seconds of layers that still grow, the work will take about ten: the layers that shrink again come then,
/// and values take twice as long as all of these.
const PATIENCE: f64 = 2.0;
/// Of less than this part nothing is concluded about the rest.
const LEAST: f64 = 0.02;

/// Follows a piece of work.
///
/// ```
/// use winset::{Forecast, Stage};
/// let mut forecast = Forecast::default();
/// let stage = |phase, done, positions| Stage { phase, done, of: None, positions: Some(positions), message: "" };
/// forecast.see(&stage("forward", 0, 100), 1.0);
/// forecast.see(&stage("forward", 1, 300), 2.5);
/// // Layers still grow, and how many positions there are is not known.
/// assert!(forecast.is_long() && forecast.left(2.5).is_none());
/// forecast.expect(1200.0);
/// assert_eq!(forecast.left(2.5).unwrap().seconds.round(), 20.0);
/// // Now it is known: there are 400, and values take a second for each hundred.
/// forecast.see(&stage("backward", 1, 300), 5.5);
/// assert_eq!(forecast.left(5.5).unwrap().seconds.round(), 1.0);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Forecast {
    expected: Option<f64>,
    /// Positions that were found, those of the largest layer and of the last one.
    found: f64,
    largest: f64,
    last: f64,
    /// The layer that comes next, and whether all before it were seen: those of an earlier run are not.
    next: u64,
    whole: bool,
    /// When finding began, and when it ended.
    began: f64,
    ended: f64,
    /// Positions whose values are known; none before values are looked for.
    settled: Option<f64>,
}

/// What is left of a piece of work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Left {
    /// The part that is done, from 0 to 1.
    pub done: f64,
    /// About the seconds that the rest will take.
    pub seconds: f64,
}

impl Forecast {
    /// A stage of the work, n seconds after its begin.
    pub fn see(&mut self, stage: &Stage<'_>, seconds: f64) {
        let Some(positions) = stage.positions.map(|positions| positions as f64) else { return };
        match stage.phase {
            "forward" => {
                // Another engine begins.
                if stage.done < self.next || self.settled.is_some() {
                    *self = Forecast { expected: self.expected, began: self.ended, ..Self::default() };
                }
                self.whole |= stage.done == 0;
                self.next = stage.done + 1;
                self.found += positions;
                self.last = positions;
                self.largest = self.largest.max(positions);
                self.ended = seconds;
            }
            "backward" => *self.settled.get_or_insert(0.0) += positions,
            _ => {}
        }
    }

    /// It will take more than ten seconds, by what is seen: an estimate is worth its time.
    pub fn is_long(&self) -> bool {
        self.settled.is_none()
            && self.next > 0
            && self.last >= self.largest
            && self.ended - self.began > PATIENCE
    }

    /// This number of positions is expected in all.
    pub fn expect(&mut self, positions: f64) {
        self.expected = Some(positions);
    }

    /// What is left at this time; none if there is no telling.
    pub fn left(&self, seconds: f64) -> Option<Left> {
        match self.settled {
            _ if !self.whole => None,
            Some(settled) => {
                let part = settled / self.found.max(settled);
                let took = seconds - self.ended;
                let left = took * (1.0 - part) / part;
                (part >= LEAST).then_some(Left { done: FINDING + (1.0 - FINDING) * part, seconds: left })
            }
            None => {
                // What was found beyond the estimate is not the end: nobody knows how much will come.
                let part = self.found / self.expected.filter(|&expected| expected > self.found)?;
                let done = part * FINDING;
                let left = (seconds - self.began) * (1.0 - done) / done;
                (part >= LEAST).then_some(Left { done, seconds: left })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stage(phase: &'static str, done: u64, positions: u128) -> Stage<'static> {
        Stage { phase, done, of: None, positions: Some(positions), message: "" }
    }

    #[test]
    fn layers_that_shrink_or_come_quickly_are_no_long_work() {
        let mut forecast = Forecast::default();
        forecast.see(&stage("forward", 0, 10), 1.0);
        assert!(!forecast.is_long());
        forecast.see(&stage("forward", 1, 50), 3.0);
        assert!(forecast.is_long());
        forecast.see(&stage("forward", 2, 20), 9.0);
        assert!(!forecast.is_long());
    }

    /// The time that one engine lost is not the other's.
    #[test]
    fn an_engine_that_begins_again_is_followed_from_its_begin() {
        let mut forecast = Forecast::default();
        forecast.see(&stage("forward", 0, 10), 1.0);
        forecast.see(&stage("forward", 1, 90), 10.0);
        forecast.see(&stage("forward", 0, 10), 11.0);
        assert!(!forecast.is_long());
        forecast.expect(100.0);
        let left = forecast.left(11.0).unwrap();
        assert!((left.done - 1.0 / 30.0).abs() < 1e-9 && (left.seconds - 29.0).abs() < 1e-6, "{left:?}");
    }

    /// The layers of an earlier run are read and not told of.
    #[test]
    fn what_goes_on_has_no_forecast() {
        let mut forecast = Forecast::default();
        forecast.see(&stage("forward", 7, 10), 1.0);
        forecast.see(&stage("backward", 7, 10), 2.0);
        assert_eq!(forecast.left(2.0), None);
    }

    #[test]
    fn more_than_was_expected_says_nothing() {
        let mut forecast = Forecast::default();
        forecast.expect(50.0);
        forecast.see(&stage("forward", 0, 25), 2.0);
        let left = forecast.left(2.0).unwrap();
        assert!((left.done - 1.0 / 6.0).abs() < 1e-9 && (left.seconds - 10.0).abs() < 1e-6, "{left:?}");
        forecast.see(&stage("forward", 1, 50), 4.0);
        assert_eq!(forecast.left(4.0), None);
        // Stages without a number change nothing.
        forecast.see(&Stage { positions: None, ..stage("backward", 1, 0) }, 5.0);
        assert_eq!(forecast.left(4.0), None);
    }
}
