//! The backward pass: every state of a tier is settled once, from the end on.
//!
//! Results are settled class by class. Where players want the opposite, a state gets a result that its mover likes better
//! than endless play as soon as one move leads to it, and one that it likes less when all moves lead to such: the best of
//! them. Classes go from each player's best result on, so the first one that comes is the right one; inside a class the
//! nearest states come first, so that who hurries has the least distance and who does not the greatest. What is never
//! settled is endless play, with the distance of the nearest end that is worth the same.

use crate::error::ExplicitError;
use crate::expand::{Expander, Successor};
use crate::forward::{Forward, Tier};
use crate::pack::Key;
use crate::program::LANES;
use crate::worker::each;
use std::collections::HashMap;
use winset_model::{Code, CodeTable, Game, Player};

/// A number of moves to the end.
pub type Distance = u16;

/// Play never has to end.
pub const NEVER_ENDS: Distance = Distance::MAX;

/// Not settled yet.
const OPEN: Code = Code::MAX;

/// The bytes that a state's value takes; that a state takes while its tier is settled, the agenda included; and that a move
/// inside the tier takes then.
pub const KEPT: u64 = 4;
pub const SETTLING: u64 = 44;
pub const MOVE: u64 = 24;

/// What the states of a tier in which the game goes on are worth, in the order of their keys.
#[derive(Debug, Default)]
pub struct Values {
    /// The results.
    pub codes: Vec<Code>,
    /// How far the end is.
    pub distances: Vec<Distance>,
}

/// A result and how far it is.
#[derive(Clone, Copy)]
struct Worth {
    code: Code,
    distance: Distance,
}

const NOTHING: Worth = Worth { code: OPEN, distance: NEVER_ENDS };

/// What the results mean to the players.
struct Wishes<'a> {
    outcomes: &'a CodeTable,
    /// For each player the place of every code, the best 0.
    place: Vec<Vec<u16>>,
    /// Each player's results that are better than endless play, the best first.
    hopes: Vec<Vec<Code>>,
    /// What one player wants the other does not.
    opposed: bool,
}

impl<'a> Wishes<'a> {
    fn new(outcomes: &'a CodeTable, players: usize, occurs: &[bool]) -> Self {
        let place = |player: Player| {
            let mut place = vec![0; outcomes.len()];
            (0..).zip(outcomes.best_first(player)).for_each(|(at, &code)| place[usize::from(code)] = at);
            place
        };
        let hopes = |player: Player| {
            let all = outcomes.best_first(player).iter().copied();
            all.take_while(|&code| code != CodeTable::ENDLESS).collect()
        };
        Wishes {
            outcomes,
            place: Player::all(players).map(place).collect(),
            hopes: Player::all(players).map(hopes).collect(),
            opposed: outcomes.is_opposed(|code| occurs[usize::from(code)]),
        }
    }

    /// A player likes a result better than another.
    fn prefers(&self, player: Player, code: Code, other: Code) -> bool {
        let place = &self.place[player.index()];
        other == OPEN || place[usize::from(code)] < place[usize::from(other)]
    }

    /// A player likes a result better than endless play.
    fn hopes_for(&self, player: Player, code: Code) -> bool {
        self.prefers(player, code, CodeTable::ENDLESS)
    }

    /// The better of two for a player; of the same result the nearer one if the player hurries, else the farther one.
    fn best(&self, player: Player, a: Worth, b: Worth) -> Worth {
        if a.code == b.code {
            let hurries = self.outcomes.hurries(a.code, player);
            let distance = if hurries { a.distance.min(b.distance) } else { a.distance.max(b.distance) };
            return Worth { distance, ..a };
        }
        if self.prefers(player, b.code, a.code) { b } else { a }
    }
}

/// One move before.
fn before(distance: Distance) -> Distance {
    if distance == NEVER_ENDS { NEVER_ENDS } else { (distance + 1).min(NEVER_ENDS - 1) }
}

/// Solves tiers from the last on.
pub struct Backward<'a, 'g, K> {
    game: &'a Game,
    forward: &'a mut Forward<'g, K>,
    /// The number of each tier by its measure.
    number: HashMap<i64, usize>,
    /// Of the tiers that are solved, by number.
    pub values: Vec<Values>,
}

