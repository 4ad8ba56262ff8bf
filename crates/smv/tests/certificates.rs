//! What proves a verdict is accepted, and nothing else: certificates of known models, whole and falsified.

use serde_json::Value;
use std::path::{Path, PathBuf};
use winset_certify::{Certificate, Claims, Entry, Evidence, VERSION, verify};
use winset_formula::Property;
use winset_model::Exprs;
use winset_mu::{Paths, Query, Universe, answer};
use winset_smv::{Limits, Model, read};
use winset_symbolic::Options;

const MEMORY: u64 = 512 << 20;

/// A model, its specifications, and the certificate of their verdicts.
struct Certified {
    model: Model,
    specifications: Vec<(String, Property)>,
    certificate: Certificate,
}

impl Certified {
    fn new(text: &str) -> Self {
        let model = read(text, &Limits::default()).unwrap();
        let properties: Vec<Property> = model.specs.iter().map(|spec| spec.property.clone()).collect();
        let query = Query {
            system: &model.system,
            properties: &properties,
            paths: Paths::Fair(&model.fairness),
            scope: Universe::Reachable.into(),
            order: None,
            options: &Options { memory: MEMORY, ..Options::default() },
            certify: true,
            progress: None,
            whole: None,
        };
        let report = answer(&query).unwrap().unwrap();
        let texts = model.specs.iter().map(|spec| spec.text.clone());
        let specifications: Vec<(String, Property)> = texts.zip(properties.clone()).collect();
        let entries = specifications.iter().zip(&report.verdicts).map(|((text, _), verdict)| Entry {
            specification: text.clone(),
            holds: verdict.holds,
            evidence: verdict.evidence.clone().unwrap(),
        });
        let certificate = Certificate {
            winset_certificate: VERSION,
            arguments: vec![],
            order: report.order.iter().map(|var| var.0).collect(),
            fair: report.fair,
            specifications: entries.collect(),
        };
        Certified { model, specifications, certificate }
    }

    /// What is proved, if the certificate is accepted.
    fn proved(&self, certificate: &Certificate) -> Option<Vec<Option<bool>>> {
        let claims = Claims {
            system: &self.model.system,
            specifications: &self.specifications,
            fairness: Some(&self.model.fairness),
            constraint: Exprs::TRUE,
        };
        let proved = verify(&claims, certificate, MEMORY).ok()?;
        Some(proved.into_iter().map(|claim| claim.holds).collect())
    }

    /// The verdicts, of what has one.
    fn verdicts(&self) -> Vec<Option<bool>> {
        let verdict = |entry: &Entry| (entry.evidence != Evidence::None).then_some(entry.holds);
        self.certificate.specifications.iter().map(verdict).collect()
    }
}

fn files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [root.join("tests/classics"), root.join("models")];
    let inside = folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let mut files: Vec<PathBuf> = inside.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// Small models in which every kind of evidence occurs.
const SMALL: [&str; 4] = [
    "MODULE main VAR n : 0..5; b : boolean;
     ASSIGN init(n) := 0; next(n) := (n + 1) mod 5;
     INVARSPEC n < 5; INVARSPEC n < 4; SPEC AG EF n = 3; SPEC EF n = 5; SPEC AF b; SPEC AG (n = 0 -> AX n = 1);
     SPEC EG b; LTLSPEC G F n = 2; LTLSPEC F G b; LTLSPEC G (n = 1 -> Y n = 0); SPEC A [n < 3 U n = 3]; SPEC EX n = 0",
    "MODULE main VAR s : {idle, wait, go}; f : boolean; FAIRNESS f
     ASSIGN init(s) := idle; next(s) := case s = idle : {idle, wait}; s = wait & f : go; s = go : idle; TRUE : s; esac;
     SPEC AG (s = wait -> AF s = go); SPEC AF s = wait; LTLSPEC G (s = wait -> F s = go); LTLSPEC F s = wait;
     SPEC EG s = idle; SPEC AG EF s = go",
    "MODULE main VAR p : boolean; q : boolean; COMPASSION (p, q)
     SPEC AG (p -> EF q); SPEC EG !q; LTLSPEC G F p -> G F q; LTLSPEC G F q",
    "MODULE main VAR n : 0..3; TRANS next(n) = n + 1 INIT n = 0 SPEC EF n = 3; SPEC AG n < 3; LTLSPEC G n < 2; INVARSPEC n < 3",
];

