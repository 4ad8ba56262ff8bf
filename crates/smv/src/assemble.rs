//! From the unfolded model to a transition system.

use crate::compile::{Compiler, OF_NEXT, Place};
use crate::diagnostic::{Checked, Code, Diagnostic, Diagnostics, Limits};
use crate::inputs::Part;
use crate::instance::{Declared, Flat, INPUTS, Target, unfold};
use crate::resolve::Resolved;
use crate::syntax::{Constraint, Expr as Syntax, ExprKind, File, Item, SpecKind, Storage, When};
use crate::value::{Constant, Value, Word, conjoin};
use rustc_hash::{FxHashMap, FxHashSet};
use winset_diagnostic::Span;
use winset_formula::{Fairness, Formula, Property};
use winset_model::{Expr, ExprId, Exprs, Relation, System, VarId, Variable};

/// A model: its transition system and what it is claimed to satisfy.
#[derive(Clone, Debug)]
pub struct Model {
    /// The transition system. Its named sets are the Boolean definitions.
    pub system: System,
    /// The states that satisfy every `INVAR`; all transitions stay among them.
    pub states: ExprId,
    /// The specifications, in the order of the file.
    pub specs: Vec<Spec>,
    /// Which paths count.
    pub fairness: Fairness,
    /// What is suspicious.
    pub warnings: Vec<Diagnostic>,
}

/// One specification.
#[derive(Clone, Debug)]
pub struct Spec {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// As it is written.
    pub text: String,
    /// Where.
    pub span: Span,
    /// What it says.
    pub property: Property,
}

impl Spec {
    /// What it says as a formula over branching time, if it can be said so.
    pub fn branching(&self) -> Option<Formula> {
        match &self.property {
            Property::Branching(formula) => Some(formula.clone()),
            Property::Invariant(set) => {
                Some(Formula::Globally(winset_formula::Path::All, Formula::Set(*set).into()))
            }
            Property::Linear(_) | Property::Distance { .. } => None,
        }
    }
}

pub(crate) fn assemble(text: &str, file: &File, limits: &Limits, found: &mut Diagnostics) -> Option<Model> {
    let flat = unfold(file, limits, found);
    if found.has_errors() {
        return None;
    }
    let mut assembly = Assembly {
        flat: &flat,
        compiler: Compiler::new(text, &flat, limits, found),
        initial: vec![],
        invariants: vec![],
        trans: vec![],
        parts: vec![],
        nexts: vec![],
        assigned: FxHashMap::default(),
        depends: FxHashMap::default(),
    };
    assembly.collect();
    assembly.check_cycles();
    assembly.finish()
}

struct Assembly<'f, 'd> {
    flat: &'d Flat<'f>,
    compiler: Compiler<'f, 'd>,
    initial: Vec<ExprId>,
    invariants: Vec<ExprId>,
    trans: Vec<ExprId>,
    /// The one `TRANS` that is a disjunction, cut.
    parts: Vec<Part>,
    /// The next values of variables in the steps of processes.
    nexts: Vec<Next>,
    /// What is assigned where, by the first of the variable's bits and the process.
    assigned: FxHashMap<(usize, When, usize), Span>,
    /// Which variables an assignment needs in the same state: of the next one, by process.
    depends: FxHashMap<(usize, Option<usize>), (Vec<VarId>, Span)>,
}

/// What a process makes of a variable, given by the variables of its bits.
struct Next {
    variables: Vec<usize>,
    process: usize,
    becomes: ExprId,
}

impl std::hash::Hash for When {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (*self as u8).hash(state);
    }
}

