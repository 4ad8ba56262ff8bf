//! All algorithms, encodings, orders and kinds of diagrams agree with each other and with an explicit
//! solution.

use std::collections::BTreeMap;
use winset_games::{Baseline, build};
use winset_model::{Explicit, Exprs, Game, GameBuilder, Player, State, Update};
use winset_reference::random_game;
use winset_symbolic::*;

fn small_games() -> Vec<Game> {
    let m2 = Baseline::CanBeMade.into();
    vec![
        build("tictactoe", None, &Default::default()).unwrap(),
        build("othello", Some("3x4"), &Default::default()).unwrap(),
        build("connect4", Some("3x3x3"), &Default::default()).unwrap(),
        build("breakthrough", Some("4x3"), &Default::default()).unwrap(),
        build("breakthrough", Some("4x3"), &m2).unwrap(),
    ]
}

/// Who wins from every reachable state, by plain minimax: 1 the first player, -1 the second, 0 neither.
fn minimax(game: &Game) -> BTreeMap<State, i8> {
    fn value(explicit: &mut Explicit<'_>, state: &State, known: &mut BTreeMap<State, i8>) -> i8 {
        if let Some(&value) = known.get(state) {
            return value;
        }
        let (rewards, turn) = (explicit.at(state).rewards(), explicit.at(state).turn());
        let found = match rewards {
            Some(r) => r[Player(0)].cmp(&r[Player(1)]) as i8,
            None => {
                let next = explicit.successors(state);
                let values: Vec<i8> = next.iter().map(|(_, s)| value(explicit, s, known)).collect();
                if turn == Some(Player(0)) {
                    *values.iter().max().unwrap()
                } else {
                    *values.iter().min().unwrap()
                }
            }
        };
        known.insert(state.clone(), found);
        found
    }
    let mut known = BTreeMap::new();
    value(&mut Explicit::new(game), game.initial(), &mut known);
    known
}

fn options(kind: Kind, encoding: Encoding, order: &str, turn: TurnPlace) -> Options {
    let order = order.parse().unwrap();
    Options { memory: 64 << 20, kind, encoding, order, turn, ..Options::default() }
}

#[test]
fn every_choice_gives_the_same_values() {
    struct Check<'a>(&'a Game, &'a Options, Algorithm, &'a BTreeMap<State, i8>);
    impl Job for Check<'_> {
        type Output = Solution;

        fn run<F: Diagram>(self) -> Solution {
            let how = SolveOptions { algorithm: self.2, ..SolveOptions::default() };
            let (solution, solved) = solve_with::<F>(self.0, self.1, how, &mut (), true).unwrap();
            for (state, value) in self.3 {
                let rewards = solved.value(state).expect("reachable");
                assert_eq!(
                    rewards[Player(0)].cmp(&rewards[Player(1)]) as i8,
                    *value,
                    "{}",
                    self.0.print(state)
                );
            }
            solution
        }
    }
    for game in small_games() {
        let truth = minimax(&game);
        for kind in [Kind::Complement, Kind::Plain] {
            for encoding in [Encoding::Standard, Encoding::ShortEmpty, Encoding::Binary] {
                for (i, order) in Order::names().enumerate() {
                    let turn = if i % 2 == 0 { TurnPlace::Top } else { TurnPlace::Bottom };
                    let algorithm = [Algorithm::Auto, Algorithm::Layered, Algorithm::Matrix][i % 3];
                    let options = options(kind, encoding, order, turn);
                    let solution = with_kind(kind, Check(&game, &options, algorithm, &truth));
                    assert_eq!(solution.positions, truth.len() as u128, "{} {options:?}", game.name());
                }
            }
        }
    }
}