#[test]
fn what_was_found_is_proved() {
    let texts = files().into_iter().map(|file| std::fs::read_to_string(file).unwrap());
    for text in texts.chain(SMALL.map(str::to_owned)) {
        let certified = Certified::new(&text);
        assert_eq!(certified.proved(&certified.certificate), Some(certified.verdicts()), "{text}");
        // And as it is written to a file.
        let written = serde_json::to_string(&certified.certificate).unwrap();
        assert_eq!(serde_json::from_str::<Certificate>(&written).unwrap(), certified.certificate);
    }
}

/// The opposite of a verdict is never proved by what proves the verdict.
#[test]
fn a_verdict_that_is_turned_round_is_refused() {
    for text in SMALL {
        let certified = Certified::new(text);
        for at in 0..certified.specifications.len() {
            let mut falsified = certified.certificate.clone();
            let entry = &mut falsified.specifications[at];
            entry.holds = !entry.holds;
            assert_eq!(certified.proved(&falsified), None, "{}", certified.specifications[at].0);
        }
    }
}

/// Whatever is changed in the file: it is refused, or what it proves is true all the same.
#[test]
fn whatever_is_falsified_proves_nothing_false() {
    let (mut random, mut tried, mut refused) = (Random(1), 0, 0);
    for text in SMALL {
        let certified = Certified::new(text);
        let truth = certified.verdicts();
        let written = serde_json::to_value(&certified.certificate).unwrap();
        for _ in 0..1500 {
            let mut falsified = written.clone();
            let changes = 1 + random.below(3);
            (0..changes).for_each(|_| change(&mut falsified, &mut random));
            let Ok(falsified) = serde_json::from_value::<Certificate>(falsified) else { continue };
            if falsified == certified.certificate {
                continue;
            }
            tried += 1;
            match certified.proved(&falsified) {
                None => refused += 1,
                Some(proved) => {
                    let right =
                        |(proved, truth): (&Option<bool>, &Option<bool>)| proved.is_none() || proved == truth;
                    assert!(proved.iter().zip(&truth).all(right), "{falsified:?}");
                }
            }
        }
    }
    assert!(tried > 1000 && 2 * refused > tried, "{refused} of {tried} were refused");
}

/// A model with one specification changed is another model.
#[test]
fn a_certificate_is_of_one_model() {
    let certified = Certified::new(SMALL[0]);
    let other = Certified::new(&SMALL[0].replace("n = 3; SPEC EF", "n = 4; SPEC EF"));
    assert_eq!(other.proved(&certified.certificate), None);
    // The same specifications of a system that breaks one.
    let other = Certified::new(&SMALL[0].replace("mod 5", "mod 6"));
    assert_eq!(other.proved(&certified.certificate), None);
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n.max(1)
    }
}

/// Changes a number, a truth value or a list somewhere inside.
fn change(value: &mut Value, random: &mut Random) {
    match value {
        Value::Bool(flag) => *flag = !*flag,
        Value::Number(number) => {
            let n = number.as_u64().unwrap_or(0);
            *value = Value::from(if random.below(2) == 0 { n + 1 } else { n.saturating_sub(1) });
        }
        Value::Array(list) if list.is_empty() => {}
        Value::Array(list) => {
            let at = random.below(list.len());
            match random.below(12) {
                0 => {
                    list.remove(at);
                }
                1 => list.insert(at, list[at].clone()),
                2 => {
                    let other = random.below(list.len());
                    list.swap(at, other);
                }
                _ => change(&mut list[at], random),
            }
        }
        Value::Object(object) => {
            let at = random.below(object.len());
            if let Some(inside) = object.values_mut().nth(at) {
                change(inside, random);
            }
        }
        Value::Null | Value::String(_) => {}
    }
}
