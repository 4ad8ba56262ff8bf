//! A slow and simple interpreter of GDL that shares no code with the crate: it evaluates the rules bottom
//! up for every single state. Negation is the well-founded one, by alternating fixpoints, so nothing has
//! to be stratified beforehand.

pub mod playouts;

use super::interpreter::reading::{Condition, Term, condition, parse, tokens};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;
use std::time::Instant;

#[derive(Clone, Debug)]
struct Rule {
    head: Term,
    body: Vec<Condition>,
}

type Key = (Rc<str>, usize);
type Facts = HashMap<Key, HashSet<Term>>;
type Bindings = HashMap<Rc<str>, Term>;

fn key(term: &Term) -> Key {
    (term.0.clone(), term.1.len())
}

pub struct Interpreter {
    changing: Vec<Rule>,
    fixed: Facts,
    pub roles: Vec<Term>,
    deadline: Option<Instant>,
}

pub type State = BTreeSet<Term>;

/// What can be said of a state.
pub struct View {
    pub terminal: bool,
    pub legal: Vec<BTreeSet<Term>>,
    pub goals: Vec<BTreeSet<Term>>,
}

/// The interpreter took too long for a test.
#[derive(Debug)]
pub struct TooSlow;

fn walk(condition: &Condition, visit: &mut impl FnMut(&Term)) {
    match condition {
        Condition::Holds(term) => visit(term),
        Condition::Not(inner) => walk(inner, visit),
        Condition::Distinct(..) => {}
        Condition::Or(list) | Condition::And(list) => list.iter().for_each(|c| walk(c, visit)),
    }
}

fn substitute(term: &Term, bindings: &Bindings) -> Term {
    if term.0.starts_with('?') {
        return bindings.get(&term.0).cloned().unwrap_or_else(|| term.clone());
    }
    if term.1.is_empty() {
        return term.clone();
    }
    Term(term.0.clone(), term.1.iter().map(|a| substitute(a, bindings)).collect())
}

fn is_ground(term: &Term) -> bool {
    !term.0.starts_with('?') && term.1.iter().all(is_ground)
}

fn unify(pattern: &Term, term: &Term, bindings: &mut Bindings) -> bool {
    if pattern.0.starts_with('?') {
        if let Some(bound) = bindings.get(&pattern.0) {
            return bound == term;
        }
        bindings.insert(pattern.0.clone(), term.clone());
        return true;
    }
    pattern.0 == term.0
        && pattern.1.len() == term.1.len()
        && pattern.1.iter().zip(&*term.1).all(|(p, t)| unify(p, t, bindings))
}

impl Interpreter {
    pub fn new(source: &[u8], deadline: Option<Instant>) -> Result<Self, TooSlow> {
        let tokens = tokens(source);
        let (mut at, mut rules) = (0, Vec::new());
        while at < tokens.len() {
            let term = parse(&tokens, &mut at);
            let rule = if &*term.0 == "<=" {
                Rule { head: term.1[0].clone(), body: term.1[1..].iter().map(condition).collect() }
            } else {
                Rule { head: term, body: Vec::new() }
            };
            if !matches!(&*rule.head.0, "base" | "input") {
                rules.push(rule);
            }
        }
        let mut changing: HashSet<Key> = [("true".into(), 1), ("does".into(), 2)].into_iter().collect();
        loop {
            let before = changing.len();
            for rule in &rules {
                let mut found = false;
                rule.body.iter().for_each(|c| walk(c, &mut |t| found |= changing.contains(&key(t))));
                if found {
                    changing.insert(key(&rule.head));
                }
            }
            if changing.len() == before {
                break;
            }
        }
        let (changing, still): (Vec<Rule>, Vec<Rule>) =
            rules.into_iter().partition(|r| changing.contains(&key(&r.head)));
        let roles = still
            .iter()
            .filter(|r| &*r.head.0 == "role" && r.body.is_empty())
            .map(|r| r.head.1[0].clone())
            .collect();
        let mut interpreter = Interpreter { changing: Vec::new(), fixed: Facts::new(), roles, deadline };
        interpreter.fixed = interpreter.well_founded(&still, Facts::new())?;
        interpreter.changing = changing;
        Ok(interpreter)
    }

    /// The well-founded model of rules over given facts.
    fn well_founded(&self, rules: &[Rule], given: Facts) -> Result<Facts, TooSlow> {
        let mut under = given.clone();
        loop {
            let over = self.least(rules, &given, &under)?;
            let next = self.least(rules, &given, &over)?;
            if next == under {
                return Ok(under);
            }
            under = next;
        }
    }

