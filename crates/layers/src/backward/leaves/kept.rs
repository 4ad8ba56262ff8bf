//! Values as a store keeps them: the same nodes and leaves, numbered without gaps, part by part; and back.

use crate::backward::leaves::ByLeaves;
use crate::backward::leaves::diagram::{ABSENT, LayerValues, PAGE, Page, Part, words};
use crate::backward::leaves::held::Drawer;
use crate::backward::leaves::mirror::Half;
use crate::backward::leaves::places::Places;
use crate::error::LayersError;
use crate::sets::layer::Layer;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use winset_index::{
    Digit, LeafFrame, LeafNodes, LeafPart, LeafReader, LeafRun, LeafSource, Leaves, MirrorLevel,
};
use winset_model::Code;

/// Which states belong together, as a store says it.
pub fn frame(places: &Places, half: Option<&Half>, digits: &[usize]) -> Option<LeafFrame> {
    let class = |state: u32| places.place(state).map_or(0, |(class, _)| class + 1);
    let classes = (0..places.len() as u32).map(class).collect();
    let level = |(from, image): (usize, &[Digit])| MirrorLevel { from, image: image.to_vec() };
    let mirror = half.map(|half| half.mirror.levels().map(level).collect());
    LeafFrame::new(places.level, digits.to_vec(), classes, mirror)
}

/// Nodes without gaps, whose children get other numbers; and the number of the node that begins at each word.
fn nodes(from: &[u32], digits: usize, number: impl Fn(u32) -> u64) -> (LeafNodes, Vec<u32>) {
    let words = words(digits);
    let (mut made, mut numbers) = (LeafNodes::default(), vec![0; from.len()]);
    // Word 0 belongs to none.
    let mut at = 1;
    while at < from.len() {
        numbers[at] = made.len() as u32;
        let (masks, rest) = from[at..].split_at(words);
        let before = made.digit.len();
        for (word, &mask) in masks.iter().enumerate() {
            let mut left = mask;
            while left != 0 {
                made.digit.push((word * 32) as Digit + left.trailing_zeros() as Digit);
                left &= left - 1;
            }
        }
        let edges = made.digit.len() - before;
        made.child.extend(rest[..edges].iter().map(|&child| number(child)));
        made.finish_node();
        at += words + edges;
    }
    (made, numbers)
}

impl Part {
    /// The part as a store keeps it, and the new number of every node of its first level and of every leaf.
    fn export(&self, frame: &LeafFrame, places: &Places, digits: &[usize], roots: &[u32]) -> LeafPart {
        // Leaves of one class with the same planes follow each other, in the order in which they were made.
        let mut order: Vec<usize> = (1..self.pages.len()).collect();
        order.sort_by_key(|&page| (self.pages[page].class, self.pages[page].planes));
        let mut first = vec![0u64; self.pages.len()];
        let (mut runs, mut bits): (Vec<LeafRun>, Vec<u8>) = (vec![], Vec::with_capacity(self.bits.len() * 8));
        let mut number = 0;
        for page in order {
            first[page] = number;
            let Page { class, planes, at } = self.pages[page];
            let end = self.pages.get(page + 1).map_or(self.bits.len(), |next| next.at as usize);
            let width = places.words(class);
            let count = ((end - at as usize) / (width * planes.count_ones() as usize)) as u32;
            number += u64::from(count);
            match runs.last_mut() {
                Some(last) if (last.class, last.planes) == (class, planes) => last.count += count,
                _ => runs.push(LeafRun { class, planes, count }),
            }
            let bytes = frame.plane_bytes(class).unwrap_or(0);
            for plane in self.bits[at as usize..end].chunks_exact(width) {
                let begin = bits.len();
                plane.iter().for_each(|word| bits.extend_from_slice(&word.to_le_bytes()));
                bits.truncate(begin + bytes);
            }
        }
        let mut leaves = Leaves::default();
        let fits = leaves.append(frame, &runs, &bits);
        debug_assert!(fits.is_some(), "runs and bits belong together");
        let leaf = |leaf: u32| first[leaf as usize / PAGE] + u64::from(leaf) % PAGE as u64;
        let mut levels = vec![];
        let mut below: Option<Vec<u32>> = None;
        for (from, &digits) in self.levels.iter().zip(digits).rev() {
            let number = |child: u32| match &below {
                Some(numbers) => numbers[child as usize].into(),
                None => leaf(child),
            };
            let (made, numbers) = nodes(from, digits, number);
            levels.push(made);
            below = Some(numbers);
        }
        levels.reverse();
        let root =
            |&root: &u32| below.as_ref().map_or_else(|| leaf(root), |numbers| numbers[root as usize].into());
        LeafPart { levels, leaves, roots: roots.iter().map(root).collect() }
    }

