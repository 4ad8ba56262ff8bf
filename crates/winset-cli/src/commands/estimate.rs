//! `winset estimate`: how large a game is, as far as that is found out in about a second.

use crate::args::GameArgs;
use crate::failure::Failure;
use crate::memory;
use crate::output::{self, say};
use crate::report::table::grouped;
use crate::source;
use clap::Args;
use serde_json::json;
use winset::Estimate;

#[derive(Args, Debug)]
pub struct EstimateArgs {
    #[command(flatten)]
    pub game: GameArgs,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Prints what is found out about a game.
pub fn run(args: &EstimateArgs) -> Result<(), Failure> {
    let loaded = source::game(&args.game)?;
    let estimate = winset::estimate_within(&loaded.rules.game, memory::left());
    let title = loaded.rules.game.title();
    if args.json {
        let mut object = serde_json::to_value(estimate)?;
        object["game"] = json!(title);
        return output::json(&object);
    }
    say!("{title}: {}\n", sentence(&estimate))?;
    Ok(())
}

/// The estimate in a sentence.
pub fn sentence(estimate: &Estimate) -> String {
    let positions = grouped(estimate.positions);
    match estimate.exact {
        true => format!("{positions} positions, which is exact"),
        false if estimate.layers == 0 => "more positions than can be counted in a second".to_owned(),
        false => {
            format!("more than {positions} positions, which were counted in a second; solving may take long")
        }
    }
}
