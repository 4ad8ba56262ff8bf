//! Sets and values between two forms: binary diagrams of the manager, and levelled diagrams over the variables' values,
//! in which a level is a variable, in the manager's order, and a digit is its value. Neither way looks at states one by
//! one.

use crate::diagram::Diagram;
use crate::error::SymbolicError;
use crate::flat::{Flat, NONE};
use crate::space::Space;
use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHasher};
use std::hash::Hasher;
use winset_index::{
    Blocks, Digit, Index, IndexError, Level, ValueDiagram, ValueDiagramBuilder, ValueRef, leaf,
};
use winset_model::VarId;

impl<F: Diagram> Space<F> {
    /// The levels of levelled diagrams: a block for each variable, from the root down, with all its values as digits.
    pub fn blocks(&self) -> Blocks {
        let groups = self.order().iter().map(|&var| vec![var]).collect();
        let mut blocks = Blocks::new(groups, self.variables()).expect("every variable has one place");
        for (block, &var) in blocks.blocks.iter_mut().zip(self.order()) {
            for value in 0..self.place(var).codes.len() {
                block.add(&[value as u16]).expect("values are numbered as digits are");
            }
        }
        blocks
    }

    /// A set as a levelled diagram with counts.
    ///
    /// ```
    /// use winset_symbolic::{Bcdd, Options, Symbolic};
    /// let game = winset_games::build("tictactoe", None, &Default::default()).unwrap();
    /// let options = Options { memory: 64 << 20, ..Options::default() };
    /// let symbolic = Symbolic::<Bcdd>::from_game(&game, &options).unwrap();
    /// let second = symbolic.image(&symbolic.initial).unwrap();
    /// let index = symbolic.space.index(&second).unwrap();
    /// assert_eq!(index.len(), 9);
    /// assert!(symbolic.space.set_of(&index).unwrap() == second);
    /// ```
    pub fn index(&self, set: &F) -> Result<Index, SymbolicError> {
        let (levels, root) = self.levels(set)?;
        Index::freeze(levels, root).map_err(|error| match error {
            IndexError::TooMany => SymbolicError::TooManyToNumber,
            _ => SymbolicError::TooManyEdges,
        })
    }

    /// The same without counts, which large sets have none of: the levels, and the first node.
    pub fn levels(&self, set: &F) -> Result<(Vec<Level>, Option<u32>), SymbolicError> {
        let words = self.words();
        let flat = self.flatten(set);
        let levels = words.len();
        let level = || Level { start: vec![0], ..Default::default() };
        let mut cutter = Cutter {
            flat: &flat,
            words: &words,
            known: vec![Known { level: NOWHERE, made: None }; flat.nodes.len()],
            elsewhere: FxHashMap::default(),
            unique: vec![HashTable::new(); levels],
            levels: (0..levels).map(|_| level()).collect(),
            open: vec![vec![]; levels],
            next: vec![],
        };
        let root = match flat.root {
            NONE => None,
            at => cutter.node(at, 0)?,
        };
        Ok((cutter.levels, root))
    }

    /// The set that a levelled diagram is.
    pub fn set_of(&self, index: &Index) -> Result<F, SymbolicError> {
        let mut below = vec![self.all().clone()];
        for (level, &var) in index.levels().iter().zip(self.order()).rev() {
            let mut nodes = Vec::with_capacity(level.nodes());
            for node in 0..level.nodes() as u32 {
                let mut set = self.none().clone();
                for e in level.edges(node) {
                    let child = &below[level.child[e] as usize];
                    let part = self.and(self.value_of(var, level.digit[e])?, child)?;
                    set = self.or(&set, &part)?;
                }
                nodes.push(set);
            }
            below = nodes;
        }
        Ok(index.root().map_or_else(|| self.none().clone(), |root| below[root as usize].clone()))
    }

