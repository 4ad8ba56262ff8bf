//! Trees evaluated state by state, states in a list, formulas as lists of Booleans.

use crate::flatten::{Atom, Flat, Tree, Value, Variable};
use crate::syntax::Head;
use std::collections::{BTreeMap, BTreeSet};
use winset_smv::Code;

/// The values that the three copies of the variables have.
#[derive(Clone, Copy, Default)]
pub struct View<'a> {
    pub now: &'a [Value],
    pub next: &'a [Value],
    pub inputs: &'a [Value],
}

/// What an expression can be: one value, or a choice of several. One value is kept in place: nearly all are.
#[derive(Clone, Debug)]
enum Values {
    One([Value; 1]),
    Many(Vec<Value>),
}

impl Default for Values {
    fn default() -> Self {
        Values::One([Value::Boolean(false)])
    }
}

impl std::ops::Deref for Values {
    type Target = [Value];

    fn deref(&self) -> &[Value] {
        match self {
            Values::One(one) => one,
            Values::Many(many) => many,
        }
    }
}

/// The value of an expression without variables.
pub fn constant(tree: &Tree) -> Option<Value> {
    if !atoms(tree).is_empty() {
        return None;
    }
    match &*evaluate(tree, View::default(), &[]).ok()? {
        [value] => Some(*value),
        _ => None,
    }
}

fn truth(values: &[Value]) -> bool {
    match values {
        [Value::Boolean(value)] => *value,
        [Value::Integer(n @ (0 | 1))] => *n == 1,
        other => panic!("not a Boolean: {other:?}"),
    }
}

fn number(values: &[Value]) -> i64 {
    match values {
        [Value::Integer(n)] => *n,
        other => panic!("not a number: {other:?}"),
    }
}

/// 0 and 1 serve as false and true beside Booleans.
fn equal(a: Value, b: Value) -> bool {
    match (a, b) {
        (Value::Boolean(x), Value::Integer(n)) | (Value::Integer(n), Value::Boolean(x)) => n == i64::from(x),
        _ => a == b,
    }
}

/// The values of an expression. A mistake in an operand counts where the others do not decide: beside something false in
/// a conjunction, or in a branch that is not taken, it does not.
/// `domains` gives the values of the variables that are assigned.
fn evaluate(tree: &Tree, view: View<'_>, domains: &[Variable]) -> Result<Values, Code> {
    let one = |value: Value| Ok(Values::One([value]));
    match tree {
        Tree::Constant(value) => one(*value),
        Tree::Look(Atom::Now(v)) => one(view.now[*v]),
        Tree::Look(Atom::Next(v)) => one(view.next[*v]),
        Tree::Look(Atom::Input(v)) => one(view.inputs[*v]),
        Tree::Becomes(atom, value) => {
            let (Atom::Now(v) | Atom::Next(v) | Atom::Input(v)) = *atom;
            let values = evaluate(value, view, domains)?;
            if values.iter().any(|value| !domains[v].values.iter().any(|own| equal(*own, *value))) {
                return Err(Code::ValueOutOfRange);
            }
            let own = if matches!(atom, Atom::Next(_)) { view.next[v] } else { view.now[v] };
            one(Value::Boolean(values.iter().any(|value| equal(own, *value))))
        }
        Tree::Pick(low, elements, index) => {
            let index = number(&evaluate(index, view, domains)?) - low;
            let elements: Vec<Values> =
                elements.iter().map(|e| evaluate(e, view, domains)).collect::<Result<_, _>>()?;
            let element = usize::try_from(index).ok().and_then(|index| elements.get(index));
            element.cloned().ok_or(Code::IndexOutOfRange)
        }
        Tree::Bound(name) => panic!("{name} is a set of states"),
        Tree::Apply(Head::Binary(operator @ ("&" | "|" | "->")), operands) => {
            let [a, b] = [0, 1].map(|i| evaluate(&operands[i], view, domains).map(|values| truth(&values)));
            let a = if *operator == "->" { a.map(|a| !a) } else { a };
            let deciding = *operator != "&";
            if a == Ok(deciding) || b == Ok(deciding) {
                return one(Value::Boolean(deciding));
            }
            a.and(b).and(one(Value::Boolean(!deciding)))
        }
        Tree::Apply(Head::Case, operands) => {
            for branch in operands.chunks(2) {
                if truth(&evaluate(&branch[0], view, domains)?) {
                    return evaluate(&branch[1], view, domains);
                }
            }
            Err(Code::CaseNotExhaustive)
        }
        Tree::Apply(Head::If, operands) => {
            let condition = truth(&evaluate(&operands[0], view, domains)?);
            evaluate(&operands[if condition { 1 } else { 2 }], view, domains)
        }
        Tree::Apply(head, operands) => {
            let (mut few, mut many) = (<[Values; 3]>::default(), vec![]);
            let list = match operands.len() {
                count @ 0..=3 => &mut few[..count],
                count => {
                    many.resize_with(count, Values::default);
                    &mut many[..]
                }
            };
            for (value, operand) in list.iter_mut().zip(operands) {
                *value = evaluate(operand, view, domains)?;
            }
            apply(head, list)
        }
    }
}

