//! A strategy as a file: for every position where a formula promises something, the move that keeps it.
//!
//! The file is a table for people and programs: positions, moves and rounds, separated by tabs. Its first
//! line, a JSON object after `# `, says which game and formula it is about, how many positions it has, and
//! the BLAKE3 digest of everything after that line, so that a damaged file is refused.

use crate::error::ExploreError;
use crate::session::{Lookup, MoveValue, Position};
use crate::solution::Solution;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use winset_model::{Explicit, Game, MoveId, Notation, Player, State, Visible, visible};
use winset_store::{GameRecord, rules_digest};

/// The version of the file.
const VERSION: u32 = 1;
const TITLES: &str = "position\tmove\trounds\n";
/// The word for a choice that does not matter.
const ANY: &str = "any";

/// What the first line says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// The version of the file.
    pub strategy: u32,
    /// The game.
    pub game: GameRecord,
    /// The digest of its rules.
    pub rules: String,
    /// What is promised.
    pub formula: String,
    /// The promise comes true in the end; otherwise it is kept for ever.
    pub ends: bool,
    /// The number of positions.
    pub positions: u64,
    /// The digest of the table.
    pub blake3: String,
}

/// Spells out a strategy, position by position.
#[derive(Debug)]
pub struct Table {
    text: String,
    positions: u64,
    ends: bool,
}

impl Default for Table {
    fn default() -> Self {
        Table { text: TITLES.to_owned(), positions: 0, ends: true }
    }
}

/// The move that keeps a promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeps {
    /// Nothing is left to do.
    Over,
    /// Every move does.
    Any,
    /// This one does.
    Move(MoveId),
}

impl Table {
    /// Adds a position. `rounds`: after how many moves at most the promise comes true; none if it is one
    /// that is kept for ever.
    pub fn push(&mut self, game: &Game, state: &State, keeps: Keeps, rounds: Option<u32>) {
        let choice = match keeps {
            Keeps::Over => "",
            Keeps::Any => ANY,
            Keeps::Move(id) => game.move_at(id).name.as_str(),
        };
        self.ends &= rounds.is_some();
        self.positions += 1;
        let (position, choice) = (game.print(state), visible(choice));
        let line = format!("{}\t{choice}\t{}\n", visible(&position), rounds.unwrap_or(0));
        self.text.push_str(&line);
    }

    /// Writes the table with its first line.
    pub fn write(
        &self,
        out: &mut dyn Write,
        game: &Game,
        record: GameRecord,
        formula: &str,
    ) -> Result<(), ExploreError> {
        let about = About {
            strategy: VERSION,
            game: record,
            rules: rules_digest(game),
            formula: formula.to_owned(),
            ends: self.ends,
            positions: self.positions,
            blake3: blake3::hash(self.text.as_bytes()).to_hex().to_string(),
        };
        let mut head = Visible::new(&mut *out, Notation::Json);
        writeln!(head, "# {}", serde_json::to_string(&about)?)?;
        out.write_all(self.text.as_bytes())?;
        Ok(())
    }
}

/// A strategy read from a file.
#[derive(Debug)]
pub struct Strategy {
    about: About,
    game: Game,
    rows: HashMap<State, Row>,
    /// For each player, whether the strategy ever tells that player what to do. Others are opponents.
    advised: [bool; 2],
}

#[derive(Clone, Copy, Debug)]
struct Row {
    keeps: Keeps,
    rounds: u32,
}

