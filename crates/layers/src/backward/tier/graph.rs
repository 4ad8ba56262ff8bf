//! A tier as an explicit graph: every state is decided once, when the successors that decide it are. Rounds of passes need
//! one for every move of the longest win; this needs some bytes for every move of every state.

use crate::backward::layer_by_layer::{Backward, Current};
use crate::backward::room::Fit;
use crate::backward::stream::{Pass, Remoteness, Shared, Stored, Values, each_rank, each_state};
use crate::backward::tier::Tally;
use crate::error::LayersError;
use crate::sets::layer::Kind;
use crate::sets::set::EMPTY;
use winset_settle::{Distance, KEPT, MOVE, SETTLING, Settling, Share, Wishes, Worth};

/// The number of a state that belongs to no part that stays in the tier.
const OUTSIDE: u8 = u8::MAX;

/// Why a tier cannot be solved in this way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unfit {
    /// It has more moves than there is room for.
    TooLarge,
    /// The state of this rank has no moves.
    Stuck(u64),
}

/// What is known of the states of a layer, by rank.
struct Layer<'a> {
    /// The part that stays in the tier which a state belongs to.
    part: Vec<u8>,
    /// Of all others.
    values: &'a Values,
    /// Empty if they are not asked for.
    distances: &'a mut [Distance],
}

impl Backward<'_> {
    /// Values, and distances if asked for, of the staying parts of a tier. None if passes are better: there is nothing but
    /// passing, or there is no room.
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
        let circles = staying.iter().any(|&i| layer.parts[i].kind == Kind::All);
        let Some(rest) = left.checked_sub((SETTLING + KEPT + 1) * layer.len) else { return Ok(None) };
        if !circles || layer.len >= u64::from(u32::MAX) || staying.len() >= usize::from(OUTSIDE) {
            return Ok(None);
        }
        // Moves are numbered by 32 bits.
        let room = (rest / MOVE).min(u32::MAX.into()) as usize;
        let states = layer.len as usize;
        let outcomes = &self.forward.rules.outcomes;
        let wishes = Wishes::new(outcomes, self.game.players().len(), &self.occurs);
        let mut settling = Settling::new(&wishes, states);
        let mut of = Layer { part: vec![OUTSIDE; states], values, distances };
        for (number, &i) in (0..).zip(staying) {
            let part = &layer.parts[i];
            each_rank(layer, target, part.root, &mut |rank| {
                of.part[rank as usize] = number;
                settling.mover[rank as usize] = part.player;
            });
        }
        let mut shares = settling.shares(states.max(1));
        for share in &mut shares {
            for &i in staying {
                let task = self.measuring(current, &layer.parts[i], None);
                match of.moves(&task.pass, &task.distances_here(), share, room) {
                    Ok(()) => {}
                    Err(Unfit::TooLarge) => return Ok(None),
                    Err(Unfit::Stuck(rank)) => return Err(self.stuck(&target.unrank(layer, rank))),
                }
            }
        }
        let found = shares.into_iter().map(|share| (share.agenda, share.moves)).collect();
        settling.take_in(found);
        (0..states).filter(|&at| of.part[at] == OUTSIDE).for_each(|at| settling.known(at, of.worth(at)));
        // Where players can want the same, it has been looked whether there are values.
        let (settled, _) = settling.run().map_err(|_| LayersError::NoValue)?;
        Ok(Some(of.take_in(&settled, staying.len(), outcomes.len())))
    }
}

impl Layer<'_> {
    /// What a state that does not stay is worth.
    fn worth(&self, at: usize) -> Worth {
        Worth {
            code: self.values.get(at as u64),
            distance: self.distances.get(at).copied().unwrap_or_default(),
        }
    }

    /// Notes the moves of a part's states. `known` are the distances in each target of the pass, empty where they are not asked
    /// for.
    fn moves(
        &self,
        pass: &Pass,
        known: &[&[Distance]],
        share: &mut Share<'_>,
        room: usize,
    ) -> Result<(), Unfit> {
        let mut unfit = None;
        each_state(pass, &mut |rank, successors| {
            if successors.is_empty() {
                unfit = unfit.or(Some(Unfit::Stuck(rank)));
            }
            let at = rank as usize;
            for successor in successors {
                let lookup = &pass.targets[successor.target as usize];
                let to = successor.rank;
                let worth = match successor.node {
                    EMPTY => {
                        let code = lookup.default.expect("a reached state has a place or ends the game");
                        Worth { code, distance: 0 }
                    }
                    _ if !std::ptr::eq(lookup.diagram, pass.own) => {
                        let distance = known[successor.target as usize].get(to as usize);
                        Worth { code: lookup.values.get(to), distance: distance.copied().unwrap_or_default() }
                    }
                    _ if self.part[to as usize] == OUTSIDE => self.worth(to as usize),
                    _ if share.moves.len() < room => {
                        share.go(at, to as u32);
                        continue;
                    }
                    _ => {
                        unfit = unfit.or(Some(Unfit::TooLarge));
                        continue;
                    }
                };
                share.know(at, worth);
            }
        });
        unfit.map_or(Ok(()), Err)
    }

    /// Writes what was found. Returns for every part how many states have each outcome.
    fn take_in(self, settled: &winset_settle::Values, parts: usize, codes: usize) -> Vec<Tally> {
        let mut tallies = vec![vec![0u64; codes]; parts];
        let alone = Shared::of(0..0);
        for (at, &part) in self.part.iter().enumerate().filter(|(_, part)| **part != OUTSIDE) {
            let Worth { code, distance } = settled.worth(at);
            tallies[usize::from(part)][usize::from(code)] += 1;
            for (bit, plane) in self.values.planes().iter().enumerate() {
                alone.write(plane, at as u64, u64::from(code >> bit & 1));
            }
            if let Some(place) = self.distances.get_mut(at) {
                *place = distance;
            }
        }
        tallies
    }
}
