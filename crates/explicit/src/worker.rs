//! A thread's part of the forward pass: it expands its share of a tier, posts what belongs to others, and takes in what
//! they post to it.

use crate::ExplicitError;
use crate::expand::{Expander, Successor};
use crate::forward::share_of;
use crate::pack::Key;
use crate::program::LANES;
use crate::run::{Run, RunWriter, merge};
use crate::scratch::Scratch;
use crate::set::KeySet;
use crate::tiers::Tiers;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use winset_model::Rewards;
use winset_settle::Worth;
use winset_work::Work;

/// The steps that a state or a successor costs beside what is evaluated for its batch; a step is about 16 ns.
const STEPS: u64 = 4;

/// The states that a thread expands before it takes in what others found: enough that starting it does not matter.
const AT_A_TIME: usize = 1 << 15;

/// Fewer states are not worth a second thread.
const FEW: usize = 1 << 12;

/// The most runs of one thread for one tier, all of which are read at once.
const RUNS: usize = 16;

/// A list of states that wait for their tier: duplicates are dropped whenever it has doubled.
struct Waiting<K> {
    list: Vec<K>,
    /// The length at which duplicates are dropped.
    tidy_at: usize,
    /// Those that wait on disk.
    runs: Vec<Run<K>>,
    /// The present tier leads here.
    touched: bool,
}

impl<K: Key> Default for Waiting<K> {
    fn default() -> Self {
        Waiting { list: vec![], tidy_at: 1 << 12, runs: vec![], touched: false }
    }
}

impl<K: Key> Waiting<K> {
    #[inline]
    fn push(&mut self, key: K) {
        if self.list.len() >= self.tidy_at {
            self.tidy();
            self.tidy_at = (2 * self.list.len()).max(1 << 12);
        }
        self.list.push(key);
    }

    fn tidy(&mut self) {
        self.list.sort_unstable();
        self.list.dedup();
    }

    /// Writes the list to disk; runs become one when there are many.
    fn send_away(&mut self, scratch: &Scratch) -> Result<(), ExplicitError> {
        self.tidy();
        let many = self.runs.len() >= RUNS;
        let mut writer = RunWriter::new(scratch, false)?;
        let runs = if many { &self.runs[..] } else { &[] };
        merge(runs, std::slice::from_ref(&self.list), |key| writer.push(key, Worth::default()))?;
        if many {
            self.runs.clear();
        }
        self.runs.push(writer.finish()?);
        (self.list, self.tidy_at) = (vec![], 1 << 12);
        Ok(())
    }
}

/// What all threads know of a round.
pub struct Round<'a> {
    /// The tier.
    pub measure: i64,
    /// Which tier a state is in; none: all are in one.
    pub tiers: Option<&'a Tiers>,
    /// The steps.
    pub work: &'a Work,
    /// How many threads there are.
    pub workers: usize,
    /// All states up to this tier are known from an earlier run: only those beyond it wait.
    pub known: Option<i64>,
}

/// What stops a round.
pub enum Met<K> {
    /// Nothing does.
    Nothing,
    /// A state in which something holds that must not, which has this number.
    Forbidden(usize, K),
    /// A state that has not ended and has no move.
    Stuck(K),
    /// A move leads to an earlier tier.
    NotAMeasure,
    /// All steps have been made.
    Exhausted,
}

/// A thread's states.
pub struct Worker<K> {
    expander: Expander<K>,
    /// States that wait for their tier.
    waiting: BTreeMap<i64, Waiting<K>>,
    /// Its share of the present tier; those from `from` on have not been looked at.
    set: KeySet<K>,
    from: usize,
    ended: Vec<(K, Rewards)>,
    /// Who moves in some state of the tier.
    pub moving: Vec<bool>,
    /// Moves from one state of the tier to another.
    pub inside: u64,
}

impl<K: Key> Worker<K> {
    /// With rules of its own.
    pub fn new(expander: Expander<K>) -> Self {
        let (waiting, set) = (BTreeMap::new(), KeySet::of(vec![]));
        Worker { expander, waiting, set, from: 0, ended: vec![], moving: vec![], inside: 0 }
    }

    /// Its rules.
    pub fn expander(&self) -> &Expander<K> {
        &self.expander
    }

