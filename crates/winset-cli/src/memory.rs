//! Amounts of memory: what the user allows, what the process has used.

use crate::allocation;
use crate::failure::Failure;
use crate::report::table::bytes;
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};
use winset_gdl::{Limits, Options};

/// A number of bytes, written like `4G`, `512M`, `64MiB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes(pub u64);

impl FromStr for Bytes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is not an amount of memory; write it like 4G or 512M");
        let at = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let number: f64 = text[..at].parse().map_err(|_| wrong())?;
        let unit = text[at..].trim().to_ascii_lowercase();
        let shift = match unit.trim_end_matches("ib").trim_end_matches('b') {
            "" => 0,
            "k" => 10,
            "m" => 20,
            "g" => 30,
            "t" => 40,
            _ => return Err(wrong()),
        };
        let bytes = number * (1u64 << shift) as f64;
        if !(1.0..1e18).contains(&bytes) {
            return Err(wrong());
        }
        Ok(Bytes(bytes as u64))
    }
}

/// The largest resident set of this process so far, where the system tells.
pub fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kib * 1024)
}

/// With less memory than this, threads share one heap.
const SCARCE: u64 = 128 << 20;

/// Makes large pieces of freed memory go back to the system at once, so that the process takes what it uses
/// and not what it once used: by default the GNU allocator comes to keep pieces of up to 32 MiB. What is kept is
/// a small part of the budget: getting memory from the system again and again takes time.
pub fn give_back_what_is_freed(budget: u64) {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        #[allow(unsafe_code, reason = "a function of the C library that no crate here wraps")]
        unsafe extern "C" {
            fn mallopt(parameter: i32, value: i32) -> i32;
        }
        const M_TRIM_THRESHOLD: i32 = -1;
        const M_MMAP_THRESHOLD: i32 = -3;
        const M_ARENA_MAX: i32 = -8;
        let piece = (budget >> 8).clamp(256 << 10, 32 << 20) as i32;
        let top = (budget >> 6).clamp(128 << 10, 256 << 20) as i32;
        #[allow(unsafe_code, reason = "as above")]
        // SAFETY: a function of the C library that is linked anyway, with the types that its manual gives; it
        // takes numbers only, and a parameter that it does not know is ignored.
        unsafe {
            mallopt(M_MMAP_THRESHOLD, piece);
            mallopt(M_TRIM_THRESHOLD, top);
            // Every thread would keep what it has freed for itself.
            if budget < SCARCE {
                mallopt(M_ARENA_MAX, 1);
            }
        }
    }
}

/// The machine's memory, where the system tells.
pub fn total() -> Option<u64> {
    let info = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = info.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kib * 1024)
}

/// The budget of this process.
static BUDGET: AtomicU64 = AtomicU64::new(u64::MAX);

/// Below this nothing can be done: the program and the smallest of games take about 12 MiB.
const LEAST: u64 = 16 << 20;
/// What the program takes before it reads anything, and engines know of.
const PROGRAM: u64 = 6 << 20;
/// Pages of the program that an engine is still to touch.
const UNTOUCHED: u64 = 4 << 20;
/// What a small table takes when it doubles, with what else comes before somebody looks again.
const LAST_PIECES: u64 = 2 << 20;
/// The budget of commands that only look something up.
const LOOKING_UP: u64 = 256 << 20;

/// How much a command needs if nobody says how much it may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Appetite {
    /// It works on all positions, and takes what it can use.
    Work,
    /// It looks something up.
    LookUp,
}

/// Keeps the whole process within the budget from now on.
pub fn hold(allowed: Option<Bytes>, appetite: Appetite) -> Result<(), Failure> {
    let budget = match (allowed, appetite) {
        (Some(Bytes(allowed)), _) => allowed,
        (None, Appetite::Work) => default_budget().0,
        (None, Appetite::LookUp) => LOOKING_UP,
    };
    if budget < LEAST {
        let (budget, least) = (bytes(budget), LEAST >> 20);
        let message = format!("a memory budget of {budget} is too small: at least {least} MiB are needed");
        return Err(Failure::Cannot(anyhow::anyhow!(message)));
    }
    BUDGET.store(budget, Ordering::Relaxed);
    // The system sees a little more than what is counted at any moment.
    allocation::hold(budget - budget / 128, budget);
    give_back_what_is_freed(if appetite == Appetite::Work { budget } else { 0 });
    Ok(())
}

/// The budget of this process.
pub fn budget() -> u64 {
    BUDGET.load(Ordering::Relaxed)
}

/// What is left of the budget for an engine, when the game is there.
pub fn left() -> u64 {
    let game = allocation::taken().saturating_sub(PROGRAM);
    (budget() - margin()).saturating_sub(game).saturating_sub(UNTOUCHED)
}

/// What rules in GDL may cost: time and steps as always, and no more memory than the process may have.
pub fn gdl_options() -> Options {
    let memory = usize::try_from(budget()).unwrap_or(usize::MAX);
    let limits = Limits { memory, measure: Some(taken_soon), ..Limits::default() };
    Options { limits, ..Options::default() }
}

/// What the process will have taken a moment from now.
fn taken_soon() -> u64 {
    allocation::taken().saturating_add(margin())
}

/// What stays free of the budget: whoever works says what to do when memory is short, and whoever refuses it last can say
/// little, so the former must come first.
fn margin() -> u64 {
    (budget() / 32).max(LAST_PIECES)
}

/// Half of the machine's memory, where the system tells; else 4 GiB.
pub fn default_budget() -> Bytes {
    Bytes(total().map_or(4 << 30, |total| total / 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_in_binary_units() {
        assert_eq!("4G".parse(), Ok(Bytes(4 << 30)));
        assert_eq!("512MiB".parse(), Ok(Bytes(512 << 20)));
        assert_eq!("1.5k".parse(), Ok(Bytes(1536)));
        for wrong in ["", "G", "4X", "-1G", "0", "4 potatoes"] {
            assert!(wrong.parse::<Bytes>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn this_process_has_used_some_memory() {
        if cfg!(target_os = "linux") {
            assert!(peak().unwrap() > 1 << 16);
        }
    }
}
