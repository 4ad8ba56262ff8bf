//! Semi-naive evaluation: first the relations that never change, then everything that can ever be true or
//! done when negation of what changes is ignored.

use crate::ground::components::components;
use crate::ground::core::{CoreRule, Literal, Pattern, PredId};
use crate::ground::demand::restrict;
use crate::ground::instances::{Ground, ground};
use crate::ground::join::{Window, plan, run};
use crate::ground::lower::Lowered;
use crate::ground::magic::ask;
use crate::ground::relation::Relation;
use crate::ground::terms::Terms;
use crate::limits::{Exceeded, Meter};
use crate::syntax::symbols::keyword;
use rustc_hash::FxHashSet;

const MOST_DEPTH: u32 = 400;
const MOST_SIZE: u32 = 20_000;

/// The relations that the language gives a meaning.
#[derive(Clone, Copy)]
pub(crate) struct Keywords {
    pub role: PredId,
    pub init: PredId,
    pub truth: PredId,
    pub does: PredId,
    pub next: PredId,
    pub legal: PredId,
    pub goal: PredId,
    pub terminal: PredId,
}

impl Keywords {
    fn of(lowered: &mut Lowered) -> Self {
        let mut id = |name, arity| lowered.predicates.id(name, arity);
        Keywords {
            role: id(keyword::ROLE, 1),
            init: id(keyword::INIT, 1),
            truth: id(keyword::TRUE, 1),
            does: id(keyword::DOES, 2),
            next: id(keyword::NEXT, 1),
            legal: id(keyword::LEGAL, 2),
            goal: id(keyword::GOAL, 2),
            terminal: id(keyword::TERMINAL, 0),
        }
    }
}

/// Every relation with all tuples that can ever hold.
pub(crate) struct Evaluation {
    pub keywords: Keywords,
    pub relations: Vec<Relation>,
    /// Relations that never change; their tuples hold always.
    pub fixed: Vec<bool>,
    pub terms: Terms,
    /// The rules that play depends on.
    pub rules: Vec<CoreRule>,
}

/// Evaluates the relaxed game, and collects the instances of its rules. A game that would be large is derived anew, and
/// then only what its rules ask for.
pub(crate) fn evaluate(lowered: Lowered, meter: &mut Meter) -> Result<(Evaluation, Ground), Exceeded> {
    let mut evaluation = evaluate_fixed(lowered, meter)?;
    let (rules, relations) = (evaluation.rules.clone(), evaluation.relations.len());
    let asked = ask(&mut evaluation);
    let Some((questions, names)) = asked else {
        evaluation.derive_changing(Vec::new(), meter)?;
        return ground(&mut evaluation, meter).map(|g| (evaluation, g));
    };
    let asking = std::mem::replace(&mut evaluation.rules, rules);
    meter.be_patient(false);
    let first = evaluation.derive_changing(Vec::new(), meter).and_then(|()| ground(&mut evaluation, meter));
    meter.be_patient(true);
    if let Ok(ground) = first {
        evaluation.relations.truncate(relations);
        evaluation.fixed.truncate(relations);
        return Ok((evaluation, ground));
    }
    meter.begin_again();
    for pred in 0..evaluation.relations.len() {
        if !evaluation.fixed[pred] {
            evaluation.relations[pred] = Relation::new(evaluation.relations[pred].arity);
        }
    }
    evaluation.rules = asking;
    evaluation.derive_changing(questions, meter)?;
    // What was asked for is known now, and no part of the game.
    names.iter().for_each(|name| evaluation.fixed[*name as usize] = true);
    ground(&mut evaluation, meter).map(|g| (evaluation, g))
}

