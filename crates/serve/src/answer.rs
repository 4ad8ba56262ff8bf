//! Answers in the shape that clients read. Names are made visible here, once for every client.

use crate::layout::{Action, Layout};
use crate::problem::Problem;
use crate::shelf::Room;
use serde::Serialize;
use std::fmt;
use std::ops::Deref;
use winset::{Lookup, Session, State};
use winset_explore::Solution;
use winset_explore::query::{self, Brief};
use winset_explore::why::why_not;
use winset_model::visible;

/// Everything about a position: what `winset query --json` says, and what a page needs to draw it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PositionAnswer {
    /// What is known of it. What is not known is null.
    #[serde(flatten)]
    pub known: query::Answer<MoveOut>,
    /// `positionValue` once more, under the name that our own clients read.
    pub value: Option<&'static str>,
    /// Rows of squares from the top: a piece, "" for an empty square, null for no square; null without a board.
    pub board: Option<Vec<Vec<Option<String>>>>,
    /// What holds and is not seen on the board.
    pub facts: Vec<String>,
    /// Who is to move as a number, from 1; where the game has ended, whose turn it would be.
    pub turn: Option<u8>,
    /// The game has ended here.
    pub terminal: bool,
    /// Why it cannot arise, where something can be said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// A legal move, and what it does to the board.
#[derive(Clone, Debug, Serialize)]
pub struct MoveOut {
    /// What is known of it.
    #[serde(flatten)]
    pub known: query::MoveAnswer,
    /// What it does to the board.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<ActionOut>,
}

impl Deref for PositionAnswer {
    type Target = query::Answer<MoveOut>;

    fn deref(&self) -> &Self::Target {
        &self.known
    }
}

impl Deref for MoveOut {
    type Target = query::MoveAnswer;

    fn deref(&self) -> &Self::Target {
        &self.known
    }
}

/// What a move does to the board, by the names of squares.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ActionOut {
    /// A piece is put there.
    Put(String),
    /// A piece goes from one square to another.
    Slide([String; 2]),
    /// These squares change.
    Change(Vec<String>),
}

/// The word as clients of the UWAPI know it.
pub fn word(word: Option<&'static str>) -> Option<&'static str> {
    word.map(|word| if word == "loss" { "lose" } else { word })
}

/// A name as it is shown.
pub fn shown(name: &str) -> String {
    visible(name).into_owned()
}

/// The board with its own texts.
fn board(layout: &Layout, state: &State) -> Option<Vec<Vec<Option<String>>>> {
    let rows = layout.board(&layout.placed(state))?;
    Some(rows.into_iter().map(|row| row.into_iter().map(|cell| cell.map(str::to_owned)).collect()).collect())
}

/// A position, and the positions after its moves in the order of the moves.
pub struct Described {
    /// The answer.
    pub answer: PositionAnswer,
    /// The position.
    pub state: State,
    /// The positions after the moves.
    pub after: Vec<State>,
}

/// Where a client wants to look.
#[derive(Clone, Debug)]
pub enum Asked {
    /// At a position.
    Position(String),
    /// After these moves from the start.
    Moves(String),
    /// After these moves from a position.
    From(String, String),
}

impl fmt::Display for Asked {
    /// Other questions have other texts.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Asked::Position(position) => write!(f, "p{position}"),
            Asked::Moves(moves) => write!(f, "m{moves}"),
            Asked::From(position, moves) => write!(f, "{} {position} {moves}", position.len()),
        }
    }
}

/// The positions on the way to what a client asks for, and whether they are known to arise.
pub fn states(room: &Room, session: &mut Session<'_>, asked: &Asked) -> Result<(Vec<State>, bool), Problem> {
    let game = room.solved().game();
    let (start, moves, played) = match asked {
        Asked::Position(text) => (query::position(game, text)?, "", false),
        Asked::Moves(moves) => (game.initial().clone(), moves.as_str(), true),
        Asked::From(text, moves) => {
            let start = query::position(game, text)?;
            // Where moves lead from a position that arises, the game can come to.
            let arises = session.arises(&start).map_err(Problem::from)? == Some(true);
            (start, moves.as_str(), arises)
        }
    };
    Ok((query::play_out(session.explicit(), start, moves)?, played))
}

/// Describes what a client asks for.
pub fn describe(room: &Room, session: &mut Session<'_>, asked: &Asked) -> Result<Described, Problem> {
    let (mut states, played) = states(room, session, asked)?;
    let last = states.pop().unwrap_or_else(|| room.solved().start().clone());
    describe_state(room, session, last, played)
}

/// Describes a position, to which moves from the start have led or not.
pub fn describe_state(
    room: &Room,
    session: &mut Session<'_>,
    state: State,
    played: bool,
) -> Result<Described, Problem> {
    let (layout, game) = (&room.layout, room.solved().game());
    let (answer, after) = query::answer_and_states(session, &state, played).map_err(Problem::from)?;
    let terminal = matches!(session.value(&state), Ok(Lookup::Terminal { .. }));
    let why = match answer.reachable {
        Some(false) => why_not(session, &state).map_err(Problem::from)?,
        _ => None,
    };
    let before = layout.placed(&state);
    let name = |square: usize| layout.squares[square].name.clone();
    let action = |after: &State| {
        let action = layout.action(&before, &layout.placed(after));
        (!layout.squares.is_empty()).then(|| match action {
            Action::Put(square) => ActionOut::Put(name(square)),
            Action::Slide(from, to) => ActionOut::Slide([name(from), name(to)]),
            Action::Other(changed) => ActionOut::Change(changed.into_iter().map(name).collect()),
        })
    };
    let turn = session.explicit().at(&state).turn().map(|player| player.0 + 1);
    let mut after_moves = after.iter();
    let mut known = answer.with_moves(|m| MoveOut {
        action: after_moves.next().and_then(action),
        known: query::MoveAnswer {
            name: shown(&m.name),
            move_value: word(m.move_value),
            position: shown(&m.position),
            position_value: word(m.position_value),
            sentence: shown(&m.sentence),
            ..m
        },
    });
    known.position = shown(&known.position);
    known.player = known.player.as_deref().filter(|_| !terminal).map(shown);
    known.position_value = word(known.position_value);
    known.sentence = shown(&known.sentence);
    let answer = PositionAnswer {
        value: known.position_value,
        known,
        board: board(layout, &state),
        facts: layout.cards(game, &state),
        turn,
        terminal,
        why: why.map(|why| shown(&why)),
    };
    Ok(Described { answer, state, after })
}

/// Answers many positions, in their order.
pub fn brief(session: &mut Session<'_>, texts: &[String]) -> Result<Vec<Brief>, Problem> {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let mut answers = query::brief(session, &texts).map_err(Problem::from)?;
    for answer in &mut answers {
        answer.position = shown(&answer.position);
        answer.position_value = word(answer.position_value);
        answer.sentence = answer.sentence.take().map(|text| shown(&text));
        answer.error = answer.error.take().map(|text| shown(&text));
    }
    Ok(answers)
}
