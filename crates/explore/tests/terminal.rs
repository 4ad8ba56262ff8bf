//! The game on a real screen, driven through a pseudo-terminal.
#![cfg(feature = "screen")]

use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use std::io::{Read, Write};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use winset_reference::{Cut, build, scratch, solve, write};

/// Waits until the screen shows a text.
fn wait_for(output: &mpsc::Receiver<Vec<u8>>, screen: &mut vt100::Parser, what: &str) {
    let begin = Instant::now();
    while !screen.screen().contents().contains(what) {
        let shown = screen.screen().contents();
        assert!(begin.elapsed() < Duration::from_secs(30), "{what:?} never appeared:\n{shown}");
        if let Ok(bytes) = output.recv_timeout(Duration::from_millis(100)) {
            screen.process(&bytes);
        }
    }
}

#[test]
fn a_game_is_played_on_a_terminal() {
    let directory = scratch();
    write(directory.path(), &solve(&build("tictactoe", "3x3"), Cut::Stones, true));
    let size = PtySize { rows: 30, cols: 100, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).unwrap();
    let program = std::env::current_exe().unwrap();
    let program = program.parent().unwrap().parent().unwrap().join("examples/play");
    let mut command = CommandBuilder::new(program);
    command.arg(directory.path());
    command.env("TERM", "xterm-256color");
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().unwrap();
    let mut writer = pair.master.take_writer().unwrap();
    let (sender, output) = mpsc::channel();
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(n) = reader.read(&mut buffer) {
            if n == 0 || sender.send(buffer[..n].to_vec()).is_err() {
                return;
            }
        }
    });
    let mut screen = vt100::Parser::new(30, 100, 0);
    wait_for(&output, &mut screen, "tictactoe 3x3");
    wait_for(&output, &mut screen, "X to move");
    writer.write_all(b"nowhere\r").unwrap();
    wait_for(&output, &mut screen, "not a move of this game");
    writer.write_all(b"b2\r").unwrap();
    wait_for(&output, &mut screen, "O plays");
    writer.write_all(b"value\r").unwrap();
    wait_for(&output, &mut screen, "tie");
    writer.write_all(b"resign\r").unwrap();
    wait_for(&output, &mut screen, "resigns");
    // The end says what to do next.
    wait_for(&output, &mut screen, "play again");
    writer.write_all(b"new\r").unwrap();
    wait_for(&output, &mut screen, "moves: 9");
    // The second move, by the arrow key and Enter.
    writer.write_all(b"\x1b[C\r").unwrap();
    wait_for(&output, &mut screen, "1.\u{a0}b3");
    wait_for(&output, &mut screen, "moves: 7");
    writer.write_all(b"quit\r").unwrap();
    assert!(child.wait().unwrap().success());
}
