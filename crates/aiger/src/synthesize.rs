//! Safety games: can a controller choose its inputs, after it has seen the others, so that no output is ever true?

use crate::circuit::{Circuit, Gate, Literal};
use crate::model::Wires;
use std::collections::HashMap;
use winset_model::{Exprs, VarId};
use winset_symbolic::{Compiler, Diagram, Flat, Job, Options, Space, SymbolicError, with_kind};

/// The inputs whose names begin so are the controller's.
const CONTROLLABLE: &str = "controllable_";

/// The circuit with the controller inside, or none if no controller can win. Constraints and justice have no meaning in
/// such a game and are not looked at.
pub fn synthesize(circuit: &Circuit, options: &Options) -> Result<Option<Circuit>, SymbolicError> {
    with_kind(options.kind, Synthesis { circuit, options })
}

struct Synthesis<'a> {
    circuit: &'a Circuit,
    options: &'a Options,
}

impl Job for Synthesis<'_> {
    type Output = Result<Option<Circuit>, SymbolicError>;

    fn run<F: Diagram>(self) -> Self::Output {
        let circuit = self.circuit;
        let variables = circuit.variables();
        let latches = circuit.latches.len();
        let var = |i: usize| VarId(i as u32);
        let is_ours =
            |i: &usize| circuit.input_names[*i].as_deref().is_some_and(|name| name.starts_with(CONTROLLABLE));
        let ours: Vec<usize> = (0..circuit.inputs.len()).filter(is_ours).collect();
        let theirs: Vec<VarId> =
            (0..circuit.inputs.len()).filter(|i| !is_ours(i)).map(|i| var(latches + i)).collect();
        let chosen: Vec<VarId> = ours.iter().map(|&i| var(latches + i)).collect();
        // The controller's choices stand below what it knows when it makes them.
        let order =
            (0..latches).map(var).chain(theirs.iter().copied()).chain(chosen.iter().copied()).collect();
        let space = Space::<F>::new(&variables, order, self.options)?;
        let mut exprs = Exprs::new();
        let wires = Wires::new(circuit, &mut exprs);
        let bad: Vec<_> =
            circuit.must_not_be().iter().map(|&literal| wires.at(literal, &mut exprs)).collect();
        let nexts: Vec<_> = circuit.latches.iter().map(|latch| wires.at(latch.next, &mut exprs)).collect();
        let bad = exprs.or(bad);
        let mut compiler = Compiler::new(&space, &exprs);
        let bad = compiler.compile(bad)?;
        let nexts = nexts.into_iter().map(|next| compiler.compile(next)).collect::<Result<Vec<F>, _>>()?;
        let latch_vars: Vec<VarId> = (0..latches).map(var).collect();
        let after = |set: &F| space.composed(set, &latch_vars, &nexts);
        // What the controller may do: nothing bad, and on to where it still wins.
        let good = |won: &F| space.diff(&after(won)?, &bad);
        let mut won = space.all().clone();
        loop {
            let some = space.forget(&good(&won)?, &chosen)?;
            let lost = space.forget(&space.complement(&some)?, &theirs)?;
            let next = space.diff(&won, &lost)?;
            space.tidy();
            if next == won {
                break;
            }
            won = next;
        }
        let mut initial = space.all().clone();
        for (i, latch) in circuit.latches.iter().enumerate() {
            if let Some(reset) = latch.reset {
                initial = space.and(&initial, space.is(var(i), u16::from(reset)))?;
            }
        }
        if space.diff(&initial, &won)? != *space.none() {
            return Ok(None);
        }
        // One choice after the other: 1 where that is good, whatever is chosen of the rest.
        let mut strategy = good(&won)?;
        let mut flats = vec![];
        for (i, &choice) in chosen.iter().enumerate() {
            let rest = space.forget(&strategy, &chosen[i + 1..])?;
            let one = space.forget(&space.and(&rest, space.is(choice, 1))?, &[choice])?;
            let agreed = space.attempt(|| space.is(choice, 1).equiv(&one))?;
            strategy = space.and(&strategy, &agreed)?;
            flats.push(one.flatten());
        }
        let level_of = |v: VarId| space.place(v).levels[0];
        let leaves = circuit.latches.iter().map(|latch| latch.literal).chain(circuit.inputs.iter().copied());
        // Which literal a level stands for; a code may be the other way round.
        let by_level: HashMap<u32, Literal> = leaves
            .enumerate()
            .map(|(i, literal)| {
                let one = space.place(var(i)).codes[1][0] == Some(true);
                (level_of(var(i)), if one { literal } else { literal ^ 1 })
            })
            .collect();
        Ok(Some(controlled(circuit, &ours, &flats, &by_level)))
    }
}

/// The circuit with gates in the place of the controller's inputs.
fn controlled(
    circuit: &Circuit,
    ours: &[usize],
    flats: &[Flat],
    by_level: &HashMap<u32, Literal>,
) -> Circuit {
    let mut out = circuit.clone();
    let mut gates: Vec<Gate> = vec![];
    let mut highest = circuit.highest;
    let mut and = |a: Literal, b: Literal, gates: &mut Vec<Gate>| match (a, b) {
        (0, _) | (_, 0) => 0,
        (1, other) | (other, 1) => other,
        operands => {
            highest += 1;
            gates.push(Gate { literal: 2 * highest, operands: [operands.0, operands.1] });
            2 * highest
        }
    };
    for (&input, flat) in ours.iter().zip(flats) {
        let mut literals: Vec<Literal> = vec![0, 1];
        for node in &flat.nodes[2..] {
            let (when, zero, one) =
                (by_level[&node.level], literals[node.zero as usize], literals[node.one as usize]);
            let (yes, no) = (and(when, one, &mut gates), and(when ^ 1, zero, &mut gates));
            literals.push(and(yes ^ 1, no ^ 1, &mut gates) ^ 1);
        }
        let value = literals[flat.root as usize];
        gates.push(Gate { literal: circuit.inputs[input], operands: [value, value] });
    }
    out.highest = highest;
    // The rest of the circuit uses the controller's choices, which use latches and the other inputs only.
    gates.extend(&circuit.gates);
    out.gates = gates;
    let keep = |i: usize| !ours.contains(&i);
    out.inputs = (0..circuit.inputs.len()).filter(|&i| keep(i)).map(|i| circuit.inputs[i]).collect();
    out.input_names =
        (0..circuit.inputs.len()).filter(|&i| keep(i)).map(|i| circuit.input_names[i].clone()).collect();
    out
}
