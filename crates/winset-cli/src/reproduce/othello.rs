//! Othello: encodings (Table 7.1), algorithms (Table 7.2, Figure 7.2), storage (Table 7.3).

use super::Setting;
use crate::engines::{Watch, failure};
use crate::failure::Failure;
use crate::report::comparison::Comparison;
use crate::report::plot::Series;
use crate::report::table::grouped;
use std::collections::BTreeMap;
use winset_games::othello;
use winset_model::Player;
use winset_symbolic::{
    Bcdd, Encoding, Options, Order, Phase, SymbolicError, SymbolicGame, Variant, reach, retrograde_for,
};

/// The thesis's setting: complement edges, row by row, the turn at the top.
pub fn options(setting: &Setting<'_>) -> Options {
    Options { order: Order::Rows, memory: setting.memory, ..Options::default() }
}

/// Table 7.1: the same three sets under both encodings.
pub fn encodings(setting: &Setting<'_>, comparison: &mut Comparison) -> Result<(), Failure> {
    let game = othello(4, 4);
    let published = [
        (Encoding::Standard, "standard", [34u64, 215_801, 45_478]),
        (Encoding::ShortEmpty, "3T", [22, 192_422, 32_636]),
    ];
    for (encoding, name, nodes) in published {
        let options = Options { encoding, ..options(setting) };
        let symbolic = SymbolicGame::<Bcdd>::new(&game, &options).map_err(failure)?;
        let space = &symbolic.symbolic.space;
        let initial = space.nodes_of(&symbolic.symbolic.initial);
        let relation = space.nodes_of(&symbolic.symbolic.monolithic().map_err(failure)?);
        let mut won = symbolic.won_at_once(FIRST_CODE, space.domain()).map_err(failure)?;
        if encoding == Encoding::Standard {
            let nodes = grouped(space.nodes_of(&won) as u64);
            won = with_unused_codes(&symbolic, &won).map_err(failure)?;
            comparison.notes.push(format!(
                "In the standard encoding the thesis's program has no move from a board with an unused code word, \
                 so that such boards count as ended, the unused words as stones of the winner. The winning set \
                 proper has {nodes} nodes."
            ));
        }
        let ours = [initial, relation, space.nodes_of(&won)];
        for ((what, published), ours) in ["initial", "relation", "winning"].iter().zip(nodes).zip(ours) {
            let what = format!("{what}, {name} encoding");
            comparison.must_match(what, grouped(published), grouped(ours as u64));
        }
    }
    Ok(())
}

/// The player whose stones have the code words of the thesis's white: 10, with 11 for the other.
const FIRST_CODE: Player = Player(0);

/// The thesis's program looks for white's won states; black begins.
pub const WHITE: Player = Player(1);

/// A player's won states, and the boards with unused code words that the thesis's program adds to them.
fn with_unused_codes(game: &SymbolicGame<'_, Bcdd>, won: &Bcdd) -> Result<Bcdd, SymbolicError> {
    let space = &game.symbolic.space;
    let ahead = by_lead(game)?.into_iter().filter(|(lead, _)| *lead > 0).map(|(_, boards)| boards);
    let ahead = space.or_all(ahead.collect())?;
    space.or(won, &space.diff(&ahead, space.domain())?)
}

/// All boards by how many more squares are the first player's than the other's. An unused code word counts
/// as the first player's stone.
fn by_lead(game: &SymbolicGame<'_, Bcdd>) -> Result<BTreeMap<i32, Bcdd>, SymbolicError> {
    let space = &game.symbolic.space;
    let mut boards = BTreeMap::from([(0, space.all().clone())]);
    let cells = game.game.board().into_iter().flat_map(|board| board.cells.iter().flatten());
    for &cell in cells.rev() {
        let [empty, other] = [0, 2].map(|value| space.is(cell, value));
        let own = space.diff(&space.diff(space.all(), empty)?, other)?;
        let mut more = BTreeMap::new();
        for (&lead, set) in &boards {
            for (by, content) in [(0, empty), (1, &own), (-1, other)] {
                let here = space.and(set, content)?;
                let known = more.entry(lead + by).or_insert_with(|| space.none().clone());
                *known = space.or(known, &here)?;
            }
        }
        boards = more;
    }
    Ok(boards)
}

