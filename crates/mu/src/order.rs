//! The order of a system's variables.

use crate::force::by_force;
use crate::neighbours::by_neighbours;
use winset_model::{System, VarId};
use winset_symbolic::{Order, SymbolicError, order_by_names};

/// A protocol, a circuit or a program has so few relations; a game may have more.
const FEW: usize = 2048;

/// The variables from the root of the diagrams down. A system has no board, so that only lists, the order of
/// the declarations and the one found from the relations make sense.
pub fn system_order(system: &System, order: &Order) -> Result<Vec<VarId>, SymbolicError> {
    match order {
        Order::Auto => Ok(default_order(system)),
        Order::Model => Ok((0..system.variables.len() as u32).map(VarId).collect()),
        Order::List(names) => order_by_names(&system.variables, names),
        named => Err(SymbolicError::OrderNeedsBoard(format!("{named:?}").to_lowercase())),
    }
}

/// An order for a system that comes with none: variables that occur in one relation stand together.
/// Starting from the variable that is written most rarely, always the one that shares most relations with
/// those already placed follows.
/// Where there are few relations, these are large, and it is looked at what their conjuncts speak of instead.
pub fn default_order(system: &System) -> Vec<VarId> {
    let order = by_neighbours(system);
    let better = if system.relations.len() <= FEW { by_force(system, &order) } else { None };
    better.unwrap_or(order)
}
