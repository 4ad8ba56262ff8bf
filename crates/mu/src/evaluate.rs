//! Fixed points.

use crate::checker::{Checker, FixedPoint, Known, Work};
use winset_formula::{Core, FixId, Node, NodeId, Path};
use winset_symbolic::{Diagram, SymbolicError};

type Set<F> = Result<F, SymbolicError>;

impl<F: Diagram> Checker<'_, F> {
    /// The states of the universe where the formula holds.
    pub fn evaluate(&mut self, core: &Core) -> Set<F> {
        self.variables = vec![self.symbolic.space.none().clone(); core.names.len()];
        self.known.clear();
        self.work = Work::default();
        self.fixed_points = fixed_points(core);
        if let (Some(fair), [without, with]) = (&self.fair, core.given) {
            if let Some(with) = with {
                self.variables[with.index()] = fair.clone();
            }
            if let Some(without) = without {
                self.variables[without.index()] = self.symbolic.space.diff(&self.universe, fair)?;
            }
        }
        let universe = self.universe.clone();
        self.node(core, core.root, &universe, None)
    }

    /// The states of `care` where the node holds. `touched`: every state of `care` has a successor among
    /// those that have just entered (or left) this fixed point.
    pub(crate) fn node(&mut self, core: &Core, id: NodeId, care: &F, touched: Option<FixId>) -> Set<F> {
        let space = &self.symbolic.space;
        if care == space.none() {
            return Ok(care.clone());
        }
        match core.node(id) {
            Node::Set(set) => {
                let set = self.compiler.compile(*set)?;
                space.and(&set, care)
            }
            Node::Variable(fix) => space.and(&self.variables[fix.index()], care),
            Node::And(a, b) => {
                let (first, second) = cheaper_first(core, *a, *b);
                let first = self.node(core, first, care, touched)?;
                self.node(core, second, &first, touched)
            }
            Node::Or(a, b) => {
                let (first, second) = cheaper_first(core, *a, *b);
                let first = self.node(core, first, care, touched)?;
                let rest = self.symbolic.space.diff(care, &first)?;
                let second = self.node(core, second, &rest, touched)?;
                self.symbolic.space.or(&first, &second)
            }
            Node::Next(path, a) => {
                if let (&Node::Variable(fix), Some(touched)) = (core.node(*a), touched)
                    && fix == touched
                {
                    // In a growing fixed point the touched successor is inside; in a shrinking one it
                    // is outside.
                    let growing = is_least(core, fix);
                    match (growing, path) {
                        (true, Path::Some) => return Ok(care.clone()),
                        (false, Path::All) => return Ok(space.none().clone()),
                        _ => {}
                    }
                }
                let universe = self.universe.clone();
                let inside = self.node(core, *a, &universe, None)?;
                self.next(*path, &inside, care)
            }
            Node::Fix { least, id: fix, body } => {
                let value = self.fix(core, *least, *fix, *body, id)?;
                self.symbolic.space.and(&value, care)
            }
        }
    }

    /// The states of `care` with some or all successors in a set.
    fn next(&mut self, path: Path, inside: &F, care: &F) -> Set<F> {
        let space = &self.symbolic.space;
        self.work.preimages += 1;
        match path {
            Path::Some => self.preimage(inside, care),
            Path::All => {
                let outside = space.diff(&self.universe, inside)?;
                space.diff(care, &self.preimage(&outside, care)?)
            }
        }
    }

    fn fix(&mut self, core: &Core, least: bool, fix: FixId, body: NodeId, at: NodeId) -> Set<F> {
        let surroundings: Vec<F> =
            core.free[at.index()].iter().map(|outer| self.variables[outer.index()].clone()).collect();
        let (mut value, mut stages) = match self.known.remove(&fix) {
            Some(known) if known.surroundings == surroundings => {
                self.variables[fix.index()] = known.value.clone();
                let value = known.value.clone();
                self.known.insert(fix, known);
                return Ok(value);
            }
            Some(known) if self.moved(least, &known.surroundings, &surroundings)? => {
                (known.value, known.stages)
            }
            _ if least => (self.symbolic.space.none().clone(), vec![]),
            _ => (self.universe.clone(), vec![]),
        };
        let simple = is_simple(core, body, fix);
        let mut latest: Option<F> = None;
        loop {
            self.variables[fix.index()] = value.clone();
            let space = &self.symbolic.space;
            let open = if least { space.diff(&self.universe, &value)? } else { value.clone() };
            let (care, touched) = match &latest {
                Some(latest) => {
                    self.work.preimages += 1;
                    (self.preimage(latest, &open)?, Some(fix))
                }
                None => (open, None),
            };
            let holds = self.node(core, body, &care, touched)?;
            let space = &self.symbolic.space;
            let change = if least { holds } else { space.diff(&care, &holds)? };
            let held = space.nodes();
            self.work.iterations += 1;
            if let Some(progress) = self.progress {
                progress.step(held);
            }
            self.work.peak = self.work.peak.max(held);
            let cost = &mut self.fixed_points[fix.index()];
            cost.iterations += 1;
            cost.peak = cost.peak.max(held);
            let largest = [&value, &care, &change].map(|set| space.nodes_of(set)).into_iter().max();
            cost.largest = cost.largest.max(largest.unwrap_or(0));
            space.tidy();
            if change == *space.none() {
                break;
            }
            value = if least { space.or(&value, &change)? } else { space.diff(&value, &change)? };
            stages.push(change.clone());
            latest = simple.then_some(change);
        }
        self.known.insert(fix, Known { value: value.clone(), surroundings, stages });
        Ok(value)
    }

    /// The surrounding sets have only moved in the direction of this fixed point: grown for a least one,
    /// shrunk for a greatest. Then its last value is a safe start, from below or above.
    fn moved(&self, least: bool, before: &[F], after: &[F]) -> Result<bool, SymbolicError> {
        let space = &self.symbolic.space;
        for (before, after) in before.iter().zip(after) {
            let lost = if least { space.diff(before, after)? } else { space.diff(after, before)? };
            if lost != *space.none() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The fixed points of a formula, before anything was done for them.
fn fixed_points(core: &Core) -> Vec<FixedPoint> {
    let costs = core.names.iter().enumerate().map(|(i, name)| FixedPoint {
        variable: name.clone(),
        least: is_least(core, FixId(i as u32)),
        iterations: 0,
        largest: 0,
        peak: 0,
    });
    costs.collect()
}

pub(crate) fn is_least(core: &Core, fix: FixId) -> bool {
    core.nodes.iter().any(|node| matches!(node, Node::Fix { least: true, id, .. } if *id == fix))
}

/// The variable occurs only directly below next-state operators that are outside inner fixed points, so
/// that a state's membership can change only if a successor's has.
fn is_simple(core: &Core, at: NodeId, fix: FixId) -> bool {
    if core.free[at.index()].binary_search(&fix).is_err() {
        return true;
    }
    match core.node(at) {
        Node::Set(_) => true,
        Node::Variable(_) | Node::Fix { .. } => false,
        Node::And(a, b) | Node::Or(a, b) => is_simple(core, *a, fix) && is_simple(core, *b, fix),
        Node::Next(_, a) => matches!(core.node(*a), Node::Variable(other) if *other == fix),
    }
}

/// Sets before fixed points and next-state operators: they narrow down what is looked at.
fn cheaper_first(core: &Core, a: NodeId, b: NodeId) -> (NodeId, NodeId) {
    if cost(core, b) < cost(core, a) { (b, a) } else { (a, b) }
}

pub(crate) fn cost(core: &Core, at: NodeId) -> u32 {
    match core.node(at) {
        Node::Set(_) | Node::Variable(_) => 0,
        Node::And(a, b) | Node::Or(a, b) => cost(core, *a).saturating_add(cost(core, *b)),
        Node::Next(Path::Some, a) => cost(core, *a).saturating_add(1),
        Node::Next(Path::All, a) => cost(core, *a).saturating_add(2),
        Node::Fix { body, .. } => cost(core, *body).saturating_add(16),
    }
}