fn apply(head: &Head, operands: &[Values]) -> Result<Values, Code> {
    let boolean = |value: bool| Ok(Values::One([Value::Boolean(value)]));
    let integer = |n: i64| Ok(Values::One([Value::Integer(n)]));
    let truths = || [truth(&operands[0]), truth(&operands[1])];
    let numbers = || [number(&operands[0]), number(&operands[1])];
    let member = || operands[1].iter().any(|value| equal(operands[0][0], *value));
    let set = || {
        let values: BTreeSet<Value> = operands.iter().flat_map(|values| values.iter().copied()).collect();
        Ok(Values::Many(values.into_iter().collect()))
    };
    match head {
        Head::Not => boolean(!truth(&operands[0])),
        Head::Negative => integer(-number(&operands[0])),
        Head::Range => {
            Ok(Values::Many((number(&operands[0])..=number(&operands[1])).map(Value::Integer).collect()))
        }
        Head::Set => set(),
        Head::Call(function) => match function.as_str() {
            "toint" => match operands[0][0] {
                Value::Boolean(value) => integer(i64::from(value)),
                other => Ok(Values::One([other])),
            },
            "bool" => boolean(truth(&operands[0])),
            "count" => integer(operands.iter().filter(|operand| truth(operand)).count() as i64),
            "max" => integer(numbers()[0].max(numbers()[1])),
            "min" => integer(numbers()[0].min(numbers()[1])),
            "abs" => integer(number(&operands[0]).abs()),
            other => panic!("no function {other}"),
        },
        Head::Binary(operator) => match *operator {
            "<->" | "xnor" => boolean(truths()[0] == truths()[1]),
            "xor" => boolean(truths()[0] != truths()[1]),
            "=" | "in" => boolean(member()),
            "!=" => boolean(!member()),
            "<" => boolean(numbers()[0] < numbers()[1]),
            "<=" => boolean(numbers()[0] <= numbers()[1]),
            ">" => boolean(numbers()[0] > numbers()[1]),
            ">=" => boolean(numbers()[0] >= numbers()[1]),
            "union" => set(),
            "+" => integer(numbers()[0] + numbers()[1]),
            "-" => integer(numbers()[0] - numbers()[1]),
            "*" => integer(numbers()[0] * numbers()[1]),
            "/" | "mod" if numbers()[1] == 0 => Err(Code::DivisionByZero),
            // Division cuts off towards zero, and the rest has the sign of the dividend.
            "/" => integer(numbers()[0] / numbers()[1]),
            "mod" => integer(numbers()[0] % numbers()[1]),
            other => panic!("no operator {other}"),
        },
        other => panic!("{other:?} has no value"),
    }
}

/// The variables that a tree looks at.
fn atoms(tree: &Tree) -> BTreeSet<Atom> {
    match tree {
        Tree::Constant(_) | Tree::Bound(_) => BTreeSet::new(),
        Tree::Look(atom) => BTreeSet::from([*atom]),
        Tree::Apply(_, operands) => operands.iter().flat_map(atoms).collect(),
        Tree::Pick(_, elements, index) => elements.iter().flat_map(atoms).chain(atoms(index)).collect(),
        Tree::Becomes(atom, value) => atoms(value).into_iter().chain([*atom]).collect(),
    }
}

/// The next combination of values, the last variable fastest; false after the last one.
fn advance(combination: &mut [usize], sizes: &[usize]) -> bool {
    for (digit, size) in combination.iter_mut().zip(sizes).rev() {
        *digit += 1;
        if *digit < *size {
            return true;
        }
        *digit = 0;
    }
    false
}

