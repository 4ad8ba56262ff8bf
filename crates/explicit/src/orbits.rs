//! States that the symmetries of a game take to each other: one of them, the least, stands for all.

use crate::pack::{Bits, Key, Packing};
use winset_model::Game;
use winset_symmetry::Symmetry;

/// The images of packed states under a group of symmetries, looked up some bits at a time.
pub struct Orbits<K> {
    /// Which bits the tables are indexed by.
    parts: Vec<Part>,
    /// For each symmetry but the identity, and each part, what every content of it becomes; the tables one after the other.
    images: Vec<K>,
    /// The entries of one symmetry.
    each: usize,
}

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
        if entries.checked_mul(others.len() * size_of::<K>()).is_none_or(|bytes| bytes as u64 > most) {
            return None;
        }
        let mut images = Vec::with_capacity(entries * others.len());
        for symmetry in others {
            for run in &runs {
                let image = |contents: u64| {
                    run.variables.iter().fold(K::default(), |image, &var| {
                        let value = packing.value_in(run, contents, var);
                        let becomes = symmetry.values[var].get(value).copied().unwrap_or(0);
                        image.with(packing.fields[symmetry.variables[var].index()].shift, becomes.into())
                    })
                };
                images.extend((0..=run.mask).map(image));
            }
        }
        debug_assert!(others.iter().all(|symmetry| symmetry.image(game.initial()) == *game.initial()));
        Some(Orbits { parts, images, each: entries })
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

    /// The images of a state, itself left out.
    #[inline]
    fn images(&self, key: K) -> impl Iterator<Item = K> + '_ {
        self.images.chunks_exact(self.each).map(move |tables| {
            self.parts.iter().fold(K::default(), |image, part| {
                image.or(tables[part.from + key.field(part.shift, part.mask) as usize])
            })
        })
    }

    /// The least of a state's images, which stands for all of them.
    #[inline]
    pub fn least(&self, key: K) -> K {
        self.images(key).fold(key, K::min)
    }

    /// How many states a state stands for: the group's size by the number of symmetries that leave the state as it is.
    pub fn size(&self, key: K) -> u64 {
        let others = self.images.len() / self.each;
        let same = self.images(key).filter(|&image| image == key).count();
        ((others + 1) / (same + 1)) as u64
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
