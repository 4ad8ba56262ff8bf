//! Laws of the index on random sets.

use proptest::prelude::*;
use std::collections::BTreeSet;
use winset_index::{Digit, Index, Planes};

proptest! {
    #[test]
    fn rank_and_unrank_are_inverse(strings in prop::collection::btree_set([0u16..4, 0..4, 0..4, 0..9], 0..200)) {
        let strings: BTreeSet<[Digit; 4]> = strings;
        let index = Index::from_sorted(4, strings.iter().map(|s| s.as_slice()));
        prop_assert_eq!(index.len(), strings.len() as u64);
        for (rank, string) in strings.iter().enumerate() {
            prop_assert_eq!(index.rank(string), Some(rank as u64));
            prop_assert_eq!(index.unrank(rank as u64), Some(string.to_vec()));
        }
        prop_assert_eq!(index.unrank(index.len()), None);
        for other in [[0, 0, 0, 0], [3, 1, 2, 8], [4, 0, 0, 0]] {
            prop_assert_eq!(index.rank(&other).is_some(), strings.contains(&other));
        }
    }

    #[test]
    fn planes_keep_codes(codes in prop::collection::vec(0u32..8, 1..300)) {
        let mut planes = Planes::new(codes.len() as u64, 3);
        for (rank, &code) in codes.iter().enumerate() {
            planes.set(rank as u64, 7);
            planes.set(rank as u64, code);
        }
        for (rank, &code) in codes.iter().enumerate() {
            prop_assert_eq!(planes.get(rank as u64), code);
        }
    }
}
