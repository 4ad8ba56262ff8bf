//! States that can be settled.

use crate::wishes::{Distance, NEVER_ENDS};

/// States by distance, the nearest first.
#[derive(Default)]
pub struct Agenda {
    at: Vec<Vec<u32>>,
    /// The least distance that can have states.
    from: usize,
}

impl Agenda {
    /// Everything of another one too.
    pub(crate) fn append(&mut self, mut other: Agenda) {
        if self.at.is_empty() {
            *self = other;
            return;
        }
        self.at.resize_with(self.at.len().max(other.at.len()), Vec::new);
        self.at.iter_mut().zip(&mut other.at).for_each(|(all, some)| all.append(some));
        self.from = self.from.min(other.from);
    }

    /// Adds a state at a distance; none that play never comes to.
    pub fn add(&mut self, state: u32, distance: Distance) {
        if distance == NEVER_ENDS {
            return;
        }
        let distance = usize::from(distance);
        if self.at.len() <= distance {
            self.at.resize_with(distance + 1, Vec::new);
        }
        self.at[distance].push(state);
        self.from = self.from.min(distance);
    }

    /// The nearest state, and takes it away.
    pub(crate) fn next(&mut self) -> Option<(u32, Distance)> {
        while let Some(here) = self.at.get_mut(self.from) {
            if let Some(state) = here.pop() {
                return Some((state, self.from as Distance));
            }
            self.from += 1;
        }
        None
    }
}
