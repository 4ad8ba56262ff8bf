//! Blocks chosen from the game.

use crate::blocks::layering::Layering;
use crate::error::LayersError;
use crate::forward::search::Forward;
use crate::rules::rules_of_game::Rules;
use crate::sets::set::Level;
use std::collections::BTreeMap;
use winset_model::CodeTable;
use winset_model::{Facts, Game, Move, VarId};
use winset_work::Work;

/// The most combinations of values that a chosen block may span.
const SPAN: usize = 128;

/// The most combinations of values of variables that are tried as a block because moves change them together.
const WIDEST: usize = 1 << 13;

/// The most combinations of values that a block of a line may span.
const LONGEST: usize = 256;

/// Lines of a possible board are not tried if they must be cut into parts shorter than this.
const SHORTEST: usize = 3;

/// The widths of a possible board that are tried, the nearest to a square.
const WIDTHS: usize = 2;

/// Stacks are not looked for in games with more moves times expressions.
const MOST_LOOKS: usize = 50_000_000;

/// Blocks are not tried if one has n times the combinations of the game's own.
const WIDER: usize = 8;

/// Blocks of n variables are also tried in halves.
const LONG: usize = 4;

/// Other blocks than the game's own must save at least a twentieth.
const WORTH: (u64, u64) = (19, 20);

/// Choosing takes no more steps than this, whatever the game.
const CHOOSING: u64 = 40_000_000;

/// The most steps of a single trial. What is not done by then is no good.
const TRYING: u64 = CHOOSING / 4;

/// The blocks are tried on n states.
const TRIED_STATES: u64 = 20_000;

/// Halves are tried on more, because long blocks become costly only when most combinations occur.
const TRIED_STATES_IN_HALVES: u64 = 100_000;

/// Orders are tried on still more, because what they are worth shows late.
const TRIED_STATES_IN_ORDER: u64 = 1_000_000;

/// Blocks are given up that take more memory than this on those states.
const TRIED_BYTES: u64 = 48 << 20;

/// A node of a diagram counts as n edges.
const NODE: usize = 16;

/// The steps that count as an edge of the diagram.
const STEPS: u64 = 16;

/// The game's own blocks, or others that prove better on the first layers: those of a board's other
/// direction; without own blocks stacks, or else those of variables that moves change together, or lines of
/// what may be a board; and of those, halves. The choice depends on nothing but the game, unless there is
/// less memory than trying takes, or the steps are limited: half of them are left for what the blocks are for.
/// The number of each trial is told as it begins.
pub fn choose_blocks(
    game: &Game,
    layering: &Layering,
    memory: Option<u64>,
    work: &Work,
    tried: &mut dyn FnMut(usize),
) -> Vec<Vec<VarId>> {
    let choosing = work.left().map_or(CHOOSING, |left| CHOOSING.min(left / 2));
    with_constants(game, choose_and_order(game, layering, memory, (&work.part(choosing), TRYING), tried))
}

fn choose_and_order(
    game: &Game,
    layering: &Layering,
    memory: Option<u64>,
    limits: (&Work, u64),
    tried: &mut dyn FnMut(usize),
) -> Vec<Vec<VarId>> {
    let mut trials = 0;
    let mut tried = || {
        trials += 1;
        tried(trials);
    };
    let blocks = choose(game, layering, memory, limits, &mut tried);
    order(game, layering, memory, limits, blocks, &mut tried)
}

/// The same blocks from the middle outwards, if that proves better. What stands in the middle of a board has to do with
/// everything; when it comes first, what comes last has little to do with each other.
fn order(
    game: &Game,
    layering: &Layering,
    memory: Option<u64>,
    (work, trying): (&Work, u64),
    blocks: Vec<Vec<VarId>>,
    tried: &mut dyn FnMut(),
) -> Vec<Vec<VarId>> {
    let outwards = outwards(game, &blocks);
    if outwards == blocks {
        return blocks;
    }
    let game = &game.clone().without_forbidden();
    let mut cost = |blocks: &[Vec<VarId>], limit| {
        tried();
        try_blocks(game, blocks.to_vec(), layering, (TRIED_STATES_IN_ORDER, limit), memory, work.part(trying))
    };
    // A game that ends before has nothing to gain.
    let Ok(Some(least)) = cost(&blocks, u64::MAX) else { return blocks };
    match cost(&outwards, worth(least)) {
        Ok(Some(_)) => outwards,
        _ => blocks,
    }
}

