//! Random models: every construct of the subset, domains of 1 to 17 values.

use crate::syntax::{Expr, Head, Item, Kind, Model, Module, binary, expr, integer, name};
use winset_reference::Random;

/// What an expression can be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    Boolean,
    /// A number between the two.
    Integer(i64, i64),
    /// One of these.
    Listed(Vec<Expr>),
}

/// Something with a name.
#[derive(Clone, Debug)]
struct Known {
    path: Expr,
    kind: Type,
    /// It depends on an input or on the next state: for transitions only.
    transition: bool,
    /// It may depend on the next state: not for assignments, which could go round in circles.
    ahead: bool,
    /// Its value in the next state may be asked for where more than this many variables come before.
    next_from: usize,
    /// A plain assignment gives it its value in every state.
    always: bool,
    /// A definition or parameter, whose value can be anything between.
    derived: bool,
}

/// An array of equal elements, from an index on.
#[derive(Clone, Debug)]
struct Row {
    path: Expr,
    low: i64,
    high: i64,
    kind: Type,
}

/// The names that can be used in a module.
#[derive(Clone, Debug, Default)]
struct Scope {
    known: Vec<Known>,
    rows: Vec<Row>,
}

/// [`Known::next_from`] of what may be looked at in the next state where nothing is assigned, and of what
/// may not.
const UNASSIGNED: usize = usize::MAX - 1;
const NEVER: usize = usize::MAX;

impl Scope {
    fn add_variable(&mut self, path: Expr, kind: Type) {
        let next_from = self.known.len();
        let (transition, ahead, always, derived) = (false, false, false, false);
        self.known.push(Known { path, kind, transition, ahead, next_from, always, derived });
    }

    /// A definition or parameter.
    fn add_derived(&mut self, path: Expr, kind: Type, transition: bool) {
        let next_from = if transition { NEVER } else { UNASSIGNED };
        let (ahead, always, derived) = (transition, false, true);
        self.known.push(Known { path, kind, transition, ahead, next_from, always, derived });
    }
}

/// Where an expression stands.
#[derive(Clone, Copy)]
struct Place {
    transition: bool,
    /// Only variables that were assigned before may be looked at in the next state.
    before: usize,
    /// Plainly assigned variables may not be looked at.
    plain: bool,
}

const STATE: Place = Place { transition: false, before: 0, plain: false };
const PLAIN: Place = Place { transition: false, before: 0, plain: true };
const TRANSITION: Place = Place { transition: true, before: usize::MAX, plain: false };

/// What a parameter stands for.
#[derive(Clone)]
enum Parameter {
    /// A constant that serves as a bound.
    Bound,
    Value(Type),
    /// An array of two Booleans.
    Row,
    /// A Boolean variable that the module assigns.
    Output,
}

/// A module that can be instantiated.
struct Template {
    module: Module,
    parameters: Vec<Parameter>,
    states: usize,
    members: Vec<Known>,
}

pub struct Generator {
    random: Random,
    /// The number of states that may still be multiplied in.
    room: usize,
    states: usize,
    inputs: usize,
    fresh: usize,
    templates: Vec<Template>,
}

/// A random model with few pairs of states.
pub fn generate(seed: u64) -> Model {
    let mut random = Random::new(seed);
    loop {
        let room = random.pick(&[12, 24, 40, 80, 80, 150, 289, 400]);
        let mut generator = Generator { random, room, states: 1, inputs: 1, fresh: 0, templates: vec![] };
        let model = generator.model();
        if generator.states * generator.states * generator.inputs <= 250_000 {
            return model;
        }
        random = generator.random;
    }
}

impl Generator {
    fn fresh(&mut self, prefix: &str) -> String {
        self.fresh += 1;
        format!("{prefix}{}", self.fresh)
    }

