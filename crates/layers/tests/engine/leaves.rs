//! Values kept as leaves, state by state against the reference.

use crate::boards::measure;
use crate::random::{Kind, Plan, counter_weights, game, plan};
use crate::reference::{compare, explore};
use proptest::prelude::*;
use winset_games::{Baseline, build};
use winset_layers::{Form, Kept, Layering, Opponent, Options};
use winset_model::{Exprs, Game, GameBuilder, Player, Update, VarId};

/// The plan with players who take turns, and with several outcomes.
pub fn alternating(mut plan: Plan) -> Plan {
    for m in &mut plan.moves {
        // What holds nowhere.
        m.again = vec![(0, 0, true), (0, 0, false)];
        m.steps = 1;
    }
    plan.rewards.extend([(2, 8, vec![(0, 0, true)]), (9, 1, vec![(1, 1, true)]), (5, 5, vec![(2, 0, true)])]);
    plan
}

pub fn is_leaves(kept: Kept) -> bool {
    matches!(kept, Kept::Leaves { .. })
}

#[test]
fn boards() {
    let mut kept = vec![];
    for (name, size, baseline) in [
        ("connect4", "3x3x3", Baseline::Made),
        ("connect4", "4x3x3", Baseline::Made),
        ("connect4", "2x6", Baseline::Made),
        ("connect4", "4x4", Baseline::Made),
        ("tictactoe", "3x3", Baseline::Made),
        ("tictactoe", "4x2x2", Baseline::Made),
        ("breakthrough", "3x3", Baseline::Made),
        ("breakthrough", "3x4", Baseline::Made),
        ("breakthrough", "3x4", Baseline::CanBeMade),
        ("breakthrough", "3x5", Baseline::CanBeMade),
        ("clobber", "3x3", Baseline::Made),
    ] {
        let game = build(name, Some(size), &baseline.into()).unwrap();
        let positions = explore(&game);
        for layering in
            [None, Some(Layering::Plies)].into_iter().chain((name != "clobber").then(|| Some(measure(&game))))
        {
            for (threads, portable) in [(1, false), (1, true), (2, false)] {
                let layering = layering.clone();
                let options =
                    Options { layering, threads, portable, form: Form::Leaves, ..Default::default() };
                let solution = compare(&game, &options, &positions).unwrap();
                kept.push((name, size, solution.kept));
            }
        }
    }
    let leaves = kept.iter().filter(|(.., kept)| is_leaves(*kept)).count();
    assert!(leaves * 3 > kept.len() * 2, "{kept:?}");
}

/// Parts that wait in files give the same values, and so do leaves that are given up for want of memory.
#[test]
fn with_little_memory() {
    let directory = std::env::temp_dir().join(format!("winset-leaves-memory-{}", std::process::id()));
    let game = build("connect4", Some("4x4"), &Default::default()).unwrap();
    let positions = explore(&game);
    let mut kept = vec![];
    for (memory, values) in
        [(Some(9 << 20), None), (Some(48 << 20), None), (Some(1 << 30), None), (None, Some(1 << 10))]
    {
        for threads in [1, 2] {
            let directory = Some(directory.clone());
            let options =
                Options { memory, values, threads, directory, form: Form::Leaves, ..Default::default() };
            kept.push(is_leaves(compare(&game, &options, &positions).unwrap().kept));
        }
    }
    assert!(kept.contains(&true) && kept.contains(&false), "{kept:?}");
    let _ = std::fs::remove_dir(directory);
}

/// Many threads share what there is: what they remember takes no more than a part of it, and what is too large for one of
/// them is done by one alone.
#[test]
fn with_many_threads_and_little_memory() {
    let game = build("connect4", Some("4x3"), &Default::default()).unwrap();
    let positions = explore(&game);
    let directory = std::env::temp_dir().join(format!("winset-leaves-threads-{}", std::process::id()));
    let mut kept = vec![];
    for memory in (56..=128).step_by(4) {
        let (memory, directory) = (Some(memory << 20), Some(directory.clone()));
        let options = Options { memory, threads: 16, directory, form: Form::Leaves, ..Default::default() };
        kept.push(is_leaves(compare(&game, &options, &positions).unwrap().kept));
    }
    assert!(kept.contains(&false) && kept.ends_with(&[true, true]), "{kept:?}");
    assert!(kept.is_sorted(), "more memory is never worse: {kept:?}");
    let _ = std::fs::remove_dir(directory);
}

/// Of random games with players who take turns and want opposite things, most are solved by leaves, so that the test
/// below tests something.
#[test]
fn most_games_fit() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut fit, mut reasons) = (0, vec![]);
    for i in 0..100 {
        let plan = alternating(plan().new_tree(&mut runner).unwrap().current());
        let kind = if i % 2 == 0 { Kind::WinDrawLoss } else { Kind::Opposed };
        let game = game(&plan, Some(1), 2, kind);
        let layering = Some(counter_weights(&game, 1));
        let options = Options { layering, form: Form::Leaves, ..Default::default() };
        let solution = compare(&game, &options, &explore(&game)).unwrap();
        fit += usize::from(is_leaves(solution.kept));
        reasons.push(solution.kept);
    }
    assert!(fit > 15, "{fit}: {reasons:?}");
}

/// Stones are put on squares, one by one; a square may have to wait for the one below it.
#[derive(Clone, Debug)]
pub struct Stones {
    /// The heights of the stacks.
    stacks: Vec<usize>,
    /// Whoever has all stones of a line wins, or loses.
    lines: Vec<Vec<usize>>,
    misere: bool,
    /// A stone on one square turns a foreign stone on another.
    turns: Vec<(usize, usize)>,
    /// How many squares are in a block.
    block: usize,
    /// Of a full board: who wins, if anybody.
    full: usize,
}

