//! The paper's orders of the squares, and the search over all of them.

use super::symquest::{Setup, Symquest};
use oxidd::Function;
use winset_model::{Game, VarId};
use winset_reorder::{Bench, Cost, Ranked, all_orders};
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
/// let order = winset_papers::checkers::diagonal(4);
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
    /// The best orders with the peak of the fixed point, best first, each with the squares' names.
    pub best: Vec<(usize, Vec<String>)>,
    /// The same number for the horizontal order.
    pub horizontal: usize,
    /// The same number for the diagonal order.
    pub diagonal: usize,
}

/// Tries all orders of the squares of an `n` x `n` board (40,320 on 4x4), the turn on top, on n
/// threads. Ranked by the paper's peak: the largest intermediate result of black's fixed point, within the piece limit.
pub fn search_all(n: usize, threads: usize, keep: usize) -> Result<Searched, SymbolicError> {
    let setup = Setup { order: horizontal(), limit: true, rest: false, parts: 1, memory: 128 << 20 };
    let symquest = Symquest::new(n, &setup)?;
    let mut functions = symquest.can_win(0)?.results;
    // Those that are large in one order are likely to be in others, and then the order is out at the first of them.
    functions.sort_by_key(|function| std::cmp::Reverse(function.node_count()));
    functions.dedup();
    let space = &symquest.symbolic.space;
    let bench = || {
        Bench::new(space, &functions)
            .map_err(|_| SymbolicError::OutOfMemory { budget: 128 << 20, advice: 256 << 20 })
    };
    let mut benches = (0..threads.max(1)).map(|_| bench()).collect::<Result<Vec<Bench>, _>>()?;
    let peak = |bench: &Bench| bench.largest_within(usize::MAX).unwrap_or(0);
    let horizontal = peak(&benches[0]);
    let game = &symquest.game;
    let mut by_diagonal = bench()?;
    by_diagonal.set_order(&groups_of(game, space.order(), &diagonal(n)));
    let movable: Vec<usize> = (1..space.order().len()).collect();
    let (best, tried) = all_orders(&mut benches, &movable, Cost::Largest, keep);
    let named = |ranked: Ranked| {
        let vars = ranked.order.iter().map(|&group| space.order()[group]);
        (ranked.size, vars.map(|var| game.variables()[var.index()].name.clone()).collect())
    };
    let best = best.into_iter().map(named).collect();
    Ok(Searched { tried, best, horizontal, diagonal: peak(&by_diagonal) })
}

fn groups_of(game: &Game, order: &[VarId], wanted: &Order) -> Vec<usize> {
    let Order::List(names) = wanted else { return (0..order.len()).collect() };
    let group = |name: &String| order.iter().position(|var| game.variables()[var.index()].name == *name);
    std::iter::once(0).chain(names.iter().filter_map(group)).collect()
}
