//! Nothing is written or read through a link, and nothing but regular files is opened.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use winset_reference::{Cut, Solution, build, open, scratch, solve, write};
use winset_store::{LOCK, MANIFEST, StoreError, StoreWriter, Verdict, record_verdict};

const SECRET: &[u8] = b"not to be touched";

fn small() -> Solution {
    solve(&build("tictactoe", "3x2x2"), Cut::Stones, true)
}

fn verdict() -> Verdict {
    let tool = "test".to_owned();
    Verdict { tool, checked: 1, of: 1, seed: None, faults: 0, complete: true, proved: true }
}

/// A file elsewhere that must stay as it is, and the directory to be written.
fn with_secret(test: impl FnOnce(&Path, &Path)) {
    let (elsewhere, directory) = (scratch(), scratch());
    let secret = elsewhere.path().join("secret");
    std::fs::write(&secret, SECRET).unwrap();
    test(&secret, directory.path());
    assert_eq!(std::fs::read(&secret).unwrap(), SECRET);
    assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 1, "nothing was made elsewhere");
}

#[test]
fn planted_links_with_temporary_names_are_replaced() {
    let solution = small();
    let expected = scratch();
    write(expected.path(), &solution);
    let names: Vec<String> = winset_reference::contents(expected.path()).into_iter().map(|f| f.0).collect();
    with_secret(|secret, directory| {
        for name in names.iter().filter(|name| *name != LOCK) {
            symlink(secret, directory.join(format!("{name}.tmp"))).unwrap();
            symlink(secret, directory.join(format!("{name}.diagram.tmp"))).unwrap();
        }
        write(directory, &solution);
        assert_eq!(winset_reference::contents(directory), winset_reference::contents(expected.path()));
        // The same where a verdict is recorded.
        symlink(secret, directory.join(format!("{MANIFEST}.tmp"))).unwrap();
        let digest = open(directory).unwrap().manifest().digest.clone();
        record_verdict(directory, &digest, verdict()).unwrap();
        assert!(open(directory).unwrap().manifest().verified.is_some());
    });
}

#[test]
fn a_planted_lock_is_not_followed() {
    for dangling in [false, true] {
        with_secret(|secret, directory| {
            let target = if dangling { secret.with_file_name("made") } else { secret.to_owned() };
            symlink(target, directory.join(LOCK)).unwrap();
            let header = small().header;
            let refused = StoreWriter::create_or_resume(directory, header);
            assert!(matches!(refused, Err(StoreError::Io { .. })), "{:?}", refused.err());
        });
        with_secret(|secret, directory| {
            write(directory, &small());
            std::fs::remove_file(directory.join(LOCK)).unwrap();
            let target = if dangling { secret.with_file_name("made") } else { secret.to_owned() };
            symlink(target, directory.join(LOCK)).unwrap();
            let digest = open(directory).unwrap().manifest().digest.clone();
            assert!(record_verdict(directory, &digest, verdict()).is_err());
        });
    }
}

#[test]
fn links_pipes_and_devices_are_not_read() {
    let directory = scratch();
    write(directory.path(), &small());
    for (name, bytes) in winset_reference::contents(directory.path()) {
        if name == LOCK {
            continue;
        }
        let path = directory.path().join(&name);
        let everything = || open(directory.path()).and_then(|store| store.check_files());
        let kept = directory.path().with_extension("kept");
        std::fs::rename(&path, &kept).unwrap();
        symlink(&kept, &path).unwrap();
        assert!(matches!(everything(), Err(StoreError::Io { .. })), "{name} as a link");
        std::fs::remove_file(&path).unwrap();
        symlink("/dev/zero", &path).unwrap();
        assert!(matches!(everything(), Err(StoreError::Io { .. })), "{name} as a device");
        std::fs::remove_file(&path).unwrap();
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        assert!(matches!(everything(), Err(StoreError::Io { .. })), "{name} as a pipe");
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        assert!(matches!(everything(), Err(StoreError::Io { .. })), "{name} as a directory");
        std::fs::remove_dir(&path).unwrap();
        std::fs::rename(&kept, &path).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
        everything().unwrap();
    }
}

#[test]
fn a_verdict_about_another_manifest_is_not_recorded() {
    let directory = scratch();
    write(directory.path(), &small());
    let store = open(directory.path()).unwrap();
    record_verdict(directory.path(), &store.manifest().digest, verdict()).unwrap();
    // The manifest is another one now.
    let again = record_verdict(directory.path(), &store.manifest().digest, verdict());
    assert!(matches!(again, Err(StoreError::Mismatch { .. })), "{again:?}");
}
