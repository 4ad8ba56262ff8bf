#![no_main]
//! No contents of such a file may make reading, asking or checking panic.

use winset_store_fuzz::trial;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let trial = trial();
    trial.replace(&trial.file(".val", Some("diagram")), data);
});
