//! Playing with a perfect opponent, or two people with perfect advice.

use crate::error::ExploreError;
use crate::layout::Layout;
use crate::picture::picture;
use crate::sentence::{capital, does, sentence};
use crate::session::{Lookup, Position};
use crate::solution::Solution;
use crate::typed::meant;
use std::collections::HashSet;
use std::io::{BufRead, Write};
use winset_diagnostic::Span;
use winset_model::{Game, MoveId, Player, State};

/// Positions that a search above the solved layers may look at.
const SEARCH_NODES: u64 = 20_000;

/// Who decides for a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Somebody who types.
    Human,
    /// The store or the strategy.
    Perfect,
}

/// What a line of input led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The position may have changed; this is to be said.
    Said(String),
    /// The player wants to stop.
    Quit,
}

/// A game under way.
pub struct Play<'s> {
    solution: Box<dyn Solution<'s> + 's>,
    /// Who decides for each player.
    sides: Vec<Side>,
    /// Values are shown without being asked for.
    pub hints: bool,
    /// The positions so far with the moves that led to them.
    history: Vec<(Option<MoveId>, State)>,
    position: Position,
    resigned: Option<Player>,
    layout: Layout,
}

/// Lines of plain text are no longer than this.
const PLAIN_WIDTH: usize = 78;

const HELP: &str = "a move, or: moves, values, value, hints, history, line, undo, resign, new, quit";

impl<'s> Play<'s> {
    /// Starts a game. `sides` says who decides for each player; for players beyond it somebody types. The perfect
    /// opponent moves at once if it is its turn.
    pub fn new(
        mut solution: Box<dyn Solution<'s> + 's>,
        sides: impl Into<Vec<Side>>,
        hints: bool,
    ) -> Result<Self, ExploreError> {
        let mut sides = sides.into();
        sides.resize(solution.game().players().len().max(sides.len()), Side::Human);
        let initial = solution.game().initial().clone();
        let position = solution.position(&initial)?;
        let history = vec![(None, initial)];
        let layout = Layout::of(solution.game());
        let mut play = Play { layout, solution, sides, hints, history, position, resigned: None };
        play.opponent_moves()?;
        Ok(play)
    }