    fn model(&mut self) -> Model {
        for _ in 0..self.random.pick(&[0, 0, 0, 1, 1, 2]) {
            let (room, states) = (self.room, self.states);
            (self.room, self.states) = (6, 1);
            let template = self.template();
            (self.room, self.states) = (room, states);
            self.templates.push(template);
        }
        self.fresh = 0;
        let mut main = Module { name: "main".into(), ..Module::default() };
        let mut scope = Scope::default();
        self.variables(&mut main, &mut scope, true);
        self.rules(&mut main, &mut scope, true);
        for _ in 0..1 + self.random.below(4) {
            main.items.push(self.spec(&scope));
        }
        let mut modules: Vec<Module> =
            self.templates.iter().map(|template| template.module.clone()).collect();
        modules.insert(self.random.below(modules.len() + 1), main);
        Model { modules }
    }

    fn template(&mut self) -> Template {
        // Names of variables are those of other modules again: scopes keep them apart.
        self.fresh = 0;
        let mut module = Module { name: format!("m{}", self.templates.len()), ..Module::default() };
        let (mut scope, mut parameters) = (Scope::default(), vec![]);
        for _ in 0..self.random.below(3) {
            let parameter = self.fresh("p");
            let kind = match self.random.below(5) {
                0 => {
                    let variable = self.fresh("x");
                    self.states *= 4;
                    let bounds = Kind::Range(integer(0), name(&parameter));
                    module.items.push(Item::Variable("VAR", variable.clone(), bounds));
                    scope.add_variable(name(variable), Type::Integer(0, 2));
                    scope.add_derived(name(&parameter), Type::Integer(2, 3), false);
                    Parameter::Bound
                }
                1 => {
                    let row = Row { path: name(&parameter), low: 0, high: 1, kind: Type::Boolean };
                    scope.rows.push(row);
                    Parameter::Row
                }
                2 => {
                    scope.add_variable(name(&parameter), Type::Boolean);
                    Parameter::Output
                }
                choice => {
                    let kind = if choice == 3 { Type::Boolean } else { Type::Integer(-4, 9) };
                    scope.add_derived(name(&parameter), kind.clone(), false);
                    Parameter::Value(kind)
                }
            };
            module.parameters.push(parameter);
            parameters.push(kind);
        }
        self.variables(&mut module, &mut scope, false);
        self.rules(&mut module, &mut scope, false);
        if self.random.one_in(4) {
            module.items.push(self.spec(&scope));
        }
        let members = scope.known.iter().filter(|known| !module.parameters.contains(&known.path.to_string()));
        let members = members.cloned().collect();
        Template { module, parameters, states: self.states, members }
    }

    /// Declares variables until there is no room for more.
    fn variables(&mut self, module: &mut Module, scope: &mut Scope, main: bool) {
        let most = 1 + self.random.below(5);
        for _ in 0..most {
            let choice = self.random.below(20);
            if choice < 3 {
                self.array(module, scope);
            } else if choice < 7 && !self.templates.is_empty() {
                self.instance(module, scope);
            } else {
                let (kind, values) = self.kind();
                if self.states * values.len() > self.room {
                    continue;
                }
                self.states *= values.len();
                let storage = if self.random.one_in(12) { "FROZENVAR" } else { "VAR" };
                let variable = self.fresh("x");
                scope.add_variable(name(&variable), values.kind());
                module.items.push(Item::Variable(storage, variable, kind));
            }
        }
        if scope.known.iter().all(|known| known.derived) {
            self.states *= 2;
            let variable = self.fresh("b");
            scope.add_variable(name(&variable), Type::Boolean);
            module.items.push(Item::Variable("VAR", variable, Kind::Boolean));
        }
        let inputs = if main { self.random.pick(&[0, 0, 0, 1, 1, 2]) } else { 0 };
        for _ in 0..inputs {
            let (kind, values) = self.kind();
            let pairs = self.states * self.states * self.inputs * values.len();
            if pairs > 250_000 || self.inputs * values.len() > 40 {
                continue;
            }
            self.inputs *= values.len();
            let variable = self.fresh("i");
            scope.add_derived(name(&variable), values.kind(), true);
            scope.known.last_mut().expect("just added").ahead = false;
            module.items.push(Item::Variable("IVAR", variable, kind));
        }
    }