    /// The least model when `not a` is read as "a is not in `reference`".
    fn least(&self, rules: &[Rule], given: &Facts, reference: &Facts) -> Result<Facts, TooSlow> {
        let mut facts = given.clone();
        let mut changed: HashSet<Key> = facts.keys().cloned().collect();
        let mut first = true;
        while first || !changed.is_empty() {
            let mut found: Vec<Term> = Vec::new();
            for rule in rules {
                let mut wake = first;
                rule.body.iter().for_each(|c| walk(c, &mut |t| wake |= changed.contains(&key(t))));
                if wake {
                    let mut open: Vec<&Condition> = rule.body.iter().collect();
                    self.solve(&mut open, &Bindings::new(), &facts, reference, &mut |b| {
                        found.push(substitute(&rule.head, b))
                    })?;
                }
            }
            first = false;
            changed.clear();
            for term in found {
                let key = key(&term);
                if facts.entry(key.clone()).or_default().insert(term) {
                    changed.insert(key);
                }
            }
        }
        Ok(facts)
    }

    fn contains(&self, facts: &Facts, term: &Term) -> bool {
        let key = key(term);
        [facts, &self.fixed].iter().any(|f| f.get(&key).is_some_and(|s| s.contains(term)))
    }

    fn solve(
        &self,
        open: &mut Vec<&Condition>,
        bindings: &Bindings,
        facts: &Facts,
        reference: &Facts,
        emit: &mut dyn FnMut(&Bindings),
    ) -> Result<(), TooSlow> {
        if self.deadline.is_some_and(|d| Instant::now() > d) {
            return Err(TooSlow);
        }
        // Tests first, then the positive condition with the fewest candidates.
        let mut choice: Option<(usize, usize)> = None;
        for (i, condition) in open.iter().enumerate() {
            let cost = match condition {
                Condition::Distinct(a, b)
                    if is_ground(&substitute(a, bindings)) && is_ground(&substitute(b, bindings)) =>
                {
                    0
                }
                Condition::Distinct(..) => continue,
                Condition::Not(inner) => match &**inner {
                    Condition::Holds(t) if !is_ground(&substitute(t, bindings)) => continue,
                    Condition::Distinct(a, b)
                        if !is_ground(&substitute(a, bindings)) && !is_ground(&substitute(b, bindings)) =>
                    {
                        continue;
                    }
                    Condition::Or(_) | Condition::And(_) => usize::MAX - 1,
                    _ => 0,
                },
                Condition::Holds(t) => {
                    let count = |f: &Facts| f.get(&key(t)).map_or(0, HashSet::len);
                    let term = substitute(t, bindings);
                    if is_ground(&term) { 1 } else { 2 + count(facts) + count(&self.fixed) }
                }
                Condition::Or(_) => usize::MAX - 1,
                Condition::And(_) => 0,
            };
            if choice.is_none_or(|c| cost < c.1) {
                choice = Some((i, cost));
            }
        }
        let Some((i, _)) = choice else {
            if open.is_empty() {
                emit(bindings);
            }
            return Ok(());
        };
        let condition = open.remove(i);
        let result = self.solve_one(condition, open, bindings, facts, reference, emit);
        open.insert(i, condition);
        result
    }

