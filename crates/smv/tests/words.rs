//! Random expressions over words that vary, against plain arithmetic: in how many states they have each value.

use winset_mu::{Universe, check};
use winset_reference::Random;
use winset_smv::{Limits, read};
use winset_symbolic::Options;

/// A word: signed or not, its width, and its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Word {
    signed: bool,
    width: u32,
    bits: u64,
}

impl Word {
    fn new(signed: bool, width: u32, value: i64) -> Word {
        Word { signed, width, bits: value as u64 & ((1 << width) - 1) }
    }

    fn number(self) -> i64 {
        let negative = self.signed && self.bits >> (self.width - 1) & 1 == 1;
        self.bits as i64 - if negative { 1 << self.width } else { 0 }
    }
}

/// An expression: how it is written, of which kind it is, and its value for each pair of words.
struct Expression {
    text: String,
    signed: bool,
    width: u32,
    values: Vec<Word>,
}

fn unary(random: &mut Random, a: Expression) -> Expression {
    let Expression { text, signed, width, values } = a;
    let made = |text: String, signed: bool, width: u32, f: &dyn Fn(Word) -> i64| {
        let values = values.iter().map(|&word| Word::new(signed, width, f(word))).collect();
        Expression { text, signed, width, values }
    };
    match random.pick(&[0, 1, 2, 3, 4, 5, 6, 7]) {
        0 => made(format!("!{text}"), signed, width, &|w| !w.number()),
        1 => made(format!("-{text}"), signed, width, &|w| -w.number()),
        2 => made(format!("signed({text})"), true, width, &|w| w.bits as i64),
        3 => made(format!("unsigned({text})"), false, width, &|w| w.bits as i64),
        4 if width < 5 => made(format!("extend({text}, 1)"), signed, width + 1, &Word::number),
        5 => {
            let high = random.below(width as usize) as u32;
            let low = random.below(high as usize + 1) as u32;
            made(format!("{text}[{high}:{low}]"), false, high - low + 1, &|w| (w.bits >> low) as i64)
        }
        6 => {
            let by = random.below(width as usize + 1) as u32;
            made(format!("({text} << {by})"), signed, width, &|w| w.number() << by)
        }
        _ => {
            let by = random.below(width as usize + 1) as u32;
            made(format!("({text} >> {by})"), signed, width, &|w| w.number() >> by)
        }
    }
}

fn join(random: &mut Random, a: &Expression, b: &Expression) -> Expression {
    if a.width + b.width <= 5 && random.one_in(4) {
        let pairs = a.values.iter().zip(&b.values);
        let width = a.width + b.width;
        let values =
            pairs.map(|(x, y)| Word::new(false, width, (x.bits << b.width | y.bits) as i64)).collect();
        return Expression { text: format!("({} :: {})", a.text, b.text), signed: false, width, values };
    }
    // The second becomes of the first one's kind.
    let sign = if a.signed { "signed" } else { "unsigned" };
    let second = format!("{sign}(resize(unsigned({}), {}))", b.text, a.width);
    let values =
        a.values.iter().zip(&b.values).map(|(x, y)| (*x, Word::new(a.signed, a.width, y.bits as i64)));
    let operator = random.pick(&["+", "-", "*", "&", "|", "xor", "->", "/", "mod", "<", "case"]);
    let value = |(x, y): (Word, Word)| {
        let (m, n) = (x.number(), y.number());
        let result = match operator {
            "+" => m + n,
            "-" => m - n,
            "*" => m * n,
            "&" => m & n,
            "|" => m | n,
            "xor" => m ^ n,
            "->" => !m | n,
            "/" if n != 0 => m / n,
            "mod" if n != 0 => m % n,
            "/" | "mod" => m,
            "<" => {
                if m < n {
                    n
                } else {
                    m
                }
            }
            _ => {
                if x.bits & 1 == 1 {
                    m
                } else {
                    n
                }
            }
        };
        Word::new(a.signed, a.width, result)
    };
    let (first, text) = (&a.text, a.text.clone());
    let zero = format!("{second} = {sign}(uwconst(0, {}))", a.width);
    let text = match operator {
        "/" | "mod" => format!("({zero} ? {text} : {text} {operator} {second})"),
        "<" => format!("({text} < {second} ? {second} : {text})"),
        "case" => format!("case bool({first}[0:0]) : {text}; TRUE : {second}; esac"),
        _ => format!("({text} {operator} {second})"),
    };
    Expression { text, signed: a.signed, width: a.width, values: values.map(value).collect() }
}

fn expression(random: &mut Random, leaves: &[Expression; 2], depth: usize) -> Expression {
    if depth == 0 || random.one_in(5) {
        let Expression { text, signed, width, values } = &leaves[random.below(2)];
        return Expression { text: text.clone(), signed: *signed, width: *width, values: values.clone() };
    }
    let a = expression(random, leaves, depth - 1);
    if random.one_in(3) {
        return unary(random, a);
    }
    let b = expression(random, leaves, depth - 1);
    join(random, &a, &b)
}

#[test]
fn random_expressions_have_the_values_of_plain_arithmetic() {
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let kinds = [0, 1].map(|_| (random.one_in(2), 1 + random.below(4) as u32));
        let [size_a, size_b] = kinds.map(|(_, width)| 1i64 << width);
        let pairs = || (0..size_a).flat_map(|x| (0..size_b).map(move |y| (x, y)));
        let leaf = |i: usize, text: &str| {
            let (signed, width) = kinds[i];
            let values = pairs().map(|(x, y)| Word::new(signed, width, if i == 0 { x } else { y })).collect();
            Expression { text: text.to_owned(), signed, width, values }
        };
        let leaves = [leaf(0, "a"), leaf(1, "b")];
        let made = expression(&mut random, &leaves, 3);
        let declare = |(signed, width): (bool, u32)| {
            format!("{} word[{width}]", if signed { "signed" } else { "unsigned" })
        };
        let specs: String = (0..1u64 << made.width)
            .map(|bits| format!("SPEC unsigned(e) = uwconst({bits}, {})\n", made.width))
            .collect();
        let (a, b) = (declare(kinds[0]), declare(kinds[1]));
        let text = format!("MODULE main FROZENVAR a : {a}; b : {b}; DEFINE e := {};\n{specs}", made.text);
        let model =
            read(&text, &Limits::default()).unwrap_or_else(|errors| panic!("{seed}: {text}{errors:?}"));
        let formulas: Vec<_> = model.specs.iter().filter_map(|spec| spec.branching()).collect();
        let options = Options { memory: 40 << 20, ..Options::default() };
        let report = check(&model.system, &formulas, Universe::Reachable, None, &options).unwrap().unwrap();
        for (bits, verdict) in report.verdicts.iter().enumerate() {
            let expected = made.values.iter().filter(|word| word.bits == bits as u64).count() as u128;
            assert_eq!(verdict.satisfying, expected, "seed {seed}: {bits} of {text}");
        }
    }
}