/// All combinations of values.
fn combinations(variables: &[Variable]) -> Vec<Vec<Value>> {
    let sizes: Vec<usize> = variables.iter().map(|v| v.values.len()).collect();
    let mut digits = vec![0; sizes.len()];
    let mut all = vec![];
    loop {
        all.push(variables.iter().zip(&digits).map(|(v, &digit)| v.values[digit]).collect());
        if !advance(&mut digits, &sizes) {
            return all;
        }
    }
}

/// What one specification says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub holds: bool,
    pub satisfying: u128,
}

/// What `check` shows, over some of the states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    pub states: u128,
    pub initial: u128,
    pub deadlocks: u128,
    pub answers: Vec<Answer>,
}

/// A model in full.
pub struct Explicit {
    pub states: Vec<Vec<Value>>,
    pub successors: Vec<Vec<usize>>,
    pub initial: Vec<bool>,
    pub invariant: Vec<bool>,
    pub reachable: Vec<bool>,
    /// For every specification where it holds.
    pub specs: Vec<Vec<bool>>,
}

/// Everything that is wrong with a model, by what it says in combinations of values that need not arise.
pub fn mistakes(flat: &Flat) -> BTreeSet<Code> {
    let mut found = BTreeSet::new();
    let conditions = flat.specs.iter().flat_map(conditions);
    let all = [&flat.initial, &flat.invariants, &flat.transitions].into_iter().flatten();
    for tree in all.chain(conditions) {
        let atoms: Vec<Atom> = atoms(tree).into_iter().collect();
        let variable = |atom: &Atom| match atom {
            Atom::Now(v) | Atom::Next(v) => &flat.variables[*v],
            Atom::Input(v) => &flat.inputs[*v],
        };
        let sizes: Vec<usize> = atoms.iter().map(|atom| variable(atom).values.len()).collect();
        let first = |list: &[Variable]| list.iter().map(|v| v.values[0]).collect::<Vec<Value>>();
        let (mut now, mut next, mut inputs) =
            (first(&flat.variables), first(&flat.variables), first(&flat.inputs));
        let mut digits = vec![0; atoms.len()];
        loop {
            for (atom, &digit) in atoms.iter().zip(&digits) {
                let value = variable(atom).values[digit];
                match atom {
                    Atom::Now(v) => now[*v] = value,
                    Atom::Next(v) => next[*v] = value,
                    Atom::Input(v) => inputs[*v] = value,
                }
            }
            let view = View { now: &now, next: &next, inputs: &inputs };
            if let Err(code) = evaluate(tree, view, &flat.variables) {
                found.insert(code);
            }
            if !advance(&mut digits, &sizes) {
                break;
            }
        }
    }
    found
}

/// The largest parts of a formula that speak of one state.
fn conditions(formula: &Tree) -> Vec<&Tree> {
    match formula {
        Tree::Apply(_, operands) if is_temporal(formula) => operands.iter().flat_map(conditions).collect(),
        Tree::Bound(_) => vec![],
        _ => vec![formula],
    }
}

fn is_temporal(tree: &Tree) -> bool {
    match tree {
        Tree::Bound(_) => true,
        Tree::Apply(Head::Temporal(_) | Head::Until(_) | Head::Fix(..), _) => true,
        Tree::Apply(_, operands) => operands.iter().any(is_temporal),
        _ => false,
    }
}

impl Explicit {
    /// Enumerates a model that has no mistakes.
    pub fn new(flat: &Flat) -> Explicit {
        let states = combinations(&flat.variables);
        let inputs = combinations(&flat.inputs);
        let holds =
            |tree: &Tree, view: View<'_>| truth(&evaluate(tree, view, &flat.variables).expect("no mistakes"));
        let at = |trees: &[Tree], now: &Vec<Value>| {
            trees.iter().all(|tree| holds(tree, View { now, ..View::default() }))
        };
        let invariant: Vec<bool> = states.iter().map(|state| at(&flat.invariants, state)).collect();
        let initial: Vec<bool> =
            states.iter().zip(&invariant).map(|(s, yes)| *yes && at(&flat.initial, s)).collect();
        // What does not depend on the next state is decided before one is looked for.
        let is_later = |tree: &&Tree| atoms(tree).iter().any(|atom| matches!(atom, Atom::Next(_)));
        let (later, early): (Vec<&Tree>, Vec<&Tree>) = flat.transitions.iter().partition(is_later);
        let mut successors = vec![];
        for (now, inside) in states.iter().zip(&invariant) {
            let mut found = BTreeSet::new();
            for inputs in inputs.iter().filter(|_| *inside) {
                let view = View { now, next: &[], inputs };
                if !early.iter().all(|tree| holds(tree, view)) {
                    continue;
                }
                for (i, next) in states.iter().enumerate().filter(|(i, _)| invariant[*i]) {
                    if later.iter().all(|tree| holds(tree, View { next, ..view })) {
                        found.insert(i);
                    }
                }
            }
            successors.push(found.into_iter().collect::<Vec<usize>>());
        }
        let mut reachable = initial.clone();
        let mut open: Vec<usize> = (0..states.len()).filter(|&i| initial[i]).collect();
        while let Some(i) = open.pop() {
            for &next in &successors[i] {
                if !reachable[next] {
                    reachable[next] = true;
                    open.push(next);
                }
            }
        }
        let mut explicit = Explicit { states, successors, initial, invariant, reachable, specs: vec![] };
        explicit.specs =
            flat.specs.iter().map(|spec| explicit.formula(spec, flat, &BTreeMap::new())).collect();
        explicit
    }