    /// A part that a store has kept: n nodes of each level and leaves, which are numbered from `first` on in each.
    /// Also gives, for the first level or for the leaves, the numbers here.
    fn import(
        reader: &dyn LeafReader,
        places: &Places,
        digits: &[usize],
        (level, first): (usize, &[Range<u64>]),
    ) -> Result<(Part, Vec<u32>), LayersError> {
        let read = |error| LayersError::Source(error);
        let wrong = || LayersError::Past("a layer has other leaves");
        let all = first.last().ok_or_else(wrong)?;
        let leaves = reader.read_leaves(all.clone()).map_err(read)?;
        let mut part =
            Part { levels: vec![], pages: vec![Page { class: 0, planes: 0, at: 0 }], bits: vec![] };
        let mut below: Vec<u32> = Vec::with_capacity(leaves.len() as usize);
        let mut bytes = leaves.bits();
        for run in leaves.runs() {
            let (width, plane) =
                (places.words(run.class), reader.frame().plane_bytes(run.class).unwrap_or(0));
            let planes = run.planes.count_ones() as usize;
            for slot in 0..run.count as usize {
                if slot % PAGE == 0 {
                    let at = part.bits.len() as u64;
                    part.pages.push(Page { class: run.class, planes: run.planes, at });
                }
                below.push(((part.pages.len() - 1) * PAGE + slot % PAGE) as u32);
                for _ in 0..planes {
                    let (taken, rest) = bytes.split_at(plane);
                    bytes = rest;
                    let begin = part.bits.len();
                    part.bits.resize(begin + width, 0);
                    for (i, &byte) in taken.iter().enumerate() {
                        part.bits[begin + i / 8] |= u64::from(byte) << (i % 8 * 8);
                    }
                }
            }
        }
        let levels = first.len() - 1;
        for k in (0..levels).rev() {
            let nodes = reader.read_nodes(level + k, first[k].clone()).map_err(read)?;
            let words = words(digits[level + k]);
            let (mut made, mut numbers) = (vec![0u32], Vec::with_capacity(nodes.len()));
            for node in 0..nodes.len() {
                let at = made.len();
                numbers.push(u32::try_from(at).map_err(|_| wrong())?);
                made.resize(at + words, 0);
                for edge in nodes.edges(node) {
                    let digit = usize::from(nodes.digit[edge]);
                    if digit >= digits[level + k] {
                        return Err(wrong());
                    }
                    made[at + digit / 32] |= 1 << (digit % 32);
                    let child = nodes.child[edge].checked_sub(first[k + 1].start).ok_or_else(wrong)?;
                    made.push(*below.get(child as usize).ok_or_else(wrong)?);
                }
            }
            part.levels.push(made);
            below = numbers;
        }
        part.levels.reverse();
        Ok((part, below))
    }
}

/// The values of a solved layer, part by part.
pub struct SolvedLeaves<'a> {
    by: &'a ByLeaves,
    values: &'a LayerValues,
    frame: &'a LeafFrame,
    /// The number of digits of each block.
    digits: &'a [usize],
}

impl ByLeaves {
    /// The values of a layer, if they are known and can be kept.
    pub fn solved<'a>(&'a self, layer: &Layer, digits: &'a [usize]) -> Option<SolvedLeaves<'a>> {
        let (_, values) = self.known.get(&layer.measure)?;
        Some(SolvedLeaves { by: self, values, frame: self.frame.as_ref()?, digits })
    }

