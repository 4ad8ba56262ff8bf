//! Paths that show why a formula holds: witnesses, and counterexamples as witnesses of the negation.

use crate::check::own_part;
use crate::checker::Checker;
use crate::evaluate::cost;
use winset_formula::{Core, FixId, Node, NodeId, Path};
use winset_model::State;
use winset_symbolic::{Diagram, Part, Symbolic, SymbolicError};

/// A transition of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The relation's part that allows it: the move.
    pub name: String,
    /// The state after it.
    pub state: State,
}

/// A path from an initial state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// Where it begins.
    pub start: State,
    /// What follows.
    pub steps: Vec<Step>,
    /// The path goes on for ever by returning to the state after n steps.
    pub back_to: Option<usize>,
    /// The path ends where a promise about all successors begins, which no single path can show.
    pub branches: bool,
}

impl Trace {
    /// A path that is over before it began.
    pub(crate) fn at(start: State) -> Self {
        Trace { start, steps: vec![], back_to: None, branches: false }
    }

    /// The same without the values of variables behind the system's own.
    pub(crate) fn own_part(mut self, own: usize) -> Self {
        self.start = own_part(&self.start, own as u32);
        for step in &mut self.steps {
            step.state = own_part(&step.state, own as u32);
        }
        self
    }
}

/// Paths longer than this are cut off.
const LONGEST: usize = 100_000;

impl<F: Diagram> Checker<'_, F> {
    /// A path from a state where the formula just evaluated holds, that shows it as far as one path can.
    pub fn trace(&mut self, core: &Core, start: &State) -> Result<Trace, SymbolicError> {
        let mut trace = Trace::at(start.clone());
        let mut state = start.clone();
        let mut at = core.root;
        // States at which a greatest fixed point was unfolded, with the number of steps before.
        let mut unfolded: Vec<(FixId, State, usize)> = vec![];
        while trace.steps.len() < LONGEST {
            match core.node(at) {
                Node::Set(_) => break,
                Node::Fix { id, .. } if core.fair.contains(id) => {
                    self.go_round(core, at, *id, &mut trace, &state)?;
                    break;
                }
                Node::Variable(fix) if core.given.contains(&Some(*fix)) => break,
                Node::Fix { id, body, least } => {
                    let before = unfolded.iter().find(|(fix, seen, _)| fix == id && *seen == state);
                    if let Some((_, _, steps)) = before {
                        // A fixed point may come back to itself without a step.
                        trace.back_to = Some(*steps).filter(|&steps| steps < trace.steps.len());
                        break;
                    }
                    self.unfold(core, at, *id, *least, &state)?;
                    if *least {
                        // Returning to a state is progress no longer once an outer promise comes nearer.
                        unfolded.retain(|(inner, ..)| inner < id);
                    } else {
                        unfolded.push((*id, state.clone(), trace.steps.len()));
                    }
                    at = *body;
                }
                Node::Variable(fix) => at = node_of(core, *fix),
                Node::And(a, b) => at = if cost(core, *a) >= cost(core, *b) { *a } else { *b },
                Node::Or(a, b) => {
                    let (first, second) = if cost(core, *a) <= cost(core, *b) { (*a, *b) } else { (*b, *a) };
                    at = if self.holds_at(core, first, &state)? { first } else { second };
                }
                Node::Next(Path::All, _) => {
                    trace.branches = true;
                    break;
                }
                Node::Next(Path::Some, a) => {
                    let Some(next) = self.successor(core, *a, &state)? else { break };
                    trace.steps.push(Step {
                        name: part_between(self.symbolic, &state, &next, state.0.len()),
                        state: next.clone(),
                    });
                    state = next;
                    at = *a;
                }
            }
        }
        Ok(trace)
    }

    /// Goes on for ever inside of the fixed point of a set in which there are fair paths.
    fn go_round(
        &mut self,
        core: &Core,
        at: NodeId,
        fix: FixId,
        trace: &mut Trace,
        state: &State,
    ) -> Result<(), SymbolicError> {
        self.holds_at(core, at, state)?;
        let Some(known) = self.known.get(&fix) else { return Ok(()) };
        let (within, fairness) = (known.value.clone(), core.fairness.clone());
        let goals = self.goals(&fairness)?;
        let path = self.lasso(state, &goals, &within)?;
        let before = trace.steps.len();
        let lasso = self.trace_along(&path, state.0.len());
        trace.steps.extend(lasso.steps);
        trace.back_to = lasso.back_to.map(|back| back + before);
        Ok(())
    }

    /// A path with the names of its steps, over the system's own variables. A path that goes round ends with the state
    /// that it returns to.
    pub(crate) fn trace_along(&self, path: &crate::path::Path, own: usize) -> Trace {
        let mut trace = Trace::at(path.states[0].clone());
        let back = path.back_to.map(|back| path.states[back].clone());
        for next in path.states[1..].iter().cloned().chain(back) {
            let before = trace.steps.last().map_or(&trace.start, |step| &step.state);
            trace.steps.push(Step { name: part_between(self.symbolic, before, &next, own), state: next });
        }
        trace.back_to = path.back_to;
        trace.own_part(own)
    }

    fn holds_at(&mut self, core: &Core, node: NodeId, state: &State) -> Result<bool, SymbolicError> {
        let here = self.symbolic.space.singleton(state)?;
        Ok(self.node(core, node, &here, None)? != *self.symbolic.space.none())
    }

    /// Lets the variable of a fixed point stand for what it needs at a state: in a least one the stages
    /// below the state's own, so that every way in which the body holds comes nearer to the end.
    fn unfold(
        &mut self,
        core: &Core,
        at: NodeId,
        fix: FixId,
        least: bool,
        state: &State,
    ) -> Result<(), SymbolicError> {
        self.holds_at(core, at, state)?;
        let space = &self.symbolic.space;
        let Some(known) = self.known.get(&fix) else { return Ok(()) };
        self.variables[fix.index()] = if least {
            let own = known.stages.iter().position(|stage| space.contains(stage, state));
            space.or_all(known.stages[..own.unwrap_or(0)].to_vec())?
        } else {
            known.value.clone()
        };
        Ok(())
    }

    /// A successor where the node holds.
    fn successor(
        &mut self,
        core: &Core,
        node: NodeId,
        state: &State,
    ) -> Result<Option<State>, SymbolicError> {
        let here = self.symbolic.space.singleton(state)?;
        let next = self.image(&here)?;
        let inside = self.node(core, node, &next, None)?;
        self.symbolic.space.pick(&inside)
    }
}

