//! `winset games`: what there is to solve.

use crate::args::GamesArgs;
use crate::failure::Failure;
use crate::output::say;
use crate::report::table::Table;
use serde::Serialize;
use winset_games::CATALOGUE;

#[derive(Serialize)]
struct Row {
    game: &'static str,
    size: &'static str,
    default: &'static str,
    about: &'static str,
}

/// What is said about games whose rules are in GDL.
const GDL: &str = "rules in GDL";

/// Games whose rules are written for any size.
const SIZED: [&str; 4] = ["breakthrough-5x4", "clobber-4x5", "connect-four-5x6", "cubi-cup-4"];

/// Lists the built-in games.
pub fn run(args: &GamesArgs) -> Result<(), Failure> {
    let fixed =
        winset_gdl::games().iter().map(|(name, _)| Row { game: name, size: "", default: "", about: GDL });
    let sized = SIZED.iter().map(|&game| Row { game, size: "in the name", default: "", about: GDL });
    let rows = CATALOGUE.iter().map(|entry| Row {
        game: entry.name,
        size: entry.size,
        default: entry.default,
        about: entry.about,
    });
    let rows = rows.chain(fixed).chain(sized);
    if args.json {
        say!("{}\n", serde_json::to_string(&rows.collect::<Vec<_>>())?)?;
        return Ok(());
    }
    let mut table = Table::new(["game", "size", "default", ""]);
    for row in rows {
        table.row([row.game, row.size, row.default, row.about]);
    }
    say!("{}", table.text())?;
    Ok(())
}