    fn kind(&mut self) -> (Kind, Values) {
        let size = 1 + self.random.below(17);
        match self.random.below(10) {
            0..2 => (Kind::Boolean, Values::Booleans),
            2..6 => {
                let low = self.random.below(7) as i64 - 3;
                let high = low + size as i64 - 1;
                (Kind::Range(integer(low), integer(high)), Values::Numbers((low..=high).collect()))
            }
            6 => {
                let mut numbers: Vec<i64> = (-4..20).collect();
                self.random.shuffle(&mut numbers);
                numbers.truncate(size);
                let list = numbers.iter().map(|&n| integer(n)).collect();
                (Kind::Enumeration(list), Values::Numbers(numbers))
            }
            choice => {
                // Symbols are shared between variables; sometimes numbers stand among them.
                let mut list: Vec<Expr> = (0..20).map(|i| name(format!("s{i}"))).collect();
                if choice == 7 {
                    list.extend([integer(0), integer(1), integer(-2)]);
                }
                self.random.shuffle(&mut list);
                list.truncate(size);
                (Kind::Enumeration(list.clone()), Values::Listed(list))
            }
        }
    }

    fn array(&mut self, module: &mut Module, scope: &mut Scope) {
        let (kind, values) = self.kind();
        let count = 2 + self.random.below(2);
        let nested = self.random.one_in(4);
        let elements = if nested { 2 * count } else { count };
        let states = values.len().checked_pow(elements as u32).unwrap_or(usize::MAX);
        if states.saturating_mul(self.states) > self.room {
            return;
        }
        self.states *= states;
        let (path, low) = (self.fresh("a"), self.random.below(3) as i64 - 1);
        let high = low + count as i64 - 1;
        let mut row = |path: Expr| {
            for i in low..=high {
                let element = expr(Head::Index, vec![path.clone(), integer(i)]);
                scope.add_variable(element, values.kind());
            }
            scope.rows.push(Row { path, low, high, kind: values.kind() });
        };
        let mut array = Kind::Array(integer(low), integer(high), kind.into());
        if nested {
            for i in 0..2 {
                row(expr(Head::Index, vec![name(&path), integer(i)]));
            }
            array = Kind::Array(integer(0), integer(1), array.into());
        } else {
            row(name(&path));
        }
        module.items.push(Item::Variable("VAR", path, array));
    }

    fn instance(&mut self, module: &mut Module, scope: &mut Scope) {
        let chosen = self.random.below(self.templates.len());
        let states = self.templates[chosen].states;
        if states * self.states > 2 * self.room {
            return;
        }
        let mut arguments = vec![];
        for kind in self.templates[chosen].parameters.clone() {
            arguments.push(match kind {
                Parameter::Bound => integer(2 + self.random.below(2) as i64),
                Parameter::Row => {
                    let path = self.fresh("a");
                    let array = Kind::Array(integer(0), integer(1), Kind::Boolean.into());
                    module.items.push(Item::Variable("VAR", path.clone(), array));
                    self.states *= 4;
                    for i in 0..2 {
                        scope.add_variable(expr(Head::Index, vec![name(&path), integer(i)]), Type::Boolean);
                    }
                    name(path)
                }
                Parameter::Output => {
                    let path = self.fresh("b");
                    module.items.push(Item::Variable("VAR", path.clone(), Kind::Boolean));
                    self.states *= 2;
                    // The module assigns it.
                    scope.add_derived(name(&path), Type::Boolean, false);
                    name(path)
                }
                Parameter::Value(Type::Boolean) => self.condition(scope, STATE, 1),
                Parameter::Value(_) => {
                    let (number, low, high) = self.number(scope, STATE, 1);
                    if low >= -4 && high <= 9 { number } else { integer(self.random.below(10) as i64) }
                }
            });
        }
        let path = self.fresh("c");
        let template = &self.templates[chosen];
        let outputs = template.parameters.iter().any(|parameter| matches!(parameter, Parameter::Output));
        let mut named = template.module.name.clone();
        // Its steps are then its own, and each combination of inputs is met once for every process.
        if self.inputs <= 4 && self.random.one_in(3) {
            named = format!("process {named}");
            self.inputs *= 2;
        }
        let mut kind = Kind::Instance(named, arguments);
        // Two instances in an array, which must not assign the same variable.
        let bases = if !outputs && states * states * self.states <= self.room && self.random.one_in(3) {
            kind = Kind::Array(integer(0), integer(1), kind.into());
            (0..2).map(|i| expr(Head::Index, vec![name(&path), integer(i)])).collect()
        } else {
            vec![name(&path)]
        };
        for base in bases {
            self.states *= states;
            for member in &template.members {
                let inside = insert_base(&member.path, &base);
                // What another module assigns is not assigned again here.
                let next_from = if member.derived { member.next_from } else { scope.known.len() };
                scope.known.push(Known { path: inside, derived: true, next_from, ..member.clone() });
            }
        }
        module.items.push(Item::Variable("VAR", path, kind));
    }

