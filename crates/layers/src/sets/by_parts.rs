//! Diagrams built part by part where the requests for them do not fit into memory all at once.
//!
//! Requests of a level are handled together as long as what they lead to fits. If it does not, one half is handled first,
//! down to the last level, and becomes nodes; then the other. What both halves ask for is asked for twice, so that parts
//! are as few and as large as possible.

use crate::crew::Crew;
use crate::error::LayersError;
use crate::sets::build::{Expand, Handled, descend, whole};
use crate::sets::set::{EMPTY, Level, Node, Sets};
use crate::sets::table::Table;
use std::ops::Range;
use winset_index::Digit;
use winset_work::Work;

/// The diagram of the set that the items ask for; no root if it is empty. `split` if it had to be built part by part the
/// last time, and is now.
pub fn build(
    expand: &mut impl Expand,
    items: &[u64],
    crew: &Crew,
    budget: Option<u64>,
    work: &Work,
    split: &mut bool,
) -> Result<(Vec<Level>, Option<Node>), LayersError> {
    let levels = expand.digits().len();
    if !*split || levels < 3 {
        match whole(expand, items, crew, budget, work) {
            Err(LayersError::Memory { .. } | LayersError::TooManyEdges) if levels >= 3 => *split = true,
            done => return done,
        }
    }
    let mut requests = Table::default();
    let mut root = items.to_vec();
    root.sort_unstable();
    root.dedup();
    requests.add(&root);
    let known = expand.bytes();
    let sets = Sets::new(levels);
    let mut parts = Parts { expand, crew, work, budget, known, sets, hopeless: false };
    let root = parts.nodes(0, &requests, 0..1, 0)?[0];
    parts.sets.check()?;
    Ok((parts.sets.levels, (root != EMPTY).then_some(root)))
}

struct Parts<'a, E> {
    expand: &'a mut E,
    crew: &'a Crew,
    work: &'a Work,
    budget: Option<u64>,
    /// What was known before about the moves takes so much.
    known: u64,
    /// The nodes made so far.
    sets: Sets,
    /// Even a single request does not fit.
    hopeless: bool,
}

impl<E: Expand> Parts<'_, E> {
    /// The nodes of some requests of a level; what they wait for takes `used` bytes.
    fn nodes(
        &mut self,
        level: usize,
        requests: &Table,
        range: Range<u32>,
        used: u64,
    ) -> Result<Vec<Node>, LayersError> {
        match self.together(level, requests, range.clone(), used) {
            Err(LayersError::Memory { .. } | LayersError::TooManyEdges)
                if range.len() > 1 && !self.hopeless =>
            {
                let middle = range.start.midpoint(range.end);
                let mut nodes = self.nodes(level, requests, range.start..middle, used)?;
                nodes.extend(self.nodes(level, requests, middle..range.end, used)?);
                Ok(nodes)
            }
            done => {
                self.hopeless |= done.is_err();
                done
            }
        }
    }

    fn together(
        &mut self,
        level: usize,
        requests: &Table,
        range: Range<u32>,
        used: u64,
    ) -> Result<Vec<Node>, LayersError> {
        let found = self.expand.bytes().saturating_sub(self.known);
        let taken = used + self.sets.bytes() + found;
        let all = (taken, self.budget);
        let (handled, below) =
            descend(self.expand, level, requests, range.clone(), self.crew, all, self.work)?;
        if below.overflows() || handled.iter().any(|handled| handled.edges.len() > u32::MAX as usize) {
            return Err(LayersError::TooManyEdges);
        }
        let children = if level + 2 == self.expand.digits().len() {
            self.last(&below)
        } else {
            let waiting = handled.iter().map(Handled::bytes).sum::<u64>() + below.bytes();
            self.nodes(level + 1, &below, 0..below.len() as u32, used + waiting)?
        };
        drop(below);
        let mut nodes = vec![EMPTY; range.len()];
        for handled in &handled {
            for (i, &request) in handled.requests.iter().enumerate() {
                let base = self.sets.stack.len();
                for &(digit, child) in handled.edges_of(i) {
                    let child = children[handled.numbers[child as usize] as usize];
                    if child != EMPTY {
                        self.sets.stack.push((digit, child));
                    }
                }
                nodes[(request - range.start) as usize] = self.sets.node(level, base);
            }
        }
        self.work.spend(std::mem::take(&mut self.sets.steps))?;
        LayersError::check_memory(taken.max(used + self.sets.bytes()), self.budget)?;
        Ok(nodes)
    }

    /// The nodes of the last level, given as bitmaps of their digits.
    fn last(&mut self, bitmaps: &Table) -> Vec<Node> {
        let level = self.expand.digits().len() - 1;
        let node = |number: usize| {
            let base = self.sets.stack.len();
            for (i, &word) in bitmaps.get(number).iter().enumerate() {
                let mut rest = word;
                while rest != 0 {
                    self.sets.stack.push(((i as u32 * 64 + rest.trailing_zeros()) as Digit, 0));
                    rest &= rest - 1;
                }
            }
            self.sets.node(level, base)
        };
        (0..bitmaps.len()).map(node).collect()
    }
}
