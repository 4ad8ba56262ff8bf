//! A thread's part of the forward pass: it expands its share of a tier, posts what belongs to others, and takes in what
//! they post to it.

use crate::expand::{Expander, Successor};
use crate::forward::share_of;
use crate::pack::Key;
use crate::program::LANES;
use crate::set::KeySet;
use crate::tiers::Tiers;
use std::collections::BTreeMap;
use winset_model::{Player, Rewards};
use winset_work::Work;

/// The steps that a state or a successor costs beside what is evaluated for its batch; a step is about 16 ns.
const STEPS: u64 = 4;

/// The states that a thread expands before it takes in what others found: enough that starting it does not matter.
const AT_A_TIME: usize = 1 << 15;

/// Fewer states are not worth a second thread.
const FEW: usize = 1 << 12;

/// A list of states that wait for their tier: duplicates are dropped whenever it has doubled.
struct Waiting<K> {
    list: Vec<K>,
    /// The length at which duplicates are dropped.
    tidy_at: usize,
}

impl<K: Key> Default for Waiting<K> {
    fn default() -> Self {
        Waiting { list: vec![], tidy_at: 1 << 12 }
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
    going: Vec<(K, Player)>,
    ended: Vec<(K, Rewards)>,
    /// Moves from one state of the tier to another.
    pub inside: u64,
}

impl<K: Key> Worker<K> {
    /// With rules of its own.
    pub fn new(expander: Expander<K>) -> Self {
        let (waiting, set) = (BTreeMap::new(), KeySet::of(vec![]));
        Worker { expander, waiting, set, from: 0, going: vec![], ended: vec![], inside: 0 }
    }

    /// A state waits for its tier.
    pub fn wait(&mut self, tier: i64, key: K) {
        self.waiting.entry(tier).or_default().push(key);
    }

    /// The first tier that a state waits for.
    pub fn next_tier(&self) -> Option<i64> {
        self.waiting.keys().next().copied()
    }

    /// The states that waited for this tier, in ascending order.
    pub fn waiting_for(&mut self, tier: i64) -> Vec<K> {
        let Some(mut waiting) = self.waiting.remove(&tier) else { return vec![] };
        waiting.tidy();
        waiting.list
    }

    /// Begins a tier with these states.
    pub fn begin(&mut self, states: Vec<K>) {
        (self.set, self.from, self.inside) = (KeySet::of(states), 0, 0);
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
        let waiting: u64 = self.waiting.values().map(|waiting| growing(&waiting.list)).sum();
        self.set.bytes() + waiting + growing(&self.going) + growing(&self.ended)
    }

    /// The bytes that its lists take once more when the tier is ended, and they are sorted and cut.
    pub fn cut_bytes(&self) -> u64 {
        // Where keys with the same first bits begin takes up to this much a state.
        const STARTS: usize = 8;
        let states = self.going.len() * (size_of::<K>() + size_of::<Player>() + STARTS)
            + self.ended.len() * (size_of::<K>() + size_of::<Rewards>() + STARTS);
        states as u64
    }

    /// Ends the tier: the states in which the game goes on, with who moves, are added to one list, those in which it has
    /// ended, with what the players get, to another.
    pub fn give_up(&mut self, going: &mut Vec<(K, Player)>, ended: &mut Vec<(K, Rewards)>) {
        self.set = KeySet::of(vec![]);
        self.from = 0;
        hand_over(&mut self.going, going);
        hand_over(&mut self.ended, ended);
    }

    /// Takes in what others found.
    pub fn take_in(&mut self, posted: &mut Vec<Vec<K>>) {
        posted.drain(..).flatten().for_each(|key| self.set.insert(key));
    }

    /// Looks at some states, and posts those of the same tier that follow to whom they belong.
    pub fn expand(&mut self, round: &Round<'_>, post: &mut Vec<Vec<K>>) -> Met<K> {
        post.resize_with(round.workers, Vec::new);
        let (mut batch, mut successors): (Vec<K>, Vec<Successor<K>>) = (vec![], vec![]);
        let until = self.set.list().len().min(self.from + AT_A_TIME);
        while self.from < until {
            batch.clear();
            batch.extend_from_slice(&self.set.list()[self.from..until.min(self.from + LANES)]);
            self.from += batch.len();
            successors.clear();
            self.expander.expand(&batch, &mut successors);
            let steps = self.expander.steps() + STEPS * (batch.len() + successors.len()) as u64;
            if round.work.spend(steps).is_err() {
                return Met::Exhausted;
            }
            if let Some((number, lane)) = self.expander.forbidden(batch.len()) {
                return Met::Forbidden(number, batch[lane]);
            }
            let mut moves = [false; LANES];
            for successor in &successors {
                moves[usize::from(successor.lane)] = true;
                match round.tiers.map_or(round.measure, |tiers| tiers.of(successor.key)) {
                    here if here == round.measure => {
                        self.inside += 1;
                        match round.workers {
                            1 => self.set.insert(successor.key),
                            workers => post[share_of(successor.key, workers)].push(successor.key),
                        }
                    }
                    later if later > round.measure => self.wait(later, successor.key),
                    _ => return Met::NotAMeasure,
                }
            }
            for (lane, &key) in batch.iter().enumerate() {
                if self.expander.has_ended(lane) {
                    self.ended.push((key, self.expander.rewards(lane)));
                    continue;
                }
                match self.expander.turn(lane).filter(|_| moves[lane]) {
                    Some(player) => self.going.push((key, player)),
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
    std::thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = workers
            .iter_mut()
            .zip(parts)
            .map(|(worker, part)| scope.spawn(move || work(worker, part)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}
