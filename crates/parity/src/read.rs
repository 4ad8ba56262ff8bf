//! The format of PGSolver: `parity 9;`, then for each vertex `number priority owner successor,... "name";`.

use crate::game::{Game, Vertex};
use std::collections::HashMap;
use winset_diagnostic::{Diagnostic, Span};

/// The most vertices that a file may have.
const MOST: usize = 50_000_000;

/// Reads a game, or says what is wrong and where.
pub fn read(text: &str) -> Result<Game, Diagnostic> {
    let mut reader = Reader { text, at: 0 };
    let (mut game, mut start) = (Game::default(), None);
    let mut positions: HashMap<u64, usize> = HashMap::new();
    let mut edges: Vec<Vec<(u64, Span)>> = vec![];
    if reader.word("parity") {
        reader.number("the highest number of a vertex")?;
        reader.semicolon()?;
    }
    if reader.word("start") {
        let (number, span) = reader.number("the number of a vertex")?;
        start = Some((number, span));
        reader.semicolon()?;
    }
    while !reader.is_over() {
        let (number, span) = reader.number("the number of a vertex")?;
        let (priority, _) = reader.number("a priority")?;
        let (owner, owner_span) = reader.number("0 or 1 for the player who moves there")?;
        if owner > 1 {
            return Err(wrong(owner_span, "the players are 0 and 1".to_owned()));
        }
        let mut successors = vec![reader.number("the number of a successor")?];
        while reader.symbol(',') {
            successors.push(reader.number("the number of a successor")?);
        }
        let name = reader.name()?;
        reader.semicolon()?;
        if positions.insert(number, game.vertices.len()).is_some() {
            return Err(wrong(span, format!("vertex {number} is described twice")));
        }
        if game.vertices.len() >= MOST {
            return Err(wrong(span, format!("there are more than {MOST} vertices")));
        }
        game.vertices.push(Vertex { number, owner: owner as u8, priority, successors: vec![], name });
        edges.push(successors);
    }
    if game.vertices.is_empty() {
        return Err(wrong(Span::new(0, 0), "the game has no vertices".to_owned()));
    }
    let position = |number: u64, span: Span| {
        let unknown = || wrong(span, format!("there is no vertex {number}"));
        positions.get(&number).copied().ok_or_else(unknown)
    };
    for (vertex, list) in game.vertices.iter_mut().zip(edges) {
        let mut successors =
            list.into_iter().map(|(to, span)| position(to, span)).collect::<Result<Vec<_>, _>>()?;
        successors.sort_unstable();
        successors.dedup();
        vertex.successors = successors;
    }
    game.start = start.map(|(number, span)| position(number, span)).transpose()?;
    Ok(game)
}

fn wrong(span: Span, message: String) -> Diagnostic {
    Diagnostic::error("parity-game", span, message)
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    fn skip(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn is_over(&mut self) -> bool {
        self.skip();
        self.at == self.text.len()
    }

    /// What stands here, up to a few characters.
    fn expected(&self, what: &str) -> Diagnostic {
        let length = self.text[self.at..].chars().next().map_or(0, char::len_utf8);
        wrong(Span::new(self.at, self.at + length), format!("expected {what}"))
    }

    fn word(&mut self, word: &str) -> bool {
        self.skip();
        let found = self.text[self.at..].starts_with(word);
        self.at += if found { word.len() } else { 0 };
        found
    }

    fn symbol(&mut self, symbol: char) -> bool {
        self.skip();
        let found = self.text[self.at..].starts_with(symbol);
        self.at += if found { symbol.len_utf8() } else { 0 };
        found
    }

    fn semicolon(&mut self) -> Result<(), Diagnostic> {
        if self.symbol(';') { Ok(()) } else { Err(self.expected("`;`")) }
    }

    fn number(&mut self, what: &str) -> Result<(u64, Span), Diagnostic> {
        self.skip();
        let rest = &self.text[self.at..];
        let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let span = Span::new(self.at, self.at + length);
        if length == 0 {
            return Err(self.expected(what));
        }
        self.at += length;
        match rest[..length].parse() {
            Ok(number) => Ok((number, span)),
            Err(_) => Err(wrong(span, "the number does not fit into 64 bits".to_owned())),
        }
    }

    fn name(&mut self) -> Result<Option<String>, Diagnostic> {
        if !self.symbol('"') {
            return Ok(None);
        }
        let Some(length) = self.text[self.at..].find('"') else {
            return Err(self.expected("a closing quote"));
        };
        let name = self.text[self.at..self.at + length].to_owned();
        self.at += length + 1;
        Ok(Some(name))
    }
}
