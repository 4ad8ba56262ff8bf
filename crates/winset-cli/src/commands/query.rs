//! `winset query`: what a stored solution or a strategy says about a position.

use crate::failure::Failure;
use crate::output::{self, say, stream, unless_closed};
use crate::stored::{Known, SolutionArgs};
use clap::Args;
use std::io::Write;
use winset_diagnostic::render;
use winset_explore::{MoveValue, query};
use winset_model::{Notation, TextError};

#[derive(Args, Debug)]
pub struct QueryArgs {
    /// Instead of a directory or a game, the file of a strategy can be given
    #[command(flatten)]
    pub solution: SolutionArgs,
    /// A position as the game writes it, or - to read many from standard input; none: the start
    pub position: Option<String>,
    /// The moves from the start, as players write them
    #[arg(long, value_name = "MOVES", conflicts_with = "position")]
    pub moves: Option<String>,
    /// Show one perfect line to the end
    #[arg(long)]
    pub line: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

impl QueryArgs {
    /// The solution, and the position: what follows a directory is a position, and what follows a game too unless it can
    /// be a size.
    fn parts(&self) -> Result<(SolutionArgs, Option<String>), Failure> {
        let (mut solution, mut position) = (self.solution.clone(), self.position.clone());
        let size_like = |word: &str| word.chars().all(|c| c.is_ascii_digit() || c == 'x' || c == 'X');
        if position.is_none()
            && let Some(word) = &solution.size
            && !(solution.is_game() && size_like(word))
        {
            position = solution.size.take();
        }
        match (&position, &self.moves) {
            (Some(_), Some(_)) => {
                Err(Failure::wrong_use("a position and --moves both say where: give one of them"))
            }
            _ => Ok((solution, position)),
        }
    }
}

/// Answers for one position, or for many from standard input.
pub fn run(args: &QueryArgs) -> Result<(), Failure> {
    let (solution, position) = args.parts()?;
    let known = Known::of(&solution)?;
    let mut solution = known.session();
    let game = solution.game();
    if position.as_deref() == Some("-") {
        let mut out = stream(if args.json { Notation::Json } else { Notation::Text });
        let mut input = std::io::stdin().lock();
        unless_closed(query::answer_many(&mut *solution, &mut input, &mut out, args.json))?;
        unless_closed(out.flush())?;
        return Ok(());
    }
    let state = match (&position, args.moves.as_deref().unwrap_or("")) {
        (Some(text), _) => game.parse(text).map_err(|wrong| refused("the position", text, &wrong))?,
        (None, moves) => {
            game.play(game.initial(), moves).map_err(|wrong| refused("--moves", moves, &wrong))?
        }
    };
    let mut answer = match &position {
        Some(_) => query::answer(&mut *solution, &state)?,
        None => query::answer_played(&mut *solution, &state)?,
    };
    // Nothing leads on from a position of which nothing is known.
    let line = match args.line && !answer.moves.is_empty() {
        true => Some(solution.line(&state)?),
        false => args.line.then(Vec::new),
    };
    if args.json {
        let name = |m: &MoveValue| game.move_at(m.id).name.clone();
        answer.line = line.map(|line| line.iter().map(name).collect());
        return output::json(&answer);
    }
    let mut text = vec![];
    query::write_text(&mut text, game, &state, &answer)?;
    if let Some(line) = line {
        query::write_line(&mut text, &*solution, &line)?;
    }
    say!("{}", String::from_utf8_lossy(&text))?;
    Ok(())
}

/// Shows what was typed with the place of what is wrong.
fn refused(name: &str, text: &str, wrong: &TextError) -> Failure {
    Failure::wrong_use(format!("{name} is refused\n{}", render(name, text.as_bytes(), wrong)))
}
