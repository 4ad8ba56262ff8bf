#![no_main]
//! No contents of such a file may make reading, asking or checking panic, or be proved with another answer.

use winset_store_fuzz::leaves_trial;

libfuzzer_sys::fuzz_target!(|data: &[u8]| leaves_trial().replace(".val", Some("leaves"), data));
