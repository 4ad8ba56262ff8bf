//! Image and preimage in one traversal each, on the diagram library's own nodes and cache.
//!
//! The relation is a matrix diagram ([`crate::mxd`]), so quantification, renaming and the union over the
//! quantified bit happen on the way up. Cache entries are keyed by the set's edges and the relation's id.

use crate::mxd::{EMPTY, IDENTITY, Mxd, MxdId};
use oxidd::{BooleanFunction, HasLevel, Manager, Node};
use oxidd_core::function::{EdgeOfFunc, INodeOfFunc, OwnEdgeOfFunc};
use oxidd_core::util::{AllocResult, EdgeDropGuard, Own, Ref};
use oxidd_core::{ApplyCache, DiagramRules, HasApplyCache, LevelNo};

/// The operators under which results are cached.
#[derive(Clone, Copy)]
pub struct Ops<O> {
    pub image: O,
    pub preimage: O,
}

/// The node with these children, then-child first, reduced.
#[inline(always)]
fn make<M: Manager>(
    manager: &M,
    level: LevelNo,
    then: Own<M::Edge>,
    other: Own<M::Edge>,
) -> AllocResult<Own<M::Edge>> {
    <M::Rules as DiagramRules<_, _, _>>::reduce(manager, level, [then, other]).then_insert(manager, level)
}

/// The cofactors (1, 0) at a level at or above the edge's own.
#[inline(always)]
fn cofactors<'a, 'id, F: BooleanFunction>(
    manager: &'a F::Manager<'id>,
    edge: Ref<'a, EdgeOfFunc<'id, F>>,
    level: LevelNo,
) -> (Ref<'a, EdgeOfFunc<'id, F>>, Ref<'a, EdgeOfFunc<'id, F>>)
where
    INodeOfFunc<'id, F>: HasLevel,
{
    match manager.get_node(edge) {
        Node::Inner(node) if node.level() == level => F::cofactors_node(edge.tag(), node),
        _ => (edge, edge),
    }
}

#[inline(always)]
fn level_of<'id, F: BooleanFunction>(manager: &F::Manager<'id>, edge: Ref<'_, EdgeOfFunc<'id, F>>) -> LevelNo
where
    INodeOfFunc<'id, F>: HasLevel,
{
    match manager.get_node(edge) {
        Node::Inner(node) => node.level(),
        Node::Terminal(_) => LevelNo::MAX,
    }
}

/// What stays the same through one traversal.
struct Walk<'a, 'id, F: BooleanFunction, O> {
    manager: &'a F::Manager<'id>,
    ops: Ops<O>,
    mxd: &'a Mxd,
    none: EdgeOfFunc<'id, F>,
    all: EdgeOfFunc<'id, F>,
}

impl<'a, 'id, F: BooleanFunction, O> Walk<'a, 'id, F, O> {
    fn new(manager: &'a F::Manager<'id>, ops: Ops<O>, mxd: &'a Mxd) -> Self {
        let none = EdgeDropGuard::new(manager, F::f_edge(manager)).borrowed().raw();
        let all = EdgeDropGuard::new(manager, F::t_edge(manager)).borrowed().raw();
        Walk { manager, ops, mxd, none, all }
    }

    #[inline]
    fn none(&self) -> OwnEdgeOfFunc<'id, F> {
        F::f_edge(self.manager)
    }

    #[inline]
    fn guard(&self, edge: OwnEdgeOfFunc<'id, F>) -> EdgeDropGuard<'a, F::Manager<'id>> {
        EdgeDropGuard::new(self.manager, edge)
    }
}

/// See [`crate::Diagram::image_under`].
pub fn image<'id, F, O>(
    manager: &F::Manager<'id>,
    ops: Ops<O>,
    mxd: &Mxd,
    set: Ref<'_, EdgeOfFunc<'id, F>>,
    relation: MxdId,
) -> AllocResult<OwnEdgeOfFunc<'id, F>>
where
    F: BooleanFunction,
    F::Manager<'id>: HasApplyCache<F::Manager<'id>, O>,
    INodeOfFunc<'id, F>: HasLevel,
    O: Copy,
{
    Walk::<F, O>::new(manager, ops, mxd).image(set, relation)
}

/// See [`crate::Diagram::preimage_under`].
pub fn preimage<'id, F, O>(
    manager: &F::Manager<'id>,
    ops: Ops<O>,
    mxd: &Mxd,
    set: Ref<'_, EdgeOfFunc<'id, F>>,
    relation: MxdId,
    care: Ref<'_, EdgeOfFunc<'id, F>>,
) -> AllocResult<OwnEdgeOfFunc<'id, F>>
where
    F: BooleanFunction,
    F::Manager<'id>: HasApplyCache<F::Manager<'id>, O>,
    INodeOfFunc<'id, F>: HasLevel,
    O: Copy,
{
    Walk::<F, O>::new(manager, ops, mxd).preimage(set, relation, care)
}

