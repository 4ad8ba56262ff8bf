//! Files that are to be written: a path that cannot be written is noticed before the work.

use crate::{Fresh, json, refuses, stderr, winset, winset_reading};

/// Connect Four 7x6 takes hours: whoever refuses at once has not begun.
#[test]
fn a_bad_output_path_is_noticed_before_the_work() {
    let directory = Fresh::new("bad-paths");
    let nowhere = directory.path("nowhere/table");
    let file = directory.write("file", "kept");
    let inside = directory.path("file/inside");
    let directory_path = directory.path("");
    for path in [&nowhere, &inside, &directory_path] {
        refuses(&["solve", "connect4", "7x6", "--csv", path], 1, "cannot write");
        refuses(&["count", "connect4", "7x6", "--csv", path], 1, "cannot write");
        refuses(&["check", "connect4", "7x6", "--formula", "mu X. X", "--strategy", path], 1, "cannot write");
    }
    // A picture's kind is its file's ending.
    let picture = directory.path("picture.svg");
    std::fs::create_dir(&picture).unwrap();
    for path in [&directory.path("nowhere/table.svg"), &directory.path("file/inside.png"), &picture] {
        refuses(&["solve", "connect4", "7x6", "--plot", path], 1, "cannot write");
    }
    refuses(&["solve", "connect4", "7x6", "--plot", &nowhere], 2, "ends in .svg or .png");
    std::fs::remove_dir(&picture).unwrap();
    for path in [&file, &inside] {
        refuses(&["solve", "connect4", "7x6", "--out", path], 1, "not a directory");
        refuses(&["solve", "connect4", "7x6", "--dddmp", path], 1, "not a directory");
    }
    assert_eq!(std::fs::read(&file).unwrap(), b"kept");
    let left: Vec<_> = std::fs::read_dir(&directory.0).unwrap().collect();
    assert_eq!(left.len(), 1, "nothing but the file that was there: {left:?}");
}

#[test]
fn csv_to_standard_output_is_only_csv() {
    let output = winset(&["solve", "tictactoe", "--csv", "-"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let directory = Fresh::new("csv");
    let file = directory.path("table.csv");
    assert!(winset(&["solve", "tictactoe", "--csv", &file]).status.success());
    let columns = |text: &str| -> Vec<Vec<String>> {
        // All but the time, which is the last one.
        let row = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
        text.lines().map(row).map(|mut row| row.drain(..row.len() - 1).collect()).collect()
    };
    let (printed, written) =
        (String::from_utf8(output.stdout).unwrap(), std::fs::read_to_string(&file).unwrap());
    assert_eq!(columns(&printed), columns(&written));
    assert_eq!(printed.lines().count(), 11, "{printed}");
    assert!(!std::path::Path::new("-").exists());
    assert!(winset(&["count", "tictactoe", "--csv", "-"]).stdout.starts_with(b"layer,"));
    refuses(&["solve", "tictactoe", "--csv", "-", "--json"], 2, "both want standard output");
    refuses(&["solve", "tictactoe", "--plot", "-"], 2, "ends in .svg or .png");
    refuses(&["check", "tictactoe", "--formula", "mu X. X", "--strategy", "-"], 2, "write ./-");
}

/// A device that is always full fails at the end only; what was found is printed all the same.
#[cfg(target_os = "linux")]
#[test]
fn a_result_is_printed_before_a_file_fails() {
    let output = winset(&["solve", "tictactoe", "--csv", "/dev/full", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("cannot write /dev/full"), "{}", stderr(&output));
    let solved: serde_json::Value = serde_json::from_slice(&output.stdout).expect("the result");
    assert_eq!(solved["positions"], 5478);
}

/// A file is replaced when all is written, and a link stays one.
#[cfg(unix)]
#[test]
fn a_file_is_replaced_through_its_link() {
    let directory = Fresh::new("link");
    let file = directory.write("table.csv", "old");
    let link = directory.path("link.csv");
    std::os::unix::fs::symlink(&file, &link).unwrap();
    assert!(winset(&["solve", "tictactoe", "--csv", &link]).status.success());
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(std::fs::read_to_string(&file).unwrap().starts_with("layer,"));
}

/// Figures that are planted wrongly are found: the exit code says so, after everything is printed.
#[test]
fn reproduce_fails_when_something_differs_that_should_match() {
    let directory = Fresh::new("oracle");
    std::fs::create_dir_all(directory.0.join("games")).unwrap();
    let rules = winset_gdl::game("tic-tac-toe").unwrap();
    directory.write("games/three.kif", &rules);
    let head = "file\texpect\tstates\tlayers\tlayer_states\trewards\trewards_own\n";
    let row = |states: u32| format!("{head}three.kif\tsolve\t{states}\t10\t5478\t50/50\t50/50\n");
    let games = directory.path("");
    let args = ["reproduce", "gdl-oracle", "--games", &games, "--json"];
    directory.write("oracle.tsv", row(5478));
    let right = json(&winset(&args));
    assert_eq!(right[0]["rows"][0]["verdict"], "match");
    directory.write("oracle.tsv", row(5479));
    let wrong = winset_reading(&args, b"");
    assert_eq!(wrong.status.code(), Some(1));
    assert!(stderr(&wrong).contains("1 figure differs that should match"), "{}", stderr(&wrong));
    let printed: serde_json::Value = serde_json::from_slice(&wrong.stdout).expect("everything is printed");
    assert_eq!(
        (&printed[0]["rows"][0]["verdict"], &printed[0]["rows"][0]["fault"]),
        (&"differs".into(), &true.into())
    );
    std::fs::remove_file(directory.0.join("oracle.tsv")).unwrap();
    refuses(&args, 2, "oracle.tsv");
}