    /// A state waits for its tier.
    pub fn wait(&mut self, tier: i64, key: K) {
        let waiting = self.waiting.entry(tier).or_default();
        waiting.touched = true;
        waiting.push(key);
    }

    /// The tiers that the present one leads to.
    pub fn leads_to(&self) -> impl Iterator<Item = i64> + '_ {
        self.waiting.iter().filter(|(_, waiting)| waiting.touched).map(|(&tier, _)| tier)
    }

    /// The first tier that a state waits for.
    pub fn next_tier(&self) -> Option<i64> {
        self.waiting.keys().next().copied()
    }

    /// The states that waited for this tier, in ascending order, and others on disk.
    pub fn waiting_for(&mut self, tier: i64) -> (Vec<K>, Vec<Run<K>>) {
        let Some(mut waiting) = self.waiting.remove(&tier) else { return (vec![], vec![]) };
        waiting.tidy();
        (waiting.list, waiting.runs)
    }

    /// Begins a tier with these states of a game of n players.
    pub fn begin(&mut self, states: Vec<K>, players: usize) {
        (self.set, self.from, self.inside) = (KeySet::of(states), 0, 0);
        self.moving = vec![false; players];
        self.waiting.values_mut().for_each(|waiting| waiting.touched = false);
    }

    /// The bytes of the lists of more than n states, which can be written to disk.
    pub fn can_go(&self, short: usize) -> u64 {
        let lists = self.waiting.values().filter(|waiting| waiting.list.len() > short);
        lists.map(|waiting| growing(&waiting.list)).sum()
    }

    /// Writes them to disk.
    pub fn send_away(&mut self, short: usize, scratch: &Scratch) -> Result<(), ExplicitError> {
        let mut lists = self.waiting.values_mut().filter(|waiting| waiting.list.len() > short);
        lists.try_for_each(|waiting| waiting.send_away(scratch))
    }

    /// States of the tier that it has not looked at.
    pub fn pending(&self) -> usize {
        self.set.list().len() - self.from
    }

    /// States of the tier that it has looked at.
    pub fn looked_at(&self) -> usize {
        self.from
    }

    /// There is no room for another state.
    pub fn is_full(&self) -> bool {
        self.set.is_full()
    }

    /// The bytes that it takes, and those that it needs at once when a list that is nearly full grows.
    pub fn bytes(&self) -> u64 {
        let waiting = |waiting: &Waiting<K>| {
            growing(&waiting.list) + waiting.runs.iter().map(Run::waiting).sum::<u64>()
        };
        self.set.bytes() + self.waiting.values().map(waiting).sum::<u64>() + growing(&self.ended)
    }

    /// The bytes that its lists take once more when the tier is ended, and they are sorted and cut.
    pub fn cut_bytes(&self, workers: usize) -> u64 {
        // Where keys with the same first bits begin takes up to this much a state; of several threads, lists are joined.
        const STARTS: usize = 8;
        let joined = if workers > 1 { size_of::<K>() } else { 0 };
        let states = self.set.list().len() * (joined + STARTS)
            + self.ended.len() * (size_of::<K>() + size_of::<Rewards>() + STARTS);
        (states as u64).saturating_sub(self.set.places())
    }

    /// Ends the tier: its states are added to one list, those in which the game has ended, with what the players get, to
    /// another.
    pub fn give_up(&mut self, states: &mut Vec<K>, ended: &mut Vec<(K, Rewards)>) {
        hand_over(&mut self.set.take(), states);
        self.from = 0;
        hand_over(&mut self.ended, ended);
    }

    /// Takes in what others found.
    pub fn take_in(&mut self, posted: &mut Vec<Vec<K>>) {
        posted.drain(..).for_each(|keys| self.set.insert_all(&keys));
    }

    /// Looks at some states, and posts those of the same tier that follow to whom they belong.
    pub fn expand(&mut self, round: &Round<'_>, post: &mut Vec<Vec<K>>) -> Met<K> {
        post.resize_with(round.workers, Vec::new);
        let (mut batch, mut successors): (Vec<K>, Vec<Successor<K>>) = (vec![], vec![]);
        let mut here = vec![];
        let until = self.set.list().len().min(self.from + AT_A_TIME);
        while self.from < until {
            batch.clear();
            batch.extend_from_slice(&self.set.list()[self.from..until.min(self.from + LANES)]);
            self.from += batch.len();
            successors.clear();
            self.expander.expand(&batch, &mut successors);
            let steps =
                self.expander.steps(successors.len()) + STEPS * (batch.len() + successors.len()) as u64;
            if round.work.spend(steps).is_err() {
                return Met::Exhausted;
            }
            if let Some((number, lane)) = self.expander.forbidden(batch.len()) {
                return Met::Forbidden(number, batch[lane]);
            }
            let mut moves = [false; LANES];
            here.clear();
            for successor in &successors {
                moves[usize::from(successor.lane)] = true;
                match round.tiers.map_or(round.measure, |tiers| tiers.of(successor.key)) {
                    measure if measure == round.measure => {
                        self.inside += 1;
                        if round.known.is_some() {
                            continue;
                        }
                        match round.workers {
                            1 => here.push(successor.key),
                            workers => post[share_of(successor.key, workers)].push(successor.key),
                        }
                    }
                    later if later > round.measure => {
                        if round.known.is_none_or(|known| later > known) {
                            self.wait(later, successor.key)
                        }
                    }
                    _ => return Met::NotAMeasure,
                }
            }
            self.set.insert_all(&here);
            for (lane, &key) in batch.iter().enumerate() {
                if self.expander.has_ended(lane) {
                    self.ended.push((key, self.expander.rewards(lane)));
                    continue;
                }
                match self.expander.turn(lane).filter(|_| moves[lane]) {
                    Some(player) => self.moving[player.index()] = true,
                    None => return Met::Stuck(key),
                }
            }
        }
        Met::Nothing
    }
}