    /// The game.
    pub fn game(&self) -> &'s Game {
        self.solution.game()
    }

    /// Every play of the game is known to come to an end.
    pub fn every_play_ends(&self) -> bool {
        self.solution.every_play_ends()
    }

    /// What must be known before one relies on the perfect opponent, if anything.
    pub fn warning(&self) -> Option<&'static str> {
        self.solution.warning()
    }

    /// The position on the board.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The position on the board as text, in lines of at most `width` characters.
    pub fn picture(&self, width: usize) -> Vec<String> {
        picture(self.game(), &self.layout, &self.position.state, width)
    }

    /// One letter for each of the first two kinds of pieces, which are the players' in most games.
    pub fn marks(&self) -> Vec<char> {
        self.layout.pieces.iter().take(2).filter_map(|piece| piece.chars().next()).collect()
    }

    /// What can be done now that the game is over.
    pub fn next_steps(&self) -> &'static str {
        "new: play again, undo: take a move back, quit: leave"
    }

    /// The moves that can be chosen, in the order of [`Play::list`].
    pub fn choices(&self) -> Vec<MoveId> {
        let mut moves: Vec<MoveId> = self.position.moves.iter().map(|m| m.id).collect();
        if !self.hints {
            moves.sort_unstable();
        }
        if self.is_over() { vec![] } else { moves }
    }

    /// Makes the move of this number in [`Play::choices`], and lets the opponent answer.
    pub fn choose(&mut self, number: usize) -> Result<String, ExploreError> {
        match self.choices().get(number) {
            Some(&id) => {
                self.make(id)?;
                self.opponent_moves()
            }
            None => Ok(String::new()),
        }
    }

    /// The moves so far, as players write them.
    pub fn moves_played(&self) -> Vec<String> {
        let game = self.game();
        self.history.iter().filter_map(|(id, _)| id.map(|id| game.move_at(id).name.clone())).collect()
    }

    /// The game is over, by the rules or because somebody resigned.
    pub fn is_over(&self) -> bool {
        self.resigned.is_some() || self.position.moves.is_empty()
    }

    /// What is going on, in one sentence that gives nothing away.
    pub fn status(&self) -> String {
        let game = self.game();
        match (self.resigned, self.position.mover) {
            (Some(player), _) => {
                let resigns = does(game.player_name(player), "resigns", "resign");
                match game.players() {
                    [first, second] => {
                        let winner = if player == Player(0) { second } else { first };
                        format!("{resigns}. {}.", does(winner, "wins", "win"))
                    }
                    _ => format!("{resigns}."),
                }
            }
            (None, Some(player)) if !self.position.moves.is_empty() => {
                format!("{} to move", capital(game.player_name(player)))
            }
            _ => format!("{}.", sentence(&*self.solution, self.position.lookup)),
        }
    }

    /// The list of legal moves, best first with values if they are to be seen, else in the game's order.
    pub fn list(&self, values: bool) -> Vec<String> {
        let game = self.game();
        let mut moves: Vec<_> = self.position.moves.iter().collect();
        if !values {
            moves.sort_by_key(|m| m.id);
            return moves.iter().map(|m| game.move_at(m.id).name.clone()).collect();
        }
        moves
            .iter()
            .map(|m| format!("{}: {}", game.move_at(m.id).name, sentence(&*self.solution, m.lookup)))
            .collect()
    }

    /// Does what a line of input says.
    pub fn input(&mut self, line: &str) -> Result<Reply, ExploreError> {
        let line = line.trim();
        let said = match line.to_ascii_lowercase().as_str() {
            "" => String::new(),
            "quit" | "exit" | "q" => return Ok(Reply::Quit),
            "help" | "?" => HELP.to_owned(),
            "moves" => self.list(false).join(" "),
            "values" | "hint" => self.list(true).join("\n"),
            "value" => self.value()?,
            "hints" => {
                self.hints = !self.hints;
                format!("hints are {}", if self.hints { "on" } else { "off" })
            }
            "history" => self.moves_played().join(" "),
            "line" => self.line()?,
            "undo" => self.undo()?,
            "resign" => self.resign(),
            "new" => {
                self.history.truncate(1);
                self.resigned = None;
                self.look()?;
                self.opponent_moves()?
            }
            _ => self.make_named(line)?,
        };
        Ok(Reply::Said(said))
    }

    fn value(&mut self) -> Result<String, ExploreError> {
        let state = self.position.state.clone();
        let mut lookup = self.position.lookup;
        if lookup == Lookup::NotSolvedYet
            && let Some(found) = self.solution.search(&state, SEARCH_NODES)?
        {
            lookup = Lookup::Solved(found);
        }
        Ok(sentence(&*self.solution, lookup))
    }

    fn line(&mut self) -> Result<String, ExploreError> {
        let state = self.position.state.clone();
        let line = self.solution.line(&state)?;
        let game = self.game();
        Ok(line.iter().map(|m| game.move_at(m.id).name.as_str()).collect::<Vec<_>>().join(" "))
    }

    fn make_named(&mut self, name: &str) -> Result<String, ExploreError> {
        if self.is_over() {
            return Ok(format!("the game is over. {}", self.status()));
        }
        let mut legal: Vec<MoveId> = self.position.moves.iter().map(|m| m.id).collect();
        match meant(self.game(), &legal, name) {
            Some(id) => {
                self.make(id)?;
                self.opponent_moves()
            }
            None => {
                // In the game's order: the order of the values would tell which is best.
                legal.sort_unstable();
                let wrong = self.game().not_legal(&legal, Span::new(0, name.len()), name);
                let help = wrong.help.map_or(String::new(), |help| format!("; {help}"));
                Ok(format!("{}{help}", wrong.message))
            }
        }
    }

    fn make(&mut self, id: MoveId) -> Result<(), ExploreError> {
        if let Some(made) = self.position.moves.iter().find(|m| m.id == id) {
            self.history.push((Some(id), made.state.clone()));
        }
        self.look()
    }

    fn look(&mut self) -> Result<(), ExploreError> {
        let state = self.history.last().map(|last| last.1.clone());
        let state = state.unwrap_or_else(|| self.game().initial().clone());
        self.position = self.solution.position(&state)?;
        Ok(())
    }

    /// The perfect opponent moves as long as it is its turn; says what it did.
    fn opponent_moves(&mut self) -> Result<String, ExploreError> {
        let mut said = vec![];
        let mut seen = HashSet::from([self.position.state.clone()]);
        while let Some(player) =
            self.position.mover.filter(|&player| self.sides[player.index()] == Side::Perfect)
        {
            let Some(best) = self.position.moves.first().map(|m| m.id) else { break };
            let game = self.game();
            said.push(format!(
                "{} {}",
                does(game.player_name(player), "plays", "play"),
                game.move_at(best).name
            ));
            self.make(best)?;
            if !seen.insert(self.position.state.clone()) {
                // Nobody else is asked, so it would go on like this.
                said.push("and so on for ever".to_owned());
                break;
            }
        }
        Ok(said.join("\n"))
    }

    /// Back to where a human was to move before.
    fn undo(&mut self) -> Result<String, ExploreError> {
        if self.resigned.take().is_some() {
            return Ok("resignation taken back".to_owned());
        }
        let before = self.history.len();
        while self.history.len() > 1 {
            self.history.pop();
            self.look()?;
            if self.position.mover.is_some_and(|player| self.sides[player.index()] == Side::Human) {
                return Ok("taken back".to_owned());
            }
        }
        if before > 1 {
            // The opponent opened the game: there is nothing of the human's to take back.
            self.opponent_moves()?;
        }
        Ok("there is nothing to take back".to_owned())
    }

    fn resign(&mut self) -> String {
        if self.is_over() {
            return self.status();
        }
        self.resigned = self.position.mover;
        self.status()
    }
}

/// Plays in plain text: for pipes and simple terminals. Ends with the input, or when the game is over and the
/// input says so.
pub fn run_plain(
    play: &mut Play<'_>,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
) -> Result<(), ExploreError> {
    if let Some(warning) = play.warning() {
        writeln!(out, "warning: {warning}")?;
    }
    if let Some(opening) = play.moves_played().first() {
        writeln!(out, "the opponent opens with {opening}")?;
    }
    show(play, out)?;
    loop {
        write!(out, "> ")?;
        out.flush()?;
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            writeln!(out)?;
            return Ok(());
        }
        let before = (play.position().state.clone(), play.is_over());
        match play.input(&line)? {
            Reply::Quit => return Ok(()),
            Reply::Said(said) => {
                if !said.is_empty() {
                    writeln!(out, "{said}")?;
                }
            }
        }
        if before != (play.position().state.clone(), play.is_over()) {
            show(play, out)?;
        }
    }
}

fn show(play: &Play<'_>, out: &mut dyn Write) -> Result<(), ExploreError> {
    for line in play.picture(PLAIN_WIDTH) {
        writeln!(out, "{line}")?;
    }
    writeln!(out, "{}", play.status())?;
    if play.is_over() {
        writeln!(out, "{}", play.next_steps())?;
    }
    if play.hints && !play.is_over() {
        play.list(true).iter().try_for_each(|line| writeln!(out, "  {line}"))?;
    }
    Ok(())
}
