//! The strategy that a formula promises in a game.

use super::CheckArgs;
use super::task::Task;
use crate::engines::failure;
use crate::failure::Failure;
use crate::report::table::grouped;
use crate::source::Checkable;
use winset_explore::strategy::{Keeps, Table};
use winset_formula::{Formula, Property};
use winset_model::Explicit;
use winset_mu::{Choice, Promise, Report};
use winset_symbolic::Options;

/// Checks the one formula that was given and writes its strategy.
pub fn with_strategy(
    args: &CheckArgs,
    source: &Checkable,
    task: &Task,
    options: &Options,
) -> Result<(Report, Vec<u8>), Failure> {
    let [text] = args.formula.as_slice() else {
        return Err(Failure::wrong_use("a strategy is of one formula: give one --formula"));
    };
    let Checkable::Game(loaded) = source else {
        return Err(Failure::wrong_use("a strategy is of a game, and this is an SMV model"));
    };
    let game = &loaded.rules.game;
    let mut explicit = Explicit::new(game);
    let (mut table, mut kept_otherwise) = (Table::default(), 0u64);
    let mut spell = |promise: &Promise<'_>| {
        let keeps = match promise.choice(&explicit.successors(promise.state)) {
            // The promise is still open, and no single move comes nearer to it.
            Choice::Over if promise.least && promise.rounds > 0 => {
                kept_otherwise += 1;
                Keeps::Over
            }
            Choice::Over => Keeps::Over,
            Choice::Any => Keeps::Any,
            Choice::Move(id) => Keeps::Move(id),
        };
        let rounds = promise.least.then_some(promise.rounds as u32);
        table.push(game, promise.state, keeps, rounds);
    };
    let formula = |spec: &super::task::Specification| match &spec.property {
        Property::Branching(formula) => Some(formula.clone()),
        _ => None,
    };
    let formulas: Vec<Formula> = task.specs.iter().filter_map(formula).collect();
    let order = Some(task.order.clone());
    let checked =
        winset_mu::check_and_spell_out(&task.system, &formulas, task.scope, order, options, &mut spell);
    let report = checked.map_err(failure)?.map_err(Failure::wrong_use)?;
    if report.leaving > 0 {
        return Err(Failure::wrong_use(format!(
            "in {} states a move leads out of the constraint, so that the formula promises nothing about the game \
             itself and there is no strategy to write",
            grouped(report.leaving)
        )));
    }
    if !report.verdicts.iter().all(|verdict| verdict.spelled_out) {
        return Err(Failure::wrong_use(
            "the formula is not a fixed point (mu X. ... or nu X. ...), so that there is no strategy to write",
        ));
    }
    if kept_otherwise > 0 {
        return Err(Failure::wrong_use(format!(
            "in {} states no single move comes nearer to what the formula promises, so that a table of moves cannot \
             keep it: X must stand under one EX or AX, as in mu X. goal | EX X",
            grouped(kept_otherwise)
        )));
    }
    let mut bytes = vec![];
    table.write(&mut bytes, game, loaded.rules.record.clone(), text)?;
    Ok((report, bytes))
}
