//! The explicit semantics: legal moves, successors, outcomes of single states.

use crate::expr::{ExprId, Exprs};
use crate::game::{Game, MoveId, Player};
use crate::lanes::Lanes;
use crate::value::Rewards;
use crate::variable::State;

/// Plays a game state by state. Slow and simple beside the engines, which are checked against it.
///
/// ```
/// # use winset_model::*;
/// # let mut game = GameBuilder::new("flip", ["only"]);
/// # let light = game.add_variable("light", ["off", "on"]);
/// # game.add_move("switch", Player(0), Exprs::TRUE, [Update::set(light, 1)]);
/// # let on = game.exprs.is(light, 1);
/// # game.terminal.push(on);
/// # game.rewards[0].push((100, on));
/// # game.initial = game.state([0]);
/// # let game = game.build().unwrap();
/// let mut explicit = Explicit::new(&game);
/// let at = explicit.at(game.initial());
/// let switch = at.moves().next().unwrap();
/// let next = at.apply(switch);
/// assert_eq!(explicit.at(&next).rewards(), Some([100].into()));
/// ```
pub struct Explicit<'g> {
    game: &'g Game,
    lanes: Lanes,
    states: Vec<State>,
}

impl<'g> Explicit<'g> {
    /// Prepares to play the game.
    pub fn new(game: &'g Game) -> Self {
        let moves = game.moves().iter().flat_map(|m| {
            let conditions = m.updates.iter().flat_map(|u| u.cases.iter().map(|&(when, _)| when));
            std::iter::once(m.guard).chain(conditions)
        });
        let rewards = game.rewards().iter().flatten().map(|&(_, when)| when);
        let roots: Vec<ExprId> = moves
            .chain(game.turn().iter().copied())
            .chain(game.terminal().iter().copied())
            .chain(rewards)
            .chain(game.forbidden().iter().map(|f| f.when))
            .collect();
        let lanes = Lanes::new(game.exprs(), game.variables(), roots);
        Explicit { game, lanes, states: vec![] }
    }

    /// The game being played.
    pub fn game(&self) -> &'g Game {
        self.game
    }

    /// Looks at one state.
    pub fn at(&mut self, state: &State) -> At<'_> {
        self.load(vec![state.clone()]);
        self.lane(0)
    }

    /// Loads up to 64 states, to be looked at with [`Explicit::lane`]. Much cheaper than one by one.
    pub fn load(&mut self, states: Vec<State>) {
        self.lanes.load(&states);
        self.states = states;
    }

    /// Looks at one of the loaded states.
    pub fn lane(&self, lane: usize) -> At<'_> {
        At { game: self.game, lanes: &self.lanes, lane, state: &self.states[lane] }
    }

    /// All successors of a state with the moves that lead there; none if it is terminal.
    pub fn successors(&mut self, state: &State) -> Vec<(MoveId, State)> {
        let at = self.at(state);
        at.moves().map(|m| (m, at.apply(m))).collect()
    }
}

/// One state under the game's rules.
#[derive(Clone, Copy)]
pub struct At<'a> {
    game: &'a Game,
    lanes: &'a Lanes,
    lane: usize,
    state: &'a State,
}

impl<'a> At<'a> {
    /// The state looked at.
    pub fn state(&self) -> &'a State {
        self.state
    }

    /// The game has ended here.
    pub fn is_terminal(&self) -> bool {
        self.game.terminal().iter().any(|&t| self.holds(t))
    }

    /// Whose turn it is; nobody's if the rules do not say.
    pub fn turn(&self) -> Option<Player> {
        self.game.each_player().find(|player| self.holds(self.game.turn()[player.index()]))
    }

    /// The legal moves, in the game's order.
    pub fn moves(&self) -> impl Iterator<Item = MoveId> + use<'a> {
        let at = *self;
        let turn = if at.is_terminal() { None } else { at.turn() };
        let has_other = turn.is_some_and(|player| {
            at.game.moves().iter().any(|m| m.player == player && !m.fallback && at.holds(m.guard))
        });
        at.game.each_move().filter_map(move |(id, m)| {
            let legal = turn == Some(m.player) && !(m.fallback && has_other) && at.holds(m.guard);
            legal.then_some(id)
        })
    }

    /// The state after a move.
    pub fn apply(&self, id: MoveId) -> State {
        let mut next = self.state.clone();
        for update in &self.game.move_at(id).updates {
            if let Some(&(_, value)) = update.cases.iter().find(|&&(when, _)| self.holds(when)) {
                next[update.var] = value;
            }
        }
        next
    }

    /// What the players get if the game has ended here; a player without a reward gets 0.
    pub fn rewards(&self) -> Option<Rewards> {
        self.is_terminal().then(|| {
            let earned = |list: &Vec<(u8, ExprId)>| list.iter().find(|r| self.holds(r.1)).map_or(0, |r| r.0);
            self.game.rewards().iter().map(earned).collect()
        })
    }

    /// Whether an expression that the rules use holds here.
    pub fn holds(&self, id: ExprId) -> bool {
        id == Exprs::TRUE || self.lanes.holds(id, self.lane)
    }
}