    fn solve_one<'a>(
        &self,
        condition: &'a Condition,
        open: &mut Vec<&'a Condition>,
        bindings: &Bindings,
        facts: &Facts,
        reference: &Facts,
        emit: &mut dyn FnMut(&Bindings),
    ) -> Result<(), TooSlow> {
        match condition {
            Condition::Distinct(a, b) => {
                if substitute(a, bindings) != substitute(b, bindings) {
                    self.solve(open, bindings, facts, reference, emit)?;
                }
            }
            Condition::Not(inner) => match &**inner {
                Condition::Holds(t) => {
                    if !self.contains(reference, &substitute(t, bindings)) {
                        self.solve(open, bindings, facts, reference, emit)?;
                    }
                }
                Condition::Distinct(a, b) => {
                    let (a, b) = (substitute(a, bindings), substitute(b, bindings));
                    let mut inner = bindings.clone();
                    let same =
                        if is_ground(&a) { unify(&b, &a, &mut inner) } else { unify(&a, &b, &mut inner) };
                    if same {
                        self.solve(open, &inner, facts, reference, emit)?;
                    }
                }
                Condition::Not(inner) => {
                    self.with(std::slice::from_ref(&**inner), open, bindings, facts, reference, emit)?
                }
                Condition::Or(list) => {
                    let negated: Vec<Condition> =
                        list.iter().map(|c| Condition::Not(Box::new(c.clone()))).collect();
                    let mut all: Vec<&Condition> = open.clone();
                    all.extend(&negated);
                    self.solve(&mut all, bindings, facts, reference, emit)?;
                }
                Condition::And(list) => {
                    for c in list {
                        let negated = Condition::Not(Box::new(c.clone()));
                        let mut all: Vec<&Condition> = open.clone();
                        all.push(&negated);
                        self.solve(&mut all, bindings, facts, reference, emit)?;
                    }
                }
            },
            Condition::Or(list) => {
                for c in list {
                    self.with(std::slice::from_ref(c), open, bindings, facts, reference, emit)?;
                }
            }
            Condition::And(list) => self.with(list, open, bindings, facts, reference, emit)?,
            Condition::Holds(t) => {
                let pattern = substitute(t, bindings);
                if is_ground(&pattern) {
                    if self.contains(facts, &pattern) {
                        self.solve(open, bindings, facts, reference, emit)?;
                    }
                    return Ok(());
                }
                for source in [facts, &self.fixed] {
                    for term in source.get(&key(&pattern)).into_iter().flatten() {
                        let mut inner = bindings.clone();
                        if unify(&pattern, term, &mut inner) {
                            self.solve(open, &inner, facts, reference, emit)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn with<'a>(
        &self,
        more: &'a [Condition],
        open: &[&'a Condition],
        bindings: &Bindings,
        facts: &Facts,
        reference: &Facts,
        emit: &mut dyn FnMut(&Bindings),
    ) -> Result<(), TooSlow> {
        let mut all: Vec<&Condition> = open.to_vec();
        all.extend(more);
        self.solve(&mut all, bindings, facts, reference, emit)
    }

    pub fn start(&self) -> State {
        self.fixed.get(&("init".into(), 1)).into_iter().flatten().map(|t| t.1[0].clone()).collect()
    }

    fn facts(&self, state: &State, moves: &[Term]) -> Facts {
        let mut facts = Facts::new();
        let wrap = |f: &Term| Term("true".into(), Rc::new([f.clone()]));
        facts.insert(("true".into(), 1), state.iter().map(wrap).collect());
        let does =
            self.roles.iter().zip(moves).map(|(r, m)| Term("does".into(), Rc::new([r.clone(), m.clone()])));
        facts.insert(("does".into(), 2), does.collect());
        facts
    }

    fn rules_for(&self, wanted: &[&str]) -> Vec<Rule> {
        let mut names: HashSet<Rc<str>> = wanted.iter().map(|w| (*w).into()).collect();
        loop {
            let before = names.len();
            for rule in &self.changing {
                if names.contains(&rule.head.0) {
                    rule.body.iter().for_each(|c| {
                        walk(c, &mut |t| {
                            names.insert(t.0.clone());
                        })
                    });
                }
            }
            if names.len() == before {
                return self.changing.iter().filter(|r| names.contains(&r.head.0)).cloned().collect();
            }
        }
    }

    pub fn view(&self, state: &State) -> Result<View, TooSlow> {
        let facts =
            self.well_founded(&self.rules_for(&["legal", "terminal", "goal"]), self.facts(state, &[]))?;
        let second = |name: &str, role: &Term| -> BTreeSet<Term> {
            let key = (name.into(), 2);
            let all = [&facts, &self.fixed];
            let terms = all.iter().filter_map(|f| f.get(&key)).flatten();
            terms.filter(|t| t.1[0] == *role).map(|t| t.1[1].clone()).collect()
        };
        Ok(View {
            terminal: self.contains(&facts, &Term("terminal".into(), Rc::new([]))),
            legal: self.roles.iter().map(|r| second("legal", r)).collect(),
            goals: self.roles.iter().map(|r| second("goal", r)).collect(),
        })
    }

    pub fn next(&self, state: &State, moves: &[Term]) -> Result<State, TooSlow> {
        let facts = self.well_founded(&self.rules_for(&["next"]), self.facts(state, moves))?;
        let all = [&facts, &self.fixed];
        Ok(all.iter().filter_map(|f| f.get(&("next".into(), 1))).flatten().map(|t| t.1[0].clone()).collect())
    }
}
