//! Boards solved by the paper's formulas and by the paper's procedure agree with the oracle's counts.

use winset_checkers::{Setup, Symquest, by_formulas, by_retrograde, diagonal, horizontal, tables};
use winset_reorder::Limits;
use winset_symbolic::Options;

fn options() -> Options {
    Options { memory: 256 << 20, ..Options::default() }
}

#[test]
fn small_boards_by_the_two_formulas() {
    let three = by_formulas(3, &options()).unwrap();
    assert_eq!((three.states, three.black, three.white, three.draws()), (10, 0, 10, 0));
    assert_eq!((three.start, three.longest), (Some(1), Some(4)));
    let four = by_formulas(4, &options()).unwrap();
    assert_eq!((four.states, four.black, four.white, four.draws()), (2_409, 502, 349, 1_558));
    assert_eq!((four.start, four.longest), (None, Some(12)));
}

#[test]
fn retrograde_analysis_agrees() {
    for n in [3, 4] {
        let (formulas, outcomes) =
            (by_formulas(n, &options()).unwrap(), by_retrograde(n, &options()).unwrap());
        assert_eq!(outcomes.won, [formulas.black, formulas.white]);
        assert_eq!((outcomes.drawn, outcomes.winner), (formulas.draws(), formulas.start));
    }
}

#[test]
fn the_papers_procedure_finds_the_same_winners() {
    for (n, winner, finest) in [(3, Some(1), usize::MAX), (4, None, 4)] {
        for (order, parts) in [(horizontal(), 1), (diagonal(n), finest)] {
            let setup = Setup { order, limit: true, parts, memory: 64 << 20 };
            let symquest = Symquest::new(n, &setup).unwrap();
            for player in 0..2 {
                let peak = symquest.can_win(player).unwrap();
                let won = peak.stages.last().unwrap();
                let at_start = symquest.symbolic.space.contains(won, &symquest.game.initial);
                assert_eq!(at_start, winner == Some(player), "{n} {parts} {player}");
            }
        }
    }
}

#[test]
fn tables_have_a_row_for_every_figure() {
    let limits = Limits::default();
    let relations = tables::relations(4, &limits, 256 << 20).unwrap();
    assert_eq!(relations.len(), 4);
    let sets = tables::reachable_sets(4, &limits, 256 << 20).unwrap();
    for row in relations.iter().chain(&sets) {
        eprintln!("{:34} {:>12} {:>12}  {}", row.label, row.published, row.ours, row.note);
    }
    let results = tables::results(4, &options()).unwrap();
    assert!(results.iter().all(|row| row.published == row.ours));
}

/// The paper: 16 iterations within the piece limit, and the diagonal order has a lower peak.
#[test]
fn the_diagonal_order_helps_within_the_piece_limit() {
    let peak = |order| {
        let setup = Setup { order, limit: true, parts: 1, memory: 64 << 20 };
        Symquest::new(4, &setup).unwrap().can_win(0).unwrap()
    };
    let (rows, diagonals) = (peak(horizontal()), peak(diagonal(4)));
    assert_eq!((rows.iterations, diagonals.iterations), (16, 16));
    assert!(diagonals.peak < rows.peak);
}
