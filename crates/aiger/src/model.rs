//! A circuit as a transition system.

use crate::circuit::{Circuit, Literal};
use winset_formula::{Fairness, Linear, Property};
use winset_model::{ExprId, Exprs, Relation, System, VarId, Variable};

/// A circuit's system, and what it is claimed to satisfy. Its variables are the latches, then the inputs.
#[derive(Clone, Debug)]
pub struct Model {
    /// The system.
    pub system: System,
    /// That no bad literal is ever true, and that no set of justice literals is again and again; with their names.
    pub properties: Vec<(String, Property)>,
    /// Which paths count.
    pub fairness: Fairness,
}

/// The expression of every variable of a circuit, by number.
pub(crate) struct Wires(Vec<ExprId>);

impl Wires {
    /// Latches and inputs are the variables of a system, in this order.
    pub fn new(circuit: &Circuit, exprs: &mut Exprs) -> Wires {
        let mut wires = Wires(vec![Exprs::FALSE; circuit.highest as usize + 1]);
        let leaves = circuit.latches.iter().map(|latch| latch.literal).chain(circuit.inputs.iter().copied());
        for (i, literal) in leaves.enumerate() {
            wires.0[literal as usize / 2] = exprs.is(VarId(i as u32), 1);
        }
        for gate in &circuit.gates {
            let operands = gate.operands.map(|literal| wires.at(literal, exprs));
            wires.0[gate.literal as usize / 2] = exprs.and(operands);
        }
        wires
    }

    /// Where a literal is true.
    pub fn at(&self, literal: Literal, exprs: &mut Exprs) -> ExprId {
        let set = self.0[literal as usize / 2];
        if literal % 2 == 1 { exprs.not(set) } else { set }
    }
}

impl Circuit {
    /// The variables of the system: latches, then inputs, by their names or by what they are.
    pub(crate) fn variables(&self) -> Vec<Variable> {
        let mut seen = std::collections::HashSet::new();
        let mut variable = |name: &Option<String>, kind: char, i: usize| {
            let own = format!("{kind}{i}");
            let name = name.clone().filter(|name| seen.insert(name.clone())).unwrap_or(own);
            Variable { name, values: ["0", "1"].map(str::to_owned).to_vec() }
        };
        let mut variables: Vec<Variable> =
            self.latch_names.iter().enumerate().map(|(i, name)| variable(name, 'l', i)).collect();
        variables.extend(self.input_names.iter().enumerate().map(|(i, name)| variable(name, 'i', i)));
        variables
    }

    /// The circuit as a transition system. Inputs are parts of its states, which any step may change.
    pub fn model(&self) -> Model {
        let variables = self.variables();
        let mut exprs = Exprs::new();
        let wires = Wires::new(self, &mut exprs);
        let all = |literals: &[Literal], exprs: &mut Exprs| {
            let sets: Vec<ExprId> = literals.iter().map(|&literal| wires.at(literal, exprs)).collect();
            exprs.and(sets)
        };
        let constraint = all(&self.constraints, &mut exprs);
        let (mut initial, mut step) = (vec![], vec![constraint]);
        for (i, latch) in self.latches.iter().enumerate() {
            let var = VarId(i as u32);
            if let Some(reset) = latch.reset {
                initial.push(exprs.is(var, u16::from(reset)));
            }
            let next = wires.at(latch.next, &mut exprs);
            let (yes, no) = (exprs.next(var, 1), exprs.next(var, 0));
            step.push(exprs.ite(next, yes, no));
        }
        let (initial, formula) = (exprs.and(initial), exprs.and(step));
        let writes = (0..variables.len() as u32).map(VarId).collect();
        let relations = vec![Relation { name: "step".to_owned(), formula, writes, unless: vec![] }];
        let mut properties = vec![];
        let kind = if self.bad.is_empty() { 'o' } else { 'b' };
        for (i, &literal) in self.must_not_be().iter().enumerate() {
            let bad = wires.at(literal, &mut exprs);
            let bad = exprs.and([bad, constraint]);
            properties.push((format!("{kind}{i} is never 1"), Property::Invariant(exprs.not(bad))));
        }
        for (i, set) in self.justice.iter().enumerate() {
            let again = |literal: &Literal, exprs: &mut Exprs| {
                let set = Linear::Set(wires.at(*literal, exprs));
                Linear::Globally(Linear::Finally(set.into()).into())
            };
            let list: Vec<Linear> = set.iter().map(|literal| again(literal, &mut exprs)).collect();
            let all = list.into_iter().reduce(|a, b| Linear::And(a.into(), b.into()));
            let formula = Linear::Not(all.unwrap_or(Linear::Set(Exprs::TRUE)).into());
            properties.push((format!("j{i} is not 1 again and again"), Property::Linear(formula)));
        }
        let justice = self.fairness.iter().map(|&literal| wires.at(literal, &mut exprs)).collect();
        let fairness = Fairness { justice, compassion: vec![] };
        let system =
            System { variables, exprs, initial, relations, stops: vec![], sets: vec![], hidden: vec![] };
        Model { system, properties, fairness }
    }
}
