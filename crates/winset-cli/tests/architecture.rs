//! Arrows between the crates point one way.

use std::collections::BTreeMap;
use std::process::Command;

/// What each crate may depend on inside the project. The binary may use everything.
const ALLOWED: &[(&str, &[&str])] = &[
    ("diagnostic", &[]),
    ("model", &["diagnostic"]),
    ("work", &[]),
    ("games", &["model"]),
    ("gdl", &["diagnostic", "model"]),
    ("formula", &["diagnostic", "model"]),
    ("smv", &["diagnostic", "formula", "model"]),
    ("parity", &["diagnostic"]),
    ("aiger", &["diagnostic", "formula", "model", "symbolic"]),
    ("index", &["model"]),
    ("progress", &["model"]),
    ("symmetry", &["model"]),
    ("settle", &["model"]),
    ("symbolic", &["index", "model", "progress", "work"]),
    // Certificates are data, and their check knows no engine.
    ("certify", &["formula", "model"]),
    ("mu", &["certify", "formula", "model", "symbolic"]),
    ("reorder", &["model", "symbolic"]),
    // An experiment: what the Othello thesis leaves to others.
    ("pdr", &["model"]),
    ("layers", &["index", "model", "progress", "settle", "symmetry", "work"]),
    ("explicit", &["model", "progress", "settle", "symmetry", "work"]),
    ("store", &["index", "model", "progress"]),
    ("verify", &["index", "model", "store"]),
    ("report", &["model"]),
    ("explore", &["diagnostic", "index", "model", "report", "store"]),
    // The library: everything but the formulas' engine, which answers about models and not about games.
    (
        "winset",
        &[
            "diagnostic",
            "explicit",
            "explore",
            "games",
            "gdl",
            "index",
            "layers",
            "model",
            "progress",
            "reorder",
            "smv",
            "store",
            "symbolic",
            "verify",
            "work",
        ],
    ),
    // Published tables: the library, and what is inside of engines (nodes, iterations, formulas' fixed points).
    (
        "papers",
        &["formula", "games", "gdl", "layers", "model", "mu", "reorder", "report", "symbolic", "winset"],
    ),
    // Another way to run the layer engine: many processes, one store.
    ("cluster", &["index", "layers", "model", "store", "verify", "winset"]),
    // One way to use the library.
    ("serve", &["explore", "index", "model", "store", "winset"]),
    // Another: rules from a game server, solved where that can be done, searched as they stand where it cannot.
    ("player", &["gdl", "model", "winset"]),
    // For benches only: the unit of speed.
    ("yardstick", &[]),
    // For tests only: a plain solver and its stores.
    ("reference", &["games", "index", "model", "store"]),
];

/// The project's own crates with their ordinary dependencies on each other, by short names.
fn dependencies() -> BTreeMap<String, Vec<String>> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    packages
        .iter()
        .map(|package| {
            let dependencies = package["dependencies"].as_array().expect("dependencies");
            let own = dependencies
                .iter()
                .filter(|d| d["kind"].is_null())
                .filter_map(|d| d["name"].as_str()?.strip_prefix("winset-"))
                .map(str::to_owned);
            let name = package["name"].as_str().expect("a name");
            (name.trim_start_matches("winset-").to_owned(), own.collect())
        })
        .collect()
}

#[test]
fn every_crate_depends_only_on_what_it_may_know() {
    let dependencies = dependencies();
    assert!(dependencies.contains_key("model"), "the metadata lists the crates");
    for (name, uses) in dependencies.iter().filter(|(name, _)| name.as_str() != "cli") {
        let allowed = ALLOWED.iter().find(|(known, _)| known == name);
        let (_, allowed) = allowed.unwrap_or_else(|| panic!("{name} is not on the map in ARCHITECTURE.md"));
        for used in uses {
            assert!(allowed.contains(&used.as_str()), "{name} must not know {used}");
        }
    }
}

/// Whatever people read passes `output`, where names are made visible and a reader who has gone is no error.
#[test]
fn nothing_is_printed_but_through_one_door() {
    let crates = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("crates/");
    let mut folders: Vec<_> =
        std::fs::read_dir(crates).unwrap().map(|e| e.unwrap().path().join("src")).collect();
    // The yardstick is a program of its own, without names.
    folders.retain(|folder| !folder.ends_with("yardstick/src"));
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            seen += 1;
            let text = std::fs::read_to_string(&path).unwrap();
            for (number, line) in text.lines().enumerate() {
                let code = line.split("//").next().unwrap_or("");
                let prints = ["println!", "print!(", "io::stdout()", "io::stderr()", "stdout().lock"];
                let asks = code.contains("is_terminal()");
                let found = prints.iter().find(|word| code.contains(*word) && !asks);
                let door = path.ends_with("winset-cli/src/output.rs")
                    || path.ends_with("winset-cli/src/allocation.rs");
                assert!(found.is_none() || door, "{}:{}: {line}", path.display(), number + 1);
            }
        }
    }
    assert!(seen > 100, "{seen} files");
}
