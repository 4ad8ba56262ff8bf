//! A single wrong key in a name of a valid file is noticed: the file is refused, or there is a warning.
//!
//! Which name stands where is found by a reader of its own, so that the compiler's view is not taken for granted.

use std::collections::BTreeMap;
use winset_gdl::Options;

/// SplitMix64: the same typos everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }
}

/// What a name is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Use {
    Keyword,
    /// A relation of a fact or of a rule's head.
    RelationHead,
    /// A relation of a condition.
    RelationBody,
    /// A fact in `init`, `next` or `true`.
    Fluent,
    /// A move in `legal` or `does`.
    Move,
    Role,
    Goal,
    Number,
    Constant,
    Variable,
}

/// Where a typo is always noticed.
const ALWAYS: [Use; 5] = [Use::Keyword, Use::RelationBody, Use::Fluent, Use::Move, Use::Role];

const WORDS: [&str; 13] = [
    "role", "init", "true", "does", "next", "legal", "goal", "terminal", "distinct", "not", "or", "and", "<=",
];

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    names: Vec<(std::ops::Range<usize>, Use)>,
}

impl Reader<'_> {
    fn blank(&mut self) {
        while self.at < self.text.len() {
            match self.text[self.at] {
                b';' => {
                    while self.at < self.text.len() && self.text[self.at] != b'\n' {
                        self.at += 1;
                    }
                }
                b if b.is_ascii_whitespace() => self.at += 1,
                _ => return,
            }
        }
    }

    fn name(&mut self) -> std::ops::Range<usize> {
        let start = self.at;
        while self.at < self.text.len() && !b"(); \n\t\r".contains(&self.text[self.at]) {
            self.at += 1;
        }
        start..self.at
    }

    fn word(&self, range: &std::ops::Range<usize>) -> String {
        String::from_utf8_lossy(&self.text[range.clone()]).into_owned()
    }

    /// An atom or a formula; `head` for one that is stated.
    fn atom(&mut self, head: bool) {
        let relation = if head { Use::RelationHead } else { Use::RelationBody };
        self.blank();
        if self.text[self.at] != b'(' {
            let range = self.name();
            let word = self.word(&range);
            self.names.push((range, if WORDS.contains(&word.as_str()) { Use::Keyword } else { relation }));
            return;
        }
        self.at += 1;
        self.blank();
        let range = self.name();
        let word = self.word(&range);
        let known = WORDS.contains(&word.as_str());
        self.names.push((range, if known { Use::Keyword } else { relation }));
        let mut number = 0;
        loop {
            self.blank();
            if self.text[self.at] == b')' {
                self.at += 1;
                return;
            }
            match (word.as_str(), number) {
                ("<=", 0) => self.atom(true),
                ("<=" | "not" | "or" | "and", _) => self.atom(false),
                ("init" | "next" | "true", _) => self.term(Use::Fluent),
                ("role", _) | ("legal" | "does" | "goal", 0) => self.term(Use::Role),
                ("legal" | "does", _) => self.term(Use::Move),
                ("goal", _) => self.term(Use::Goal),
                _ => self.term(Use::Constant),
            }
            number += 1;
        }
    }

    fn term(&mut self, what: Use) {
        self.blank();
        if self.text[self.at] != b'(' {
            let range = self.name();
            let first = self.text[range.start];
            let what = match first {
                b'?' => Use::Variable,
                b'0'..=b'9' if what != Use::Goal => Use::Number,
                _ => what,
            };
            self.names.push((range, what));
            return;
        }
        self.at += 1;
        self.blank();
        let range = self.name();
        self.names.push((range, what));
        loop {
            self.blank();
            if self.text[self.at] == b')' {
                self.at += 1;
                return;
            }
            self.term(Use::Constant);
        }
    }
}

fn names(text: &str) -> Vec<(std::ops::Range<usize>, Use)> {
    let mut reader = Reader { text: text.as_bytes(), at: 0, names: vec![] };
    loop {
        reader.blank();
        if reader.at >= text.len() {
            return reader.names;
        }
        reader.atom(true);
    }
}

/// The name with one key wrong.
fn typo(name: &str, random: &mut Random) -> String {
    let start = usize::from(name.starts_with('?'));
    loop {
        let mut letters: Vec<char> = name.chars().collect();
        let at = start + random.below(letters.len() - start);
        let letter = char::from(b'a' + random.below(26) as u8);
        match random.below(4) {
            0 => letters.insert(at, letter),
            1 if letters.len() > start + 1 => drop(letters.remove(at)),
            2 => letters[at] = letter,
            3 if at + 1 < letters.len() => letters.swap(at, at + 1),
            _ => continue,
        }
        let wrong: String = letters.into_iter().collect();
        if wrong != name {
            return wrong;
        }
    }
}