/// The blocks that span as many combinations as the most do, those in the middle first; others stay where they are.
fn outwards(game: &Game, blocks: &[Vec<VarId>]) -> Vec<Vec<VarId>> {
    let spans: Vec<usize> = blocks.iter().map(|block| span(game, block)).collect();
    let alike = |at: &usize| spans.iter().filter(|&&other| other == spans[*at]).count();
    let Some(most) = (0..blocks.len()).max_by_key(alike) else { return blocks.to_vec() };
    let places: Vec<usize> = (0..blocks.len()).filter(|&at| spans[at] == spans[most]).collect();
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by_key(|&at| (2 * at + 1).abs_diff(places.len()));
    let mut ordered = blocks.to_vec();
    for (&to, from) in places.iter().zip(order) {
        ordered[to].clone_from(&blocks[places[from]]);
    }
    ordered
}

/// The blocks of the variables that have more than one value.
fn choose(
    game: &Game,
    layering: &Layering,
    memory: Option<u64>,
    (work, trying): (&Work, u64),
    tried: &mut dyn FnMut(),
) -> Vec<Vec<VarId>> {
    if let Some(stacks) = stacks(game) {
        return stacks;
    }
    let own = own_blocks(game);
    let mut others: Vec<Vec<Vec<VarId>>> = other_direction(game).into_iter().collect();
    if game.blocks().is_empty() {
        others.extend(lines(game));
    }
    let widest = |blocks: &[Vec<VarId>]| blocks.iter().map(|block| span(game, block)).max().unwrap_or(1);
    others.retain(|other| widest(other) <= widest(&own).saturating_mul(WIDER));
    if game.blocks().is_empty() {
        others.extend(changed_together(game));
    }
    others.sort_unstable();
    others.dedup();
    others.retain(|other| *other != own);
    let halved: Vec<Vec<Vec<VarId>>> = others.iter().chain([&own]).map(|blocks| halves(blocks)).collect();
    others.extend(halved.into_iter().filter(|blocks| *blocks != own));
    if others.is_empty() || each_move_in_one_block(game) {
        return own;
    }
    // What no reachable state fulfils does not matter here, and can be large as a condition.
    let game = &game.clone().without_forbidden();
    let mut cost = |blocks: &[Vec<VarId>], states, limit| {
        tried();
        try_blocks(game, blocks.to_vec(), layering, (states, limit), memory, work.part(trying))
    };
    let mut best = own;
    let mut least = match cost(&best, TRIED_STATES, u64::MAX) {
        Ok(Some(cost)) => cost,
        Err(
            LayersError::Memory { .. } | LayersError::ConditionsDoNotFit { .. } | LayersError::Exhausted(_),
        ) => u64::MAX,
        _ => return best,
    };
    let mut limit = worth(least);
    for other in others {
        if let Ok(Some(cost)) = cost(&other, TRIED_STATES, limit) {
            (least, limit, best) = (cost, cost, other);
        }
    }
    let halves = halves(&best);
    // What is much worse at first will not be better later.
    let promising = |cost: Result<Option<u64>, LayersError>| matches!(cost, Ok(Some(_)));
    if halves == best || !promising(cost(&halves, TRIED_STATES, least.saturating_add(least / 4))) {
        return best;
    }
    let Ok(Some(whole)) = cost(&best, TRIED_STATES_IN_HALVES, u64::MAX) else { return best };
    if promising(cost(&halves, TRIED_STATES_IN_HALVES, worth(whole))) { halves } else { best }
}

/// What other blocks may cost at most if these cost so much.
fn worth(cost: u64) -> u64 {
    cost / WORTH.1 * WORTH.0
}