    /// The values of a set's states as one diagram: disjoint sets with a number each. Nothing is said about states
    /// that are in none of them.
    pub fn value_diagram(&self, values: &[(u32, &F)]) -> ValueDiagram {
        let words = self.words();
        let flats: Vec<Flat> = values.iter().map(|(_, set)| self.flatten(set)).collect();
        let numbers: Vec<u32> = values.iter().map(|&(number, _)| number).collect();
        let levels = words.len();
        let room = room(&words, &flats);
        let mut joiner = Joiner {
            flats: &flats,
            words: &words,
            numbers: &numbers,
            few: room
                .iter()
                .map(|&nodes| FxHashMap::with_capacity_and_hasher(nodes, FxBuildHasher))
                .collect(),
            many: vec![FxHashMap::default(); levels],
            made: ValueDiagramBuilder::new(levels),
            open: flats.iter().map(|flat| flat.root).collect(),
            children: vec![],
        };
        let root = joiner.place(0, 0).unwrap_or(leaf(levels, 0));
        joiner.made.finish(root)
    }

    /// The states of a set by what a diagram says of them.
    pub fn sets_of(&self, diagram: &ValueDiagram, set: &F) -> Result<Vec<(u32, F)>, SymbolicError> {
        let levels = diagram.levels.len();
        let targets = diagram.levels.iter().flat_map(|nodes| nodes.default.iter().chain(&nodes.target));
        let mut numbers: Vec<u32> = std::iter::once(&diagram.root)
            .chain(targets)
            .filter(|&&at| (at >> 32) as usize == levels)
            .map(|&at| at as u32)
            .collect();
        numbers.sort_unstable();
        numbers.dedup();
        let mut found = vec![];
        for number in numbers {
            let states = self.and(&self.where_it_says(diagram, number)?, set)?;
            if states != *self.none() {
                found.push((number, states));
            }
        }
        Ok(found)
    }

    /// Where a diagram says a number, of whatever states.
    fn where_it_says(&self, diagram: &ValueDiagram, number: u32) -> Result<F, SymbolicError> {
        let levels = diagram.levels.len();
        let mut below: Vec<Vec<F>> = vec![vec![]; levels];
        let at = |below: &[Vec<F>], target: ValueRef| -> F {
            let (level, node) = ((target >> 32) as usize, target as u32);
            match below.get(level) {
                Some(nodes) => nodes[node as usize].clone(),
                None if node == number => self.all().clone(),
                None => self.none().clone(),
            }
        };
        for (k, nodes) in diagram.levels.iter().enumerate().rev() {
            let var = self.order()[k];
            let mut sets = Vec::with_capacity(nodes.default.len());
            for (node, &default) in nodes.default.iter().enumerate() {
                let (mut set, mut others) = (self.none().clone(), self.domain_of(var)?);
                for (digit, target) in nodes.exceptions(node) {
                    let here = self.value_of(var, digit)?;
                    others = self.diff(&others, here)?;
                    set = self.or(&set, &self.and(here, &at(&below, target))?)?;
                }
                sets.push(self.or(&set, &self.and(&others, &at(&below, default))?)?);
            }
            below[k] = sets;
        }
        Ok(at(&below, diagram.root))
    }

    fn value_of(&self, var: VarId, digit: Digit) -> Result<&F, SymbolicError> {
        if usize::from(digit) >= self.place(var).codes.len() {
            return Err(SymbolicError::Past("a digit stands for no value".to_owned()));
        }
        Ok(self.is(var, digit))
    }

    /// The states where the variable has a value, and no unused code.
    fn domain_of(&self, var: VarId) -> Result<F, SymbolicError> {
        let values = 0..self.place(var).codes.len() as u16;
        self.or_all(values.map(|value| self.is(var, value).clone()).collect())
    }

    /// For each variable from the root down, which bits lead to which value; where a code has no opinion on a bit, no
    /// set has.
    fn words(&self) -> Vec<Words> {
        let of_var = |&var: &VarId| {
            let place = self.place(var);
            let mut words = Words { branches: vec![], values: place.codes.len() };
            let codes: Vec<(Digit, Vec<bool>)> = (0..)
                .zip(&place.codes)
                .map(|(digit, code)| (digit, code.iter().map(|bit| bit.unwrap_or(false)).collect()))
                .collect();
            words.branch(&place.levels, &codes, 0);
            words
        };
        self.order().iter().map(of_var).collect()
    }
}

/// The codes of a variable's values as a tree over its bits, the root last: all values are found in one walk.
struct Words {
    branches: Vec<Branch>,
    values: usize,
}

