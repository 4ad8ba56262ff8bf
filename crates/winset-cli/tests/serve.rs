//! `winset serve` and `winset explore` as users start and stop them.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

fn winset() -> Command {
    Command::new(env!("CARGO_BIN_EXE_winset"))
}

fn solve(game: &[&str], out: &Path) {
    let done = winset().arg("solve").args(game).args(["--distance", "--out"]).arg(out).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

/// Starts a server and gives its address.
fn start(command: &mut Command) -> (Child, String) {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let url = line.trim().strip_prefix("serving http://").unwrap_or_else(|| panic!("{line:?}")).to_owned();
    (child, url)
}

fn get(url: &str) -> String {
    let (address, path) = url.split_once('/').unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET /{path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// Asks the server to end, as Ctrl-C or the system does.
fn stop(mut child: Child, signal: &str) -> (bool, String) {
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let mut told = String::new();
    child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
    (child.wait().unwrap().success(), told)
}

#[test]
fn solutions_are_served_until_somebody_says_stop() {
    let folder = tempfile::tempdir().unwrap();
    solve(&["tictactoe"], &folder.path().join("ttt"));
    solve(&["connect4", "4x4"], &folder.path().join("c4"));
    for signal in ["-INT", "-TERM"] {
        let (child, url) =
            start(winset().args(["serve", "--bind", "127.0.0.1:0", "--log"]).arg(folder.path()));
        let address = url.split('/').next().unwrap();
        let page = get(&format!("{address}/"));
        assert!(page.starts_with("HTTP/1.1 200") && page.contains("Connect Four 4×4"), "{page}");
        let answer = get(&format!("{address}/api/v1/games/tictactoe-3x3/positions?moves=a1+b2"));
        assert!(answer.contains("\"sentence\":\"A tie in 7 plies\""), "{answer}");
        let (success, told) = stop(child, signal);
        assert!(success, "{told}");
        assert!(told.contains("GET /api/v1/games/tictactoe-3x3/positions?moves=a1+b2 200"), "{told}");
    }
}

#[test]
fn one_solution_is_its_own_front_page() {
    let folder = tempfile::tempdir().unwrap();
    solve(&["tictactoe"], folder.path().join("t").as_path());
    let mut command = winset();
    command.args(["serve", "--bind", "127.0.0.1:0", "--memory", "64M"]).arg(folder.path().join("t"));
    let (child, url) = start(&mut command);
    assert!(url.ends_with("/g/tictactoe-3x3"), "{url}");
    assert!(get(&url).contains("A tie in 9 plies"));
    assert!(stop(child, "-INT").0);
}

#[test]
fn exploring_solves_once_and_finds_it_again() {
    let folder = tempfile::tempdir().unwrap();
    let explore = || {
        let mut command = winset();
        command
            .args(["explore", "tictactoe", "--no-open", "--bind", "127.0.0.1:0", "--cache"])
            .arg(folder.path());
        start(&mut command)
    };
    let written = || {
        let store = std::fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
        std::fs::metadata(store.join("manifest.json")).unwrap().modified().unwrap()
    };
    let (child, url) = explore();
    assert!(get(&url).contains("A tie in 9 plies"));
    let (success, told) = stop(child, "-INT");
    assert!(success && !told.contains("stopping after this layer"), "{told}");
    let first = written();
    let (child, url) = explore();
    assert!(get(&url).contains("A tie in 9 plies"));
    assert!(stop(child, "-INT").0);
    assert_eq!(written(), first, "nothing was solved again");
}

#[test]
fn wrong_use_is_told() {
    let missing = winset().args(["serve", "/no/such/place"]).output().unwrap();
    assert_eq!(missing.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("there is no such directory"));
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let busy = winset().args(["serve", "--bind", &address]).arg(folder.path()).output().unwrap();
    assert_eq!(busy.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&busy.stderr).contains("cannot serve at"));
    assert_eq!(winset().args(["serve", "--bind", "nonsense", "."]).output().unwrap().status.code(), Some(2));
}
