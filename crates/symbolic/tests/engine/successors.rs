//! Explicit and symbolic successors agree; image and preimage are adjoint; fused and plain operators agree.

use oxidd::{BooleanOperator, Subst, VarNo};
use proptest::prelude::*;
use std::collections::BTreeSet;
use winset_games::{Baseline, build};
use winset_model::{Explicit, Game, State, VarId};
use winset_symbolic::*;

fn game(name: &str, size: &str) -> Game {
    build(name, Some(size), &Default::default()).unwrap()
}

fn options(encoding: Encoding, partition: Partition) -> Options {
    Options { memory: 64 << 20, encoding, partition, ..Options::default() }
}

fn singletons<F: Diagram>(space: &Space<F>, states: &[State]) -> F {
    space.or_all(states.iter().map(|state| space.singleton(state).unwrap()).collect()).unwrap()
}

/// Walks every reachable state and compares the image of each state, and of each whole layer.
fn compare_all<F: Diagram>(game: &Game, options: &Options) -> usize {
    let symbolic = Symbolic::<F>::from_game(game, options).unwrap();
    let space = &symbolic.space;
    let mut explicit = Explicit::new(game);
    let mut seen: BTreeSet<State> = BTreeSet::from([game.initial().clone()]);
    let mut queue = vec![game.initial().clone()];
    while let Some(state) = queue.pop() {
        let next: BTreeSet<State> = explicit.successors(&state).into_iter().map(|(_, s)| s).collect();
        let image = symbolic.image(&space.singleton(&state).unwrap()).unwrap();
        assert_eq!(space.count(&image), Ok(next.len() as u128), "{}", game.print(&state));
        for successor in next {
            assert!(space.contains(&image, &successor), "{}", game.print(&state));
            if seen.insert(successor.clone()) {
                queue.push(successor);
            }
        }
    }
    let reached = reach(&symbolic, &mut ()).unwrap();
    assert_eq!(space.count(&reached), Ok(seen.len() as u128));
    assert!(seen.iter().all(|state| space.contains(&reached, state)));
    seen.len()
}

#[test]
fn every_reachable_state_of_small_boards() {
    let m2 = Baseline::CanBeMade.into();
    let games = [
        (game("tictactoe", "3x3"), 5478),
        (game("othello", "3x3"), 0),
        (game("othello", "3x4"), 0),
        (game("connect4", "3x3x3"), 0),
        (game("breakthrough", "4x3"), 10_689),
        (build("breakthrough", Some("4x3"), &m2).unwrap(), 3207),
    ];
    for (game, expected) in &games {
        let standard = options(Encoding::Standard, Partition::PerMove);
        let found = compare_all::<Bcdd>(game, &standard);
        assert!(*expected == 0 || found == *expected, "{} {found}", game.name());
        compare_all::<Bdd>(game, &options(Encoding::ShortEmpty, Partition::Clustered));
    }
}

#[test]
fn random_walks_on_larger_boards() {
    for (name, size) in [("breakthrough", "6x6"), ("connect4", "7x6"), ("othello", "4x5")] {
        let game = game(name, size);
        let options = Options { memory: 256 << 20, ..Options::default() };
        let symbolic = Symbolic::<Bcdd>::from_game(&game, &options).unwrap();
        let space = &symbolic.space;
        let mut explicit = Explicit::new(&game);
        let mut choice = 1u64;
        for _ in 0..20 {
            let mut state = game.initial().clone();
            loop {
                let next = explicit.successors(&state);
                let distinct: BTreeSet<&State> = next.iter().map(|(_, s)| s).collect();
                let image = symbolic.image(&space.singleton(&state).unwrap()).unwrap();
                assert_eq!(space.count(&image), Ok(distinct.len() as u128), "{}", game.print(&state));
                assert!(distinct.iter().all(|s| space.contains(&image, s)));
                if next.is_empty() {
                    break;
                }
                choice =
                    choice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                state = next[(choice >> 33) as usize % next.len()].1.clone();
            }
        }
    }
}

