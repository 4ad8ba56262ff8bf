//! Fixed points written down for whoever wants to see that they are right: see [`winset_certify`].

use crate::checker::Checker;
use crate::trace::Trace;
use rustc_hash::FxHashSet;
use winset_certify::{Evidence, Fix, Levels, Proof};
use winset_formula::{Core, Node, NodeId};
use winset_symbolic::{Diagram, Space, SymbolicError};

impl<F: Diagram> Checker<'_, F> {
    /// The fixed points of a core, in the order in which a walk through the formula meets them.
    pub(crate) fn proof(&mut self, core: &Core) -> Result<Proof, SymbolicError> {
        self.evaluate(core)?;
        let (mut fixes, mut closed) = (vec![], FxHashSet::default());
        self.write_down(core, core.root, &mut fixes, &mut closed)?;
        Ok(Proof(fixes))
    }

    fn write_down(
        &mut self,
        core: &Core,
        at: NodeId,
        fixes: &mut Vec<Fix>,
        closed: &mut FxHashSet<NodeId>,
    ) -> Result<(), SymbolicError> {
        // What depends on nothing around it is met once.
        let is_closed = core.free[at.index()].iter().all(|&fix| core.given.contains(&Some(fix)));
        if closed.contains(&at) {
            return Ok(());
        }
        match core.node(at) {
            Node::Set(_) | Node::Variable(_) => {}
            Node::And(a, b) | Node::Or(a, b) => {
                self.write_down(core, *a, fixes, closed)?;
                self.write_down(core, *b, fixes, closed)?;
            }
            Node::Next(_, a) => self.write_down(core, *a, fixes, closed)?,
            &Node::Fix { least, id, body } => {
                let universe = self.universe.clone();
                let value = self.node(core, at, &universe, None)?;
                let inner = has_fixed_points(core, body);
                if least {
                    let stages = self.known.get(&id).map_or(vec![], |known| known.stages.clone());
                    let space = &self.symbolic.space;
                    let levels = stages.iter().map(|stage| levels(space, stage));
                    fixes.push(Fix::Least(levels.collect::<Result<_, _>>()?));
                    let mut before = space.none().clone();
                    for stage in stages.iter().filter(|_| inner) {
                        self.variables[id.index()] = before.clone();
                        self.write_down(core, body, fixes, closed)?;
                        before = self.symbolic.space.or(&before, stage)?;
                    }
                } else {
                    fixes.push(Fix::Greatest(levels(&self.symbolic.space, &value)?));
                    self.variables[id.index()] = value.clone();
                    if inner {
                        self.write_down(core, body, fixes, closed)?;
                    }
                }
                self.variables[id.index()] = value;
            }
        }
        if is_closed {
            closed.insert(at);
        }
        Ok(())
    }
}

fn has_fixed_points(core: &Core, at: NodeId) -> bool {
    match core.node(at) {
        Node::Set(_) | Node::Variable(_) => false,
        Node::And(a, b) | Node::Or(a, b) => has_fixed_points(core, *a) || has_fixed_points(core, *b),
        Node::Next(_, a) => has_fixed_points(core, *a),
        Node::Fix { .. } => true,
    }
}

/// A set as a certificate has it.
pub(crate) fn levels<F: Diagram>(space: &Space<F>, set: &F) -> Result<Levels, SymbolicError> {
    let (found, root) = space.levels(set)?;
    let Some(root) = root else { return Ok(Levels::default()) };
    let mut levels: Vec<Vec<Vec<(u16, u32)>>> = vec![];
    for level in &found {
        let edges = |node: u32| level.edges(node).map(|e| (level.digit[e], level.child[e])).collect();
        levels.push((0..level.nodes() as u32).map(edges).collect());
    }
    // The root is the first node of its level, and the only one.
    if let Some(first) = levels.first_mut() {
        *first = vec![first.swap_remove(root as usize)];
    }
    Ok(Levels(levels))
}

/// A path as a certificate has it: the state that it returns to is not repeated.
pub(crate) fn path(trace: &Trace) -> Evidence {
    let states = std::iter::once(&trace.start).chain(trace.steps.iter().map(|step| &step.state));
    let mut states: Vec<Vec<u16>> = states.map(|state| state.0.to_vec()).collect();
    if trace.back_to.is_some() {
        states.pop();
    }
    Evidence::Path { states, back_to: trace.back_to }
}
