//! Boards made of the pictures that the client has: a tile for each square, and a piece or nothing above it.

use crate::layout::{Action, Kind, Layout, Placed, Style};
use serde_json::{Map, Value, json};

/// The tile's character and picture.
const TILE: (char, &str) = ('t', "hashi/grayclick.svg");
/// Characters for pieces, the tile's left out.
const NAMES: &str = "abcdefghijklmnopqrsuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
/// Pieces that names do not tell more about.
const CIRCLES: [&str; 9] = ["blue", "orange", "teal", "purple", "yellow", "pink", "brown", "green", "red"];

/// How a game's pieces are drawn by the client.
pub struct Autogui {
    /// A picture for each piece; none: its name as text.
    pictures: Vec<Option<String>>,
    names: Vec<String>,
}

impl Autogui {
    /// None if the game has no board that could be drawn.
    pub fn of(layout: &Layout) -> Option<Self> {
        let most = NAMES.len();
        if layout.kind == Kind::Cards || layout.squares.is_empty() || layout.pieces.len() > most {
            return None;
        }
        let mut circles = CIRCLES.iter();
        let picture = |name: &String| -> Option<String> {
            let known = match (layout.style, name.as_str()) {
                (Style::Discs, "x") => "general/redpiece.svg",
                (Style::Discs, _) => "general/bluepiece.svg",
                (Style::Checkers, "B") => "chess/wikipedia/kk.svg",
                (Style::Checkers, "W") => "chess/wikipedia/K.svg",
                (Style::Marks, "x") | (_, "x" | "X") => "ttt/x.svg",
                (Style::Marks, _) | (_, "o" | "O") => "ttt/o.svg",
                (_, "b" | "black") => "general/blackpiece.svg",
                (_, "w" | "white") => "general/whitepiece.svg",
                (_, "red") => "general/redpiece.svg",
                (_, "blue") => "general/bluepiece.svg",
                (_, digit) if digit.len() == 1 && digit.as_bytes()[0].is_ascii_digit() => {
                    return Some(format!("general/{digit}.svg"));
                }
                (_, number) if number.parse::<i64>().is_ok() => return None,
                _ => return circles.next().map(|colour| format!("general/{colour}_circle.svg")),
            };
            Some(known.to_owned())
        };
        let pictures = layout.pieces.iter().map(picture).collect();
        // Text may have only letters, digits and minus signs there. A piece is never nothing at all.
        let plain = |(i, name): (usize, &String)| {
            let text: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
            if text.is_empty() { (NAMES.as_bytes()[i] as char).to_string() } else { text }
        };
        Some(Autogui { pictures, names: layout.pieces.iter().enumerate().map(plain).collect() })
    }

    /// Tiles, then what stands on them, then the texts of pieces without a picture.
    pub fn entities(&self, placed: &Placed) -> String {
        let mut entities = TILE.0.to_string().repeat(placed.len());
        let mut texts = String::new();
        for piece in placed {
            entities.push(match piece {
                None => '-',
                Some(piece) if self.pictures[*piece].is_some() => NAMES.as_bytes()[*piece] as char,
                Some(piece) => {
                    texts.push('~');
                    texts.push_str(&self.names[*piece]);
                    '.'
                }
            });
        }
        entities + &texts
    }

    /// The button for a move, at the places of what stands on the tiles; none: it is only in the list.
    pub fn button(&self, action: &Action, squares: usize) -> Option<String> {
        let n = |square: usize| squares + square;
        match *action {
            Action::Put(square) => Some(format!("A_-_{}", n(square))),
            Action::Slide(from, to) => Some(format!("M_{}_{}", n(from), n(to))),
            Action::Other(_) => None,
        }
    }

    /// Where everything is drawn, and with which pictures.
    pub fn data(&self, layout: &Layout) -> Value {
        let shift = |row: usize| match layout.kind {
            Kind::Hex => {
                let first =
                    layout.squares.iter().filter(|s| s.row == row).map(|s| s.column).min().unwrap_or(0);
                let n = layout.squares.iter().filter(|s| s.row == row).count();
                (layout.columns - n) as f64 / 2.0 - first as f64
            }
            _ => 0.0,
        };
        let centre =
            |s: &crate::layout::Square| json!([s.column as f64 + 0.5 + shift(s.row), s.row as f64 + 0.5]);
        let squares: Vec<Value> = layout.squares.iter().map(centre).collect();
        // The same centres again for what stands on the tiles.
        let centers: Vec<&Value> = squares.iter().chain(&squares).collect();
        let mut images = Map::new();
        images.insert(TILE.0.to_string(), json!({"image": TILE.1, "scale": 1.35}));
        for (i, picture) in self.pictures.iter().enumerate() {
            if let Some(picture) = picture {
                let name = (NAMES.as_bytes()[i] as char).to_string();
                images.insert(name, json!({"image": picture, "scale": 0.8}));
            }
        }
        json!({"defaultTheme": "basic", "themes": {"basic": {
            "space": [layout.columns, layout.rows],
            "centers": centers,
            "charImages": images,
            "circleButtonRadius": 0.15,
            "arrowWidth": 0.08,
            "entitiesOverArrows": false,
            "textEntityFontSize": 0.5,
        }}})
    }
}
