#![no_main]
//! No input may make the reader panic, and every finding lies inside of the file.

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    for finding in winset_gdl::check(data, &Default::default()) {
        assert!(finding.span.start <= finding.span.end && finding.span.end <= data.len().max(1));
        winset_gdl::position(data, finding.span.start);
    }
});
