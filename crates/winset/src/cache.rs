//! Solutions that are kept for whoever asks again: a directory with a store for each game, named after its rules.
//!
//! Several processes may use it at once. Who writes a solution holds its lock, as everywhere; who reads one that is
//! finished shares the lock, and only what nobody holds is removed. What is removed gets another name first, so that
//! nobody finds half of it.

use crate::catalogue::Rules;
use crate::engine::{EngineError, Watcher};
use crate::error::Error;
use crate::solve::{Options, solve_watched};
use crate::solved::{Solved, open_as};
use std::fs::{File, TryLockError};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use winset_store::{LOCK, MANIFEST, Manifest, OsDisk, StoreError};

/// What solutions may take together if nobody says otherwise.
const LIMIT: u64 = 4 << 30;
/// How what is about to be removed is called.
const GONE: &str = ".gone-";

/// Where solutions are kept.
#[derive(Clone, Debug)]
pub struct Cache {
    root: PathBuf,
    /// The bytes that all of them may take together; those used longest ago go first.
    pub limit: u64,
}

/// A solution from the cache, or one that was put there. It is not removed while this is there.
#[derive(Clone, Debug)]
pub struct Cached {
    /// The solution.
    pub solved: Solved,
    /// Where it came from.
    pub origin: CacheOrigin,
    /// Where it is kept; none if it is in memory only.
    pub directory: Option<PathBuf>,
    /// Its lock is shared while this lives.
    _held: Option<std::sync::Arc<File>>,
}

/// Where a solution came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CacheOrigin {
    /// It was there.
    Found,
    /// It was solved, or finished, and is kept.
    Solved,
    /// It was solved and is in memory only, for this reason.
    InMemory(String),
}

/// What is kept of one game.
#[derive(Clone, Debug)]
pub struct CacheEntry {
    /// Where.
    pub directory: PathBuf,
    /// What the game is called; none if the manifest cannot be read.
    pub title: Option<String>,
    /// All of it is solved.
    pub finished: bool,
    /// What it takes.
    pub bytes: u64,
    /// When somebody used it last.
    pub used: SystemTime,
}

impl Cache {
    /// A cache in this directory, which is made when something is put into it.
    pub fn at(root: PathBuf) -> Self {
        Cache { root, limit: LIMIT }
    }

    /// Where the system keeps what can be made again; none if it does not say where that is.
    pub fn of_user() -> Option<Self> {
        let set = |name: &str| std::env::var_os(name).filter(|path| !path.is_empty()).map(PathBuf::from);
        let cache = match std::env::consts::OS {
            "windows" => set("LOCALAPPDATA"),
            "macos" => set("HOME").map(|home| home.join("Library/Caches")),
            _ => set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache"))),
        };
        // Elsewhere than from the root it would be another one in every directory.
        Some(Cache::at(cache.filter(|path| path.is_absolute())?.join("winset")))
    }

    /// The directory of all solutions.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The name of a directory for a solution of these rules: the same rules have the same.
    pub fn folder(rules: &Rules) -> String {
        let digest = winset_store::rules_digest(&rules.game);
        let safe = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        let name: String = rules.game.title().chars().map(safe).take(60).collect();
        format!("{name}-{}", &digest[..16.min(digest.len())])
    }

