//! SMV files: no input makes the reader panic or hang, and every diagnostic lies inside the text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use winset_smv::{Limits, read};

fuzz_target!(|data: &[u8]| {
    if let Ok(text) = std::str::from_utf8(data) {
        let limits = Limits { variables: 500, values: 256, expressions: 50_000, inputs: 64, ..Limits::default() };
        let found = match read(text, &limits) {
            Ok(model) => model.warnings,
            Err(errors) => errors,
        };
        for d in found {
            assert!(text.get(d.span.start..d.span.end).is_some());
        }
    }
});
