//! Random games with the truth about them: variables of any size, one or two players, conditional effects, several
//! moves in a row, passes, several rewards, cycles, dead ends and forbidden states.

use crate::Random;
use rustc_hash::FxHashMap;
use winset_model::{
    Explicit, ExprId, Exprs, Forbidden, Game, GameBuilder, Opponent, Player, Rewards, State, Update, VarId,
};

/// The most values of a variable.
const MOST_VALUES: usize = 17;

/// What a solver must say about a game.
pub enum Truth {
    /// The value of every reachable state, and whether it is terminal.
    Solved(FxHashMap<State, (Rewards, bool)>),
    /// A reachable state must not be, or has no move although the game has not ended.
    Refused,
}

/// A game and what is true of it.
pub struct RandomGame {
    /// The game.
    pub game: Game,
    /// What must be found.
    pub truth: Truth,
    /// A variable counts the moves, so that every play ends.
    pub ends: bool,
}

/// The game of a seed, which has at most so many states.
pub fn random_game(seed: u64, most: usize) -> RandomGame {
    let mut random = Random::new(seed);
    loop {
        let ends = random.below(2) == 0;
        let game = made(&mut random, ends);
        if let Some(states) = explore(&game, most) {
            let truth = truth(&game, &states, ends);
            return RandomGame { game, truth, ends };
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

/// A game with cycles is of two players and ends in win, draw or loss: others have no value there.
fn made(random: &mut Random, ends: bool) -> Game {
    let two = !ends || random.below(4) > 0;
    let mut game = GameBuilder::new("random", if two { vec!["a", "b"] } else { vec!["a"] });
    let turn = two.then(|| game.add_turn());
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
        let player = if two { i % 2 } else { 0 };
        let guards = [(); 2].map(|()| conjunction(&mut game, random, &vars, 2));
        let guard = game.exprs.or(guards);
        let mut updates: Vec<Update> = vec![];
        for _ in 0..1 + random.below(3) {
            let var = vars[random.below(vars.len())];
            let size = sizes[vars.iter().position(|&v| v == var).expect("one of them")];
            if updates.iter().all(|update| update.var != var) {
                let cases = (0..1 + random.below(3))
                    .map(|_| (conjunction(&mut game, random, &vars, 2), random.below(size) as u16));
                updates.push(Update { cases: cases.collect(), var });
            }
        }
        if let Some(turn) = turn {
            let again =
                if random.below(4) == 0 { conjunction(&mut game, random, &vars, 2) } else { Exprs::FALSE };
            updates.push(Update { var: turn, cases: vec![(game.exprs.not(again), 1 - player as u16)] });
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
    let win_draw_loss = two && (!ends || random.below(2) == 0);
    rewards(&mut game, random, &vars, win_draw_loss);
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

fn rewards(game: &mut GameBuilder, random: &mut Random, vars: &[VarId], win_draw_loss: bool) {
    let mut before = Exprs::FALSE;
    for i in 0..1 + random.below(3) {
        let when = conjunction(game, random, vars, 2);
        // Of conditions that hold at once the first one counts.
        let overlapping = random.below(2) == 0;
        let not_before = if overlapping { Exprs::TRUE } else { game.exprs.not(before) };
        let first = game.exprs.and([when, not_before]);
        before = game.exprs.or([before, when]);
        if win_draw_loss {
            game.reward_winner(Player::new(i % 2), first);
        } else {
            for player in 0..game.players.len() {
                game.rewards[player].push((25 * random.below(5) as u8, first));
            }
        }
    }
    let level = game.exprs.not(before);
    if win_draw_loss {
        game.reward_draw(level);
    }
}

/// A reachable state.
struct Entry {
    turn: Option<Player>,
    ended: Option<Rewards>,
    successors: Vec<usize>,
    forbidden: bool,
}

/// All reachable states, or none if there are too many.
fn explore(game: &Game, most: usize) -> Option<Vec<(State, Entry)>> {
    let mut explicit = Explicit::new(game);
    let mut numbers: FxHashMap<State, usize> = FxHashMap::default();
    numbers.insert(game.initial().clone(), 0);
    let (mut states, mut entries) = (vec![game.initial().clone()], vec![]);
    while entries.len() < states.len() {
        if states.len() > most {
            return None;
        }
        let state = states[entries.len()].clone();
        let at = explicit.at(&state);
        let ended = at.rewards();
        let forbidden = game.forbidden().iter().any(|f| f.ended == ended.is_some() && at.holds(f.when));
        let turn = at.turn();
        let nexts: Vec<State> = at.moves().map(|m| at.apply(m)).collect();
        let successors = nexts.into_iter().map(|next| {
            *numbers.entry(next.clone()).or_insert_with(|| {
                states.push(next);
                states.len() - 1
            })
        });
        entries.push(Entry { turn, ended, successors: successors.collect(), forbidden });
    }
    Some(states.into_iter().zip(entries).collect())
}

fn truth(game: &Game, states: &[(State, Entry)], ends: bool) -> Truth {
    let wrong = |(_, e): &(State, Entry)| e.forbidden || e.ended.is_none() && e.successors.is_empty();
    if states.iter().any(wrong) {
        return Truth::Refused;
    }
    let values = if ends { by_rounds(states) } else { by_attractors(states) };
    assert_eq!(values.len(), states.len(), "{}", game.name());
    let entry =
        |((state, entry), value): (&(State, Entry), Rewards)| (state.clone(), (value, entry.ended.is_some()));
    Truth::Solved(states.iter().zip(values).map(entry).collect())
}

/// Values where play always ends: a state is solved once all its successors are.
fn by_rounds(states: &[(State, Entry)]) -> Vec<Rewards> {
    let mut values: Vec<Option<Rewards>> = states.iter().map(|(_, entry)| entry.ended).collect();
    while values.iter().any(Option::is_none) {
        for (i, (_, entry)) in states.iter().enumerate() {
            let next: Option<Vec<Rewards>> = entry.successors.iter().map(|&s| values[s]).collect();
            if let (None, Some(next)) = (values[i], next) {
                let mover = entry.turn.expect("it is somebody's turn");
                values[i] = next.into_iter().max_by_key(|&r| Opponent::Difference.liking(mover, r));
            }
        }
    }
    values.into_iter().flatten().collect()
}

/// Who can force a win; nobody: play need not end, or ends level.
fn by_attractors(states: &[(State, Entry)]) -> Vec<Rewards> {
    let forced = |winner: Player| {
        let mut won: Vec<bool> =
            states.iter().map(|(_, e)| e.ended == Some(Rewards::win_of(winner, 2))).collect();
        loop {
            let before = won.clone();
            for (i, (_, entry)) in states.iter().enumerate() {
                let mut next = entry.successors.iter().map(|&s| before[s]);
                won[i] |= entry.ended.is_none()
                    && if entry.turn == Some(winner) { next.any(|w| w) } else { next.all(|w| w) };
            }
            if won == before {
                return won;
            }
        }
    };
    let won = [forced(Player(0)), forced(Player(1))];
    let value = |i: usize| match (won[0][i], won[1][i]) {
        (true, _) => Rewards::win_of(Player(0), 2),
        (_, true) => Rewards::win_of(Player(1), 2),
        _ => states[i].1.ended.unwrap_or(Rewards::endless(2)),
    };
    (0..states.len()).map(value).collect()
}
