//! Diagrams in the exchange format of the BDD world, DDDMP: what CUDD, OxiDD and others read.

use crate::diagram::Diagram;
use crate::space::Space;
use oxidd_core::{Manager, ManagerRef};
use std::io::{self, Write};
use winset_model::{Variable, visible};

impl<F: Diagram> Space<F> {
    /// Names every bit after its variable: `a1.0` is the first bit of `a1`, `a1.0\'` its next copy.
    pub fn name_bits(&self, variables: &[Variable]) {
        self.manager().with_manager_exclusive(|manager| {
            for (i, variable) in variables.iter().enumerate() {
                let place = self.place(winset_model::VarId(i as u32));
                for (bit, &level) in place.levels.iter().enumerate() {
                    let name: String = visible(&variable.name).split_whitespace().collect();
                    // A name that another bit has already is left out: the numbers still tell them apart.
                    let _ = manager.set_var_name(level, format!("{name}.{bit}"));
                    let _ = manager.set_var_name(level + 1, format!("{name}.{bit}\'"));
                }
            }
        });
    }

    /// Writes sets with their names as one file: text, and nodes that sets share once.
    pub fn write_dddmp(&self, out: &mut dyn Write, title: &str, sets: &[(&F, String)]) -> io::Result<()> {
        F::write_dddmp(self.manager(), out, &visible(title), sets)
    }
}
