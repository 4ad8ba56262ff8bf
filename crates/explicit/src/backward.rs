//! The backward pass: tiers are solved from the last on.

use crate::error::ExplicitError;
use crate::expand::Expander;
use crate::forward::Forward;
use crate::look::{Look, question};
use crate::order::{GROUP, ORDER, ORDERING, Order};
use crate::pack::Key;
use crate::program::LANES;
use crate::run::READING;
use crate::set::Sorted;
use crate::shelf::{Held, States};
use crate::solve::Observer;
use crate::worker::each;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use winset_model::{Code, CodeTable, Game, Player};
use winset_settle::{Distance, KEPT, MOVE, SETTLING, Settling, Values, Wishes};

/// The least questions about states on disk that a thread collects before it looks for answers: with fewer, pages would be
/// read again and again.
const QUESTIONS: u64 = 1 << 15;

/// The most bytes that a thread's questions take: more would not make fewer pages.
const MOST: u64 = 1 << 30;

/// Solves tiers from the last on.
pub struct Backward<'a, 'g, K> {
    game: &'a Game,
    forward: &'a mut Forward<'g, K>,
    /// The number of each tier by its measure.
    numbers: HashMap<i64, usize>,
}

impl<'a, 'g, K: Key> Backward<'a, 'g, K> {
    /// Everything is found, nothing solved.
    pub fn new(game: &'a Game, forward: &'a mut Forward<'g, K>) -> Self {
        let tiers = forward.shelf.tiers.iter().enumerate();
        let numbers = tiers.map(|(number, tier)| (tier.count.measure, number)).collect();
        Backward { game, forward, numbers }
    }

    /// The states of a tier in memory, and their values if it is solved.
    pub fn tier(&self, number: usize) -> Result<(&States<K>, Option<&Values>), ExplicitError> {
        match &self.forward.shelf.tiers[number].held {
            Held::Here(states, values) => Ok((states, values.as_ref())),
            _ => Err(ExplicitError::Damaged),
        }
    }

    /// How many states a state stands for.
    pub fn stands_for(&self, key: K) -> u64 {
        self.forward.expander.stands_for(key)
    }

    /// The results that occur.
    pub fn outcomes(&self) -> &CodeTable {
        &self.forward.outcomes
    }

    /// Solves a tier after all later ones, or takes what an earlier run has found; says who moves in its states.
    pub fn solve(
        &mut self,
        number: usize,
        observer: &mut dyn Observer<K>,
    ) -> Result<Vec<Player>, ExplicitError> {
        self.forget(number);
        let tier = &self.forward.shelf.tiers[number];
        let of_observer = if matches!(tier.held, Held::Past) { observer.room(tier.going) } else { 0 };
        let fetching = tier.fetching() + of_observer;
        self.make_room(number, fetching)?;
        if self.forward.shelf.left() < fetching {
            return Err(self.forward.shelf.no_room());
        }
        self.fetch(number, observer)?;
        let states = self.tier(number)?.0.going.keys().len();
        if let Some(values) = observer.past_values(number, states as u64)? {
            return self.adopt(number, values);
        }
        let outcomes = self.forward.outcomes.clone();
        let mut occurs = vec![false; outcomes.len()];
        occurs[usize::from(CodeTable::ENDLESS)] = true;
        for tier in &self.forward.shelf.tiers {
            occurs.iter_mut().zip(&tier.count.terminal_by_code).for_each(|(occurs, &n)| *occurs |= n > 0);
        }
        let wishes = Wishes::new(&outcomes, self.game.players().len(), &occurs);
        let (order, groups) = self.groups(number)?;
        let (solved, movers) = match groups.len() {
            0 | 1 => self.settle_whole(number, &wishes)?,
            _ => self.settle_groups(number, &wishes, &order, &groups)?,
        };
        if let Held::Here(_, values) = &mut self.forward.shelf.tiers[number].held {
            *values = Some(solved);
        }
        Ok(movers)
    }

