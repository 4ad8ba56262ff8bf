//! Values as leaves, made state by state: what a store keeps of them is tested with this.

use crate::{Layer, Solution};
use std::collections::BTreeMap;
use winset_index::{Block, Digit, LeafFrame, LeafNodes, LeafPart, LeafRun, LeafSource, MirrorLevel};
use winset_model::{Code, CodeTable, Game, Player};

/// Leaves of the blocks from `level` on, for a game of stones in layers by their number: what is below the same digits has
/// the same number of stones, which makes a class. Mirrored if rows of the board are blocks, and may be turned round.
pub fn stones(game: &Game, solution: &Solution, level: usize, mirrored: bool) -> LeafFrame {
    let blocks = &solution.layers.last().expect("a layer").blocks.blocks;
    let board = game.board().expect("a board");
    let leaf = &blocks[level..];
    let digits: Vec<usize> = blocks.iter().map(|block| block.digits.len()).collect();
    let mut met: Vec<usize> = vec![];
    let states: usize = digits[level..].iter().product();
    let classes = (0..states).map(|state| {
        let (mut rest, mut stones) = (state, 0);
        for block in leaf.iter().rev() {
            let values = &block.digits[rest % block.digits.len()];
            let cells = block.vars.iter().zip(values).filter(|(var, _)| board.cells.contains(&Some(**var)));
            stones += cells.filter(|(_, value)| **value > 0).count();
            rest /= block.digits.len();
        }
        match met.iter().position(|&other| other == stones) {
            Some(class) => class as u32 + 1,
            None => {
                met.push(stones);
                met.len() as u32
            }
        }
    });
    let classes = classes.collect();
    let turned = |block: &Block| {
        let image = block.digits.iter().map(|values| {
            let values: Vec<_> = values.iter().rev().copied().collect();
            block.digit(&values).expect("rows can be turned round")
        });
        image.collect()
    };
    let mirror = |(from, block): (usize, &Block)| MirrorLevel { from, image: turned(block) };
    let mirror = mirrored.then(|| blocks.iter().enumerate().map(mirror).collect());
    LeafFrame::new(level, digits, classes, mirror).expect("everything fits")
}

/// The values of a layer, all in one part.
pub struct OnePart<'a> {
    frame: &'a LeafFrame,
    order: Vec<Code>,
    part: LeafPart,
}

impl<'a> OnePart<'a> {
    /// Of a layer of a solution.
    pub fn new(solution: &Solution, layer: &Layer, frame: &'a LeafFrame) -> Self {
        let table = CodeTable::of(solution.header.codes.clone(), solution.header.opponent);
        let order = table.best_first(layer.counts.mover.unwrap_or(Player(0))).to_vec();
        // Of all that is not the best: the digits, and how many outcomes are better.
        let mut others: BTreeMap<Vec<Digit>, usize> = BTreeMap::new();
        for (rank, state) in (0..).zip(&layer.states) {
            let code = layer.codes.get(rank);
            let outcome = order.iter().position(|&other| u32::from(other) == code).expect("a code");
            let mut digits = layer.blocks.digits(state).expect("known digits");
            frame.keep(&mut digits);
            if outcome > 0 {
                others.insert(digits, outcome);
            }
        }
        let levels = vec![LeafNodes::default(); frame.level()];
        let mut part = LeafPart { levels, ..Default::default() };
        let all: Vec<(Vec<Digit>, usize)> = others.into_iter().collect();
        if !all.is_empty() {
            let root = below(frame, &all, 0, &mut part);
            part.roots.push(root);
        }
        OnePart { frame, order, part }
    }
}

fn below(frame: &LeafFrame, states: &[(Vec<Digit>, usize)], level: usize, part: &mut LeafPart) -> u64 {
    if level == frame.level() {
        let place = |digits: &[Digit]| frame.place(frame.local(&digits[level..])).expect("a place");
        let (class, _) = place(&states[0].0);
        let bytes = frame.plane_bytes(class).expect("a class");
        let mut planes: BTreeMap<usize, Vec<u8>> = BTreeMap::new();
        for (digits, outcome) in states {
            let (other, at) = place(digits);
            assert_eq!(other, class, "what is below the same digits is of one class");
            planes.entry(outcome - 1).or_insert(vec![0; bytes])[at / 8] |= 1 << (at % 8);
        }
        let mask = planes.keys().fold(0, |mask, plane| mask | 1 << plane);
        let bits: Vec<u8> = planes.into_values().flatten().collect();
        let number = part.leaves.len();
        let run = LeafRun { class, planes: mask, count: 1 };
        part.leaves.append(frame, &[run], &bits).expect("a leaf");
        return number;
    }
    let edges: Vec<(Digit, u64)> = states
        .chunk_by(|a, b| a.0[level] == b.0[level])
        .map(|some| (some[0].0[level], below(frame, some, level + 1, part)))
        .collect();
    let nodes = &mut part.levels[level];
    for (digit, child) in edges {
        nodes.digit.push(digit);
        nodes.child.push(child);
    }
    nodes.finish_node();
    nodes.len() as u64 - 1
}

impl LeafSource for OnePart<'_> {
    fn frame(&self) -> &LeafFrame {
        self.frame
    }

    fn order(&self) -> &[Code] {
        &self.order
    }

    fn parts(&self) -> usize {
        1
    }

    fn part(&self, _: usize) -> std::io::Result<LeafPart> {
        Ok(self.part.clone())
    }

    fn top(&self) -> Vec<LeafNodes> {
        vec![]
    }

    fn root(&self) -> Option<u64> {
        (!self.part.roots.is_empty()).then_some(0)
    }
}
