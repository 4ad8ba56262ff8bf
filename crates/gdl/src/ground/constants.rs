//! Atoms that have the same value in every reachable state, by three-valued propagation from the start.
//!
//! Every atom has a lower bound (it certainly holds) and an upper bound (it may hold). They begin with the
//! start's values and only ever move apart, so each atom is looked at again only until they have.

use crate::ground::components::components;
use crate::ground::instances::{AtomId, Ground};
use crate::limits::{Exceeded, Meter};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The dependency order of the atoms.
pub(crate) struct Order {
    /// The component of every atom: users have larger numbers.
    pub component: Vec<u32>,
    /// The atoms by component.
    pub members: Vec<AtomId>,
    starts: Vec<u32>,
    /// Whether the component is recursive.
    pub recursive: Vec<bool>,
}

impl Order {
    pub fn of(ground: &Ground) -> Self {
        let component = components(ground.atoms, |atom, out| {
            for body in ground.bodies(atom as AtomId) {
                out.extend(body.iter().map(|l| l >> 1));
            }
        });
        let count = component.iter().max().map_or(0, |m| *m as usize + 1);
        let mut starts = vec![0u32; count + 1];
        component.iter().for_each(|c| starts[*c as usize + 1] += 1);
        for c in 0..count {
            starts[c + 1] += starts[c];
        }
        let mut members: Vec<AtomId> = (0..ground.atoms as AtomId).collect();
        members.sort_by_key(|a| component[*a as usize]);
        let mut recursive: Vec<bool> = (0..count).map(|c| starts[c + 1] - starts[c] > 1).collect();
        for rule in 0..ground.rules() as u32 {
            let head = ground.head(rule);
            if ground.body(rule).iter().any(|l| l >> 1 == head) {
                recursive[component[head as usize] as usize] = true;
            }
        }
        Order { component, members, starts, recursive }
    }

    pub fn group(&self, component: u32) -> &[AtomId] {
        &self.members[self.starts[component as usize] as usize..self.starts[component as usize + 1] as usize]
    }

    pub fn groups(&self) -> u32 {
        self.recursive.len() as u32
    }

    /// A ground rule in which an atom depends on its own negation.
    pub fn unstratified(&self, ground: &Ground) -> Option<u32> {
        (0..ground.rules() as u32).find(|rule| {
            let head = self.component[ground.head(*rule) as usize];
            ground.body(*rule).iter().any(|l| l & 1 == 1 && self.component[(l >> 1) as usize] == head)
        })
    }
}

/// The atoms with one value for good.
pub(crate) struct Constants {
    lower: Vec<bool>,
    upper: Vec<bool>,
}

impl Constants {
    pub fn value(&self, atom: AtomId) -> Option<bool> {
        let (low, high) = (self.lower[atom as usize], self.upper[atom as usize]);
        (low == high).then_some(low)
    }
}

