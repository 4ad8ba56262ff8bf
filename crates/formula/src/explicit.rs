//! The semantics by the book, state by state: what engines are checked against.

use crate::core::{Core, Node, NodeId};
use crate::formula::Path;
use rustc_hash::FxHashMap;
use thiserror::Error;
use winset_model::{Expr, ExprId, Exprs, Lanes, State, System, SystemId, Value, VarId, Variable};

/// The system has more states than were allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the variables span more than {0} states")]
pub struct TooLarge(pub usize);

/// All states of a system, reachable or not, with their successors.
#[derive(Clone, Debug)]
pub struct Kripke {
    /// Every combination of values.
    pub states: Vec<State>,
    /// The successors of each state, sorted.
    pub successors: Vec<Vec<u32>>,
}

impl Kripke {
    /// Enumerates the states and their successors.
    pub fn explore(system: &System, limit: usize) -> Result<Kripke, TooLarge> {
        let mut count = 1usize;
        for v in &system.variables {
            count = count.checked_mul(v.size()).filter(|&n| n <= limit).ok_or(TooLarge(limit))?;
        }
        let states: Vec<State> = (0..count).map(|index| state_at(&system.variables, index)).collect();
        let pairs = Pairs::new(system);
        let successors = states.iter().map(|state| pairs.successors(system, state)).collect();
        Ok(Kripke { states, successors })
    }

    /// Where the expression holds.
    pub fn set(&self, system: &System, set: ExprId) -> Vec<bool> {
        let mut lanes = Lanes::new(&system.exprs, &system.variables, [set]);
        self.states
            .chunks(64)
            .flat_map(|batch| {
                lanes.load(batch);
                (0..batch.len()).map(|lane| lanes.holds(set, lane)).collect::<Vec<bool>>()
            })
            .collect()
    }

    /// The states that can be reached from the initial ones.
    pub fn reachable(&self, system: &System) -> Vec<bool> {
        let mut seen = self.set(system, system.initial);
        let mut open: Vec<usize> = (0..seen.len()).filter(|&i| seen[i]).collect();
        while let Some(at) = open.pop() {
            for &next in &self.successors[at] {
                if !std::mem::replace(&mut seen[next as usize], true) {
                    open.push(next as usize);
                }
            }
        }
        seen
    }

    /// Where the formula holds: nested fixed points are computed anew from the beginning every time.
    pub fn evaluate(&self, system: &System, core: &Core) -> Vec<bool> {
        let mut variables = vec![vec![]; core.names.len()];
        self.node(system, core, core.root, &mut variables)
    }

    fn node(&self, system: &System, core: &Core, id: NodeId, variables: &mut Vec<Vec<bool>>) -> Vec<bool> {
        let pairwise = |a: Vec<bool>, b: Vec<bool>, f: fn(bool, bool) -> bool| {
            a.into_iter().zip(b).map(|(a, b)| f(a, b)).collect()
        };
        match core.node(id) {
            Node::Set(set) => self.set(system, *set),
            Node::Variable(fix) => variables[fix.index()].clone(),
            Node::And(a, b) => {
                let a = self.node(system, core, *a, variables);
                pairwise(a, self.node(system, core, *b, variables), |a, b| a && b)
            }
            Node::Or(a, b) => {
                let a = self.node(system, core, *a, variables);
                pairwise(a, self.node(system, core, *b, variables), |a, b| a || b)
            }
            Node::Next(path, a) => {
                let a = self.node(system, core, *a, variables);
                let holds = |next: &Vec<u32>| match path {
                    Path::Some => next.iter().any(|&i| a[i as usize]),
                    Path::All => next.iter().all(|&i| a[i as usize]),
                };
                self.successors.iter().map(holds).collect()
            }
            Node::Fix { least, id, body } => {
                variables[id.index()] = vec![!least; self.states.len()];
                loop {
                    let next = self.node(system, core, *body, variables);
                    if next == variables[id.index()] {
                        return next;
                    }
                    variables[id.index()] = next;
                }
            }
        }
    }
}

fn state_at(variables: &[Variable], mut index: usize) -> State {
    let mut values: Vec<Value> = vec![0; variables.len()];
    for (value, v) in values.iter_mut().zip(variables).rev() {
        *value = (index % v.size()) as Value;
        index /= v.size();
    }
    State(values.into())
}

fn index_of(variables: &[Variable], state: &State) -> u32 {
    let digits = state.0.iter().zip(variables);
    digits.fold(0, |index, (&value, v)| index * v.size() as u32 + u32::from(value))
}

/// Where an expression holds among some states.
pub fn states_where(system: &System, exprs: &Exprs, set: ExprId, states: &[State]) -> Vec<bool> {
    let mut lanes = Lanes::new(exprs, &system.variables, [set]);
    let mut holds = vec![];
    for batch in states.chunks(64) {
        lanes.load(batch);
        holds.extend((0..batch.len()).map(|lane| lanes.holds(set, lane)));
    }
    holds
}

/// The relations over pairs of states: a second copy of the variables stands for the next values.
pub struct Pairs {
    exprs: Exprs,
    variables: Vec<Variable>,
    relations: Vec<ExprId>,
    stops: Vec<ExprId>,
}

