//! Relations as sets of interned tuples, with indexes on whatever is bound.
//!
//! A position is a path into a tuple, so that `(true (cell ?x ?y b))` is found by the `b` deep inside of
//! its single argument just as a flat relation would be.

use crate::ground::core::Pattern;
use crate::ground::terms::{TermId, Terms, hash_ids};
use crate::syntax::symbols::Symbol;
use hashbrown::HashTable;
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// A position in a tuple: the argument, then positions inside of it.
pub(crate) type Path = Vec<u16>;

/// What is known of a tuple before it is looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Known {
    /// Positions that must hold this function with this many arguments.
    pub functors: Vec<(Path, Symbol, u16)>,
    /// Positions whose terms are known.
    pub values: Vec<Path>,
}

struct Index {
    known: Known,
    map: FxHashMap<u64, Vec<u32>>,
    upto: usize,
}

/// A set of tuples in the order they were found.
pub(crate) struct Relation {
    pub arity: usize,
    data: Vec<TermId>,
    count: usize,
    table: HashTable<u32>,
    indexes: Vec<Index>,
    distinct: RefCell<FxHashMap<Path, (usize, f64)>>,
}

fn tuple_at(data: &[TermId], arity: usize, i: usize) -> &[TermId] {
    &data[i * arity..(i + 1) * arity]
}

fn subterm(tuple: &[TermId], path: &[u16], terms: &Terms) -> TermId {
    terms.at(tuple[path[0] as usize], &path[1..])
}

impl Relation {
    pub fn new(arity: usize) -> Self {
        Relation {
            arity,
            data: Vec::new(),
            count: 0,
            table: HashTable::new(),
            indexes: Vec::new(),
            distinct: RefCell::default(),
        }
    }

    pub fn len(&self) -> usize {
        self.count
    }

    pub fn tuple(&self, i: usize) -> &[TermId] {
        tuple_at(&self.data, self.arity, i)
    }

    pub fn find(&self, tuple: &[TermId]) -> Option<u32> {
        let hash = hash_ids(0, tuple);
        self.table.find(hash, |i| self.tuple(*i as usize) == tuple).copied()
    }

    /// Adds a tuple; whether it is new.
    pub fn insert(&mut self, tuple: &[TermId]) -> bool {
        let hash = hash_ids(0, tuple);
        let (data, arity) = (&self.data, self.arity);
        if self.table.find(hash, |i| tuple_at(data, arity, *i as usize) == tuple).is_some() {
            return false;
        }
        self.data.extend_from_slice(tuple);
        let (data, arity) = (&self.data, self.arity);
        self.table
            .insert_unique(hash, self.count as u32, |i| hash_ids(0, tuple_at(data, arity, *i as usize)));
        self.count += 1;
        true
    }

    /// The number of an index on what is known, made if there is none, and up to date.
    pub fn index(&mut self, known: &Known, terms: &Terms) -> usize {
        let at = match self.indexes.iter().position(|i| i.known == *known) {
            Some(at) => at,
            None => {
                self.indexes.push(Index { known: known.clone(), map: FxHashMap::default(), upto: 0 });
                self.indexes.len() - 1
            }
        };
        self.refresh(at, terms);
        at
    }

    fn refresh(&mut self, at: usize, terms: &Terms) {
        let index = &mut self.indexes[at];
        let mut key = Vec::new();
        while index.upto < self.count {
            let tuple = tuple_at(&self.data, self.arity, index.upto);
            if has_functors(tuple, &index.known, terms) {
                key.clear();
                key.extend(index.known.values.iter().map(|p| subterm(tuple, p, terms)));
                index.map.entry(hash_ids(1, &key)).or_default().push(index.upto as u32);
            }
            index.upto += 1;
        }
    }

    /// Tuples that may have these values at the positions of an index, in the order they were found. The
    /// caller compares: different values can share a key.
    pub fn lookup(&self, index: usize, values: &[TermId]) -> &[u32] {
        self.indexes[index].map.get(&hash_ids(1, values)).map_or(&[], Vec::as_slice)
    }

