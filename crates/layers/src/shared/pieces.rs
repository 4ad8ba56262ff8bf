//! Layers cut by first digits, and put together again.

use crate::error::LayersError;
use crate::sets::layer::{Kind, Layer, Part};
use crate::sets::set::{EMPTY, Level, Node};
use crate::shared::bytes::{
    Bytes, NONSENSE, get_levels, get_node, pressed, put, put_levels, put_node, unpressed,
};
use crate::shared::owners::{Key, Keys};
use crate::shared::record::LayerRecord;
use std::ops::Range;
use winset_index::Digit;
use winset_model::{Code, Player};

/// One of a layer's sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Slot {
    /// The states that have a place.
    Placed,
    /// The states of a player that are not terminal.
    Moving(Player, Kind),
    /// Terminal states with a place.
    Ended(Code),
}

/// Some states of a layer's sets.
pub struct Piece {
    /// The diagrams of all sets.
    pub levels: Vec<Level>,
    /// The sets, as far as they have states here.
    pub slots: Vec<(Slot, Node)>,
}

impl Piece {
    /// No states.
    pub fn empty(levels: usize) -> Self {
        Piece { levels: vec![Level::default(); levels], slots: vec![] }
    }

    /// The states with keys of a run.
    pub fn cut(levels: &[Level], slots: &[(Slot, Node)], keys: &Keys, run: Range<Key>) -> Self {
        let mut cutter = Cutter::new(levels, keys, run);
        let slots = slots.iter().map(|&(slot, root)| (slot, cutter.cut(0, root, 0, keys.end())));
        let slots = slots.filter(|&(_, root)| root != EMPTY).collect();
        Piece { levels: cutter.to, slots }
    }

    /// The sets of a layer.
    pub fn slots_of(layer: &Layer) -> Vec<(Slot, Node)> {
        let placed = layer.root.map(|root| (Slot::Placed, root));
        let moving = layer.parts.iter().map(|part| (Slot::Moving(part.player, part.kind), part.root));
        let ended = layer.ended.iter().map(|&(code, root)| (Slot::Ended(code), root));
        placed.into_iter().chain(moving).chain(ended).collect()
    }

    /// The first set of this kind.
    pub fn root(&self, slot: Slot) -> Node {
        self.slots.iter().find(|(other, _)| *other == slot).map_or(EMPTY, |&(_, root)| root)
    }

    /// Only the states that have a place.
    pub fn placed(self, keys: &Keys) -> Self {
        let root = self.root(Slot::Placed);
        if self.slots.iter().all(|&(_, other)| other == root) {
            return Piece {
                slots: self.slots.into_iter().filter(|(slot, _)| *slot == Slot::Placed).collect(),
                ..self
            };
        }
        Piece::cut(&self.levels, &[(Slot::Placed, root)], keys, 0..keys.end())
    }

    /// The piece as bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, LayersError> {
        let mut out = vec![];
        put_levels(&mut out, &self.levels);
        put(&mut out, self.slots.len() as u64);
        for &(slot, root) in &self.slots {
            let [a, b, c] = match slot {
                Slot::Placed => [0, 0, 0],
                Slot::Moving(player, kind) => [1, player.index() as u64, kind.number()],
                Slot::Ended(code) => [2, code.into(), 0],
            };
            [a, b, c].into_iter().for_each(|n| put(&mut out, n));
            put_node(&mut out, root);
        }
        pressed(&out)
    }

    /// The piece that was written as these bytes, over blocks with n digits.
    pub fn from_bytes(bytes: &[u8], digits: &[usize], room: Option<u64>) -> Result<Self, LayersError> {
        let raw = unpressed(bytes, room)?;
        let mut bytes = Bytes(&raw);
        let levels = get_levels(&mut bytes, digits)?;
        let mut slots = vec![];
        for _ in 0..bytes.len()? {
            let [a, b, c] = [bytes.get()?, bytes.get()?, bytes.get()?];
            let slot = match a {
                0 => Slot::Placed,
                1 => Slot::Moving(
                    Player(u8::try_from(b).map_err(|_| NONSENSE)?),
                    Kind::of_number(c).ok_or(NONSENSE)?,
                ),
                _ => Slot::Ended(Code::try_from(b).map_err(|_| NONSENSE)?),
            };
            slots.push((slot, get_node(&mut bytes, &levels)?));
        }
        Ok(Piece { levels, slots })
    }

    /// All states of pieces of the same layer with keys of a run; no key is in two pieces. Nodes that pieces have in
    /// common stay there several times.
    pub fn join(
        mut pieces: Vec<Piece>,
        levels: usize,
        keys: &Keys,
        run: Range<Key>,
    ) -> Result<Self, LayersError> {
        if pieces.len() == 1 && run == (0..keys.end()) {
            return pieces.pop().ok_or(NONSENSE);
        }
        let cut = keys.cut();
        let mut joined = Piece::empty(levels);
        let mut prefixes: Vec<(Slot, Vec<(Key, Node)>)> = vec![];
        for piece in pieces {
            let first = joined.levels.get(cut).map_or(0, Level::nodes) as Node;
            for &(slot, root) in &piece.slots {
                let at = prefixes.iter().position(|(other, _)| *other == slot).unwrap_or(prefixes.len());
                if at == prefixes.len() {
                    prefixes.push((slot, vec![]));
                }
                each_prefix(&piece.levels, keys, 0, root, 0, &mut |key, node| {
                    if run.contains(&key) {
                        prefixes[at].1.push((key, first + node));
                    }
                });
            }
            for k in cut..levels {
                let below = joined.levels.get(k + 1).map_or(0, Level::nodes) as Node;
                let (to, from) = (&mut joined.levels[k], &piece.levels[k]);
                let edges = to.digit.len() as u64;
                if edges + from.digit.len() as u64 > u64::from(u32::MAX / 2) {
                    return Err(LayersError::TooManyEdges);
                }
                to.start.extend(from.start[1..].iter().map(|start| edges as u32 + start));
                to.digit.extend_from_slice(&from.digit);
                to.child.extend(from.child.iter().map(|child| below + child));
            }
        }
        prefixes.sort_by_key(|&(slot, _)| slot);
        for (slot, mut nodes) in prefixes.into_iter().filter(|(_, nodes)| !nodes.is_empty()) {
            nodes.sort_unstable();
            let nodes: Vec<(Vec<Digit>, Node)> =
                nodes.into_iter().map(|(key, node)| (keys.digits(key), node)).collect();
            let root = above(&mut joined.levels, 0, cut, &nodes);
            joined.slots.push((slot, root));
        }
        Ok(joined)
    }

    /// The layer that has just these states, with what all know of the whole layer.
    pub fn layer(self, record: &LayerRecord) -> Layer {
        let mut layer = Layer {
            measure: record.measure,
            levels: self.levels,
            default: record.default,
            default_unclear: record.default_unclear,
            all_leave: record.all_leave,
            ..Layer::default()
        };
        let counts = layer.counts();
        for (slot, root) in self.slots {
            let len = counts[0][root as usize];
            match slot {
                Slot::Placed => (layer.root, layer.len) = (Some(root), len),
                Slot::Moving(player, kind) => layer.parts.push(Part { player, kind, root, len }),
                Slot::Ended(code) => layer.ended.push((code, root)),
            }
        }
        layer
    }
}