impl<'a, 'g, K: Key> Backward<'a, 'g, K> {
    /// Everything is found, nothing solved.
    pub fn new(game: &'a Game, forward: &'a mut Forward<'g, K>) -> Self {
        let number = forward.tiers.iter().enumerate().map(|(number, tier)| (tier.measure, number)).collect();
        let values = forward.tiers.iter().map(|_| Values::default()).collect();
        Backward { game, forward, number, values }
    }

    /// The tiers.
    pub fn tiers(&self) -> &[Tier<K>] {
        &self.forward.tiers
    }

    /// The results that occur.
    pub fn outcomes(&self) -> &CodeTable {
        &self.forward.outcomes
    }

    /// Solves a tier after all later ones.
    pub fn solve(&mut self, number: usize) -> Result<(), ExplicitError> {
        let outcomes = self.forward.outcomes.clone();
        let mut occurs = vec![false; outcomes.len()];
        occurs[usize::from(CodeTable::ENDLESS)] = true;
        let ends = self.forward.tiers.iter().flat_map(|tier| &tier.ends);
        ends.for_each(|&code| occurs[usize::from(code)] = true);
        let wishes = Wishes::new(&outcomes, self.game.players().len(), &occurs);
        let mut settling = self.look(number, &wishes)?;
        match wishes.opposed {
            true => settling.run_opposed(),
            false => settling.run_settled(),
        }
        let codes = &mut settling.codes;
        if !wishes.opposed
            && let Some(open) = codes.iter().position(|&code| code == OPEN)
        {
            let key = self.forward.tiers[number].going.keys()[open];
            return Err(ExplicitError::NoValue(self.game.print(&self.forward.expander.unpack(key))));
        }
        settling.settle_endless();
        self.values[number] = Values { codes: settling.codes, distances: settling.distances };
        Ok(())
    }

    /// Looks at every state of a tier once: what its moves to known states are worth, and which lead to others of it.
    fn look<'b>(&mut self, number: usize, wishes: &'b Wishes<'b>) -> Result<Settling<'b>, ExplicitError> {
        let solved: usize = self.values.iter().map(|values| values.codes.len()).sum();
        let tier = &self.forward.tiers[number];
        let states = tier.going.keys().len();
        if tier.inside > u32::MAX.into() {
            return Err(ExplicitError::TooManyStates);
        }
        if solved as u64 * KEPT + states as u64 * SETTLING + tier.inside * MOVE > self.forward.left() {
            return Err(self.forward.no_room());
        }
        let mut settling = Settling::new(wishes, tier.mover.clone());
        let threads = self.forward.threads();
        let each_has = states.div_ceil(threads).next_multiple_of(LANES).max(LANES);
        let mut shares = settling.shares(each_has);
        let mut expanders = vec![self.forward.expander.clone(); shares.len()];
        each(&mut expanders, &mut shares, states, |expander, share| self.look_at(number, expander, share));
        let found = shares.into_iter().map(|share| (share.agenda, share.moves)).collect::<Vec<_>>();
        let mut moves: Vec<(u32, u32)> = vec![];
        for (agendas, more) in found {
            // Of one thread, which is most often, nothing is copied.
            if moves.is_empty() {
                moves = more
            } else {
                moves.extend(more)
            }
            settling.agenda.iter_mut().zip(agendas).for_each(|(all, some)| all.append(some));
        }
        settling.predecessors(moves);
        Ok(settling)
    }

    /// The same for a share of the states.
    fn look_at(&self, number: usize, expander: &mut Expander<K>, share: &mut Share<'_>) {
        let Forward { tiers, measure, .. } = &*self.forward;
        let keys = &tiers[number].going.keys()[share.first..share.first + share.mover.len()];
        let mut successors: Vec<Successor<K>> = vec![];
        for (from, batch) in (0..).step_by(LANES).zip(keys.chunks(LANES)) {
            successors.clear();
            expander.expand(batch, &mut successors);
            for &Successor { lane, key } in &successors {
                let at = from + usize::from(lane);
                let there = measure.as_ref().map_or(0, |measure| measure.of(key));
                let target = self.number[&there];
                let known = match tiers[target].going.rank(key) {
                    Some(rank) if target == number => {
                        share.moves.push((rank as u32, (share.first + at) as u32));
                        share.remaining[at] += 1;
                        continue;
                    }
                    Some(rank) => {
                        let values = &self.values[target];
                        Worth { code: values.codes[rank], distance: values.distances[rank] }
                    }
                    None => {
                        let rank = tiers[target].ended.rank(key).expect("the forward pass was here");
                        Worth { code: tiers[target].ends[rank], distance: 0 }
                    }
                };
                share.know(at, known);
            }
        }
    }
}

