//! A solution on disk.

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
mod manifest;
mod rules;
mod session;
mod set_file;
mod store;
mod tally;
mod value_file;
mod writer;

pub use chunks::FORMAT;
pub use disk::{Contents, Disk, OsDisk, RamDisk, Sink};
pub use error::StoreError;
pub use manifest::{
    DigitsRecord, Encoding, FileRecord, GameRecord, Header, LayerRecord, Layering, MANIFEST, Manifest,
    Source, ValuesRecord, VariableRecord, Verdict, WIN_DRAW_LOSS,
};
pub use rules::rules_digest;
pub use session::{Lookup, MoveValue, Position, Session};
pub use store::{Store, Stored};
pub use writer::{LOCK, LayerCounts, LayerValues, Progress, StoreWriter, record_verdict};
