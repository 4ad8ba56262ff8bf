//! What joint moves change, compared with nobody doing anything.
//!
//! Many moves begin in the same way: all moves of a piece empty its square and leave the rest of the board
//! alone. What they have in common is worked out once, as levels that the next move builds on.

use crate::convert::compile::Compiler;
use crate::ground::instances::AtomId;
use crate::limits::{Exceeded, Meter};
use crate::prove::formula::{FormulaId, TRUE};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Fluents that may change, in their order, with what makes them hold next.
pub(crate) type Effects = Rc<[(u32, FormulaId)]>;

/// An atom that a move changes directly, and to what.
type Change = (AtomId, FormulaId);

/// Changes that fewer moves share, or that fewer rules and components ask for, get no level of their own.
const FEW: usize = 8;
/// Levels below a move.
const LEVELS: usize = 3;

/// What is different from no move at all. It is as large as the game and used again for every move, so only
/// what was touched is undone.
#[derive(Default)]
pub(crate) struct Overlay {
    /// By atom, [`SAME`] where nothing is different.
    pub values: Vec<FormulaId>,
    /// Rules whose watched atom is different, by head.
    pub awake: Vec<Vec<u32>>,
    /// What was done, to be undone.
    trail: Vec<Step>,
    /// Components that are to be looked at, one bit each, how many these are, and the first word with any.
    agenda: Vec<u64>,
    waiting: usize,
    first: usize,
}

pub(crate) const SAME: FormulaId = FormulaId::MAX;

enum Step {
    /// The atom had this value before.
    Value(AtomId, FormulaId),
    /// The head got one more rule.
    Awake(AtomId),
}

impl Overlay {
    pub fn new(atoms: usize, components: usize) -> Self {
        Overlay {
            values: vec![SAME; atoms],
            awake: vec![Vec::new(); atoms],
            agenda: vec![0; components.div_ceil(64)],
            ..Overlay::default()
        }
    }

    fn undo(&mut self, mark: usize) {
        while self.trail.len() > mark {
            match self.trail.pop() {
                Some(Step::Value(atom, old)) => self.values[atom as usize] = old,
                Some(Step::Awake(head)) => {
                    self.awake[head as usize].pop();
                }
                None => {}
            }
        }
    }

    fn push(&mut self, component: u32) {
        let (word, bit) = (component as usize / 64, 1 << (component % 64));
        if self.agenda[word] & bit == 0 {
            self.agenda[word] |= bit;
            self.first = if self.waiting == 0 { word } else { self.first.min(word) };
            self.waiting += 1;
        }
    }

    /// The first component that is to be looked at.
    fn pop(&mut self) -> Option<u32> {
        if self.waiting == 0 {
            return None;
        }
        while self.agenda[self.first] == 0 {
            self.first += 1;
        }
        let word = &mut self.agenda[self.first];
        let component = self.first as u32 * 64 + word.trailing_zeros();
        *word &= *word - 1;
        self.waiting -= 1;
        Some(component)
    }
}

/// A joint move before its effects are known: when it can be made, and what it changes directly.
struct Plan {
    at: usize,
    time: u32,
    changes: Vec<Change>,
}

/// Changes that have been worked out, with the effects of all up to this one.
struct Level {
    change: Option<Change>,
    mark: usize,
    effects: Vec<(u32, FormulaId)>,
}

