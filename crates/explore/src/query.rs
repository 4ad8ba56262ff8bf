//! Asking about positions.

use crate::error::ExploreError;
use crate::layout::{Kind, Layout};
use crate::picture::picture;
use crate::sentence::sentence;
use crate::session::{Lookup, MoveValue};
use crate::solution::Solution;
use serde::Serialize;
use std::io::{BufRead, Write};
use winset_model::{Explicit, Game, Outcome, Player, State, TextError, Valuation, visible};

/// Positions that a search above the solved layers may look at.
const SEARCH_NODES: u64 = 20_000;
/// Positions of a stream that are answered together: many, so that positions in any order need each chunk of
/// a store seldom.
const BATCH: usize = 1 << 14;

/// Everything about a position, in the shape that clients of solved games read. What is not known is null.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer<M = MoveAnswer> {
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
    pub moves: Vec<M>,
    /// One perfect line, where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<Vec<String>>,
    /// What must be known before one plays by this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<&'static str>,
}

impl<M> Answer<M> {
    /// The same with more, or less, said of every move.
    pub fn with_moves<N>(self, change: impl FnMut(M) -> N) -> Answer<N> {
        Answer {
            moves: self.moves.into_iter().map(change).collect(),
            position: self.position,
            reachable: self.reachable,
            player: self.player,
            position_value: self.position_value,
            remoteness: self.remoteness,
            rewards: self.rewards,
            sentence: self.sentence,
            searched: self.searched,
            line: self.line,
            warning: self.warning,
        }
    }
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
    Ok(game.play(game.initial(), moves)?)
}

/// All positions on the way from one along these moves, the first first.
pub fn play_out(explicit: &mut Explicit<'_>, start: State, moves: &str) -> Result<Vec<State>, ExploreError> {
    let game = explicit.game();
    Ok(game.play_out(explicit, start, moves)?)
}

/// Everything about a position. If it is not solved yet, a short search may find its value.
pub fn answer(solution: &mut dyn Solution<'_>, state: &State) -> Result<Answer, ExploreError> {
    Ok(answer_and_states(solution, state, false)?.0)
}

/// The same for a position to which moves from the start have led, so that it can certainly arise.
pub fn answer_played(solution: &mut dyn Solution<'_>, state: &State) -> Result<Answer, ExploreError> {
    Ok(answer_and_states(solution, state, true)?.0)
}

/// The same as [`answer`] or, for a position that was played to, as [`answer_played`], with the positions after the moves
/// in the order of the answer's moves: for who draws them.
pub fn answer_and_states(
    solution: &mut dyn Solution<'_>,
    state: &State,
    played: bool,
) -> Result<(Answer, Vec<State>), ExploreError> {
    let reachable = if played { Some(true) } else { solution.arises(state)? };
    describe(solution, state, reachable)
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
) -> Result<(Answer, Vec<State>), ExploreError> {
    let game = solution.game();
    let mut found = solution.position(state)?;
    let mut lookup = sayable(found.lookup, reachable);
    let mut searched = false;
    if lookup == Lookup::NotSolvedYet
        && reachable == Some(true)
        && let Some(value) = solution.search(state, SEARCH_NODES)?
    {
        (lookup, searched) = (Lookup::Solved(value), true);
        // Who plays the first move is to get what is promised: a search has found a move that keeps it.
        if let Some(kept) = keeps(solution, &found.moves, value)? {
            found.moves[..=kept].rotate_right(1);
            if found.moves[0].lookup.valuation().is_none() {
                found.moves[0].lookup = lookup;
            }
        }
    }
    let turn = solution.explicit().at(state).turn();
    // A position that is not known lists no moves, so that nobody plays the first of them.
    let known = lookup.valuation().is_some() || matches!(lookup, Lookup::Promised { .. });
    let moves = match found.mover {
        Some(mover) if known => move_answers(solution, mover, &found.moves),
        _ => vec![],
    };
    let valuation = lookup.valuation();
    let states = found.moves.iter().take(moves.len()).map(|m| m.state.clone()).collect();
    let answer = Answer {
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
    };
    Ok((answer, states))
}

/// The first of these moves after which everybody gets this, found by searches where it is not kept.
fn keeps(
    solution: &mut dyn Solution<'_>,
    moves: &[MoveValue],
    value: Valuation,
) -> Result<Option<usize>, ExploreError> {
    for (i, m) in moves.iter().enumerate() {
        let found = match m.lookup.valuation() {
            Some(found) => Some(found),
            None => solution.search(&m.state, SEARCH_NODES)?,
        };
        if found.is_some_and(|found| found.rewards == value.rewards) {
            return Ok(Some(i));
        }
    }
    Ok(None)
}

