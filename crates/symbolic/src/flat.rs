//! A diagram as plain arrays, for walks that need neither manager nor cache: rank, unrank, enumeration.

use oxidd::{BooleanFunction, HasLevel, Manager, Node};
use oxidd_core::function::{EdgeOfFunc, INodeOfFunc};
use oxidd_core::util::{EdgeDropGuard, Ref};
use rustc_hash::{FxBuildHasher, FxHashMap};

/// A node's children for 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlatNode {
    /// The level.
    pub level: u32,
    /// The child for 0.
    pub zero: u32,
    /// The child for 1.
    pub one: u32,
}

/// A plain reduced diagram, complement edges resolved; children come before their parents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flat {
    /// The nodes; the first two are the constants, whose level is below all others.
    pub nodes: Vec<FlatNode>,
    /// The root's position.
    pub root: u32,
}

impl Flat {
    /// The levels of its nodes, some of them several times.
    pub fn levels(&self) -> Vec<u32> {
        self.nodes[2..].iter().map(|node| node.level).collect()
    }
}

/// The constant that contains nothing.
pub const NONE: u32 = 0;
/// The constant that contains everything.
pub const ALL: u32 = 1;

/// See [`crate::Diagram::flatten`].
pub fn flatten<'id, F: BooleanFunction>(
    manager: &F::Manager<'id>,
    edge: Ref<'_, EdgeOfFunc<'id, F>>,
    about: usize,
) -> Flat
where
    INodeOfFunc<'id, F>: HasLevel,
{
    let none = EdgeDropGuard::new(manager, F::f_edge(manager)).borrowed().raw();
    let constant = |at| FlatNode { level: u32::MAX, zero: at, one: at };
    let mut flat = Flat { nodes: vec![constant(NONE), constant(ALL)], root: NONE };
    flat.nodes.reserve(about);
    let mut memo = FxHashMap::with_capacity_and_hasher(about, FxBuildHasher);
    flat.root = visit::<F>(manager, edge, none, &mut flat.nodes, &mut memo);
    flat
}

fn visit<'id, F: BooleanFunction>(
    manager: &F::Manager<'id>,
    edge: Ref<'_, EdgeOfFunc<'id, F>>,
    none: EdgeOfFunc<'id, F>,
    nodes: &mut Vec<FlatNode>,
    memo: &mut FxHashMap<EdgeOfFunc<'id, F>, u32>,
) -> u32
where
    INodeOfFunc<'id, F>: HasLevel,
{
    let Node::Inner(node) = manager.get_node(edge) else {
        return if edge.raw() == none { NONE } else { ALL };
    };
    if let Some(&known) = memo.get(&edge.raw()) {
        return known;
    }
    let (one, zero) = F::cofactors_node(edge.tag(), node);
    let zero = visit::<F>(manager, zero, none, nodes, memo);
    let one = visit::<F>(manager, one, none, nodes, memo);
    nodes.push(FlatNode { level: node.level(), zero, one });
    let at = nodes.len() as u32 - 1;
    memo.insert(edge.raw(), at);
    at
}
