//! Moves as relations over blocks that say nothing about what they leave alone.
//!
//! A relation node stands for the ways in which moves can go on below some level: an item for each, with
//! what is still asked of the blocks below and what will still change there. Nodes are made as they are
//! reached; equal ones are one. [`IDENTITY`] means that a move is complete: nothing below changes.

use crate::error::LayersError;
use crate::rules::condition::{Cond, FALSE, TRUE};
use crate::rules::conjunction::{ALWAYS, Conj, Conjunctions, NEVER};
use crate::rules::rules_of_game::{Move, Rules};
use rustc_hash::FxHashMap;
use winset_index::Digit;
use winset_model::Value;

/// A relation node of some level.
pub type Rel = u32;

/// Nothing changes from here down, at every level.
pub const IDENTITY: Rel = 0;

type Updates = Box<[(u32, Box<[(Cond, Value)]>)]>;

/// One way in which a move can go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Item {
    /// What is still asked.
    cond: Conj,
    /// What will still change, by number.
    updates: u32,
    /// What the rest of the move must add to the measure.
    need: i64,
}

#[derive(Default)]
struct Level {
    nodes: Vec<Box<[u32]>>,
    ids: FxHashMap<Box<[u32]>, Rel>,
    /// For each node and digit where its steps are; `UNKNOWN` if not computed yet.
    spans: Vec<(u32, u32)>,
    steps: Vec<(Digit, Rel)>,
    digits: usize,
    /// For each node and 64 digits: whose steps are known, and which of them lead anywhere.
    known: Vec<(u64, u64)>,
}

impl Level {
    fn words(&self) -> usize {
        self.digits.div_ceil(64)
    }
}

/// What a move costs where it is found out what is left of it, in steps of an image; and each case of what it
/// changes.
const STEPS_TO_COMPUTE: u64 = 64;
const STEPS_PER_CASE: u64 = 8;

const UNKNOWN: (u32, u32) = (u32::MAX, 0);

/// All relation nodes of a game.
pub struct Relations {
    levels: Vec<Level>,
    items: Vec<Item>,
    item_ids: FxHashMap<Item, u32>,
    updates: Vec<Updates>,
    update_ids: FxHashMap<Updates, u32>,
    /// The weight of every value at every position.
    weights: Vec<Vec<i64>>,
    /// What updates can add to the measure where a conjunction may hold.
    sums: FxHashMap<(Conj, u32), Box<[i64]>>,
    /// About what all lists take, of which the most are there twice, as keys too.
    list_bytes: usize,
}

impl Relations {
    /// No relations yet; `weights` by position and value.
    pub fn new(rules: &Rules, weights: Vec<Vec<i64>>) -> Self {
        let level = |k| {
            // Node 0 is the identity everywhere; its steps are never asked for.
            let digits = rules.frame.digits(k);
            let (nodes, spans) = (vec![Box::from([])], vec![UNKNOWN; digits]);
            let known = vec![(0, 0); digits.div_ceil(64)];
            Level { nodes, spans, digits, known, ..Default::default() }
        };
        let levels = (0..rules.frame.levels()).map(level).collect();
        let mut relations = Relations {
            levels,
            items: vec![],
            item_ids: FxHashMap::default(),
            updates: vec![],
            update_ids: FxHashMap::default(),
            weights,
            sums: FxHashMap::default(),
            list_bytes: 0,
        };
        relations.intern_updates(Box::new([]));
        relations
    }

    /// About the memory that the rules take, the moves and everything that is kept about them.
    pub fn bytes_with(&self, rules: &Rules, conjs: &Conjunctions) -> u64 {
        rules.conds.bytes() + conjs.bytes() + self.bytes()
    }

    /// About the memory that the relations take.
    fn bytes(&self) -> u64 {
        let level = |level: &Level| {
            let tables = (level.spans.capacity() + level.steps.capacity()) * 8 + level.known.capacity() * 16;
            tables + level.nodes.len() * 32 + level.ids.capacity() * 25
        };
        let levels: usize = self.levels.iter().map(level).sum();
        let items = self.items.capacity() * 16 + self.item_ids.capacity() * 21;
        (levels + items + self.list_bytes) as u64
    }

    /// The greatest number of nodes on a level.
    pub fn widest(&self) -> usize {
        self.levels.iter().map(|level| level.nodes.len()).max().unwrap_or(0)
    }

