//! One game solved by many processes that see the same directory.
//!
//! The layer engine cuts states by their first digits ([`winset_layers::shared`]); this crate brings the pieces to those
//! who need them. Forward, every process expands its own states and sends what it finds to their owners. Backward, pieces
//! are solved one by one by whoever is free, from files of finished pieces in the shared directory, and every finished
//! piece is such a file. So the same job goes on with any number of processes.
//!
//! | file | does |
//! |---|---|
//! | `transport.rs` | messages between processes, and what is done when one has failed |
//! | `threads.rs` | processes that are threads, for tests |
//! | `mpi.rs` | processes of an MPI job |
//! | `group.rs` | gathering and exchanging over messages |
//! | `shelf.rs` | finished pieces in the shared directory |
//! | `farm.rs` | who solves which piece |
//! | `solve.rs` | the job, as each process does it |
//! | `write.rs` | the store, which one process writes |
//! | `verify.rs` | a store, which all of them check |
//! | `figures.rs` | how busy everybody was |
//! | `status.rs` | how far a job is, from its files alone |
//! | `script.rs` | job scripts |
//!
//! Processes that are threads here do the same as those of an MPI job:
//!
//! ```
//! use winset_cluster::{Group, run_in_threads};
//!
//! let heard = run_in_threads(3, |transport| {
//!     let group = Group::new(transport);
//!     group.all(&[group.rank() as u8 * 10])
//! });
//! for everybody in heard {
//!     assert_eq!(everybody?, [[0], [10], [20]]);
//! }
//! # Ok::<(), winset_cluster::ClusterError>(())
//! ```

mod error;
mod farm;
mod figures;
mod group;
#[cfg(feature = "mpi")]
mod mpi;
mod script;
mod shelf;
mod solve;
mod status;
mod threads;
mod transport;
mod verify;
mod write;

pub use error::ClusterError;
pub use figures::{Bound, Figures, RankFigures};
pub use group::Group;
#[cfg(feature = "mpi")]
pub use mpi::{Mpi, started_by_mpi};
pub use script::{Request, Scheduler, TRY_AGAIN, script};
pub use solve::{Done, LEAST, Settings, solve};
pub use status::{Status, status};

pub use threads::{Threads, run_in_threads};
pub use transport::{Mailbox, Tag, Transport};
pub use verify::{Checked, verify};