impl Compiler<'_> {
    /// For each joint move the fluents that do not simply stay as they are, with what makes them hold next.
    pub fn effects(&mut self, moves: &[Vec<usize>], meter: &Meter) -> Result<Vec<Effects>, Exceeded> {
        let mut overlay = std::mem::take(&mut self.scratch);
        let result = self.effects_on(moves, &mut overlay, meter);
        overlay.undo(0);
        self.meeting.clear();
        self.scratch = overlay;
        result
    }

    fn effects_on(
        &mut self,
        moves: &[Vec<usize>],
        overlay: &mut Overlay,
        meter: &Meter,
    ) -> Result<Vec<Effects>, Exceeded> {
        let plans = self.plans(moves, overlay, meter)?;
        let nothing: Effects = Rc::new([]);
        let mut found = vec![nothing; moves.len()];
        let mut levels: Vec<Level> = Vec::new();
        let mut time = None;
        for (count, plan) in plans.iter().enumerate() {
            if count.is_multiple_of(0x40) {
                meter.check_time()?;
                meter.check_memory(self.formulas.bytes())?;
            }
            if time != Some(plan.time) {
                time = Some(plan.time);
                overlay.undo(0);
                if let Some(timing) = self.timing {
                    timing.meeting(&moves[plan.at], &mut self.meeting);
                }
                levels = vec![Level { change: None, mark: 0, effects: self.stirred() }];
            }
            let same =
                plan.changes.iter().zip(&levels[1..]).take_while(|(c, l)| Some(**c) == l.change).count();
            if let Some(level) = levels.get(same + 1) {
                overlay.undo(level.mark);
                levels.truncate(same + 1);
            }
            for change in &plan.changes[same..] {
                let mark = overlay.trail.len();
                self.change(overlay, change.0, change.1, u32::MAX);
                self.propagate(overlay);
                let below = levels.last().map_or(&[][..], |l| &l.effects);
                let effects = self.merge(below, overlay, mark);
                levels.push(Level { change: Some(*change), mark, effects });
            }
            let mark = overlay.trail.len();
            for action in &moves[plan.at] {
                self.change(overlay, self.ground.action_atom(*action), TRUE, u32::MAX);
            }
            self.propagate(overlay);
            let below = levels.last().map_or(&[][..], |l| &l.effects);
            found[plan.at] = self.merge(below, overlay, mark).into();
            overlay.undo(mark);
        }
        Ok(found)
    }

    /// The moves in an order in which they share what they change.
    fn plans(
        &mut self,
        moves: &[Vec<usize>],
        overlay: &mut Overlay,
        meter: &Meter,
    ) -> Result<Vec<Plan>, Exceeded> {
        let mut times: FxHashMap<Vec<u64>, u32> = FxHashMap::default();
        let mut shared: FxHashMap<Change, usize> = FxHashMap::default();
        let mut plans = Vec::with_capacity(moves.len());
        for (at, actions) in moves.iter().enumerate() {
            if at.is_multiple_of(0x400) {
                meter.check_time()?;
            }
            let set = self.timing.map_or_else(Vec::new, |t| t.common(actions));
            let next = times.len() as u32;
            let time = *times.entry(set).or_insert(next);
            if let Some(timing) = self.timing {
                timing.meeting(actions, &mut self.meeting);
            }
            for action in actions {
                self.change(overlay, self.ground.action_atom(*action), TRUE, u32::MAX);
            }
            let mut changes = Vec::new();
            while let Some(component) = overlay.pop() {
                let atom = self.order.group(component)[0];
                if self.order.recursive[component as usize] || self.weight(atom) < FEW {
                    continue;
                }
                let formula = self.solve(atom, overlay);
                if formula != self.quiet[atom as usize] {
                    changes.push((atom, formula));
                    *shared.entry((atom, formula)).or_default() += 1;
                }
            }
            overlay.undo(0);
            plans.push(Plan { at, time, changes });
        }
        for plan in &mut plans {
            plan.changes.retain(|c| shared[c] >= FEW);
            plan.changes.sort_by_key(|(atom, f)| (std::cmp::Reverse(self.weight(*atom)), *atom, *f));
            plan.changes.truncate(LEVELS);
        }
        plans.sort_by(|a, b| (a.time, &a.changes, a.at).cmp(&(b.time, &b.changes, b.at)));
        Ok(plans)
    }

    /// How much has to be looked at when an atom is different.
    fn weight(&self, atom: AtomId) -> usize {
        self.users[atom as usize].len() + self.watching[atom as usize].len()
    }

    /// Works out everything that follows from the changes so far.
    fn propagate(&mut self, overlay: &mut Overlay) {
        let order = self.order;
        while let Some(component) = overlay.pop() {
            let group = order.group(component);
            if !order.recursive[component as usize] {
                let formula = self.solve(group[0], overlay);
                if formula != self.value(group[0], overlay) {
                    self.change(overlay, group[0], formula, component);
                }
                continue;
            }
            for (atom, formula) in self.solve_recursive(group, overlay) {
                if formula != self.value(atom, overlay) {
                    self.change(overlay, atom, formula, component);
                }
            }
        }
    }

    /// Notes a difference and what has to be looked at because of it, other than the component it is in.
    fn change(&self, overlay: &mut Overlay, atom: AtomId, formula: FormulaId, within: u32) {
        let old = std::mem::replace(&mut overlay.values[atom as usize], formula);
        overlay.trail.push(Step::Value(atom, old));
        self.users[atom as usize].iter().filter(|c| **c != within).for_each(|c| overlay.push(*c));
        for rule in &self.watching[atom as usize] {
            let head = self.ground.head(*rule);
            overlay.push(self.order.component[head as usize]);
            // A rule stays awake when its atom changes once more.
            if old == SAME {
                overlay.awake[head as usize].push(*rule);
                overlay.trail.push(Step::Awake(head));
            }
        }
    }

    /// Effects with what has changed since the mark.
    fn merge(&self, below: &[(u32, FormulaId)], overlay: &Overlay, mark: usize) -> Vec<(u32, FormulaId)> {
        let changed = |step: &Step| match step {
            Step::Value(atom, _) => self.ground.fluent_of_next(*atom),
            Step::Awake(_) => None,
        };
        let mut fluents: Vec<u32> = overlay.trail[mark..].iter().filter_map(changed).collect();
        fluents.sort_unstable();
        fluents.dedup();
        let mut effects = Vec::with_capacity(below.len() + fluents.len());
        let mut rest = below.iter().peekable();
        for f in fluents {
            while let Some(effect) = rest.next_if(|e| e.0 < f) {
                effects.push(*effect);
            }
            rest.next_if(|e| e.0 == f);
            let next = self.ground.next[f as usize].map(|atom| self.value(atom, overlay));
            if let Some(formula) = next.filter(|n| *n != self.quiet[f as usize]) {
                effects.push((f, formula));
            }
        }
        effects.extend(rest);
        effects
    }

    /// The fluents that change when nobody does anything.
    fn stirred(&self) -> Vec<(u32, FormulaId)> {
        (0..self.ground.fluents.len() as u32)
            .map(|f| {
                (
                    f,
                    self.ground.next[f as usize]
                        .map_or(crate::prove::formula::FALSE, |a| self.quiet[a as usize]),
                )
            })
            .filter(|(f, next)| *next != self.quiet[*f as usize])
            .collect()
    }
}
