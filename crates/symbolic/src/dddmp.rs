//! Diagrams in the exchange format of the BDD world, DDDMP: what CUDD, OxiDD and others read and write.

use crate::diagram::Diagram;
use crate::space::Space;
use oxidd_core::{Manager, ManagerRef};
use oxidd_dump::dddmp::DumpHeader;
use std::io::{self, BufRead, Write};
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

    /// Reads sets with their names from a file whose bits are named after the variables ([`Space::name_bits`] has said
    /// how, before): what [`Space::write_dddmp`] wrote, by whatever program. Other codes than those of states are left
    /// out. Refused if the file has its bits in another order, or others.
    pub fn read_dddmp(&self, input: &mut dyn BufRead) -> io::Result<Vec<(String, F)>> {
        let wrong = |what: String| io::Error::new(io::ErrorKind::InvalidData, what);
        let mut all = vec![];
        input.read_to_end(&mut all)?;
        // Without its end a file may be cut off in the middle of a number.
        if !all.trim_ascii_end().ends_with(b"\n.end") {
            return Err(wrong("it is no DDDMP file, or its end is missing".to_owned()));
        }
        let mut input = all.as_slice();
        let header = DumpHeader::load(&mut input)?;
        let levels = self.manager().with_manager_shared(|manager| manager.num_levels());
        let mut variables = vec![];
        for &bit in header.support_vars() {
            let named = match header.var_names() {
                None => Some(bit).filter(|bit| *bit < levels),
                Some(names) => {
                    let name = names.get(bit as usize).map(String::as_str).unwrap_or_default();
                    self.manager().with_manager_shared(|manager| manager.name_to_var(name))
                }
            };
            let Some(level) = named.filter(|level| level % 2 == 0) else {
                return Err(wrong(format!("its bit number {bit} is none of a state of this game")));
            };
            variables.push(level);
        }
        if !variables.is_sorted_by(|a, b| a < b) {
            return Err(wrong("its bits are in another order: the order can be given".to_owned()));
        }
        let sets = F::read_dddmp(self.manager(), &mut input, &header, &variables)?;
        let name = |number: usize| match header.root_names().and_then(|names| names.get(number)) {
            Some(name) => name.clone(),
            None => number.to_string(),
        };
        let mut named = vec![];
        for (number, set) in sets.iter().enumerate() {
            let states = self.and(set, self.domain()).map_err(|error| io::Error::other(error.to_string()))?;
            named.push((name(number), states));
        }
        Ok(named)
    }
}
