//! What belongs to transitions and not to states: inputs, processes, and what specifications say of a step.
//!
//! A property may speak of a step: of an input, of the process that runs, of the next state. A bit that a state has in
//! addition records whether it did hold in the step before; what is said of the step is then said of that bit, one state
//! later. Such bits are not counted among the states: see [`winset_model::System::hidden`].

use crate::compile::Compiler;
use crate::diagnostic::{Checked, Code, Diagnostic};
use crate::instance::{Flat, INPUTS, SELECTOR};
use crate::satisfy::restrict;
use crate::value::conjoin;
use rustc_hash::{FxHashMap, FxHashSet};
use winset_diagnostic::Span;
use winset_model::{Expr, ExprId, Exprs, VarId, Variable};

/// Up to here each combination of inputs makes a part of the relation; of more, what they were is recorded.
const FEW: usize = 16;

/// The most inputs that are taken out of one conjunct.
const MOST_DOUBLED: usize = 8;

/// One disjunct of the relation, by name.
pub(crate) struct Part {
    pub name: String,
    pub formula: ExprId,
}

/// A variable that records something of the last step.
pub(crate) struct Record {
    pub var: VarId,
    pub variable: Variable,
    /// Its value where nothing has happened yet.
    pub initially: u16,
    /// What it records, if it is a bit; otherwise the relation says so.
    pub condition: Option<ExprId>,
}

impl Compiler<'_, '_> {
    /// The bit that records whether a condition on a step held in the last one.
    pub fn observe(&mut self, condition: ExprId, initially: bool, text: &str) -> ExprId {
        let same = |r: &&Record| r.condition == Some(condition) && r.initially == u16::from(initially);
        let known = self.records.iter().find(same).map(|record| record.var);
        let var = known.unwrap_or_else(|| {
            let values = ["FALSE", "TRUE"].map(str::to_owned).to_vec();
            let variable = Variable { name: format!("before: {text}"), values };
            self.record(variable, u16::from(initially), Some(condition))
        });
        self.exprs.is(var, 1)
    }

    fn record(&mut self, variable: Variable, initially: u16, condition: Option<ExprId>) -> VarId {
        let var = VarId(self.flat.state_variables() + self.records.len() as u32);
        self.records.push(Record { var, variable, initially, condition });
        var
    }

    /// What all records say of initial states and of steps.
    pub fn recorded(&mut self) -> (Vec<ExprId>, Vec<ExprId>) {
        let (mut initial, mut steps) = (vec![], vec![]);
        for record in &self.records {
            initial.push(self.exprs.is(record.var, record.initially));
            if let Some(condition) = record.condition {
                let (yes, no) = (self.exprs.next(record.var, 1), self.exprs.next(record.var, 0));
                steps.push(self.exprs.ite(condition, yes, no));
            }
        }
        (initial, steps)
    }

