//! The reader and the checker against an explicit evaluator that shares nothing with them: random models,
//! and models that were wrong once.
//!
//! `WINSET_SMV_MODELS=20000 WINSET_SMV_SEED=1 cargo test --release -p winset-smv --test differential` for a
//! long run.

mod compare;
mod evaluate;
mod flatten;
mod generate;
mod parse;
mod shrink;
mod syntax;

use compare::{Said, compare};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use syntax::Model;

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).map_or(otherwise, |text| text.parse().expect("a number"))
}

/// What both say, or what is wrong; a panic is wrong too.
fn said(text: &str, seed: u64) -> Result<Said, String> {
    catch_unwind(AssertUnwindSafe(|| compare(text, seed))).unwrap_or_else(|panic| {
        let message = panic.downcast_ref::<String>().cloned();
        Err(format!("panic: {}", message.unwrap_or_default()))
    })
}

/// A smaller model that is wrong in the same way, and how.
fn reduced(model: &Model, seed: u64, error: &str) -> String {
    // What is tried may be nonsense, on which the evaluator panics.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let kind = |error: &str| error.split([',', '\n']).next().map(str::to_owned);
    let smaller = shrink::shrink(model, 5_000, |model| {
        said(&model.to_string(), seed).is_err_and(|other| kind(&other) == kind(error))
    });
    let why = said(&smaller.to_string(), seed).err().unwrap_or_default();
    std::panic::set_hook(hook);
    format!("{why}\n{smaller}")
}

#[test]
fn random_models_are_checked_right() {
    let (count, first) = (number("WINSET_SMV_MODELS", 250), number("WINSET_SMV_SEED", 0));
    let (mut refused, mut states, mut stuck, mut holding, mut specs) = (BTreeMap::new(), vec![], 0, 0, 0);
    for seed in first..first + count {
        let model = generate::generate(seed);
        let text = model.to_string();
        assert_eq!(parse::parse(&text).to_string(), text, "seed {seed}");
        match said(&text, seed) {
            Ok(Said::Checked(report)) => {
                states.push(report.states);
                stuck += usize::from(report.deadlocks > 0);
                specs += report.answers.len();
                holding += report.answers.iter().filter(|answer| answer.holds).count();
            }
            Ok(Said::Refused(codes)) => *refused.entry(codes).or_insert(0) += 1,
            Err(error) => panic!("seed {seed}: {error}\n{text}\nreduced: {}", reduced(&model, seed, &error)),
        }
    }
    states.sort_unstable();
    let middle = states[states.len() / 2];
    println!(
        "{count} models from seed {first}: refused by both {refused:?}, half with more than {middle} states, {stuck} with \
         deadlocks, {holding} of {specs} specifications hold"
    );
    assert!(2 * states.len() > count as usize && middle > 5, "the models are trivial");
}

/// Models that were wrong once, each with what is right above it.
#[test]
fn kept_models_are_checked_right() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut count = 0;
    for entry in std::fs::read_dir(&folder).expect("the folder of cases") {
        let path = entry.expect("a file").path();
        let text = std::fs::read_to_string(&path).expect("a readable file");
        for seed in 0..20 {
            match compare(&text, seed) {
                Ok(Said::Checked(report)) => {
                    let expected = report.to_string();
                    assert!(text.starts_with(&expected), "{}: found\n{expected}", path.display());
                }
                other => panic!("{}: {other:?}", path.display()),
            }
        }
        count += 1;
    }
    assert!(count > 0, "there are cases");
}
