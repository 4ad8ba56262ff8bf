//! Atoms as formulas: once for those that do not depend on the moves, and for each joint move only where
//! it makes a difference.

use crate::components::components;
use crate::constants::{Constants, Order};
use crate::formula::{FALSE, FormulaId, Formulas, TRUE};
use crate::ground::{AtomId, Ground};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The formulas of a game's atoms.
pub(crate) struct Compiler<'g> {
    ground: &'g Ground,
    order: &'g Order,
    constants: &'g Constants,
    pub formulas: Formulas,
    /// The atoms' formulas; those that depend on the moves as if nobody did anything.
    quiet: Vec<FormulaId>,
    /// Whether an atom depends on the moves.
    moved: Vec<bool>,
    /// Rules that need an atom which only a move makes true, by one such atom: as long as it is not, the
    /// rule need not be looked at.
    watching: FxHashMap<AtomId, Vec<u32>>,
    /// The other rules of atoms that depend on moves, by head.
    plain: FxHashMap<AtomId, Vec<u32>>,
    /// For every atom that depends on moves, the components to look at when it differs.
    users: FxHashMap<AtomId, Vec<u32>>,
}

/// What a joint move makes different from no move at all.
#[derive(Default)]
pub(crate) struct Overlay {
    values: FxHashMap<AtomId, FormulaId>,
    /// Rules whose watched atom is different, by head.
    awake: FxHashMap<AtomId, Vec<u32>>,
}

impl<'g> Compiler<'g> {
    pub fn new(ground: &'g Ground, order: &'g Order, constants: &'g Constants) -> Self {
        let mut compiler = Compiler {
            ground,
            order,
            constants,
            formulas: Formulas::new(),
            quiet: vec![FALSE; ground.atoms],
            moved: vec![false; ground.atoms],
            watching: FxHashMap::default(),
            plain: FxHashMap::default(),
            users: FxHashMap::default(),
        };
        compiler.prepare();
        compiler
    }

    fn prepare(&mut self) {
        for fluent in 0..self.ground.fluents.len() {
            self.quiet[fluent] = match self.constants.value(fluent as AtomId) {
                Some(true) => TRUE,
                Some(false) => FALSE,
                None => self.formulas.fluent(fluent as u32),
            };
        }
        for action in 0..self.ground.actions.len() {
            let atom = self.ground.action_atom(action);
            self.moved[atom as usize] = self.constants.value(atom).is_none();
        }
        let nothing = Overlay::default();
        for component in 0..self.order.groups() {
            let group = self.order.group(component);
            if self.ground.is_input(group[0]) {
                continue;
            }
            let moved = group.iter().any(|a| {
                self.constants.value(*a).is_none()
                    && self.ground.bodies(*a).flatten().any(|l| self.moved[(l >> 1) as usize])
            });
            if moved {
                for atom in group {
                    self.moved[*atom as usize] = self.constants.value(*atom).is_none();
                    self.sort_rules(*atom, component);
                }
            }
            for (atom, formula) in self.solve(component, &nothing) {
                self.quiet[atom as usize] = formula;
            }
        }
    }

    /// Files the rules of an atom that depends on moves by what can change them.
    fn sort_rules(&mut self, atom: AtomId, component: u32) {
        let ground = self.ground;
        let mut plain = Vec::new();
        for rule in ground.rules_of(atom) {
            let body = ground.body(*rule);
            if body.iter().any(|l| self.known(*l) == Some(false)) {
                continue;
            }
            let watched = body.iter().filter(|l| **l & 1 == 0).map(|l| l >> 1).find(|a| {
                self.moved[*a as usize]
                    && self.quiet[*a as usize] == FALSE
                    && self.order.component[*a as usize] != component
            });
            if let Some(watched) = watched {
                self.watching.entry(watched).or_default().push(*rule);
                continue;
            }
            plain.push(*rule);
            for literal in body {
                if self.moved[(literal >> 1) as usize] {
                    let users = self.users.entry(literal >> 1).or_default();
                    if users.last() != Some(&component) {
                        users.push(component);
                    }
                }
            }
        }
        self.plain.insert(atom, plain);
    }

    fn known(&self, literal: u32) -> Option<bool> {
        self.constants.value(literal >> 1).map(|v| v != (literal & 1 == 1))
    }

    /// The formula of an atom under a joint move.
    pub fn value(&self, atom: AtomId, overlay: &Overlay) -> FormulaId {
        overlay.values.get(&atom).copied().unwrap_or(self.quiet[atom as usize])
    }

    /// The formula of an atom that does not depend on the moves.
    pub fn formula(&self, atom: AtomId) -> FormulaId {
        self.quiet[atom as usize]
    }

    pub fn depends_on_moves(&self, atom: AtomId) -> bool {
        self.moved[atom as usize]
    }

