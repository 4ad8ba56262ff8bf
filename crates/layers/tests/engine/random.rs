//! Random games: conditional effects, passes, several moves in a row, several rewards, cycles.

use crate::reference::{compare, explore};
use proptest::prelude::*;
use std::collections::HashSet;
use winset_layers::{Layering, Opponent, Options};
use winset_model::{ExprId, Game, GameBuilder, Player, Remoteness, Rewards, Update, VarId};
use winset_reference::Truth;

/// A conjunction of `variable = value` or its negation, over the board's variables.
type Clause = Vec<(usize, u16, bool)>;

#[derive(Clone, Debug)]
pub struct Plan {
    sizes: Vec<u16>,
    pub moves: Vec<PlannedMove>,
    terminal: Vec<Clause>,
    /// Numbers from which rewards are made, and where they are given.
    pub rewards: Vec<(u8, u8, Clause)>,
    /// How many variables are in a block; 0: the engine chooses.
    blocks: usize,
    initial: Vec<u16>,
}

/// What the players can get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    WinDrawLoss,
    /// What one gets the other does not.
    Opposed,
    Any,
}

#[derive(Clone, Debug)]
pub struct PlannedMove {
    player: usize,
    guard: Vec<Clause>,
    updates: Vec<(usize, Vec<(Clause, u16)>)>,
    /// The player keeps the turn where this holds.
    pub again: Clause,
    pub steps: i64,
}

fn clause() -> impl Strategy<Value = Clause> {
    prop::collection::vec((0..8usize, 0..4u16, prop::bool::weighted(0.4)), 0..3)
}

fn planned_move() -> impl Strategy<Value = PlannedMove> {
    let updates = prop::collection::vec((0..8usize, prop::collection::vec((clause(), 0..4u16), 1..3)), 1..4);
    (0..12usize, prop::collection::vec(clause(), 1..3), updates, clause(), 0..3i64).prop_map(
        |(player, guard, updates, again, steps)| PlannedMove { player, guard, updates, again, steps },
    )
}

pub fn plan() -> impl Strategy<Value = Plan> {
    (
        prop::collection::vec(1..5u16, 4..8),
        prop::collection::vec(planned_move(), 6..16),
        prop::collection::vec(prop::collection::vec((0..8usize, 0..4u16, any::<bool>()), 4..7), 1..4),
        prop::collection::vec((0..11u8, 0..11u8, clause()), 0..7),
        0..4usize,
        prop::collection::vec(0..4u16, 8),
    )
        .prop_map(|(sizes, moves, terminal, rewards, blocks, initial)| Plan {
            sizes,
            moves,
            terminal,
            rewards,
            blocks,
            initial,
        })
}

fn conjunction(game: &mut GameBuilder, vars: &[VarId], clause: &Clause) -> ExprId {
    let mut parts = vec![];
    for &(var, value, positive) in clause {
        let var = vars[var % vars.len()];
        let value = value % game.variables[var.index()].size() as u16;
        let is = game.exprs.is(var, value);
        parts.push(if positive { is } else { game.exprs.not(is) });
    }
    game.exprs.and(parts)
}

/// The number of values of the step counter in games without cycles.
const STEPS: u16 = 7;