/// Layers cut by any variable have the same numbers of states with the same values as whole ones.
#[test]
fn layers_in_parts_are_the_same_layers() {
    let sorted = |mut solution: Solution| {
        solution.layers.iter_mut().for_each(|layer| layer.shares.sort_by_key(|s| (s.mover, s.rewards)));
        solution
    };
    let (mut cut, mut compared) = (0, 0);
    let large = build("othello", Some("4x4"), &Default::default()).unwrap();
    let random = (0..12).map(|seed| random_game(seed, 300).game);
    for game in small_games().into_iter().chain(random).chain([large]) {
        for algorithm in [Algorithm::Auto, Algorithm::Layered] {
            let options = options(Kind::Complement, Encoding::ShortEmpty, "auto", TurnPlace::Top);
            let how = SolveOptions { algorithm, ..SolveOptions::default() };
            // Random games can be without an end, or without a value.
            let Ok(whole) = solve(&game, &options, how, &mut ()) else { continue };
            let whole = sorted(whole);
            // Passing does not raise a measure, so that layers are by moves then.
            let same_layers = |parts: &Solution| parts.layering == whole.layering;
            let few = game.variables().iter().step_by(1 + game.variables().len() / 10);
            // Of the large game, only what is chosen.
            let few = few.filter(|_| whole.positions < 50_000);
            let splits = few.map(|v| Split::Variable(v.name.clone()));
            for split in splits.chain([Split::Auto]) {
                let (parts, var) = match solve_split(&game, &options, how, &split, &mut ()) {
                    Err(SymbolicError::Endless(_)) if whole.layering != Layering::Breadth => continue,
                    found => found.unwrap(),
                };
                compared += 1;
                cut += usize::from(split == Split::Auto && var.is_some());
                let at = format!("{} {} {algorithm:?} {split:?}", game.name(), game.size());
                assert_eq!((parts.positions, parts.rewards), (whole.positions, whole.rewards), "{at}");
                if same_layers(&parts) {
                    assert_eq!(sorted(parts), whole, "{at}");
                } else {
                    assert_eq!(
                        (whole.layering, parts.layering),
                        (Layering::Measure, Layering::Breadth),
                        "{at}"
                    );
                }
            }
        }
    }
    assert!(compared > 50, "{compared}");
    assert!(cut > 0, "no layer was large enough to choose a variable");
    let game = build("tictactoe", None, &Default::default()).unwrap();
    let none = solve_split(
        &game,
        &options(Kind::Complement, Encoding::Standard, "auto", TurnPlace::Top),
        SolveOptions::default(),
        &Split::Variable("a9".into()),
        &mut (),
    );
    assert_eq!(none.err(), Some(SymbolicError::SplitUnknown("a9".into())));
}

#[test]
fn the_five_algorithms_agree() {
    let all: Vec<&str> = Order::names().collect();
    for (size, orders) in [("3x3", all.as_slice()), ("3x4", &["rows"])] {
        let game = build("othello", Some(size), &Default::default()).unwrap();
        let truth = minimax(&game);
        for encoding in [Encoding::Standard, Encoding::ShortEmpty, Encoding::Binary] {
            for &order in orders {
                let options = options(Kind::Complement, encoding, order, TurnPlace::Top);
                let mut won: Vec<[u128; 2]> = vec![];
                for variant in Variant::ALL {
                    let mut compiled = SymbolicGame::<Bcdd>::new(&game, &options).unwrap();
                    let (outcomes, winning) = retrograde(&mut compiled, variant, &mut ()).unwrap();
                    let space = &compiled.symbolic.space;
                    for (state, value) in &truth {
                        for (player, sign) in [(0, 1), (1, -1)] {
                            let wins = winning[player].layers.values().any(|set| space.contains(set, state));
                            assert_eq!(wins, *value == sign, "{variant:?} {}", game.print(state));
                        }
                    }
                    let expected = match truth[game.initial()] {
                        1 => Some(Player(0)),
                        -1 => Some(Player(1)),
                        _ => None,
                    };
                    assert_eq!(outcomes.winner, expected);
                    if variant.is_limited() {
                        let count = |sign| truth.values().filter(|&&v| v == sign).count() as u128;
                        assert_eq!(outcomes.won, [count(1), count(-1)]);
                        assert_eq!(outcomes.drawn, count(0));
                    }
                    won.push(outcomes.won);
                }
                assert_eq!(won[1], won[3]);
            }
        }
    }
}

