//! Paths that show why a formula holds: witnesses, and counterexamples as witnesses of the negation.

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

/// Paths longer than this are cut off.
const LONGEST: usize = 100_000;

impl<F: Diagram> Checker<'_, F> {
    /// A path from a state where the formula just evaluated holds, that shows it as far as one path can.
    pub fn trace(&mut self, core: &Core, start: &State) -> Result<Trace, SymbolicError> {
        let mut trace = Trace { start: start.clone(), steps: vec![], back_to: None, branches: false };
        let mut state = start.clone();
        let mut at = core.root;
        // States at which a greatest fixed point was unfolded, with the number of steps before.
        let mut unfolded: Vec<(FixId, State, usize)> = vec![];
        while trace.steps.len() < LONGEST {
            match core.node(at) {
                Node::Set(_) => break,
                Node::Fix { id, body, least } => {
                    let before = unfolded.iter().find(|(fix, seen, _)| fix == id && *seen == state);
                    if let Some((_, _, steps)) = before {
                        trace.back_to = Some(*steps);
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
                    trace
                        .steps
                        .push(Step { name: part_between(self.symbolic, &state, &next), state: next.clone() });
                    state = next;
                    at = *a;
                }
            }
        }
        Ok(trace)
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
        let next = self.symbolic.space.and(&self.symbolic.image(&here)?, &self.universe)?;
        let inside = self.node(core, node, &next, None)?;
        self.symbolic.space.pick(&inside)
    }
}

fn node_of(core: &Core, fix: FixId) -> NodeId {
    let position = core.nodes.iter().position(|n| matches!(n, Node::Fix { id, .. } if *id == fix));
    NodeId(position.expect("every variable is bound") as u32)
}

/// The name of a part of the relation that leads from one state to another.
fn part_between<F: Diagram>(symbolic: &Symbolic<F>, from: &State, to: &State) -> String {
    let allows = |part: &&Part<F>| {
        let keeps = from.0.iter().zip(&to.0).enumerate();
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
