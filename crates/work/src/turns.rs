//! Workers that take turns.

use crate::{Pace, Work};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

/// Workers of which one works at a time, each a number of steps before it is the next one's turn. Who needs the
/// fewest turns is done first, and all of them together have then worked hardly more than n times as long, with n workers.
pub struct Turns {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// Whose turn it is.
    turn: usize,
    seats: Vec<Allowed>,
    over: bool,
}

struct Allowed {
    /// How many steps the worker may have made when it hands on.
    until: u64,
    /// How many more it may make each time.
    each: u64,
    /// It works no more.
    left: bool,
}

impl Turns {
    /// Workers with the number of steps of their first turn, and of each one after it.
    pub fn new(allowed: &[(u64, u64)]) -> Arc<Self> {
        let seats = allowed.iter().map(|&(first, each)| Allowed { until: first, each, left: false });
        let state = State { turn: 0, seats: seats.collect(), over: false };
        Arc::new(Turns { state: Mutex::new(state), changed: Condvar::new() })
    }

    /// A worker's place. Whoever drops it works no more.
    pub fn seat(self: &Arc<Self>, number: usize) -> Seat {
        Seat { turns: self.clone(), number }
    }

    /// Stops everybody.
    pub fn end(&self) {
        self.lock().over = true;
        self.changed.notify_all();
    }

    /// A worker that panics holds no lock, and the numbers are whole at any time.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl State {
    /// It is the turn of the next one who still works, if there is another.
    fn hand_on(&mut self) {
        let n = self.seats.len();
        let after = (1..=n).map(|i| (self.turn + i) % n);
        self.turn = after.into_iter().find(|&i| !self.seats[i].left).unwrap_or(self.turn);
    }
}

/// A worker's place among those that take turns.
pub struct Seat {
    turns: Arc<Turns>,
    number: usize,
}

impl Seat {
    /// Work that is done in this worker's turns.
    pub fn work(&self) -> Work {
        Work::paced(Arc::new(Waiting { turns: self.turns.clone(), number: self.number }))
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut state = self.turns.lock();
        state.seats[self.number].left = true;
        if state.turn == self.number {
            state.hand_on();
        }
        drop(state);
        self.turns.changed.notify_all();
    }
}

struct Waiting {
    turns: Arc<Turns>,
    number: usize,
}

impl Pace for Waiting {
    fn go_on(&self, done: u64) -> Option<u64> {
        let mut state = self.turns.lock();
        loop {
            if state.over {
                return None;
            }
            if state.turn == self.number {
                let mine = &mut state.seats[self.number];
                if done < mine.until {
                    return Some(mine.until);
                }
                let beyond = done - mine.until;
                mine.until = done.saturating_add(mine.each);
                // Steps that could not be interrupted are given to the others too.
                let others = state.seats.iter_mut().enumerate().filter(|(i, _)| *i != self.number);
                others.for_each(|(_, other)| other.until = other.until.saturating_add(beyond));
                state.hand_on();
                self.turns.changed.notify_all();
            } else {
                state = self.turns.changed.wait(state).unwrap_or_else(|poisoned| poisoned.into_inner());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Who does how many steps, in the order in which they are done.
    fn run(needs: [u64; 2], allowed: &[(u64, u64)]) -> (Vec<usize>, usize) {
        let turns = Turns::new(allowed);
        let (order, first) = (Mutex::new(vec![]), Mutex::new(None));
        std::thread::scope(|scope| {
            for (number, need) in needs.into_iter().enumerate() {
                let seat = turns.seat(number);
                let (order, first, turns) = (&order, &first, &turns);
                scope.spawn(move || {
                    let work = seat.work();
                    for _ in 0..need {
                        if work.spend(1).is_err() {
                            return;
                        }
                        order.lock().unwrap().push(number);
                    }
                    if work.spend(0).is_ok() {
                        first.lock().unwrap().get_or_insert(number);
                        turns.end();
                    }
                });
            }
        });
        (order.into_inner().unwrap(), first.into_inner().unwrap().expect("somebody is done"))
    }

    #[test]
    fn the_same_worker_is_always_first() {
        let allowed = [(4, 2), (3, 3)];
        for _ in 0..50 {
            assert_eq!(run([3, 9], &allowed), (vec![0, 0, 0], 0));
            let (order, first) = run([100, 5], &allowed);
            assert_eq!((order, first), (vec![0, 0, 0, 1, 1, 0, 0, 1, 1, 1], 1));
        }
    }

    #[test]
    fn what_one_takes_at_once_the_other_gets_too() {
        let turns = Turns::new(&[(10, 10), (10, 10)]);
        let seats = [0, 1].map(|number| turns.seat(number));
        let [first, second] = [0, 1].map(|number| seats[number].work());
        let made = std::thread::scope(|scope| {
            let other = scope.spawn(|| (0..).take_while(|_| second.spend(1).is_ok()).count());
            // Fifty steps at once and then none: the other has its ten, forty more, and then ten more each time.
            assert!(first.spend(50).is_ok());
            turns.end();
            other.join().unwrap()
        });
        assert_eq!(made, 49, "handed back on the fiftieth step");
    }

    #[test]
    fn who_leaves_holds_up_nobody() {
        let turns = Turns::new(&[(1, 1), (1, 1)]);
        drop(turns.seat(1));
        let work = turns.seat(0);
        let work = work.work();
        assert!((0..100).all(|_| work.spend(1).is_ok()));
        turns.end();
        assert!(work.spend(1).is_err());
    }
}