    /// What the move can add to the measure, apart from what every move adds.
    pub fn gains(&self, rules: &Rules, m: &Move) -> Vec<i64> {
        let updates: Updates = m.updates.iter().map(|(p, cases)| (*p, cases.clone().into())).collect();
        self.sums(rules, &m.guard, &updates)
    }

    /// The topmost node for the moves that add exactly this to the measure; none if there are none.
    pub fn root(
        &mut self,
        rules: &Rules,
        conjs: &mut Conjunctions,
        moves: &[&Move],
        gain: i64,
    ) -> Option<Rel> {
        let mut items = vec![];
        for m in moves {
            let updates: Updates = m.updates.iter().map(|(p, cases)| (*p, cases.clone().into())).collect();
            let cond = conjs.intern(m.guard.clone());
            let updates = self.intern_updates(updates);
            if cond != NEVER && self.can_add(rules, conjs, cond, updates, gain) {
                items.push(self.intern_item(Item { cond, updates, need: gain }));
            }
        }
        (!items.is_empty()).then(|| self.intern_node(0, items))
    }

    /// For every 64 digits: from which of them it is known where the node leads, and from which of these it
    /// leads anywhere.
    #[inline]
    pub fn known(&self, level: usize, rel: Rel) -> &[(u64, u64)] {
        let level = &self.levels[level];
        let words = level.words();
        &level.known[rel as usize * words..(rel as usize + 1) * words]
    }

    /// Where a node leads from a digit: the new digit and the node below, for each way.
    #[inline]
    pub fn known_steps(&self, level: usize, rel: Rel, digit: Digit) -> Option<&[(Digit, Rel)]> {
        let level = &self.levels[level];
        let (start, end) = level.spans[rel as usize * level.digits + digit as usize];
        (start != UNKNOWN.0).then(|| &level.steps[start as usize..end as usize])
    }

    /// How many ways are known in which moves go on.
    pub fn known_ways(&self) -> usize {
        self.levels.iter().map(|level| level.steps.len()).sum()
    }

    /// Where a node leads from a digit that the forward pass has met there.
    #[inline]
    pub fn made_steps(&self, level: usize, rel: Rel, digit: Digit) -> &[(Digit, Rel)] {
        let (known, leads) = self.known(level, rel)[digit as usize / 64];
        if (known & !leads) >> (digit % 64) & 1 == 1 {
            return &[];
        }
        self.known_steps(level, rel, digit).expect("the forward pass has made this step")
    }

    /// Where a node leads from a digit, computed if need be, as a range of [`Relations::step`].
    pub fn steps(
        &mut self,
        rules: &mut Rules,
        conjs: &mut Conjunctions,
        level: usize,
        rel: Rel,
        digit: Digit,
    ) -> Result<std::ops::Range<u32>, LayersError> {
        let at = rel as usize * self.levels[level].digits + digit as usize;
        let span = self.levels[level].spans[at];
        if span != UNKNOWN {
            return Ok(span.0..span.1);
        }
        let steps = self.compute(rules, conjs, level, rel, digit)?;
        let here = &mut self.levels[level];
        let start = here.steps.len() as u32;
        here.steps.extend(steps);
        let span = (start, here.steps.len() as u32);
        here.spans[at] = span;
        let words = here.words();
        let known = &mut here.known[rel as usize * words + digit as usize / 64];
        known.0 |= 1 << (digit % 64);
        known.1 |= u64::from(span.0 < span.1) << (digit % 64);
        Ok(span.0..span.1)
    }

    /// One of the steps that [`Relations::steps`] has found.
    #[inline]
    pub fn step(&self, level: usize, at: u32) -> (Digit, Rel) {
        self.levels[level].steps[at as usize]
    }

