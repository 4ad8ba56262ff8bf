//! `winset count`: how many positions can arise.

use crate::args::CountArgs;
use crate::commands::solve::show;
use crate::engines::layers;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::source;

/// Counts the reachable positions of a game, forward only.
pub fn run(args: &CountArgs) -> Result<(), Failure> {
    let game = source::game(&args.game)?;
    let progress = Progress::new(args.output.progress);
    let mut counted = layers::count(&game, &args.game, &progress)?;
    counted.seconds = progress.seconds();
    drop(progress);
    show(&game, counted, &args.output)
}
