//! Instances of modules, unfolded into one flat list of variables, definitions and constraints.

use crate::diagnostic::{Checked, Code, Diagnostic, Diagnostics, Limits};
use crate::parse_expr::MOST_BITS;
use crate::resolve::path;
use crate::syntax::{Binary, Expr, ExprKind, File, Item, Module, Name, Storage, Type, TypeKind};
use crate::value::Constant;
use rustc_hash::{FxHashMap, FxHashSet};
use winset_diagnostic::Span;
use winset_model::VarId;

/// Input variables are numbered from here: they are not part of the state.
pub(crate) const INPUTS: u32 = 1 << 24;

/// What a name with members and constant indices stands for.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    Variable(usize),
    /// Signed or not, with the variables of its bits, the lowest first.
    Word(bool, Vec<usize>),
    Array(i64, Vec<Target>),
    Instance(usize),
}

#[derive(Clone, Debug)]
pub(crate) enum Symbol<'f> {
    Target(Target),
    Define(usize),
    /// An expression in the scope of whoever made the instance.
    Parameter(&'f Expr, usize),
}

#[derive(Debug, Default)]
pub(crate) struct Scope<'f> {
    pub names: FxHashMap<&'f str, Symbol<'f>>,
    /// What the names of everything in it begin with.
    pub prefix: String,
    /// The process that it is a part of.
    pub process: usize,
    /// Some names have dots or brackets in them.
    pub flattened: bool,
}

#[derive(Debug)]
pub(crate) struct Declared {
    pub name: String,
    pub storage: Storage,
    pub var: VarId,
    pub values: Vec<Constant>,
    pub span: Span,
}

#[derive(Debug)]
pub(crate) struct Define<'f> {
    pub name: String,
    pub scope: usize,
    pub body: &'f Expr,
}

/// The whole model, unfolded.
#[derive(Debug, Default)]
pub(crate) struct Flat<'f> {
    pub scopes: Vec<Scope<'f>>,
    pub variables: Vec<Declared>,
    /// The words: name, whether signed, and the variables of their bits.
    pub words: Vec<(String, bool, Vec<usize>)>,
    /// Where each variable is in `variables`.
    pub places: FxHashMap<VarId, usize>,
    pub defines: Vec<Define<'f>>,
    pub constants: FxHashSet<String>,
    /// Some names of some scopes have dots or brackets in them.
    pub flattened: bool,
    /// The processes by the names of their instances, `main` first.
    pub processes: Vec<String>,
    /// Which of the processes takes a step, if there are any: an input.
    pub selector: Option<VarId>,
    /// Assignments, constraints and specifications with their scopes.
    pub items: Vec<(usize, &'f Item)>,
}

impl Flat<'_> {
    /// The number of values of a variable.
    pub fn size(&self, var: VarId) -> usize {
        match self.places.get(&var) {
            Some(&place) => self.variables[place].values.len(),
            // Which process takes a step, or a bit that records what happened.
            None if Some(var) == self.selector => self.processes.len(),
            None => 2,
        }
    }
}

pub(crate) struct Unfolding<'f, 'd> {
    modules: FxHashMap<&'f str, &'f Module>,
    pub flat: Flat<'f>,
    pub limits: &'d Limits,
    pub found: &'d mut Diagnostics,
    /// The modules whose instances are being made.
    open: Vec<&'f str>,
    states: u32,
    inputs: u32,
    /// The values of all variables so far.
    values: usize,
    /// Names with dots in them, which may stand for members of other instances.
    pub dotted: Vec<(usize, &'f Name)>,
}

/// What the variable is called by which processes are chosen.
pub(crate) const SELECTOR: &str = "_process_selector_";

fn boolean() -> Vec<Constant> {
    vec![Constant::Boolean(false), Constant::Boolean(true)]
}

/// Unfolds `main`.
pub(crate) fn unfold<'f>(file: &'f File, limits: &Limits, found: &mut Diagnostics) -> Flat<'f> {
    let flat = Flat::default();
    let modules = FxHashMap::default();
    let (open, dotted) = (vec![], vec![]);
    let mut unfolding =
        Unfolding { modules, flat, limits, found, open, states: 0, inputs: 0, values: 0, dotted };
    for module in &file.modules {
        if unfolding.modules.insert(&module.name.text, module).is_some() {
            unfolding.found.add(duplicate(&module.name));
        }
    }
    match unfolding.modules.get("main").copied() {
        None => {
            let message = "there is no module `main`";
            unfolding.found.add(Diagnostic::error(Code::MissingMain, Span::new(0, 0), message));
        }
        Some(main) => match main.parameters.first() {
            Some(parameter) => {
                let message = "module `main` cannot have parameters";
                unfolding.found.add(Diagnostic::error(Code::Parameters, parameter.span, message));
            }
            None => {
                unfolding.flat.processes.push("main".to_owned());
                if found_processes(file) {
                    unfolding.flat.selector = Some(VarId(INPUTS));
                    unfolding.inputs = 1;
                }
                unfolding.instance(main, String::new(), vec![], 0);
                unfolding.give_members();
                if unfolding.flat.processes.len() == 1 {
                    unfolding.flat.selector = None;
                }
            }
        },
    }
    unfolding.flat
}

