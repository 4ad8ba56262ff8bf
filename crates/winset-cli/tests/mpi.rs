//! `mpirun -n N winset solve`: real processes of a real MPI. Only in builds with the feature; `.ci/mpi` makes one.
#![cfg(feature = "mpi")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, SystemTime};
use winset_reference::Random;

const WINSET: &str = env!("CARGO_BIN_EXE_winset");

/// The files of a directory, but the lock.
fn files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if name != "lock" {
            files.insert(name, std::fs::read(&path).unwrap());
        }
    }
    files
}

/// `mpirun` that may start more processes than there are cores, also in a container.
fn mpirun() -> Command {
    let mut command = Command::new("mpirun");
    command.args([
        "--oversubscribe",
        "--bind-to",
        "none",
        "--mca",
        "btl_vader_single_copy_mechanism",
        "none",
    ]);
    for name in ["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] {
        command.env(name, "1");
    }
    // Pieces of a few positions, so that small boards have many.
    command.env("WINSET_CLUSTER_PIECE", "200");
    // Only the first layers are found by everybody.
    command.env("WINSET_CLUSTER_SMALL", "2000");
    command
}

fn words<'a>(game: &'a [&'a str], out: &'a Path) -> Vec<&'a str> {
    let mut words = vec!["solve"];
    words.extend(game);
    words.extend([
        "--memory",
        "300M",
        "--threads",
        "1",
        "--progress",
        "none",
        "--out",
        out.to_str().unwrap(),
    ]);
    words
}

fn start(count: usize, game: &[&str], out: &Path) -> Child {
    let mut command = mpirun();
    command.args(["-n", &count.to_string(), WINSET]).args(words(game, out));
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("mpirun is installed")
}

fn alone(game: &[&str], out: &Path) -> BTreeMap<String, Vec<u8>> {
    let done = Command::new(WINSET).args(words(game, out)).args(["--engine", "layers"]).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    files(out)
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// The lines that winset itself says on standard error.
fn said(output: &Output) -> Vec<String> {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    text.lines().filter(|line| line.starts_with("winset: ")).map(str::to_owned).collect()
}

fn same(found: &BTreeMap<String, Vec<u8>>, expected: &BTreeMap<String, Vec<u8>>, what: &str) {
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>(), "{what}");
    for (name, bytes) in expected {
        assert!(found[name] == *bytes, "{what}: {name} differs");
    }
}

fn gdl(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../gdl/games").join(name);
    path.to_str().unwrap().to_owned()
}

#[test]
fn any_number_of_processes_writes_the_same_bytes() {
    let (toe, sum) = (gdl("tic_tac_toe.kif"), gdl("sum_15.kif"));
    let games: [&[&str]; 8] = [
        &["connect4", "4x4"],
        &["connect4", "5x4"],
        &["othello", "4x4"],
        &["breakthrough", "4x4"],
        &["tictactoe"],
        &[&toe],
        &[&sum],
        &["mu-torere"],
    ];
    for (i, game) in games.into_iter().enumerate() {
        let scratch = winset_reference::scratch();
        let expected = alone(game, &scratch.path().join("alone"));
        for count in [2, 4] {
            // The first games by both numbers, the others in turns: this is not what takes CI's time.
            if i >= 4 && (i + count / 2) % 2 == 0 {
                continue;
            }
            let out = scratch.path().join(format!("by-{count}"));
            let mut command = mpirun();
            let done =
                command.args(["-n", &count.to_string(), WINSET]).args(words(game, &out)).output().unwrap();
            assert!(done.status.success(), "{game:?} by {count}: {}", text(&done));
            same(&files(&out), &expected, &format!("{game:?} by {count}"));
            assert!(text(&done).contains("over the wire"), "{}", text(&done));
        }
    }
}

