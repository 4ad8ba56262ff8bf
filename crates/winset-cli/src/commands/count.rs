//! `winset count`: how many positions can arise.

use crate::args::CountArgs;
use crate::commands::solve::show;
use crate::engines;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::source;
use crate::target::Outputs;
use winset::{Job, Report};

/// Counts the reachable positions of a game, forward only.
pub fn run(args: &CountArgs) -> Result<(), Failure> {
    let outputs = Outputs::of(&args.output)?;
    let mut progress = Progress::new(args.output.progress);
    progress.step("read", 0, None, "reading the rules");
    let loaded = source::game(&args.game)?;
    let engine = engines::counter(&loaded.rules.game, args)?;
    let job = Job { solve: false, ..engines::job(&args.game) };
    let counted = winset::run(&loaded.rules.game, &*engine, &job, &mut (), &mut progress);
    let counted = Report { seconds: progress.seconds(), ..counted.map_err(Failure::of_engine)? };
    drop(progress);
    show(loaded, counted, &outputs)
}
