//! Strings of words, each once.

use crate::crew::Crew;

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

    /// Where the strings begin, and the end of the last.
    pub fn starts(&self) -> &[u32] {
        &self.start
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

    /// Appends a string without looking whether it is there, for a table that is only to be merged.
    #[inline]
    pub fn append(&mut self, string: &[u64]) -> u32 {
        self.push(string, hash(string))
    }

    fn push(&mut self, string: &[u64], hash: u32) -> u32 {
        let number = self.len() as u32;
        self.words.extend_from_slice(string);
        self.start.push(self.words.len() as u32);
        self.hashes.push(hash);
        number
    }

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
        for (number, &hash) in self.hashes.iter().enumerate() {
            let mut at = hash as usize & (size - 1);
            while self.slots[at] != FREE {
                at = (at + 1) & (size - 1);
            }
            self.slots[at] = u64::from(hash) << 32 | number as u64;
        }
    }

    /// Gives back what is only needed for adding.
    pub fn seal(&mut self) {
        self.slots = vec![];
        self.hashes.shrink_to_fit();
        self.start.shrink_to_fit();
        self.words.shrink_to_fit();
    }

    /// More words than their addresses can number.
    pub fn overflows(&self) -> bool {
        self.words.len() > u32::MAX as usize
    }

    /// The memory that the table takes.
    pub fn bytes(&self) -> u64 {
        ((self.start.capacity() + self.hashes.capacity()) * 4
            + (self.slots.capacity() + self.words.capacity()) * 8) as u64
    }

    /// One table of several, and the number there of every string of each.
    pub fn merge(mut tables: Vec<Table>, crew: &Crew) -> (Table, Vec<Vec<u32>>) {
        if tables.len() == 1 {
            let table = tables.remove(0);
            let same = (0..table.len() as u32).collect();
            return (table, vec![same]);
        }
        let shards = tables.len();
        let shard_of = |hash: u32| (hash >> 16) as usize % shards;
        let built: Vec<(Table, Vec<Vec<u32>>)> = crew.map(vec![(); shards], |shard, ()| {
            let (mut merged, mut numbers) = (Table::default(), vec![]);
            // A good part of the strings is there more than once.
            merged.reserve(tables.iter().map(Table::len).max().unwrap_or(0) / shards);
            for table in &tables {
                let mine = table.hashes.iter().enumerate().filter(|(_, h)| shard_of(**h) == shard);
                let numbered = mine.map(|(i, &hash)| merged.add_hashed(table.get(i), hash));
                numbers.push(numbered.collect());
            }
            (merged, numbers)
        });
        let (built, of_shard): (Vec<Table>, Vec<Vec<Vec<u32>>>) = built.into_iter().unzip();
        let first = |shard: usize| built[..shard].iter().map(|table| table.len() as u32).sum::<u32>();
        let offsets: Vec<u32> = (0..shards).map(first).collect();
        let numbers_of = |(t, table): (usize, &Table)| {
            let mut next = vec![0; shards];
            let number = |&hash: &u32| {
                let shard = shard_of(hash);
                next[shard] += 1;
                offsets[shard] + of_shard[shard][t][next[shard] - 1]
            };
            table.hashes.iter().map(number).collect()
        };
        crew.both(|| Table::concatenate(built), || tables.iter().enumerate().map(numbers_of).collect())
    }

    /// The strings of one table after those of another; they are not looked for any more.
    fn concatenate(tables: Vec<Table>) -> Table {
        let words = tables.iter().map(|table| table.words.len()).sum::<usize>();
        let mut tables = tables.into_iter();
        let mut all = tables.next().unwrap_or_default();
        all.slots = vec![];
        all.words.reserve_exact(words - all.words.len());
        for table in tables {
            let base = all.words.len() as u32;
            all.words.extend_from_slice(&table.words);
            all.start.extend(table.start[1..].iter().map(|start| base + start));
            all.hashes.extend_from_slice(&table.hashes);
        }
        all
    }

    /// Makes slots for n strings.
    fn reserve(&mut self, strings: usize) {
        self.slots.resize((2 * strings).next_power_of_two().max(64), FREE);
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
