//! Six and Nine Men's Morris: mills take men.

use crate::entry::{Effort, Entry, Known, PLAIN, any, number};
use crate::kit::{Kit, empty};
use winset_model::{ExprId, Exprs, Family, GameBuilder, Origin, Player, Update, VarId};

pub(crate) const SIX: Entry = Entry {
    family: Family {
        name: "six-mens-morris",
        size: "MEN",
        default: "3",
        about: "16 points on two squares; a mill takes a man; who has two men left or cannot move loses",
        numbers: &[number("men", 3, 6)],
        choices: &[],
    },
    aliases: &["six-mens-merels"],
    rules: "MEN men each are placed on the points in turn, then moved along lines; three on a line, a mill, take one of the \
            opponent's men that is in no mill, if there is one. Who is left with two men or cannot move loses.",
    known: &[Known::draw("3", PLAIN).positions(374_249)],
    make: |n, _| rules("six-mens-morris", 2, n[0], false),
    fit: any,
};

pub(crate) const NINE: Entry = Entry {
    family: Family {
        name: "nine-mens-morris",
        size: "MEN",
        default: "3",
        about: "24 points on three squares; a mill takes a man; three men fly; two men or no move lose",
        numbers: &[number("men", 3, 12)],
        choices: &[],
    },
    aliases: &["mill", "merels", "muehle"],
    rules: "MEN men each are placed on the points in turn, then moved along lines, or with three men left to any free point; \
            three on a line, a mill, take one of the opponent's men that is in no mill, if there is one. Who is left with two \
            men or cannot move loses.",
    known: &[Known::draw("9", "Gasser, Solving Nine Men's Morris, 1996").takes(Effort::Beyond)],
    make: |n, _| rules("nine-mens-morris", 3, n[0], true),
    fit: any,
};

/// Points of n squares inside each other, as rows and columns of the picture; side by side on a square are
/// neighbours, and so are the middles of sides of two squares.
fn lines(squares: isize) -> Vec<[(isize, isize); 3]> {
    let middle = squares;
    let mut lines = vec![];
    for i in 0..squares {
        let (near, far) = (i, 2 * middle - i);
        lines.extend([
            [(near, near), (near, middle), (near, far)],
            [(far, near), (far, middle), (far, far)],
            [(near, near), (middle, near), (far, near)],
            [(near, far), (middle, far), (far, far)],
        ]);
    }
    lines
}

/// The lines across the squares, from the middle of one side to the next.
fn spokes(squares: isize) -> Vec<Vec<(isize, isize)>> {
    let (middle, end) = (squares, 2 * squares);
    let side =
        |at: fn(isize, isize, isize) -> (isize, isize)| (0..squares).map(|i| at(i, middle, end)).collect();
    vec![
        side(|i, middle, _| (i, middle)),
        side(|i, middle, end| (end - i, middle)),
        side(|i, middle, _| (middle, i)),
        side(|i, middle, end| (middle, end - i)),
    ]
}

