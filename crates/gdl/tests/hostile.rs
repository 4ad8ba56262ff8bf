//! Bad and hostile files: always an error value in time, never a panic, always a place inside of the file.

use proptest::prelude::*;
use winset_gdl::{Code, Diagnostic, Limits, Options};

fn small() -> Options {
    let limits =
        Limits { atoms: 20_000, instances: 50_000, moves: 5_000, steps: 2_000_000, ..Limits::default() };
    Options { limits, lenient: true }
}

fn inside(findings: &[Diagnostic], source: &[u8]) {
    for finding in findings {
        assert!(finding.span.start <= finding.span.end, "{finding:?}");
        assert!(finding.span.end <= source.len().max(1), "{finding:?}");
        assert!(winset_gdl::position(source, finding.span.start).0 >= 1);
    }
}

fn rejected(source: &[u8], options: &Options) -> Vec<Code> {
    let findings = winset_gdl::compile("file", source, options).expect_err("must be refused").diagnostics;
    inside(&findings, source);
    findings.iter().map(|d| d.code).collect()
}

#[test]
fn a_hundred_thousand_parentheses() {
    assert_eq!(rejected("(".repeat(100_000).as_bytes(), &Options::default()), [Code::NestingTooDeep]);
    let closed = "(".repeat(100_000) + &")".repeat(100_000);
    assert_eq!(rejected(closed.as_bytes(), &Options::default()), [Code::NestingTooDeep]);
}

#[test]
fn a_line_of_fifty_megabytes() {
    assert_eq!(rejected(&vec![b'a'; 50 << 20], &Options::default()), [Code::FileTooLarge]);
}

/// GDL-II: dice have no will, and who does not see everything does not play this game.
#[test]
fn chance_and_hidden_information() {
    let dice = "(role you) (ROLE Random) (init throw) (<= (legal random (throw 1)) (true throw))
        (<= (legal random (throw 6)) (true throw)) (<= (legal you wait) (true throw)) (<= (next six) (does random (throw 6)))
        (<= (next one) (does random (throw 1))) (<= terminal (true six)) (<= terminal (true one))
        (<= (goal you 100) (true six)) (<= (goal you 0) (true one)) (<= (goal random 0) terminal)";
    assert_eq!(rejected(dice.as_bytes(), &Options::default()), [Code::Chance]);
    let derived = dice.replace("(ROLE Random)", "(anybody random) (<= (role ?x) (anybody ?x))");
    assert_eq!(rejected(derived.as_bytes(), &Options::default()), [Code::Chance]);
    // It can be played all the same.
    assert!(winset_gdl::simulate(dice.as_bytes(), &Options::default()).is_ok());
    let will = dice.replace("Random", "caster").replace("random", "caster");
    assert!(winset_gdl::compile("file", will.as_bytes(), &Options::default()).unwrap().warnings.is_empty());
    let blind = will + " (<= (sees you six) (does caster (throw 6)))";
    let game = winset_gdl::compile("file", blind.as_bytes(), &Options::default()).unwrap();
    assert!(game.warnings.iter().any(|warning| warning.code == Code::HiddenInformation));
}

#[test]
fn exponential_ground_size_names_the_rule() {
    let rule = "(<= (p ?a ?b ?c ?d ?e ?f) (d ?a) (d ?b) (d ?c) (d ?d) (d ?e) (d ?f))";
    let mut source = String::from("(role a) (init q) (<= terminal (true q)) (legal a b) (next q) (goal a 0)");
    (0..40).for_each(|i| source += &format!("(d {i})"));
    let at = source.len();
    source += rule;
    source += "(<= (legal a ?z) (p ?a ?b ?c ?z ?e ?f) (p ?f ?e ?d ?c ?b ?a))";
    let findings =
        winset_gdl::compile("file", source.as_bytes(), &small()).expect_err("too large").diagnostics;
    let limit = findings.iter().find(|d| d.code == Code::LimitExceeded).expect("a limit");
    assert_eq!((limit.span.start, limit.span.end), (at, at + rule.len()));
}

#[test]
fn terms_without_end() {
    let source = "(role a) (init (n 0)) (<= terminal (true x)) (legal a b) (<= (next (n (s ?x))) (true (n ?x))) (goal a 0)";
    assert!(rejected(source.as_bytes(), &Options::default()).contains(&Code::LimitExceeded));
    let doubling = source.replace("(s ?x)", "(s ?x ?x)");
    assert!(rejected(doubling.as_bytes(), &Options::default()).contains(&Code::LimitExceeded));
}

#[test]
fn several_mistakes_in_one_file() {
    let source = b"(role a) (init) (<= (legal a ?x)) ) (<= (p ?y) (not (q ?y)))";
    let codes: Vec<Code> = winset_gdl::check(source, &Options::default()).iter().map(|d| d.code).collect();
    assert_eq!(codes, [Code::StrayParenthesis, Code::KeywordArity]);
}

#[test]
fn infix_notation_is_named() {
    assert_eq!(
        rejected(b"role(a)\nlegal(a,b) :- true(c) & ~true(d)", &Options::default()),
        [Code::InfixNotation]
    );
}

