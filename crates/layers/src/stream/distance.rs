//! Distances to the end under best play: the shortest win, the longest loss.

use crate::layer::Layer;
use crate::outcomes::{Code, Outcomes};
use crate::relation::{IDENTITY, Rel};
use crate::set::{EMPTY, Node};
use crate::stream::pass::Pass;
use crate::stream::target::Target;
use crate::stream::values::Values;
use winset_model::{Outcome, Player};

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

#[derive(Clone, Copy)]
struct Cursor {
    rel: Rel,
    target: u32,
    node: Node,
    rank: u64,
}

impl Distances<'_> {
    /// Writes the distances of the part's states.
    pub fn run(&self, out: &mut [Distance]) {
        let start = |&(rel, target): &(Rel, u32)| Cursor {
            rel,
            target,
            node: self.pass.targets[target as usize].diagram.root,
            rank: 0,
        };
        let mut cursors: Vec<Cursor> = self.pass.roots.iter().map(start).collect();
        let all = 0..cursors.len();
        self.walk(0, self.pass.part.root, (self.pass.own.root, 0), &mut cursors, all, out);
    }

    fn walk(
        &self,
        level: usize,
        node: Node,
        own: (Node, u64),
        cursors: &mut Vec<Cursor>,
        range: std::ops::Range<usize>,
        out: &mut [Distance],
    ) {
        let pass = self.pass;
        let Some(here) = pass.source.levels.get(level) else {
            out[own.1 as usize] = self.distance(own.1, &cursors[range]);
            return;
        };
        for edge in here.edges(node) {
            let digit = here.digit[edge];
            let top = cursors.len();
            for i in range.clone() {
                let Cursor { rel, target, node, rank } = cursors[i];
                let diagram = pass.targets[target as usize].diagram;
                let mut go = |digit, rel| {
                    let (node, before) = diagram.step_if(level, node, digit);
                    cursors.push(Cursor { rel, target, node, rank: rank + before });
                };
                if rel == IDENTITY {
                    go(digit, IDENTITY);
                } else {
                    pass.steps(level, rel, digit).iter().for_each(|&(next, rel)| go(next, rel));
                }
            }
            let (place, before) = pass.own.step(level, own.0, digit);
            let below = top..cursors.len();
            self.walk(level + 1, here.child[edge], (place, own.1 + before), cursors, below, out);
            cursors.truncate(top);
        }
    }

    /// The distance of one state from those of its successors with the same value.
    fn distance(&self, rank: u64, successors: &[Cursor]) -> Distance {
        let value = self.values.get(rank);
        let same = successors.iter().filter_map(|c| {
            let lookup = &self.pass.targets[c.target as usize];
            match c.node {
                EMPTY => (lookup.diagram.default == Some(value)).then_some(0),
                _ => (lookup.values.get(c.rank) == value)
                    .then(|| self.known[c.target as usize][c.rank as usize]),
            }
        });
        let best =
            if hurries(self.pass.outcomes, value, self.pass.part.player) { same.min() } else { same.max() };
        match best {
            None | Some(NEVER_ENDS) => NEVER_ENDS,
            Some(distance) => (distance + 1).min(NEVER_ENDS - 1),
        }
    }
}

/// Gives all states of a set of the layer the same distance.
pub fn set_distances(layer: &Layer, own: &Target, root: Node, distance: Distance, out: &mut [Distance]) {
    each_rank(layer, own, root, &mut |rank| out[rank as usize] = distance);
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

/// Who cannot lose any more ends the game soon; who loses holds out.
fn hurries(outcomes: &Outcomes, value: Code, player: Player) -> bool {
    outcomes.outcome(value, player) != Outcome::Loss
}
