//! The guide and the README are true: every command in them is run, and prints what stands below it.
//!
//! In a block of the kind `console` a line that begins with `$ ` is a command, and what it prints stands below; a line `...`
//! stands for any lines. `cargo run --release -- ` means the program; commands of other programs than those in
//! `RUN_HERE` belong to `docs/follow.sh`. A block after `<!-- file: NAME -->` is a file that later commands of the page
//! use. In blocks of the kind `sh` are commands that would not end or need a screen: of them the verbs and flags are looked
//! up. `WINSET_BLESS=1` writes what is printed now into the pages; what the lines `...` leave out stays out where it still
//! fits.

mod guide {
    pub mod notation;
    pub mod page;
}

use guide::page::{Block, Page, same};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use winset_papers::EXPERIMENTS;

/// First words of commands that are run. The others build or install something.
const RUN_HERE: &[&str] = &["winset", "printf", "cat", "head", "ls"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn pages() -> Vec<PathBuf> {
    let listed = std::fs::read_dir(root().join("docs")).unwrap();
    let mut pages: Vec<PathBuf> = listed.map(|entry| entry.unwrap().path()).collect();
    pages.retain(|path| path.extension().is_some_and(|ending| ending == "md"));
    pages.push(root().join("README.md"));
    pages.sort();
    pages
}

/// What the program prints for a command of the shell, with what goes to standard error where it comes.
fn run(command: &str, directory: &Path) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_winset"));
    let path = std::env::var("PATH").unwrap_or_default();
    // A command that waits for ever, such as a server, belongs into a block that is not run.
    let output = Command::new("timeout")
        .args(["120", "sh", "-c", &format!("exec 2>&1; {command}")])
        .current_dir(directory)
        .env("PATH", format!("{}:{path}", program.parent().unwrap().display()))
        .env("HOME", directory)
        .env("XDG_CACHE_HOME", directory.join("cache"))
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

fn is_run(command: &str) -> bool {
    RUN_HERE.contains(&command.split_whitespace().next().unwrap_or(""))
}

#[test]
fn every_command_prints_what_stands_below_it() {
    let (bless, mut ran, mut wrong) = (std::env::var_os("WINSET_BLESS").is_some(), 0, vec![]);
    for path in pages() {
        let directory = tempfile::tempdir().unwrap();
        let mut page = Page::read(&path);
        for block in &mut page.blocks {
            match block {
                Block::File { name, text } => std::fs::write(directory.path().join(name), text).unwrap(),
                Block::Console(commands) => {
                    for said in commands {
                        let command = said.command.replace("cargo run --release -- ", "winset ");
                        if !is_run(&command) {
                            continue;
                        }
                        ran += 1;
                        let printed = run(&command, directory.path());
                        if !same(&said.output, &printed) {
                            wrong.push(format!(
                                "{}:{}: $ {command}\n{printed}\nand not\n{}",
                                path.display(),
                                said.line,
                                said.output
                            ));
                            said.output = printed;
                        }
                    }
                }
                Block::Shell(_) | Block::Text(_) => {}
            }
        }
        if bless && !wrong.is_empty() {
            std::fs::write(&path, page.to_string()).unwrap();
        }
    }
    assert!(ran > 30, "only {ran} commands were found");
    assert!(bless || wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn commands_that_are_not_run_have_verbs_and_flags_that_exist() {
    let (mut in_blocks, mut in_sentences, mut wrong) = (0, 0, vec![]);
    for path in pages() {
        let page = Page::read(&path);
        let of_blocks = page.blocks.iter().filter_map(|block| match block {
            Block::Shell(lines) => Some(lines),
            _ => None,
        });
        let of_blocks =
            of_blocks.flatten().map(|line| line.split('#').next().unwrap_or("").trim().to_owned());
        let of_blocks: Vec<String> = of_blocks.filter(|line| line.starts_with("winset ")).collect();
        let text = std::fs::read_to_string(&path).unwrap();
        // What stands between two backticks of a line.
        let quoted = text.lines().flat_map(|line| line.split('`').skip(1).step_by(2));
        let quoted: Vec<&str> = quoted.filter(|code| code.starts_with("winset ")).collect();
        (in_blocks, in_sentences) = (in_blocks + of_blocks.len(), in_sentences + quoted.len());
        for line in of_blocks.iter().map(String::as_str).chain(quoted) {
            let mut words = line.split_whitespace().skip(1);
            let verb = words.next().unwrap();
            // A placeholder, or a flag of the program itself.
            if !verb.starts_with(|first: char| first.is_ascii_lowercase()) {
                continue;
            }
            let help = run(&format!("winset {verb} --help"), &root());
            if !help.contains(&format!("Usage: winset {verb}")) {
                wrong.push(format!("{}: {line}: there is no {verb}", path.display()));
            }
            for flag in words.filter(|word| word.starts_with("--")) {
                let flag = flag.split('=').next().unwrap();
                if !help.contains(flag) {
                    wrong.push(format!("{}: {line}: there is no {flag}", path.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(in_blocks > 3 && in_sentences > 30, "only {in_blocks} and {in_sentences} commands were found");
}

#[test]
fn the_page_of_published_results_names_every_experiment_and_no_other() {
    let text = std::fs::read_to_string(root().join("docs/published.md")).unwrap();
    let named = text.split("winset reproduce ").skip(1);
    let named: BTreeSet<&str> = named.filter_map(|rest| rest.split([' ', '`', '\n']).next()).collect();
    // What compares with files from elsewhere is nobody's publication.
    let all = EXPERIMENTS.iter().map(|experiment| experiment.name).filter(|name| *name != "gdl-oracle");
    assert_eq!(named, all.collect());
}

#[test]
fn links_lead_to_files_and_the_table_of_contents_has_every_page() {
    let contents = std::fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    for path in pages() {
        let text = std::fs::read_to_string(&path).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = link.split('#').next().unwrap_or("");
            if !file.is_empty() && !file.contains("://") {
                let target = path.parent().unwrap().join(file);
                assert!(target.exists(), "{}: {link} leads nowhere", path.display());
            }
        }
        let name = path.file_name().unwrap().to_str().unwrap();
        let listed = path.parent().unwrap().ends_with("docs") && name != "SUMMARY.md";
        assert!(!listed || contents.contains(&format!("({name})")), "SUMMARY.md does not list {name}");
    }
}

#[test]
fn the_table_of_notations_is_that_of_the_catalogue() {
    let path = root().join("docs/notation.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let made = guide::notation::page(&text);
    if std::env::var_os("WINSET_BLESS").is_some() {
        std::fs::write(&path, &made).unwrap();
    } else {
        assert!(text == made, "docs/notation.md is not what the games say: WINSET_BLESS=1 writes it");
    }
}
