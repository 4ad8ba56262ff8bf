#![no_main]
//! Writes what the other targets begin with into `corpus/`: `cargo fuzz run seeds -- -runs=1`.

libfuzzer_sys::fuzz_target!(|_data: &[u8]| winset_store_fuzz::seeds(std::path::Path::new("corpus")));
