//! How a position looks: what the terminal draws too.

pub use winset_explore::layout::*;

#[cfg(test)]
mod tests;
