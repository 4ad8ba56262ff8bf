//! The forward pass: all states that can be reached, tier by tier.

use crate::error::ExplicitError;
use crate::expand::Expander;
use crate::orbits::Orbits;
use crate::order::Parts;
use crate::pack::Key;
use crate::run::{READING, Run, WRITING, merge};
use crate::scratch::Scratch;
use crate::set::Sorted;
use crate::shelf::{Held, Shelf, States, Tier};
use crate::solve::{Count, Observer, Options};
use crate::tiers::Tiers;
use crate::worker::{Met, Round, Worker, each, growing};
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};
use winset_model::{Code, CodeTable, Game, Player, Rewards};
use winset_settle::KEPT;
use winset_work::Work;

/// The states that have been found, and those that wait.
pub struct Forward<'a, K> {
    game: &'a Game,
    /// The rules.
    pub expander: Expander<K>,
    /// Which tier a state is in; none: all are in one.
    pub measure: Option<Tiers>,
    /// The weights of the measure.
    weights: Option<Vec<Vec<i64>>>,
    parts: OnceLock<Option<Parts>>,
    /// The size of groups of parts, if there must be some.
    pub group: Option<usize>,
    /// The results that occur.
    pub outcomes: CodeTable,
    /// The tiers that have been found, in the order of play.
    pub shelf: Shelf<K>,
    workers: Vec<Worker<K>>,
    work: Work,
    /// With more states than this, symmetries are looked for; none: they have been, or must not be.
    look_from: Option<u64>,
    /// The steps made before the search began, for the last time if it began again.
    began: u64,
}

