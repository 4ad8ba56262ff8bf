//! The forward pass: all states that can be reached, tier by tier.

use crate::backward::{KEPT, MOVE, SETTLING};
use crate::error::ExplicitError;
use crate::expand::Expander;
use crate::pack::Key;
use crate::set::Sorted;
use crate::solve::{Count, Observer, Options};
use crate::tiers::Tiers;
use crate::worker::{Met, Round, Worker, each};
use winset_model::{Code, CodeTable, Game, Player, Rewards};
use winset_work::Work;

/// The states of one tier.
pub struct Tier<K> {
    /// The measure.
    pub measure: i64,
    /// States in which the game goes on.
    pub going: Sorted<K>,
    /// Who is to move in each of them.
    pub mover: Vec<Player>,
    /// States in which the game has ended.
    pub ended: Sorted<K>,
    /// With what.
    pub ends: Vec<Code>,
    /// Moves from one of its states to another.
    pub inside: u64,
}

impl<K: Key> Tier<K> {
    fn bytes(&self) -> u64 {
        self.going.bytes() + self.ended.bytes() + (self.mover.len() + 2 * self.ends.len()) as u64
    }

    /// Its terminal states by code.
    pub fn ended_by_code(&self) -> Vec<u64> {
        let most = self.ends.iter().copied().max().map_or(0, |code| usize::from(code) + 1);
        let mut counts = vec![0; most];
        self.ends.iter().for_each(|&code| counts[usize::from(code)] += 1);
        counts
    }

    /// How many states it has, who moves, and how it ends.
    pub fn count(&self) -> Count {
        let mover = self.mover.first().copied().filter(|first| self.mover.iter().all(|other| other == first));
        let positions = (self.going.keys().len() + self.ended.keys().len()) as u64;
        Count { measure: self.measure, positions, terminal_by_code: self.ended_by_code(), mover }
    }
}

/// The states that have been found, and those that wait.
pub struct Forward<'a, K> {
    game: &'a Game,
    /// The rules.
    pub expander: Expander<K>,
    /// Which tier a state is in; none: all are in one.
    pub measure: Option<Tiers>,
    /// The results that occur.
    pub outcomes: CodeTable,
    /// The tiers that have been found, in the order of play.
    pub tiers: Vec<Tier<K>>,
    workers: Vec<Worker<K>>,
    /// What all of it may take.
    memory: u64,
    kept: u64,
    work: Work,
}

impl<'a, K: Key> Forward<'a, K> {
    /// Begins at the start of a game.
    pub fn new(game: &'a Game, options: &Options) -> Self {
        let expander = Expander::new(game, &options.blocks);
        let measure = options.weights.as_ref().map(|weights| Tiers::new(expander.packing(), weights));
        let start: K = expander.pack(game.initial());
        let workers = (0..options.threads.max(1)).map(|_| Worker::new(expander.clone())).collect();
        let mut forward = Forward {
            game,
            expander,
            measure,
            outcomes: CodeTable::of_game(game, options.opponent),
            tiers: vec![],
            workers,
            memory: options.memory,
            kept: 0,
            work: options.work.clone(),
        };
        let tier = forward.tier_of(start);
        forward.workers[0].wait(tier, start);
        forward
    }

    /// The measure of the tier that a state is in.
    #[inline]
    pub fn tier_of(&self, key: K) -> i64 {
        self.measure.as_ref().map_or(0, |measure| measure.of(key))
    }

    /// The threads that work.
    pub fn threads(&self) -> usize {
        self.workers.len()
    }

    /// Finds all tiers.
    pub fn run(&mut self, observer: &mut dyn Observer<K>) -> Result<(), ExplicitError> {
        while let Some(measure) = self.workers.iter().filter_map(Worker::next_tier).min() {
            let tier = self.close(measure)?;
            self.kept += tier.bytes();
            self.check_memory(0)?;
            observer.found(self.tiers.len(), &tier.count(), tier.going.keys(), &self.outcomes)?;
            self.tiers.push(tier);
        }
        Ok(())
    }

