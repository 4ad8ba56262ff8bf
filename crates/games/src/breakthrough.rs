//! Breakthrough.

use crate::entry::{Effort, Entry, Known, MISERE, PLAIN, number};
use winset_model::{
    Choice, Choices, ExprId, Family, FamilyError, Game, GameBuilder, Member, Origin, Owner, Player, Update,
    Value, VarId,
};

pub(crate) const ENTRY: Entry = Entry {
    family: Family {
        name: "breakthrough",
        size: "ROWSxCOLUMNS",
        default: "5x4",
        about: "pawns race to the far row; white begins at the bottom",
        numbers: &[number("rows", 3, 16), number("columns", 2, 16)],
        choices: &[
            Choice {
                name: "baseline",
                values: &["m1", "m2"],
                default: "m1",
                about: "a position counts as won when the winning move has been made (m1) or can be made (m2)",
            },
            Choice {
                name: "pawns",
                values: &["1", "2"],
                default: "",
                about: "each player's rows of pawns; if not given, 1 below five rows, else 2",
            },
            MISERE,
        ],
    },
    aliases: &[],
    rules: "A pawn moves one square straight or diagonally forward, and captures diagonally only. \
            Who reaches the far row or captures every pawn wins.",
    known: &[
        Known::win("4x3", PLAIN).positions(10_689),
        Known::win("4x4", PLAIN).positions(387_693),
        Known::loss("5x3", PLAIN).positions(2_418_400),
        Known::loss("5x4", THESIS).positions(370_593_513).takes(Effort::Minutes),
        Known::loss("7x3", THESIS).positions(325_321_458).takes(Effort::Minutes),
    ],
    make: |n, choices| {
        let can_be_made = choices.get("baseline") == Some("m2");
        let pawns = choices.get("pawns").and_then(|pawns| pawns.parse().ok());
        let pawns = pawns.unwrap_or_else(|| usual_pawns(n[0]));
        let baseline = if can_be_made { Baseline::CanBeMade } else { Baseline::Made };
        rules(n[0], n[1], pawns, baseline)
    },
    fit,
};

/// The source of what was first found with Sylvan.
const THESIS: &str =
    "the thesis on Breakthrough and Othello with BDDs, whose program was run again (see RESULTS.md)";

const WHITE: Value = 1;

/// When a position counts as won.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Baseline {
    /// M1: the winning move has been made.
    #[default]
    Made,
    /// M2: the winning move can be made.
    CanBeMade,
}

impl From<Baseline> for Choices {
    fn from(baseline: Baseline) -> Self {
        match baseline {
            Baseline::Made => Choices::default(),
            Baseline::CanBeMade => Choices::default().with("baseline", "m2"),
        }
    }
}

/// `rows` x `columns` squares; white begins, at the bottom, with [`usual_pawns`] rows of pawns each.
/// A pawn moves one square straight or diagonally forward, and captures diagonally. Who reaches the far
/// row or captures every pawn wins.
///
/// Panics for a size that the catalogue does not have.
pub fn breakthrough(rows: usize, columns: usize, baseline: Baseline) -> Game {
    rules(rows, columns, usual_pawns(rows), baseline).build().expect("the rules are a game")
}

/// Each player's rows of pawns unless the user says: two as in the literature, one where less than five rows would
/// leave no room between the players.
pub fn usual_pawns(rows: usize) -> usize {
    if rows < 5 { 1 } else { 2 }
}

/// The options as they are recorded: rows of pawns that are usual for the board are not.
pub(crate) fn fit(Member { numbers, choices, .. }: &Member) -> Result<Choices, FamilyError> {
    let (rows, mut choices) = (numbers[0], choices.clone());
    let pawns = choices.get("pawns").and_then(|pawns| pawns.parse().ok()).unwrap_or(usual_pawns(rows));
    if 2 * pawns > rows {
        return Err(FamilyError::NoValue {
            game: "breakthrough",
            option: "pawns",
            value: pawns.to_string(),
            possible: format!("1 on {rows} rows"),
        });
    }
    if pawns == usual_pawns(rows) {
        choices.0.remove("pawns");
    }
    Ok(choices)
}

pub(crate) fn rules(rows: usize, columns: usize, pawns: usize, baseline: Baseline) -> GameBuilder {
    let mut game = GameBuilder::new("breakthrough", ["white", "black"]);
    game.add_board((rows, columns), Origin::Bottom, ".wb", |_, _| true);
    game.owns(Owner::Player(Player(0)), "w");
    game.owns(Owner::Player(Player(1)), "b");
    let turn = game.add_turn();
    let board = game.board.clone().expect("just added");
    for player in Player::all(2) {
        let (own, other) = (WHITE + player.value(), WHITE + player.other().value());
        let forward: isize = if player == Player(0) { -1 } else { 1 };
        for from_row in 0..rows {
            for from_column in 0..columns {
                for aside in [-1, 0, 1] {
                    let from = game.cell(from_row, from_column);
                    let (to_row, to_column) = (from_row as isize + forward, from_column as isize + aside);
                    let Some(to) = board.cell(to_row, to_column) else { continue };
                    let (mine, free) = (game.exprs.is(from, own), game.exprs.is(to, 0));
                    let theirs = game.exprs.is(to, other);
                    let open = if aside == 0 { free } else { game.exprs.or([free, theirs]) };
                    let guard = game.exprs.and([mine, open]);
                    let name = [from, to].map(|cell| game.variables[cell.index()].name.clone()).concat();
                    let updates = [Update::set(from, 0), Update::set(to, own), game.hand_over(turn, player)];
                    game.add_move(name, player, guard, updates);
                }
            }
        }
    }
    for player in Player::all(2) {
        let won = won_by(&mut game, player, turn, baseline);
        let winner = game.exprs.or(won.iter().copied());
        game.reward_winner(player, winner);
        game.terminal.extend(won);
    }
    game.blocks = (0..rows).map(|row| (0..columns).map(|column| game.cell(row, column)).collect()).collect();
    game.initial = game.state(vec![0; game.variables.len()]);
    for column in 0..columns {
        for row in 0..pawns {
            let (white, black) = (game.cell(rows - 1 - row, column), game.cell(row, column));
            game.initial[white] = WHITE;
            game.initial[black] = WHITE + 1;
        }
    }
    game
}

/// The conditions under which the player has won.
fn won_by(game: &mut GameBuilder, player: Player, turn: VarId, baseline: Baseline) -> Vec<ExprId> {
    let board = game.board.clone().expect("the game has a board");
    let (own, other) = (WHITE + player.value(), WHITE + player.other().value());
    let distance = match baseline {
        Baseline::Made => 0,
        Baseline::CanBeMade => 1,
    };
    let row = if player == Player(0) { distance } else { board.rows - 1 - distance };
    let mover = if baseline == Baseline::Made { player.other() } else { player };
    let to_move = game.exprs.is(turn, mover.value());
    let mut won: Vec<ExprId> = (0..board.columns)
        .map(|column| {
            let there = game.exprs.is(game.cell(row, column), own);
            game.exprs.and([to_move, there])
        })
        .collect();
    let waiting = game.exprs.is(turn, player.other().value());
    let mut captured = vec![waiting];
    for cell in board.cells.iter().flatten() {
        let there = game.exprs.is(*cell, other);
        captured.push(game.exprs.not(there));
    }
    won.push(game.exprs.and(captured));
    won
}
