//! Atoms as formulas: once for those that do not depend on the moves, and for each joint move only where
//! it makes a difference.

use crate::convert::overlay::{Overlay, SAME};
use crate::ground::components::components;
use crate::ground::constants::{Constants, Order};
use crate::ground::instances::{AtomId, Ground};
use crate::limits::{Exceeded, Meter};
use crate::prove::clocks::Timing;
use crate::prove::formula::{FALSE, FormulaId, Formulas, TRUE};
use rustc_hash::FxHashMap;

/// The formulas of a game's atoms.
pub(crate) struct Compiler<'g> {
    pub ground: &'g Ground,
    pub order: &'g Order,
    constants: &'g Constants,
    pub timing: Option<&'g Timing>,
    /// Whether the present move can be made at a set of times; empty where there is no move.
    pub meeting: Vec<bool>,
    pub formulas: Formulas,
    /// The atoms' formulas; those that depend on the moves as if nobody did anything.
    pub quiet: Vec<FormulaId>,
    /// Whether an atom depends on the moves.
    moved: Vec<bool>,
    /// Rules that need an atom which only a move makes true, by one such atom: as long as it is not, the
    /// rule need not be looked at.
    pub watching: Vec<Vec<u32>>,
    /// The other rules of atoms that depend on moves, by head.
    plain: Vec<Vec<u32>>,
    /// For every atom that depends on moves, the components to look at when it differs.
    pub users: Vec<Vec<u32>>,
    /// Room for the changes of one joint move after the other.
    pub scratch: Overlay,
    bodies: Vec<FormulaId>,
    parts: Vec<FormulaId>,
}

impl<'g> Compiler<'g> {
    pub fn new(
        ground: &'g Ground,
        order: &'g Order,
        constants: &'g Constants,
        timing: Option<&'g Timing>,
        meter: &Meter,
    ) -> Result<Self, Exceeded> {
        let mut compiler = Compiler {
            ground,
            order,
            constants,
            timing,
            meeting: Vec::new(),
            formulas: Formulas::new(),
            quiet: vec![FALSE; ground.atoms],
            moved: vec![false; ground.atoms],
            watching: vec![Vec::new(); ground.atoms],
            plain: vec![Vec::new(); ground.atoms],
            users: vec![Vec::new(); ground.atoms],
            scratch: Overlay::default(),
            bodies: Vec::new(),
            parts: Vec::new(),
        };
        compiler.prepare(meter)?;
        Ok(compiler)
    }