    /// All states of a tier, from those that earlier tiers lead to.
    fn close(&mut self, measure: i64) -> Result<Tier<K>, ExplicitError> {
        self.deal(measure);
        let mut posted = vec![];
        loop {
            let pending: usize = self.workers.iter().map(Worker::pending).sum();
            if pending == 0 {
                break;
            }
            let round = Round {
                measure,
                tiers: self.measure.as_ref(),
                work: &self.work,
                workers: self.workers.len(),
            };
            posted.resize_with(self.workers.len(), Vec::new);
            // What one thread found for another is taken in before anything else is looked at.
            let met =
                each(&mut self.workers, &mut posted, pending, |worker, post| worker.expand(&round, post));
            met.into_iter().try_for_each(|met| self.checked(met))?;
            let mut shares = exchanged(&mut posted);
            each(&mut self.workers, &mut shares, pending, |worker, share| worker.take_in(share));
            self.check_memory(0)?;
            if self.workers.iter().any(Worker::is_full) {
                return Err(ExplicitError::TooManyStates);
            }
        }
        self.check_memory(self.workers.iter().map(Worker::cut_bytes).sum())?;
        let inside = self.workers.iter().map(|worker| worker.inside).sum();
        let (mut going, mut ended) = (vec![], vec![]);
        self.workers.iter_mut().for_each(|worker| worker.give_up(&mut going, &mut ended));
        going.sort_unstable_by_key(|&(key, _)| key);
        ended.sort_unstable_by_key(|&(key, _)| key);
        let bits = self.expander.packing().bits;
        let (keys, mover) = going.into_iter().unzip();
        let (ended_keys, rewards): (Vec<K>, Vec<Rewards>) = ended.into_iter().unzip();
        // In the order of states, so that codes do not depend on the number of threads.
        let ends = rewards.into_iter().map(|rewards| self.outcomes.add(rewards)).collect::<Result<_, _>>()?;
        Ok(Tier {
            measure,
            going: Sorted::of(keys, bits),
            mover,
            ended: Sorted::of(ended_keys, bits),
            ends,
            inside,
        })
    }

    /// Gives every thread its share of the states that earlier tiers lead to.
    fn deal(&mut self, measure: i64) {
        let mut none = vec![(); self.workers.len()];
        let lists = each(&mut self.workers, &mut none, usize::MAX, |worker, ()| worker.waiting_for(measure));
        let all = lists.into_iter().reduce(merged).unwrap_or_default();
        let workers = self.workers.len();
        if workers == 1 {
            return self.workers[0].begin(all);
        }
        let mut shares = vec![vec![]; workers];
        all.into_iter().for_each(|key| shares[share_of(key, workers)].push(key));
        self.workers.iter_mut().zip(shares).for_each(|(worker, share)| worker.begin(share));
    }

    /// What is wrong with a state, if something is.
    fn checked(&self, met: Met<K>) -> Result<(), ExplicitError> {
        let print = |key| self.game.print(&self.expander.unpack(key));
        match met {
            Met::Nothing => Ok(()),
            Met::Forbidden(number, key) => {
                let why = self.game.forbidden()[number].why.clone();
                Err(ExplicitError::Forbidden { why, state: print(key) })
            }
            Met::Stuck(key) => Err(ExplicitError::Stuck(print(key))),
            Met::NotAMeasure => Err(ExplicitError::NotAMeasure),
            Met::Exhausted => {
                let here: usize = self.workers.iter().map(|worker| worker.looked_at()).sum();
                Err(ExplicitError::Exhausted { seen: self.positions() + here as u64 })
            }
        }
    }

    /// Fails if what is kept, what the threads have and this much more do not fit.
    fn check_memory(&self, more: u64) -> Result<(), ExplicitError> {
        let needed = more + self.kept + self.workers.iter().map(Worker::bytes).sum::<u64>();
        if needed > self.memory { Err(self.no_room()) } else { Ok(()) }
    }

    /// The states of the tiers that have been found.
    pub fn positions(&self) -> u64 {
        self.tiers.iter().map(|tier| (tier.going.keys().len() + tier.ended.keys().len()) as u64).sum()
    }

    /// What finding the values will take beside what is kept now.
    pub fn settling_bytes(&self) -> u64 {
        let mut solved = 0;
        let needs = self.tiers.iter().rev().map(|tier| {
            let states = tier.going.keys().len() as u64;
            let need = solved + states * SETTLING + tier.inside * MOVE;
            solved += states * KEPT;
            need
        });
        needs.max().unwrap_or(0)
    }

    /// What is left of the memory for whoever goes on.
    pub fn left(&self) -> u64 {
        self.memory.saturating_sub(self.kept)
    }

    /// That the memory does not do.
    pub fn no_room(&self) -> ExplicitError {
        ExplicitError::Memory { budget: self.memory, positions: self.positions() }
    }
}

/// The thread that a state of the present tier belongs to.
#[inline]
pub fn share_of<K: Key>(key: K, workers: usize) -> usize {
    // Not the highest bits, which are those of the state's place in the thread's own set.
    ((key.mixed() >> 16 & 0xffff) as usize * workers) >> 16
}

/// What was posted from each to each, by addressee.
fn exchanged<K>(posted: &mut [Vec<Vec<K>>]) -> Vec<Vec<Vec<K>>> {
    let addressees = posted.len();
    let of = |to: usize, posted: &mut [Vec<Vec<K>>]| {
        posted.iter_mut().filter_map(|post| post.get_mut(to).map(std::mem::take)).collect()
    };
    (0..addressees).map(|to| of(to, posted)).collect()
}

/// Two sorted lists as one, without duplicates.
fn merged<K: Key>(a: Vec<K>, b: Vec<K>) -> Vec<K> {
    if a.is_empty() || b.is_empty() {
        return if a.is_empty() { b } else { a };
    }
    let mut all = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (a[i], b[j]);
        all.push(x.min(y));
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    all.extend_from_slice(&a[i..]);
    all.extend_from_slice(&b[j..]);
    all
}
