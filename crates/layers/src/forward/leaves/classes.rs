//! Which states of the leaf can stand below the same prefix, and where each stands as a bit.
//!
//! Such states belong to one *class*, which lists them in order; a state's bit is its place in the list. Classes are
//! found on the way: states that are reached for the first time join one, and classes that turn out to be one are
//! joined. Either gives a new class with a new number, so that whatever is known about the others stays valid.

/// No class.
pub const NONE: u32 = u32::MAX;

/// The most states of a class.
pub const WIDEST: usize = 1 << 12;

/// The classes of a leaf.
pub struct Classes {
    /// The first block of the leaf.
    pub level: usize,
    /// The number of digits of each of its blocks.
    pub digits: Vec<usize>,
    /// What a digit of each block counts in the number of a state.
    pub strides: Vec<u32>,
    /// The class and the place of each state, as of when they were last settled.
    class: Vec<u32>,
    place: Vec<u16>,
    /// The states of each class; none if it has been replaced by another.
    states: Vec<Vec<u32>>,
    /// The class by which one has been replaced, or itself.
    heir: Vec<u32>,
    /// Classes that have changed since they were last settled, and states that have been added to them.
    changed: Vec<u32>,
    added: Vec<(u32, u32)>,
}

impl Classes {
    /// No state has been reached yet; `digits` are those of the leaf's blocks.
    pub fn new(level: usize, digits: &[usize]) -> Self {
        let stride = |k: usize| digits[k + 1..].iter().product::<usize>() as u32;
        let states = digits.iter().product();
        Classes {
            level,
            digits: digits.to_vec(),
            strides: (0..digits.len()).map(stride).collect(),
            class: vec![NONE; states],
            place: vec![0; states],
            states: vec![],
            heir: vec![],
            changed: vec![],
            added: vec![],
        }
    }

    /// The memory that the classes take.
    pub fn bytes(&self) -> u64 {
        let lists: usize = self.states.iter().map(|list| 24 + list.capacity() * 4).sum();
        (self.class.len() * 6 + lists + self.heir.capacity() * 4) as u64
    }

    /// The states of a class, in order.
    #[inline]
    pub fn states(&self, class: u32) -> &[u32] {
        &self.states[class as usize]
    }

    /// The number of words for the bits of a class.
    #[inline]
    pub fn words(&self, class: u32) -> usize {
        self.states[class as usize].len().div_ceil(64)
    }

    /// The class of a state that has been settled.
    #[inline]
    pub fn class(&self, state: u32) -> u32 {
        self.class[state as usize]
    }

    /// The place of a state in its class.
    #[inline]
    pub fn place(&self, state: u32) -> u16 {
        self.place[state as usize]
    }

    /// The class that a class has become.
    #[inline]
    pub fn now(&self, mut class: u32) -> u32 {
        while self.heir[class as usize] != class {
            class = self.heir[class as usize];
        }
        class
    }

    /// The class has been replaced by another.
    pub fn is_replaced(&self, class: u32) -> bool {
        self.heir[class as usize] != class
    }

    /// Puts a state into a class, with all others of its own; [`NONE`]: into its own, or a new one.
    pub fn join(&mut self, state: u32, class: u32) -> u32 {
        let own = self.class[state as usize];
        if own != NONE {
            return if class == NONE { self.now(own) } else { self.link(own, class) };
        }
        let class = if class == NONE {
            self.heir.push(self.states.len() as u32);
            self.states.push(vec![]);
            self.states.len() as u32 - 1
        } else {
            self.now(class)
        };
        self.class[state as usize] = class;
        self.added.push((class, state));
        self.changed.push(class);
        class
    }

    /// Makes one class of two.
    #[inline]
    pub fn link(&mut self, a: u32, b: u32) -> u32 {
        let (a, b) = (self.now(a), self.now(b));
        if a == b {
            return a;
        }
        let (low, high) = (a.min(b), a.max(b));
        self.heir[high as usize] = low;
        self.changed.extend([low, high]);
        low
    }

    /// Something has changed since the classes were last settled.
    pub fn is_unsettled(&self) -> bool {
        !self.changed.is_empty()
    }

    /// Gives places in new classes to the states of all that have changed. Returns the old lists of those classes, for
    /// whoever has bits that must be moved; none if a class has become too wide.
    pub fn settle(&mut self) -> Option<Vec<(u32, Vec<u32>)>> {
        let mut changed = std::mem::take(&mut self.changed);
        changed.sort_unstable();
        changed.dedup();
        let old: Vec<(u32, Vec<u32>)> =
            changed.iter().map(|&class| (class, std::mem::take(&mut self.states[class as usize]))).collect();
        // The states of each new class, named by the least of the old ones.
        let mut made: Vec<(u32, u32)> = vec![];
        for (class, list) in &old {
            let now = self.now(*class);
            made.extend(list.iter().map(|&state| (now, state)));
        }
        for (class, state) in std::mem::take(&mut self.added) {
            made.push((self.now(class), state));
        }
        made.sort_unstable();
        for group in made.chunk_by(|a, b| a.0 == b.0) {
            if group.len() > WIDEST {
                return None;
            }
            let new = self.states.len() as u32;
            self.heir.push(new);
            self.heir[group[0].0 as usize] = new;
            for (place, &(_, state)) in group.iter().enumerate() {
                self.class[state as usize] = new;
                self.place[state as usize] = place as u16;
            }
            self.states.push(group.iter().map(|&(_, state)| state).collect());
        }
        Some(old.into_iter().filter(|(_, list)| !list.is_empty()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_that_meet_are_in_one_class_and_in_order() {
        let mut classes = Classes::new(3, &[4, 5]);
        let a = classes.join(7, NONE);
        classes.join(3, a);
        let b = classes.join(12, NONE);
        assert!(classes.settle().unwrap().is_empty(), "there were no bits before");
        assert_eq!(classes.states(classes.now(a)), [3, 7]);
        assert_eq!(classes.states(classes.now(b)), [12]);
        let (a, b) = (classes.now(a), classes.now(b));
        classes.join(5, b);
        classes.link(a, b);
        assert_eq!(classes.settle().unwrap(), [(a, vec![3, 7]), (b, vec![12])]);
        let all = classes.now(a);
        assert_eq!((classes.now(b), classes.states(all)), (all, &[3, 5, 7, 12][..]));
        assert_eq!([3, 5, 7, 12].map(|state| classes.place(state)), [0, 1, 2, 3]);
        assert!(classes.is_replaced(a) && !classes.is_replaced(all) && !classes.is_unsettled());
    }
}
