//! The name that may be meant.

use crate::syntax::symbols::{Symbol, Symbols};
use rustc_hash::FxHashSet;

/// The help for a name with n arguments that is not known: one that is, if it is near. The same name with another
/// number of arguments is nearest.
pub(super) fn did_you_mean(
    symbols: &Symbols,
    (name, arity): (Symbol, usize),
    known: impl IntoIterator<Item = (Symbol, usize)>,
) -> Option<String> {
    let text = symbols.name(name);
    let mut same = vec![];
    let mut others: FxHashSet<&str> = FxHashSet::default();
    for (other, count) in known {
        if other == name && count != arity {
            same.push(count);
        } else if other != name {
            others.insert(symbols.name(other));
        }
    }
    if let Some(count) = same.into_iter().min_by_key(|count| count.abs_diff(arity)) {
        return Some(format!("did you mean {}?", super::with_arguments(text, count)));
    }
    let near = winset_model::similar(text, others);
    let near: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
    (!near.is_empty()).then(|| format!("did you mean {}?", near.join(" or ")))
}

/// One name could be the other with a single key wrong: a letter too many, too few, another one, or two exchanged. Names
/// that count or letter something (`x1` and `x2`, `row-a` and `row-b`) are not misspelt, nor are those with fewer letters than `shortest`.
pub(super) fn one_typo_apart(a: &str, b: &str, shortest: usize) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let (short, long) = if a.len() <= b.len() { (&a, &b) } else { (&b, &a) };
    if long.len() < shortest || long.len() > LONGEST || long.len() - short.len() > 1 {
        return false;
    }
    let front = short.iter().zip(long.iter()).take_while(|(x, y)| x == y).count();
    let back = short.iter().rev().zip(long.iter().rev()).take_while(|(x, y)| x == y).count();
    let digits = |list: &[char]| list.iter().any(|c| c.is_ascii_digit() || matches!(c, '+' | '-' | '_'));
    if short.len() < long.len() {
        // A letter more is a plural, or a number after a name.
        let more = &long[front.min(short.len())..=front.min(short.len())];
        return front + back >= short.len() && !digits(more);
    }
    let differ: Vec<usize> = (0..a.len()).filter(|&i| a[i] != b[i]).collect();
    match differ[..] {
        [at] => !digits(&[a[at], b[at]]),
        [i, j] => j == i + 1 && a[i] == b[j] && a[j] == b[i],
        _ => false,
    }
}

const LONGEST: usize = 60;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_wrong_keys_are_seen() {
        for (a, b) in
            [("cell", "cll"), ("heap", "haep"), ("line", "lime"), ("noop", "nooop"), ("step", "stepp")]
        {
            assert!(one_typo_apart(a, b, 4) && one_typo_apart(b, a, 4), "{a} {b}");
        }
        for (a, b) in [("x1", "x2"), ("row1", "row2"), ("cell", "call2"), ("abc", "abd"), ("left", "right")] {
            assert!(!one_typo_apart(a, b, 4), "{a} {b}");
        }
    }
}
