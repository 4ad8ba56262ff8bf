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

/// The names nearest to a mistyped one, at most three.
pub(crate) fn similar<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut near: Vec<(usize, &str)> = names.map(|other| (distance(name, other), other)).collect();
    near.sort_unstable();
    let bound = name.chars().count() / 2 + 1;
    near.into_iter().filter(|&(d, _)| d <= bound).take(3).map(|(_, other)| other.to_owned()).collect()
}

/// The number of single-character changes between two names.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