impl<'a, 'id, F, O> Walk<'a, 'id, F, O>
where
    F: BooleanFunction,
    F::Manager<'id>: HasApplyCache<F::Manager<'id>, O>,
    INodeOfFunc<'id, F>: HasLevel,
    O: Copy,
{
    fn image(&self, set: Ref<'_, EdgeOfFunc<'id, F>>, relation: MxdId) -> AllocResult<OwnEdgeOfFunc<'id, F>> {
        let manager = self.manager;
        if relation == EMPTY || set.raw() == self.none {
            return Ok(self.none());
        }
        if relation == IDENTITY {
            return Ok(manager.clone_edge(set));
        }
        let cache = manager.apply_cache();
        let key: (&[Ref<'_, EdgeOfFunc<'id, F>>], &[u32]) = (&[set], &[relation]);
        if let Some(([known], [])) = cache.get_extended(manager, self.ops.image, key) {
            return Ok(known);
        }
        let node = self.mxd.node(relation);
        let level = level_of::<F>(manager, set);
        let result = if level < node.level {
            let (one, zero) = cofactors::<F>(manager, set, level);
            let then = self.guard(self.image(one, relation)?);
            let other = self.image(zero, relation)?;
            make(manager, level, then.into_edge(), other)?
        } else {
            let (one, zero) = cofactors::<F>(manager, set, node.level);
            let then = self.guard(self.image_either((zero, node.kids[1]), (one, node.kids[3]))?);
            let other = self.image_either((zero, node.kids[0]), (one, node.kids[2]))?;
            make(manager, node.level, then.into_edge(), other)?
        };
        cache.add_extended(manager, self.ops.image, key, (&[result.borrowed()], &[]));
        Ok(result)
    }

    #[inline]
    fn image_either(
        &self,
        a: (Ref<'_, EdgeOfFunc<'id, F>>, MxdId),
        b: (Ref<'_, EdgeOfFunc<'id, F>>, MxdId),
    ) -> AllocResult<OwnEdgeOfFunc<'id, F>> {
        if a.1 == EMPTY {
            return self.image(b.0, b.1);
        }
        let first = self.guard(self.image(a.0, a.1)?);
        if b.1 == EMPTY || first.borrowed().raw() == self.all {
            return Ok(first.into_edge());
        }
        let second = self.guard(self.image(b.0, b.1)?);
        self.or(first, second)
    }

    fn preimage(
        &self,
        set: Ref<'_, EdgeOfFunc<'id, F>>,
        relation: MxdId,
        care: Ref<'_, EdgeOfFunc<'id, F>>,
    ) -> AllocResult<OwnEdgeOfFunc<'id, F>> {
        let manager = self.manager;
        if relation == EMPTY || set.raw() == self.none || care.raw() == self.none {
            return Ok(self.none());
        }
        if relation == IDENTITY {
            return F::and_edge(manager, set, care);
        }
        let cache = manager.apply_cache();
        let key: (&[Ref<'_, EdgeOfFunc<'id, F>>], &[u32]) = (&[set, care], &[relation]);
        if let Some(([known], [])) = cache.get_extended(manager, self.ops.preimage, key) {
            return Ok(known);
        }
        let node = self.mxd.node(relation);
        let level = level_of::<F>(manager, set).min(level_of::<F>(manager, care));
        let result = if level < node.level {
            let (one, zero) = cofactors::<F>(manager, set, level);
            let (care_one, care_zero) = cofactors::<F>(manager, care, level);
            let then = self.guard(self.preimage(one, relation, care_one)?);
            let other = self.preimage(zero, relation, care_zero)?;
            make(manager, level, then.into_edge(), other)?
        } else {
            let (one, zero) = cofactors::<F>(manager, set, node.level);
            let (care_one, care_zero) = cofactors::<F>(manager, care, node.level);
            let kids = node.kids;
            let then = self.guard(self.preimage_either((zero, kids[2]), (one, kids[3]), care_one)?);
            let other = self.preimage_either((zero, kids[0]), (one, kids[1]), care_zero)?;
            make(manager, node.level, then.into_edge(), other)?
        };
        cache.add_extended(manager, self.ops.preimage, key, (&[result.borrowed()], &[]));
        Ok(result)
    }

    #[inline]
    fn preimage_either(
        &self,
        a: (Ref<'_, EdgeOfFunc<'id, F>>, MxdId),
        b: (Ref<'_, EdgeOfFunc<'id, F>>, MxdId),
        care: Ref<'_, EdgeOfFunc<'id, F>>,
    ) -> AllocResult<OwnEdgeOfFunc<'id, F>> {
        if a.1 == EMPTY {
            return self.preimage(b.0, b.1, care);
        }
        let first = self.guard(self.preimage(a.0, a.1, care)?);
        if b.1 == EMPTY || first.borrowed() == care {
            return Ok(first.into_edge());
        }
        let second = self.guard(self.preimage(b.0, b.1, care)?);
        self.or(first, second)
    }

    #[inline]
    fn or(
        &self,
        a: EdgeDropGuard<'a, F::Manager<'id>>,
        b: EdgeDropGuard<'a, F::Manager<'id>>,
    ) -> AllocResult<OwnEdgeOfFunc<'id, F>> {
        if a.borrowed().raw() == self.none {
            return Ok(b.into_edge());
        }
        if b.borrowed().raw() == self.none {
            return Ok(a.into_edge());
        }
        F::or_edge(self.manager, a.borrowed(), b.borrowed())
    }
}