    fn compute(
        &mut self,
        rules: &mut Rules,
        conjs: &mut Conjunctions,
        level: usize,
        rel: Rel,
        digit: Digit,
    ) -> Result<Vec<(Digit, Rel)>, LayersError> {
        let mut changed: Vec<(Digit, u32)> = vec![];
        let mut untouched = vec![];
        let mut steps = vec![];
        let mut complete = vec![];
        for i in 0..self.levels[level].nodes[rel as usize].len() {
            rules.conds.work.spend(STEPS_TO_COMPUTE)?;
            let id = self.levels[level].nodes[rel as usize][i];
            for (next, item) in self.step_item(rules, conjs, level, self.items[id as usize], digit)? {
                if item.cond == ALWAYS && item.updates == 0 {
                    complete.push(next);
                    continue;
                }
                let item = self.intern_item(item);
                match (next == digit, item == id) {
                    (true, true) => untouched.push(item),
                    // Kept apart: together they would tell more prefixes apart than each alone.
                    (true, false) => steps.push((digit, vec![item])),
                    (false, _) => changed.push((next, item)),
                }
            }
        }
        if !untouched.is_empty() {
            steps.push((digit, untouched));
        }
        changed.sort_unstable();
        changed.dedup();
        for group in changed.chunk_by(|a, b| a.0 == b.0) {
            steps.push((group[0].0, group.iter().map(|&(_, item)| item).collect()));
        }
        complete.sort_unstable();
        complete.dedup();
        let mut result: Vec<(Digit, Rel)> = complete.into_iter().map(|next| (next, IDENTITY)).collect();
        for (next, items) in steps {
            result.push((next, self.intern_node(level + 1, items)));
        }
        result.sort_unstable();
        result.dedup();
        Ok(result)
    }

    fn step_item(
        &mut self,
        rules: &mut Rules,
        conjs: &mut Conjunctions,
        level: usize,
        item: Item,
        digit: Digit,
    ) -> Result<Vec<(Digit, Item)>, LayersError> {
        let (first, end) = (rules.frame.first[level], rules.frame.first[level + 1]);
        let values = rules.frame.values(level, digit).to_vec();
        let cond = conjs.follow(&rules.conds, item.cond, first, &values);
        if cond == NEVER {
            return Ok(vec![]);
        }
        let mut later = vec![];
        let mut ways: Vec<(Vec<Value>, Vec<Cond>)> = vec![(values.clone(), vec![])];
        for i in 0..self.updates[item.updates as usize].len() {
            let (position, cases) = self.updates[item.updates as usize][i].clone();
            rules.conds.work.add(STEPS_PER_CASE * (1 + cases.len() as u64));
            let cases = residual_cases(rules, &cases, first, &values);
            if position >= end {
                if !cases.is_empty() {
                    later.push((position, cases.into()));
                }
                continue;
            }
            let offset = (position - first) as usize;
            let outcomes = outcomes(rules, &cases, values[offset])?;
            ways = ways
                .into_iter()
                .flat_map(|(next, asked)| {
                    outcomes.iter().map(move |&(value, when)| {
                        let (mut next, mut asked) = (next.clone(), asked.clone());
                        next[offset] = value;
                        if when != TRUE {
                            asked.push(when);
                        }
                        (next, asked)
                    })
                })
                .collect();
            rules.conds.work.spend(ways.len() as u64)?;
        }
        let updates = self.intern_updates(later.into());
        let mut result = vec![];
        for (next, asked) in ways {
            let cond = conjoin(rules, conjs, cond, asked)?;
            if cond == NEVER {
                continue;
            }
            let mut need = item.need;
            for (offset, (&old, &new)) in values.iter().zip(&next).enumerate() {
                let weights = &self.weights[first as usize + offset];
                need -= weights[new as usize] - weights[old as usize];
            }
            if !self.can_add(rules, conjs, cond, updates, need) {
                continue;
            }
            // The local states of a block include everything that its moves can make of it.
            if let Some(next) = rules.frame.blocks.blocks[level].digit(&next) {
                result.push((next, Item { cond, updates, need }));
            }
        }
        Ok(result)
    }

    /// Whether the updates can add so much to the measure. Many states ask for the same sums, and finding them
    /// can take a long search.
    fn can_add(&mut self, rules: &Rules, conjs: &Conjunctions, cond: Conj, updates: u32, need: i64) -> bool {
        if !self.sums.contains_key(&(cond, updates)) {
            let sums = self.sums(rules, conjs.list(cond), &self.updates[updates as usize]);
            self.list_bytes += 2 * (32 + 8 * sums.len());
            self.sums.insert((cond, updates), sums.into());
        }
        self.sums[&(cond, updates)].contains(&need)
    }

