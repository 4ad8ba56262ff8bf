//! All positions one move further.

use crate::board::{Board, Digit};
use crate::set::{EMPTY, Node, Set};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The successors of a set when this player drops a stone, and their root.
pub fn image(board: &Board, player: u8, from: &Set, root: Node) -> (Set, Node) {
    let levels = board.columns + 1;
    let mut image = Image {
        board,
        player,
        from,
        to: Set::new(board.columns),
        moved: vec![FxHashMap::default(); levels],
        copied: vec![FxHashMap::default(); levels],
        united: vec![FxHashMap::default(); levels],
    };
    let root = image.moved(0, root);
    (image.to, root)
}

/// One recursion: on each level the stone falls here, and what is below is copied, or it falls further down.
struct Image<'a> {
    board: &'a Board,
    player: u8,
    from: &'a Set,
    to: Set,
    moved: Vec<FxHashMap<Node, Node>>,
    copied: Vec<FxHashMap<Node, Node>>,
    united: Vec<FxHashMap<(Node, Node), Node>>,
}

impl Image<'_> {
    /// The successors by moves in this column or in later ones.
    fn moved(&mut self, level: usize, node: Node) -> Node {
        if level == self.board.columns {
            return EMPTY;
        }
        if let Some(&known) = self.moved[level].get(&node) {
            return known;
        }
        let mut edges = BTreeMap::new();
        for (digit, child) in self.from.edges(level, node) {
            let later = self.moved(level + 1, child);
            self.add(level, &mut edges, digit, later);
            if let Some(raised) = self.board.drop(digit, self.player) {
                let rest = self.copied(level + 1, child);
                self.add(level, &mut edges, raised, rest);
            }
        }
        let result = self.to.node(level, edges.into_iter().collect());
        self.moved[level].insert(node, result);
        result
    }

    /// Adds what is below a digit to a node in the making.
    fn add(&mut self, level: usize, edges: &mut BTreeMap<Digit, Node>, digit: Digit, child: Node) {
        if child != EMPTY {
            let other = edges.get(&digit).copied().unwrap_or(EMPTY);
            edges.insert(digit, self.united(level + 1, other, child));
        }
    }

    /// The same positions, among the new nodes.
    fn copied(&mut self, level: usize, node: Node) -> Node {
        if level == self.board.columns {
            return node;
        }
        if let Some(&known) = self.copied[level].get(&node) {
            return known;
        }
        let edges = self.from.edges(level, node);
        let edges = edges.into_iter().map(|(digit, child)| (digit, self.copied(level + 1, child))).collect();
        let result = self.to.node(level, edges);
        self.copied[level].insert(node, result);
        result
    }

    /// The union of two new nodes.
    fn united(&mut self, level: usize, a: Node, b: Node) -> Node {
        if a == b || a == EMPTY {
            return b;
        }
        if b == EMPTY {
            return a;
        }
        let key = (a.min(b), a.max(b));
        if let Some(&known) = self.united[level].get(&key) {
            return known;
        }
        let mut edges: BTreeMap<Digit, Node> = self.to.edges(level, a).into_iter().collect();
        for (digit, child) in self.to.edges(level, b) {
            self.add(level, &mut edges, digit, child);
        }
        let result = self.to.node(level, edges.into_iter().collect());
        self.united[level].insert(key, result);
        result
    }
}