/// Names every key below a node, in order, with the node below it.
pub fn each_prefix(
    levels: &[Level],
    keys: &Keys,
    level: usize,
    node: Node,
    key: Key,
    found: &mut impl FnMut(Key, Node),
) {
    if level == keys.cut() {
        return found(key, node);
    }
    for at in levels[level].edges(node) {
        let (digit, child) = (levels[level].digit[at], levels[level].child[at]);
        each_prefix(levels, keys, level + 1, child, keys.below(level, key, digit), found);
    }
}

/// Makes the nodes above those with these first digits, which are in order.
fn above(levels: &mut [Level], level: usize, cut: usize, nodes: &[(Vec<Digit>, Node)]) -> Node {
    if level == cut {
        return nodes[0].1;
    }
    let mut edges = vec![];
    for same in nodes.chunk_by(|a, b| a.0[level] == b.0[level]) {
        edges.push((same[0].0[level], above(levels, level + 1, cut, same)));
    }
    add(&mut levels[level], &edges)
}

/// Adds a node.
fn add(level: &mut Level, edges: &[(Digit, Node)]) -> Node {
    let node = level.nodes() as Node;
    level.digit.extend(edges.iter().map(|edge| edge.0));
    level.child.extend(edges.iter().map(|edge| edge.1));
    level.start.push(level.digit.len() as u32);
    node
}

/// Copies the states with keys of a run, every node once.
struct Cutter<'a> {
    from: &'a [Level],
    to: Vec<Level>,
    copied: Vec<Vec<Node>>,
    keys: &'a Keys,
    run: Range<Key>,
    stack: Vec<(Digit, Node)>,
}

impl<'a> Cutter<'a> {
    fn new(from: &'a [Level], keys: &'a Keys, run: Range<Key>) -> Self {
        let copied = from.iter().map(|level| vec![EMPTY; level.nodes()]).collect();
        Cutter { from, to: vec![Level::default(); from.len()], copied, keys, run, stack: vec![] }
    }

    /// The states below a node whose keys are in the run; below it are the `width` keys from `first` on.
    fn cut(&mut self, level: usize, node: Node, first: Key, width: u64) -> Node {
        let end = first + width;
        if node == EMPTY || first >= self.run.end || end <= self.run.start {
            return EMPTY;
        }
        if self.run.start <= first && end <= self.run.end {
            return self.copy(level, node);
        }
        let width = width / self.keys.radix(level);
        let base = self.stack.len();
        for at in self.from[level].edges(node) {
            let (digit, child) = (self.from[level].digit[at], self.from[level].child[at]);
            let child = self.cut(level + 1, child, first + u64::from(digit) * width, width);
            if child != EMPTY {
                self.stack.push((digit, child));
            }
        }
        if self.stack.len() == base {
            return EMPTY;
        }
        let made = add(&mut self.to[level], &self.stack[base..]);
        self.stack.truncate(base);
        made
    }

    fn copy(&mut self, level: usize, node: Node) -> Node {
        if level == self.from.len() {
            return node;
        }
        let known = self.copied[level][node as usize];
        if known != EMPTY {
            return known;
        }
        let base = self.stack.len();
        for at in self.from[level].edges(node) {
            let child = self.copy(level + 1, self.from[level].child[at]);
            self.stack.push((self.from[level].digit[at], child));
        }
        let made = add(&mut self.to[level], &self.stack[base..]);
        self.stack.truncate(base);
        self.copied[level][node as usize] = made;
        made
    }
}
