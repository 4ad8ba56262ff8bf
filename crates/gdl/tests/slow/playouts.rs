//! Random plays in the interpreter and in the compiled game, side by side.

use super::{Interpreter, State, TooSlow};
use crate::interpreter::many::Outcome;
use crate::interpreter::reading::Term;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use winset_gdl::GdlGame;
use winset_model::{Explicit, Game, MoveId};

/// The facts of a printed state.
pub fn facts(text: &str) -> BTreeSet<String> {
    let (mut depth, mut start, mut out) = (0, 0, BTreeSet::new());
    for (i, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ' ' if depth == 0 => {
                out.insert(text[start..i].to_owned());
                start = i + 1;
            }
            _ => {}
        }
    }
    if start < text.len() {
        out.insert(text[start..].to_owned());
    }
    out
}

fn same_state(game: &Game, model: &winset_model::State, state: &State) -> Result<(), String> {
    let (found, expected) =
        (facts(&game.print(model)), state.iter().map(ToString::to_string).collect::<BTreeSet<_>>());
    if found == expected {
        return Ok(());
    }
    let missing: Vec<_> = expected.difference(&found).collect();
    let extra: Vec<_> = found.difference(&expected).collect();
    Err(format!("states differ: missing {missing:?}, extra {extra:?}"))
}

/// Plays at random until the number of plays or the time is used up; an error is a difference.
pub fn compare(compiled: &GdlGame, source: &[u8], plays: usize, time: Duration) -> Result<Outcome, String> {
    let deadline = Instant::now() + time;
    let mut outcome = Outcome::default();
    let Ok(interpreter) = Interpreter::new(source, Some(deadline)) else {
        outcome.slow = true;
        return Ok(outcome);
    };
    let mut explicit = Explicit::new(&compiled.game);
    let mut seed = 0x2545_f491_4f6c_dd1du64;
    while outcome.plays < plays {
        match play(compiled, &interpreter, &mut explicit, &mut seed, &mut outcome.states) {
            Ok(()) => outcome.plays += 1,
            Err(Stop::Different(what)) => return Err(what),
            Err(Stop::Slow) => {
                outcome.slow = true;
                return Ok(outcome);
            }
        }
    }
    Ok(outcome)
}

enum Stop {
    Different(String),
    Slow,
}

impl From<TooSlow> for Stop {
    fn from(_: TooSlow) -> Self {
        Stop::Slow
    }
}

impl From<String> for Stop {
    fn from(what: String) -> Self {
        Stop::Different(what)
    }
}

fn play(
    compiled: &GdlGame,
    interpreter: &Interpreter,
    explicit: &mut Explicit,
    seed: &mut u64,
    states: &mut usize,
) -> Result<(), Stop> {
    const PLIES: usize = 300;
    let game = &compiled.game;
    let mut model = game.initial().clone();
    let mut state = interpreter.start();
    for _ in 0..PLIES {
        *states += 1;
        same_state(game, &model, &state)?;
        let view = interpreter.view(&state)?;
        let at = explicit.at(&model);
        if at.is_terminal() != view.terminal {
            return Err(format!(
                "terminal {} but should be {} in {}",
                at.is_terminal(),
                view.terminal,
                game.print(&model)
            )
            .into());
        }
        if view.terminal {
            let found = at.rewards().map(|r| r.to_vec()).unwrap_or_default();
            for (role, goals) in view.goals.iter().enumerate() {
                let expected: Vec<String> = goals.iter().map(ToString::to_string).collect();
                // Of several values the highest counts.
                let best = expected.iter().filter_map(|g| g.parse::<u8>().ok()).max();
                if best != found.get(role).copied() {
                    return Err(format!("goals {found:?} but role {role} should get {expected:?}").into());
                }
            }
            return Ok(());
        }
        let Some(player) = at.turn() else { return Err("nobody's turn".to_owned().into()) };
        let moves: Vec<usize> = at.moves().map(MoveId::index).collect();
        let own = |m: usize| game.moves()[m].name.split(" | ").next().unwrap_or("").to_owned();
        let found: BTreeSet<String> = moves.iter().map(|m| own(*m)).collect();
        let expected: BTreeSet<String> = view.legal[player.index()].iter().map(ToString::to_string).collect();
        if found != expected || found.len() != moves.len() {
            return Err(format!(
                "legal moves {found:?} but should be {expected:?} in {}",
                game.print(&model)
            )
            .into());
        }
        if view.legal.iter().enumerate().any(|(r, l)| r != player.index() && l.len() != 1) {
            return Err(format!(
                "player {player} decides but the other one has a choice in {}",
                game.print(&model)
            )
            .into());
        }
        *seed ^= *seed << 13;
        *seed ^= *seed >> 7;
        *seed ^= *seed << 17;
        let chosen = moves[(*seed % moves.len() as u64) as usize];
        let name = own(chosen);
        let joint: Vec<Term> = view
            .legal
            .iter()
            .enumerate()
            .filter_map(|(r, l)| {
                if r == player.index() { l.iter().find(|t| t.to_string() == name) } else { l.first() }
            })
            .cloned()
            .collect();
        model = at.apply(MoveId::new(chosen));
        state = interpreter.next(&state, &joint)?;
    }
    Ok(())
}
