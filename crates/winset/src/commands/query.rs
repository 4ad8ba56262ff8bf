//! `winset query`: what a stored solution says about a position.

use crate::args::QueryArgs;
use crate::failure::Failure;
use crate::output::say;
use crate::stored;
use std::io::{BufWriter, Write};
use winset_explore::query;

/// Answers for one position, or for many from standard input.
pub fn run(args: &QueryArgs) -> Result<(), Failure> {
    let store = stored::open(&args.directory)?;
    if args.position.as_deref() == Some("-") {
        let mut out = BufWriter::new(std::io::stdout().lock());
        query::answer_many(&store, &mut std::io::stdin().lock(), &mut out, args.json)?;
        out.flush()?;
        return Ok(());
    }
    let state = match &args.position {
        Some(text) => query::position(&store, text),
        None => query::after_moves(&store, args.moves.as_deref().unwrap_or("")),
    };
    let state = state.map_err(Failure::wrong_use)?;
    let mut session = store.session();
    let answer = query::answer(&mut session, &state)?;
    if args.json {
        say!("{}\n", serde_json::to_string(&answer)?)?;
        return Ok(());
    }
    let mut text = vec![];
    query::write_text(&mut text, &store, &state, &answer)?;
    if args.line {
        let line = query::line(&mut session, &state)?;
        query::write_line(&mut text, &store, &line)?;
    }
    say!("{}", String::from_utf8_lossy(&text))?;
    Ok(())
}
