//! Both engines by turns, where nobody knows which one suits the game.
//!
//! The layer engine begins. Most games it has solved before its first turn is over. Turns are counted in steps
//! and not in time, so that a game is always solved by the same engine.

use crate::args::SolveArgs;
use crate::engines::{Unsolved, Within, bdd, layers};
use crate::failure::Failure;
use crate::memory;
use crate::progress::Progress;
use crate::report::solution::Solution;
use std::thread::Builder;
use winset_model::Game;
use winset_store::GameRecord;
use winset_work::Turns;

/// The layer engine's first turn: about a second.
const FIRST: u64 = 60_000_000;
/// Every other turn of either engine.
const EACH: u64 = 20_000_000;

/// Of all memory the BDD engine gets a part while it is not alone, and at first no more than so much: it cannot be
/// interrupted in the middle of an operation, which may go on until the memory is used up. When that does not do, it
/// begins again with so many times as much.
const PART: u64 = 4;
const LEAST: u64 = 64 << 20;
const MORE: u64 = 4;

/// Diagrams are walked by recursion.
const STACK: usize = 64 << 20;

/// Solves a game by the engine that is done first.
pub fn solve(
    game: &Game,
    record: GameRecord,
    args: &SolveArgs,
    progress: &Progress,
) -> Result<Solution, Failure> {
    let memory = args.game.memory.unwrap_or_else(memory::default_budget).0;
    let share = memory / PART;
    let turns = Turns::new(&[(FIRST, EACH), (EACH, EACH)]);
    let [first, second] = [0, 1].map(|number| turns.seat(number));
    let (by_layers, by_bdd) = std::thread::scope(|scope| {
        let turns = &turns;
        let beside = Builder::new().stack_size(STACK).spawn_scoped(scope, move || {
            let work = second.work();
            let mut memory = LEAST.min(share);
            let solved = loop {
                let within = Within { memory, work: work.clone() };
                match bdd::solve(game, args, progress, Some(within)) {
                    Err(Unsolved::Unfit(_)) if memory < share => memory = (memory * MORE).min(share),
                    solved => break solved,
                }
            };
            if is_final(&solved) {
                turns.end();
            }
            // Only now, so that the other does not go on before.
            drop(second);
            solved
        });
        let within = Within { memory: memory - share, work: first.work() };
        let by_layers = layers::solve(game, record, args, progress, Some(within));
        if is_final(&by_layers) {
            turns.end();
        }
        drop(first);
        let by_bdd = match beside.map(|thread| thread.join()) {
            Ok(Ok(solved)) => solved,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(error) => Err(Unsolved::Unfit(error.into())),
        };
        (by_layers, by_bdd)
    });
    let because = |solution: Solution, reason: String| Solution { reason, ..solution };
    match (by_layers, by_bdd) {
        (Ok(solution), _) => {
            Ok(because(solution, "layers, because it looks at every position once, 64 at a time".to_owned()))
        }
        (Err(Unsolved::Failed(failure)), _) => Err(failure),
        (Err(Unsolved::Unfit(why)), Ok(solution)) => {
            Ok(because(solution, format!("bdd, because the layer engine says: {why}")))
        }
        (Err(_), Ok(solution)) => {
            let reason = "bdd, because it was done first when both engines worked by turns";
            Ok(because(solution, reason.to_owned()))
        }
        (Err(Unsolved::Unfit(why)), Err(Unsolved::Unfit(_))) => {
            let alone = bdd::solve(game, args, progress, None).map_err(|other| neither(&why, other))?;
            Ok(because(alone, format!("bdd, because the layer engine says: {why}")))
        }
        (_, Err(failed)) => Err(failed.into()),
    }
}

/// Nothing that another engine does can change this.
fn is_final(solved: &Result<Solution, Unsolved>) -> bool {
    matches!(solved, Ok(_) | Err(Unsolved::Failed(_)))
}

/// Says what both engines say.
fn neither(layers: &Failure, bdd: Unsolved) -> Failure {
    match bdd {
        Unsolved::Failed(failure) => failure,
        other => Failure::Cannot(anyhow::anyhow!(
            "no engine can do it: the layer engine says: {layers}; the BDD engine says: {}",
            Failure::from(other)
        )),
    }
}
