//! Relations as matrix diagrams that say nothing about what they leave alone.
//!
//! A node looks at one bit and has four children, by the bit's value before and after the transition. A
//! bit without a node on a path keeps its value. So a move costs nothing where it changes nothing, there
//! is nothing to quantify or to rename, and several moves can share one diagram.

use rustc_hash::FxHashMap;

/// A relation, by its position in the arena.
pub type MxdId = u32;

/// The relation without any transition.
pub const EMPTY: MxdId = 0;
/// Nothing changes from here down.
pub const IDENTITY: MxdId = 1;

/// One bit's four ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MxdNode {
    /// The level of the bit's current copy in the set diagrams.
    pub level: u32,
    /// By value before and after: 00, 01, 10, 11.
    pub kids: [MxdId; 4],
}

/// The arena: every distinct node once; ids are never reused, so they can be keys of caches.
#[derive(Clone, Debug)]
pub struct Mxd {
    nodes: Vec<MxdNode>,
    ids: FxHashMap<MxdNode, MxdId>,
    /// The most nodes that there is memory for, and whether more were wanted.
    most: usize,
    full: bool,
}

impl Default for Mxd {
    fn default() -> Self {
        Self::new(usize::MAX)
    }
}

impl Mxd {
    /// An arena with the two constants, and room for n nodes.
    pub fn new(most: usize) -> Self {
        let constant = |kid| MxdNode { level: u32::MAX, kids: [kid; 4] };
        let nodes = vec![constant(EMPTY), constant(IDENTITY)];
        Mxd { nodes, ids: FxHashMap::default(), most, full: false }
    }

    /// More nodes were wanted than there is room for: what was made since is worthless.
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// The node behind an id; the constants have the level below all others.
    pub fn node(&self, id: MxdId) -> MxdNode {
        self.nodes[id as usize]
    }

    /// The number of nodes of all relations.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never: the constants are always there.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The node with these children, or the child itself where the bit keeps its value whatever it is.
    pub fn make(&mut self, level: u32, kids: [MxdId; 4]) -> MxdId {
        if kids[0] == kids[3] && kids[1] == EMPTY && kids[2] == EMPTY {
            return kids[0];
        }
        let node = MxdNode { level, kids };
        if self.nodes.len() >= self.most && !self.ids.contains_key(&node) {
            self.full = true;
            return EMPTY;
        }
        *self.ids.entry(node).or_insert_with(|| {
            self.nodes.push(node);
            self.nodes.len() as MxdId - 1
        })
    }

    /// The children at a level at or above the node's own.
    pub fn kids_at(&self, id: MxdId, level: u32) -> [MxdId; 4] {
        let node = self.node(id);
        if node.level == level { node.kids } else { [id, EMPTY, EMPTY, id] }
    }

    /// The transitions of either.
    pub fn union(&mut self, a: MxdId, b: MxdId) -> MxdId {
        self.union_memo(a, b, &mut FxHashMap::default())
    }

    fn union_memo(&mut self, a: MxdId, b: MxdId, memo: &mut FxHashMap<(MxdId, MxdId), MxdId>) -> MxdId {
        if a == b || b == EMPTY {
            return a;
        }
        if a == EMPTY {
            return b;
        }
        let key = (a.min(b), a.max(b));
        if let Some(&known) = memo.get(&key) {
            return known;
        }
        let level = self.node(a).level.min(self.node(b).level);
        let (x, y) = (self.kids_at(a, level), self.kids_at(b, level));
        let mut kids = [EMPTY; 4];
        for (i, kid) in kids.iter_mut().enumerate() {
            *kid = self.union_memo(x[i], y[i], memo);
        }
        let id = self.make(level, kids);
        memo.insert(key, id);
        id
    }

    /// The number of nodes of one relation, without the constants.
    pub fn size(&self, root: MxdId) -> usize {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            if id > IDENTITY && seen.insert(id) {
                stack.extend(self.node(id).kids);
            }
        }
        seen.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identity_takes_no_nodes_and_union_is_shared() {
        let mut mxd = Mxd::default();
        assert_eq!(mxd.make(4, [IDENTITY, EMPTY, EMPTY, IDENTITY]), IDENTITY);
        let set = mxd.make(4, [EMPTY, IDENTITY, EMPTY, EMPTY]);
        let clear = mxd.make(2, [EMPTY, EMPTY, IDENTITY, EMPTY]);
        let both = mxd.union(set, clear);
        assert_eq!(both, mxd.union(clear, set));
        assert_eq!(mxd.union(both, set), both);
        assert_eq!(mxd.node(both), MxdNode { level: 2, kids: [set, EMPTY, IDENTITY, set] });
        assert_eq!(mxd.size(both), 2);
    }

    #[test]
    fn a_full_arena_says_so() {
        let mut mxd = Mxd::new(3);
        let set = mxd.make(4, [EMPTY, IDENTITY, EMPTY, EMPTY]);
        assert_eq!(mxd.make(4, [EMPTY, IDENTITY, EMPTY, EMPTY]), set);
        assert!(!mxd.is_full());
        mxd.make(2, [EMPTY, EMPTY, IDENTITY, EMPTY]);
        assert!(mxd.is_full() && mxd.len() == 3);
    }
}
