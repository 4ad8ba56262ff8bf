//! A good order for a game, on request or when its relation outgrows a budget.

use crate::bench::Bench;
use crate::relation::framed_relation;
use crate::sift::Limits;
use winset_model::Game;
use winset_symbolic::{Diagram, Options, Order, Symbolic, SymbolicError, reach};

/// What an order is to be good for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Subject {
    /// The transition relation, over pairs of states.
    #[default]
    Relation,
    /// The set of all states that can be reached.
    Reached,
    /// Both together.
    Both,
}

impl Subject {
    /// The diagrams that are made small.
    pub fn functions<F: Diagram>(self, symbolic: &Symbolic<F>) -> Result<Vec<F>, SymbolicError> {
        let mut functions = vec![];
        if self != Subject::Reached {
            functions.push(framed_relation(symbolic)?);
        }
        if self != Subject::Relation {
            functions.push(reach(symbolic, &mut ())?);
        }
        Ok(functions)
    }
}

/// An order with what it was chosen for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// The variables' names from the root down: [`Order::List`] takes them.
    pub names: Vec<String>,
    /// The number of nodes of the subject, as given.
    pub before: usize,
    /// The number of nodes of the subject in the order proposed.
    pub after: usize,
    /// Every variable was moved; otherwise the time was up.
    pub complete: bool,
}

/// Sifts the subject of a game, starting from the order that the options give.
pub fn search_order<F: Diagram>(
    game: &Game,
    options: &Options,
    subject: Subject,
    limits: &Limits,
) -> Result<Proposal, SymbolicError> {
    let symbolic = Symbolic::<F>::from_game(game, options)?;
    propose(game, &symbolic, options, subject, limits)
}

fn propose<F: Diagram>(
    game: &Game,
    symbolic: &Symbolic<F>,
    options: &Options,
    subject: Subject,
    limits: &Limits,
) -> Result<Proposal, SymbolicError> {
    // Without the conditions on what stays the same, if those do not fit.
    let functions = match subject.functions(symbolic) {
        Ok(functions) => functions,
        Err(SymbolicError::OutOfMemory { .. }) if subject == Subject::Relation => {
            symbolic.parts.iter().map(|part| part.pairs.clone()).collect()
        }
        Err(error) => return Err(error),
    };
    let full = |_| SymbolicError::OutOfMemory { budget: options.memory, advice: 2 * options.memory };
    let sifted = Bench::new(&symbolic.space, &functions).map_err(full)?.sift(limits);
    let names = sifted.order.iter().map(|var| game.variables()[var.index()].name.clone()).collect();
    Ok(Proposal { names, before: sifted.before, after: sifted.after, complete: sifted.complete })
}

/// Compiles a game; if the relation has more than `budget` nodes, looks for a better order and compiles
/// again in it. Returns the options that were used at last.
pub fn compile_within<F: Diagram>(
    game: &Game,
    options: &Options,
    budget: usize,
    limits: &Limits,
) -> Result<(Symbolic<F>, Options), SymbolicError> {
    let symbolic = Symbolic::<F>::from_game(game, options)?;
    if symbolic.relation_nodes() <= budget {
        return Ok((symbolic, options.clone()));
    }
    let proposal = propose(game, &symbolic, options, Subject::Relation, limits)?;
    let better = Options { order: Order::List(proposal.names), ..options.clone() };
    let again = Symbolic::<F>::from_game(game, &better)?;
    if again.relation_nodes() < symbolic.relation_nodes() {
        Ok((again, better))
    } else {
        Ok((symbolic, options.clone()))
    }
}
