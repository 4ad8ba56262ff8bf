//! From the unfolded model to a transition system.

use crate::compile::{Compiler, Place, Resolved};
use crate::diagnostic::{Checked, Code, Diagnostic, Diagnostics, Limits};
use crate::instance::{Declared, Flat, INPUTS, Target, unfold};
use crate::satisfy::{restrict, satisfiable};
use crate::syntax::{Constraint, Expr as Syntax, ExprKind, File, Item, SpecKind, Storage, When};
use crate::value::{Constant, Value, conjoin};
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

/// One disjunct of the relation, by name.
struct Part {
    name: String,
    formula: ExprId,
}

pub(crate) fn assemble(text: &str, file: &File, limits: &Limits, found: &mut Diagnostics) -> Option<Model> {
    let flat = unfold(file, limits, found);
    if found.has_errors() {
        return None;
    }
    let mut assembly = Assembly {
        text,
        flat: &flat,
        compiler: Compiler::new(&flat, limits, found),
        initial: vec![],
        invariants: vec![],
        trans: vec![],
        parts: vec![],
        assigned: FxHashMap::default(),
        depends: FxHashMap::default(),
    };
    assembly.collect();
    assembly.check_cycles();
    assembly.finish()
}

struct Assembly<'f, 'd> {
    text: &'d str,
    flat: &'d Flat<'f>,
    compiler: Compiler<'f, 'd>,
    initial: Vec<ExprId>,
    invariants: Vec<ExprId>,
    trans: Vec<ExprId>,
    /// The one `TRANS` that is a disjunction, cut.
    parts: Vec<Part>,
    assigned: FxHashMap<(usize, When), Span>,
    /// Which variables an assignment needs in the same state.
    depends: FxHashMap<(usize, bool), (Vec<VarId>, Span)>,
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
        let variable = match self.compiler.resolve(target, scope)? {
            Some(Resolved::Target(Target::Variable(variable))) => variable,
            None => {
                let message = "the index of an assigned element must be constant";
                return Err(Diagnostic::error(Code::NotAssignable, target.span, message));
            }
            _ => {
                return Err(Diagnostic::error(
                    Code::NotAssignable,
                    target.span,
                    "only variables can be assigned",
                ));
            }
        };
        let declared = &self.flat.variables[variable];
        if declared.storage == Storage::Input || (declared.storage == Storage::Frozen && when != When::Init) {
            let what = if declared.storage == Storage::Input { "an input" } else { "frozen" };
            let message = format!("`{}` is {what} and cannot be assigned here", declared.name);
            return Err(Diagnostic::error(Code::NotAssignable, target.span, message));
        }
        let clashes: &[When] = match when {
            When::Init => &[When::Init, When::Always],
            When::Next => &[When::Next, When::Always],
            When::Always => &[When::Init, When::Next, When::Always],
        };
        if clashes.iter().any(|other| self.assigned.contains_key(&(variable, *other))) {
            let how = match when {
                When::Init => format!("init({})", declared.name),
                When::Next => format!("next({})", declared.name),
                When::Always => declared.name.clone(),
            };
            return Err(Diagnostic::error(
                Code::AssignedTwice,
                target.span,
                format!("`{how}` is assigned twice"),
            ));
        }
        self.assigned.insert((variable, when), target.span);
        let place = if when == When::Next { Place::transition(scope) } else { Place::state(scope) };
        let compiled = self.compiler.value(value, place)?;
        let needs = self.needs(&compiled, when == When::Next);
        match when {
            When::Init => {
                let becomes = self.becomes(declared, &compiled, false, value.span)?;
                self.initial.push(becomes);
            }
            When::Next => {
                let becomes = self.becomes(declared, &compiled, true, value.span)?;
                self.trans.push(becomes);
                self.depends.insert((variable, true), (needs, target.span));
            }
            When::Always => {
                let now = self.becomes(declared, &compiled, false, value.span)?;
                let later = self.compiler.value(value, Place { shifted: true, ..place })?;
                let later = self.becomes(declared, &later, true, value.span)?;
                self.invariants.push(now);
                self.trans.extend([now, later]);
                self.depends.insert((variable, false), (needs, target.span));
            }
        }
        Ok(())
    }

    /// The variables that a value needs in the state that it is assigned in.
    fn needs(&mut self, value: &Value, next: bool) -> Vec<VarId> {
        let cases = value.cases(&mut self.compiler.exprs);
        let exprs = &self.compiler.exprs;
        let mut vars: Vec<VarId> = exprs
            .cone(cases.into_iter().map(|(_, when)| when))
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
    fn becomes(&mut self, declared: &Declared, value: &Value, next: bool, span: Span) -> Checked<ExprId> {
        let mut ways = vec![];
        let places: FxHashMap<&Constant, u16> =
            declared.values.iter().enumerate().map(|(i, value)| (value, i as u16)).collect();
        for (constant, when) in value.cases(&mut self.compiler.exprs) {
            let Some(index) = index_in(declared, &places, &constant) else {
                let message = format!("`{}` cannot be {constant}", declared.name);
                self.compiler.impossible(when, Code::ValueOutOfRange, span, &message)?;
                continue;
            };
            let exprs = &mut self.compiler.exprs;
            let is = if next { exprs.next(declared.var, index) } else { exprs.is(declared.var, index) };
            ways.push(exprs.and([when, is]));
        }
        Ok(self.compiler.exprs.or(ways))
    }

    fn constraint(&mut self, scope: usize, kind: Constraint, body: &'f Syntax) -> Checked<()> {
        match kind {
            Constraint::Init => {
                let condition = self.compiler.condition(body, Place::state(scope))?;
                self.initial.push(condition);
            }
            Constraint::Invar => {
                let place = Place::state(scope);
                let now = self.compiler.condition(body, place)?;
                let later = self.compiler.condition(body, Place { shifted: true, ..place })?;
                self.invariants.push(now);
                self.trans.extend([now, later]);
            }
            Constraint::Trans => match &body.kind {
                ExprKind::Or(list) if self.parts.is_empty() => {
                    for disjunct in list {
                        let formula = self.compiler.condition(disjunct, Place::transition(scope))?;
                        let name = match &disjunct.kind {
                            ExprKind::Name(name) => name.clone(),
                            _ => format!("step {}", self.parts.len() + 1),
                        };
                        self.parts.push(Part { name, formula });
                    }
                }
                _ => {
                    let condition = self.compiler.condition(body, Place::transition(scope))?;
                    self.trans.push(condition);
                }
            },
        }
        self.compiler.within_limits(body.span)
    }

    /// Assignments that need each other in one state have no order in which they could be made.
    fn check_cycles(&mut self) {
        let by_var: FxHashMap<VarId, usize> =
            self.flat.variables.iter().enumerate().map(|(i, d)| (d.var, i)).collect();
        for next in [false, true] {
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
        if self.compiler.found.has_errors() {
            return None;
        }
        let sets = self.named_sets();
        let exprs = &mut self.compiler.exprs;
        let states = flat_and(exprs, self.invariants.clone());
        let initial = flat_and(exprs, [self.initial.clone(), vec![states]].concat());
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
        let without_inputs = self.eliminate_inputs(joined);
        let parts = self.report(without_inputs)?;
        let relations: Vec<Relation> = parts.into_iter().map(|part| self.relation(part)).collect();
        self.check_sense(initial, &relations);
        let variables = self.flat.variables.iter().filter(|d| d.var.0 < INPUTS).map(variable).collect();
        let exprs = self.compiler.exprs;
        let system = System { variables, exprs, initial, relations, stops: vec![], sets };
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
            let text = self.text[span.start..span.end].to_owned();
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
                from: compiler.condition(from, Place::state(scope))?,
                to: compiler.condition(to, Place::state(scope))?,
            },
            Item::Spec { kind: SpecKind::Invariant, body, .. } => {
                Property::Invariant(compiler.condition(body, Place::state(scope))?)
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
            let Item::Fair { first, second, .. } = item else { continue };
            let first = self.compiler.condition(first, Place::state(scope));
            let first = self.report(first);
            match second {
                None => fairness.justice.extend(first),
                Some(second) => {
                    let second = self.compiler.condition(second, Place::state(scope));
                    let second = self.report(second);
                    fairness.compassion.extend(first.zip(second));
                }
            }
        }
        fairness
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

    /// A part per combination of the inputs that the relation depends on.
    fn eliminate_inputs(&mut self, parts: Vec<Part>) -> Checked<Vec<Part>> {
        let exprs = &mut self.compiler.exprs;
        let used: FxHashSet<VarId> = exprs
            .cone(parts.iter().map(|part| part.formula))
            .into_iter()
            .filter_map(|id| if let Expr::Is(var, _) = exprs.get(id) { Some(*var) } else { None })
            .collect();
        let inputs: Vec<&Declared> =
            self.flat.variables.iter().filter(|d| d.var.0 >= INPUTS && used.contains(&d.var)).collect();
        let Some(first) = inputs.first() else { return Ok(parts) };
        let combinations = inputs.iter().try_fold(1usize, |n, d| n.checked_mul(d.values.len()));
        let limit = self.compiler.limits.inputs;
        let Some(combinations) = combinations.filter(|&n| n.saturating_mul(parts.len()) <= limit) else {
            let message = format!("the inputs have more than {limit} combinations");
            return Err(Diagnostic::error(Code::TooLarge, first.span, message));
        };
        let mut all = vec![];
        for part in &parts {
            for mut number in 0..combinations {
                let (mut values, mut names) = (FxHashMap::default(), vec![]);
                for input in &inputs {
                    let value = number % input.values.len();
                    number /= input.values.len();
                    values.insert((input.var, false), value as u16);
                    names.push(format!("{} = {}", input.name, input.values[value]));
                }
                let formula = restrict(exprs, part.formula, &values, &mut FxHashMap::default());
                let name = names.join(", ");
                let name = if parts.len() > 1 { format!("{}: {name}", part.name) } else { name };
                if formula != Exprs::FALSE {
                    all.push(Part { name, formula });
                }
            }
        }
        Ok(all)
    }

    /// Takes out what says that a variable keeps its value.
    fn relation(&mut self, part: Part) -> Relation {
        let exprs = &mut self.compiler.exprs;
        let states = self.flat.variables.iter().filter(|d| d.var.0 < INPUTS);
        let frames: FxHashMap<ExprId, VarId> =
            states.clone().map(|d| (exprs.unchanged(d.var, d.values.len()), d.var)).collect();
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
        let mut writes: Vec<VarId> = states.map(|d| d.var).filter(|var| !kept.contains(var)).collect();
        writes.sort_unstable();
        Relation { name: part.name, formula: exprs.and(formula), writes, unless: vec![] }
    }

    /// A model without initial states, or without any transition, says nothing.
    fn check_sense(&mut self, initial: ExprId, relations: &[Relation]) {
        const STEPS: usize = 200_000;
        let flat = self.flat;
        let sizes = |var: VarId| flat.size(var);
        if satisfiable(&self.compiler.exprs, initial, &sizes, STEPS) == Some(false) {
            let span = self.place_of(|item| {
                matches!(
                    item,
                    Item::Constraint { kind: Constraint::Init | Constraint::Invar, .. }
                        | Item::Assign { when: When::Init | When::Always, .. }
                )
            });
            let message = "no state satisfies all initial conditions";
            self.compiler.found.add(Diagnostic::error(Code::EmptyInitial, span, message));
        }
        let some = relations
            .iter()
            .any(|r| satisfiable(&self.compiler.exprs, r.formula, &sizes, STEPS) != Some(false));
        if !some {
            let span = self.place_of(|item| {
                matches!(
                    item,
                    Item::Constraint { kind: Constraint::Trans | Constraint::Invar, .. }
                        | Item::Assign { when: When::Next | When::Always, .. }
                )
            });
            let message = "the transition relation is empty: no state has a successor";
            self.compiler.found.add(Diagnostic::error(Code::NoSuccessor, span, message));
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