/// The bytes of a list; of one that is nearly full also those of the one, twice as large, that it is copied to.
pub fn growing<T>(list: &Vec<T>) -> u64 {
    let bytes = (list.capacity() * size_of::<T>()) as u64;
    if list.len() > list.capacity() / 4 * 3 { 3 * bytes } else { bytes }
}

/// Moves everything; of one thread, which is most often, nothing is copied.
fn hand_over<T>(from: &mut Vec<T>, to: &mut Vec<T>) {
    if to.is_empty() {
        std::mem::swap(from, to);
    } else {
        to.append(from);
    }
}

/// Every worker does its part, each on a thread of its own if there is enough to do.
pub fn each<W: Send, T: Send, R: Send>(
    workers: &mut [W],
    parts: &mut [T],
    states: usize,
    work: impl Fn(&mut W, &mut T) -> R + Sync,
) -> Vec<R> {
    if workers.len() == 1 || states < FEW * workers.len() {
        return workers.iter_mut().zip(parts).map(|(worker, part)| work(worker, part)).collect();
    }
    let count = workers.len();
    let open = Mutex::new(workers.iter_mut().zip(parts).enumerate());
    let done: Mutex<Vec<(usize, R)>> = Mutex::new(vec![]);
    let lend = || {
        loop {
            let next = open.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((number, (worker, part))) = next else { return };
            let result = work(worker, part);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((number, result));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..count {
            // Without another thread this one does everything.
            let _ = std::thread::Builder::new().spawn_scoped(scope, lend);
        }
        lend();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|&(number, _)| number);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However often what waits is written to disk, every state comes back once.
    #[test]
    fn what_waits_comes_back_once() {
        let scratch = Scratch::new(Some(std::env::temp_dir()));
        let mut waiting = Waiting::default();
        let mut expected = std::collections::BTreeSet::new();
        for round in 0..3 * RUNS as u64 {
            for i in 0..100 {
                let key = (round * 37 + i * i * 7919) % 5_000;
                waiting.push(key);
                expected.insert(key);
            }
            waiting.send_away(&scratch).unwrap();
            assert!(waiting.list.is_empty() && waiting.runs.len() <= RUNS);
        }
        let mut found = vec![];
        merge(&waiting.runs, &[vec![1, 2]], |key| {
            found.push(key);
            Ok(())
        })
        .unwrap();
        expected.extend([1, 2]);
        assert_eq!(found, expected.into_iter().collect::<Vec<u64>>());
    }
}
