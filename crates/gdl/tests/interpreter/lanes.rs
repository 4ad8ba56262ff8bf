//! An interpreter of GDL for many states at once: every fact has one bit for each of 64 states in
//! which it holds, and rules are joined over the facts of all of them. Negation is the well-founded
//! one, by alternating fixpoints, so nothing has to be stratified beforehand.

use super::join::{Lanes, Literal, Plan, Relation, Rule, Step, Walk};
use super::reading::{Condition, Term, condition, parse, tokens};
use super::terms::{Pattern, Terms, UNSET};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use std::time::Instant;

/// The interpreter took too long.
#[derive(Debug)]
pub struct TooSlow;

/// Rules that are evaluated together.
struct Component {
    rules: Vec<usize>,
    preds: HashSet<usize>,
    recursive: bool,
    negates_itself: bool,
    changing: bool,
    moved: bool,
}

pub struct Interpreter {
    pub terms: Terms,
    pub relations: Vec<Relation>,
    preds: HashMap<(u32, u32, usize), usize>,
    rules: Vec<Rule>,
    plans: HashMap<(usize, usize), Plan>,
    components: Vec<Component>,
    /// `true`, `does`, `next`, `legal` and `init` are one relation for each function inside of them.
    flat: bool,
    pub roles: Vec<u32>,
    deadline: Instant,
}

/// The keywords that speak of facts or moves, with the position of the term inside.
const WRAPPERS: [(&str, usize); 5] = [("true", 0), ("next", 0), ("init", 0), ("does", 1), ("legal", 1)];

/// A body as alternatives without `or`.
fn alternatives(conditions: &[Condition], out: &mut Vec<Vec<Condition>>) {
    let mut open = vec![(Vec::new(), conditions.to_vec())];
    while let Some((mut done, mut rest)) = open.pop() {
        let Some(c) = rest.pop() else {
            out.push(done);
            continue;
        };
        match c {
            Condition::And(list) => {
                rest.extend(list);
                open.push((done, rest));
            }
            Condition::Or(list) => {
                for c in list {
                    let mut more = rest.clone();
                    more.push(c);
                    open.push((done.clone(), more));
                }
            }
            Condition::Not(inner) => match *inner {
                Condition::Not(c) => {
                    rest.push(*c);
                    open.push((done, rest));
                }
                Condition::And(list) => {
                    rest.push(Condition::Or(list.into_iter().map(|c| Condition::Not(Box::new(c))).collect()));
                    open.push((done, rest));
                }
                Condition::Or(list) => {
                    rest.extend(list.into_iter().map(|c| Condition::Not(Box::new(c))));
                    open.push((done, rest));
                }
                simple => {
                    done.push(Condition::Not(Box::new(simple)));
                    open.push((done, rest));
                }
            },
            simple => {
                done.push(simple);
                open.push((done, rest));
            }
        }
    }
}

impl Interpreter {
    pub fn new(source: &[u8], deadline: Instant) -> Result<Self, TooSlow> {
        let tokens = tokens(source);
        let (mut at, mut read) = (0, Vec::new());
        while at < tokens.len() {
            let term = parse(&tokens, &mut at);
            let (head, body) = match &*term.0 {
                "<=" => (term.1[0].clone(), term.1[1..].iter().map(condition).collect()),
                _ => (term, Vec::new()),
            };
            if !matches!(&*head.0, "base" | "input") {
                let mut bodies = Vec::new();
                alternatives(&body, &mut bodies);
                read.extend(bodies.into_iter().map(|b| (head.clone(), b)));
            }
        }
        let bare = |t: &Term| {
            WRAPPERS.iter().any(|(w, at)| *t.0 == **w && t.1.get(*at).is_some_and(|a| a.0.starts_with('?')))
        };
        let mut flat = true;
        for (head, body) in &read {
            flat &= !bare(head);
            for c in body {
                match c {
                    Condition::Holds(t) => flat &= !bare(t),
                    Condition::Not(inner) => {
                        if let Condition::Holds(t) = &**inner {
                            flat &= !bare(t);
                        }
                    }
                    _ => {}
                }
            }
        }
        let mut interpreter = Interpreter {
            terms: Terms::default(),
            relations: Vec::new(),
            preds: HashMap::default(),
            rules: Vec::new(),
            plans: HashMap::default(),
            components: Vec::new(),
            flat,
            roles: Vec::new(),
            deadline,
        };
        for (head, body) in read {
            interpreter.add(&head, &body);
        }
        interpreter.arrange();
        for c in 0..interpreter.components.len() {
            if !interpreter.components[c].changing {
                interpreter.evaluate(c, Lanes::MAX)?;
            }
        }
        if let Some(role) = interpreter.named("role").first() {
            interpreter.roles = interpreter.relations[*role].tuples.iter().map(|t| t[0]).collect();
        }
        Ok(interpreter)
    }

