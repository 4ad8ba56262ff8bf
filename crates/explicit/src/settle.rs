//! Settling the states of a tier: each of them once, from the end on.
//!
//! Results are settled class by class. Where players want the opposite, a state gets a result that its mover likes better
//! than endless play as soon as one move leads to it, and one that it likes less when all moves lead to such: the best of
//! them. Classes go from each player's best result on, so the first one that comes is the right one; inside a class the
//! nearest states come first, so that who hurries has the least distance and who does not the greatest. What is never
//! settled is endless play, with the distance of the nearest end that is worth the same.

use crate::look::Share;
use crate::shelf::Values;
use winset_model::{Code, CodeTable, Player};

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

/// A result and how far it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Worth {
    /// The result.
    pub code: Code,
    /// How far the end is.
    pub distance: Distance,
}

/// Nothing is known.
pub const NOTHING: Worth = Worth { code: OPEN, distance: NEVER_ENDS };

/// What the results mean to the players.
pub struct Wishes<'a> {
    /// The results.
    pub outcomes: &'a CodeTable,
    /// For each player the place of every code, the best 0.
    place: Vec<Vec<u16>>,
    /// Each player's results that are better than endless play, the best first.
    hopes: Vec<Vec<Code>>,
    /// Whether a player who comes to a result wants to come there soon.
    hurries: Vec<Vec<bool>>,
    /// What one player wants the other does not.
    pub opposed: bool,
}

impl<'a> Wishes<'a> {
    /// The wishes of so many players, if these codes occur.
    pub fn new(outcomes: &'a CodeTable, players: usize, occurs: &[bool]) -> Self {
        let place = |player: Player| {
            let mut place = vec![0; outcomes.len()];
            (0..).zip(outcomes.best_first(player)).for_each(|(at, &code)| place[usize::from(code)] = at);
            place
        };
        let hopes = |player: Player| {
            let all = outcomes.best_first(player).iter().copied();
            all.take_while(|&code| code != CodeTable::ENDLESS).collect()
        };
        let hurries =
            |player: Player| (0..outcomes.len()).map(|code| outcomes.hurries(code as Code, player)).collect();
        Wishes {
            outcomes,
            place: Player::all(players).map(place).collect(),
            hopes: Player::all(players).map(hopes).collect(),
            hurries: Player::all(players).map(hurries).collect(),
            opposed: outcomes.is_opposed(|code| occurs[usize::from(code)]),
        }
    }

    /// A player likes a result better than another.
    pub fn prefers(&self, player: Player, code: Code, other: Code) -> bool {
        let place = &self.place[player.index()];
        other == OPEN || place[usize::from(code)] < place[usize::from(other)]
    }

    /// A player likes a result better than endless play.
    pub fn hopes_for(&self, player: Player, code: Code) -> bool {
        self.prefers(player, code, CodeTable::ENDLESS)
    }

    /// What is left of two moves that are known, if it does not matter any more which there were: the one that the state is
    /// settled with when nothing better follows.
    pub fn best_known(&self, player: Player, a: Worth, b: Worth) -> Worth {
        let soon = self.opposed
            && a.code == b.code
            && a.code != OPEN
            && !self.prefers(player, CodeTable::ENDLESS, a.code);
        match soon {
            // Of results that need not be waited for, the nearest end comes first, whether the player hurries or not.
            true => Worth { distance: a.distance.min(b.distance), ..a },
            false => self.best(player, a, b),
        }
    }

    /// The better of two for a player; of the same result the nearer one if the player hurries, else the farther one.
    pub fn best(&self, player: Player, a: Worth, b: Worth) -> Worth {
        if a.code == b.code {
            // Nothing is known of either.
            let hurries = a.code == OPEN || self.hurries[player.index()][usize::from(a.code)];
            let distance = if hurries { a.distance.min(b.distance) } else { a.distance.max(b.distance) };
            return Worth { distance, ..a };
        }
        if self.prefers(player, b.code, a.code) { b } else { a }
    }
}

/// One move before.
pub fn before(distance: Distance) -> Distance {
    if distance == NEVER_ENDS { NEVER_ENDS } else { (distance + 1).min(NEVER_ENDS - 1) }
}

/// What a share found: by code, states that can be settled with it; and moves inside the tier, where to and where from.
pub type Found = (Vec<Agenda>, Vec<(u32, u32)>);

/// The states of a tier on their way to a value.
pub struct Settling<'a> {
    wishes: &'a Wishes<'a>,
    /// Who is to move.
    pub mover: Vec<Player>,
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
    /// So many states, of which nothing is known.
    pub fn new(wishes: &'a Wishes<'a>, states: usize) -> Self {
        let mover = vec![Player::new(0); states];
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
    pub fn shares(&mut self, each_has: usize) -> Vec<Share<'_>> {
        let (wishes, agendas) = (self.wishes, self.agenda.len());
        let parts = self.mover.chunks_mut(each_has).zip(self.remaining.chunks_mut(each_has));
        let parts = parts.zip(self.best.chunks_mut(each_has)).zip(self.level.chunks_mut(each_has));
        let share = |(number, (((mover, remaining), best), level))| {
            let mut agenda = vec![];
            agenda.resize_with(agendas, Agenda::default);
            let first = number * each_has;
            Share { wishes, first, mover, remaining, best, level, agenda, moves: vec![] }
        };
        parts.enumerate().map(share).collect()
    }

    /// Takes in what the shares found.
    pub fn take_in(&mut self, found: Vec<Found>) {
        let mut moves: Vec<(u32, u32)> = vec![];
        for (agendas, more) in found {
            // Of one thread, which is most often, nothing is copied.
            if moves.is_empty() {
                moves = more
            } else {
                moves.extend(more)
            }
            self.agenda.iter_mut().zip(agendas).for_each(|(all, some)| all.append(some));
        }
        self.predecessors(moves);
    }

    fn predecessors(&mut self, moves: Vec<(u32, u32)>) {
        self.starts = vec![0; self.mover.len() + 1];
        moves.iter().for_each(|&(to, _)| self.starts[to as usize] += 1);
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        // Each list is filled from its end on, so that its start is where it should be when all is done.
        self.before = vec![0; moves.len()];
        for (to, from) in moves.into_iter().rev() {
            let place = &mut self.starts[to as usize];
            *place -= 1;
            self.before[*place as usize] = from;
        }
    }

    /// The game has ended in a state, with this result; it has moves that are not known, so that nothing else settles it.
    pub fn end(&mut self, state: usize, code: Code) {
        self.settle(state as u32, Worth { code, distance: 0 });
    }

    /// Finds out what all states are worth; where players can want the same, that may fail for a state, which is given.
    pub fn run(mut self) -> Result<(Values, Vec<Player>), usize> {
        match self.wishes.opposed {
            true => self.run_opposed(),
            false => self.run_settled(),
        }
        if !self.wishes.opposed
            && let Some(open) = self.codes.iter().position(|&code| code == OPEN)
        {
            return Err(open);
        }
        self.settle_endless();
        Ok((Values { codes: self.codes, distances: self.distances }, self.mover))
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
pub struct Agenda {
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
    pub fn add(&mut self, state: u32, distance: Distance) {
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
