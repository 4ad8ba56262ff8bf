//! The one place through which all memory comes. It counts, so that `--memory` can be held by whoever grows;
//! and it refuses, so that growing too far ends with an error that says what to do, whoever forgot to ask. A table
//! that doubles asks here for its new half like everything else.
//!
//! The books are compared with what the system sees ([`crate::resident`]) every now and then: the program itself, stacks
//! and the gaps between pieces belong to the process too, and in a small budget they weigh as much as the game.

#![allow(unsafe_code, reason = "an allocator is unsafe by its nature; it only counts and calls the system's")]

use crate::resident;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering::Relaxed};

/// The system's allocator, counted.
pub struct Counted;

#[global_allocator]
static ALLOCATOR: Counted = Counted;

/// What all threads have together, up to [`PIECE`] for each.
static USED: AtomicI64 = AtomicI64::new(0);
/// What they may have.
static LIMIT: AtomicU64 = AtomicU64::new(u64::MAX);
/// The limit is the user's: more can be had with --memory.
static BUDGET: AtomicU64 = AtomicU64::new(u64::MAX);
/// What is being done can go on from what is kept.
static KEPT: AtomicBool = AtomicBool::new(false);

/// What the process has beside what is counted, when it was last looked at.
static BESIDE: AtomicU64 = AtomicU64::new(UNSEEN);
/// What was counted then.
static LOOKED: AtomicI64 = AtomicI64::new(0);
/// It is looked at again when so much more or less is counted.
static STEP: AtomicI64 = AtomicI64::new(i64::MAX);

/// What the program takes that no allocator counts, where the system does not tell: code, stacks, tables.
const UNSEEN: u64 = 4 << 20;

/// A thread counts for itself up to here: threads that count together wait for each other.
const PIECE: i64 = 64 << 10;

thread_local! {
    static OWN: Cell<i64> = const { Cell::new(0) };
}

/// How many bytes are in use.
pub fn used() -> u64 {
    USED.load(Relaxed).max(0) as u64
}

/// How many bytes the process takes: what is in use, and what lies beside it.
pub fn taken() -> u64 {
    used().saturating_add(BESIDE.load(Relaxed))
}

/// From now on no more than `limit` bytes for the whole process, because the user allowed `budget`.
pub fn hold(limit: u64, budget: u64) {
    resident::open();
    // Looking takes a microsecond; what grows unseen in between is a small part of the budget.
    STEP.store((budget >> 8).clamp(PIECE as u64, 16 << 20) as i64, Relaxed);
    BUDGET.store(budget, Relaxed);
    look();
    LIMIT.store(limit, Relaxed);
}

/// Compares with what the system sees.
fn look() {
    let counted = USED.load(Relaxed);
    LOOKED.store(counted, Relaxed);
    if let Some(seen) = resident::look() {
        // What was asked for and not written yet is counted and not seen: the program's pages are there all the same.
        let beside = seen.all.saturating_sub(counted.max(0) as u64).max(seen.files);
        BESIDE.store(beside, Relaxed);
    }
}

/// Whether `more` bytes would be too many. Before it says so it looks closely.
fn exceeds(more: u64) -> bool {
    let limit = LIMIT.load(Relaxed);
    let too_much = || taken().saturating_add(more) > limit;
    if !too_much() {
        return false;
    }
    look();
    if too_much() && used().saturating_add(more) <= limit {
        // Perhaps it is only what was freed and is kept.
        resident::give_back();
        look();
    }
    too_much()
}

/// What the work has finished is kept, and worth a word if the rest fails.
pub fn results_are_kept() {
    KEPT.store(true, Relaxed);
}

/// What a piece of memory really takes: the allocator keeps its length with it, and rounds.
fn weight(size: usize) -> i64 {
    (size.saturating_add(8 + 15) & !15).max(32) as i64
}

fn count(bytes: i64) {
    let flush = OWN.try_with(|own| {
        let sum = own.get() + bytes;
        let flush = sum.abs() >= PIECE;
        own.set(if flush { 0 } else { sum });
        if flush { sum } else { 0 }
    });
    // A thread that ends counts with the others.
    let flush = flush.unwrap_or(bytes);
    if flush != 0 {
        let used = USED.fetch_add(flush, Relaxed) + flush;
        if (used - LOOKED.load(Relaxed)).abs() >= STEP.load(Relaxed) {
            look();
        }
        if flush > 0 && exceeds(0) {
            refuse(0, false);
        }
    }
}

/// Large pieces are asked for before they are there.
fn ask(bytes: i64) {
    if bytes >= PIECE && exceeds(bytes as u64) {
        refuse(bytes as u64, false);
    }
}

