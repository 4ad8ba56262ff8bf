//! `winset order`: a good variable order, found by sifting or by trying all.

use crate::args::GameArgs;
use crate::engines::failure;
use crate::failure::Failure;
use crate::memory;
use crate::output::{self, say, tell};
use crate::report::table::{Table, grouped};
use crate::source;
use clap::Args;
use serde::Serialize;
use std::time::Duration;
use winset_reorder::{Limits, Subject, search_order};
use winset_symbolic::{Bcdd, Options};

#[derive(Args, Debug)]
pub struct OrderArgs {
    #[command(flatten)]
    pub game: GameArgs,
    /// What is to become small: the transition relation, the set of the states that can be reached, or both
    #[arg(long, value_enum, default_value_t = Sifted::Relation, conflicts_with = "all")]
    pub on: Sifted,
    /// The order to begin with, as for solve
    #[arg(long, default_value = "auto")]
    pub order: winset_symbolic::Order,
    /// How long to sift, in seconds
    #[arg(long, default_value_t = 30.0, value_parser = positive)]
    pub seconds: f64,
    /// How far the diagram may grow on the way, in percent
    #[arg(long, default_value_t = 150, value_parser = clap::value_parser!(u16).range(100..))]
    pub growth: u16,
    /// Try every order (checkers 3 and 4); ranked by the peak of black's fixed point, its largest intermediate result
    #[arg(long)]
    pub all: bool,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// What `order` makes small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Sifted {
    Relation,
    Reached,
    Both,
}

/// A number of seconds that makes sense.
fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds < 1e7 => Ok(seconds),
        _ => Err("a positive number of seconds is needed".to_owned()),
    }
}

/// An order that was found.
#[derive(Serialize)]
struct Found<'a> {
    order: &'a [String],
    nodes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    complete: Option<bool>,
}

/// Searches a good order for the relation or the reached states of a game and prints it as `--order` takes it.
pub fn run(args: &OrderArgs) -> Result<(), Failure> {
    let game = source::game(&args.game)?.rules.game;
    if args.all {
        return all(args);
    }
    let memory = memory::left();
    let options = Options { memory, order: args.order.clone(), ..Options::default() };
    let limits = Limits { growth: args.growth.into(), time: Duration::from_secs_f64(args.seconds) };
    let (subject, name) = match args.on {
        Sifted::Relation => (Subject::Relation, "relation"),
        Sifted::Reached => (Subject::Reached, "reached states"),
        Sifted::Both => (Subject::Both, "relation and reached states"),
    };
    let found = search_order::<Bcdd>(&game, &options, subject, &limits).map_err(failure)?;
    if args.json {
        let (before, complete) = (Some(found.before), Some(found.complete));
        return output::json(&Found { order: &found.names, nodes: found.after, before, complete });
    }
    tell!(
        "{name}: {} nodes before, {} after{}",
        grouped(found.before as u64),
        grouped(found.after as u64),
        if found.complete { "" } else { " (the time was over before every variable had been moved)" }
    );
    say!("{}\n", found.names.join(","))?;
    Ok(())
}

/// Every order of the squares of a small checkers board.
fn all(args: &OrderArgs) -> Result<(), Failure> {
    let size = args.game.size.as_deref().and_then(|size| size.split('x').next()?.parse().ok());
    let (Some(size @ 3..=4), "checkers") = (size, args.game.game.as_str()) else {
        return Err(Failure::wrong_use("--all is for checkers 3 and 4: larger boards have too many orders"));
    };
    let found =
        winset_papers::checkers::search_all(size, args.game.threads_or_cores(), 10).map_err(failure)?;
    if args.json {
        let best = found.best.iter();
        let best: Vec<Found<'_>> =
            best.map(|(nodes, order)| Found { order, nodes: *nodes, before: None, complete: None }).collect();
        let (rows, diagonal) = (found.horizontal, found.diagonal);
        return output::json(&serde_json::json!({
            "tried": found.tried, "best": best, "rows": rows, "diagonal": diagonal
        }));
    }
    say!("{} orders tried\n", grouped(found.tried))?;
    let mut table = Table::new(["peak", "order"]);
    for (nodes, names) in &found.best {
        table.row([grouped(*nodes as u64), names.join(",")]);
    }
    table.row([grouped(found.horizontal as u64), "row by row".to_owned()]);
    table.row([grouped(found.diagonal as u64), "diagonal".to_owned()]);
    say!("{}", table.text())?;
    Ok(())
}
