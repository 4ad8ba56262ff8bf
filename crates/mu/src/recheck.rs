//! Paths checked once more before they are shown, state by state, without diagrams.

use crate::check::{Paths, Verdict};
use crate::evaluate::cost;
use crate::prepare::Ready;
use crate::trace::Trace;
use rustc_hash::FxHashMap;
use std::cell::{OnceCell, RefCell};
use winset_formula::{Core, Fairness, Lasso, Node, NodeId, Pairs, Path, Property, states_where};
use winset_model::{ExprId, Exprs, State, System};
use winset_symbolic::SymbolicError;

/// The fixed points of branching time are looked at anew on paths up to this length only.
const LONGEST: usize = 1000;

/// What a path is checked against.
pub(crate) struct Recheck<'a> {
    system: &'a System,
    /// The system's expressions and more.
    exprs: &'a Exprs,
    pairs: OnceCell<Pairs>,
}

impl<'a> Recheck<'a> {
    pub fn new(system: &'a System, exprs: &'a Exprs) -> Self {
        Recheck { system, exprs, pairs: OnceCell::new() }
    }

    /// An error if the path of a verdict does not show what it is there to show.
    pub fn verdict(
        &self,
        property: &Property,
        ready: &Ready,
        verdict: &Verdict,
        paths: Paths<'_>,
    ) -> Result<(), SymbolicError> {
        let trace = &verdict.trace;
        let states: Vec<State> = std::iter::once(&trace.start)
            .chain(trace.steps.iter().map(|step| &step.state))
            .cloned()
            .collect();
        let starts = self.holds(self.system.initial, &states[..1])[0];
        let pairs = || self.pairs.get_or_init(|| Pairs::new(self.system));
        let follows = states.len() == 1 || pairs().follow(self.system, &states);
        let returns = trace
            .back_to
            .is_none_or(|back| back + 1 < states.len() && states[back] == states[states.len() - 1]);
        let shows = || match (property, ready) {
            (Property::Invariant(set), _) => {
                verdict.holds || !self.holds(*set, &states[states.len() - 1..])[0]
            }
            (Property::Linear(formula), _) if !verdict.holds => {
                let none = Fairness::default();
                let fairness = if let Paths::Fair(fairness) = paths { fairness } else { &none };
                let Some(lasso) = lasso(trace) else { return false };
                let mut truth = |set: ExprId| self.holds(set, &states[..lasso.length]);
                !lasso.satisfies(formula, &mut truth) && lasso.is_fair(fairness, &mut truth)
            }
            // What a path can show of fixed points that people wrote depends on how they are nested.
            (Property::Branching(formula), _) if formula.has_fixed_points() => true,
            (Property::Branching(_), Ready::Branching(cores)) => {
                let Some((core, negation)) = cores.used(verdict.over_fair_paths) else { return false };
                self.shows(if verdict.holds { core } else { negation }, trace, &states)
            }
            _ => true,
        };
        if starts && follows && returns && shows() {
            return Ok(());
        }
        let what = match property {
            Property::Branching(_) => "a formula over branching time",
            Property::Linear(_) => "a formula over linear time",
            Property::Invariant(_) => "an invariant",
            Property::Distance { .. } => "a distance",
        };
        Err(SymbolicError::WrongPath(what.to_owned()))
    }

    fn holds(&self, set: ExprId, states: &[State]) -> Vec<bool> {
        states_where(self.system, self.exprs, set, states)
    }

    /// Whether a core holds at the first state of a path, as far as one path can tell: what it says of all successors
    /// is believed, and of two things that each need a path of their own only the one that was followed is asked.
    fn shows(&self, core: &Core, trace: &Trace, states: &[State]) -> bool {
        if states.len() > LONGEST {
            return true;
        }
        let length = lasso(trace).map_or(states.len(), |lasso| lasso.length);
        let after = |at: usize| if at + 1 < length { Some(at + 1) } else { trace.back_to };
        let walk =
            Walk { recheck: self, core, states: &states[..length], after: &after, known: RefCell::default() };
        let mut variables = vec![vec![true; length]; core.names.len()];
        walk.node(core.root, &mut variables)[0]
    }
}

/// The loop of a path, whose last state is the one that it returns to.
fn lasso(trace: &Trace) -> Option<Lasso> {
    trace.back_to.map(|back_to| Lasso { length: trace.steps.len(), back_to })
}

struct Walk<'w> {
    recheck: &'w Recheck<'w>,
    core: &'w Core,
    states: &'w [State],
    after: &'w dyn Fn(usize) -> Option<usize>,
    known: RefCell<FxHashMap<ExprId, Vec<bool>>>,
}

impl Walk<'_> {
    fn node(&self, at: NodeId, variables: &mut Vec<Vec<bool>>) -> Vec<bool> {
        let length = self.states.len();
        let pairwise = |a: Vec<bool>, b: Vec<bool>, join: fn(bool, bool) -> bool| {
            a.into_iter().zip(b).map(|(a, b)| join(a, b)).collect()
        };
        match self.core.node(at) {
            Node::Set(set) => {
                // Fixed points ask again and again, and who answers looks at all expressions each time.
                let mut known = self.known.borrow_mut();
                known.entry(*set).or_insert_with(|| self.recheck.holds(*set, self.states)).clone()
            }
            Node::Variable(fix) => variables[fix.index()].clone(),
            Node::And(a, b) if self.branches(*a) && self.branches(*b) => {
                // A path that goes round shows that it does, and not what holds on the way about others.
                let round =
                    |at: &NodeId| self.core.free[at.index()].iter().any(|fix| self.core.fair.contains(fix));
                let first = match (round(a), round(b)) {
                    (true, false) => true,
                    (false, true) => false,
                    _ => cost(self.core, *a) >= cost(self.core, *b),
                };
                self.node(if first { *a } else { *b }, variables)
            }
            Node::And(a, b) => {
                let a = self.node(*a, variables);
                pairwise(a, self.node(*b, variables), |a, b| a && b)
            }
            Node::Or(a, b) => {
                let a = self.node(*a, variables);
                pairwise(a, self.node(*b, variables), |a, b| a || b)
            }
            Node::Next(Path::All, _) => vec![true; length],
            Node::Next(Path::Some, a) => {
                let a = self.node(*a, variables);
                (0..length).map(|i| (self.after)(i).is_some_and(|next| a[next])).collect()
            }
            Node::Fix { least, id, body } => {
                variables[id.index()] = vec![!least; length];
                loop {
                    let next = self.node(*body, variables);
                    if next == variables[id.index()] {
                        return next;
                    }
                    variables[id.index()] = next;
                }
            }
        }
    }

    /// It says something of successors.
    fn branches(&self, at: NodeId) -> bool {
        match self.core.node(at) {
            Node::Set(_) => false,
            Node::Variable(fix) => !self.core.given.contains(&Some(*fix)),
            Node::And(a, b) | Node::Or(a, b) => self.branches(*a) || self.branches(*b),
            Node::Next(..) => true,
            Node::Fix { body, .. } => self.branches(*body),
        }
    }
}
