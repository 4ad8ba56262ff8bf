//! A game solved by several processes, each of which holds a part of every layer.
//!
//! | file | does |
//! |---|---|
//! | `peers.rs` | what is asked of the other processes |
//! | `owners.rs` | who has which first digits |
//! | `bytes.rs` | numbers and diagrams as bytes |
//! | `pieces.rs` | layers cut by first digits and put together again |
//! | `agree.rs` | what the forward pass must agree about |
//! | `record.rs` | what all know of a layer |
//! | `needed.rs` | which states of later layers the moves of a piece lead to |
//! | `member.rs` | one process: layer by layer forward |
//! | `solver.rs` | unit by unit backward |
//! | `by_leaves.rs` | the same where values are kept as leaves |
//!
//! A state's first digits say whose it is. Forward, everybody expands the own states, cuts what is reached by owner and
//! sends it there; what is local to a state (whether the game has ended, who moves) needs nobody else, and what is said
//! of a layer is agreed on. Backward, a piece of a layer is solved from the pieces of later layers that its moves lead to,
//! whoever has solved those. A piece has the states of neighbouring first digits, so that its states follow each other in
//! rank order, and values of pieces are the values of the layer one after the other.

mod agree;
mod by_leaves;
pub(crate) mod bytes;
mod member;
mod needed;
mod owners;
mod peers;
mod pieces;
mod record;
mod solver;

pub use by_leaves::LeafUnit;
pub use member::{Found, Keep, Member};
pub use peers::Peers;
pub use record::{LayerRecord, MoverRecord, PieceRecord};
pub use solver::{SolvedUnit, Solver, Source, UnitValues};

pub(crate) use agree::{Plain, Shared};
