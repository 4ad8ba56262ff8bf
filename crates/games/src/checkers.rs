//! American checkers on n x n squares.

use crate::entry::{Effort, Entry, Known, MISERE, any, number};
use winset_model::{
    Board, ExprId, Exprs, Family, Game, GameBuilder, Origin, Owner, Player, Update, Value, VarId,
};

pub(crate) const ENTRY: Entry = Entry {
    family: Family {
        name: "checkers",
        size: "N",
        default: "4",
        about: "American checkers on NxN squares; every jump is a move of its own; black begins",
        numbers: &[number("rows", 3, 8)],
        choices: &[MISERE],
    },
    aliases: &["draughts"],
    rules: "Men step and jump diagonally forward, kings also backward; capturing is compulsory, and who can go on jumping \
            must. Who cannot move loses.",
    known: &[
        Known::loss("3", PAPER).positions(10),
        Known::draw("4", PAPER).positions(2_409),
        Known::win("5", PAPER).positions(9_254_363).takes(Effort::Minutes),
    ],
    make: |n, _| rules(n[0]),
    fit: any,
};

const PAPER: &str = "Verification of checkers in the mu-calculus (see `winset reproduce`)";

/// The values of a square. A piece that must go on capturing belongs to whoever is to move. A man and the
/// king of the same owner are neighbours, so that encodings can tell the owner without the last bit.
const MAN: [Value; 2] = [1, 3];
const KING: [Value; 2] = [2, 4];
const MAN_GOES_ON: Value = 5;
const KING_GOES_ON: Value = 6;

/// A jump: the squares left, jumped over and reached.
#[derive(Clone, Copy)]
struct Jump {
    from: VarId,
    over: VarId,
    to: VarId,
}

/// One player's man or king.
#[derive(Clone, Copy)]
struct Piece {
    player: Player,
    king: bool,
}

impl Piece {
    fn resting(self) -> Value {
        if self.king { KING[self.player.index()] } else { MAN[self.player.index()] }
    }

    fn going_on(self) -> Value {
        if self.king { KING_GOES_ON } else { MAN_GOES_ON }
    }

    /// Rows and columns of one step; player 0 sits at the bottom and goes up.
    fn directions(self) -> Vec<(isize, isize)> {
        let forward = if self.player == Player(0) { -1 } else { 1 };
        let rows = if self.king { vec![forward, -forward] } else { vec![forward] };
        rows.into_iter().flat_map(|row| [(row, -1), (row, 1)]).collect()
    }
}

/// `n` x `n` squares, of which the dark ones are used, each player's near left corner among them; black
/// begins, at the bottom; (n-1)/2 rows of men each. Capturing is compulsory; each jump is a move of its
/// own, and the turn stays while the same piece can go on. A man that reaches the far row is crowned,
/// which ends its turn. Who cannot move loses.
///
/// Panics for a size that the catalogue does not have.
pub fn checkers(n: usize) -> Game {
    rules(n).build().expect("the rules are a game")
}

pub(crate) fn rules(n: usize) -> GameBuilder {
    let mut game = GameBuilder::new("checkers", ["black", "white"]);
    let turn = game.add_turn();
    game.add_board((n, n), Origin::Bottom, ".bBwWmM", |row, column| (row + column) % 2 == (n - 1) % 2);
    game.owns(Owner::Player(Player(0)), "bB");
    game.owns(Owner::Player(Player(1)), "wW");
    game.owns(Owner::Mover, "mM");
    let board = game.board.clone().expect("just added");
    let cells: Vec<VarId> = board.cells.iter().copied().flatten().collect();
    let mut resting = vec![];
    for &cell in &cells {
        for goes_on in [MAN_GOES_ON, KING_GOES_ON] {
            let here = game.exprs.is(cell, goes_on);
            resting.push(game.exprs.not(here));
        }
    }
    let all_rest = game.exprs.and(resting);
    for player in Player::all(2) {
        let jumps = add_jumps(&mut game, &board, turn, player, all_rest);
        let can_jump = game.exprs.or(jumps.iter().copied());
        let cannot_jump = game.exprs.not(can_jump);
        let mut legal = add_steps(&mut game, &board, turn, player, cannot_jump);
        legal.extend(jumps);
        let can_move = game.exprs.or(legal);
        let cannot_move = game.exprs.not(can_move);
        let lost = game.exprs.and([game.turn[player.index()], cannot_move]);
        game.terminal.push(lost);
        game.reward_winner(player.other(), lost);
    }
    game.blocks = board.cells.chunks(n).map(|row| row.iter().copied().flatten().collect()).collect();
    game.initial = game.state(vec![0; game.variables.len()]);
    for row in 0..(n - 1) / 2 {
        for column in 0..n {
            for (player, row) in [(0, n - 1 - row), (1, row)] {
                if let Some(cell) = board.cell(row as isize, column as isize) {
                    game.initial[cell] = MAN[player];
                }
            }
        }
    }
    game
}

