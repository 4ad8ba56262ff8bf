//! Where questions about one solution are answered: sessions that are ready, each lent to one question at a time.

use self_cell::self_cell;
use std::sync::{Arc, Mutex, PoisonError};
use winset::{Session, Solved};

/// Sessions that wait for the next question. More are made when they are needed and thrown away afterwards.
const WAITING: usize = 8;

self_cell!(
    /// A session with the solution that it asks.
    struct Seat {
        owner: Arc<Solved>,
        #[not_covariant]
        dependent: Session,
    }
);

/// Answers questions about one solution. Preparing a game's rules takes longer than looking a position up, so that is
/// done once for every session and not for every question.
pub struct Desk {
    solved: Arc<Solved>,
    seats: Mutex<Vec<Seat>>,
}

impl Desk {
    /// A desk for a solution.
    pub fn new(solved: Solved) -> Self {
        Desk { solved: Arc::new(solved), seats: Mutex::default() }
    }

    /// The solution.
    pub fn solved(&self) -> &Solved {
        &self.solved
    }

    /// Asks. May read from disk, so it is for threads that may wait.
    pub fn ask<T>(&self, question: impl for<'s> FnOnce(&mut Session<'s>) -> T) -> T {
        let waiting = self.seats.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut seat = waiting.unwrap_or_else(|| Seat::new(self.solved.clone(), |solved| solved.session()));
        let answer = seat.with_dependent_mut(|_, session| question(session));
        let mut seats = self.seats.lock().unwrap_or_else(PoisonError::into_inner);
        if seats.len() < WAITING {
            seats.push(seat);
        }
        answer
    }
}