    /// The solution of a game: the one that is kept, or one that is made and kept. A solution that was begun is
    /// finished. Where nothing can be kept, or another process is solving the same game, it is made in memory.
    pub fn solve(&self, rules: Rules, options: &Options, watcher: &mut dyn Watcher) -> Result<Cached, Error> {
        let directory = self.root.join(Self::folder(&rules));
        if let Some(found) = self.find(&rules) {
            return Ok(found);
        }
        if let Err(error) = std::fs::create_dir_all(&self.root) {
            let why = format!("{}: {error}", self.root.display());
            return in_memory(rules, options, watcher, why);
        }
        // What cannot be read is of no use to anybody; what was begun is finished as it was begun.
        let begun = match Manifest::read(&OsDisk, &directory) {
            Ok(manifest) => Some(manifest.header.remoteness),
            Err(StoreError::NoStore(_)) => None,
            Err(_) => {
                let _ = self.remove(&directory);
                None
            }
        };
        let kept = Options {
            out: Some(directory.clone()),
            distance: begun.unwrap_or(options.distance),
            engine: None,
            ..*options
        };
        match solve_watched(rules.clone(), &kept, watcher) {
            Ok(solved) => {
                let held = share(&directory);
                let cached = Cached {
                    solved,
                    origin: CacheOrigin::Solved,
                    directory: Some(directory),
                    _held: held.map(Into::into),
                };
                self.tidy();
                Ok(cached)
            }
            Err(Error::Engine(EngineError::Stopped)) => Err(Error::Engine(EngineError::Stopped)),
            Err(error) => match not_kept(&error) {
                Some(why) => in_memory(rules, options, watcher, why),
                None => Err(error),
            },
        }
    }

    /// The solution that is kept of these rules, if there is one and it is finished.
    pub fn find(&self, rules: &Rules) -> Option<Cached> {
        let directory = self.root.join(Self::folder(rules));
        // Removed in between, it is looked for once more.
        for _ in 0..3 {
            if !directory.join(MANIFEST).is_file() {
                return None;
            }
            let held = share(&directory);
            let solved =
                open_as(&directory, rules.clone()).ok().filter(|solved| solved.store().is_complete());
            let Some(solved) = solved else { continue };
            touch(&directory);
            return Some(Cached {
                solved,
                origin: CacheOrigin::Found,
                directory: Some(directory),
                _held: held.map(Into::into),
            });
        }
        None
    }

    /// Everything that is kept, what was used last first.
    pub fn list(&self) -> io::Result<Vec<CacheEntry>> {
        let entries = match std::fs::read_dir(&self.root) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(vec![]),
            entries => entries?,
        };
        let mut all = vec![];
        for entry in entries.flatten() {
            let directory = entry.path();
            // Links lead elsewhere, and only what has a manifest is ours.
            let ours =
                entry.file_type().is_ok_and(|kind| kind.is_dir()) && directory.join(MANIFEST).is_file();
            if !ours || entry.file_name().to_string_lossy().starts_with(GONE) {
                continue;
            }
            let manifest = Manifest::read(&OsDisk, &directory).ok();
            let title = manifest.as_ref().map(|manifest| {
                let record = &manifest.header.game;
                let options = record.options.iter().map(|(name, value)| format!(", {name} {value}"));
                format!("{} {}", record.name, record.size).trim_end().to_owned()
                    + &options.collect::<String>()
            });
            let used = [LOCK, MANIFEST]
                .map(|name| std::fs::metadata(directory.join(name)).and_then(|found| found.modified()).ok());
            all.push(CacheEntry {
                title,
                finished: manifest.is_some_and(|manifest| manifest.value.is_some()),
                bytes: size(&directory),
                used: used.into_iter().flatten().max().unwrap_or(SystemTime::UNIX_EPOCH),
                directory,
            });
        }
        all.sort_by(|a, b| b.used.cmp(&a.used).then_with(|| a.directory.cmp(&b.directory)));
        Ok(all)
    }

    /// Removes everything that nobody is using; gives what was removed and what was left.
    pub fn clear(&self) -> io::Result<(Vec<CacheEntry>, Vec<CacheEntry>)> {
        let all = self.list()?;
        let parts = all.into_iter().partition(|entry| self.remove(&entry.directory).is_ok_and(|gone| gone));
        self.sweep();
        Ok(parts)
    }

    /// Removes what was used longest ago until the rest is within the limit. What somebody uses stays.
    pub fn tidy(&self) -> u64 {
        let Ok(mut all) = self.list() else { return 0 };
        let mut total: u64 = all.iter().map(|entry| entry.bytes).sum();
        let mut freed = 0;
        while total > self.limit {
            let Some(oldest) = all.pop() else { break };
            if self.remove(&oldest.directory).is_ok_and(|gone| gone) {
                (total, freed) = (total - oldest.bytes, freed + oldest.bytes);
            }
        }
        self.sweep();
        freed
    }

    /// Removes a solution unless somebody holds it; says whether it was removed.
    fn remove(&self, directory: &Path) -> io::Result<bool> {
        // Without a lock nobody ever worked there.
        let lock = match File::open(directory.join(LOCK)) {
            Ok(lock) => Some(lock),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        match lock.as_ref().map(File::try_lock) {
            Some(Err(TryLockError::WouldBlock)) => return Ok(false),
            Some(Err(TryLockError::Error(error))) => return Err(error),
            Some(Ok(())) | None => {}
        }
        let gone = self.root.join(format!("{GONE}{:016x}", RandomState::new().hash_one(std::process::id())));
        std::fs::rename(directory, &gone)?;
        std::fs::remove_dir_all(&gone)?;
        Ok(true)
    }

    /// Removes what a process that was killed has left.
    fn sweep(&self) {
        for entry in std::fs::read_dir(&self.root).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(GONE) {
                let _ = std::fs::remove_dir_all(entry.path());
            }
        }
    }
}