#[test]
fn several_processes_check_a_solution() {
    for game in [&["connect4", "5x4"][..], &["mu-torere", "--distance"]] {
        let scratch = winset_reference::scratch();
        let out = scratch.path().join("store");
        alone(game, &out);
        let directory = out.to_str().unwrap();
        let check = |command: &mut Command, more: &[&str]| {
            let output = command.args(["verify", directory, "--json", "--memory", "300M"]).args(more);
            let output = output.output().unwrap();
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            (output.status.code(), said)
        };
        for more in [&[][..], &["--sample", "5000"]] {
            let expected = check(&mut Command::new(WINSET), more);
            assert_eq!(expected.0, Some(0), "{expected:?}");
            for count in ["2", "3"] {
                let found = check(mpirun().args(["-n", count, WINSET]), more);
                assert_eq!(found, expected, "{game:?} by {count} {more:?}");
            }
        }
        // A file that is not as it was: one of them says so, and all end.
        let values = files(&out).into_keys().find(|name| name.ends_with(".val")).unwrap();
        let mut bytes = std::fs::read(out.join(&values)).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(out.join(&values), bytes).unwrap();
        let output = mpirun().args(["-n", "3", WINSET, "verify", directory]).output().unwrap();
        assert!(!output.status.success(), "{}", text(&output));
        assert_eq!(said(&output).len(), 1, "{}", text(&output));
    }
}

/// The processes that a process has started.
fn children(parent: u32) -> Vec<u32> {
    let mut found = vec![];
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let of = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1)?.parse().ok());
        if of == Some(parent) {
            found.push(pid);
        }
    }
    found
}