    /// What the updates can add to the measure where the conditions may hold.
    fn sums(&self, rules: &Rules, asked: &[Cond], updates: &Updates) -> Vec<i64> {
        let mut sums = vec![0];
        for (position, cases) in updates {
            let weights = &self.weights[*position as usize];
            if weights.iter().all(|&w| w == weights[0]) {
                continue;
            }
            let mut gains = vec![];
            for old in 0..weights.len() as Value {
                let holds = |&cond: &Cond| rules.conds.can_hold(cond, *position, &[old]);
                if !asked.iter().all(holds) {
                    continue;
                }
                let certain = cases.last().is_some_and(|case| case.0 == TRUE);
                let possible = cases.iter().filter(|case| rules.conds.can_hold(case.0, *position, &[old]));
                let news = possible.map(|case| case.1).chain((!certain).then_some(old));
                gains.extend(news.map(|new| weights[new as usize] - weights[old as usize]));
            }
            gains.sort_unstable();
            gains.dedup();
            rules.conds.work.add((sums.len() * gains.len()) as u64);
            sums = sums.iter().flat_map(|sum| gains.iter().map(move |gain| sum + gain)).collect();
            sums.sort_unstable();
            sums.dedup();
        }
        sums
    }

    fn intern_updates(&mut self, updates: Updates) -> u32 {
        if let Some(&id) = self.update_ids.get(&updates) {
            return id;
        }
        let id = self.updates.len() as u32;
        let cases: usize = updates.iter().map(|update| 32 + update.1.len() * 8).sum();
        self.list_bytes += 2 * (48 + cases);
        self.updates.push(updates.clone());
        self.update_ids.insert(updates, id);
        id
    }

    fn intern_item(&mut self, item: Item) -> u32 {
        let next = self.items.len() as u32;
        let id = *self.item_ids.entry(item).or_insert(next);
        if id == next {
            self.items.push(item);
        }
        id
    }

    fn intern_node(&mut self, level: usize, mut items: Vec<u32>) -> Rel {
        items.sort_unstable();
        items.dedup();
        let level = &mut self.levels[level];
        if let Some(&rel) = level.ids.get(items.as_slice()) {
            return rel;
        }
        let rel = level.nodes.len() as Rel;
        level.spans.extend(std::iter::repeat_n(UNKNOWN, level.digits));
        level.known.extend(std::iter::repeat_n((0, 0), level.words()));
        self.list_bytes += 2 * (items.len() * 4 + 16);
        level.nodes.push(items.clone().into());
        level.ids.insert(items.into(), rel);
        rel
    }
}

/// The cases that can still apply, up to one that certainly does.
fn residual_cases(
    rules: &Rules,
    cases: &[(Cond, Value)],
    first: u32,
    values: &[Value],
) -> Vec<(Cond, Value)> {
    let mut rest = vec![];
    for &(when, value) in cases {
        let when = rules.conds.follow(when, first, values);
        if when != FALSE {
            rest.push((when, value));
        }
        if when == TRUE {
            break;
        }
    }
    rest
}

/// The new values that a variable can get, each with its condition; these exclude each other.
fn outcomes(
    rules: &mut Rules,
    cases: &[(Cond, Value)],
    old: Value,
) -> Result<Vec<(Value, Cond)>, LayersError> {
    let mut outcomes: Vec<(Value, Cond)> = vec![];
    let mut none_before = TRUE;
    for &(when, value) in cases.iter().chain([&(TRUE, old)]) {
        let applies = rules.conds.and(none_before, when)?;
        if applies == FALSE {
            continue;
        }
        match outcomes.iter_mut().find(|outcome| outcome.0 == value) {
            Some(outcome) => outcome.1 = rules.conds.or(outcome.1, applies)?,
            None => outcomes.push((value, applies)),
        }
        let not = rules.conds.not(when)?;
        none_before = rules.conds.and(none_before, not)?;
    }
    Ok(outcomes)
}

/// The most nodes by which conditions may grow when they are made one.
const CONJOIN_BUDGET: usize = 1_000;

fn conjoin(
    rules: &mut Rules,
    conjs: &mut Conjunctions,
    cond: Conj,
    asked: Vec<Cond>,
) -> Result<Conj, LayersError> {
    if asked.is_empty() {
        return Ok(cond);
    }
    let mut list = conjs.list(cond).to_vec();
    for more in asked {
        match list.as_slice() {
            &[only] => match rules.conds.with_budget(CONJOIN_BUDGET, |conds| conds.and(only, more)) {
                Ok(both) => list = vec![both],
                Err(_) => list.push(more),
            },
            _ => list.push(more),
        }
    }
    Ok(conjs.intern(list))
}
