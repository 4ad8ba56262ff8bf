//! GDL as it is written: the reader, rules with their places, what can be told from the text alone.

pub mod check;
pub mod lint;
pub mod nnf;
pub mod parse;
pub mod read;
pub mod symbols;
pub mod tree;