pub fn stones() -> impl Strategy<Value = Stones> {
    (
        prop::collection::vec(1..4usize, 2..5),
        prop::collection::vec(prop::collection::vec(0..9usize, 2..4), 1..6),
        any::<bool>(),
        prop::collection::vec((0..9usize, 0..9usize), 0..3),
        1..4usize,
        0..4usize,
    )
        .prop_map(|(stacks, lines, misere, turns, block, full)| Stones {
            stacks,
            lines,
            misere,
            turns,
            block,
            full,
        })
}

pub fn stones_game(plan: &Stones) -> Game {
    let mut game = GameBuilder::new("stones", ["x", "o"]);
    let turn = game.add_turn();
    let mut squares: Vec<VarId> = vec![];
    let mut below: Vec<Option<VarId>> = vec![];
    for &height in &plan.stacks {
        for level in 0..height {
            below.push((level > 0).then(|| squares[squares.len() - 1]));
            squares.push(game.add_variable(format!("s{}", squares.len()), [".", "x", "o"].map(String::from)));
        }
    }
    let n = squares.len();
    for (i, &square) in squares.iter().enumerate() {
        let free = game.exprs.is(square, 0);
        let supported = match below[i] {
            Some(below) => {
                let empty = game.exprs.is(below, 0);
                game.exprs.not(empty)
            }
            None => Exprs::TRUE,
        };
        let guard = game.exprs.and([free, supported]);
        for player in Player::all(2) {
            let mut updates = vec![Update::set(square, player.value() + 1), game.hand_over(turn, player)];
            for &(from, to) in &plan.turns {
                let to = squares[to % n];
                if from % n == i && to != square && updates.iter().all(|update| update.var != to) {
                    let foreign = game.exprs.is(to, player.other().value() + 1);
                    updates.push(Update { var: to, cases: vec![(foreign, player.value() + 1)] });
                }
            }
            game.add_move(format!("put {i}"), player, guard, updates);
        }
    }
    let mut before = Exprs::FALSE;
    for player in Player::all(2) {
        for line in &plan.lines {
            let held: Vec<_> =
                line.iter().map(|i| game.exprs.is(squares[i % n], player.value() + 1)).collect();
            let held = game.exprs.and(held);
            let not_before = game.exprs.not(before);
            let first = game.exprs.and([held, not_before]);
            game.reward_winner(if plan.misere { player.other() } else { player }, first);
            game.terminal.push(held);
            before = game.exprs.or([before, held]);
        }
    }
    let taken: Vec<_> = squares.iter().map(|&square| game.exprs.is(square, 0)).collect();
    let some = game.exprs.or(taken);
    let full = game.exprs.not(some);
    game.terminal.push(full);
    let rest = game.exprs.not(before);
    match plan.full {
        0 | 1 => game.reward_winner(Player::new(plan.full), rest),
        _ => game.reward_draw(rest),
    }
    game.blocks = squares.chunks(plan.block).map(<[VarId]>::to_vec).collect();
    game.initial = game.state(vec![0; n + 1]);
    game.build().unwrap()
}

#[test]
fn most_games_of_stones_fit() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut reasons = vec![];
    for _ in 0..60 {
        let game = stones_game(&stones().new_tree(&mut runner).unwrap().current());
        let options = Options { form: Form::Leaves, ..Default::default() };
        reasons.push(compare(&game, &options, &explore(&game)).unwrap().kept);
    }
    assert!(reasons.iter().filter(|&&kept| is_leaves(kept)).count() > 20, "{reasons:?}");
}

/// Compares the values as leaves with the truth. With little room for them they wait in files, of which none is left behind.
/// Tests run side by side, so each has a name.
pub fn compare_and_tidy(name: &str, game: &Game, options: Options) {
    let directory = std::env::temp_dir().join(format!("winset-{name}-{}", std::process::id()));
    let files = options.values.map(|_| directory.clone());
    let options = Options { directory: files, form: Form::Leaves, ..options };
    compare(game, &options, &explore(game)).unwrap();
    if let Ok(left) = std::fs::read_dir(&directory) {
        assert_eq!(left.count(), 0, "nothing is left behind");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn games_of_stones(
        plan in stones(),
        threads in 1..3usize,
        portable in any::<bool>(),
        plies in any::<bool>(),
        values in prop::option::of(0..3000u64),
    ) {
        let game = stones_game(&plan);
        let layering = plies.then_some(Layering::Plies);
        compare_and_tidy("leaves", &game, Options { threads, portable, layering, values, ..Default::default() });
    }

    #[test]
    fn games_that_always_end(
        plan in plan(),
        opposed in any::<bool>(),
        threads in 1..3usize,
        portable in any::<bool>(),
        own in any::<bool>(),
        turns in prop::bool::weighted(0.8),
    ) {
        let plan = if turns { alternating(plan) } else { plan };
        let kind = if opposed { Kind::Opposed } else { Kind::WinDrawLoss };
        let game = game(&plan, Some(1), 2, kind);
        let opponent = if own { Opponent::Own } else { Opponent::Difference };
        let positions = explore(&game);
        for layering in [counter_weights(&game, 1), Layering::Plies] {
            let layering = Some(layering);
            let options = Options { threads, opponent, layering, portable, form: Form::Leaves, ..Default::default() };
            compare(&game, &options, &positions).unwrap();
        }
    }
}