fn move_answers(solution: &mut dyn Solution<'_>, mover: Player, moves: &[MoveValue]) -> Vec<MoveAnswer> {
    let game = solution.game();
    let rewards = |m: &MoveValue| m.lookup.valuation().map(|v| v.rewards);
    let best = |m: &MoveValue| moves.iter().find(|other| rewards(other) == rewards(m));
    let one = |m: &MoveValue| {
        let valuation = m.lookup.valuation();
        let turn = solution.explicit().at(&m.state).turn();
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

/// How wide a board may be where nobody says how wide the screen is.
const WIDTH: usize = 120;

/// The board, the value in a sentence, and every legal move with its value, best first.
pub fn write_text(
    out: &mut dyn Write,
    game: &Game,
    state: &State,
    answer: &Answer,
) -> Result<(), ExploreError> {
    // Rules from a file do not say where their squares are: a board that is recognised comes before what holds.
    let layout = Layout::of(game);
    if game.board().is_none() && matches!(layout.kind, Kind::Grid | Kind::Hex) {
        picture(game, &layout, state, WIDTH).iter().try_for_each(|line| writeln!(out, "{line}"))?;
        writeln!(out)?;
    }
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

/// What is known of a position, without its moves. What is not known is null.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Brief {
    /// The position as it was given.
    pub position: String,
    /// Whether the game can come to it.
    pub reachable: Option<bool>,
    /// The value for who is to move.
    pub position_value: Option<&'static str>,
    /// What each player gets.
    pub rewards: Option<Vec<u8>>,
    /// How many moves perfect play lasts; null if not known or endless.
    pub remoteness: Option<u32>,
    /// The value in words; null if the text is no position.
    pub sentence: Option<String>,
    /// Why the text is no position.
    pub error: Option<String>,
}

/// What may be said of a position, without words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judged {
    /// Whether the game can come to it.
    pub reachable: Option<bool>,
    /// What is known of it; nothing of what cannot arise.
    pub lookup: Lookup,
    /// The value for who is to move.
    pub outcome: Option<Outcome>,
}

/// Judges many positions together, in their order; cheaper than one by one.
pub fn judge(solution: &mut dyn Solution<'_>, states: &[State]) -> Result<Vec<Judged>, ExploreError> {
    let lookups = solution.values(states)?;
    let ends = solution.every_play_ends();
    let mut all = Vec::with_capacity(states.len());
    for (batch, lookups) in states.chunks(64).zip(lookups.chunks(64)) {
        let first = all.len();
        for (state, &lookup) in batch.iter().zip(lookups) {
            let reachable = match lookup {
                Lookup::Solved(_) => Some(true),
                Lookup::NotReachable => Some(false),
                _ => solution.arises(state)?,
            };
            all.push(Judged { reachable, lookup: sayable(lookup, reachable), outcome: None });
        }
        // The rules are looked at for 64 positions at a time.
        let explicit = solution.explicit();
        explicit.load(batch.to_vec());
        for (lane, judged) in all[first..].iter_mut().enumerate() {
            let turn = explicit.lane(lane).turn();
            judged.outcome = judged.lookup.valuation().zip(turn).and_then(|(v, turn)| v.outcome(turn, ends));
        }
    }
    Ok(all)
}

/// Answers many positions together, in their order; cheaper than one by one. A text that is no position gets an answer
/// that says so.
pub fn brief(solution: &mut dyn Solution<'_>, texts: &[&str]) -> Result<Vec<Brief>, ExploreError> {
    let game = solution.game();
    let parsed: Vec<Result<State, TextError>> = texts.iter().map(|text| game.parse(text)).collect();
    let states: Vec<State> = parsed.iter().filter_map(|p| p.as_ref().ok().cloned()).collect();
    let mut judged = judge(solution, &states)?.into_iter();
    let mut answers = Vec::with_capacity(texts.len());
    for (text, parsed) in texts.iter().zip(&parsed) {
        let mut brief = Brief {
            position: (*text).to_owned(),
            reachable: None,
            position_value: None,
            rewards: None,
            remoteness: None,
            sentence: None,
            error: parsed.as_ref().err().map(|wrong| {
                let column = wrong.located(text.as_bytes()).column;
                format!("this is not a position: at column {column}: {wrong}")
            }),
        };
        if parsed.is_ok()
            && let Some(judged) = judged.next()
        {
            let valuation = judged.lookup.valuation();
            brief.reachable = judged.reachable;
            brief.position_value = judged.outcome.map(Outcome::word);
            brief.rewards = valuation.map(|v| v.rewards.to_vec());
            brief.remoteness = valuation.and_then(plies);
            brief.sentence = Some(sentence(solution, judged.lookup));
        }
        answers.push(brief);
    }
    Ok(answers)
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
        let texts: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
        for answer in brief(solution, &texts)? {
            count += u64::from(answer.error.is_none());
            if json {
                writeln!(out, "{}", serde_json::to_string(&answer)?)?;
            } else {
                let said = answer.error.or(answer.sentence).unwrap_or_default();
                writeln!(out, "{}\t{said}", answer.position)?;
            }
        }
    }
    Ok(count)
}
