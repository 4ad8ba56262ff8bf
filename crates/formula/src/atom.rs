//! Sets of states by name.

use winset_model::{ExprId, System, VarId};

/// A named set of the system, or `true` and `false`, or a variable with the values off/on, 0/1 or
/// false/true meant by its name alone.
pub fn set_named(system: &mut System, name: &str) -> Option<ExprId> {
    match name {
        "true" | "TRUE" => return Some(winset_model::Exprs::TRUE),
        "false" | "FALSE" => return Some(winset_model::Exprs::FALSE),
        _ => {}
    }
    if let Some((_, set)) = system.sets.iter().find(|(other, _)| other == name) {
        return Some(*set);
    }
    let var = system.variables.iter().position(|v| v.name == name)?;
    let values: Vec<&str> = system.variables[var].values.iter().map(String::as_str).collect();
    let boolean = matches!(values[..], ["FALSE", "TRUE"] | ["false", "true"] | ["0", "1"] | ["off", "on"]);
    boolean.then(|| system.exprs.is(VarId(var as u32), 1))
}
