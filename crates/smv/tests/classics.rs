//! Examples that everybody knows, with verdicts that everybody knows: what stands behind each specification as a comment.

use winset_formula::Property;
use winset_mu::{Paths, Query, Report, Universe, answer};
use winset_smv::{Limits, read};
use winset_symbolic::Options;

fn report(text: &str) -> (Vec<String>, Report) {
    let model = read(text, &Limits::default()).unwrap();
    let properties: Vec<Property> = model.specs.iter().map(|spec| spec.property.clone()).collect();
    let options = Options { memory: 512 << 20, ..Options::default() };
    let query = Query {
        system: &model.system,
        properties: &properties,
        paths: Paths::Fair(&model.fairness),
        scope: Universe::Reachable.into(),
        order: None,
        options: &options,
        certify: false,
        progress: None,
        whole: None,
    };
    let texts = model.specs.iter().map(|spec| spec.text.clone());
    (texts.collect(), answer(&query).unwrap().unwrap())
}

#[test]
fn known_verdicts() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/classics");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert_eq!(files.len(), 8);
    let mut wrong: Vec<String> = vec![];
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let (specs, report) = report(&text);
        assert_eq!((report.deadlocks, report.unfair), (0, 0), "{file:?}");
        let mut seen = 0;
        for (spec, verdict) in
            specs.iter().zip(&report.verdicts).filter(|(_, verdict)| verdict.distance.is_none())
        {
            let line =
                text.lines().find(|line| line.contains(spec.as_str()) && line.contains("SPEC")).unwrap();
            let expected = line.rsplit("-- ").next().unwrap().trim();
            if verdict.holds.to_string() != expected {
                wrong.push(format!("{file:?}: {spec} is {}", verdict.holds));
            }
            seen += 1;
        }
        assert_eq!(seen, text.lines().filter(|line| line.contains("SPEC ")).count(), "{file:?}");
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Rings of any number of philosophers. A state is a ring of letters in which no eater stands before another or one who
/// waits, so that the number of states is the trace of a power of a matrix.
fn ring(count: usize) -> (String, u128) {
    let text = include_str!("classics/philosophers.smv");
    let module = &text[..text.find("MODULE main").unwrap()];
    let members: String =
        (0..count).map(|i| format!("  p{i} : philosopher(p{});\n", (i + 1) % count)).collect();
    let stuck: Vec<String> = (0..count).map(|i| format!("p{i}.s = waits")).collect();
    let text = format!(
        "{module}MODULE main\nVAR\n{members}DEFINE stuck := {};\nSPEC AG !(p0.s = eats & p1.s = eats)\nSPEC AG EF \
         p0.s = eats\nSPEC EF stuck\nINVARSPEC !stuck\nLTLSPEC G (p0.s = waits -> F p0.s = eats)\n",
        stuck.join(" & ")
    );
    let follows = [[1, 1, 1], [1, 1, 1], [1, 0, 0u128]];
    let mut power = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    for _ in 0..count {
        let entry = |i: usize, j: usize| (0..3).map(|k| power[i][k] * follows[k][j]).sum();
        power = [0, 1, 2].map(|i| [0, 1, 2].map(|j| entry(i, j)));
    }
    (text, (0..3).map(|i| power[i][i]).sum())
}

#[test]
fn many_philosophers() {
    for count in [2, 3, 7, 50] {
        let (text, states) = ring(count);
        let (_, report) = report(&text);
        assert_eq!(report.states, states, "{count}");
        let holds: Vec<bool> = report.verdicts.iter().map(|verdict| verdict.holds).collect();
        assert_eq!(holds, [true, false, true, false, false], "{count}");
    }
}
