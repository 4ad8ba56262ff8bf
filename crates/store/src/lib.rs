//! A solution on disk: every position's value, found again by two or three reads.
//!
//! A [`StoreWriter`] takes layers from a solver as they are finished and goes on where a former one was stopped; a
//! [`Store`] answers. Files are read with suspicion: whatever they contain, there is an answer that their checksums
//! stand for, or an error. FORMAT.md describes every byte.
//!
//! ```
//! # let directory = winset_reference::scratch();
//! # let game = winset_reference::build("tictactoe", "3x3");
//! # winset_reference::write(directory.path(), &winset_reference::solve(&game, winset_reference::Cut::Stones, true));
//! # let directory = directory.path();
//! use winset_store::Store;
//! let rules = |_: &_| winset_games::build("tictactoe", None, &Default::default());
//! let store = Store::open(directory, rules).unwrap();
//! store.check_files().unwrap();
//! let (digits, value) = store.at(0, 0).unwrap();
//! assert_eq!(store.blocks().unwrap().state(&digits), *store.game().initial());
//! assert_eq!(value.rewards, [50, 50]);
//! assert_eq!(store.rank(0, &digits).unwrap(), Some(0));
//! ```

mod bytes;
mod cache;
mod chunks;
mod consistent;
mod diagram;
mod digits_file;
mod disk;
mod error;
mod files;
mod form;
mod leaf_file;
mod leaf_walk;
mod leaves;
mod manifest;
mod open_files;
mod pending;
mod resume;
mod rules;
mod set_file;
mod store;
mod tally;
mod value_file;
mod walk;
mod whole;
mod writer;

pub use chunks::FORMAT;
pub use disk::{Contents, Disk, OsDisk, RamDisk, Sink};
pub use error::StoreError;
pub use leaf_walk::StoredLeaves;
pub use manifest::{
    DigitsRecord, Encoding, FileRecord, GameRecord, Header, LayerRecord, Layering, MANIFEST, Manifest,
    Source, ValuesRecord, VariableRecord, Verdict, WIN_DRAW_LOSS,
};
pub use rules::rules_digest;
pub use store::{Store, Stored};
pub use walk::Positions;
pub use whole::WholeValues;
pub use writer::{LOCK, LayerCounts, LayerValues, Progress, StoreWriter, record_verdict};