    /// The relation without inputs: a part for every process and every combination of a few inputs, the other ones
    /// recorded.
    pub fn without_inputs(&mut self, parts: Vec<Part>) -> Checked<Vec<Part>> {
        let used: FxHashSet<VarId> = self
            .exprs
            .cone(parts.iter().map(|part| part.formula))
            .into_iter()
            .filter_map(|id| if let Expr::Is(var, _) = self.exprs.get(id) { Some(*var) } else { None })
            .filter(|var| var.0 >= INPUTS)
            .collect();
        let flat = self.flat;
        let mut inputs: Vec<Input> = flat.inputs().filter(|input| used.contains(&input.var)).collect();
        let count = |inputs: &[Input]| inputs.iter().try_fold(1usize, |n, i| n.checked_mul(i.values.len()));
        let parts = if count(&inputs).is_none_or(|n| n > FEW) {
            let parts = self.record_inputs(parts, &inputs);
            inputs.clear();
            parts
        } else {
            parts
        };
        if let Some(selector) = flat.selector
            && used.contains(&selector)
        {
            inputs.push(Input {
                var: selector,
                name: SELECTOR,
                values: flat.processes.clone(),
                span: Span::new(0, 0),
            });
        }
        let Some(first) = inputs.first() else { return Ok(parts) };
        let limit = self.limits.inputs;
        let Some(combinations) = count(&inputs).filter(|&n| n.saturating_mul(parts.len()) <= limit) else {
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
                    names.push(match input.name {
                        SELECTOR => format!("{} runs", input.values[value]),
                        name => format!("{name} = {}", input.values[value]),
                    });
                }
                let formula = restrict(&mut self.exprs, part.formula, &values, &mut FxHashMap::default());
                let name = names.join(", ");
                let name = if parts.len() > 1 { format!("{}: {name}", part.name) } else { name };
                if formula != Exprs::FALSE {
                    all.push(Part { name, formula });
                }
            }
        }
        Ok(all)
    }

    /// The relation with inputs that the next state records, as far as more than one conjunct depends on them.
    fn record_inputs(&mut self, parts: Vec<Part>, inputs: &[Input]) -> Vec<Part> {
        let parts: Vec<Part> = parts.into_iter().map(|part| self.quantified(part, inputs)).collect();
        let mut places: FxHashMap<VarId, VarId> = FxHashMap::default();
        let left: FxHashSet<VarId> = parts.iter().flat_map(|part| self.looked_at(part.formula)).collect();
        for input in inputs.iter().filter(|input| left.contains(&input.var)) {
            let variable = Variable { name: input.name.to_owned(), values: input.values.clone() };
            places.insert(input.var, self.record(variable, 0, None));
        }
        let mut known: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        for id in self.exprs.cone(parts.iter().map(|part| part.formula)) {
            let operands: Vec<ExprId> = self.exprs.operands(id).iter().map(|a| known[a]).collect();
            let new = match self.exprs.get(id) {
                Expr::Is(var, value) => match (places.get(var), *value) {
                    (Some(&place), value) => self.exprs.next(place, value),
                    (None, _) => id,
                },
                Expr::Not(_) => self.exprs.not(operands[0]),
                Expr::And(_) => self.exprs.and(operands),
                Expr::Or(_) => self.exprs.or(operands),
                _ => id,
            };
            known.insert(id, new);
        }
        parts.into_iter().map(|part| Part { formula: known[&part.formula], ..part }).collect()
    }

    /// The inputs that an expression depends on.
    fn looked_at(&self, root: ExprId) -> FxHashSet<VarId> {
        let (mut seen, mut stack, mut found) = (FxHashSet::default(), vec![root], FxHashSet::default());
        while let Some(id) = stack.pop() {
            if !seen.insert(id) {
                continue;
            }
            match self.exprs.get(id) {
                Expr::Is(var, _) if var.0 >= INPUTS => {
                    found.insert(*var);
                }
                _ => stack.extend_from_slice(self.exprs.operands(id)),
            }
        }
        found
    }

    /// A part in which inputs that a single conjunct depends on are gone: it holds for some value of them.
    fn quantified(&mut self, part: Part, inputs: &[Input]) -> Part {
        let (mut conjuncts, mut open) = (vec![], vec![part.formula]);
        while let Some(id) = open.pop() {
            match self.exprs.get(id) {
                Expr::And(list) => open.extend(list.iter().copied()),
                _ => conjuncts.push(id),
            }
        }
        let mut users: FxHashMap<VarId, Vec<usize>> = FxHashMap::default();
        for (i, &conjunct) in conjuncts.iter().enumerate() {
            for var in self.looked_at(conjunct) {
                users.entry(var).or_default().push(i);
            }
        }
        let mut taken = vec![0; conjuncts.len()];
        for input in inputs.iter().filter(|input| input.values.len() <= FEW) {
            let Some(&[i]) = users.get(&input.var).map(Vec::as_slice) else { continue };
            // Each of them can double the conjunct.
            if taken[i] == MOST_DOUBLED {
                continue;
            }
            taken[i] += 1;
            let ways: Vec<ExprId> = (0..input.values.len() as u16)
                .map(|value| {
                    let fixed = FxHashMap::from_iter([((input.var, false), value)]);
                    restrict(&mut self.exprs, conjuncts[i], &fixed, &mut FxHashMap::default())
                })
                .collect();
            conjuncts[i] = self.exprs.or(ways);
        }
        Part { formula: conjoin(&mut self.exprs, conjuncts), ..part }
    }
}

/// An input as the relation sees it.
struct Input<'f> {
    var: VarId,
    name: &'f str,
    values: Vec<String>,
    span: Span,
}

impl<'f> Flat<'f> {
    /// The number of variables that states have.
    pub fn state_variables(&self) -> u32 {
        self.variables.iter().filter(|d| d.var.0 < INPUTS).count() as u32
    }

    fn inputs(&self) -> impl Iterator<Item = Input<'_>> {
        self.variables.iter().filter(|d| d.var.0 >= INPUTS).map(|d| Input {
            var: d.var,
            name: &d.name,
            values: d.values.iter().map(ToString::to_string).collect(),
            span: d.span,
        })
    }
}
