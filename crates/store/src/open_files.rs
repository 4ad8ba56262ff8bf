//! Files that are kept open, with what their heads say.

use crate::chunks::Kind;
use crate::files::Opened;
use lru::LruCache;
use rustc_hash::FxBuildHasher;
use std::sync::Arc;

/// Files that are kept open at most.
const MOST: usize = 128;
/// The last ones stay whatever they take: a position and those after it are in two layers, with a set and values each.
const FEWEST: usize = 4;

/// The files asked for last, as many as there is room for.
#[derive(Debug)]
pub struct OpenFiles {
    files: LruCache<(Kind, u32), Arc<Opened>, FxBuildHasher>,
    bytes: usize,
    room: usize,
}

impl OpenFiles {
    /// None is open; their heads may take n bytes.
    pub fn new(room: usize) -> Self {
        OpenFiles { files: LruCache::unbounded_with_hasher(FxBuildHasher), bytes: 0, room }
    }

    /// A file that is open.
    pub fn find(&mut self, which: &(Kind, u32)) -> Option<Arc<Opened>> {
        self.files.get(which).cloned()
    }

    /// Keeps a file open, and closes others.
    pub fn keep(&mut self, which: (Kind, u32), opened: Arc<Opened>) {
        self.bytes += opened.bytes();
        if let Some(before) = self.files.put(which, opened) {
            self.bytes -= before.bytes();
        }
        while self.files.len() > MOST || self.files.len() > FEWEST && self.bytes > self.room {
            let Some((_, oldest)) = self.files.pop_lru() else { return };
            self.bytes -= oldest.bytes();
        }
    }
}
