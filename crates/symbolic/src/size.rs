//! How large a set is as a diagram.

use crate::count::{Group, Groups};
use crate::diagram::Diagram;
use crate::error::SymbolicError;
use crate::space::Space;

impl<F: Diagram> Space<F> {
    /// The nodes of a set's diagram, the terminal node included.
    pub fn nodes_of(&self, set: &F) -> usize {
        set.node_count()
    }

    /// The number of bit strings in a set. A state with don't-care bits has several; the literature counts
    /// them.
    pub fn count_codes(&self, set: &F) -> Result<u128, SymbolicError> {
        let levels = self.order().iter().flat_map(|&var| self.place(var).levels.iter().copied());
        let bit = |level| Group {
            levels: vec![level],
            words: vec![Box::new([Some(false)]), Box::new([Some(true)])],
        };
        set.count_groups(&Groups::new(levels.map(bit).collect())).ok_or(SymbolicError::CountOverflow)
    }
}
