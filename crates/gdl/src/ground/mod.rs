//! From rules with variables to ground rules: which facts there can be, and what decides them.

pub mod components;
pub mod condense;
pub mod constants;
pub mod core;
pub mod demand;
pub mod evaluate;
pub mod explore;
pub mod instances;
pub mod join;
pub mod lower;
pub mod magic;
pub mod relation;
pub mod simulate;
pub mod summary;
pub mod terms;
