//! What goes its own way whatever anybody does: turns, step counters and all that follows from them.
//!
//! Such fluents run through one sequence of states from the start. A rule that asks for a combination which
//! never comes up in it, such as the second player's turn at an odd step, can never apply.

use crate::ground::constants::{Constants, Order};
use crate::ground::instances::{AtomId, Ground};
use crate::ground::simulate::{Bits, Simulator};
use crate::limits::{Exceeded, Meter};
use rustc_hash::{FxHashMap, FxHashSet};

/// A sequence is given up after this many states or this much work.
const MOST_STATES: usize = 1024;
const MOST_WORK: u64 = 20_000_000;

/// When every atom that depends on no move holds, one bit for each state of the sequence.
struct Times {
    /// By atom; empty for those that depend on moves or have one value for good.
    of: Vec<Vec<u64>>,
    states: usize,
}

/// A set of states of the sequence, by its place in [`Timing::sets`].
type TimeId = u32;

/// When rules can apply and actions can be legal.
pub(crate) struct Timing {
    sets: Vec<Vec<u64>>,
    rules: Vec<TimeId>,
    /// By action.
    actions: Vec<TimeId>,
}

impl Timing {
    /// The rules that can never apply; nothing if there is none.
    pub fn dead(&self) -> Option<Vec<bool>> {
        let never = self.sets.iter().position(|s| s.iter().all(|w| *w == 0))? as TimeId;
        self.rules.contains(&never).then(|| self.rules.iter().map(|r| *r == never).collect())
    }

    /// The states where all the actions can be legal.
    pub fn common(&self, actions: &[usize]) -> Vec<u64> {
        let of = |a: &usize| &self.sets[self.actions[*a] as usize];
        let mut common = of(&actions[0]).clone();
        for action in &actions[1..] {
            common.iter_mut().zip(of(action)).for_each(|(a, b)| *a &= b);
        }
        common
    }

    /// Whether each set of states has any of those.
    pub fn meeting(&self, actions: &[usize], out: &mut Vec<bool>) {
        let common = self.common(actions);
        out.clear();
        out.extend(self.sets.iter().map(|s| s.iter().zip(&common).any(|(a, b)| a & b != 0)));
    }

    /// When a rule can apply.
    pub fn rule(&self, rule: u32) -> TimeId {
        self.rules[rule as usize]
    }
}

/// Finds when rules can apply; nothing if no part of the game goes its own way, or not for a short time.
pub(crate) fn timing(
    ground: &Ground,
    order: &Order,
    constants: &Constants,
    meter: &Meter,
) -> Result<Option<Timing>, Exceeded> {
    let moved = moved(ground, order, constants);
    let Some(times) = times(ground, order, constants, &moved, meter)? else { return Ok(None) };
    let words = times.states.div_ceil(64);
    let mut always = vec![u64::MAX; words];
    if !times.states.is_multiple_of(64) {
        always[words - 1] = (1 << (times.states % 64)) - 1;
    }
    let mut sets = Sets { list: Vec::new(), index: FxHashMap::default(), both: FxHashMap::default() };
    let always = sets.id(always);
    let mut atoms = vec![always; ground.atoms];
    let mut absent = vec![always; ground.atoms];
    for (atom, set) in times.of.iter().enumerate().filter(|(_, set)| !set.is_empty()) {
        atoms[atom] = sets.id(set.clone());
        let all = &sets.list[always as usize];
        absent[atom] = sets.id(all.iter().zip(set).map(|(a, s)| a & !s).collect());
    }
    let mut rules = vec![always; ground.rules()];
    for component in 0..order.groups() {
        if component.is_multiple_of(0x1000) {
            meter.check_time()?;
        }
        for atom in order.group(component) {
            let mut some: Option<Vec<u64>> = None;
            for rule in ground.rules_of(*atom) {
                let mut when = always;
                for literal in ground.body(*rule) {
                    let at = (literal >> 1) as usize;
                    when = sets.and(when, if literal & 1 == 0 { atoms[at] } else { absent[at] });
                }
                rules[*rule as usize] = when;
                let set = &sets.list[when as usize];
                match &mut some {
                    Some(s) => s.iter_mut().zip(set).for_each(|(a, b)| *a |= b),
                    None => some = Some(set.clone()),
                }
            }
            // Members of a cycle have no sets yet when they are asked for: they count as always possible.
            if times.of[*atom as usize].is_empty()
                && let Some(set) = some
            {
                atoms[*atom as usize] = sets.id(set);
            }
        }
    }
    let actions = ground.legal.iter().map(|atom| atoms[*atom as usize]).collect();
    Ok(Some(Timing { sets: sets.list, rules, actions }))
}

