//! `winset solve`: who wins every position that can arise.

use crate::args::{Algorithm, Engine, SolveArgs};
use crate::engines::{bdd, layers};
use crate::failure::Failure;
use crate::memory;
use crate::output::say;
use crate::progress::Progress;
use crate::report::plot;
use crate::report::solution::Solution;
use crate::source::{self, Loaded};
use crate::stored;
use crate::target::{self, Csv, Outputs};
use winset_layers::LayersError;

/// Solves a game and shows the result.
pub fn run(args: &SolveArgs) -> Result<(), Failure> {
    let (engine, mut reason) = choose(args)?;
    let outputs = Outputs::of(&args.output)?;
    for directory in [&args.out, &args.dddmp].into_iter().flatten() {
        target::directory(directory)?;
    }
    let loaded = source::game(&args.game)?;
    let game = &loaded.game;
    let progress = Progress::new(args.output.progress);
    let may_yield = args.engine == Engine::Auto && !needs_layers(args);
    let by_layers = || layers::solve(game, stored::record(&loaded), args, &progress, may_yield);
    let solved = if engine == Engine::Layers { by_layers() } else { bdd::solve(game, args, &progress) };
    let unfit = match &solved {
        Err(Failure::Cannot(error)) if may_yield => unfit(error),
        _ => None,
    };
    let mut solution = match unfit {
        Some(why) => {
            reason = why;
            bdd::solve(game, args, &progress)?
        }
        None => solved?,
    };
    solution.reason = reason;
    solution.seconds = progress.seconds();
    drop(progress);
    show(loaded, solution, &outputs)
}

/// Why the BDD engine may do what the layer engine could not: the game's blocks or conditions do not fit, or
/// its positions are too many to look at each.
fn unfit(error: &anyhow::Error) -> Option<String> {
    match error.downcast_ref()? {
        error @ (LayersError::BlockTooLarge { .. }
        | LayersError::ConditionTooLarge
        | LayersError::TooManyEdges) => Some(format!("bdd, because the layer engine says: {error}")),
        LayersError::Sink(error) => {
            error.downcast_ref::<layers::Regular>().map(|regular| format!("bdd, because {regular}"))
        }
        _ => None,
    }
}

/// A flag that only the layer engine has.
fn needs_layers(args: &SolveArgs) -> bool {
    args.out.is_some() || args.distance || args.layers.is_special()
}

/// The engine for the job, and why if it was not asked for: flags that only one engine has decide for it.
fn choose(args: &SolveArgs) -> Result<(Engine, String), Failure> {
    let diagrams = args.algorithm != Algorithm::Auto || args.diagram.is_special() || args.dddmp.is_some();
    let layers = needs_layers(args);
    let chosen = |engine, reason: &str| Ok((engine, reason.to_owned()));
    match args.engine {
        Engine::Layers | Engine::Auto if diagrams && layers => Err(Failure::wrong_use(
            "--out, --distance, --blocks and --portable are the layer engine's; --dddmp, an algorithm, encoding, order, turn, \
             relation or kind of diagram is the BDD engine's: leave out one or the other",
        )),
        Engine::Layers if diagrams => Err(Failure::wrong_use(
            "--dddmp, an algorithm, encoding, order, turn, relation or kind of diagram is for --engine bdd",
        )),
        Engine::Bdd if layers => {
            Err(Failure::wrong_use("--out, --distance, --blocks and --portable are for --engine layers"))
        }
        Engine::Auto if diagrams => chosen(Engine::Bdd, "bdd, because of a flag that only it has"),
        Engine::Auto if layers => chosen(Engine::Layers, "layers, because of a flag that only it has"),
        Engine::Auto => {
            chosen(Engine::Layers, "layers, because it looks at every position once, 64 at a time")
        }
        asked => chosen(asked, ""),
    }
}

/// Prints a solution, then writes the files that were asked for: if that fails, the result is not lost.
pub fn show(loaded: Loaded, mut solution: Solution, outputs: &Outputs) -> Result<(), Failure> {
    solution.warnings = loaded.warnings;
    solution.peak_memory_bytes = memory::peak();
    match &outputs.csv {
        Csv::Output => say!("{}", solution.table().csv())?,
        _ if outputs.json => say!("{}\n", serde_json::to_string(&solution)?)?,
        _ => say!("{}", solution.text(loaded.game.players()))?,
    }
    if let Csv::File(file) = &outputs.csv {
        file.write(solution.table().csv().as_bytes())?;
    }
    if let Some(file) = &outputs.plot {
        let x = if solution.layers.is_empty() { "iteration" } else { "layer" };
        let svg = plot::lines(&solution.title, x, "states or nodes", &solution.series())?;
        file.write(svg.as_bytes())?;
    }
    Ok(())
}
