//! Legal moves while the rules are not ground: from the rules as they are written.

use super::{At, Match};
use crate::interpret::{GaveUp, Truths};
use std::time::Instant;

/// Of n legal moves one is taken.
const ENOUGH: usize = 24;

impl Match {
    /// Some of our legal moves at the start, by the rules as they are written.
    pub(super) fn opening(&self, at: &mut At, times: (Instant, Instant)) -> Result<Vec<String>, GaveUp> {
        if let Some(legal) = &at.opening {
            return Ok(legal.clone());
        }
        let book = self.book.as_ref().ok_or(GaveUp)?;
        let start = self.start(at, times.1)?;
        let legal = book.legal(&self.setting.role, ENOUGH, start, times)?;
        Ok(at.opening.insert(legal).clone())
    }

    /// The state at the start, by the rules as they are written.
    fn start<'a>(&self, at: &'a mut At, until: Instant) -> Result<&'a Truths, GaveUp> {
        let start = match at.start.take() {
            Some(start) => start,
            None => self.book.as_ref().ok_or(GaveUp)?.start(until)?,
        };
        Ok(at.start.insert(start))
    }

    /// A legal move by the rules as they are written, one of several by the first of two times, any by the second; none
    /// if there is none, or none can be found by then.
    pub(super) fn interpret(&self, at: &mut At, times: (Instant, Instant)) -> Option<String> {
        let book = self.book.as_ref()?;
        let begin = at.waiting.iter().rposition(Option::is_none).map_or(0, |back| back + 1);
        let legal = if at.waiting.len() == begin {
            self.opening(at, times).ok()?
        } else {
            let (mut state, mut from) = match at.read.take() {
                Some((state, from)) if from >= begin => (state, from),
                _ => (self.start(at, times.1).ok()?.clone(), begin),
            };
            while let Some(moves) = at.waiting.get(from) {
                match moves.as_ref().map_or(Ok(None), |moves| book.next(&state, moves, times.1)) {
                    // What nobody can have done is ignored, as it is with ground rules.
                    Ok(after) => (state, from) = (after.unwrap_or(state), from + 1),
                    Err(GaveUp) => {
                        at.read = Some((state, from));
                        return None;
                    }
                }
            }
            let legal = book.legal(&self.setting.role, ENOUGH, &state, times);
            at.read = Some((state, from));
            legal.ok()?
        };
        // Not always the first: that would be the same corner of the board in every match.
        let number = legal.len();
        legal.into_iter().nth((self.setting.id.len() + at.waiting.len()) * 7 % number.max(1))
    }
}