/// Table 7.2 and Figure 7.2: the growing set's nodes under the five algorithms.
pub fn algorithms(setting: &Setting<'_>, comparison: &mut Comparison) -> Result<(), Failure> {
    let published = [2_279_148u64, 37_298, 620_067, 15_656];
    for (rows, columns) in [(4, 4), (4, 5)] {
        let small = (rows, columns) == (4, 4);
        let game = othello(rows, columns);
        let mut symbolic = SymbolicGame::<Bcdd>::new(&game, &options(setting)).map_err(failure)?;
        let mut watch = Watch::new(setting.progress);
        let reached = reach(&symbolic.symbolic, &mut watch).map_err(failure)?;
        let line = |watch: &Watch<'_>, phase: Phase| {
            let those = watch.iterations.iter().filter(|it| it.phase == phase);
            those.map(|it| (it.index as f64, it.nodes as f64)).collect()
        };
        let mut series = vec![Series { name: "Alg 1".into(), points: line(&watch, Phase::Forward) }];
        let what = |alg: usize| format!("{rows}x{columns} Alg {alg}, peak nodes");
        let peak = watch.iterations.iter().map(|it| it.nodes as u64).max().unwrap_or(0);
        comparison.compare(what(1), "", grouped(peak), "");
        for (i, variant) in Variant::ALL.into_iter().enumerate() {
            // On 4x5 only what is limited to the reachable states is a matter of seconds.
            if !small && !variant.is_limited() && !setting.large {
                continue;
            }
            let mut watch = Watch::new(setting.progress);
            let won = retrograde_for(&mut symbolic, variant, WHITE, &reached, &mut watch).map_err(failure)?;
            let published = if small { grouped(published[i]) } else { String::new() };
            comparison.compare(what(i + 2), published, grouped(won.peak as u64), "");
            let points = line(&watch, Phase::Backward);
            series.push(Series { name: format!("Alg {}", i + 2), points });
        }
        let name = format!("othello-algorithms-{rows}x{columns}");
        let title = format!("Othello {rows}x{columns}: nodes per iteration (Figure 7.2)");
        setting.figure(&name, &title, "iteration", "nodes", &series)?;
    }
    comparison
        .notes
        .push("Peak: the most nodes of the growing set of white's won states after an iteration, as in the thesis's program.".into());
    Ok(())
}

/// Table 7.3: how much the immediately won states of a player take.
pub fn storage(setting: &Setting<'_>, comparison: &mut Comparison) -> Result<(), Failure> {
    let published = [
        (4, 4, "901,134", "1,072,054"),
        (4, 5, "1.51722e7", "7,012,428"),
        (5, 5, "4.6418e8", "35,523,524"),
        (5, 6, "1.55636e10", "272,472,389"),
    ];
    for (rows, columns, states, bytes) in published {
        if rows * columns > 25 && !setting.large {
            comparison.notes.push("5x6 is computed with --large.".to_owned());
            continue;
        }
        let game = othello(rows, columns);
        let symbolic = SymbolicGame::<Bcdd>::new(&game, &options(setting)).map_err(failure)?;
        let space = &symbolic.symbolic.space;
        let won = symbolic.won_at_once(Player(0), space.domain()).map_err(failure)?;
        let exact = space.count(&won).map_err(failure)?;
        let nodes = space.nodes_of(&won) as u64;
        let board = format!("{rows}x{columns}");
        // The thesis's program compares with half the squares, rounded down.
        let missed = if rows * columns % 2 == 1 { won_by_one_stone(&symbolic).map_err(failure)? } else { 0 };
        comparison.compare_rounded(format!("{board}, states"), states, exact - missed);
        if missed > 0 {
            comparison.notes.push(format!(
                "On {board} the thesis's program leaves out the {} full boards won by one stone; the immediately \
                 won states are {}.",
                grouped(missed),
                grouped(exact)
            ));
        }
        let ours = nodes * NODE_BYTES;
        comparison.compare(format!("{board}, bytes"), bytes, grouped(ours), "another package, other nodes");
        let each = format!("{:.4}", ours as f64 / exact as f64);
        comparison.compare(format!("{board}, bytes per state"), "", each, "");
    }
    comparison.notes.push(format!("A node takes {NODE_BYTES} bytes here, about 33 in the thesis."));
    Ok(())
}

/// The number of full boards that the first player has won by one stone, either player to move.
fn won_by_one_stone(game: &SymbolicGame<'_, Bcdd>) -> Result<u128, SymbolicError> {
    let space = &game.symbolic.space;
    let mut full = space.and(&by_lead(game)?[&1], space.domain())?;
    for &cell in game.game.board().iter().flat_map(|board| board.cells.iter().flatten()) {
        full = space.diff(&full, space.is(cell, 0))?;
    }
    space.count(&full)
}

/// What OxiDD keeps per node.
const NODE_BYTES: u64 = 16;
