//! Messages: nothing that can be sent makes the reader panic or hang, and what is read once is read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use winset_player::{Message, canonical};

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(Message::Play { moves: Some(moves), id }) = Message::read(text) {
        let again = Message::read(&format!("( PLAY {id} ( {} ) )", moves.join(" ")));
        assert_eq!(again, Ok(Message::Play { moves: Some(moves), id }));
    }
    let once = canonical(text);
    assert_eq!(canonical(&once), once);
});