/// What one thread looks at of a tier.
struct Share<'a> {
    wishes: &'a Wishes<'a>,
    /// The number of its first state.
    first: usize,
    mover: &'a [Player],
    remaining: &'a mut [u32],
    best: &'a mut [Worth],
    level: &'a mut [Distance],
    agenda: Vec<Agenda>,
    /// Moves to states of the tier: where to, where from.
    moves: Vec<(u32, u32)>,
}

impl Share<'_> {
    /// Notes a move of a state to one that is known.
    fn know(&mut self, at: usize, worth: Worth) {
        let mover = self.mover[at];
        if worth.code == CodeTable::ENDLESS {
            self.level[at] = self.level[at].min(worth.distance);
        }
        if self.wishes.opposed {
            if self.wishes.hopes_for(mover, worth.code) {
                self.agenda[usize::from(worth.code)].add((self.first + at) as u32, before(worth.distance));
            }
            // Endless play, or better: the state is never settled by want of other moves.
            if !self.wishes.prefers(mover, CodeTable::ENDLESS, worth.code) {
                self.remaining[at] += 1;
                return;
            }
        }
        self.best[at] = self.wishes.best(mover, self.best[at], worth);
    }
}

/// The states of a tier on their way to a value.
struct Settling<'a> {
    wishes: &'a Wishes<'a>,
    mover: Vec<Player>,
    codes: Vec<Code>,
    distances: Vec<Distance>,
    /// For every state the moves that are not known to be bad (opposed), or not known (otherwise).
    remaining: Vec<u32>,
    /// The best of what is known: of the bad ones (opposed), or of all.
    best: Vec<Worth>,
    /// The nearest end that is worth what endless play is.
    level: Vec<Distance>,
    /// Where the predecessors of each state begin, and all of them.
    starts: Vec<u32>,
    before: Vec<u32>,
    /// By code, states that can be settled with it, by distance.
    agenda: Vec<Agenda>,
}

impl<'a> Settling<'a> {
    fn new(wishes: &'a Wishes<'a>, mover: Vec<Player>) -> Self {
        let states = mover.len();
        let mut agenda = vec![];
        agenda.resize_with(wishes.outcomes.len(), Agenda::default);
        Settling {
            wishes,
            mover,
            codes: vec![OPEN; states],
            distances: vec![NEVER_ENDS; states],
            remaining: vec![0; states],
            best: vec![NOTHING; states],
            level: vec![NEVER_ENDS; states],
            starts: vec![],
            before: vec![],
            agenda,
        }
    }

