//! Rank and unrank: the hybrid paper's worked examples, and as inverse of each other on layers of games.

use winset_model::Explicit;
use winset_symbolic::*;

/// The diagram of the hybrid paper's Figure 3 as far as its two examples determine it: satcounts and levels are
/// those of the text; below v11, of which only the satcount (14) is given, any diagram does.
fn figure_3() -> Ranked {
    let node = |level, zero, one| FlatNode { level, zero, one };
    let nodes = vec![
        node(u32::MAX, 0, 0),
        node(u32::MAX, 1, 1),
        node(5, 0, 1), // v2: satcount 1
        node(4, 0, 2), // v4: satcount 1
        node(4, 0, 1), // v5: satcount 2
        node(3, 4, 0), // satcount 2
        node(3, 3, 1), // v8: satcount 5
        node(3, 4, 3), // v9: satcount 3
        node(1, 6, 5), // v11: satcount 14
        node(1, 6, 7), // v12: satcount 16
        node(0, 8, 9), // v13: satcount 30
    ];
    Ranked::new(Flat { nodes, root: 10 }, (0..6).collect()).unwrap()
}

fn word(text: &str) -> Vec<bool> {
    text.chars().map(|c| c == '1').collect()
}

#[test]
fn the_papers_two_examples() {
    let ranked = figure_3();
    assert_eq!(ranked.len(), 30);
    assert_eq!(ranked.rank(&word("110011")), Some(25));
    assert_eq!(ranked.unrank(19), Some(word("101011")));
}

#[test]
fn rank_and_unrank_are_inverse() {
    let ranked = figure_3();
    let mut last = None;
    for i in 0..ranked.len() {
        let member = ranked.unrank(i).unwrap();
        assert_eq!(ranked.rank(&member), Some(i));
        assert!(last < Some(member.clone()), "lexicographic order");
        last = Some(member);
    }
    assert_eq!(ranked.unrank(30), None);
    let members = (0..64u32).filter(|n| {
        let member: Vec<bool> = (0..6).rev().map(|bit| n >> bit & 1 == 1).collect();
        ranked.rank(&member).is_some()
    });
    assert_eq!(members.count(), 30);
}

#[test]
fn layers_of_games_are_numbered_without_gaps() {
    for encoding in [Encoding::Standard, Encoding::ShortEmpty] {
        let game = winset_games::build("othello", Some("3x4"), &Default::default()).unwrap();
        let options = Options { memory: 64 << 20, encoding, ..Options::default() };
        let symbolic = Symbolic::<Bcdd>::from_game(&game, &options).unwrap();
        let places = Places::new(&symbolic.space);
        for layer in layers(&symbolic, 0, &mut ()).unwrap() {
            let ranked = symbolic.space.ranked(&layer.states).unwrap();
            assert_eq!(u128::from(ranked.len()), symbolic.space.count(&layer.states).unwrap());
            let mut next = 0;
            ranked.for_each(|i, member| {
                assert_eq!(i, next);
                next += 1;
                let state = places.state(member);
                assert!(symbolic.space.contains(&layer.states, &state));
                assert_eq!(places.word(&state), member);
                assert_eq!(ranked.rank(member), Some(i));
                assert_eq!(ranked.unrank(i).as_deref(), Some(member));
            });
            assert_eq!(next, ranked.len());
        }
    }
}

#[test]
fn two_bits_agree_with_the_layered_solver() {
    let game = winset_games::build("connect4", Some("4x4"), &Default::default()).unwrap();
    let options = Options { memory: 64 << 20, ..Options::default() };
    let solution = solve(&game, &options, SolveOptions::default(), &mut ()).unwrap();
    let compiled = SymbolicGame::<Bcdd>::new(&game, &options).unwrap();
    let layers = layers(&compiled.symbolic, 0, &mut ()).unwrap();
    for goal in [GoalTest::Direct, GoalTest::Diagram, GoalTest::NoSuccessors] {
        for threads in [1, 2] {
            let solved = two_bit(&compiled, &layers, goal, threads).unwrap();
            for (ours, theirs) in solved.iter().zip(&solution.layers) {
                let [first, second, drawn] = theirs.by_winner().map(|n| n as u64);
                assert_eq!(ours.counts, [first, drawn, second], "{goal:?} {}", ours.index);
            }
            assert_eq!(solved.len(), solution.layers.len());
        }
    }
    assert!(Explicit::new(&game).at(game.initial()).rewards().is_none());
}
