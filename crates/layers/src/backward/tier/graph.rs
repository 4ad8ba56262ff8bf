//! A tier as an explicit graph: every state is decided once, when the successors that decide it are. Rounds of passes need
//! one for every move of the longest win; this needs a few bytes for every move of every state.

use crate::backward::layer_by_layer::{Backward, Current};
use crate::backward::room::Fit;
use crate::backward::stream::{Distance, NEVER_ENDS, Pass, Remoteness, Shared, Stored, Values, each_state};
use crate::backward::tier::Tally;
use crate::error::LayersError;
use crate::sets::layer::Kind;
use crate::sets::set::EMPTY;
use winset_model::{Code, CodeTable, Player};

/// The number of a state that belongs to no part of the tier.
const OUTSIDE: u8 = u8::MAX;

/// Neither won nor lost so far.
const OPEN: Code = Code::MAX;

/// What a player can come to other than play without end: the codes that are better and worse, if there are any.
#[derive(Clone, Copy)]
struct Hopes {
    win: Option<Code>,
    loss: Option<Code>,
}

/// Why a tier cannot be solved in this way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unfit {
    /// It has more moves than there is room for.
    TooLarge,
    /// The state of this rank has no moves.
    Stuck(u64),
}

/// The states of a tier, by rank, and the moves between them.
struct Graph {
    /// The part of every state.
    part: Vec<u8>,
    /// Of every part.
    hopes: Vec<Hopes>,
    /// For every state the number of moves that are not known to lose.
    remaining: Vec<u32>,
    /// For every state the greatest distance of a lost successor outside.
    lost: Vec<Distance>,
    /// For every state the least distance of a drawn successor outside.
    drawn: Vec<Distance>,
    /// Pairs of a state and one with a move to it.
    moves: Vec<(u32, u32)>,
    room: usize,
    /// States by the distance at which they are decided, if not sooner.
    agenda: Agenda,
}

impl Backward<'_> {
    /// None if the player can win or lose in more than one way, or if players want the same.
    fn hopes(&self, player: Player) -> Option<Hopes> {
        let all = self.forward.rules.outcomes.best_first(player);
        let order: Vec<Code> = all.iter().copied().filter(|&code| self.occurs[usize::from(code)]).collect();
        let endless = order.iter().position(|&code| code == CodeTable::ENDLESS)?;
        let (better, worse) = (&order[..endless], &order[endless + 1..]);
        let few = better.len() <= 1 && worse.len() <= 1 && self.is_opposed();
        few.then(|| Hopes { win: better.first().copied(), loss: worse.first().copied() })
    }

    /// Values, and distances if asked for, of the staying parts of a tier. None if passes are better: there is nothing but
    /// passing, or there are more outcomes than a win and a loss for each player, or there is no room.
    pub fn solve_graph(
        &self,
        current: Current,
        staying: &[usize],
        fit: &Fit,
        values: &Stored,
        distances: &mut Remoteness,
    ) -> Result<Option<Vec<Tally>>, LayersError> {
        let Current { layer, target, .. } = current;
        let (Fit::Here { left }, Stored::Here(values), Remoteness::Here(distances)) =
            (fit, values, distances)
        else {
            return Ok(None);
        };
        let of_part = |&i: &usize| self.hopes(layer.parts[i].player);
        let Some(hopes) = staying.iter().map(of_part).collect::<Option<Vec<_>>>() else { return Ok(None) };
        let circles = staying.iter().any(|&i| layer.parts[i].kind == Kind::All);
        let (per_state, per_move) = Graph::BYTES;
        let Some(rest) = left.checked_sub(per_state * layer.len) else { return Ok(None) };
        if !circles || layer.len >= u64::from(u32::MAX) || staying.len() >= usize::from(OUTSIDE) {
            return Ok(None);
        }
        let mut graph = Graph::new(layer.len, rest / per_move);
        for (&i, hopes) in staying.iter().zip(hopes) {
            let task = self.measuring(current, &layer.parts[i], None);
            match graph.add(&task.pass, &task.distances_here(), hopes) {
                Ok(()) => {}
                Err(Unfit::TooLarge) => return Ok(None),
                Err(Unfit::Stuck(rank)) => return Err(self.stuck(&target.unrank(layer, rank))),
            }
        }
        Ok(Some(graph.solve(values, distances, self.forward.rules.outcomes.len())))
    }
}

