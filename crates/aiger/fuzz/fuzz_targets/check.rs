//! Circuits in AIGER, ASCII and binary, read, checked and solved as safety games within limits: nothing panics or hangs, and
//! every diagnostic lies inside the file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use winset_aiger::{read, synthesize};
use winset_mu::{Paths, Query, Universe, answer};
use winset_symbolic::Options;
use winset_work::Work;

fuzz_target!(|data: &[u8]| {
    let circuit = match read(data) {
        Ok(circuit) => circuit,
        Err(d) => return assert!(data.get(d.span.start..d.span.end).is_some()),
    };
    if circuit.latches.len() + circuit.inputs.len() > 100 || circuit.gates.len() > 5_000 {
        return;
    }
    let options = || Options { memory: 64 << 20, work: Work::default().part(20_000_000), ..Options::default() };
    let model = circuit.model();
    let properties: Vec<_> = model.properties.iter().map(|(_, property)| property.clone()).collect();
    let query = Query {
        system: &model.system,
        properties: &properties,
        paths: Paths::Fair(&model.fairness),
        scope: Universe::Reachable.into(),
        order: None,
        options: &options(),
        certify: false,
        progress: None,
        whole: None,
    };
    if let Ok(Ok(report)) = answer(&query) {
        assert!(report.initial <= report.states);
    }
    // What it writes can be read.
    if let Ok(Some(controlled)) = synthesize(&circuit, &options()) {
        assert!(read(controlled.write().as_bytes()).is_ok());
    }
});
