//! Measures a set of `results/` again, or renders RESULTS.md from all of them.
//!
//! ```console
//! $ cargo build --release && cargo run --release -p winset-papers --example results -- measure boards-layers
//! $ cargo run --release -p winset-papers --example results -- measure boards-layers connect4   # runs with this word only
//! $ cargo run --release -p winset-papers --example results -- render
//! ```

mod measure;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use winset_papers::results::{Set, page};
use winset_report::plot::Series;

type Done = Result<(), Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    winset_yardstick::be_child();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments.as_slice() {
        ["render"] => render(),
        ["measure", name] => measure::again(&file(name), "").and_then(|()| render()),
        ["measure", name, word] => measure::again(&file(name), word).and_then(|()| render()),
        _ => {
            eprintln!("usage: results render | results measure NAME [WORD]");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("results: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn file(name: &str) -> PathBuf {
    root().join("results").join(format!("{name}.json"))
}

fn render() -> Done {
    let sets = Set::read_all(&root().join("results"))?;
    std::fs::write(root().join("RESULTS.md"), page(&sets))?;
    plot(&file("connect4-sizes"), &root().join("docs/pictures/ns-per-position.svg"))
}

/// What a position takes, over the number of positions.
fn plot(set: &Path, picture: &Path) -> Done {
    let set: serde_json::Value = serde_json::from_slice(&std::fs::read(set)?)?;
    let runs = set["runs"].as_array().into_iter().flatten();
    let points = runs.filter_map(|run| {
        let positions: f64 = run["figures"][0].as_str()?.replace(',', "").parse().ok()?;
        Some((positions.log10(), run["figures"][2].as_f64()?))
    });
    let series = Series { name: "Connect Four 4x4 to 7x6".to_owned(), points: points.collect() };
    let (across, up) = ("positions, powers of ten", "ns of CPU");
    let drawn = winset_report::plot::lines("What a position takes", across, up, &[series])?;
    Ok(std::fs::write(picture, drawn)?)
}
