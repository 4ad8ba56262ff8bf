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
/// [`Encoding::Binary`] the unused codes come last, as in the Breakthrough thesis's Figure 4.1.
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
        Encoding::Standard | Encoding::Binary => 0,
        Encoding::ShortEmpty => (spare + 1).ilog2() as usize,
    };
    let word = |number: usize, free: usize| -> Code {
        (0..width).rev().map(|bit| (bit >= free).then_some(number >> bit & 1 == 1)).collect()
    };
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
            for encoding in [Encoding::Standard, Encoding::ShortEmpty, Encoding::Binary] {
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
                assert!(seen.iter().all(|&n| n >= 1) && seen[1..].iter().all(|&n| n == 1));
                if encoding != Encoding::ShortEmpty {
                    assert_eq!(seen[0], 1);
                }
            }
        }
    }
}
