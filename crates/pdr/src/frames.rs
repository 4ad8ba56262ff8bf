//! Frames, and states that are shown to be won or taken out of them.

use crate::PdrError;
use crate::encode::Clauses;
use batsat::Lit;
use rustc_hash::FxHashMap;
use winset_model::{Explicit, Game, MoveId, Player, State};

/// Whether the attacker can force a win.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// In at most n moves.
    Wins {
        /// The moves of both, against the longest resistance.
        moves: usize,
    },
    /// The attacker can be prevented for ever.
    Prevented,
    /// The limit came first.
    Open {
        /// The attacker cannot win within n moves.
        beyond: usize,
    },
}

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The solver is asked so often at most.
    pub queries: u64,
    /// Literals of a reason are tried one by one, whether it is one without them.
    pub drop_literals: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { queries: 10_000_000, drop_literals: true }
    }
}

/// How much was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// The last frame.
    pub frames: usize,
    /// Questions to the solver.
    pub queries: u64,
    /// Reasons found.
    pub reasons: usize,
    /// Their literals together.
    pub literals: usize,
    /// States shown to be won.
    pub won: usize,
}

/// Whether a player can force a win from the start.
pub fn can_force(game: &Game, attacker: Player, limits: &Limits) -> Result<(Answer, Work), PdrError> {
    can_force_from(game, attacker, game.initial(), limits)
}

/// The same from any state.
pub fn can_force_from(
    game: &Game,
    attacker: Player,
    start: &State,
    limits: &Limits,
) -> Result<(Answer, Work), PdrError> {
    let mut clauses = Clauses::new(game, attacker)?;
    let moves = game.moves().iter().map(|m| m.player);
    let defences = moves.enumerate().filter(|&(_, player)| player != attacker).map(|(i, _)| i);
    let defences = defences.map(|i| (i, defence(&mut clauses, i))).collect();
    let attacks = clauses.fresh();
    clauses.clause(&[!attacks, clauses.goal[0], clauses.defending, clauses.attack]);
    let over = clauses.fresh();
    clauses.clause(&[!over, clauses.goal[0], !clauses.ended]);
    let mut frames = Frames {
        explicit: Explicit::new(game),
        attacker,
        clauses,
        attacks,
        defences,
        over,
        levels: vec![],
        won: FxHashMap::default(),
        limits: *limits,
    };
    let answer = frames.answer(start);
    let literals =
        frames.levels.iter().flat_map(|level| &level.reasons).map(|reason| reason.cube.len()).sum();
    let work = Work {
        frames: frames.levels.len().saturating_sub(2),
        queries: frames.clauses.queries,
        reasons: frames.levels.iter().map(|level| level.reasons.len()).sum(),
        literals,
        won: frames.won.len(),
    };
    Ok((answer, work))
}

/// Where this holds, a move of the defender does not lead out of a frame: the state is a goal, or the move cannot be
/// made, or is made (into the frame, as the question says).
fn defence(clauses: &mut Clauses, i: usize) -> Lit {
    let fails = clauses.fresh();
    clauses.clause(&[!fails, clauses.goal[0], !clauses.enabled[i], clauses.made[i]]);
    fails
}

/// Why no state with these values is in a frame.
#[derive(Clone)]
struct Reason {
    /// Variables with values.
    cube: Vec<(u32, u16)>,
    /// What fails in all of them.
    fails: Lit,
}

/// The reasons that hold up to this frame, and no known to hold in the next.
struct Level {
    /// Assumed where the reasons count.
    active: Lit,
    reasons: Vec<Reason>,
}

struct Frames<'g> {
    attacker: Player,
    explicit: Explicit<'g>,
    clauses: Clauses,
    /// Where this cannot hold, no move of the attacker leads into the frame.
    attacks: Lit,
    /// The same of each of the defender's moves.
    defences: FxHashMap<usize, Lit>,
    /// Where this cannot hold, the game has ended without the goal.
    over: Lit,
    /// Level 0 has the reasons that hold in all frames; level i those of frame i.
    levels: Vec<Level>,
    /// States from which the attacker forces the goal, with the moves that suffice.
    won: FxHashMap<State, usize>,
    limits: Limits,
}

/// The limit was reached.
struct Enough;