/// Solves a game without keeping it.
fn in_memory(
    rules: Rules,
    options: &Options,
    watcher: &mut dyn Watcher,
    why: String,
) -> Result<Cached, Error> {
    let options = Options { out: None, engine: None, ..*options };
    let solved = solve_watched(rules, &options, watcher)?;
    Ok(Cached { solved, origin: CacheOrigin::InMemory(why), directory: None, _held: None })
}

/// A game solved in memory, where there is no cache.
pub fn solve_uncached(rules: Rules, options: &Options, watcher: &mut dyn Watcher) -> Result<Cached, Error> {
    in_memory(rules, options, watcher, "there is no directory for what can be made again".to_owned())
}

/// That it is not kept is why it failed: the directory is another process's, or cannot be written.
fn not_kept(error: &Error) -> Option<String> {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(at) = cause {
        let at_once = at.downcast_ref::<StoreError>().or_else(|| match at.downcast_ref::<EngineError>() {
            Some(EngineError::Cannot(cause)) => cause.downcast_ref::<StoreError>(),
            _ => None,
        });
        match at_once {
            Some(StoreError::Locked(_)) => return Some("another process is solving this game".to_owned()),
            Some(found @ (StoreError::Io { .. } | StoreError::Mismatch { .. })) => {
                return Some(found.to_string());
            }
            _ => cause = at.source(),
        }
    }
    None
}

/// Shares the lock of a solution; none if it has none or somebody is writing.
fn share(directory: &Path) -> Option<File> {
    let path = directory.join(LOCK);
    for _ in 0..5 {
        let file = File::open(&path).ok()?;
        match file.try_lock_shared() {
            // A directory that was removed in between takes its lock with it.
            Ok(()) if is_at(&file, &path) => return Some(file),
            Ok(()) => {}
            Err(_) => std::thread::sleep(Duration::from_millis(20)),
        }
    }
    None
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let same = |found: std::fs::Metadata| (found.dev(), found.ino());
    file.metadata().ok().map(same) == std::fs::metadata(path).ok().map(same)
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.is_file()
}

/// Notes that a solution was used. Who may not write there may still read.
fn touch(directory: &Path) {
    if let Ok(file) = File::options().write(true).open(directory.join(LOCK)) {
        let _ = file.set_modified(SystemTime::now());
    }
}

fn size(directory: &Path) -> u64 {
    let files = std::fs::read_dir(directory).into_iter().flatten().flatten();
    files
        .filter_map(|file| file.metadata().ok())
        .filter(|found| found.is_file())
        .map(|found| found.len())
        .sum()
}
