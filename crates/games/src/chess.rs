//! Chess endings with a lone king: KQK, KRK, KPK, KBNK.

use crate::entry::{Effort, Entry, Known, PLAIN, any, number};
use crate::kit::{EIGHT, Kit};
use winset_model::{ExprId, Exprs, Family, GameBuilder, Number, Origin, Player, Update, Value, VarId};

const TABLEBASE: &str = "Thompson, Retrograde Analysis of Certain Endgames, 1986, and every tablebase since";

const ROWS: &[Number] = &[number("rows", 3, 8)];
/// Bishop, knight and king side by side.
const FROM_FOUR: &[Number] = &[number("rows", 4, 8)];

const fn family(
    name: &'static str,
    numbers: &'static [Number],
    default: &'static str,
    about: &'static str,
) -> Family {
    Family { name, size: "N", default, about, numbers, choices: &[] }
}

const RULES: &str = "The pieces move as in chess on NxN squares, and white begins. \
                     Mate wins; it is a tie when black has no move and is not in check, or white has only the king left.";

pub(crate) const KQK: Entry = Entry {
    family: family("kqk", ROWS, "4", "the chess ending king and queen against king"),
    aliases: &["kqvk"],
    rules: RULES,
    known: &[Known::win("3", PLAIN), Known::win("4", PLAIN), Known::win("8", TABLEBASE).longest(20)],
    make: |n, _| rules("kqk", n[0], &["Q"]),
    fit: any,
};

pub(crate) const KRK: Entry = Entry {
    family: family("krk", ROWS, "4", "the chess ending king and rook against king"),
    aliases: &["krvk"],
    rules: RULES,
    known: &[Known::win("3", PLAIN), Known::win("4", PLAIN), Known::win("8", TABLEBASE).longest(32)],
    make: |n, _| rules("krk", n[0], &["R"]),
    fit: any,
};

pub(crate) const KPK: Entry = Entry {
    family: family("kpk", ROWS, "4", "the chess ending king and pawn against king; the pawn becomes a queen"),
    aliases: &["kpvk"],
    rules: RULES,
    known: &[Known::tie("4", PLAIN), Known::tie("5", PLAIN), Known::win("8", TABLEBASE)],
    make: |n, _| rules("kpk", n[0], &["P", "Q"]),
    fit: any,
};

pub(crate) const KBNK: Entry = Entry {
    family: family("kbnk", FROM_FOUR, "4", "the chess ending king, bishop and knight against king"),
    aliases: &["kbnvk"],
    rules: RULES,
    known: &[Known::win("4", PLAIN), Known::win("8", TABLEBASE).longest(66).takes(Effort::Minutes)],
    make: |n, _| rules("kbnk", n[0], &["B", "N"]),
    fit: any,
};

/// White's king and the lone king; white's other pieces follow.
const KING: Value = 1;
const LONE: Value = 2;
const KNIGHT: [(isize, isize); 8] = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

/// A piece of white's: the lines it moves along, and how far.
fn lines(piece: &str) -> (Vec<(isize, isize)>, isize) {
    let (straight, aslant): (Vec<_>, Vec<_>) =
        EIGHT.iter().partition(|(down, right)| *down == 0 || *right == 0);
    match piece {
        "Q" => (EIGHT.to_vec(), 8),
        "R" => (straight, 8),
        "B" => (aslant, 8),
        "N" => (KNIGHT.to_vec(), 1),
        "P" => (vec![], 0),
        _ => (EIGHT.to_vec(), 1),
    }
}

