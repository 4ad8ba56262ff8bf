//! A page of Markdown with its commands.

use std::fmt;
use std::path::Path;

/// A part of a page.
pub enum Block {
    /// A file that commands use.
    File { name: String, text: String },
    /// Commands with what they print.
    Console(Vec<Said>),
    /// Commands that are not run.
    Shell(Vec<String>),
    /// Everything else.
    Text(String),
}

/// A command and what stands below it.
pub struct Said {
    pub line: usize,
    pub command: String,
    pub output: String,
}

/// A page in parts, which together are the page.
pub struct Page {
    pub blocks: Vec<Block>,
    /// What stands around the files, so that the page can be written again.
    fences: Vec<(String, String)>,
}

impl Page {
    pub fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap();
        let mut page = Page { blocks: vec![], fences: vec![] };
        let mut lines = text.lines().enumerate().peekable();
        let (mut plain, mut file) = (String::new(), None);
        while let Some((_, line)) = lines.next() {
            let Some(kind) = line.strip_prefix("```") else {
                if let Some(name) = line.strip_prefix("<!-- file: ") {
                    file = Some(name.trim_end_matches(" -->").to_owned());
                }
                plain.push_str(&format!("{line}\n"));
                continue;
            };
            let mut inside = vec![];
            for (number, line) in lines.by_ref() {
                if line == "```" {
                    break;
                }
                inside.push((number + 1, line));
            }
            page.push(Block::Text(std::mem::take(&mut plain)), "", "");
            let body = || inside.iter().map(|(_, line)| format!("{line}\n")).collect::<String>();
            let block = match (file.take(), kind) {
                (Some(name), _) => Block::File { name, text: body() },
                (None, "console") => Block::Console(said(&inside)),
                (None, "sh") => Block::Shell(inside.iter().map(|&(_, line)| line.to_owned()).collect()),
                (None, _) => Block::Text(body()),
            };
            page.push(block, &format!("{line}\n"), "```\n");
        }
        page.push(Block::Text(plain), "", "");
        page
    }

    fn push(&mut self, block: Block, before: &str, after: &str) {
        self.blocks.push(block);
        self.fences.push((before.to_owned(), after.to_owned()));
    }
}

fn said(inside: &[(usize, &str)]) -> Vec<Said> {
    let mut all: Vec<Said> = vec![];
    for &(line, text) in inside {
        match (text.strip_prefix("$ "), all.last_mut()) {
            (Some(command), _) => {
                all.push(Said { line, command: command.to_owned(), output: String::new() });
            }
            (None, Some(last)) => last.output.push_str(&format!("{text}\n")),
            (None, None) => panic!("line {line}: a block of commands begins with a command"),
        }
    }
    all
}

impl fmt::Display for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (block, (before, after)) in self.blocks.iter().zip(&self.fences) {
            f.write_str(before)?;
            match block {
                Block::Text(text) | Block::File { text, .. } => f.write_str(text)?,
                Block::Shell(lines) => lines.iter().try_for_each(|line| writeln!(f, "{line}"))?,
                Block::Console(commands) => {
                    for said in commands {
                        let output = said.output.trim_end_matches('\n');
                        writeln!(f, "$ {}", said.command)?;
                        if !output.is_empty() {
                            writeln!(f, "{output}")?;
                        }
                    }
                }
            }
            f.write_str(after)?;
        }
        Ok(())
    }
}

/// What is printed is what the page says. Lines `...` stand for any lines; what varies is compared by its form.
pub fn same(said: &str, printed: &str) -> bool {
    let (said, printed) = (lines(said), lines(printed));
    let parts: Vec<&[String]> = said.split(|line| line.trim() == "...").collect();
    let mut rest = printed.as_slice();
    for (number, part) in parts.iter().enumerate() {
        let (first, last) = (number == 0, number + 1 == parts.len());
        let at = match (first, last) {
            (true, true) => return *part == rest,
            (true, false) => rest.starts_with(part).then_some(0),
            (false, true) => rest.ends_with(part).then(|| rest.len() - part.len()),
            (false, false) => (0..=rest.len()).find(|&at| rest[at..].starts_with(part)),
        };
        let Some(at) = at else { return false };
        rest = &rest[at + part.len()..];
    }
    true
}

/// Lines without what varies, and without empty ones at the end.
fn lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text.lines().map(steady).collect();
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    lines
}

/// A line in which times and peaks of memory are all alike: `0.11 s`, `12.6 MiB peak memory`, and the number with two
/// decimals that ends a row of a table with the column of seconds.
fn steady(line: &str) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let seconds = |word: &str| {
        let parts: Vec<&str> = word.split('.').collect();
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        matches!(parts.as_slice(), [whole, two] if digits(whole) && digits(two) && two.len() == 2)
    };
    let mut steady: Vec<&str> = vec![];
    for (at, &word) in words.iter().enumerate() {
        let after = |n: usize| words.get(at + n).copied().unwrap_or("");
        let timed = seconds(word) && (after(1) == "s;" || after(1) == "s");
        let peak = after(2) == "peak" && after(3).starts_with("memory");
        let last = at + 1 == words.len() && seconds(word) && words.len() > 8;
        match timed || peak || last {
            true => steady.push("#"),
            false if peak_unit(&words, at) => steady.push("B"),
            false => steady.push(word),
        }
    }
    // A wider time makes its column wider.
    let all_words: Vec<&str> = line.split_whitespace().collect();
    match words.len() > 8 && all_words.last().is_some_and(|word| seconds(word)) {
        true => [&all_words[..all_words.len() - 1], &["#"]].concat().join(" "),
        false if all_words.last() == Some(&"seconds") => all_words.join(" "),
        false => steady.join(" "),
    }
}

/// The unit of a peak of memory.
fn peak_unit(words: &[&str], at: usize) -> bool {
    let next = |n: usize| words.get(at + n).copied().unwrap_or("");
    next(1) == "peak" && next(2).starts_with("memory")
}

#[test]
fn what_varies_is_told_apart_from_what_must_not() {
    assert!(same("a\n...\nd\n", "a\nb\nc\nd\n") && same("...\n", "x\n") && same("a\n", "a\n\n"));
    assert!(
        !same("a\n...\nd\n", "a\nb\nc\n") && !same("a\n", "a\nb\n") && !same("a\n...\nb\n...\nc", "a\nc\n")
    );
    let summary = |seconds: &str| format!("5 positions; {seconds} s; 12.6 MiB peak memory; engine layers");
    assert!(same(&summary("0.11"), &summary("12.34").replace("12.6 MiB", "1.2 GiB")));
    assert!(!same(&summary("0.11"), &summary("0.11").replace("5 pos", "6 pos")));
    assert!(same("    0        0     1    0    1     0.13", "    0        0     1    0    1     10.13"));
    assert!(!same("    0        0     1    0    1     0.13", "    0        0     2    0    1     0.13"));
}
