//! Every state of a part with all its successors, one by one: for work that needs more than bits.

use crate::backward::stream::pass::{Pass, Place};
use crate::rules::relation::IDENTITY;
use crate::sets::set::Node;
use std::ops::Range;

/// A successor: a cursor that has come to the end.
pub use crate::backward::stream::pass::Cursor as Successor;

/// Calls `visit` with the rank of every state of the pass's part and its successors, in rank order.
pub fn each_state(pass: &Pass, visit: &mut impl FnMut(u64, &[Successor])) {
    each_state_below(pass, &pass.top(), visit);
}

/// The same for the states below a place.
pub fn each_state_below(pass: &Pass, place: &Place, visit: &mut impl FnMut(u64, &[Successor])) {
    let mut stack = place.cursors.clone();
    let all = 0..stack.len();
    walk(pass, place.level, place.node, place.own, &mut stack, all, visit);
}

fn walk(
    pass: &Pass,
    level: usize,
    node: Node,
    own: (Node, u64),
    stack: &mut Vec<Successor>,
    range: Range<usize>,
    visit: &mut impl FnMut(u64, &[Successor]),
) {
    let Some(here) = pass.source.levels.get(level) else { return visit(own.1, &stack[range]) };
    for edge in here.edges(node) {
        let digit = here.digit[edge];
        let top = stack.len();
        for i in range.clone() {
            let Successor { rel, target, node, rank } = stack[i];
            let diagram = pass.targets[target as usize].diagram;
            let mut go = |digit, rel| {
                let (node, before) = diagram.step_if(level, node, digit);
                stack.push(Successor { rel, target, node, rank: rank + before });
            };
            if rel == IDENTITY {
                go(digit, IDENTITY);
            } else {
                pass.relations.made_steps(level, rel, digit).iter().for_each(|&(next, rel)| go(next, rel));
            }
        }
        let (place, before) = pass.own.step(level, own.0, digit);
        let below = top..stack.len();
        walk(pass, level + 1, here.child[edge], (place, own.1 + before), stack, below, visit);
        stack.truncate(top);
    }
}
