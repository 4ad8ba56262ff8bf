//! Evaluation of expressions on up to 64 states at once, one bit each.

use crate::expr::{Expr, ExprId, Exprs, SystemId};
use crate::variable::{State, Value, VarId, Variable};

/// One step of the evaluation plan.
enum Step {
    Eval(ExprId),
    /// Iterates a system of recursive definitions to its least solution.
    Solve {
        /// The expressions that depend on the system's members, operands first.
        inside: Vec<ExprId>,
        /// The members that are used.
        members: Vec<(ExprId, ExprId)>,
    },
}

/// Evaluates chosen expressions on batches of up to 64 states: each word holds one expression's value,
/// one bit (lane) per state. A single state costs no more than 64.
///
/// ```
/// use winset_model::{Exprs, Lanes, State, Variable, VarId};
/// let variables = vec![Variable { name: "x".into(), values: vec!["0".into(), "1".into(), "2".into()] }];
/// let mut exprs = Exprs::new();
/// let two = exprs.is(VarId(0), 2);
/// let mut lanes = Lanes::new(&exprs, &variables, [two]);
/// let states: Vec<State> = (0..3).map(|x| State(Box::new([x]))).collect();
/// lanes.load(&exprs, &states);
/// assert_eq!(lanes.word(two), 0b100);
/// ```
pub struct Lanes {
    steps: Vec<Step>,
    words: Vec<u64>,
    /// Where each variable's row of value masks begins.
    rows: Vec<usize>,
    masks: Vec<u64>,
    lanes: usize,
}

impl Lanes {
    /// Plans the evaluation of everything that the roots need.
    pub fn new(exprs: &Exprs, variables: &[Variable], roots: impl IntoIterator<Item = ExprId>) -> Self {
        let mut rows = Vec::with_capacity(variables.len());
        let mut total = 0;
        for v in variables {
            rows.push(total);
            total += v.size();
        }
        let mut words = vec![0; exprs.len()];
        words[Exprs::TRUE.index()] = !0;
        let steps = plan(exprs, &exprs.cone(roots));
        Lanes { steps, words, rows, masks: vec![0; total], lanes: 0 }
    }

    /// Evaluates on these states (at most 64); bit i of every word belongs to state i.
    pub fn load(&mut self, exprs: &Exprs, states: &[State]) {
        assert!(states.len() <= 64, "at most 64 states at a time");
        self.masks.fill(0);
        for (lane, state) in states.iter().enumerate() {
            for (&row, &value) in self.rows.iter().zip(&state.0) {
                self.masks[row + value as usize] |= 1 << lane;
            }
        }
        self.lanes = states.len();
        self.evaluate(exprs);
    }

    /// Evaluates on states given as one mask of lanes per value of each variable.
    pub fn load_masks(&mut self, exprs: &Exprs, lanes: usize, mut mask: impl FnMut(VarId, Value) -> u64) {
        for var in 0..self.rows.len() {
            let end = self.rows.get(var + 1).copied().unwrap_or(self.masks.len());
            for value in 0..end - self.rows[var] {
                self.masks[self.rows[var] + value] = mask(VarId(var as u32), value as Value);
            }
        }
        self.lanes = lanes;
        self.evaluate(exprs);
    }

    /// The value of an expression that was among the roots' needs, a bit per state. Bits beyond the last
    /// state are meaningless.
    pub fn word(&self, id: ExprId) -> u64 {
        self.words[id.index()]
    }

    /// Whether the expression holds in state `lane` of the batch.
    pub fn holds(&self, id: ExprId, lane: usize) -> bool {
        self.words[id.index()] >> lane & 1 == 1
    }

    /// The bits that belong to states of the batch.
    pub fn used(&self) -> u64 {
        if self.lanes == 64 { !0 } else { (1 << self.lanes) - 1 }
    }

    fn evaluate(&mut self, exprs: &Exprs) {
        let steps = std::mem::take(&mut self.steps);
        for step in &steps {
            match step {
                &Step::Eval(id) => self.words[id.index()] = self.value(exprs, id),
                Step::Solve { inside, members } => self.solve(exprs, inside, members),
            }
        }
        self.steps = steps;
    }

