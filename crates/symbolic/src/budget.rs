//! One memory budget, divided into nodes and apply cache.

use crate::error::SymbolicError;

/// What the manager is made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// Inner nodes.
    pub nodes: usize,
    /// Entries of the apply cache, a power of two: the library rounds up.
    pub cache: usize,
}

/// A node takes 16 bytes; its place in the unique table 8 bytes at a load between 3/8 and 3/4, so 11 to 21;
/// and while a level's table grows, the old one is still there.
const NODE_BYTES: u64 = 16 + 24;
/// Counting states and copying a diagram keep about 48 bytes for every node of one set; a set is rarely
/// more than a quarter of all nodes.
const WALK_BYTES: u64 = 12;
/// An entry: four words of key and value, operator, counts and lock. All entries are touched at once.
const CACHE_BYTES: u64 = 20;
/// From n nodes on the cache grows more slowly.
const MANY_NODES: u64 = 1 << 24;
/// The stack that the library gives each of its threads; only what is used of it takes memory.
const STACK_BYTES: usize = 1 << 30;
/// What the system reserves for a thread beside its stack when it first asks for memory (the heap of an arena, twice as large
/// until it is aligned), and the stack of the library's own thread that collects nodes.
const BESIDE_BYTES: usize = 132 << 20;
/// The program itself, its stacks, the rules and relations of the game.
const PROGRAM_BYTES: u64 = 24 << 20;
/// A node of a relation: itself, its place in a table that may be growing, and what converting keeps about it.
const RELATION_BYTES: u64 = 120;
/// The least budget with which anything useful can be done.
pub const MINIMUM: u64 = 32 << 20;

impl Capacity {
    /// Divides a budget. A state space of few states needs few nodes whatever the budget.
    pub fn of(memory: u64, space: u128) -> Result<Capacity, SymbolicError> {
        if memory < MINIMUM {
            return Err(SymbolicError::Budget(memory, MINIMUM));
        }
        let usable = memory - PROGRAM_BYTES;
        // A cache of an eighth to a quarter of the nodes, and of a fourth of that share beyond some million: more does
        // not pay, and all of it is touched before anything else is done.
        let each = NODE_BYTES + WALK_BYTES + CACHE_BYTES / 4;
        let wanted = space.saturating_mul(64).clamp(1 << 16, u128::from(u64::MAX)) as u64;
        let nodes = (usable / each).min(wanted).min((1 << 31) - 2);
        let share = nodes.min(MANY_NODES) / 4 + nodes.saturating_sub(MANY_NODES) / 16;
        let cache = (share.max(2) + 1).next_power_of_two() / 2;
        Ok(Capacity { nodes: nodes as usize, cache: cache.min(1 << 28) as usize })
    }

    /// Whether the system gives what a manager takes at once: its tables, and threads. The library that makes it has no
    /// other answer than to abort or to panic.
    pub fn ask(&self, threads: u32) -> Result<(), SymbolicError> {
        let tables = self.nodes * 16 + self.cache * CACHE_BYTES as usize;
        // Nothing is written there, so that asking takes no memory. It is held while the threads are tried, because the
        // manager has both at the same time.
        let mut reserved = Vec::<u8>::new();
        if reserved.try_reserve_exact(tables).is_err() {
            return Err(SymbolicError::Refused(tables as u64));
        }
        let mut waiting = vec![];
        let mut answer = Ok(());
        // Threads of a manager that is no longer there may not have given back their stacks yet.
        let mut patience = 20;
        // The manager's threads, and what each of them takes beside its stack.
        let stacks = std::iter::repeat_n(STACK_BYTES, threads as usize);
        let mut stacks = stacks.chain(std::iter::repeat_n(BESIDE_BYTES, threads as usize + 1)).peekable();
        while let Some(&stack) = stacks.peek() {
            let (end, ended) = std::sync::mpsc::channel::<()>();
            let wait = move || {
                let _ = ended.recv();
            };
            match std::thread::Builder::new().stack_size(stack).spawn(wait) {
                Ok(thread) => {
                    waiting.push((end, thread));
                    stacks.next();
                }
                Err(_) if patience > 0 => {
                    patience -= 1;
                    std::thread::sleep(std::time::Duration::from_millis(5));
                }
                Err(error) => {
                    answer = Err(SymbolicError::Threads { threads, error: error.to_string() });
                    break;
                }
            }
        }
        // Joined one by one: the end of a scope does not wait until the stacks are given back, and where addresses are
        // limited the manager's threads found no room beside them.
        for (end, thread) in waiting {
            drop(end);
            let _ = thread.join();
        }
        answer
    }

    /// The nodes of relations that there is room for, outside of the manager.
    pub fn relation_nodes(memory: u64) -> usize {
        ((PROGRAM_BYTES / 2 + memory / 10) / RELATION_BYTES) as usize
    }

    /// Roughly how much memory would do when a budget did not.
    pub fn advice(memory: u64) -> u64 {
        (memory * 2).next_multiple_of(64 << 20)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capacity_stays_within_the_budget() {
        for memory in [MINIMUM, 100 << 20, 1 << 30, 4 << 30, 24u64 << 30, 100 << 30] {
            let capacity = Capacity::of(memory, u128::MAX).unwrap();
            let bytes = capacity.nodes as u64 * NODE_BYTES + capacity.cache as u64 * CACHE_BYTES;
            assert!(bytes <= memory, "{memory}: {capacity:?}");
            assert!(capacity.cache.is_power_of_two() && capacity.cache <= capacity.nodes);
        }
        assert!(Capacity::of(MINIMUM - 1, 1).is_err());
    }
}
