#![no_main]
//! No manifest may make reading, asking or checking panic, or be proved with another answer. After a 0 the input names
//! fields that are changed; else it is a text, and where that is JSON its digest is computed anew.

use winset_reference::forge::manifest_text;
use winset_store_fuzz::trial;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    match (data, serde_json::from_slice(data)) {
        ([0, changes @ ..], _) => trial().replace_fields(changes),
        (_, Ok(value)) => trial().replace_manifest(&manifest_text(&value)),
        (text, Err(_)) => trial().replace_manifest(&String::from_utf8_lossy(text)),
    }
});
