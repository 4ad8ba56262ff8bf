//! The tree of a search: UCT (Kocsis, Szepesvári 2006) where one role chooses, the same for each role by itself where
//! several do (decoupled UCT), with values that are proved handed up (MCTS-Solver, Winands 2008).

use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use winset_gdl::{Action, Facts};

/// How much what is seldom tried is worth trying; values are between 0 and 1.
const EXPLORATION: f64 = 0.7;

/// Plies that are followed down at most: where play goes in circles a path need not end.
const DEEPEST: usize = 1000;

pub(crate) type NodeId = u32;

/// What each role chooses, by its place among what it may do.
pub(crate) type Choice = Box<[u16]>;

/// What was seen of one thing that a role may do.
#[derive(Clone, Copy, Debug, Default)]
struct Tried {
    visits: u32,
    sum: f32,
}

/// A state in which the game has not ended, or has, with all that is known of it.
pub(crate) struct Node {
    facts: Facts,
    /// What each role may do.
    choices: Vec<Vec<u32>>,
    tried: Vec<Vec<Tried>>,
    visits: u32,
    children: FxHashMap<Choice, NodeId>,
    /// What each role gets if all play well from here, where that is proved.
    proved: Option<Box<[u8]>>,
}

/// What is found out about a state when it is first met.
pub(crate) struct Seen {
    pub facts: Facts,
    pub choices: Vec<Vec<u32>>,
    /// What each role gets, if the game has ended or has been solved from here.
    pub proved: Option<Box<[u8]>>,
}

/// A way down: at every node what was chosen.
#[derive(Clone, Debug)]
pub(crate) struct Path(Vec<(NodeId, Choice)>);

/// The end of a way down: a state that is not in the tree yet.
pub(crate) struct Leaf {
    pub path: Path,
    /// The state before.
    pub before: Facts,
    /// What is done there.
    pub actions: Vec<Action>,
}

/// The tree.
pub(crate) struct Tree {
    nodes: Vec<Node>,
    /// The most that a role can ever get.
    highest: Vec<u8>,
    /// Bytes that the nodes may take, and take.
    room: usize,
    taken: usize,
    seed: u64,
    /// Ways down that are counted as visits already and whose values are still to come.
    flying: Vec<Path>,
    /// Another root since the tree was made.
    pub generation: u64,
}

/// Nodes that are no longer in the tree.
#[derive(Default)]
pub(crate) struct Forgotten(#[allow(dead_code, reason = "it is there to be dropped")] Vec<Option<Node>>);

/// A move that the search has found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Best {
    pub action: Action,
    pub visits: u32,
    /// From 0 to 1.
    pub value: f64,
    pub proved: bool,
}

impl Tree {
    pub fn new(root: Seen, highest: Vec<u8>, room: usize) -> Self {
        let mut tree = Tree {
            nodes: vec![],
            highest,
            room,
            taken: 0,
            seed: 0x9e37_79b9_7f4a_7c15,
            flying: vec![],
            generation: 0,
        };
        tree.add(root);
        tree
    }

    pub fn root(&self) -> &Facts {
        &self.nodes[0].facts
    }

    pub fn is_proved(&self) -> bool {
        self.nodes[0].proved.is_some()
    }

    fn add(&mut self, seen: Seen) -> NodeId {
        let tried: Vec<Vec<Tried>> = seen.choices.iter().map(|c| vec![Tried::default(); c.len()]).collect();
        self.taken += bytes(&seen);
        let Seen { facts, choices, proved } = seen;
        self.nodes.push(Node { facts, choices, tried, visits: 0, children: FxHashMap::default(), proved });
        (self.nodes.len() - 1) as NodeId
    }

    fn random(&mut self, below: usize) -> usize {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        (self.seed % below.max(1) as u64) as usize
    }

    /// Goes down to a state that is not known yet. Nothing if the way ends at one that is: that has been counted, and
    /// there may be other ways.
    pub fn descend(&mut self) -> Option<Leaf> {
        let mut path = Path(vec![]);
        let mut at: NodeId = 0;
        loop {
            let node = &self.nodes[at as usize];
            if let Some(proved) = node.proved.clone() {
                let values: Vec<f32> = proved.iter().map(|v| f32::from(*v) / 100.0).collect();
                self.give(&path, &values);
                return None;
            }
            // A state without a way on that has not ended: the rules are wrong, and nobody gets anything.
            let stuck = node.choices.iter().any(Vec::is_empty);
            if stuck || path.0.len() >= DEEPEST {
                let nothing = vec![0.5; self.highest.len()];
                self.give(&path, &nothing);
                return None;
            }
            let choice = self.choose(at);
            let node = &mut self.nodes[at as usize];
            node.visits += 1;
            for (tried, chosen) in node.tried.iter_mut().zip(&choice) {
                tried[usize::from(*chosen)].visits += 1;
            }
            let child = node.children.get(&choice).copied();
            let actions = || {
                let each = node.choices.iter().zip(&choice);
                each.map(|(list, chosen)| list[usize::from(*chosen)] as Action).collect()
            };
            match child {
                Some(child) => {
                    path.0.push((at, choice));
                    at = child;
                }
                None => {
                    let (before, actions) = (node.facts.clone(), actions());
                    path.0.push((at, choice));
                    self.flying.push(path.clone());
                    return Some(Leaf { path, before, actions });
                }
            }
        }
    }

