//! From formulas to the core calculus.

use crate::core::{Core, FixId, Node, NodeId};
use crate::error::FormulaError;
use crate::formula::{Formula, Path};
use crate::property::Fairness;
use rustc_hash::FxHashMap;
use winset_model::Exprs;

pub(crate) struct Translation<'e> {
    pub core: Core,
    ids: FxHashMap<Node, NodeId>,
    /// Formulas of the tree, by address and sign, with their translation.
    done: FxHashMap<(usize, bool), NodeId>,
    pub exprs: &'e mut Exprs,
    /// Bound variables, innermost last: name, fixed point, whether it was bound in a positive context.
    scope: Vec<(String, FixId, bool)>,
    /// Which paths count; none: all of them.
    pub fairness: Option<&'e Fairness>,
}

pub(crate) type Translated = Result<NodeId, FormulaError>;

impl<'e> Translation<'e> {
    pub fn new(exprs: &'e mut Exprs, fairness: Option<&'e Fairness>) -> Self {
        let core = Core {
            nodes: vec![],
            root: NodeId(0),
            names: vec![],
            free: vec![],
            fair: vec![],
            fairness: fairness.cloned().unwrap_or_default(),
            given: [None; 2],
        };
        let (ids, done) = (FxHashMap::default(), FxHashMap::default());
        Translation { core, ids, done, exprs, scope: vec![], fairness }
    }

    pub fn formula(mut self, formula: &Formula) -> Result<Core, FormulaError> {
        self.core.root = self.node(formula, true)?;
        Ok(self.core)
    }

    pub fn intern(&mut self, node: Node) -> NodeId {
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

    pub fn and_or(&mut self, and: bool, a: NodeId, b: NodeId) -> NodeId {
        if let (&Node::Set(x), &Node::Set(y)) = (self.core.node(a), self.core.node(b)) {
            let set = if and { self.exprs.and([x, y]) } else { self.exprs.or([x, y]) };
            return self.intern(Node::Set(set));
        }
        self.intern(if and { Node::And(a, b) } else { Node::Or(a, b) })
    }

    pub fn fix(
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
    pub fn node(&mut self, formula: &Formula, positive: bool) -> Translated {
        let key = (std::ptr::from_ref(formula) as usize, positive);
        if let Some(&id) = self.done.get(&key) {
            return Ok(id);
        }
        let id = self.translate(formula, positive)?;
        self.done.insert(key, id);
        Ok(id)
    }

    fn translate(&mut self, formula: &Formula, positive: bool) -> Translated {
        if let Some(fairness) = self.fairness
            && formula.is_about_paths()
        {
            return self.over_fair_paths(formula, positive, fairness);
        }
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
