//! Compiles GDL files and prints their sizes and where the time went.
//!
//! `cargo run --release -p winset-gdl --example corpus -- FILE_OR_DIRECTORY...`

use std::path::{Path, PathBuf};

fn files(path: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(path) else { return vec![path.to_owned()] };
    let mut list: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    list.retain(|p| p.extension().is_some_and(|e| e == "kif"));
    list.sort();
    list
}

fn main() {
    for path in std::env::args().skip(1).flat_map(|a| files(Path::new(&a))) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let Ok(bytes) = std::fs::read(&path) else {
            println!("{name:40} cannot be read");
            continue;
        };
        let started = std::time::Instant::now();
        match winset_gdl::compile(&name, &bytes, &Default::default()) {
            Ok(compiled) => {
                let s = compiled.summary;
                let stages: Vec<String> =
                    s.stages.iter().map(|(n, t)| format!("{n} {:.2}", t.as_secs_f64())).collect();
                println!(
                    "{name:40} {:6.2} s {:5} fluents {:5} variables {:7} moves {:7} expressions {:6} rules \
                     {:6} states{} ({})",
                    s.time.as_secs_f64(),
                    s.fluents,
                    s.variables,
                    s.moves,
                    s.expressions,
                    s.rules,
                    s.explored,
                    if s.complete { "!" } else { "" },
                    stages.join(", ")
                );
            }
            Err(rejection) => {
                let text: String = rejection.to_string().chars().take(200).collect();
                println!("{name:40} {:6.2} s {text}", started.elapsed().as_secs_f64());
            }
        }
    }
}
