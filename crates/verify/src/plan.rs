//! What the rules say, laid out for checking: which digits a move changes into which, and how much a
//! player likes each code.

use rustc_hash::FxHashMap;
use winset_index::{Block, Blocks, Digit};
use winset_model::{Code, CodeTable, ExprId, Exprs, Game, MoveId, Player, Rewards, Value};
use winset_store::{Header, Layering, Manifest};

/// A digit that has never occurred.
pub const NO_DIGIT: u32 = u32::MAX;

pub struct Plan<'g> {
    pub game: &'g Game,
    pub blocks: &'g Blocks,
    pub header: &'g Header,
    /// Where each variable's row of value masks begins.
    pub rows: Vec<usize>,
    /// For each block, one digit after the other, the masks of its values.
    digit_rows: Vec<(usize, Vec<u32>)>,
    /// For each block and digit, its part of the progress measure.
    weights: Option<Vec<Vec<i64>>>,
    pub moves: Vec<PlannedMove>,
    /// For each player and code, how much it is liked, from 0; and back.
    pub liking: Vec<Vec<u16>>,
    pub liked: Vec<Vec<Code>>,
    codes: FxHashMap<Rewards, Code>,
    /// The last layer that is there, if there may be more.
    last: Option<i64>,
}

pub struct PlannedMove {
    pub player: Player,
    pub fallback: bool,
    pub guard: ExprId,
    pub touched: Vec<Touched>,
    /// One below the last block that it changes, if no change depends on other blocks.
    pub steady: Option<usize>,
    /// One below the last but one.
    pub steady_but_one: usize,
}

/// A block in which a move changes something.
pub struct Touched {
    pub block: usize,
    /// For each updated variable its position in the block, and conditions with new values.
    pub updates: Vec<(usize, Vec<(ExprId, Value)>)>,
    /// What becomes of each digit, if it does not depend on anything else.
    pub fixed: Option<Vec<Change>>,
}

/// A block's new digit, and how much the measure grows by that.
#[derive(Clone, Copy)]
pub struct Change {
    pub to: u32,
    pub growth: i64,
}

impl<'g> Plan<'g> {
    pub fn new(game: &'g Game, blocks: &'g Blocks, manifest: &'g Manifest) -> Self {
        let header = &manifest.header;
        let (mut rows, mut row_count) = (vec![], 0);
        for v in game.variables() {
            rows.push(row_count);
            row_count += v.size();
        }
        let row = |block: &Block| {
            let pairs = block.digits.iter().flat_map(|values| block.vars.iter().zip(values));
            let rows = pairs.map(|(var, &value)| (rows[var.index()] + usize::from(value)) as u32);
            (block.vars.len(), rows.collect())
        };
        let digit_rows = blocks.blocks.iter().map(row).collect();
        let table = CodeTable::of(header.codes.clone(), header.opponent);
        let by_liking = |player: Player| {
            let order: Vec<Code> = table.best_first(player).iter().rev().copied().collect();
            let mut liking = vec![0; order.len()];
            order.iter().enumerate().for_each(|(i, &code)| liking[usize::from(code)] = i as u16);
            (liking, order)
        };
        let (liking, liked) = game.each_player().map(by_liking).unzip();
        let codes = (0..).zip(&header.codes).map(|(code, &rewards)| (rewards, code)).collect();
        let weights = weights(blocks, &header.layering);
        let moves = (0..game.moves().len())
            .map(|id| planned(game, blocks, weights.as_deref(), MoveId::new(id)))
            .collect();
        let last = manifest.layers.last().map_or(-1, |l| i64::from(l.layer));
        let last = (!manifest.forward_complete).then_some(last);
        Plan { game, blocks, header, rows, digit_rows, weights, moves, liking, liked, codes, last }
    }

    /// The memory that a plan takes: moves lead from every digit to another.
    pub fn bytes(game: &Game, blocks: &Blocks) -> u64 {
        let of_block = |block: &Block| {
            let touched = |id: usize| game.moves()[id].updates.iter().any(|u| block.vars.contains(&u.var));
            let moves = (0..game.moves().len()).filter(|&id| touched(id)).count();
            block.digits.len() * (moves * size_of::<Change>() + block.vars.len() * 4 + 32)
        };
        blocks.blocks.iter().map(of_block).sum::<usize>() as u64
    }

    /// The layer has not been found yet.
    pub fn is_ahead(&self, layer: i64) -> bool {
        self.last.is_some_and(|last| layer > last)
    }

    /// The code of rewards.
    pub fn code(&self, rewards: Rewards) -> Option<Code> {
        self.codes.get(&rewards).copied()
    }

