#![no_main]
//! No manifest may make reading, asking or checking panic. Where the input is JSON its digest is computed anew.

use winset_reference::forge::manifest_text;
use winset_store_fuzz::trial;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    match serde_json::from_slice(data) {
        Ok(value) => trial().replace_manifest(&manifest_text(&value)),
        Err(_) => trial().replace_manifest(&String::from_utf8_lossy(data)),
    }
});
