//! Questions about positions.

use crate::errors;
use crate::state::State;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use winset::diagnostic::render;
use winset::{Error, Lookup, Outcome, Remoteness, Solved, Valuation};
use winset_explore::query::{self, MoveAnswer};

/// Positions that are looked up before somebody looks whether Ctrl-C was pressed.
const BATCH: usize = 1 << 20;
/// In place of a value that is not known; `UNKNOWN` in `python/winset`.
const UNKNOWN: i8 = -128;

/// A move: its name, the value for who makes it, the distance after it, how much longer or shorter that is than the best of
/// the same value, what each player gets, the value in words, and the position after it.
pub type MoveTuple = (String, Option<i8>, Option<u32>, Option<u32>, Option<Vec<u8>>, String, State);

/// Whether the position can arise, who is to move, the value, the distance, what each player gets, the value in words,
/// whether the game has ended, whether the value was found by a short search, and the moves.
pub type Answered = (
    Option<bool>,
    Option<String>,
    Option<i8>,
    Option<u32>,
    Option<Vec<u8>>,
    String,
    bool,
    bool,
    Vec<MoveTuple>,
);

/// A position that is asked about, by text or as it is.
#[derive(FromPyObject)]
pub enum Asked {
    /// As the game writes it.
    #[pyo3(transparent)]
    Text(String),
    /// As it is.
    #[pyo3(transparent)]
    State(State),
}

/// The number that stands for a value, as in `Value` of `python/winset`.
pub fn code(outcome: Outcome) -> i8 {
    match outcome {
        Outcome::Win => 1,
        Outcome::Tie => 0,
        Outcome::Loss => -1,
        Outcome::Draw => 2,
    }
}

/// The number that stands for a word.
fn code_of_word(word: Option<&'static str>) -> Option<i8> {
    Outcome::ALL.into_iter().find(|outcome| Some(outcome.word()) == word).map(code)
}

/// The position that a text means.
pub fn parse(solved: &Solved, text: &str) -> PyResult<winset::State> {
    let wrong = |wrong| {
        errors::value(format!("this is not a position\n{}", render("position", text.as_bytes(), &wrong)))
    };
    solved.game().parse(text).map_err(wrong)
}

/// The position after these moves.
pub fn play(solved: &Solved, from: &winset::State, moves: &str) -> PyResult<winset::State> {
    let wrong = |wrong| {
        errors::value(format!("these moves cannot be made\n{}", render("moves", moves.as_bytes(), &wrong)))
    };
    solved.game().play(from, moves).map_err(wrong)
}

/// Everything about a position.
pub fn answer(solved: &Solved, state: &winset::State, played: bool) -> Result<Answered, Error> {
    let mut session = solved.session();
    let (answer, states) = query::answer_and_states(&mut session, state, played)?;
    let ended = answer.player.is_none();
    let moves = answer.moves.into_iter().zip(states).map(|(m, state)| move_tuple(m, state)).collect();
    let value = code_of_word(answer.position_value);
    Ok((
        answer.reachable,
        answer.player,
        value,
        answer.remoteness,
        answer.rewards,
        answer.sentence,
        ended,
        answer.searched,
        moves,
    ))
}

fn move_tuple(m: MoveAnswer, state: winset::State) -> MoveTuple {
    let value = code_of_word(m.move_value);
    (m.name, value, m.remoteness, m.delta_remoteness, m.rewards, m.sentence, State(state))
}

/// One perfect line: the best move of every position on the way.
pub fn line(solved: &Solved, state: &winset::State) -> Result<Vec<MoveTuple>, Error> {
    let mut session = solved.session();
    let mut line = vec![];
    let mut here = state.clone();
    for step in session.line(state)? {
        let (answer, states) = query::answer_and_states(&mut session, &here, true)?;
        let found = answer.moves.into_iter().zip(states).find(|(_, state)| *state == step.state);
        line.extend(found.map(|(m, state)| move_tuple(m, state)));
        here = step.state;
    }
    Ok(line)
}

/// The states that are asked about.
pub fn states(solved: &Solved, positions: Vec<Asked>) -> PyResult<Vec<winset::State>> {
    let one = |(number, asked)| match asked {
        Asked::State(State(state)) => Ok(state),
        Asked::Text(text) => solved.game().parse(&text).map_err(|wrong| {
            let shown = render("position", text.as_bytes(), &wrong);
            errors::value(format!("number {number} is not a position\n{shown}"))
        }),
    };
    positions.into_iter().enumerate().map(one).collect()
}

/// The values and distances of many positions, a byte and four bytes each.
pub fn values<'py>(
    py: Python<'py>,
    solved: &Solved,
    states: &[winset::State],
) -> PyResult<(Bound<'py, PyByteArray>, Bound<'py, PyByteArray>)> {
    let mut filled = Filled::with_room(states.len());
    let mut session = solved.session();
    for batch in states.chunks(BATCH) {
        py.check_signals()?;
        let judged = py.detach(|| query::judge(&mut session, batch));
        for judged in judged.map_err(|error| errors::of(py, error.into()))? {
            let missing = judged.reachable == Some(false) || matches!(judged.lookup, Lookup::NotReachable);
            filled.push(judged.lookup.valuation(), judged.outcome, missing);
        }
    }
    Ok(filled.finish(py))
}

/// Two columns that grow.
pub struct Filled(Vec<u8>, Vec<u8>);

impl Filled {
    pub fn with_room(len: usize) -> Self {
        Filled(Vec::with_capacity(len), Vec::with_capacity(4 * len))
    }

    /// A value, as who is to move sees it, and a distance; -1 for one that is not known or endless, -2 where the game
    /// cannot come to.
    pub fn push(&mut self, valuation: Option<Valuation>, outcome: Option<Outcome>, missing: bool) {
        self.0.push(outcome.map_or(UNKNOWN, code) as u8);
        let plies = match valuation.map(|v| v.remoteness) {
            _ if missing => -2,
            Some(Remoteness::Plies(plies)) => i32::try_from(plies).unwrap_or(i32::MAX),
            _ => -1,
        };
        self.1.extend_from_slice(&plies.to_ne_bytes());
    }

    pub fn finish<'py>(&self, py: Python<'py>) -> (Bound<'py, PyByteArray>, Bound<'py, PyByteArray>) {
        (PyByteArray::new(py, &self.0), PyByteArray::new(py, &self.1))
    }
}
