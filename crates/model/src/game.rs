//! A game: what the players may do, when it ends and what they get.

use crate::board::{Board, Origin};
use crate::expr::{ExprId, Exprs};
use crate::family::Choices;
use crate::variable::{State, Value, VarId, Variable};
use thiserror::Error;

/// A player, by position: 0 moves first in the built-in games.
pub type Player = usize;

/// A move, by its position in the game.
pub type MoveId = usize;

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

/// A game. Build it with [`Game::new`] and the `add` methods, then check it with [`Game::finish`].
#[derive(Clone, Debug)]
pub struct Game {
    /// The game's name.
    pub name: String,
    /// The board's size as it is written, empty if the game has none.
    pub size: String,
    /// The options of its family that are not as by default.
    pub choices: Choices,
    /// The players' names, one or two.
    pub players: Vec<String>,
    /// The state variables.
    pub variables: Vec<Variable>,
    /// All expressions.
    pub exprs: Exprs,
    /// Where the game starts.
    pub initial: State,
    /// For each player, where it is that player's turn. Disjoint on the reachable states.
    pub turn: Vec<ExprId>,
    /// The moves of all players.
    pub moves: Vec<Move>,
    /// The game has ended where one of these holds. Kept apart because their union can be huge as a
    /// diagram while each is small.
    pub terminal: Vec<ExprId>,
    /// For each player the possible rewards with their conditions, meaningful in terminal states.
    pub rewards: Vec<Vec<(u8, ExprId)>>,
    /// In no reachable terminal state two rewards of a player apply: the front end has proved it, or forbids
    /// it. One that applies is then the one, without a look at the others.
    pub exclusive_rewards: bool,
    /// What must hold in no reachable state.
    pub forbidden: Vec<Forbidden>,
    /// The board, if there is one.
    pub board: Option<Board>,
    /// Groups of variables that belong together (rows, columns), for engines that work on blocks. Empty:
    /// the engine chooses.
    pub blocks: Vec<Vec<VarId>>,
}

/// Why a game is not well formed.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ModelError {
    /// One or two players are supported.
    #[error("a game needs one or two players, this one has {0}")]
    Players(usize),
    /// A domain is empty or too large.
    #[error("variable {0} has {1} values; 1 to 65,536 are possible")]
    Domain(String, usize),
    /// A name occurs twice.
    #[error("the name {0:?} is used twice")]
    Duplicate(String),
    /// The initial state does not fit the variables.
    #[error("the initial state does not give every variable a value of its domain")]
    Initial,
    /// A move, update or turn refers to something that is not there.
    #[error("{0} refers to a player, variable or value that does not exist")]
    Dangling(String),
    /// A move updates one variable twice.
    #[error("move {0} updates variable {1} twice")]
    UpdatedTwice(String, String),
}

impl Game {
    /// A game with no variables and no moves yet.
    pub fn new<S: Into<String>>(name: &str, players: impl IntoIterator<Item = S>) -> Self {
        let players: Vec<String> = players.into_iter().map(Into::into).collect();
        Game {
            name: name.to_owned(),
            size: String::new(),
            choices: Choices::default(),
            rewards: vec![vec![]; players.len()],
            exclusive_rewards: false,
            turn: vec![Exprs::TRUE; players.len()],
            players,
            variables: vec![],
            exprs: Exprs::new(),
            initial: State(Box::new([])),
            moves: vec![],
            terminal: vec![],
            forbidden: vec![],
            board: None,
            blocks: vec![],
        }
    }

    /// The name with the size and the options that are not as by default.
    pub fn title(&self) -> String {
        let mut title = [self.name.as_str(), self.size.as_str()].join(" ").trim_end().to_owned();
        for (name, value) in &self.choices.0 {
            title.push_str(&format!(", {name} {value}"));
        }
        title
    }

    /// Adds a variable with the given values.
    pub fn add_variable<S: Into<String>>(
        &mut self,
        name: impl Into<String>,
        values: impl IntoIterator<Item = S>,
    ) -> VarId {
        let values = values.into_iter().map(Into::into).collect();
        self.variables.push(Variable { name: name.into(), values });
        VarId(self.variables.len() as u32 - 1)
    }

    /// Adds the variable that says whose turn it is, its values named after the players.
    pub fn add_turn(&mut self) -> VarId {
        let turn = self.add_variable("turn", self.players.clone());
        self.turn = (0..self.players.len()).map(|player| self.exprs.is(turn, player as Value)).collect();
        turn
    }