/// Evaluates what never changes.
fn evaluate_fixed(mut lowered: Lowered, meter: &mut Meter) -> Result<Evaluation, Exceeded> {
    let keywords = Keywords::of(&mut lowered);
    let count = lowered.predicates.len();
    let rules = relevant(std::mem::take(&mut lowered.rules), count, &keywords);
    let (component, fixed) = classify(&rules, count, &keywords);
    let relations = lowered.predicates.list.iter().map(|p| Relation::new(p.arity)).collect();
    let mut evaluation = Evaluation { keywords, relations, fixed, terms: lowered.terms, rules };
    let mut order: Vec<usize> = (0..evaluation.rules.len())
        .filter(|r| evaluation.fixed[evaluation.rules[*r].head.pred as usize])
        .collect();
    order.sort_by_key(|r| component[evaluation.rules[*r].head.pred as usize]);
    let order: Vec<CoreRule> = order.iter().map(|r| evaluation.rules[*r].clone()).collect();
    let of = |rule: &CoreRule| component[rule.head.pred as usize];
    for group in order.chunk_by(|a, b| of(a) == of(b)) {
        evaluation.saturate(group, meter)?;
    }
    restrict(&mut evaluation, meter)?;
    Ok(evaluation)
}

/// What holds next may be true, and what is legal may be done.
fn implied(keywords: &Keywords) -> [CoreRule; 2] {
    let literal =
        |pred, vars: &[u32]| Literal { pred, args: vars.iter().map(|v| Pattern::Var(*v)).collect() };
    let rule = |head, positive, variables| CoreRule {
        head,
        positive,
        negative: Vec::new(),
        distinct: Vec::new(),
        variables,
        origin: usize::MAX,
    };
    [
        rule(literal(keywords.truth, &[0]), vec![literal(keywords.next, &[0])], 1),
        rule(
            literal(keywords.does, &[0, 1]),
            vec![literal(keywords.legal, &[0, 1]), literal(keywords.role, &[0])],
            2,
        ),
    ]
}

/// The rules that the start, the moves, the successors, the end or the goals depend on.
fn relevant(rules: Vec<CoreRule>, count: usize, k: &Keywords) -> Vec<CoreRule> {
    let mut by_head: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (i, rule) in rules.iter().enumerate() {
        by_head[rule.head.pred as usize].push(i);
    }
    let mut wanted = vec![false; count];
    let mut open = vec![k.role, k.init, k.next, k.legal, k.goal, k.terminal];
    open.iter().for_each(|p| wanted[*p as usize] = true);
    while let Some(pred) = open.pop() {
        for rule in &by_head[pred as usize] {
            for literal in rules[*rule].positive.iter().chain(&rules[*rule].negative) {
                if !std::mem::replace(&mut wanted[literal.pred as usize], true) {
                    open.push(literal.pred);
                }
            }
        }
    }
    rules.into_iter().filter(|r| wanted[r.head.pred as usize]).collect()
}

/// The components of the relations, and which relations never change. A relation that depends on its own
/// negation by name counts as changing: only its ground atoms show whether that is sound.
fn classify(rules: &[CoreRule], count: usize, k: &Keywords) -> (Vec<u32>, Vec<bool>) {
    let mut uses: Vec<FxHashSet<u32>> = vec![FxHashSet::default(); count];
    for rule in rules {
        let body = rule.positive.iter().chain(&rule.negative);
        uses[rule.head.pred as usize].extend(body.map(|l| l.pred));
    }
    let component = components(count, |p, out| out.extend(&uses[p]));
    let groups = component.iter().max().map_or(0, |m| *m as usize + 1);
    let mut changing = vec![false; groups];
    changing[component[k.truth as usize] as usize] = true;
    changing[component[k.does as usize] as usize] = true;
    for rule in rules {
        let head = component[rule.head.pred as usize];
        if rule.negative.iter().any(|l| component[l.pred as usize] == head) {
            changing[head as usize] = true;
        }
    }
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|p| component[*p]);
    for p in order {
        if uses[p].iter().any(|q| changing[component[*q as usize] as usize]) {
            changing[component[p] as usize] = true;
        }
    }
    let fixed = component.iter().map(|c| !changing[*c as usize]).collect();
    (component, fixed)
}

impl Evaluation {
    /// Derives everything that can ever be true or done; `further` rules derive what is asked for.
    fn derive_changing(&mut self, further: Vec<CoreRule>, meter: &mut Meter) -> Result<(), Exceeded> {
        let init = self.keywords.init as usize;
        for i in 0..self.relations[init].len() {
            let tuple = self.relations[init].tuple(i).to_vec();
            self.relations[self.keywords.truth as usize].insert(&tuple);
        }
        let changes = |r: &&CoreRule| !self.fixed[r.head.pred as usize];
        let mut changing: Vec<CoreRule> = self.rules.iter().filter(changes).cloned().collect();
        changing.extend(implied(&self.keywords));
        changing.extend(further);
        self.saturate(&changing, meter)
    }

