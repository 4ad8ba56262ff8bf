//! How large a set is as a diagram.

use crate::diagram::Diagram;
use crate::space::Space;

impl<F: Diagram> Space<F> {
    /// The nodes of a set's diagram, the terminal node included.
    pub fn nodes_of(&self, set: &F) -> usize {
        set.node_count()
    }
}
