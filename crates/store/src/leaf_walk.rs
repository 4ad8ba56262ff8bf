//! Reading values that are kept as leaves: of one position, of all, or piece by piece.

use crate::cache::Chunk;
use crate::error::StoreError;
use crate::files::Opened;
use crate::leaf_file::LeavesHead;
use crate::store::Store;
use crate::value_file::Body;
use std::ops::Range;
use std::sync::Arc;
use winset_index::{
    Digit, Index, LeafError, LeafFrame, LeafNodes, LeafReader, LeafRun, LeafValues, Leaves, Level, Planes,
};

impl Opened {
    /// What is said about leaves, and of which states they are.
    pub fn leaves(&self) -> Result<(&LeavesHead, &LeafFrame), StoreError> {
        match (&self.values()?.body, &self.frame) {
            (Body::Leaves(head), Some(frame)) => Ok((head, frame)),
            _ => Err(self.file.damaged("these are not leaves")),
        }
    }

    /// All values, in `room` bytes of memory, of a layer that is kept as leaves.
    pub fn read_leaves(&self, index: &Index, room: u64) -> Result<Planes, StoreError> {
        let (head, frame) = self.leaves()?;
        let known = |(level, &digits): (&Level, &usize)| level.digit.iter().all(|&d| usize::from(d) < digits);
        if !index.levels().iter().zip(frame.digits()).all(known) {
            return Err(self.file.damaged("its set has a digit without meaning"));
        }
        let bits = self.values()?.bits[0];
        let mut left = room.saturating_sub((index.len() / 64 + 2).saturating_mul(8 * u64::from(bits)));
        let mut take = |bytes: usize| {
            // Lists grow by doubling.
            left = left.checked_sub(2 * bytes as u64).filter(|&left| left > 0)?;
            Some(())
        };
        let too_large = || self.file.too_large(room);
        take(0).ok_or_else(too_large)?;
        let mut values = LeafValues { order: head.order.clone(), root: head.root, ..Default::default() };
        for level in 0..frame.level() {
            let mut all = LeafNodes::default();
            let mut at = 0;
            while at < head.map.items[level] {
                let (nodes, range) = self.leaf_nodes(level, at)?;
                take(nodes.bytes()).ok_or_else(too_large)?;
                if all.digit.len() + nodes.digit.len() > u32::MAX as usize {
                    return Err(too_large());
                }
                all.append(&nodes);
                at = range.end;
            }
            values.levels.push(all);
        }
        let mut at = 0;
        while at < head.map.items[frame.level()] {
            let (leaves, range) = self.some_leaves(at)?;
            take(leaves.bytes()).ok_or_else(too_large)?;
            let wrong = || self.file.damaged("its leaves do not fit together");
            values.leaves.append(frame, leaves.runs(), leaves.bits()).ok_or_else(wrong)?;
            at = range.end;
        }
        let mut planes = Planes::new(index.len(), bits as usize);
        values.expand(frame, index, &mut planes);
        Ok(planes)
    }

    /// That every node and every leaf can be read.
    pub fn check_leaves(&self) -> Result<(), StoreError> {
        let (head, frame) = self.leaves()?;
        for (level, &items) in head.map.items.iter().enumerate() {
            let mut at = 0;
            while at < items {
                at = match level < frame.level() {
                    true => self.leaf_nodes(level, at)?.1.end,
                    false => self.some_leaves(at)?.1.end,
                };
            }
        }
        Ok(())
    }

    /// The chunk with a node of a level, and which nodes those are.
    fn leaf_nodes(&self, level: usize, node: u64) -> Result<(LeafNodes, Range<u64>), StoreError> {
        let (head, _) = self.leaves()?;
        let found = head.map.find(level, node);
        let (chunk, range) = found.ok_or_else(|| self.file.damaged("a node is missing"))?;
        let raw = self.file.chunk(chunk)?;
        Ok((head.nodes(&self.file, level, range.end - range.start, &raw)?, range))
    }

    /// The chunk with a leaf, and which leaves those are.
    fn some_leaves(&self, leaf: u64) -> Result<(Leaves, Range<u64>), StoreError> {
        let (head, frame) = self.leaves()?;
        let found = head.map.find(frame.level(), leaf);
        let (chunk, range) = found.ok_or_else(|| self.file.damaged("a leaf is missing"))?;
        let raw = self.file.chunk(chunk)?;
        Ok((head.leaves(&self.file, frame, range.end - range.start, &raw)?, range))
    }
}

