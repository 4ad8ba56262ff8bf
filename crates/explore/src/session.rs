//! Asking a store: positions, what their moves are worth, perfect lines, and what lies just above the solved layers.

use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use winset_model::{Explicit, Liking, MoveId, Player, Predecessors, Remoteness, Rewards, State, Valuation};
use winset_store::{Store, StoreError, Stored};

/// Steps that may be made to find a position that leads to one in which the game has ended.
const STEPS_BACK: u64 = 50_000;

/// What is known of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// Its value is stored.
    Solved(Valuation),
    /// The game has ended here; the rules say what the players get.
    Terminal {
        /// For each player.
        rewards: Rewards,
    },
    /// It may be reachable, but its value has not been computed yet.
    NotSolvedYet,
    /// The game cannot come to it.
    NotReachable,
    /// The game has ended here by the rules, but it is not known whether it can come here.
    NotKnownToArise,
    /// Not a store but a strategy answers: what it promises is kept from here.
    Promised {
        /// In at most n moves; none: for as long as play goes on.
        rounds: Option<u32>,
    },
    /// The strategy promises nothing here.
    NotPromised,
}

impl Lookup {
    /// The value, however it is known.
    pub fn valuation(self) -> Option<Valuation> {
        match self {
            Lookup::Solved(valuation) => Some(valuation),
            Lookup::Terminal { rewards } => Some(Valuation::ended(rewards)),
            _ => None,
        }
    }
}

/// A legal move and where it leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveValue {
    /// The move.
    pub id: MoveId,
    /// The position after it.
    pub state: State,
    /// What is known of that position.
    pub lookup: Lookup,
}

/// A position with all that can be asked about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The position.
    pub state: State,
    /// Who is to move; nobody if the game has ended.
    pub mover: Option<Player>,
    /// What is known of it.
    pub lookup: Lookup,
    /// The legal moves, best first; those whose value is not known come last.
    pub moves: Vec<MoveValue>,
}

/// Asks one store. Keeps what evaluating the rules needs, so it is cheap to ask again. A store can be shared by threads;
/// each asks through a session of its own.
pub struct Session<'s> {
    store: &'s Store,
    explicit: Explicit<'s>,
    /// Made when it is first needed.
    before: Option<Predecessors<'s>>,
}

impl<'s> Session<'s> {
    /// Asks this store.
    pub fn new(store: &'s Store) -> Self {
        Session { store, explicit: Explicit::new(store.game()), before: None }
    }

