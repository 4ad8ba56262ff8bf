//! What the user means by GAME: a built-in game, a game of the GDL library, or a file of rules.

use crate::args::{Baseline, GameArgs};
use crate::failure::Failure;
use crate::report::excerpt::{Finding, render};
use anyhow::Context;
use std::path::Path;
use winset_games::Options;
use winset_gdl::GdlGame;
use winset_model::Game;

/// Builds the game that the user named.
pub fn game(args: &GameArgs) -> Result<Game, Failure> {
    Ok(game_with_text(args)?.0)
}

/// Builds the game that the user named, with the text of its rules if they are in GDL.
pub fn game_with_text(args: &GameArgs) -> Result<(Game, Option<String>), Failure> {
    if is_file(&args.game) {
        if let Some(size) = &args.size {
            return Err(Failure::wrong_use(format!("a file of rules takes no size, but {size:?} is given")));
        }
        let path = Path::new(&args.game);
        let game = gdl(path)?.game;
        return Ok((game, std::fs::read(path).ok().map(|text| String::from_utf8_lossy(&text).into_owned())));
    }
    if let Some(text) = winset_gdl::game(&args.game) {
        return Ok((from_gdl(&args.game, text.as_bytes(), &args.game)?.game, Some(text)));
    }
    let baseline = match args.baseline {
        Baseline::M1 => winset_games::Baseline::Made,
        Baseline::M2 => winset_games::Baseline::CanBeMade,
    };
    let game = winset_games::build(&args.game, args.size.as_deref(), &Options { baseline });
    Ok((game.map_err(Failure::wrong_use)?, None))
}

/// A file is meant where the word looks like a path.
fn is_file(name: &str) -> bool {
    name.ends_with(".kif") || name.contains(['/', '\\'])
}

/// Reads, checks and grounds a game in GDL.
pub fn gdl(path: &Path) -> Result<GdlGame, Failure> {
    let file = path.display().to_string();
    let source = std::fs::read(path).with_context(|| format!("cannot read {file}"))?;
    let name = path.file_stem().map_or_else(|| file.clone(), |stem| stem.to_string_lossy().into_owned());
    from_gdl(&name, &source, &file)
}

/// Checks and grounds a game in GDL; `file` is what messages call it.
pub fn from_gdl(name: &str, source: &[u8], file: &str) -> Result<GdlGame, Failure> {
    winset_gdl::compile(name, source, &Default::default()).map_err(|rejection| {
        let findings = rejection.diagnostics.iter().map(|d| Finding {
            severity: if d.severity == winset_gdl::Severity::Error { "error" } else { "warning" },
            code: d.code.as_str(),
            message: &d.message,
            help: d.help.as_deref(),
            span: d.span.start..d.span.end,
        });
        refused(file, source, findings)
    })
}

/// Reads an SMV model.
pub fn smv(path: &Path) -> Result<winset_smv::Model, Failure> {
    let file = path.display().to_string();
    let source = std::fs::read_to_string(path).with_context(|| format!("cannot read {file}"))?;
    winset_smv::read(&source, &Default::default()).map_err(|diagnostics| {
        let findings = diagnostics.iter().map(|d| Finding {
            severity: if d.severity == winset_smv::Severity::Error { "error" } else { "warning" },
            code: d.code.as_str(),
            message: &d.message,
            help: d.help.as_deref(),
            span: d.span.start..d.span.end,
        });
        refused(&file, source.as_bytes(), findings)
    })
}

/// The file with everything that was found in it.
fn refused<'a>(file: &str, source: &[u8], findings: impl Iterator<Item = Finding<'a>>) -> Failure {
    let shown: Vec<String> = findings.map(|finding| render(file, source, &finding)).collect();
    Failure::wrong_use(format!("{file} is refused\n{}", shown.join("\n")))
}
