//! What two programs say of a file, side by side.

/// A specification: whether it is an invariant, its text, and what was found.
pub type Said = (bool, String, Option<bool>);

/// A verdict in a line of [`crate::one`].
pub fn verdict(line: &str) -> Option<(bool, String, Option<bool>)> {
    let fields: Vec<&str> = line.splitn(4, '\t').collect();
    let ["verdict", kind, holds, text] = fields[..] else { return None };
    Some((kind == "invariant", text.to_owned(), holds.parse().ok()))
}

/// The list of lists of three strings each that the oracle's last column is.
pub fn parse(text: &str) -> Vec<(bool, String, bool)> {
    let mut strings = vec![];
    let mut open: Option<String> = None;
    let mut escaped = false;
    for c in text.chars() {
        match &mut open {
            Some(string) if escaped => {
                string.push(c);
                escaped = false;
            }
            Some(_) if c == '\\' => escaped = true,
            Some(_) if c == '"' => strings.extend(open.take()),
            Some(string) => string.push(c),
            None if c == '"' => open = Some(String::new()),
            None => {}
        }
    }
    strings.chunks_exact(3).map(|s| (s[0] == "invariant", s[1].clone(), s[2] == "true")).collect()
}

/// Large numbers are given with six digits.
pub fn same_count(ours: &str, theirs: &str) -> bool {
    let (Ok(a), Ok(b)) = (ours.parse::<f64>(), theirs.parse::<f64>()) else { return false };
    ours == theirs || format!("{a:.5e}") == format!("{b:.5e}")
}

/// How many verdicts are equal, are not given and differ. Specifications of instances come in another order, so that they
/// are told apart by their texts where it is not the same one.
pub fn compare(ours: &[(bool, String, Option<bool>)], theirs: &[(bool, String, bool)]) -> [usize; 3] {
    let plain = |text: &str| -> String {
        let text = text.rsplit_once(" IN ").map_or(text, |(text, _)| text);
        text.chars().filter(|c| !c.is_whitespace() && !matches!(c, '(' | ')')).collect()
    };
    let mut open: Vec<&(bool, String, Option<bool>)> = ours.iter().collect();
    let (mut equal, mut unknown, mut wrong) = (0, 0, 0);
    let mut rest = vec![];
    for (invariant, text, holds) in theirs {
        let same = |o: &&&(bool, String, Option<bool>)| o.0 == *invariant && plain(&o.1) == plain(text);
        let candidates: Vec<_> = open.iter().filter(same).copied().collect();
        let best = candidates.iter().find(|o| o.2 == Some(*holds)).or(candidates.first());
        let Some(&found) = best else {
            rest.push((invariant, holds));
            continue;
        };
        open.retain(|o| !std::ptr::eq(*o, found));
        match found.2 {
            None => unknown += 1,
            Some(said) if said == *holds => equal += 1,
            Some(_) => wrong += 1,
        }
    }
    // What is written in another way: by number.
    for (invariant, holds) in rest {
        let same = open.iter().position(|o| o.0 == *invariant);
        match same.map(|i| open.remove(i).2) {
            Some(None) => unknown += 1,
            Some(Some(said)) if said == *holds => equal += 1,
            _ => wrong += 1,
        }
    }
    [equal, unknown, wrong]
}