    /// Groups of states of a tier that can be settled one after the other; none or one: all are settled together.
    fn groups(&mut self, number: usize) -> Result<(Order, Vec<Range<usize>>), ExplicitError> {
        let tier = &self.forward.shelf.tiers[number];
        let going = tier.going;
        // A group takes a small part of the memory.
        let small = (self.forward.shelf.left() / 32 / SETTLING).clamp(1, GROUP as u64) as usize;
        let group = self.forward.group.unwrap_or(small).max(1);
        if tier.inside == Some(0) {
            return Ok(Order::apart(going as usize, group));
        }
        // Together is faster, since nothing has to be put in order.
        let fits = self.forward.group.is_none() && self.forward.shelf.left() >= tier.settling();
        if fits || self.forward.parts().is_none() {
            return Ok(Default::default());
        }
        self.make_room(number, going * (ORDER + ORDERING))?;
        if self.forward.shelf.left() < going * (ORDER + ORDERING) {
            return Ok(Default::default());
        }
        let Some(parts) = self.forward.parts() else { return Ok(Default::default()) };
        let (order, groups) = Order::by_parts(self.tier(number)?.0.going.keys(), parts, group);
        // Where most is in one part, nothing is gained.
        let most = groups.iter().map(Range::len).max().unwrap_or(0) as u64;
        Ok(if 2 * most > going { Default::default() } else { (order, groups) })
    }

    /// That a state of a tier has no single value.
    fn no_value(&self, number: usize, state: usize) -> ExplicitError {
        let key = self.tier(number).map_or(K::default(), |(states, _)| states.going.keys()[state]);
        ExplicitError::NoValue(self.game.print(&self.forward.expander.unpack(key)))
    }

    /// Takes values that an earlier run has found.
    fn adopt(&mut self, number: usize, values: Values) -> Result<Vec<Player>, ExplicitError> {
        let Forward { shelf, expander, .. } = &mut *self.forward;
        let Held::Here(states, known) = &mut shelf.tiers[number].held else {
            return Err(ExplicitError::Damaged);
        };
        let mut movers = Vec::with_capacity(values.codes.len());
        for batch in states.going.keys().chunks(LANES) {
            expander.load(batch);
            for lane in 0..batch.len() {
                let mover = expander.turn(lane).filter(|_| !expander.has_ended(lane));
                movers.push(mover.ok_or(ExplicitError::Damaged)?);
            }
        }
        *known = Some(values);
        Ok(movers)
    }

    /// The states of a tier come into memory.
    fn fetch(&mut self, number: usize, observer: &mut dyn Observer<K>) -> Result<(), ExplicitError> {
        let shelf = &mut self.forward.shelf;
        if !matches!(shelf.tiers[number].held, Held::Past) {
            return shelf.fetch(number);
        }
        let (going, bits) = (observer.past_states(number)?.ok_or(ExplicitError::Damaged)?, shelf.bits);
        if going.len() as u64 != shelf.tiers[number].going || !going.is_sorted_by(|a, b| a < b) {
            return Err(ExplicitError::Damaged);
        }
        let states = States { going: Sorted::of(going, bits), ended: Sorted::of(vec![], bits), ends: vec![] };
        shelf.tiers[number].held = Held::Here(states, None);
        Ok(())
    }

    /// Later tiers that no tier from this one down leads to are not needed any more.
    fn forget(&mut self, number: usize) {
        let tiers = &mut self.forward.shelf.tiers;
        let mut needed = HashSet::new();
        for tier in &tiers[..=number] {
            match &tier.leads_to {
                Some(measures) => needed.extend(measures.iter().copied()),
                None => return,
            }
        }
        for tier in &mut tiers[number + 1..] {
            if !needed.contains(&tier.count.measure) {
                tier.held = Held::Gone;
            }
        }
    }

    /// The solved tiers that moves of this one can lead to.
    fn targets(&self, number: usize) -> Vec<usize> {
        match &self.forward.shelf.tiers[number].leads_to {
            Some(measures) => {
                measures.iter().filter_map(|measure| self.numbers.get(measure).copied()).collect()
            }
            None => (number + 1..self.numbers.len()).collect(),
        }
    }

