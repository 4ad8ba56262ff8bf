//! Asking about positions.

use crate::error::ExploreError;
use crate::sentence::sentence;
use crate::solution::Solution;
use serde::Serialize;
use std::io::{BufRead, Write};
use winset_model::{Explicit, Game, Outcome, Player, State, Valuation, visible};
use winset_store::{Lookup, MoveValue};

/// Positions that a search above the solved layers may look at.
const SEARCH_NODES: u64 = 20_000;
/// Positions of a stream that are answered together: many, so that positions in any order need each chunk of
/// a store seldom.
const BATCH: usize = 1 << 14;

/// Everything about a position, in the shape that clients of solved games read. What is not known is null.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// The position as the game writes it.
    pub position: String,
    /// Whether the game can come to it.
    pub reachable: Option<bool>,
    /// Who is to move.
    pub player: Option<String>,
    /// The value for who is to move: `win`, `loss`, `tie` (the game ends level) or `draw` (play never has to end).
    pub position_value: Option<&'static str>,
    /// How many moves perfect play lasts; null if not known or endless.
    pub remoteness: Option<u32>,
    /// What each player gets.
    pub rewards: Option<Vec<u8>>,
    /// The value in words.
    pub sentence: String,
    /// The value was not stored but found by a short search.
    pub searched: bool,
    /// The legal moves, best first.
    pub moves: Vec<MoveAnswer>,
    /// One perfect line, where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<Vec<String>>,
    /// What must be known before one plays by this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<&'static str>,
}

/// A legal move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MoveAnswer {
    /// The move as the game writes it.
    #[serde(rename = "move")]
    pub name: String,
    /// The value of the move for who makes it.
    pub move_value: Option<&'static str>,
    /// How much longer or shorter it lasts than the best move of the same value.
    pub delta_remoteness: Option<u32>,
    /// The position after it.
    pub position: String,
    /// The value of that position for who is to move there.
    pub position_value: Option<&'static str>,
    /// How many moves perfect play lasts from there.
    pub remoteness: Option<u32>,
    /// What each player gets in the end.
    pub rewards: Option<Vec<u8>>,
    /// The value in words.
    pub sentence: String,
}

/// The position that a text stands for.
pub fn position(game: &Game, text: &str) -> Result<State, ExploreError> {
    Ok(game.parse(text)?)
}

/// The position after these moves from the start, given one after the other; none: the start itself.
pub fn after_moves(game: &Game, moves: &str) -> Result<State, ExploreError> {
    let mut explicit = Explicit::new(game);
    let mut state = game.initial().clone();
    for word in words(moves) {
        let at = explicit.at(&state);
        let Some(id) = game.move_named(at.moves(), word) else {
            let legal: Vec<&str> = at.moves().map(|id| game.move_at(id).name.as_str()).collect();
            let legal =
                if legal.is_empty() { "none, the game has ended".to_owned() } else { legal.join(" ") };
            return Err(ExploreError::Move { found: word.to_owned(), legal });
        };
        state = at.apply(id);
    }
    Ok(state)
}

/// Splits at blanks and commas outside parentheses: a move of a game from a file can have blanks.
fn words(text: &str) -> Vec<&str> {
    let (mut words, mut depth, mut start) = (vec![], 0usize, None);
    for (i, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if (c.is_ascii_whitespace() || c == ',') && depth == 0 {
            words.extend(start.take().map(|begin| &text[begin..i]));
        } else {
            start.get_or_insert(i);
        }
    }
    words.extend(start.map(|begin| &text[begin..]));
    words
}

/// Everything about a position. If it is not solved yet, a short search may find its value.
pub fn answer(solution: &mut dyn Solution<'_>, state: &State) -> Result<Answer, ExploreError> {
    let reachable = solution.arises(state)?;
    describe(solution, state, reachable)
}

/// The same for a position to which moves from the start have led, so that it can certainly arise.
pub fn answer_played(solution: &mut dyn Solution<'_>, state: &State) -> Result<Answer, ExploreError> {
    describe(solution, state, Some(true))
}

/// What may be said of a position. Nothing is said of what cannot arise, whatever the rules would give for it.
fn sayable(lookup: Lookup, reachable: Option<bool>) -> Lookup {
    match (lookup, reachable) {
        (_, Some(false)) => Lookup::NotReachable,
        (Lookup::Terminal { .. }, None) => Lookup::NotKnownToArise,
        _ => lookup,
    }
}

fn describe(
    solution: &mut dyn Solution<'_>,
    state: &State,
    reachable: Option<bool>,
) -> Result<Answer, ExploreError> {
    let game = solution.game();
    let found = solution.position(state)?;
    let mut lookup = sayable(found.lookup, reachable);
    let mut searched = false;
    if lookup == Lookup::NotSolvedYet
        && reachable == Some(true)
        && let Some(value) = solution.search(state, SEARCH_NODES)?
    {
        (lookup, searched) = (Lookup::Solved(value), true);
    }
    let mut explicit = Explicit::new(game);
    let turn = explicit.at(state).turn();
    // A position that is not known lists no moves, so that nobody plays the first of them.
    let known = lookup.valuation().is_some() || matches!(lookup, Lookup::Promised { .. });
    let moves = match found.mover {
        Some(mover) if known => move_answers(solution, &mut explicit, mover, &found.moves),
        _ => vec![],
    };
    let valuation = lookup.valuation();
    Ok(Answer {
        position: game.print(state),
        reachable,
        player: found.mover.map(|player| game.player_name(player).to_owned()),
        position_value: word(solution, valuation, turn),
        remoteness: valuation.and_then(plies),
        rewards: valuation.map(|v| v.rewards.to_vec()),
        sentence: sentence(solution, lookup),
        searched,
        moves,
        line: None,
        warning: solution.warning(),
    })
}

