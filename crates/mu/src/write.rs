//! A strategy as a table: for every state where a formula promises something, the move that keeps it.

use crate::checker::{Checker, Universe};
use std::io::{self, Write};
use winset_formula::{Formula, FormulaError};
use winset_model::{Explicit, Game, State};
use winset_symbolic::{Diagram, Job, Options, Places, Symbolic, SymbolicError, with_kind};

/// Why a strategy could not be written.
#[derive(Debug, thiserror::Error)]
pub enum StrategyError {
    /// The diagrams could not be built.
    #[error(transparent)]
    Symbolic(#[from] SymbolicError),
    /// The formula is not one of the calculus.
    #[error(transparent)]
    Formula(#[from] FormulaError),
    /// Only a fixed point promises something that moves can keep.
    #[error(
        "the formula is not a fixed point (mu X. ... or nu X. ...), so that there is no strategy to write"
    )]
    NoFixedPoint,
    /// The table could not be written.
    #[error("the strategy could not be written: {0}")]
    Io(#[from] io::Error),
}

/// Writes, for every reachable state where the fixed point holds, a line with its position, the move that
/// keeps the promise, and how many rounds are left at most. In a state where every move keeps it the move is
/// `any`; where the game is over it is empty. Returns the number of states.
pub fn write_strategy(
    game: &Game,
    formula: &Formula,
    options: &Options,
    out: &mut dyn Write,
) -> Result<u64, StrategyError> {
    with_kind(options.kind, Table { game, formula, options, out })
}

struct Table<'a> {
    game: &'a Game,
    formula: &'a Formula,
    options: &'a Options,
    out: &'a mut dyn Write,
}

impl Job for Table<'_> {
    type Output = Result<u64, StrategyError>;

    fn run<F: Diagram>(self) -> Self::Output {
        let Table { game, formula, options, out } = self;
        let mut exprs = game.system().exprs;
        let core = formula.core(&mut exprs)?;
        let symbolic = Symbolic::<F>::from_game(game, options)?;
        let mut checker = Checker::new(&symbolic, &exprs, Universe::Reachable)?;
        checker.evaluate(&core)?;
        let strategy = checker.strategy(&core).ok_or(StrategyError::NoFixedPoint)?;
        let space = &symbolic.space;
        let (ranked, places) = (space.ranked(&strategy.promised)?, Places::new(space));
        let mut explicit = Explicit::new(game);
        writeln!(out, "position\tmove\trounds")?;
        let mut failed = None;
        ranked.for_each(|_, word| {
            let state = places.state(word);
            let successors = explicit.successors(&state);
            let stage = strategy.stage(space, &state).unwrap_or(0);
            let keeps = |next: &State| match (&strategy.stages, strategy.stage(space, next)) {
                (Some(_), later) => later.is_some_and(|later| later < stage),
                (None, later) => later.is_some(),
            };
            let nexts: Vec<&State> = successors.iter().map(|(_, next)| next).collect();
            let choice = match strategy.choose(space, nexts.iter().copied()) {
                _ if successors.is_empty() => "",
                _ if nexts.iter().all(|next| keeps(next)) => "any",
                Some(chosen) => game.moves[successors[chosen].0].name.as_str(),
                None => "",
            };
            let line = writeln!(out, "{}\t{choice}\t{stage}", game.print(&state));
            failed = failed.take().or(line.err());
        });
        failed.map_or(Ok(ranked.len()), |error| Err(error.into()))
    }
}
