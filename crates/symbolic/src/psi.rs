//! Sets of states by a progress measure.

use crate::diagram::Diagram;
use crate::error::SymbolicError;
use crate::space::Space;
use std::collections::BTreeMap;
use winset_model::Value;

/// For every value of the measure that a state can have, the states with it (the thesis's psi).
pub fn by_measure<F: Diagram>(
    space: &Space<F>,
    weights: &[Vec<i64>],
) -> Result<BTreeMap<i64, F>, SymbolicError> {
    let mut sums: BTreeMap<i64, F> = BTreeMap::from([(0, space.all().clone())]);
    for &var in space.order().iter().rev() {
        let mut longer: BTreeMap<i64, Vec<F>> = BTreeMap::new();
        for (value, &weight) in weights[var.index()].iter().enumerate() {
            for (&sum, rest) in &sums {
                let here = space.and(space.is(var, value as Value), rest)?;
                longer.entry(sum + weight).or_default().push(here);
            }
        }
        let joined = longer.into_iter().map(|(sum, sets)| Ok((sum, space.or_all(sets)?)));
        sums = joined.collect::<Result<_, SymbolicError>>()?;
    }
    Ok(sums)
}