/// The blocks with each that has many variables in two halves.
fn halves(blocks: &[Vec<VarId>]) -> Vec<Vec<VarId>> {
    let cut = |block: &Vec<VarId>| match block.len() {
        0..LONG => vec![block.clone()],
        len => block.chunks(len.div_ceil(2)).map(<[VarId]>::to_vec).collect(),
    };
    blocks.iter().flat_map(cut).collect()
}

/// About what the first layers cost: the size of the last one's diagram, by which everything later is
/// measured, and the steps made to find it. None if there are no more layers, or if it is not below a limit.
fn try_blocks(
    game: &Game,
    blocks: Vec<Vec<VarId>>,
    layering: &Layering,
    (enough, limit): (u64, u64),
    memory: Option<u64>,
    work: Work,
) -> Result<Option<u64>, LayersError> {
    let blocks = with_constants(game, blocks);
    let rules = Rules::new(game, blocks, CodeTable::of_game(game, Default::default()), memory, work)?;
    let memory = memory.map_or(TRIED_BYTES, |memory| TRIED_BYTES.min(memory / 4 * 3));
    let mut forward = Forward::new(game, rules, layering, Some(memory))?;
    let mut states = 0;
    while let Some(layer) = forward.next_layer(game, Some(memory.saturating_sub(forward.bytes())))? {
        let size = |level: &Level| (level.nodes() * NODE + level.child.len()) as u64;
        let cost = layer.levels.iter().map(size).sum::<u64>() + forward.work / STEPS;
        states += layer.positions;
        if states > enough || cost >= limit {
            return Ok((cost < limit).then_some(cost));
        }
    }
    Ok(None)
}

/// How many combinations of values a block has.
fn span(game: &Game, block: &[VarId]) -> usize {
    block.iter().map(|var| game.variables()[var.index()].size()).fold(1, usize::saturating_mul)
}

/// The game's own blocks, and one at the top for each variable that is in none; without own blocks, as
/// many variables one after the other as span few combinations.
fn own_blocks(game: &Game) -> Vec<Vec<VarId>> {
    if !game.blocks().is_empty() {
        return with_others(game, game.blocks().iter().cloned());
    }
    let mut blocks: Vec<Vec<VarId>> = vec![];
    let mut span = SPAN + 1;
    for var in varying(game) {
        let size = game.variables()[var.index()].size();
        span = span.saturating_mul(size);
        match blocks.last_mut() {
            Some(block) if span <= SPAN => block.push(var),
            _ => {
                blocks.push(vec![var]);
                span = size;
            }
        }
    }
    with_others(game, blocks.into_iter())
}

/// Every move changes only one of the game's own blocks, as a stone that falls down a column does: no other
/// blocks will be better.
fn each_move_in_one_block(game: &Game) -> bool {
    let block_of = |var: VarId| game.blocks().iter().position(|block| block.contains(&var));
    let inside_one = |m: &Move| {
        let mut changed = m.updates.iter().filter_map(|update| block_of(update.var));
        changed.next().is_some_and(|first| changed.all(|block| block == first))
    };
    game.moves().iter().all(inside_one)
}

/// A block for every group of variables that a move changes together, such as the squares onto which a
/// stone can fall: their local states are then far fewer than all combinations. Variables that most moves
/// change, such as whose turn it is, say nothing. None if there are no such groups or only large ones.
fn changed_together(game: &Game) -> Option<Vec<Vec<VarId>>> {
    let tells = telling(game);
    let mut group: Vec<usize> = (0..game.variables().len()).collect();
    for m in game.moves() {
        let mut together = m.updates.iter().map(|update| update.var).filter(|var| tells[var.index()]);
        let Some(first) = together.next() else { continue };
        for var in together {
            let (from, to) = (group[var.index()], group[first.index()]);
            let (from, to) = (from.max(to), from.min(to));
            group.iter_mut().filter(|g| **g == from).for_each(|g| *g = to);
        }
    }
    let mut blocks: Vec<Vec<VarId>> = vec![vec![]; group.len()];
    (0..group.len()).for_each(|var| blocks[group[var]].push(VarId(var as u32)));
    blocks.retain(|block| block.len() > 1);
    let fits = !blocks.is_empty() && blocks.iter().all(|block| span(game, block) <= WIDEST);
    fits.then(|| with_others(game, blocks.into_iter()))
}

