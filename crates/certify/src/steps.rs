//! The transitions: for every relation what has to hold of a step, in parts, and when each variable is done with.

use crate::bdd::{ALL, Id, Made, NONE};
use crate::compile::Space;
use crate::error::Fault;
use rustc_hash::FxHashMap;
use winset_formula::Tableau;
use winset_model::{Expr, ExprId, Exprs, System, VarId};

/// Parts are joined while they have no more nodes than this.
const JOINED: usize = 2000;

/// The steps of a system, maybe together with a tableau.
pub struct Steps {
    relations: Vec<Relation>,
    /// The states that count: all sets are inside.
    pub states: Id,
    /// Those of them that a step may leave.
    going_on: Id,
}

struct Relation {
    /// The levels of the bits that change, as a list.
    moved: u32,
    /// What has to hold, and the next bits which nothing after it speaks of, as a list.
    parts: Vec<(Id, u32)>,
    /// Where it applies.
    applies: Id,
}

impl Steps {
    /// The steps of a system inside of a constraint; of its product with a tableau, if there is one.
    pub fn new(
        space: &mut Space,
        system: &System,
        exprs: &Exprs,
        constraint: ExprId,
        tableau: Option<&Tableau>,
    ) -> Result<Self, Fault> {
        let known = &mut FxHashMap::default();
        let constraint = space.compile(exprs, constraint, known)?;
        let states = space.bdds.and(constraint, space.domain)?;
        let mut going_on = states;
        for &stop in &system.stops {
            let stop = space.compile(exprs, stop, known)?;
            going_on = space.bdds.minus(going_on, stop)?;
        }
        let mut steps = Steps { relations: vec![], states, going_on };
        let mut enabled: Vec<Option<Id>> = vec![None; system.relations.len()];
        for relation in &system.relations {
            let mut vars = relation.writes.clone();
            let mut parts = vec![];
            for conjunct in conjuncts(exprs, relation.formula) {
                parts.push(space.compile(exprs, conjunct, known)?);
            }
            let mut applies = ALL;
            for &other in &relation.unless {
                let enabled = match enabled[other] {
                    Some(enabled) => enabled,
                    None => {
                        let others = &system.relations[other];
                        let formula = space.compile(exprs, others.formula, known)?;
                        let next = space.levels(&others.writes).into_iter().map(|level| level + 1);
                        let list = space.bdds.list(next.collect());
                        // After the step, too, every variable has one of its values.
                        let now = space.levels(&others.writes);
                        let moved = space.bdds.list(now);
                        let domain = space.bdds.moved(space.domain, moved)?;
                        *enabled[other].insert(space.bdds.both(formula, domain, list)?)
                    }
                };
                applies = space.bdds.minus(applies, enabled)?;
            }
            if let Some(tableau) = tableau {
                vars.extend(tableau.promises.iter().chain(&tableau.memories).map(|&(var, _)| var));
                promise(space, exprs, tableau, &vars, &mut parts, known)?;
            }
            steps.relations.push(Relation::new(space, &vars, parts, applies)?);
        }
        Ok(steps)
    }

    /// The states with a step into a set.
    pub fn before(&self, space: &mut Space, set: Id) -> Made {
        let set = space.bdds.and(set, self.states)?;
        let mut all = NONE;
        for relation in &self.relations {
            let mut steps = space.bdds.moved(set, relation.moved)?;
            for &(part, done) in &relation.parts {
                steps = space.bdds.both(steps, part, done)?;
            }
            let from = space.bdds.and(steps, relation.applies)?;
            all = space.bdds.or(all, from)?;
        }
        space.bdds.and(all, self.going_on)
    }

    /// The states from which every step leads into a set.
    pub fn only_before(&self, space: &mut Space, set: Id) -> Made {
        let outside = space.bdds.minus(self.states, set)?;
        let some = self.before(space, outside)?;
        space.bdds.minus(self.states, some)
    }

