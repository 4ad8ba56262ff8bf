//! Sets of states moved between the current and the next copies of their bits.

use oxidd::{BooleanFunction, HasLevel, Manager, Node};
use oxidd_core::DiagramRules;
use oxidd_core::function::{EdgeOfFunc, INodeOfFunc, OwnEdgeOfFunc};
use oxidd_core::util::{AllocResult, EdgeDropGuard, Ref};
use rustc_hash::FxHashMap;

/// See [`crate::Diagram::shifted`].
pub fn shift<'id, F: BooleanFunction>(
    manager: &F::Manager<'id>,
    edge: Ref<'_, EdgeOfFunc<'id, F>>,
    moved: &[bool],
) -> AllocResult<OwnEdgeOfFunc<'id, F>>
where
    INodeOfFunc<'id, F>: HasLevel,
{
    Shift::<F> { manager, moved, memo: FxHashMap::default() }.walk(edge)
}

struct Shift<'a, 'id, F: BooleanFunction> {
    manager: &'a F::Manager<'id>,
    moved: &'a [bool],
    memo: FxHashMap<EdgeOfFunc<'id, F>, EdgeDropGuard<'a, F::Manager<'id>>>,
}

impl<'id, F: BooleanFunction> Shift<'_, 'id, F>
where
    INodeOfFunc<'id, F>: HasLevel,
{
    fn walk(&mut self, edge: Ref<'_, EdgeOfFunc<'id, F>>) -> AllocResult<OwnEdgeOfFunc<'id, F>> {
        let manager = self.manager;
        let Node::Inner(node) = manager.get_node(edge) else { return Ok(manager.clone_edge(edge)) };
        if let Some(known) = self.memo.get(&edge.raw()) {
            return Ok(manager.clone_edge(known.borrowed()));
        }
        let level = node.level();
        let (one, zero) = F::cofactors_node(edge.tag(), node);
        let then = EdgeDropGuard::new(manager, self.walk(one)?);
        let other = self.walk(zero)?;
        // The two copies of a bit are neighbours, so that the order stays.
        let level = if self.moved[level as usize] { level ^ 1 } else { level };
        let kids = [then.into_edge(), other];
        let rules =
            <<F::Manager<'id> as Manager>::Rules as DiagramRules<_, _, _>>::reduce(manager, level, kids);
        let made = rules.then_insert(manager, level)?;
        self.memo.insert(edge.raw(), EdgeDropGuard::new(manager, manager.clone_edge(made.borrowed())));
        Ok(made)
    }
}
