//! The order of a game's variables.

use crate::error::SymbolicError;
use crate::options::{Order, TurnPlace};
use winset_model::{Board, Game, VarId, Variable};

/// The variables from the root of the diagrams down.
///
/// What is not on the board, the turn above all, goes to the top or the bottom as a whole.
pub fn order(game: &Game, order: &Order, place: TurnPlace) -> Result<Vec<VarId>, SymbolicError> {
    let all = (0..game.variables().len() as u32).map(VarId);
    let turn = turn_variable(game);
    let (inner, mut outer): (Vec<VarId>, Vec<VarId>) = match game.board() {
        Some(board) => all.partition(|&var| board.cells.contains(&Some(var))),
        None => all.partition(|&var| Some(var) != turn),
    };
    outer.sort_by_key(|&var| Some(var) != turn);
    let inner = match (order, game.board()) {
        (Order::Auto, Some(board)) if wider_than_high(game, board) => cells(board, columns(board)),
        (Order::Auto, None) if game.blocks().is_empty() => wide_first(game, inner),
        (Order::Auto, _) => by_blocks(game, &inner),
        (Order::Model, _) => inner,
        (Order::List(names), _) => return by_names(game, names, turn, place),
        (Order::Rows, Some(board)) => cells(board, rows(board)),
        (Order::Columns, Some(board)) => cells(board, columns(board)),
        (Order::Diagonal, Some(board)) => cells(board, diagonals(board)),
        (Order::RingsInward, Some(board)) => cells(board, rings(board)),
        (Order::RingsOutward, Some(board)) => {
            let mut inward = cells(board, rings(board));
            inward.reverse();
            inward
        }
        (named, None) => return Err(SymbolicError::OrderNeedsBoard(format!("{named:?}").to_lowercase())),
    };
    Ok(match place {
        TurnPlace::Top => outer.into_iter().chain(inner).collect(),
        TurnPlace::Bottom => {
            outer.reverse();
            inner.into_iter().chain(outer).collect()
        }
    })
}

/// The one variable off the board that the turn depends on, if it is one.
fn turn_variable(game: &Game) -> Option<VarId> {
    let mut vars: Vec<VarId> = game.turn().iter().flat_map(|&turn| game.exprs().support(turn)).collect();
    vars.sort_unstable();
    vars.dedup();
    let on_board = |var: VarId| game.board().is_some_and(|board| board.cells.contains(&Some(var)));
    match vars.as_slice() {
        &[var] if !on_board(var) => Some(var),
        _ => None,
    }
}

/// The game's blocks are the rows of a board with more columns than rows: across the shorter side the
/// diagrams are smaller.
fn wider_than_high(game: &Game, board: &Board) -> bool {
    let rows = game.blocks().iter().flatten().copied().eq(cells(board, rows(board)));
    rows && board.columns > board.rows
}

/// How many times the values of an ordinary variable a wide one has at least.
const WIDE: usize = 4;

/// Variables with many more values than most, such as where a piece stands among fields that are marked or
/// not, above the others. Below them, every set of marks would need its own set of places; above, each place
/// has its own set of marks, and these are simple.
fn wide_first(game: &Game, inner: Vec<VarId>) -> Vec<VarId> {
    let size = |var: &VarId| game.variables()[var.index()].size();
    let mut sizes: Vec<usize> = inner.iter().map(size).collect();
    sizes.sort_unstable();
    let ordinary = sizes.get(sizes.len() / 2).copied().unwrap_or(0).max(2);
    let (wide, narrow): (Vec<VarId>, Vec<VarId>) =
        inner.into_iter().partition(|var| size(var) >= WIDE * ordinary);
    wide.into_iter().chain(narrow).collect()
}

fn by_blocks(game: &Game, inner: &[VarId]) -> Vec<VarId> {
    let blocks = game.blocks().iter().flatten().copied();
    let mut list: Vec<VarId> = vec![];
    for var in blocks.chain(inner.iter().copied()) {
        if inner.contains(&var) && !list.contains(&var) {
            list.push(var);
        }
    }
    list
}

fn by_names(
    game: &Game,
    names: &[String],
    turn: Option<VarId>,
    place: TurnPlace,
) -> Result<Vec<VarId>, SymbolicError> {
    let mut list = named(game.variables(), names)?;
    if let Some(turn) = turn.filter(|turn| !list.contains(turn)) {
        match place {
            TurnPlace::Top => list.insert(0, turn),
            TurnPlace::Bottom => list.push(turn),
        }
    }
    all_of(game.variables(), list)
}

/// The variables of these names, each once.
fn named(variables: &[Variable], names: &[String]) -> Result<Vec<VarId>, SymbolicError> {
    let mut list: Vec<VarId> = vec![];
    for name in names {
        // Case matters where two names differ in nothing else.
        let exact = variables.iter().position(|v| v.name == *name);
        let found = exact.or_else(|| variables.iter().position(|v| v.name.eq_ignore_ascii_case(name)));
        let var = found.ok_or_else(|| SymbolicError::OrderUnknown(name.clone()))?;
        let var = VarId(var as u32);
        if list.contains(&var) {
            return Err(SymbolicError::OrderTwice(name.clone()));
        }
        list.push(var);
    }
    Ok(list)
}

