//! What a move does, seen from outside: a piece is put, a piece goes from one square to another, or something else.

use super::{Layout, Placed};

/// What a move does to the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// A piece comes to an empty square; others may change their colour.
    Put(usize),
    /// A piece goes from a square to another; others may vanish.
    Slide(usize, usize),
    /// Something else, or nothing that can be seen: the squares that change.
    Other(Vec<usize>),
}

impl Layout {
    /// Compares the position before a move with that after it.
    pub fn action(&self, before: &Placed, after: &Placed) -> Action {
        let changed: Vec<usize> = (0..before.len()).filter(|&i| before[i] != after[i]).collect();
        let emptied: Vec<usize> = changed.iter().copied().filter(|&i| after[i].is_none()).collect();
        let filled: Vec<usize> = changed.iter().copied().filter(|&i| after[i].is_some()).collect();
        let fresh: Vec<usize> = filled.iter().copied().filter(|&i| before[i].is_none()).collect();
        if emptied.is_empty() && fresh.len() == 1 {
            return Action::Put(fresh[0]);
        }
        if let [to] = filled[..] {
            // Promotion changes the case of a piece in our games.
            let same = |&from: &usize| match (before[from], after[to]) {
                (Some(a), Some(b)) => self.pieces[a].eq_ignore_ascii_case(&self.pieces[b]),
                _ => false,
            };
            let from: Vec<usize> = emptied.iter().copied().filter(same).collect();
            match (from.as_slice(), emptied.as_slice()) {
                (&[from], _) | ([], &[from]) => return Action::Slide(from, to),
                _ => {}
            }
        }
        Action::Other(changed)
    }
}