/// A block for every stack: variables of which each can change only after the one below it has, such as the
/// places above each other where cubes are piled up. Such a block has few local states: what is above the
/// first free place is free. The shortest stacks stand on top. None if the game has blocks of its own or most
/// variables are not stacked; otherwise no other blocks are tried, since conditions on what is stacked are
/// large in any others.
fn stacks(game: &Game) -> Option<Vec<Vec<VarId>>> {
    if !game.blocks().is_empty() || game.moves().len().saturating_mul(game.exprs().len()) > MOST_LOOKS {
        return None;
    }
    let tells = telling(game);
    // What each variable needs to have changed, by all moves that change it.
    let mut needs: Vec<Option<Vec<VarId>>> = vec![None; game.variables().len()];
    let mut facts = Facts::new(game.exprs());
    for m in game.moves() {
        let mut before = game.exprs().support(m.guard);
        before.retain(|&var| {
            facts.assume(&[(var, game.initial().0[var.index()])], &[]);
            tells[var.index()] && facts.holds(m.guard) == Some(false)
        });
        for var in m.updates.iter().map(|update| update.var).filter(|var| tells[var.index()]) {
            let known = &mut needs[var.index()];
            match known {
                Some(list) => list.retain(|other| before.contains(other)),
                None => *known = Some(before.iter().copied().filter(|&other| other != var).collect()),
            }
        }
    }
    let mut below: Vec<Option<usize>> = vec![None; needs.len()];
    let mut above: Vec<Option<usize>> = vec![None; needs.len()];
    for (var, list) in needs.iter().enumerate() {
        // A stack must not go round in a circle; who needs an earlier variable cannot close one.
        let free = |other: &&VarId| above[other.index()].is_none() && other.index() < var;
        if let Some(other) = list.iter().flatten().find(free) {
            below[var] = Some(other.index());
            above[other.index()] = Some(var);
        }
    }
    let bottoms = (0..needs.len()).filter(|&var| tells[var] && needs[var].is_some() && below[var].is_none());
    let climb = |bottom: usize| std::iter::successors(Some(bottom), |&var| above[var]);
    let mut blocks: Vec<Vec<VarId>> =
        bottoms.map(|bottom| climb(bottom).map(|var| VarId(var as u32)).collect()).collect();
    blocks.sort_by_key(Vec::len);
    let tall: usize = blocks.iter().map(Vec::len).filter(|&height| height > 1).sum();
    let all = tells.iter().filter(|&&tells| tells).count();
    let fits = blocks.iter().all(|block| span(game, block) <= WIDEST);
    (2 * tall > all && fits).then(|| with_others(game, blocks.into_iter()))
}

/// The variables that at most half of the moves change: others, such as whose turn it is, say nothing of
/// what belongs together, and neither do those with a single value.
fn telling(game: &Game) -> Vec<bool> {
    let mut changed_by = vec![0usize; game.variables().len()];
    game.moves().iter().flat_map(|m| &m.updates).for_each(|update| changed_by[update.var.index()] += 1);
    let tells = |(var, moves)| moves * 2 <= game.moves().len() && varies(game, VarId(var as u32));
    changed_by.into_iter().enumerate().map(tells).collect()
}

/// Blocks for ways in which the most variables of one size can be the squares of a board, row by row: its
/// rows, and its columns. All others stand above.
fn lines(game: &Game) -> Vec<Vec<Vec<VarId>>> {
    let mut by_size: BTreeMap<usize, Vec<VarId>> = BTreeMap::new();
    for var in varying(game) {
        by_size.entry(game.variables()[var.index()].size()).or_default().push(var);
    }
    let Some((size, cells)) = by_size.into_iter().max_by_key(|(_, cells)| cells.len()) else { return vec![] };
    let n = cells.len();
    let mut found = vec![];
    let mut widths: Vec<usize> = (2..=n / 2).filter(|width| n % width == 0).collect();
    widths.sort_by_key(|&width| (width.abs_diff(n / width), width));
    for &width in widths.iter().take(WIDTHS) {
        let row = |r: usize| cells[r * width..(r + 1) * width].to_vec();
        let column = |c: usize| cells[c..].iter().step_by(width).copied().collect::<Vec<VarId>>();
        if longest(size) < width.min(n / width).min(SHORTEST) {
            continue;
        }
        for lines in [(0..n / width).map(row).collect::<Vec<_>>(), (0..width).map(column).collect()] {
            let blocks = lines.into_iter().flat_map(|line| parts(line, size));
            found.push(with_others(game, blocks));
        }
    }
    found
}

