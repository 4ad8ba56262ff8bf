//! Writes a store of tic-tac-toe, waiting before every operation on the disk, to be killed at any instant.
//! Arguments: the directory and the number of microseconds to wait.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use winset_reference::{Cut, build, solve, write_on};
use winset_store::{Disk, OsDisk, Sink};

#[derive(Debug)]
struct Slow(Duration);

struct SlowSink(Box<dyn Sink>, Duration);

impl Disk for Slow {
    fn create(&self, path: &Path) -> io::Result<Box<dyn Sink>> {
        std::thread::sleep(self.0);
        Ok(Box::new(SlowSink(OsDisk.create(path)?, self.0)))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        std::thread::sleep(self.0);
        OsDisk.rename(from, to)
    }

    fn sync_directory(&self, path: &Path) -> io::Result<()> {
        std::thread::sleep(self.0);
        OsDisk.sync_directory(path)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        std::thread::sleep(self.0);
        OsDisk.remove(path)
    }
}

impl Sink for SlowSink {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        // In two halves, so that a file can be found half written.
        let (first, second) = bytes.split_at(bytes.len() / 2);
        self.0.append(first)?;
        std::thread::sleep(self.1);
        self.0.append(second)
    }

    fn sync(&mut self) -> io::Result<()> {
        std::thread::sleep(self.1);
        self.0.sync()
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [directory, wait] = arguments.as_slice() else {
        return Err("usage: write_slowly DIRECTORY MICROSECONDS".into());
    };
    let solution = solve(&build("tictactoe", "3x3"), Cut::Stones, true);
    let disk = Arc::new(Slow(Duration::from_micros(wait.parse()?)));
    Ok(write_on(disk, Path::new(directory), &solution)?)
}
