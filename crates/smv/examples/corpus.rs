//! A folder of SMV files against what another program says of them: one table.
//!
//! ```console
//! $ cargo run --release -p winset-smv --example corpus -- FOLDER [PART OF A NAME]
//! ```
//!
//! The folder has `models/*.smv` and `oracle.tsv`: a line a file with its name, the number of reachable states, two
//! columns that are not read, and the verdicts as JSON, `[["specification" or "invariant", text, "true" or "false"], ...]`.
//! Every file is read and checked by a process of its own, which may take 60 seconds (`WINSET_CORPUS_SECONDS`).

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use winset_formula::Property;
use winset_mu::{Paths, Query, Universe, answer};
use winset_smv::{Limits, Severity, read};
use winset_symbolic::Options;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--one", file] => one(file),
        [folder] => table(Path::new(folder), ""),
        [folder, part] => table(Path::new(folder), part),
        _ => println!("give a folder with models/*.smv and oracle.tsv"),
    }
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
        let (said, seconds) = in_a_process(&folder.join("models").join(file));
        let fields: BTreeMap<&str, &str> = said.lines().filter_map(|line| line.split_once('\t')).collect();
        let cpu = fields.get("cpu").map_or_else(|| format!("{seconds:.1} s"), |cpu| format!("{cpu} s"));
        let memory = fields.get("memory").copied().unwrap_or("?");
        let verdicts: Vec<(bool, String, Option<bool>)> = said.lines().filter_map(verdict).collect();
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

/// A file in a process of its own, and how long that took.
fn in_a_process(file: &Path) -> (String, f64) {
    let limit =
        std::env::var("WINSET_CORPUS_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(60.0);
    let began = Instant::now();
    let mut child = Command::new(std::env::current_exe().expect("a program has a path"))
        .arg("--one")
        .arg(file)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("a process");
    let mut output = child.stdout.take().expect("piped");
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        let _ = output.read_to_string(&mut text);
        text
    });
    while child.try_wait().expect("a child can be waited for").is_none() {
        if began.elapsed().as_secs_f64() > limit {
            let _ = child.kill();
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    (reader.join().unwrap_or_default(), began.elapsed().as_secs_f64())
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
            let query = Query {
                system: &model.system,
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
                        let holds = verdicts.next().map(|verdict| verdict.holds);
                        let kind = match spec.property {
                            Property::Invariant(_) => "invariant",
                            Property::Distance { .. } => continue,
                            _ => "specification",
                        };
                        let holds = holds.map_or("?".to_owned(), |holds| holds.to_string());
                        println!("verdict\t{kind}\t{holds}\t{}", spec.text.replace(['\n', '\t'], " "));
                    }
                }
            }
        }
    };
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(96 << 20);
        let _ = builder.spawn_scoped(scope, work).expect("a thread").join();
    });
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let numbers: Vec<f64> = stat.split(' ').map(|n| n.parse().unwrap_or(0.0)).collect();
    if numbers.len() > 15 {
        println!("cpu\t{:.2}", (numbers[13] + numbers[14]) / 100.0);
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak = peak.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
    println!("memory\t{}M", peak.unwrap_or(0) >> 10);
}

fn verdict(line: &str) -> Option<(bool, String, Option<bool>)> {
    let fields: Vec<&str> = line.splitn(4, '\t').collect();
    let ["verdict", kind, holds, text] = fields[..] else { return None };
    Some((kind == "invariant", text.to_owned(), holds.parse().ok()))
}

/// The list of lists of three strings each that the oracle's last column is.
fn parse(text: &str) -> Vec<(bool, String, bool)> {
    let mut strings = vec![];
    let mut open: Option<String> = None;
    let mut escaped = false;
    for c in text.chars() {
        match &mut open {
            Some(string) if escaped => {
                string.push(c);
                escaped = false;
            }
            Some(_) if c == '\\' => escaped = true,
            Some(_) if c == '"' => strings.extend(open.take()),
            Some(string) => string.push(c),
            None if c == '"' => open = Some(String::new()),
            None => {}
        }
    }
    strings.chunks_exact(3).map(|s| (s[0] == "invariant", s[1].clone(), s[2] == "true")).collect()
}

/// Large numbers are given with six digits.
fn same_count(ours: &str, theirs: &str) -> bool {
    let (Ok(a), Ok(b)) = (ours.parse::<f64>(), theirs.parse::<f64>()) else { return false };
    ours == theirs || format!("{a:.5e}") == format!("{b:.5e}")
}

/// How many verdicts are equal, are not given and differ. Specifications of instances come in another order, so that they
/// are told apart by their texts where it is not the same one.
fn compare(ours: &[(bool, String, Option<bool>)], theirs: &[(bool, String, bool)]) -> [usize; 3] {
    let plain = |text: &str| -> String {
        let text = text.rsplit_once(" IN ").map_or(text, |(text, _)| text);
        text.chars().filter(|c| !c.is_whitespace() && !matches!(c, '(' | ')')).collect()
    };
    let mut open: Vec<&(bool, String, Option<bool>)> = ours.iter().collect();
    let (mut equal, mut unknown, mut wrong) = (0, 0, 0);
    let mut rest = vec![];
    for (invariant, text, holds) in theirs {
        let same = |o: &&&(bool, String, Option<bool>)| o.0 == *invariant && plain(&o.1) == plain(text);
        let candidates: Vec<_> = open.iter().filter(same).copied().collect();
        let best = candidates.iter().find(|o| o.2 == Some(*holds)).or(candidates.first());
        let Some(&found) = best else {
            rest.push((invariant, holds));
            continue;
        };
        open.retain(|o| !std::ptr::eq(*o, found));
        match found.2 {
            None => unknown += 1,
            Some(said) if said == *holds => equal += 1,
            Some(_) => wrong += 1,
        }
    }
    // What is written in another way: by number.
    for (invariant, holds) in rest {
        let same = open.iter().position(|o| o.0 == *invariant);
        match same.map(|i| open.remove(i).2) {
            Some(None) => unknown += 1,
            Some(Some(said)) if said == *holds => equal += 1,
            _ => wrong += 1,
        }
    }
    [equal, unknown, wrong]
}