fn rules(name: &str, squares: isize, men: usize, fly: bool) -> GameBuilder {
    let mut game = GameBuilder::new(name, ["white", "black"]);
    let size = 2 * squares as usize + 1;
    let points: Vec<(isize, isize)> = lines(squares).concat();
    game.add_board((size, size), Origin::Bottom, ".wb", |r, c| points.contains(&(r as isize, c as isize)));
    let turn = game.add_turn();
    let left = game.add_variable("to place", (0..=2 * men).rev().map(|n| n.to_string()));
    let taking = game.add_variable("mill", ["no", "made"]);
    let at = |game: &GameBuilder, (r, c): (isize, isize)| -> VarId { game.cell(r as usize, c as usize) };
    let squares_lines: Vec<Vec<VarId>> =
        lines(squares).iter().map(|line| line.map(|point| at(&game, point)).to_vec()).collect();
    let across: Vec<Vec<VarId>> =
        spokes(squares).iter().map(|line| line.iter().map(|&point| at(&game, point)).collect()).collect();
    let near: Vec<[VarId; 2]> = squares_lines
        .iter()
        .chain(&across)
        .flat_map(|line| line.windows(2).map(|pair| [pair[0], pair[1]]))
        .collect();
    let mills: Vec<Vec<VarId>> =
        squares_lines.into_iter().chain(across.into_iter().filter(|line| line.len() == 3)).collect();
    let cells = game.cells();
    let placed = game.exprs.is(left, 2 * men as u16);
    let (moving, placing) = (game.exprs.is(taking, 0), game.exprs.not(placed));
    for player in Player::all(2) {
        let (own, other) = (1 + player.value(), 2 - player.value());
        let held: Vec<ExprId> = cells.iter().map(|&cell| game.exprs.is(cell, own)).collect();
        let four = game.at_least(4, &held);
        let flies = if fly { game.exprs.not(four) } else { Exprs::FALSE };
        for &to in &cells {
            let free = game.exprs.is(to, 0);
            let guard = game.exprs.and([free, placing, moving]);
            let mut updates = vec![Update::set(to, own), game.add(left, 1)];
            updates.extend(closes(&mut game, &mills, to, None, own, (turn, taking, player)));
            game.add_move(game.called(&[to]), player, guard, updates);
            for &from in cells.iter().filter(|&&from| from != to) {
                let beside = near.contains(&[from, to]) || near.contains(&[to, from]);
                let mine = game.exprs.is(from, own);
                let may = if beside { Exprs::TRUE } else { flies };
                let guard = game.exprs.and([mine, free, placed, moving, may]);
                if guard == Exprs::FALSE {
                    continue;
                }
                let mut updates = vec![Update::set(from, 0), Update::set(to, own)];
                updates.extend(closes(&mut game, &mills, to, Some(from), own, (turn, taking, player)));
                game.add_move(game.called(&[from, to]), player, guard, updates);
            }
        }
        let takes = game.exprs.not(moving);
        let loose: Vec<ExprId> = cells.iter().map(|&cell| loose(&mut game, &mills, cell, other)).collect();
        let any_loose = game.exprs.or(loose.iter().copied());
        let none_loose = game.exprs.not(any_loose);
        for (&cell, &loose) in cells.iter().zip(&loose) {
            let (theirs, may) = (game.exprs.is(cell, other), game.exprs.or([loose, none_loose]));
            let guard = game.exprs.and([theirs, may, takes]);
            let updates = [Update::set(cell, 0), Update::set(taking, 0), game.hand_over(turn, player)];
            game.add_move(format!("x-{}", game.called(&[cell])), player, guard, updates);
        }
        let three = game.at_least(3, &held);
        let few = game.exprs.not(three);
        let lost = game.exprs.and([few, placed, moving]);
        game.wins(player.other(), [lost]);
    }
    game.who_cannot_move_loses();
    game.begin(&empty(size, size));
    game
}

/// What follows a man's arrival: a mill keeps the turn, to take a man.
fn closes(
    game: &mut GameBuilder,
    mills: &[Vec<VarId>],
    to: VarId,
    from: Option<VarId>,
    own: u16,
    (turn, taking, player): (VarId, VarId, Player),
) -> [Update; 2] {
    let through =
        mills.iter().filter(|mill| mill.contains(&to) && !from.is_some_and(|from| mill.contains(&from)));
    let made: Vec<ExprId> = through
        .map(|mill| {
            let others: Vec<VarId> = mill.iter().copied().filter(|&cell| cell != to).collect();
            game.all(&others, own)
        })
        .collect();
    let made = game.exprs.or(made);
    let not = game.exprs.not(made);
    [
        Update { var: taking, cases: vec![(made, 1)] },
        Update { var: turn, cases: vec![(not, player.other().value())] },
    ]
}

/// A man of this colour stands here and is in no mill.
fn loose(game: &mut GameBuilder, mills: &[Vec<VarId>], cell: VarId, colour: u16) -> ExprId {
    let through: Vec<ExprId> =
        mills.iter().filter(|mill| mill.contains(&cell)).map(|mill| game.all(mill, colour)).collect();
    let bound = game.exprs.or(through);
    let (free, here) = (game.exprs.not(bound), game.exprs.is(cell, colour));
    game.both(here, free)
}
