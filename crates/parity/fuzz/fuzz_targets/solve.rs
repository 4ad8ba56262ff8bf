//! Parity games in the format of PGSolver: nothing makes the reader panic or hang, every diagnostic lies inside the text, and
//! what is read is solved by strategies that prove it.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match winset_parity::read(text) {
        Err(d) => assert!(text.get(d.span.start..d.span.end).is_some()),
        Ok(game) if game.vertices.len() <= 200 => {
            let solution = winset_parity::solve(&game);
            assert!(solution.check(&game).is_ok());
        }
        Ok(_) => {}
    }
});