    fn pred(&mut self, name: &str, inner: u32, arity: usize) -> usize {
        let symbol = self.terms.symbol(name);
        let next = self.relations.len();
        let at = *self.preds.entry((symbol, inner, arity)).or_insert(next);
        if at == next {
            self.relations.push(Relation::default());
        }
        at
    }

    /// The relations of a keyword.
    pub fn named(&self, name: &str) -> Vec<usize> {
        let symbol = self.terms.symbols.get(name);
        let mut list: Vec<usize> =
            self.preds.iter().filter(|(k, _)| Some(&k.0) == symbol).map(|(_, p)| *p).collect();
        list.sort_unstable();
        list
    }

    /// Where a fact about a term belongs: `(true (cell 1 1 b))` is a tuple of the relation of true cells.
    pub fn place(&mut self, name: &str, role: Option<u32>, term: u32) -> (usize, usize) {
        let mut tuple: Vec<u32> = role.into_iter().collect();
        let pred = if self.flat {
            let (symbol, args) = self.terms.nodes[term as usize].clone();
            tuple.extend(args);
            self.pred(name, symbol, tuple.len())
        } else {
            tuple.push(term);
            self.pred(name, UNSET, tuple.len())
        };
        (pred, self.relations[pred].insert(&tuple))
    }

    /// The term that a tuple of a keyword's relation speaks of, after the role if there is one.
    pub fn term(&mut self, pred: usize, tuple: usize, roles: usize) -> u32 {
        let inner = self.preds.iter().find(|(_, p)| **p == pred).map_or(UNSET, |(k, _)| k.1);
        let tuple = self.relations[pred].tuples[tuple].clone();
        if inner == UNSET { tuple[roles] } else { self.terms.intern(inner, &tuple[roles..]) }
    }

    fn add(&mut self, head: &Term, body: &[Condition]) {
        // Equations first: they replace variables.
        let mut equal: HashMap<String, Term> = HashMap::default();
        for c in body {
            if let Condition::Not(inner) = c
                && let Condition::Distinct(a, b) = &**inner
                && !unify(a, b, &mut equal)
            {
                return;
            }
        }
        let mut vars: HashMap<String, usize> = HashMap::default();
        let head = self.literal(&replace(head, &equal), &mut vars);
        let (mut positive, mut negative, mut distinct) = (Vec::new(), Vec::new(), Vec::new());
        for c in body {
            match c {
                Condition::Holds(t) => positive.push(self.literal(&replace(t, &equal), &mut vars)),
                Condition::Distinct(a, b) => distinct.push((
                    self.pattern(&replace(a, &equal), &mut vars),
                    self.pattern(&replace(b, &equal), &mut vars),
                )),
                Condition::Not(inner) => {
                    if let Condition::Holds(t) = &**inner {
                        negative.push(self.literal(&replace(t, &equal), &mut vars));
                    }
                }
                _ => {}
            }
        }
        let vars = vars.len();
        self.rules.push(Rule { head, positive, negative, distinct, vars });
    }