/// Waiting states are written to disk if that frees this part of the memory: with less, there would be too many runs.
const WORTH_WRITING: u64 = 32;
const SHORT: u64 = 1024;
/// The part of the memory that tables of images may take.
const TABLES: u64 = 32;

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
            weights: options.weights.clone(),
            parts: OnceLock::new(),
            group: options.group,
            outcomes: CodeTable::of_game(game, options.opponent),
            shelf: Shelf {
                tiers: vec![],
                memory: options.memory,
                scratch: Scratch::new(options.scratch.clone()),
                bits: 0,
            },
            workers,
            work: options.work.clone(),
            look_from: options.symmetry.filter(|_| options.group.is_none()),
            began: options.work.done(),
        };
        forward.shelf.bits = forward.expander.packing().bits;
        if forward.shelf.scratch.is_there() {
            forward.shelf.memory -= WRITING.min(options.memory / 8);
        }
        let tier = forward.tier_of(start);
        forward.workers[0].wait(tier, start);
        forward
    }

    /// The measure of the tier that a state is in.
    #[inline]
    pub fn tier_of(&self, key: K) -> i64 {
        self.measure.as_ref().map_or(0, |measure| measure.of(key))
    }

    /// Which part of its tier a state is in, if tiers have several; found out when it is first asked, because it takes time.
    pub fn parts(&self) -> Option<&Parts> {
        let find = || {
            // A state of one part may stand for one of another.
            if self.expander.orbits().is_some() {
                return None;
            }
            let classes = winset_progress::parts(self.game, self.weights.as_ref()?);
            Parts::new(self.expander.packing(), &classes)
        };
        self.parts.get_or_init(find).as_ref()
    }

    /// The threads that work.
    pub fn threads(&self) -> usize {
        self.workers.len()
    }

    /// Finds all tiers.
    pub fn run(&mut self, observer: &mut dyn Observer<K>) -> Result<(), ExplicitError> {
        if self.past(observer)? {
            return Ok(());
        }
        while let Some(measure) = self.workers.iter().filter_map(Worker::next_tier).min() {
            let Some(tier) = self.close(measure)? else {
                self.begin_again(observer);
                continue;
            };
            let number = self.shelf.tiers.len();
            self.shelf.tiers.push(tier);
            self.make_room(0)?;
            let tier = &self.shelf.tiers[number];
            let taking = observer.room(tier.going);
            // Whoever takes it in needs room too; the tier itself stays.
            let all = taking + self.workers_bytes();
            self.shelf.send_away_until(all, 0..number)?;
            let tier = &self.shelf.tiers[number];
            let Held::Here(states, _) = &tier.held else { return Err(ExplicitError::Damaged) };
            observer.found(number, &tier.count, states.going.keys(), &self.outcomes)?;
        }
        Ok(())
    }

    /// Takes what an earlier run has found; true if that is everything.
    fn past(&mut self, observer: &mut dyn Observer<K>) -> Result<bool, ExplicitError> {
        let Some(past) = observer.past() else { return Ok(false) };
        let Some(last) = past.tiers.last().map(|count| count.measure) else { return Ok(false) };
        self.outcomes = CodeTable::of(past.codes, self.outcomes.opponent());
        self.workers = self.workers.iter().map(|worker| Worker::new(worker.expander().clone())).collect();
        for (number, count) in past.tiers.into_iter().enumerate() {
            let measure = count.measure;
            let (states, ended) = (count.positions, count.terminal_by_code.iter().sum::<u64>());
            let tier = Tier {
                count,
                going: states.saturating_sub(ended),
                states,
                inside: None,
                leads_to: None,
                ends_known: false,
                held: Held::Past,
            };
            self.shelf.tiers.push(tier);
            if past.complete {
                continue;
            }
            // What waits for later tiers follows from the states that are known.
            let tier = &self.shelf.tiers[number];
            self.make_room(tier.fetching() + observer.room(tier.going))?;
            let states = observer.past_states(number)?.ok_or(ExplicitError::Damaged)?;
            if states.len() as u64 != self.shelf.tiers[number].going {
                return Err(ExplicitError::Damaged);
            }
            self.begin(states);
            self.look_at_all(measure, Some(last))?;
            let (mut states, mut ended) = (vec![], vec![]);
            self.workers.iter_mut().for_each(|worker| worker.give_up(&mut states, &mut ended));
            if !ended.is_empty() {
                return Err(ExplicitError::Damaged);
            }
            observer.looked_at(number)?;
        }
        Ok(past.complete)
    }

    /// All states of a tier, from those that earlier tiers lead to; none if everything is to be done again up to symmetry.
    fn close(&mut self, measure: i64) -> Result<Option<Tier<K>>, ExplicitError> {
        self.deal(measure)?;
        if !self.look_at_all(measure, None)? {
            return Ok(None);
        }
        let workers = self.workers.len();
        self.make_room(self.workers.iter().map(|worker| worker.cut_bytes(workers)).sum())?;
        let inside = self.workers.iter().map(|worker| worker.inside).sum();
        let leads_to: BTreeSet<i64> = self.workers.iter().flat_map(Worker::leads_to).collect();
        let moving = |player: &Player| self.workers.iter().any(|worker| worker.moving[player.index()]);
        let movers: Vec<Player> = Player::all(self.game.players().len()).filter(moving).collect();
        let (mut keys, mut ended) = (vec![], vec![]);
        self.workers.iter_mut().for_each(|worker| worker.give_up(&mut keys, &mut ended));
        keys.sort_unstable();
        ended.sort_unstable_by_key(|&(key, _)| key);
        let states = keys.len() as u64;
        let positions = keys.iter().map(|&key| self.expander.stands_for(key)).sum();
        let mut ends = ended.iter().map(|&(key, _)| key).peekable();
        keys.retain(|&key| ends.next_if_eq(&key).is_none());
        keys.shrink_to_fit();
        let bits = self.shelf.bits;
        let (ended_keys, rewards): (Vec<K>, Vec<Rewards>) = ended.into_iter().unzip();
        // In the order of states, so that codes do not depend on the number of threads.
        let add = |rewards| self.outcomes.add(rewards);
        let ends: Vec<Code> = rewards.into_iter().map(add).collect::<Result<_, _>>()?;
        let mover = if movers.len() == 1 { movers.first().copied() } else { None };
        let weights = ended_keys.iter().map(|&key| self.expander.stands_for(key));
        let count = Count { measure, positions, terminal_by_code: by_code(&ends, weights), mover };
        let going = keys.len() as u64;
        let held = States { going: Sorted::of(keys, bits), ended: Sorted::of(ended_keys, bits), ends };
        Ok(Some(Tier {
            count,
            going,
            states,
            inside: Some(inside),
            leads_to: Some(leads_to.into_iter().collect()),
            ends_known: true,
            held: Held::Here(held, None),
        }))
    }

    /// Enough states have been seen that looking for symmetries is worth it, and nobody has looked.
    fn should_look(&self) -> bool {
        let here: usize = self.workers.iter().map(Worker::looked_at).sum();
        self.look_from.is_some_and(|from| self.positions() + here as u64 > from)
    }

    /// Begins from the start, with one state for all that symmetries take to each other.
    fn begin_again(&mut self, observer: &mut dyn Observer<K>) {
        observer.begins_again();
        self.began = self.work.done();
        self.shelf.tiers.clear();
        self.outcomes = CodeTable::of_game(self.game, self.outcomes.opponent());
        let expander = &self.expander;
        self.workers = self.workers.iter().map(|_| Worker::new(expander.clone())).collect();
        let start: K = self.expander.pack(self.game.initial());
        let tier = self.tier_of(start);
        self.workers[0].wait(tier, start);
    }

    /// Looks at all states of a tier that the threads have, and at those of it that follow. False if symmetries were found
    /// meanwhile, so that all is to be done again with fewer states.
    fn look_at_all(&mut self, measure: i64, known: Option<i64>) -> Result<bool, ExplicitError> {
        let mut posted = vec![];
        loop {
            let pending: usize = self.workers.iter().map(Worker::pending).sum();
            if pending == 0 {
                return Ok(true);
            }
            if self.should_look() {
                self.look_from = None;
                let (packing, weights) = (self.expander.packing(), self.weights.as_ref());
                if let Some(orbits) = Orbits::find(self.game, packing, weights, self.shelf.memory / TABLES) {
                    self.shelf.memory -= orbits.bytes();
                    self.expander = self.expander.clone().up_to(Arc::new(orbits));
                    return Ok(false);
                }
            }
            let round = Round {
                measure,
                tiers: self.measure.as_ref(),
                work: &self.work,
                workers: self.workers.len(),
                known,
            };
            posted.resize_with(self.workers.len(), Vec::new);
            // What one thread found for another is taken in before anything else is looked at.
            let met =
                each(&mut self.workers, &mut posted, pending, |worker, post| worker.expand(&round, post));
            met.into_iter().try_for_each(|met| self.checked(met))?;
            let mut shares = exchanged(&mut posted);
            each(&mut self.workers, &mut shares, pending, |worker, share| worker.take_in(share));
            self.make_room(0)?;
            if self.workers.iter().any(Worker::is_full) {
                return Err(ExplicitError::TooManyStates);
            }
        }
    }

    /// Gives every thread its share of the states that earlier tiers lead to.
    fn deal(&mut self, measure: i64) -> Result<(), ExplicitError> {
        let mut none = vec![(); self.workers.len()];
        let waited = each(&mut self.workers, &mut none, usize::MAX, |worker, ()| worker.waiting_for(measure));
        let (lists, runs): (Vec<Vec<K>>, Vec<Vec<Run<K>>>) = waited.into_iter().unzip();
        let runs: Vec<Run<K>> = runs.into_iter().flatten().collect();
        let all = match runs.is_empty() {
            true => lists.into_iter().reduce(merged).unwrap_or_default(),
            false => self.joined(&runs, &lists)?,
        };
        self.begin(all);
        Ok(())
    }

    /// The states of runs and lists in ascending order.
    fn joined(&mut self, runs: &[Run<K>], lists: &[Vec<K>]) -> Result<Vec<K>, ExplicitError> {
        let most = runs.iter().map(|run| run.states).sum::<u64>();
        let most = most + lists.iter().map(|list| list.len() as u64).sum::<u64>();
        let each = size_of::<K>() as u64;
        let beside = lists.iter().map(growing).sum::<u64>() + READING * runs.len() as u64;
        // Room for all, so that the list need not grow; many may be there more than once, so that less may do.
        let tiers = self.shelf.tiers.len();
        self.shelf.send_away_until(self.workers_bytes() + beside + most * each, 0..tiers)?;
        let left = self.shelf.left().saturating_sub(self.workers_bytes() + beside) / each;
        let mut all = Vec::with_capacity(most.min(left) as usize);
        let no_room = || self.shelf.no_room();
        merge(runs, lists, |key| {
            if all.len() == all.capacity() {
                return Err(no_room());
            }
            all.push(key);
            Ok(())
        })?;
        all.shrink_to_fit();
        Ok(all)
    }

    /// Gives every thread its share of these states.
    fn begin(&mut self, all: Vec<K>) {
        let (workers, players) = (self.workers.len(), self.game.players().len());
        if workers == 1 {
            return self.workers[0].begin(all, players);
        }
        let mut shares = vec![vec![]; workers];
        all.into_iter().for_each(|key| shares[share_of(key, workers)].push(key));
        self.workers.iter_mut().zip(shares).for_each(|(worker, share)| worker.begin(share, players));
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
                let here = self.workers.iter().map(Worker::looked_at).sum::<usize>() as u64;
                Err(ExplicitError::Exhausted { seen: self.positions() + here, each: self.each(here) })
            }
        }
    }

    /// About the steps that a position has taken, if some states of a tier have been looked at besides those of all tiers
    /// before: they stand for as many positions as those did.
    fn each(&self, here: u64) -> u64 {
        let states = self.shelf.tiers.iter().map(|tier| tier.states).sum::<u64>().max(1);
        let positions = self.positions().max(1);
        let all = u128::from(positions) * u128::from(states + here) / u128::from(states);
        (u128::from(self.work.done() - self.began) / all.max(1)) as u64
    }

    /// The bytes that the threads have.
    fn workers_bytes(&self) -> u64 {
        self.workers.iter().map(Worker::bytes).sum()
    }

    /// Sends finished tiers and waiting states to disk if they, what the threads have and this much more do not fit.
    fn make_room(&mut self, more: u64) -> Result<(), ExplicitError> {
        let needed = more + self.workers_bytes();
        if needed <= self.shelf.left() {
            return Ok(());
        }
        // The first tiers are needed last. Some room beyond, so that this need not be done at every step.
        let tiers = self.shelf.tiers.len();
        self.shelf.send_away_until(needed + self.shelf.memory / 8, 0..tiers)?;
        if needed <= self.shelf.left() {
            return Ok(());
        }
        // A list that takes less than this part of the memory is not worth a file.
        let short = (self.shelf.memory / (SHORT * size_of::<K>() as u64)) as usize;
        let can_go: u64 = self.workers.iter().map(|worker| worker.can_go(short)).sum();
        if self.shelf.scratch.is_there() && can_go >= self.shelf.memory / WORTH_WRITING {
            let mut none = vec![(); self.workers.len()];
            let scratch = &self.shelf.scratch;
            let sent =
                each(&mut self.workers, &mut none, usize::MAX, |worker, ()| worker.send_away(short, scratch));
            sent.into_iter().collect::<Result<(), _>>()?;
        }
        if more + self.workers_bytes() > self.shelf.left() { Err(self.shelf.no_room()) } else { Ok(()) }
    }

    /// The states of the tiers that have been found.
    pub fn positions(&self) -> u64 {
        self.shelf.positions()
    }

    /// What finding the values will take beside what is kept now, if everything stays in memory.
    pub fn settling_bytes(&self) -> u64 {
        let mut solved = 0;
        let needs = self.shelf.tiers.iter().rev().map(|tier| {
            let need = solved + tier.settling();
            solved += tier.going * KEPT;
            need
        });
        needs.max().unwrap_or(0)
    }
}

/// How many states end with each code.
fn by_code(ends: &[Code], weights: impl Iterator<Item = u64>) -> Vec<u64> {
    let most = ends.iter().copied().max().map_or(0, |code| usize::from(code) + 1);
    let mut counts = vec![0; most];
    ends.iter().zip(weights).for_each(|(&code, weight)| counts[usize::from(code)] += weight);
    counts
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
