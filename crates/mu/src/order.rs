//! The order of a system's variables.

use crate::neighbours::by_neighbours;
use winset_model::{System, VarId};
use winset_symbolic::{Order, SymbolicError, order_by_names};

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
pub fn default_order(system: &System) -> Vec<VarId> {
    by_neighbours(system)
}
