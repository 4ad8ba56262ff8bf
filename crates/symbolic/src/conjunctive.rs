//! A relation as a conjunction that is never multiplied out: bits are quantified as soon as no other conjunct speaks of
//! them (Burch, Clarke, Long 1991; the order after Ranjan and others, IWLS 1995).

use crate::diagram::Diagram;
use crate::error::SymbolicError;
use crate::space::Space;
use oxidd::BooleanOperator;
use winset_model::VarId;

/// Conjuncts are joined while the result stays below n nodes.
const CLUSTER: usize = 5_000;
/// A relation that has no more nodes is one diagram.
const SMALL: usize = 50_000;
/// The most conjuncts that are taken in the order that quantifies best; more are taken in the order of the bits.
const MOST_ORDERED: usize = 2_000;

/// The conjuncts of a relation in the order in which they are taken, and after each the bits that are quantified.
#[derive(Clone, Debug)]
pub struct Conjunction<F> {
    /// The conjuncts, over current bits and the next bits of what is written.
    pub conjuncts: Vec<F>,
    /// What is quantified before the first and after each conjunct: current bits of what is written.
    forward: Vec<F>,
    /// Backward, with the conjuncts from the last to the first: next bits of what is written.
    backward: Vec<F>,
    /// By level: the bits of both copies of what is written.
    moved: Vec<bool>,
}

/// One diagram, or several.
pub enum Joined<F> {
    /// The conjunction is small.
    One(F),
    /// It is not, or was not to be joined.
    Many(Conjunction<F>),
}

/// The levels that a set depends on.
pub fn support<F: Diagram>(set: &F) -> Vec<u32> {
    let flat = set.flatten();
    let mut levels = flat.levels();
    levels.sort_unstable();
    levels.dedup();
    levels
}

/// Joins conjuncts, as long as that makes the relation smaller, or keeps them all apart.
pub fn join<F: Diagram>(
    space: &Space<F>,
    conjuncts: Vec<F>,
    writes: &[VarId],
    apart: bool,
) -> Result<Joined<F>, SymbolicError> {
    let (written, is_written) = levels_of(space, writes);
    let mut ordered: Vec<(F, Vec<u32>)> =
        conjuncts.into_iter().filter(|c| c != space.all()).map(|c| (c.clone(), support(&c))).collect();
    sort(&mut ordered, &is_written);
    let mut clusters: Vec<F> = vec![];
    for (conjunct, _) in ordered {
        if let Some(last) = clusters.last_mut()
            && !apart
            && last.node_count() + conjunct.node_count() <= CLUSTER
        {
            let joint = space.and(last, &conjunct)?;
            if joint.node_count() <= CLUSTER {
                *last = joint;
                continue;
            }
        }
        clusters.push(conjunct);
    }
    if !apart && let Some(one) = whole(space, &clusters)? {
        return Ok(Joined::One(one));
    }
    Ok(Joined::Many(Conjunction::new(space, clusters, &written, is_written)?))
}

/// The levels of what is written, and by level whether one copy of a bit that is written is there.
fn levels_of<F: Diagram>(space: &Space<F>, writes: &[VarId]) -> (Vec<u32>, Vec<bool>) {
    let written: Vec<u32> = writes.iter().flat_map(|&var| space.place(var).levels.clone()).collect();
    let mut is_written = vec![false; 2 * space.bits()];
    for &level in &written {
        is_written[level as usize] = true;
        is_written[level as usize + 1] = true;
    }
    (written, is_written)
}

/// Conjuncts that stay as they are, in this order.
pub fn apart<F: Diagram>(
    space: &Space<F>,
    conjuncts: Vec<F>,
    writes: &[VarId],
) -> Result<Conjunction<F>, SymbolicError> {
    let (written, is_written) = levels_of(space, writes);
    Conjunction::new(space, conjuncts, &written, is_written)
}

/// The conjunction as one diagram, if all that is met on the way is small.
pub fn whole<F: Diagram>(space: &Space<F>, clusters: &[F]) -> Result<Option<F>, SymbolicError> {
    let mut joint = space.all().clone();
    for cluster in clusters {
        if joint.node_count() * 4 > SMALL && cluster.node_count() * 4 > SMALL {
            return Ok(None);
        }
        joint = space.and(&joint, cluster)?;
        if joint.node_count() > SMALL {
            return Ok(None);
        }
    }
    Ok(Some(joint))
}

