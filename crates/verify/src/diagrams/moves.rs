//! Moves on sets: where they lead, and from where they lead into a set.

use super::arena::{Arena, Id};
use super::conditions::{Conditions, FALSE, TRUE};
use super::sets::{EMPTY, Sets};
use crate::VerifyError;
use rustc_hash::FxHashMap;
use winset_model::{ExprId, Exprs, Move, Value};

/// What is left of a move, by number: its condition, and the updates of variables further down. A list: the condition;
/// then for each update its level, the number of its cases, and for each case a condition and one more than the new value,
/// 0 if the value stays. Exactly one case of an update applies to a state.
type Residual = u32;

/// A move that is no longer possible.
const DEAD: Residual = 0;
/// A move that changes nothing more, whatever the state.
const DONE: Residual = 1;

/// What is left of all moves.
#[derive(Debug)]
pub struct Moves {
    arena: Arena,
    given: FxHashMap<(Residual, u32, u32), Residual>,
    /// What is left once it is known which case of the first update applies.
    chosen: FxHashMap<(Residual, u32), Residual>,
    images: FxHashMap<(Id, Residual), Id>,
    preimages: FxHashMap<(Id, Residual, Id), Id>,
    room: u64,
}

/// The memory of a remembered result, in a table that grows.
const MEMO_BYTES: u64 = 40;

impl Moves {
    pub fn new(room: u64) -> Self {
        let mut arena = Arena::new(room);
        let _ = arena.add(&[FALSE]).and_then(|_| arena.add(&[TRUE]));
        let (given, chosen, images, preimages) = Default::default();
        Moves { arena, given, chosen, images, preimages, room }
    }

    /// A move before anything is known of the state, without turn and end.
    pub fn compile(
        &mut self,
        conditions: &mut Conditions,
        exprs: &Exprs,
        m: &Move,
        level_of: &[u32],
    ) -> Result<Residual, VerifyError> {
        let guard = conditions.compile(exprs, m.guard)?;
        let mut updates: Vec<(u32, &[(ExprId, Value)])> =
            m.updates.iter().map(|u| (level_of[u.var.index()], u.cases.as_slice())).collect();
        updates.sort_by_key(|update| update.0);
        let mut list = vec![guard];
        for (level, cases) in updates {
            let (mut rest, mut made) = (TRUE, vec![]);
            for &(when, value) in cases {
                let when = conditions.compile(exprs, when)?;
                let here = conditions.and(rest, when)?;
                let other = conditions.not(when)?;
                rest = conditions.and(rest, other)?;
                made.extend((here != FALSE).then_some([here, u32::from(value) + 1]));
            }
            made.extend((rest != FALSE).then_some([rest, 0]));
            list.extend([level, made.len() as u32]);
            list.extend(made.into_iter().flatten());
        }
        self.add(list)
    }

    fn add(&mut self, list: Vec<u32>) -> Result<Residual, VerifyError> {
        if list[0] == FALSE { Ok(DEAD) } else { self.arena.add(&list) }
    }

    /// What is left once the variable of a level has a value.
    fn given(
        &mut self,
        conditions: &Conditions,
        residual: Residual,
        level: u32,
        value: u32,
    ) -> Result<Residual, VerifyError> {
        if residual <= DONE {
            return Ok(residual);
        }
        if let Some(&known) = self.given.get(&(residual, level, value)) {
            return Ok(known);
        }
        let old = self.arena.get(residual);
        let mut list = vec![conditions.given(old[0], level, value)];
        let mut at = 1;
        while at < old.len() {
            let (updated, count) = (old[at], old[at + 1] as usize);
            let cases = old[at + 2..at + 2 + 2 * count].chunks_exact(2);
            let cases = cases.map(|case| [conditions.given(case[0], level, value), case[1]]);
            let cases: Vec<[u32; 2]> = cases.filter(|case| case[0] != FALSE).collect();
            list.extend([updated, cases.len() as u32]);
            list.extend(cases.into_iter().flatten());
            at += 2 + 2 * count;
        }
        let made = self.add(list)?;
        self.given.insert((residual, level, value), made);
        Ok(made)
    }

