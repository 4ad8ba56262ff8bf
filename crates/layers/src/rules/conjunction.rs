//! Lists of conditions that must all hold, each list once.

use crate::rules::condition::{Cond, Conditions, FALSE, TRUE};
use crate::rules::rules_of_game::Rules;
use rustc_hash::FxHashMap;
use winset_index::Digit;
use winset_model::Value;

/// A conjunction of conditions.
pub type Conj = u32;

/// Nothing is asked.
pub const ALWAYS: Conj = 0;
/// Cannot hold.
pub const NEVER: Conj = 1;

/// The most memory for what is left of lists after the digits of a level.
const MOST_STEPS: usize = 8 << 20;

/// Nobody has asked yet.
const UNKNOWN: Conj = Conj::MAX;

/// What is left of lists after the digits of a level: a row for every list that was asked about.
#[derive(Default)]
struct Steps {
    digits: usize,
    /// Where each list's row begins.
    row: Vec<u32>,
    rows: Vec<Conj>,
}

impl Steps {
    #[inline]
    fn get(&self, conj: Conj, digit: Digit) -> Conj {
        match self.row.get(conj as usize) {
            Some(&row) if row != UNKNOWN => self.rows[row as usize + digit as usize],
            _ => UNKNOWN,
        }
    }

    fn set(&mut self, conj: Conj, digit: Digit, result: Conj) {
        if self.rows.len() * 4 > MOST_STEPS {
            *self = Steps { digits: self.digits, ..Default::default() };
        }
        if self.row.len() <= conj as usize {
            self.row.resize(conj as usize + 1, UNKNOWN);
        }
        if self.row[conj as usize] == UNKNOWN {
            self.row[conj as usize] = self.rows.len() as u32;
            self.rows.resize(self.rows.len() + self.digits, UNKNOWN);
        }
        let at = self.row[conj as usize] as usize + digit as usize;
        self.rows[at] = result;
    }

    fn bytes(&self) -> u64 {
        ((self.row.capacity() + self.rows.capacity()) * 4) as u64
    }
}

/// All lists that occur. Kept as lists because the conjunction of many small conditions can be huge as a
/// diagram, while the lists that really occur on the way through a set are few.
#[derive(Default)]
pub struct Conjunctions {
    lists: Vec<Box<[Cond]>>,
    /// The number of conditions in all lists.
    entries: usize,
    ids: FxHashMap<Box<[Cond]>, Conj>,
    scratch: Vec<Cond>,
    /// For each level what is left of a list after a digit.
    steps: Vec<Steps>,
}

impl Conjunctions {
    /// The two constant lists only.
    pub fn new() -> Self {
        let mut all = Conjunctions::default();
        all.intern(vec![]);
        all.intern(vec![FALSE]);
        all
    }

    /// About the memory that the lists take.
    pub fn bytes(&self) -> u64 {
        // Every list is there twice, as a key too.
        let headers = self.lists.capacity() * 16 + self.ids.capacity() * 25;
        let steps: u64 = self.steps.iter().map(Steps::bytes).sum();
        (headers + 2 * (self.entries * 4 + self.lists.len() * 16)) as u64 + steps
    }

    /// The conditions of a list.
    pub fn list(&self, conj: Conj) -> &[Cond] {
        &self.lists[conj as usize]
    }

    /// The list of these conditions.
    pub fn intern(&mut self, mut list: Vec<Cond>) -> Conj {
        list.retain(|&cond| cond != TRUE);
        list.sort_unstable();
        list.dedup();
        if list.first() == Some(&FALSE) {
            list.truncate(1);
        }
        self.find(&list)
    }

    fn find(&mut self, sorted: &[Cond]) -> Conj {
        if let Some(&conj) = self.ids.get(sorted) {
            return conj;
        }
        let conj = self.lists.len() as Conj;
        self.lists.push(sorted.into());
        self.entries += sorted.len();
        self.ids.insert(sorted.into(), conj);
        conj
    }

    /// The list after a block's digit, remembered.
    #[inline]
    pub fn step(&mut self, rules: &Rules, level: usize, conj: Conj, digit: Digit) -> Conj {
        let known = self.steps.get(level).map_or(UNKNOWN, |steps| steps.get(conj, digit));
        if known == UNKNOWN { self.find_step(rules, level, conj, digit) } else { known }
    }

    fn find_step(&mut self, rules: &Rules, level: usize, conj: Conj, digit: Digit) -> Conj {
        let frame = &rules.frame;
        let result = self.follow(&rules.conds, conj, frame.first[level], frame.values(level, digit));
        while self.steps.len() <= level {
            let digits = frame.digits(self.steps.len());
            self.steps.push(Steps { digits, ..Default::default() });
        }
        self.steps[level].set(conj, digit, result);
        result
    }

    /// The list after the variables from `first` on got these values.
    pub fn follow(&mut self, conds: &Conditions, conj: Conj, first: u32, values: &[Value]) -> Conj {
        if conj <= NEVER {
            return conj;
        }
        let mut next = std::mem::take(&mut self.scratch);
        next.clear();
        let mut changed = false;
        for &cond in self.lists[conj as usize].iter() {
            let rest = conds.follow(cond, first, values);
            if rest == FALSE {
                self.scratch = next;
                return NEVER;
            }
            changed |= rest != cond;
            if rest != TRUE {
                next.push(rest);
            }
        }
        let result = if changed {
            next.sort_unstable();
            next.dedup();
            self.find(&next)
        } else {
            conj
        };
        self.scratch = next;
        result
    }
}