    /// What has to be kept when functions are forgotten.
    pub fn roots(&mut self) -> Vec<&mut Id> {
        let mut roots = vec![&mut self.states, &mut self.going_on];
        for relation in &mut self.relations {
            roots.push(&mut relation.applies);
            roots.extend(relation.parts.iter_mut().map(|(part, _)| part));
        }
        roots
    }
}

impl Relation {
    /// Joins small parts, and puts those first that speak of the fewest next values.
    fn new(space: &mut Space, vars: &[VarId], parts: Vec<Id>, applies: Id) -> Result<Self, Fault> {
        let now = space.levels(vars);
        let next: Vec<u32> = now.iter().map(|level| level + 1).collect();
        let speaks = |space: &Space, part: Id| -> Vec<u32> {
            space.bdds.support(part).into_iter().filter(|level| next.contains(level)).collect()
        };
        let mut open: Vec<(Id, Vec<u32>)> = parts.into_iter().map(|p| (p, speaks(space, p))).collect();
        let mut spoken: FxHashMap<u32, usize> = FxHashMap::default();
        open.iter().flat_map(|(_, levels)| levels).for_each(|&level| *spoken.entry(level).or_default() += 1);
        let mut joined: Vec<(Id, Vec<u32>)> = vec![];
        while !open.is_empty() {
            // A bit is done with when nothing open speaks of it any more: who opens the fewest others is next.
            let shared = |levels: &[u32]| levels.iter().filter(|&level| spoken[level] > 1).count();
            let key = |at: &usize| (shared(&open[*at].1), open[*at].1.len());
            let at = (0..open.len()).min_by_key(key).unwrap_or(0);
            let (part, levels) = open.swap_remove(at);
            for level in &levels {
                spoken.entry(*level).and_modify(|times| *times -= 1);
            }
            if let Some((last, spoken)) = joined.last_mut() {
                let both = space.bdds.and(*last, part)?;
                if space.bdds.size(both) <= JOINED {
                    *last = both;
                    spoken.extend(levels);
                    continue;
                }
            }
            joined.push((part, levels));
        }
        let mut parts = vec![];
        for (at, (part, levels)) in joined.iter().enumerate() {
            let later = |level: &u32| joined[at + 1..].iter().any(|(_, levels)| levels.contains(level));
            let done = levels.iter().copied().filter(|level| !later(level)).collect();
            parts.push((*part, space.bdds.list(done)));
        }
        // Where nothing is said about a next value, it is any.
        parts.push((ALL, space.bdds.list(next)));
        let moved = space.bdds.list(now);
        Ok(Relation { moved, parts, applies })
    }
}

/// What holds together in a formula.
fn conjuncts(exprs: &Exprs, formula: ExprId) -> Vec<ExprId> {
    let (mut found, mut open) = (vec![], vec![formula]);
    let mut seen = rustc_hash::FxHashSet::default();
    while let Some(at) = open.pop() {
        match exprs.get(at) {
            _ if !seen.insert(at) => {}
            Expr::And(_) => open.extend(exprs.operands(at).iter().copied()),
            _ => found.push(at),
        }
    }
    found
}

/// A promise is true where its set holds after the step, and a memory is true after the step where its set holds now.
fn promise(
    space: &mut Space,
    exprs: &Exprs,
    tableau: &Tableau,
    changing: &[VarId],
    parts: &mut Vec<Id>,
    known: &mut FxHashMap<ExprId, Id>,
) -> Result<(), Fault> {
    let now = space.levels(changing);
    let moved = space.bdds.list(now);
    let pairs = tableau.promises.iter().map(|&pair| (pair, true));
    for ((var, set), promised) in pairs.chain(tableau.memories.iter().map(|&pair| (pair, false))) {
        let set = space.compile(exprs, set, known)?;
        let level = space.levels(&[var])[0];
        let (variable, set) = match promised {
            true => (space.bdds.bit(level)?, space.bdds.moved(set, moved)?),
            false => (space.bdds.bit(level + 1)?, set),
        };
        let both = space.bdds.and(variable, set)?;
        let either = space.bdds.or(variable, set)?;
        let differ = space.bdds.minus(either, both)?;
        parts.push(space.bdds.not(differ)?);
    }
    Ok(())
}
