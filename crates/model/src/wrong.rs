//! What can be wrong with the parts of a game.

use crate::board::Board;
use crate::builder::GameBuilder;
use crate::expr::{Expr, ExprId};
use crate::game::{Move, MoveId, Player};
use crate::value::MOST_PLAYERS;
use crate::variable::{Value, VarId, Variable};
use thiserror::Error;

/// The most values of a variable: a [`Value`] tells them apart.
const MOST_VALUES: usize = 1 << Value::BITS;

/// The highest reward.
const MOST_REWARD: u8 = 100;

/// Why parts are not a game.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ModelError {
    /// Too few or too many players.
    #[error("a game needs 1 to {MOST_PLAYERS} players, this one has {0}")]
    Players(usize),
    /// Two players have one name.
    #[error("two players are called {0:?}")]
    PlayerTwice(String),
    /// A domain is empty or too large.
    #[error("variable {0} has {1} values; 1 to 65,536 are possible")]
    Domain(String, usize),
    /// Two variables have one name.
    #[error("two variables are called {0:?}")]
    VariableTwice(String),
    /// The initial state has too few or too many values.
    #[error("the initial state has {given} values for {variables} variables")]
    InitialLength {
        /// The values given.
        given: usize,
        /// The variables there are.
        variables: usize,
    },
    /// The initial state gives a variable a value that it does not have.
    #[error("the initial state gives {variable} the value {value}, but it has {size} values, from 0")]
    InitialValue {
        /// The variable's name.
        variable: String,
        /// The value given.
        value: Value,
        /// The number of values that it has.
        size: usize,
    },
    /// Not one condition for each player's turn.
    #[error("there are {given} conditions for the turns of {players} players")]
    Turns {
        /// The conditions given.
        given: usize,
        /// The players there are.
        players: usize,
    },
    /// Not one list of rewards for each player.
    #[error("there are {given} lists of rewards for {players} players")]
    RewardLists {
        /// The lists given.
        given: usize,
        /// The players there are.
        players: usize,
    },
    /// A reward is too high.
    #[error("player {player} can get {reward}; rewards are from 0 to 100")]
    Reward {
        /// The player's name.
        player: String,
        /// The reward.
        reward: u8,
    },
    /// Something is an expression that does not exist.
    #[error("{place} is expression {}, but there are {exprs}, from 0", .id.0)]
    NoExpression {
        /// What is that expression.
        place: Place,
        /// The expression.
        id: ExprId,
        /// The number of expressions.
        exprs: usize,
    },
    /// An expression is made of one that does not exist, or that is not older than itself.
    #[error("expression {} has expression {} as an operand, which is not older than itself", .id.0, .operand.0)]
    Operand {
        /// The expression.
        id: ExprId,
        /// Its operand.
        operand: ExprId,
    },
    /// An expression is a member of recursive definitions that do not exist.
    #[error("expression {} is a member of recursive definitions that do not exist", .0.0)]
    NoDefinition(ExprId),
    /// An expression looks at the value after a move.
    #[error("{place} looks at the value of {variable} after the move")]
    Next {
        /// Where the expression is used.
        place: Place,
        /// The variable's name, or its number if there is no such variable.
        variable: String,
    },
    /// An expression asks for a variable that does not exist.
    #[error("{place} asks for variable {}, but there are {variables}, from 0", .var.0)]
    IsVariable {
        /// Where the expression is used.
        place: Place,
        /// The variable.
        var: VarId,
        /// The number of variables.
        variables: usize,
    },
    /// An expression asks whether a variable has a value that it does not have.
    #[error("{place} asks whether {variable} is {value}, but it has {size} values, from 0")]
    IsValue {
        /// Where the expression is used.
        place: Place,
        /// The variable's name.
        variable: String,
        /// The value.
        value: Value,
        /// The number of values that it has.
        size: usize,
    },
    /// A move has no name.
    #[error("move {0} has no name")]
    MoveName(MoveId),
    /// A move belongs to nobody.
    #[error("move {name} belongs to player {player}, but there are {players}, from 0")]
    MovePlayer {
        /// The move's name.
        name: String,
        /// Its player.
        player: Player,
        /// The players there are.
        players: usize,
    },
    /// A move changes a variable that does not exist.
    #[error("move {name} changes variable {}, but there are {variables}, from 0", .var.0)]
    UpdateVariable {
        /// The move's name.
        name: String,
        /// The variable.
        var: VarId,
        /// The number of variables.
        variables: usize,
    },
    /// A move gives a variable a value that it does not have.
    #[error("move {name} gives {variable} the value {value}, but it has {size} values, from 0")]
    UpdateValue {
        /// The move's name.
        name: String,
        /// The variable's name.
        variable: String,
        /// The value.
        value: Value,
        /// The number of values that it has.
        size: usize,
    },
    /// A move changes one variable twice.
    #[error("move {name} changes {variable} twice")]
    UpdatedTwice {
        /// The move's name.
        name: String,
        /// The variable's name.
        variable: String,
    },
    /// A block has a variable that does not exist.
    #[error("a block has variable {}, but there are {variables}, from 0", .var.0)]
    BlockVariable {
        /// The variable.
        var: VarId,
        /// The number of variables.
        variables: usize,
    },
    /// A variable is in two blocks, or twice in one.
    #[error("{0} is in two blocks")]
    BlockedTwice(String),
    /// The board does not have a place for each of its squares.
    #[error("the board has {cells} places for {rows} rows of {columns} squares")]
    BoardShape {
        /// The number of places.
        cells: usize,
        /// The number of rows.
        rows: usize,
        /// The number of columns.
        columns: usize,
    },
    /// A square of the board is a variable that does not exist.
    #[error("a square of the board is variable {}, but there are {variables}, from 0", .var.0)]
    BoardVariable {
        /// The variable.
        var: VarId,
        /// The number of variables.
        variables: usize,
    },
    /// Two squares of the board are one variable.
    #[error("{0} is two squares of the board")]
    BoardTwice(String),
    /// A square of the board does not have a character for each value.
    #[error("{variable} is a square of the board and has {size} values, but there are {glyphs} characters")]
    BoardValues {
        /// The variable's name.
        variable: String,
        /// The number of its values.
        size: usize,
        /// The number of characters.
        glyphs: usize,
    },
    /// A character stands for two values, or cannot be told from the rest of a position's text.
    #[error("the character {0:?} cannot stand for a value on the board, or stands for two")]
    BoardGlyph(char),
}

