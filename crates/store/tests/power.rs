//! A power failure keeps what was synced. Of the rest anything may be there: some names and others not, files with any
//! part of their contents. What the manifest says must be there all the same, and going on ends with the same bytes.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use winset_reference::{Cut, Solution, build, contents, open, scratch, solve, write, write_waiting};
use winset_store::{Contents, Disk, RamDisk, Sink, StoreError};

/// A file: what was written, and how much of it is durable.
#[derive(Debug, Default)]
struct Inode {
    bytes: Vec<u8>,
    durable: usize,
}

/// What a name may stand for after the failure: what it did when the directory was synced, and all since then.
type Meanings = Vec<Option<usize>>;

#[derive(Debug, Default)]
struct State {
    inodes: Vec<Inode>,
    names: BTreeMap<PathBuf, Meanings>,
    /// Operations until the power fails.
    left: u64,
}

impl State {
    fn step(&mut self) -> io::Result<()> {
        self.left = self.left.checked_sub(1).ok_or_else(|| io::Error::other("no power"))?;
        Ok(())
    }

    fn name(&mut self, path: &Path, inode: Option<usize>) {
        self.names.entry(path.to_owned()).or_insert_with(|| vec![None]).push(inode);
    }

    fn now(&self, path: &Path) -> Option<usize> {
        self.names.get(path).and_then(|meanings| *meanings.last()?)
    }
}

/// A disk that forgets.
#[derive(Clone, Debug)]
struct Forgetful {
    state: Arc<Mutex<State>>,
    /// What is read meanwhile.
    memory: RamDisk,
}

impl Forgetful {
    fn new(left: u64) -> Self {
        Forgetful {
            state: Arc::new(Mutex::new(State { left, ..State::default() })),
            memory: RamDisk::default(),
        }
    }

    /// One of the directories that the failure may leave.
    fn after(&self, directory: &Path, random: &mut impl FnMut(usize) -> usize) {
        let state = self.state.lock().unwrap();
        for (path, meanings) in &state.names {
            let Some(inode) = meanings[random(meanings.len())] else { continue };
            let Inode { bytes, durable } = &state.inodes[inode];
            let kept = durable + random(bytes.len() - durable + 1);
            std::fs::write(directory.join(path.file_name().unwrap()), &bytes[..kept]).unwrap();
        }
    }
}

impl Disk for Forgetful {
    fn create(&self, path: &Path) -> io::Result<Box<dyn Sink>> {
        let mut state = self.state.lock().unwrap();
        state.step()?;
        state.inodes.push(Inode::default());
        let inode = state.inodes.len() - 1;
        state.name(path, Some(inode));
        let copy = self.memory.create(path)?;
        Ok(Box::new(ForgetfulSink { state: self.state.clone(), inode, copy }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.state.lock().unwrap();
        state.step()?;
        let inode = state.now(from);
        state.name(from, None);
        state.name(to, inode);
        self.memory.rename(from, to)
    }

    fn sync_directory(&self, _: &Path) -> io::Result<()> {
        let mut state = self.state.lock().unwrap();
        state.step()?;
        for meanings in state.names.values_mut() {
            meanings.drain(..meanings.len() - 1);
        }
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut state = self.state.lock().unwrap();
        state.step()?;
        state.name(path, None);
        self.memory.remove(path)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn Contents>> {
        self.memory.open(path)
    }

    fn make_directory(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    fn names(&self, directory: &Path) -> io::Result<Vec<String>> {
        self.memory.names(directory)
    }

    fn lock_file(&self, _: &Path) -> io::Result<Option<File>> {
        Ok(None)
    }
}

struct ForgetfulSink {
    state: Arc<Mutex<State>>,
    inode: usize,
    copy: Box<dyn Sink>,
}

impl Sink for ForgetfulSink {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut state = self.state.lock().unwrap();
        state.step()?;
        state.inodes[self.inode].bytes.extend_from_slice(bytes);
        self.copy.append(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        let mut state = self.state.lock().unwrap();
        state.step()?;
        let inode = &mut state.inodes[self.inode];
        inode.durable = inode.bytes.len();
        Ok(())
    }
}

fn check(directory: &Path, solution: &Solution) {
    match open(directory) {
        Err(StoreError::NoStore(_)) => {}
        Err(other) => panic!("{other}"),
        Ok(store) => store.check_files().expect("every file that the manifest names is whole"),
    }
    write(directory, solution);
}

#[test]
fn the_power_fails_at_every_operation() {
    let solution = solve(&build("tictactoe", "3x3"), Cut::Stones, true);
    let whole = scratch();
    write(whole.path(), &solution);
    let expected = contents(whole.path());
    let mut seed = 0x2545_f491_4f6c_dd1du64;
    let mut random = move |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % below as u64) as usize
    };
    // Each at once, all as late as possible, and whenever that happens to be.
    for patience in [Duration::ZERO, Duration::MAX, Duration::from_micros(300)] {
        let mut operations = 0;
        loop {
            let disk = Forgetful::new(operations);
            let path = Path::new("store");
            if write_waiting(Arc::new(disk.clone()), path, &solution, u32::MAX, Some(patience)).is_ok() {
                break;
            }
            let directory = scratch();
            disk.after(directory.path(), &mut random);
            check(directory.path(), &solution);
            assert_eq!(contents(directory.path()), expected, "after {operations} operations");
            operations += 1;
        }
        assert!(operations > 80, "only {operations} operations");
    }
}
