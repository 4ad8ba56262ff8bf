//! Whatever happens while a store is written, what was finished stays right, and going on ends with the same
//! bytes.

use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use winset_reference::{
    Cut, Solution, build, contents, open, scratch, solve, write, write_on, write_waiting,
};
use winset_store::{Disk, OsDisk, Sink, StoreError, StoreWriter};

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Failure {
    /// One operation fails, and every later one: the machine is gone.
    Crash,
    /// Writes fail half-way, and every later one: the disk is full.
    Full,
}

/// Fails from a certain operation on.
#[derive(Debug)]
struct Failing {
    left: Arc<AtomicU64>,
    failure: Failure,
}

impl Failing {
    fn step(left: &AtomicU64, failure: Failure) -> io::Result<()> {
        let counted = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1));
        match (counted, failure) {
            (Ok(_), _) => Ok(()),
            (Err(_), Failure::Crash) => Err(io::Error::other("gone")),
            (Err(_), Failure::Full) => Err(io::ErrorKind::StorageFull.into()),
        }
    }
}

impl Disk for Failing {
    fn create(&self, path: &Path) -> io::Result<Box<dyn Sink>> {
        Self::step(&self.left, self.failure)?;
        let sink = OsDisk.create(path)?;
        Ok(Box::new(FailingSink { sink, left: self.left.clone(), failure: self.failure }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        Self::step(&self.left, self.failure)?;
        OsDisk.rename(from, to)
    }

    fn sync_directory(&self, path: &Path) -> io::Result<()> {
        Self::step(&self.left, self.failure)?;
        OsDisk.sync_directory(path)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        Self::step(&self.left, self.failure)?;
        OsDisk.remove(path)
    }
}

struct FailingSink {
    sink: Box<dyn Sink>,
    left: Arc<AtomicU64>,
    failure: Failure,
}

impl Sink for FailingSink {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Err(error) = Failing::step(&self.left, self.failure) {
            self.sink.append(&bytes[..bytes.len() / 2])?;
            return Err(error);
        }
        self.sink.append(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        Failing::step(&self.left, self.failure)?;
        self.sink.sync()
    }
}

fn small() -> Solution {
    solve(&build("tictactoe", "3x3"), Cut::Stones, true)
}

/// The same with values as leaves, of two mirror images one.
fn small_leaves() -> Solution {
    let game = build("tictactoe", "3x3");
    let mut solution = solve(&game, Cut::Stones, false);
    solution.frame = Some(winset_reference::leaves::stones(&game, &solution, 2, true));
    solution
}

fn finished(solution: &Solution) -> Vec<(String, Vec<u8>)> {
    let directory = scratch();
    write(directory.path(), solution);
    contents(directory.path())
}

/// Everything that a store answers is right.
fn check_answers(directory: &Path, solution: &Solution) {
    let store = match open(directory) {
        Err(StoreError::NoStore(_)) => return,
        other => other.expect("what was committed is readable"),
    };
    store.check_files().expect("every file that the manifest names is whole");
    for layer in &solution.layers {
        for state in layer.states.iter().step_by(53) {
            if let Some(found) = store.stored(state).unwrap().valuation() {
                assert_eq!(found.rewards, solution.values[state].rewards);
            }
        }
    }
}

#[test]
fn every_operation_may_fail() {
    fail_everywhere(&small());
}

#[test]
fn every_operation_with_leaves_may_fail() {
    fail_everywhere(&small_leaves());
}

fn fail_everywhere(solution: &Solution) {
    let expected = finished(solution);
    // As soon as it is put, and as late as possible.
    for (failure, patience) in [
        (Failure::Crash, Duration::ZERO),
        (Failure::Full, Duration::ZERO),
        (Failure::Crash, Duration::MAX),
        (Failure::Full, Duration::MAX),
    ] {
        let mut operations = 0;
        loop {
            let directory = scratch();
            let left = Arc::new(AtomicU64::new(operations));
            let disk = Arc::new(Failing { left, failure });
            match write_waiting(disk, directory.path(), solution, u32::MAX, Some(patience)) {
                Ok(()) => break,
                Err(StoreError::Io { .. }) => assert_eq!(failure, Failure::Crash),
                Err(StoreError::DiskFull(_)) => assert_eq!(failure, Failure::Full),
                Err(other) => panic!("{other}"),
            }
            check_answers(directory.path(), solution);
            write(directory.path(), solution);
            assert_eq!(contents(directory.path()), expected, "after {operations} operations");
            operations += 1;
        }
        assert!(operations > 100, "only {operations} operations");
        eprintln!("{failure:?} at each of {operations} operations");
    }
}

#[test]
fn a_killed_process_is_continued() {
    let solution = small();
    let expected = finished(&solution);
    let program = std::env::current_exe().unwrap();
    let program = program.parent().unwrap().parent().unwrap().join("examples/write_slowly");
    let kills = std::env::var("WINSET_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(30u32);
    let (mut killed, mut identical, mut random) = (0, 0, 0x2545_f491_4f6c_dd1du64);
    while killed < kills {
        let directory = scratch();
        loop {
            let mut child = Command::new(&program).arg(directory.path()).arg("400").spawn().unwrap();
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            std::thread::sleep(Duration::from_micros(20_000 + random % 150_000));
            if let Some(status) = child.try_wait().unwrap() {
                assert!(status.success());
                break;
            }
            child.kill().unwrap();
            child.wait().unwrap();
            killed += 1;
            check_answers(directory.path(), &solution);
        }
        assert_eq!(contents(directory.path()), expected);
        identical += 1;
    }
    eprintln!("{killed} kills, {identical} identical results");
}

/// A file system of a few pages, gone when dropped.
struct Mounted<'a>(&'a Path);

impl<'a> Mounted<'a> {
    fn new(path: &'a Path) -> Self {
        let mount = Command::new("mount").args(["-t", "tmpfs", "-o", "size=32k", "tmpfs"]).arg(path).output();
        assert!(mount.as_ref().is_ok_and(|output| output.status.success()), "{mount:?}");
        Mounted(path)
    }

    fn grow(&self) {
        let grown = Command::new("mount").args(["-o", "remount,size=8m"]).arg(self.0).output();
        assert!(grown.is_ok_and(|output| output.status.success()));
    }
}

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg(self.0).output();
        if !unmounted.is_ok_and(|output| output.status.success()) {
            eprintln!("{} could not be unmounted", self.0.display());
        }
    }
}

