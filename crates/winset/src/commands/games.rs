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

/// Lists the built-in games.
pub fn run(args: &GamesArgs) -> Result<(), Failure> {
    let rows = CATALOGUE.iter().map(|entry| Row {
        game: entry.name,
        size: entry.size,
        default: entry.default,
        about: entry.about,
    });
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
