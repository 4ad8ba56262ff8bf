//! Random games with the truth about them: variables of any size, one to four players, conditional effects, several
//! moves in a row, passes, several rewards, cycles, dead ends and forbidden states.

use crate::Random;
use crate::truth::{Position, positions};
use winset_model::{ExprId, Exprs, Forbidden, Game, GameBuilder, Player, Update, VarId};

/// The most values of a variable.
const MOST_VALUES: usize = 17;

/// A game with all its positions.
pub struct RandomGame {
    /// The game.
    pub game: Game,
    /// Its positions; [`Truth::of`](crate::Truth::of) says what is true of them.
    pub positions: Vec<Position>,
    /// A variable counts the moves, so that every play ends.
    pub ends: bool,
}

/// The game of a seed, which has at most n states.
pub fn random_game(seed: u64, most: usize) -> RandomGame {
    let mut random = Random::new(seed);
    loop {
        let ends = random.below(2) == 0;
        let game = made(&mut random, ends);
        if let Some(positions) = positions(&game, most) {
            return RandomGame { game, positions, ends };
        }
    }
}

fn conjunction(game: &mut GameBuilder, random: &mut Random, vars: &[VarId], literals: usize) -> ExprId {
    let mut parts = vec![];
    for _ in 0..random.below(literals + 1) {
        let var = vars[random.below(vars.len())];
        let is = game.exprs.is(var, random.below(game.variables[var.index()].size()) as u16);
        parts.push(if random.below(3) == 0 { game.exprs.not(is) } else { is });
    }
    game.exprs.and(parts)
}

fn made(random: &mut Random, ends: bool) -> Game {
    let players = random.pick(&[1, 2, 2, 2, 2, 3, 4]);
    let two = players == 2;
    let mut game = GameBuilder::new("random", ["a", "b", "c", "d"].into_iter().take(players));
    let turn = (players > 1).then(|| game.add_turn());
    let sizes: Vec<usize> = (0..2 + random.below(4)).map(|_| 1 + random.below(MOST_VALUES)).collect();
    let vars: Vec<VarId> = (0..sizes.len())
        .map(|i| game.add_variable(format!("v{i}"), (0..sizes[i]).map(|v| format!("{i}_{v}"))))
        .collect();
    let steps = 3 + random.below(MOST_VALUES - 2) as u16;
    let counter = ends.then(|| game.add_variable("step", (0..steps).map(|v| format!("s{v}"))));
    let raise = |game: &mut GameBuilder, by: u16| {
        let mut cases = |var| (0..steps).map(|n| (game.exprs.is(var, n), (n + by).min(steps - 1))).collect();
        counter.map(|var| Update { cases: cases(var), var })
    };
    for i in 0..3 + random.below(12) {
        let player = i % players;
        let guards = [(); 2].map(|()| conjunction(&mut game, random, &vars, 2));
        let guard = game.exprs.or(guards);
        let mut updates: Vec<Update> = vec![];
        for _ in 0..1 + random.below(3) {
            let var = vars[random.below(vars.len())];
            let size = sizes[vars.iter().position(|&v| v == var).expect("one of them")];
            if updates.iter().all(|update| update.var != var) {
                let from = random.below(vars.len());
                if random.one_in(4) && vars[from] != var && sizes[from] <= size {
                    // The value of another variable, as in a row of squares that is pushed along.
                    let cases = (0..sizes[from] as u16).map(|v| (game.exprs.is(vars[from], v), v)).collect();
                    updates.push(Update { cases, var });
                    continue;
                }
                let cases = (0..1 + random.below(3))
                    .map(|_| (conjunction(&mut game, random, &vars, 2), random.below(size) as u16));
                updates.push(Update { cases: cases.collect(), var });
            }
        }
        if let Some(turn) = turn {
            let again =
                if random.below(4) == 0 { conjunction(&mut game, random, &vars, 2) } else { Exprs::FALSE };
            // Mostly the next player's turn, of more than two also that of any other.
            let by = if random.below(4) == 0 { 1 + random.below(players - 1) } else { 1 };
            let next = ((player + by) % players) as u16;
            updates.push(Update { var: turn, cases: vec![(game.exprs.not(again), next)] });
        }
        updates.extend(raise(&mut game, 1 + random.below(2) as u16));
        game.add_move(format!("m{i}"), Player::new(player), guard, updates);
    }
    if random.below(4) > 0 {
        for player in 0..game.players.len() {
            let mut updates: Vec<Update> =
                turn.map(|turn| game.hand_over(turn, Player::new(player))).into_iter().collect();
            updates.extend(raise(&mut game, 1));
            if !updates.is_empty() {
                game.add_fallback("pass", Player::new(player), Exprs::TRUE, updates);
            }
        }
    }
    for _ in 0..1 + random.below(3) {
        let literals = 2 + random.below(3);
        let end = conjunction(&mut game, random, &vars, literals);
        if end != Exprs::TRUE {
            game.terminal.push(end);
        }
    }
    if let Some(counter) = counter {
        let last = game.exprs.is(counter, steps - 1);
        game.terminal.push(last);
    }
    let kind = random.pick(&[Kind::WinDrawLoss, Kind::Opposed, Kind::Any]);
    rewards(&mut game, random, &vars, if two { kind } else { Kind::Any });
    if random.below(8) == 0 {
        let when = conjunction(&mut game, random, &vars, 3);
        game.forbidden.push(Forbidden { when, ended: random.below(2) == 0, why: "forbidden".to_owned() });
    }
    let mut initial = vec![0; game.variables.len()];
    for (var, size) in vars.iter().zip(&sizes) {
        initial[var.index()] = random.below(*size) as u16;
    }
    game.initial = game.state(initial);
    game.build().expect("a game that is made right")
}

/// What the players can get.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    WinDrawLoss,
    /// What one gets the other does not.
    Opposed,
    Any,
}

fn rewards(game: &mut GameBuilder, random: &mut Random, vars: &[VarId], kind: Kind) {
    let mut before = Exprs::FALSE;
    for i in 0..1 + random.below(if kind == Kind::WinDrawLoss { 3 } else { 6 }) {
        let when = conjunction(game, random, vars, 2);
        // Of conditions that hold at once the first one counts.
        let overlapping = random.below(2) == 0;
        let not_before = if overlapping { Exprs::TRUE } else { game.exprs.not(before) };
        let first = game.exprs.and([when, not_before]);
        before = game.exprs.or([before, when]);
        if kind == Kind::WinDrawLoss {
            game.reward_winner(Player::new(i % 2), first);
            continue;
        }
        let share = 10 * random.below(11) as u8;
        for player in 0..game.players.len() {
            let reward = match kind {
                Kind::Opposed => [share, 100 - share][player],
                _ => 25 * random.below(5) as u8,
            };
            game.rewards[player].push((reward, first));
        }
    }
    let rest = game.exprs.not(before);
    match kind {
        Kind::WinDrawLoss => game.reward_draw(rest),
        Kind::Opposed => (0..2).for_each(|player| game.rewards[player].push(([40, 60][player], rest))),
        Kind::Any => {}
    }
}
