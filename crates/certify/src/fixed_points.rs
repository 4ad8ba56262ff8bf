//! What a formula means at least, by the fixed points of a certificate.

use crate::bdd::{Id, Made, NONE};
use crate::certificate::{Fix, Proof};
use crate::compile::Space;
use crate::error::Fault;
use crate::steps::Steps;
use rustc_hash::FxHashMap;
use winset_formula::{Core, Node, NodeId, Path};
use winset_model::{ExprId, Exprs};

/// Sets that are inside of what the nodes of a formula mean.
pub struct Inside<'a> {
    pub space: &'a mut Space,
    pub steps: &'a mut Steps,
    pub exprs: &'a Exprs,
    /// Sets that live on outside.
    pub others: Vec<&'a mut Id>,
    core: &'a Core,
    /// What is left of the certificate.
    fixes: std::slice::Iter<'a, Fix>,
    variables: Vec<Id>,
    /// Nodes that depend on no variable, once they were met.
    closed: FxHashMap<NodeId, Id>,
    /// Sets that are needed later, wherever that is.
    pinned: Vec<Id>,
    known: FxHashMap<ExprId, Id>,
}

impl<'a> Inside<'a> {
    /// States where the formula holds; `given` are those without and with a fair path, as far as they are proved.
    pub fn of(
        space: &'a mut Space,
        steps: &'a mut Steps,
        exprs: &'a Exprs,
        others: Vec<&'a mut Id>,
        core: &'a Core,
        proof: &'a Proof,
        given: [Id; 2],
    ) -> Made {
        let mut inside = Inside {
            space,
            steps,
            exprs,
            others,
            core,
            fixes: proof.0.iter(),
            variables: vec![NONE; core.names.len()],
            closed: FxHashMap::default(),
            pinned: vec![],
            known: FxHashMap::default(),
        };
        for (id, set) in core.given.iter().zip(given) {
            if let Some(id) = id {
                inside.variables[id.index()] = set;
            }
        }
        let set = inside.node(core.root)?;
        match inside.fixes.next() {
            None => Ok(set),
            Some(_) => Err(Fault::Malformed("there are more fixed points than the formula has")),
        }
    }

    fn node(&mut self, at: NodeId) -> Made {
        let core = self.core;
        let is_closed = core.free[at.index()].iter().all(|&fix| core.given.contains(&Some(fix)));
        if let Some(&known) = self.closed.get(&at) {
            return Ok(known);
        }
        let set = match core.node(at) {
            Node::Set(set) => {
                let set = self.space.compile(self.exprs, *set, &mut self.known)?;
                self.space.bdds.and(set, self.steps.states)?
            }
            Node::Variable(fix) => self.variables[fix.index()],
            Node::And(a, b) | Node::Or(a, b) => {
                let first = self.node(*a)?;
                self.pinned.push(first);
                let second = self.node(*b)?;
                let first = self.pinned.pop().unwrap_or(NONE);
                match core.node(at) {
                    Node::And(..) => self.space.bdds.and(first, second)?,
                    _ => self.space.bdds.or(first, second)?,
                }
            }
            Node::Next(path, a) => {
                let inside = self.node(*a)?;
                match path {
                    Path::Some => self.steps.before(self.space, inside)?,
                    Path::All => self.steps.only_before(self.space, inside)?,
                }
            }
            Node::Fix { least, id, body } => match (self.fixes.next(), least) {
                (Some(Fix::Greatest(set)), false) => {
                    let set = self.space.read(set)?;
                    self.variables[id.index()] = set;
                    let holds = self.node(*body)?;
                    let set = self.variables[id.index()];
                    self.require(set, holds, "a greatest fixed point does not keep itself")?;
                    set
                }
                (Some(Fix::Least(stages)), true) => {
                    self.variables[id.index()] = NONE;
                    for stage in stages {
                        self.tidy();
                        let stage = self.space.read(stage)?;
                        self.pinned.push(stage);
                        let holds = self.node(*body)?;
                        let stage = self.pinned.pop().unwrap_or(NONE);
                        self.require(stage, holds, "a least fixed point has a state without a way there")?;
                        let before = self.variables[id.index()];
                        self.variables[id.index()] = self.space.bdds.or(before, stage)?;
                    }
                    self.variables[id.index()]
                }
                (Some(_), _) => return Err(Fault::Malformed("a fixed point is of the other kind")),
                (None, _) => return Err(Fault::Malformed("a fixed point is missing")),
            },
        };
        if is_closed {
            self.closed.insert(at, set);
        }
        Ok(set)
    }

    fn require(&mut self, set: Id, inside: Id, otherwise: &'static str) -> Result<(), Fault> {
        match self.space.bdds.is_inside(set, inside)? {
            true => Ok(()),
            false => Err(Fault::Wrong(otherwise)),
        }
    }

    /// Forgets what nobody needs, now and then.
    fn tidy(&mut self) {
        if !self.space.bdds.is_crowded() {
            return;
        }
        // Compiled again where they are needed: most are not.
        self.known.clear();
        let mut roots = self.steps.roots();
        roots.push(&mut self.space.domain);
        roots.extend(self.variables.iter_mut().chain(&mut self.pinned).chain(self.closed.values_mut()));
        roots.extend(self.others.iter_mut().map(|set| &mut **set));
        self.space.bdds.keep(&mut roots);
    }
}
