//! Moves as people type them.

use winset_model::{Game, MoveId};

/// The legal move that is meant: by its name as the game writes it, else by its words without parentheses, commas and
/// case, else by a column's letter for its number or the number for the letter. None if none is meant, or more than one.
pub fn meant(game: &Game, legal: &[MoveId], typed: &str) -> Option<MoveId> {
    if let Some(id) = game.move_named(legal.iter().copied(), typed) {
        return Some(id);
    }
    let name = |id: MoveId| words(&game.move_at(id).name);
    let said = words(typed);
    if said.is_empty() {
        return None;
    }
    let swapped: Vec<String> = said.iter().map(|word| other_name(word)).collect();
    let joined = |words: &[String]| words.concat();
    only(legal, |id| name(id) == said)
        .or_else(|| only(legal, |id| joined(&name(id)) == joined(&said)))
        // The verb may be left out: `a 10` for `leave a 10`.
        .or_else(|| only(legal, |id| name(id).ends_with(&said)))
        .or_else(|| only(legal, |id| name(id) == swapped))
        .or_else(|| only(legal, |id| name(id).ends_with(&swapped)))
}

/// The one move of which something holds.
fn only(legal: &[MoveId], holds: impl Fn(MoveId) -> bool) -> Option<MoveId> {
    let mut found = legal.iter().copied().filter(|&id| holds(id));
    found.next().filter(|_| found.next().is_none())
}

fn words(text: &str) -> Vec<String> {
    let between = |c: char| c.is_whitespace() || "(),;:-".contains(c);
    text.split(between).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// `d` for `4` and `4` for `d`.
fn other_name(word: &str) -> String {
    match (word.as_bytes(), word.parse::<u8>()) {
        ([letter @ b'a'..=b'z'], _) => (letter - b'a' + 1).to_string(),
        (_, Ok(number @ 1..=26)) => ((b'a' + number - 1) as char).to_string(),
        _ => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever is understood is one of the legal moves, and every name in every form means its own move.
    #[test]
    fn moves_can_be_typed_in_any_sensible_form() {
        for (name, forms) in [
            ("connect4", &[("d", "4"), ("4", "4"), (" D ", "4")][..]),
            ("tictactoe", &[("B2", "b2"), ("b 2", "b2")]),
        ] {
            let game = winset_games::build(name, None, &Default::default()).unwrap();
            let mut explicit = winset_model::Explicit::new(&game);
            let legal: Vec<MoveId> = explicit.at(game.initial()).moves().collect();
            for &(typed, wanted) in forms {
                let found = meant(&game, &legal, typed).map(|id| game.move_at(id).name.as_str());
                assert_eq!(found, Some(wanted), "{name}: {typed}");
            }
            for &id in &legal {
                assert_eq!(meant(&game, &legal, &game.move_at(id).name.to_uppercase()), Some(id));
            }
            assert_eq!(meant(&game, &legal, "nonsense"), None);
            assert_eq!(meant(&game, &legal, ""), None);
        }
        assert_eq!(words("(leave a 10)"), words("Leave A, 10"));
    }
}
