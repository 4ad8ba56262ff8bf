//! Names that people type: which one may have been meant.

/// Longer names are not compared: looking for the nearest takes time by the product of the lengths.
const LONGEST: usize = 64;

/// The names nearest to a mistyped one, the nearest first, at most three; none if nothing is near.
///
/// ```
/// assert_eq!(winset_model::similar("conect4", ["checkers", "connect4"]), ["connect4"]);
/// assert!(winset_model::similar("go", ["checkers", "connect4"]).is_empty());
/// ```
pub fn similar<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    if name.chars().nth(LONGEST).is_some() {
        return vec![];
    }
    let bound = name.chars().count() / 3 + 1;
    let near = names.into_iter().filter(|other| *other != name && other.chars().nth(LONGEST).is_none());
    let mut near: Vec<(usize, &str)> = near.map(|other| (distance(name, other), other)).collect();
    // A name that would have to be typed anew is not meant.
    near.retain(|&(d, other)| d <= bound && d < name.chars().count().max(other.chars().count()));
    near.sort_unstable();
    near.dedup();
    near.into_iter().take(3).map(|(_, other)| other).collect()
}

/// The number of characters to add, leave out or replace, or of neighbours to exchange, between two names.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    rows[0] = (0..=b.len()).collect();
    for i in 1..=a.len() {
        rows[i][0] = i;
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = least;
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_count_single_changes() {
        for (a, b, d) in [("", "abc", 3), ("open", "opne", 1), ("heap", "heaps", 1), ("cell", "call", 1)] {
            assert_eq!((distance(a, b), distance(b, a)), (d, d), "{a} {b}");
        }
    }

    #[test]
    fn only_what_is_near_is_proposed_nearest_first() {
        let names = ["legal", "goal", "level", "x", "legal"];
        assert_eq!(similar("legel", names), ["legal", "level"]);
        assert!(similar("y", names).is_empty(), "no letter of it is left");
        assert!(similar(&"l".repeat(1000), names).is_empty());
    }
}