    /// How many tuples are to be expected for known positions, assuming that they are independent.
    pub fn estimate(&self, known: &Known, terms: &Terms) -> f64 {
        let mut expected = self.count as f64;
        for (path, functor, arity) in &known.functors {
            let key: Path =
                path.iter().copied().chain([u16::MAX, (functor.0 >> 16) as u16, functor.0 as u16]).collect();
            expected *= self.statistic(key, || {
                self.sample(|tuple| {
                    subterm_checked(tuple, path, terms)
                        .filter(|t| terms.functor(*t) == *functor && terms.args(*t).len() == *arity as usize)
                        .map(|_| 0)
                })
                .1
            });
        }
        for path in &known.values {
            let values =
                self.statistic(path.clone(), || self.sample(|tuple| subterm_checked(tuple, path, terms)).0);
            expected /= values.max(1.0);
        }
        expected
    }

    fn statistic(&self, key: Path, compute: impl FnOnce() -> f64) -> f64 {
        if let Some((count, value)) = self.distinct.borrow().get(&key)
            && self.count <= *count * 2
        {
            return *value;
        }
        let value = compute();
        self.distinct.borrow_mut().insert(key, (self.count, value));
        value
    }

    /// Distinct values and the share of tuples that have one, from a sample.
    fn sample(&self, value: impl Fn(&[TermId]) -> Option<TermId>) -> (f64, f64) {
        const SAMPLE: usize = 2000;
        let step = (self.count / SAMPLE).max(1);
        let mut seen = rustc_hash::FxHashSet::default();
        let (mut looked, mut having) = (0usize, 0usize);
        for i in (0..self.count).step_by(step) {
            looked += 1;
            if let Some(v) = value(self.tuple(i)) {
                having += 1;
                seen.insert(v);
            }
        }
        let all_different = having > 0 && seen.len() * 10 > having * 9;
        let scale = if all_different { step as f64 } else { 1.0 };
        (seen.len() as f64 * scale, having as f64 / looked.max(1) as f64)
    }

    /// An estimate of the memory in bytes.
    pub fn bytes(&self) -> usize {
        let indexed: usize = self.indexes.iter().map(|i| i.upto * 4 + i.map.len() * 48).sum();
        self.data.len() * 4 + self.count * 8 + indexed
    }
}

fn subterm_checked(tuple: &[TermId], path: &[u16], terms: &Terms) -> Option<TermId> {
    path[1..].iter().try_fold(tuple[path[0] as usize], |t, i| terms.args(t).get(*i as usize).copied())
}

fn has_functors(tuple: &[TermId], known: &Known, terms: &Terms) -> bool {
    known.functors.iter().all(|(path, functor, arity)| {
        let term = subterm(tuple, path, terms);
        terms.functor(term) == *functor && terms.args(term).len() == *arity as usize
    })
}

/// What is known of a literal's tuple when some variables are bound, with the patterns at those positions.
pub(crate) fn known(args: &[Pattern], bound: &[bool]) -> (Known, Vec<Pattern>) {
    let mut out = (Known { functors: Vec::new(), values: Vec::new() }, Vec::new());
    for (i, arg) in args.iter().enumerate() {
        walk(arg, vec![i as u16], bound, &mut out);
    }
    out
}

fn is_bound(pattern: &Pattern, bound: &[bool]) -> bool {
    let mut all = true;
    pattern.variables(&mut |v| all &= bound[v as usize]);
    all
}

fn walk(pattern: &Pattern, path: Path, bound: &[bool], out: &mut (Known, Vec<Pattern>)) {
    if is_bound(pattern, bound) {
        out.0.values.push(path);
        out.1.push(pattern.clone());
        return;
    }
    if let Pattern::Function(functor, args) = pattern {
        out.0.functors.push((path.clone(), *functor, args.len() as u16));
        for (i, arg) in args.iter().enumerate() {
            let mut inner = path.clone();
            inner.push(i as u16);
            walk(arg, inner, bound, out);
        }
    }
}

pub(crate) const UNBOUND: TermId = TermId::MAX;

/// Matches a term and binds variables; what was bound is added to `trail`, also when it fails.
pub(crate) fn matches(
    pattern: &Pattern,
    term: TermId,
    bindings: &mut [TermId],
    trail: &mut Vec<u32>,
    terms: &Terms,
) -> bool {
    match pattern {
        Pattern::Var(v) => {
            let slot = &mut bindings[*v as usize];
            if *slot == UNBOUND {
                *slot = term;
                trail.push(*v);
                return true;
            }
            *slot == term
        }
        Pattern::Const(t) => *t == term,
        Pattern::Function(functor, args) => {
            terms.functor(term) == *functor
                && terms.args(term).len() == args.len()
                && args
                    .iter()
                    .enumerate()
                    .all(|(i, a)| matches(a, terms.args(term)[i], bindings, trail, terms))
        }
    }
}