impl Frames<'_> {
    fn answer(&mut self, start: &State) -> Answer {
        self.grow();
        for frame in 0.. {
            self.grow();
            match self.forced(start, frame) {
                Err(Enough) => return Answer::Open { beyond: frame.saturating_sub(1) },
                Ok(true) => return Answer::Wins { moves: frame },
                Ok(false) => {}
            }
            if frame > 0 && self.push(frame) {
                return Answer::Prevented;
            }
        }
        unreachable!("frames are finite: each takes more out of the next, or the last two agree")
    }

    fn grow(&mut self) {
        let active = self.clauses.fresh();
        self.levels.push(Level { active, reasons: vec![] });
    }

    /// Whether the attacker forces the goal from a state within n moves.
    fn forced(&mut self, state: &State, moves: usize) -> Result<bool, Enough> {
        if self.won.get(state).is_some_and(|&enough| enough <= moves) {
            return Ok(true);
        }
        if self.is_out(state, moves) {
            return Ok(false);
        }
        let at = self.explicit.at(state);
        let (terminal, turn, rewards) = (at.is_terminal(), at.turn(), at.rewards());
        if terminal {
            let reached = rewards.is_some_and(|rewards| rewards[self.attacker] == 100);
            if reached {
                self.won.insert(state.clone(), 0);
            } else {
                self.take_out(state, self.over, None)?;
            }
            return Ok(reached);
        }
        if moves == 0 {
            return Ok(false);
        }
        let successors = self.explicit.successors(state);
        if turn == Some(self.attacker) {
            loop {
                let mut asked = self.values(state);
                asked.push(self.attacks);
                self.within(moves - 1, &mut asked);
                if !self.ask(&asked)? {
                    self.take_out(state, self.attacks, Some(moves))?;
                    return Ok(false);
                }
                let next = self.clauses.next();
                if self.forced(&next, moves - 1)? {
                    self.won.insert(state.clone(), moves);
                    return Ok(true);
                }
                // It is now out of the frame: the solver will find another one.
            }
        }
        let mut escape: Option<MoveId> = None;
        for (id, next) in &successors {
            if self.is_out(next, moves - 1) {
                escape = Some(*id);
                break;
            }
        }
        for (id, next) in &successors {
            if escape.is_some() {
                break;
            }
            if !self.forced(next, moves - 1)? {
                escape = Some(*id);
            }
        }
        match escape {
            Some(id) => {
                let fails = self.defences[&id.index()];
                self.take_out(state, fails, Some(moves))?;
                Ok(false)
            }
            // Who cannot move where the game has not ended is never brought to its end.
            None if successors.is_empty() => {
                self.add(Reason { cube: cube_of(state), fails: self.over }, 0);
                Ok(false)
            }
            None => {
                self.won.insert(state.clone(), moves);
                Ok(true)
            }
        }
    }

    fn ask(&mut self, asked: &[Lit]) -> Result<bool, Enough> {
        if self.clauses.queries >= self.limits.queries {
            return Err(Enough);
        }
        Ok(self.clauses.ask(asked))
    }

    fn values(&self, state: &State) -> Vec<Lit> {
        cube_of(state).into_iter().map(|value| self.clauses.value(0, value)).collect()
    }

    /// Adds what says that the next state is in a frame.
    fn within(&self, frame: usize, asked: &mut Vec<Lit>) {
        if frame == 0 {
            asked.push(self.clauses.goal[1]);
        } else {
            asked.push(self.levels[0].active);
            asked.extend(self.levels[frame..].iter().map(|level| level.active));
        }
    }

    /// The state is known to be outside a frame.
    fn is_out(&self, state: &State, frame: usize) -> bool {
        let holds = |reason: &Reason| reason.cube.iter().all(|&(var, value)| state.0[var as usize] == value);
        let levels = std::iter::once(&self.levels[0]).chain(self.levels.iter().skip(frame.max(1)));
        levels.flat_map(|level| &level.reasons).any(holds)
    }

    /// Finds a part of a state that suffices for not being in a frame (none: in any), and takes it out.
    fn take_out(&mut self, state: &State, fails: Lit, frame: Option<usize>) -> Result<(), Enough> {
        let mut cube = cube_of(state);
        self.shrink(&mut cube, fails, frame)?;
        if self.limits.drop_literals {
            let mut at = 0;
            while at < cube.len() {
                let mut fewer = cube.clone();
                fewer.remove(at);
                if self.shrink(&mut fewer, fails, frame)? { cube = fewer } else { at += 1 }
            }
        }
        self.add(Reason { cube, fails }, frame.unwrap_or(0));
        Ok(())
    }

    /// Whether a cube is outside the frame; if so it is cut to what the answer needed.
    fn shrink(
        &mut self,
        cube: &mut Vec<(u32, u16)>,
        fails: Lit,
        frame: Option<usize>,
    ) -> Result<bool, Enough> {
        let mut asked: Vec<Lit> = cube.iter().map(|&value| self.clauses.value(0, value)).collect();
        asked.push(fails);
        if let Some(frame) = frame {
            self.within(frame - 1, &mut asked);
        }
        if self.ask(&asked)? {
            return Ok(false);
        }
        cube.retain(|&value| self.clauses.needed(self.clauses.value(0, value)));
        Ok(true)
    }

    fn add(&mut self, reason: Reason, level: usize) {
        let mut clause: Vec<Lit> = reason.cube.iter().map(|&value| !self.clauses.value(1, value)).collect();
        clause.push(!self.levels[level].active);
        self.clauses.clause(&clause);
        self.levels[level].reasons.push(reason);
    }

    /// Moves reasons on to the next frame where they hold there too. Whether two frames agree.
    fn push(&mut self, last: usize) -> bool {
        for frame in 1..=last {
            let mut stay = vec![];
            for mut reason in std::mem::take(&mut self.levels[frame].reasons) {
                let known = reason.cube.clone();
                match self.shrink(&mut reason.cube, reason.fails, Some(frame + 1)) {
                    Ok(true) => self.add(reason, frame + 1),
                    _ => stay.push(Reason { cube: known, ..reason }),
                }
            }
            self.levels[frame].reasons = stay;
            if self.levels[frame].reasons.is_empty() {
                return true;
            }
        }
        false
    }
}

fn cube_of(state: &State) -> Vec<(u32, u16)> {
    state.0.iter().enumerate().map(|(var, &value)| (var as u32, value)).collect()
}
