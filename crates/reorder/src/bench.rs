//! Diagrams copied into a manager whose order may change.

use oxidd::bdd::{BDDFunction, BDDManagerRef, new_manager};
use oxidd::{BooleanFunction, Manager, ManagerRef};
use thiserror::Error;
use winset_model::VarId;
use winset_symbolic::{Diagram, Flat, Space};

/// Why diagrams could not be copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BenchError {
    /// No room for the copies.
    #[error("there is no memory for a copy of the diagrams")]
    OutOfMemory,
}

/// Room for n nodes at least, whatever the size of the diagrams.
const ROOM: usize = 1 << 20;
/// Room for n times the diagrams' size: swapping levels cannot fail gracefully, so it must not fail.
const SPARE: usize = 16;

/// Plain diagrams in a manager of their own, with their variables in groups.
pub struct Bench {
    manager: BDDManagerRef,
    functions: Vec<BDDFunction>,
    /// The bits of each group, from the top.
    groups: Vec<Vec<u32>>,
    variables: Vec<VarId>,
    /// The groups from the root down.
    order: Vec<usize>,
    capacity: usize,
}

impl Bench {
    /// Copies diagrams of a space; a group per variable, its current and next bits together.
    pub fn new<F: Diagram>(space: &Space<F>, functions: &[F]) -> Result<Bench, BenchError> {
        let variables: Vec<VarId> = space.order().to_vec();
        let bits = |var: &VarId| space.place(*var).levels.iter().flat_map(|&l| [l, l + 1]).collect();
        let groups: Vec<Vec<u32>> = variables.iter().map(bits).collect();
        let flats: Vec<Flat> = functions.iter().map(Diagram::flatten).collect();
        let size: usize = flats.iter().map(|flat| flat.nodes.len()).sum();
        let capacity = ROOM.max(SPARE * size);
        let manager = new_manager(capacity, (capacity / 16).max(1 << 12), 1);
        let levels = groups.iter().map(Vec::len).sum::<usize>() as u32;
        manager.with_manager_exclusive(|manager| manager.add_vars(levels));
        let functions = flats.iter().map(|flat| copy(&manager, flat)).collect::<Result<_, _>>()?;
        let order = (0..groups.len()).collect();
        Ok(Bench { manager, functions, groups, variables, order, capacity })
    }

    /// The number of groups.
    pub fn groups(&self) -> usize {
        self.groups.len()
    }

    /// The groups' variables from the root down.
    pub fn order(&self) -> Vec<VarId> {
        self.order.iter().map(|&group| self.variables[group]).collect()
    }

    /// The groups from the root down, by their first places.
    pub fn positions(&self) -> &[usize] {
        &self.order
    }

    /// The number of nodes of all diagrams together.
    pub fn size(&self) -> usize {
        self.manager.with_manager_shared(|manager| {
            manager.gc();
            manager.num_inner_nodes()
        })
    }

    /// The number of nodes of one diagram.
    pub fn size_of(&self, function: usize) -> usize {
        oxidd::Function::node_count(&self.functions[function])
    }

    /// The number of nodes of the largest diagram; none as soon as one has more than `limit`.
    pub fn largest_within(&self, limit: usize) -> Option<usize> {
        let mut largest = 0;
        for function in 0..self.functions.len() {
            largest = largest.max(self.size_of(function));
            if largest > limit {
                return None;
            }
        }
        Some(largest)
    }

    /// The number of nodes at the levels of a group.
    pub fn weight(&self, group: usize) -> usize {
        self.manager.with_manager_shared(|manager| {
            let at = |&var: &u32| {
                let level = manager.var_to_level(var);
                oxidd_core::LevelView::len(&manager.level(level))
            };
            self.groups[group].iter().map(at).sum()
        })
    }

    /// Puts the groups into a new order.
    pub fn set_order(&mut self, order: &[usize]) {
        let bits: Vec<u32> = order.iter().flat_map(|&group| self.groups[group].iter().copied()).collect();
        self.manager.with_manager_exclusive(|manager| oxidd_reorder::set_var_order_seq(manager, &bits));
        self.order = order.to_vec();
    }

    /// Whether there is room enough to move a group without running out of memory.
    pub(crate) fn has_room(&self, size: usize) -> bool {
        size * 4 < self.capacity
    }
}

fn copy(manager: &BDDManagerRef, flat: &Flat) -> Result<BDDFunction, BenchError> {
    manager.with_manager_shared(|manager| {
        let mut done = vec![BDDFunction::f(manager), BDDFunction::t(manager)];
        for node in &flat.nodes[2..] {
            let var = BDDFunction::var(manager, node.level).map_err(|_| BenchError::OutOfMemory)?;
            let (zero, one) = (&done[node.zero as usize], &done[node.one as usize]);
            done.push(var.ite(one, zero).map_err(|_| BenchError::OutOfMemory)?);
        }
        Ok(done[flat.root as usize].clone())
    })
}
