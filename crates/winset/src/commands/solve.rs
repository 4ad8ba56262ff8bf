//! `winset solve`: who wins every position that can arise.

use crate::args::{Algorithm, Engine, OutputArgs, SolveArgs};
use crate::engines::{bdd, layers};
use crate::failure::Failure;
use crate::memory;
use crate::output::say;
use crate::progress::Progress;
use crate::report::plot;
use crate::report::solution::Solution;
use crate::source;
use crate::stored;
use anyhow::Context;
use winset_model::Game;

/// Solves a game and shows the result.
pub fn run(args: &SolveArgs) -> Result<(), Failure> {
    let (game, text) = source::game_with_text(&args.game)?;
    let engine = choose(args)?;
    let progress = Progress::new(args.output.progress);
    let mut solution = match engine {
        Engine::Layers => layers::solve(&game, stored::record(&game, &args.game, text), args, &progress)?,
        _ => bdd::solve(&game, args, &progress)?,
    };
    solution.seconds = progress.seconds();
    drop(progress);
    show(&game, solution, &args.output)
}

/// The engine for the job: flags that only one engine has decide for it.
fn choose(args: &SolveArgs) -> Result<Engine, Failure> {
    let diagrams = args.algorithm != Algorithm::Auto || args.diagram.is_special() || args.dddmp.is_some();
    let layers = args.out.is_some() || args.distance;
    match args.engine {
        Engine::Layers | Engine::Auto if diagrams && layers => Err(Failure::wrong_use(
            "--out and --distance are the layer engine's; --dddmp, an algorithm, encoding, order, turn, relation \
             or kind of diagram is the BDD engine's: leave out one or the other",
        )),
        Engine::Layers if diagrams => Err(Failure::wrong_use(
            "--dddmp, an algorithm, encoding, order, turn, relation or kind of diagram is for --engine bdd",
        )),
        Engine::Bdd if layers => Err(Failure::wrong_use("--out and --distance are for --engine layers")),
        Engine::Auto if diagrams => Ok(Engine::Bdd),
        Engine::Auto => Ok(Engine::Layers),
        chosen => Ok(chosen),
    }
}

/// Prints a solution and writes the files that were asked for.
pub fn show(game: &Game, mut solution: Solution, output: &OutputArgs) -> Result<(), Failure> {
    solution.peak_memory_bytes = memory::peak();
    if let Some(path) = &output.csv {
        let csv = solution.table().csv();
        std::fs::write(path, csv).with_context(|| format!("cannot write {}", path.display()))?;
    }
    if let Some(path) = &output.plot {
        let title = format!("{} {}", solution.game, solution.size);
        let x = if solution.layers.is_empty() { "iteration" } else { "layer" };
        plot::write_svg(path, title.trim_end(), x, "states or nodes", &solution.series())?;
    }
    if output.json {
        say!("{}\n", serde_json::to_string(&solution)?)?;
    } else {
        say!("{}", solution.text(&game.players))?;
    }
    Ok(())
}
