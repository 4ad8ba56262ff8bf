//! Games are made here: the parts, in any order and not yet trusted, and the check that makes them a game.

use crate::board::{Board, Origin, Owner};
use crate::expr::{ExprId, Exprs};
use crate::family::Choices;
use crate::game::{Forbidden, Game, Move, Player, Update};
use crate::variable::{State, Value, VarId, Variable};
use crate::wrong::ModelError;

/// The parts of a game. [`GameBuilder::build`] checks them, and nothing else makes a [`Game`].
///
/// ```
/// use winset_model::{Exprs, GameBuilder, ModelError, Player, Update};
/// let mut game = GameBuilder::new("flip", ["only"]);
/// let light = game.add_variable("light", ["off", "on"]);
/// game.add_move("switch", Player(0), Exprs::TRUE, [Update::set(light, 2)]);
/// game.initial = game.state([0]);
/// let error = game.build().unwrap_err();
/// assert_eq!(error.to_string(), "move switch gives light the value 2, but it has 2 values, from 0");
/// ```
#[derive(Clone, Debug)]
pub struct GameBuilder {
    /// The game's name.
    pub name: String,
    /// The board's size as it is written, empty if the game has none.
    pub size: String,
    /// The options of its family that are not as by default.
    pub choices: Choices,
    /// The players' names, at most [`MOST_PLAYERS`](crate::MOST_PLAYERS).
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

impl GameBuilder {
    /// A game with no variables and no moves yet.
    pub fn new<S: Into<String>>(name: &str, players: impl IntoIterator<Item = S>) -> Self {
        let players: Vec<String> = players.into_iter().map(Into::into).collect();
        GameBuilder {
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
        self.turn =
            Player::all(self.players.len()).map(|player| self.exprs.is(turn, player.value())).collect();
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
        let glyphs: Vec<char> = glyphs.chars().collect();
        let owners = vec![Owner::Nobody; glyphs.len()];
        self.board = Some(Board { rows, columns, cells, glyphs, owners, origin });
    }

    /// Says whose pieces some characters of the board are.
    pub fn owns(&mut self, owner: Owner, glyphs: &str) {
        let Some(board) = &mut self.board else { return };
        for (glyph, own) in board.glyphs.iter().zip(&mut board.owners) {
            if glyphs.contains(*glyph) {
                *own = owner;
            }
        }
    }

    /// The update that gives the turn to the next player, and after the last to the first.
    pub fn hand_over(&self, turn: VarId, player: Player) -> Update {
        Update::set(turn, player.next(self.players.len()).value())
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
        for player in Player::all(self.players.len()) {
            self.rewards[player.index()].push((if player == winner { 100 } else { 0 }, when));
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

    /// Checks the parts: everything that they refer to exists.
    pub fn build(self) -> Result<Game, ModelError> {
        crate::wrong::check(&self)?;
        Ok(Game::checked(self))
    }
}