    /// The ways in which a variable can change at a level: what is left then, and the new value, one more, or 0.
    fn ways(
        &mut self,
        conditions: &mut Conditions,
        residual: Residual,
        level: u32,
    ) -> Result<Vec<(Residual, u32)>, VerifyError> {
        let list = self.arena.get(residual);
        if list.len() == 1 || list[1] != level {
            return Ok(vec![(residual, 0)]);
        }
        let (guard, count) = (list[0], list[2] as usize);
        let cases: Vec<(u32, u32)> =
            list[3..3 + 2 * count].chunks_exact(2).map(|case| (case[0], case[1])).collect();
        let mut ways = vec![];
        for (number, (when, value)) in (0..).zip(cases) {
            let left = match self.chosen.get(&(residual, number)) {
                Some(&known) => known,
                None => {
                    let mut list = vec![conditions.and(guard, when)?];
                    list.extend_from_slice(&self.arena.get(residual)[3 + 2 * count..]);
                    let made = self.add(list)?;
                    self.chosen.insert((residual, number), made);
                    made
                }
            };
            if left != DEAD {
                ways.push((left, value));
            }
        }
        Ok(ways)
    }

    /// Where a move leads to from the states of a set.
    pub fn image(
        &mut self,
        sets: &mut Sets,
        conditions: &mut Conditions,
        set: Id,
        residual: Residual,
    ) -> Result<Id, VerifyError> {
        match residual {
            _ if set == EMPTY => return Ok(EMPTY),
            DEAD => return Ok(EMPTY),
            DONE => return Ok(set),
            _ => {}
        }
        if let Some(&known) = self.images.get(&(set, residual)) {
            return Ok(known);
        }
        let level = sets.level(set);
        let ways = self.ways(conditions, residual, level)?;
        let mut found: std::collections::BTreeMap<u32, Id> = Default::default();
        for (value, child) in sets.edges(set) {
            for &(left, new) in &ways {
                let left = self.given(conditions, left, level, value)?;
                let below = self.image(sets, conditions, child, left)?;
                if below != EMPTY {
                    let at = found.entry(if new == 0 { value } else { new - 1 }).or_insert(EMPTY);
                    *at = sets.union(*at, below)?;
                }
            }
        }
        let edges: Vec<(u32, Id)> = found.into_iter().collect();
        let made = sets.node(level, &edges)?;
        self.images.insert((set, residual), made);
        self.check()?;
        Ok(made)
    }

    /// The states of a set from which a move leads into another.
    pub fn preimage(
        &mut self,
        sets: &mut Sets,
        conditions: &mut Conditions,
        set: Id,
        residual: Residual,
        into: Id,
    ) -> Result<Id, VerifyError> {
        match residual {
            _ if set == EMPTY || into == EMPTY => return Ok(EMPTY),
            DEAD => return Ok(EMPTY),
            DONE => return sets.both(set, into),
            _ => {}
        }
        let key = (set, residual, into);
        if let Some(&known) = self.preimages.get(&key) {
            return Ok(known);
        }
        let level = sets.level(set);
        let ways = self.ways(conditions, residual, level)?;
        let targets = sets.edges(into);
        let mut edges = vec![];
        for (value, child) in sets.edges(set) {
            let mut found = EMPTY;
            for &(left, new) in &ways {
                let to = if new == 0 { value } else { new - 1 };
                let Ok(at) = targets.binary_search_by_key(&to, |edge| edge.0) else { continue };
                let left = self.given(conditions, left, level, value)?;
                let below = self.preimage(sets, conditions, child, left, targets[at].1)?;
                found = sets.union(found, below)?;
            }
            if found != EMPTY {
                edges.push((value, found));
            }
        }
        let made = sets.node(level, &edges)?;
        self.preimages.insert(key, made);
        self.check()?;
        Ok(made)
    }

    fn check(&self) -> Result<(), VerifyError> {
        if self.bytes() > self.room { Err(VerifyError::Memory { room: self.room }) } else { Ok(()) }
    }

    /// About the memory that is taken.
    pub fn bytes(&self) -> u64 {
        let remembered = self.given.len() + self.chosen.len() + self.images.len() + self.preimages.len();
        self.arena.bytes() + MEMO_BYTES * remembered as u64
    }

    /// Forgets all results about sets, which are no longer what they were.
    pub fn forget(&mut self) {
        (self.images, self.preimages) = Default::default();
    }
}
