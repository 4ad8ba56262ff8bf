//! Games of three and four players: every position of a stored solution beside the truth, the proof of the store, and what
//! is said about it.

use winset::{Catalogue, Options, Rules, solve};
use winset_explore::stats;
use winset_model::{Opponent, Remoteness};
use winset_reference::{Truth, random_game};

/// The random games that are looked at, of one to four players.
const GAMES: u64 = 400;

fn options(opponent: Opponent) -> Options {
    let opponent = Some(opponent);
    Options { opponent, threads: Some(1), distance: true, memory: Some(256 << 20), ..Options::default() }
}

#[test]
fn solutions_of_random_games_for_many_are_right_and_proved() {
    let (mut solved_games, mut refused, mut positions) = (0, 0, 0);
    for seed in 0..GAMES {
        let made = random_game(1_000_000 + seed, 400);
        if made.game.players().len() < 3 {
            continue;
        }
        let opponent = [Opponent::Own, Opponent::Difference][(seed % 2) as usize];
        let truth = Truth::of(&made.positions, opponent);
        let found = solve(Rules::of(made.game.clone()), &options(opponent));
        let (values, solved) = match (truth, found) {
            (Truth::Solved(values), Ok(solved)) => (values, solved),
            (Truth::Solved(_), Err(error)) => panic!("seed {seed}: {error}"),
            (_, Ok(_)) => panic!("seed {seed}: there is no value"),
            (_, Err(_)) => {
                refused += 1;
                continue;
            }
        };
        solved_games += 1;
        assert_eq!(solved.store().manifest().header.opponent, opponent);
        let checked = solved.verify().unwrap();
        assert!(checked.is_proof(), "seed {seed}: {checked:?}");
        let counts = stats::stats(solved.store());
        assert!(counts.values.iter().all(|column| column.rewards.len() == made.game.players().len()));
        assert_eq!(counts.total.positions, made.positions.len() as u64, "seed {seed}");
        for (position, value) in made.positions.iter().zip(&values) {
            let answer = solved.answer(&position.state).unwrap();
            let text = || format!("seed {seed}: {}", made.game.print(&position.state));
            assert_eq!(answer.rewards.as_deref(), Some(&*value.rewards), "{}", text());
            let plies = match value.remoteness {
                Remoteness::Plies(plies) => plies,
                other => panic!("{other:?}: {}", text()),
            };
            assert_eq!(answer.remoteness, Some(plies), "{}", text());
            let mover = position.turn.filter(|_| position.ended.is_none());
            if let Some(mover) = mover {
                let word = value.outcome(mover, true).map(|outcome| outcome.word());
                assert_eq!(answer.position_value, word, "{}", text());
                // The best move comes first, and is worth what the position is.
                assert_eq!(answer.moves[0].rewards, answer.rewards, "{}", text());
            }
            positions += 1;
        }
    }
    eprintln!("{solved_games} games with {positions} positions, {refused} without a value");
    assert!(solved_games > 20 && refused > 5 && positions > 1_000);
}

/// Who has nothing to gain decides among the others by the rule, not by the order of moves.
#[test]
fn three_players_of_a_file() {
    let rules = || {
        let text = |moves: &str| {
            format!(
                "(role a) (role b) (role c) (init (at start))
                 (<= (legal a ?x) (true (at start)) (choice ?x ?r ?s ?t))
                 (legal b noop) (legal c noop) (<= (legal a noop) (not (true (at start))))
                 (<= (next (at ?x)) (does a ?x)) (<= terminal (true (at ?x)) (choice ?x ?r ?s ?t))
                 (<= (goal a ?r) (true (at ?x)) (choice ?x ?r ?s ?t))
                 (<= (goal b ?s) (true (at ?x)) (choice ?x ?r ?s ?t))
                 (<= (goal c ?t) (true (at ?x)) (choice ?x ?r ?s ?t)) {moves}"
            )
        };
        let choices =
            ["(choice w 50 60 0)", "(choice x 50 40 20)", "(choice y 50 20 40)", "(choice z 40 0 0)"];
        let (there, back) = (choices.join(" "), choices.iter().rev().copied().collect::<Vec<_>>().join(" "));
        [there, back].map(|moves| Catalogue::default().gdl("choices", &text(&moves)).unwrap())
    };
    for rules in rules() {
        let solved = solve(rules, &Options { threads: Some(1), ..Options::default() }).unwrap();
        let answer = solved.answer(solved.start()).unwrap();
        assert_eq!(answer.rewards, Some(vec![50, 20, 40]), "the next player gets less than the one after it");
        assert_eq!(
            solved.report().unwrap().opponent,
            Some("own"),
            "what more than two players want by default"
        );
        assert_eq!(solved.verify().unwrap().faults, 0);
    }
    for rules in rules() {
        let solved = solve(rules, &options(Opponent::Difference)).unwrap();
        assert_eq!(solved.answer(solved.start()).unwrap().rewards, Some(vec![40, 0, 0]));
    }
}
