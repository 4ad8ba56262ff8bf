//! Solves a game by the two formulas of its players and prints counts and times.
use std::time::Instant;
use winset_formula::parse;
use winset_mu::{Checker, Universe};
use winset_symbolic::{Bcdd, Options, Order, Partition, Symbolic};

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let game = winset_games::build(&args[1], Some(&args[2]), &Default::default()).unwrap();
    let order: Order = args[3].parse().unwrap();
    let partition = match args[4].as_str() {
        "mono" => Partition::Monolithic,
        "move" => Partition::PerMove,
        _ => Partition::Clustered,
    };
    let options = Options { memory: 8 << 30, order, partition, ..Options::default() };
    let mut system = game.system();
    let start = Instant::now();
    let symbolic = Symbolic::<Bcdd>::from_game(&game, &options).unwrap();
    println!("compiled {:?} relation {}", start.elapsed(), symbolic.relation_nodes());
    let cores: Vec<_> = (0..2)
        .map(|p| {
            let (me, you) = (&game.players[p], &game.players[1 - p]);
            parse(&format!("mu X. turn:{me} & EX X | turn:{you} & AX X"), &mut system)
                .unwrap()
                .core(&mut system.exprs)
                .unwrap()
        })
        .collect();
    let limit = winset_model::ExprId(0);
    let universe = match args[5].as_str() {
        "all" => Universe::All,
        "reach" => Universe::Reachable,
        _ => Universe::Within(limit),
    };
    let mut checker = Checker::new(&symbolic, &system.exprs, universe).unwrap();
    println!(
        "universe {} nodes {} {:?}",
        symbolic.space.count(&checker.universe).unwrap(),
        oxidd_nodes(&checker.universe),
        start.elapsed()
    );
    for core in &cores {
        let set = checker.evaluate(core).unwrap();
        println!("{} states, {:?}, {:?}", symbolic.space.count(&set).unwrap(), checker.work, start.elapsed());
    }
}
fn oxidd_nodes(f: &Bcdd) -> usize {
    use oxidd::Function;
    f.node_count()
}
