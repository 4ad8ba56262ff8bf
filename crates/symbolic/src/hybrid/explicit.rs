//! What diagrams have left, state by state.

use super::codes::Codes;
use super::drive::{Drive, DriveError, Found, by_code};
use super::keep::{Keeper, KeptValues};
use super::scan::{Known, Scan, Target};
use crate::error::SymbolicError;
use crate::observe::{Iteration, Observer, Phase};
use crate::options::Options;
use std::collections::BTreeMap;
use std::time::Instant;
use winset_index::{Index, Planes, ValueDiagram};
use winset_model::{CodeTable, Game, Rewards, VarId};

/// The program itself, and what a thread keeps.
const PROGRAM_BYTES: u64 = 16 << 20;
const THREAD_BYTES: u64 = 1 << 20;

/// What diagrams have left.
pub struct Rest {
    /// The number of layers, from the first on, that have no values.
    pub layers: usize,
    /// The variables by level.
    pub order: Vec<VarId>,
    /// By how much each move raises the measure.
    pub deltas: Vec<i64>,
    /// The rewards that can be met.
    pub table: CodeTable,
    /// The layers' states, unless somebody keeps them.
    pub sets: Vec<Option<Index>>,
    /// The layers behind with their values, by measure, as far as nobody keeps them.
    pub later: BTreeMap<i64, Known>,
}

/// The codes that a diagram says.
pub fn expanded(index: Index, diagram: &ValueDiagram, table: &CodeTable) -> Known {
    let mut planes = Planes::new(index.len(), table.bits());
    diagram.expand(&index, &mut [&mut planes]);
    let codes = Codes::of_planes(&planes, table.len());
    Known { index, codes }
}

/// About the memory of an index.
fn index_bytes(index: &Index) -> u64 {
    index.levels().iter().map(|level| 4 * level.start.len() + 14 * level.digit.capacity()).sum::<usize>()
        as u64
}

fn known_bytes(known: &Known, table: &CodeTable) -> u64 {
    index_bytes(&known.index) + Codes::bytes(known.index.len(), table.len())
}

/// Solves what is left, from the last of these layers to the first.
pub fn solve(
    game: &Game,
    options: &Options,
    how: Drive,
    rest: &mut Rest,
    keeper: &mut dyn Keeper,
    observer: &mut dyn Observer,
    found: &mut Found,
) -> Result<(), DriveError> {
    let reach = rest.deltas.iter().copied().max().unwrap_or(0);
    for number in (0..rest.layers).rev() {
        let (began, measure) = (Instant::now(), found.measures[number]);
        let index = match rest.sets.get_mut(number).and_then(Option::take) {
            Some(index) => index,
            None => keeper.set(number).map_err(DriveError::Keeping)?,
        };
        rest.later.retain(|&later, _| later <= measure + reach);
        for &delta in rest.deltas.iter().filter(|&&delta| delta > 0) {
            let there = found.measures.binary_search(&(measure + delta));
            if let (Ok(there), false) = (there, rest.later.contains_key(&(measure + delta))) {
                let index = keeper.set(there).map_err(DriveError::Keeping)?;
                let planes = keeper.planes(there, &index).map_err(DriveError::Keeping)?;
                let codes = Codes::of_planes(&planes, rest.table.len());
                rest.later.insert(measure + delta, Known { index, codes });
            }
        }
        check_memory(options, how, rest, &index, keeper.keeps())?;
        options.work.spend(index.len()).map_err(SymbolicError::from)?;
        let target = |delta: &i64| match delta {
            0 => Target::Here,
            delta => rest.later.get(&(measure + delta)).map_or(Target::Nowhere, Target::Later),
        };
        let targets = rest.deltas.iter().map(target).collect();
        let scanned = Scan::new(game, &rest.order, &rest.table, &index, targets).solve(how.threads)?;
        if keeper.keeps() {
            let planes = scanned.codes.planes(rest.table.bits());
            let kept = KeptValues {
                number,
                measure,
                by_code: by_code(&scanned.shares, &rest.table, false)?,
                codes: rest.table.table(),
                index: &index,
                values: Err(&planes),
            };
            keeper.put_values(&kept).map_err(DriveError::Keeping)?;
        }
        let nodes = index.levels().iter().map(|level| level.nodes()).sum();
        observer.iteration(&Iteration {
            phase: Phase::Backward,
            index: measure,
            states: index.len().into(),
            nodes,
            peak: nodes,
            time: began.elapsed(),
        });
        if number == 0 {
            found.start = value_of_start(game, rest, &index, &scanned.codes);
        }
        found.shares[number] = Some(scanned.shares);
        rest.later.insert(measure, Known { index, codes: scanned.codes });
        if number > 0 && observer.is_cancelled() {
            return Err(SymbolicError::Cancelled.into());
        }
    }
    Ok(())
}

fn value_of_start(game: &Game, rest: &Rest, index: &Index, codes: &Codes) -> Option<Rewards> {
    let digits: Vec<u16> = rest.order.iter().map(|&var| game.initial()[var]).collect();
    let code = codes.get(index.rank(&digits)?);
    rest.table.table().get(code as usize).copied()
}

/// That the layer with its values, what lies behind it and what waits fit.
fn check_memory(
    options: &Options,
    how: Drive,
    rest: &Rest,
    index: &Index,
    keeps: bool,
) -> Result<(), SymbolicError> {
    let behind: u64 = rest.later.values().map(|known| known_bytes(known, &rest.table)).sum();
    let waiting: u64 = rest.sets.iter().flatten().map(index_bytes).sum();
    // The parts of all threads are joined, and whoever keeps values gets a copy.
    let copies = if keeps { 3 } else { 2 };
    let own = index_bytes(index) + copies * Codes::bytes(index.len(), rest.table.len());
    let needed = PROGRAM_BYTES + how.threads as u64 * THREAD_BYTES + behind + waiting + own;
    if needed > options.memory {
        return Err(SymbolicError::OutOfMemory {
            budget: options.memory,
            advice: needed.next_multiple_of(64 << 20),
        });
    }
    Ok(())
}