/// The planned game; with a counter that every move raises by at least `least` it may end by itself.
pub fn game(plan: &Plan, least: Option<i64>, players: usize, kind: Kind) -> Game {
    let mut game = GameBuilder::new("random", ["a", "b", "c", "d"].into_iter().take(players));
    let turn = (players > 1).then(|| game.add_turn());
    let vars: Vec<VarId> = (0..plan.sizes.len())
        .map(|i| game.add_variable(format!("v{i}"), (0..plan.sizes[i]).map(|v| format!("{i}.{v}"))))
        .collect();
    let counter = least.map(|_| game.add_variable("step", (0..STEPS).map(|v| format!("s{v}"))));
    let raise = |game: &mut GameBuilder, by: i64| {
        let counter = counter?;
        let cases = (0..STEPS).map(|n| {
            let next = (i64::from(n) + by).min(i64::from(STEPS) - 1);
            (game.exprs.is(counter, n), next as u16)
        });
        (by > 0).then(|| Update { var: counter, cases: cases.collect() })
    };
    for (i, m) in plan.moves.iter().enumerate() {
        let guards: Vec<ExprId> = m.guard.iter().map(|c| conjunction(&mut game, &vars, c)).collect();
        let guard = game.exprs.or(guards);
        let mut updates: Vec<Update> = vec![];
        for (var, cases) in &m.updates {
            let var = vars[var % vars.len()];
            if updates.iter().any(|u| u.var == var) {
                continue;
            }
            let size = game.variables[var.index()].size() as u16;
            let cases = cases.iter().map(|(when, value)| (conjunction(&mut game, &vars, when), value % size));
            let cases = cases.collect();
            updates.push(Update { var, cases });
        }
        let again = conjunction(&mut game, &vars, &m.again);
        let over = game.exprs.not(again);
        let player = m.player % players;
        updates.extend(turn.map(|var| Update { var, cases: vec![(over, ((player + 1) % players) as u16)] }));
        updates.extend(raise(&mut game, m.steps.max(least.unwrap_or(0))));
        game.add_move(format!("m{i}"), Player::new(player), guard, updates);
    }
    for player in 0..players {
        let hand_over = turn.map(|turn| game.hand_over(turn, Player::new(player)));
        let mut updates: Vec<Update> = hand_over.into_iter().collect();
        updates.extend(raise(&mut game, 1));
        // Somebody alone who cannot do anything waits.
        if updates.is_empty() {
            updates.push(Update { var: vars[0], cases: vec![] });
        }
        game.add_fallback("pass", Player::new(player), winset_model::Exprs::TRUE, updates);
    }
    for clause in &plan.terminal {
        let when = conjunction(&mut game, &vars, clause);
        game.terminal.push(when);
    }
    if let Some(counter) = counter {
        let last = game.exprs.is(counter, STEPS - 1);
        game.terminal.push(last);
    }
    if kind == Kind::WinDrawLoss {
        let whens: Vec<ExprId> = plan.rewards.iter().map(|r| conjunction(&mut game, &vars, &r.2)).collect();
        let mut before = winset_model::Exprs::FALSE;
        for (i, when) in whens.into_iter().enumerate() {
            let not_before = game.exprs.not(before);
            let first = game.exprs.and([when, not_before]);
            game.reward_winner(Player::new(i % 2), first);
            before = game.exprs.or([before, when]);
        }
        let level = game.exprs.not(before);
        game.reward_draw(level);
    } else {
        for (a, b, when) in &plan.rewards {
            let when = conjunction(&mut game, &vars, when);
            let rewards = match kind {
                Kind::Opposed => [a * 10, 100 - a * 10, 0, 0],
                _ => [*a, *b, (a + b) % 11, (3 * a + b) % 11].map(|tenth| tenth * 10),
            };
            for (of_player, reward) in game.rewards.iter_mut().zip(rewards) {
                of_player.push((reward, when));
            }
        }
        // Where nobody gets anything both are against it.
        if kind == Kind::Opposed {
            for (of_player, reward) in game.rewards.iter_mut().zip([40, 60]) {
                of_player.push((reward, winset_model::Exprs::TRUE));
            }
        }
    }
    let all: Vec<VarId> = (0..game.variables.len() as u32).map(VarId).collect();
    if plan.blocks > 0 {
        game.blocks = all[usize::from(players > 1)..].chunks(plan.blocks).map(<[VarId]>::to_vec).collect();
    }
    let mut initial = vec![0; usize::from(players > 1)];
    initial.extend((0..vars.len()).map(|i| plan.initial[i] % plan.sizes[i]));
    initial.extend(counter.map(|_| 0));
    game.initial = game.state(initial);
    game.build().unwrap()
}

pub fn counter_weights(game: &Game, factor: i64) -> Layering {
    let mut weights: Vec<Vec<i64>> = game.variables().iter().map(|v| vec![0; v.size()]).collect();
    *weights.last_mut().unwrap() = (0..i64::from(STEPS)).map(|n| n * factor).collect();
    Layering::Measure(weights)
}

fn planned<T>(count: usize, mut look: impl FnMut(&Plan) -> T) -> Vec<T> {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    (0..count).map(|_| look(&plan().new_tree(&mut runner).unwrap().current())).collect()
}

