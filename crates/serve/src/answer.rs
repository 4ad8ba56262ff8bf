//! Answers in the shape that clients read. Names are made visible here, once for every client.

use crate::layout::{Action, Layout};
use crate::problem::Problem;
use crate::shelf::Room;
use serde::Serialize;
use winset::{Lookup, Session, State};
use winset_explore::Solution;
use winset_explore::query::{self, Brief};
use winset_explore::why::why_not;
use winset_model::visible;

/// Everything about a position. What is not known is null.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PositionAnswer {
    /// The position as the game writes it.
    pub position: String,
    /// Rows of squares from the top: a piece, "" for an empty square, null for no square; null without a board.
    pub board: Option<Vec<Vec<Option<String>>>>,
    /// What holds and is not seen on the board.
    pub facts: Vec<String>,
    /// Who is to move; null where the game has ended.
    pub player: Option<String>,
    /// The same as a number, from 1; where the game has ended, whose turn it would be.
    pub turn: Option<u8>,
    /// The value for who is to move: win, lose, tie (ends level) or draw (never has to end).
    pub value: Option<&'static str>,
    /// Plies to the end under perfect play.
    pub remoteness: Option<u32>,
    /// What each player gets.
    pub rewards: Option<Vec<u8>>,
    /// The game has ended here.
    pub terminal: bool,
    /// The game can come to this position.
    pub reachable: Option<bool>,
    /// Why it cannot, where something can be said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The value in words.
    pub sentence: String,
    /// The value was not stored but found by a short search.
    pub searched: bool,
    /// What must be known before one plays by this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<&'static str>,
    /// The legal moves, best first; none where the position's value is not known.
    pub moves: Vec<MoveOut>,
}

/// A legal move.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MoveOut {
    /// As the game writes it.
    #[serde(rename = "move")]
    pub name: String,
    /// The value for who makes it.
    pub move_value: Option<&'static str>,
    /// How much longer or shorter it lasts than the best move of the same value.
    pub delta_remoteness: Option<u32>,
    /// The position after it.
    pub position: String,
    /// The value of that position for who is to move there.
    pub position_value: Option<&'static str>,
    /// Plies to the end from there.
    pub remoteness: Option<u32>,
    /// What each player gets in the end.
    pub rewards: Option<Vec<u8>>,
    /// The value in words.
    pub sentence: String,
    /// What it does to the board.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<ActionOut>,
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

/// The positions on the way to what a client asks for, and whether they are known to arise.
pub fn states(room: &Room, session: &mut Session<'_>, asked: &Asked) -> Result<(Vec<State>, bool), Problem> {
    let game = room.solved().game();
    let (start, moves, played) = match asked {
        Asked::Position(text) => (query::position(game, text)?, "", false),
        Asked::Moves(moves) => (game.initial().clone(), moves.as_str(), true),
        Asked::From(text, moves) => (query::position(game, text)?, moves.as_str(), false),
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
    let moves = answer.moves.iter().zip(&after).map(|(m, state)| MoveOut {
        name: shown(&m.name),
        move_value: word(m.move_value),
        delta_remoteness: m.delta_remoteness,
        position: shown(&m.position),
        position_value: word(m.position_value),
        remoteness: m.remoteness,
        rewards: m.rewards.clone(),
        sentence: shown(&m.sentence),
        action: action(state),
    });
    let answer = PositionAnswer {
        position: shown(&answer.position),
        board: board(layout, &state),
        facts: layout.cards(game, &state),
        turn: session.explicit().at(&state).turn().map(|player| player.0 + 1),
        player: answer.player.as_deref().filter(|_| !terminal).map(shown),
        value: word(answer.position_value),
        remoteness: answer.remoteness,
        rewards: answer.rewards.clone(),
        terminal,
        reachable: answer.reachable,
        why: why.map(|why| shown(&why)),
        sentence: shown(&answer.sentence),
        searched: answer.searched,
        warning: answer.warning,
        moves: moves.collect(),
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
