//! Values as code words.

use crate::options::Encoding;
use winset_model::Value;

/// The bits of a value, from the top: 0, 1, or either.
pub type Code = Box<[Option<bool>]>;

/// The number of bits that a variable with n values takes.
pub fn bits(size: usize) -> usize {
    (usize::BITS - (size.max(1) - 1).leading_zeros()) as usize
}

/// The code of every value of a variable.
///
/// Value 0, the empty square, comes first and alone; the unused codes follow it, so that the top bit tells
/// empty from not empty where three values share two bits, as in the Othello thesis's Figures 4.1 and 4.2. With
/// [`Encoding::ShortEmpty`] value 0 takes as many of the unused codes as make its word shorter. With
/// [`Encoding::Binary`] the unused codes come last, as in the Breakthrough thesis's Figure 4.1; with
/// [`Encoding::ShortLast`] the last value takes as many of them as make its word shorter, as in its Figure 4.2. With
/// [`Encoding::UnusedFirst`] they come first.
///
/// ```
/// use winset_symbolic::{Encoding, encode};
/// let short = encode::codes(3, Encoding::ShortEmpty);
/// assert_eq!(short[0].as_ref(), [Some(false), None]);
/// assert_eq!(short[2].as_ref(), [Some(true), Some(true)]);
/// assert_eq!(encode::codes(3, Encoding::Standard)[0].as_ref(), [Some(false), Some(false)]);
/// ```
pub fn codes(size: usize, encoding: Encoding) -> Vec<Code> {
    let width = bits(size);
    let spare = (1usize << width) - size;
    let free = match encoding {
        Encoding::Standard | Encoding::Binary | Encoding::UnusedFirst => 0,
        Encoding::ShortEmpty | Encoding::ShortLast => (spare + 1).ilog2() as usize,
    };
    let word = |number: usize, free: usize| -> Code {
        (0..width).rev().map(|bit| (bit >= free).then_some(number >> bit & 1 == 1)).collect()
    };
    if encoding == Encoding::UnusedFirst {
        return (0..size).map(|value| word(value + spare, 0)).collect();
    }
    if encoding == Encoding::ShortLast {
        // The last word with its last bits left open is the only one that begins so: the unused ones are all behind it.
        let last =
            |value: usize| if value + 1 == size { word((1 << width) - 1, free) } else { word(value, 0) };
        return (0..size).map(last).collect();
    }
    let shift = if encoding == Encoding::Binary { 0 } else { spare };
    (0..size).map(|value| if value == 0 { word(0, free) } else { word(value + shift, 0) }).collect()
}

/// The value that a code word stands for, if any.
pub fn decode(codes: &[Code], bits: &[bool]) -> Option<Value> {
    let fits = |code: &Code| code.iter().zip(bits).all(|(c, b)| c.is_none_or(|c| c == *b));
    codes.iter().position(fits).map(|value| value as Value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_has_at_most_one_value() {
        for size in 1..40 {
            for encoding in [
                Encoding::Standard,
                Encoding::ShortEmpty,
                Encoding::Binary,
                Encoding::ShortLast,
                Encoding::UnusedFirst,
            ] {
                let codes = codes(size, encoding);
                let width = bits(size);
                let mut seen = vec![0; size];
                for word in 0..1usize << width {
                    let bits: Vec<bool> = (0..width).rev().map(|bit| word >> bit & 1 == 1).collect();
                    let fit = codes.iter().filter(|c| decode(std::slice::from_ref(c), &bits).is_some());
                    assert!(fit.count() <= 1);
                    if let Some(value) = decode(&codes, &bits) {
                        seen[value as usize] += 1;
                    }
                }
                // One value at most has more than one word.
                let short = match encoding {
                    Encoding::Standard | Encoding::Binary | Encoding::UnusedFirst => None,
                    Encoding::ShortEmpty => Some(0),
                    Encoding::ShortLast => Some(size - 1),
                };
                for (value, &words) in seen.iter().enumerate() {
                    assert!(words == 1 || (words > 1 && Some(value) == short), "{encoding:?} {size} {value}");
                }
            }
        }
    }
}
