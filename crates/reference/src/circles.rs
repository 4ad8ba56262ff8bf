//! Games of win, tie, draw and loss whose play can go in circles.

use crate::random::Random;
use crate::truth::{Truth, positions};
use rustc_hash::FxHashMap;
use std::ops::Range;
use winset_model::{ExprId, Exprs, Game, GameBuilder, Opponent, Player, State, Update, Valuation, VarId};

/// A small game of win, tie, draw and loss in which play may go round for ever: conditional effects, passes,
/// several moves in a row, and a counter that rises now and then, so that there may be tiers.
pub fn random_game(random: &mut Random) -> Game {
    let mut game = GameBuilder::new("circles", ["a", "b"]);
    let turn = game.add_turn();
    let sizes: Vec<u16> = (0..4 + random.below(3)).map(|_| 1 + random.below(4) as u16).collect();
    let mut vars = vec![];
    for (i, &size) in sizes.iter().enumerate() {
        vars.push(game.add_variable(format!("v{i}"), (0..size).map(|v| format!("{i}.{v}"))));
    }
    const STEPS: u16 = 4;
    let counter = game.add_variable("step", (0..STEPS).map(|v| format!("s{v}")));
    for i in 0..12 + random.below(14) {
        let player = random.below(2);
        let guard: Vec<ExprId> =
            (0..1 + random.below(2)).map(|_| clause(&mut game, &vars, random, 1..3)).collect();
        let guard = game.exprs.or(guard);
        let mut updates: Vec<Update> = vec![];
        for _ in 0..1 + random.below(3) {
            let var = random.pick(&vars);
            if updates.iter().all(|u| u.var != var) {
                let size = sizes[vars.iter().position(|&v| v == var).expect("one of them")];
                let case = |random: &mut Random, game: &mut GameBuilder| {
                    (clause(game, &vars, random, 1..3), random.below(size.into()) as u16)
                };
                let cases = (0..1 + random.below(2)).map(|_| case(random, &mut game)).collect();
                updates.push(Update { var, cases });
            }
        }
        let again = if random.one_in(3) { clause(&mut game, &vars, random, 1..3) } else { Exprs::FALSE };
        let over = game.exprs.not(again);
        updates.push(Update { var: turn, cases: vec![(over, 1 - player as u16)] });
        if random.one_in(4) {
            let cases = (0..STEPS).map(|n| (game.exprs.is(counter, n), (n + 1).min(STEPS - 1))).collect();
            updates.push(Update { var: counter, cases });
        }
        game.add_move(format!("m{i}"), Player::new(player), guard, updates);
    }
    for player in 0..2 {
        let hand_over = game.hand_over(turn, Player::new(player));
        game.add_fallback("pass", Player::new(player), Exprs::TRUE, [hand_over]);
    }
    for _ in 0..1 + random.below(3) {
        let when = clause(&mut game, &vars, random, 3..6);
        game.terminal.push(when);
    }
    let mut before = Exprs::FALSE;
    for winner in 0..2 {
        let when = clause(&mut game, &vars, random, 1..3);
        let not_before = game.exprs.not(before);
        let first = game.exprs.and([when, not_before]);
        game.reward_winner(Player::new(winner), first);
        before = game.exprs.or([before, when]);
    }
    let level = game.exprs.not(before);
    game.reward_draw(level);
    let mut initial = vec![0];
    initial.extend(sizes.iter().map(|&size| random.below(size.into()) as u16));
    initial.push(0);
    game.initial = game.state(initial);
    game.build().expect("a game")
}

/// A conjunction of a few conditions on single variables.
fn clause(game: &mut GameBuilder, vars: &[VarId], random: &mut Random, parts: Range<usize>) -> ExprId {
    let wanted = parts.start + random.below(parts.len());
    let mut parts = vec![];
    for _ in 0..wanted {
        let var = random.pick(vars);
        let is = game.exprs.is(var, random.below(game.variables[var.index()].size()) as u16);
        parts.push(if random.one_in(3) { game.exprs.not(is) } else { is });
    }
    game.exprs.and(parts)
}

/// The value of every reachable state, whether its play ends or not: who can force a win in how many moves, how soon a
/// tie can be had, and where play never has to end.
pub fn values(game: &Game) -> FxHashMap<State, Valuation> {
    let found = positions(game, usize::MAX).expect("there are no more than that");
    let values = Truth::of(&found, Opponent::Difference).values();
    found.into_iter().map(|position| position.state).zip(values).collect()
}
