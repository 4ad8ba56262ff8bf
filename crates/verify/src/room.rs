//! The memory that a check may take. Whoever wrote the store may have written any number: everything whose size
//! a file decides is asked for here before it is made.

use crate::VerifyError;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Memory that is left.
#[derive(Debug)]
pub struct Room {
    left: AtomicU64,
    all: u64,
}

/// A part of the room, which comes back when this is dropped.
#[derive(Debug)]
pub struct Taken {
    room: Arc<Room>,
    bytes: u64,
}

impl Room {
    /// Of all that the process may take, so much is for others.
    pub fn new(all: u64, others: u64) -> Arc<Self> {
        Arc::new(Room { left: AtomicU64::new(all.saturating_sub(others)), all })
    }

    /// What is left at the moment.
    pub fn left(&self) -> u64 {
        self.left.load(Ordering::Relaxed)
    }

    /// Takes a part; refused if there is not so much.
    pub fn take(self: &Arc<Self>, bytes: u64) -> Result<Taken, VerifyError> {
        let less = |left: u64| left.checked_sub(bytes);
        match self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less) {
            Ok(_) => Ok(Taken { room: self.clone(), bytes }),
            Err(_) => Err(VerifyError::Memory { room: self.all }),
        }
    }
}

impl Taken {
    /// Takes more.
    pub fn grow(&mut self, bytes: u64) -> Result<(), VerifyError> {
        let mut more = self.room.take(bytes)?;
        self.bytes += std::mem::take(&mut more.bytes);
        Ok(())
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.room.left.fetch_add(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_dropped_comes_back() {
        let room = Room::new(13, 3);
        let mut some = room.take(6).unwrap();
        assert!(some.grow(5).is_err() && room.take(5).is_err());
        some.grow(4).unwrap();
        assert_eq!(room.left(), 0);
        drop(some);
        assert_eq!(room.left(), 10);
    }
}
