//! Positions that are won leave a set.

use crate::board::{Board, Digit, Line, four_upwards, owns};
use crate::set::{EMPTY, Node, Set};
use rustc_hash::FxHashMap;

/// The set without the positions in which the player has four in a row, and its root.
pub fn without(board: &Board, player: u8, from: &Set, root: Node) -> (Set, Node) {
    let memo = vec![FxHashMap::default(); board.columns];
    let mut removal = Removal { player, lines: board.lines(), from, to: Set::new(board.columns), memo };
    let root = removal.run(0, root, 0);
    (removal.to, root)
}

/// One recursion over all lines at once.
struct Removal<'a> {
    player: u8,
    lines: Vec<Line>,
    from: &'a Set,
    to: Set,
    /// By node, and by the lines that have begun and that every column so far agrees with.
    memo: Vec<FxHashMap<(Node, u64), Node>>,
}

impl Removal<'_> {
    fn run(&mut self, level: usize, node: Node, begun: u64) -> Node {
        if node == EMPTY || level == self.memo.len() {
            return node;
        }
        if let Some(&known) = self.memo[level].get(&(node, begun)) {
            return known;
        }
        let mut kept = Vec::new();
        for (digit, child) in self.from.edges(level, node) {
            if let Some(begun) = self.continued(level, digit, begun) {
                let child = self.run(level + 1, child, begun);
                if child != EMPTY {
                    kept.push((digit, child));
                }
            }
        }
        let result = self.to.node(level, kept);
        self.memo[level].insert((node, begun), result);
        result
    }

    /// The lines that go on through this column; none if one is complete.
    fn continued(&self, level: usize, digit: Digit, begun: u64) -> Option<u64> {
        if four_upwards(digit, self.player) {
            return None;
        }
        let mut on = 0;
        for (i, line) in self.lines.iter().enumerate() {
            let Some(column) = level.checked_sub(line.first).filter(|column| *column < 4) else { continue };
            if (column == 0 || begun >> i & 1 == 1) && owns(digit, line.rows[column], self.player) {
                if column == 3 {
                    return None;
                }
                on |= 1 << i;
            }
        }
        Some(on)
    }
}
