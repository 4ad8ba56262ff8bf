//! What has been written and is not durable yet.
//!
//! Every sync waits for the device, and a game of quick layers would wait more than it works. So layers that follow each
//! other quickly become durable together: their contents, then their names, then the manifest that names them. Until then
//! the manifest on disk is the one before, and the new files are leftovers to whoever goes on after a crash.

use crate::chunks::Complete;
use crate::disk::{Disk, Sink};
use crate::error::StoreError;
use crate::manifest::FileRecord;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// So much work may be lost when the machine or the process dies at once.
const PATIENCE: Duration = Duration::from_millis(100);
/// The most files that wait: each is open.
const MOST_FILES: usize = 32;

/// Files that have their names, but may lose both in a power failure; and files that nothing will need then.
pub struct Pending {
    /// How long the manifest may wait.
    pub patience: Duration,
    files: Vec<(PathBuf, Box<dyn Sink>)>,
    obsolete: Vec<String>,
    changed: bool,
    /// Something could not be made durable. Asked again, the system may say that all is well.
    broken: bool,
    since: Instant,
}

impl Default for Pending {
    fn default() -> Self {
        Pending {
            patience: PATIENCE,
            files: vec![],
            obsolete: vec![],
            changed: false,
            broken: false,
            since: Instant::now(),
        }
    }
}

impl std::fmt::Debug for Pending {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pending").field("files", &self.files.len()).finish_non_exhaustive()
    }
}

impl Pending {
    /// Gives a complete file its name; it becomes durable before the manifest does.
    pub fn name(&mut self, complete: Complete<'_>, name: &str) -> Result<FileRecord, StoreError> {
        let (record, path, sink) = complete.rename(name)?;
        self.files.push((path, sink));
        Ok(record)
    }

    /// A file that the manifest will not name any more.
    pub fn drop_later(&mut self, name: String) {
        self.obsolete.push(name);
    }

    /// The manifest has changed: whether it is to be written now.
    pub fn is_due(&mut self) -> bool {
        self.changed = true;
        self.files.len() >= MOST_FILES || self.since.elapsed() >= self.patience
    }

    /// Whether the manifest on disk is an old one, and a newer one could be right.
    pub fn is_waiting(&self) -> bool {
        self.changed && !self.broken
    }

    /// Makes contents and names durable, before the manifest names them.
    pub fn settle(&mut self, disk: &dyn Disk, directory: &Path) -> Result<(), StoreError> {
        if self.broken {
            let error = std::io::Error::other("a file could not be made durable before");
            return Err(StoreError::io("syncing", directory, error));
        }
        if self.files.is_empty() {
            return Ok(());
        }
        self.broken = true;
        for (path, mut sink) in self.files.drain(..) {
            sink.sync().map_err(|e| StoreError::io("syncing", &path, e))?;
        }
        disk.sync_directory(directory).map_err(|e| StoreError::io("syncing", directory, e))?;
        self.broken = false;
        Ok(())
    }

    /// The manifest is durable: what it does not name any more can go.
    pub fn settled(&mut self) -> Vec<String> {
        self.changed = false;
        self.since = Instant::now();
        std::mem::take(&mut self.obsolete)
    }
}
