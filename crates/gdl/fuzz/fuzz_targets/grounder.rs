#![no_main]
//! No input may make the whole way to a game panic or take long.

use std::time::Duration;
use winset_gdl::{Limits, Options};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let limits = Limits {
        atoms: 20_000,
        instances: 50_000,
        moves: 5_000,
        steps: 2_000_000,
        time: Duration::from_millis(500),
        ..Limits::default()
    };
    if let Err(rejection) = winset_gdl::compile("fuzz", data, &Options { limits, lenient: true }) {
        for finding in rejection.diagnostics {
            assert!(finding.span.start <= finding.span.end && finding.span.end <= data.len().max(1));
        }
    }
});