/// Where a game has an expression, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Whose turn it is.
    Turn(String),
    /// The guard of a move.
    Guard(String),
    /// A condition of a change that a move makes.
    Update(String),
    /// A terminal condition.
    Terminal,
    /// The condition of a reward.
    Reward(String),
    /// A forbidden condition.
    Forbidden,
    /// The body of a recursive definition.
    Definition,
    /// Nowhere: it is only there.
    Unused,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Turn(player) => write!(f, "the turn of player {player}"),
            Place::Guard(name) => write!(f, "the guard of move {name}"),
            Place::Update(name) => write!(f, "a condition in move {name}"),
            Place::Terminal => f.write_str("a terminal condition"),
            Place::Reward(player) => write!(f, "the condition of a reward of player {player}"),
            Place::Forbidden => f.write_str("a forbidden condition"),
            Place::Definition => f.write_str("a recursive definition"),
            Place::Unused => f.write_str("an expression that nothing uses"),
        }
    }
}

/// The first thing that is wrong.
pub(crate) fn check(game: &GameBuilder) -> Result<(), ModelError> {
    check_players(game)?;
    check_variables(&game.variables)?;
    check_initial(game)?;
    check_rewards(game)?;
    game.moves.iter().enumerate().try_for_each(|(id, m)| check_move(game, id, m))?;
    check_blocks(game)?;
    game.board.as_ref().map_or(Ok(()), |board| check_board(game, board))?;
    check_expressions(game)
}

fn check_players(game: &GameBuilder) -> Result<(), ModelError> {
    let players = game.players.len();
    if !(1..=MOST_PLAYERS).contains(&players) {
        return Err(ModelError::Players(players));
    }
    match twice(game.players.iter().map(String::as_str).collect()) {
        Some(name) => Err(ModelError::PlayerTwice(name.to_owned())),
        None if game.turn.len() != players => Err(ModelError::Turns { given: game.turn.len(), players }),
        None => Ok(()),
    }
}

