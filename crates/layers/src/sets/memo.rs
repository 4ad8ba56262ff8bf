//! Tables from one word to one word, for operations on sets.

/// An open-addressing table. Keys are any words but the greatest.
pub struct Memo {
    slots: Vec<(u64, u64)>,
    len: usize,
    shift: u32,
}

const FREE: u64 = u64::MAX;

impl Default for Memo {
    fn default() -> Self {
        Memo { slots: vec![], len: 0, shift: 64 }
    }
}

impl Memo {
    #[inline]
    fn home(&self, key: u64) -> usize {
        (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> self.shift) as usize
    }

    /// The value of a key.
    #[inline]
    pub fn get(&self, key: u64) -> Option<u64> {
        if self.slots.is_empty() {
            return None;
        }
        let mask = self.slots.len() - 1;
        let mut at = self.home(key);
        loop {
            let (found, value) = self.slots[at];
            if found == key {
                return Some(value);
            }
            if found == FREE {
                return None;
            }
            at = (at + 1) & mask;
        }
    }

    /// Adds a key that is not there yet.
    #[inline]
    pub fn insert(&mut self, key: u64, value: u64) {
        if self.len * 2 >= self.slots.len() {
            self.grow();
        }
        self.put(key, value);
        self.len += 1;
    }

    fn put(&mut self, key: u64, value: u64) {
        let mask = self.slots.len() - 1;
        let mut at = self.home(key);
        while self.slots[at].0 != FREE {
            at = (at + 1) & mask;
        }
        self.slots[at] = (key, value);
    }

    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(64);
        let old = std::mem::replace(&mut self.slots, vec![(FREE, 0); size]);
        self.shift = 64 - size.trailing_zeros();
        for (key, value) in old {
            if key != FREE {
                self.put(key, value);
            }
        }
    }

    /// The memory that the table takes.
    pub fn bytes(&self) -> u64 {
        (self.slots.len() * size_of::<(u64, u64)>()) as u64
    }
}

/// Two numbers as one key.
#[inline]
pub fn pair(a: u32, b: u32) -> u64 {
    u64::from(a) << 32 | u64::from(b)
}
