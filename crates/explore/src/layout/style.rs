//! How the built-in games are drawn. Rules from files never come here, whatever they are called.

use super::{Square, Style};
use winset_model::{Exprs, Game};

/// The style of a built-in game.
pub fn of_built_in(name: &str) -> Style {
    match name {
        "connect4" => Style::Discs,
        "othello" | "clobber" | "konane" | "lines-of-action" | "teeko" | "tac-tix" => Style::Stones,
        "checkers" => Style::Checkers,
        "breakthrough" | "hexapawn" => Style::Pawns,
        "tictactoe" | "wild-tictactoe" | "order-and-chaos" | "notakto" | "treblecross" | "quixo"
        | "pentago" => Style::Marks,
        "hex" => Style::Hexagons,
        "dots-and-boxes" => Style::Sides,
        "bridg-it" => Style::Bridges,
        "sim" => Style::Chords,
        "six-mens-morris" | "nine-mens-morris" | "three-mens-morris" | "tapatan" | "achi" | "nine-holes"
        | "picaria" | "pong-hau-ki" | "hare-and-hounds" => Style::Points,
        "mu-torere" => Style::Ring,
        "kalah" | "awari" => Style::Pits,
        "nim" | "wythoff" | "euclid" | "subtraction" => Style::Heaps,
        "kqk" | "krk" | "kpk" | "kbnk" | "amazons" => Style::Chess,
        "quarto" => Style::Attributes,
        "gobblet" => Style::Cups,
        "chomp" => Style::Chocolate,
        "col" | "snort" | "domineering" | "cram" | "l-game" => Style::Blocks,
        "kayles" | "dawsons-kayles" => Style::Pins,
        "fox-and-hounds" => Style::Hunt,
        "toads-and-frogs" => Style::Hoppers,
        _ => Style::Tokens,
    }
}

/// The lines along which pieces go from point to point: a move empties one and fills the other, whatever the state.
pub fn lines(game: &Game, style: Style, squares: &[Square], home: &[Option<usize>]) -> Vec<[usize; 2]> {
    if !matches!(style, Style::Points | Style::Ring) {
        return vec![];
    }
    let mut lines = vec![];
    for m in game.moves() {
        let set = |emptied: bool| {
            let mut found = m.updates.iter().filter_map(|update| match update.cases[..] {
                [(Exprs::TRUE, value)] if (value == 0) == emptied => home[update.var.index()],
                _ => None,
            });
            found.next().filter(|_| found.next().is_none())
        };
        if let (Some(from), Some(to)) = (set(true), set(false)) {
            lines.push([from.min(to), from.max(to)]);
        }
    }
    lines.sort_unstable();
    lines.dedup();
    // Men that fly are on no line: lines go straight, to the next point, and not across the middle.
    if game.name() == "nine-mens-morris" {
        let at = |i: usize| (squares[i].row, squares[i].column);
        let middle = (3, 3);
        let between = |[a, b]: [usize; 2], p: (usize, usize)| {
            let ((r, c), (s, d)) = (at(a), at(b));
            let inside = |x: usize, y: usize, z: usize| x.min(y) < z && z < x.max(y);
            (r == s && p.0 == r && inside(c, d, p.1)) || (c == d && p.1 == c && inside(r, s, p.0))
        };
        lines.retain(|&line| {
            let ((r, c), (s, d)) = (at(line[0]), at(line[1]));
            (r == s || c == d)
                && !between(line, middle)
                && !(0..squares.len()).any(|other| between(line, at(other)))
        });
    }
    lines
}