    /// What the roles do at a node.
    fn choose(&mut self, at: NodeId) -> Choice {
        let roles = self.nodes[at as usize].choices.len();
        let alone = self.chooser(at);
        let mut choice: Vec<u16> = vec![0; roles];
        for (role, chosen) in choice.iter_mut().enumerate() {
            let node = &self.nodes[at as usize];
            let count = node.choices[role].len();
            if count < 2 {
                continue;
            }
            let log = f64::from(node.visits.max(1)).ln();
            let (mut best, mut score, mut ties) = (0, f64::NEG_INFINITY, 1);
            for (index, tried) in node.tried[role].iter().enumerate() {
                // What is proved need not be tried again; where all is proved, the node is.
                if alone == Some(role) && self.proved_child(at, role, index).is_some() {
                    continue;
                }
                let n = f64::from(tried.visits);
                let worth = match tried.visits {
                    0 => f64::INFINITY,
                    _ => f64::from(tried.sum) / n + EXPLORATION * (log / n).sqrt(),
                };
                if worth > score {
                    (best, score, ties) = (index, worth, 1);
                } else if worth == score {
                    ties += 1;
                    self.seed ^= self.seed << 13;
                    self.seed ^= self.seed >> 7;
                    self.seed ^= self.seed << 17;
                    if self.seed.is_multiple_of(ties) {
                        best = index;
                    }
                }
            }
            *chosen = best as u16;
        }
        choice.into()
    }

    /// The only role that chooses, if there is one.
    fn chooser(&self, at: NodeId) -> Option<usize> {
        let mut choosing = self.nodes[at as usize].choices.iter().enumerate().filter(|(_, c)| c.len() > 1);
        let first = choosing.next()?.0;
        choosing.next().is_none().then_some(first)
    }

    /// What is proved of what the only role that chooses may do.
    fn proved_child(&self, at: NodeId, role: usize, index: usize) -> Option<&[u8]> {
        let node = &self.nodes[at as usize];
        let mut key = vec![0; node.choices.len()];
        key[role] = index as u16;
        let child = node.children.get(key.as_slice())?;
        self.nodes[*child as usize].proved.as_deref()
    }

    /// Hands values up. The visits are counted already.
    fn give(&mut self, path: &Path, values: &[f32]) {
        for (at, choice) in &path.0 {
            let tried = &mut self.nodes[*at as usize].tried;
            for ((tried, chosen), value) in tried.iter_mut().zip(choice).zip(values) {
                tried[usize::from(*chosen)].sum += value;
            }
        }
    }

    /// The state at the end of a way down was looked at, and played from it brought these values.
    pub fn finish(&mut self, path: &Path, seen: Seen, values: &[f32]) {
        if let Some(at) = self.flying.iter().position(|p| p.0 == path.0) {
            self.flying.swap_remove(at);
        }
        self.give(path, values);
        let Some((parent, choice)) = path.0.last() else { return };
        let known = self.nodes[*parent as usize].children.contains_key(choice);
        if known || self.taken + bytes(&seen) > self.room {
            return;
        }
        let proved = seen.proved.is_some();
        let child = self.add(seen);
        self.nodes[*parent as usize].children.insert(choice.clone(), child);
        if proved {
            self.prove(path);
        }
    }

    /// Something was proved at the end of a way down: what follows from it on the way.
    fn prove(&mut self, path: &Path) {
        for (at, choice) in path.0.iter().rev() {
            let node = &self.nodes[*at as usize];
            if node.proved.is_some() {
                return;
            }
            let choosing = node.choices.iter().filter(|c| c.len() > 1).count();
            let value = match (choosing, self.chooser(*at)) {
                (0, _) => {
                    let child = node.children[choice];
                    self.nodes[child as usize].proved.clone()
                }
                (_, Some(role)) => self.best_proved(*at, role),
                // Several choose at once: what is best for one depends on what the others do.
                _ => None,
            };
            match value {
                Some(value) => self.nodes[*at as usize].proved = Some(value),
                None => return,
            }
        }
    }

