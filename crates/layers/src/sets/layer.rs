//! A layer between the forward and the backward pass.

use crate::error::LayersError;
use crate::sets::copy::Copied;
use crate::sets::set::{EMPTY, Level, Node, Sets};
use winset_index::Index;
use winset_model::Code;
use winset_model::Player;

/// Which states of a layer a part has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// All states of a player.
    All,
    /// Those in which the player's moves leave the layer.
    Leaving,
    /// Those in which the player's only moves stay inside the layer: passes.
    Passing,
}

impl Kind {
    /// A number for it.
    pub(crate) fn number(self) -> u64 {
        self as u64
    }

    /// The kind with this number.
    pub(crate) fn of_number(number: u64) -> Option<Self> {
        [Kind::All, Kind::Leaving, Kind::Passing].into_iter().find(|kind| kind.number() == number)
    }
}

/// Some states of a layer that are not terminal, all with the same player to move.
#[derive(Clone, Debug)]
pub struct Part {
    /// Who moves.
    pub player: Player,
    /// Which states of the player.
    pub kind: Kind,
    /// The set.
    pub root: Node,
    /// The number of states.
    pub len: u64,
}

/// The states of a layer.
#[derive(Clone, Debug, Default)]
pub struct Layer {
    /// The value of the measure, or the number of moves made.
    pub measure: i64,
    /// The diagrams of all sets below.
    pub levels: Vec<Level>,
    /// All states that have a place in the values: those that are not terminal and some that are.
    pub root: Option<Node>,
    /// The number of states that have a place.
    pub len: u64,
    /// The states that are not terminal.
    pub parts: Vec<Part>,
    /// Terminal states with a place, by outcome.
    pub ended: Vec<(Code, Node)>,
    /// The outcome of all reached terminal states without a place.
    pub default: Option<Code>,
    /// Some of those ended under conditions that do not show the outcome.
    pub default_unclear: bool,
    /// The number of states.
    pub positions: u64,
    /// The number of terminal states by outcome.
    pub terminal: Vec<(Code, u64)>,
    /// It is known that every move leaves the layer, although the rules do not show it.
    pub all_leave: bool,
}

impl Layer {
    /// Copies what the layer needs out of the arena in which it was found.
    pub fn freeze(&mut self, sets: &Sets) -> Result<(), LayersError> {
        let mut to = Sets::new(sets.levels.len());
        let mut copied = Copied::new(&sets.levels);
        let mut copy = |root: Node| copied.copy(&sets.levels, &mut to, 0, root);
        self.root = self.root.map(&mut copy);
        for part in &mut self.parts {
            part.root = copy(part.root);
        }
        for (_, root) in &mut self.ended {
            *root = copy(*root);
        }
        to.check()?;
        self.levels = to.levels;
        for level in &mut self.levels {
            level.start.shrink_to_fit();
            level.digit.shrink_to_fit();
            level.child.shrink_to_fit();
        }
        Ok(())
    }

    /// The same without the diagrams.
    pub fn without_levels(&self) -> Self {
        Layer {
            levels: vec![],
            parts: self.parts.clone(),
            ended: self.ended.clone(),
            terminal: self.terminal.clone(),
            ..*self
        }
    }

    /// The memory that the diagrams take.
    pub fn bytes(&self) -> u64 {
        self.levels.iter().map(Level::bytes).sum()
    }

    /// The number of nodes.
    pub fn nodes(&self) -> u64 {
        self.levels.iter().map(|level| level.nodes() as u64).sum()
    }

    /// The number of states below every node of every level, and of the end below the last.
    pub fn counts(&self) -> Vec<Vec<u64>> {
        let mut all = vec![vec![1u64]];
        for level in self.levels.iter().rev() {
            let below = &all[all.len() - 1];
            let mut here = Vec::with_capacity(level.nodes());
            for node in 0..level.nodes() as Node {
                let sum = level.edges(node).map(|at| below[level.child[at] as usize]).sum();
                here.push(sum);
            }
            all.push(here);
        }
        all.reverse();
        all
    }

    /// The index of the states that have a place, without nodes that only parts use.
    pub fn index(&self) -> Result<Index, LayersError> {
        let mut numbers: Vec<Vec<Node>> = self.levels.iter().map(|l| vec![EMPTY; l.nodes()]).collect();
        let mut levels = vec![];
        let mut kept: Vec<Node> = self.root.into_iter().collect();
        if let Some(root) = self.root {
            numbers[0][root as usize] = 0;
        }
        for (k, level) in self.levels.iter().enumerate() {
            let mut below = vec![];
            let mut index = winset_index::Level { start: vec![0], ..Default::default() };
            for &node in &kept {
                for at in level.edges(node) {
                    let child = level.child[at];
                    let number = match numbers.get_mut(k + 1) {
                        None => 0,
                        Some(numbers) => {
                            if numbers[child as usize] == EMPTY {
                                numbers[child as usize] = below.len() as Node;
                                below.push(child);
                            }
                            numbers[child as usize]
                        }
                    };
                    index.digit.push(level.digit[at]);
                    index.child.push(number);
                }
                index.start.push(index.digit.len() as u32);
            }
            levels.push(index);
            kept = below;
        }
        Ok(Index::freeze(levels, self.root.map(|_| 0))?)
    }
}
