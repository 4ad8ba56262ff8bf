//! SMV files read and checked within limits: whatever is read can be checked, or is refused with a reason.
#![no_main]

use libfuzzer_sys::fuzz_target;
use winset_mu::{Paths, Query, Universe, answer};
use winset_smv::{Limits, read_bytes};
use winset_symbolic::Options;
use winset_work::Work;

fuzz_target!(|data: &[u8]| {
    let limits = Limits { variables: 100, values: 64, expressions: 20_000, inputs: 64, ..Limits::default() };
    let Ok(model) = read_bytes(data, &limits) else { return };
    let properties: Vec<_> = model.specs.iter().map(|spec| spec.property.clone()).collect();
    let options = Options { memory: 64 << 20, work: Work::default().part(20_000_000), ..Options::default() };
    let query = Query {
        system: &model.system,
        properties: &properties,
        paths: Paths::Fair(&model.fairness),
        scope: Universe::Reachable.into(),
        order: None,
        options: &options,
        certify: false,
        progress: None,
        whole: None,
    };
    if let Ok(Ok(report)) = answer(&query) {
        assert!(report.initial <= report.states);
    }
});