fn rules(name: &str, n: usize, pieces: &[&str]) -> GameBuilder {
    let mut game = GameBuilder::new(name, ["white", "black"]);
    game.add_board((n, n), Origin::Bottom, &format!(".Kk{}", pieces.concat()), |_, _| true);
    let turn = game.add_turn();
    let (board, cells) = (game.squares(), game.cells());
    let attacked: Vec<ExprId> = game.places().into_iter().map(|to| attacked(&mut game, to, pieces)).collect();
    for (row, column) in game.places() {
        let from = game.cell(row as usize, column as usize);
        for (piece, value) in [("K", KING)].into_iter().chain(pieces.iter().copied().zip(LONE + 1..)) {
            let (ways, reach) = lines(piece);
            for (down, right) in ways {
                let mut guard = vec![game.exprs.is(from, value)];
                for far in 1..=reach {
                    let Some(to) = board.cell(row + far * down, column + far * right) else { break };
                    guard.push(game.exprs.is(to, 0));
                    if value == KING {
                        guard.push(beyond_reach(&mut game, (row + down, column + right)));
                    }
                    let all = game.exprs.and(guard.iter().copied());
                    let updates =
                        [Update::set(from, 0), Update::set(to, value), game.hand_over(turn, Player(0))];
                    game.add_move(format!("{piece}{}", game.called(&[from, to])), Player(0), all, updates);
                }
            }
            if piece == "P" {
                pawn(&mut game, (row, column), turn);
            }
        }
        for (down, right) in EIGHT {
            let Some(to) = board.cell(row + down, column + right) else { continue };
            let checked = attacked[cells.iter().position(|&cell| cell == to).expect("a square")];
            let (safe, here, king) =
                (game.exprs.not(checked), game.exprs.is(from, LONE), game.exprs.is(to, KING));
            let not_king = game.exprs.not(king);
            let guard = game.exprs.and([safe, here, not_king]);
            let updates = [Update::set(from, 0), Update::set(to, LONE), game.hand_over(turn, Player(1))];
            game.add_move(format!("k{}", game.called(&[from, to])), Player(1), guard, updates);
        }
    }
    let check: Vec<ExprId> = cells
        .iter()
        .zip(&attacked)
        .map(|(&cell, &checked)| {
            let here = game.exprs.is(cell, LONE);
            game.both(here, checked)
        })
        .collect();
    let check = game.exprs.or(check);
    let can_move = game.can_move(Player(1));
    let cannot = game.exprs.not(can_move);
    let stuck = game.both(cannot, game.turn[1]);
    let mate = game.both(stuck, check);
    game.wins(Player(0), [mate]);
    let bare: Vec<ExprId> = (LONE + 1..).take(pieces.len()).map(|value| game.none(&cells, value)).collect();
    let bare = game.exprs.and(bare);
    let white_moves = game.can_move(Player(0));
    let white_stuck = game.exprs.not(white_moves);
    let white_stale = game.both(white_stuck, game.turn[0]);
    let over = game.exprs.or([stuck, bare, white_stale]);
    game.else_ties(over);
    let mut start = vec![vec!['.'; n]; n];
    start[0][n / 2] = 'k';
    start[n - 1][n / 2] = 'K';
    for (i, piece) in pieces.iter().enumerate().filter(|&(i, _)| !(i == 1 && pieces[0] == "P")) {
        start[n - 1 - usize::from(*piece == "P")][if *piece == "P" { n / 2 } else { i }] =
            piece.chars().next().expect("a name");
    }
    game.begin(&start.into_iter().map(String::from_iter).collect::<Vec<_>>().join("/"));
    game
}

/// The lone king does not stand on or beside this square.
fn beyond_reach(game: &mut GameBuilder, (row, column): (isize, isize)) -> ExprId {
    let board = game.squares();
    let near =
        EIGHT.iter().chain([&(0, 0)]).filter_map(|(down, right)| board.cell(row + down, column + right));
    let near: Vec<VarId> = near.collect();
    game.none(&near, LONE)
}

/// A piece of white's attacks the square. The lone king does not stand in the way: it would be the one to be attacked.
fn attacked(game: &mut GameBuilder, (row, column): (isize, isize), pieces: &[&str]) -> ExprId {
    let board = game.squares();
    let mut ways = vec![];
    for (piece, value) in [("K", KING)].into_iter().chain(pieces.iter().copied().zip(LONE + 1..)) {
        let (lines, reach) = lines(piece);
        for (down, right) in lines {
            let mut open = Exprs::TRUE;
            for far in 1..=reach {
                let Some(from) = board.cell(row + far * down, column + far * right) else { break };
                let here = game.exprs.is(from, value);
                ways.push(game.both(open, here));
                let through = game.among(from, [0, LONE]);
                open = game.both(open, through);
            }
        }
        if piece == "P" {
            let below = [-1, 1].into_iter().filter_map(|right| board.cell(row + 1, column + right));
            let below: Vec<VarId> = below.collect();
            ways.push(game.any(&below, value));
        }
    }
    game.exprs.or(ways)
}

/// A pawn steps up, at first two squares if there is room for that, and becomes a queen on the top row.
fn pawn(game: &mut GameBuilder, (row, column): (isize, isize), turn: VarId) {
    let board = game.squares();
    let steps = if row == board.rows as isize - 2 && board.rows >= 6 { 2 } else { 1 };
    let from = game.cell(row as usize, column as usize);
    let mut guard = vec![game.exprs.is(from, LONE + 1)];
    for far in 1..=steps {
        let Some(to) = board.cell(row - far, column) else { break };
        guard.push(game.exprs.is(to, 0));
        let all = game.exprs.and(guard.iter().copied());
        let value = if row == far { LONE + 2 } else { LONE + 1 };
        let updates = [Update::set(from, 0), Update::set(to, value), game.hand_over(turn, Player(0))];
        game.add_move(format!("P{}", game.called(&[from, to])), Player(0), all, updates);
    }
}