    fn value(&self, exprs: &Exprs, id: ExprId) -> u64 {
        match exprs.get(id) {
            Expr::False | Expr::Next(..) => 0,
            Expr::True => !0,
            &Expr::Is(var, value) => self.masks[self.rows[var.index()] + value as usize],
            Expr::Not(a) => !self.words[a.index()],
            Expr::And(list) => list.iter().fold(!0, |word, a| word & self.words[a.index()]),
            Expr::Or(list) => list.iter().fold(0, |word, a| word | self.words[a.index()]),
            Expr::Fix(..) => self.words[id.index()],
        }
    }

    fn solve(&mut self, exprs: &Exprs, inside: &[ExprId], members: &[(ExprId, ExprId)]) {
        for &(member, _) in members {
            self.words[member.index()] = 0;
        }
        loop {
            for &id in inside {
                self.words[id.index()] = self.value(exprs, id);
            }
            let mut grown = false;
            for &(member, body) in members {
                let more = self.words[member.index()] | self.words[body.index()];
                grown |= more != self.words[member.index()];
                self.words[member.index()] = more;
            }
            if !grown {
                return;
            }
        }
    }
}

/// Orders the cone so that every expression is computed after what it needs, with each system of
/// recursive definitions solved as a whole before the first user outside it.
fn plan(exprs: &Exprs, cone: &[ExprId]) -> Vec<Step> {
    if !cone.iter().any(|&id| matches!(exprs.get(id), Expr::Fix(..))) {
        return cone.iter().map(|&id| Step::Eval(id)).collect();
    }
    let deepest = system_dependencies(exprs, cone);
    let mut steps = vec![];
    let mut done = vec![false; exprs.len()];
    for system in systems_in_order(exprs, cone) {
        let bodies = exprs.bodies(system);
        let mut inside = vec![];
        for id in exprs.cone(bodies.iter().copied()) {
            if std::mem::replace(&mut done[id.index()], true) {
                continue;
            }
            if deepest[id.index()].binary_search(&system).is_ok() {
                if !matches!(exprs.get(id), Expr::Fix(..)) {
                    inside.push(id);
                }
            } else {
                steps.push(Step::Eval(id));
            }
        }
        let members: Vec<(ExprId, ExprId)> = cone
            .iter()
            .filter_map(|&id| match exprs.get(id) {
                Expr::Fix(s, member) if *s == system => Some((id, bodies[*member as usize])),
                _ => None,
            })
            .collect();
        members.iter().for_each(|(id, _)| done[id.index()] = true);
        steps.push(Step::Solve { inside, members });
    }
    steps.extend(cone.iter().filter(|id| !done[id.index()]).map(|&id| Step::Eval(id)));
    steps
}

/// For every expression of the cone, the systems whose members occur in it without passing through a
/// member of another system, sorted.
fn system_dependencies(exprs: &Exprs, cone: &[ExprId]) -> Vec<Vec<SystemId>> {
    let mut deps: Vec<Vec<SystemId>> = vec![vec![]; exprs.len()];
    for &id in cone {
        let mut all: Vec<SystemId> = match exprs.get(id) {
            Expr::Fix(system, _) => vec![*system],
            _ => exprs.operands(id).iter().flat_map(|a| deps[a.index()].clone()).collect(),
        };
        all.sort_unstable();
        all.dedup();
        deps[id.index()] = all;
    }
    deps
}

/// The systems that the cone uses, each after those that its bodies use.
fn systems_in_order(exprs: &Exprs, cone: &[ExprId]) -> Vec<SystemId> {
    let mut order: Vec<SystemId> = vec![];
    for &id in cone {
        if let Expr::Fix(system, _) = exprs.get(id) {
            visit_system(exprs, *system, &mut vec![], &mut order);
        }
    }
    order
}

fn visit_system(exprs: &Exprs, system: SystemId, open: &mut Vec<SystemId>, order: &mut Vec<SystemId>) {
    if order.contains(&system) || open.contains(&system) {
        return;
    }
    open.push(system);
    for id in exprs.cone(exprs.bodies(system).iter().copied()) {
        if let Expr::Fix(other, _) = exprs.get(id) {
            visit_system(exprs, *other, open, order);
        }
    }
    open.pop();
    order.push(system);
}