    /// Sends other tiers away until there is room for n bytes: those that this tier does not need first, of all others
    /// the largest first.
    pub fn make_room(&mut self, number: usize, bytes: u64) -> Result<(), ExplicitError> {
        let targets = self.targets(number);
        let shelf = &mut self.forward.shelf;
        let mut others: Vec<usize> = (0..shelf.tiers.len()).filter(|&other| other != number).collect();
        let size = |tier: usize| std::cmp::Reverse(shelf.tiers[tier].bytes());
        others.sort_by_cached_key(|&other| (targets.contains(&other), size(other)));
        shelf.send_away_until(bytes, others)
    }

    /// Makes room for n bytes, and reads later tiers that fit beside; what is left beyond that.
    fn prepare(&mut self, number: usize, needed: u64) -> Result<Room, ExplicitError> {
        let threads = self.forward.threads() as u64;
        self.make_room(number, needed)?;
        let asking = (QUESTIONS * question::<K>() + READING).min(self.forward.shelf.memory / 32 / threads);
        let asking = threads * asking;
        let mut targets = self.targets(number);
        targets.retain(|&target| !self.forward.shelf.tiers[target].is_here());
        targets.sort_by_key(|&target| self.forward.shelf.tiers[target].fetching());
        // What fits is read at once, the smallest first; of others the states that moves lead to are looked up on disk.
        while let Some(&target) = targets.first() {
            let shelf = &mut self.forward.shelf;
            let rest = if targets.len() > 1 { asking } else { 0 };
            if shelf.left() < needed + rest + shelf.tiers[target].fetching() {
                break;
            }
            shelf.fetch(target)?;
            targets.remove(0);
        }
        if !targets.is_empty() {
            self.make_room(number, needed + asking)?;
        }
        let shelf = &self.forward.shelf;
        let away = self.targets(number).iter().any(|&target| !shelf.tiers[target].is_here());
        let left = shelf.left().checked_sub(needed).ok_or_else(|| shelf.no_room())?;
        if away && left < asking {
            return Err(shelf.no_room());
        }
        let questions = if away { (left / 2).max(asking).min(MOST * threads) / threads } else { 0 };
        Ok(Room { questions: questions - READING.min(questions / 2), left: left - questions * threads })
    }

    /// What all threads know while a tier is looked at.
    fn look<'l>(&'l self, number: usize, order: &'l Order, room: &Room, moves: u64) -> Look<'l, K> {
        Look {
            shelf: &self.forward.shelf,
            number,
            measure: self.forward.measure.as_ref(),
            numbers: &self.numbers,
            order,
            questions: room.questions,
            // Moves are numbered.
            moves: moves.min(u32::MAX.into()) as usize,
        }
    }

    /// Two expanders for each thread: of states that are looked at, and of those that moves lead to.
    fn expanders(&self, threads: usize) -> Vec<[Expander<K>; 2]> {
        let pair = || [self.forward.expander.clone(), self.forward.expander.clone()];
        (0..threads).map(|_| pair()).collect()
    }

    /// Settles all states of a tier together: threads look at a share of them each.
    fn settle_whole(
        &mut self,
        number: usize,
        wishes: &Wishes<'_>,
    ) -> Result<(Values, Vec<Player>), ExplicitError> {
        let tier = &self.forward.shelf.tiers[number];
        if tier.inside.is_some_and(|inside| inside > u32::MAX.into()) {
            return Err(ExplicitError::TooManyStates);
        }
        let (needed, known, going) = (tier.settling(), tier.inside, tier.going);
        let (room, threads) = (self.prepare(number, needed)?, self.forward.threads() as u64);
        let mut settling = Settling::new(wishes, going as usize);
        let each_has = (going as usize).div_ceil(threads as usize).next_multiple_of(LANES).max(LANES);
        let mut shares = settling.shares(each_has);
        // Moves that were not counted may take what is left.
        let most = known.unwrap_or((room.left / MOVE + going) / threads);
        let order = Order::default();
        let look = self.look(number, &order, &room, most);
        let mut expanders = self.expanders(shares.len());
        let all = 0..going as usize;
        let looked = each(&mut expanders, &mut shares, going as usize, |expanders, share| {
            look.at(&all, expanders, share)
        });
        looked.into_iter().collect::<Result<(), _>>()?;
        let found = shares.into_iter().map(|share| (share.agenda, share.moves)).collect::<Vec<_>>();
        settling.take_in(found);
        settling.run().map_err(|open| self.no_value(number, open))
    }

