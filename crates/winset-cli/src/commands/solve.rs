//! `winset solve`: who wins every position that can arise.

use crate::args::{Algorithm, Engine, OutputArgs, SolveArgs};
use crate::engines::{bdd, by_turns, layers};
use crate::failure::Failure;
use crate::memory;
use crate::output::{self, say};
use crate::progress::Progress;
use crate::report::plot;
use crate::report::solution::Solution;
use crate::source::{self, Loaded};
use crate::stored;
use anyhow::Context;

/// Solves a game and shows the result.
pub fn run(args: &SolveArgs) -> Result<(), Failure> {
    let (engine, reason) = choose(args)?;
    let progress = Progress::new(args.output.progress);
    progress.step("read", 0, None, "reading the rules");
    let loaded = source::game(&args.game)?;
    let game = &loaded.game;
    let mut solution = match engine {
        Engine::Auto => by_turns::solve(game, stored::record(&loaded), args, &progress)?,
        Engine::Bdd => Solution { reason, ..bdd::solve(game, args, &progress, None)? },
        Engine::Layers => {
            Solution { reason, ..layers::solve(game, stored::record(&loaded), args, &progress, None)? }
        }
    };
    solution.seconds = progress.seconds();
    drop(progress);
    show(loaded, solution, &args.output)
}

/// A flag that only the layer engine has.
fn needs_layers(args: &SolveArgs) -> bool {
    args.out.is_some() || args.distance || args.layers.is_special()
}

/// The engine for the job, and why if it was not asked for: flags that only one engine has decide for it. Without
/// such flags both work by turns.
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
        asked => chosen(asked, ""),
    }
}

/// Prints a solution and writes the files that were asked for.
pub fn show(loaded: Loaded, mut solution: Solution, output: &OutputArgs) -> Result<(), Failure> {
    solution.warnings = loaded.warnings;
    solution.peak_memory_bytes = memory::peak();
    if let Some(path) = &output.csv {
        let csv = solution.table().csv();
        std::fs::write(path, csv).with_context(|| format!("cannot write {}", path.display()))?;
    }
    if let Some(path) = &output.plot {
        let x = if solution.layers.is_empty() { "iteration" } else { "layer" };
        plot::write_svg(path, &solution.title, x, "states or nodes", &solution.series())?;
    }
    if output.json {
        output::json(&solution)?;
    } else {
        say!("{}", solution.text(loaded.game.players()))?;
    }
    Ok(())
}
