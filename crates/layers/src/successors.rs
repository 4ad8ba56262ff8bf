//! Requests for the successors of sets, and for the part of a set where conditions hold.

use crate::build::{Expand, Missing};
use crate::conjunction::{ALWAYS, Conj, Conjunctions, NEVER};
use crate::error::LayersError;
use crate::relation::{IDENTITY, Rel, Relations};
use crate::rules::Rules;
use crate::set::{Level, Node};
use rustc_hash::FxHashMap;
use winset_index::Digit;

/// The most relation nodes of a level that an item can name.
const REL_BITS: u32 = 26;

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
}

/// The item for a node of a source and a relation; none if they are too many.
pub fn item(source: usize, node: Node, rel: Rel) -> u64 {
    (source as u64) << 58 | u64::from(rel) << 32 | u64::from(node)
}

/// More sources or relations than an item can name.
pub fn too_many(sources: usize, relations: &Relations) -> bool {
    sources > 64 || relations.widest() >= 1 << REL_BITS
}

impl Expand for Successors<'_> {
    fn digits(&self) -> &[usize] {
        &self.digits
    }

    fn expand(&self, level: usize, item: u64, out: &mut Vec<(Digit, u64)>, missing: &mut Vec<Missing>) {
        let source = item >> 58;
        let rel = (item >> 32) as Rel & ((1 << REL_BITS) - 1);
        let here = &self.sources[source as usize][level];
        let below = |rel: Rel, child: Node| source << 58 | u64::from(rel) << 32 | u64::from(child);
        for at in here.edges(item as Node) {
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
        let here = &self.sources[(item >> 58) as usize][level];
        for at in here.edges(item as Node) {
            let digit = here.digit[at];
            if rel == IDENTITY {
                out[digit as usize / 64] |= 1 << (digit % 64);
            } else {
                match self.relations.known_steps(level, rel, digit) {
                    Some(steps) => {
                        for &(next, _) in steps {
                            out[next as usize / 64] |= 1 << (next % 64);
                        }
                    }
                    None => missing.push(Missing { level, what: rel, digit }),
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
}

impl<'a> Filter<'a> {
    /// Filters the sets of a diagram.
    pub fn new(rules: &'a Rules, conjs: &'a mut Conjunctions, source: &'a [Level], digits: Vec<usize>) -> Self {
        let rows = vec![FxHashMap::default(); digits.len()];
        Filter { rules, conjs, source, digits, rows }
    }

    /// The item for a node and a list of conditions.
    pub fn item(node: Node, conj: Conj) -> u64 {
        u64::from(conj) << 32 | u64::from(node)
    }

    /// Whether there is a state where not all conditions hold. Looks no further than needed.
    pub fn takes(&mut self, root: Node, conj: Conj) -> bool {
        let mut seen = vec![rustc_hash::FxHashSet::default(); self.digits.len()];
        self.takes_below(&mut seen, 0, root, conj)
    }

    fn takes_below(
        &mut self,
        seen: &mut [rustc_hash::FxHashSet<u64>],
        level: usize,
        node: Node,
        conj: Conj,
    ) -> bool {
        if conj <= NEVER {
            return conj == NEVER;
        }
        if !seen[level].insert(Self::item(node, conj)) {
            return false;
        }
        self.row(level, conj);
        for at in self.source[level].edges(node) {
            let (digit, child) = (self.source[level].digit[at], self.source[level].child[at]);
            let rest = self.rows[level][&conj][digit as usize];
            if self.takes_below(seen, level + 1, child, rest) {
                return true;
            }
        }
        false
    }

    fn row(&mut self, level: usize, conj: Conj) {
        if self.rows[level].contains_key(&conj) {
            return;
        }
        let frame = &self.rules.frame;
        let (conds, first) = (&self.rules.conds, frame.first[level]);
        let row = (0..self.digits[level])
            .map(|digit| self.conjs.follow(conds, conj, first, frame.values(level, digit as Digit)))
            .collect();
        self.rows[level].insert(conj, row);
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
        let here = &self.source[level];
        let row = self.rows[level].get(&conj);
        if conj != ALWAYS && row.is_none() {
            return missing.push(Missing { level, what: conj, digit: 0 });
        }
        for at in here.edges(item as Node) {
            let digit = here.digit[at] as usize;
            if row.is_none_or(|row| row[digit] == ALWAYS) {
                out[digit / 64] |= 1 << (digit % 64);
            }
        }
    }

    fn provide(&mut self, missing: &[Missing]) -> Result<(), LayersError> {
        for m in missing {
            self.row(m.level, m.what);
        }
        Ok(())
    }
}
