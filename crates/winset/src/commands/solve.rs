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
    if args.out.is_some() && choose(args) != Engine::Layers {
        return Err(Failure::wrong_use("--out needs the layer engine"));
    }
    let progress = Progress::new(args.output.progress);
    let mut solution = match choose(args) {
        Engine::Layers => layers::solve(&game, stored::record(&game, &args.game, text), args, &progress)?,
        _ => bdd::solve(&game, args, &progress)?,
    };
    solution.seconds = progress.seconds();
    drop(progress);
    show(&game, solution, &args.output)
}

/// The engine for the job: flags that only the BDD engine has decide for it.
fn choose(args: &SolveArgs) -> Engine {
    match args.engine {
        Engine::Auto if args.algorithm != Algorithm::Auto => Engine::Bdd,
        Engine::Auto => Engine::Layers,
        chosen => chosen,
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
