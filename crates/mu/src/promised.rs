//! A system that runs together with the tableau of a formula over linear time.
//!
//! A step of the product is three, each over variables of its own: first what the tableau remembers is brought up to
//! date, then the system makes its transition, then new promises are made such that the old ones are kept. So the
//! system's relation is used as it is, and the tableau's is never joined with it.

use winset_formula::Tableau;
use winset_model::VarId;
use winset_symbolic::{Beside, Compiler, Diagram, Symbolic, SymbolicError, Which};

/// The steps of a tableau.
pub(crate) struct Promised<F: Diagram> {
    /// Old promises are kept by what holds now.
    keeping: Option<Beside<F>>,
    /// What held before is remembered.
    remembering: Option<Beside<F>>,
    /// Where nothing is remembered yet.
    pub fresh: F,
}

impl<F: Diagram> Promised<F> {
    pub fn new(
        symbolic: &Symbolic<F>,
        compiler: &mut Compiler<'_, F>,
        tableau: &Tableau,
    ) -> Result<Self, SymbolicError> {
        let space = &symbolic.space;
        let mut fresh = space.all().clone();
        let promises: Vec<VarId> = tableau.promises.iter().map(|&(var, _)| var).collect();
        let mut pairs = space.all().clone();
        for &(var, set) in tableau.promises.iter().rev() {
            let kept = space.shifted(&compiler.compile(set)?, &promises)?;
            let promise = space.is(var, 1);
            let equal = space.attempt(|| promise.equiv(&kept))?;
            pairs = space.and(&pairs, &equal)?;
        }
        let keeping = if promises.is_empty() { None } else { Some(Beside::new(space, pairs, &promises)?) };
        let memories: Vec<VarId> = tableau.memories.iter().map(|&(var, _)| var).collect();
        let mut pairs = space.all().clone();
        for &(var, set) in tableau.memories.iter().rev() {
            let (held, memory) = (compiler.compile(set)?, space.next(var, 1));
            let equal = space.attempt(|| memory.equiv(&held))?;
            pairs = space.and(&pairs, &equal)?;
            fresh = space.and(&fresh, space.is(var, 0))?;
        }
        let remembering =
            if memories.is_empty() { None } else { Some(Beside::new(space, pairs, &memories)?) };
        Ok(Promised { keeping, remembering, fresh })
    }

    /// The states of `going_on` with a successor in a set.
    pub fn preimage(&self, symbolic: &Symbolic<F>, set: &F, going_on: &F) -> Result<F, SymbolicError> {
        let space = &symbolic.space;
        let before = match &self.keeping {
            Some(keeping) => keeping.preimage(space, set)?,
            None => set.clone(),
        };
        match &self.remembering {
            Some(remembering) => {
                // What is remembered changes first, so that only where the system is can narrow its step down.
                let care = remembering.image(space, going_on)?;
                let before = symbolic.preimage_within(&before, &care, Which::default())?;
                space.and(&remembering.preimage(space, &before)?, going_on)
            }
            None => symbolic.preimage_within(&before, going_on, Which::default()),
        }
    }

    /// The successors of a set.
    pub fn image(&self, symbolic: &Symbolic<F>, set: &F) -> Result<F, SymbolicError> {
        let space = &symbolic.space;
        let going_on = space.subtract(set, &symbolic.stops)?;
        let remembered = match &self.remembering {
            Some(remembering) => remembering.image(space, &going_on)?,
            None => going_on,
        };
        let next = symbolic.image_of_going_on(&remembered, Which::default())?;
        match &self.keeping {
            Some(keeping) => keeping.image(space, &next),
            None => Ok(next),
        }
    }
}
