//! The paper's orders of the squares, and the search over all of them.

use crate::symquest::{Setup, Symquest};
use winset_model::{Game, VarId};
use winset_reorder::{Bench, Ranked, all_orders, framed_relation};
use winset_symbolic::{Order, SymbolicError};

/// Row by row, the turn on top: the paper's horizontal order.
pub fn horizontal() -> Order {
    Order::Rows
}

/// The paper's Figure 5: diagonals parallel to the one between the players' left corners, from the right
/// upper corner.
///
/// ```
/// use winset_symbolic::Order;
/// let order = winset_checkers::diagonal(4);
/// assert_eq!(order, "d4,b4,c3,d2,a3,b2,c1,a1".parse::<Order>().unwrap());
/// ```
pub fn diagonal(n: usize) -> Order {
    let mut squares: Vec<(isize, isize)> = (0..n as isize)
        .flat_map(|row| (0..n as isize).map(move |column| (row, column)))
        .filter(|(row, column)| (row + column) % 2 == (n as isize - 1) % 2)
        .collect();
    squares.sort_by_key(|&(row, column)| (row - column, row));
    let name =
        |(row, column): (isize, isize)| format!("{}{}", (b'a' + column as u8) as char, n as isize - row);
    Order::List(squares.into_iter().map(name).collect())
}

/// What the search over all orders found.
#[derive(Clone, Debug)]
pub struct Searched {
    /// How many orders were tried.
    pub tried: u64,
    /// The best orders with the number of nodes of relation and fixed point's stages, best first, each with
    /// the squares' names.
    pub best: Vec<(usize, Vec<String>)>,
    /// The same number for the horizontal order.
    pub horizontal: usize,
    /// The same number for the diagonal order.
    pub diagonal: usize,
}

/// Tries all orders of the squares of an `n` x `n` board (40,320 on 4x4), the turn on top, on n
/// threads. Measured is what black's formula keeps alive at the end: the relation and every stage of the
/// fixed point, within the piece limit.
pub fn search_all(n: usize, threads: usize, keep: usize) -> Result<Searched, SymbolicError> {
    let setup = Setup { order: horizontal(), limit: true, parts: 1, memory: 128 << 20 };
    let symquest = Symquest::new(n, &setup)?;
    let mut functions = vec![framed_relation(&symquest.symbolic)?];
    functions.extend(symquest.can_win(0)?.stages);
    let space = &symquest.symbolic.space;
    let bench = || {
        Bench::new(space, &functions)
            .map_err(|_| SymbolicError::OutOfMemory { budget: 128 << 20, advice: 256 << 20 })
    };
    let mut benches = (0..threads.max(1)).map(|_| bench()).collect::<Result<Vec<Bench>, _>>()?;
    let horizontal = benches[0].size();
    let game = &symquest.game;
    let mut by_diagonal = bench()?;
    by_diagonal.set_order(&groups_of(game, space.order(), &diagonal(n)));
    let movable: Vec<usize> = (1..space.order().len()).collect();
    let (best, tried) = all_orders(&mut benches, &movable, keep);
    let named = |ranked: Ranked| {
        let vars = ranked.order.iter().map(|&group| space.order()[group]);
        (ranked.size, vars.map(|var| game.variables()[var.index()].name.clone()).collect())
    };
    let best = best.into_iter().map(named).collect();
    Ok(Searched { tried, best, horizontal, diagonal: by_diagonal.size() })
}

fn groups_of(game: &Game, order: &[VarId], wanted: &Order) -> Vec<usize> {
    let Order::List(names) = wanted else { return (0..order.len()).collect() };
    let group = |name: &String| order.iter().position(|var| game.variables()[var.index()].name == *name);
    std::iter::once(0).chain(names.iter().filter_map(group)).collect()
}
