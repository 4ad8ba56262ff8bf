//! Which states of later layers the moves of a piece lead to, by their first digits.

use crate::error::LayersError;
use crate::forward::search::Forward;
use crate::rules::relation::{IDENTITY, Rel};
use crate::shared::owners::{Key, Keys};
use std::collections::BTreeSet;
use std::ops::Range;

impl Forward {
    /// The keys that a relation may lead to from states with keys of a run, and perhaps some others.
    pub(crate) fn keys_after(
        &mut self,
        keys: &Keys,
        run: Range<Key>,
        rel: Rel,
    ) -> Result<BTreeSet<Key>, LayersError> {
        let mut found = BTreeSet::new();
        for key in run {
            let mut ways = BTreeSet::from([(0, rel)]);
            for (level, digit) in keys.digits(key).into_iter().enumerate() {
                let mut below = BTreeSet::new();
                for (to, rel) in ways {
                    if rel == IDENTITY {
                        below.insert((keys.below(level, to, digit), IDENTITY));
                        continue;
                    }
                    for step in self.relations.steps(&mut self.rules, &mut self.conjs, level, rel, digit)? {
                        let (next, rel) = self.relations.step(level, step);
                        below.insert((keys.below(level, to, next), rel));
                    }
                }
                ways = below;
            }
            found.extend(ways.into_iter().map(|(key, _)| key));
        }
        Ok(found)
    }
}