fn move_answers(
    solution: &dyn Solution<'_>,
    explicit: &mut Explicit<'_>,
    mover: Player,
    moves: &[MoveValue],
) -> Vec<MoveAnswer> {
    let game = solution.game();
    let rewards = |m: &MoveValue| m.lookup.valuation().map(|v| v.rewards);
    let best = |m: &MoveValue| moves.iter().find(|other| rewards(other) == rewards(m));
    let one = |m: &MoveValue| {
        let valuation = m.lookup.valuation();
        let turn = explicit.at(&m.state).turn();
        let distance = |m: &MoveValue| m.lookup.valuation().and_then(plies);
        let delta = distance(m).zip(best(m).and_then(distance)).map(|(a, b)| a.abs_diff(b));
        MoveAnswer {
            name: game.move_at(m.id).name.clone(),
            move_value: word(solution, valuation, Some(mover)),
            delta_remoteness: delta,
            position: game.print(&m.state),
            position_value: word(solution, valuation, turn),
            remoteness: valuation.and_then(plies),
            rewards: valuation.map(|v| v.rewards.to_vec()),
            sentence: sentence(solution, m.lookup),
        }
    };
    moves.iter().map(one).collect()
}

/// The word for a value as a player sees it, if it is known.
fn word(
    solution: &dyn Solution<'_>,
    valuation: Option<Valuation>,
    player: Option<Player>,
) -> Option<&'static str> {
    let outcome = valuation?.outcome(player?, solution.every_play_ends());
    outcome.map(Outcome::word)
}

fn plies(valuation: Valuation) -> Option<u32> {
    valuation.remoteness.plies()
}

/// The board, the value in a sentence, and every legal move with its value, best first.
pub fn write_text(
    out: &mut dyn Write,
    game: &Game,
    state: &State,
    answer: &Answer,
) -> Result<(), ExploreError> {
    writeln!(out, "{}", game.draw(state).trim_end())?;
    let how = if answer.searched { " (found by search)" } else { "" };
    writeln!(out, "\n{}{how}", answer.sentence)?;
    let width = answer.moves.iter().map(|m| visible(&m.name).chars().count()).max().unwrap_or(0);
    for m in &answer.moves {
        writeln!(out, "  {:width$}  {}", visible(&m.name), m.sentence)?;
    }
    Ok(())
}

/// A line's moves, and how it ends.
pub fn write_line(
    out: &mut dyn Write,
    solution: &dyn Solution<'_>,
    line: &[MoveValue],
) -> Result<(), ExploreError> {
    let game = solution.game();
    let names: Vec<&str> = line.iter().map(|m| game.move_at(m.id).name.as_str()).collect();
    writeln!(out, "{}", names.join(" "))?;
    if let Some(last) = line.last() {
        writeln!(out, "{}", sentence(solution, last.lookup))?;
    }
    if let Some(warning) = solution.warning() {
        writeln!(out, "warning: {warning}")?;
    }
    Ok(())
}

/// Answers many positions, one a line, in their order: the position, a tab, and the value in a sentence; or a
/// JSON object without moves. A line that is no position gets an answer that says so. Returns how many lines
/// were positions.
pub fn answer_many(
    solution: &mut dyn Solution<'_>,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
    json: bool,
) -> Result<u64, ExploreError> {
    let game = solution.game();
    let mut explicit = Explicit::new(game);
    let (mut count, mut ended) = (0, false);
    let mut lines: Vec<String> = vec![];
    while !ended {
        lines.clear();
        while lines.len() < BATCH {
            let mut line = String::new();
            if input.read_line(&mut line)? == 0 {
                ended = true;
                break;
            }
            if !line.trim().is_empty() {
                lines.push(line);
            }
        }
        let parsed: Vec<Result<State, ExploreError>> =
            lines.iter().map(|line| position(game, line.trim())).collect();
        let states: Vec<State> = parsed.iter().filter_map(|p| p.as_ref().ok().cloned()).collect();
        let mut lookups = vec![];
        for (state, lookup) in states.iter().zip(solution.values(&states)?) {
            let reachable = match lookup {
                Lookup::Solved(_) => Some(true),
                Lookup::NotReachable => Some(false),
                _ => solution.arises(state)?,
            };
            lookups.push((sayable(lookup, reachable), reachable));
        }
        let mut lookups = lookups.into_iter();
        count += states.len() as u64;
        for (line, parsed) in lines.iter().zip(&parsed) {
            let text = line.trim();
            let error = parsed.as_ref().err().map(ToString::to_string);
            let (lookup, reachable) = match error {
                None => lookups.next().unzip(),
                Some(_) => (None, None),
            };
            let value = || lookup.map_or(String::new(), |lookup| sentence(solution, lookup));
            let said = error.clone().unwrap_or_else(value);
            if json {
                let valuation = lookup.and_then(Lookup::valuation);
                let turn = parsed.as_ref().ok().and_then(|state| explicit.at(state).turn());
                let object = serde_json::json!({
                    "position": text,
                    "reachable": reachable.flatten(),
                    "positionValue": word(solution, valuation, turn),
                    "rewards": valuation.map(|v| v.rewards.to_vec()),
                    "remoteness": valuation.and_then(plies),
                    "sentence": error.is_none().then_some(&said),
                    "error": error,
                });
                writeln!(out, "{object}")?;
            } else {
                writeln!(out, "{text}\t{said}")?;
            }
        }
    }
    Ok(count)
}
