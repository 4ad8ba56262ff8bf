//! Sizes and options that a game does not have.

use crate::{Fresh, json, refuses, winset};

#[test]
fn a_size_or_option_that_would_be_ignored_is_refused() {
    refuses(&["solve", "sum-15", "3"], 2, "sum-15 takes no size, but \"3\" is given");
    refuses(&["solve", "Sum-15", "5x5"], 2, "sum-15 takes no size");
    refuses(&["solve", "tapatan", "3x3"], 2, "tapatan takes no size");
    refuses(&["count", "clobber-3x4", "3x4"], 2, "clobber-3x4 takes no size");
    let others = "games that have it: breakthrough";
    refuses(&["solve", "connect4", "--baseline", "m2"], 2, others);
    refuses(&["solve", "nim", "--baseline", "m2"], 2, others);
    refuses(&["count", "checkers", "--baseline", "m1"], 2, others);
    refuses(&["emit-smv", "othello", "--baseline", "m2"], 2, "othello has no option --baseline");
    refuses(&["solve", "breakthrough", "--baseline", "m3"], 2, "possible: m1, m2");
    refuses(&["solve", "connect4", "4x4", "--engine", "bdd", "--blocks", "rows"], 2, "--engine layers");
    refuses(&["count", "connect4", "4x4", "--order", "rows", "--portable"], 2, "--engine layers");
    refuses(&["solve", "connect4", "4x4", "--engine", "bdd", "--symmetry", "off"], 2, "--engine layers");
    refuses(&["verify", "nowhere", "--seed", "3"], 2, "--sample");
    let directory = Fresh::new("option-of-another-game");
    let store = directory.path("store");
    refuses(&["solve", "tictactoe", "--baseline", "m2", "--out", &store], 2, others);
    assert!(!std::path::Path::new(&store).exists());
    let file = directory.write("model.smv", "MODULE main VAR x : boolean; SPEC AG x");
    refuses(&["check", &file, "5x5"], 2, "an SMV model takes no size");
    refuses(&["check", &file, "--baseline", "m2"], 2, others);
    let file = directory.write("rules.kif", winset_gdl::game("nim").unwrap());
    refuses(&["solve", &file, "3"], 2, "a file of rules takes no size");
    refuses(&["solve", &file, "--baseline", "m2"], 2, others);
}

#[test]
fn a_name_that_is_not_known_gets_a_suggestion() {
    refuses(&["solve", "conect4"], 2, "did you mean connect4?");
    refuses(&["count", "otello"], 2, "did you mean othello");
    refuses(&["solve", "chmop"], 2, "did you mean chomp?");
    refuses(&["games", "clober"], 2, "did you mean clobber?");
    refuses(&["solve", "go"], 2, "`winset games` lists them");
    refuses(&["solve", "tic-tac-toe"], 2, "it is called `tictactoe`");
    refuses(&["solve", "connect-four-5x6"], 2, "it is called `connect4 5x6`");
    refuses(&["solve", "breakthrough-4x5"], 2, "it is called `breakthrough 5x4 --pawns 2`");
    refuses(&["solve", "clobber-99x1"], 2, "clobber cannot have 99 columns: 1 to 20 are possible");
    refuses(&["solve", "clobber", "axb"], 2, "\"axb\" is not a size");
    refuses(&["solve", "hexpawn"], 2, "did you mean hexapawn?");
}

/// Every option that a game declares is a flag, is taken by that game and refused by all that do not declare it.
#[test]
fn every_declared_option_is_a_flag_of_its_games_only() {
    let list = json(&winset(&["games", "--json"]));
    let list = list.as_array().unwrap();
    let options = |game: &serde_json::Value| -> Vec<serde_json::Value> {
        game["options"].as_array().cloned().unwrap_or_default()
    };
    let (mut tried, mut refused) = (0, std::collections::BTreeSet::new());
    for game in list {
        for option in options(game) {
            let flag = format!("--{}", option["name"].as_str().unwrap());
            for value in option["values"].as_array().unwrap() {
                let name = game["game"].as_str().unwrap();
                let output = winset(&["emit-smv", name, &format!("{flag}={}", value.as_str().unwrap())]);
                // Connections are recursive definitions, which SMV does not have: the game was built all the same.
                let said = crate::stderr(&output);
                let built = output.status.success() || said.contains("which SMV does not have");
                assert!(built, "{name} {flag} {value}: {said}");
                tried += 1;
            }
            // Once for each option: many games have the same.
            if !refused.insert(flag.clone()) {
                continue;
            }
            for other in list.iter().filter(|other| !options(other).contains(&option)) {
                let Some(name) = other["game"].as_str().filter(|name| !name.contains(char::is_uppercase))
                else {
                    continue;
                };
                let value = option["values"][0].as_str().unwrap();
                refuses(&["count", name, &format!("{flag}={value}")], 2, &format!("has no option {flag}"));
            }
        }
    }
    assert!(tried >= 2);
}