#[test]
fn refusals_have_names() {
    let base = "(role a) (role b) (init s) (next s) (<= terminal (true t)) (goal a 0) (goal b 0)";
    let two = format!("{base} (legal a 1) (legal a 2) (legal b 1) (legal b 2) (<= (next t) (does a 1))");
    assert!(rejected(two.as_bytes(), &Options::default()).contains(&Code::SimultaneousMoves));
    let stuck = format!("{base} (legal a 1) (<= (next t) (does a 1))");
    assert!(rejected(stuck.as_bytes(), &Options::default()).contains(&Code::DeadEnd));
    let endless = format!("{base} (legal a 1) (legal b 1)");
    assert!(rejected(endless.as_bytes(), &Options::default()).contains(&Code::NeverEnds));
    let roles: String = (0..7).map(|n| format!("(role r{n}) (legal r{n} 1) (goal r{n} 0)")).collect();
    let nine = format!("{base} {roles} (legal a 1) (legal b 1) (<= (next t) (does a 1))");
    assert!(rejected(nine.as_bytes(), &Options::default()).contains(&Code::RoleCount));
    let paradox = format!("{base} (legal a 1) (legal b 1) (<= p (not p) (true s)) (<= (next t) p)");
    assert!(rejected(paradox.as_bytes(), &Options::default()).contains(&Code::NotStratified));
}

fn mutated() -> impl Strategy<Value = Vec<u8>> {
    let texts: Vec<String> =
        winset_gdl::games().map(|g| g.1.to_owned()).chain(winset_gdl::game("clobber-2x2")).collect();
    let edit = (any::<prop::sample::Index>(), 0..5u8, any::<prop::sample::Index>());
    (prop::sample::select(texts), prop::collection::vec(edit, 1..12)).prop_map(|(text, edits)| {
        let mut bytes = text.into_bytes();
        for (at, kind, other) in edits {
            let (i, j) = (at.index(bytes.len()), other.index(bytes.len()));
            match kind {
                0 => drop(bytes.remove(i)),
                1 => bytes[i] = b"()?; an"[j % 7],
                2 => bytes.swap(i, j),
                3 => bytes.insert(i, b"()?\xff;x\n"[j % 7]),
                _ => {
                    let piece = bytes[i.min(j)..(i.min(j) + 40).min(i.max(j))].to_vec();
                    bytes.splice(j..j, piece);
                }
            }
            if bytes.is_empty() {
                bytes.push(b'(');
            }
        }
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn damaged_games_never_panic(source in mutated()) {
        inside(&winset_gdl::check(&source, &Options::default()), &source);
        let options = small();
        if let Err(rejection) = winset_gdl::compile("file", &source, &options) {
            inside(&rejection.diagnostics, &source);
        }
    }

    #[test]
    fn any_bytes_never_panic(source in prop::collection::vec(prop::sample::select(b"()?; \nab<=not\xff".to_vec()), 0..300)) {
        inside(&winset_gdl::check(&source, &Options::default()), &source);
    }
}

/// The texts of all files in a folder, in the order of their names.
fn texts(folder: &str) -> Vec<Vec<u8>> {
    let files = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder}: {error}"));
    let mut paths: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).expect("a file")).collect()
}

#[test]
fn damaged_files_are_read_within_the_limits() {
    let mut all = texts(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/corpus"));
    all.extend(winset_gdl::games().map(|g| g.1.as_bytes().to_vec()));
    // Each several times, as the damage differs.
    damaged_texts_are_read_within_the_limits(std::iter::repeat_n(all, 10).flatten().collect());
}

#[test]
#[ignore = "needs ../shared/gdl, games from elsewhere: run with --ignored"]
fn damaged_files_from_elsewhere_are_read_within_the_limits() {
    let all = texts(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/gdl/games"));
    damaged_texts_are_read_within_the_limits(all);
}

/// Files damaged in many places: what a fuzzer would do, with the same result every time.
fn damaged_texts_are_read_within_the_limits(mut texts: Vec<Vec<u8>>) {
    let mut seed = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % below.max(1) as u64) as usize
    };
    let others = texts.clone();
    for text in &mut texts {
        for _ in 0..1 + random(6) {
            let (i, j) = (random(text.len()), random(text.len()));
            match random(5) {
                0 => text.truncate(i.max(1)),
                1 => text[i] = b"()?;\n<=\xff"[j % 8],
                2 => text.swap(i, j),
                3 => drop(text.splice(i..(i + j % 60).min(text.len()), [])),
                _ => {
                    let other = &others[random(others.len())];
                    let from = random(other.len());
                    let piece = other[from..(from + 200).min(other.len())].to_vec();
                    text.splice(i..i, piece);
                }
            }
            if text.is_empty() {
                text.push(b'(');
            }
        }
        inside(&winset_gdl::check(text, &Options::default()), text);
        match winset_gdl::compile("file", text, &small()) {
            Ok(game) => {
                let (summary, limits) = (game.summary, small().limits);
                assert!(summary.rules <= limits.instances && summary.atoms <= limits.atoms, "{summary:?}");
                assert!(summary.moves <= 2 * limits.moves, "{summary:?}");
            }
            Err(rejection) => inside(&rejection.diagnostics, text),
        }
    }
}

/// Many steps without any result: only their number can stop it, on a fast machine as on a slow one.
#[test]
fn joins_that_find_nothing_are_stopped_by_the_number_of_steps() {
    let mut source = String::from("(role a) (init q) (<= terminal (true q)) (legal a b) (next q) (goal a 0)");
    (0..130).for_each(|i| source += &format!("(d {i})"));
    source += "(<= (e ?a ?b) (d ?a) (d ?b))";
    source += "(<= p (e ?a ?b) (e ?b ?c) (e ?c ?d) (e ?d ?a) (not (e ?d ?a)))";
    source += "(<= (legal a c) p)";
    let limits = Limits { steps: 1_000_000, ..Limits::default() };
    let options = Options { limits, lenient: false };
    let rejection = winset_gdl::compile("file", source.as_bytes(), &options).expect_err("too many steps");
    assert!(rejection.to_string().contains("more than 1000000 steps"), "{rejection}");
}