    /// Shares of this many states each.
    fn shares(&mut self, each_has: usize) -> Vec<Share<'_>> {
        let (wishes, agendas) = (self.wishes, self.agenda.len());
        let parts = self.mover.chunks(each_has).zip(self.remaining.chunks_mut(each_has));
        let parts = parts.zip(self.best.chunks_mut(each_has)).zip(self.level.chunks_mut(each_has));
        let share = |(number, (((mover, remaining), best), level))| {
            let mut agenda = vec![];
            agenda.resize_with(agendas, Agenda::default);
            let first = number * each_has;
            Share { wishes, first, mover, remaining, best, level, agenda, moves: vec![] }
        };
        parts.enumerate().map(share).collect()
    }

    fn predecessors(&mut self, moves: Vec<(u32, u32)>) {
        self.starts = vec![0; self.mover.len() + 1];
        moves.iter().for_each(|&(to, _)| self.starts[to as usize + 1] += 1);
        for at in 0..self.mover.len() {
            self.starts[at + 1] += self.starts[at];
        }
        let mut next = self.starts.clone();
        self.before = vec![0; moves.len()];
        for (to, from) in moves {
            let place = &mut next[to as usize];
            self.before[*place as usize] = from;
            *place += 1;
        }
    }

    fn predecessors_of(&self, state: u32) -> std::ops::Range<usize> {
        self.starts[state as usize] as usize..self.starts[state as usize + 1] as usize
    }

    /// States all of whose moves are known to be bad can be settled.
    fn begin(&mut self) {
        for at in 0..self.mover.len() {
            if self.remaining[at] == 0 {
                let Worth { code, distance } = self.best[at];
                self.agenda[usize::from(code)].add(at as u32, before(distance));
            }
        }
    }

    fn run_opposed(&mut self) {
        self.begin();
        let wishes = self.wishes;
        for &class in wishes.hopes.iter().flatten() {
            while let Some((state, distance)) = self.agenda[usize::from(class)].next() {
                if self.codes[state as usize] == OPEN {
                    self.settle(state, Worth { code: class, distance });
                    self.tell_opposed(state, Worth { code: class, distance });
                }
            }
        }
    }

    fn settle(&mut self, state: u32, worth: Worth) {
        self.codes[state as usize] = worth.code;
        self.distances[state as usize] = worth.distance;
    }

    fn tell_opposed(&mut self, state: u32, worth: Worth) {
        for i in self.predecessors_of(state) {
            let previous = self.before[i];
            let at = previous as usize;
            if self.codes[at] != OPEN {
                continue;
            }
            if self.wishes.hopes_for(self.mover[at], worth.code) {
                self.agenda[usize::from(worth.code)].add(previous, before(worth.distance));
                continue;
            }
            self.best[at] = self.wishes.best(self.mover[at], self.best[at], worth);
            self.remaining[at] -= 1;
            if self.remaining[at] == 0 {
                let Worth { code, distance } = self.best[at];
                self.agenda[usize::from(code)].add(previous, before(distance));
            }
        }
    }

    /// Settles what follows from what is known, without circles.
    fn run_settled(&mut self) {
        let mut ready: Vec<u32> =
            (0..self.mover.len() as u32).filter(|&at| self.remaining[at as usize] == 0).collect();
        while let Some(state) = ready.pop() {
            let Worth { code, distance } = self.best[state as usize];
            let worth = Worth { code, distance: before(distance) };
            self.settle(state, worth);
            for i in self.predecessors_of(state) {
                let previous = self.before[i];
                let at = previous as usize;
                self.best[at] = self.wishes.best(self.mover[at], self.best[at], worth);
                self.remaining[at] -= 1;
                if self.remaining[at] == 0 {
                    ready.push(previous);
                }
            }
        }
    }

    /// Whatever is left is worth what endless play is; its distance is that of the nearest end with the same worth.
    fn settle_endless(&mut self) {
        let mut agenda = Agenda::default();
        let open: Vec<u32> =
            (0..self.mover.len() as u32).filter(|&at| self.codes[at as usize] == OPEN).collect();
        for &at in &open {
            self.codes[at as usize] = CodeTable::ENDLESS;
            agenda.add(at, before(self.level[at as usize]));
        }
        while let Some((state, distance)) = agenda.next() {
            let at = state as usize;
            if self.distances[at] <= distance {
                continue;
            }
            self.distances[at] = distance;
            for i in self.predecessors_of(state) {
                let previous = self.before[i];
                let p = previous as usize;
                if self.codes[p] == CodeTable::ENDLESS && self.distances[p] == NEVER_ENDS {
                    agenda.add(previous, before(distance));
                }
            }
        }
    }
}

/// States by distance, the nearest first.
#[derive(Default)]
struct Agenda {
    at: Vec<Vec<u32>>,
    /// The least distance that can have states.
    from: usize,
}

impl Agenda {
    /// Everything of another one too.
    fn append(&mut self, mut other: Agenda) {
        if self.at.is_empty() {
            *self = other;
            return;
        }
        self.at.resize_with(self.at.len().max(other.at.len()), Vec::new);
        self.at.iter_mut().zip(&mut other.at).for_each(|(all, some)| all.append(some));
        self.from = self.from.min(other.from);
    }

    /// Adds a state at a distance; none that play never comes to.
    fn add(&mut self, state: u32, distance: Distance) {
        if distance == NEVER_ENDS {
            return;
        }
        let distance = usize::from(distance);
        if self.at.len() <= distance {
            self.at.resize_with(distance + 1, Vec::new);
        }
        self.at[distance].push(state);
        self.from = self.from.min(distance);
    }

    fn next(&mut self) -> Option<(u32, Distance)> {
        while let Some(here) = self.at.get_mut(self.from) {
            if let Some(state) = here.pop() {
                return Some((state, self.from as Distance));
            }
            self.from += 1;
        }
        None
    }
}
