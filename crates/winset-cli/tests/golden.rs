//! A solution that was stored once and is kept: every version opens it, proves it, and gives its bytes again.
//!
//! If the bytes are meant to change, `WINSET_BLESS=1 cargo test --release -p winset-cli --test golden` writes the store
//! anew and prints what belongs into [`PINNED`]. If a version with the old bytes has been released, the number of the format in
//! FORMAT.md and in `store` goes up at the same time: somebody has files with the old number.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Of each format's number: the digest of tic-tac-toe's rules and the digest of all files of the golden store. The last
/// line is the present; earlier lines stay.
const PINNED: &[(u64, &str, &str)] = &[(
    1,
    "5fd3ff0ab8fb8e5875e2ad4e9a2f61c483752778a8fda3e0e61c6eeb262cc15b",
    "933f333739b812e74fec2d9ed0257043d44fcde253475b42f316b07ccd950553",
)];

/// What the store was made with.
const SOLVE: &[&str] = &["solve", "tictactoe", "--engine", "layers", "--distance", "--out"];

type Files = BTreeMap<String, Vec<u8>>;

/// A directory of its own, removed in the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("winset-golden-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Scratch(path)
    }

    fn text(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/tictactoe")
}

fn winset(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_winset")).args(args).output().expect("winset runs")
}

fn succeeded(args: &[&str]) -> String {
    let output = winset(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// All files but the lock, which has no contents.
fn contents(directory: &Path) -> Files {
    let files = std::fs::read_dir(directory).expect("the directory is there");
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let read = |name: String| (name.clone(), std::fs::read(directory.join(name)).unwrap());
    names.filter(|name| name != "lock").map(read).collect()
}

/// The files as another version of the program would have written them: the manifest names the version that made it
/// (`tool`), and its own digest depends on that. Nothing else may depend on the version, the time or the machine.
fn without_version(mut files: Files) -> Files {
    let manifest = String::from_utf8(files["manifest.json"].clone()).unwrap();
    let neutral = manifest.lines().map(|line| match line {
        line if line.starts_with("  \"digest\": ") => "  \"digest\": ...,\n".to_owned(),
        line if line.starts_with("  \"tool\": \"winset ") => "  \"tool\": ...,\n".to_owned(),
        line => format!("{line}\n"),
    });
    files.insert("manifest.json".to_owned(), neutral.collect::<String>().into_bytes());
    files
}

/// The digest of all names and contents.
fn digest(files: &Files) -> String {
    let mut hasher = blake3::Hasher::new();
    for (name, bytes) in files {
        for part in [name.as_bytes(), bytes] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
    }
    hasher.finalize().to_hex().to_string()
}

fn manifest(files: &Files) -> serde_json::Value {
    serde_json::from_slice(&files["manifest.json"]).expect("the manifest is JSON")
}

fn version() -> serde_json::Value {
    serde_json::json!(concat!("winset ", env!("CARGO_PKG_VERSION")))
}

#[test]
fn solving_again_gives_the_golden_bytes() {
    let scratch = Scratch::new("again");
    succeeded(&[SOLVE, &[scratch.text()]].concat());
    let found = contents(&scratch.0);
    if std::env::var_os("WINSET_BLESS").is_some() {
        let _ = std::fs::remove_dir_all(golden());
        std::fs::create_dir_all(golden()).unwrap();
        found.iter().for_each(|(name, bytes)| std::fs::write(golden().join(name), bytes).unwrap());
        let new = manifest(&found);
        panic!(
            "written anew; PINNED: ({}, {}, {:?})",
            new["format"],
            new["rules"],
            digest(&without_version(found))
        );
    }
    let kept = contents(&golden());
    let same_version = manifest(&kept)["tool"] == version();
    let (found, kept) =
        if same_version { (found, kept) } else { (without_version(found), without_version(kept)) };
    assert_eq!(found.keys().collect::<Vec<_>>(), kept.keys().collect::<Vec<_>>());
    for (name, bytes) in &kept {
        let at = bytes.iter().zip(&found[name]).position(|(a, b)| a != b);
        assert!(found[name] == *bytes, "{name} differs, {at:?}; if that is meant, see this file's head");
    }
}

#[test]
fn the_golden_store_opens_and_is_proved() {
    // A check writes down that it was made: in a copy.
    let scratch = Scratch::new("copy");
    std::fs::create_dir_all(&scratch.0).unwrap();
    for (name, bytes) in contents(&golden()) {
        std::fs::write(scratch.0.join(name), bytes).unwrap();
    }
    let said = succeeded(&["verify", scratch.text()]);
    assert!(said.contains("the solution is proved"), "{said}");
    let store = golden();
    let query = succeeded(&["query", store.to_str().unwrap(), "--moves", "a1 a2 b1 b2", "--json"]);
    let answer: serde_json::Value = serde_json::from_str(&query).unwrap();
    assert_eq!(answer["sentence"], "X wins in 1 ply", "{answer}");
}

#[test]
fn what_is_pinned_is_what_is_kept_and_described() {
    let files = contents(&golden());
    let kept = manifest(&files);
    let &(format, rules, bytes) = PINNED.last().unwrap();
    assert!(PINNED.windows(2).all(|pair| pair[0].0 < pair[1].0), "other bytes, another number");
    assert_eq!(kept["format"], format);
    assert_eq!(
        kept["rules"], rules,
        "the rules' digest has changed: stores of old versions cannot be resumed"
    );
    assert_eq!(digest(&without_version(files)), bytes);
    let page =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../FORMAT.md")).unwrap();
    let title = page.lines().next().unwrap();
    assert!(title.ends_with(&format!("version {format}")), "FORMAT.md describes another format: {title}");
}
