//! The whole relation as one diagram over pairs of states, and the exact number of pairs of its parts.

use crate::count::{Group, Groups};
use crate::diagram::Diagram;
use crate::encode::Code;
use crate::error::SymbolicError;
use crate::relation::Part;
use crate::symbolic::Symbolic;
use winset_model::{Value, VarId};

impl<F: Diagram> Symbolic<F> {
    /// All pairs of a state and a successor in one diagram over current and next variables. Search does
    /// not need it; its size is what the literature reports.
    pub fn monolithic(&self) -> Result<F, SymbolicError> {
        let space = &self.space;
        let mut same: Vec<F> = vec![];
        for i in 0..space.variables() {
            let var = VarId(i as u32);
            let mut values = vec![];
            for value in 0..space.place(var).codes.len() as Value {
                values.push(space.and(space.is(var, value), space.next(var, value))?);
            }
            same.push(space.or_all(values)?);
        }
        let mut wholes = vec![];
        for part in &self.parts {
            // The part's own condition first: it is small as long as the frame is not in it.
            let pairs = space.subtract(&part.whole(space)?, &self.stops)?;
            let mut frame = space.all().clone();
            for &var in space.order().iter().rev().filter(|var| !part.writes.contains(var)) {
                frame = space.and(&same[var.index()], &frame)?;
            }
            wholes.push(space.and(&pairs, &frame)?);
        }
        space.or_all(wholes)
    }

    /// The exact number of pairs of states in the union of parts that write the same variables.
    pub fn count_pairs(&self, parts: &[usize]) -> Result<u128, SymbolicError> {
        let space = &self.space;
        let Some(first) = parts.first().map(|&i| &self.parts[i]) else { return Ok(0) };
        let wholes = parts.iter().map(|&i| self.parts[i].whole(space)).collect::<Result<Vec<F>, _>>()?;
        let pairs = space.or_all(wholes)?;
        let groups = Groups::new(space.order().iter().map(|&var| self.pair_group(first, var)).collect());
        pairs.count_groups(&groups).ok_or(SymbolicError::CountOverflow)
    }

    /// The bits of a variable, with those of its next copy if the part writes it.
    fn pair_group(&self, part: &Part<F>, var: VarId) -> Group {
        let place = self.space.place(var);
        if !part.writes.contains(&var) {
            return Group { levels: place.levels.clone(), words: place.codes.clone() };
        }
        let levels = place.levels.iter().flat_map(|&level| [level, level + 1]).collect();
        let join = |before: &Code, after: &Code| -> Code {
            before.iter().zip(after).flat_map(|(&b, &a)| [b, a]).collect()
        };
        let words = place.codes.iter().flat_map(|b| place.codes.iter().map(move |a| join(b, a)));
        Group { levels, words: words.collect() }
    }
}