#[test]
fn what_is_declared_about_one_game_is_shown() {
    let shown = String::from_utf8(winset(&["games", "breakthrough"]).stdout).unwrap();
    for part in ["breakthrough ROWSxCOLUMNS", "rows", "3 to 16", "--baseline", "m1, m2"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let clobber = json(&winset(&["games", "clobber", "--json"]));
    assert_eq!(clobber["game"], "clobber");
    assert_eq!(clobber["numbers"][0], serde_json::json!({"what": "columns", "min": 1, "max": 16}));
    assert_eq!(clobber["known"][0]["positions"], 761);
    let cubi = json(&winset(&["games", "cubi-cup", "--json"]));
    assert_eq!(cubi["game"], "cubi-cup-EDGE");
    let fixed = String::from_utf8(winset(&["games", "sum-15"]).stdout).unwrap();
    assert!(fixed.contains("one size and no options"), "{fixed}");
    let hexapawn = String::from_utf8(winset(&["games", "Octopawn"]).stdout).unwrap();
    for part in ["hexapawn ROWSxCOLUMNS", "Who reaches the far row wins", "also called", "Gardner", "loss"] {
        assert!(hexapawn.contains(part), "{part}: {hexapawn}");
    }
}

/// A store records the options of its game only, and one way to write a size: the same game is the same
/// solution.
#[test]
fn a_store_knows_its_game_by_one_size_and_by_options_that_count() {
    let directory = Fresh::new("one-record");
    for (number, (given, size, options)) in [
        (vec!["breakthrough", "04X3", "--baseline", "m1"], "4x3", serde_json::json!({})),
        (vec!["breakthrough", "4x3", "--baseline", "m2"], "4x3", serde_json::json!({"baseline": "m2"})),
        (vec!["breakthrough", "4x3", "--pawns", "1"], "4x3", serde_json::json!({})),
        (vec!["breakthrough", "4x3", "--pawns", "2"], "4x3", serde_json::json!({"pawns": "2"})),
        (vec!["breakthrough", "5x2", "--pawns", "2"], "5x2", serde_json::json!({})),
        (vec!["tictactoe", "3x2x3"], "3x2", serde_json::json!({})),
        (vec!["clobber-2x2"], "", serde_json::json!({})),
        (vec!["Clobber", "2x2"], "2x2", serde_json::json!({})),
        (vec!["Gomoku", "--misere", "3x2"], "3x2", serde_json::json!({"misere": "yes"})),
        (vec!["nim", "1x2", "--misere=no"], "1x2", serde_json::json!({})),
        (vec!["nim", "2", "--start", "1  first"], "2", serde_json::json!({"start": "1 first"})),
        (vec!["nim", "2", "--start", "2 first"], "2", serde_json::json!({})),
    ]
    .into_iter()
    .enumerate()
    {
        let store = directory.path(&number.to_string());
        let solved = json(&winset(&[&["solve"], &given[..], &["--out", &store, "--json"]].concat()));
        assert_eq!(solved.get("options").unwrap_or(&serde_json::json!({})), &options, "{given:?}");
        let manifest = std::fs::read(directory.0.join(number.to_string()).join("manifest.json")).unwrap();
        let manifest: serde_json::Value = serde_json::from_slice(&manifest).unwrap();
        assert_eq!((&manifest["game"]["size"], &manifest["game"]["options"]), (&size.into(), &options));
        assert!(winset(&["query", &store]).status.success());
    }
}

/// What is stated in GDL under another name is the same game: positions and winners of every small board agree.
#[test]
fn breakthrough_in_gdl_and_built_in_are_one_game() {
    let directory = Fresh::new("twins");
    for (text, built_in) in [
        ("tic-tac-toe", &["tictactoe"][..]),
        ("connect-four-4x4", &["connect4", "4x4"]),
        ("connect-four-3x5", &["connect4", "3x5"]),
        ("breakthrough-3x4", &["breakthrough", "4x3", "--pawns", "2"]),
        ("breakthrough-2x4", &["breakthrough", "4x2", "--pawns", "2"]),
        ("breakthrough-4x4", &["breakthrough", "4x4", "--pawns", "2"]),
        ("breakthrough-2x5", &["breakthrough", "5x2"]),
        ("breakthrough-3x5", &["breakthrough", "5x3", "--pawns", "2"]),
    ] {
        let rules = winset(&["games", text, "--rules"]);
        let file = directory.write(&format!("{text}.kif"), rules.stdout);
        let gdl = json(&winset(&["solve", &file, "--json"]));
        let ours = json(&winset(&[&["solve"], built_in, &["--json"]].concat()));
        for field in ["positions", "value", "rewards"] {
            assert_eq!(gdl[field], ours[field], "{text}, {field}");
        }
    }
    // One row of pawns is another game, and says so in its name.
    let one = json(&winset(&["count", "breakthrough", "5x3", "--pawns", "1", "--json"]));
    assert_eq!(one["options"], serde_json::json!({"pawns": "1"}));
    refuses(&["solve", "breakthrough", "3x3", "--pawns", "2"], 2, "possible: 1 on 3 rows");
    refuses(&["games", "othello", "--rules"], 2, "there are no rules of \"othello\" in GDL");
}

/// Enough games to choose from, each with a value; and a position to start from is said clearly if it is none.
#[test]
fn the_list_of_games_is_long_and_says_values() {
    let list = json(&winset(&["games", "--json"]));
    let known = list.as_array().unwrap().iter().filter(|game| {
        let rows = game["known"].as_array().cloned().unwrap_or_default();
        rows.iter().any(|row| row["size"] == game["default"] && row["effort"] == "seconds")
    });
    assert!(known.count() >= 40);
    refuses(&["solve", "nim", "2", "--start", "9 first"], 2, "not a position to start from");
    refuses(&["solve", "sum-15", "--start", "nonsense"], 2, "not a position to start from");
}
