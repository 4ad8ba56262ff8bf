//! `winset order`: a good variable order, found by sifting or by trying all.

use crate::args::OrderArgs;
use crate::engines::failure;
use crate::failure::Failure;
use crate::memory;
use crate::output::{say, tell};
use crate::report::table::{Table, grouped};
use crate::source;
use std::time::Duration;
use winset_reorder::{Bench, Limits, framed_relation};
use winset_symbolic::{Bcdd, Options, Symbolic};

/// Searches a good order for the relation of a game and prints it as `--order` takes it.
pub fn run(args: &OrderArgs) -> Result<(), Failure> {
    let game = source::game(&args.game)?.rules.game;
    if args.all {
        return all(args);
    }
    let memory = memory::left();
    let options = Options { memory, order: args.order.clone(), ..Options::default() };
    let symbolic = Symbolic::<Bcdd>::from_game(&game, &options).map_err(failure)?;
    let relation = framed_relation(&symbolic).map_err(failure)?;
    let mut bench = Bench::new(&symbolic.space, &[relation])?;
    let limits = Limits { growth: args.growth.into(), time: Duration::from_secs_f64(args.seconds) };
    let sifted = bench.sift(&limits);
    tell!(
        "relation: {} nodes before, {} after{}",
        grouped(sifted.before as u64),
        grouped(sifted.after as u64),
        if sifted.complete { "" } else { " (the time was over before every variable had been moved)" }
    );
    let names: Vec<&str> =
        sifted.order.iter().map(|var| game.variables()[var.index()].name.as_str()).collect();
    say!("{}\n", names.join(","))?;
    Ok(())
}

/// Every order of the squares of a small checkers board.
fn all(args: &OrderArgs) -> Result<(), Failure> {
    let size = args.game.size.as_deref().and_then(|size| size.split('x').next()?.parse().ok());
    let (Some(size @ 3..=4), "checkers") = (size, args.game.game.as_str()) else {
        return Err(Failure::wrong_use("--all is for checkers 3 and 4: larger boards have too many orders"));
    };
    let found = winset_checkers::search_all(size, args.game.threads_or_cores(), 10).map_err(failure)?;
    say!("{} orders tried\n", grouped(found.tried))?;
    let mut table = Table::new(["nodes", "order"]);
    for (nodes, names) in &found.best {
        table.row([grouped(*nodes as u64), names.join(",")]);
    }
    table.row([grouped(found.horizontal as u64), "row by row".to_owned()]);
    table.row([grouped(found.diagonal as u64), "diagonal".to_owned()]);
    say!("{}", table.text())?;
    Ok(())
}
