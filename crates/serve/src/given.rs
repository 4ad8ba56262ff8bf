//! Answers that were given before, kept while there is room.
//!
//! A question about a large solution reads and unpacks a dozen pieces of files, most of which are not in memory. What
//! many people look at, and what one person comes back to, is a few thousand positions: their answers are small.

use crate::shelf::Room;
use lru::LruCache;
use std::sync::{Arc, Mutex, PoisonError};

/// The bytes of all texts that are kept.
const ROOM: usize = 4 << 20;
/// What an answer takes besides its texts.
const EACH: usize = 128;
/// Longer answers are not kept: there would be room for a few only.
const LONGEST: usize = ROOM / 64;

/// The answers, the least recently used of which goes first.
pub struct Given(Mutex<Kept>);

struct Kept {
    answers: LruCache<String, Arc<str>>,
    bytes: usize,
}

impl Default for Given {
    fn default() -> Self {
        // Bytes are bounded, not answers.
        Given(Mutex::new(Kept { answers: LruCache::unbounded(), bytes: 0 }))
    }
}

/// The name of a question of some kind about a solution; none if what the solution says may still change.
pub fn name(room: &Room, kind: &str, question: &str) -> Option<String> {
    let finished = room.solved().store().is_complete();
    finished.then(|| format!("{} {} {kind} {question}", room.id, room.manifest().digest))
}

impl Given {
    /// The answer to a question of this name, if it was given and is still here.
    pub fn get(&self, name: Option<&String>) -> Option<Arc<str>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).answers.get(name?).cloned()
    }

    /// Keeps an answer.
    pub fn put(&self, name: Option<String>, answer: &Arc<str>) {
        let Some(name) = name.filter(|name| name.len() + answer.len() <= LONGEST) else { return };
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.bytes += name.len() + answer.len() + EACH;
        if let Some((name, replaced)) = kept.answers.push(name, answer.clone()) {
            kept.bytes -= name.len() + replaced.len() + EACH;
        }
        while kept.bytes > ROOM {
            let Some((name, oldest)) = kept.answers.pop_lru() else { return };
            kept.bytes -= name.len() + oldest.len() + EACH;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every byte that is counted is there, whatever is replaced or goes.
    #[test]
    fn there_is_never_more_than_there_is_room_for() {
        let given = Given::default();
        let mut random = 1u64;
        for step in 0..20_000 {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let name = format!("question {}", (random >> 33) % 3_000);
            let answer: Arc<str> = "x".repeat((random >> 40) as usize % 5_000).into();
            given.put(Some(name.clone()), &answer);
            assert_eq!(given.get(Some(&name)), Some(answer));
            if step % 1_000 == 0 {
                let kept = given.0.lock().unwrap();
                let sum: usize = kept.answers.iter().map(|(name, text)| name.len() + text.len() + EACH).sum();
                assert_eq!(sum, kept.bytes);
                assert!(sum <= ROOM);
            }
        }
        assert_eq!(given.get(None), None);
        given.put(Some("long".into()), &"x".repeat(LONGEST).into());
        assert_eq!(given.get(Some(&"long".into())), None);
    }
}