    /// Settles the states of a tier group by group: each thread takes the next group that nobody has taken.
    fn settle_groups(
        &mut self,
        number: usize,
        wishes: &Wishes<'_>,
        order: &Order,
        groups: &[Range<usize>],
    ) -> Result<(Values, Vec<Player>), ExplicitError> {
        let tier = &self.forward.shelf.tiers[number];
        let (going, inside) = (tier.going, tier.inside);
        let largest = groups.iter().map(Range::len).max().unwrap_or(0) as u64;
        // As many moves as states have on the average, twice.
        let moves = inside.map_or(largest, |inside| 2 * largest * inside.div_ceil(going.max(1)));
        let each_takes = largest * SETTLING + moves * MOVE;
        // Values and who moves, of the groups and of the tier; and the order.
        let tier_takes = going * (2 * (KEPT + 1) + ORDER);
        let mut threads = self.forward.threads() as u64;
        self.make_room(number, tier_takes + threads * each_takes)?;
        // Fewer threads take less.
        while threads > 1 && self.forward.shelf.left() < tier_takes + threads * each_takes {
            threads -= 1;
        }
        let room = self.prepare(number, tier_takes + threads * each_takes)?;
        let look = self.look(number, order, &room, moves + room.left / MOVE / threads);
        let settle = |task: Task<'_>, expanders: &mut [Expander<K>; 2]| {
            let mut settling = Settling::new(wishes, task.group.len());
            let mut shares = settling.shares(task.group.len().max(1));
            shares.iter_mut().try_for_each(|share| look.at(&task.group, expanders, share))?;
            let found = shares.into_iter().map(|share| (share.agenda, share.moves)).collect::<Vec<_>>();
            settling.take_in(found);
            let settled = settling.run();
            let (values, movers) =
                settled.map_err(|open| self.no_value(number, order.state(task.group.start + open)))?;
            task.codes.copy_from_slice(&values.codes);
            task.distances.copy_from_slice(&values.distances);
            task.movers.copy_from_slice(&movers);
            Ok::<(), ExplicitError>(())
        };
        // In the order of places, so that every group has a piece of each list to itself.
        let going = going as usize;
        let mut values = Values { codes: vec![0; going], distances: vec![0; going] };
        let mut movers = vec![Player::new(0); going];
        let tasks = Mutex::new(tasks(groups, &mut values, &mut movers));
        let next = || tasks.lock().unwrap_or_else(PoisonError::into_inner).next();
        let mut expanders = self.expanders(threads as usize);
        let settled = each(&mut expanders, &mut vec![(); threads as usize], going, |expanders, ()| {
            while let Some(task) = next() {
                settle(task, expanders)?;
            }
            Ok::<(), ExplicitError>(())
        });
        settled.into_iter().collect::<Result<(), _>>()?;
        drop(tasks);
        Ok((order.sorted_values(values), order.sorted(movers)))
    }
}

/// A group of states, and where what is found out of them goes.
struct Task<'a> {
    group: Range<usize>,
    codes: &'a mut [Code],
    distances: &'a mut [Distance],
    movers: &'a mut [Player],
}

/// Every group with its pieces of the lists.
fn tasks<'a>(
    groups: &[Range<usize>],
    values: &'a mut Values,
    movers: &'a mut [Player],
) -> std::vec::IntoIter<Task<'a>> {
    let (mut codes, mut distances, mut movers) = (&mut values.codes[..], &mut values.distances[..], movers);
    let task = |group: &Range<usize>| {
        let (here, rest) = std::mem::take(&mut codes).split_at_mut(group.len());
        codes = rest;
        let (near, rest) = std::mem::take(&mut distances).split_at_mut(group.len());
        distances = rest;
        let (who, rest) = std::mem::take(&mut movers).split_at_mut(group.len());
        movers = rest;
        Task { group: group.clone(), codes: here, distances: near, movers: who }
    };
    groups.iter().map(task).collect::<Vec<_>>().into_iter()
}

/// What is left of the memory when what is needed has been set apart.
struct Room {
    /// For the questions of one thread.
    questions: u64,
    /// For everything else.
    left: u64,
}