    fn literal(&mut self, term: &Term, vars: &mut HashMap<String, usize>) -> Literal {
        let wrapper = WRAPPERS.iter().find(|(w, at)| *term.0 == **w && term.1.len() == at + 1);
        let mut args: Vec<Term> = term.1.to_vec();
        let mut inner = UNSET;
        if let (true, Some((_, at))) = (self.flat, wrapper) {
            let wrapped = args.remove(*at);
            inner = self.terms.symbol(&wrapped.0);
            args.extend(wrapped.1.iter().cloned());
        }
        let pred = self.pred(&term.0, inner, args.len());
        Literal { pred, args: args.iter().map(|a| self.pattern(a, vars)).collect() }
    }

    fn pattern(&mut self, term: &Term, vars: &mut HashMap<String, usize>) -> Pattern {
        if term.0.starts_with('?') {
            let next = vars.len();
            return Pattern::Var(*vars.entry(term.0.to_string()).or_insert(next));
        }
        let args: Vec<Pattern> = term.1.iter().map(|a| self.pattern(a, vars)).collect();
        if args.iter().all(|a| matches!(a, Pattern::Const(_))) {
            return Pattern::Const(self.terms.of(term));
        }
        Pattern::App(self.terms.symbol(&term.0), args)
    }

    /// Orders the rules by what they depend on.
    fn arrange(&mut self) {
        let count = self.relations.len();
        let mut uses: Vec<HashSet<usize>> = vec![HashSet::default(); count];
        for rule in &self.rules {
            let body = rule.positive.iter().chain(&rule.negative);
            uses[rule.head.pred].extend(body.map(|l| l.pred));
        }
        // What each relation reaches; there are only some hundred relations.
        let mut reach: Vec<HashSet<usize>> = uses.clone();
        for reached in &mut reach {
            let mut open: Vec<usize> = reached.iter().copied().collect();
            while let Some(q) = open.pop() {
                for r in &uses[q] {
                    if reached.insert(*r) {
                        open.push(*r);
                    }
                }
            }
        }
        let (truth, does): (HashSet<usize>, HashSet<usize>) =
            (self.named("true").into_iter().collect(), self.named("does").into_iter().collect());
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by_key(|p| (reach[*p].len(), !reach[*p].contains(p), *p));
        let mut done = vec![false; count];
        for p in order {
            if done[p] {
                continue;
            }
            let mut preds: HashSet<usize> =
                reach[p].iter().copied().filter(|q| reach[*q].contains(&p)).collect();
            let recursive = !preds.is_empty();
            preds.insert(p);
            preds.iter().for_each(|q| done[*q] = true);
            let rules: Vec<usize> =
                (0..self.rules.len()).filter(|r| preds.contains(&self.rules[*r].head.pred)).collect();
            let negates = |r: &usize| self.rules[*r].negative.iter().any(|l| preds.contains(&l.pred));
            self.components.push(Component {
                recursive,
                negates_itself: rules.iter().any(negates),
                changing: reach[p].iter().any(|q| truth.contains(q) || does.contains(q)),
                moved: reach[p].iter().any(|q| does.contains(q)),
                rules,
                preds,
            });
        }
    }

    /// Evaluates everything that depends on the state, and on the moves or not, in these states.
    pub fn derive(&mut self, moved: bool, active: Lanes) -> Result<(), TooSlow> {
        for c in 0..self.components.len() {
            let component = &self.components[c];
            if component.changing && component.moved == moved && !component.rules.is_empty() {
                self.evaluate(c, active)?;
            }
        }
        Ok(())
    }