#[test]
#[ignore = "needs the right to mount a file system: run with --ignored as root; errors are injected elsewhere"]
fn a_small_file_system_fills_up() {
    let directory = scratch();
    let mounted = Mounted::new(directory.path());
    let solution = small();
    let store = directory.path().join("store");
    let full = write_on(Arc::new(OsDisk), &store, &solution);
    assert!(matches!(full, Err(StoreError::DiskFull(_))), "{full:?}");
    mounted.grow();
    check_answers(&store, &solution);
    write(&store, &solution);
    assert_eq!(contents(&store), finished(&solution));
}

#[test]
fn a_directory_belongs_to_one_process() {
    let solution = small();
    let directory = scratch();
    let first = StoreWriter::create_or_resume(directory.path(), solution.header.clone()).unwrap();
    let second = StoreWriter::create_or_resume(directory.path(), solution.header.clone());
    assert!(matches!(second, Err(StoreError::Locked(_))));
    drop(first);
    StoreWriter::create_or_resume(directory.path(), solution.header.clone()).unwrap();
}

#[test]
fn other_peoples_files_are_left_alone() {
    let solution = small();
    let directory = scratch();
    std::fs::write(directory.path().join("thesis.tex"), "precious").unwrap();
    let refused = StoreWriter::create_or_resume(directory.path(), solution.header.clone());
    assert!(matches!(refused, Err(StoreError::NotEmpty(_))));
}

#[test]
fn threads_do_not_change_a_byte() {
    let solution = solve(&build("connect4", "4x4"), Cut::Stones, false);
    let with_threads = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| finished(&solution))
    };
    assert_eq!(with_threads(1), with_threads(2));
}
