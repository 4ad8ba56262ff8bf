//! Small boards of all built-in games, state by state against the reference.

use crate::reference::{compare, explore};
use winset_games::{Baseline, build};
use winset_layers::{Layering, Options};
use winset_model::Game;

/// Stones on the board; for Breakthrough the steps that no pawn can make any more.
pub fn measure(game: &Game) -> Layering {
    let mut weights: Vec<Vec<i64>> = game.variables().iter().map(|v| vec![0; v.size()]).collect();
    let board = game.board().unwrap();
    for (i, cell) in board.cells.iter().enumerate() {
        let (row, last) = ((i / board.columns) as i64, board.rows as i64 - 1);
        weights[cell.unwrap().index()] = match game.name() {
            "breakthrough" => vec![0, -row, row - last],
            _ => vec![0, 1, 1],
        };
    }
    Layering::Measure(weights)
}

fn all_agree(name: &str, size: &str, baseline: Baseline) {
    let game = build(name, Some(size), &baseline.into()).unwrap();
    let entries = explore(&game);
    for layering in [None, Some(measure(&game)), Some(Layering::Plies), Some(Layering::OneTier)] {
        for threads in [1, 2] {
            for portable in [false, true] {
                let options = Options {
                    layering: layering.clone(),
                    threads,
                    portable,
                    distance: portable,
                    ..Default::default()
                };
                compare(&game, &options, &entries).unwrap();
            }
        }
    }
}

#[test]
fn tictactoe() {
    for size in ["1x1", "3x3", "4x2x2", "3x3x2"] {
        all_agree("tictactoe", size, Baseline::Made);
    }
}

#[test]
fn connect4() {
    for size in ["1x1", "3x3x3", "2x6", "4x3x3", "3x4", "4x4x2"] {
        all_agree("connect4", size, Baseline::Made);
    }
}

#[test]
fn connect4_4x4() {
    let game = build("connect4", Some("4x4"), &Default::default()).unwrap();
    let entries = explore(&game);
    for (threads, distance) in [(1, true), (2, false)] {
        let options = Options { threads, distance, ..Default::default() };
        compare(&game, &options, &entries).unwrap();
    }
}

#[test]
fn othello() {
    for size in ["3x3", "3x4", "4x3"] {
        all_agree("othello", size, Baseline::Made);
    }
}

#[test]
fn breakthrough() {
    for size in ["3x2", "4x2", "4x3", "5x2"] {
        for baseline in [Baseline::Made, Baseline::CanBeMade] {
            all_agree("breakthrough", size, baseline);
        }
    }
}

#[test]
fn any_blocks_will_do() {
    let game = build("connect4", Some("3x3x3"), &Default::default()).unwrap();
    let entries = explore(&game);
    let all: Vec<_> = (0..game.variables().len() as u32).map(winset_model::VarId).collect();
    let one_each: Vec<Vec<_>> = all.iter().map(|&var| vec![var]).collect();
    let pairs: Vec<Vec<_>> = all.chunks(2).rev().map(<[_]>::to_vec).collect();
    for blocks in [one_each, pairs, vec![all]] {
        let options = Options { layering: Some(measure(&game)), blocks: Some(blocks), ..Default::default() };
        compare(&game, &options, &entries).unwrap();
    }
}
