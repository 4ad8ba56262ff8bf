//! Writes a store in which one value is false and every checksum is right, for tests of whoever shows what a check finds:
//! `cargo run --release -p winset-reference --example false_store -- DIR`. `bindings/python/tests/false_store` was made so.

use std::path::Path;

fn main() {
    let directory = std::env::args().nth(1).expect("the directory to write to");
    let game = winset_reference::build("tictactoe", "2x2x2");
    let mut solution = winset_reference::solve(&game, winset_reference::Cut::Stones, true);
    // Nobody can keep the first player from winning at once; here it says that the second player wins.
    let layer = &mut solution.layers[1];
    let (was, other) = (layer.codes.get(0), 0);
    assert_ne!(was, other);
    layer.codes.set(0, other);
    winset_reference::write(Path::new(&directory), &solution);
}