    fn evaluate(&mut self, c: usize, active: Lanes) -> Result<(), TooSlow> {
        let preds: Vec<usize> = self.components[c].preds.iter().copied().collect();
        if !self.components[c].negates_itself {
            return self.least(c, &preds, active);
        }
        // Alternating fixpoints: what negation sees is too small, then too large, until both are the same.
        preds.iter().for_each(|p| self.relations[*p].reference.fill(0));
        loop {
            self.least(c, &preds, active)?;
            let over: Vec<Vec<Lanes>> = preds.iter().map(|p| self.relations[*p].holds.clone()).collect();
            let under: Vec<Vec<Lanes>> = preds.iter().map(|p| self.relations[*p].reference.clone()).collect();
            self.refer(&preds, &over);
            self.least(c, &preds, active)?;
            let next: Vec<Vec<Lanes>> = preds.iter().map(|p| self.relations[*p].holds.clone()).collect();
            self.refer(&preds, &next);
            let trimmed = |lists: &[Vec<Lanes>]| -> Vec<Vec<Lanes>> {
                let trim =
                    |l: &Vec<Lanes>| l[..l.iter().rposition(|w| *w != 0).map_or(0, |p| p + 1)].to_vec();
                lists.iter().map(trim).collect()
            };
            if trimmed(&next) == trimmed(&under) {
                return Ok(());
            }
        }
    }

    fn refer(&mut self, preds: &[usize], lists: &[Vec<Lanes>]) {
        for (p, list) in preds.iter().zip(lists) {
            let reference = &mut self.relations[*p].reference;
            reference.fill(0);
            reference[..list.len()].copy_from_slice(list);
        }
    }

