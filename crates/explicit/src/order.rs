//! The order in which the states of a tier are settled: part by part, where moves inside the tier never lead from one part
//! to another.

use crate::pack::{Key, Packing};
use crate::tiers::Tiers;
use std::ops::Range;
use winset_model::Value;
use winset_settle::Values;

/// The most states of a group, if its parts are not larger: few enough that what is known of them stays in the cache,
/// enough that beginning a group does not matter.
pub const GROUP: usize = 1 << 15;

/// Which part of its tier a state is in.
pub struct Parts(Tiers);

impl Parts {
    /// Parts by classes of values (see [`winset_progress::parts`]); none if there is only one.
    pub fn new(packing: &Packing, classes: &[Vec<Value>]) -> Option<Self> {
        let mut radix = 1i64;
        let mut weights = vec![];
        for classes in classes {
            let count = i64::from(classes.iter().copied().max().unwrap_or(0)) + 1;
            // Where numbers do not do, the other variables do not count: larger parts are parts too.
            let (factor, next) = match radix.checked_mul(count) {
                Some(next) => (radix, next),
                None => (0, radix),
            };
            weights.push(classes.iter().map(|&class| factor * i64::from(class)).collect());
            radix = next;
        }
        (radix > 1).then(|| Parts(Tiers::new(packing, &weights)))
    }
}

/// Places of states. None: they are settled in the order of their keys.
#[derive(Default)]
pub struct Order(Option<Places>);

struct Places {
    /// The states in the order of their places.
    states: Vec<u32>,
    /// The places of the states.
    places: Vec<u32>,
}

/// The bytes that a state takes in an order; and while it is made.
pub const ORDER: u64 = 8;
pub const ORDERING: u64 = 16;

impl Order {
    /// The state at a place.
    #[inline]
    pub fn state(&self, place: usize) -> usize {
        self.0.as_ref().map_or(place, |order| order.states[place] as usize)
    }

    /// The place of a state.
    #[inline]
    pub fn place(&self, state: usize) -> usize {
        self.0.as_ref().map_or(state, |order| order.places[state] as usize)
    }

    /// A list in the order of places, in that of states.
    pub fn sorted<T: Copy>(&self, list: Vec<T>) -> Vec<T> {
        match &self.0 {
            Some(order) => order.places.iter().map(|&place| list[place as usize]).collect(),
            None => list,
        }
    }

    /// The same of values.
    pub fn sorted_values(&self, values: Values) -> Values {
        Values { codes: self.sorted(values.codes), distances: self.sorted(values.distances) }
    }

    /// States of which no two follow each other, in groups of n.
    pub fn apart(states: usize, group: usize) -> (Self, Vec<Range<usize>>) {
        let groups = (0..states).step_by(group).map(|from| from..(from + group).min(states)).collect();
        (Order(None), groups)
    }

    /// The states part by part, and groups of whole parts, of n states if parts are not larger.
    pub fn by_parts<K: Key>(keys: &[K], parts: &Parts, group: usize) -> (Self, Vec<Range<usize>>) {
        let mut labelled: Vec<(i64, u32)> =
            keys.iter().zip(0..).map(|(&key, state)| (parts.0.of(key), state)).collect();
        labelled.sort_unstable();
        let (mut groups, mut from): (Vec<Range<usize>>, usize) = (vec![], 0);
        for part in labelled.chunk_by(|a, b| a.0 == b.0) {
            match groups.last_mut() {
                Some(last) if last.len() + part.len() <= group => last.end += part.len(),
                _ => groups.push(from..from + part.len()),
            }
            from += part.len();
        }
        let states: Vec<u32> = labelled.iter().map(|&(_, state)| state).collect();
        drop(labelled);
        let mut places = vec![0; keys.len()];
        states.iter().zip(0..).for_each(|(&state, place)| places[state as usize] = place);
        (Order(Some(Places { states, places })), groups)
    }
}
