//! Transition relations: as diagrams over pairs of states, and as the matrix diagrams that search uses.

use crate::compile::Compiler;
use crate::conjunctive::{self, Conjunction, Joined};
use crate::diagram::Diagram;
use crate::error::SymbolicError;
use crate::mxd::{EMPTY, IDENTITY, Mxd, MxdId};
use crate::space::Space;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use winset_model::{Expr, Player, Relation, System, VarId};

/// One part of the transition relation.
#[derive(Clone, Debug)]
pub struct Part<F> {
    /// The move's name.
    pub name: String,
    /// Who makes it, in a game.
    pub player: Option<Player>,
    /// Pairs of a state and the next values of `writes`, none of which is an unused code: a transition leads
    /// to a state, whatever the formula leaves open. Before the transition any code may stand.
    pub pairs: F,
    /// The variables that may change, sorted.
    pub writes: Vec<VarId>,
    /// It applies only where no other does: a pass.
    pub fallback: bool,
    /// The same as a matrix diagram.
    pub mxd: MxdId,
    /// The same as a conjunction, where that would be too large as one diagram; then all pairs are in `pairs`, and the
    /// matrix is empty.
    pub conjunction: Option<Arc<Conjunction<F>>>,
}

impl<F: Diagram> Part<F> {
    /// Whether a pair of states, given by the bits of both, is in the relation.
    pub fn allows(&self, bits: &[(u32, bool)]) -> bool {
        let conjuncts = self.conjunction.iter().flat_map(|all| &all.conjuncts);
        std::iter::once(&self.pairs).chain(conjuncts).all(|pairs| pairs.eval(bits.iter().copied()))
    }

    /// All pairs as one diagram, however large.
    pub fn whole(&self, space: &Space<F>) -> Result<F, SymbolicError> {
        let conjuncts = self.conjunction.iter().flat_map(|all| all.conjuncts.iter().cloned());
        space.and_all(std::iter::once(self.pairs.clone()).chain(conjuncts).collect())
    }
}

/// How conjunctions are dealt with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conjuncts {
    /// They are multiplied out.
    Joined,
    /// They are multiplied out where the result is small.
    Clustered,
    /// They are never multiplied out.
    Apart,
}

/// Compiles the parts of a system's relation. A fallback's states are the deadlocks of the parts that it
/// falls back from (Othello thesis, 4.3.2).
pub fn parts<F: Diagram>(
    space: &Space<F>,
    compiler: &mut Compiler<'_, F>,
    mxd: &mut Mxd,
    system: &System,
    conjuncts: Conjuncts,
) -> Result<Vec<Part<F>>, SymbolicError> {
    let mut parts: Vec<Part<F>> = vec![];
    let fallbacks_last = |unless: &[usize]| usize::from(!unless.is_empty());
    let mut order: Vec<usize> = (0..system.relations.len()).collect();
    order.sort_by_key(|&i| fallbacks_last(&system.relations[i].unless));
    let mut enabled: FxHashMap<usize, F> = FxHashMap::default();
    let mut by_list: FxHashMap<Vec<usize>, F> = FxHashMap::default();
    // Where these apply must be known.
    let awaited: FxHashSet<usize> = system.relations.iter().flat_map(|r| r.unless.iter().copied()).collect();
    let mut built: Vec<Option<Part<F>>> = vec![None; system.relations.len()];
    for i in order {
        let relation = &system.relations[i];
        let falls_back = !relation.unless.is_empty();
        let (mut pairs, conjunction) = match conjuncts {
            Conjuncts::Clustered | Conjuncts::Apart if !falls_back && !awaited.contains(&i) => {
                match conjunction(space, compiler, system, relation, conjuncts)? {
                    Joined::One(pairs) => (pairs, None),
                    Joined::Many(conjunction) => (space.all().clone(), Some(Arc::new(conjunction))),
                }
            }
            _ => {
                let formula = compiler.compile(relation.formula)?;
                (space.and(&formula, &space.after(&relation.writes)?)?, None)
            }
        };
        if falls_back {
            let busy = match by_list.get(&relation.unless) {
                Some(busy) => busy.clone(),
                None => {
                    let others: Result<Vec<F>, _> = relation
                        .unless
                        .iter()
                        .map(|other| match enabled.get(other) {
                            Some(set) => Ok::<F, SymbolicError>(set.clone()),
                            None => {
                                let part = built[*other].as_ref().expect("fallbacks come last");
                                let set = space.attempt(|| {
                                    space.domain().preimage_under(mxd, part.mxd, space.domain())
                                })?;
                                enabled.insert(*other, set.clone());
                                Ok(set)
                            }
                        })
                        .collect();
                    space.or_all(others?)?
                }
            };
            pairs = space.diff(&pairs, &busy)?;
            by_list.insert(relation.unless.clone(), busy);
        }
        let root = match conjunction {
            None => to_mxd(space, mxd, &pairs, &relation.writes),
            Some(_) => EMPTY,
        };
        if mxd.is_full() {
            return Err(space.out_of_memory());
        }
        built[i] = Some(Part {
            name: relation.name.clone(),
            player: None,
            pairs,
            writes: relation.writes.clone(),
            fallback: falls_back,
            mxd: root,
            conjunction,
        });
    }
    parts.extend(built.into_iter().flatten());
    Ok(parts)
}