    /// The masks of the values behind a digit.
    pub fn digit_rows(&self, block: usize, digit: usize) -> &[u32] {
        let (each, rows) = &self.digit_rows[block];
        &rows[digit * each..(digit + 1) * each]
    }

    /// A digit's part of the progress measure.
    pub fn weight(&self, block: usize, digit: Digit) -> i64 {
        self.weights.as_ref().map_or(0, |w| w[block][usize::from(digit)])
    }

    /// The layer in which states of this measure belong, if there is a measure.
    pub fn layer(&self, measure: i64) -> Option<i64> {
        match &self.header.layering {
            Layering::Measure { base, .. } => Some(measure - base),
            _ => None,
        }
    }

    /// The change of a block's digit to these values.
    pub fn change(&self, block: usize, from: Digit, values: &[Value]) -> Change {
        change(&self.blocks.blocks[block], self.weights.as_ref().map(|w| w[block].as_slice()), from, values)
    }

    /// The expressions that must be known of a stored state.
    pub fn state_roots(&self) -> Vec<ExprId> {
        let cases =
            |t: &Touched| t.updates.iter().flat_map(|u| u.1.iter().map(|c| c.0)).collect::<Vec<ExprId>>();
        let moves = self.moves.iter();
        let of_moves = moves.flat_map(|m| std::iter::once(m.guard).chain(m.touched.iter().flat_map(cases)));
        of_moves.chain(self.game.turn().iter().copied()).chain(self.game.terminal().iter().copied()).collect()
    }

    /// The expressions that must be known of a terminal state.
    pub fn end_roots(&self) -> Vec<ExprId> {
        let rewards = self.game.rewards().iter().flatten().map(|r| r.1);
        self.game.terminal().iter().copied().chain(rewards).collect()
    }

    /// The new values of a block after a move, given which case of each update applies.
    pub fn updated(
        &self,
        touched: &Touched,
        from: Digit,
        case: impl Fn(usize) -> Option<usize>,
    ) -> Vec<Value> {
        let mut values = self.blocks.blocks[touched.block].digits[usize::from(from)].to_vec();
        for (u, (position, cases)) in touched.updates.iter().enumerate() {
            if let Some(at) = case(u) {
                values[*position] = cases[at].1;
            }
        }
        values
    }
}

fn weights(blocks: &Blocks, layering: &Layering) -> Option<Vec<Vec<i64>>> {
    let Layering::Measure { weights, .. } = layering else { return None };
    let of_digit = |block: &Block, values: &[Value]| {
        let pairs = block.vars.iter().zip(values);
        pairs.map(|(var, &value)| weights[var.index()][usize::from(value)]).sum()
    };
    let of_block = |block: &Block| block.digits.iter().map(|values| of_digit(block, values)).collect();
    Some(blocks.blocks.iter().map(of_block).collect())
}

fn change(block: &Block, weights: Option<&[i64]>, from: Digit, values: &[Value]) -> Change {
    match (block.digit(values), weights) {
        (None, _) => Change { to: NO_DIGIT, growth: 0 },
        (Some(to), None) => Change { to: to.into(), growth: 0 },
        (Some(to), Some(w)) => Change { to: to.into(), growth: w[usize::from(to)] - w[usize::from(from)] },
    }
}

fn planned(game: &Game, blocks: &Blocks, weights: Option<&[Vec<i64>]>, id: MoveId) -> PlannedMove {
    let m = game.move_at(id);
    let mut touched: Vec<Touched> = vec![];
    for (k, block) in blocks.blocks.iter().enumerate() {
        let here = m.updates.iter().filter_map(|update| {
            let position = block.vars.iter().position(|&var| var == update.var)?;
            Some((position, update.cases.clone()))
        });
        let updates: Vec<(usize, Vec<(ExprId, Value)>)> = here.collect();
        if updates.is_empty() {
            continue;
        }
        let always = updates.iter().all(|u| u.1.first().is_some_and(|case| case.0 == Exprs::TRUE));
        let fixed = always.then(|| {
            let after = |digit: usize| {
                let mut values = block.digits[digit].to_vec();
                updates.iter().for_each(|(position, cases)| values[*position] = cases[0].1);
                change(block, weights.map(|w| w[k].as_slice()), digit as Digit, &values)
            };
            (0..block.digits.len()).map(after).collect()
        });
        touched.push(Touched { block: k, updates, fixed });
    }
    let steady = touched.iter().all(|t| t.fixed.is_some());
    let steady = steady.then(|| touched.last().map_or(0, |t| t.block + 1));
    let steady_but_one = touched.iter().rev().nth(1).map_or(0, |t| t.block + 1);
    PlannedMove { player: m.player, fallback: m.fallback, guard: m.guard, touched, steady, steady_but_one }
}
