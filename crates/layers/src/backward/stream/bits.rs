//! Moving scattered bits together and apart.

/// How bits are moved.
pub trait Bits: Copy {
    /// The bits of `word` at the places of `mask`, moved together at the low end.
    fn extract(self, word: u64, mask: u64) -> u64;
    /// The low bits of `word`, moved to the places of `mask`.
    fn deposit(self, word: u64, mask: u64) -> u64;
}

/// With nothing but shifts; for every processor.
#[derive(Clone, Copy)]
pub struct Portable;

impl Bits for Portable {
    fn extract(self, word: u64, mut mask: u64) -> u64 {
        let (mut result, mut at) = (0, 0);
        // One run of places at a time: most masks have few.
        while mask != 0 {
            let low = mask.trailing_zeros();
            let run = (mask >> low).trailing_ones();
            let ones = u64::MAX >> (64 - run);
            result |= (word >> low & ones) << at;
            at += run;
            mask &= !(ones << low);
        }
        result
    }

    fn deposit(self, mut word: u64, mut mask: u64) -> u64 {
        let mut result = 0;
        while mask != 0 {
            let low = mask.trailing_zeros();
            let run = (mask >> low).trailing_ones();
            let ones = u64::MAX >> (64 - run);
            result |= (word & ones) << low;
            word = word.checked_shr(run).unwrap_or(0);
            mask &= !(ones << low);
        }
        result
    }
}

/// With the instructions `pext` and `pdep`. Who holds one has seen that the processor has them: there is no way to
/// make one but [`Bmi2::detect`].
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub struct Bmi2(());

#[cfg(target_arch = "x86_64")]
impl Bmi2 {
    /// The proof that the processor has BMI2 (and POPCNT, which every processor with BMI2 has and the kernels that are
    /// compiled for it count with); none if it has not.
    pub fn detect() -> Option<Self> {
        let there = std::is_x86_feature_detected!("bmi2") && std::is_x86_feature_detected!("popcnt");
        there.then_some(Bmi2(()))
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "instructions that not every processor of the architecture has")]
impl Bits for Bmi2 {
    #[inline(always)]
    fn extract(self, word: u64, mask: u64) -> u64 {
        // SAFETY: `self` comes from `detect`, so the processor has BMI2.
        unsafe { std::arch::x86_64::_pext_u64(word, mask) }
    }

    #[inline(always)]
    fn deposit(self, word: u64, mask: u64) -> u64 {
        // SAFETY: as above.
        unsafe { std::arch::x86_64::_pdep_u64(word, mask) }
    }
}

/// [`Bits::extract`] in the fastest way that the processor has, for use outside of kernels.
pub fn extractor(fast: bool) -> fn(u64, u64) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if fast && Bmi2::detect().is_some() {
        // The standard library remembers what was detected: this costs a load and a branch.
        return |word, mask| match Bmi2::detect() {
            Some(by) => by.extract(word, mask),
            None => Portable.extract(word, mask),
        };
    }
    let _ = fast;
    |word, mask| Portable.extract(word, mask)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn both_ways_move_bits_alike(word: u64, a: u64, b: u64, dense: bool) {
            let mask = if dense { a | b } else { a & b };
            let moved = Portable.extract(word, mask);
            prop_assert_eq!(Portable.deposit(moved, mask), word & mask);
            #[cfg(target_arch = "x86_64")]
            if let Some(bits) = Bmi2::detect() {
                prop_assert_eq!(bits.extract(word, mask), moved);
                prop_assert_eq!(bits.deposit(word, mask), Portable.deposit(word, mask));
            }
        }
    }
}
