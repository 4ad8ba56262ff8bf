//! A game: what the players may do, when it ends and what they get.

use crate::board::Board;
use crate::builder::GameBuilder;
use crate::expr::{ExprId, Exprs};
use crate::family::Choices;
use crate::variable::{State, Value, VarId, Variable};
use crate::wrong::ModelError;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A player, by position: 0 moves first in the built-in games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Player(pub u8);

impl Player {
    /// The player at a position; panics if it is beyond what any game can have.
    #[inline]
    pub fn new(index: usize) -> Self {
        Player(u8::try_from(index).expect("a game has at most 256 players"))
    }

    /// All of n players, the first first.
    pub fn all(players: usize) -> impl DoubleEndedIterator<Item = Player> + Clone {
        (0..players).map(Player::new)
    }

    /// The position as an index.
    #[inline]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The position as the value of a variable that says whose turn it is.
    pub fn value(self) -> Value {
        Value::from(self.0)
    }

    /// The other one of two; panics if this is none of the first two.
    pub fn other(self) -> Self {
        Player(1 - self.0)
    }

    /// Who comes after this one of n players: after the last the first.
    pub fn next(self, players: usize) -> Self {
        Player::new((self.index() + 1) % players.max(1))
    }
}

/// The position.
impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A move, by its position in the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct MoveId(pub u32);

impl MoveId {
    /// The move at a position; panics if it is beyond what any game can have.
    #[inline]
    pub fn new(index: usize) -> Self {
        MoveId(u32::try_from(index).expect("a game has at most 2^32 moves"))
    }

    /// The position as an index.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The position.
impl fmt::Display for MoveId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The new value of one variable: that of the first case whose condition holds in the state before the
/// move; if none holds, the variable keeps its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update {
    /// The variable.
    pub var: VarId,
    /// Conditions and new values, tried in order.
    pub cases: Vec<(ExprId, Value)>,
}

impl Update {
    /// The variable gets the value whatever the state.
    pub fn set(var: VarId, value: Value) -> Self {
        Update { var, cases: vec![(Exprs::TRUE, value)] }
    }
}

/// Something a player may do. It is legal in a state that is not terminal, where it is the player's turn
/// and the guard holds.
#[derive(Clone, Debug)]
pub struct Move {
    /// As players write it. Unique among the moves that can be legal in one state.
    pub name: String,
    /// Who makes it.
    pub player: Player,
    /// When it may be made, apart from turn and terminal condition.
    pub guard: ExprId,
    /// What it changes; every variable that is not mentioned keeps its value.
    pub updates: Vec<Update>,
    /// Legal only where none of the player's other moves is: a pass.
    pub fallback: bool,
}

/// A condition that no reachable state may fulfil. Front ends that cannot prove it state it, engines test
/// it on the states they reach and refuse the game with a state in hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forbidden {
    /// The condition.
    pub when: ExprId,
    /// It must not hold where the game has ended; otherwise, where it goes on.
    pub ended: bool,
    /// What is wrong with the game where it holds.
    pub why: String,
}

/// A game: parts that have been checked, so that whoever reads them can rely on it. [`GameBuilder`] makes one.
#[derive(Clone, Debug)]
pub struct Game(GameBuilder);

impl Game {
    /// Only for parts that have been checked.
    pub(crate) fn checked(parts: GameBuilder) -> Self {
        Game(parts)
    }

    /// The parts again, to make another game of them.
    pub fn into_builder(self) -> GameBuilder {
        self.0
    }

