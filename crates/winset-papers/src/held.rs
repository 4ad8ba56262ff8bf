//! How many bytes are held for the nodes of a diagram, as the allocator counts them.

use crate::error::PapersError;
use crate::setting::Setting;
use oxidd::bcdd::{BCDDFunction, BCDDManagerRef, new_manager};
use oxidd::{BooleanFunction, Function, Manager, ManagerRef};
use std::collections::HashMap;
use winset_symbolic::{Bcdd, Space, SymbolicError};

/// The bytes that a manager takes which has room for this set's nodes and no others, and holds them. None if nobody counts.
pub fn held(setting: &Setting<'_>, space: &Space<Bcdd>, set: &Bcdd) -> Result<Option<u64>, PapersError> {
    let Some(used) = setting.used else { return Ok(None) };
    let bits = space.manager().with_manager_shared(|manager| manager.num_vars());
    // A variable has a node of its own until the end.
    let room = space.nodes_of(set) + bits as usize + 2;
    let before = used();
    let manager = new_manager(room, 1, 1);
    let copy = copied(set, &manager, bits)?;
    manager.with_manager_shared(|manager| manager.gc());
    let bytes = used().saturating_sub(before);
    if copy.node_count() != set.node_count() {
        return Err(PapersError::Disagree("a copied diagram has another number of nodes".to_owned()));
    }
    Ok(Some(bytes))
}

/// The diagram in another manager with the same order.
#[allow(clippy::mutable_key_type, reason = "what a diagram is compared by, its root, does not change")]
fn copied(set: &Bcdd, to: &BCDDManagerRef, bits: u32) -> Result<BCDDFunction, PapersError> {
    let full = || PapersError::Symbolic(SymbolicError::OutOfMemory { budget: 0, advice: 0 });
    let variables: Result<Vec<BCDDFunction>, _> = to.with_manager_exclusive(|manager| {
        let new = manager.add_vars(bits);
        new.map(|variable| BCDDFunction::var(manager, variable)).collect()
    });
    let variables = variables.map_err(|_| full())?;
    let constants = to.with_manager_shared(|manager| [BCDDFunction::f(manager), BCDDFunction::t(manager)]);
    let mut known: HashMap<Bcdd, BCDDFunction> = HashMap::new();
    // From the bottom up, with a list of its own in place of the stack.
    let mut open = vec![set.clone()];
    while let Some(function) = open.pop() {
        if known.contains_key(&function) {
            continue;
        }
        let Some((then, or_else)) = function.cofactors() else {
            let constant = constants[usize::from(function.satisfiable())].clone();
            known.insert(function, constant);
            continue;
        };
        match (known.get(&then), known.get(&or_else)) {
            (Some(high), Some(low)) => {
                let level = function.with_manager_shared(|manager, edge| manager.get_node(edge).level());
                let node = variables[level as usize].ite(high, low).map_err(|_| full())?;
                known.insert(function, node);
            }
            _ => {
                open.push(function);
                open.push(then);
                open.push(or_else);
            }
        }
    }
    Ok(known.remove(set).expect("it was the first"))
}
