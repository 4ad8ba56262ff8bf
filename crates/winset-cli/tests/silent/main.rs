//! Mistakes of the user that would pass in silence: what is ignored, dropped or noticed too late.

mod games;
mod outputs;
mod rules;
mod warnings;

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

fn winset(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_winset")).args(args).output().expect("winset runs")
}

/// Runs the program with something on standard input.
fn winset_reading(args: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_winset"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("winset runs");
    let (mut stdin, input) = (child.stdin.take().expect("a pipe"), input.to_owned());
    // Whoever is refused before reading closes the pipe.
    let writing = std::thread::spawn(move || drop(std::io::Write::write_all(&mut stdin, &input)));
    let output = child.wait_with_output().expect("winset ends");
    writing.join().expect("the writer ends");
    output
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn json(output: &Output) -> serde_json::Value {
    assert!(output.status.success(), "{}", stderr(output));
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

/// The command fails with this exit code, says something that contains `part`, and prints no result.
fn refuses(args: &[&str], code: i32, part: &str) {
    let output = winset(args);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(code), "{args:?}: {message}");
    assert!(message.contains(part), "{args:?}: {message}");
    assert!(output.stdout.is_empty(), "{args:?} printed a result");
}

/// A directory of its own for a test, removed in the end.
struct Fresh(PathBuf);

impl Fresh {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("winset-silent-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a directory");
        Fresh(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        std::fs::write(&path, text).expect("a file");
        path
    }
}

impl Drop for Fresh {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
