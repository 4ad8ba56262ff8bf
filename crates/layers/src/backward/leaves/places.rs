//! Where the states of the last blocks stand as bits.
//!
//! The last blocks together are the *leaf*. Local states of the leaf that occur below the same prefix, in whatever
//! layer, belong to one *class*, and so do those that are linked through others. The class lists its states once, in
//! order; a state's bit is its place in the list. So a move made above the leaf leaves the leaf's bits where they
//! are, and nothing needs to be known about why some states never meet: in Connect Four the classes are the local
//! states with the same numbers of stones.

use crate::error::LayersError;
use crate::sets::layer::Layer;
use crate::sets::set::{EMPTY, Level, Node};
use crate::shared::bytes::{Bytes, NONSENSE, put};
use winset_index::Digit;

/// The most local states that a leaf may have.
const MOST_STATES: usize = 1 << 16;

/// The most states of a class.
pub const WIDEST: usize = 1024;

/// Leaves of the most blocks that are possible are tried, and of up to n fewer.
const FEWER: usize = 2;

/// What a visit of a leaf costs, in words of bits.
const VISIT: f64 = 12.0;

/// Leaves with fewer states are not worth it.
const THIN: f64 = 6.0;

/// Never seen.
const UNSEEN: u32 = u32::MAX;

/// Leaves that might be made, and what has been seen of their states.
pub struct Candidates {
    all: Vec<Candidate>,
    /// The number of states seen.
    states: f64,
}

struct Candidate {
    level: usize,
    /// The number of digits of the leaf's blocks.
    digits: Vec<usize>,
    /// Each state's parent in the tree of its class, the root being its own.
    parent: Vec<u32>,
    /// How often leaves were visited whose first state it is.
    visits: Vec<f64>,
}

impl Candidates {
    /// Nothing seen yet; blocks with n digits.
    pub fn new(digits: &[usize]) -> Self {
        let mut all = vec![];
        for level in (1..digits.len()).rev() {
            let states = digits[level..].iter().fold(1usize, |product, &n| product.saturating_mul(n));
            if states > MOST_STATES {
                break;
            }
            let parent = vec![UNSEEN; states];
            all.push(Candidate {
                level,
                digits: digits[level..].to_vec(),
                parent,
                visits: vec![0.0; states],
            });
        }
        all.reverse();
        all.truncate(1 + FEWER);
        Candidates { all, states: 0.0 }
    }

    /// The first block of the largest leaf, or the number of blocks if there is none: states with the same digits before it
    /// must be looked at together.
    pub fn first_level(&self, blocks: usize) -> usize {
        self.all.first().map_or(blocks, |candidate| candidate.level)
    }

    /// Looks at the states of a layer.
    pub fn add(&mut self, layer: &Layer) {
        let Some(root) = layer.root else { return };
        self.states += layer.len as f64;
        let mut visits = vec![0.0; layer.levels[0].nodes()];
        visits[root as usize] = 1.0;
        for (k, level) in layer.levels.iter().enumerate() {
            if let Some(candidate) = self.all.iter_mut().find(|candidate| candidate.level == k) {
                candidate.add(&layer.levels, &visits);
            }
            let Some(next) = layer.levels.get(k + 1) else { break };
            let mut below = vec![0.0; next.nodes()];
            for (node, &visits) in visits.iter().enumerate().filter(|(_, visits)| **visits > 0.0) {
                level.edges(node as Node).for_each(|at| below[level.child[at] as usize] += visits);
            }
            visits = below;
        }
    }

    /// The number of states seen.
    pub fn states(&self) -> f64 {
        self.states
    }

    /// What was seen, as bytes for other processes.
    pub fn seen(&mut self) -> Vec<u8> {
        let mut out = vec![];
        put(&mut out, self.states as u64);
        for candidate in &mut self.all {
            for state in 0..candidate.parent.len() as u32 {
                if candidate.parent[state as usize] == UNSEEN {
                    put(&mut out, 0);
                    continue;
                }
                put(&mut out, u64::from(candidate.root(state)) + 1);
                // Numbers of visits are whole, so that their sums do not depend on the order.
                put(&mut out, candidate.visits[state as usize] as u64);
            }
        }
        out
    }

