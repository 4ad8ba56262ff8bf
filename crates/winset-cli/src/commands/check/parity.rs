//! Parity games: who wins each vertex.

use super::CheckArgs;
use crate::failure::Failure;
use crate::output::{self, say};
use crate::report::table::grouped;
use crate::target::Target;
use serde::Serialize;
use winset_parity::{Game, Solution};

#[derive(Serialize)]
struct Answer {
    game: String,
    vertices: usize,
    priorities: usize,
    /// The winner from the start, if the file says where that is.
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<u8>,
    /// The numbers of the vertices that each player wins.
    won: [Vec<u64>; 2],
}

/// Solves a parity game, and proves the solution from the strategies alone before it is shown.
pub fn check(args: &CheckArgs, game: &Game, file: Option<Target>) -> Result<(), Failure> {
    if !args.formula.is_empty() || args.constraint.is_some() || args.limit_pieces.is_some() {
        return Err(Failure::wrong_use(
            "a parity game says itself who wins: it takes no formula and no constraint",
        ));
    }
    if args.certificate.is_some() {
        return Err(Failure::wrong_use(
            "a parity game's --strategy is what proves who wins: it takes no --certificate",
        ));
    }
    let solution = winset_parity::solve(game);
    if let Err(fault) = solution.check(game) {
        return Err(Failure::Cannot(anyhow::anyhow!(
            "the solution does not stand up to a check ({fault:?}); this is a defect of winset, please report it with the game"
        )));
    }
    let mut priorities: Vec<u64> = game.vertices.iter().map(|vertex| vertex.priority).collect();
    priorities.sort_unstable();
    priorities.dedup();
    let answer = Answer {
        game: args.game.game.clone(),
        vertices: game.vertices.len(),
        priorities: priorities.len(),
        start: game.start.map(|start| solution.winner[start]),
        won: [0, 1].map(|player| won(game, &solution, player)),
    };
    if args.json {
        output::json(&answer)?;
    } else {
        show(&answer)?;
    }
    file.map_or(Ok(()), |file| file.write(solution.write(game).as_bytes()))
}

fn won(game: &Game, solution: &Solution, player: u8) -> Vec<u64> {
    let all = game.vertices.iter().zip(&solution.winner);
    all.filter(|(_, winner)| **winner == player).map(|(vertex, _)| vertex.number).collect()
}

/// Of many vertices these are shown; `--json` and `--strategy` have all.
const SHOWN: usize = 20;

fn show(answer: &Answer) -> Result<(), Failure> {
    let sizes = [answer.vertices, answer.priorities].map(|n| grouped(n as u64));
    say!("{}: {} vertices, {} priorities\n", answer.game, sizes[0], sizes[1])?;
    for (player, won) in answer.won.iter().enumerate() {
        let some: Vec<String> = won.iter().take(SHOWN).map(u64::to_string).collect();
        let more = if won.len() > SHOWN { ", ..." } else { "" };
        let list = if won.is_empty() { String::new() } else { format!(": {}{more}", some.join(", ")) };
        say!("player {player} wins {} of them{list}\n", grouped(won.len() as u64))?;
    }
    if let Some(winner) = answer.start {
        say!("player {winner} wins from the start\n")?;
    }
    Ok(())
}
