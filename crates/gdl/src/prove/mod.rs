//! What holds in every state that can be reached: facts that exclude each other, whose turn it is, clocks.

pub mod clocks;
pub mod formula;
pub mod groups;
pub mod implied;
pub mod induct;
pub mod refute;
pub mod turn;
