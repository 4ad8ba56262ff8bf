//! Strings of words that several threads have found, each thread its own ones.
//!
//! A thread goes on from what it has found itself, so that what several have found is little and need not be looked for on
//! the way: where each string must be there once, those of one thread are looked up among those of the others.

use crate::crew::Crew;
use crate::sets::table::Table;
use crate::shares::Shares;

/// A thread looks up n strings at a time.
const CHUNK: usize = 1 << 12;

/// What there is no number for.
const NEW: u32 = u32::MAX;

/// Strings by number, one thread's after another's. Two threads may have found the same.
pub struct Strings {
    tables: Vec<Table>,
    /// The number of each table's first string, and of all strings.
    first: Vec<usize>,
}

impl Strings {
    /// The strings of several threads.
    pub fn new(tables: Vec<Table>) -> Self {
        let mut first = vec![0];
        for table in &tables {
            first.push(first[first.len() - 1] + table.len());
        }
        Strings { tables, first }
    }

    /// The number of strings.
    pub fn len(&self) -> usize {
        self.first[self.tables.len()]
    }

    /// The number of each table's first string, and of all strings.
    pub fn firsts(&self) -> &[usize] {
        &self.first
    }

    /// A string.
    #[inline]
    pub fn get(&self, number: usize) -> &[u64] {
        let mut table = 0;
        while number >= self.first[table + 1] {
            table += 1;
        }
        self.tables[table].get(number - self.first[table])
    }

    /// More words than addresses can number.
    pub fn overflows(&self) -> bool {
        self.tables.iter().map(|table| table.words().len()).sum::<usize>() > u32::MAX as usize
    }

    /// The memory that they take.
    pub fn bytes(&self) -> u64 {
        self.tables.iter().map(Table::bytes).sum()
    }

    /// Gives back what is only needed for looking strings up.
    pub fn seal(&mut self) {
        self.tables.iter_mut().for_each(Table::seal);
    }

    /// Each string once.
    pub fn join(mut self, crew: &Crew) -> Joined {
        let mut again: Vec<Vec<u32>> = self.tables.iter().map(|_| vec![]).collect();
        let mut numbers = vec![];
        if self.tables.len() > 1 {
            self.tables.iter_mut().for_each(Table::unseal);
            let found = self.look_up(crew);
            numbers.reserve_exact(self.len());
            numbers.extend(0..self.tables[0].len() as u32);
            let mut next = self.tables[0].len() as u32;
            for (string, found) in found.into_iter().enumerate() {
                let table = self.first.partition_point(|&first| first <= self.first[1] + string) - 1;
                if found == NEW {
                    numbers.push(next);
                    next += 1;
                } else {
                    again[table].push((self.first[1] + string - self.first[table]) as u32);
                    numbers.push(numbers[found as usize]);
                }
            }
        }
        self.seal();
        Joined { tables: self.tables, again, numbers }
    }

    /// For each string that is not in the first table the number of the same string in a table before its own.
    fn look_up(&self, crew: &Crew) -> Vec<u32> {
        let mut chunks = vec![];
        for table in 1..self.tables.len() {
            let of = |begin| (table, begin..self.tables[table].len().min(begin + CHUNK));
            chunks.extend((0..self.tables[table].len()).step_by(CHUNK).map(of));
        }
        let find = |table: usize, string: usize| {
            let mut before = self.tables[..table].iter().zip(&self.first);
            let number = before.find_map(|(other, first)| {
                other.find(&self.tables[table], string).map(|number| *first as u32 + number)
            });
            number.unwrap_or(NEW)
        };
        let threads = crew.threads().min(chunks.len()).max(1);
        let tasks = Shares::new(chunks.len(), threads);
        let work = |thread: usize, ()| {
            let mut found: Vec<(usize, Vec<u32>)> = vec![];
            while let Some(taken) = tasks.take(thread, 1) {
                let (table, range) = &chunks[taken.start];
                found.push((taken.start, range.clone().map(|string| find(*table, string)).collect()));
            }
            found
        };
        let mut all: Vec<(usize, Vec<u32>)> =
            crew.map(vec![(); threads], work).into_iter().flatten().collect();
        all.sort_unstable_by_key(|&(chunk, _)| chunk);
        all.into_iter().flat_map(|(_, found)| found).collect()
    }
}

