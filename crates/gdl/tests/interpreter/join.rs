//! Joins over facts that hold in some of many states.

use super::terms::{Pattern, Terms, UNSET};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

/// One bit for each state.
pub type Lanes = u64;

/// A relation applied to patterns.
#[derive(Clone, Debug)]
pub struct Literal {
    pub pred: usize,
    pub args: Vec<Pattern>,
}

/// A rule without `or`.
#[derive(Clone, Debug)]
pub struct Rule {
    pub head: Literal,
    pub positive: Vec<Literal>,
    pub negative: Vec<Literal>,
    pub distinct: Vec<(Pattern, Pattern)>,
    pub vars: usize,
}

/// Tuples by their terms at some positions.
struct Index {
    positions: Vec<usize>,
    /// The tuples from here on are missing.
    upto: usize,
    map: HashMap<Vec<u32>, Vec<u32>>,
}

/// The tuples that were ever found, with the states in which they hold now.
#[derive(Default)]
pub struct Relation {
    pub tuples: Vec<Box<[u32]>>,
    pub holds: Vec<Lanes>,
    /// What negation looks at while a relation is not finished.
    pub reference: Vec<Lanes>,
    pub find: HashMap<Box<[u32]>, u32>,
    indexes: Vec<Index>,
}

impl Relation {
    pub fn insert(&mut self, tuple: &[u32]) -> usize {
        if let Some(at) = self.find.get(tuple) {
            return *at as usize;
        }
        let at = self.tuples.len();
        self.tuples.push(tuple.into());
        self.holds.push(0);
        self.reference.push(0);
        self.find.insert(tuple.into(), at as u32);
        at
    }

    /// The number of the index on these positions, up to date.
    pub fn index(&mut self, positions: &[usize]) -> usize {
        let at = match self.indexes.iter().position(|i| i.positions == positions) {
            Some(at) => at,
            None => {
                self.indexes.push(Index { positions: positions.to_vec(), upto: 0, map: HashMap::default() });
                self.indexes.len() - 1
            }
        };
        let Index { upto, map, .. } = &mut self.indexes[at];
        for (i, tuple) in self.tuples.iter().enumerate().skip(*upto) {
            map.entry(positions.iter().map(|p| tuple[*p]).collect()).or_default().push(i as u32);
        }
        *upto = self.tuples.len();
        at
    }

    /// How many different terms there are at a position.
    pub fn distinct(&self, position: usize) -> usize {
        self.tuples.iter().map(|t| t[position]).collect::<HashSet<_>>().len()
    }
}

/// One condition of a body, in the order of its evaluation.
pub enum Step {
    /// Tuples by the positions that are bound; the rest is matched.
    Look {
        literal: usize,
        positions: Vec<usize>,
        rest: Vec<usize>,
        index: usize,
    },
    Absent(usize),
    Distinct(usize),
    /// The head is bound: states where it is known already need not be looked at further.
    Known,
}

/// A body in the order of its evaluation.
pub struct Plan {
    /// The sizes of the body's relations when it was made.
    pub sizes: Vec<usize>,
    pub steps: Vec<Step>,
    /// Some condition never gets its variables.
    pub unsafe_: bool,
}

/// The walk through the matches of a body.
pub struct Walk<'a> {
    pub rule: &'a Rule,
    pub plan: &'a Plan,
    pub relations: &'a [Relation],
    pub terms: &'a mut Terms,
    /// Relations that are being evaluated: negation sees their reference.
    pub own: &'a HashSet<usize>,
    pub bindings: Vec<u32>,
    /// The variables that were bound, in this order.
    pub trail: Vec<usize>,
    pub found: &'a mut HashMap<Box<[u32]>, Lanes>,
}

impl Walk<'_> {
    /// Goes on with a literal that is this tuple, if it is at these positions.
    pub fn with(
        &mut self,
        literal: usize,
        tuple: usize,
        positions: impl IntoIterator<Item = usize>,
        lanes: Lanes,
        step: usize,
    ) {
        let rule = self.rule;
        let pattern = &rule.positive[literal];
        let relations = self.relations;
        let tuple = &relations[pattern.pred].tuples[tuple];
        let mark = self.trail.len();
        let same = positions
            .into_iter()
            .all(|p| pattern.args[p].matches(tuple[p], &mut self.bindings, &mut self.trail, self.terms));
        if same {
            self.go(step, lanes);
        }
        self.trail.drain(mark..).for_each(|v| self.bindings[v] = UNSET);
    }

    fn instances(&mut self, patterns: &[Pattern]) -> Few {
        let mut few = Few::default();
        patterns.iter().for_each(|a| few.push(a.instance(&self.bindings, self.terms)));
        few
    }

    /// Goes on with the next condition.
    pub fn go(&mut self, step: usize, mut lanes: Lanes) {
        if lanes == 0 {
            return;
        }
        let (rule, plan, relations) = (self.rule, self.plan, self.relations);
        let Some(next) = plan.steps.get(step) else {
            let tuple = self.instances(&rule.head.args);
            match self.found.get_mut(tuple.as_slice()) {
                Some(known) => *known |= lanes,
                None => {
                    self.found.insert(tuple.as_slice().into(), lanes);
                }
            }
            return;
        };
        match next {
            Step::Distinct(d) => {
                let (a, b) = &rule.distinct[*d];
                if a.instance(&self.bindings, self.terms) != b.instance(&self.bindings, self.terms) {
                    self.go(step + 1, lanes);
                }
            }
            Step::Absent(n) => {
                let literal = &rule.negative[*n];
                let tuple = self.instances(&literal.args);
                let relation = &relations[literal.pred];
                if let Some(at) = relation.find.get(tuple.as_slice()) {
                    let list =
                        if self.own.contains(&literal.pred) { &relation.reference } else { &relation.holds };
                    lanes &= !list[*at as usize];
                }
                self.go(step + 1, lanes);
            }
            Step::Known => {
                let tuple = self.instances(&rule.head.args);
                let relation = &relations[rule.head.pred];
                if let Some(at) = relation.find.get(tuple.as_slice()) {
                    lanes &= !relation.holds[*at as usize];
                }
                if let Some(known) = self.found.get(tuple.as_slice()) {
                    lanes &= !known;
                }
                self.go(step + 1, lanes);
            }
            Step::Look { literal, positions, rest, index } => {
                let pattern = &rule.positive[*literal];
                let relation = &relations[pattern.pred];
                let mut key = Few::default();
                positions
                    .iter()
                    .for_each(|p| key.push(pattern.args[*p].instance(&self.bindings, self.terms)));
                for at in relation.indexes[*index].map.get(key.as_slice()).into_iter().flatten() {
                    let both = lanes & relation.holds[*at as usize];
                    if both != 0 {
                        self.with(*literal, *at as usize, rest.iter().copied(), both, step + 1);
                    }
                }
            }
        }
    }
}

/// A short list in place: it is made for every condition of every match.
#[derive(Default)]
struct Few {
    short: [u32; 8],
    len: usize,
    long: Vec<u32>,
}

impl Few {
    fn push(&mut self, term: u32) {
        match self.short.get_mut(self.len) {
            Some(place) if self.long.is_empty() => *place = term,
            _ => {
                if self.long.is_empty() {
                    self.long.extend(self.short);
                }
                self.long.push(term);
            }
        }
        self.len += 1;
    }

    fn as_slice(&self) -> &[u32] {
        if self.long.is_empty() { &self.short[..self.len] } else { &self.long }
    }
}
