//! Ground rules that are played as they stand against the slow interpreter, along random plays: where roles move at the
//! same time too, which no compiled game can.

use crate::slow::Interpreter;
use std::collections::BTreeSet;

/// Plays at random with both, and compares all that can be said of each state. How many states there were.
fn compare(source: &str, plays: usize) -> usize {
    let simulation =
        winset_gdl::simulate(source.as_bytes(), &Default::default()).expect("the rules can be played");
    let interpreter = Interpreter::new(source.as_bytes(), None).expect("nobody hurries it");
    let roles: Vec<String> = interpreter.roles.iter().map(ToString::to_string).collect();
    assert_eq!(simulation.roles(), roles);
    let mut seed = 0x2545_f491_4f6c_dd1du64;
    let mut states = 0;
    for _ in 0..plays {
        let mut lanes = simulation.lanes();
        let mut state = interpreter.start();
        // The play goes on in the last of three lanes; the others do something else.
        lanes.load(&[&simulation.start(), &simulation.start(), &simulation.start()]);
        for _ in 0..100 {
            states += 1;
            let facts = lanes.state(2);
            let found: BTreeSet<String> = simulation.facts(&facts).map(str::to_owned).collect();
            assert_eq!(found, state.iter().map(ToString::to_string).collect());
            let view = interpreter.view(&state).expect("nobody hurries it");
            assert_eq!(lanes.ended() >> 2 & 1 == 1, view.terminal);
            if view.terminal {
                let goals = view.goals.iter().map(|goals| {
                    goals.iter().filter_map(|goal| goal.to_string().parse::<u8>().ok()).max().unwrap_or(0)
                });
                assert_eq!(lanes.goals(2), goals.collect::<Vec<_>>());
                break;
            }
            let mut joint = vec![];
            let mut moves = vec![];
            for (role, legal) in view.legal.iter().enumerate() {
                let texts: BTreeSet<String> =
                    lanes.choices(2, role).iter().map(|action| simulation.text(*action).to_owned()).collect();
                assert_eq!(texts, legal.iter().map(ToString::to_string).collect());
                seed ^= seed << 13;
                seed ^= seed >> 7;
                seed ^= seed << 17;
                let chosen = legal.iter().nth((seed % legal.len() as u64) as usize).expect("a legal move");
                joint.push(simulation.action(role, &chosen.to_string()).expect("it can be done"));
                moves.push(chosen.clone());
            }
            state = interpreter.next(&state, &moves).expect("nobody hurries it");
            let other: Vec<usize> =
                (0..roles.len()).filter_map(|role| lanes.choices(0, role).pop()).collect();
            let idle = if other.len() == roles.len() { other } else { joint.clone() };
            lanes.advance(&[idle.clone(), idle, joint]);
        }
    }
    states
}

#[test]
fn simulations_play_as_the_rules_say() {
    for name in ["tic-tac-toe", "connect-four-4x4", "clobber-2x3", "nim"] {
        assert!(compare(&winset_gdl::game(name).expect("the game exists"), 3) >= 6, "{name}");
    }
    // Two or three roles at once, recursion, negation.
    for file in ["pennies", "three-at-once", "pursuit", "switching", "jugs"] {
        let path = format!("{}/tests/corpus/{file}.kif", env!("CARGO_MANIFEST_DIR"));
        assert!(compare(&std::fs::read_to_string(path).expect("a file"), 20) >= 20, "{file}");
    }
}
