//! A first look at the reachable states: finds games that are not what they should be early, and rules
//! out groups that are not exclusive before anybody tries to prove them.

use crate::ground::constants::{Constants, Order};
use crate::ground::instances::{AtomId, Ground};
use crate::ground::simulate::{Bits, Simulator};
use crate::limits::{Exceeded, Meter};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// How much to look at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    pub states: usize,
    /// Literals of ground rules.
    pub work: u64,
    /// Where those are not all states, random plays follow.
    pub plays: bool,
}

/// A state that a game of this kind must not have.
pub(crate) enum Violation {
    Simultaneous { state: Bits, actions: [usize; 4] },
    DeadEnd { state: Bits, role: usize },
    GoalMissing { state: Bits, role: usize },
}

/// What was seen.
#[derive(Default)]
pub(crate) struct Exploration {
    pub states: Vec<Bits>,
    /// These are all states there are.
    pub complete: bool,
    pub violation: Option<Violation>,
    pub saw_end: bool,
    /// For every role with several goal values in a terminal state, the first such state.
    pub ambiguous: BTreeMap<usize, Bits>,
}

/// Explores breadth first, then along random plays.
pub(crate) fn explore(
    ground: &Ground,
    order: &Order,
    constants: &Constants,
    moved: impl Fn(AtomId) -> bool,
    effort: Effort,
    meter: &Meter,
) -> Result<Exploration, Exceeded> {
    let mut simulator = Simulator::new(ground, order, constants, moved);
    simulator.most = MOST_WORK * effort.work;
    let mut explorer = Explorer {
        ground,
        legal: actions_by_role(ground),
        simulator,
        seen: FxHashSet::default(),
        out: Exploration::default(),
    };
    explorer.breadth_first(effort, meter)?;
    if effort.plays && !explorer.out.complete && explorer.out.violation.is_none() {
        explorer.random_plays(effort, meter)?;
    }
    Ok(explorer.out)
}

/// Work beyond which no state is looked at any more, as a multiple of what is asked for.
const MOST_WORK: u64 = 8;

fn actions_by_role(ground: &Ground) -> Vec<Vec<usize>> {
    let mut lists = vec![Vec::new(); ground.roles.len()];
    for (action, (role, _)) in ground.actions.iter().enumerate() {
        lists[*role].push(action);
    }
    lists
}

struct Explorer<'g> {
    ground: &'g Ground,
    legal: Vec<Vec<usize>>,
    simulator: Simulator<'g>,
    seen: FxHashSet<Bits>,
    out: Exploration,
}

