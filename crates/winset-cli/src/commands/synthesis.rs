//! `winset solve` of a circuit: can a controller keep every output false?

use super::solve::SolveArgs;
use crate::engines::{failure, options};
use crate::failure::Failure;
use crate::memory;
use crate::output::{self, say};
use crate::source;
use crate::target;
use serde::Serialize;
use winset_symbolic::Options;

#[derive(Serialize)]
struct Answer {
    circuit: String,
    latches: usize,
    inputs: usize,
    /// A controller exists.
    realizable: bool,
    /// The gates of the circuit with the controller inside.
    #[serde(skip_serializing_if = "Option::is_none")]
    gates: Option<usize>,
}

/// Says whether a controller exists, and writes the circuit with it inside.
pub fn run(args: &SolveArgs) -> Result<(), Failure> {
    let file = args.controller.as_deref().map(|path| target::file("--controller", path)).transpose()?;
    if args.out.is_some() || args.dddmp.is_some() || args.watch {
        return Err(Failure::wrong_use("a circuit's solution is a circuit: give --controller FILE"));
    }
    let circuit = source::circuit(&args.game)?;
    if !circuit.constraints.is_empty() || !circuit.justice.is_empty() || !circuit.fairness.is_empty() {
        return Err(Failure::wrong_use(
            "a safety game has outputs that must stay 0, and no constraints, justice or fairness",
        ));
    }
    let options = Options { memory: memory::left(), ..options(&args.diagram) };
    let found = winset_aiger::synthesize(&circuit, &options).map_err(failure)?;
    let answer = Answer {
        circuit: args.game.game.clone(),
        latches: circuit.latches.len(),
        inputs: circuit.inputs.len(),
        realizable: found.is_some(),
        gates: found.as_ref().map(|controlled| controlled.gates.len()),
    };
    if args.output.json {
        output::json(&answer)?;
    } else {
        say!("{}: {} latches, {} inputs\n", answer.circuit, answer.latches, answer.inputs)?;
        match answer.gates {
            Some(gates) => say!(
                "realizable: a controller keeps every output 0; with it the circuit has {gates} gates\n"
            )?,
            None => say!("unrealizable: no controller keeps every output 0\n")?,
        }
    }
    match (found, file) {
        (None, _) => Err(Failure::False("no controller exists".to_owned())),
        (Some(controlled), Some(file)) => file.write(controlled.write().as_bytes()),
        (Some(_), None) => Ok(()),
    }
}
