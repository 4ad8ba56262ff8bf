//! Lists of conditions that must all hold, each list once.

use crate::condition::{Cond, Conditions, FALSE, TRUE};
use crate::memo::{Memo, pair};
use crate::rules::Rules;
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
const MOST_STEPS: u64 = 4 << 20;

/// All lists that occur. Kept as lists because the conjunction of many small conditions can be huge as a
/// diagram, while the lists that really occur on the way through a set are few.
#[derive(Default)]
pub struct Conjunctions {
    lists: Vec<Box<[Cond]>>,
    ids: FxHashMap<Box<[Cond]>, Conj>,
    scratch: Vec<Cond>,
    /// For each level what is left of a list after a digit.
    steps: Vec<Memo>,
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
        let conds: usize = self.lists.iter().map(|list| list.len()).sum();
        let headers = self.lists.capacity() * 16 + self.ids.capacity() * 25;
        let steps: u64 = self.steps.iter().map(Memo::bytes).sum();
        (headers + 2 * (conds * 4 + self.lists.len() * 16)) as u64 + steps
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
        self.ids.insert(sorted.into(), conj);
        conj
    }

    /// The list after a block's digit, remembered.
    pub fn step(&mut self, rules: &Rules, level: usize, conj: Conj, digit: Digit) -> Conj {
        if self.steps.len() <= level {
            self.steps.resize_with(level + 1, Memo::default);
        }
        let key = pair(conj, u32::from(digit));
        if let Some(result) = self.steps[level].get(key) {
            return result as Conj;
        }
        if self.steps[level].bytes() > MOST_STEPS {
            self.steps[level] = Memo::default();
        }
        let frame = &rules.frame;
        let result = self.follow(&rules.conds, conj, frame.first[level], frame.values(level, digit));
        self.steps[level].insert(key, u64::from(result));
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
