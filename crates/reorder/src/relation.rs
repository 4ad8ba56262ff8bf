//! The transition relation as one diagram over pairs of states, as the papers measure it.

use winset_model::VarId;
use winset_symbolic::{Diagram, Space, Symbolic, SymbolicError};

/// The union of all parts, each with the condition that what it does not write keeps its value, and no
/// transition leaves a stop.
pub fn framed_relation<F: Diagram>(symbolic: &Symbolic<F>) -> Result<F, SymbolicError> {
    let space = &symbolic.space;
    let keeps: Vec<F> =
        (0..space.variables()).map(|i| keeps_value(space, VarId(i as u32))).collect::<Result<_, _>>()?;
    let going_on = space.subtract(space.domain(), &symbolic.stops)?;
    let mut relation = space.none().clone();
    for part in &symbolic.parts {
        let mut pairs = space.and(&part.whole(space)?, &going_on)?;
        for &var in space.order().iter().rev() {
            if !part.writes.contains(&var) {
                pairs = space.and(&pairs, &keeps[var.index()])?;
            }
        }
        relation = space.or(&relation, &pairs)?;
        space.tidy();
    }
    Ok(relation)
}

/// The pairs of states where the variable has the same value in both.
fn keeps_value<F: Diagram>(space: &Space<F>, var: VarId) -> Result<F, SymbolicError> {
    let values = 0..space.place(var).codes.len();
    let same = values.map(|value| space.and(space.is(var, value as u16), space.next(var, value as u16)));
    space.or_all(same.collect::<Result<_, _>>()?)
}