fn node_of(core: &Core, fix: FixId) -> NodeId {
    let position = core.nodes.iter().position(|n| matches!(n, Node::Fix { id, .. } if *id == fix));
    NodeId(position.expect("every variable is bound") as u32)
}

/// The name of a part of the relation that leads from one state to another, whatever variables behind the system's own
/// do.
fn part_between<F: Diagram>(symbolic: &Symbolic<F>, from: &State, to: &State, own: usize) -> String {
    let allows = |part: &&Part<F>| {
        let keeps = from.0.iter().zip(&to.0).enumerate().take(own);
        let changed: Vec<usize> = keeps.filter(|(_, (a, b))| a != b).map(|(i, _)| i).collect();
        let framed = changed.iter().all(|i| part.writes.iter().any(|var| var.index() == *i));
        framed && part.allows(&pair_bits(symbolic, from, to))
    };
    symbolic.parts.iter().find(allows).map(|part| part.name.clone()).unwrap_or_default()
}

/// The values of all bits, current and next.
fn pair_bits<F: Diagram>(symbolic: &Symbolic<F>, from: &State, to: &State) -> Vec<(u32, bool)> {
    let space = &symbolic.space;
    let mut bits = vec![];
    for i in 0..space.variables() {
        let place = space.place(winset_model::VarId(i as u32));
        for (copy, state) in [from, to].into_iter().enumerate() {
            let code = &place.codes[state.0[i] as usize];
            let pairs = place.levels.iter().zip(code);
            bits.extend(pairs.map(|(&level, &bit)| (level + copy as u32, bit.unwrap_or(false))));
        }
    }
    bits
}
