//! The frozen index: a set of states as a perfect hash.
//!
//! A state is cut into [`Blocks`], each block's contents is one digit. A set of states is a levelled
//! diagram with one level per block, frozen into arrays with the number of states before every edge:
//! [`Index::rank`] numbers the states of the set from 0 in the order of their digits, and
//! [`Index::unrank`] is its inverse. Values of the states are kept beside it in rank order ([`Planes`]), or as a diagram
//! ([`ValueDiagram`]) where there are too many to look at one by one, or as leaves of bits ([`LeafFrame`]).
//!
//! Solvers produce indices, stores keep them, checkers read them; none of them needs to know the others.
//!
//! ```
//! use winset_index::{Index, Planes};
//! let strings: [&[u16]; 3] = [&[0, 2], &[1, 0], &[1, 2]];
//! let index = Index::from_sorted(2, strings);
//! assert_eq!(index.rank(&[1, 0]), Some(1));
//! assert_eq!(index.rank(&[0, 0]), None);
//! assert_eq!(index.unrank(2), Some(vec![1, 2]));
//! let mut values = Planes::new(index.len(), 2);
//! values.set(1, 3);
//! assert_eq!(values.get(1), 3);
//! ```

mod blocks;
mod index;
mod leaves;
mod planes;
mod values;

pub use blocks::{Block, Blocks, BlocksError, Digit};
pub use index::{Index, IndexBuilder, IndexError, Level};
pub use leaves::{
    Leaf, LeafError, LeafFrame, LeafNodes, LeafPart, LeafReader, LeafRun, LeafSource, LeafValues, Leaves,
    MirrorLevel,
};
pub use planes::Planes;
pub use values::{ValueDiagram, ValueDiagramBuilder, ValueNodes, ValueRef, leaf};
