//! `solve --out` stopped by Ctrl-C or by a full disk says how to go on, and goes on to the same bytes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

const WINSET: &str = env!("CARGO_BIN_EXE_winset");

fn fresh(name: &str) -> PathBuf {
    let directory = std::env::temp_dir().join(format!("winset-stop-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&directory);
    directory
}

fn solve(game: &[&str], directory: &Path) -> Command {
    let mut command = Command::new(WINSET);
    command.arg("solve").args(game).args(["--threads", "1", "--out"]).arg(directory);
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

fn contents(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap());
    entries
        .map(|entry| (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap()))
        .collect()
}

/// The number of finished sets and of finished values.
fn finished(directory: &Path) -> (usize, usize) {
    let Ok(text) = std::fs::read(directory.join("manifest.json")) else { return (0, 0) };
    let manifest: serde_json::Value =
        serde_json::from_slice(&text).expect("a manifest is whole or not there");
    let layers = manifest["layers"].as_array().expect("layers");
    (layers.len(), layers.iter().filter(|layer| !layer["values"].is_null()).count())
}

/// The number of sets and of values that are written; the manifest names them a moment later.
fn written(directory: &Path) -> (usize, usize) {
    let Ok(entries) = std::fs::read_dir(directory) else { return (0, 0) };
    let names: Vec<String> =
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into()).collect();
    let ending = |end: &str| names.iter().filter(|name| name.ends_with(end)).count();
    (ending(".set"), ending(".val"))
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Starts a run, sends it SIGINT as soon as `when` holds of its store, and waits for its end.
fn interrupt(game: &[&str], directory: &Path, when: impl Fn((usize, usize)) -> bool) -> Output {
    let mut child = solve(game, directory).spawn().unwrap();
    let begin = Instant::now();
    while !when(written(directory)) && child.try_wait().unwrap().is_none() {
        assert!(begin.elapsed() < Duration::from_secs(120), "the run does not get there");
        std::thread::sleep(Duration::from_micros(200));
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).stderr(Stdio::null()).status();
    sent.expect("there is a kill command");
    child.wait_with_output().unwrap()
}

#[test]
fn ctrl_c_stops_at_the_next_safe_point() {
    for game in [&["connect4", "5x5"][..], &["othello", "4x4", "--distance"]] {
        let whole = fresh(&format!("{}-whole", game[0]));
        assert!(solve(game, &whole).output().unwrap().status.success());
        let (expected, layers) = (contents(&whole), finished(&whole).0);
        let directory = fresh(game[0]);
        let mut stopped = 0;
        // Each time as soon as something new is there, forward and then backward, until one is through before.
        for _ in 0..8 {
            let (before, there) = (finished(&directory), written(&directory));
            let output = interrupt(game, &directory, |now| now > there);
            let after = finished(&directory);
            assert!(after >= before);
            if output.status.success() {
                break;
            }
            stopped += 1;
            let text = said(&output);
            assert_eq!(output.status.code(), Some(1), "{text}");
            assert!(text.contains("stopping after this layer"), "{text}");
            assert!(text.contains("the same command goes on"), "{text}");
            assert!(after.1 < layers, "it was through and says that it was stopped");
            let leftovers: Vec<_> =
                contents(&directory).into_keys().filter(|name| name.ends_with(".tmp")).collect();
            assert!(leftovers.is_empty(), "a safe point has no half-written files: {leftovers:?}");
        }
        assert!(stopped >= 2, "{game:?}: only {stopped} signals came in time");
        assert!(solve(game, &directory).output().unwrap().status.success());
        assert_eq!(contents(&directory), expected, "{game:?}");
        std::fs::remove_dir_all(&whole).unwrap();
        std::fs::remove_dir_all(&directory).unwrap();
    }
}

/// In a file system of its own: room for a part, then room for all. The store is copied out at the end.
const SMALL_DISK: &str = r#"
    mount -t tmpfs -o size="$SIZE" none "$DISK" || exit 77
    "$WINSET" solve connect4 5x4 --threads 1 --out "$DISK/store" >/dev/null
    echo "code $?" >&2
    "$WINSET" query "$DISK/store" --moves "" >/dev/null
    echo "query $?" >&2
    mount -o remount,size=64m "$DISK" || exit 77
    "$WINSET" solve connect4 5x4 --threads 1 --out "$DISK/store" >/dev/null
    echo "code $?" >&2
    cp -r "$DISK/store" "$COPY"
"#;

#[test]
#[ignore = "needs the right to mount a file system (unshare): run with --ignored; a quota is tested without"]
fn a_full_disk_loses_nothing() {
    let whole = fresh("disk-whole");
    assert!(solve(&["connect4", "5x4"], &whole).output().unwrap().status.success());
    let expected = contents(&whole);
    let bytes: usize = expected.values().map(Vec::len).sum();
    let disk = fresh("disk");
    std::fs::create_dir_all(&disk).unwrap();
    // Full in the first sets, in the last ones, and in the values.
    for (part, of) in [(1, 20), (1, 3), (3, 4)] {
        let copy = fresh("disk-copy");
        let mut command = Command::new("unshare");
        command.args(["--map-root-user", "--mount", "sh", "-c", SMALL_DISK]).env("WINSET", WINSET);
        command.env("SIZE", (bytes * part / of).to_string()).env("DISK", &disk).env("COPY", &copy);
        let output = command.output().expect("unshare runs");
        assert!(output.status.success(), "{}", said(&output));
        let text = said(&output);
        assert!(text.contains("the disk is full; what is finished is safe"), "{text}");
        assert!(text.contains("run the same command again"), "{text}");
        let codes: Vec<&str> = text.lines().filter(|line| line.starts_with("code ")).collect();
        assert_eq!(codes, ["code 1", "code 0"], "{text}");
        assert!(text.contains("query 0"), "what is there can be read: {text}");
        assert_eq!(contents(&copy), expected, "{part}/{of}");
        std::fs::remove_dir_all(&copy).unwrap();
    }
    std::fs::remove_dir_all(&disk).unwrap();
    std::fs::remove_dir_all(&whole).unwrap();
}

/// The same without any rights: no file may get longer than this. Needs only a shell.
#[test]
fn a_quota_loses_nothing() {
    let whole = fresh("quota-whole");
    assert!(solve(&["connect4", "5x4"], &whole).output().unwrap().status.success());
    let expected = contents(&whole);
    let directory = fresh("quota");
    // Blocks of 512 bytes. A process that does not ignore the signal is killed by it.
    let script = r#"trap '' XFSZ; ulimit -f 64; exec "$0" solve connect4 5x4 --threads 1 --out "$1""#;
    let limited = Command::new("sh").args(["-c", script, WINSET]).arg(&directory).output().unwrap();
    assert_eq!(limited.status.code(), Some(1), "{}", said(&limited));
    assert!(said(&limited).contains("writing failed"), "{}", said(&limited));
    let (sets, values) = finished(&directory);
    assert!(sets > 3 && values == 0, "{sets} sets and {values} values");
    assert!(solve(&["connect4", "5x4"], &directory).output().unwrap().status.success());
    assert_eq!(contents(&directory), expected);
    std::fs::remove_dir_all(&directory).unwrap();
    std::fs::remove_dir_all(&whole).unwrap();
}
