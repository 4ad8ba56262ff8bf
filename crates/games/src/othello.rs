//! Othello on boards of any size.

use crate::entry::{Effort, Entry, Known, MISERE, any, number};
use winset_model::{
    Board, ExprId, Exprs, Family, Game, GameBuilder, Origin, Owner, Player, Update, Value, VarId,
};

pub(crate) const ENTRY: Entry = Entry {
    family: Family {
        name: "othello",
        size: "ROWSxCOLUMNS",
        default: "4x4",
        about: "enclosed stones change colour; most stones win; black begins",
        numbers: &[number("rows", 3, 16), number("columns", 3, 16)],
        choices: &[MISERE],
    },
    aliases: &["reversi"],
    rules: "A stone is placed where it encloses a straight row of the opponent's stones, which change colour; who cannot \
            place one passes. When neither can, the player with more stones wins.",
    known: &[
        Known::loss("4x4", "the Othello thesis; Feinstein 1993 for 6x6, which the second player wins too")
            .positions(62_789),
        Known::win("4x5", "an explicit search made for this project").positions(4_990_592),
        Known::loss("6x6", "Feinstein 1993").takes(Effort::Beyond),
    ],
    make: |n, _| rules(n[0], n[1]),
    fit: any,
};

const BLACK: Value = 1;
const WHITE: Value = 2;
const DIRECTIONS: [(isize, isize); 8] =
    [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];

/// `rows` x `columns` squares; black begins; the four stones in the middle have black on the main
/// diagonal. Who cannot place a stone passes; when neither can, the player with more stones wins.
///
/// Panics for a size that the catalogue does not have.
pub fn othello(rows: usize, columns: usize) -> Game {
    rules(rows, columns).build().expect("the rules are a game")
}

pub(crate) fn rules(rows: usize, columns: usize) -> GameBuilder {
    let mut game = GameBuilder::new("othello", ["black", "white"]);
    game.add_board((rows, columns), Origin::Top, ".bw", |_, _| true);
    game.owns(Owner::Player(Player(0)), "b");
    game.owns(Owner::Player(Player(1)), "w");
    let turn = game.add_turn();
    let board = game.board.clone().expect("just added");
    let mut can_place = vec![];
    for row in 0..rows {
        for column in 0..columns {
            for player in Player::all(2) {
                let cell = game.cell(row, column);
                let (encloses, mut updates) = enclose(&mut game, &board, (row, column), player);
                let free = game.exprs.is(cell, 0);
                let encloses = game.exprs.or(encloses);
                let guard = game.exprs.and([free, encloses]);
                can_place.push(guard);
                updates.push(Update::set(cell, BLACK + player.value()));
                updates.push(game.hand_over(turn, player));
                let name = game.variables[cell.index()].name.clone();
                game.add_move(name, player, guard, updates);
            }
        }
    }
    for player in Player::all(2) {
        let hand_over = game.hand_over(turn, player);
        game.add_fallback("pass", player, Exprs::TRUE, [hand_over]);
    }
    let goes_on = game.exprs.or(can_place);
    let ended = game.exprs.not(goes_on);
    game.terminal.push(ended);

    let cells: Vec<VarId> = board.cells.iter().copied().flatten().collect();
    let stones: Vec<(ExprId, ExprId)> =
        cells.iter().map(|&cell| (game.exprs.is(cell, BLACK), game.exprs.is(cell, WHITE))).collect();
    let swapped: Vec<(ExprId, ExprId)> = stones.iter().map(|&(black, white)| (white, black)).collect();
    let black_wins = game.exprs.majority(&stones, 0);
    let white_wins = game.exprs.majority(&swapped, 0);
    game.reward_winner(Player(0), black_wins);
    game.reward_winner(Player(1), white_wins);
    let decided = game.exprs.or([black_wins, white_wins]);
    let level = game.exprs.not(decided);
    game.reward_draw(level);

    game.blocks = cells.chunks(columns).map(<[VarId]>::to_vec).collect();
    game.initial = game.state(vec![0; game.variables.len()]);
    let (top, left) = ((rows - 2) / 2, (columns - 2) / 2);
    for (row, column, colour) in [(0, 0, BLACK), (0, 1, WHITE), (1, 0, WHITE), (1, 1, BLACK)] {
        let cell = game.cell(top + row, left + column);
        game.initial[cell] = colour;
    }
    game
}

/// What placing a stone encloses: for each direction in which it can enclose anything, that it does; and
/// the flips that follow.
fn enclose(
    game: &mut GameBuilder,
    board: &Board,
    (row, column): (usize, usize),
    player: Player,
) -> (Vec<ExprId>, Vec<Update>) {
    let (own, other) = if player == Player(0) { (BLACK, WHITE) } else { (WHITE, BLACK) };
    let (mut encloses, mut flips) = (vec![], vec![]);
    for (down, right) in DIRECTIONS {
        let ray: Vec<VarId> =
            (1..).map_while(|i| board.cell(row as isize + i * down, column as isize + i * right)).collect();
        // encloser[d]: the nearer squares are all the opponent's and square d is one's own.
        let mut nearer = Exprs::TRUE;
        let mut encloser = vec![];
        for (d, &cell) in ray.iter().enumerate() {
            let here = game.exprs.is(cell, own);
            encloser.push(if d == 0 { Exprs::FALSE } else { game.exprs.and([nearer, here]) });
            let theirs = game.exprs.is(cell, other);
            nearer = game.exprs.and([nearer, theirs]);
        }
        for (d, &cell) in ray.iter().enumerate() {
            let flip = game.exprs.or(encloser[d + 1..].iter().copied());
            if flip != Exprs::FALSE {
                flips.push(Update { var: cell, cases: vec![(flip, own)] });
            }
        }
        encloses.push(game.exprs.or(encloser));
    }
    (encloses, flips)
}
