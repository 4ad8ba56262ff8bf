//! Moves inside the leaf: which bit of a later layer's leaf tells about which bit of the present one.

use crate::backward::leaves::mirror::{LeafMirror, Way};
use crate::backward::leaves::places::{Places, WIDEST};
use crate::backward::stream::bits::Bits;
use crate::rules::relation::{IDENTITY, Rel, Relations};
use rustc_hash::FxHashMap;

/// The most words of a leaf.
pub const WORDS: usize = WIDEST / 64;

/// Pairs of places are moved in order by at most n steps; what is left goes one by one.
const STEPS: usize = 6;

/// Moves that lead from the states of a class into another one.
pub struct Shift {
    /// Where they lead.
    class: u32,
    /// Bits at some places that go to as many others, in the same order.
    ordered: Vec<Ordered>,
    /// Single places: the bit of the later layer, the bit of the present one.
    single: Vec<(u16, u16)>,
}

struct Ordered {
    take: Box<[u64]>,
    put: Box<[u64]>,
}

/// What is left of moves from the states of a class, wherever they lead.
pub type Shifts = Vec<Shift>;

/// A relation, the class of the states that it starts from, and how what it leads to is read.
type Asked = (Rel, u32, Way);

/// All that were ever needed.
#[derive(Default)]
pub struct AllShifts {
    known: FxHashMap<Asked, u32>,
    lists: Vec<Shifts>,
    /// What was asked for last, and its number.
    last: Option<(Asked, u32)>,
}

impl AllShifts {
    /// The number of the moves that are left of a relation in the states of a class.
    #[inline]
    pub fn find(
        &mut self,
        relations: &Relations,
        places: &Places,
        mirror: Option<&LeafMirror>,
        asked: Asked,
    ) -> u32 {
        if let Some((last, number)) = self.last
            && last == asked
        {
            return number;
        }
        let number = *self.known.entry(asked).or_insert_with(|| {
            self.lists.push(shifts(relations, places, mirror, asked));
            self.lists.len() as u32 - 1
        });
        self.last = Some((asked, number));
        number
    }

    /// Those that lead into a class.
    #[inline]
    pub fn get(&self, number: u32, class: u32) -> Option<&Shift> {
        self.lists[number as usize].iter().find(|shift| shift.class == class)
    }
}

/// What is known of the moves after the forward pass; a state from which nothing is known does not occur there.
fn shifts(
    relations: &Relations,
    places: &Places,
    mirror: Option<&LeafMirror>,
    (rel, class, way): Asked,
) -> Shifts {
    // For each class: pairs of places, of the present layer and of the later one.
    let mut pairs: Vec<(u32, Vec<(u16, u16)>)> = vec![];
    for (from, &state) in places.states(class).iter().enumerate() {
        let digits = places.digits(state);
        let mut open = vec![(rel, vec![])];
        for (k, &digit) in digits.iter().enumerate() {
            let mut next = vec![];
            for (rel, made) in open {
                let mut add = |rel, digit| {
                    let mut made = made.clone();
                    made.push(digit);
                    next.push((rel, made));
                };
                if rel == IDENTITY {
                    add(IDENTITY, digit);
                } else {
                    let steps = relations.known_steps(places.level + k, rel, digit).unwrap_or_default();
                    steps.iter().for_each(|&(digit, rel)| add(rel, digit));
                }
            }
            open = next;
        }
        for (_, made) in open {
            let made = places.local(&made);
            let kept = mirror.map_or(made, |mirror| mirror.kept(made, way));
            let Some((class, to)) = places.place(kept) else { continue };
            let pair = (from as u16, to as u16);
            match pairs.iter_mut().find(|(other, _)| *other == class) {
                Some((_, list)) => list.push(pair),
                None => pairs.push((class, vec![pair])),
            }
        }
    }
    pairs.into_iter().map(|(to, list)| shift(places, class, to, list)).collect()
}

fn shift(places: &Places, from: u32, class: u32, mut pairs: Vec<(u16, u16)>) -> Shift {
    pairs.sort_unstable();
    pairs.dedup();
    let mut ordered: Vec<(Ordered, (u16, u16))> = vec![];
    let mut single = vec![];
    for (at, to) in pairs {
        let fits = ordered.iter().position(|(_, last)| last.0 < at && last.1 < to);
        let chosen = match fits {
            None if ordered.len() == STEPS => {
                single.push((to, at));
                continue;
            }
            None => {
                let (take, put) = (vec![0; places.words(class)], vec![0; places.words(from)]);
                ordered.push((Ordered { take: take.into(), put: put.into() }, (0, 0)));
                ordered.len() - 1
            }
            Some(chosen) => chosen,
        };
        let (map, last) = &mut ordered[chosen];
        map.take[usize::from(to) / 64] |= 1 << (to % 64);
        map.put[usize::from(at) / 64] |= 1 << (at % 64);
        *last = (at, to);
    }
    Shift { class, ordered: ordered.into_iter().map(|(map, _)| map).collect(), single }
}

impl Shift {
    /// Adds to the present layer's bits what the bits of a later one say about them.
    #[inline(always)]
    pub fn apply<B: Bits>(&self, by: B, bits: &[u64], out: &mut [u64]) {
        for Ordered { take, put } in &self.ordered {
            // All bits taken, one after the other.
            let mut taken = [0u64; WORDS + 2];
            let (mut word, mut filled, mut any) = (0, 0u32, 0);
            for (&bits, &take) in bits.iter().zip(take) {
                let found = by.extract(bits, take);
                any |= found;
                taken[word] |= found << filled;
                filled += take.count_ones();
                if filled >= 64 {
                    filled -= 64;
                    word += 1;
                    // Shifted in two steps, so that a shift by 64 gives 0.
                    taken[word] = found >> 1 >> (take.count_ones() - filled - 1);
                }
            }
            if any == 0 {
                continue;
            }
            let mut at = 0;
            for (out, &put) in out.iter_mut().zip(put) {
                let (word, shift) = (at / 64, (at % 64) as u32);
                let found = taken[word] >> shift | taken[word + 1] << 1 << (63 - shift);
                *out |= by.deposit(found, put);
                at += put.count_ones() as usize;
            }
        }
        for &(from, to) in &self.single {
            out[usize::from(to) / 64] |= (bits[usize::from(from) / 64] >> (from % 64) & 1) << (to % 64);
        }
    }
}