    /// Adds what another process has seen.
    pub fn add_bytes(&mut self, bytes: &[u8]) -> Result<(), LayersError> {
        let mut bytes = Bytes(bytes);
        self.states += bytes.get()? as f64;
        for candidate in &mut self.all {
            for state in 0..candidate.parent.len() as u32 {
                let Some(root) = bytes.get()?.checked_sub(1) else { continue };
                if root > u64::from(state) {
                    return Err(NONSENSE);
                }
                candidate.join(state, root as u32);
                candidate.visits[state as usize] += bytes.get()? as f64;
            }
        }
        if bytes.0.is_empty() { Ok(()) } else { Err(NONSENSE) }
    }

    /// The leaves that are worth it, or that are possible at all if they may be `thin`, each with what it costs; the
    /// best first.
    pub fn choose(self, thin: bool) -> Vec<(f64, Places)> {
        let states = self.states;
        let cost = |(places, visits): (Places, Vec<(u32, f64)>)| {
            let all: f64 = visits.iter().map(|&(_, visits)| visits).sum();
            let cost: f64 =
                visits.iter().map(|&(class, visits)| visits * (VISIT + places.words(class) as f64)).sum();
            (thin || all * THIN <= states).then_some((cost, places))
        };
        let found = self.all.into_iter().filter_map(|candidate| cost(candidate.finish()?));
        let mut found: Vec<(f64, Places)> = found.collect();
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        found
    }
}

impl Candidate {
    fn add(&mut self, levels: &[Level], visits: &[f64]) {
        let mut states = vec![];
        for (node, &visits) in visits.iter().enumerate().filter(|(_, visits)| **visits > 0.0) {
            states.clear();
            each_local(levels, self.level, &self.digits, node as Node, 0, &mut |state| states.push(state));
            let Some(&first) = states.first() else { continue };
            self.visits[first as usize] += visits;
            self.root(first);
            for &state in &states[1..] {
                self.join(first, state);
            }
        }
    }

    /// Two states belong together.
    fn join(&mut self, one: u32, other: u32) {
        let (one, other) = (self.root(one), self.root(other));
        // The root is the least.
        self.parent[one.max(other) as usize] = one.min(other);
    }

    fn root(&mut self, state: u32) -> u32 {
        let mut at = state as usize;
        if self.parent[at] == UNSEEN {
            self.parent[at] = state;
        }
        while self.parent[at] as usize != at {
            let above = self.parent[at] as usize;
            self.parent[at] = self.parent[above];
            at = above;
        }
        at as u32
    }

    /// The places, and how often leaves of each class were visited; none if a class is too wide.
    fn finish(mut self) -> Option<(Places, Vec<(u32, f64)>)> {
        let states = self.parent.len();
        let mut places = Places {
            level: self.level,
            digits: self.digits.clone(),
            class: vec![UNSEEN; states],
            place: vec![0; states],
            states: vec![],
            words: vec![],
        };
        let mut visits = vec![];
        for state in 0..states as u32 {
            if self.parent[state as usize] == UNSEEN {
                continue;
            }
            // A root is the least state of its class, so that it comes first.
            let root = self.root(state);
            if root == state {
                places.class[state as usize] = places.states.len() as u32;
                places.states.push(vec![]);
            }
            let class = places.class[root as usize];
            let list = &mut places.states[class as usize];
            places.class[state as usize] = class;
            places.place[state as usize] = list.len() as u16;
            list.push(state);
            if list.len() > WIDEST {
                return None;
            }
            visits.push((class, self.visits[state as usize]));
        }
        places.words = places.states.iter().map(|states| states.len().div_ceil(64)).collect();
        Some((places, visits))
    }
}

/// The local states below a node of a level, in order.
fn each_local(
    levels: &[Level],
    level: usize,
    digits: &[usize],
    node: Node,
    before: u32,
    visit: &mut impl FnMut(u32),
) {
    let here = &levels[level];
    for at in here.edges(node) {
        let state = before * digits[0] as u32 + u32::from(here.digit[at]);
        match digits[1..] {
            [] => visit(state),
            _ => each_local(levels, level + 1, &digits[1..], here.child[at], state, visit),
        }
    }
}

/// The leaf of a game: its classes and every state's place.
pub struct Places {
    /// The first block of the leaf.
    pub level: usize,
    digits: Vec<usize>,
    class: Vec<u32>,
    place: Vec<u16>,
    states: Vec<Vec<u32>>,
    /// The number of words for the bits of each class.
    words: Vec<usize>,
}