/// Sets of states, each once.
struct Sets {
    list: Vec<Vec<u64>>,
    index: FxHashMap<Vec<u64>, TimeId>,
    both: FxHashMap<(TimeId, TimeId), TimeId>,
}

impl Sets {
    fn id(&mut self, set: Vec<u64>) -> TimeId {
        if let Some(id) = self.index.get(&set) {
            return *id;
        }
        let id = self.list.len() as TimeId;
        self.list.push(set.clone());
        self.index.insert(set, id);
        id
    }

    fn and(&mut self, a: TimeId, b: TimeId) -> TimeId {
        // The first set has all states.
        match (a, b) {
            (0, other) | (other, 0) => return other,
            _ if a == b => return a,
            _ => {}
        }
        if let Some(id) = self.both.get(&(a, b)) {
            return *id;
        }
        let (x, y) = (&self.list[a as usize], &self.list[b as usize]);
        let set = x.iter().zip(y).map(|(x, y)| x & y).collect();
        let id = self.id(set);
        self.both.insert((a, b), id);
        id
    }
}

/// Whether an atom depends on moves, directly or by what they have changed.
fn moved(ground: &Ground, order: &Order, constants: &Constants) -> Vec<bool> {
    let mut moved = vec![false; ground.atoms];
    for action in 0..ground.actions.len() {
        moved[ground.action_atom(action) as usize] = true;
    }
    loop {
        for component in 0..order.groups() {
            let group = order.group(component);
            if ground.is_input(group[0]) || moved[group[0] as usize] {
                continue;
            }
            let depends = |a: &AtomId| ground.bodies(*a).flatten().any(|l| moved[(l >> 1) as usize]);
            if group.iter().any(depends) {
                group.iter().for_each(|a| moved[*a as usize] = true);
            }
        }
        let mut changed = false;
        for (f, next) in ground.next.iter().enumerate() {
            if !moved[f]
                && constants.value(f as AtomId).is_none()
                && next.is_some_and(|a| moved[a as usize] && constants.value(a).is_none())
            {
                moved[f] = true;
                changed = true;
            }
        }
        if !changed {
            return moved;
        }
    }
}

/// Plays the part of the game that depends on no move; nothing if there is none or if it takes too long.
fn times(
    ground: &Ground,
    order: &Order,
    constants: &Constants,
    moved: &[bool],
    meter: &Meter,
) -> Result<Option<Times>, Exceeded> {
    let open = |a: &AtomId| !moved[*a as usize] && constants.value(*a).is_none();
    let fluents: Vec<AtomId> = (0..ground.fluents.len() as AtomId).filter(open).collect();
    // With a single one there is nothing to combine.
    if fluents.len() < 2 {
        return Ok(None);
    }
    let atoms: Vec<AtomId> = (0..ground.atoms as AtomId).filter(open).collect();
    let mut times = Times { of: vec![Vec::new(); ground.atoms], states: 0 };
    let mut simulator = Simulator::new(ground, order, constants, |a| moved[a as usize]);
    let mut state: Bits = vec![0; ground.fluents.len().div_ceil(64)].into();
    let set = |state: &mut Bits, f: AtomId, holds: bool| {
        state[f as usize / 64] |= u64::from(holds) << (f % 64);
    };
    fluents.iter().for_each(|f| set(&mut state, *f, ground.init[*f as usize]));
    let mut seen: FxHashSet<Bits> = FxHashSet::default();
    while seen.insert(state.clone()) {
        meter.check_time()?;
        if times.states >= MOST_STATES || simulator.work > MOST_WORK {
            return Ok(None);
        }
        simulator.load(&[&state]);
        for atom in &atoms {
            let bits = &mut times.of[*atom as usize];
            if times.states.is_multiple_of(64) {
                bits.push(0);
            }
            bits[times.states / 64] |= (simulator.word(*atom) & 1) << (times.states % 64);
        }
        times.states += 1;
        state.fill(0);
        for f in &fluents {
            let next = ground.next[*f as usize];
            set(&mut state, *f, next.is_some_and(|a| simulator.word(a) & 1 == 1));
        }
    }
    Ok(Some(times))
}
