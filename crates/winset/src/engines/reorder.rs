//! Another order of the variables where the diagrams do not fit.

use crate::engine::{Stage, Watcher};
use std::time::Duration;
use winset_model::Game;
use winset_reorder::{Limits, Proposal, Subject, search_order};
use winset_symbolic::{Diagram, Job, Options, Order, SymbolicError, with_kind};

/// What looking for an order may take.
const TIME: Duration = Duration::from_secs(20);

/// Runs the work; if it does not fit into memory and the user has not chosen the order, sifts the relation and
/// runs it once more in the order found.
pub fn or_in_better_order<T>(
    game: &Game,
    options: &Options,
    watcher: &mut dyn Watcher,
    mut work: impl FnMut(&Options, &mut dyn Watcher) -> Result<T, SymbolicError>,
) -> Result<T, SymbolicError> {
    let error = match work(options, watcher) {
        Err(error @ SymbolicError::OutOfMemory { .. }) if options.order == Order::Auto => error,
        other => return other,
    };
    let message = "the diagrams do not fit; looking for a better order of the variables";
    watcher.stage(&Stage { phase: "order", done: 0, of: None, positions: None, message });
    // Sifting works on a copy of the relation, which must fit too.
    let half = Options { memory: options.memory / 2, ..options.clone() };
    match with_kind(options.kind, Search { game, options: &half }) {
        Ok(found) if found.after < found.before => {
            work(&Options { order: Order::List(found.names), ..options.clone() }, watcher)
        }
        _ => Err(error),
    }
}

struct Search<'a> {
    game: &'a Game,
    options: &'a Options,
}

impl Job for Search<'_> {
    type Output = Result<Proposal, SymbolicError>;

    fn run<F: Diagram>(self) -> Self::Output {
        search_order::<F>(
            self.game,
            self.options,
            Subject::Relation,
            &Limits { time: TIME, ..Limits::default() },
        )
    }
}
