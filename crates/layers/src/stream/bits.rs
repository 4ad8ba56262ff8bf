//! Moving scattered bits together and apart.

/// How bits are moved.
pub trait Bits: Copy {
    /// The bits of `word` at the places of `mask`, moved together at the low end.
    fn extract(word: u64, mask: u64) -> u64;
    /// The low bits of `word`, moved to the places of `mask`.
    fn deposit(word: u64, mask: u64) -> u64;
}

/// With nothing but shifts; for every processor.
#[derive(Clone, Copy)]
pub struct Portable;

impl Bits for Portable {
    fn extract(word: u64, mut mask: u64) -> u64 {
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

    fn deposit(mut word: u64, mut mask: u64) -> u64 {
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

/// With the instructions `pext` and `pdep`.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub struct Bmi2;

#[cfg(target_arch = "x86_64")]
impl Bits for Bmi2 {
    #[inline(always)]
    fn extract(word: u64, mask: u64) -> u64 {
        // SAFETY: only used by a worker that has seen that the processor has BMI2 (`Worker::run`).
        unsafe { std::arch::x86_64::_pext_u64(word, mask) }
    }

    #[inline(always)]
    fn deposit(word: u64, mask: u64) -> u64 {
        // SAFETY: as above.
        unsafe { std::arch::x86_64::_pdep_u64(word, mask) }
    }
}

/// [`Bits::extract`] in the fastest way that the processor has, for use outside of kernels.
pub fn extractor(fast: bool) -> fn(u64, u64) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if fast && std::is_x86_feature_detected!("bmi2") {
        return Bmi2::extract;
    }
    let _ = fast;
    Portable::extract
}
