//! Instances unfolded and names resolved: trees over numbered variables.

use crate::syntax::{Expr, Head, Item, Kind, Model, Module};
use std::collections::{BTreeMap, BTreeSet};

/// A value. Symbols are their position in the list of all symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    Boolean(bool),
    Integer(i64),
    Symbol(usize),
}

/// One of the three copies of variables that a tree can look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Atom {
    Now(usize),
    Next(usize),
    Input(usize),
}

#[derive(Clone, Debug)]
pub enum Tree {
    Constant(Value),
    Look(Atom),
    /// Any other operator, on its operands.
    Apply(Head, Vec<Tree>),
    /// The element of a list that an index chooses; the first one's index.
    Pick(i64, Vec<Tree>, Box<Tree>),
    /// The variable has, or comes to have, the value.
    Becomes(Atom, Box<Tree>),
    /// A fixed point's variable.
    Bound(String),
}

#[derive(Clone, Debug)]
pub struct Variable {
    pub values: Vec<Value>,
    pub frozen: bool,
}

/// The model without instances, definitions and names.
#[derive(Debug, Default)]
pub struct Flat {
    pub variables: Vec<Variable>,
    pub inputs: Vec<Variable>,
    pub symbols: Vec<String>,
    pub initial: Vec<Tree>,
    pub invariants: Vec<Tree>,
    pub transitions: Vec<Tree>,
    pub specs: Vec<Tree>,
    /// Everything that is defined, used or not.
    pub defined: Vec<Tree>,
}

#[derive(Clone, Debug)]
enum Target {
    Variable(usize),
    Input(usize),
    Array(i64, Vec<Target>),
    Instance(usize),
    Define(Expr, usize),
    Parameter(Expr, usize),
}

struct Flattener<'m> {
    model: &'m Model,
    flat: Flat,
    scopes: Vec<BTreeMap<String, Target>>,
    /// The process that each scope is a part of, and how many there are; `main` is the first.
    part_of: Vec<usize>,
    processes: usize,
    symbols: BTreeSet<String>,
    sections: Vec<(usize, &'m Item)>,
}

/// Unfolds `main`.
pub fn flatten(model: &Model) -> Flat {
    let mut flattener = Flattener {
        model,
        flat: Flat::default(),
        scopes: vec![],
        part_of: vec![],
        processes: 1,
        symbols: BTreeSet::new(),
        sections: vec![],
    };
    let main = model.modules.iter().find(|module| module.name == "main").expect("a main module");
    flattener.instance(main, BTreeMap::new(), 0);
    flattener.sections();
    let define = |target: &Target| match target {
        Target::Define(body, scope) => Some((body.clone(), *scope)),
        _ => None,
    };
    let defines: Vec<(Expr, usize)> =
        flattener.scopes.iter().flat_map(|s| s.values()).filter_map(define).collect();
    for (body, scope) in defines {
        let tree = flattener.tree(&body, scope, false, &[]);
        flattener.flat.defined.push(tree);
    }
    flattener.flat
}

impl<'m> Flattener<'m> {
    fn symbol(&mut self, name: &str) -> Value {
        let known = self.flat.symbols.iter().position(|symbol| symbol == name);
        Value::Symbol(known.unwrap_or_else(|| {
            self.flat.symbols.push(name.to_owned());
            self.flat.symbols.len() - 1
        }))
    }

    fn instance(&mut self, module: &'m Module, arguments: BTreeMap<String, Target>, process: usize) -> usize {
        let scope = self.scopes.len();
        self.scopes.push(arguments);
        self.part_of.push(process);
        for item in &module.items {
            match item {
                Item::Define(name, body) => {
                    self.scopes[scope].insert(name.clone(), Target::Define(body.clone(), scope));
                }
                Item::Constants(names) => self.symbols.extend(names.iter().cloned()),
                _ => {}
            }
        }
        for item in &module.items {
            match item {
                Item::Variable(storage, name, kind) => {
                    let target = self.variable(scope, storage, kind);
                    self.scopes[scope].insert(name.clone(), target);
                }
                Item::Assign(..) | Item::Section(..) => self.sections.push((scope, item)),
                _ => {}
            }
        }
        scope
    }

