//! Messages between processes.

use crate::error::ClusterError;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// What a message is about. Messages from one process about the same come in the order in which they were sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Tag {
    /// For everybody, by way of process 0.
    Gather = 1,
    /// A piece for its owner.
    Exchange = 2,
    /// A question about work, to process 0.
    Ask = 3,
    /// The answer.
    Answer = 4,
    /// May I say what went wrong?
    MaySpeak = 5,
    /// Whether.
    Speak = 6,
    /// The sender has failed.
    Failed = 7,
}

impl Tag {
    /// All of them.
    pub const ALL: [Tag; 7] =
        [Tag::Gather, Tag::Exchange, Tag::Ask, Tag::Answer, Tag::MaySpeak, Tag::Speak, Tag::Failed];
}

/// Messages that have come and wait to be read.
#[derive(Debug, Default)]
pub struct Mailbox {
    waiting: Mutex<VecDeque<(usize, Tag, Vec<u8>)>>,
    arrived: Condvar,
    failed: AtomicBool,
    /// At process 0: somebody says what went wrong.
    spoken: AtomicBool,
    sent: AtomicU64,
    received: AtomicU64,
    /// Nanoseconds that were spent waiting.
    waited: AtomicU64,
    /// How many wait for a message now.
    waiters: AtomicU64,
    closed: AtomicBool,
}

impl Mailbox {
    fn lock(&self) -> MutexGuard<'_, VecDeque<(usize, Tag, Vec<u8>)>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes sent, bytes received, and seconds spent waiting for messages.
    pub fn traffic(&self) -> (u64, u64, f64) {
        (self.sent.load(Relaxed), self.received.load(Relaxed), self.waited.load(Relaxed) as f64 / 1e9)
    }

    /// Somebody waits for a message, and has nothing else to do.
    pub fn is_waited_for(&self) -> bool {
        self.waiters.load(Relaxed) > 0
    }

    /// No more messages are to be received.
    pub fn close(&self) {
        self.closed.store(true, Relaxed);
    }

    /// Whether that was said.
    pub fn is_closed(&self) -> bool {
        self.closed.load(Relaxed)
    }

    /// No more messages will be waited for.
    pub fn fail(&self) {
        let waiting = self.lock();
        self.failed.store(true, Relaxed);
        drop(waiting);
        self.arrived.notify_all();
    }

    /// The first message about this, from this process or from any; waits for it.
    fn take(&self, from: Option<usize>, tag: Tag) -> Result<(usize, Vec<u8>), ClusterError> {
        let mut waiting = self.lock();
        let begun = Instant::now();
        loop {
            let wanted = |message: &(usize, Tag, Vec<u8>)| {
                message.1 == tag && from.is_none_or(|from| message.0 == from)
            };
            if let Some((from, _, bytes)) = waiting.iter().position(wanted).and_then(|at| waiting.remove(at))
            {
                drop(waiting);
                if tag != Tag::Ask {
                    self.waited.fetch_add(begun.elapsed().as_nanos() as u64, Relaxed);
                }
                return Ok((from, bytes));
            }
            if self.failed.load(Relaxed) {
                return Err(ClusterError::Peer);
            }
            // Whoever answers questions waits all the time: that does not count.
            let counts = u64::from(tag != Tag::Ask);
            self.waiters.fetch_add(counts, Relaxed);
            waiting = self.arrived.wait(waiting).unwrap_or_else(PoisonError::into_inner);
            self.waiters.fetch_sub(counts, Relaxed);
        }
    }
}

/// A process among others. What comes in goes to the [`Mailbox`] at once, whatever this process is doing, so that
/// nobody waits for a message to be taken.
pub trait Transport: Send + Sync {
    /// The number of this process, from 0.
    fn rank(&self) -> usize;

    /// How many there are, this one included.
    fn size(&self) -> usize;

    /// Sends bytes to another process.
    fn post(&self, to: usize, tag: Tag, bytes: &[u8]) -> Result<(), ClusterError>;

    /// Where messages wait.
    fn mailbox(&self) -> &Mailbox;

    /// A message has come. Called by whoever receives.
    fn deliver(&self, from: usize, tag: Tag, bytes: Vec<u8>) {
        let mailbox = self.mailbox();
        if from != self.rank() {
            mailbox.received.fetch_add(bytes.len() as u64, Relaxed);
        }
        match tag {
            Tag::Failed => mailbox.fail(),
            Tag::MaySpeak => {
                let first = !mailbox.spoken.swap(true, Relaxed);
                // Who cannot be told has ended.
                let _ = self.post(from, Tag::Speak, &[u8::from(first)]);
            }
            _ => {
                mailbox.lock().push_back((from, tag, bytes));
                mailbox.arrived.notify_all();
            }
        }
    }

    /// Sends bytes to any process, this one included.
    fn send(&self, to: usize, tag: Tag, bytes: &[u8]) -> Result<(), ClusterError> {
        if to == self.rank() {
            self.deliver(to, tag, bytes.to_vec());
            return Ok(());
        }
        self.mailbox().sent.fetch_add(bytes.len() as u64, Relaxed);
        self.post(to, tag, bytes)
    }

    /// The next message about this, from this process or from any.
    fn receive(&self, from: Option<usize>, tag: Tag) -> Result<(usize, Vec<u8>), ClusterError> {
        self.mailbox().take(from, tag)
    }

    /// This process has failed: ends the work of all others. Says whether this is the one to say what went wrong:
    /// exactly one is.
    fn fail(&self) -> bool {
        let mailbox = self.mailbox();
        let speaks = match self.rank() {
            0 => !mailbox.spoken.swap(true, Relaxed),
            _ => {
                let asked = self.post(0, Tag::MaySpeak, &[]);
                // The answer is waited for even if others have failed meanwhile.
                mailbox.failed.store(false, Relaxed);
                match asked.and_then(|()| mailbox.take(Some(0), Tag::Speak)) {
                    Ok((_, answer)) => answer == [1],
                    // There is nobody left to ask.
                    Err(_) => false,
                }
            }
        };
        mailbox.fail();
        for other in (0..self.size()).filter(|&other| other != self.rank()) {
            let _ = self.post(other, Tag::Failed, &[]);
        }
        speaks
    }
}