#[derive(Default, Debug)]
struct Count {
    all: usize,
    silent: usize,
    /// Silent, and the ground game is the same.
    harmless: usize,
}

fn texts() -> Vec<(String, String)> {
    let mut texts: Vec<(String, String)> =
        ["tic-tac-toe", "nim", "chomp", "sum-15", "clobber-2x3", "breakthrough-3x4"]
            .iter()
            .chain(&["connect-four-4x4", "cubi-cup-3"])
            .map(|name| ((*name).to_owned(), winset_gdl::game(name).expect("in the library")))
            .collect();
    texts.push(("mill".to_owned(), MILL.to_owned()));
    texts
}

/// A small game with names of its own: rules of several kinds, short names, players by name.
const MILL: &str =
    "(role left) (role right) (init (heap a 3)) (init (heap b 2)) (init (turn left)) (init (lst b))
    (less 1 0) (less 2 1) (less 3 2) (swap left right) (swap right left)
    (<= (legal ?p (take ?h)) (true (turn ?p)) (true (heap ?h ?n)) (less ?n ?m))
    (<= (legal ?p wait) (role ?p) (not (true (turn ?p))))
    (<= (next (heap ?h ?m)) (does ?p (take ?h)) (true (heap ?h ?n)) (less ?n ?m))
    (<= (next (heap ?g ?n)) (does ?p (take ?h)) (true (heap ?g ?n)) (distinct ?g ?h))
    (<= (next (lst ?h)) (does ?p (take ?h)))
    (<= (next (turn ?q)) (true (turn ?p)) (swap ?p ?q))
    (<= (stones ?h) (true (heap ?h ?n)) (less ?n ?m))
    (<= any (stones ?h))
    (<= terminal (not any))
    (<= (goal left 100) (true (turn right)) (true (lst a)))
    (<= (goal left 60) (true (turn right)) (true (lst b)))
    (<= (goal left 0) (true (turn left)))
    (<= (goal right 100) (true (turn left)))
    (<= (goal right 0) (true (turn right)))";

/// Whether something is said about the file, or if not, what it grounds to.
fn said(name: &str, text: &str) -> Result<String, ()> {
    if !winset_gdl::check(text.as_bytes(), &Options::default()).is_empty() {
        return Err(());
    }
    match winset_gdl::compile(name, text.as_bytes(), &Options::default()) {
        Ok(game) if game.warnings.is_empty() => Ok(game.to_string()),
        _ => Err(()),
    }
}

#[test]
fn a_typo_in_a_name_is_noticed() {
    let seed = std::env::var("WINSET_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(13);
    let tries = std::env::var("WINSET_CASES").ok().and_then(|s| s.parse().ok()).unwrap_or(80);
    println!("seed {seed}, {tries} typos a file");
    let mut random = Random(seed);
    let mut counts: BTreeMap<Use, Count> = BTreeMap::new();
    for (name, text) in texts() {
        let before = said(&name, &text).expect("the file itself is good");
        let names = names(&text);
        for _ in 0..tries {
            let (range, what) = names[random.below(names.len())].clone();
            let wrong = typo(&text[range.clone()], &mut random);
            let mutant = format!("{}{wrong}{}", &text[..range.start], &text[range.end..]);
            let count = counts.entry(what).or_default();
            count.all += 1;
            if let Ok(after) = said(&name, &mutant) {
                count.silent += 1;
                // Nothing has changed but a name that no rule depends on.
                let harmless = after.replace(&wrong, &text[range.clone()]) == before;
                count.harmless += usize::from(harmless);
                let shown = text[..range.start].rfind('\n').map_or(0, |i| i + 1);
                let line = text[shown..].lines().next().unwrap_or("");
                println!("{name}: {what:?} {} -> {wrong} in {line}", &text[range.clone()]);
                // Another name of the file cannot be told from what is meant.
                let exists = names.iter().any(|(r, _)| text[r.clone()] == wrong);
                assert!(harmless || exists || !ALWAYS.contains(&what), "nobody notices");
            }
        }
    }
    let total = |part: fn(&Count) -> usize| counts.values().map(part).sum::<usize>();
    println!(
        "{counts:#?}\n{} typos, {} silent, {} of them harmless",
        total(|c| c.all),
        total(|c| c.silent),
        total(|c| c.harmless)
    );
}