fn check_variables(variables: &[Variable]) -> Result<(), ModelError> {
    if let Some(v) = variables.iter().find(|v| !(1..=MOST_VALUES).contains(&v.size())) {
        return Err(ModelError::Domain(v.name.clone(), v.size()));
    }
    match twice(variables.iter().map(|v| v.name.as_str()).collect()) {
        Some(name) => Err(ModelError::VariableTwice(name.to_owned())),
        None => Ok(()),
    }
}

fn check_initial(game: &GameBuilder) -> Result<(), ModelError> {
    let (given, variables) = (game.initial.0.len(), game.variables.len());
    if given != variables {
        return Err(ModelError::InitialLength { given, variables });
    }
    match game.variables.iter().zip(&game.initial.0).find(|(v, value)| usize::from(**value) >= v.size()) {
        Some((v, &value)) => {
            Err(ModelError::InitialValue { variable: v.name.clone(), value, size: v.size() })
        }
        None => Ok(()),
    }
}

fn check_rewards(game: &GameBuilder) -> Result<(), ModelError> {
    let (given, players) = (game.rewards.len(), game.players.len());
    if given != players {
        return Err(ModelError::RewardLists { given, players });
    }
    for (player, list) in game.players.iter().zip(&game.rewards) {
        if let Some(&(reward, _)) = list.iter().find(|(reward, _)| *reward > MOST_REWARD) {
            return Err(ModelError::Reward { player: player.clone(), reward });
        }
    }
    Ok(())
}

fn check_move(game: &GameBuilder, id: usize, m: &Move) -> Result<(), ModelError> {
    let name = || m.name.clone();
    if m.name.trim().is_empty() {
        return Err(ModelError::MoveName(MoveId::new(id)));
    }
    if m.player.index() >= game.players.len() {
        return Err(ModelError::MovePlayer { name: name(), player: m.player, players: game.players.len() });
    }
    for update in &m.updates {
        let Some(v) = game.variables.get(update.var.index()) else {
            let (var, variables) = (update.var, game.variables.len());
            return Err(ModelError::UpdateVariable { name: name(), var, variables });
        };
        if let Some(&(_, value)) = update.cases.iter().find(|(_, value)| usize::from(*value) >= v.size()) {
            let (variable, size) = (v.name.clone(), v.size());
            return Err(ModelError::UpdateValue { name: name(), variable, value, size });
        }
    }
    match twice(m.updates.iter().map(|update| update.var).collect()) {
        Some(var) => {
            let variable = game.variables[var.index()].name.clone();
            Err(ModelError::UpdatedTwice { name: name(), variable })
        }
        None => Ok(()),
    }
}

fn check_blocks(game: &GameBuilder) -> Result<(), ModelError> {
    let variables = game.variables.len();
    if let Some(&var) = game.blocks.iter().flatten().find(|var| var.index() >= variables) {
        return Err(ModelError::BlockVariable { var, variables });
    }
    match twice(game.blocks.iter().flatten().copied().collect()) {
        Some(var) => Err(ModelError::BlockedTwice(game.variables[var.index()].name.clone())),
        None => Ok(()),
    }
}

fn check_board(game: &GameBuilder, board: &Board) -> Result<(), ModelError> {
    let (variables, glyphs) = (game.variables.len(), board.glyphs.len());
    let (cells, rows, columns) = (board.cells.len(), board.rows, board.columns);
    if rows.checked_mul(columns) != Some(cells) {
        return Err(ModelError::BoardShape { cells, rows, columns });
    }
    for &var in board.cells.iter().flatten() {
        let Some(v) = game.variables.get(var.index()) else {
            return Err(ModelError::BoardVariable { var, variables });
        };
        // A position's text is read by the characters alone, so there may not be more of them either.
        if v.size() != glyphs {
            return Err(ModelError::BoardValues { variable: v.name.clone(), size: v.size(), glyphs });
        }
    }
    if let Some(var) = twice(board.cells.iter().flatten().copied().collect()) {
        return Err(ModelError::BoardTwice(game.variables[var.index()].name.clone()));
    }
    let unfit =
        |c: &char| Board::UNUSED == *c || Board::NEXT_ROW == *c || c.is_whitespace() || c.is_control();
    let unfit = board.glyphs.iter().copied().find(unfit);
    match unfit.or_else(|| twice(board.glyphs.clone())) {
        Some(glyph) => Err(ModelError::BoardGlyph(glyph)),
        None => Ok(()),
    }
}

