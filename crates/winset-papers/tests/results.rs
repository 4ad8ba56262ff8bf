//! RESULTS.md says what the files of results/ say.

use std::path::Path;
use winset_papers::results::{Set, page};

#[test]
fn the_page_is_what_the_files_give() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let sets = Set::read_all(&root.join("results")).unwrap();
    assert!(sets.len() > 10, "{} sets", sets.len());
    let written = std::fs::read_to_string(root.join("RESULTS.md")).unwrap();
    assert!(
        written == page(&sets),
        "RESULTS.md is not what results/*.json give: cargo run --release -p winset-papers --example results -- render"
    );
}

/// A file is written as it is read, so that measuring again changes what was measured and nothing else.
#[test]
fn files_are_written_as_they_are_read() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results");
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(Set::read(&path).unwrap().text(), text, "{}", path.display());
    }
}