#[test]
fn retrograde_analysis_works_without_a_measure() {
    let game = build("breakthrough", Some("4x3"), &Default::default()).unwrap();
    let options = options(Kind::Complement, Encoding::ShortEmpty, "auto", TurnPlace::Top);
    let mut compiled = SymbolicGame::<Bcdd>::new(&game, &options).unwrap();
    let (outcomes, _) = retrograde(&mut compiled, Variant::Reachable, &mut ()).unwrap();
    assert_eq!((outcomes.winner, outcomes.drawn), (Some(Player(0)), 0));
    assert_eq!(outcomes.won.iter().sum::<u128>(), 10_689);
    let swept = retrograde(&mut compiled, Variant::Sweep, &mut ());
    assert_eq!(swept.err(), Some(SymbolicError::NoMeasure("the sweep line")));
}

/// A token on a ring of n squares: the first player may step either way, the second only clockwise;
/// on square 1 the first player wins. The second can avoid it for ever only if it can skip the square.
fn ring(squares: u16, skip: bool) -> Game {
    let mut game = GameBuilder::new("ring", ["first", "second"]);
    let token = game.add_variable("token", (0..squares).map(|i| format!("t{i}")));
    let turn = game.add_turn();
    for at in 0..squares {
        let here = game.exprs.is(token, at);
        for (player, step) in [(0, 1), (0, squares - 1), (1, 1), (1, 2)] {
            if step == 2 && !skip {
                continue;
            }
            let to = (at + step) % squares;
            let updates = [Update::set(token, to), game.hand_over(turn, Player::new(player))];
            game.add_move(format!("t{at}t{to}"), Player::new(player), here, updates);
        }
    }
    let goal = game.exprs.is(token, 1);
    let no_goal = game.exprs.not(goal);
    game.terminal.push(goal);
    game.reward_winner(Player(0), goal);
    game.reward_draw(no_goal);
    game.initial = game.state([2, 1]);
    assert_ne!(goal, Exprs::FALSE);
    game.build().unwrap()
}

#[test]
fn going_round_for_ever_is_a_draw() {
    let options = options(Kind::Complement, Encoding::ShortEmpty, "model", TurnPlace::Top);
    for (squares, skip) in [(5, false), (6, false), (5, true), (6, true), (7, true)] {
        let game = ring(squares, skip);
        let layered = SolveOptions { algorithm: Algorithm::Layered, ..SolveOptions::default() };
        assert!(matches!(solve(&game, &options, layered, &mut ()), Err(SymbolicError::Endless(_))));
        let (solution, solved) =
            solve_with::<Bcdd>(&game, &options, SolveOptions::default(), &mut (), true).unwrap();
        assert_eq!(solution.layering, Layering::One);
        let mut compiled = SymbolicGame::<Bcdd>::new(&game, &options).unwrap();
        let (_, winning) = retrograde(&mut compiled, Variant::Reachable, &mut ()).unwrap();
        for token in 0..squares {
            for turn in 0..2 {
                let state = State::from([token, turn]);
                let Some(rewards) = solved.value(&state) else { continue };
                let wins = compiled.symbolic.space.contains(&winning[0].layers[&0], &state);
                assert_eq!(wins, rewards == [100, 0], "{squares} {skip} {token} {turn}");
                assert!(wins || rewards == [50, 50]);
            }
        }
    }
}

#[test]
fn threads_change_nothing() {
    for game in small_games() {
        let one = Options { memory: 64 << 20, ..Options::default() };
        let two = Options { threads: 2, ..one.clone() };
        for algorithm in [Algorithm::Auto, Algorithm::Matrix] {
            let how = SolveOptions { algorithm, ..SolveOptions::default() };
            let solutions = [&one, &two].map(|options| solve(&game, options, how, &mut ()).unwrap());
            assert_eq!(solutions[0], solutions[1], "{}", game.name());
        }
    }
}
