//! Orders found are orders in which a new compilation has the size promised.

use std::time::Duration;
use winset_games::build;
use winset_model::VarId;
use winset_reorder::{
    Bench, Cost, Limits, Subject, all_orders, compile_within, framed_relation, search_order,
};
use winset_symbolic::{Bdd, Diagram, Encoding, Options, Order, Symbolic, reach};

fn options(order: Order) -> Options {
    Options { order, encoding: Encoding::Standard, memory: 128 << 20, ..Options::default() }
}

fn names(game: &winset_model::Game, order: &[VarId]) -> Order {
    Order::List(order.iter().map(|var| game.variables()[var.index()].name.clone()).collect())
}

fn inner_nodes(relation: &Bdd) -> usize {
    relation.flatten().nodes.len() - 2
}

#[test]
fn sifting_keeps_its_promise() {
    for (name, size) in [("checkers", "4"), ("breakthrough", "4x3"), ("tictactoe", "3x3")] {
        let game = build(name, Some(size), &Default::default()).unwrap();
        let symbolic = Symbolic::<Bdd>::from_game(&game, &options(Order::Columns)).unwrap();
        let relation = framed_relation(&symbolic).unwrap();
        let mut bench = Bench::new(&symbolic.space, std::slice::from_ref(&relation)).unwrap();
        assert_eq!(bench.size(), inner_nodes(&relation), "{name}");
        let sifted = bench.sift(&Limits { growth: 150, time: Duration::from_secs(20) });
        assert!(sifted.after <= sifted.before && sifted.complete);
        assert_eq!(bench.size(), sifted.after);
        let again = Symbolic::<Bdd>::from_game(&game, &options(names(&game, &sifted.order))).unwrap();
        assert_eq!(inner_nodes(&framed_relation(&again).unwrap()), sifted.after, "{name}");
    }
}

#[test]
fn every_order_of_five_cells_on_two_threads() {
    let game = build("checkers", Some("3"), &Default::default()).unwrap();
    let symbolic = Symbolic::<Bdd>::from_game(&game, &options(Order::Rows)).unwrap();
    let relation = framed_relation(&symbolic).unwrap();
    let bench = || Bench::new(&symbolic.space, std::slice::from_ref(&relation)).unwrap();
    let mut benches = [bench(), bench()];
    let (best, tried) = all_orders(&mut benches, &[1, 2, 3, 4, 5], Cost::Together, 3);
    assert_eq!((tried, best.len()), (120, 3));
    // One diagram alone is the largest.
    let (largest, _) = all_orders(&mut benches, &[1, 2, 3, 4, 5], Cost::Largest, 3);
    assert_eq!(largest[0].size, best[0].size + 2, "the two leaves count in a diagram of its own");
    let mut sifter = bench();
    let sifted = sifter.sift(&Limits::default());
    assert!(best[0].size <= sifted.after);
    let order: Vec<VarId> = best[0].order.iter().map(|&group| symbolic.space.order()[group]).collect();
    let again = Symbolic::<Bdd>::from_game(&game, &options(names(&game, &order))).unwrap();
    assert_eq!(inner_nodes(&framed_relation(&again).unwrap()), best[0].size);
}

#[test]
fn a_relation_beyond_its_budget_gets_a_better_order() {
    let game = build("breakthrough", Some("4x3"), &Default::default()).unwrap();
    let bad =
        Options { order: "a1,c4,b2,a4,c1,b3,a2,c3,b1,b4,a3,c2".parse().unwrap(), ..options(Order::Rows) };
    let limits = Limits { growth: 200, time: Duration::from_secs(20) };
    let proposal = search_order::<Bdd>(&game, &bad, Subject::Relation, &limits).unwrap();
    assert!(proposal.after < proposal.before && proposal.names.len() == game.variables().len());
    let as_given = Symbolic::<Bdd>::from_game(&game, &bad).unwrap().relation_nodes();
    let (kept, same) = compile_within::<Bdd>(&game, &bad, as_given, &limits).unwrap();
    assert_eq!((kept.relation_nodes(), same.order), (as_given, bad.order.clone()));
    let (better, _) = compile_within::<Bdd>(&game, &bad, as_given - 1, &limits).unwrap();
    assert!(better.relation_nodes() <= as_given);
}

/// A new compilation in the order found has the nodes promised, whatever was sifted; and sifting what is reached does not
/// end with more nodes of it than sifting the relation, where it begins with the order found for that.
#[test]
fn reached_sets_are_sifted_too() {
    for (name, size) in [("checkers", "4"), ("breakthrough", "4x3"), ("connect4", "4x3x3")] {
        let game = build(name, Some(size), &Default::default()).unwrap();
        let limits = Limits { growth: 150, time: Duration::from_secs(20) };
        let nodes = |order: Order, subject: Subject| -> usize {
            let symbolic = Symbolic::<Bdd>::from_game(&game, &options(order)).unwrap();
            let functions = subject.functions(&symbolic).unwrap();
            Bench::new(&symbolic.space, &functions).unwrap().size()
        };
        let mut order = Order::Columns;
        for subject in [Subject::Relation, Subject::Reached, Subject::Both] {
            let found = search_order::<Bdd>(&game, &options(order.clone()), subject, &limits).unwrap();
            assert_eq!(nodes(order, subject), found.before, "{name} {subject:?}");
            order = Order::List(found.names);
            assert_eq!(nodes(order.clone(), subject), found.after, "{name} {subject:?}");
            assert!(found.after <= found.before && found.complete);
        }
        let symbolic = Symbolic::<Bdd>::from_game(&game, &options(order)).unwrap();
        let both = Subject::Both.functions(&symbolic).unwrap();
        assert!(both.len() == 2 && both[1] == reach(&symbolic, &mut ()).unwrap());
    }
}
