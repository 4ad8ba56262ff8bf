//! Processes of an MPI job.
//!
//! A thread of its own takes messages as they come, so that nobody waits for this process to take one: the library must
//! allow calls from any thread.

use crate::error::ClusterError;
use crate::transport::{Mailbox, Tag, Transport};
use mpi::Threading;
use mpi::environment::Universe;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, MatchedReceiveVec, Source};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

/// How often messages are looked for: while somebody waits for one, and while nobody does.
const WAITED_FOR: Duration = Duration::from_micros(50);
const NOT_WAITED_FOR: Duration = Duration::from_millis(1);

/// Whether this process was started by `mpirun`, `srun` or the like as one of a job.
pub fn started_by_mpi() -> bool {
    let names = ["OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE"];
    names.into_iter().any(|name| std::env::var_os(name).is_some())
}

/// A process of an MPI job, as others reach it.
struct Post {
    rank: usize,
    size: usize,
    mailbox: Mailbox,
}

impl Transport for Post {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn post(&self, to: usize, tag: Tag, bytes: &[u8]) -> Result<(), ClusterError> {
        SimpleCommunicator::world().process_at_rank(to as i32).send_with_tag(bytes, tag as i32);
        Ok(())
    }

    fn mailbox(&self) -> &Mailbox {
        &self.mailbox
    }
}

/// This process's part in an MPI job. When it goes, so does MPI.
pub struct Mpi {
    post: Arc<Post>,
    receiver: Option<JoinHandle<()>>,
    _universe: Universe,
}

impl Mpi {
    /// Joins the job that this process was started in.
    pub fn start() -> Result<Self, ClusterError> {
        let started = mpi::initialize_with_threading(Threading::Multiple);
        let (universe, threading) =
            started.ok_or_else(|| ClusterError::Mpi("it has been started already".to_owned()))?;
        if threading != Threading::Multiple {
            return Err(ClusterError::Mpi(format!(
                "this library allows calls from one thread only ({threading:?}); winset needs MPI_THREAD_MULTIPLE"
            )));
        }
        let world = universe.world();
        let (rank, size) = (world.rank() as usize, world.size() as usize);
        let post = Arc::new(Post { rank, size, mailbox: Mailbox::default() });
        let own = post.clone();
        let receiver = std::thread::spawn(move || receive(&own));
        Ok(Mpi { post, receiver: Some(receiver), _universe: universe })
    }

    /// How messages are sent and received.
    pub fn transport(&self) -> Arc<dyn Transport> {
        self.post.clone()
    }
}

impl Drop for Mpi {
    fn drop(&mut self) {
        self.post.mailbox.close();
        if let Some(receiver) = self.receiver.take() {
            // It ends by itself, and has nothing to say.
            let _ = receiver.join();
        }
    }
}

/// Takes messages until there will be no more.
fn receive(post: &Post) {
    let world = SimpleCommunicator::world();
    while !post.mailbox.is_closed() {
        match world.any_process().immediate_matched_probe() {
            Some(found) => {
                let (bytes, status) = found.matched_receive_vec::<u8>();
                let tag = Tag::ALL.into_iter().find(|&tag| tag as i32 == status.tag());
                if let Some(tag) = tag {
                    post.deliver(status.source_rank() as usize, tag, bytes);
                }
            }
            None if post.mailbox.is_waited_for() => std::thread::sleep(WAITED_FOR),
            None => std::thread::sleep(NOT_WAITED_FOR),
        }
    }
}
