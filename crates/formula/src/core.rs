//! The core calculus: positive normal form with fixed points and next-state operators only.

use crate::error::FormulaError;
use crate::formula::{Formula, Path};
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
}

impl Formula {
    /// Translates into the core calculus. Refuses unbound variables and variables below an odd number of
    /// negations, naming the occurrence.
    pub fn core(&self, exprs: &mut Exprs) -> Result<Core, FormulaError> {
        let core = Core { nodes: vec![], root: NodeId(0), names: vec![], free: vec![] };
        let (ids, done) = (FxHashMap::default(), FxHashMap::default());
        let mut translation = Translation { core, ids, done, exprs, scope: vec![] };
        translation.core.root = translation.node(self, true)?;
        Ok(translation.core)
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

struct Translation<'e> {
    core: Core,
    ids: FxHashMap<Node, NodeId>,
    /// Formulas of the tree, by address and sign, with their translation.
    done: FxHashMap<(usize, bool), NodeId>,
    exprs: &'e mut Exprs,
    /// Bound variables, innermost last: name, fixed point, whether it was bound in a positive context.
    scope: Vec<(String, FixId, bool)>,
}

type Translated = Result<NodeId, FormulaError>;

impl Translation<'_> {
    fn intern(&mut self, node: Node) -> NodeId {
        if let Some(&id) = self.ids.get(&node) {
            return id;
        }
        let free_of = |id: &NodeId| self.core.free[id.index()].clone();
        let mut free = match &node {
            Node::Set(_) => vec![],
            Node::Variable(id) => vec![*id],
            Node::And(a, b) | Node::Or(a, b) => [free_of(a), free_of(b)].concat(),
            Node::Next(_, a) => free_of(a),
            Node::Fix { id, body, .. } => free_of(body).into_iter().filter(|other| other != id).collect(),
        };
        free.sort_unstable();
        free.dedup();
        let id = NodeId(self.core.nodes.len() as u32);
        self.core.nodes.push(node.clone());
        self.core.free.push(free);
        self.ids.insert(node, id);
        id
    }

    fn and_or(&mut self, and: bool, a: NodeId, b: NodeId) -> NodeId {
        if let (&Node::Set(x), &Node::Set(y)) = (self.core.node(a), self.core.node(b)) {
            let set = if and { self.exprs.and([x, y]) } else { self.exprs.or([x, y]) };
            return self.intern(Node::Set(set));
        }
        self.intern(if and { Node::And(a, b) } else { Node::Or(a, b) })
    }

    fn fix(
        &mut self,
        least: bool,
        name: &str,
        body: impl FnOnce(&mut Self, FixId) -> Translated,
    ) -> Translated {
        let id = FixId(self.core.names.len() as u32);
        self.core.names.push(name.to_owned());
        let body = body(self, id)?;
        Ok(self.intern(Node::Fix { least, id, body }))
    }

    /// The formula, or its negation if not `positive`. Each is translated once: an equivalence asks for
    /// its operands twice. The place of a variable relative to its binder fixes the sign of both, so what
    /// was translated before belongs to the same binder.
    fn node(&mut self, formula: &Formula, positive: bool) -> Translated {
        let key = (std::ptr::from_ref(formula) as usize, positive);
        if let Some(&id) = self.done.get(&key) {
            return Ok(id);
        }
        let id = self.translate(formula, positive)?;
        self.done.insert(key, id);
        Ok(id)
    }

    fn translate(&mut self, formula: &Formula, positive: bool) -> Translated {
        let path_here = |path: Path| if positive { path } else { path.dual() };
        match formula {
            &Formula::Set(set) => {
                let set = if positive { set } else { self.exprs.not(set) };
                Ok(self.intern(Node::Set(set)))
            }
            Formula::Variable(name, span) => {
                let bound = self.scope.iter().rev().find(|(other, ..)| other == name);
                let Some(&(_, id, bound_positive)) = bound else {
                    let (name, span) = (name.clone(), *span);
                    return Err(FormulaError::UnknownName { name, similar: vec![], span });
                };
                if bound_positive != positive {
                    return Err(FormulaError::NotMonotone { variable: name.clone(), span: *span });
                }
                Ok(self.intern(Node::Variable(id)))
            }
            Formula::Not(a) => self.node(a, !positive),
            Formula::And(a, b) | Formula::Or(a, b) => {
                let and = matches!(formula, Formula::And(..)) == positive;
                let (a, b) = (self.node(a, positive)?, self.node(b, positive)?);
                Ok(self.and_or(and, a, b))
            }
            Formula::Implies(a, b) => {
                let (a, b) = (self.node(a, !positive)?, self.node(b, positive)?);
                Ok(self.and_or(!positive, a, b))
            }
            Formula::Iff(a, b) => {
                let both = (self.node(a, true)?, self.node(b, positive)?);
                let neither = (self.node(a, false)?, self.node(b, !positive)?);
                let (both, neither) =
                    (self.and_or(true, both.0, both.1), self.and_or(true, neither.0, neither.1));
                Ok(self.and_or(false, both, neither))
            }
            Formula::Next(path, a) => {
                let a = self.node(a, positive)?;
                Ok(self.intern(Node::Next(path_here(*path), a)))
            }
            Formula::Finally(path, a) | Formula::Globally(path, a) => {
                let at_some_time = matches!(formula, Formula::Finally(..)) == positive;
                let a = self.node(a, positive)?;
                let (everywhere, nowhere) =
                    (self.intern(Node::Set(Exprs::TRUE)), self.intern(Node::Set(Exprs::FALSE)));
                let (hold, goal) = if at_some_time { (everywhere, a) } else { (a, nowhere) };
                self.until(path_here(*path), at_some_time, hold, goal)
            }
            Formula::Until(path, a, b) => {
                let (a, b) = (self.node(a, positive)?, self.node(b, positive)?);
                if positive {
                    self.until(*path, true, a, b)
                } else {
                    // not (a U b): not b holds on as long as a does.
                    self.release(path.dual(), a, b)
                }
            }
            Formula::Fix { least, variable, body, .. } => self.fix(*least == positive, variable, |t, id| {
                t.scope.push((variable.clone(), id, positive));
                let body = t.node(body, positive);
                t.scope.pop();
                body
            }),
        }
    }

    /// `fix X. b | (a & path-next X)`: least for until and finally, greatest for globally.
    fn until(&mut self, path: Path, least: bool, a: NodeId, b: NodeId) -> Translated {
        let everywhere = self.intern(Node::Set(Exprs::TRUE));
        let nowhere = self.intern(Node::Set(Exprs::FALSE));
        self.fix(least, if least { "until" } else { "always" }, |t, id| {
            let variable = t.intern(Node::Variable(id));
            let next = t.intern(Node::Next(path, variable));
            let on = if a == everywhere { next } else { t.and_or(true, a, next) };
            Ok(if b == nowhere { on } else { t.and_or(false, b, on) })
        })
    }

    /// `nu X. b & (a | path-next X)`.
    fn release(&mut self, path: Path, a: NodeId, b: NodeId) -> Translated {
        self.fix(false, "release", |t, id| {
            let variable = t.intern(Node::Variable(id));
            let next = t.intern(Node::Next(path, variable));
            let on = t.and_or(false, a, next);
            Ok(t.and_or(true, b, on))
        })
    }
}
