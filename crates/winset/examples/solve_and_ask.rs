//! Solves a game, asks about a position, and proves the solution.
use winset::{Catalogue, Options};

fn main() -> Result<(), winset::Error> {
    let rules = Catalogue::default().game("connect4", Some("5x4"), &Default::default())?;
    let solved = winset::solve(rules, &Options::default())?;
    let answer = solved.answer(&solved.after("3 3 2")?)?;
    println!("after 3 3 2: {}", answer.sentence);
    answer.moves.iter().for_each(|m| println!("  {}: {}", m.name, m.sentence));
    let verdict = solved.verify()?;
    println!("{verdict}");
    assert!(verdict.is_proof() && answer.moves.len() == 5);
    Ok(())
}
