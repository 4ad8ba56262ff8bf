//! The states of a tier on their way to a value.

use crate::agenda::Agenda;
use crate::wishes::{Distance, NEVER_ENDS, NOTHING, OPEN, Wishes, Worth, before};
use winset_model::{Code, CodeTable, Player};

/// The bytes that a state's value takes.
pub const KEPT: u64 = 4;
/// The bytes that a state takes while its tier is settled, the agenda included.
pub const SETTLING: u64 = 44;
/// The bytes that a move inside the tier takes then.
pub const MOVE: u64 = 24;

/// What the states of a tier in which the game goes on are worth, in the order of their keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values {
    /// The results.
    pub codes: Vec<Code>,
    /// How far the end is.
    pub distances: Vec<Distance>,
}

impl Values {
    /// Of one state.
    #[inline]
    pub fn worth(&self, rank: usize) -> Worth {
        Worth { code: self.codes[rank], distance: self.distances[rank] }
    }
}

/// What one thread looks at of a tier.
pub struct Share<'a> {
    /// What the players want.
    pub wishes: &'a Wishes<'a>,
    /// The number of its first state.
    pub first: usize,
    /// Who is to move in each state.
    pub mover: &'a mut [Player],
    /// See [`Settling`].
    pub remaining: &'a mut [u32],
    /// The same.
    pub best: &'a mut [Worth],
    /// The same.
    pub level: &'a mut [Distance],
    /// The same.
    pub agenda: Vec<Agenda>,
    /// Moves to states of the tier: where to, where from.
    pub moves: Vec<(u32, u32)>,
}

impl Share<'_> {
    /// Notes a move of a state to one of the tier, which has this number there.
    pub fn go(&mut self, at: usize, to: u32) {
        self.moves.push((to, (self.first + at) as u32));
        self.remaining[at] += 1;
    }

    /// Notes a move of a state to one that is known.
    pub fn know(&mut self, at: usize, worth: Worth) {
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
    /// Of n states, of which nothing is known.
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

    /// A state is not to be settled: the game has ended there, or what it is worth was known before. Moves to it have to be
    /// noted by [`Share::know`].
    pub fn known(&mut self, state: usize, worth: Worth) {
        // Nothing else settles it.
        self.remaining[state] = 1;
        self.settle(state as u32, worth);
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