/// Every square that a piece can stand on and leave in one of its directions: men never stand on the far
/// row, where they are crowned.
fn lines(board: &Board, piece: Piece) -> Vec<(isize, isize, isize, isize)> {
    let far = if piece.player == Player(0) { 0 } else { board.rows as isize - 1 };
    let squares = (0..board.rows as isize).flat_map(|row| (0..board.columns as isize).map(move |c| (row, c)));
    let stands = squares.filter(|&(row, c)| board.cell(row, c).is_some() && (piece.king || row != far));
    let towards = piece.directions();
    stands.flat_map(|(row, c)| towards.iter().map(move |&(down, right)| (row, c, down, right))).collect()
}

fn crowned(board: &Board, piece: Piece, row: isize) -> Value {
    let far = if piece.player == Player(0) { 0 } else { board.rows as isize - 1 };
    if row == far { KING[piece.player.index()] } else { piece.resting() }
}

/// Adds the steps to a neighbouring square, which are legal where the player cannot capture.
fn add_steps(
    game: &mut GameBuilder,
    board: &Board,
    turn: VarId,
    player: Player,
    cannot_jump: ExprId,
) -> Vec<ExprId> {
    let mut possible = vec![];
    for piece in [false, true].map(|king| Piece { player, king }) {
        for (row, column, down, right) in lines(board, piece) {
            let Some(to) = board.cell(row + down, column + right) else { continue };
            let from = game.cell(row as usize, column as usize);
            let (here, free) = (game.exprs.is(from, piece.resting()), game.exprs.is(to, 0));
            let can_step = game.exprs.and([here, free]);
            possible.push(can_step);
            let guard = game.exprs.and([can_step, cannot_jump]);
            let arrived = Update::set(to, crowned(board, piece, row + down));
            let updates = [Update::set(from, 0), arrived, game.hand_over(turn, player)];
            let name = [from, to].map(|cell| game.variables[cell.index()].name.clone()).join("-");
            game.add_move(name, player, guard, updates);
        }
    }
    possible
}

/// Adds the jumps, and returns where each is possible. While a piece must go on capturing, no other may.
fn add_jumps(
    game: &mut GameBuilder,
    board: &Board,
    turn: VarId,
    player: Player,
    all_rest: ExprId,
) -> Vec<ExprId> {
    let mut possible = vec![];
    for piece in [false, true].map(|king| Piece { player, king }) {
        for (row, column, down, right) in lines(board, piece) {
            let Some(jump) = leap(board, (row, column), (down, right)) else { continue };
            let (rests, goes_on) =
                (game.exprs.is(jump.from, piece.resting()), game.exprs.is(jump.from, piece.going_on()));
            let free_to_jump = game.exprs.and([rests, all_rest]);
            let may = game.exprs.or([free_to_jump, goes_on]);
            let captures = takes(game, player, jump);
            let guard = game.exprs.and([may, captures]);
            possible.push(guard);
            let (to_row, to_column) = (row + 2 * down, column + 2 * right);
            let arrived = crowned(board, piece, to_row);
            // Behind the piece lies the square just emptied: going back over it captures nothing.
            let onward = piece.directions().into_iter().filter(|&d| d != (-down, -right));
            let onward: Vec<ExprId> = onward
                .filter_map(|direction| leap(board, (to_row, to_column), direction))
                .map(|next| takes(game, player, next))
                .collect();
            let again = if arrived == piece.resting() { game.exprs.or(onward) } else { Exprs::FALSE };
            let landed = vec![(again, piece.going_on()), (Exprs::TRUE, arrived)];
            let ended = game.exprs.not(again);
            let updates = [
                Update::set(jump.from, 0),
                Update::set(jump.over, 0),
                Update { var: jump.to, cases: landed },
                Update { var: turn, cases: vec![(ended, player.other().value())] },
            ];
            let name = [jump.from, jump.to].map(|cell| game.variables[cell.index()].name.clone()).join("x");
            game.add_move(name, player, guard, updates);
        }
    }
    possible
}

fn leap(board: &Board, (row, column): (isize, isize), (down, right): (isize, isize)) -> Option<Jump> {
    let at = |steps: isize| board.cell(row + steps * down, column + steps * right);
    Some(Jump { from: at(0)?, over: at(1)?, to: at(2)? })
}

/// An opposing piece stands on the square jumped over and the square beyond is free.
fn takes(game: &mut GameBuilder, player: Player, jump: Jump) -> ExprId {
    let theirs = [MAN, KING].map(|kind| game.exprs.is(jump.over, kind[player.other().index()]));
    let (theirs, free) = (game.exprs.or(theirs), game.exprs.is(jump.to, 0));
    game.exprs.and([theirs, free])
}