    /// Adds one variable per square that `used` accepts (row, column; from the top left), its values named
    /// by one character each, and makes them the board.
    pub fn add_board(
        &mut self,
        (rows, columns): (usize, usize),
        origin: Origin,
        glyphs: &str,
        used: impl Fn(usize, usize) -> bool,
    ) {
        let squares = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        let cells = squares
            .map(|(row, column)| {
                let name = Board::square_name(rows, origin, row, column);
                used(row, column).then(|| self.add_variable(name, glyphs.chars().map(String::from)))
            })
            .collect();
        self.board = Some(Board { rows, columns, cells, glyphs: glyphs.chars().collect(), origin });
    }

    /// The update that gives the turn to the other player.
    pub fn hand_over(&self, turn: VarId, player: Player) -> Update {
        Update::set(turn, 1 - player as Value)
    }

    /// Adds a move.
    pub fn add_move(
        &mut self,
        name: impl Into<String>,
        player: Player,
        guard: ExprId,
        updates: impl IntoIterator<Item = Update>,
    ) {
        let updates = updates.into_iter().collect();
        self.moves.push(Move { name: name.into(), player, guard, updates, fallback: false });
    }

    /// Adds a move that is legal only where none of the player's other moves is.
    pub fn add_fallback(
        &mut self,
        name: impl Into<String>,
        player: Player,
        guard: ExprId,
        updates: impl IntoIterator<Item = Update>,
    ) {
        self.add_move(name, player, guard, updates);
        self.moves.last_mut().expect("just added").fallback = true;
    }

    /// In terminal states where the condition holds, the player wins: 100 for the winner, 0 for the other.
    pub fn reward_winner(&mut self, winner: Player, when: ExprId) {
        for player in 0..self.players.len() {
            self.rewards[player].push((if player == winner { 100 } else { 0 }, when));
        }
    }

    /// In terminal states where the condition holds, neither wins: 50 for each.
    pub fn reward_draw(&mut self, when: ExprId) {
        for rewards in &mut self.rewards {
            rewards.push((50, when));
        }
    }

    /// A state from its values.
    pub fn state(&self, values: impl IntoIterator<Item = Value>) -> State {
        State(values.into_iter().collect())
    }

    /// The variable of a square of the board; panics without one, for builders that have just added it.
    pub fn cell(&self, row: usize, column: usize) -> VarId {
        let board = self.board.as_ref().expect("the game has a board");
        board.cell(row as isize, column as isize).expect("the square is used")
    }

    /// The number of states that the variables span, reachable or not.
    pub fn space(&self) -> u128 {
        self.variables.iter().fold(1u128, |n, v| n.saturating_mul(v.size() as u128))
    }

    /// Every reward that a player can get is 100, 50 or 0 and the two add up to 100, so that a value is
    /// just a win, a draw or a loss. True by the conditions alone: player 1 gets 100 - r exactly where
    /// player 0 gets r.
    pub fn is_win_draw_loss(&self) -> bool {
        let [first, second] = self.rewards.as_slice() else { return false };
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

    /// Checks that everything refers to something that exists, and returns the game.
    pub fn finish(self) -> Result<Self, ModelError> {
        if !(1..=2).contains(&self.players.len()) {
            return Err(ModelError::Players(self.players.len()));
        }
        for v in &self.variables {
            if v.size() == 0 || v.size() > 1 << 16 {
                return Err(ModelError::Domain(v.name.clone(), v.size()));
            }
        }
        let mut names: Vec<&str> = self.variables.iter().map(|v| v.name.as_str()).collect();
        names.sort_unstable();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(ModelError::Duplicate(pair[0].to_owned()));
        }
        let in_domain = |var: VarId, value: Value| {
            self.variables.get(var.index()).is_some_and(|v| (value as usize) < v.size())
        };
        let fits = self.initial.0.iter().enumerate().all(|(i, &value)| in_domain(VarId(i as u32), value));
        if self.initial.0.len() != self.variables.len() || !fits {
            return Err(ModelError::Initial);
        }
        if self.turn.len() != self.players.len() || self.rewards.len() != self.players.len() {
            return Err(ModelError::Dangling("the turn or a reward".to_owned()));
        }
        for m in &self.moves {
            let known = m.player < self.players.len()
                && m.updates.iter().all(|u| {
                    u.var.index() < self.variables.len() && u.cases.iter().all(|&(_, x)| in_domain(u.var, x))
                });
            if !known {
                return Err(ModelError::Dangling(format!("move {}", m.name)));
            }
            let mut vars: Vec<VarId> = m.updates.iter().map(|u| u.var).collect();
            vars.sort_unstable();
            if let Some(pair) = vars.windows(2).find(|pair| pair[0] == pair[1]) {
                let twice = self.variables[pair[0].index()].name.clone();
                return Err(ModelError::UpdatedTwice(m.name.clone(), twice));
            }
        }
        Ok(self)
    }
}
