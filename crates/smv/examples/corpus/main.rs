//! A folder of SMV files against what another program says of them: one table.
//!
//! ```console
//! $ cargo run --release -p winset-smv --example corpus -- FOLDER [PART OF A NAME]
//! $ cargo run --release -p winset-smv --example corpus -- --nusmv PROGRAM FOLDER [PART OF A NAME]
//! ```
//!
//! The folder has `models/*.smv` and `oracle.tsv`: a line a file with its name, the number of reachable states, two
//! columns that are not read, and the verdicts as JSON, `[["specification" or "invariant", text, "true" or "false"], ...]`.
//! Every file is read and checked by a process of its own, which may take 60 seconds of CPU (`WINSET_CORPUS_SECONDS`).
//!
//! With `--nusmv` that program checks every file too, on the same machine and one after the other, and what both take is
//! printed side by side: seconds of CPU, peak memory, and the ratio of seconds. Models below a tenth of a second with both
//! are not listed. NuSMV 2.5.4 reads no letters beyond ASCII and never ends where a comment is not followed by the end of its
//! line, so that it gets a copy without either.

mod compare;
mod process;

use compare::{Said, compare, parse, same_count, verdict};
use process::{Cost, beside, in_a_process};
use std::collections::BTreeMap;
use std::path::Path;
use winset_formula::Property;
use winset_mu::{Paths, Query, Universe, Whole, answer};
use winset_smv::{Limits, Severity, cone, read};
use winset_symbolic::Options;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--one", file] => one(file),
        ["--nusmv", program, folder] => ratios(program, Path::new(folder), ""),
        ["--nusmv", program, folder, part] => ratios(program, Path::new(folder), part),
        [folder] => table(Path::new(folder), ""),
        [folder, part] => table(Path::new(folder), part),
        _ => println!("give a folder with models/*.smv and oracle.tsv"),
    }
}

/// A file checked by this program.
fn ours(file: &Path) -> (String, Cost) {
    let program = std::env::current_exe().expect("a program has a path");
    in_a_process(&program, &["--one".as_ref(), file.as_os_str()])
}

/// What both programs take, side by side.
fn ratios(program: &str, folder: &Path, part: &str) {
    let models = std::fs::read_dir(folder.join("models")).expect("models");
    let mut files: Vec<_> = models.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| file.to_string_lossy().contains(part));
    files.sort();
    let mut rows = vec![];
    for file in files {
        let ((_, ours), theirs) = (ours(&file), beside(program, &file));
        rows.push((file.file_name().unwrap_or_default().to_string_lossy().into_owned(), ours, theirs));
    }
    process::print(&rows);
}

/// What another program says of a file.
struct Oracle {
    states: String,
    /// Kind, text and verdict of every specification, in its order.
    verdicts: Vec<(bool, String, bool)>,
}

fn table(folder: &Path, part: &str) {
    let oracle = std::fs::read_to_string(folder.join("oracle.tsv")).expect("oracle.tsv");
    let mut sums = BTreeMap::<String, usize>::new();
    let mut count = |what: &str| *sums.entry(what.to_owned()).or_default() += 1;
    for line in oracle.lines().filter(|line| !line.starts_with('#')) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [file, states, .., verdicts] = columns[..] else { continue };
        if !file.contains(part) {
            continue;
        }
        count("files");
        let oracle = Oracle { states: states.to_owned(), verdicts: parse(verdicts) };
        let (said, cost) = ours(&folder.join("models").join(file));
        let fields: BTreeMap<&str, &str> = said.lines().filter_map(|line| line.split_once('\t')).collect();
        let (cpu, memory) = (format!("{:.2} s", cost.seconds), format!("{}M", cost.memory >> 20));
        let verdicts: Vec<Said> = said.lines().filter_map(verdict).collect();
        let answer = match (fields.get("refused"), fields.get("states"), fields.get("error")) {
            (Some(why), ..) => {
                count("refused");
                format!("refused: {why}")
            }
            (None, Some(&states), _) => {
                count("loaded");
                let same = same_count(states, &oracle.states);
                count(if same { "states equal" } else { "states DIFFER" });
                let mut text = format!("{states} states{}", if same { "" } else { " DIFFER" });
                if !same {
                    text += &format!(" from {}", oracle.states);
                }
                let [equal, open, wrong] = compare(&verdicts, &oracle.verdicts);
                text += &format!(", {equal} verdicts equal");
                (0..equal).for_each(|_| count("verdicts equal"));
                (0..open).for_each(|_| count("verdicts not checked"));
                (0..wrong).for_each(|_| count("verdicts DIFFER"));
                if open > 0 {
                    text += &format!(", {open} not checked");
                }
                if wrong > 0 {
                    text += &format!(", {wrong} DIFFER");
                }
                text
            }
            (None, None, error) => {
                count(if fields.contains_key("loaded") { "loaded" } else { "no answer on loading" });
                count("not checked");
                format!("not checked: {}", error.copied().unwrap_or("out of time, or ended by a signal"))
            }
        };
        println!("{cpu:>8} {memory:>6}  {file}: {answer}");
    }
    sums.iter().for_each(|(what, number)| println!("{number:>6} {what}"));
}

/// Reads and checks one file, and says what it finds in lines.
fn one(file: &str) {
    let bytes = std::fs::read(file).expect("the file can be read");
    let text = String::from_utf8_lossy(&bytes);
    let work = || match read(&text, &Limits::default()) {
        Err(found) => {
            let first = found.iter().find(|d| d.severity == Severity::Error);
            let line = first.map_or(0, |d| text[..d.span.start].matches('\n').count() + 1);
            println!("refused\tline {line}: {}", first.map_or("", |d| &d.message));
        }
        Ok(model) => {
            println!("loaded\t");
            let properties: Vec<_> = model.specs.iter().map(|spec| spec.property.clone()).collect();
            let asked = model.specs.iter().flat_map(|spec| spec.property.sets());
            let small = match model.specs.is_empty() {
                true => None,
                false => cone(&model.system, asked.chain(model.fairness.sets())),
            };
            let query = Query {
                system: small.as_ref().map_or(&model.system, |cone| &cone.system),
                whole: small.as_ref().map(|_| Whole { system: &model.system, at_any_cost: true }),
                properties: &properties,
                paths: Paths::Fair(&model.fairness),
                scope: Universe::Reachable.into(),
                order: None,
                options: &Options::default(),
                certify: false,
                progress: None,
            };
            match answer(&query) {
                Err(error) => println!("error\t{error}"),
                Ok(Err(error)) => println!("error\t{error}"),
                Ok(Ok(report)) => {
                    let known = report.states < u128::MAX;
                    let states =
                        if known { report.states.to_string() } else { report.states_about.to_string() };
                    println!("states\t{states}");
                    let mut verdicts = report.verdicts.iter();
                    for spec in &model.specs {
                        let verdict = verdicts.next();
                        let text = spec.text.replace(['\n', '\t'], " ");
                        let holds = verdict.map(|verdict| verdict.holds);
                        let kind = match spec.property {
                            Property::Invariant(_) => "invariant",
                            Property::Distance { .. } => {
                                println!("distance\t{:?}\t{text}", verdict.and_then(|v| v.distance));
                                continue;
                            }
                            _ => "specification",
                        };
                        let holds = holds.map_or("?".to_owned(), |holds| holds.to_string());
                        println!("verdict\t{kind}\t{holds}\t{text}");
                    }
                }
            }
        }
    };
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(96 << 20);
        let _ = builder.spawn_scoped(scope, work).expect("a thread").join();
    });
}
