//! What goes where.

use winset_model::{State, Value, VarId};

/// Where every variable goes, and what its values become there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symmetry {
    /// The variable that each variable becomes; every variable is one of them.
    pub variables: Vec<VarId>,
    /// For each variable the values that its values become.
    pub values: Vec<Vec<Value>>,
}

impl Symmetry {
    /// Everything stays where it is, in variables with n values each.
    pub fn identity(sizes: impl IntoIterator<Item = usize>) -> Self {
        let values: Vec<Vec<Value>> =
            sizes.into_iter().map(|size| (0..size).map(|value| value as Value).collect()).collect();
        Symmetry { variables: (0..values.len()).map(|var| VarId(var as u32)).collect(), values }
    }

    /// The image of a state.
    pub fn image(&self, state: &State) -> State {
        let mut image = state.clone();
        for (var, &value) in state.0.iter().enumerate() {
            image.0[self.variables[var].index()] = self.values[var][usize::from(value)];
        }
        image
    }

    /// First the other, then this one.
    pub fn after(&self, other: &Symmetry) -> Symmetry {
        let through = |var: &VarId| self.variables[var.index()];
        let becomes = |(var, values): (&VarId, &Vec<Value>)| {
            values.iter().map(|&value| self.values[var.index()][usize::from(value)]).collect()
        };
        Symmetry {
            variables: other.variables.iter().map(through).collect(),
            values: other.variables.iter().zip(&other.values).map(becomes).collect(),
        }
    }
}
