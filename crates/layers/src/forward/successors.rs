//! Requests for the successors of sets, and for the part of a set where conditions hold.

use crate::error::LayersError;
use crate::forward::leaves::{LeafSets, Leaves};
use crate::rules::conjunction::{ALWAYS, Conj, Conjunctions, NEVER};
use crate::rules::relation::{IDENTITY, Rel, Relations};
use crate::rules::rules_of_game::Rules;
use crate::sets::build::{Expand, Missing};
use crate::sets::set::{Level, Node};
use rustc_hash::FxHashMap;
use winset_index::Digit;

/// The most relation nodes of a level that an item can name.
const REL_BITS: u32 = 22;

/// Where an item's source begins; what is left numbers the sources.
const SOURCE_SHIFT: u32 = 32 + REL_BITS;

/// The images of several sets under several relations, as one set.
pub struct Successors<'a> {
    /// The rules.
    pub rules: &'a mut Rules,
    /// Lists of conditions.
    pub conjs: &'a mut Conjunctions,
    /// The relations.
    pub relations: &'a mut Relations,
    /// The diagrams of the sets.
    pub sources: Vec<&'a [Level]>,
    /// The number of digits of each block.
    pub digits: Vec<usize>,
    /// The digits of the last level's nodes of each source, as bits.
    pub bitmaps: Vec<Vec<u64>>,
}

/// The digits of every node of a level, as bits: for each node as many words as the digits need.
pub fn bitmaps(level: &Level, digits: usize) -> Vec<u64> {
    let words = digits.div_ceil(64);
    let mut bits = vec![0; level.nodes() * words];
    for node in 0..level.nodes() {
        for at in level.edges(node as Node) {
            let digit = level.digit[at] as usize;
            bits[node * words + digit / 64] |= 1 << (digit % 64);
        }
    }
    bits
}

/// The places of the ones in a word, from the lowest.
pub fn ones(mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let lowest = (word != 0).then(|| word.trailing_zeros());
        word &= word.wrapping_sub(1);
        lowest
    })
}

/// The item for a node of a source and a relation; none if they are too many.
pub fn item(source: usize, node: Node, rel: Rel) -> u64 {
    (source as u64) << SOURCE_SHIFT | u64::from(rel) << 32 | u64::from(node)
}

/// The source, the relation and the node that an item names.
#[inline]
pub fn named(item: u64) -> (usize, Rel, Node) {
    ((item >> SOURCE_SHIFT) as usize, (item >> 32) as Rel & ((1 << REL_BITS) - 1), item as Node)
}

/// More sources or relations than an item can name.
pub fn too_many(sources: usize, relations: &Relations) -> bool {
    sources >= 1 << (64 - SOURCE_SHIFT) || relations.widest() >= 1 << REL_BITS
}

impl Successors<'_> {
    /// The item asks for a set as it is.
    pub fn is_identity(item: u64) -> bool {
        (item >> 32) as Rel & ((1 << REL_BITS) - 1) == IDENTITY
    }
}

impl Expand for Successors<'_> {
    fn digits(&self) -> &[usize] {
        &self.digits
    }

    fn expand(&self, level: usize, item: u64, out: &mut Vec<(Digit, u64)>, missing: &mut Vec<Missing>) {
        let (source, rel, node) = named(item);
        let here = &self.sources[source][level];
        let below = |rel, child| self::item(source, child, rel);
        for at in here.edges(node) {
            let (digit, child) = (here.digit[at], here.child[at]);
            if rel == IDENTITY {
                out.push((digit, below(IDENTITY, child)));
            } else {
                match self.relations.known_steps(level, rel, digit) {
                    Some(steps) => out.extend(steps.iter().map(|&(next, rel)| (next, below(rel, child)))),
                    None => missing.push(Missing { level, what: rel, digit }),
                }
            }
        }
    }

    fn last(&self, item: u64, out: &mut [u64], missing: &mut Vec<Missing>) {
        let level = self.digits.len() - 1;
        let rel = (item >> 32) as Rel & ((1 << REL_BITS) - 1);
        let source = (item >> SOURCE_SHIFT) as usize;
        if rel == IDENTITY {
            let bits = &self.bitmaps[source][item as u32 as usize * out.len()..];
            return out.iter_mut().zip(bits).for_each(|(out, bits)| *out |= bits);
        }
        let bits = &self.bitmaps[source][item as u32 as usize * out.len()..];
        let known = self.relations.known(level, rel);
        for (word, (&bits, &(known, leads))) in bits.iter().zip(known).enumerate() {
            for digit in ones(bits & !known) {
                missing.push(Missing { level, what: rel, digit: (word as u32 * 64 + digit) as Digit });
            }
            for digit in ones(bits & leads) {
                let digit = (word as u32 * 64 + digit) as Digit;
                for &(next, _) in self.relations.known_steps(level, rel, digit).unwrap_or_default() {
                    out[next as usize / 64] |= 1 << (next % 64);
                }
            }
        }
    }

    fn provide(&mut self, missing: &[Missing]) -> Result<(), LayersError> {
        for m in missing {
            self.relations.steps(self.rules, self.conjs, m.level, m.what, m.digit)?;
        }
        Ok(())
    }

    fn bytes(&self) -> u64 {
        self.relations.bytes_with(self.rules, self.conjs)
    }
}

/// The states of a set where all of a list of conditions hold.
pub struct Filter<'a> {
    /// The rules.
    pub rules: &'a Rules,
    /// Lists of conditions.
    pub conjs: &'a mut Conjunctions,
    /// The diagram of the set.
    pub source: &'a [Level],
    /// The number of digits of each block.
    pub digits: Vec<usize>,
    /// For each level and list what is left of it after each digit.
    rows: Vec<FxHashMap<Conj, Box<[Conj]>>>,
    /// For each list at the last level the digits after which it holds, as bits.
    masks: FxHashMap<Conj, Box<[u64]>>,
    bitmaps: Vec<u64>,
    /// What is below the diagram, if that has not all levels.
    pub leaf: Option<LeafConditions<'a>>,
    /// About what rows and masks take, and how much that and new lists may be.
    rows_bytes: u64,
    most_bytes: u64,
}

