//! Random plays in the interpreter for many states and in the compiled game, side by side.

use super::join::Lanes;
use super::lanes::{Interpreter, TooSlow};
use rustc_hash::FxHashMap as HashMap;
use std::time::{Duration, Instant};
use winset_gdl::GdlGame;
use winset_model::{Explicit, MoveId, State};

/// How far a comparison got.
#[derive(Debug, Default)]
pub struct Outcome {
    pub plays: usize,
    pub states: usize,
    pub slow: bool,
}

/// A tuple of a relation.
type Place = (usize, usize);

/// Plays are cut after this many moves, in case they need not end.
const PLIES: usize = 300;

struct Match<'a> {
    compiled: &'a GdlGame,
    interpreter: Interpreter,
    explicit: Explicit<'a>,
    /// For every variable and value the fact that holds.
    facts: Vec<Vec<Option<Place>>>,
    /// For every move of the game what its player does.
    moves: Vec<Place>,
    /// The interpreter's name of each player.
    roles: Vec<u32>,
    /// From what holds next to what is true, and from what is legal to what is done.
    forward: HashMap<Place, Place>,
    seed: u64,
}

/// Where a play stands.
struct Lane {
    state: State,
    plies: usize,
    active: bool,
}

/// Plays at random, up to 64 games at a time, until the number of plays or the time is used up; an error is
/// a difference.
pub fn compare(compiled: &GdlGame, source: &[u8], plays: usize, time: Duration) -> Result<Outcome, String> {
    let deadline = Instant::now() + time;
    let mut outcome = Outcome::default();
    let Ok(mut interpreter) = Interpreter::new(source, deadline) else {
        outcome.slow = true;
        return Ok(outcome);
    };
    let game = &compiled.game;
    let mut fact = |text: &String| {
        (!text.is_empty()).then(|| {
            let term = interpreter.terms.read(text);
            interpreter.place("true", None, term)
        })
    };
    let facts = game.variables().iter().map(|v| v.values.iter().map(&mut fact).collect()).collect();
    let roles: Vec<u32> = game.players().iter().map(|p| interpreter.terms.read(p)).collect();
    let mut moves = Vec::new();
    for m in game.moves() {
        let term = interpreter.terms.read(m.name.split(" | ").next().unwrap_or(""));
        moves.push(interpreter.place("legal", Some(roles[m.player.index()]), term));
    }
    let explicit = Explicit::new(game);
    let seed = 0x2545_f491_4f6c_dd1d;
    let forward = HashMap::default();
    let mut this = Match { compiled, interpreter, explicit, facts, moves, roles, forward, seed };
    match this.run(plays, &mut outcome) {
        Ok(()) => Ok(outcome),
        Err(Stop::Different(what)) => Err(what),
        Err(Stop::Slow) => {
            outcome.slow = true;
            Ok(outcome)
        }
    }
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

impl Match<'_> {
    fn run(&mut self, plays: usize, outcome: &mut Outcome) -> Result<(), Stop> {
        let width = plays.min(64);
        let mut started = width;
        let start = self.start();
        let initial = self.compiled.game.initial().clone();
        let mut lanes: Vec<Lane> =
            (0..width).map(|_| Lane { state: initial.clone(), plies: 0, active: true }).collect();
        let mut holds: HashMap<Place, Lanes> =
            start.iter().map(|p| (*p, if width == 64 { Lanes::MAX } else { (1 << width) - 1 })).collect();
        while lanes.iter().any(|l| l.active) {
            let truth = self.interpreter.named("true");
            self.interpreter.clear(&truth);
            for ((pred, at), mask) in &holds {
                self.interpreter.relations[*pred].holds[*at] = *mask;
            }
            let (chosen, ended) = self.look(&lanes, outcome)?;
            holds = self.advance(&lanes, &chosen, ended)?;
            for (bit, lane) in lanes.iter_mut().enumerate().filter(|(_, l)| l.active) {
                lane.plies += 1;
                let done = ended >> bit & 1 == 1;
                if !done && lane.plies < PLIES {
                    if let Some((m, _)) = &chosen[bit] {
                        lane.state = self.explicit.lane(bit).apply(MoveId::new(*m));
                    }
                    continue;
                }
                outcome.plays += 1;
                lane.active = started < plays;
                started += usize::from(lane.active);
                holds.values_mut().for_each(|m| *m &= !(1 << bit));
                if lane.active {
                    (lane.state, lane.plies) = (initial.clone(), 0);
                    start.iter().for_each(|p| *holds.entry(*p).or_default() |= 1 << bit);
                }
            }
        }
        Ok(())
    }

    /// The facts at the start.
    fn start(&mut self) -> Vec<Place> {
        let mut list = Vec::new();
        for pred in self.interpreter.named("init") {
            for at in 0..self.interpreter.relations[pred].tuples.len() {
                if self.interpreter.relations[pred].holds[at] != 0 {
                    let term = self.interpreter.term(pred, at, 0);
                    list.push(self.interpreter.place("true", None, term));
                }
            }
        }
        list
    }

    /// What holds of a keyword in the active states.
    fn holding(&self, name: &str, active: Lanes) -> Vec<(Place, Lanes)> {
        let mut list = Vec::new();
        for pred in self.interpreter.named(name) {
            for (at, mask) in self.interpreter.relations[pred].holds.iter().enumerate() {
                if mask & active != 0 {
                    list.push(((pred, at), mask & active));
                }
            }
        }
        list
    }

    /// Compares everything that can be said of the states and chooses a move in each: the game's number of
    /// it and what each role does. Also in which states the game has ended.
    fn look(&mut self, lanes: &[Lane], outcome: &mut Outcome) -> Result<(Vec<Option<Choice>>, Lanes), Stop> {
        let active = lanes.iter().enumerate().fold(0, |m, (i, l)| m | Lanes::from(l.active) << i);
        outcome.states += active.count_ones() as usize;
        self.same_states(lanes, active)?;
        self.interpreter.derive(false, active)?;
        self.explicit.load(lanes.iter().map(|l| l.state.clone()).collect());
        let ended = self.holding("terminal", active).iter().fold(0, |m, (_, mask)| m | mask);
        let mut legal: Vec<Vec<Vec<Place>>> = vec![vec![Vec::new(); self.roles.len()]; lanes.len()];
        for ((pred, at), mask) in self.holding("legal", active & !ended) {
            let role = self.interpreter.relations[pred].tuples[at][0];
            let Some(role) = self.roles.iter().position(|r| *r == role) else { continue };
            each(mask, |bit| legal[bit][role].push((pred, at)));
        }
        let mut goals: Vec<Vec<Option<u8>>> = vec![vec![None; self.roles.len()]; lanes.len()];
        for ((pred, at), mask) in self.holding("goal", ended) {
            let tuple = &self.interpreter.relations[pred].tuples[at];
            let Some(role) = self.roles.iter().position(|r| *r == tuple[0]) else { continue };
            let value = self.interpreter.terms.text(tuple[1]).parse::<u8>().ok();
            // Of several values the highest counts.
            each(mask, |bit| goals[bit][role] = goals[bit][role].max(value));
        }
        let mut chosen = Vec::with_capacity(lanes.len());
        for (bit, lane) in lanes.iter().enumerate() {
            if !lane.active {
                chosen.push(None);
                continue;
            }
            let text = || self.compiled.game.print(&lane.state);
            let at = self.explicit.lane(bit);
            let terminal = ended >> bit & 1 == 1;
            if at.is_terminal() != terminal {
                return differ(format!("terminal should be {terminal} in {}", text()));
            }
            if terminal {
                let found: Vec<Option<u8>> =
                    at.rewards().iter().flat_map(|r| r.iter().copied().map(Some)).collect();
                if found != goals[bit] {
                    return differ(format!("goals {found:?} should be {:?} in {}", goals[bit], text()));
                }
                chosen.push(None);
                continue;
            }
            let Some(player) = at.turn() else { return differ(format!("nobody's turn in {}", text())) };
            let moves: Vec<usize> = at.moves().map(MoveId::index).collect();
            let mut found: Vec<Place> = moves.iter().map(|m| self.moves[*m]).collect();
            found.sort_unstable();
            legal[bit][player.index()].sort_unstable();
            if found != legal[bit][player.index()] || found.is_empty() {
                return differ(format!(
                    "{} legal moves but should be {} in {}",
                    found.len(),
                    legal[bit][player.index()].len(),
                    text()
                ));
            }
            if legal[bit].iter().enumerate().any(|(r, l)| r != player.index() && l.len() != 1) {
                return differ(format!("another role than {player} has a choice in {}", text()));
            }
            self.seed ^= self.seed << 13;
            self.seed ^= self.seed >> 7;
            self.seed ^= self.seed << 17;
            let own = moves[(self.seed % moves.len() as u64) as usize];
            let joint = legal[bit]
                .iter()
                .enumerate()
                .map(|(r, l)| if r == player.index() { self.moves[own] } else { l[0] });
            chosen.push(Some((own, joint.collect())));
        }
        Ok((chosen, ended))
    }

    fn same_states(&mut self, lanes: &[Lane], active: Lanes) -> Result<(), Stop> {
        let mut model: HashMap<Place, Lanes> = HashMap::default();
        for (bit, lane) in lanes.iter().enumerate().filter(|(_, l)| l.active) {
            for (values, value) in self.facts.iter().zip(&lane.state.0) {
                if let Some(place) = values[*value as usize] {
                    *model.entry(place).or_default() |= 1 << bit;
                }
            }
        }
        let expected: HashMap<Place, Lanes> = self.holding("true", active).into_iter().collect();
        if model == expected {
            return Ok(());
        }
        let wrong = model.keys().chain(expected.keys()).find(|p| model.get(*p) != expected.get(*p)).copied();
        let Some((pred, at)) = wrong else { return Ok(()) };
        let term = self.interpreter.term(pred, at, 0);
        differ(format!("states differ in {}", self.interpreter.terms.text(term)))
    }

    /// What is true after the chosen moves.
    fn advance(
        &mut self,
        lanes: &[Lane],
        chosen: &[Option<Choice>],
        ended: Lanes,
    ) -> Result<HashMap<Place, Lanes>, Stop> {
        let going = lanes.iter().enumerate().fold(0, |m, (i, l)| m | Lanes::from(l.active) << i) & !ended;
        let does = self.interpreter.named("does");
        self.interpreter.clear(&does);
        for (bit, choice) in chosen.iter().enumerate() {
            for place in choice.iter().flat_map(|c| &c.1) {
                let (pred, at) = self.forward("does", *place);
                self.interpreter.relations[pred].holds[at] |= 1 << bit;
            }
        }
        self.interpreter.derive(true, going)?;
        let mut holds = HashMap::default();
        for (place, mask) in self.holding("next", going) {
            holds.insert(self.forward("true", place), mask);
        }
        Ok(holds)
    }

    fn forward(&mut self, name: &str, place: Place) -> Place {
        if let Some(known) = self.forward.get(&place) {
            return *known;
        }
        let roles = usize::from(name == "does");
        let role = (roles == 1).then(|| self.interpreter.relations[place.0].tuples[place.1][0]);
        let term = self.interpreter.term(place.0, place.1, roles);
        let found = self.interpreter.place(name, role, term);
        self.forward.insert(place, found);
        found
    }
}

/// A move of the game, and what each role does.
type Choice = (usize, Vec<Place>);

fn each(mut mask: Lanes, mut visit: impl FnMut(usize)) {
    while mask != 0 {
        visit(mask.trailing_zeros() as usize);
        mask &= mask - 1;
    }
}

fn differ<T>(what: String) -> Result<T, Stop> {
    Err(Stop::Different(what))
}
