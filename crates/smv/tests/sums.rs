//! Sums of numbers with many values, which are made bit by bit, against plain arithmetic: in how many states they have each value.

use winset_mu::{Universe, check};
use winset_reference::Random;
use winset_smv::{Limits, read};
use winset_symbolic::Options;

/// A variable's values, and how its type is written: a range, or numbers with gaps between them.
fn variable(random: &mut Random) -> (Vec<i64>, String) {
    let (low, size) = (random.below(300) as i64 - 150, 65 + random.below(60) as i64);
    if random.one_in(2) {
        return ((low..low + size).collect(), format!("{low}..{}", low + size - 1));
    }
    let mut values = vec![low];
    for _ in 1..size {
        values.push(values[values.len() - 1] + 1 + if random.one_in(3) { random.below(4) as i64 } else { 0 });
    }
    let text: Vec<String> = values.iter().map(i64::to_string).collect();
    (values, format!("{{{}}}", text.join(", ")))
}

type Value = Box<dyn Fn(i64, i64) -> i64>;

/// An operand with its meaning: a variable, a variable of either kind, or a sum of others.
fn operand(random: &mut Random, depth: usize) -> (String, Value) {
    match random.below(if depth == 0 { 2 } else { 5 }) {
        0 => ("x".to_owned(), Box::new(|x, _| x)),
        1 => ("y".to_owned(), Box::new(|_, y| y)),
        2 => {
            let bound = random.below(100) as i64 - 50;
            let text = format!("(y < {bound} ? x : y)");
            (text, Box::new(move |x, y| if y < bound { x } else { y }))
        }
        which => {
            let ((a, f), (b, g)) = (operand(random, depth - 1), operand(random, depth - 1));
            match which {
                3 => (format!("({a} + {b})"), Box::new(move |x, y| f(x, y) + g(x, y))),
                _ => (format!("({a} - {b})"), Box::new(move |x, y| f(x, y) - g(x, y))),
            }
        }
    }
}

#[test]
fn random_sums_have_the_values_of_plain_arithmetic() {
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let ((xs, x_type), (ys, y_type)) = (variable(&mut random), variable(&mut random));
        let ((a, f), (b, g)) = (operand(&mut random, 1), operand(&mut random, 1));
        let (sum, minus) = (random.one_in(2), random.one_in(4));
        let text = format!("{}({a} {} {b})", if minus { "-" } else { "" }, if sum { "+" } else { "-" });
        let value = |x: i64, y: i64| {
            let n = if sum { f(x, y) + g(x, y) } else { f(x, y) - g(x, y) };
            if minus { -n } else { n }
        };
        let all: Vec<i64> =
            xs.iter().flat_map(|&x| ys.iter().map(move |&y| (x, y))).map(|(x, y)| value(x, y)).collect();
        let (least, most) = (*all.iter().min().unwrap(), *all.iter().max().unwrap());
        let wanted: Vec<i64> = [least - 1, least, most, most + 1]
            .into_iter()
            .chain((0..20).map(|_| least + random.below((most - least) as usize + 1) as i64))
            .collect();
        let specs: String = wanted.iter().map(|n| format!("SPEC e = {n}\n")).collect();
        let text = format!("MODULE main FROZENVAR x : {x_type}; y : {y_type}; DEFINE e := {text};\n{specs}");
        let model =
            read(&text, &Limits::default()).unwrap_or_else(|errors| panic!("{seed}: {text}{errors:?}"));
        let formulas: Vec<_> = model.specs.iter().filter_map(|spec| spec.branching()).collect();
        let options = Options { memory: 128 << 20, ..Options::default() };
        let report = check(&model.system, &formulas, Universe::Reachable, None, &options).unwrap().unwrap();
        for (n, verdict) in wanted.iter().zip(&report.verdicts) {
            let expected = all.iter().filter(|value| *value == n).count() as u128;
            assert_eq!(verdict.satisfying, expected, "seed {seed}: {n} of {text}");
        }
    }
}
