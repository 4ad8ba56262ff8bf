//! Rules in GDL from another start: the facts that hold at first are replaced in the text, and the text is compiled again.
//!
//! The compiled game would not do: what was proved about it, and folded into it, holds for what can be reached from its
//! own start only.

use std::collections::BTreeSet;
use winset_model::{Game, State};

/// The rules with the facts of a position in place of those that hold at first. Facts that never change are no part of
/// a position, and stay. None if a rule derives what holds at first, which cannot be told from these facts.
pub fn restart(text: &str, game: &Game, state: &State) -> Option<String> {
    let facts: BTreeSet<&str> =
        game.variables().iter().flat_map(|v| v.values.iter().map(String::as_str)).collect();
    let mut rules = String::new();
    for form in forms(text) {
        let words = spaced(form);
        if words.starts_with("(<= (init ") {
            return None;
        }
        let fact = words.strip_prefix("(init ").and_then(|rest| rest.strip_suffix(')'));
        if fact.is_none_or(|fact| !facts.contains(fact)) {
            rules.push_str(form);
            rules.push('\n');
        }
    }
    for (v, &value) in game.variables().iter().zip(&state.0) {
        let fact = &v.values[usize::from(value)];
        if !fact.is_empty() {
            rules.push_str(&format!("(init {fact})\n"));
        }
    }
    Some(rules)
}

/// The forms outside of all parentheses, without comments between them.
fn forms(text: &str) -> Vec<&str> {
    let (mut forms, mut depth, mut start, mut comment) = (vec![], 0usize, None, false);
    for (i, c) in text.char_indices() {
        let ends = comment && matches!(c, '\n' | '\r');
        comment = (comment && !ends) || c == ';';
        if comment || ends {
            // A name ends where a comment begins.
            if depth == 0
                && let Some(begin) = start.take()
            {
                forms.push(&text[begin..i]);
            }
            continue;
        }
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 && c.is_ascii_whitespace() => {
                forms.extend(start.take().map(|begin| &text[begin..i]));
                continue;
            }
            _ => {}
        }
        let begin = *start.get_or_insert(i);
        if c == ')' && depth == 0 {
            forms.push(&text[begin..=i]);
            start = None;
        }
    }
    forms.extend(start.map(|begin| &text[begin..]));
    forms
}

/// A form as the compiler writes facts: small letters, one blank between words, no comments.
fn spaced(form: &str) -> String {
    let lines = form.split(['\n', '\r']).map(|line| line.split(';').next().unwrap_or(""));
    let apart = lines.collect::<Vec<_>>().join(" ").to_lowercase().replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = apart.split_whitespace().collect();
    words.join(" ").replace("( ", "(").replace(" )", ")")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_found_between_comments() {
        let text = "; (init a)\n(role x)(INIT ( cell 1\n ; no ) here\n 2))\n(<= (init p) q) rest ; end";
        let found: Vec<String> = forms(text).into_iter().map(spaced).collect();
        assert_eq!(found, ["(role x)", "(init (cell 1 2))", "(<= (init p) q)", "rest"]);
    }
}
