//! A relation over a few variables that is applied beside the system's own, as the variables of a tableau change.

use crate::diagram::Diagram;
use crate::error::SymbolicError;
use crate::space::Space;
use oxidd::{BooleanOperator, Subst};
use winset_model::VarId;

/// Pairs of states that differ in some variables only.
pub struct Beside<F: Diagram> {
    pairs: F,
    /// The bits that change, before and after, as a product.
    before: F,
    after: F,
    to_after: Subst<F>,
    to_before: Subst<F>,
}

impl<F: Diagram> Beside<F> {
    /// The relation of the pairs, in which the given variables may change and all others keep their values.
    pub fn new(space: &Space<F>, pairs: F, writes: &[VarId]) -> Result<Self, SymbolicError> {
        let levels: Vec<u32> = writes.iter().flat_map(|&var| space.place(var).levels.clone()).collect();
        let mut copies: [Vec<F>; 2] = [vec![], vec![]];
        for (copy, bits) in copies.iter_mut().enumerate() {
            for level in &levels {
                bits.push(space.bit(level + copy as u32)?);
            }
        }
        let [before, after] = copies;
        let next: Vec<u32> = levels.iter().map(|level| level + 1).collect();
        let (to_after, to_before) = (Subst::new(levels, after.clone()), Subst::new(next, before.clone()));
        let (before, after) = (space.and_all(before)?, space.and_all(after)?);
        Ok(Beside { pairs, before, after, to_after, to_before })
    }

    /// The successors of a set.
    pub fn image(&self, space: &Space<F>, set: &F) -> Result<F, SymbolicError> {
        let after = space.attempt(|| self.pairs.apply_exists(BooleanOperator::And, set, &self.before))?;
        space.attempt(|| after.substitute(&self.to_before))
    }

    /// The states with a successor in a set.
    pub fn preimage(&self, space: &Space<F>, set: &F) -> Result<F, SymbolicError> {
        let renamed = self.renamed(space, set)?;
        space.attempt(|| self.pairs.apply_exists(BooleanOperator::And, &renamed, &self.after))
    }

    /// A set of states said of the values after the change.
    fn renamed(&self, space: &Space<F>, set: &F) -> Result<F, SymbolicError> {
        space.attempt(|| set.substitute(&self.to_after))
    }
}

impl<F: Diagram> Space<F> {
    /// A set said of the values that some variables have after a change, and of those that all others have before.
    pub fn shifted(&self, set: &F, vars: &[VarId]) -> Result<F, SymbolicError> {
        let levels: Vec<u32> = vars.iter().flat_map(|&var| self.place(var).levels.clone()).collect();
        let after = levels.iter().map(|level| self.bit(level + 1)).collect::<Result<Vec<F>, _>>()?;
        let shift = Subst::<F>::new(levels, after);
        self.attempt(|| set.substitute(&shift))
    }

    /// The set with the values of some variables forgotten.
    pub fn forget(&self, set: &F, vars: &[VarId]) -> Result<F, SymbolicError> {
        let mut levels: Vec<u32> = vars.iter().flat_map(|&var| self.place(var).levels.clone()).collect();
        let bits = self.cube(&mut levels)?;
        self.attempt(|| set.exists(&bits))
    }

    /// The states that a function leads into a set: the one bit of each of some variables takes the value of its own.
    pub fn composed(&self, set: &F, vars: &[VarId], values: &[F]) -> Result<F, SymbolicError> {
        let mut levels = vec![];
        let mut bits = vec![];
        for (&var, value) in vars.iter().zip(values) {
            let place = self.place(var);
            levels.push(place.levels[0]);
            let straight = place.codes[1][0] == Some(true);
            bits.push(if straight { value.clone() } else { self.attempt(|| value.not())? });
        }
        let function = Subst::<F>::new(levels, bits);
        self.attempt(|| set.substitute(&function))
    }
}
