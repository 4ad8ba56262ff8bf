//! Diagrams built part by part where the requests for them do not fit into memory all at once.
//!
//! Requests of a level are handled together as long as what they lead to fits. If it does not, one half is handled first,
//! down to the last level, and becomes nodes; then the other. What both halves ask for is asked for twice, so that parts
//! are as few and as large as possible.

use crate::crew::Crew;
use crate::error::LayersError;
use crate::sets::build::{Expand, descend, first_request, whole};
use crate::sets::set::{EMPTY, Level, Node, Sets};
use crate::sets::strings::Strings;
use crate::sets::up::Handled;
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
    // What is said in the end is how much was needed at first: that is what would do.
    let mut first = None;
    if !*split || levels < 3 {
        match whole(expand, items, crew, budget, work) {
            Err(error) if is_too_large(&error) && levels >= 3 => first = Some(error),
            done => return done,
        }
        *split = true;
    }
    let requests = first_request(items);
    let known = expand.bytes();
    let sets = Sets::new(levels);
    let mut parts = Parts { expand, crew, work, budget, known, sets, cuts: CUTS, first };
    match parts.nodes(0, &requests, 0..1, 0) {
        Ok(nodes) => {
            parts.sets.check()?;
            Ok((parts.sets.levels, nodes.first().copied().filter(|&node| node != EMPTY)))
        }
        Err(error) if is_too_large(&error) => Err(parts.first.unwrap_or(error)),
        Err(error) => Err(error),
    }
}

/// What takes much more than there is would take hours by parts.
const CUTS: u32 = 24;

/// More than there is room for, so that it may help to do less at a time.
pub fn is_too_large(error: &LayersError) -> bool {
    matches!(error, LayersError::Memory { .. } | LayersError::TooManyEdges)
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
    /// How often requests may still be cut in halves.
    cuts: u32,
    /// Why the first of them were.
    first: Option<LayersError>,
}

impl<E: Expand> Parts<'_, E> {
    /// The nodes of some requests of a level; what they wait for takes `used` bytes.
    fn nodes(
        &mut self,
        level: usize,
        requests: &Strings,
        range: Range<u32>,
        used: u64,
    ) -> Result<Vec<Node>, LayersError> {
        match self.together(level, requests, range.clone(), used) {
            Err(error) if is_too_large(&error) => {
                self.first.get_or_insert(error);
            }
            done => return done,
        }
        // A single request that does not fit cannot be helped.
        self.cuts = if range.len() > 1 { self.cuts.saturating_sub(1) } else { 0 };
        if self.cuts == 0 {
            return Err(LayersError::TooManyEdges);
        }
        let middle = range.start.midpoint(range.end);
        let mut nodes = self.nodes(level, requests, range.start..middle, used)?;
        nodes.extend(self.nodes(level, requests, middle..range.end, used)?);
        Ok(nodes)
    }

    fn together(
        &mut self,
        level: usize,
        requests: &Strings,
        range: Range<u32>,
        used: u64,
    ) -> Result<Vec<Node>, LayersError> {
        let found = self.expand.bytes().saturating_sub(self.known);
        let taken = used + self.sets.bytes() + found;
        let all = (taken, self.budget);
        let (handled, below) =
            descend(self.expand, level, requests, range.clone(), self.crew, all, self.work)?;
        if below.overflows() || handled.iter().any(Handled::overflows) {
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
                for (digit, child) in handled.edges_of(i) {
                    let child = children[child as usize];
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
    fn last(&mut self, bitmaps: &Strings) -> Vec<Node> {
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