/// Every expression that is there is made of older ones and of the game's variables; and so are those that
/// the game uses, since they are there.
fn check_expressions(game: &GameBuilder) -> Result<(), ModelError> {
    let exprs = &game.exprs;
    if let Some((place, name, id)) = uses(game).find(|(_, _, id)| id.index() >= exprs.len()) {
        return Err(ModelError::NoExpression { place: place(name.to_owned()), id, exprs: exprs.len() });
    }
    let mut unfit = None;
    for id in exprs.ids() {
        if let Some(&operand) = exprs.operands(id).iter().find(|operand| **operand >= id) {
            return Err(ModelError::Operand { id, operand });
        }
        let fits = match *exprs.get(id) {
            Expr::Fix(system, member) if !exprs.defines(system, member) => {
                return Err(ModelError::NoDefinition(id));
            }
            Expr::Next(..) => false,
            Expr::Is(var, value) => {
                game.variables.get(var.index()).is_some_and(|v| usize::from(value) < v.size())
            }
            _ => true,
        };
        unfit = unfit.or((!fits).then_some(id));
    }
    // Where it is used can only be asked when all are made of older ones.
    unfit.map_or(Ok(()), |id| Err(unfit_atom(game, id)))
}

/// Everything that is an expression, with the words for where it is.
fn uses(game: &GameBuilder) -> impl Iterator<Item = (fn(String) -> Place, &str, ExprId)> {
    type Words = fn(String) -> Place;
    let named = || game.players.iter().map(String::as_str);
    let turns = named().zip(&game.turn).map(|(name, &id)| (Place::Turn as Words, name, id));
    let moves = game.moves.iter().flat_map(|m| {
        let cases = m.updates.iter().flat_map(|update| &update.cases);
        let cases = cases.map(|&(id, _)| (Place::Update as Words, m.name.as_str(), id));
        std::iter::once((Place::Guard as Words, m.name.as_str(), m.guard)).chain(cases)
    });
    let terminal = game.terminal.iter().map(|&id| ((|_| Place::Terminal) as Words, "", id));
    let rewards = named().zip(&game.rewards);
    let rewards = rewards.flat_map(|(name, list)| list.iter().map(move |&(_, id)| (name, id)));
    let rewards = rewards.map(|(name, id)| (Place::Reward as Words, name, id));
    let forbidden = game.forbidden.iter().map(|f| ((|_| Place::Forbidden) as Words, "", f.when));
    let bodies = game.exprs.all_bodies().map(|id| ((|_| Place::Definition) as Words, "", id));
    turns.chain(moves).chain(terminal).chain(rewards).chain(forbidden).chain(bodies)
}

/// What is wrong with a question for a variable's value, and where that is used.
fn unfit_atom(game: &GameBuilder, atom: ExprId) -> ModelError {
    let needs = game.exprs.users(atom);
    let used = uses(game).find(|(_, _, id)| needs[id.index()]);
    let place = used.map_or(Place::Unused, |(place, name, _)| place(name.to_owned()));
    let named = |var: VarId| game.variables.get(var.index());
    match *game.exprs.get(atom) {
        Expr::Next(var, _) => {
            let variable = named(var).map_or_else(|| format!("variable {}", var.0), |v| v.name.clone());
            ModelError::Next { place, variable }
        }
        Expr::Is(var, value) => match named(var) {
            Some(v) => ModelError::IsValue { place, variable: v.name.clone(), value, size: v.size() },
            None => ModelError::IsVariable { place, var, variables: game.variables.len() },
        },
        _ => unreachable!("only a question for a value is unfit"),
    }
}

/// Something that is in the list more than once.
fn twice<T: Ord + Copy>(mut list: Vec<T>) -> Option<T> {
    list.sort_unstable();
    list.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}