    /// The store that is asked.
    pub fn store(&self) -> &'s Store {
        self.store
    }

    pub(crate) fn explicit_mut(&mut self) -> &mut Explicit<'s> {
        &mut self.explicit
    }

    /// Whether the game can come to a position; none if that was not found out.
    ///
    /// The sets have all positions that can arise and in which the game has not ended. Of the others they may
    /// have some: one that they have not can arise if a move leads to it from one that they have.
    pub fn arises(&mut self, state: &State) -> Result<Option<bool>, StoreError> {
        self.store.check(state)?;
        let store = self.store;
        if state == store.game().initial() || store.contains(state)? {
            return Ok(Some(true));
        }
        let found = match self.explicit.at(state).is_terminal() {
            false => Some(false),
            true => {
                let before = self.before.get_or_insert_with(|| Predecessors::new(store.game()));
                before.any(state, STEPS_BACK, &mut |state| store.contains(state))?
            }
        };
        // As long as sets are missing, what is not found may be in them.
        Ok(found.filter(|&found| found || store.manifest().forward_complete))
    }

    /// What is known of a position. Where the game has ended, that is what the rules say, whether the game can
    /// come to it or not: see [`Session::arises`].
    pub fn value(&mut self, state: &State) -> Result<Lookup, StoreError> {
        self.store.check(state)?;
        match self.explicit.at(state).rewards() {
            Some(rewards) => Ok(Lookup::Terminal { rewards }),
            None => self.stored(state),
        }
    }

    /// What is known of many positions; cheaper than one by one, and the more of them the cheaper: they are
    /// looked up in the order in which they are stored, so that each chunk is needed once.
    pub fn values(&mut self, states: &[State]) -> Result<Vec<Lookup>, StoreError> {
        let mut all = Vec::with_capacity(states.len());
        let mut open = vec![];
        let (blocks, layering) = (self.store.blocks()?, &self.store.manifest().header.layering);
        for batch in states.chunks(64) {
            batch.iter().try_for_each(|state| self.store.check(state))?;
            self.explicit.load(batch.to_vec());
            for (lane, state) in batch.iter().enumerate() {
                all.push(match self.explicit.lane(lane).rewards() {
                    Some(rewards) => Lookup::Terminal { rewards },
                    None => {
                        open.push((layering.layer(state), blocks.digits(state), all.len()));
                        Lookup::NotReachable
                    }
                });
            }
        }
        open.sort_unstable();
        for (.., at) in open {
            all[at] = self.stored(&states[at])?;
        }
        Ok(all)
    }

    /// A position with its value and every legal move, best first.
    pub fn position(&mut self, state: &State) -> Result<Position, StoreError> {
        let lookup = self.value(state)?;
        let at = self.explicit.at(state);
        let mover = if at.is_terminal() { None } else { at.turn() };
        let (ids, states): (Vec<MoveId>, Vec<State>) = at.moves().map(|m| (m, at.apply(m))).unzip();
        let lookups = self.values(&states)?;
        let mut moves: Vec<MoveValue> = ids
            .into_iter()
            .zip(states)
            .zip(lookups)
            .map(|((id, state), lookup)| MoveValue { id, state, lookup })
            .collect();
        moves.sort_by_key(|m| self.preference(mover, m.lookup));
        Ok(Position { state: state.clone(), mover, lookup, moves })
    }

    /// One perfect line from a position to the end: moves and the positions after them. Ends early where
    /// values are not known, or where play goes on for ever.
    pub fn line(&mut self, state: &State) -> Result<Vec<MoveValue>, StoreError> {
        let mut line: Vec<MoveValue> = vec![];
        let mut seen = FxHashSet::from_iter([state.clone()]);
        let mut here = state.clone();
        loop {
            let Some(best) = self.position(&here)?.moves.into_iter().next() else { return Ok(line) };
            if best.lookup.valuation().is_none() || !seen.insert(best.state.clone()) {
                return Ok(line);
            }
            here = best.state.clone();
            line.push(best);
        }
    }

    /// The value of a position that is not solved yet, found by searching down to solved layers, looking at
    /// no more than about `nodes` positions. Nothing if that is not enough.
    pub fn search(&mut self, state: &State, nodes: u64) -> Result<Option<Valuation>, StoreError> {
        if let Some(found) = self.value(state)?.valuation() {
            return Ok(Some(found));
        }
        let mut search = Search { known: FxHashMap::default(), left: nodes, cut: true };
        for depth in 1.. {
            search.known.retain(|_, value| value.is_some());
            // Where the last depth has seen everything, a greater one sees no more.
            if !std::mem::take(&mut search.cut) {
                return Ok(None);
            }
            let found = self.deepen(&mut search, state, depth)?;
            if found.is_some() || search.left == 0 {
                let valuation = |rewards| Valuation { rewards, remoteness: Remoteness::Unknown };
                return Ok(found.map(valuation));
            }
        }
        Ok(None)
    }

    fn deepen(
        &mut self,
        search: &mut Search,
        state: &State,
        depth: u32,
    ) -> Result<Option<Rewards>, StoreError> {
        if let Some(&known) = search.known.get(state) {
            return Ok(known);
        }
        if depth == 0 || search.left == 0 {
            search.cut = true;
            return Ok(None);
        }
        search.left -= 1;
        // Unknown while it is being looked at: a cycle proves nothing.
        search.known.insert(state.clone(), None);
        let position = self.position(state)?;
        let Some(mover) = position.mover else { return Ok(None) };
        let opponent = self.store.manifest().header.opponent;
        let liking = |rewards| opponent.liking(mover, rewards);
        // Nothing better than this can come, once all that the game can end with is known: as long as sets are missing,
        // results are too.
        let manifest = self.store.manifest();
        let results = manifest.forward_complete.then_some(&manifest.header.codes);
        let most = results.and_then(|codes| codes.iter().map(|&r| liking(r)).max());
        let (mut best, mut all_known) = (None, true);
        for m in &position.moves {
            let value = match m.lookup.valuation() {
                Some(valuation) => Some(valuation.rewards),
                None => self.deepen(search, &m.state, depth - 1)?,
            };
            match value {
                None => all_known = false,
                Some(rewards) if best.is_none_or(|b| liking(rewards) > liking(b)) => best = Some(rewards),
                Some(_) => {}
            }
            if most.is_some() && best.map(liking) == most {
                all_known = true;
                break;
            }
        }
        let value = best.filter(|_| all_known);
        search.known.insert(state.clone(), value);
        Ok(value)
    }

    /// Sorts what the mover likes best first; among wins the quickest, among losses the slowest.
    fn preference(&self, mover: Option<Player>, lookup: Lookup) -> (bool, Option<Reverse<Liking>>, i64) {
        let (Some(mover), Some(Valuation { rewards, remoteness })) = (mover, lookup.valuation()) else {
            return (true, None, 0);
        };
        let plies = match remoteness {
            Remoteness::Plies(plies) => i64::from(plies),
            Remoteness::Endless => i64::from(u32::MAX),
            Remoteness::Unknown => 0,
        };
        let opponent = self.store.manifest().header.opponent;
        let hurry = if opponent.hurries(mover, rewards) { plies } else { -plies };
        (false, Some(Reverse(opponent.liking(mover, rewards))), hurry)
    }

    fn stored(&self, state: &State) -> Result<Lookup, StoreError> {
        Ok(match self.store.stored(state)? {
            Stored::Solved(valuation) => Lookup::Solved(valuation),
            Stored::NotSolvedYet => Lookup::NotSolvedYet,
            Stored::NotReachable => Lookup::NotReachable,
        })
    }
}

struct Search {
    /// Values found, and positions whose value was not found at the present depth.
    known: FxHashMap<State, Option<Rewards>>,
    left: u64,
    /// Something was not looked at, because it was too deep.
    cut: bool,
}
