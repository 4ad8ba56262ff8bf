//! Boards solved by the paper's formulas and by the paper's procedure agree with the oracle's counts.

use winset_model::Player;
use winset_papers::checkers::{Setup, Symquest, by_formulas, by_retrograde, diagonal, horizontal, tables};
use winset_reorder::Limits;
use winset_symbolic::Options;

fn options() -> Options {
    Options { memory: 256 << 20, ..Options::default() }
}

#[test]
fn small_boards_by_the_two_formulas() {
    let three = by_formulas(3, &options()).unwrap();
    assert_eq!((three.states, three.black, three.white, three.draws()), (10, 0, 10, 0));
    assert_eq!((three.start, three.longest), (Some(Player(1)), Some(4)));
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
            let setup = Setup { order, limit: true, rest: false, parts, memory: 64 << 20 };
            let symquest = Symquest::new(n, &setup).unwrap();
            for player in 0..2 {
                let peak = symquest.can_win(player).unwrap();
                let won = peak.stages.last().unwrap();
                let at_start = symquest.symbolic.space.contains(won, symquest.game.initial());
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
        let setup = Setup { order, limit: true, rest: false, parts: 1, memory: 64 << 20 };
        Symquest::new(4, &setup).unwrap().can_win(0).unwrap()
    };
    let (rows, diagonals) = (peak(horizontal()), peak(diagonal(4)));
    assert_eq!((rows.iterations, diagonals.iterations), (16, 16));
    assert!(diagonals.largest < rows.largest);
    let largest =
        rows.results.iter().map(winset_symbolic::Diagram::flatten).map(|flat| flat.nodes.len()).max();
    assert_eq!(largest, Some(rows.largest));
    assert!(diagonals.peak < rows.peak);
}

/// States won by black, by white and drawn, who wins from the start, and the longest win, by the layer engine
/// with tiers.
fn by_layers(n: usize) -> ([u64; 3], Option<usize>, Option<usize>) {
    let options = winset_layers::Options { threads: 1, distance: true, ..Default::default() };
    let mut longest = Longest(None);
    let solved = winset_layers::solve(&winset_games::checkers(n), &options, &mut longest).unwrap();
    let winner = |rewards: &[u8]| match rewards {
        [100, 0] => Some(0),
        [0, 100] => Some(1),
        _ => None,
    };
    let mut totals = [0; 3];
    let mut add = |code: usize, states: u64| {
        totals[winner(&solved.outcomes.table()[code]).unwrap_or(2)] += states;
    };
    for layer in &solved.layers {
        layer.terminal.iter().for_each(|&(code, states)| add(usize::from(code), states));
        let moving = layer.movers.iter().flat_map(|movers| movers.by_code.iter().enumerate());
        moving.for_each(|(code, &states)| add(code, states));
    }
    (totals, winner(solved.value.as_deref().unwrap()), longest.0)
}

struct Longest(Option<usize>);

impl winset_layers::Observer for Longest {
    fn solved(&mut self, layer: &winset_layers::Solved<'_>) -> Result<(), winset_layers::Refusal> {
        layer.each_distance(|code, distance| {
            let rewards = &layer.outcomes.table()[usize::from(code)];
            if rewards[Player(0)] != rewards[Player(1)] && distance != winset_layers::NEVER_ENDS {
                self.0 = self.0.max(Some(usize::from(distance)));
            }
        })?;
        Ok(())
    }
}

/// The formulas, retrograde analysis and the layer engine say the same of every board that is quick enough
/// (5x5: `winset reproduce checkers --large`).
#[test]
fn three_ways_agree() {
    for n in [3, 4] {
        let formulas = by_formulas(n, &options()).unwrap();
        let outcomes = by_retrograde(n, &options()).unwrap();
        let (totals, winner, longest) = by_layers(n);
        let by_three = [formulas.black, formulas.white, formulas.draws()];
        assert_eq!(totals.map(u128::from), by_three, "{n}");
        assert_eq!([outcomes.won[0], outcomes.won[1], outcomes.drawn], by_three, "{n}");
        assert_eq!((winner.map(Player::new), outcomes.winner), (formulas.start, formulas.start), "{n}");
        assert_eq!(longest, formulas.longest, "{n}");
    }
}

/// The paper's 32 iterations over all states are those without pieces that must go on capturing, which cannot arise on
/// 4x4: with them there are 35.
#[test]
fn thirty_two_iterations_where_no_piece_must_go_on() {
    let iterations = |rest| {
        let setup = Setup { order: horizontal(), limit: false, rest, parts: 1, memory: 64 << 20 };
        Symquest::new(4, &setup).unwrap().can_win(0).unwrap().iterations
    };
    assert_eq!(iterations(true), 32);
}