impl From<Table> for Strings {
    fn from(table: Table) -> Self {
        Strings::new(vec![table])
    }
}

/// Strings by number, each once.
pub struct Joined {
    tables: Vec<Table>,
    /// The strings of each table that are in another before it, in order.
    again: Vec<Vec<u32>>,
    /// The number of each string among those that are there once; none if there is only one table.
    numbers: Vec<u32>,
}

impl Joined {
    /// The number now of a string that had another number before.
    #[inline]
    pub fn number(&self, before: u32) -> u32 {
        if self.numbers.is_empty() { before } else { self.numbers[before as usize] }
    }

    /// For each table what is made of its strings, in order.
    pub fn map<R: Default + Send>(&self, crew: &Crew, visit: impl Fn(&mut R, &[u64]) + Sync) -> Vec<R> {
        let tables = self.tables.iter().zip(&self.again).collect();
        crew.map(tables, |_, (table, again): (&Table, &Vec<u32>)| {
            let (mut result, mut begin) = (R::default(), 0);
            for end in again.iter().map(|&again| again as usize).chain([table.len()]) {
                (begin..end).for_each(|string| visit(&mut result, table.get(string)));
                begin = end + 1;
            }
            result
        })
    }

    /// Where each begins, with the end of the last, and all words.
    pub fn into_parts(mut self, crew: &Crew) -> (Vec<u32>, Vec<u64>) {
        if self.tables.len() == 1 {
            return self.tables.pop().unwrap_or_default().into_strings();
        }
        let parts = self.map(crew, |(lengths, words): &mut (Vec<u32>, Vec<u64>), string| {
            words.extend_from_slice(string);
            lengths.push(string.len() as u32);
        });
        drop(self.tables);
        let (mut start, mut all, mut end) = (vec![0], vec![], 0);
        for (lengths, words) in parts {
            start.extend(lengths.into_iter().map(|length| {
                end += length;
                end
            }));
            match all.is_empty() {
                true => all = words,
                false => all.extend_from_slice(&words),
            }
        }
        all.shrink_to_fit();
        (start, all)
    }

    /// The memory that they take.
    pub fn bytes(&self) -> u64 {
        let again: usize = self.again.iter().map(Vec::len).sum();
        let tables: u64 = self.tables.iter().map(Table::bytes).sum();
        tables + ((again + self.numbers.len()) * 4) as u64
    }

    /// More words than addresses can number.
    pub fn overflows(&self) -> bool {
        self.tables.iter().map(|table| table.words().len()).sum::<usize>() > u32::MAX as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn what_several_have_found_is_there_once() {
        for (tables, threads) in [(1, 1), (2, 2), (3, 2), (5, 3)] {
            let crew = Crew::new(threads).unwrap();
            let mut before = vec![];
            let found = (0..tables).map(|t: u64| {
                let mut table = Table::default();
                for i in 0..20_000u64 {
                    // Some of which all find, some two, some only one.
                    let string = vec![i % 3 * (i / 3) * (1 + t / 2 * (i % 2)); 1 + (i % 3) as usize];
                    table.add(&string);
                }
                (0..table.len()).for_each(|number| before.push(table.get(number).to_vec()));
                table
            });
            let strings = Strings::new(found.collect());
            assert_eq!(strings.len(), before.len());
            assert!(before.iter().enumerate().all(|(number, string)| strings.get(number) == &string[..]));
            let joined = strings.join(&crew);
            let mut number_of: BTreeMap<&[u64], u32> = BTreeMap::new();
            for (number, string) in before.iter().enumerate() {
                let now = joined.number(number as u32);
                assert_eq!(*number_of.entry(string).or_insert(now), now);
            }
            let numbers: Vec<u32> = (0..before.len() as u32).map(|number| joined.number(number)).collect();
            let (start, words) = joined.into_parts(&crew);
            assert_eq!(start.len(), number_of.len() + 1);
            for (string, number) in before.iter().zip(numbers) {
                let (begin, end) = (start[number as usize] as usize, start[number as usize + 1] as usize);
                assert_eq!(&words[begin..end], &string[..]);
            }
        }
    }
}