    /// Definitions, assignments and constraints.
    fn rules(&mut self, module: &mut Module, scope: &mut Scope, main: bool) {
        for _ in 0..self.random.below(4) {
            let define = self.fresh("d");
            let transition = self.random.one_in(4);
            let place = if transition { TRANSITION } else { STATE };
            let (body, kind) = match self.random.below(3) {
                0 => (self.condition(scope, place, 2), Type::Boolean),
                1 => {
                    let (body, low, high) = self.number(scope, place, 2);
                    (body, Type::Integer(low, high))
                }
                _ => match self.some_listed(scope, place) {
                    Some(list) => (self.listed(scope, place, &list, 2), Type::Listed(list)),
                    None => continue,
                },
            };
            module.items.push(Item::Define(define.clone(), body));
            scope.add_derived(name(define), kind, transition);
        }
        let trans = if main { [0, 0, 0, 1, 1, 2].as_slice() } else { &[0, 0, 0, 1] };
        let trans = self.random.pick(trans);
        // Where a relation constrains the next state, assignments beside it often leave nothing.
        self.assignments(module, scope, if trans == 0 { 4 } else { 1 });
        if self.random.one_in(12) {
            module.items.push(Item::Constants(vec!["k0".into(), "s3".into()]));
        }
        let some = |random: &mut Random, weights: &[usize]| random.pick(weights);
        for _ in 0..some(&mut self.random, &[0, 0, 1]) {
            let body = self.loose(scope, STATE);
            module.items.push(Item::Section("INIT", body));
        }
        for _ in 0..some(&mut self.random, &[0, 0, 0, 1]) {
            let body = self.loose(scope, STATE);
            module.items.push(Item::Section("INVAR", body));
        }
        for _ in 0..trans {
            let body = self.transition(scope);
            module.items.push(Item::Section("TRANS", body));
        }
    }

