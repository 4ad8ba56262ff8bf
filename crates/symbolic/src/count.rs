//! Exact counts of states, not of code words.

use crate::encode::Code;
use oxidd::{BooleanFunction, HasLevel, Manager, Node};
use oxidd_core::LevelNo;
use oxidd_core::function::{EdgeOfFunc, INodeOfFunc};
use oxidd_core::util::{EdgeDropGuard, Ref};
use rustc_hash::FxHashMap;

/// Bits that belong together and the words over them that count, each once.
#[derive(Clone, Debug)]
pub struct Group {
    /// The bits' levels, ascending.
    pub levels: Vec<LevelNo>,
    /// The words; where a word has no opinion on a bit, the set must not depend on that bit.
    pub words: Vec<Code>,
}

/// All bits of a set, in groups from the top down.
#[derive(Clone, Debug)]
pub struct Groups {
    groups: Vec<Group>,
    /// The group of each level; levels that are in none must not occur.
    of_level: Vec<u32>,
    /// The number of ways to fill the groups before each.
    before: Vec<Option<u128>>,
}

impl Groups {
    /// Groups must not overlap and come in the order of their levels.
    pub fn new(groups: Vec<Group>) -> Self {
        let levels = groups.iter().flat_map(|g| &g.levels).max().map_or(0, |&level| level as usize + 1);
        let mut of_level = vec![0; levels];
        for (i, group) in groups.iter().enumerate() {
            for &level in &group.levels {
                of_level[level as usize] = i as u32;
            }
        }
        let mut before = vec![Some(1u128)];
        for group in &groups {
            let ways = before[before.len() - 1].and_then(|n: u128| n.checked_mul(group.words.len() as u128));
            before.push(ways);
        }
        Groups { groups, of_level, before }
    }

    /// The number of ways to fill the groups from one to before another.
    fn ways(&self, from: usize, to: usize) -> Option<u128> {
        let words = self.groups[from..to].iter().map(|g| g.words.len() as u128);
        match (self.before[from], self.before[to]) {
            (Some(from), Some(to)) if from > 0 => Some(to / from),
            _ => words.into_iter().try_fold(1u128, u128::checked_mul),
        }
    }
}

/// What is counted with: exactly as long as it fits, or about.
pub trait Number: Copy {
    /// The number of ways to fill some groups.
    fn ways(groups: &Groups, from: usize, to: usize) -> Option<Self>;
    /// Nothing.
    fn zero() -> Self;
    /// The sum, if it fits.
    fn plus(self, other: Self) -> Option<Self>;
    /// The product, if it fits.
    fn times(self, other: Self) -> Option<Self>;
}

impl Number for u128 {
    fn ways(groups: &Groups, from: usize, to: usize) -> Option<Self> {
        groups.ways(from, to)
    }

    fn zero() -> Self {
        0
    }

    fn plus(self, other: Self) -> Option<Self> {
        self.checked_add(other)
    }

    fn times(self, other: Self) -> Option<Self> {
        self.checked_mul(other)
    }
}

impl Number for f64 {
    fn ways(groups: &Groups, from: usize, to: usize) -> Option<Self> {
        Some(groups.groups[from..to].iter().map(|g| g.words.len() as f64).product())
    }

    fn zero() -> Self {
        0.0
    }

    fn plus(self, other: Self) -> Option<Self> {
        Some(self + other)
    }

    fn times(self, other: Self) -> Option<Self> {
        Some(self * other)
    }
}

/// See [`crate::Diagram::count_groups`].
pub fn count<'id, F: BooleanFunction, N: Number>(
    manager: &F::Manager<'id>,
    edge: Ref<'_, EdgeOfFunc<'id, F>>,
    groups: &Groups,
) -> Option<N>
where
    INodeOfFunc<'id, F>: HasLevel,
{
    let none = EdgeDropGuard::new(manager, F::f_edge(manager)).borrowed().raw();
    let mut counter = Counter::<F, N> { manager, groups, none, memo: FxHashMap::default() };
    counter.below(edge, 0)
}

struct Counter<'a, 'id, F: BooleanFunction, N> {
    manager: &'a F::Manager<'id>,
    groups: &'a Groups,
    none: EdgeOfFunc<'id, F>,
    /// By edge: the number of ways from the start of its root's group down.
    memo: FxHashMap<EdgeOfFunc<'id, F>, N>,
}

impl<'id, F: BooleanFunction, N: Number> Counter<'_, 'id, F, N>
where
    INodeOfFunc<'id, F>: HasLevel,
{
    fn below(&mut self, edge: Ref<'_, EdgeOfFunc<'id, F>>, start: usize) -> Option<N> {
        let manager = self.manager;
        let level = match manager.get_node(edge) {
            Node::Inner(node) => node.level(),
            Node::Terminal(_) if edge.raw() == self.none => return Some(N::zero()),
            Node::Terminal(_) => return N::ways(self.groups, start, self.groups.groups.len()),
        };
        let group = self.groups.of_level[level as usize] as usize;
        let above = N::ways(self.groups, start, group)?;
        if let Some(&known) = self.memo.get(&edge.raw()) {
            return above.times(known);
        }
        let groups = self.groups;
        let mut sum = N::zero();
        for word in &groups.groups[group].words {
            let mut at = edge;
            for (&level, &bit) in groups.groups[group].levels.iter().zip(word) {
                if let Node::Inner(node) = manager.get_node(at)
                    && node.level() == level
                {
                    let (one, zero) = F::cofactors_node(at.tag(), node);
                    debug_assert!(bit.is_some() || one == zero, "a set depends on a bit without meaning");
                    at = if bit == Some(true) { one } else { zero };
                }
            }
            sum = sum.plus(self.below(at, group + 1)?)?;
        }
        self.memo.insert(edge.raw(), sum);
        above.times(sum)
    }
}