    fn prepare(&mut self, meter: &Meter) -> Result<(), Exceeded> {
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
        let nothing = Overlay::new(self.ground.atoms, self.order.groups() as usize);
        for component in 0..self.order.groups() {
            if component.is_multiple_of(0x400) {
                meter.check_time()?;
                meter.check_memory(self.formulas.bytes())?;
            }
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
            if self.order.recursive[component as usize] {
                for (atom, formula) in self.solve_recursive(group, &nothing) {
                    self.quiet[atom as usize] = formula;
                }
            } else {
                self.quiet[group[0] as usize] = self.solve(group[0], &nothing);
            }
        }
        self.scratch = nothing;
        meter.check_time()
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
                self.watching[watched as usize].push(*rule);
                continue;
            }
            plain.push(*rule);
            for literal in body {
                if self.moved[(literal >> 1) as usize] {
                    let users = &mut self.users[(literal >> 1) as usize];
                    if users.last() != Some(&component) {
                        users.push(component);
                    }
                }
            }
        }
        self.plain[atom as usize] = plain;
    }

    /// Whether a rule can apply when the present move can be made.
    fn is_timely(&self, rule: u32) -> bool {
        self.timing.is_none_or(|t| self.meeting.get(t.rule(rule) as usize).is_none_or(|m| *m))
    }

    fn known(&self, literal: u32) -> Option<bool> {
        self.constants.value(literal >> 1).map(|v| v != (literal & 1 == 1))
    }

    /// The formula of an atom under a joint move.
    pub fn value(&self, atom: AtomId, overlay: &Overlay) -> FormulaId {
        match overlay.values[atom as usize] {
            SAME => self.quiet[atom as usize],
            different => different,
        }
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
            (&self.plain[atom as usize], &overlay.awake[atom as usize])
        } else {
            (self.ground.rules_of(atom), &[])
        };
        all.iter().chain(more).copied()
    }

    /// The formula of an atom that is not recursive under a joint move.
    pub fn solve(&mut self, atom: AtomId, overlay: &Overlay) -> FormulaId {
        if let Some(value) = self.constants.value(atom) {
            return if value { TRUE } else { FALSE };
        }
        // This runs for every fluent and move, so the lists are used again.
        let mut bodies = std::mem::take(&mut self.bodies);
        let mut parts = std::mem::take(&mut self.parts);
        let plain = std::mem::take(&mut self.plain[atom as usize]);
        let (all, more): (&[u32], &[u32]) = if self.moved[atom as usize] {
            (&plain, &overlay.awake[atom as usize])
        } else {
            (self.ground.rules_of(atom), &[])
        };
        bodies.clear();
        for rule in all.iter().chain(more) {
            let body = self.conjunction(*rule, overlay, &mut parts);
            bodies.push(body);
            if body == TRUE {
                break;
            }
        }
        let formula = self.formulas.or_of(&mut bodies);
        self.plain[atom as usize] = plain;
        self.bodies = bodies;
        self.parts = parts;
        formula
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

    fn conjunction(&mut self, rule: u32, overlay: &Overlay, parts: &mut Vec<FormulaId>) -> FormulaId {
        let ground = self.ground;
        parts.clear();
        if !self.is_timely(rule) {
            return FALSE;
        }
        for literal in ground.body(rule) {
            let part = self.literal(*literal, overlay);
            if part == FALSE {
                return FALSE;
            }
            parts.push(part);
        }
        self.formulas.and_of(parts)
    }

    /// A recursive component: what is decided is taken out, the rest becomes least fixpoints, one for each
    /// component that is left.
    pub fn solve_recursive(&mut self, group: &[AtomId], overlay: &Overlay) -> Vec<(AtomId, FormulaId)> {
        let local: FxHashMap<AtomId, u32> = group.iter().enumerate().map(|(i, a)| (*a, i as u32)).collect();
        // Bodies as what comes from outside, and the members of the group they need.
        let mut bodies: Vec<Vec<(FormulaId, Vec<u32>)>> = Vec::with_capacity(group.len());
        let mut value: Vec<Option<FormulaId>> = Vec::with_capacity(group.len());
        for atom in group {
            value.push(self.constants.value(*atom).map(|v| if v { TRUE } else { FALSE }));
            let mut list = Vec::new();
            for rule in self.active(*atom, overlay).collect::<Vec<_>>() {
                let ground = self.ground;
                if !self.is_timely(rule) {
                    continue;
                }
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
        let given: Vec<bool> = value.iter().map(|v| *v == Some(TRUE)).collect();
        let open: Vec<bool> = value.iter().map(Option::is_none).collect();
        let certain = least(bodies, &given, &open, |f| f == TRUE);
        let possible = least(bodies, &certain, &open, |_| true);
        for i in (0..bodies.len()).filter(|i| open[*i]) {
            if certain[i] {
                value[i] = Some(TRUE);
            } else if !possible[i] {
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
}

/// The members that follow from given ones by bodies whose outer part is admitted. Every body is looked at
/// once for each of its members, however long the chains are.
fn least(
    bodies: &[Vec<(FormulaId, Vec<u32>)>],
    given: &[bool],
    open: &[bool],
    admitted: impl Fn(FormulaId) -> bool,
) -> Vec<bool> {
    let mut holds = given.to_vec();
    let mut users: Vec<Vec<(u32, u32)>> = vec![Vec::new(); bodies.len()];
    let mut missing: Vec<Vec<usize>> = Vec::with_capacity(bodies.len());
    let mut queue: Vec<u32> = Vec::new();
    for (head, list) in bodies.iter().enumerate() {
        let mut counts = vec![usize::MAX; list.len()];
        for (b, (outside, inside)) in list.iter().enumerate() {
            if !open[head] || !admitted(*outside) {
                continue;
            }
            counts[b] = inside.iter().filter(|m| !given[**m as usize]).count();
            inside.iter().for_each(|m| users[*m as usize].push((head as u32, b as u32)));
            if counts[b] == 0 && !std::mem::replace(&mut holds[head], true) {
                queue.push(head as u32);
            }
        }
        missing.push(counts);
    }
    while let Some(member) = queue.pop() {
        for (head, b) in &users[member as usize] {
            let count = &mut missing[*head as usize][*b as usize];
            *count -= 1;
            if *count == 0 && !std::mem::replace(&mut holds[*head as usize], true) {
                queue.push(*head);
            }
        }
    }
    holds
}
