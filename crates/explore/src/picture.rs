//! Positions as text, for terminals: boards as boards, and everything else in lines that are not longer than there is room.

use crate::layout::{Kind, Layout};
use winset_model::{Game, State, visible, visible_lines};

/// A position in lines of at most `width` characters. Games that say where their squares are draw themselves; for rules from
/// a file the board is recognised ([`Layout`]); what is on no board follows below it.
pub fn picture(game: &Game, layout: &Layout, state: &State, width: usize) -> Vec<String> {
    let width = width.max(8);
    if game.board().is_some() {
        return visible_lines(game.draw(state).trim_end())
            .lines()
            .flat_map(|line| wrapped(line, width))
            .collect();
    }
    let mut lines = match layout.board(&layout.placed(state)) {
        Some(rows) => board(layout, &rows),
        None => vec![],
    };
    // A board that is wider than the screen would be read wrongly once its rows are broken.
    if lines.iter().any(|line| line.chars().count() > width) {
        lines.clear();
    }
    let rest = match lines.is_empty() {
        true => visible(&game.print(state)).into_owned(),
        false => layout.cards(game, state).join(" "),
    };
    lines.extend(wrapped(&rest, width));
    lines
}

/// Rows with their numbers, and below them the letters or numbers of the columns.
fn board(layout: &Layout, rows: &[Vec<Option<&str>>]) -> Vec<String> {
    let short = Abbreviations::of(&layout.pieces);
    let cell = |piece: &Option<&str>| match piece {
        None => String::new(),
        Some("") => ".".to_owned(),
        Some(piece) => short.of_piece(&layout.pieces, piece),
    };
    let wide = layout.pieces.iter().map(|piece| short.of_piece(&layout.pieces, piece).chars().count());
    let line = layout.kind == Kind::Line;
    let columns: Vec<String> = (0..layout.columns).map(|column| column_name(layout, column)).collect();
    let wide = wide.chain(columns.iter().map(|name| name.chars().count())).max().unwrap_or(1).max(1);
    let mut lines = vec![];
    for (at, row) in rows.iter().enumerate() {
        let number = if line { String::new() } else { row_name(layout, at) };
        let shift = if layout.kind == Kind::Hex {
            " ".repeat((row_shift(rows, at) * (wide + 1)) / 2)
        } else {
            String::new()
        };
        let present = row.iter().filter(|piece| layout.kind != Kind::Hex || piece.is_some());
        let cells: Vec<String> = present.map(|piece| format!("{:>wide$}", cell(piece))).collect();
        lines.push(format!("{number:>3} {shift}{}", cells.join(" ")).trim_end().to_owned());
    }
    if layout.kind != Kind::Hex {
        let names: Vec<String> = columns.iter().map(|name| format!("{name:>wide$}")).collect();
        lines.push(format!("    {}", names.join(" ")));
    }
    lines
}

/// What a column is called in the names of its squares; a letter where it has none.
fn column_name(layout: &Layout, column: usize) -> String {
    let Some(square) = layout.squares.iter().find(|square| square.column == column) else {
        return char::from(b'a' + (column % 26) as u8).to_string();
    };
    match (layout.kind, parts(&square.name)) {
        (Kind::Line, _) => square.name.clone(),
        (_, (column, _)) => column.to_owned(),
    }
}

/// The same for a row.
fn row_name(layout: &Layout, row: usize) -> String {
    let found = layout.squares.iter().find(|square| square.row == row);
    found.map_or_else(String::new, |square| parts(&square.name).1.to_owned())
}

/// The column and the row in the name of a square, such as `a1` or `12,3`.
fn parts(name: &str) -> (&str, &str) {
    name.split_once(',').unwrap_or_else(|| name.split_at(name.chars().next().map_or(0, char::len_utf8)))
}

/// How many squares a row is shorter than the longest.
fn row_shift(rows: &[Vec<Option<&str>>], at: usize) -> usize {
    let length = |row: &Vec<Option<&str>>| row.iter().filter(|piece| piece.is_some()).count();
    rows.iter().map(length).max().unwrap_or(0) - length(&rows[at])
}

/// Names of pieces in a few letters, no two alike.
struct Abbreviations(Vec<String>);

impl Abbreviations {
    fn of(pieces: &[String]) -> Self {
        let first = |n: usize| -> Vec<String> {
            pieces.iter().map(|piece| piece.chars().take(n).collect()).collect()
        };
        let unlike = |short: &Vec<String>| {
            let mut sorted = short.clone();
            sorted.sort_unstable();
            sorted.dedup();
            sorted.len() == short.len() && short.iter().all(|name| name != ".")
        };
        Abbreviations((1..=3).map(first).find(unlike).unwrap_or_else(|| pieces.to_vec()))
    }

    fn of_piece(&self, pieces: &[String], piece: &str) -> String {
        let at = pieces.iter().position(|name| name == piece);
        at.map_or_else(|| piece.to_owned(), |at| self.0[at].clone())
    }
}

/// A text in lines of at most `width` characters, broken at blanks outside of parentheses where it can be.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![];
    for line in text.lines() {
        if line.chars().count() <= width {
            lines.push(line.to_owned());
            continue;
        }
        let mut current = String::new();
        for word in words(line) {
            let (have, more) = (current.chars().count(), word.chars().count());
            if have > 0 && have + 1 + more > width {
                lines.push(std::mem::take(&mut current));
            } else if have > 0 {
                current.push(' ');
            }
            current.push_str(word);
            // A word that is longer than a line goes on in the next one.
            while current.chars().count() > width {
                let at = current.char_indices().nth(width).map_or(current.len(), |(at, _)| at);
                let rest = current.split_off(at);
                lines.push(std::mem::replace(&mut current, rest));
            }
        }
        lines.push(current);
    }
    lines
}

/// The parts of a line between blanks; what stands in parentheses is one part.
fn words(line: &str) -> Vec<&str> {
    let (mut all, mut depth, mut start) = (vec![], 0usize, None);
    for (at, c) in line.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if c == ' ' && depth == 0 {
            all.extend(start.take().map(|begin| &line[begin..at]));
        } else {
            start.get_or_insert(at);
        }
    }
    all.extend(start.map(|begin| &line[begin..]));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_cut() {
        let text = "(cell 1 1 b) (cell 2 1 x) averyveryverylongword (control a)";
        let lines = wrapped(text, 13);
        assert_eq!(lines, ["(cell 1 1 b)", "(cell 2 1 x)", "averyveryvery", "longword", "(control a)"]);
        let kept = |text: &str| text.chars().filter(|c| *c != ' ').collect::<String>();
        for width in 1..70 {
            let lines = wrapped(text, width);
            assert!(lines.iter().all(|line| line.chars().count() <= width), "{width}");
            assert_eq!(kept(&lines.concat()), kept(text), "{width}");
        }
    }
}
