//! The program as a user meets it.

use std::io::Write;
use std::process::{Command, Output, Stdio};

fn winset(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_winset")).args(args).output().expect("winset runs")
}

fn json(args: &[&str]) -> serde_json::Value {
    let output = winset(args);
    // A false specification is an answer too.
    let answered = output.status.success() || (args[0] == "check" && output.status.code() == Some(3));
    assert!(answered, "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

/// The command fails with this exit code and says one sentence that contains `part`.
fn refuses(args: &[&str], code: i32, part: &str) {
    let output = winset(args);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{args:?}: {message}");
    assert!(message.contains(part), "{args:?}: {message}");
    assert!(output.stdout.is_empty(), "{args:?} printed a result");
}

#[test]
fn games_are_listed_with_their_sizes() {
    let list = json(&["games", "--json"]);
    let connect4 = list.as_array().unwrap().iter().find(|row| row["game"] == "connect4").unwrap();
    assert_eq!(connect4["size"], "COLUMNSxROWS[xK]");
}

#[test]
fn wrong_use_is_named() {
    refuses(&["solve", "go"], 2, "there is no game \"go\"");
    refuses(&["solve", "connect4", "5-4"], 2, "\"5-4\" is not a size");
    refuses(&["solve", "othello", "2x2"], 2, "othello cannot have 2 rows");
    refuses(&["solve", "connect4", "--memory", "lots"], 2, "lots");
    refuses(&["solve", "connect4", "--engine", "magic"], 2, "magic");
    refuses(&["solve", "othello", "4x4", "--order", "a1,b2"], 2, "the variable order leaves out b1");
    refuses(&["solve", "othello", "4x4", "--order", "magic"], 2, "there is no variable order \"magic\"");
    refuses(&["solve", "othello", "4x4", "--engine", "layers", "--order", "rows"], 2, "--engine bdd");
    refuses(&["solve", "othello", "4x4", "--engine", "bdd", "--distance"], 2, "--engine layers");
    refuses(&["count", "othello", "4x4", "--engine", "layers", "--turn", "bottom"], 2, "--engine bdd");
    refuses(&["reproduce", "everything"], 2, "there is no experiment \"everything\"");
    refuses(&["solve", "nowhere.kif"], 1, "nowhere.kif");
}

#[test]
fn a_budget_that_is_too_small_is_an_error_with_advice() {
    refuses(&["solve", "connect4", "5x5", "--engine", "bdd", "--memory", "40M"], 1, "or more would do");
    refuses(&["solve", "connect4", "5x5", "--engine", "bdd", "--memory", "1M"], 1, "at least");
    refuses(&["solve", "connect4", "5x5", "--engine", "layers", "--memory", "16M"], 1, "memory");
    // What the program itself takes differs from build to build: with ever more memory it is the rules that do not fit, then a
    // layer, then everything does.
    let layers = ["solve", "connect4", "5x5", "--engine", "layers", "--threads", "1", "--memory"];
    let (mut refused, mut solved) = (vec![], false);
    for memory in 16..40 {
        let output = winset(&[&layers[..], &[&format!("{memory}M")]].concat());
        solved = output.status.success();
        if solved {
            break;
        }
        assert_eq!(output.status.code(), Some(1));
        refused.push(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let says = |text: &str| refused.iter().filter(|message| message.contains(text)).count();
    assert!(solved && says("give at least") > 0, "{refused:?}");
    assert_eq!(says("MiB more") + says("twice the memory"), refused.len(), "{refused:?}");
}

/// Every engine and algorithm says the same about a game; the fields are those that are promised.
fn all_ways_agree(game: &[&str]) -> serde_json::Value {
    let first = json(&[&["solve"], game, &["--json"]].concat());
    let (value, positions) = (&first["value"], first["positions"].as_u64().unwrap());
    assert_eq!(first["engine"], "explicit", "{game:?}");
    let layers = json(&[&["solve"], game, &["--json", "--engine", "layers"]].concat());
    for key in ["value", "positions", "rewards"] {
        assert_eq!(layers[key], first[key], "{game:?} {key}");
    }
    assert_eq!(first["game"], game[0]);
    assert!(first["seconds"].is_f64() && first["peak_memory_bytes"].is_u64());
    let layers = first["layers"].as_array().unwrap();
    assert_eq!(layers.iter().map(|layer| layer["positions"].as_u64().unwrap()).sum::<u64>(), positions);
    for (flag, names) in [
        ("--algorithm", &["layered", "matrix", "alg2", "alg3", "alg4", "alg5"][..]),
        ("--order", &["rows", "rings-in", "rings-out", "columns", "diagonal"]),
        ("--encoding", &["standard", "short-empty", "binary"]),
        ("--diagram", &["bdd", "bcdd"]),
        ("--turn", &["top", "bottom"]),
        ("--relation", &["per-move", "monolithic"]),
    ] {
        for name in names {
            let ours = json(&[&["solve"], game, &["--engine", "bdd", flag, name, "--json"]].concat());
            assert_eq!(&ours["value"], value, "{game:?} {flag} {name}");
            assert_eq!(ours["engine"], "bdd");
            if flag != "--algorithm" {
                let count = json(&[&["count"], game, &["--engine", "bdd", flag, name, "--json"]].concat());
                assert_eq!(count["positions"], positions, "{game:?} {flag} {name}");
            }
        }
    }
    first
}

#[test]
fn every_engine_and_algorithm_agrees_on_small_boards() {
    let known = all_ways_agree(&["tictactoe", "3x3"]);
    assert_eq!((known["value"].as_str(), known["positions"].as_u64()), (Some("tie"), Some(5_478)));
    all_ways_agree(&["connect4", "3x4"]);
    all_ways_agree(&["othello", "3x4"]);
}

#[test]
fn tables_and_plots_are_written() {
    let directory = std::env::temp_dir().join(format!("winset-written-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let [csv, svg] = ["table.csv", "plot.svg"].map(|name| directory.join(name).display().to_string());
    let output = winset(&["solve", "connect4", "4x4", "--engine", "layers", "--csv", &csv, "--plot", &svg]);
    assert!(output.status.success());
    let rows = std::fs::read_to_string(&csv).unwrap();
    assert_eq!(rows.lines().count(), 1 + 17, "a header and a row for each number of stones: {rows}");
    let drawn = std::fs::read_to_string(&svg).unwrap();
    for word in ["<svg", "connect4 4x4", "won", "tied", "lost", "ended", "layer", "positions", "nodes"] {
        assert!(drawn.contains(word), "{word}: {drawn}");
    }
    std::fs::remove_dir_all(&directory).unwrap();
}

#[test]
fn pictures_are_svg_or_png_by_their_ending_and_nothing_else() {
    let directory = std::env::temp_dir().join(format!("winset-pictures-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let [store, svg, png, gif] =
        ["store", "a.svg", "b.PNG", "c.gif"].map(|name| directory.join(name).display().to_string());
    assert!(winset(&["solve", "tictactoe", "--distance", "--out", &store, "--plot", &png]).status.success());
    let is_png = |path: &str| std::fs::read(path).unwrap().starts_with(b"\x89PNG\r\n\x1a\n");
    assert!(is_png(&png));
    std::fs::remove_file(&png).unwrap();
    assert!(winset(&["stats", &store, "--plot", &png]).status.success() && is_png(&png));
    assert!(winset(&["count", "tictactoe", "--plot", &png]).status.success() && is_png(&png));
    assert!(winset(&["stats", &store, "--plot", &svg]).status.success());
    let drawn = std::fs::read_to_string(&svg).unwrap();
    for word in ["tictactoe 3x3", "X wins", "tied", "O wins", "plies to the end", "logarithmic", "bytes"] {
        assert!(drawn.contains(word), "{word}: {drawn}");
    }
    // Nobody waits for a solution to hear that: this one would take years.
    refuses(&["solve", "chess", "--plot", &gif], 2, ".svg or .png");
    refuses(&["stats", &store, "--plot", &gif], 2, ".svg or .png");
    std::fs::remove_dir_all(&directory).unwrap();
}

#[test]
fn progress_is_json_lines_on_request_and_nothing_on_a_pipe() {
    let quiet = winset(&["solve", "connect4", "4x4"]);
    assert!(quiet.stderr.is_empty(), "{}", String::from_utf8_lossy(&quiet.stderr));
    let told = winset(&["solve", "connect4", "4x4", "--progress", "json"]);
    let lines = String::from_utf8(told.stderr).unwrap();
    assert!(!told.stdout.is_empty());
    for line in lines.lines() {
        let step: serde_json::Value = serde_json::from_str(line).expect("one JSON object a line");
        assert!(step["phase"].is_string() && step["done"].is_u64());
    }
    assert!(lines.lines().count() >= 2 * 17, "every layer forward and backward");
}

#[test]
fn a_strategy_has_a_line_for_every_state_of_the_promise() {
    let file = std::env::temp_dir().join(format!("winset-strategy-{}.tsv", std::process::id()));
    let path = file.display().to_string();
    let formula = "mu X. reward:x:100 & terminal | turn:x & EX X | turn:o & !terminal & AX X";
    let found = json(&["check", "tictactoe", "--formula", formula, "--strategy", &path, "--json"]);
    let table = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    let lines: Vec<Vec<&str>> = table.lines().skip(2).map(|line| line.split('\t').collect()).collect();
    assert_eq!(found["specifications"][0]["satisfying"], lines.len());
    for line in &lines {
        let [position, choice, rounds] = line.as_slice() else { panic!("three columns: {line:?}") };
        assert_eq!(rounds == &"0", choice.is_empty(), "only where it is over there is no move: {position}");
    }
    refuses(&["check", "tictactoe", "--formula", "terminal", "--strategy", &path], 2, "not a fixed point");
    let two_at_once = "mu X. terminal & reward:x:100 | EX EX X";
    refuses(&["check", "tictactoe", "--formula", two_at_once, "--strategy", &path], 2, "no single move");
}

#[test]
fn layered_and_matrix_solver_agree_with_the_layer_engine_on_games_in_gdl() {
    for game in ["nim", "chomp", "sum-15", "clobber-3x3", "clobber-3x4", "cubi-cup-3"] {
        for opponent in ["difference", "own"] {
            let solve = |flags: &[&str]| {
                let found = json(&[&["solve", game, "--opponent", opponent, "--json"], flags].concat());
                (found["rewards"].clone(), found["positions"].clone())
            };
            let layers = solve(&["--engine", "layers"]);
            assert_eq!(solve(&["--algorithm", "layered"]), layers, "{game}, layered, {opponent}");
            assert_eq!(solve(&["--algorithm", "matrix"]), layers, "{game}, matrix, {opponent}");
        }
    }
}

/// A strategy is asked and played with by the same commands as a store: the promise comes true whatever the
/// opponent does, in the end, and never later than announced.
#[test]
fn a_strategy_is_asked_and_played_like_a_store() {
    let file = std::env::temp_dir().join(format!("winset-playable-{}.tsv", std::process::id()));
    let path = file.display().to_string();
    // On 4x3 the first player wins with three in a row.
    let formula = "mu X. terminal & reward:x:100 | !terminal & (turn:x & EX X | turn:o & AX X)";
    let found = json(&["check", "connect4", "4x3x3", "--formula", formula, "--strategy", &path, "--json"]);
    assert_eq!(found["specifications"][0]["holds"], true);
    let start = winset(&["query", &path]);
    assert!(start.status.success());
    let text = String::from_utf8(start.stdout).unwrap();
    let rounds: usize = text
        .lines()
        .find_map(|line| {
            line.strip_prefix("The promise is kept in at most ")?.strip_suffix(" moves")?.parse().ok()
        })
        .unwrap_or_else(|| panic!("{text}"));
    let answer = json(&["query", &path, "--json"]);
    let first = answer["moves"][0]["move"].as_str().unwrap().to_owned();
    assert!(answer["moves"][0]["sentence"].as_str().unwrap().starts_with("The promise is kept"));
    let line = json(&["query", &path, "--moves", &first, "--json"]);
    assert_eq!(line["player"], "o");
    // Every way in which the opponent can play.
    let (mut open, mut games) = (vec![first], 0);
    while let Some(moves) = open.pop() {
        let made = moves.split(' ').count();
        assert!(made <= rounds, "{moves}");
        let here = json(&["query", &path, "--moves", &moves, "--json"]);
        if here["sentence"].as_str().unwrap().starts_with("The game has ended") {
            assert_eq!(here["rewards"], serde_json::json!([100, 0]), "{moves}");
            games += 1;
            continue;
        }
        for m in here["moves"].as_array().unwrap() {
            let reply = format!("{moves} {}", m["move"].as_str().unwrap());
            let after = json(&["query", &path, "--moves", &reply, "--json"]);
            let best = after["moves"][0]["move"].as_str().unwrap();
            open.push(format!("{reply} {best}"));
        }
    }
    assert!(games > 3, "{games}");
    // The strategy as the opponent in a game: it opens, and wins against the first legal move each time.
    let mut child = Command::new(env!("CARGO_BIN_EXE_winset"))
        .args(["play", &path, "--side", "second", "--plain"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let input = "1\n2\n3\n4\n".repeat(12) + "quit\n";
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("the opponent opens with") && text.contains("X has won"), "{text}");
    // A damaged or foreign file is refused.
    let whole = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, &whole[..whole.len() - 20]).unwrap();
    refuses(&["query", &path], 1, "its digest is wrong");
    std::fs::write(&file, "position\tmove\n").unwrap();
    refuses(&["query", &path], 1, "does not begin like a strategy");
    std::fs::remove_file(&file).unwrap();
}

/// A promise that is kept for ever: black avoids to lose 4x4 checkers.
#[test]
fn a_strategy_of_a_greatest_fixed_point_keeps_its_promise() {
    let file = std::env::temp_dir().join(format!("winset-endless-{}.tsv", std::process::id()));
    let path = file.display().to_string();
    let formula = "nu X. !(terminal & reward:white:100) & (terminal | turn:black & EX X | turn:white & AX X)";
    let found = json(&["check", "checkers", "4", "--formula", formula, "--strategy", &path, "--json"]);
    // All states but those that white can win.
    assert_eq!(found["specifications"][0]["satisfying"], 2_409 - 349);
    let answer = json(&["query", &path, "--json"]);
    assert_eq!(answer["sentence"], "The promise is kept as long as play goes on");
    assert!(answer["moves"].as_array().unwrap().len() > 1);
    std::fs::remove_file(&file).unwrap();
}

/// The checkers paper's optimisations: a limit on pieces, an order, parts of the relation; and what they cost.
#[test]
fn checking_takes_orders_parts_and_constraints() {
    let formula = "mu X. turn:black & EX X | turn:white & AX X";
    let asked = |flags: &[&str]| {
        let mut args = vec!["check", "checkers", "4", "--formula", formula, "--json"];
        args.extend(flags);
        json(&args)
    };
    let plain = asked(&[]);
    assert_eq!(plain["specifications"][0]["satisfying"], 502);
    let fixed_point = &plain["specifications"][0]["fixed_points"][0];
    assert_eq!((&fixed_point["variable"], &fixed_point["kind"]), (&"X".into(), &"least".into()));
    assert_eq!(fixed_point["iterations"], 14);
    assert!(fixed_point["largest"].as_u64().unwrap() > 100);
    assert!(fixed_point["peak"].as_u64() > fixed_point["largest"].as_u64());
    // No play brings more pieces than there were.
    let cut = asked(&["--limit-pieces", "--partition", "10", "--order", "diagonal", "--turn", "bottom"]);
    assert_eq!((&cut["parts"], &cut["leaving_constraint"]), (&10.into(), &0.into()));
    assert_eq!(cut["specifications"][0]["satisfying"], 502);
    assert_eq!(asked(&["--partition", "1"])["parts"], 1);
    // The paper's 16 iterations over all states within the limit.
    let all = asked(&["--limit-pieces=2", "--all-states", "--encoding", "standard", "--diagram", "bdd"]);
    assert_eq!(all["specifications"][0]["fixed_points"][0]["iterations"], 16);
    let alone = asked(&["--constraint", "a1 = b & !terminal"]);
    assert!(alone["states"].as_u64().unwrap() < 2_409 && alone["leaving_constraint"].as_u64().unwrap() > 0);
    refuses(
        &["check", "checkers", "4", "--formula", "terminal", "--constraint", "EX terminal"],
        2,
        "a state alone",
    );
    refuses(
        &["check", "checkers", "4", "--formula", "terminal", "--constraint", "z9 = b"],
        2,
        "--constraint",
    );
    refuses(&["check", "checkers", "4", "--formula", "terminal", "--order", "a1,b2"], 2, "leaves out");
    refuses(&["check", "checkers", "4", "--formula", "terminal", "--partition", "0"], 2, "--partition");
    refuses(&["check", "nim", "--formula", "terminal", "--limit-pieces"], 2, "whose its pieces are");
    let file = std::env::temp_dir().join(format!("winset-leaving-{}.tsv", std::process::id()));
    let path = file.display().to_string();
    let leaving = ["--constraint", "a1 = b | terminal", "--strategy", &path];
    refuses(
        &[&["check", "checkers", "4", "--formula", formula], &leaving[..]].concat(),
        2,
        "out of the constraint",
    );
    assert!(!file.exists());
}

/// Orders of an SMV model are lists or its own; both ways of writing a game say the same.
#[test]
fn games_written_as_smv_are_checked_in_the_order_given() {
    let file = std::env::temp_dir().join(format!("winset-boolean-{}.smv", std::process::id()));
    let path = file.display().to_string();
    let text = winset(&["emit-smv", "checkers", "3", "--boolean", "--mu"]);
    std::fs::write(&file, text.stdout).unwrap();
    for order in ["auto", "model"] {
        let found = json(&["check", &path, "--order", order, "--partition", "3", "--json"]);
        let holds: Vec<bool> =
            (0..4).map(|i| found["specifications"][i]["holds"].as_bool().unwrap()).collect();
        assert_eq!((holds, &found["parts"]), (vec![false, false, true, true], &3.into()));
    }
    refuses(&["check", &path, "--order", "rows"], 2, "needs a board");
    refuses(&["check", &path, "--order", "m,x_a3"], 2, "leaves out");
    refuses(&["check", &path, "--turn", "bottom"], 2, "no turn to place");
    refuses(&["check", &path, "--limit-pieces"], 2, "no pieces");
    std::fs::remove_file(&file).unwrap();
}

#[test]
fn number_tic_tac_toe_has_the_known_states_and_winner() {
    let solved = json(&["solve", "number-tic-tac-toe", "--engine", "layers", "--json"]);
    assert_eq!(solved["positions"], 9_003_966);
    assert_eq!(solved["rewards"], serde_json::json!([100, 0]));
}

/// More than 10^12 states: both algorithms on diagrams, and the count of the layer engine.
#[test]
fn catch_a_mouse_is_solved_by_diagrams() {
    let counted = json(&["count", "catch-a-mouse", "--json"])["positions"].clone();
    for algorithm in ["layered", "matrix"] {
        let solved = json(&["solve", "catch-a-mouse", "--algorithm", algorithm, "--json"]);
        assert_eq!(solved["rewards"], serde_json::json!([0, 100]), "{algorithm}");
        assert_eq!(solved["positions"], counted, "{algorithm}");
    }
    let chosen = json(&["solve", "catch-a-mouse", "--json"]);
    assert_eq!((&chosen["engine"], &chosen["positions"]), (&"bdd".into(), &counted));
}
