//! How many symmetries a game has, and how long they take to find.
//!
//! `cargo run --release -p winset-symmetry --example find -- othello 4x5`

use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let name = words.first().ok_or("which game?")?;
    let game = winset_games::build(name, words.get(1).map(String::as_str), &Default::default())?;
    let clock = Instant::now();
    let found = winset_symmetry::find(&game).len();
    println!("{name}: {found} symmetries in {:.3} s", clock.elapsed().as_secs_f64());
    Ok(())
}