/// Image and preimage by the library's public operators: conjoin, quantify, rename.
fn plain<F: Diagram>(symbolic: &Symbolic<F>, set: &F, forward: bool) -> F {
    let space = &symbolic.space;
    let relation = symbolic.monolithic().unwrap();
    let levels: Vec<u32> =
        (0..space.variables() as u32).flat_map(|i| space.place(VarId(i)).levels.clone()).collect();
    let rename = |set: &F, from: u32, to: u32| {
        let vars: Vec<VarNo> = levels.iter().map(|&level| level + from).collect();
        let fresh: Vec<F> = levels.iter().map(|&level| variable(space, level + to)).collect();
        let renaming = Subst::new(vars, fresh);
        set.substitute(&renaming).unwrap()
    };
    let cube = |copy: u32| {
        levels
            .iter()
            .fold(space.all().clone(), |cube, &level| cube.and(&variable(space, level + copy)).unwrap())
    };
    if forward {
        let next = relation.apply_exists(BooleanOperator::And, set, &cube(0)).unwrap();
        rename(&next, 1, 0)
    } else {
        relation.apply_exists(BooleanOperator::And, &rename(set, 0, 1), &cube(1)).unwrap()
    }
}

fn variable<F: Diagram>(space: &Space<F>, level: u32) -> F {
    use oxidd::ManagerRef;
    space.manager().with_manager_shared(|manager| F::var(manager, level).unwrap())
}

fn random_states(game: &Game, seeds: &[u64]) -> Vec<State> {
    let state = |&seed: &u64| {
        let mut n = seed;
        let values = game.variables().iter().map(|v| {
            n = n.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((n >> 33) % v.size() as u64) as u16
        });
        State(values.collect())
    };
    seeds.iter().map(state).collect()
}

fn adjoint<F: Diagram>(game: &Game, options: &Options, a: &[u64], b: &[u64]) {
    let symbolic = Symbolic::<F>::from_game(game, options).unwrap();
    let space = &symbolic.space;
    let mut explicit = Explicit::new(game);
    let starts = random_states(game, a);
    let mut ends = random_states(game, b);
    // Without some of the successors the two sets would hardly ever meet.
    for (i, state) in starts.iter().enumerate() {
        ends.extend(explicit.successors(state).into_iter().skip(i % 3).step_by(2).map(|(_, s)| s));
    }
    let (a, b) = (singletons(space, &starts), singletons(space, &ends));
    let forward = space.and(&symbolic.image(&a).unwrap(), &b).unwrap();
    let backward = space.and(&a, &symbolic.preimage(&b).unwrap()).unwrap();
    assert_eq!(forward == *space.none(), backward == *space.none());
    // A state is in the preimage exactly if its image meets the set; and so for all and for "all and some".
    let (some, all) = (symbolic.preimage(&b).unwrap(), symbolic.forall_preimage(&b).unwrap());
    let both = symbolic.forall_exists_preimage(&b).unwrap();
    for state in &starts {
        let next = explicit.successors(state);
        let hits = next.iter().filter(|(_, s)| space.contains(&b, s)).count();
        assert_eq!(space.contains(&some, state), hits > 0);
        assert_eq!(space.contains(&all, state), hits == next.len());
        assert_eq!(space.contains(&both, state), hits > 0 && hits == next.len());
        assert_eq!(space.contains(&symbolic.deadlocks().unwrap(), state), next.is_empty());
    }
    assert!(symbolic.image(&a).unwrap() == plain(&symbolic, &a, true));
    assert!(symbolic.preimage(&b).unwrap() == plain(&symbolic, &b, false));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn image_and_preimage_are_adjoint(
        a in prop::collection::vec(any::<u64>(), 1..20),
        b in prop::collection::vec(any::<u64>(), 0..20),
    ) {
        for (name, size) in [("othello", "3x3"), ("breakthrough", "4x3"), ("connect4", "3x3x3")] {
            let game = game(name, size);
            adjoint::<Bcdd>(&game, &options(Encoding::ShortEmpty, Partition::Clustered), &a, &b);
            adjoint::<Bdd>(&game, &options(Encoding::Standard, Partition::PerMove), &a, &b);
            adjoint::<Bcdd>(&game, &options(Encoding::Standard, Partition::Monolithic), &a, &b);
        }
    }
}