/// Finds all constants.
pub(crate) fn constants(ground: &Ground, order: &Order, meter: &Meter) -> Result<Constants, Exceeded> {
    let mut users: Vec<Vec<u32>> = vec![Vec::new(); ground.atoms];
    for rule in 0..ground.rules() as u32 {
        let head = order.component[ground.head(rule) as usize];
        for literal in ground.body(rule) {
            let list = &mut users[(literal >> 1) as usize];
            if list.last() != Some(&head) {
                list.push(head);
            }
        }
    }
    let mut bounds = Constants { lower: vec![false; ground.atoms], upper: vec![false; ground.atoms] };
    for (f, holds) in ground.init.iter().enumerate() {
        bounds.lower[f] = *holds;
        bounds.upper[f] = *holds;
    }
    let mut fluent_of = vec![u32::MAX; ground.atoms];
    for (f, next) in ground.next.iter().enumerate() {
        if let Some(atom) = next {
            fluent_of[*atom as usize] = f as u32;
        }
    }
    let mut action_of: Vec<Vec<u32>> = vec![Vec::new(); ground.atoms];
    for (a, legal) in ground.legal.iter().enumerate() {
        action_of[*legal as usize].push(ground.action_atom(a));
    }
    let first = ground.fluents.len() + ground.actions.len();
    let mut dirty: Vec<bool> = vec![false; order.groups() as usize];
    let mut heap = BinaryHeap::new();
    let mut steps = 0u32;
    for atom in first..ground.atoms {
        let c = order.component[atom];
        if !std::mem::replace(&mut dirty[c as usize], true) {
            heap.push(Reverse(c));
        }
    }
    // What the evaluation changes besides the atoms of its own component: fluents and actions.
    let mut inputs: Vec<AtomId> = ground
        .next
        .iter()
        .enumerate()
        .filter(|(f, next)| next.is_none() && ground.init[*f])
        .map(|(f, _)| f as AtomId)
        .collect();
    loop {
        while let Some(Reverse(c)) = heap.pop() {
            dirty[c as usize] = false;
            steps += 1;
            if steps & 0xfff == 0 {
                meter.check_time()?;
            }
            for atom in settle(ground, order, &mut bounds, c, meter)? {
                let (low, high) = (bounds.lower[atom as usize], bounds.upper[atom as usize]);
                for user in &users[atom as usize] {
                    if *user != c && !std::mem::replace(&mut dirty[*user as usize], true) {
                        heap.push(Reverse(*user));
                    }
                }
                let fluent = fluent_of[atom as usize];
                if fluent != u32::MAX && !(low == ground.init[fluent as usize] && high == low) {
                    inputs.push(fluent);
                }
                if high {
                    inputs.extend(&action_of[atom as usize]);
                }
            }
        }
        for (f, next) in ground.next.iter().enumerate() {
            // Derived atoms start as false: a fluent that holds at the start needs its own look.
            if let Some(atom) = next
                && ground.init[f]
                && bounds.lower[f]
                && !bounds.lower[*atom as usize]
            {
                inputs.push(f as AtomId);
            }
        }
        let mut changed = false;
        for atom in inputs.drain(..) {
            let at = atom as usize;
            if bounds.lower[at] || !bounds.upper[at] {
                (bounds.lower[at], bounds.upper[at]) = (false, true);
                changed = true;
                for user in &users[at] {
                    if !std::mem::replace(&mut dirty[*user as usize], true) {
                        heap.push(Reverse(*user));
                    }
                }
            }
        }
        if !changed {
            return Ok(bounds);
        }
    }
}

/// Evaluates a component again; the atoms whose bounds have moved.
fn settle(
    ground: &Ground,
    order: &Order,
    bounds: &mut Constants,
    component: u32,
    meter: &Meter,
) -> Result<Vec<AtomId>, Exceeded> {
    let group = order.group(component);
    let before: Vec<(bool, bool)> =
        group.iter().map(|a| (bounds.lower[*a as usize], bounds.upper[*a as usize])).collect();
    if !order.recursive[component as usize] {
        let atom = group[0];
        if ground.is_input(atom) || before[0] == (false, true) {
            return Ok(Vec::new());
        }
        bounds.lower[atom as usize] = ground.bodies(atom).any(|b| b.iter().all(|l| certain(bounds, *l)));
        bounds.upper[atom as usize] = ground.bodies(atom).any(|b| b.iter().all(|l| possible(bounds, *l)));
    } else {
        // Least solutions from below, so that atoms cannot support each other in a circle.
        for atom in group {
            bounds.lower[*atom as usize] = false;
            bounds.upper[*atom as usize] = false;
        }
        let mut changed = true;
        while changed {
            meter.check_time()?;
            changed = false;
            for atom in group {
                if !bounds.lower[*atom as usize]
                    && ground.bodies(*atom).any(|b| b.iter().all(|l| certain(bounds, *l)))
                {
                    bounds.lower[*atom as usize] = true;
                    changed = true;
                }
                if !bounds.upper[*atom as usize]
                    && ground.bodies(*atom).any(|b| b.iter().all(|l| possible(bounds, *l)))
                {
                    bounds.upper[*atom as usize] = true;
                    changed = true;
                }
            }
        }
    }
    let moved = group
        .iter()
        .zip(before)
        .filter(|(a, old)| (bounds.lower[**a as usize], bounds.upper[**a as usize]) != *old);
    Ok(moved.map(|(a, _)| *a).collect())
}

fn certain(bounds: &Constants, literal: u32) -> bool {
    let atom = (literal >> 1) as usize;
    if literal & 1 == 0 { bounds.lower[atom] } else { !bounds.upper[atom] }
}

fn possible(bounds: &Constants, literal: u32) -> bool {
    let atom = (literal >> 1) as usize;
    if literal & 1 == 0 { bounds.upper[atom] } else { !bounds.lower[atom] }
}
