//! Stores made to do harm, with all checksums right: every command refuses them or answers, within 256 MiB, without a
//! panic and without writing anywhere else.

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use winset_reference::contents;
use winset_reference::forge::{Forged, assemble, bytes_of, manifest_text, numbers};

const MIB_256: &str = "262144";

/// A store, taken apart.
fn right(game: &[&str], directory: &Path) -> Forged {
    let made = Command::new(env!("CARGO_BIN_EXE_winset"))
        .arg("solve")
        .args(game)
        .args(["--progress", "none", "--out"])
        .arg(directory)
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    Forged::read(directory)
}

/// Runs a command in an address space of 256 MiB; kills it after a while, which is not a failure: a store may say
/// that there is much to do.
fn run(arguments: &[&str], directory: &Path) -> Output {
    let line = format!("ulimit -v {MIB_256}; exec \"$0\" \"$@\"");
    let mut child = Command::new("bash")
        .args(["-c", &line, env!("CARGO_BIN_EXE_winset"), arguments[0]])
        .arg(directory)
        .args(&arguments[1..])
        // Every arena and every thread reserves addresses that nothing is kept at.
        .env("MALLOC_ARENA_MAX", "1")
        .env("RAYON_NUM_THREADS", "2")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let end = Instant::now() + Duration::from_secs(3);
    while child.try_wait().unwrap().is_none() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(5));
    }
    let _ = child.kill();
    child.wait_with_output().unwrap()
}

const COMMANDS: [&[&str]; 10] = [
    &["verify"],
    &["verify", "--sample", "18446744073709551615"],
    &["verify", "--sample", "1", "--record"],
    &["query"],
    &["query", "--line"],
    &["stats"],
    &["stats", "--json"],
    &["export"],
    &["export", "--format", "dot", "--layer", "4"],
    &["play", "--plain"],
];

fn try_all(what: &str, directory: &Path, ran: &mut u32) {
    for command in COMMANDS {
        let output = run(command, directory);
        let error = String::from_utf8_lossy(&output.stderr);
        let calm = !error.contains("panicked")
            && !error.contains("memory allocation")
            && !error.contains("overflow");
        // A signal other than ours has no code: an abort, or a stack that ran over.
        let ended = output.status.code().is_some()
            || std::os::unix::process::ExitStatusExt::signal(&output.status) == Some(9);
        assert!(calm && ended, "{what}: {command:?}: {:?} {error}", output.status);
        *ran += 1;
    }
}

/// A file of the store with other frames, without looking at what they hold.
fn with_frames(forged: &Forged, name: &str, frames: Vec<(Vec<u8>, u32)>, head: &[u8]) -> (Vec<u8>, [u8; 32]) {
    assemble(&forged.files[name].header, frames.into_iter(), head)
}

/// Writes a store with one file given byte by byte.
fn write_with(directory: &Path, forged: &Forged, name: &str, file: (Vec<u8>, [u8; 32])) {
    let mut made = forged.made();
    made.insert(name.to_owned(), file);
    for (name, (bytes, _)) in &made {
        std::fs::write(directory.join(name), bytes).unwrap();
    }
    std::fs::write(directory.join("manifest.json"), manifest_text(&forged.sealed(&made))).unwrap();
}