#[derive(Clone, Copy)]
enum Branch {
    /// No value.
    Nothing,
    Value(Digit),
    Bit {
        level: u32,
        zero: u32,
        one: u32,
    },
}

impl Words {
    fn branch(&mut self, levels: &[u32], codes: &[(Digit, Vec<bool>)], depth: usize) -> u32 {
        let made = match (codes, levels.get(depth)) {
            ([], _) => Branch::Nothing,
            (_, Some(&level)) => {
                let with =
                    |bit| codes.iter().filter(|code| code.1[depth] == bit).cloned().collect::<Vec<_>>();
                let zero = self.branch(levels, &with(false), depth + 1);
                let one = self.branch(levels, &with(true), depth + 1);
                Branch::Bit { level, zero, one }
            }
            (codes, None) => Branch::Value(codes[0].0),
        };
        self.branches.push(made);
        self.branches.len() as u32 - 1
    }

    /// Where a flat diagram leads for each value: `found[value * step]`, which must be [`NONE`] before.
    fn follow(&self, flat: &Flat, at: u32, found: &mut [u32], step: usize) {
        self.follow_from(self.branches.len() as u32 - 1, flat, at, found, step);
    }

    fn follow_from(&self, branch: u32, flat: &Flat, at: u32, found: &mut [u32], step: usize) {
        if at == NONE {
            return;
        }
        match self.branches[branch as usize] {
            Branch::Nothing => {}
            Branch::Value(digit) => found[usize::from(digit) * step] = at,
            Branch::Bit { level, zero, one } => {
                let node = flat.nodes[at as usize];
                let (low, high) = if node.level == level { (node.zero, node.one) } else { (at, at) };
                self.follow_from(zero, flat, low, found, step);
                self.follow_from(one, flat, high, found, step);
            }
        }
    }
}

/// What a node was made to on a level; nothing if there is nothing below.
#[derive(Clone, Copy)]
struct Known {
    level: u32,
    made: Option<u32>,
}

/// No level.
const NOWHERE: u32 = u32::MAX;

struct Cutter<'a> {
    flat: &'a Flat,
    words: &'a [Words],
    /// What a node of the flat diagram is, and on which level; nearly always it is met on one.
    known: Vec<Known>,
    elsewhere: FxHashMap<(u32, usize), Option<u32>>,
    /// The numbers of a level's nodes, found by their edges.
    unique: Vec<HashTable<u32>>,
    levels: Vec<Level>,
    open: Vec<Vec<(Digit, u32)>>,
    /// The children of the nodes that are being made, one for each value.
    next: Vec<u32>,
}

impl Cutter<'_> {
    fn node(&mut self, at: u32, k: usize) -> Result<Option<u32>, SymbolicError> {
        let words = self.words;
        let Some(values) = words.get(k) else { return Ok(Some(0)) };
        if let Some(known) = self.known(at, k) {
            return Ok(known);
        }
        let mut edges = std::mem::take(&mut self.open[k]);
        edges.clear();
        let first = self.next.len();
        self.next.resize(first + values.values, NONE);
        values.follow(self.flat, at, &mut self.next[first..], 1);
        for digit in 0..values.values {
            let child = self.next[first + digit];
            if child != NONE
                && let Some(below) = self.node(child, k + 1)?
            {
                edges.push((digit as Digit, below));
            }
        }
        self.next.truncate(first);
        let made = if edges.is_empty() { None } else { Some(self.intern(k, &edges)?) };
        self.open[k] = edges;
        self.note(at, k, made);
        Ok(made)
    }

    fn known(&self, at: u32, k: usize) -> Option<Option<u32>> {
        let known = self.known[at as usize];
        match known.level {
            level if level == k as u32 => Some(known.made),
            NOWHERE => None,
            _ => self.elsewhere.get(&(at, k)).copied(),
        }
    }

    fn note(&mut self, at: u32, k: usize, made: Option<u32>) {
        match &mut self.known[at as usize] {
            known if known.level == NOWHERE => *known = Known { level: k as u32, made },
            _ => {
                self.elsewhere.insert((at, k), made);
            }
        }
    }

    /// The number of the node with these edges.
    fn intern(&mut self, k: usize, edges: &[(Digit, u32)]) -> Result<u32, SymbolicError> {
        let (level, unique) = (&mut self.levels[k], &mut self.unique[k]);
        let hash = hash(edges.iter().copied());
        if let Some(&same) = unique.find(hash, |&node| level_edges(level, node).eq(edges.iter().copied())) {
            return Ok(same);
        }
        let (node, end) = (level.nodes(), level.digit.len() + edges.len());
        if node >= u32::MAX as usize || end >= u32::MAX as usize {
            return Err(SymbolicError::TooManyEdges);
        }
        level.digit.extend(edges.iter().map(|edge| edge.0));
        level.child.extend(edges.iter().map(|edge| edge.1));
        level.start.push(end as u32);
        unique.insert_unique(hash, node as u32, |&node| self::hash(level_edges(level, node)));
        Ok(node as u32)
    }
}