    fn variable(&mut self, scope: usize, storage: &str, kind: &'m Kind) -> Target {
        let values = match kind {
            Kind::Boolean => vec![Value::Boolean(false), Value::Boolean(true)],
            Kind::Range(low, high) => {
                (self.number(low, scope)..=self.number(high, scope)).map(Value::Integer).collect()
            }
            Kind::Enumeration(list) => list.iter().map(|e| self.listed(e, scope)).collect(),
            Kind::Array(low, high, of) => {
                let (low, high) = (self.number(low, scope), self.number(high, scope));
                return Target::Array(low, (low..=high).map(|_| self.variable(scope, storage, of)).collect());
            }
            Kind::Instance(name, arguments) => {
                let (name, process) = match name.strip_prefix("process ") {
                    Some(name) => {
                        self.processes += 1;
                        (name, self.processes - 1)
                    }
                    None => (name.as_str(), self.part_of[scope]),
                };
                let module = self.model.modules.iter().find(|module| module.name == *name).expect("a module");
                let given = arguments.iter().map(|argument| Target::Parameter(argument.clone(), scope));
                let given = module.parameters.iter().cloned().zip(given).collect();
                return Target::Instance(self.instance(module, given, process));
            }
        };
        let variable = Variable { values, frozen: storage == "FROZENVAR" };
        if storage == "IVAR" {
            self.flat.inputs.push(variable);
            return Target::Input(self.flat.inputs.len() - 1);
        }
        self.flat.variables.push(variable);
        Target::Variable(self.flat.variables.len() - 1)
    }

    fn listed(&mut self, element: &Expr, scope: usize) -> Value {
        match &element.head {
            Head::Boolean(value) => Value::Boolean(*value),
            Head::Name(name) if !self.scopes[scope].contains_key(name) => {
                self.symbols.insert(name.clone());
                self.symbol(name)
            }
            _ => Value::Integer(self.number(element, scope)),
        }
    }

    /// A constant number, for bounds.
    fn number(&mut self, bound: &Expr, scope: usize) -> i64 {
        let tree = self.tree(bound, scope, false, &[]);
        match crate::evaluate::constant(&tree) {
            Some(Value::Integer(n)) => n,
            other => panic!("a bound is {other:?}"),
        }
    }

    fn sections(&mut self) {
        for v in 0..self.flat.variables.len() {
            if self.flat.variables[v].frozen {
                let same = Tree::Becomes(Atom::Next(v), Tree::Look(Atom::Now(v)).into());
                self.flat.transitions.push(same);
            }
        }
        let mut nexts: Vec<(usize, usize, Tree)> = vec![];
        for (scope, item) in std::mem::take(&mut self.sections) {
            match item {
                Item::Assign(when, target, value) => {
                    let Some(Target::Variable(v)) = self.target(target, scope) else {
                        panic!("not a variable")
                    };
                    let tree = self.tree(value, scope, false, &[]);
                    let atom = if *when == "next" { Atom::Next(v) } else { Atom::Now(v) };
                    let becomes = Tree::Becomes(atom, tree.into());
                    match *when {
                        "init" => self.flat.initial.push(becomes),
                        "next" => nexts.push((v, self.part_of[scope], becomes)),
                        _ => self.flat.invariants.push(becomes),
                    }
                }
                Item::Section(word, body) => {
                    let tree = self.tree(body, scope, false, &[]);
                    match *word {
                        "INIT" => self.flat.initial.push(tree),
                        "INVAR" => self.flat.invariants.push(tree),
                        "TRANS" => self.flat.transitions.push(tree),
                        "INVARSPEC" => self.flat.specs.push(Tree::Apply(Head::Temporal("AG"), vec![tree])),
                        _ => self.flat.specs.push(tree),
                    }
                }
                _ => unreachable!("only these were kept"),
            }
        }
        self.steps(nexts);
    }

    /// What becomes of variables: which process takes the step is an input, and what it does not assign stays if any
    /// process assigns it.
    fn steps(&mut self, nexts: Vec<(usize, usize, Tree)>) {
        if self.processes == 1 {
            self.flat.transitions.extend(nexts.into_iter().map(|(_, _, becomes)| becomes));
            return;
        }
        let selector = self.flat.inputs.len();
        let values = (0..self.processes as i64).map(Value::Integer).collect();
        self.flat.inputs.push(Variable { values, frozen: false });
        let runs = |process: usize| {
            let process = Tree::Constant(Value::Integer(process as i64));
            Tree::Apply(Head::Binary("="), vec![Tree::Look(Atom::Input(selector)), process])
        };
        let assigned: BTreeSet<usize> = nexts.iter().map(|(v, ..)| *v).collect();
        for v in assigned {
            for process in 0..self.processes {
                let own =
                    nexts.iter().find(|(w, p, _)| (*w, *p) == (v, process)).map(|(.., tree)| tree.clone());
                let kept = || Tree::Becomes(Atom::Next(v), Tree::Look(Atom::Now(v)).into());
                let becomes = own.unwrap_or_else(kept);
                self.flat.transitions.push(Tree::Apply(Head::Binary("->"), vec![runs(process), becomes]));
            }
        }
    }