/// Always takes the conjunct next after which most bits can be quantified and that brings fewest new ones.
fn sort<F: Diagram>(conjuncts: &mut Vec<(F, Vec<u32>)>, written: &[bool]) {
    if conjuncts.len() > MOST_ORDERED {
        conjuncts.sort_by_key(|(_, support)| support.first().copied());
        return;
    }
    let current = |level: u32| level.is_multiple_of(2) && written[level as usize];
    let mut users = vec![0usize; written.len()];
    for (_, support) in conjuncts.iter() {
        support.iter().for_each(|&level| users[level as usize] += 1);
    }
    let mut seen = vec![false; written.len()];
    let mut open = std::mem::take(conjuncts);
    while !open.is_empty() {
        let score = |support: &[u32]| -> i64 {
            let ends = support.iter().filter(|&&level| current(level) && users[level as usize] == 1).count();
            let begins = support.iter().filter(|&&level| !seen[level as usize]).count();
            2 * ends as i64 - begins as i64
        };
        let best = open.iter().enumerate().max_by_key(|(i, (_, support))| {
            (score(support), std::cmp::Reverse(support.first().copied()), std::cmp::Reverse(*i))
        });
        let Some(best) = best.map(|(i, _)| i) else { break };
        let taken = open.swap_remove(best);
        for &level in &taken.1 {
            users[level as usize] -= 1;
            seen[level as usize] = true;
        }
        conjuncts.push(taken);
    }
}

impl<F: Diagram> Conjunction<F> {
    fn new(
        space: &Space<F>,
        conjuncts: Vec<F>,
        written: &[u32],
        moved: Vec<bool>,
    ) -> Result<Self, SymbolicError> {
        let supports: Vec<Vec<u32>> = conjuncts.iter().map(support).collect();
        // After which conjunct a bit is quantified: the last, or backward the first, that speaks of it.
        let (mut last, mut first) = (vec![0; moved.len()], vec![0; moved.len()]);
        for (i, support) in supports.iter().enumerate() {
            for &level in support {
                last[level as usize] = i + 1;
                if first[level as usize] == 0 {
                    first[level as usize] = conjuncts.len() - i;
                }
            }
        }
        let (mut forward, mut backward) = (vec![], vec![]);
        for step in 0..=conjuncts.len() {
            let mut current: Vec<u32> =
                written.iter().copied().filter(|&level| last[level as usize] == step).collect();
            let mut next: Vec<u32> = written
                .iter()
                .map(|&level| level + 1)
                .filter(|&level| first[level as usize] == step)
                .collect();
            forward.push(space.cube(&mut current)?);
            backward.push(space.cube(&mut next)?);
        }
        Ok(Conjunction { conjuncts, forward, backward, moved })
    }

    /// The successors of a set.
    pub fn image(&self, space: &Space<F>, set: &F) -> Result<F, SymbolicError> {
        let mut all = space.attempt(|| set.exists(&self.forward[0]))?;
        for (conjunct, cube) in self.conjuncts.iter().zip(&self.forward[1..]) {
            all = space.attempt(|| all.apply_exists(BooleanOperator::And, conjunct, cube))?;
        }
        space.attempt(|| all.shifted(&self.moved))
    }

    /// The states of `care` with a successor in a set.
    pub fn preimage(&self, space: &Space<F>, set: &F, care: &F) -> Result<F, SymbolicError> {
        if set == space.none() || care == space.none() {
            return Ok(space.none().clone());
        }
        let next = space.attempt(|| set.shifted(&self.moved))?;
        let mut all = space.attempt(|| next.exists(&self.backward[0]))?;
        for (conjunct, cube) in self.conjuncts.iter().rev().zip(&self.backward[1..]) {
            all = space.attempt(|| all.apply_exists(BooleanOperator::And, conjunct, cube))?;
        }
        space.and(&all, care)
    }

    /// The number of nodes of all conjuncts.
    pub fn nodes(&self) -> usize {
        self.conjuncts.iter().map(F::node_count).sum()
    }
}
