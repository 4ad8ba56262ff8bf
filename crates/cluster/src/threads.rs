//! Processes that are threads of one process, for tests: the same messages without a network.

use crate::error::ClusterError;
use crate::transport::{Mailbox, Tag, Transport};
use std::sync::{Arc, OnceLock, Weak};

/// One of several threads that behave like processes.
#[derive(Debug)]
pub struct Threads {
    rank: usize,
    mailbox: Mailbox,
    all: OnceLock<Vec<Weak<Threads>>>,
}

impl Threads {
    /// All of n.
    pub fn group(size: usize) -> Vec<Arc<Threads>> {
        let new = |rank| Arc::new(Threads { rank, mailbox: Mailbox::default(), all: OnceLock::new() });
        let all: Vec<Arc<Threads>> = (0..size).map(new).collect();
        let known: Vec<Weak<Threads>> = all.iter().map(Arc::downgrade).collect();
        for one in &all {
            // Nobody else has set it.
            let _ = one.all.set(known.clone());
        }
        all
    }
}

impl Transport for Threads {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.all.get().map_or(1, Vec::len)
    }

    fn post(&self, to: usize, tag: Tag, bytes: &[u8]) -> Result<(), ClusterError> {
        let other = self.all.get().and_then(|all| all.get(to)?.upgrade()).ok_or(ClusterError::Peer)?;
        other.deliver(self.rank, tag, bytes.to_vec());
        Ok(())
    }

    fn mailbox(&self) -> &Mailbox {
        &self.mailbox
    }
}

/// Does the work in n threads; returns what each has found. When one has panicked, the others end too.
pub fn run_in_threads<R: Send>(size: usize, work: impl Fn(Arc<Threads>) -> R + Sync) -> Vec<R> {
    let group = Threads::group(size);
    std::thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = group
            .iter()
            .map(|one| {
                let one = one.clone();
                scope.spawn(move || {
                    /// Ends the others when this one is gone without a word.
                    struct Guard(Arc<Threads>);
                    impl Drop for Guard {
                        fn drop(&mut self) {
                            if std::thread::panicking() {
                                self.0.fail();
                            }
                        }
                    }
                    let guard = Guard(one.clone());
                    let done = work(one);
                    drop(guard);
                    done
                })
            })
            .collect();
        let joined: Vec<_> = threads.into_iter().map(|thread| thread.join()).collect();
        joined
            .into_iter()
            .map(|done| match done {
                Ok(done) => done,
                Err(panic) => std::panic::resume_unwind(panic),
            })
            .collect()
    })
}
