//! What can go wrong.

use thiserror::Error;
use winset_work::Exhausted;

/// Why symbolic work could not be done.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum SymbolicError {
    /// The diagrams do not fit into the budget, even after collecting garbage.
    #[error("the decision diagrams do not fit into {} of memory; {} or more would do", bytes(*.budget), bytes(*.advice))]
    OutOfMemory {
        /// The budget in bytes.
        budget: u64,
        /// Roughly how much would do.
        advice: u64,
    },
    /// The budget is too small for any work.
    #[error("a memory budget of {} is too small: at least {} are needed", bytes(*.0), bytes(*.1))]
    Budget(u64, u64),
    /// The system gives less than the budget.
    #[error("the system does not give the {} that the diagrams' tables take; give it a smaller budget, or raise the limit", bytes(*.0))]
    Refused(u64),
    /// The system gives no more threads, or no memory for their stacks.
    #[error(
        "{threads} threads with stacks of a gibibyte each cannot be started: {error}; give fewer, or raise the limit"
    )]
    Threads {
        /// How many were asked for.
        threads: u32,
        /// What the system says.
        error: String,
    },
    /// The order names something that is not a variable.
    #[error("the variable order names {0:?}, which is not a variable")]
    OrderUnknown(String),
    /// The order names a variable twice.
    #[error("the variable order names {0} twice")]
    OrderTwice(String),
    /// The order leaves a variable out.
    #[error("the variable order leaves out {0}")]
    OrderMissing(String),
    /// The order needs a board.
    #[error("the variable order {0:?} needs a board, and there is none")]
    OrderNeedsBoard(String),
    /// There is no such order.
    #[error("there is no variable order {0:?}; there are: {1}; or a list of all variables with commas")]
    OrderName(String, String),
    /// Layers are to be cut by something that is not a variable.
    #[error("layers cannot be cut by {0:?}, which is not a variable; `auto` chooses one")]
    SplitUnknown(String),
    /// A number of states that does not fit into 128 bits.
    #[error("the number of states does not fit into 128 bits")]
    CountOverflow,
    /// A path that does not show what it was found to show: a defect.
    #[error(
        "the path found for {0} does not stand up to an explicit check; this is a defect of winset, please report it with the model"
    )]
    WrongPath(String),
    /// A layer has more states than can be numbered one by one.
    #[error("a layer has 2^64 states or more, which cannot be numbered")]
    TooManyToNumber,
    /// A layer's diagram has more nodes or edges than a levelled one can have.
    #[error("a layer's diagram has more than 2^32 edges in a level")]
    TooManyEdges,
    /// Something that was kept before does not fit the game.
    #[error("what was kept of an earlier run does not fit: {0}")]
    Past(String),
    /// The algorithm needs a progress measure and the game has none.
    #[error("no progress measure was found for this game, so {0} cannot be used")]
    NoMeasure(&'static str),
    /// The layers do not come to an end.
    #[error("the game does not end within {0} layers, so it cannot be solved layer by layer")]
    Endless(usize),
    /// A cycle where rewards other than win, draw and loss leave its value open.
    #[error(
        "the game can go on for ever, and is not just of win, draw and loss for two players: circles are not solved then"
    )]
    Cyclic,
    /// A state that is not terminal without any move.
    #[error("a state that is not terminal has no legal move: {0}")]
    Stuck(String),
    /// A reachable state fulfils a condition that the game forbids.
    #[error("{why}: {state}")]
    Forbidden {
        /// What is wrong with the game.
        why: String,
        /// Where it shows.
        state: String,
    },
    /// The algorithm is for games that end in win, draw or loss.
    #[error("{0} needs a game of two players that ends in win, draw or loss")]
    NotWinDrawLoss(&'static str),
    /// In a reachable state both players have the turn.
    #[error("both players have the turn at once: {0}")]
    TwoTurns(String),
    /// It took more steps than it may.
    #[error(transparent)]
    Exhausted(#[from] Exhausted),
    /// The observer asked to stop.
    #[error("stopped on request")]
    Cancelled,
}

/// A number of bytes for people.
fn bytes(n: u64) -> String {
    const UNITS: [(&str, u64); 3] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    match UNITS.iter().find(|&&(_, size)| n >= size) {
        Some(&(unit, size)) if n.is_multiple_of(size) => format!("{} {unit}", n / size),
        Some(&(unit, size)) => format!("{}.{} {unit}", n / size, n % size * 10 / size),
        None => format!("{n} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn out_of_memory_gives_advice() {
        let error = SymbolicError::OutOfMemory { budget: 64 << 20, advice: (1 << 30) + (512 << 20) };
        let text = "the decision diagrams do not fit into 64 MiB of memory; 1.5 GiB or more would do";
        assert_eq!(error.to_string(), text);
    }
}