fn given(memory: *mut u8, bytes: i64) -> *mut u8 {
    if memory.is_null() {
        refuse(bytes as u64, true);
    }
    count(bytes);
    memory
}

// SAFETY: every call is the system allocator's with the same arguments; beside it only numbers are counted, and
// nothing is allocated. A thread's counter has no destructor and is made without memory.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let bytes = weight(layout.size());
        ask(bytes);
        // SAFETY: the caller keeps the contract of this very function.
        given(unsafe { System.alloc(layout) }, bytes)
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let bytes = weight(layout.size());
        ask(bytes);
        // SAFETY: as above.
        given(unsafe { System.alloc_zeroed(layout) }, bytes)
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) };
        count(-weight(layout.size()));
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let more = weight(size) - weight(layout.size());
        ask(more);
        // SAFETY: as above.
        given(unsafe { System.realloc(memory, layout, size) }, more)
    }
}

/// Says why it ends, without any memory, and ends: there is no way back from here, and nothing half-written
/// looks finished.
#[cold]
fn refuse(asked: u64, by_system: bool) -> ! {
    // Whatever is said must not come here again.
    LIMIT.store(u64::MAX, Relaxed);
    let mut text = Text { bytes: [0; 512], len: 0 };
    text.add("winset: out of memory: ");
    if asked > 0 {
        text.mebibytes(asked);
        text.add(" more are needed at once, ");
    }
    text.mebibytes(taken());
    text.add(" are in use, ");
    if by_system {
        text.add("and the system gives no more (is there a limit such as `ulimit -v`?); ");
        text.add("run it with a smaller --memory, or raise the limit");
    } else {
        text.add("and --memory allows ");
        text.mebibytes(BUDGET.load(Relaxed));
        text.add(" for the whole process; give it more with --memory");
    }
    if KEPT.load(Relaxed) {
        text.add("; every finished layer is safe, and the same command goes on");
    }
    text.add("\n");
    text.end()
}

/// A line in a place of its own.
struct Text {
    bytes: [u8; 512],
    len: usize,
}

impl Text {
    fn add(&mut self, more: &str) {
        for &byte in more.as_bytes().iter().take(self.bytes.len() - self.len) {
            self.bytes[self.len] = byte;
            self.len += 1;
        }
    }

    fn mebibytes(&mut self, bytes: u64) {
        let mut rest = bytes.div_ceil(1 << 20);
        let mut digits = [0; 20];
        let mut at = digits.len();
        loop {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        self.add(std::str::from_utf8(&digits[at..]).unwrap_or(""));
        self.add(" MiB");
    }

    #[cfg(unix)]
    fn end(&self) -> ! {
        unsafe extern "C" {
            fn write(file: i32, bytes: *const u8, count: usize) -> isize;
            fn _exit(code: i32) -> !;
        }
        // SAFETY: functions of the C library with the types that their manuals give; the bytes are ours.
        unsafe {
            write(2, self.bytes.as_ptr(), self.len);
            _exit(1)
        }
    }

    #[cfg(not(unix))]
    fn end(&self) -> ! {
        use std::io::Write;
        let _ = std::io::stderr().write_all(&self.bytes[..self.len]);
        std::process::exit(1)
    }
}

/// Tests that look at the memory of the process do so one after the other.
#[cfg(test)]
pub fn alone() -> std::sync::MutexGuard<'static, ()> {
    static ALONE: std::sync::Mutex<()> = std::sync::Mutex::new(());
    ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_back_is_not_in_use() {
        let _alone = alone();
        let before = used();
        let large = vec![1u8; 32 << 20];
        assert!(used() >= before + (32 << 20) - 2 * PIECE as u64);
        drop(large);
        // More than what other tests of this process give back meanwhile.
        let small: Vec<Box<u64>> = (0..1_000_000).map(Box::new).collect();
        assert!(used() > before + 1_000_000 * 24);
        drop(small);
        // Another test of this process may have taken much for a moment.
        let given_back = || used() < before + (16 << 20);
        let waited = (0..500).any(|_| {
            let now = given_back();
            std::thread::sleep(std::time::Duration::from_millis(if now { 0 } else { 10 }));
            now
        });
        assert!(waited, "{before} before, {} now", used());
    }

    #[test]
    fn the_last_words_have_numbers() {
        let mut text = Text { bytes: [0; 512], len: 0 };
        text.mebibytes(0);
        text.mebibytes(1234 << 20);
        assert_eq!(&text.bytes[..text.len], b"0 MiB1234 MiB");
    }
}
