//! Compares the compiled games with an interpreter along random plays.
//!
//! `cargo run --release -p winset-gdl --example playouts -- PLAYS SECONDS FILE...`

#[path = "../tests/interpreter/mod.rs"]
mod interpreter;

use std::time::Duration;

fn main() {
    let mut args = std::env::args().skip(1);
    let mut number = |default: u64| args.next().and_then(|a| a.parse().ok()).unwrap_or(default);
    let (plays, seconds) = (number(1000), number(20));
    let (mut different, mut compared) = (0, 0);
    for path in args {
        let name = path.rsplit('/').next().unwrap_or(&path);
        let source = match std::fs::read(&path) {
            Ok(source) => source,
            Err(error) => {
                eprintln!("{path}: {error}");
                std::process::exit(2);
            }
        };
        match winset_gdl::compile(name, &source, &Default::default()) {
            Err(rejection) => {
                println!("{name:45} refused: {}", rejection.to_string().chars().take(100).collect::<String>())
            }
            Ok(compiled) => {
                match interpreter::many::compare(
                    &compiled,
                    &source,
                    plays as usize,
                    Duration::from_secs(seconds),
                ) {
                    Ok(outcome) => {
                        compared += 1;
                        let note = if outcome.slow { "time used up" } else { "" };
                        println!(
                            "{name:45} {:6} plays {:8} states equal {note}",
                            outcome.plays, outcome.states
                        );
                    }
                    Err(what) => {
                        different += 1;
                        println!("{name:45} DIFFERENT: {what}");
                    }
                }
            }
        }
    }
    println!("{compared} games compared, {different} different");
    if different > 0 {
        std::process::exit(1);
    }
}