/// The sets of leaf states below a diagram, and what is known about conditions there.
pub struct LeafConditions<'a> {
    /// What is known.
    pub leaves: &'a mut Leaves,
    /// The sets.
    pub sets: &'a LeafSets,
}

impl<'a> Filter<'a> {
    /// Filters the sets of a diagram.
    pub fn new(
        rules: &'a Rules,
        conjs: &'a mut Conjunctions,
        source: &'a [Level],
        digits: Vec<usize>,
        budget: Option<u64>,
    ) -> Self {
        let rows = vec![FxHashMap::default(); digits.len()];
        let last = digits.len() - 1;
        let bitmaps = source.get(last).map_or(vec![], |level| bitmaps(level, digits[last]));
        let most_bytes = budget.map_or(u64::MAX, |budget| budget.saturating_add(conjs.bytes()));
        let masks = FxHashMap::default();
        Filter { rules, conjs, source, digits, rows, masks, bitmaps, leaf: None, rows_bytes: 0, most_bytes }
    }

    /// The item for a node and a list of conditions.
    pub fn item(node: Node, conj: Conj) -> u64 {
        u64::from(conj) << 32 | u64::from(node)
    }

    /// The node and the list of conditions of an item.
    #[inline]
    pub fn named(item: u64) -> (Node, Conj) {
        (item as Node, (item >> 32) as Conj)
    }

    /// Whether there is a state where not all conditions hold, or one where they do. Looks no further than
    /// needed.
    pub fn has(&mut self, root: Node, conj: Conj, all_hold: bool) -> Result<bool, LayersError> {
        let mut seen = vec![rustc_hash::FxHashSet::default(); self.digits.len()];
        self.has_below(&mut seen, 0, root, conj, if all_hold { ALWAYS } else { NEVER })
    }

    fn has_below(
        &mut self,
        seen: &mut [rustc_hash::FxHashSet<u64>],
        level: usize,
        node: Node,
        conj: Conj,
        wanted: Conj,
    ) -> Result<bool, LayersError> {
        if conj <= NEVER {
            return Ok(conj == wanted);
        }
        if !seen[level].insert(Self::item(node, conj)) {
            return Ok(false);
        }
        if let Some(leaf) = self.leaf.as_mut().filter(|_| level == self.source.len()) {
            return Ok(leaf.has((self.rules, self.conjs), node, conj, wanted == ALWAYS));
        }
        self.row(level, conj)?;
        for at in self.source[level].edges(node) {
            let (digit, child) = (self.source[level].digit[at], self.source[level].child[at]);
            let rest = self.rows[level][&conj][digit as usize];
            if self.has_below(seen, level + 1, child, rest, wanted)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn row(&mut self, level: usize, conj: Conj) -> Result<(), LayersError> {
        if self.rows[level].contains_key(&conj) {
            return Ok(());
        }
        let row = (0..self.digits[level])
            .map(|digit| self.conjs.step(self.rules, level, conj, digit as Digit))
            .collect::<Box<[Conj]>>();
        if level + 1 == self.digits.len() {
            let mut mask = vec![0; self.digits[level].div_ceil(64)];
            for (digit, _) in row.iter().enumerate().filter(|(_, rest)| **rest == ALWAYS) {
                mask[digit / 64] |= 1 << (digit % 64);
            }
            self.masks.insert(conj, mask.into());
        }
        self.rows_bytes += row.len() as u64 * 4 + 64;
        self.rows[level].insert(conj, row);
        LayersError::check_memory(self.bytes(), Some(self.most_bytes))
    }
}

impl Expand for Filter<'_> {
    fn digits(&self) -> &[usize] {
        &self.digits
    }

    fn expand(&self, level: usize, item: u64, out: &mut Vec<(Digit, u64)>, missing: &mut Vec<Missing>) {
        let conj = (item >> 32) as Conj;
        let here = &self.source[level];
        let edges = here.edges(item as Node);
        if conj == ALWAYS {
            out.extend(edges.map(|at| (here.digit[at], Self::item(here.child[at], ALWAYS))));
            return;
        }
        let Some(row) = self.rows[level].get(&conj) else {
            return missing.push(Missing { level, what: conj, digit: 0 });
        };
        for at in edges {
            let rest = row[here.digit[at] as usize];
            if rest != NEVER {
                out.push((here.digit[at], Self::item(here.child[at], rest)));
            }
        }
    }

    fn last(&self, item: u64, out: &mut [u64], missing: &mut Vec<Missing>) {
        let level = self.digits.len() - 1;
        let conj = (item >> 32) as Conj;
        let bits = &self.bitmaps[item as u32 as usize * out.len()..];
        if conj == ALWAYS {
            return out.iter_mut().zip(bits).for_each(|(out, bits)| *out |= bits);
        }
        match self.masks.get(&conj) {
            Some(mask) => {
                out.iter_mut().zip(bits.iter().zip(mask)).for_each(|(out, (bits, mask))| *out |= bits & mask)
            }
            None => missing.push(Missing { level, what: conj, digit: 0 }),
        }
    }

    fn provide(&mut self, missing: &[Missing]) -> Result<(), LayersError> {
        for m in missing {
            self.row(m.level, m.what)?;
        }
        Ok(())
    }

    fn bytes(&self) -> u64 {
        self.rows_bytes + self.conjs.bytes()
    }
}