/// The conjuncts of a relation, joined where that is small.
fn conjunction<F: Diagram>(
    space: &Space<F>,
    compiler: &mut Compiler<'_, F>,
    system: &System,
    relation: &Relation,
    conjuncts: Conjuncts,
) -> Result<Joined<F>, SymbolicError> {
    let mut sets = vec![];
    let mut open = vec![relation.formula];
    while let Some(id) = open.pop() {
        match system.exprs.get(id) {
            Expr::And(list) => open.extend(list.iter().rev().copied()),
            _ => sets.push(compiler.compile(id)?),
        }
    }
    for &var in &relation.writes {
        sets.push(space.after(&[var])?);
    }
    conjunctive::join(space, sets, &relation.writes, conjuncts == Conjuncts::Apart)
}

/// A relation over pairs as a matrix diagram: bits of `writes` are related as the pairs say, all others
/// keep their values.
pub fn to_mxd<F: Diagram>(space: &Space<F>, mxd: &mut Mxd, pairs: &F, writes: &[VarId]) -> MxdId {
    let mut written: Vec<u32> = writes.iter().flat_map(|&var| space.place(var).levels.clone()).collect();
    written.sort_unstable();
    let mut converter = Converter { mxd, written, none: space.none().clone(), memo: FxHashMap::default() };
    converter.convert(pairs, 0)
}

struct Converter<'a, F> {
    mxd: &'a mut Mxd,
    /// The levels of the current copies of written bits, ascending.
    written: Vec<u32>,
    none: F,
    memo: FxHashMap<(F, usize), MxdId>,
}

impl<F: Diagram> Converter<'_, F> {
    /// `done` bits of the written ones are above.
    fn convert(&mut self, pairs: &F, done: usize) -> MxdId {
        if *pairs == self.none || self.mxd.is_full() {
            return EMPTY;
        }
        let root = pairs.root_level().map_or(u32::MAX, |level| level & !1);
        let write = self.written.get(done).copied().unwrap_or(u32::MAX);
        let level = root.min(write);
        if level == u32::MAX {
            return IDENTITY;
        }
        let key = (pairs.clone(), done);
        if let Some(&known) = self.memo.get(&key) {
            return known;
        }
        let [zero, one] = cofactors(pairs, level);
        let kids = if level == write {
            let ([to00, to01], [to10, to11]) = (cofactors(&zero, level + 1), cofactors(&one, level + 1));
            [to00, to01, to10, to11].map(|to| self.convert(&to, done + 1))
        } else {
            [self.convert(&zero, done), EMPTY, EMPTY, self.convert(&one, done)]
        };
        let id = self.mxd.make(level, kids);
        self.memo.insert(key, id);
        id
    }
}

/// The cofactors for 0 and 1 at a level at or above the root's.
fn cofactors<F: Diagram>(set: &F, level: u32) -> [F; 2] {
    match set.cofactors() {
        Some((one, zero)) if set.root_level() == Some(level) => [zero, one],
        _ => [set.clone(), set.clone()],
    }
}
