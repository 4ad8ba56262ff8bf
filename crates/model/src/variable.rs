//! Finite-domain variables and the states they span.

use std::ops::{Index, IndexMut};

/// A value of a variable: its position in the variable's domain.
pub type Value = u16;

/// A variable, by its position in the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VarId(pub u32);

impl VarId {
    /// The position as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A finite-domain variable: a cell, the turn, a group of mutually exclusive facts.
///
/// A value's name is its text in a state; in games without a board it is the fact itself, and the empty
/// name stands for "none of them".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// The variable's own name.
    pub name: String,
    /// The text of each value, in the order of the values.
    pub values: Vec<String>,
}

impl Variable {
    /// The number of values.
    pub fn size(&self) -> usize {
        self.values.len()
    }
}

/// A value for every variable of a game.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State(pub Box<[Value]>);

impl<const N: usize> From<[Value; N]> for State {
    fn from(values: [Value; N]) -> Self {
        State(Box::new(values))
    }
}

impl Index<VarId> for State {
    type Output = Value;

    fn index(&self, var: VarId) -> &Value {
        &self.0[var.index()]
    }
}

impl IndexMut<VarId> for State {
    fn index_mut(&mut self, var: VarId) -> &mut Value {
        &mut self.0[var.index()]
    }
}