    /// Adds everything that the rules derive. Each round joins only what the round before has found.
    fn saturate(&mut self, rules: &[CoreRule], meter: &mut Meter) -> Result<(), Exceeded> {
        let derived: FxHashSet<PredId> = rules.iter().map(|r| r.head.pred).collect();
        let mut users: Vec<Vec<(usize, usize)>> = vec![Vec::new(); self.relations.len()];
        for (r, rule) in rules.iter().enumerate() {
            for (i, literal) in rule.positive.iter().enumerate() {
                if derived.contains(&literal.pred) {
                    users[literal.pred as usize].push((r, i));
                }
            }
        }
        let sizes = |relations: &[Relation]| relations.iter().map(Relation::len).collect::<Vec<_>>();
        let mut from = vec![0; self.relations.len()];
        let mut to = sizes(&self.relations);
        for rule in rules {
            let windows: Vec<Window> =
                rule.positive.iter().map(|l| Window { from: 0, to: to[l.pred as usize] }).collect();
            self.derive(rule, &windows, None, meter)?;
        }
        loop {
            from.copy_from_slice(&to);
            to = sizes(&self.relations);
            let grown: Vec<PredId> =
                derived.iter().copied().filter(|p| to[*p as usize] > from[*p as usize]).collect();
            if grown.is_empty() {
                return Ok(());
            }
            meter.check_time()?;
            meter.check_memory(self.bytes())?;
            let mut todo: Vec<(usize, usize)> =
                grown.iter().flat_map(|p| users[*p as usize].iter().copied()).collect();
            todo.sort_unstable();
            for (r, delta) in todo {
                let rule = &rules[r];
                // Each new combination is met exactly once: new tuples at `delta`, all before, old after.
                let windows: Vec<Window> = rule
                    .positive
                    .iter()
                    .enumerate()
                    .map(|(i, l)| {
                        let p = l.pred as usize;
                        match i.cmp(&delta) {
                            _ if !derived.contains(&l.pred) => Window { from: 0, to: to[p] },
                            std::cmp::Ordering::Less => Window { from: 0, to: to[p] },
                            std::cmp::Ordering::Equal => Window { from: from[p], to: to[p] },
                            std::cmp::Ordering::Greater => Window { from: 0, to: from[p] },
                        }
                    })
                    .collect();
                if windows.iter().all(|w| w.from < w.to) {
                    self.derive(rule, &windows, Some(delta), meter)?;
                }
            }
        }
    }

    fn derive(
        &mut self,
        rule: &CoreRule,
        windows: &[Window],
        first: Option<usize>,
        meter: &mut Meter,
    ) -> Result<(), Exceeded> {
        meter.rule = rule.origin;
        let test: Vec<bool> = rule.negative.iter().map(|l| self.fixed[l.pred as usize]).collect();
        let plan = plan(rule, windows, first, &test, &mut self.relations, &self.terms);
        let head = rule.head.pred as usize;
        let mut found = Relation::new(self.relations[head].arity);
        let relations = &self.relations;
        let mut tuple = Vec::new();
        run(rule, &plan, relations, &mut self.terms, meter, &mut |m, terms, meter| {
            tuple.clear();
            for arg in &rule.head.args {
                let term = arg.instantiate(m.bindings, terms);
                if terms.size(term) > MOST_SIZE || terms.depth(term) > MOST_DEPTH {
                    return Err(Exceeded("its terms grow without end".into()));
                }
                tuple.push(term);
            }
            if relations[head].find(&tuple).is_none() && found.insert(&tuple) {
                meter.add_atoms(1)?;
                if found.len().is_multiple_of(0x10000) {
                    meter.check_memory(terms.bytes() + 2 * found.bytes())?;
                }
            }
            Ok(())
        })?;
        for i in 0..found.len() {
            self.relations[head].insert(found.tuple(i));
        }
        Ok(())
    }

    /// An estimate of the memory in bytes.
    pub fn bytes(&self) -> usize {
        self.terms.bytes() + self.relations.iter().map(Relation::bytes).sum::<usize>()
    }
}