/// Sets of leaf states: for each node of the leaf's first level its class and its bits.
pub struct LeafSets {
    class: Vec<u32>,
    start: Vec<u32>,
    bits: Vec<u64>,
}

impl LeafSets {
    /// The class of a node and its states.
    #[inline]
    pub fn get(&self, node: Node) -> (u32, &[u64]) {
        let node = node as usize;
        (self.class[node], &self.bits[self.start[node] as usize..self.start[node + 1] as usize])
    }

    /// The memory that the sets take.
    pub fn bytes(&self) -> u64 {
        (self.class.len() * 8 + self.bits.len() * 8) as u64
    }
}

impl Places {
    /// The number of words for the bits of a class.
    #[inline]
    pub fn words(&self, class: u32) -> usize {
        self.words[class as usize]
    }

    /// The number of local states, also of those that never occur.
    pub fn len(&self) -> usize {
        self.class.len()
    }

    /// The number of classes.
    pub fn classes(&self) -> u32 {
        self.states.len() as u32
    }

    /// The number of states of the widest class.
    pub fn widest(&self) -> usize {
        self.states.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// The states of a class, in the order of their places.
    pub fn states(&self, class: u32) -> &[u32] {
        &self.states[class as usize]
    }

    /// The class and the place of a state; none if it never occurs.
    #[inline]
    pub fn place(&self, state: u32) -> Option<(u32, usize)> {
        let class = self.class[state as usize];
        (class != UNSEEN).then(|| (class, usize::from(self.place[state as usize])))
    }

    /// The number of a local state.
    pub fn local(&self, digits: &[Digit]) -> u32 {
        digits.iter().zip(&self.digits).fold(0, |state, (&digit, &n)| state * n as u32 + u32::from(digit))
    }

    /// The digits of a local state.
    pub fn digits(&self, mut state: u32) -> Vec<Digit> {
        let mut digits: Vec<Digit> = vec![];
        for &n in self.digits.iter().rev() {
            digits.push((state % n as u32) as Digit);
            state /= n as u32;
        }
        digits.reverse();
        digits
    }

    /// The leaf states below every node of a layer's diagram. None if states meet that have never met: the layer is not one
    /// that was looked at.
    pub fn sets(&self, layer: &Layer) -> Option<LeafSets> {
        let levels = &layer.levels;
        let used = self.used(layer);
        let nodes = levels[self.level].nodes();
        let mut sets = LeafSets { class: Vec::with_capacity(nodes), start: vec![0], bits: vec![] };
        for node in 0..nodes as Node {
            let (begin, mut class, mut fits) = (sets.bits.len(), UNSEEN, true);
            if !used[node as usize] {
                sets.class.push(UNSEEN);
                sets.start.push(begin as u32);
                continue;
            }
            each_local(levels, self.level, &self.digits, node, 0, &mut |state| {
                let Some((of_state, place)) = self.place(state) else { return fits = false };
                if class == UNSEEN {
                    class = of_state;
                    sets.bits.resize(begin + self.words(class), 0);
                }
                if class != of_state {
                    return fits = false;
                }
                sets.bits[begin + place / 64] |= 1 << (place % 64);
            });
            if !fits || class == UNSEEN || sets.bits.len() > u32::MAX as usize {
                return None;
            }
            sets.class.push(class);
            sets.start.push(sets.bits.len() as u32);
        }
        Some(sets)
    }

    /// Which nodes of the leaf's first level belong to states of a layer. What was left over when it was found does not
    /// count: a layer from an earlier run has nothing of that.
    fn used(&self, layer: &Layer) -> Vec<bool> {
        let mut used = vec![false; layer.levels[0].nodes()];
        let parts = layer.parts.iter().map(|part| part.root);
        let ended = layer.ended.iter().map(|&(_, root)| root);
        for root in layer.root.into_iter().chain(parts).chain(ended).filter(|&root| root != EMPTY) {
            used[root as usize] = true;
        }
        for (level, next) in layer.levels[..self.level].iter().zip(&layer.levels[1..]) {
            let mut below = vec![false; next.nodes()];
            for (node, _) in used.iter().enumerate().filter(|(_, used)| **used) {
                level.edges(node as Node).for_each(|at| below[level.child[at] as usize] = true);
            }
            used = below;
        }
        used
    }
}