impl Pairs {
    /// The relations of a system.
    pub fn new(system: &System) -> Pairs {
        let roots = system.relations.iter().map(|r| r.formula).chain(system.stops.iter().copied());
        let (exprs, moved) = shift(system, roots);
        let relations = system.relations.iter().map(|r| moved[&r.formula]).collect();
        let stops = system.stops.iter().map(|stop| moved[stop]).collect();
        let variables = [system.variables.clone(), system.variables.clone()].concat();
        Pairs { exprs, variables, relations, stops }
    }

    /// Whether each state of a path has a transition to the next. That no other relation is enabled, where one needs
    /// that, is not asked.
    pub fn follow(&self, system: &System, path: &[State]) -> bool {
        let roots = self.relations.iter().chain(&self.stops).copied();
        let mut lanes = Lanes::new(&self.exprs, &self.variables, roots);
        let steps: Vec<(&State, &State)> = path.iter().zip(path.iter().skip(1)).collect();
        steps.chunks(64).all(|batch| {
            let twice: Vec<State> =
                batch.iter().map(|(from, to)| State([&from.0[..], &to.0[..]].concat().into())).collect();
            lanes.load(&twice);
            batch.iter().enumerate().all(|(lane, (from, to))| {
                let keeps = |writes: &[VarId]| {
                    let changed = (0..from.0.len()).filter(|&i| from.0[i] != to.0[i]);
                    changed.map(|i| VarId(i as u32)).all(|var| writes.contains(&var))
                };
                let mut relations = system.relations.iter().zip(&self.relations);
                !self.stops.iter().any(|&stop| lanes.holds(stop, lane))
                    && relations.any(|(relation, &id)| lanes.holds(id, lane) && keeps(&relation.writes))
            })
        })
    }

    /// The successors of a state under each relation whose turn it is, together.
    fn successors(&self, system: &System, state: &State) -> Vec<u32> {
        let roots = self.relations.iter().chain(&self.stops).copied();
        let mut lanes = Lanes::new(&self.exprs, &self.variables, roots);
        let twice = |next: &State| State([&state.0[..], &next.0[..]].concat().into());
        lanes.load(&[twice(state)]);
        if self.stops.iter().any(|&stop| lanes.holds(stop, 0)) {
            return vec![];
        }
        let nexts: Vec<Vec<State>> = (0..self.relations.len())
            .map(|r| {
                let candidates = variations(system, &system.relations[r].writes, state);
                let mut nexts = vec![];
                for batch in candidates.chunks(64) {
                    let pairs: Vec<State> = batch.iter().map(twice).collect();
                    lanes.load(&pairs);
                    let holds = (0..batch.len()).filter(|&lane| lanes.holds(self.relations[r], lane));
                    nexts.extend(holds.map(|lane| batch[lane].clone()));
                }
                nexts
            })
            .collect();
        let applies = |r: &usize| system.relations[*r].unless.iter().all(|&other| nexts[other].is_empty());
        let mut all: Vec<u32> = (0..nexts.len())
            .filter(applies)
            .flat_map(|r| nexts[r].iter().map(|next| index_of(&system.variables, next)))
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// The states that differ from this one at most in the given variables.
fn variations(system: &System, writes: &[VarId], state: &State) -> Vec<State> {
    let mut all = vec![state.clone()];
    for &var in writes {
        let size = system.variables[var.index()].size() as Value;
        let with = |state: &State, value| {
            let mut state = state.clone();
            state[var] = value;
            state
        };
        all = all.iter().flat_map(|s| (0..size).map(|value| with(s, value)).collect::<Vec<_>>()).collect();
    }
    all
}

/// The expressions below some, with `Next` of a variable as the value of its second copy.
fn shift(system: &System, roots: impl Iterator<Item = ExprId>) -> (Exprs, FxHashMap<ExprId, ExprId>) {
    let variables = system.variables.len() as u32;
    let mut exprs = Exprs::new();
    let systems: Vec<SystemId> = (0..system.exprs.systems() as u32)
        .map(|s| exprs.declare_system(system.exprs.bodies(SystemId(s)).len()))
        .collect();
    let bodies = (0..system.exprs.systems() as u32).flat_map(|s| system.exprs.bodies(SystemId(s)).to_vec());
    let mut moved: FxHashMap<ExprId, ExprId> = FxHashMap::default();
    // Operands have smaller positions than their users.
    for id in system.exprs.cone(roots.chain(bodies)) {
        let operands: Vec<ExprId> = system.exprs.operands(id).iter().map(|a| moved[a]).collect();
        let copy = match system.exprs.get(id) {
            Expr::False => Exprs::FALSE,
            Expr::True => Exprs::TRUE,
            &Expr::Is(var, value) => exprs.is(var, value),
            &Expr::Next(var, value) => exprs.is(VarId(var.0 + variables), value),
            Expr::Not(_) => exprs.not(operands[0]),
            Expr::And(_) => exprs.and(operands),
            Expr::Or(_) => exprs.or(operands),
            &Expr::Fix(s, member) => exprs.member(systems[s.0 as usize], member),
        };
        moved.insert(id, copy);
    }
    for &s in &systems {
        for (member, body) in system.exprs.bodies(s).iter().enumerate() {
            exprs.define(s, member as u32, moved[body]);
        }
    }
    (exprs, moved)
}
