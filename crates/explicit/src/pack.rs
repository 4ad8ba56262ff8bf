//! States packed into one number each, so that the order of numbers is the order of digit strings.

use std::fmt::Debug;
use std::hash::Hash;
use winset_model::{Game, State, Value, VarId};

/// A packed state: 64 bits, 128, or more ([`crate::Wide`]).
pub trait Key: Copy + Ord + Hash + Debug + Default + Send + Sync + 'static {
    /// Its width.
    const BITS: u32;

    /// Some bits of it.
    fn field(self, shift: u32, mask: u64) -> u64;

    /// The key with a value at a place; the place is clear.
    fn with(self, shift: u32, value: u64) -> Self;

    /// Ones at a place.
    fn ones(shift: u32, width: u32) -> Self;

    /// `clear` bits become 0, then `set` bits 1.
    fn changed(self, clear: Self, set: Self) -> Self;

    /// Both.
    fn or(self, other: Self) -> Self;

    /// These bits if a bit is set, else none.
    fn masked(self, bit: u64) -> Self;

    /// 64 bits of it.
    fn limb(self, limb: usize) -> u64;

    /// Well mixed in its high bits.
    fn mixed(self) -> u64;

    /// The sum as numbers.
    fn plus(self, other: Self) -> Self;

    /// The difference to a smaller key as numbers.
    fn minus(self, smaller: Self) -> Self;

    /// The bits up to its highest one.
    fn width(self) -> u32;
}

/// 2^64 divided by the golden ratio: multiplying by it spreads low bits upwards.
pub(crate) const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

macro_rules! key {
    ($type:ty) => {
        impl Key for $type {
            const BITS: u32 = <$type>::BITS;

            #[inline]
            fn field(self, shift: u32, mask: u64) -> u64 {
                (self >> shift) as u64 & mask
            }

            #[inline]
            fn with(self, shift: u32, value: u64) -> Self {
                self | (value as $type) << shift
            }

            fn ones(shift: u32, width: u32) -> Self {
                (((1 as $type) << width) - 1) << shift
            }

            #[inline]
            fn changed(self, clear: Self, set: Self) -> Self {
                self & !clear | set
            }

            #[inline]
            fn or(self, other: Self) -> Self {
                self | other
            }

            #[inline]
            fn masked(self, bit: u64) -> Self {
                self & (0 as $type).wrapping_sub((bit & 1) as $type)
            }

            #[inline]
            fn limb(self, limb: usize) -> u64 {
                (self >> (64 * limb as u32)) as u64
            }

            #[inline]
            fn mixed(self) -> u64 {
                let low = self as u64;
                let high = ((self as u128) >> 64) as u64;
                let both = low ^ high.rotate_left(23).wrapping_mul(SPREAD);
                (both ^ both >> 29).wrapping_mul(SPREAD)
            }

            #[inline]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline]
            fn minus(self, smaller: Self) -> Self {
                self.wrapping_sub(smaller)
            }

            #[inline]
            fn width(self) -> u32 {
                Self::BITS - self.leading_zeros()
            }
        }
    };
}

key!(u64);
key!(u128);

/// Where the bits of a variable are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The lowest of them.
    pub shift: u32,
    /// How many: none for a variable with a single value.
    pub width: u32,
}

/// The bits that a table is indexed by, unless a variable has more.
const TABLE_BITS: u32 = 11;

/// Bits that a table is indexed by, and the variables that they are.
pub struct Bits {
    /// The lowest of them.
    pub shift: u32,
    /// As many ones.
    pub mask: u64,
    /// Whose they are.
    pub variables: Vec<usize>,
}

/// Where the bits of all variables are: the first variable of the first block stands highest.
#[derive(Clone, Debug)]
pub struct Packing {
    /// Of every variable.
    pub fields: Vec<Field>,
    /// The bits in all.
    pub bits: u32,
}

impl Packing {
    /// The variables block by block; every variable is in one block.
    pub fn new(game: &Game, blocks: &[Vec<VarId>]) -> Self {
        let width = |var: VarId| {
            let most = game.variables()[var.index()].size().saturating_sub(1);
            usize::BITS - most.leading_zeros()
        };
        let bits = blocks.iter().flatten().map(|&var| width(var)).sum();
        let mut fields = vec![Field { shift: 0, width: 0 }; game.variables().len()];
        let mut above = bits;
        for &var in blocks.iter().flatten() {
            above -= width(var);
            fields[var.index()] = Field { shift: above, width: width(var) };
        }
        Packing { fields, bits }
    }

    /// Neighbouring variables in runs that tables can be indexed by, from the lowest bits on; those with a single value are
    /// in none.
    pub fn runs(&self) -> Vec<Bits> {
        let mut variables: Vec<usize> =
            (0..self.fields.len()).filter(|&var| self.fields[var].width > 0).collect();
        variables.sort_by_key(|&var| self.fields[var].shift);
        let end = |var: usize| self.fields[var].shift + self.fields[var].width;
        let (mut runs, mut rest) = (vec![], &variables[..]);
        while let Some(&first) = rest.first() {
            let shift = self.fields[first].shift;
            let fits = |&&var: &&usize| var == first || end(var) - shift <= TABLE_BITS;
            let (these, others) = rest.split_at(rest.iter().take_while(fits).count());
            let width = end(these[these.len() - 1]) - shift;
            runs.push(Bits { shift, mask: (1 << width) - 1, variables: these.to_vec() });
            rest = others;
        }
        runs
    }

    /// The value of a variable of a run that has these contents.
    pub fn value_in(&self, run: &Bits, contents: u64, var: usize) -> usize {
        let Field { shift, width } = self.fields[var];
        (contents >> (shift - run.shift) & ((1 << width) - 1)) as usize
    }

    /// A state as a key.
    pub fn pack<K: Key>(&self, state: &State) -> K {
        let fields = state.0.iter().zip(&self.fields).filter(|(_, field)| field.width > 0);
        fields.fold(K::default(), |key, (&value, field)| key.with(field.shift, value.into()))
    }

    /// The value of a variable.
    #[inline]
    pub fn value<K: Key>(&self, key: K, var: usize) -> Value {
        let Field { shift, width } = self.fields[var];
        if width == 0 { 0 } else { key.field(shift, (1 << width) - 1) as Value }
    }

    /// The state of a key.
    pub fn unpack<K: Key>(&self, key: K) -> State {
        State((0..self.fields.len()).map(|var| self.value(key, var)).collect())
    }
}