/// Whether a job ends well. Open MPI's `mpirun` itself may hang when a process dies while the job is being set up: then
/// it is killed with all that is left, as a scheduler would. Once processes work, a job that does not end is a fault.
fn ends(job: &mut Child, working: bool) -> bool {
    for _ in 0..200 {
        if let Some(status) = job.try_wait().unwrap() {
            return status.success();
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    children(job.id()).into_iter().chain([job.id()]).for_each(|pid| signal(pid, "-KILL"));
    assert!(!working, "processes that had begun to work still run 20 s after one of them was killed");
    job.wait().unwrap().success()
}

/// Something in a directory was written since then.
fn written_since(directory: &Path, when: SystemTime) -> bool {
    let files = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut times = files.flat_map(|file| file.metadata()).flat_map(|data| data.modified());
    times.any(|time| time > when)
}

fn signal(pid: u32, name: &str) {
    let _ = Command::new("kill").args([name, &pid.to_string()]).stderr(Stdio::null()).status();
}

#[test]
fn killed_processes_lose_nothing_that_is_finished() {
    let kills = std::env::var("WINSET_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(30);
    let game = ["connect4", "4x4"];
    let scratch = winset_reference::scratch();
    let expected = alone(&game, &scratch.path().join("alone"));
    let mut random = Random::new(3);
    let (mut killed, mut round) = (0, 0);
    while killed < kills {
        let out = scratch.path().join(format!("round-{round}"));
        round += 1;
        loop {
            let begin = SystemTime::now();
            let mut job = start(2 + random.below(3), &game, &out);
            std::thread::sleep(Duration::from_millis(200 + random.below(900) as u64));
            let ranks = children(job.id());
            let working = written_since(&out, begin);
            if killed < kills && !ranks.is_empty() {
                signal(random.pick(&ranks), "-KILL");
                killed += 1;
            }
            if ends(&mut job, working) {
                break;
            }
        }
        same(&files(&out), &expected, &format!("after {killed} kills"));
    }
}

#[test]
fn a_slow_process_changes_nothing() {
    let scratch = winset_reference::scratch();
    let expected = alone(&["tictactoe"], &scratch.path().join("alone"));
    let out = scratch.path().join("slow");
    let mut command = mpirun();
    command.env("WINSET_CLUSTER_DELAY", "1:100").args(["-n", "3", WINSET]).args(words(&["tictactoe"], &out));
    let done = command.output().unwrap();
    assert!(done.status.success(), "{}", text(&done));
    same(&files(&out), &expected, "with a slow process");
}

#[test]
fn a_job_that_is_told_to_stop_can_be_put_into_the_queue_again() {
    let game = ["connect4", "5x4"];
    let scratch = winset_reference::scratch();
    let expected = alone(&game, &scratch.path().join("alone"));
    let out = scratch.path().join("stopped");
    let mut stopped = 0;
    loop {
        let mut command = mpirun();
        // Slow enough to be met at work.
        command.env("WINSET_CLUSTER_DELAY", if stopped < 2 { "1:100" } else { "" });
        command.args(["-n", "2", WINSET]).args(words(&game, &out));
        let job = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let begun = std::time::Instant::now();
        // As soon as there is something that can be lost.
        while !out.join("cluster/job.json").exists() && begun.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(20));
        }
        if stopped < 2 {
            // Not before there is somebody who hears it.
            while children(job.id()).len() < 2 && begun.elapsed() < Duration::from_secs(60) {
                std::thread::sleep(Duration::from_millis(20));
            }
            std::thread::sleep(Duration::from_millis(300));
            signal(job.id(), "-USR1");
        }
        let done = job.wait_with_output().unwrap();
        if done.status.success() {
            break;
        }
        assert_eq!(done.status.code(), Some(75), "{}", text(&done));
        assert_eq!(said(&done).len(), 1, "{}", text(&done));
        stopped += 1;
        let status =
            Command::new(WINSET).args(["cluster", "status", out.to_str().unwrap()]).output().unwrap();
        assert!(status.status.success() && text(&status).contains("layers:"), "{}", text(&status));
    }
    assert!(stopped > 0);
    same(&files(&out), &expected, "after it was stopped");
}

/// Two processes with other words each: one sentence, no success, and nothing that looks finished.
fn refused(one: &[&str], other: &[&str], out: &Path, sentence: &str) {
    let mut command = mpirun();
    command.args(["-n", "1"]).args(one).arg(":").args(["-n", "1"]).args(other);
    let done = command.output().unwrap();
    assert!(!done.status.success(), "{}", text(&done));
    let said = said(&done);
    assert!(said.len() == 1 && said[0].contains(sentence), "{sentence:?} in {}", text(&done));
    let manifest = std::fs::read_to_string(out.join("manifest.json")).unwrap_or_default();
    assert!(manifest.is_empty() || manifest.contains("\"value\": null"), "{manifest}");
}

#[test]
fn processes_that_are_not_alike_are_refused() {
    let scratch = winset_reference::scratch();
    let [a, b] = ["a", "b"].map(|name| scratch.path().join(name));
    let with = |game: &[&str], memory: &str, out: &Path| -> Vec<String> {
        let solve = [WINSET, "solve"].into_iter().chain(game.iter().copied());
        let more = ["--memory", memory, "--threads", "1", "--out", out.to_str().unwrap()];
        solve.chain(more).map(str::to_owned).collect()
    };
    let refused = |one: Vec<String>, other: Vec<String>, sentence: &str| {
        let [one, other] = [&one, &other].map(|words| words.iter().map(String::as_str).collect::<Vec<_>>());
        refused(&one, &other, &a, sentence);
    };
    let four = ["connect4", "4x4"];
    refused(with(&four, "300M", &a), with(&["connect4", "4x5"], "300M", &a), "rules");
    refused(with(&four, "300M", &a), with(&four, "600M", &a), "memory");
    refused(with(&four, "300M", &a), with(&four, "300M", &b), "does not see");
    // A disk on which one process can write little.
    let full = format!("ulimit -f 1; exec {}", with(&["connect4", "5x4"], "300M", &b).join(" "));
    refused(
        with(&["connect4", "5x4"], "300M", &b),
        vec!["bash".into(), "-c".into(), full],
        "process 1: writing",
    );
}