    /// Of six variables n are assigned in the next state.
    fn assignments(&mut self, module: &mut Module, scope: &mut Scope, often: usize) {
        let frozen: Vec<String> = module.items.iter().filter_map(frozen).collect();
        // First values may look at some variables, whose own first values are constants: those that need each other are
        // refused.
        let own: Vec<String> = module.items.iter().filter_map(declared).collect();
        let mut first = Scope { known: vec![], rows: vec![] };
        let mut leaf = vec![];
        for known in &scope.known {
            let path = known.path.to_string();
            let name = path.split('[').next().unwrap_or_default().to_owned();
            let plain = !known.derived && !known.transition && own.contains(&name);
            leaf.push(plain && self.random.one_in(2));
            if leaf.last() == Some(&true) {
                first.known.push(known.clone());
            }
        }
        for (i, leaf) in leaf.into_iter().enumerate() {
            let target = scope.known[i].clone();
            if target.derived || target.transition {
                continue;
            }
            let frozen = frozen.contains(&target.path.to_string());
            if !frozen && !leaf && self.random.one_in(16) {
                // Only what is not assigned like that itself may be looked at.
                scope.known[i].always = true;
                let value = self.value(scope, PLAIN, &target.kind);
                module.items.push(Item::Assign("", target.path, value));
                continue;
            }
            if self.random.one_in(2) {
                let value = if !leaf && self.random.one_in(2) {
                    self.value(&first, STATE, &target.kind)
                } else {
                    self.literal(&target.kind)
                };
                module.items.push(Item::Assign("init", target.path.clone(), value));
            }
            if !frozen && self.random.below(6) < often {
                let place = Place { transition: true, before: i, plain: false };
                let value = self.value(scope, place, &target.kind);
                module.items.push(Item::Assign("next", target.path, value));
            }
        }
    }

    /// A condition that holds often.
    fn loose(&mut self, scope: &Scope, place: Place) -> Expr {
        let mut body = self.condition(scope, place, 2);
        for _ in 0..self.random.below(3) {
            body = binary("|", body, self.condition(scope, place, 1));
        }
        body
    }

    /// A transition relation in one of the ways people write them.
    fn transition(&mut self, scope: &Scope) -> Expr {
        match self.random.below(3) {
            0 => self.loose(scope, TRANSITION),
            1 => {
                let condition = self.condition(scope, STATE, 2);
                binary("->", condition, self.condition(scope, TRANSITION, 2))
            }
            _ => {
                let mut steps = vec![];
                for _ in 0..1 + self.random.below(4) {
                    let mut step = self.condition(scope, STATE, 1);
                    for known in scope.known.iter().filter(|known| !known.derived) {
                        let after = expr(Head::Next, vec![known.path.clone()]);
                        let part = match self.random.below(5) {
                            0 => continue,
                            1 => {
                                let value = self.value(scope, STATE, &known.kind);
                                binary("in", after, expr(Head::Set, vec![value]))
                            }
                            2 => binary("!=", after, self.literal(&known.kind)),
                            _ => binary("=", after, known.path.clone()),
                        };
                        step = binary("&", step, part);
                    }
                    steps.push(step);
                }
                steps.into_iter().reduce(|a, b| binary("|", a, b)).expect("one step")
            }
        }
    }
}

/// The values of a type.
enum Values {
    Booleans,
    Numbers(Vec<i64>),
    Listed(Vec<Expr>),
}

impl Values {
    fn len(&self) -> usize {
        match self {
            Values::Booleans => 2,
            Values::Numbers(list) => list.len(),
            Values::Listed(list) => list.len(),
        }
    }

    fn kind(&self) -> Type {
        let is_range = |list: &[i64]| list.windows(2).all(|pair| pair[0] + 1 == pair[1]);
        match self {
            Values::Booleans => Type::Boolean,
            Values::Numbers(list) if is_range(list) => Type::Integer(list[0], list[list.len() - 1]),
            Values::Numbers(list) => Type::Listed(list.iter().map(|&n| integer(n)).collect()),
            Values::Listed(list) => Type::Listed(list.clone()),
        }
    }
}

fn declared(item: &Item) -> Option<String> {
    match item {
        Item::Variable(_, name, _) => Some(name.clone()),
        _ => None,
    }
}

fn frozen(item: &Item) -> Option<String> {
    match item {
        Item::Variable("FROZENVAR", name, _) => Some(name.clone()),
        _ => None,
    }
}

/// `base.path`, where the path begins with a name.
fn insert_base(path: &Expr, base: &Expr) -> Expr {
    match &path.head {
        Head::Name(first) => expr(Head::Member(first.clone()), vec![base.clone()]),
        head => {
            let mut operands = path.operands.clone();
            operands[0] = insert_base(&operands[0], base);
            expr(head.clone(), operands)
        }
    }
}

mod expressions;
mod formulas;