impl<'f> Assembly<'f, '_> {
    fn report<T>(&mut self, checked: Checked<T>) -> Option<T> {
        checked.map_err(|error| self.compiler.found.add(error)).ok()
    }

    fn collect(&mut self) {
        // In file order, so that chains of definitions are never deep.
        for define in 0..self.flat.defines.len() {
            let definition = &self.flat.defines[define];
            let name =
                Syntax { kind: ExprKind::Name(own_name(&definition.name)), span: definition.body.span };
            let checked = self.compiler.value(&name, Place::transition(definition.scope));
            // What fails in a definition matters where it is used.
            self.compiler.failures.clear();
            self.report(checked);
        }
        for i in 0..self.flat.variables.len() {
            let declared = &self.flat.variables[i];
            if declared.storage == Storage::Frozen {
                self.trans.push(self.compiler.exprs.unchanged(declared.var, declared.values.len()));
            }
        }
        for &(scope, item) in &self.flat.items {
            match item {
                Item::Assign { when, target, value } => {
                    let checked = self.assign(scope, *when, target, value);
                    self.report(checked);
                }
                Item::Constraint { kind, body } => {
                    let checked = self.constraint(scope, *kind, body);
                    self.report(checked);
                }
                _ => {}
            }
        }
    }

    fn assign(&mut self, scope: usize, when: When, target: &Syntax, value: &Syntax) -> Checked<()> {
        let target_is = match self.compiler.resolve(target, scope)? {
            Some(Resolved::Target(target @ (Target::Variable(_) | Target::Word(..)))) => target,
            None => {
                let message = "the index of an assigned element must be constant";
                return Err(Diagnostic::error(Code::NotAssignable, target.span, message));
            }
            _ => {
                let message = "only variables can be assigned";
                return Err(Diagnostic::error(Code::NotAssignable, target.span, message));
            }
        };
        let variables = match &target_is {
            Target::Word(_, bits) => bits.clone(),
            Target::Variable(variable) => vec![*variable],
            _ => unreachable!("just matched"),
        };
        let (first, process) = (variables[0], self.flat.scopes[scope].process);
        let declared = &self.flat.variables[first];
        let called = || self.compiler.text_of(target);
        if declared.storage == Storage::Input || (declared.storage == Storage::Frozen && when != When::Init) {
            let what = if declared.storage == Storage::Input { "an input" } else { "frozen" };
            let message = format!("`{}` is {what} and cannot be assigned here", called());
            return Err(Diagnostic::error(Code::NotAssignable, target.span, message));
        }
        let clashes: &[When] = match when {
            When::Init => &[When::Init, When::Always],
            When::Next => &[When::Next, When::Always],
            When::Always => &[When::Init, When::Next, When::Always],
        };
        // Each process may say what becomes of a variable when it runs.
        let apart = |other: When, by: usize| other == When::Next && when == When::Next && by != process;
        let clash = (0..self.flat.processes.len())
            .flat_map(|by| clashes.iter().map(move |other| (*other, by)))
            .any(|(other, by)| !apart(other, by) && self.assigned.contains_key(&(first, other, by)));
        if clash {
            let how = match when {
                When::Init => format!("init({})", called()),
                When::Next => format!("next({})", called()),
                When::Always => called().to_owned(),
            };
            let message = format!("`{how}` is assigned twice");
            return Err(Diagnostic::error(Code::AssignedTwice, target.span, message));
        }
        self.assigned.insert((first, when, process), target.span);
        let place = if when == When::Next { Place::transition(scope) } else { Place::state(scope) };
        let compiled = self.compiler.value(value, place);
        self.compiler.settle()?;
        let compiled = compiled?;
        let needs = self.needs(&compiled, when == When::Next);
        match when {
            When::Init => {
                let becomes = self.becomes(&target_is, &compiled, false, value.span)?;
                self.initial.push(becomes);
            }
            When::Next => {
                let becomes = self.becomes(&target_is, &compiled, true, value.span)?;
                self.nexts.push(Next { variables: variables.clone(), process, becomes });
                for variable in variables {
                    self.depends.insert((variable, Some(process)), (needs.clone(), target.span));
                }
            }
            When::Always => {
                let now = self.becomes(&target_is, &compiled, false, value.span)?;
                let later = self.compiler.value(value, Place { shifted: true, ..place });
                // What can fail was found out above.
                self.compiler.failures.clear();
                let later = self.becomes(&target_is, &later?, true, value.span)?;
                self.invariants.push(now);
                self.trans.extend([now, later]);
                for variable in variables {
                    self.depends.insert((variable, None), (needs.clone(), target.span));
                }
            }
        }
        Ok(())
    }

    /// The next values of variables, whichever process takes the step; who is not assigned by it keeps its value, if any
    /// process assigns it at all.
    fn steps(&mut self) {
        let nexts = std::mem::take(&mut self.nexts);
        let Some(selector) = self.flat.selector else {
            return self.trans.extend(nexts.into_iter().map(|next| next.becomes));
        };
        let exprs = &mut self.compiler.exprs;
        let mut by_variable: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        for (i, next) in nexts.iter().enumerate() {
            by_variable.entry(next.variables[0]).or_default().push(i);
        }
        for (i, next) in nexts.iter().enumerate() {
            let runs = exprs.is(selector, next.process as u16);
            let not = exprs.not(runs);
            self.trans.push(exprs.or([not, next.becomes]));
            let all = &by_variable[&next.variables[0]];
            if all[0] == i {
                let mut ways: Vec<ExprId> =
                    all.iter().map(|&j| exprs.is(selector, nexts[j].process as u16)).collect();
                let somebody = exprs.or(std::mem::take(&mut ways));
                for &variable in &next.variables {
                    let declared = &self.flat.variables[variable];
                    let unchanged = exprs.unchanged(declared.var, declared.values.len());
                    self.trans.push(exprs.or([somebody, unchanged]));
                }
            }
        }
    }

    /// The variables that a value needs in the state that it is assigned in.
    fn needs(&mut self, value: &Value, next: bool) -> Vec<VarId> {
        let exprs = &self.compiler.exprs;
        let mut vars: Vec<VarId> = exprs
            .cone(value.conditions())
            .into_iter()
            .filter_map(|id| match exprs.get(id) {
                Expr::Is(var, _) if !next => Some(*var),
                Expr::Next(var, _) if next => Some(*var),
                _ => None,
            })
            .collect();
        vars.sort_unstable();
        vars.dedup();
        vars
    }

    /// The variable has one of the values.
    fn becomes(&mut self, target: &Target, value: &Value, next: bool, span: Span) -> Checked<ExprId> {
        let variable = match target {
            Target::Word(signed, bits) => return self.word_becomes(*signed, bits, value, next, span),
            Target::Variable(variable) => *variable,
            _ => unreachable!("only variables are assigned"),
        };
        let declared = &self.flat.variables[variable];
        let exprs = &mut self.compiler.exprs;
        if let Value::Boolean(yes) = value
            && next
            && *yes == exprs.is(declared.var, 1)
            && is_boolean(declared)
        {
            return Ok(exprs.unchanged(declared.var, 2));
        }
        if matches!(value, Value::Word(_) | Value::Array(_)) {
            let message = format!("`{}` cannot be {}", declared.name, value.describe());
            return Err(Diagnostic::error(Code::TypeError, span, message));
        }
        let mut ways = vec![];
        let places: FxHashMap<&Constant, u16> =
            declared.values.iter().enumerate().map(|(i, value)| (value, i as u16)).collect();
        for (constant, when) in value.cases(&mut self.compiler.exprs) {
            let Some(index) = index_in(declared, &places, &constant) else {
                let message = format!("`{}` cannot be {constant}", declared.name);
                self.compiler.impossible(when, Diagnostic::error(Code::ValueOutOfRange, span, message))?;
                continue;
            };
            let exprs = &mut self.compiler.exprs;
            let is = if next { exprs.next(declared.var, index) } else { exprs.is(declared.var, index) };
            ways.push(exprs.and([when, is]));
        }
        Ok(self.compiler.exprs.or(ways))
    }

    fn word_becomes(
        &mut self,
        signed: bool,
        bits: &[usize],
        value: &Value,
        next: bool,
        span: Span,
    ) -> Checked<ExprId> {
        let exprs = &mut self.compiler.exprs;
        let vars: Vec<VarId> = bits.iter().map(|&bit| self.flat.variables[bit].var).collect();
        let is =
            |exprs: &mut Exprs, var: VarId, v: u16| if next { exprs.next(var, v) } else { exprs.is(var, v) };
        match value {
            Value::Set(set) => {
                let bits = vars.iter().map(|&var| is(exprs, var, 1)).collect();
                self.compiler.word_among(&Value::Word(Word { signed, bits }), set, span)
            }
            Value::Word(word) if word.signed == signed && word.bits.len() == bits.len() => {
                let mut same = vec![];
                for (&var, &bit) in vars.iter().zip(&word.bits) {
                    if next && bit == exprs.is(var, 1) {
                        same.push(exprs.unchanged(var, 2));
                        continue;
                    }
                    let (yes, no) = (is(exprs, var, 1), is(exprs, var, 0));
                    same.push(exprs.ite(bit, yes, no));
                }
                Ok(conjoin(exprs, same))
            }
            Value::Word(word) => {
                let kind = |signed: bool| if signed { "signed" } else { "unsigned" };
                let message = format!(
                    "{} word of {} bits cannot be assigned to {} word of {} bits",
                    kind(word.signed),
                    word.bits.len(),
                    kind(signed),
                    bits.len()
                );
                Err(Diagnostic::error(Code::TypeError, span, message))
            }
            other => {
                let message = format!("{} cannot be assigned to a word", other.describe());
                Err(Diagnostic::error(Code::TypeError, span, message))
            }
        }
    }

    fn constraint(&mut self, scope: usize, kind: Constraint, body: &'f Syntax) -> Checked<()> {
        match kind {
            Constraint::Init => {
                let condition = self.compiler.stated(body, Place::state(scope))?;
                self.initial.push(condition);
            }
            Constraint::Invar => {
                let place = Place::state(scope);
                let now = self.compiler.stated(body, place)?;
                let later = self.compiler.condition(body, Place { shifted: true, ..place });
                self.compiler.failures.clear();
                let later = later?;
                self.invariants.push(now);
                self.trans.extend([now, later]);
            }
            Constraint::Trans => match &body.kind {
                ExprKind::Or(list) if self.parts.is_empty() => {
                    // What fails in one of them matters only where the others do not hold.
                    self.compiler.stated(body, Place::transition(scope))?;
                    for disjunct in list {
                        let formula = self.compiler.condition(disjunct, Place::transition(scope));
                        self.compiler.failures.clear();
                        let formula = formula?;
                        let name = match &disjunct.kind {
                            ExprKind::Name(name) => name.clone(),
                            _ => format!("step {}", self.parts.len() + 1),
                        };
                        self.parts.push(Part { name, formula });
                    }
                }
                _ => {
                    let condition = self.compiler.stated(body, Place::transition(scope))?;
                    match self.alternatives(condition) {
                        Some(list) => self.parts = list,
                        None => self.trans.push(condition),
                    }
                }
            },
        }
        self.compiler.within_limits(body.span)
    }

    /// The disjuncts of a relation of which each is a list of conditions on the step, as tools write it, with such
    /// disjunctions inside multiplied out; none if it looks otherwise, or another one has been cut.
    fn alternatives(&mut self, condition: ExprId) -> Option<Vec<Part>> {
        const MOST: usize = 512;
        if !self.parts.is_empty() {
            return None;
        }
        let (mut done, mut open) = (vec![], vec![self.conjuncts(condition)]);
        while let Some(conjuncts) = open.pop() {
            let room = MOST.saturating_sub(done.len() + open.len());
            let found = (0..conjuncts.len()).find_map(|i| Some((i, self.disjuncts(conjuncts[i], room)?)));
            let Some((i, disjuncts)) = found else {
                done.push(conjuncts);
                continue;
            };
            for disjunct in disjuncts.into_iter().rev() {
                let mut part = conjuncts.clone();
                part.splice(i..=i, self.conjuncts(disjunct));
                open.push(part);
            }
        }
        if done.len() < 2 {
            return None;
        }
        let exprs = &mut self.compiler.exprs;
        let part = |(i, conjuncts): (usize, Vec<ExprId>)| Part {
            name: format!("step {}", i + 1),
            formula: exprs.and(conjuncts),
        };
        Some(done.into_iter().enumerate().map(part).collect())
    }

    /// The conjuncts of a condition, none of which is a conjunction.
    fn conjuncts(&self, condition: ExprId) -> Vec<ExprId> {
        let (mut open, mut all) = (vec![condition], vec![]);
        while let Some(id) = open.pop() {
            match self.compiler.exprs.get(id) {
                Expr::And(list) => open.extend(list.iter().copied()),
                _ => all.push(id),
            }
        }
        all
    }

    /// The disjuncts of a condition, if there are a few and each says more than one thing of the next state.
    fn disjuncts(&mut self, condition: ExprId, most: usize) -> Option<Vec<ExprId>> {
        let (mut open, mut all, mut seen) = (vec![condition], vec![], FxHashSet::default());
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            if let Expr::Or(list) = self.compiler.exprs.get(id) {
                open.extend(list.iter().rev().copied());
            } else if all.len() < most && self.says_of_next(id) > 1 {
                all.push(id);
            } else {
                return None;
            }
        }
        (all.len() > 1).then_some(all)
    }

    /// How many conjuncts of a condition speak of the next state.
    fn says_of_next(&mut self, condition: ExprId) -> usize {
        let conjuncts = self.conjuncts(condition);
        conjuncts.into_iter().filter(|&id| self.compiler.speaks(id) & OF_NEXT != 0).count()
    }

    /// Assignments that need each other in one state have no order in which they could be made.
    fn check_cycles(&mut self) {
        let by_var: FxHashMap<VarId, usize> =
            self.flat.variables.iter().enumerate().map(|(i, d)| (d.var, i)).collect();
        let processes = (0..self.flat.processes.len()).map(Some);
        for next in std::iter::once(None).chain(processes) {
            let mut done: FxHashSet<usize> = FxHashSet::default();
            for variable in 0..self.flat.variables.len() {
                let mut path: Vec<usize> = vec![];
                let mut stack = vec![(variable, false)];
                while let Some((at, leaving)) = stack.pop() {
                    if leaving {
                        path.pop();
                        done.insert(at);
                        continue;
                    }
                    let Some((needs, span)) = self.depends.get(&(at, next)) else { continue };
                    if path.contains(&at) {
                        let name = &self.flat.variables[at].name;
                        let message = format!("the assignment of `{name}` depends on itself");
                        let error = Diagnostic::error(Code::CyclicDefinition, *span, message);
                        self.compiler.found.add(error);
                        continue;
                    }
                    if done.contains(&at) {
                        continue;
                    }
                    path.push(at);
                    stack.push((at, true));
                    stack.extend(needs.iter().filter_map(|var| by_var.get(var)).map(|&i| (i, false)));
                }
            }
        }
    }

    fn finish(mut self) -> Option<Model> {
        let (specs, fairness) = (self.specs(), self.fairness());
        self.steps();
        if self.compiler.found.has_errors() {
            return None;
        }
        let sets = self.named_sets();
        let (_, recorded) = self.compiler.recorded();
        self.trans.extend(recorded);
        if self.parts.is_empty() {
            self.parts.push(Part { name: "step".to_owned(), formula: Exprs::TRUE });
        }
        let parts: Vec<Part> = std::mem::take(&mut self.parts);
        let common = self.trans.clone();
        let joined: Vec<Part> = parts
            .into_iter()
            .map(|part| {
                let formula =
                    flat_and(&mut self.compiler.exprs, [vec![part.formula], common.clone()].concat());
                Part { name: part.name, formula }
            })
            .collect();
        let without_inputs = self.compiler.without_inputs(joined);
        let parts = self.report(without_inputs)?;
        let relations: Vec<Relation> = parts.into_iter().map(|part| self.relation(part)).collect();
        // Only now it is known what is recorded.
        let (recorded, _) = self.compiler.recorded();
        let exprs = &mut self.compiler.exprs;
        let states = flat_and(exprs, self.invariants.clone());
        let initial = flat_and(exprs, [self.initial.clone(), recorded, vec![states]].concat());
        self.check_sense(initial, &relations);
        let declared = self.flat.variables.iter().filter(|d| d.var.0 < INPUTS).map(variable);
        let records = std::mem::take(&mut self.compiler.records);
        let hidden = records.iter().map(|record| record.var).collect();
        let variables = declared.chain(records.into_iter().map(|record| record.variable)).collect();
        let exprs = self.compiler.exprs;
        let system = System { variables, exprs, initial, relations, stops: vec![], sets, hidden };
        Some(Model { system, states, specs, fairness, warnings: vec![] })
    }

    fn specs(&mut self) -> Vec<Spec> {
        let mut specs = vec![];
        for &(scope, item) in &self.flat.items {
            let (name, span) = match item {
                Item::Spec { name, body, .. } => (name, body.span),
                Item::Compute { name, from, to, .. } => (name, from.span.to(to.span)),
                _ => continue,
            };
            let checked = self.property(scope, item);
            let Some(property) = self.report(checked) else { continue };
            let text = self.compiler.text[span.start..span.end].to_owned();
            let name = name.as_ref().map(|name| name.text.clone());
            specs.push(Spec { name, text, span, property });
        }
        specs
    }

    fn property(&mut self, scope: usize, item: &Item) -> Checked<Property> {
        let compiler = &mut self.compiler;
        Ok(match item {
            Item::Compute { longest, from, to, .. } => Property::Distance {
                longest: *longest,
                from: compiler.stated(from, Place::state(scope))?,
                to: compiler.stated(to, Place::state(scope))?,
            },
            Item::Spec { kind: SpecKind::Invariant, body, .. } => {
                let condition = compiler.stated(body, Place::transition(scope))?;
                Property::Invariant(match compiler.speaks(condition) {
                    0 => condition,
                    _ => compiler.observe(condition, true, compiler.text_of(body)),
                })
            }
            Item::Spec { kind: SpecKind::Linear, body, .. } => {
                Property::Linear(compiler.linear(body, scope)?)
            }
            Item::Spec { body, .. } => Property::Branching(compiler.formula(body, scope)?),
            _ => unreachable!("only specifications are asked for"),
        })
    }

    fn fairness(&mut self) -> Fairness {
        let mut fairness = Fairness::default();
        for &(scope, item) in &self.flat.items {
            let Item::Fair { first, second } = item else { continue };
            let first = self.fair(scope, first);
            match second {
                None => fairness.justice.extend(first),
                Some(second) => fairness.compassion.extend(first.zip(self.fair(scope, second))),
            }
        }
        fairness
    }

    fn fair(&mut self, scope: usize, condition: &Syntax) -> Option<ExprId> {
        let compiler = &mut self.compiler;
        let checked =
            compiler.stated(condition, Place::transition(scope)).map(|set| match compiler.speaks(set) {
                0 => set,
                _ => compiler.observe(set, false, compiler.text_of(condition)),
            });
        self.report(checked)
    }

    /// The Boolean definitions that speak of states only.
    fn named_sets(&mut self) -> Vec<(String, ExprId)> {
        let mut sets = vec![];
        for definition in &self.flat.defines {
            let name =
                Syntax { kind: ExprKind::Name(own_name(&definition.name)), span: definition.body.span };
            let place = Place::state(definition.scope);
            if let Ok(Value::Boolean(set)) = self.compiler.value(&name, place) {
                sets.push((definition.name.clone(), set));
            }
        }
        sets
    }

    /// Takes out what says that a variable keeps its value.
    fn relation(&mut self, part: Part) -> Relation {
        let exprs = &mut self.compiler.exprs;
        let records = self.compiler.records.iter().map(|record| (record.var, record.variable.size()));
        let states = self.flat.variables.iter().filter(|d| d.var.0 < INPUTS).map(|d| (d.var, d.values.len()));
        let states: Vec<(VarId, usize)> = states.chain(records).collect();
        let frames: FxHashMap<ExprId, VarId> =
            states.iter().map(|&(var, size)| (exprs.unchanged(var, size), var)).collect();
        let operands = match exprs.get(part.formula) {
            Expr::And(list) => list.to_vec(),
            _ => vec![part.formula],
        };
        let rest = operands.iter().copied().filter(|id| !frames.contains_key(id));
        let written: FxHashSet<VarId> = exprs
            .cone(rest)
            .into_iter()
            .filter_map(|id| if let Expr::Next(var, _) = exprs.get(id) { Some(*var) } else { None })
            .collect();
        let mut kept: FxHashSet<VarId> = FxHashSet::default();
        let mut formula = vec![];
        for id in operands {
            match frames.get(&id) {
                Some(var) if !written.contains(var) => {
                    kept.insert(*var);
                }
                _ => formula.push(id),
            }
        }
        let mut writes: Vec<VarId> =
            states.into_iter().map(|(var, _)| var).filter(|var| !kept.contains(var)).collect();
        writes.sort_unstable();
        Relation { name: part.name, formula: exprs.and(formula), writes, unless: vec![] }
    }

    /// A model without initial states, or without any transition, says nothing.
    fn check_sense(&mut self, initial: ExprId, relations: &[Relation]) {
        const NODES: usize = 50_000;
        let flat = self.flat;
        let sizes = |var: VarId| flat.size(var);
        let Compiler { exprs, diagrams, .. } = &mut self.compiler;
        let mut never = |id: ExprId| diagrams.satisfiable(exprs, id, &sizes, NODES) == Some(false);
        let (no_initial, no_step) = (never(initial), relations.iter().all(|r| never(r.formula)));
        if no_initial {
            let span = self.place_of(|item| {
                matches!(
                    item,
                    Item::Constraint { kind: Constraint::Init | Constraint::Invar, .. }
                        | Item::Assign { when: When::Init | When::Always, .. }
                )
            });
            let message = "no state satisfies all initial conditions";
            self.compiler.found.add(Diagnostic::warning(Code::EmptyInitial, span, message));
        }
        if no_step {
            let span = self.place_of(|item| {
                matches!(
                    item,
                    Item::Constraint { kind: Constraint::Trans | Constraint::Invar, .. }
                        | Item::Assign { when: When::Next | When::Always, .. }
                )
            });
            let message = "the transition relation is empty: no state has a successor";
            self.compiler.found.add(Diagnostic::warning(Code::NoSuccessor, span, message));
        }
    }

    /// The last of the items that a finding is about.
    fn place_of(&self, about: impl Fn(&Item) -> bool) -> Span {
        let found = self.flat.items.iter().rev().find(|(_, item)| about(item));
        match found {
            Some((_, Item::Constraint { body, .. })) => body.span,
            Some((_, Item::Assign { target, value, .. })) => target.span.to(value.span),
            _ => Span::new(0, 0),
        }
    }
}