/// How many variables of a size, which is at least 2, span few combinations.
fn longest(size: usize) -> usize {
    (1..=LONGEST.ilog2())
        .take_while(|&k| size.checked_pow(k).is_some_and(|span| span <= LONGEST))
        .count()
        .max(1)
}

/// A line in as few parts of about the same length as span few combinations each.
fn parts(line: Vec<VarId>, size: usize) -> Vec<Vec<VarId>> {
    let count = line.len().div_ceil(longest(size));
    let cut = |part: usize| line.len() * part / count;
    (0..count).map(|part| line[cut(part)..cut(part + 1)].to_vec()).collect()
}

/// The columns of a board whose rows are the game's own blocks, or the other way round.
fn other_direction(game: &Game) -> Option<Vec<Vec<VarId>>> {
    let board = game.board()?;
    let mut placed: Vec<VarId> = game.blocks().iter().flatten().copied().collect();
    let mut cells: Vec<VarId> = board.cells.iter().flatten().copied().collect();
    placed.sort_unstable();
    cells.sort_unstable();
    if placed != cells {
        return None;
    }
    let row = |r: usize| (0..board.columns).filter_map(|c| board.cells[r * board.columns + c]).collect();
    let column = |c: usize| (0..board.rows).filter_map(|r| board.cells[r * board.columns + c]).collect();
    let rows: Vec<Vec<VarId>> = (0..board.rows).map(row).collect();
    let columns: Vec<Vec<VarId>> = (0..board.columns).map(column).collect();
    let same = |a: &[VarId], b: &[VarId]| a.iter().all(|var| b.contains(var)) && a.len() == b.len();
    let by_rows =
        game.blocks().iter().zip(&rows).all(|(a, b)| same(a, b)) && game.blocks().len() == rows.len();
    let other = if by_rows { columns } else { rows };
    Some(with_others(game, other.into_iter()))
}

/// The blocks below one for each variable that is in none, without the variables that have a single value.
fn with_others(game: &Game, blocks: impl Iterator<Item = Vec<VarId>>) -> Vec<Vec<VarId>> {
    let mut placed = vec![false; game.variables().len()];
    let mut below: Vec<Vec<VarId>> = vec![];
    for mut block in blocks {
        block.retain(|&var| varies(game, var));
        block.iter().for_each(|var| placed[var.index()] = true);
        below.extend((!block.is_empty()).then_some(block));
    }
    let others = varying(game).filter(|var| !placed[var.index()]).map(|var| vec![var]);
    others.chain(below).collect()
}

/// The blocks, the topmost with all variables that have a single value: they tell no states apart, so that
/// they are left out of the choice and cost nothing there.
fn with_constants(game: &Game, mut blocks: Vec<Vec<VarId>>) -> Vec<Vec<VarId>> {
    if blocks.is_empty() {
        blocks.push(vec![]);
    }
    let variables = (0..game.variables().len() as u32).map(VarId);
    blocks[0].extend(variables.filter(|&var| !varies(game, var)));
    blocks
}

/// The variables with more than one value.
fn varying(game: &Game) -> impl Iterator<Item = VarId> + '_ {
    (0..game.variables().len() as u32).map(VarId).filter(|&var| varies(game, var))
}

/// The variable has more than one value.
fn varies(game: &Game, var: VarId) -> bool {
    game.variables()[var.index()].size() > 1
}

#[cfg(test)]
mod tests;