impl Explorer<'_> {
    fn breadth_first(&mut self, effort: Effort, meter: &Meter) -> Result<(), Exceeded> {
        let start = self.simulator.start();
        self.seen.insert(start.clone());
        self.out.states.push(start);
        let mut at = 0;
        while at < self.out.states.len() {
            if self.out.states.len() > effort.states || self.simulator.work > effort.work {
                return Ok(());
            }
            let batch: Vec<Bits> = self.out.states[at..].iter().take(64).cloned().collect();
            at += batch.len();
            let Some(joint) = self.look(&batch) else { return Ok(()) };
            if self.out.violation.is_some() {
                return Ok(());
            }
            let most = joint.iter().map(Vec::len).max().unwrap_or(0);
            for turn in 0..most {
                meter.check_time()?;
                if self.simulator.work > 2 * effort.work {
                    return Ok(());
                }
                let chosen: Vec<Vec<usize>> =
                    joint.iter().map(|j| j.get(turn).cloned().unwrap_or_default()).collect();
                let next = self.simulator.advance(&chosen);
                if self.simulator.is_exhausted() {
                    return Ok(());
                }
                for (state, list) in next.into_iter().zip(&chosen) {
                    if !list.is_empty() && !self.seen.contains(&state) {
                        self.seen.insert(state.clone());
                        self.out.states.push(state);
                    }
                }
            }
        }
        self.out.complete = true;
        Ok(())
    }

    fn random_plays(&mut self, effort: Effort, meter: &Meter) -> Result<(), Exceeded> {
        const PLIES: usize = 400;
        let mut seed = 0x9e37_79b9_7f4a_7c15u64;
        let before = self.simulator.work;
        for _ in 0..4 {
            let mut lanes: Vec<Bits> = vec![self.simulator.start(); 64];
            for _ in 0..PLIES {
                meter.check_time()?;
                if self.simulator.work - before > effort.work {
                    return Ok(());
                }
                let Some(joint) = self.look(&lanes) else { return Ok(()) };
                if self.out.violation.is_some() {
                    return Ok(());
                }
                let chosen: Vec<Vec<usize>> = joint
                    .iter()
                    .map(|list| {
                        seed ^= seed << 13;
                        seed ^= seed >> 7;
                        seed ^= seed << 17;
                        if list.is_empty() {
                            Vec::new()
                        } else {
                            list[(seed % list.len() as u64) as usize].clone()
                        }
                    })
                    .collect();
                if chosen.iter().all(Vec::is_empty) {
                    break;
                }
                let next = self.simulator.advance(&chosen);
                if self.simulator.is_exhausted() {
                    return Ok(());
                }
                lanes =
                    next.into_iter().zip(&chosen).filter(|(_, c)| !c.is_empty()).map(|(s, _)| s).collect();
                for state in &lanes {
                    if self.out.states.len() < 2 * effort.states && self.seen.insert(state.clone()) {
                        self.out.states.push(state.clone());
                    }
                }
            }
        }
        Ok(())
    }

    /// The joint moves of each state, none where the game has ended; notes what must not be. Nothing if that
    /// takes too much work.
    fn look(&mut self, states: &[Bits]) -> Option<Vec<Vec<Vec<usize>>>> {
        self.simulator.load(&states.iter().collect::<Vec<_>>());
        if self.simulator.is_exhausted() {
            return None;
        }
        let ended = self.ground.terminal.map_or(0, |t| self.simulator.word(t));
        let mut joint = Vec::with_capacity(states.len());
        for (lane, state) in states.iter().enumerate() {
            if ended >> lane & 1 == 1 {
                self.out.saw_end = true;
                self.check_goals(lane, state);
                joint.push(Vec::new());
            } else {
                joint.push(self.joint_moves(lane, state));
            }
        }
        Some(joint)
    }

    fn check_goals(&mut self, lane: usize, state: &Bits) {
        for role in 0..self.ground.roles.len() {
            let mut values: Vec<u32> = self
                .ground
                .goals
                .iter()
                .filter(|(r, _, atom)| *r == role && self.simulator.word(*atom) >> lane & 1 == 1)
                .map(|(_, value, _)| *value)
                .collect();
            values.dedup();
            let state = state.clone();
            match values.len() {
                0 => self.violate(Violation::GoalMissing { state, role }),
                1 => {}
                _ => {
                    self.out.ambiguous.entry(role).or_insert(state);
                }
            }
        }
    }

    fn violate(&mut self, violation: Violation) {
        self.out.violation.get_or_insert(violation);
    }

    fn joint_moves(&mut self, lane: usize, state: &Bits) -> Vec<Vec<usize>> {
        let simulator = &self.simulator;
        let is_legal = |a: &&usize| simulator.word(self.ground.legal[**a]) >> lane & 1 == 1;
        let lists: Vec<Vec<usize>> =
            self.legal.iter().map(|l| l.iter().filter(is_legal).copied().collect()).collect();
        if let Some(role) = lists.iter().position(Vec::is_empty) {
            self.violate(Violation::DeadEnd { state: state.clone(), role });
            return Vec::new();
        }
        let mut choosing = lists.iter().filter(|l| l.len() > 1);
        if let (Some(a), Some(b)) = (choosing.next(), choosing.next()) {
            let actions = [a[0], a[1], b[0], b[1]];
            self.violate(Violation::Simultaneous { state: state.clone(), actions });
            return Vec::new();
        }
        let chooser = lists.iter().position(|l| l.len() > 1).unwrap_or(0);
        let joint = |action: &usize| {
            lists.iter().enumerate().map(|(r, l)| if r == chooser { *action } else { l[0] }).collect()
        };
        lists[chooser].iter().map(joint).collect()
    }
}
