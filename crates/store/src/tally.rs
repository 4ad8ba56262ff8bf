//! Counting in bit planes, 64 states at a time.

use winset_index::Planes;

/// The number of states of each code below `codes`. Fewer in all than there are states: some code is
/// not below.
pub fn count_codes(planes: &Planes, codes: usize) -> Vec<u64> {
    let mut counts = vec![0u64; codes];
    for (w, used) in used_words(planes.len()) {
        if codes <= 16 {
            for (code, count) in counts.iter_mut().enumerate() {
                *count += u64::from((planes.lanes_with(w, code as u32) & used).count_ones());
            }
        } else {
            for lane in 0..u64::from(used.count_ones()) {
                if let Some(count) = counts.get_mut(planes.get(64 * w as u64 + lane) as usize) {
                    *count += 1;
                }
            }
        }
    }
    counts
}

/// The greatest code of all states; 0 if there are none.
pub fn greatest(planes: &Planes) -> u32 {
    let in_word = |(w, used): (usize, u64)| {
        let narrow = |(lanes, code): (u64, u32), (b, plane): (usize, &Vec<u64>)| match lanes & plane[w] {
            0 => (lanes, code),
            some => (some, code | 1 << b),
        };
        planes.planes.iter().enumerate().rev().fold((used, 0), narrow).1
    };
    used_words(planes.len()).map(in_word).max().unwrap_or(0)
}

/// Every word's number with the bits that belong to states.
fn used_words(len: u64) -> impl Iterator<Item = (usize, u64)> {
    (0..len.div_ceil(64)).map(move |w| {
        let rest = len - 64 * w;
        (w as usize, if rest >= 64 { !0 } else { (1 << rest) - 1 })
    })
}