    /// The same game under another name.
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.0.name = name.into();
        self
    }

    /// The same rules from another start.
    pub fn with_initial(mut self, initial: State) -> Result<Self, ModelError> {
        self.0.initial = initial;
        self.0.build()
    }

    /// The same game, with nothing said about what must not be reached.
    pub fn without_forbidden(mut self) -> Self {
        self.0.forbidden.clear();
        self
    }

    /// The game's name.
    #[inline]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The board's size as it is written, empty if the game has none.
    #[inline]
    pub fn size(&self) -> &str {
        &self.0.size
    }

    /// The options of its family that are not as by default.
    #[inline]
    pub fn choices(&self) -> &Choices {
        &self.0.choices
    }

    /// The players' names.
    #[inline]
    pub fn players(&self) -> &[String] {
        &self.0.players
    }

    /// The state variables.
    #[inline]
    pub fn variables(&self) -> &[Variable] {
        &self.0.variables
    }

    /// All expressions.
    #[inline]
    pub fn exprs(&self) -> &Exprs {
        &self.0.exprs
    }

    /// Where the game starts.
    #[inline]
    pub fn initial(&self) -> &State {
        &self.0.initial
    }

    /// For each player, where it is that player's turn. Disjoint on the reachable states.
    #[inline]
    pub fn turn(&self) -> &[ExprId] {
        &self.0.turn
    }

    /// The moves of all players.
    #[inline]
    pub fn moves(&self) -> &[Move] {
        &self.0.moves
    }

    /// The game has ended where one of these holds.
    #[inline]
    pub fn terminal(&self) -> &[ExprId] {
        &self.0.terminal
    }

    /// For each player the possible rewards with their conditions, meaningful in terminal states.
    #[inline]
    pub fn rewards(&self) -> &[Vec<(u8, ExprId)>] {
        &self.0.rewards
    }

    /// In no reachable terminal state two rewards of a player apply.
    #[inline]
    pub fn exclusive_rewards(&self) -> bool {
        self.0.exclusive_rewards
    }

    /// What must hold in no reachable state.
    #[inline]
    pub fn forbidden(&self) -> &[Forbidden] {
        &self.0.forbidden
    }

    /// The board, if there is one.
    #[inline]
    pub fn board(&self) -> Option<&Board> {
        self.0.board.as_ref()
    }

    /// Groups of variables that belong together (rows, columns); empty: the engine chooses.
    #[inline]
    pub fn blocks(&self) -> &[Vec<VarId>] {
        &self.0.blocks
    }

    /// The variable of a square of the board; panics without one, for whoever knows the game.
    pub fn cell(&self, row: usize, column: usize) -> VarId {
        self.0.cell(row, column)
    }

    /// The players, the first first.
    pub fn each_player(&self) -> impl DoubleEndedIterator<Item = Player> + Clone + use<> {
        Player::all(self.0.players.len())
    }

    /// A player's name.
    pub fn player_name(&self, player: Player) -> &str {
        &self.0.players[player.index()]
    }

    /// One of the moves.
    #[inline]
    pub fn move_at(&self, id: MoveId) -> &Move {
        &self.0.moves[id.index()]
    }

    /// The moves with their ids.
    pub fn each_move(&self) -> impl Iterator<Item = (MoveId, &Move)> {
        self.0.moves.iter().enumerate().map(|(index, m)| (MoveId::new(index), m))
    }

    /// The name with the size and the options that are not as by default.
    pub fn title(&self) -> String {
        let mut title = [self.0.name.as_str(), self.0.size.as_str()].join(" ").trim_end().to_owned();
        for (name, value) in &self.0.choices.0 {
            title.push_str(&format!(", {name} {value}"));
        }
        title
    }

    /// The number of states that the variables span, reachable or not.
    pub fn space(&self) -> u128 {
        self.0.variables.iter().fold(1u128, |n, v| n.saturating_mul(v.size() as u128))
    }

    /// Every reward that a player can get is 100, 50 or 0 and the two add up to 100, so that a value is
    /// just a win, a draw or a loss. True by the conditions alone: player 1 gets 100 - r exactly where
    /// player 0 gets r.
    pub fn is_win_draw_loss(&self) -> bool {
        let [first, second] = self.0.rewards.as_slice() else { return false };
        let by_reward = |list: &[(u8, ExprId)], complement: bool| {
            let mut sorted: Vec<(u8, ExprId)> = list
                .iter()
                .map(|&(reward, when)| (if complement { 100u8.saturating_sub(reward) } else { reward }, when))
                .collect();
            sorted.sort_unstable();
            sorted
        };
        first.iter().chain(second).all(|(reward, _)| matches!(reward, 0 | 50 | 100))
            && by_reward(first, false) == by_reward(second, true)
    }
}
