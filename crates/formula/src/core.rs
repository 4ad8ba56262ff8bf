//! The core calculus: positive normal form with fixed points and next-state operators only.

use crate::error::FormulaError;
use crate::formula::{Formula, Path};
use crate::property::Fairness;
use crate::translate::Translation;
use rustc_hash::FxHashMap;
use winset_model::{ExprId, Exprs};

/// A node of a core, by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The position as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A fixed point and the variable that it binds, by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FixId(pub u32);

impl FixId {
    /// The position as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One operator. Negation has been pushed into the sets.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// A set of states.
    Set(ExprId),
    /// The value of the fixed point being computed.
    Variable(FixId),
    /// Intersection.
    And(NodeId, NodeId),
    /// Union.
    Or(NodeId, NodeId),
    /// `EX` or `AX`.
    Next(Path, NodeId),
    /// A least or greatest fixed point.
    Fix {
        /// A least fixed point, or else a greatest.
        least: bool,
        /// Its number.
        id: FixId,
        /// The body.
        body: NodeId,
    },
}

/// A formula in positive normal form. Equal subformulas are one node, operands come before users.
#[derive(Clone, Debug)]
pub struct Core {
    /// All nodes.
    pub nodes: Vec<Node>,
    /// The whole formula.
    pub root: NodeId,
    /// The names of the fixed points' variables.
    pub names: Vec<String>,
    /// For each node the fixed points whose variables occur free in it, sorted.
    pub free: Vec<Vec<FixId>>,
    /// The greatest fixed points of states from which a fair path goes on inside of a set.
    pub fair: Vec<FixId>,
    /// What is fair there.
    pub fairness: Fairness,
    /// Variables that no fixed point binds: the states without a fair path and those with one, found once for all
    /// formulas.
    pub given: [Option<FixId>; 2],
}

impl Formula {
    /// Translates into the core calculus. Refuses unbound variables and variables below an odd number of
    /// negations, naming the occurrence.
    ///
    /// The path operators are read over all paths, those included that end where a state has no successor; see
    /// [`Formula::fair_core`].
    pub fn core(&self, exprs: &mut Exprs) -> Result<Core, FormulaError> {
        Translation::new(exprs, None).formula(self)
    }

    /// The same with the path operators read over the infinite paths that are fair; see [`Core::given`]. A formula with
    /// fixed points of its own says itself which paths it means, and is left alone.
    pub fn fair_core(&self, exprs: &mut Exprs, fairness: &Fairness) -> Result<Core, FormulaError> {
        let fairness = if self.has_fixed_points() { None } else { Some(fairness) };
        Translation::new(exprs, fairness).formula(self)
    }
}

impl Fairness {
    /// The states with a fair path.
    pub fn core(&self, exprs: &mut Exprs) -> Result<Core, FormulaError> {
        Translation::new(exprs, None).fair_states(true, self)
    }

    /// The states without one.
    pub fn unfair_core(&self, exprs: &mut Exprs) -> Result<Core, FormulaError> {
        Translation::new(exprs, None).fair_states(false, self)
    }
}

impl Core {
    /// The node behind an id.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// The set that the formula means, if it says nothing about successors.
    pub fn set(&self) -> Option<ExprId> {
        if let &Node::Set(set) = self.node(self.root) { Some(set) } else { None }
    }

    /// The alternation depth in the sense of Emerson and Lei: 0 without fixed points, 1 if no fixed point
    /// depends on an opposite one around it.
    pub fn alternation(&self) -> usize {
        let kinds: FxHashMap<FixId, bool> = self
            .nodes
            .iter()
            .filter_map(|n| if let Node::Fix { least, id, .. } = n { Some((*id, *least)) } else { None })
            .collect();
        // depth[node][kind]: the longest chain of alternations that begins with that kind, inside.
        let mut depth: Vec<[usize; 2]> = vec![];
        for node in &self.nodes {
            let inside = |a: &NodeId| depth[a.index()];
            let here = match node {
                Node::Set(_) | Node::Variable(_) => [0, 0],
                Node::Next(_, a) => inside(a),
                Node::And(a, b) | Node::Or(a, b) => {
                    let (a, b) = (inside(a), inside(b));
                    [a[0].max(b[0]), a[1].max(b[1])]
                }
                Node::Fix { least, id, body } => {
                    let kind = usize::from(*least);
                    let mut d = inside(body);
                    d[kind] = d[kind].max(1);
                    let below = self.opposites_using(*body, *id, *least, &kinds);
                    d[kind] =
                        d[kind].max(below.iter().map(|n| depth[n.index()][1 - kind] + 1).max().unwrap_or(0));
                    d
                }
            };
            depth.push(here);
        }
        let [nu, mu] = depth[self.root.index()];
        nu.max(mu)
    }

    /// The fixed points of the other kind inside a body in which its variable occurs free.
    fn opposites_using(
        &self,
        body: NodeId,
        id: FixId,
        least: bool,
        kinds: &FxHashMap<FixId, bool>,
    ) -> Vec<NodeId> {
        let mut found = vec![];
        let mut stack = vec![body];
        while let Some(at) = stack.pop() {
            if self.free[at.index()].binary_search(&id).is_err() {
                continue;
            }
            match self.node(at) {
                Node::Set(_) | Node::Variable(_) => {}
                Node::Next(_, a) => stack.push(*a),
                Node::And(a, b) | Node::Or(a, b) => stack.extend([*a, *b]),
                Node::Fix { id: inner, body, .. } => {
                    if kinds[inner] != least {
                        found.push(at);
                    }
                    stack.push(*body);
                }
            }
        }
        found
    }
}