impl Store {
    /// The code of a state of a layer that is kept as leaves.
    pub(crate) fn leaf_value(
        &self,
        layer: u32,
        opened: &Opened,
        digits: &[Digit],
    ) -> Result<u64, StoreError> {
        let (head, frame) = opened.leaves()?;
        if !digits.iter().zip(frame.digits()).all(|(&digit, &digits)| usize::from(digit) < digits) {
            return Err(opened.file.damaged("its set has a digit without meaning"));
        }
        let mut digits = digits.to_vec();
        frame.keep(&mut digits);
        let best = u64::from(head.order[0]);
        let Some(mut at) = head.root else { return Ok(best) };
        for (level, &digit) in digits[..frame.level()].iter().enumerate() {
            let missing = || opened.file.damaged("a node is missing");
            let (number, range) = head.map.find(level, at).ok_or_else(missing)?;
            let load = || Ok(Chunk::Nodes(opened.leaf_nodes(level, at)?.0));
            let loaded = self.cached(layer, number, load)?;
            let Chunk::Nodes(nodes) = &*loaded else { return Err(opened.file.damaged("not nodes")) };
            match nodes.step((at - range.start) as usize, digit) {
                Some(child) => at = child,
                None => return Ok(best),
            }
        }
        let missing = || opened.file.damaged("a leaf is missing");
        let (number, range) = head.map.find(frame.level(), at).ok_or_else(missing)?;
        let load = || Ok(Chunk::Leaves(opened.some_leaves(at)?.0));
        let loaded = self.cached(layer, number, load)?;
        let Chunk::Leaves(leaves) = &*loaded else { return Err(opened.file.damaged("not leaves")) };
        let leaf = leaves.get(frame, at - range.start).ok_or_else(missing)?;
        let place = frame.place(frame.local(&digits[frame.level()..]));
        Ok(head.order[place.map_or(0, |place| leaf.outcome(place))].into())
    }
}

/// The values of a layer as leaves, read piece by piece.
#[derive(Debug)]
pub struct StoredLeaves {
    opened: Arc<Opened>,
    order: Vec<u16>,
    root: Option<u64>,
}

impl StoredLeaves {
    /// Of an opened file of values.
    pub(crate) fn new(opened: Arc<Opened>) -> Result<Self, StoreError> {
        let (head, _) = opened.leaves()?;
        let (order, root) = (head.order.clone(), head.root);
        Ok(StoredLeaves { opened, order, root })
    }

    fn head(&self) -> Result<&LeavesHead, StoreError> {
        Ok(self.opened.leaves()?.0)
    }
}

impl LeafReader for StoredLeaves {
    fn frame(&self) -> &LeafFrame {
        self.opened.frame.as_deref().expect("there are leaves")
    }

    fn order(&self) -> &[u16] {
        &self.order
    }

    fn root(&self) -> Option<u64> {
        self.root
    }

    fn nodes(&self, level: usize) -> u64 {
        self.head().map_or(0, |head| head.map.items[level])
    }

    fn read_nodes(&self, level: usize, range: Range<u64>) -> Result<LeafNodes, LeafError> {
        let mut made = LeafNodes::default();
        let mut at = range.start;
        while at < range.end {
            let (nodes, here) = self.opened.leaf_nodes(level, at)?;
            let end = here.end.min(range.end);
            for node in (at - here.start) as usize..(end - here.start) as usize {
                let edges = nodes.edges(node);
                made.digit.extend_from_slice(&nodes.digit[edges.clone()]);
                made.child.extend_from_slice(&nodes.child[edges]);
                made.finish_node();
            }
            at = end;
        }
        Ok(made)
    }

    fn read_leaves(&self, range: Range<u64>) -> Result<Leaves, LeafError> {
        let (mut runs, mut bits): (Vec<LeafRun>, Vec<u8>) = (vec![], vec![]);
        let frame = self.frame();
        let mut at = range.start;
        while at < range.end {
            let (leaves, here) = self.opened.some_leaves(at)?;
            let (from, end) = (at - here.start, here.end.min(range.end) - here.start);
            let (mut first, mut offset) = (0, 0);
            for run in leaves.runs() {
                let each = frame.plane_bytes(run.class).unwrap_or(0) * run.planes.count_ones() as usize;
                let count = u64::from(run.count);
                let (begin, stop) = (from.max(first), end.min(first + count));
                if begin < stop {
                    let bytes = |leaf: u64| offset + (leaf - first) as usize * each;
                    bits.extend_from_slice(&leaves.bits()[bytes(begin)..bytes(stop)]);
                    let count = (stop - begin) as u32;
                    match runs.last_mut() {
                        Some(last) if (last.class, last.planes) == (run.class, run.planes) => {
                            last.count += count;
                        }
                        _ => runs.push(LeafRun { count, ..*run }),
                    }
                }
                (first, offset) = (first + count, offset + each * run.count as usize);
            }
            at = here.start + end;
        }
        let mut made = Leaves::default();
        made.append(frame, &runs, &bits).ok_or("the leaves do not fit together")?;
        Ok(made)
    }
}
