//! The paper's tables, each row with our figure.

use super::formulas::{Solved, by_formulas, by_retrograde};
use super::order::{diagonal, horizontal};
use super::symquest::{Setup, Symquest};
use oxidd::Function;
use winset_model::Player;
use winset_mu::reachable;
use winset_reorder::{Bench, Limits, framed_relation};
use winset_symbolic::{Bdd, Encoding, Options, Order, Outcomes, Symbolic, SymbolicError};

/// One published figure beside ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// What is measured.
    pub label: String,
    /// As published.
    pub published: String,
    /// As found here.
    pub ours: String,
    /// What to know when comparing them.
    pub note: String,
}

fn row(label: impl Into<String>, published: &str, ours: impl ToString, note: &str) -> Row {
    Row {
        label: label.into(),
        published: published.to_owned(),
        ours: ours.to_string(),
        note: note.to_owned(),
    }
}

fn options(order: Order, memory: u64) -> Options {
    Options { order, encoding: Encoding::Standard, memory, ..Options::default() }
}

/// Table 1 as published: the size of the board, the relation's nodes in the horizontal order and sifted.
const RELATIONS: [(usize, &str, &str); 6] = [
    (3, "482", "482"),
    (4, "3,165", "2,966"),
    (5, "~36,000", "~34,000"),
    (6, "~138,000", "~119,000"),
    (7, "~1,295,000", "~471,000"),
    (8, "~4,601,000", "~1,594,000"),
];

/// Table 1: the relation as one plain diagram, in the horizontal order and sifted, on boards up to `largest`.
pub fn relations(largest: usize, limits: &Limits, memory: u64) -> Result<Vec<Row>, SymbolicError> {
    let mut rows = vec![];
    for n in 3..=largest {
        rows.extend(relation(n, limits, memory)?);
    }
    Ok(rows)
}

/// The two rows of Table 1 about one board.
pub fn relation(n: usize, limits: &Limits, memory: u64) -> Result<Vec<Row>, SymbolicError> {
    let published = RELATIONS.iter().find(|row| row.0 == n);
    let (_, in_rows, sifted) = published.copied().unwrap_or((n, "", ""));
    let game = winset_games::checkers(n);
    let symbolic = Symbolic::<Bdd>::from_game(&game, &options(horizontal(), memory))?;
    let relation = framed_relation(&symbolic)?;
    let mut rows = vec![row(format!("{n}x{n} relation, horizontal"), in_rows, relation.node_count(), "")];
    let found = sift(&symbolic, &[relation], limits)?;
    let note = if found.complete { "groups of a square's bits" } else { "stopped by the time limit" };
    rows.push(row(format!("{n}x{n} relation, sifted"), sifted, found.nodes, note));
    Ok(rows)
}

struct Found {
    nodes: usize,
    complete: bool,
}

/// The size of the first function after sifting all of them.
fn sift(symbolic: &Symbolic<Bdd>, functions: &[Bdd], limits: &Limits) -> Result<Found, SymbolicError> {
    let memory = || SymbolicError::OutOfMemory { budget: 0, advice: 0 };
    let mut bench = Bench::new(&symbolic.space, functions).map_err(|_| memory())?;
    let sifted = bench.sift(limits);
    Ok(Found { nodes: bench.size_of(0), complete: sifted.complete })
}

/// Table 2: the reachable states as one plain diagram, on boards up to `largest`.
pub fn reachable_sets(largest: usize, limits: &Limits, memory: u64) -> Result<Vec<Row>, SymbolicError> {
    let published = [(3, "70"), (4, "2,081"), (5, "~1,400,000")];
    let mut rows = vec![];
    for (n, nodes) in published.into_iter().filter(|(n, _)| *n <= largest) {
        let game = winset_games::checkers(n);
        let symbolic = Symbolic::<Bdd>::from_game(&game, &options(horizontal(), memory))?;
        let states = reachable(&symbolic)?;
        rows.push(row(format!("{n}x{n} reachable, horizontal"), "", states.node_count(), ""));
        let found = sift(&symbolic, &[states], limits)?;
        let note = if found.complete { "" } else { "stopped by the time limit" };
        rows.push(row(format!("{n}x{n} reachable, sifted"), nodes, found.nodes, note));
    }
    Ok(rows)
}

/// Section 4.2: the peaks of black's formula on 4x4 under the paper's optimisations.
pub fn peaks(memory: u64) -> Result<Vec<Row>, SymbolicError> {
    /// Garbage is collected after every operation, which takes the longer the larger the tables are.
    const ENOUGH: u64 = 256 << 20;
    let (all, memory) = (usize::MAX, memory.min(ENOUGH));
    let settings: [(&str, Order, bool, usize, &str, &str); 5] = [
        ("horizontal order", horizontal(), false, 1, "90,125", "32"),
        ("with the piece limit", horizontal(), true, 1, "19,725", "16"),
        ("and the diagonal order", diagonal(4), true, 1, "16,415", ""),
        ("and 10 parts", diagonal(4), true, 10, "16,180", ""),
        ("and a part for every move", diagonal(4), true, all, "11,945", ""),
    ];
    let mut rows = vec![];
    for (label, order, limit, parts, nodes, iterations) in settings {
        let symquest = Symquest::new(4, &Setup { order, limit, rest: false, parts, memory })?;
        let found = symquest.can_win(0)?;
        let note = "largest intermediate result of the fixed point";
        rows.push(row(format!("4x4 peak, {label}"), nodes, found.largest, note));
        rows.push(row(format!("4x4 most nodes after any operation, {label}"), "", found.peak, ""));
        // Words with pieces that must go on take longer, and are none that the paper's procedure can have met: see
        // the row below.
        let published = if limit { iterations } else { "" };
        rows.push(row(format!("4x4 iterations, {label}"), published, found.iterations, ""));
    }
    let resting = Setup { order: horizontal(), limit: false, rest: true, parts: 1, memory };
    let found = Symquest::new(4, &resting)?.can_win(0)?;
    let label = "4x4 iterations, horizontal order, no piece must go on (none can arise on 4x4)";
    rows.push(row(label, "32", found.iterations, ""));
    rows.push(row("4x4 peak, the same", "", found.largest, ""));
    Ok(rows)
}

/// What the paper says about a board.
pub fn published_result(n: usize) -> &'static str {
    match n {
        3 => "white can win",
        4 => "a draw",
        5 => "black can win",
        _ => "?",
    }
}

/// A result in the paper's words.
pub fn result(winner: Option<Player>) -> &'static str {
    match winner {
        Some(Player(0)) => "black can win",
        Some(_) => "white can win",
        None => "a draw",
    }
}

/// Figure 6: who wins, on boards up to `largest`, by the two formulas and by retrograde analysis.
pub fn results(largest: usize, options: &Options) -> Result<Vec<Row>, SymbolicError> {
    let mut rows = vec![];
    for n in 3..=largest {
        let solved = by_formulas(n, options)?;
        let ours = result(solved.start);
        let Solved { states, black, white, .. } = solved;
        let draws = solved.draws();
        let longest = solved.longest.map_or("none".to_owned(), |n| format!("{n} transitions"));
        let note = format!("{states} states: {black} / {white} / {draws}; longest win {longest}");
        rows.push(row(format!("{n}x{n} result, by the formulas"), published_result(n), ours, &note));
        let Outcomes { won: [black, white], drawn, winner } = by_retrograde(n, options)?;
        let note = format!("{} states: {black} / {white} / {drawn}", black + white + drawn);
        let label = format!("{n}x{n} result, by retrograde analysis");
        rows.push(row(label, published_result(n), result(winner), &note));
    }
    Ok(rows)
}