    fn least(&mut self, c: usize, preds: &[usize], active: Lanes) -> Result<(), TooSlow> {
        preds.iter().for_each(|p| self.relations[*p].holds.fill(0));
        let rules = self.components[c].rules.clone();
        let mut news: HashMap<(usize, usize), Lanes> = HashMap::default();
        for rule in &rules {
            self.apply(*rule, c, usize::MAX, &[(0, active)], &mut news)?;
        }
        if !self.components[c].recursive {
            return Ok(());
        }
        while !news.is_empty() {
            let mut by_pred: HashMap<usize, Vec<(usize, Lanes)>> = HashMap::default();
            for ((pred, tuple), lanes) in std::mem::take(&mut news) {
                by_pred.entry(pred).or_default().push((tuple, lanes));
            }
            for rule in &rules {
                for delta in 0..self.rules[*rule].positive.len() {
                    if let Some(list) = by_pred.get(&self.rules[*rule].positive[delta].pred) {
                        self.apply(*rule, c, delta, list, &mut news)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds what a rule derives. With a `delta`, that literal is one of the given tuples.
    fn apply(
        &mut self,
        rule: usize,
        component: usize,
        delta: usize,
        given: &[(usize, Lanes)],
        news: &mut HashMap<(usize, usize), Lanes>,
    ) -> Result<(), TooSlow> {
        if Instant::now() > self.deadline {
            return Err(TooSlow);
        }
        self.plan(rule, delta);
        let Some(plan) = self.plans.remove(&(rule, delta)) else { return Ok(()) };
        if !plan.unsafe_ {
            let body = self.rules[rule].clone();
            let mut found: HashMap<Box<[u32]>, Lanes> = HashMap::default();
            let mut walk = Walk {
                rule: &body,
                plan: &plan,
                relations: &self.relations,
                terms: &mut self.terms,
                own: &self.components[component].preds,
                bindings: vec![UNSET; body.vars],
                trail: Vec::new(),
                found: &mut found,
            };
            for (tuple, lanes) in given {
                if delta == usize::MAX {
                    walk.go(0, *lanes);
                } else {
                    walk.with(delta, *tuple, 0..body.positive[delta].args.len(), *lanes, 0);
                }
            }
            let head = body.head.pred;
            for (tuple, lanes) in found {
                let at = self.relations[head].insert(&tuple);
                let new = lanes & !self.relations[head].holds[at];
                if new != 0 {
                    self.relations[head].holds[at] |= new;
                    *news.entry((head, at)).or_default() |= new;
                }
            }
        }
        self.plans.insert((rule, delta), plan);
        Ok(())
    }

    /// Orders a body by how many tuples are to be expected; again when the relations have grown a lot.
    fn plan(&mut self, rule: usize, delta: usize) {
        let body = &self.rules[rule];
        let sizes: Vec<usize> = body.positive.iter().map(|l| self.relations[l.pred].tuples.len()).collect();
        if let Some(plan) = self.plans.get_mut(&(rule, delta))
            && plan.sizes.iter().zip(&sizes).all(|(old, new)| *new <= 2 * *old + 8)
        {
            for step in &plan.steps {
                if let Step::Look { literal, positions, .. } = step {
                    self.relations[body.positive[*literal].pred].index(positions);
                }
            }
            return;
        }
        let mut bound = vec![false; body.vars];
        let mut left: Vec<usize> = (0..body.positive.len()).collect();
        let mut absent: Vec<usize> = (0..body.negative.len()).collect();
        let mut distinct: Vec<usize> = (0..body.distinct.len()).collect();
        let mut steps = Vec::new();
        if delta != usize::MAX {
            left.retain(|l| *l != delta);
            body.positive[delta].args.iter().for_each(|a| a.bind(&mut bound));
        }
        let mut statistics: HashMap<(usize, usize), usize> = HashMap::default();
        loop {
            distinct.retain(|d| {
                let (a, b) = &body.distinct[*d];
                let ready = a.is_bound(&bound) && b.is_bound(&bound);
                if ready {
                    steps.push(Step::Distinct(*d));
                }
                !ready
            });
            absent.retain(|n| {
                let ready = body.negative[*n].args.iter().all(|a| a.is_bound(&bound));
                if ready {
                    steps.push(Step::Absent(*n));
                }
                !ready
            });
            // Nothing more to be found out about the head, but conditions are left.
            let head = body.head.args.iter().all(|a| a.is_bound(&bound));
            if head && !left.is_empty() && !steps.iter().any(|s| matches!(s, Step::Known)) {
                steps.push(Step::Known);
            }
            let mut cost = |l: &usize| {
                let literal = &body.positive[*l];
                let relation = &self.relations[literal.pred];
                let known = (0..literal.args.len()).filter(|i| literal.args[*i].is_bound(&bound));
                known.fold(relation.tuples.len() as f64, |n, i| {
                    let values =
                        *statistics.entry((literal.pred, i)).or_insert_with(|| relation.distinct(i).max(1));
                    n / values as f64
                })
            };
            let best = left.iter().map(|l| (cost(l), *l)).min_by(|a, b| a.0.total_cmp(&b.0));
            let Some((_, best)) = best else { break };
            left.retain(|l| *l != best);
            let literal = &body.positive[best];
            let positions: Vec<usize> =
                (0..literal.args.len()).filter(|i| literal.args[*i].is_bound(&bound)).collect();
            let rest = (0..literal.args.len()).filter(|i| !positions.contains(i)).collect();
            let index = self.relations[literal.pred].index(&positions);
            steps.push(Step::Look { literal: best, positions, rest, index });
            literal.args.iter().for_each(|a| a.bind(&mut bound));
        }
        let unsafe_ = !absent.is_empty() || !distinct.is_empty();
        self.plans.insert((rule, delta), Plan { sizes, steps, unsafe_ });
    }

    /// Forgets what held.
    pub fn clear(&mut self, preds: &[usize]) {
        preds.iter().for_each(|p| self.relations[*p].holds.fill(0));
    }
}

fn replace(term: &Term, equal: &HashMap<String, Term>) -> Term {
    if let Some(other) = equal.get(&*term.0) {
        return replace(other, equal);
    }
    Term(term.0.clone(), term.1.iter().map(|a| replace(a, equal)).collect())
}

fn unify(a: &Term, b: &Term, equal: &mut HashMap<String, Term>) -> bool {
    let (a, b) = (replace(a, equal), replace(b, equal));
    if a == b {
        return true;
    }
    if a.0.starts_with('?') {
        equal.insert(a.0.to_string(), b);
        return true;
    }
    if b.0.starts_with('?') {
        equal.insert(b.0.to_string(), a);
        return true;
    }
    a.0 == b.0 && a.1.len() == b.1.len() && a.1.iter().zip(&*b.1).all(|(x, y)| unify(x, y, equal))
}