    /// What `check` shows over some of the states.
    pub fn report(&self, universe: &[bool]) -> Report {
        let count = |set: &dyn Fn(usize) -> bool| {
            (0..self.states.len()).filter(|&i| universe[i] && set(i)).count() as u128
        };
        let answer = |set: &Vec<bool>| Answer {
            holds: count(&|i| self.initial[i] && !set[i]) == 0,
            satisfying: count(&|i| set[i]),
        };
        Report {
            states: count(&|_| true),
            initial: count(&|i| self.initial[i]),
            deadlocks: count(&|i| self.successors[i].is_empty()),
            answers: self.specs.iter().map(answer).collect(),
        }
    }

    /// Where a formula holds.
    fn formula(&self, tree: &Tree, flat: &Flat, bound: &BTreeMap<String, Vec<bool>>) -> Vec<bool> {
        if !is_temporal(tree) {
            let holds = |now: &Vec<Value>| evaluate(tree, View { now, ..View::default() }, &flat.variables);
            return self.states.iter().map(|state| truth(&holds(state).expect("no mistakes"))).collect();
        }
        let (head, operands) = match tree {
            Tree::Bound(name) => return bound[name].clone(),
            Tree::Apply(head, operands) => (head, operands),
            _ => unreachable!("temporal"),
        };
        if let Head::Fix(kind, variable) = head {
            return self.iterate(*kind == "nu", |set| {
                let mut bound = bound.clone();
                bound.insert(variable.clone(), set.to_vec());
                self.formula(&operands[0], flat, &bound)
            });
        }
        let sets: Vec<Vec<bool>> =
            operands.iter().map(|operand| self.formula(operand, flat, bound)).collect();
        let each = |f: &dyn Fn(usize) -> bool| (0..self.states.len()).map(f).collect::<Vec<bool>>();
        match head {
            Head::Not => each(&|i| !sets[0][i]),
            Head::Binary("&") => each(&|i| sets[0][i] && sets[1][i]),
            Head::Binary("|") => each(&|i| sets[0][i] || sets[1][i]),
            Head::Binary("->") => each(&|i| !sets[0][i] || sets[1][i]),
            Head::Binary("<->" | "xnor" | "=") => each(&|i| sets[0][i] == sets[1][i]),
            Head::Binary("xor" | "!=") => each(&|i| sets[0][i] != sets[1][i]),
            Head::Temporal(operator) => {
                let all = operator.starts_with('A');
                match &operator[1..] {
                    "X" => each(&|i| self.next(all, i, &sets[0])),
                    "F" => self.iterate(false, |set| each(&|i| sets[0][i] || self.next(all, i, set))),
                    _ => self.iterate(true, |set| each(&|i| sets[0][i] && self.next(all, i, set))),
                }
            }
            Head::Until(path) => self.iterate(false, |set| {
                each(&|i| sets[1][i] || (sets[0][i] && self.next(*path == "A", i, set)))
            }),
            other => panic!("{other:?} of formulas"),
        }
    }

    fn next(&self, all: bool, i: usize, set: &[bool]) -> bool {
        let mut next = self.successors[i].iter().map(|&next| set[next]);
        if all { next.all(|inside| inside) } else { next.any(|inside| inside) }
    }

    /// From all states down, or from none up, until nothing changes.
    fn iterate(&self, from_all: bool, step: impl Fn(&[bool]) -> Vec<bool>) -> Vec<bool> {
        let mut set = vec![from_all; self.states.len()];
        loop {
            let next = step(&set);
            if next == set {
                return set;
            }
            set = next;
        }
    }
}
