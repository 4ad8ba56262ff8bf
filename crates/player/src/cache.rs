//! Solutions that were found once, by the digest of their rules.

use crate::message::canonical;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A directory of solutions that is kept small: those used least recently go first.
#[derive(Clone, Debug)]
pub struct Cache {
    /// The directory; it is made when it is needed.
    pub directory: PathBuf,
    /// The most bytes that it may have.
    pub most: u64,
}

/// The name of the file that is touched when a solution is used, and locked while it is.
const USED: &str = "used";

/// The place of one solution. No other process writes there as long as this one has it.
pub(crate) struct Shelf {
    path: PathBuf,
    most: u64,
    _lock: File,
}

impl Cache {
    /// The place for the solution of these rules; none if there cannot be one, or if somebody else is at it.
    pub(crate) fn shelf(&self, rules: &str) -> Option<Shelf> {
        let digest = blake3::hash(canonical(rules).as_bytes()).to_hex();
        let place = self.directory.join(&digest[..32]);
        let path = place.join("solution");
        fs::create_dir_all(&path).ok()?;
        let lock = File::create(place.join(USED)).ok()?;
        lock.try_lock().ok()?;
        // Windows forbids others to read what is locked, and nobody wants to.
        let _ = lock.set_modified(SystemTime::now());
        self.tidy(&place);
        Some(Shelf { path, most: self.most, _lock: lock })
    }

    /// Takes away what was used least recently until the rest, this one aside, fits.
    fn tidy(&self, keep: &Path) {
        let mut found: Vec<(SystemTime, PathBuf, u64)> = vec![];
        for entry in fs::read_dir(&self.directory).into_iter().flatten().flatten() {
            let path = entry.path();
            // Only what this cache has made.
            let Ok(used) = fs::metadata(path.join(USED)).and_then(|used| used.modified()) else { continue };
            if path != keep {
                let size = size(&path);
                found.push((used, path, size));
            }
        }
        found.sort();
        let mut all: u64 = found.iter().map(|(_, _, size)| size).sum::<u64>() + size(keep);
        for (_, path, size) in found {
            if all <= self.most {
                break;
            }
            let free = File::open(path.join(USED)).is_ok_and(|lock| lock.try_lock().is_ok());
            if free && fs::remove_dir_all(&path).is_ok() {
                all -= size;
            }
        }
    }
}

impl Shelf {
    /// The directory of the solution.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// It has more bytes than the whole cache may have.
    pub fn is_full(&self) -> bool {
        size(&self.path) > self.most
    }

    /// Forgets the solution.
    pub fn clear(&self) {
        // What cannot be removed is found damaged again.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// The bytes of all files in a directory and below.
fn size(directory: &Path) -> u64 {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let each = entries.map(|entry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => size(&entry.path()),
        Ok(kind) if kind.is_file() => entry.metadata().map_or(0, |data| data.len()),
        _ => 0,
    });
    each.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn what_was_used_least_recently_goes_first_and_what_is_in_use_stays() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache { directory: directory.path().join("new"), most: 1000 };
        let fill = |rules: &str| {
            let shelf = cache.shelf(rules).unwrap();
            fs::write(shelf.path().join("data"), vec![0; 400]).unwrap();
            shelf
        };
        let age = |shelf: &Shelf, seconds: u64| {
            shelf._lock.set_modified(SystemTime::now() - Duration::from_secs(seconds)).unwrap();
        };
        let (first, second) = (fill("(role a)"), fill("(role b)"));
        age(&first, 50);
        age(&second, 90);
        let (one, two) = (first.path().to_owned(), second.path().to_owned());
        assert!(cache.shelf("( ROLE a )").is_none(), "the same rules, however they are written, are in use");
        drop(first);
        let third = fill("(role c)");
        let fourth = cache.shelf("(role d)").unwrap();
        assert!(!one.exists(), "the oldest that is free goes");
        assert!(two.exists() && third.path().exists() && fourth.path().exists());
        assert!(!third.is_full());
        drop(second);
        assert!(cache.shelf("(role b)").unwrap().path().join("data").exists());
    }
}