    /// What the only role that chooses gets for certain: all it may do is proved, or something that cannot be bettered.
    fn best_proved(&self, at: NodeId, role: usize) -> Option<Box<[u8]>> {
        let mut best: Option<&[u8]> = None;
        let mut all = true;
        for index in 0..self.nodes[at as usize].choices[role].len() {
            match self.proved_child(at, role, index) {
                Some(value) if value[role] >= self.highest[role] => return Some(value.into()),
                Some(value) if best.is_none_or(|best| liking(value, role) > liking(best, role)) => {
                    best = Some(value)
                }
                Some(_) => {}
                None => all = false,
            }
        }
        best.filter(|_| all).map(Into::into)
    }

    /// The best that a role can do at the root.
    pub fn best(&self, role: usize) -> Option<Best> {
        let node = &self.nodes[0];
        let alone = self.chooser(0) == Some(role);
        let mut found: Option<(Best, (f64, u32))> = None;
        // What is proved counts for what it is; of what is not, what was visited most is the best.
        let open = |index: usize| !alone || self.proved_child(0, role, index).is_none();
        let most =
            (0..node.choices[role].len()).filter(|i| open(*i)).max_by_key(|i| node.tried[role][*i].visits);
        for (index, action) in node.choices[role].iter().enumerate() {
            let tried = node.tried[role][index];
            let proved = if alone { self.proved_child(0, role, index) } else { None };
            let value = match proved {
                Some(value) => f64::from(value[role]) / 100.0,
                None if Some(index) != most => continue,
                None => f64::from(tried.sum) / f64::from(tried.visits.max(1)),
            };
            let best =
                Best { action: *action as Action, visits: tried.visits, value, proved: proved.is_some() };
            let key = (value, tried.visits);
            if found.as_ref().is_none_or(|(_, other)| key > *other) {
                found = Some((best, key));
            }
        }
        found.map(|(best, _)| best)
    }

    /// Goes on to another root: what is known below it is kept. The rest is given back, because to forget a million nodes
    /// takes time that somebody who waits for an answer does not have.
    #[must_use]
    pub fn go_on(&mut self, root: Seen) -> Forgotten {
        self.generation += 1;
        // What is on its way comes back to a tree that is no more.
        for path in std::mem::take(&mut self.flying) {
            for (at, choice) in &path.0 {
                let node = &mut self.nodes[*at as usize];
                node.visits = node.visits.saturating_sub(1);
                for (tried, chosen) in node.tried.iter_mut().zip(choice) {
                    let tried = &mut tried[usize::from(*chosen)];
                    tried.visits = tried.visits.saturating_sub(1);
                }
            }
        }
        if *self.root() == root.facts {
            return Forgotten::default();
        }
        let below = self.nodes[0].children.values().copied();
        let found = below.into_iter().find(|child| self.nodes[*child as usize].facts == root.facts);
        let mut old: Vec<Option<Node>> = std::mem::take(&mut self.nodes).into_iter().map(Some).collect();
        self.taken = 0;
        let Some(top) = found else {
            self.add(root);
            return Forgotten(old);
        };
        // Breadth first, so that a node's place is known before its children's.
        let mut order = vec![top];
        let mut at = 0;
        while let Some(id) = order.get(at).copied() {
            at += 1;
            let Some(mut node) = old[id as usize].take() else { continue };
            for child in node.children.values_mut() {
                order.push(*child);
                *child = (order.len() - 1) as NodeId;
            }
            let bytes = bytes_of(node.facts.bytes(), &node.choices);
            self.taken += bytes;
            self.nodes.push(node);
        }
        Forgotten(old)
    }

    /// Some action of a role at the root, where nothing better is known.
    pub fn any(&mut self, role: usize) -> Option<Action> {
        let count = self.nodes[0].choices[role].len();
        let index = self.random(count);
        self.nodes[0].choices[role].get(index).map(|action| *action as Action)
    }
}

/// What a role prefers: more for itself, then less for the best of the others.
fn liking(value: &[u8], role: usize) -> (u8, Reverse<u8>) {
    let other = value.iter().enumerate().filter(|(r, _)| *r != role).map(|(_, v)| *v).max().unwrap_or(0);
    (value[role], Reverse(other))
}

fn bytes(seen: &Seen) -> usize {
    bytes_of(seen.facts.bytes(), &seen.choices)
}

/// What a node takes, with its place in its parent's table.
fn bytes_of(facts: usize, choices: &[Vec<u32>]) -> usize {
    let all: usize = choices.iter().map(Vec::len).sum();
    300 + facts + 12 * all + 96 * choices.len()
}
