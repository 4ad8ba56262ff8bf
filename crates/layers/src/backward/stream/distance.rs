//! Distances to the end under best play: the shortest win, the longest loss.

use crate::backward::stream::pass::{Pass, Place};
use crate::backward::stream::target::Target;
use crate::backward::stream::values::Values;
use crate::backward::stream::walk::{Successor, each_state_below};
use crate::sets::layer::Layer;
use crate::sets::set::{EMPTY, Node};

/// The number of moves to the end; [`NEVER_ENDS`] if play goes on for ever.
pub type Distance = u16;

/// Play goes on for ever, or is not known to end.
pub const NEVER_ENDS: Distance = Distance::MAX;

/// Where the distances of successors are: for each target of the pass.
pub struct Distances<'a> {
    /// The pass over the part.
    pub pass: &'a Pass<'a>,
    /// The distances in each target.
    pub known: Vec<&'a [Distance]>,
    /// The values of the layer itself.
    pub values: &'a Values,
}

impl Distances<'_> {
    /// Writes the distances of the part's states. Says whether any has changed.
    pub fn run(&self, out: &mut [Distance]) -> bool {
        self.run_below(&self.pass.top(), out)
    }

    /// Writes the distances of the part's states below a place. Says whether any has changed.
    pub fn run_below(&self, place: &Place, out: &mut [Distance]) -> bool {
        let mut changed = false;
        each_state_below(self.pass, place, &mut |rank, successors| {
            let (before, after) = (&mut out[rank as usize], self.distance(rank, successors, place.sure));
            changed |= *before != after;
            *before = after;
        });
        changed
    }

    /// The distance of one state from those of its successors with the same value.
    fn distance(&self, rank: u64, successors: &[Successor], sure: u64) -> Distance {
        let value = self.values.get(rank);
        // Those that end the game without a place are not followed down to here.
        let ended = (value < 64 && sure >> value & 1 == 1).then_some(0);
        let same = successors.iter().filter_map(|c| {
            let lookup = &self.pass.targets[c.target as usize];
            match c.node {
                EMPTY => (lookup.default == Some(value)).then_some(0),
                _ => (lookup.values.get(c.rank) == value)
                    .then(|| self.known[c.target as usize][c.rank as usize]),
            }
        });
        let same = same.chain(ended);
        let hurries = self.pass.outcomes.hurries(value, self.pass.part.player);
        let best = if hurries { same.min() } else { same.max() };
        match best {
            None | Some(NEVER_ENDS) => NEVER_ENDS,
            Some(distance) => (distance + 1).min(NEVER_ENDS - 1),
        }
    }
}

/// Names the ranks of all states of a set of the layer.
pub fn each_rank(layer: &Layer, own: &Target, root: Node, found: &mut dyn FnMut(u64)) {
    fn walk(
        layer: &Layer,
        own: &Target,
        (level, node): (usize, Node),
        (place, rank): (Node, u64),
        found: &mut dyn FnMut(u64),
    ) {
        let Some(here) = layer.levels.get(level) else { return found(rank) };
        for edge in here.edges(node) {
            let (below, before) = own.step(level, place, here.digit[edge]);
            walk(layer, own, (level + 1, here.child[edge]), (below, rank + before), found);
        }
    }
    walk(layer, own, (0, root), (own.root, 0), found);
}