fn found_processes(file: &File) -> bool {
    let process = |kind: &Type| {
        let mut kind = kind;
        while let TypeKind::Array(_, _, of) = &kind.kind {
            kind = of;
        }
        matches!(kind.kind, TypeKind::Instance(true, ..))
    };
    let mut items = file.modules.iter().flat_map(|module| &module.items);
    items.any(|item| matches!(item, Item::Variable { kind, .. } if process(kind)))
}

fn duplicate(name: &Name) -> Diagnostic {
    Diagnostic::error(Code::Duplicate, name.span, format!("the name `{}` is used twice", name.text))
}

impl<'f> Unfolding<'f, '_> {
    fn instance(
        &mut self,
        module: &'f Module,
        prefix: String,
        arguments: Vec<(&'f Name, Symbol<'f>)>,
        process: usize,
    ) -> usize {
        let scope = self.flat.scopes.len();
        self.flat.scopes.push(Scope { prefix: prefix.clone(), process, ..Scope::default() });
        self.open.push(&module.name.text);
        let items = self.items(module);
        for (name, symbol) in arguments {
            self.declare(scope, name, symbol);
        }
        for item in items.iter().copied() {
            match item {
                Item::Define { name, body } => {
                    let define = Define { name: format!("{prefix}{}", name.text), scope, body };
                    self.flat.defines.push(define);
                    self.declare(scope, name, Symbol::Define(self.flat.defines.len() - 1));
                }
                Item::Constants(names) => self.flat.constants.extend(names.iter().map(|n| n.text.clone())),
                _ => {}
            }
        }
        for item in items {
            match item {
                Item::Variable { storage, name, kind } => {
                    match self.variable(scope, *storage, &format!("{prefix}{}", name.text), kind) {
                        Ok(target) => self.declare(scope, name, Symbol::Target(target)),
                        Err(error) => self.found.add(error),
                    }
                }
                Item::Assign { .. }
                | Item::Constraint { .. }
                | Item::Spec { .. }
                | Item::Compute { .. }
                | Item::Fair { .. } => {
                    self.flat.items.push((scope, item));
                }
                Item::Define { .. } | Item::Constants(_) | Item::Isa(_) => {}
            }
        }
        self.open.pop();
        scope
    }

    /// What a module has, with what it takes over from others by `ISA`.
    fn items(&mut self, module: &'f Module) -> Vec<&'f Item> {
        let mut all = vec![];
        let mut taken = vec![module.name.text.as_str()];
        let mut open: Vec<std::slice::Iter<'f, Item>> = vec![module.items.iter()];
        while let Some(items) = open.last_mut() {
            match items.next() {
                None => {
                    open.pop();
                }
                Some(Item::Isa(name)) => match self.modules.get(name.text.as_str()) {
                    _ if taken.contains(&name.text.as_str()) => {}
                    Some(other) => {
                        taken.push(&name.text);
                        open.push(other.items.iter());
                    }
                    None => {
                        let message = format!("there is no module `{}`", name.text);
                        self.found.add(Diagnostic::error(Code::UnknownModule, name.span, message));
                    }
                },
                Some(item) => all.push(item),
            }
        }
        all
    }

    fn declare(&mut self, scope: usize, name: &'f Name, symbol: Symbol<'f>) {
        if name.text.contains(['.', '[']) {
            self.flat.scopes[scope].flattened = true;
            self.flat.flattened = true;
            self.dotted.push((scope, name));
        }
        if self.flat.scopes[scope].names.insert(&name.text, symbol).is_some() {
            self.found.add(duplicate(name));
        }
    }

    fn variable(&mut self, scope: usize, storage: Storage, name: &str, kind: &'f Type) -> Checked<Target> {
        if self.flat.variables.len() + self.flat.scopes.len() > self.limits.variables {
            let message = format!("more than {} variables and instances", self.limits.variables);
            return Err(Diagnostic::error(Code::TooLarge, kind.span, message));
        }
        let values = match &kind.kind {
            TypeKind::Boolean => boolean(),
            TypeKind::Word(signed, width) => {
                let bits = self.constant(scope, width, 0)?;
                let Some(bits) = usize::try_from(bits).ok().filter(|n| (1..=MOST_BITS).contains(n)) else {
                    let message = format!("a word has 1 to {MOST_BITS} bits, not {bits}");
                    return Err(Diagnostic::error(Code::TooLarge, width.span, message));
                };
                let bits = (0..bits).map(|i| {
                    match self.declare_values(storage, &format!("{name}[{i}]"), boolean(), kind.span)? {
                        Target::Variable(index) => Ok(index),
                        _ => unreachable!("a bit is a variable"),
                    }
                });
                let bits = bits.collect::<Checked<Vec<usize>>>()?;
                self.flat.words.push((name.to_owned(), *signed, bits.clone()));
                return Ok(Target::Word(*signed, bits));
            }
            TypeKind::Enumeration(list) => self.enumeration(scope, list)?,
            TypeKind::Range(low, high) => self.bounds(scope, low, high)?.map(Constant::Integer).collect(),
            TypeKind::Array(low, high, of) => {
                let range = self.bounds(scope, low, high)?;
                let first = *range.start();
                let elements: Checked<Vec<Target>> =
                    range.map(|i| self.variable(scope, storage, &format!("{name}[{i}]"), of)).collect();
                return Ok(Target::Array(first, elements?));
            }
            TypeKind::Instance(process, module, arguments) => {
                return self.make_instance(scope, storage, name, (*process, module, arguments), kind.span);
            }
        };
        self.declare_values(storage, name, values, kind.span)
    }

    /// A variable with these values.
    fn declare_values(
        &mut self,
        storage: Storage,
        name: &str,
        values: Vec<Constant>,
        span: Span,
    ) -> Checked<Target> {
        if self.flat.variables.len() + self.flat.scopes.len() > self.limits.variables {
            let message = format!("more than {} variables and instances", self.limits.variables);
            return Err(Diagnostic::error(Code::TooLarge, span, message));
        }
        self.values += values.len();
        if self.values > self.limits.all_values {
            let message = format!("the variables have more than {} values together", self.limits.all_values);
            return Err(Diagnostic::error(Code::TooLarge, span, message));
        }
        let (counter, base) =
            if storage == Storage::Input { (&mut self.inputs, INPUTS) } else { (&mut self.states, 0) };
        let var = VarId(base + *counter);
        *counter += 1;
        self.flat.places.insert(var, self.flat.variables.len());
        for value in &values {
            if let Constant::Symbol(symbol) = value {
                self.flat.constants.insert(symbol.clone());
            }
        }
        self.flat.variables.push(Declared { name: name.to_owned(), storage, var, values, span });
        Ok(Target::Variable(self.flat.variables.len() - 1))
    }

    fn make_instance(
        &mut self,
        scope: usize,
        storage: Storage,
        name: &str,
        (process, module, arguments): (bool, &'f Name, &'f [Expr]),
        span: Span,
    ) -> Checked<Target> {
        let Some(found) = self.modules.get(module.text.as_str()).copied() else {
            let message = format!("there is no module `{}`", module.text);
            return Err(Diagnostic::error(Code::UnknownModule, module.span, message));
        };
        if storage != Storage::State {
            return Err(Diagnostic::error(Code::TypeError, span, "instances belong into `VAR`"));
        }
        if self.open.contains(&module.text.as_str()) {
            let message = format!("module `{}` contains itself", module.text);
            let help = "an instance is a part, and has its own variables: give it a reference as a parameter";
            return Err(Diagnostic::error(Code::CyclicInstance, module.span, message).help(help));
        }
        if found.parameters.len() != arguments.len() {
            let (needs, has) = (found.parameters.len(), arguments.len());
            let message = format!("module `{}` has {needs} parameters, {has} are given", module.text);
            return Err(Diagnostic::error(Code::Parameters, span, message));
        }
        if self.open.len() >= self.limits.nesting {
            return Err(Diagnostic::error(Code::NestingTooDeep, span, "instances nested too deeply"));
        }
        let bound = found.parameters.iter().zip(arguments);
        let bound = bound.map(|(name, argument)| (name, Symbol::Parameter(argument, scope))).collect();
        let mut part_of = self.flat.scopes[scope].process;
        if process {
            part_of = self.flat.processes.len();
            self.flat.processes.push(name.to_owned());
        }
        Ok(Target::Instance(self.instance(found, format!("{name}."), bound, part_of)))
    }

    fn bounds(&self, scope: usize, low: &Expr, high: &Expr) -> Checked<std::ops::RangeInclusive<i64>> {
        let (from, to) = (self.constant(scope, low, 0)?, self.constant(scope, high, 0)?);
        let span = low.span.to(high.span);
        if from > to {
            return Err(Diagnostic::error(Code::Bounds, span, format!("the range {from}..{to} is empty")));
        }
        if to.checked_sub(from).is_none_or(|n| n as u64 >= self.limits.values as u64) {
            let message = format!("the range {from}..{to} has more than {} values", self.limits.values);
            let help =
                "a smaller range often shows the same; words such as `unsigned word[32]` may be larger";
            return Err(Diagnostic::error(Code::TooLarge, span, message).help(help));
        }
        Ok(from..=to)
    }

    fn enumeration(&mut self, scope: usize, list: &[Expr]) -> Checked<Vec<Constant>> {
        let too_many = |limit: usize| {
            let message = format!("the enumeration has more than {limit} values");
            Diagnostic::error(Code::TooLarge, list[0].span, message)
        };
        if list.len() > self.limits.values {
            return Err(too_many(self.limits.values));
        }
        let (mut values, mut seen) = (Vec::with_capacity(list.len()), FxHashSet::default());
        for expr in list {
            let value = match &expr.kind {
                ExprKind::Boolean(value) => Constant::Boolean(*value),
                // A symbol even where a parameter or a definition is called the same.
                ExprKind::Name(name) => Constant::Symbol(name.clone()),
                ExprKind::Member(..) => match path(expr) {
                    Some(name) => Constant::Symbol(name),
                    None => Constant::Integer(self.constant(scope, expr, 0)?),
                },
                _ => Constant::Integer(self.constant(scope, expr, 0)?),
            };
            if !seen.insert(value.clone()) {
                let message = format!("the value {value} is listed twice");
                let warning = Diagnostic::warning(Code::Duplicate, expr.span, message);
                self.found.add(warning.help("once is enough"));
                continue;
            }
            values.push(value);
        }
        Ok(values)
    }

    /// A number that is known before anything is compiled.
    fn constant(&self, scope: usize, expr: &Expr, depth: usize) -> Checked<i64> {
        let not_constant = || Diagnostic::error(Code::Bounds, expr.span, "this is not a constant number");
        if depth > self.limits.nesting {
            return Err(not_constant());
        }
        match &expr.kind {
            ExprKind::Integer(n) => Ok(*n),
            ExprKind::Negative(a) => {
                self.constant(scope, a, depth + 1)?.checked_neg().ok_or_else(not_constant)
            }
            ExprKind::Binary(operator, a, b) => {
                let (a, b) = (self.constant(scope, a, depth + 1)?, self.constant(scope, b, depth + 1)?);
                let result = match operator {
                    Binary::Plus => a.checked_add(b),
                    Binary::Minus => a.checked_sub(b),
                    Binary::Times => a.checked_mul(b),
                    Binary::Divide => a.checked_div(b),
                    Binary::Modulo => a.checked_rem(b),
                    _ => None,
                };
                result.ok_or_else(not_constant)
            }
            ExprKind::Name(name) => match self.flat.scopes[scope].names.get(name.as_str()) {
                Some(Symbol::Parameter(expr, caller)) => self.constant(*caller, expr, depth + 1),
                Some(Symbol::Define(define)) => {
                    let define = &self.flat.defines[*define];
                    self.constant(define.scope, define.body, depth + 1)
                }
                // A variable that can have but one value.
                Some(Symbol::Target(Target::Variable(index))) => match self.flat.variables[*index].values[..]
                {
                    [Constant::Integer(only)] => Ok(only),
                    _ => Err(not_constant()),
                },
                _ => Err(not_constant()),
            },
            _ => Err(not_constant()),
        }
    }
}
