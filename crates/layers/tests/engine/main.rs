//! The layer engine against a plain explicit solver and published counts.

mod blocks;
mod boards;
mod forward;
mod leaves;
mod limits;
mod outcomes;
mod published;
mod random;
mod reference;
mod resume;
mod symmetry;
