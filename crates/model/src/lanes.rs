//! Evaluation of expressions on up to 64 states at once, one bit each.

use crate::expr::{Expr, ExprId, Exprs, SystemId};
use crate::variable::{State, Variable};
use std::ops::Range;

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
/// lanes.load(&states);
/// assert_eq!(lanes.word(two), 0b100);
/// ```
pub struct Lanes {
    steps: Vec<Step>,
    conjunctions: Vec<Conjunction>,
    operands: Vec<Literal>,
    /// One mask per value of each variable, then the constant true, then what is computed.
    words: Vec<u64>,
    /// Where each variable's row of value masks begins.
    rows: Vec<usize>,
    masks: usize,
    /// Where each expression's value is found.
    at: Vec<Literal>,
    lanes: usize,
}

/// A word, negated if the lowest bit is set. Negations and disjunctions thus cost no step of their own.
#[derive(Clone, Copy)]
struct Literal(u32);

impl Literal {
    fn new(word: usize) -> Self {
        Literal((word as u32) << 1)
    }

    fn negated_if(self, negated: bool) -> Self {
        Literal(self.0 ^ u32::from(negated))
    }

    fn value(self, words: &[u64]) -> u64 {
        words[(self.0 >> 1) as usize] ^ 0u64.wrapping_sub(u64::from(self.0 & 1))
    }
}

/// The conjunction of some operands, kept in a word.
struct Conjunction {
    to: u32,
    operands: Range<u32>,
}

/// Some conjunctions one after the other.
enum Step {
    Once(Range<usize>),
    /// Iterates a system of recursive definitions to its least solution.
    Solve {
        inside: Range<usize>,
        /// The words of the members that are used, and what their bodies come to.
        members: Vec<(u32, Literal)>,
    },
}

impl Lanes {
    /// Plans the evaluation of everything that the roots need.
    pub fn new(exprs: &Exprs, variables: &[Variable], roots: impl IntoIterator<Item = ExprId>) -> Self {
        let mut rows = Vec::with_capacity(variables.len());
        let mut masks = 0;
        for v in variables {
            rows.push(masks);
            masks += v.size();
        }
        let mut words = vec![0; masks + 1];
        words[masks] = !0;
        let constant = Literal::new(masks);
        let mut at = vec![constant.negated_if(true); exprs.len()];
        at[Exprs::TRUE.index()] = constant;
        let mut lanes =
            Lanes { steps: vec![], conjunctions: vec![], operands: vec![], words, rows, masks, at, lanes: 0 };
        let cone = exprs.cone(roots);
        for &id in cone.iter().filter(|&&id| matches!(exprs.get(id), Expr::Fix(..))) {
            lanes.at[id.index()] = lanes.new_word();
        }
        for part in evaluation_order(exprs, &cone) {
            let first = lanes.conjunctions.len();
            part.list.iter().for_each(|&id| lanes.compile(exprs, id));
            let range = first..lanes.conjunctions.len();
            lanes.steps.push(match part.members {
                None => Step::Once(range),
                Some(members) => {
                    let places = members
                        .iter()
                        .map(|&(member, body)| (lanes.at[member.index()].0 >> 1, lanes.at[body.index()]));
                    Step::Solve { inside: range, members: places.collect() }
                }
            });
        }
        lanes
    }

    fn new_word(&mut self) -> Literal {
        self.words.push(0);
        Literal::new(self.words.len() - 1)
    }

    fn compile(&mut self, exprs: &Exprs, id: ExprId) {
        let (list, or) = match exprs.get(id) {
            Expr::True | Expr::False | Expr::Next(..) | Expr::Fix(..) => return,
            &Expr::Is(var, value) => {
                self.at[id.index()] = Literal::new(self.rows[var.index()] + usize::from(value));
                return;
            }
            Expr::Not(a) => {
                self.at[id.index()] = self.at[a.index()].negated_if(true);
                return;
            }
            Expr::And(list) => (list, false),
            Expr::Or(list) => (list, true),
        };
        // By De Morgan, one kind of step does.
        let first = self.operands.len() as u32;
        self.operands.extend(list.iter().map(|a| self.at[a.index()].negated_if(or)));
        let to = self.new_word();
        self.conjunctions.push(Conjunction { to: to.0 >> 1, operands: first..self.operands.len() as u32 });
        self.at[id.index()] = to.negated_if(or);
    }