    /// Takes over the values of a layer that an earlier run has solved. Parts go into a drawer; so much memory is free.
    pub fn take_over(
        &mut self,
        layer: Arc<Layer>,
        reader: &dyn LeafReader,
        digits: &[usize],
        drawer: Drawer,
        free: u64,
    ) -> Result<(), LayersError> {
        let wrong = || LayersError::Past("a layer has other leaves");
        let mover = *self.movers.get(&layer.measure).ok_or_else(wrong)?;
        if self.frame.as_ref() != Some(reader.frame()) || reader.order() != self.orders[mover.index()] {
            return Err(wrong());
        }
        let (leaf, read) = (self.places.level, LayersError::Source);
        let (mut top, mut offsets): (Vec<Vec<u32>>, Vec<Vec<u32>>) = (vec![], vec![]);
        let mut tops = vec![];
        for (level, &of_level) in digits.iter().enumerate().take(self.top) {
            let nodes = reader.read_nodes(level, 0..reader.nodes(level)).map_err(read)?;
            let words = words(of_level);
            let mut at = 1;
            let mut begin = |node: usize| {
                let here = at;
                at += (words + nodes.edges(node).len()) as u32;
                here
            };
            offsets.push((0..nodes.len()).map(&mut begin).collect());
            tops.push(nodes);
        }
        // The parts in the order of their first digits, with the nodes that their tasks lead to.
        let mut found: Vec<(Vec<Digit>, u64)> = vec![];
        if let Some(root) = reader.root() {
            each_prefix(&tops, 0, root, &mut vec![], &mut |prefix, node| found.push((prefix.to_vec(), node)))
                .ok_or_else(wrong)?;
        }
        let mut values =
            LayerValues { top: vec![], root: ABSENT, below: vec![], parts: vec![], drawer, mover };
        // Where the nodes of the next part begin, level by level, and its leaves.
        let mut next = vec![0u64; leaf - self.top + 1];
        for bundle in found.chunk_by(|a, b| a.0[..self.cut] == b.0[..self.cut]) {
            let mut ranges = vec![];
            let mut end = bundle.iter().map(|(_, node)| node + 1).max().unwrap_or(0);
            for (k, next) in next.iter_mut().enumerate() {
                let range = *next..end.max(*next);
                *next = range.end;
                if self.top + k < leaf {
                    // What a part has is led to from above.
                    let nodes = reader.read_nodes(self.top + k, range.clone()).map_err(read)?;
                    end = nodes.child.iter().map(|child| child + 1).max().unwrap_or(0);
                }
                ranges.push(range);
            }
            let (part, numbers) = Part::import(reader, &self.places, digits, (self.top, &ranges))?;
            // Whoever solves a layer takes care that its parts fit; there may be less memory now.
            LayersError::check_memory(4 * part.bytes(), Some(free))?;
            for (_, node) in bundle {
                let node = node.checked_sub(ranges[0].start).ok_or_else(wrong)?;
                let node = *numbers.get(node as usize).ok_or_else(wrong)?;
                values.below.push((values.parts.len() as u32, node));
            }
            let held = values.drawer.put(part).map_err(|error| LayersError::io(&None, error))?;
            values.parts.push(held.ok_or_else(|| LayersError::memory(2 * (free + 1), free))?);
        }
        // In the order in which they are met the nodes below the last level are numbered from 1.
        let mut met = 0;
        for (level, nodes) in tops.iter().enumerate() {
            let words = words(digits[level]);
            let mut made = vec![0u32];
            for node in 0..nodes.len() {
                let at = made.len();
                made.resize(at + words, 0);
                for edge in nodes.edges(node) {
                    let digit = usize::from(nodes.digit[edge]);
                    if digit >= digits[level] {
                        return Err(wrong());
                    }
                    made[at + digit / 32] |= 1 << (digit % 32);
                    met += u32::from(level + 1 == self.top);
                    made.push(match offsets.get(level + 1) {
                        Some(below) => *below.get(nodes.child[edge] as usize).ok_or_else(wrong)?,
                        None => met,
                    });
                }
            }
            top.push(made);
        }
        if let Some(root) = reader.root() {
            values.root = *offsets.first().and_then(|first| first.get(root as usize)).ok_or_else(wrong)?;
        }
        if met as usize != values.below.len() {
            return Err(wrong());
        }
        values.top = top;
        self.known.insert(layer.measure, (layer, values));
        Ok(())
    }
}

/// Names the digits above the parts, in order, with the nodes below them.
fn each_prefix(
    top: &[LeafNodes],
    level: usize,
    node: u64,
    prefix: &mut Vec<Digit>,
    found: &mut impl FnMut(&[Digit], u64),
) -> Option<()> {
    let Some(nodes) = top.get(level) else {
        found(prefix, node);
        return Some(());
    };
    if node >= nodes.len() as u64 {
        return None;
    }
    for edge in nodes.edges(node as usize) {
        prefix.push(nodes.digit[edge]);
        each_prefix(top, level + 1, nodes.child[edge], prefix, found)?;
        prefix.pop();
    }
    Some(())
}

impl LeafSource for SolvedLeaves<'_> {
    fn frame(&self) -> &LeafFrame {
        self.frame
    }

    fn order(&self) -> &[Code] {
        &self.by.orders[self.values.mover.index()]
    }

    fn parts(&self) -> usize {
        self.values.parts.len()
    }

    fn part(&self, number: usize) -> io::Result<LeafPart> {
        let part = self.values.drawer.get(&self.values.parts[number])?;
        let below = self.values.below.iter().filter(|(part, _)| *part as usize == number);
        let roots: Vec<u32> = below.map(|&(_, node)| node).collect();
        Ok(part.export(self.frame, &self.by.places, &self.digits[self.by.top..], &roots))
    }

    fn top(&self) -> Vec<LeafNodes> {
        let mut levels = vec![];
        let mut below: Option<Vec<u32>> = None;
        for (from, &digits) in self.values.top.iter().zip(self.digits).rev() {
            let number = |child: u32| match &below {
                Some(numbers) => numbers[child as usize].into(),
                None => u64::from(child) - 1,
            };
            let (made, numbers) = nodes(from, digits, number);
            levels.push(made);
            below = Some(numbers);
        }
        levels.reverse();
        levels
    }

    fn root(&self) -> Option<u64> {
        // Nothing else is on the first level.
        (self.values.root != ABSENT).then_some(0)
    }
}
