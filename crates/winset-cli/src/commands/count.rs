//! `winset count`: how many positions can arise.

use crate::args::{DiagramArgs, Engine, GameArgs, LayersArgs, OutputArgs};
use crate::commands::solve::show;
use crate::engines;
use crate::failure::Failure;
use crate::output::{self, say};
use crate::progress::Progress;
use crate::report::table::{Table, grouped};
use crate::source;
use crate::target::{Csv, Outputs};
use clap::Args;
use std::path::PathBuf;
use winset::{DddmpSet, Job, Report};

#[derive(Args, Debug)]
pub struct CountArgs {
    #[command(flatten)]
    pub game: GameArgs,
    /// Instead of searching: count the states of every set in a file that solve --dddmp has written, with the same
    /// encoding, order, turn and kind of diagram
    #[arg(long, value_name = "FILE", conflicts_with_all = ["engine", "blocks", "portable", "plot"])]
    pub dddmp: Option<PathBuf>,
    /// The engine
    #[arg(long, value_enum, default_value_t = Engine::Auto)]
    pub engine: Engine,
    #[command(flatten)]
    pub layers: LayersArgs,
    #[command(flatten)]
    pub diagram: DiagramArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Counts the reachable positions of a game, forward only.
pub fn run(args: &CountArgs) -> Result<(), Failure> {
    let outputs = Outputs::of(&args.output)?;
    let mut progress = Progress::new(args.output.progress);
    progress.step("read", 0, None, "reading the rules");
    let loaded = source::game(&args.game)?;
    if let Some(file) = &args.dddmp {
        let options = engines::options(&args.diagram);
        let sets = winset::read_dddmp(&loaded.rules.game, &options, &engines::job(&args.game), file);
        drop(progress);
        return show_sets(&sets.map_err(Failure::of_engine)?, &outputs);
    }
    let engine = engines::counter(&loaded.rules.game, args)?;
    let job = Job { solve: false, ..engines::job(&args.game) };
    let counted = winset::run(&loaded.rules.game, &*engine, &job, &mut (), &mut progress);
    let counted = Report { seconds: progress.seconds(), ..counted.map_err(Failure::of_engine)? };
    drop(progress);
    show(loaded, counted, None, &outputs)
}

/// The sets of a file: as a table, CSV or JSON.
fn show_sets(sets: &[DddmpSet], outputs: &Outputs) -> Result<(), Failure> {
    if outputs.json {
        return output::json(&serde_json::json!({ "sets": sets }));
    }
    let mut table = Table::new(["set", "states", "nodes"]);
    for set in sets {
        table.row([set.name.clone(), grouped(set.states), grouped(set.nodes)]);
    }
    match &outputs.csv {
        Csv::Output => Ok(say!("{}", table.csv())?),
        Csv::File(file) => {
            say!("{}", table.text())?;
            file.write(table.csv().as_bytes())
        }
        Csv::None => Ok(say!("{}", table.text())?),
    }
}