    /// Evaluates on these states (at most 64); bit i of every word belongs to state i.
    pub fn load(&mut self, states: &[State]) {
        assert!(states.len() <= 64, "at most 64 states at a time");
        self.words[..self.masks].fill(0);
        for (lane, state) in states.iter().enumerate() {
            for (&row, &value) in self.rows.iter().zip(&state.0) {
                self.words[row + value as usize] |= 1 << lane;
            }
        }
        self.evaluate(states.len());
    }

    /// The masks of lanes, one per value of each variable in their order, to be set before `evaluate`.
    pub fn masks(&mut self) -> &mut [u64] {
        &mut self.words[..self.masks]
    }

    /// The value of an expression that was among the roots' needs, a bit per state. Bits beyond the last
    /// state are meaningless.
    pub fn word(&self, id: ExprId) -> u64 {
        self.at[id.index()].value(&self.words)
    }

    /// Whether the expression holds in state `lane` of the batch.
    pub fn holds(&self, id: ExprId, lane: usize) -> bool {
        self.word(id) >> lane & 1 == 1
    }

    /// The bits that belong to states of the batch.
    pub fn used(&self) -> u64 {
        if self.lanes == 64 { !0 } else { (1 << self.lanes) - 1 }
    }

    /// Evaluates on the states given by `masks`.
    pub fn evaluate(&mut self, lanes: usize) {
        self.lanes = lanes;
        let Lanes { steps, conjunctions, operands, words, .. } = self;
        let run = |range: &Range<usize>, words: &mut Vec<u64>| {
            for c in &conjunctions[range.clone()] {
                let list = &operands[c.operands.start as usize..c.operands.end as usize];
                words[c.to as usize] = list.iter().fold(!0, |word, a| word & a.value(words));
            }
        };
        for step in steps {
            let (inside, members) = match step {
                Step::Once(range) => {
                    run(range, words);
                    continue;
                }
                Step::Solve { inside, members } => (inside, members),
            };
            members.iter().for_each(|member| words[member.0 as usize] = 0);
            loop {
                run(inside, words);
                let mut grown = false;
                for &(member, body) in members.iter() {
                    let (old, more) = (words[member as usize], body.value(words));
                    grown |= more & !old != 0;
                    words[member as usize] = old | more;
                }
                if !grown {
                    break;
                }
            }
        }
    }
}

/// Expressions in an order in which each comes after what it needs; with the members of a system and their
/// bodies if they depend on each other.
pub struct Part {
    /// The expressions.
    pub list: Vec<ExprId>,
    /// Members with their bodies, to be evaluated again and again from false on until none of them grows.
    pub members: Option<Vec<(ExprId, ExprId)>>,
}

/// Orders the cone so that every expression is computed after what it needs, with each system of
/// recursive definitions solved as a whole before the first user outside it.
pub fn evaluation_order(exprs: &Exprs, cone: &[ExprId]) -> Vec<Part> {
    if !cone.iter().any(|&id| matches!(exprs.get(id), Expr::Fix(..))) {
        return vec![Part { list: cone.to_vec(), members: None }];
    }
    let deepest = system_dependencies(exprs, cone);
    let mut parts = vec![];
    let mut done = vec![false; exprs.len()];
    for system in systems_in_order(exprs, cone) {
        let bodies = exprs.bodies(system);
        let (mut before, mut inside) = (vec![], vec![]);
        for id in exprs.cone(bodies.iter().copied()) {
            if std::mem::replace(&mut done[id.index()], true) {
                continue;
            }
            if deepest[id.index()].binary_search(&system).is_ok() {
                if !matches!(exprs.get(id), Expr::Fix(..)) {
                    inside.push(id);
                }
            } else {
                before.push(id);
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
        parts.push(Part { list: before, members: None });
        parts.push(Part { list: inside, members: Some(members) });
    }
    let rest = cone.iter().filter(|id| !done[id.index()]).copied().collect();
    parts.push(Part { list: rest, members: None });
    parts
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