impl Graph {
    /// The memory of one state and of one move while a tier is solved, with the room that growing lists and
    /// states on the agenda more than once take.
    const BYTES: (u64, u64) = (28, 28);

    /// The states of a layer, n of them, with room for m moves.
    fn new(states: u64, room: u64) -> Self {
        let states = states as usize;
        Graph {
            part: vec![OUTSIDE; states],
            hopes: vec![],
            remaining: vec![0; states],
            lost: vec![0; states],
            drawn: vec![NEVER_ENDS; states],
            moves: vec![],
            // Moves are numbered by 32 bits.
            room: room.min(u32::MAX.into()) as usize,
            agenda: Agenda::default(),
        }
    }

    /// Adds the states of a part. `known` are the distances in each target of the pass, empty where they
    /// are not asked for.
    fn add(&mut self, pass: &Pass, known: &[&[Distance]], hopes: Hopes) -> Result<(), Unfit> {
        let number = self.hopes.len() as u8;
        self.hopes.push(hopes);
        let mut unfit = None;
        each_state(pass, &mut |rank, successors| {
            if successors.is_empty() {
                unfit = unfit.or(Some(Unfit::Stuck(rank)));
            }
            let at = rank as usize;
            self.part[at] = number;
            let mut won = None::<Distance>;
            for successor in successors {
                let lookup = &pass.targets[successor.target as usize];
                let (code, distance) = match successor.node {
                    EMPTY => (lookup.default.expect("a reached state has a place or ends the game"), 0),
                    _ if std::ptr::eq(lookup.diagram, pass.own) => {
                        self.remaining[at] += 1;
                        if self.moves.len() < self.room {
                            self.moves.push((successor.rank as u32, rank as u32));
                        } else {
                            unfit = unfit.or(Some(Unfit::TooLarge));
                        }
                        continue;
                    }
                    _ => {
                        let distances = known[successor.target as usize];
                        let distance = distances.get(successor.rank as usize).copied().unwrap_or(0);
                        (lookup.values.get(successor.rank), distance)
                    }
                };
                if hopes.win == Some(code) {
                    won = Some(won.map_or(distance, |other| other.min(distance)));
                } else if hopes.loss == Some(code) {
                    self.lost[at] = self.lost[at].max(distance);
                } else {
                    self.remaining[at] += 1;
                    self.drawn[at] = self.drawn[at].min(distance);
                }
            }
            match won {
                Some(distance) => {
                    // A state with a won successor is never lost.
                    self.remaining[at] += 1;
                    self.agenda.add(rank as u32, distance, 1);
                }
                None if self.remaining[at] == 0 => self.agenda.add(rank as u32, self.lost[at], 1),
                None => {}
            }
        });
        unfit.map_or(Ok(()), Err)
    }

