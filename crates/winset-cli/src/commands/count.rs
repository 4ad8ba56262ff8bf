//! `winset count`: how many positions can arise.

use crate::args::{CountArgs, Engine};
use crate::commands::solve::show;
use crate::engines::{bdd, layers};
use crate::failure::Failure;
use crate::progress::Progress;
use crate::source;
use crate::target::Outputs;

/// Counts the reachable positions of a game, forward only.
pub fn run(args: &CountArgs) -> Result<(), Failure> {
    let outputs = Outputs::of(&args.output)?;
    let loaded = source::game(&args.game)?;
    let game = &loaded.game;
    let progress = Progress::new(args.output.progress);
    let diagrams = args.diagram.is_special();
    if diagrams && args.engine == Engine::Layers {
        return Err(Failure::wrong_use(
            "an encoding, order, turn, relation or kind of diagram is for --engine bdd",
        ));
    }
    if args.layers.is_special() && (diagrams || args.engine == Engine::Bdd) {
        return Err(Failure::wrong_use("--blocks and --portable are for --engine layers"));
    }
    let mut counted = match args.engine {
        Engine::Auto if diagrams => bdd::count(game, args, &progress)?,
        Engine::Bdd => bdd::count(game, args, &progress)?,
        Engine::Auto | Engine::Layers => layers::count(game, args, &progress)?,
    };
    counted.seconds = progress.seconds();
    drop(progress);
    show(loaded, counted, &outputs)
}
