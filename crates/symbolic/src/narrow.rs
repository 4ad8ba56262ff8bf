//! Relations as they are on some states: what else they say is left out, which can make them much smaller.
//!
//! Once it is known which states can be reached, no step out of another one is ever asked for. On what is left, a conjunct
//! can be any that agrees with it (Coudert, Madre 1990), and a relation that is large as one diagram may be small.

use crate::conjunctive::{self, Conjunction, support};
use crate::diagram::Diagram;
use crate::error::SymbolicError;
use crate::space::Space;
use rustc_hash::FxHashMap;
use winset_model::VarId;

/// A set of more nodes is no help: what is made simpler with it had better stay as it is.
const LARGEST: usize = 20_000;
/// The most pairs of nodes that are looked at to make one conjunct simpler.
const MOST_PAIRS: usize = 100_000;

/// What a relation is on the states of a set.
pub enum Narrowed<F> {
    /// One diagram.
    One(F),
    /// Still a conjunction.
    Many(Conjunction<F>),
}

/// A conjunction on the states of a set, joined if that is small and they need not stay apart; nothing if the set is too large
/// to be of use.
pub fn narrowed<F: Diagram>(
    space: &Space<F>,
    conjunction: &Conjunction<F>,
    writes: &[VarId],
    states: &F,
    apart: bool,
) -> Result<Option<Narrowed<F>>, SymbolicError> {
    if states.node_count() > LARGEST {
        return Ok(None);
    }
    let mut conjuncts = vec![];
    for conjunct in &conjunction.conjuncts {
        let simpler = simplified(space, conjunct, states)?;
        if simpler != *space.all() {
            conjuncts.push(simpler);
        }
    }
    if !apart {
        let with_states: Vec<F> = std::iter::once(states.clone()).chain(conjuncts.iter().cloned()).collect();
        if let Some(one) = conjunctive::whole(space, &with_states)? {
            return Ok(Some(Narrowed::One(one)));
        }
    }
    Ok(Some(Narrowed::Many(conjunctive::apart(space, conjuncts, writes)?)))
}

/// A smaller set that is the same among some states, or the set itself.
fn simplified<F: Diagram>(space: &Space<F>, set: &F, states: &F) -> Result<F, SymbolicError> {
    let speaks = support(set);
    let mut others: Vec<u32> = support(states);
    others.retain(|level| speaks.binary_search(level).is_err());
    let cube = space.cube(&mut others)?;
    let care = space.attempt(|| states.exists(&cube))?;
    let mut restrict = Restrict { space, known: FxHashMap::default() };
    Ok(match restrict.walk(set, &care)? {
        Some(simpler) if simpler.node_count() < set.node_count() => simpler,
        _ => set.clone(),
    })
}

struct Restrict<'s, F: Diagram> {
    space: &'s Space<F>,
    known: FxHashMap<(F, F), F>,
}

impl<F: Diagram> Restrict<'_, F> {
    /// What agrees with a set on `care`, which is not empty; nothing if that takes too long.
    fn walk(&mut self, set: &F, care: &F) -> Result<Option<F>, SymbolicError> {
        let space = self.space;
        let Some((one, zero)) = set.cofactors() else { return Ok(Some(set.clone())) };
        let Some((in_one, in_zero)) = care.cofactors() else { return Ok(Some(set.clone())) };
        let key = (set.clone(), care.clone());
        if let Some(known) = self.known.get(&key) {
            return Ok(Some(known.clone()));
        }
        if self.known.len() > MOST_PAIRS {
            return Ok(None);
        }
        let (level, level_of_care) = (set.root_level(), care.root_level());
        let found = if level_of_care < level {
            self.walk(set, &space.or(&in_one, &in_zero)?)?
        } else {
            let same = level == level_of_care;
            let (in_one, in_zero) = if same { (in_one, in_zero) } else { (care.clone(), care.clone()) };
            if in_one == *space.none() {
                self.walk(&zero, &in_zero)?
            } else if in_zero == *space.none() {
                self.walk(&one, &in_one)?
            } else {
                match (self.walk(&one, &in_one)?, self.walk(&zero, &in_zero)?) {
                    (Some(one), Some(zero)) => {
                        let bit = space.bit(level.expect("it has cofactors"))?;
                        Some(space.attempt(|| bit.ite(&one, &zero))?)
                    }
                    _ => None,
                }
            }
        };
        if let Some(found) = &found {
            self.known.insert(key, found.clone());
        }
        Ok(found)
    }
}
