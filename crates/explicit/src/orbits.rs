//! States that the symmetries of a game take to each other: one of them, the least, stands for all.

use crate::pack::{Bits, Key, Packing};
use winset_model::Game;
use winset_symmetry::Symmetry;

/// The images of packed states under a group of symmetries, looked up some bits at a time.
pub struct Orbits<K> {
    /// Which bits the tables are indexed by.
    parts: Vec<Part>,
    /// What every content of each part becomes. Some symmetries have a table together, so that an entry is what all of them
    /// make of it and comes from memory at once; the tables one after the other.
    images: Vec<K>,
    /// The entries of one table.
    each: usize,
    /// How many symmetries have a table together.
    lanes: usize,
    /// How many symmetries there are beside the identity, which fills what is left of the last table.
    others: usize,
}

/// The most symmetries that have a table together.
const MOST_LANES: usize = 8;

struct Part {
    shift: u32,
    mask: u64,
    /// Where its table begins.
    from: usize,
}

impl<K: Key> Orbits<K> {
    /// The symmetries of a game that keep every state in its tier; none if there are none, or if tables would take more
    /// bytes than they may.
    pub fn find(game: &Game, packing: &Packing, weights: Option<&Vec<Vec<i64>>>, most: u64) -> Option<Self> {
        let mut group = winset_symmetry::find(game);
        group.retain(|symmetry| weights.is_none_or(|weights| keeps(game, symmetry, weights)));
        if group.len() < 2 { None } else { Self::new(game, packing, &group[1..], most) }
    }

    fn new(game: &Game, packing: &Packing, others: &[Symmetry], most: u64) -> Option<Self> {
        let runs = packing.runs();
        let mut entries = 0;
        let part = |run: &Bits| {
            let from = entries;
            entries += run.mask as usize + 1;
            Part { shift: run.shift, mask: run.mask, from }
        };
        let parts = runs.iter().map(part).collect();
        let lanes = others.len().next_power_of_two().min(MOST_LANES);
        let padded = lanes * others.len().div_ceil(lanes);
        if entries.checked_mul(padded * size_of::<K>()).is_none_or(|bytes| bytes as u64 > most) {
            return None;
        }
        let mut images = Vec::with_capacity(entries * padded);
        for together in others.chunks(lanes) {
            for run in &runs {
                for contents in 0..=run.mask {
                    let becomes = |symmetry: Option<&Symmetry>| {
                        run.variables.iter().fold(K::default(), |image, &var| {
                            let value = packing.value_in(run, contents, var);
                            let (to, becomes) = match symmetry {
                                Some(symmetry) => (
                                    symmetry.variables[var].index(),
                                    symmetry.values[var].get(value).copied().unwrap_or(0).into(),
                                ),
                                None => (var, value as u64),
                            };
                            image.with(packing.fields[to].shift, becomes)
                        })
                    };
                    images.extend((0..lanes).map(|lane| becomes(together.get(lane))));
                }
            }
        }
        debug_assert!(others.iter().all(|symmetry| symmetry.image(game.initial()) == *game.initial()));
        Some(Orbits { parts, images, each: entries, lanes, others: others.len() })
    }

    /// The bytes that it takes.
    pub fn bytes(&self) -> u64 {
        (size_of::<K>() * self.images.len()) as u64
    }

    /// The steps of work that finding the least image of this many states costs: a step is about 16 ns, and so are six
    /// entries of tables that are at hand, or one and a half of tables too large for that.
    pub fn steps(&self, states: u64) -> u64 {
        const AT_HAND: u64 = 1 << 20;
        let lookups = states * (self.parts.len() * (self.images.len() / self.each)) as u64;
        if self.bytes() <= AT_HAND { lookups / 6 } else { 2 * lookups / 3 }
    }

    /// The images of a state in one table of `LANES` symmetries.
    #[inline]
    fn images<const LANES: usize>(&self, table: &[K], key: K) -> [K; LANES] {
        let (entries, _) = table.as_chunks::<LANES>();
        let mut images = [K::default(); LANES];
        for part in &self.parts {
            let entry = &entries[part.from + key.field(part.shift, part.mask) as usize];
            images.iter_mut().zip(entry).for_each(|(image, &bits)| *image = image.or(bits));
        }
        images
    }

    #[inline]
    fn least_of<const LANES: usize>(&self, key: K) -> K {
        let tables = self.images.chunks_exact(self.each * LANES);
        tables.fold(key, |least, table| self.images::<LANES>(table, key).into_iter().fold(least, K::min))
    }

    fn same<const LANES: usize>(&self, key: K) -> usize {
        let tables = self.images.chunks_exact(self.each * LANES);
        tables.flat_map(|table| self.images::<LANES>(table, key)).filter(|&image| image == key).count()
    }

    /// The least of a state's images, which stands for all of them.
    #[inline]
    pub fn least(&self, key: K) -> K {
        match self.lanes {
            1 => self.least_of::<1>(key),
            2 => self.least_of::<2>(key),
            4 => self.least_of::<4>(key),
            _ => self.least_of::<MOST_LANES>(key),
        }
    }

    /// How many states a state stands for: the group's size by the number of symmetries that leave the state as it is.
    pub fn size(&self, key: K) -> u64 {
        let same = match self.lanes {
            1 => self.same::<1>(key),
            2 => self.same::<2>(key),
            4 => self.same::<4>(key),
            _ => self.same::<MOST_LANES>(key),
        };
        let identities = self.images.len() / self.each - self.others;
        ((self.others + 1) / (same - identities + 1)) as u64
    }
}

/// A symmetry changes no state's measure. The start becomes itself, so that weights can be compared with those of its values.
fn keeps(game: &Game, symmetry: &Symmetry, weights: &[Vec<i64>]) -> bool {
    let beyond = |var: usize, value: u16| {
        weights[var][usize::from(value)] - weights[var][usize::from(game.initial().0[var])]
    };
    (0..weights.len()).all(|var| {
        let to = symmetry.variables[var].index();
        (0..).zip(&symmetry.values[var]).all(|(value, &becomes)| beyond(var, value) == beyond(to, becomes))
    })
}