/// The list, if no variable is missing from it.
fn all_of(variables: &[Variable], list: Vec<VarId>) -> Result<Vec<VarId>, SymbolicError> {
    let missing = (0..variables.len() as u32).map(VarId).find(|var| !list.contains(var));
    match missing {
        Some(var) => Err(SymbolicError::OrderMissing(variables[var.index()].name.clone())),
        None => Ok(list),
    }
}

/// The variables of a system that is no game in the order of their names: all of them, each once.
pub fn order_by_names(variables: &[Variable], names: &[String]) -> Result<Vec<VarId>, SymbolicError> {
    all_of(variables, named(variables, names)?)
}

type Square = (usize, usize);

fn cells(board: &Board, squares: Vec<Square>) -> Vec<VarId> {
    squares.into_iter().filter_map(|(row, column)| board.cell(row as isize, column as isize)).collect()
}

fn rows(board: &Board) -> Vec<Square> {
    (0..board.rows).flat_map(|row| (0..board.columns).map(move |column| (row, column))).collect()
}

fn columns(board: &Board) -> Vec<Square> {
    (0..board.columns).flat_map(|column| (0..board.rows).map(move |row| (row, column))).collect()
}

fn diagonals(board: &Board) -> Vec<Square> {
    let mut squares = rows(board);
    squares.sort_by_key(|&(row, column)| (row + column, row));
    squares
}

/// Figure 7.4: of every ring the corners, then the top, bottom, left and right edge.
fn rings(board: &Board) -> Vec<Square> {
    let mut squares: Vec<Square> = vec![];
    let mut add = |square: Square| {
        if !squares.contains(&square) {
            squares.push(square);
        }
    };
    for ring in 0..board.rows.min(board.columns).div_ceil(2) {
        let (top, left) = (ring, ring);
        let (bottom, right) = (board.rows - 1 - ring, board.columns - 1 - ring);
        [(top, left), (top, right), (bottom, left), (bottom, right)].into_iter().for_each(&mut add);
        (left..=right).for_each(|column| add((top, column)));
        (left..=right).for_each(|column| add((bottom, column)));
        (top..=bottom).for_each(|row| add((row, left)));
        (top..=bottom).for_each(|row| add((row, right)));
    }
    squares
}

#[cfg(test)]
mod tests {
    use super::*;
    use winset_games::{connect4, othello};
    use winset_model::GameBuilder;

    fn numbers(game: &Game, choice: Order) -> Vec<usize> {
        let order = order(game, &choice, TurnPlace::Top).unwrap();
        (0..20).map(|cell| order.iter().position(|var| var.index() == cell).unwrap()).collect()
    }

    #[test]
    fn rings_are_those_of_figure_7_4() {
        let game = othello(4, 5);
        let figure = [1, 5, 6, 7, 2, 11, 15, 19, 16, 13, 12, 17, 20, 18, 14, 3, 8, 9, 10, 4];
        assert_eq!(numbers(&game, Order::RingsInward), figure);
        let reversed = figure.map(|n| 21 - n);
        assert_eq!(numbers(&game, Order::RingsOutward), reversed);
    }

    #[test]
    fn every_order_is_a_permutation() {
        for game in [othello(3, 5), othello(5, 4), connect4(4, 3, 4)] {
            for name in Order::names() {
                for place in [TurnPlace::Top, TurnPlace::Bottom] {
                    let mut vars = order(&game, &name.parse().unwrap(), place).unwrap();
                    let end = if place == TurnPlace::Top { vars[0] } else { vars[vars.len() - 1] };
                    assert_eq!(game.variables()[end.index()].name, "turn");
                    vars.sort_unstable();
                    let all: Vec<VarId> = (0..game.variables().len() as u32).map(VarId).collect();
                    assert_eq!(vars, all, "{name}");
                }
            }
        }
    }

    #[test]
    fn a_wide_variable_is_above_the_others() {
        let mut game = GameBuilder::new("a piece among marks", ["a", "b"]);
        let names = |n: usize| (0..n).map(|v| v.to_string()).collect::<Vec<_>>();
        (0..5).for_each(|n| {
            game.add_variable(format!("mark {n}"), names(2));
        });
        game.add_variable("place", names(8));
        game.add_variable("mark 5", names(3));
        game.initial = game.state([0; 7]);
        let game = game.build().unwrap();
        let found = order(&game, &Order::Auto, TurnPlace::Top).unwrap();
        assert_eq!(found.iter().map(|var| var.index()).collect::<Vec<_>>(), [5, 0, 1, 2, 3, 4, 6]);
        let model = order(&game, &Order::Model, TurnPlace::Top).unwrap();
        assert!(model.is_sorted());
    }

    #[test]
    fn a_list_must_be_a_permutation() {
        let game = othello(3, 3);
        let list = |text: &str| order(&game, &text.parse().unwrap(), TurnPlace::Top);
        assert!(list("a1,a2,a3,b1,b2,b3,c1,c2,c3").is_ok());
        assert_eq!(list("a1,d1"), Err(SymbolicError::OrderUnknown("d1".into())));
        assert_eq!(list("a1,b1,a1"), Err(SymbolicError::OrderTwice("a1".into())));
        assert_eq!(list("a1,a2,a3,b1,b2,b3,c1,c2"), Err(SymbolicError::OrderMissing("c3".into())));
    }
}