#[test]
fn random_games_are_not_trivial() {
    let mut sizes = planned(200, |plan| explore(&game(plan, Some(0), 2, Kind::WinDrawLoss)).len());
    sizes.sort_unstable();
    assert!(sizes[100] > 20, "half of the games have at most {} states", sizes[100]);
}

/// Games in circles have many values, distances and draws; those in which players can want the same have none, often
/// enough and not always.
#[test]
fn random_circles_are_not_trivial() {
    for (players, kind, least) in [(2, Kind::Opposed, 20), (2, Kind::Any, 1), (1, Kind::Any, 5)] {
        let truths =
            planned(300, |plan| Truth::of(&explore(&game(plan, Some(0), players, kind)), Opponent::Own));
        let several = |truth: &&Truth| match truth {
            Truth::Solved(values) => {
                let rewards: HashSet<Rewards> = values.iter().map(|value| value.rewards).collect();
                let endless = values.iter().any(|value| value.remoteness == Remoteness::Endless);
                // Somebody alone who can come to an end does.
                rewards.len() > 2 && (endless || players == 1)
            }
            _ => false,
        };
        let none = truths.iter().filter(|&truth| *truth == Truth::NoValue).count();
        assert_eq!(none > 0, kind == Kind::Any && players == 2);
        let several = truths.iter().filter(several).count();
        assert!(several >= least && none < 200, "{players} {kind:?}: {several} with several, {none} without");
    }
}

fn kinds() -> impl Strategy<Value = (usize, Kind)> {
    prop_oneof![
        Just((2, Kind::WinDrawLoss)),
        Just((2, Kind::Opposed)),
        Just((2, Kind::Any)),
        Just((1, Kind::Any)),
        Just((3, Kind::Any)),
        Just((4, Kind::Any)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn games_that_always_end(plan in plan(), players in 1..5usize, threads in 1..3usize, own in any::<bool>()) {
        let game = game(&plan, Some(1), players, Kind::Any);
        let opponent = if own { Opponent::Own } else { Opponent::Difference };
        let positions = explore(&game);
        for layering in [counter_weights(&game, 1), Layering::Plies, Layering::OneTier] {
            let options = Options { threads, opponent, layering: Some(layering), distance: true, ..Default::default() };
            compare(&game, &options, &positions).unwrap();
        }
    }

    #[test]
    fn games_with_cycles(
        plan in plan(),
        (players, kind) in kinds(),
        tiers in any::<bool>(),
        threads in 1..3usize,
        own in any::<bool>(),
        distance in any::<bool>(),
    ) {
        let game = game(&plan, tiers.then_some(0), players, kind);
        let opponent = if own { Opponent::Own } else { Opponent::Difference };
        let positions = explore(&game);
        for layering in [tiers.then(|| counter_weights(&game, 1)), Some(Layering::OneTier)].into_iter().flatten() {
            let options = Options { threads, opponent, layering: Some(layering), distance, ..Default::default() };
            compare(&game, &options, &positions);
        }
    }

    #[test]
    fn values_in_files(
        plan in plan(),
        (players, kind) in kinds(),
        room in 0..200u64,
        threads in 1..3usize,
        own in any::<bool>(),
        distance in any::<bool>(),
    ) {
        let directory = std::env::temp_dir().join(format!("winset-slices-{}", std::process::id()));
        let options = |layering| Options {
            layering: Some(layering),
            distance,
            threads,
            opponent: if own { Opponent::Own } else { Opponent::Difference },
            directory: Some(directory.clone()),
            values: Some(room),
            ..Default::default()
        };
        let always_ends = game(&plan, Some(1), players, Kind::Any);
        let positions = explore(&always_ends);
        for layering in [counter_weights(&always_ends, 1), Layering::Plies, Layering::OneTier] {
            compare(&always_ends, &options(layering), &positions).unwrap();
        }
        let with_cycles = game(&plan, Some(0), players, kind);
        let positions = explore(&with_cycles);
        for layering in [counter_weights(&with_cycles, 1), Layering::OneTier] {
            compare(&with_cycles, &options(layering), &positions);
        }
        if let Ok(left) = std::fs::read_dir(&directory) {
            assert_eq!(left.count(), 0, "nothing is left behind");
            std::fs::remove_dir(&directory).unwrap();
        }
    }
}
