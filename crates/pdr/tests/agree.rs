//! Against plain retrograde analysis, state by state: built-in games and random ones with variables of every size.

use rustc_hash::FxHashMap;
use winset_games::build;
use winset_model::{Explicit, Exprs, Game, GameBuilder, Player, State, Update};
use winset_pdr::{Answer, Limits, can_force, can_force_from};

/// For every reachable state the moves within which the attacker forces a win, where it can.
fn attractor(game: &Game, attacker: Player) -> (Vec<State>, FxHashMap<State, usize>) {
    let mut explicit = Explicit::new(game);
    let (mut states, mut seen) = (vec![game.initial().clone()], rustc_hash::FxHashSet::default());
    seen.insert(game.initial().clone());
    let mut at = 0;
    while at < states.len() {
        for (_, next) in explicit.successors(&states[at].clone()) {
            if seen.insert(next.clone()) {
                states.push(next);
            }
        }
        at += 1;
    }
    let mut won: FxHashMap<State, usize> = FxHashMap::default();
    for moves in 0.. {
        let mut new = vec![];
        for state in states.iter().filter(|state| !won.contains_key(*state)) {
            let here = explicit.at(state);
            let (terminal, turn, rewards) = (here.is_terminal(), here.turn(), here.rewards());
            let forced = if terminal {
                rewards.is_some_and(|rewards| rewards[attacker] == 100)
            } else {
                let next = explicit.successors(state);
                let inside = |state: &State| won.contains_key(state);
                match turn == Some(attacker) {
                    true => next.iter().any(|(_, state)| inside(state)),
                    false => !next.is_empty() && next.iter().all(|(_, state)| inside(state)),
                }
            };
            if forced {
                new.push(state.clone());
            }
        }
        if new.is_empty() && moves > 0 {
            return (states, won);
        }
        won.extend(new.into_iter().map(|state| (state, moves)));
    }
    unreachable!("there are finitely many states")
}

fn expected(won: Option<&usize>) -> Answer {
    won.map_or(Answer::Prevented, |&moves| Answer::Wins { moves })
}

#[test]
fn built_in_games_from_the_start() {
    for (name, size) in [
        ("tictactoe", "2x2x2"),
        ("tictactoe", "3x2x3"),
        ("tictactoe", "3x3x3"),
        ("connect4", "3x3x3"),
        ("breakthrough", "3x3"),
        ("checkers", "3"),
        ("othello", "3x3"),
    ] {
        let Ok(game) = build(name, Some(size), &Default::default()) else { panic!("{name} {size}") };
        for player in Player::all(2) {
            let (_, won) = attractor(&game, player);
            let (answer, work) = can_force(&game, player, &Limits::default()).unwrap();
            assert_eq!(answer, expected(won.get(game.initial())), "{name} {size} {player}");
            assert!(work.queries > 0 || work.won > 0);
        }
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}

/// A few variables, moves with conditional updates, some of them passes; plays may go in circles.
fn random_game(random: &mut Random) -> Game {
    let mut game = GameBuilder::new("random", ["a", "b"]);
    let sizes: Vec<usize> = (0..2 + random.below(2)).map(|_| 1 + random.below(5)).collect();
    let vars: Vec<_> = sizes
        .iter()
        .enumerate()
        .map(|(i, &size)| game.add_variable(format!("v{i}"), (0..size).map(|v| v.to_string())))
        .collect();
    let turn = game.add_turn();
    let literal = |game: &mut GameBuilder, random: &mut Random| {
        let i = random.below(vars.len());
        let is = game.exprs.is(vars[i], random.below(sizes[i]) as u16);
        if random.below(2) == 0 { is } else { game.exprs.not(is) }
    };
    for i in 0..3 + random.below(5) {
        let player = Player::new(random.below(2));
        let guard = [literal(&mut game, random), literal(&mut game, random)];
        let guard = if random.below(2) == 0 { game.exprs.and(guard) } else { game.exprs.or(guard) };
        let i_var = random.below(vars.len());
        let value = |random: &mut Random| random.below(sizes[i_var]) as u16;
        let mut cases = vec![(literal(&mut game, random), value(random))];
        if random.below(2) == 0 {
            cases.push((Exprs::TRUE, value(random)));
        }
        let mut updates = vec![Update { var: vars[i_var], cases }];
        if random.below(4) > 0 {
            updates.push(game.hand_over(turn, player));
        }
        game.add_move(format!("m{i}"), player, guard, updates);
        if random.below(6) == 0 {
            game.moves.last_mut().unwrap().fallback = true;
        }
    }
    for player in Player::all(2) {
        let parts = [literal(&mut game, random), literal(&mut game, random)];
        let won = game.exprs.and(parts);
        game.terminal.push(won);
        game.reward_winner(player, won);
    }
    let start: Vec<u16> = sizes.iter().map(|&size| random.below(size) as u16).chain([0]).collect();
    game.initial = game.state(start);
    game.build().unwrap()
}

#[test]
fn random_games_from_every_state() {
    let mut random = Random(7);
    let (mut wins, mut prevented) = (0, 0);
    for round in 0..150 {
        let game = random_game(&mut random);
        for player in Player::all(2) {
            let (states, won) = attractor(&game, player);
            for state in states.iter().take(12) {
                let limits = Limits { drop_literals: round % 2 == 0, ..Limits::default() };
                let (answer, _) = can_force_from(&game, player, state, &limits).unwrap();
                assert_eq!(answer, expected(won.get(state)), "round {round}, {player}, {state:?}\n{game:?}");
                match answer {
                    Answer::Wins { moves } if moves > 0 => wins += 1,
                    _ => prevented += 1,
                }
            }
        }
    }
    assert!(wins > 30 && prevented > 100, "{wins} {prevented}");
}

#[test]
fn a_limit_leaves_it_open() {
    let game = build("tictactoe", None, &Default::default()).unwrap();
    let (answer, work) = can_force(&game, Player(0), &Limits { queries: 50, ..Limits::default() }).unwrap();
    assert!(matches!(answer, Answer::Open { .. }) && work.queries == 50);
}
