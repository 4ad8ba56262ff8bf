//! Up to 64 states as bits of words.

use crate::plan::Plan;
use winset_index::{Digit, Planes};

/// The code at a rank; most games have two planes.
pub fn code_at(codes: &Planes, rank: u64) -> u32 {
    let (word, bit) = ((rank / 64) as usize, rank % 64);
    match codes.planes.as_slice() {
        [low, high] => ((low[word] >> bit & 1) | (high[word] >> bit & 1) << 1) as u32,
        _ => codes.get(rank),
    }
}

/// Ends the runs of the levels from `changed` on before lane `end`.
pub fn enter_runs(
    plan: &Plan<'_>,
    masks: &mut [u64],
    digits: &[Digit],
    begun: &mut [usize],
    changed: usize,
    end: usize,
) {
    let last = &digits[(end - 1) * begun.len()..];
    for (k, begin) in begun.iter_mut().enumerate().skip(changed) {
        let run = run_mask(std::mem::replace(begin, end), end);
        for &row in plan.digit_rows(k, usize::from(last[k])) {
            masks[row as usize] |= run;
        }
    }
}

/// The bits from one number up to another.
pub fn run_mask(from: usize, to: usize) -> u64 {
    let below = |n: usize| if n == 64 { !0 } else { (1u64 << n) - 1 };
    below(to) & !below(from)
}

/// The numbers of the bits that are set.
pub fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros();
        word &= word.wrapping_sub(1);
        (bit < 64).then_some(bit as usize)
    })
}
