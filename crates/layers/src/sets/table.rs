//! Strings of words, each once.

/// Strings of words with numbers in the order in which they were added.
pub struct Table {
    start: Vec<u32>,
    words: Vec<u64>,
    hashes: Vec<u32>,
    /// Open addressing: hashes in the high halves, numbers in the low ones. `FREE` marks a free slot.
    slots: Vec<u64>,
}

/// Its number is one more than any table has strings.
const FREE: u64 = u64::MAX;

impl Default for Table {
    fn default() -> Self {
        Table { start: vec![0], words: vec![], hashes: vec![], slots: vec![] }
    }
}

impl Table {
    /// The number of strings.
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// A string.
    #[inline]
    pub fn get(&self, number: usize) -> &[u64] {
        &self.words[self.start[number] as usize..self.start[number + 1] as usize]
    }

    /// All strings one after the other.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The strings alone: where they begin, with the end of the last, and one after the other.
    pub fn into_strings(self) -> (Vec<u32>, Vec<u64>) {
        (self.start, self.words)
    }

    /// The number of a string, a new one if need be.
    #[inline]
    pub fn add(&mut self, string: &[u64]) -> u32 {
        self.add_hashed(string, hash(string))
    }

    fn push(&mut self, string: &[u64], hash: u32) -> u32 {
        let number = self.len() as u32;
        self.words.extend_from_slice(string);
        self.start.push(self.words.len() as u32);
        self.hashes.push(hash);
        number
    }

    /// Sees that strings can be looked for again.
    pub fn unseal(&mut self) {
        if self.slots.is_empty() {
            self.reserve(self.len());
            self.index();
        }
    }

    /// The number of a string of another table, if it is here too. This one must not be sealed.
    #[inline]
    pub fn find(&self, from: &Table, number: usize) -> Option<u32> {
        let (hash, mask) = (from.hashes[number], self.slots.len() - 1);
        let mut at = hash as usize & mask;
        while self.slots[at] != FREE {
            let found = self.slots[at];
            if (found >> 32) as u32 == hash && same(self.get(found as u32 as usize), from.get(number)) {
                return Some(found as u32);
            }
            at = (at + 1) & mask;
        }
        None
    }

    #[inline]
    fn add_hashed(&mut self, string: &[u64], hash: u32) -> u32 {
        if self.slots.len() < (self.len() + 1) * 2 {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let found = self.slots[at];
            if found == FREE {
                break;
            }
            if (found >> 32) as u32 == hash && same(self.get(found as u32 as usize), string) {
                return found as u32;
            }
            at = (at + 1) & mask;
        }
        self.slots[at] = u64::from(hash) << 32 | self.len() as u64;
        self.push(string, hash)
    }

    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(64);
        self.slots.clear();
        self.slots.resize(size, FREE);
        self.index();
    }

    /// Puts all strings into free slots.
    fn index(&mut self) {
        let size = self.slots.len();
        for (number, &hash) in self.hashes.iter().enumerate() {
            let mut at = hash as usize & (size - 1);
            while self.slots[at] != FREE {
                at = (at + 1) & (size - 1);
            }
            self.slots[at] = u64::from(hash) << 32 | number as u64;
        }
    }

    /// Makes slots for n strings.
    fn reserve(&mut self, strings: usize) {
        self.slots.resize((2 * strings + 2).next_power_of_two().max(64), FREE);
    }

    /// Gives back what is only needed for adding.
    pub fn seal(&mut self) {
        self.slots = vec![];
        self.hashes.shrink_to_fit();
        self.start.shrink_to_fit();
        self.words.shrink_to_fit();
    }

    /// The memory that the table takes.
    pub fn bytes(&self) -> u64 {
        ((self.start.capacity() + self.hashes.capacity()) * 4
            + (self.slots.capacity() + self.words.capacity()) * 8) as u64
    }
}

/// Whether two strings are the same. Most are so short that this is done before a function could be called.
#[inline]
fn same(a: &[u64], b: &[u64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a == b)
}

#[inline]
fn hash(string: &[u64]) -> u32 {
    let mut h = string.len() as u64;
    for &word in string {
        h = (h.rotate_left(5) ^ word).wrapping_mul(0x517C_C1B7_2722_0A95);
        h ^= h >> 29;
    }
    (h ^ h >> 32) as u32
}