impl Strategy {
    /// Reads a strategy. `build` makes the game that the file names; it is refused if its rules are others.
    pub fn open<E: std::fmt::Display>(
        path: &Path,
        build: impl FnOnce(&GameRecord) -> Result<Game, E>,
    ) -> Result<Self, ExploreError> {
        let damaged = |reason: String| ExploreError::Strategy { path: path.to_owned(), reason };
        let bytes = std::fs::read(path).map_err(|e| damaged(e.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|_| damaged("it is not text".to_owned()))?;
        let not_one = || damaged("it does not begin like a strategy".to_owned());
        let (first, table) = text.split_once('\n').ok_or_else(not_one)?;
        let first = first.strip_prefix("# ").ok_or_else(not_one)?;
        let about: About = serde_json::from_str(first).map_err(|_| not_one())?;
        if about.strategy != VERSION {
            return Err(damaged(format!("its version is {}, this program reads {VERSION}", about.strategy)));
        }
        if blake3::hash(table.as_bytes()).to_hex().as_str() != about.blake3 {
            return Err(damaged("its digest is wrong: it was changed or cut off".to_owned()));
        }
        let game = build(&about.game).map_err(|e| damaged(e.to_string()))?;
        if rules_digest(&game) != about.rules {
            return Err(damaged("it was made for other rules".to_owned()));
        }
        let rows = table.strip_prefix(TITLES).ok_or_else(not_one)?;
        let (mut made, mut advised) = (HashMap::new(), [false; 2]);
        let mut explicit = Explicit::new(&game);
        for (number, line) in rows.lines().enumerate() {
            let wrong = || damaged(format!("row {} makes no sense", number + 1));
            let fields: Vec<&str> = line.split('\t').collect();
            let [position, choice, rounds] = fields.as_slice() else { return Err(wrong()) };
            let state = game.parse(position).map_err(|_| wrong())?;
            let keeps = match *choice {
                "" => Keeps::Over,
                ANY => Keeps::Any,
                name => {
                    let at = explicit.at(&state);
                    advised[at.turn().ok_or_else(wrong)?.index()] = true;
                    Keeps::Move(game.move_named(at.moves(), name).ok_or_else(wrong)?)
                }
            };
            let rounds = rounds.parse().map_err(|_| wrong())?;
            if made.insert(state, Row { keeps, rounds }).is_some() {
                return Err(damaged(format!("row {} is about a position that was there before", number + 1)));
            }
        }
        drop(explicit);
        if made.len() as u64 != about.positions {
            return Err(damaged("the number of its positions is wrong".to_owned()));
        }
        Ok(Strategy { about, game, rows: made, advised })
    }

    /// What the file says about itself.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Asks and plays.
    pub fn session(&self) -> Advice<'_> {
        Advice { strategy: self, explicit: Explicit::new(&self.game) }
    }
}

/// Asks one strategy.
pub struct Advice<'s> {
    strategy: &'s Strategy,
    explicit: Explicit<'s>,
}

impl Advice<'_> {
    fn lookup(&mut self, state: &State) -> Lookup {
        if let Some(rewards) = self.explicit.at(state).rewards() {
            return Lookup::Terminal { rewards };
        }
        let ends = self.strategy.about.ends;
        match self.strategy.rows.get(state) {
            Some(row) => Lookup::Promised { rounds: ends.then_some(row.rounds) },
            None => Lookup::NotPromised,
        }
    }

    /// Moves that keep the promise come first, the quickest of them before the others; to an opponent whom
    /// the strategy never advises it is the other way round.
    fn preference(&self, mover: Option<Player>, row: Option<Row>, m: &MoveValue) -> (bool, bool, i64) {
        let told = matches!(row, Some(Row { keeps: Keeps::Move(id), .. }) if id == m.id);
        let (inside, rounds) = match self.strategy.rows.get(&m.state) {
            Some(row) => (true, i64::from(row.rounds)),
            None => (false, 0),
        };
        match mover.is_some_and(|player| self.strategy.advised[player.index()]) {
            true => (!told, !inside, rounds),
            false => (false, inside, -rounds),
        }
    }
}

impl<'s> Solution<'s> for Advice<'s> {
    fn game(&self) -> &'s Game {
        &self.strategy.game
    }

    fn explicit(&mut self) -> &mut Explicit<'s> {
        &mut self.explicit
    }

    fn is_win_draw_loss(&self) -> bool {
        self.strategy.game.is_win_draw_loss()
    }

    fn every_play_ends(&self) -> bool {
        false
    }

    fn arises(&mut self, state: &State) -> Result<Option<bool>, ExploreError> {
        // A strategy lists where something is promised, and says nothing about what leads there.
        Ok((state == self.strategy.game.initial()).then_some(true))
    }

    fn values(&mut self, states: &[State]) -> Result<Vec<Lookup>, ExploreError> {
        Ok(states.iter().map(|state| self.lookup(state)).collect())
    }

    fn position(&mut self, state: &State) -> Result<Position, ExploreError> {
        let lookup = self.lookup(state);
        let at = self.explicit.at(state);
        let mover = if at.is_terminal() { None } else { at.turn() };
        let successors: Vec<(MoveId, State)> = at.moves().map(|id| (id, at.apply(id))).collect();
        let mut moves: Vec<MoveValue> = successors
            .into_iter()
            .map(|(id, state)| MoveValue { id, lookup: self.lookup(&state), state })
            .collect();
        let row = self.strategy.rows.get(state).copied();
        moves.sort_by_key(|m| self.preference(mover, row, m));
        Ok(Position { state: state.clone(), mover, lookup, moves })
    }
}