#[test]
fn hostile_stores_do_no_harm() {
    let above = tempfile::tempdir().unwrap();
    let directory = above.path().join("store");
    let right = right(&["tictactoe", "3x3"], &directory);
    let secret = above.path().join("secret");
    std::fs::write(&secret, "not to be touched").unwrap();
    let (mut ran, mut stores) = (0, 0);
    let mut attack = |what: &str, write: &dyn Fn(&Path)| {
        right.write(&directory);
        write(&directory);
        try_all(what, &directory, &mut ran);
        stores += 1;
        let names: Vec<PathBuf> =
            std::fs::read_dir(above.path()).unwrap().map(|e| e.unwrap().path()).collect();
        assert_eq!(names.len(), 2, "{what}: something was written elsewhere: {names:?}");
        assert_eq!(std::fs::read(&secret).unwrap(), b"not to be touched", "{what}");
        let _ = std::fs::remove_dir_all(&directory);
        std::fs::create_dir(&directory).unwrap();
    };
    let set = "layer-0004.set";
    let values = "layer-0004.val";
    let digits = right.files.keys().find(|name| name.ends_with(".dig")).unwrap().clone();

    // A gigabyte of zeros in a few kilobytes, in every kind of file.
    let zeros = zstd::bulk::compress(&vec![0u8; 1 << 30], 1).unwrap();
    for name in [set, values, digits.as_str()] {
        for raw in [1 << 30, 1 << 22, u32::MAX] {
            attack(&format!("a bomb of {raw} in {name}"), &|directory| {
                let head = right.files[name].head.clone();
                let count = right.files[name].chunks.len().max(1);
                let frames = vec![(zeros.clone(), raw); count];
                write_with(directory, &right, name, with_frames(&right, name, frames, &head));
            });
        }
    }
    // Heads that speak of billions of nodes, states and bits.
    for name in [set, values] {
        let list = numbers(&right.files[name].head);
        for at in 0..list.len() {
            for big in [(1 << 32) - 1, 511u64.pow(7), u64::MAX] {
                let mut list = list.clone();
                list[at] = big;
                let mut forged = right.clone();
                forged.files.get_mut(name).unwrap().head = bytes_of(&list);
                if at == 0 {
                    for key in ["stored", "positions"] {
                        forged.manifest["layers"][4][key] = json!(big);
                    }
                }
                attack(&format!("{name}: number {at} of the head is {big}"), &|directory| {
                    forged.write(directory)
                });
            }
        }
    }
    // Manifests.
    let manifest = |change: &dyn Fn(&mut Value)| {
        let mut forged = right.clone();
        change(&mut forged.manifest);
        forged
    };
    type Lie<'a> = &'a dyn Fn(&mut Value);
    let lies: [(&str, Lie<'_>); 9] = [
        ("no players", &|m| m["game"]["players"] = json!([])),
        ("nine players", &|m| m["game"]["players"] = json!(vec!["x"; 9])),
        ("no codes", &|m| m["codes"] = json!([])),
        ("no blocks", &|m| m["blocks"] = json!([])),
        ("no layers", &|m| m["layers"] = json!([])),
        ("no value", &|m| m["value"] = Value::Null),
        ("the last three layers only", &|m| {
            let layers = m["layers"].as_array().unwrap();
            m["layers"] = json!(layers[layers.len() - 3..]);
        }),
        ("30,000 layers", &|m| m["layers"] = json!(vec![m["layers"][0].clone(); 30_000])),
        ("huge counts", &|m| m["layers"][1]["positions"] = json!(u64::MAX)),
    ];
    for (what, lie) in lies {
        let forged = manifest(lie);
        attack(what, &|directory| forged.write(directory));
    }
    for (what, part) in [("300 MB of blanks", " "), ("300 MB of lists", "[],"), ("300 MB of a word", "x")] {
        let text = right.sealed(&right.made());
        attack(what, &|directory| {
            let mut text = manifest_text(&text);
            let at = text.len() - 3;
            let much = part.repeat(300_000_000 / part.len());
            text.insert_str(at, &if part == " " { much } else { format!(", \"more\": [\"{much}\"]") });
            std::fs::write(directory.join("manifest.json"), text).unwrap();
        });
    }
    // Not files at all.
    for name in [set, values, digits.as_str(), "manifest.json"] {
        attack(&format!("{name} is a pipe"), &|directory| {
            std::fs::remove_file(directory.join(name)).unwrap();
            assert!(Command::new("mkfifo").arg(directory.join(name)).status().unwrap().success());
        });
        for target in ["/dev/zero", "/dev/stdin", "../secret"] {
            attack(&format!("{name} is a link to {target}"), &|directory| {
                std::fs::remove_file(directory.join(name)).unwrap();
                std::os::unix::fs::symlink(target, directory.join(name)).unwrap();
            });
        }
    }
    for name in ["manifest.json.tmp", "lock"] {
        attack(&format!("{name} is a link to a file elsewhere"), &|directory| {
            let _ = std::fs::remove_file(directory.join(name));
            std::os::unix::fs::symlink("../secret", directory.join(name)).unwrap();
        });
    }
    assert!(contents(above.path().join("store").as_path()).is_empty());
    println!(
        "{stores} stores, {ran} commands, no panic, nothing written elsewhere, 256 MiB of addresses each"
    );
}

/// The same for values that are leaves, and for what says of which positions.
#[test]
fn hostile_leaves_do_no_harm() {
    let above = tempfile::tempdir().unwrap();
    let directory = above.path().join("store");
    let right = right(&["connect4", "4x4", "--engine", "layers"], &directory);
    let mut ran = 0;
    let record = &right.manifest["layers"][8]["values"];
    assert_eq!(record["encoding"], "leaves");
    let values = record["file"].as_str().unwrap();
    let zeros = zstd::bulk::compress(&vec![0u8; 1 << 30], 1).unwrap();
    for name in [values, "leaves.frm"] {
        let file = &right.files[name];
        for raw in [1 << 30, 1 << 22, u32::MAX] {
            let frames = vec![(zeros.clone(), raw); file.chunks.len()];
            write_with(&directory, &right, name, with_frames(&right, name, frames, &file.head));
            try_all(&format!("a bomb of {raw} in {name}"), &directory, &mut ran);
        }
        let list = numbers(&file.head);
        for at in 0..list.len() {
            for big in [(1 << 32) - 1, u64::MAX] {
                let mut list = list.clone();
                list[at] = big;
                let mut forged = right.clone();
                forged.files.get_mut(name).unwrap().head = bytes_of(&list);
                forged.write(&directory);
                try_all(&format!("{name}: number {at} of the head is {big}"), &directory, &mut ran);
            }
        }
        // What is where, and how many.
        let last = file.chunks.len() - 1;
        let described = |at: usize| if name == values { at == last } else { file.chunks[at].len() < 64 };
        for (at, chunk) in file.chunks.iter().enumerate().filter(|(at, _)| described(*at)) {
            let mut list = numbers(chunk);
            for number in 0..list.len() {
                let before = std::mem::replace(&mut list[number], u64::MAX);
                let mut forged = right.clone();
                forged.files.get_mut(name).unwrap().chunks[at] = bytes_of(&list);
                forged.write(&directory);
                try_all(&format!("{name}: number {number} of chunk {at}"), &directory, &mut ran);
                list[number] = before;
            }
        }
    }
    println!("{ran} commands");
}