    /// Gives every state its value, and its distance if they are asked for; those of the states outside
    /// the tier are known. Returns for every part how many states have each outcome.
    fn solve(mut self, values: &Values, distances: &mut [Distance], codes: usize) -> Vec<Tally> {
        let (start, from) = predecessors(std::mem::take(&mut self.moves), self.part.len());
        let before = |state: u32| &from[start[state as usize] as usize..start[state as usize + 1] as usize];
        let mut decided: Vec<Code> = vec![OPEN; self.part.len()];
        let distance_of = |distances: &[Distance], at: usize| distances.get(at).copied().unwrap_or(0);
        for (at, value) in decided.iter_mut().enumerate().filter(|(at, _)| self.part[*at] == OUTSIDE) {
            *value = values.get(at as u64);
            self.agenda.add(at as u32, distance_of(distances, at), 0);
        }
        while let Some((state, distance)) = self.agenda.next() {
            let at = state as usize;
            if self.part[at] != OUTSIDE {
                if decided[at] != OPEN {
                    continue;
                }
                let hopes = self.hopes[self.part[at] as usize];
                let code = if self.remaining[at] == 0 { hopes.loss } else { hopes.win };
                decided[at] = code.expect("a state is on the agenda for a win or a loss");
                if let Some(place) = distances.get_mut(at) {
                    *place = distance;
                }
            }
            for &previous in before(state) {
                let p = previous as usize;
                if decided[p] != OPEN || decided[at] == CodeTable::ENDLESS {
                    continue;
                }
                if Some(decided[at]) == self.hopes[self.part[p] as usize].win {
                    self.agenda.add(previous, distance, 1);
                } else {
                    self.remaining[p] -= 1;
                    if self.remaining[p] == 0 {
                        self.agenda.add(previous, distance.max(self.lost[p]), 1);
                    }
                }
            }
        }
        if !distances.is_empty() {
            self.draws(&decided, &before, distances);
        }
        let mut tallies = vec![vec![0u64; codes]; self.hopes.len()];
        let alone = Shared::of(0..0);
        for (at, &part) in self.part.iter().enumerate().filter(|(_, part)| **part != OUTSIDE) {
            let code = if decided[at] == OPEN { CodeTable::ENDLESS } else { decided[at] };
            tallies[part as usize][code as usize] += 1;
            for (bit, plane) in values.planes().iter().enumerate() {
                alone.write(plane, at as u64, u64::from(code >> bit & 1));
            }
        }
        tallies
    }

    /// The distances of drawn states: the shortest way to an end, if there is one.
    fn draws<'b>(
        &mut self,
        decided: &[Code],
        before: &impl Fn(u32) -> &'b [u32],
        distances: &mut [Distance],
    ) {
        for at in 0..decided.len() {
            match decided[at] {
                OPEN => {
                    distances[at] = NEVER_ENDS;
                    self.agenda.add(at as u32, self.drawn[at], 1);
                }
                CodeTable::ENDLESS => self.agenda.add(at as u32, distances[at], 0),
                _ => {}
            }
        }
        while let Some((state, distance)) = self.agenda.next() {
            if decided[state as usize] == OPEN {
                if distances[state as usize] != NEVER_ENDS {
                    continue;
                }
                distances[state as usize] = distance;
            }
            for &previous in before(state) {
                if decided[previous as usize] == OPEN && distances[previous as usize] == NEVER_ENDS {
                    self.agenda.add(previous, distance, 1);
                }
            }
        }
    }
}

/// For every state where its predecessors begin, and all predecessors.
fn predecessors(moves: Vec<(u32, u32)>, states: usize) -> (Vec<u32>, Vec<u32>) {
    let mut start = vec![0u32; states + 1];
    for &(to, _) in &moves {
        start[to as usize + 1] += 1;
    }
    for at in 0..states {
        start[at + 1] += start[at];
    }
    let mut next = start.clone();
    let mut from = vec![0u32; moves.len()];
    for (to, state) in moves {
        from[next[to as usize] as usize] = state;
        next[to as usize] += 1;
    }
    (start, from)
}

/// States by distance, the nearest first.
#[derive(Default)]
struct Agenda {
    at: Vec<Vec<u32>>,
    /// The least distance that can have states.
    from: usize,
}

impl Agenda {
    /// Adds a state that is so much farther than a distance; none that play never comes to.
    fn add(&mut self, state: u32, distance: Distance, more: Distance) {
        if distance == NEVER_ENDS {
            return;
        }
        let distance = usize::from((distance + more).min(NEVER_ENDS - 1));
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