/// A definition's name in its own scope.
fn own_name(name: &str) -> String {
    name.rsplit('.').next().unwrap_or(name).to_owned()
}

fn is_boolean(declared: &Declared) -> bool {
    matches!(declared.values.as_slice(), [Constant::Boolean(false), Constant::Boolean(true)])
}

/// The position of a value in a variable's domain; 0 and 1 serve as false and true and the other way.
fn index_in(declared: &Declared, places: &FxHashMap<&Constant, u16>, constant: &Constant) -> Option<u16> {
    let find = |wanted: &Constant| places.get(wanted).copied();
    let boolean = matches!(declared.values.as_slice(), [Constant::Boolean(_), Constant::Boolean(_)]);
    match constant {
        Constant::Integer(n @ (0 | 1)) if boolean => find(&Constant::Boolean(*n == 1)),
        other => find(other),
    }
}

fn variable(declared: &Declared) -> Variable {
    Variable {
        name: declared.name.clone(),
        values: declared.values.iter().map(Constant::to_string).collect(),
    }
}

/// Conjunction with every nested conjunction opened.
fn flat_and(exprs: &mut Exprs, parts: Vec<ExprId>) -> ExprId {
    let mut flat = vec![];
    let mut stack = parts;
    while let Some(id) = stack.pop() {
        match exprs.get(id) {
            Expr::And(list) => stack.extend(list.iter().copied()),
            _ => flat.push(id),
        }
    }
    conjoin(exprs, flat)
}