    /// The rules of an atom that count under a joint move.
    fn active<'a>(&'a self, atom: AtomId, overlay: &'a Overlay) -> impl Iterator<Item = u32> + use<'a, 'g> {
        let (all, more): (&[u32], &[u32]) = if self.moved[atom as usize] {
            (
                self.plain.get(&atom).map_or(&[], Vec::as_slice),
                overlay.awake.get(&atom).map_or(&[], Vec::as_slice),
            )
        } else {
            (self.ground.rules_of(atom), &[])
        };
        all.iter().chain(more).copied()
    }

    /// The formulas of a component's atoms under a joint move.
    fn solve(&mut self, component: u32, overlay: &Overlay) -> Vec<(AtomId, FormulaId)> {
        let order = self.order;
        let group = order.group(component);
        if self.order.recursive[component as usize] {
            return self.solve_recursive(group, overlay);
        }
        let atom = group[0];
        if let Some(value) = self.constants.value(atom) {
            return vec![(atom, if value { TRUE } else { FALSE })];
        }
        let mut bodies = Vec::new();
        for rule in self.active(atom, overlay).collect::<Vec<_>>() {
            let body = self.conjunction(rule, overlay);
            bodies.push(body);
            if body == TRUE {
                break;
            }
        }
        vec![(atom, self.formulas.or(bodies))]
    }

    fn literal(&mut self, literal: u32, overlay: &Overlay) -> FormulaId {
        match self.known(literal) {
            Some(true) => TRUE,
            Some(false) => FALSE,
            None => {
                let value = self.value(literal >> 1, overlay);
                if literal & 1 == 1 { self.formulas.not(value) } else { value }
            }
        }
    }

    fn conjunction(&mut self, rule: u32, overlay: &Overlay) -> FormulaId {
        let ground = self.ground;
        let mut parts = Vec::new();
        for literal in ground.body(rule) {
            let part = self.literal(*literal, overlay);
            if part == FALSE {
                return FALSE;
            }
            parts.push(part);
        }
        self.formulas.and(parts)
    }

    /// A recursive component: what is decided is taken out, the rest becomes least fixpoints, one for each
    /// component that is left.
    fn solve_recursive(&mut self, group: &[AtomId], overlay: &Overlay) -> Vec<(AtomId, FormulaId)> {
        let local: FxHashMap<AtomId, u32> = group.iter().enumerate().map(|(i, a)| (*a, i as u32)).collect();
        // Bodies as what comes from outside, and the members of the group they need.
        let mut bodies: Vec<Vec<(FormulaId, Vec<u32>)>> = Vec::with_capacity(group.len());
        let mut value: Vec<Option<FormulaId>> = Vec::with_capacity(group.len());
        for atom in group {
            value.push(self.constants.value(*atom).map(|v| if v { TRUE } else { FALSE }));
            let mut list = Vec::new();
            for rule in self.active(*atom, overlay).collect::<Vec<_>>() {
                let ground = self.ground;
                let (mut outside, mut inside) = (Vec::new(), Vec::new());
                for literal in ground.body(rule) {
                    match local.get(&(literal >> 1)) {
                        Some(member) if self.known(*literal).is_none() => inside.push(*member),
                        _ => outside.push(self.literal(*literal, overlay)),
                    }
                }
                let outside = self.formulas.and(outside);
                if outside != FALSE {
                    list.push((outside, inside));
                }
            }
            bodies.push(list);
        }
        self.decide(&mut bodies, &mut value);
        let component = components(group.len(), |i, out| {
            if value[i].is_none() {
                out.extend(
                    bodies[i].iter().flat_map(|(_, inside)| inside).filter(|m| value[**m as usize].is_none()),
                );
            }
        });
        let mut order: Vec<u32> = (0..group.len() as u32).filter(|i| value[*i as usize].is_none()).collect();
        order.sort_by_key(|i| component[*i as usize]);
        for part in order.chunk_by(|a, b| component[*a as usize] == component[*b as usize]) {
            self.solve_part(part, &bodies, &mut value);
        }
        group.iter().zip(value).map(|(a, v)| (*a, v.unwrap_or(FALSE))).collect()
    }

    /// Settles members that hold for sure or cannot hold: from below for both, so circles do not count.
    fn decide(&self, bodies: &mut [Vec<(FormulaId, Vec<u32>)>], value: &mut [Option<FormulaId>]) {
        let mut possible: Vec<bool> = value.iter().map(|v| *v == Some(TRUE)).collect();
        let mut changed = true;
        while changed {
            changed = false;
            for i in 0..bodies.len() {
                if value[i].is_none() {
                    let holds = |m: &u32| value[*m as usize] == Some(TRUE);
                    if bodies[i].iter().any(|(f, inside)| *f == TRUE && inside.iter().all(holds)) {
                        value[i] = Some(TRUE);
                        possible[i] = true;
                        changed = true;
                    } else if !possible[i]
                        && bodies[i].iter().any(|(_, inside)| inside.iter().all(|m| possible[*m as usize]))
                    {
                        possible[i] = true;
                        changed = true;
                    }
                }
            }
        }
        for i in 0..bodies.len() {
            if !possible[i] && value[i].is_none() {
                value[i] = Some(FALSE);
            }
        }
        for list in bodies.iter_mut() {
            list.retain(|(_, inside)| inside.iter().all(|m| value[*m as usize] != Some(FALSE)));
        }
    }

    fn solve_part(
        &mut self,
        part: &[u32],
        bodies: &[Vec<(FormulaId, Vec<u32>)>],
        value: &mut [Option<FormulaId>],
    ) {
        let place: FxHashMap<u32, u32> = part.iter().enumerate().map(|(i, m)| (*m, i as u32)).collect();
        let mut resolved: Vec<Vec<(FormulaId, Vec<u32>)>> = Vec::new();
        let mut recursive = false;
        for member in part {
            let mut list = Vec::new();
            for (outside, inside) in &bodies[*member as usize] {
                let mut parts = vec![*outside];
                let mut rest: Vec<u32> = Vec::new();
                for m in inside {
                    match place.get(m) {
                        Some(i) => rest.push(*i),
                        None => parts.push(value[*m as usize].unwrap_or(FALSE)),
                    }
                }
                rest.sort_unstable();
                let outside = self.formulas.and(parts);
                // A body that needs its own head adds nothing to a least solution.
                if outside != FALSE && !rest.contains(&place[member]) {
                    recursive |= !rest.is_empty();
                    list.push((outside, rest));
                }
            }
            list.sort();
            list.dedup();
            resolved.push(list);
        }
        if !recursive {
            for (member, list) in part.iter().zip(resolved) {
                let formula = self.formulas.or(list.into_iter().map(|(f, _)| f).collect());
                value[*member as usize] = Some(formula);
            }
            return;
        }
        let mut key = vec![part.len() as u32];
        for list in &resolved {
            key.push(list.len() as u32);
            for (outside, rest) in list {
                key.push(*outside);
                key.push(rest.len() as u32);
                key.extend(rest);
            }
        }
        let (system, new) = self.formulas.system(key, part.len());
        for (i, member) in part.iter().enumerate() {
            value[*member as usize] = Some(self.formulas.member(system, i as u32));
        }
        if new {
            for (i, list) in resolved.iter().enumerate() {
                let mut alternatives = Vec::new();
                for (outside, rest) in list {
                    let mut parts = vec![*outside];
                    parts.extend(rest.iter().map(|r| self.formulas.member(system, *r)));
                    alternatives.push(self.formulas.and(parts));
                }
                let body = self.formulas.or(alternatives);
                self.formulas.define(system, i as u32, body);
            }
        }
    }

    /// What a joint move changes, compared with nobody doing anything.
    pub fn overlay(&mut self, actions: &[usize]) -> Overlay {
        let mut overlay = Overlay::default();
        let mut queued: FxHashSet<u32> = FxHashSet::default();
        let mut heap = BinaryHeap::new();
        let push = |heap: &mut BinaryHeap<Reverse<u32>>, queued: &mut FxHashSet<u32>, c: u32| {
            if queued.insert(c) {
                heap.push(Reverse(c));
            }
        };
        for action in actions {
            let atom = self.ground.action_atom(*action);
            for c in self.change(&mut overlay, atom, TRUE) {
                push(&mut heap, &mut queued, c);
            }
        }
        while let Some(Reverse(c)) = heap.pop() {
            for (atom, formula) in self.solve(c, &overlay) {
                if formula != self.quiet[atom as usize] {
                    for user in self.change(&mut overlay, atom, formula) {
                        if user != c {
                            push(&mut heap, &mut queued, user);
                        }
                    }
                }
            }
        }
        overlay
    }

    /// Notes a difference; the components that have to be looked at because of it.
    fn change(&self, overlay: &mut Overlay, atom: AtomId, formula: FormulaId) -> Vec<u32> {
        overlay.values.insert(atom, formula);
        let mut users = self.users.get(&atom).cloned().unwrap_or_default();
        for rule in self.watching.get(&atom).into_iter().flatten() {
            let head = self.ground.head(*rule);
            overlay.awake.entry(head).or_default().push(*rule);
            users.push(self.order.component[head as usize]);
        }
        users
    }

    /// The fluents that do not simply stay as they are under a joint move, with what makes them hold next.
    pub fn effects(&mut self, actions: &[usize], stirred: &[u32]) -> Vec<(u32, FormulaId)> {
        let overlay = self.overlay(actions);
        let mut fluents: FxHashSet<u32> = stirred.iter().copied().collect();
        let next = &self.ground.next;
        for atom in overlay.values.keys() {
            if let Some(fluent) = self.fluent_of_next(*atom) {
                fluents.insert(fluent);
            }
        }
        let mut effects: Vec<(u32, FormulaId)> = fluents
            .into_iter()
            .map(|f| (f, next[f as usize].map_or(FALSE, |atom| self.value(atom, &overlay))))
            .collect();
        effects.sort_unstable();
        effects.retain(|(f, e)| *e != self.quiet[*f as usize]);
        effects
    }

    /// The fluents that change when nobody does anything.
    pub fn stirred(&self) -> Vec<u32> {
        (0..self.ground.fluents.len() as u32)
            .filter(|f| {
                let next = self.ground.next[*f as usize].map_or(FALSE, |a| self.quiet[a as usize]);
                next != self.quiet[*f as usize]
            })
            .collect()
    }

    fn fluent_of_next(&self, atom: AtomId) -> Option<u32> {
        self.ground.fluent_of_next(atom)
    }
}
