//! Keys of more than 128 bits, for games with many variables: a chess board of 64 squares takes 193.

use crate::pack::{Key, SPREAD};

/// Some limbs of 64 bits, the highest first, so that keys compare as numbers do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Wide<const LIMBS: usize>([u64; LIMBS]);

impl<const LIMBS: usize> Default for Wide<LIMBS> {
    fn default() -> Self {
        Wide([0; LIMBS])
    }
}

impl<const LIMBS: usize> Wide<LIMBS> {
    /// Both keys limb by limb.
    #[inline]
    fn zip(self, other: Self, join: impl Fn(u64, u64) -> u64) -> Self {
        Wide(std::array::from_fn(|i| join(self.0[i], other.0[i])))
    }
}

impl<const LIMBS: usize> Key for Wide<LIMBS> {
    const BITS: u32 = 64 * LIMBS as u32;

    #[inline]
    fn field(self, shift: u32, mask: u64) -> u64 {
        let (limb, inside) = ((shift / 64) as usize, shift % 64);
        let low = self.limb(limb) >> inside;
        let high = if inside > 0 && limb + 1 < LIMBS { self.limb(limb + 1) << (64 - inside) } else { 0 };
        (low | high) & mask
    }

    #[inline]
    fn with(mut self, shift: u32, value: u64) -> Self {
        let (limb, inside) = ((shift / 64) as usize, shift % 64);
        self.0[LIMBS - 1 - limb] |= value << inside;
        if inside > 0 && limb + 1 < LIMBS {
            self.0[LIMBS - 2 - limb] |= value >> (64 - inside);
        }
        self
    }

    fn ones(shift: u32, width: u32) -> Self {
        debug_assert!(width < 64, "a variable's values are 16 bits");
        Self::default().with(shift, (1 << width) - 1)
    }

    #[inline]
    fn changed(self, clear: Self, set: Self) -> Self {
        Wide(std::array::from_fn(|i| self.0[i] & !clear.0[i] | set.0[i]))
    }

    #[inline]
    fn or(self, other: Self) -> Self {
        self.zip(other, |a, b| a | b)
    }

    #[inline]
    fn masked(self, bit: u64) -> Self {
        let mask = 0u64.wrapping_sub(bit & 1);
        Wide(self.0.map(|limb| limb & mask))
    }

    #[inline]
    fn limb(self, limb: usize) -> u64 {
        self.0[LIMBS - 1 - limb]
    }

    #[inline]
    fn mixed(self) -> u64 {
        let fold = |mixed: u64, limb: u64| (mixed.rotate_left(23) ^ limb).wrapping_mul(SPREAD);
        let both = self.0.into_iter().fold(0, fold);
        (both ^ both >> 29).wrapping_mul(SPREAD)
    }

    fn plus(self, other: Self) -> Self {
        let (mut sum, mut carry) = (self, false);
        for (a, b) in sum.0.iter_mut().zip(other.0).rev() {
            let (once, over) = a.overflowing_add(b);
            let (twice, more) = once.overflowing_add(carry.into());
            (*a, carry) = (twice, over || more);
        }
        sum
    }

    fn minus(self, smaller: Self) -> Self {
        let (mut rest, mut borrow) = (self, false);
        for (a, b) in rest.0.iter_mut().zip(smaller.0).rev() {
            let (once, under) = a.overflowing_sub(b);
            let (twice, more) = once.overflowing_sub(borrow.into());
            (*a, borrow) = (twice, under || more);
        }
        rest
    }

    fn width(self) -> u32 {
        let highest = (0..LIMBS).find(|&limb| self.0[limb] != 0);
        highest.map_or(0, |limb| 64 * (LIMBS - limb) as u32 - self.0[limb].leading_zeros())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every operation on 128 bits agrees with that of `u128`.
    #[test]
    fn as_the_machines_numbers() {
        let mut seed = 1u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            seed >> 11
        };
        let wide = |number: u128| Wide::<2>([(number >> 64) as u64, number as u64]);
        for _ in 0..10_000 {
            let [a, b, c] = [(); 3]
                .map(|()| u128::from(random()) << 75 | u128::from(random()) << 22 | u128::from(random()));
            let (shift, width) = ((random() % 112) as u32, 1 + (random() % 16) as u32);
            let (mask, bit) = ((1u64 << width) - 1, random());
            assert_eq!(wide(a).field(shift, mask), Key::field(a, shift, mask));
            assert_eq!(wide(a).field(shift, u64::MAX), Key::field(a, shift, u64::MAX));
            assert_eq!(Wide::<2>::ones(shift, width), wide(<u128 as Key>::ones(shift, width)));
            assert_eq!(wide(0).with(shift, bit & mask), wide(Key::with(0u128, shift, bit & mask)));
            assert_eq!(wide(a).changed(wide(b), wide(c)), wide(Key::changed(a, b, c)));
            assert_eq!(wide(a).or(wide(b)), wide(Key::or(a, b)));
            assert_eq!(wide(a).masked(bit), wide(Key::masked(a, bit)));
            assert_eq!([0, 1].map(|limb| wide(a).limb(limb)), [0, 1].map(|limb| Key::limb(a, limb)));
            assert_eq!(wide(a).cmp(&wide(b)), a.cmp(&b));
            assert_eq!(wide(a).plus(wide(b)), wide(a.wrapping_add(b)));
            assert_eq!(wide(a).minus(wide(b)), wide(a.wrapping_sub(b)));
            assert_eq!(wide(a >> (c % 128)).width(), Key::width(a >> (c % 128)));
        }
    }
}