    /// What a name with members and constant indices stands for; none if an index is not constant.
    fn target(&mut self, at: &Expr, scope: usize) -> Option<Target> {
        match &at.head {
            Head::Name(name) => {
                let found = self.scopes[scope].get(name).cloned();
                match found {
                    Some(Target::Parameter(argument, caller)) => {
                        let inner = self.target(&argument, caller);
                        inner.or(Some(Target::Parameter(argument, caller)))
                    }
                    other => other,
                }
            }
            Head::Member(member) => {
                let Some(Target::Instance(inner)) = self.target(&at.operands[0], scope) else {
                    panic!("not an instance")
                };
                let name = Expr { head: Head::Name(member.clone()), operands: vec![] };
                self.target(&name, inner)
            }
            Head::Index => {
                let Some(Target::Array(low, elements)) = self.target(&at.operands[0], scope) else {
                    return None;
                };
                let index = self.tree(&at.operands[1], scope, false, &[]);
                let Some(Value::Integer(index)) = crate::evaluate::constant(&index) else { return None };
                elements.get(usize::try_from(index - low).ok()?).cloned()
            }
            _ => None,
        }
    }

    fn tree(&mut self, at: &Expr, scope: usize, shifted: bool, bound: &[String]) -> Tree {
        let operands = |this: &mut Self, shifted: bool, bound: &[String]| -> Vec<Tree> {
            at.operands.iter().map(|operand| this.tree(operand, scope, shifted, bound)).collect()
        };
        match &at.head {
            Head::Boolean(value) => Tree::Constant(Value::Boolean(*value)),
            Head::Integer(n) => Tree::Constant(Value::Integer(*n)),
            Head::Name(name) if bound.contains(name) => Tree::Bound(name.clone()),
            Head::Name(name) if !self.scopes[scope].contains_key(name) => {
                assert!(self.symbols.contains(name), "nothing is called {name}");
                Tree::Constant(self.symbol(name))
            }
            Head::Name(_) | Head::Member(_) => {
                let target = self.target(at, scope).expect("a name");
                self.look(&target, shifted)
            }
            Head::Index => match self.target(at, scope) {
                Some(target) => self.look(&target, shifted),
                None => self.element(at, scope, shifted),
            },
            Head::Next => self.tree(&at.operands[0], scope, true, bound),
            Head::Fix(_, variable) => {
                let bound = [bound, std::slice::from_ref(variable)].concat();
                Tree::Apply(at.head.clone(), operands(self, shifted, &bound))
            }
            _ => Tree::Apply(at.head.clone(), operands(self, shifted, bound)),
        }
    }

    fn look(&mut self, target: &Target, shifted: bool) -> Tree {
        match target {
            Target::Variable(v) if shifted => Tree::Look(Atom::Next(*v)),
            Target::Variable(v) => Tree::Look(Atom::Now(*v)),
            Target::Input(i) => Tree::Look(Atom::Input(*i)),
            Target::Define(body, scope) | Target::Parameter(body, scope) => {
                self.tree(body, *scope, shifted, &[])
            }
            Target::Array(..) | Target::Instance(_) => panic!("this has no value"),
        }
    }

    /// An element of an array by computed indices: the whole array as a list of lists.
    fn element(&mut self, at: &Expr, scope: usize, shifted: bool) -> Tree {
        let (mut base, mut indices) = (at, vec![]);
        let target = loop {
            indices.push(&base.operands[1]);
            base = &base.operands[0];
            if let Some(target) = self.target(base, scope) {
                break target;
            }
        };
        indices.reverse();
        self.pick(&target, &indices, scope, shifted)
    }

    fn pick(&mut self, target: &Target, indices: &[&Expr], scope: usize, shifted: bool) -> Tree {
        let Some((index, inner)) = indices.split_first() else { return self.look(target, shifted) };
        let Target::Array(low, elements) = target else { panic!("not an array") };
        let index = self.tree(index, scope, shifted, &[]);
        let elements = elements.iter().map(|element| self.pick(element, inner, scope, shifted)).collect();
        Tree::Pick(*low, elements, index.into())
    }
}
