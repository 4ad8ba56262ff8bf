//! From the unfolded model to a transition system.

mod assign;
mod claims;
mod constrain;
mod cycles;
mod relation;

use crate::compile::{Compiler, Place};
use crate::diagnostic::{Checked, Diagnostic, Diagnostics, Limits};
use crate::inputs::Part;
use crate::instance::{Declared, Flat, INPUTS, unfold};
use crate::syntax::{File, Item, Storage, When};
use crate::value::{Constant, conjoin};
use crate::word_variable::WordVariable;
use rustc_hash::FxHashMap;
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
    /// The variables that are words; the system has a variable for each of their bits.
    pub words: Vec<WordVariable>,
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
    /// Which variables an assignment needs in the same state: the first one, the one that a process makes, or every one.
    depends: FxHashMap<(usize, When, usize), (Vec<VarId>, Span)>,
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
            let (place, span) = (Place::transition(definition.scope), definition.body.span);
            let checked = self.compiler.define(define, place, span);
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
        let flat = self.flat;
        let word = |(name, signed, bits): &(String, bool, Vec<usize>)| {
            let bits: Vec<VarId> = bits.iter().map(|&bit| flat.variables[bit].var).collect();
            let is_state = bits.iter().all(|var| var.0 < INPUTS);
            is_state.then(|| WordVariable { name: name.clone(), signed: *signed, bits })
        };
        let words = flat.words.iter().filter_map(word).collect();
        let exprs = self.compiler.exprs;
        let system = System { variables, exprs, initial, relations, stops: vec![], sets, hidden };
        Some(Model { system, states, specs, fairness, words, warnings: vec![] })
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
