//! A store in memory is the store on disk.

use std::path::Path;
use std::sync::Arc;
use winset_reference::{Cut, build, contents, open, scratch, solve, write, write_on};
use winset_store::{Disk, LOCK, RamDisk, Store};

#[test]
fn memory_holds_the_same_bytes_and_gives_the_same_answers() {
    let game = build("tictactoe", "3x3");
    let solution = solve(&game, Cut::Stones, true);
    let directory = scratch();
    write(directory.path(), &solution);
    let (disk, here) = (RamDisk::default(), Path::new("memory"));
    write_on(Arc::new(disk.clone()), here, &solution).unwrap();

    let files: Vec<(String, Vec<u8>)> =
        contents(directory.path()).into_iter().filter(|(name, _)| name != LOCK).collect();
    assert_eq!(disk.names(here).unwrap(), files.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>());
    for (name, bytes) in &files {
        let file = disk.open(&here.join(name)).unwrap();
        let mut read = vec![0; file.length().unwrap() as usize];
        file.read_at(&mut read, 0).unwrap();
        assert_eq!(&read, bytes, "{name}");
        assert!(file.read_at(&mut [0; 2], bytes.len() as u64 - 1).is_err(), "nothing stands behind the end");
    }
    assert_eq!(disk.bytes(), files.iter().map(|(_, bytes)| bytes.len() as u64).sum::<u64>());

    let (on_disk, in_memory) = (
        open(directory.path()).unwrap(),
        Store::open_on(Arc::new(disk), here, 1 << 20, |_| Ok::<_, std::fmt::Error>(game.clone())).unwrap(),
    );
    for state in solution.layers.iter().flat_map(|layer| &layer.states) {
        assert_eq!(on_disk.stored(state).unwrap(), in_memory.stored(state).unwrap());
    }
    in_memory.check_files().unwrap();
}