fn level_edges(level: &Level, node: u32) -> impl Iterator<Item = (Digit, u32)> + '_ {
    level.edges(node).map(|edge| (level.digit[edge], level.child[edge]))
}

fn hash(edges: impl Iterator<Item = (Digit, u32)>) -> u64 {
    let mut hasher = FxHasher::default();
    edges.for_each(|(digit, child)| hasher.write_u64(u64::from(digit) << 32 | u64::from(child)));
    hasher.finish()
}

struct Joiner<'a> {
    flats: &'a [Flat],
    words: &'a [Words],
    numbers: &'a [u32],
    /// What has been made, by level, of the nodes of up to [`FEW`] sets; and of more.
    few: Vec<FxHashMap<u128, Option<ValueRef>>>,
    many: Vec<FxHashMap<Box<[u32]>, Option<ValueRef>>>,
    made: ValueDiagramBuilder,
    /// The nodes of every set that are looked at, one after the other.
    open: Vec<u32>,
    /// The children of the nodes that are being made.
    children: Vec<(Digit, ValueRef)>,
}

/// The nodes of n sets fit into one number.
const FEW: usize = 4;

/// For each variable, how many nodes of several diagrams together are likely to begin there: as many as the largest has.
fn room(words: &[Words], flats: &[Flat]) -> Vec<usize> {
    let begins = words.iter().map(|words| match words.branches.last() {
        Some(Branch::Bit { level, .. }) => *level,
        _ => u32::MAX,
    });
    let begins: Vec<u32> = begins.collect();
    let mut room = vec![0; words.len()];
    for flat in flats {
        let mut nodes: FxHashMap<u32, usize> = FxHashMap::default();
        flat.nodes.iter().for_each(|node| *nodes.entry(node.level).or_default() += 1);
        for (room, begin) in room.iter_mut().zip(&begins) {
            *room = nodes.get(begin).copied().unwrap_or(0).max(*room);
        }
    }
    room
}

impl Joiner<'_> {
    /// Where to go below the open nodes from a place on, one of each set; nowhere if there are no states.
    fn place(&mut self, at: usize, k: usize) -> Option<ValueRef> {
        let (words, flats, sets) = (self.words, self.flats, self.flats.len());
        let nodes = &self.open[at..at + sets];
        let mut there = nodes.iter().enumerate().filter(|(_, at)| **at != NONE);
        let first = there.next()?;
        if there.next().is_none() {
            return Some(leaf(words.len(), self.numbers[first.0]));
        }
        let packed = nodes.iter().fold(0, |packed, &node| packed << 32 | u128::from(node));
        let known = if sets <= FEW { self.few[k].get(&packed) } else { self.many[k].get(nodes) };
        if let Some(&known) = known {
            return known;
        }
        let (next, children) = (self.open.len(), self.children.len());
        self.open.resize(next + words[k].values * sets, NONE);
        for (set, flat) in flats.iter().enumerate() {
            let root = self.open[at + set];
            words[k].follow(flat, root, &mut self.open[next + set..], sets);
        }
        for digit in 0..words[k].values {
            if let Some(to) = self.place(next + digit * sets, k + 1) {
                self.children.push((digit as Digit, to));
            }
        }
        let list = &self.children[children..];
        let made = (!list.is_empty()).then(|| self.made.node(k, list));
        self.children.truncate(children);
        self.open.truncate(next);
        if sets <= FEW {
            self.few[k].insert(packed, made);
        } else {
            self.many[k].insert(self.open[at..at + sets].into(), made);
        }
        made
    }
}
