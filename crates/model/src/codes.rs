//! The results that occur in a game as small numbers, and who prefers which.

use crate::game::{Game, Player};
use crate::value::{Opponent, Rewards, Standing};
use thiserror::Error;

/// What the players get, by its position in a table.
pub type Code = u16;

/// The most codes: every pair of rewards from 0 to 100 has one. More players could have more results, but no game has.
const MOST: usize = 1 << 14;

/// More different results than a table can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the game has more than {MOST} different results")]
pub struct TooManyCodes;

/// The rewards that occur, and each player's order of preference.
///
/// ```
/// use winset_model::{CodeTable, Opponent, Player};
/// let mut table = CodeTable::new(2, Opponent::Difference);
/// let win = table.add([100, 0].into()).unwrap();
/// assert_eq!(table.best_first(Player(0)), [win, CodeTable::ENDLESS]);
/// assert_eq!(table.best_first(Player(1)), [CodeTable::ENDLESS, win]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeTable {
    opponent: Opponent,
    table: Vec<Rewards>,
    /// For each player all codes, the best first.
    best_first: Vec<Vec<Code>>,
}

impl CodeTable {
    /// The code of endless play in a table that begins with it.
    pub const ENDLESS: Code = 0;

    /// Nothing yet but what endless play is worth.
    pub fn new(players: usize, opponent: Opponent) -> Self {
        Self::of(vec![Rewards::endless(players)], opponent)
    }

    /// What endless play is worth; and the other results of a game of wins, level ends and losses.
    pub fn of_game(game: &Game, opponent: Opponent) -> Self {
        let players = game.players().len();
        let mut table = vec![Rewards::endless(players)];
        if game.is_win_draw_loss() {
            table.extend(Player::all(players).map(|winner| Rewards::win_of(winner, players)));
        }
        Self::of(table, opponent)
    }

    /// These rewards, in this order.
    pub fn of(table: Vec<Rewards>, opponent: Opponent) -> Self {
        let mut made = CodeTable { opponent, table, best_first: vec![] };
        made.order();
        made
    }

    /// The code of these rewards, a new one if need be.
    pub fn add(&mut self, rewards: Rewards) -> Result<Code, TooManyCodes> {
        if let Some(code) = self.code(rewards) {
            return Ok(code);
        }
        if self.table.len() == MOST {
            return Err(TooManyCodes);
        }
        self.table.push(rewards);
        self.order();
        Ok((self.table.len() - 1) as Code)
    }

    fn order(&mut self) {
        let players = self.table.first().map_or(0, |rewards| rewards.len());
        let by_liking = |player: Player| {
            let mut codes: Vec<Code> = (0..self.table.len()).map(|code| code as Code).collect();
            let liking = |code: &Code| self.opponent.liking(player, self.table[usize::from(*code)]);
            codes.sort_by_key(|code| std::cmp::Reverse(liking(code)));
            codes
        };
        self.best_first = Player::all(players).map(by_liking).collect();
    }

    /// What the players want.
    pub fn opponent(&self) -> Opponent {
        self.opponent
    }

    /// The rewards of every code.
    pub fn table(&self) -> &[Rewards] {
        &self.table
    }

    /// The number of codes.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// There are no codes.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// The number of bits of a code.
    pub fn bits(&self) -> usize {
        (usize::BITS - self.len().saturating_sub(1).leading_zeros()) as usize
    }

    /// The code of these rewards.
    pub fn code(&self, rewards: Rewards) -> Option<Code> {
        self.table.iter().position(|&r| r == rewards).map(|code| code as Code)
    }

    /// The rewards of a code; panics if there is no such code.
    pub fn rewards(&self, code: Code) -> Rewards {
        self.table[usize::from(code)]
    }

    /// All codes, the player's best first.
    pub fn best_first(&self, player: Player) -> &[Code] {
        &self.best_first[player.index()]
    }

    /// How a player does with a code in comparison with the others; none if there are no others.
    pub fn standing(&self, code: Code, player: Player) -> Option<Standing> {
        self.rewards(code).standing(player)
    }

    /// The player wants to get to what a code stands for soon: see [`Opponent::hurries`].
    pub fn hurries(&self, code: Code, player: Player) -> bool {
        self.opponent.hurries(player, self.rewards(code))
    }

    /// No two players want the same among the codes that occur: of two such codes, what one player prefers the other does
    /// not. A player alone is opposed to nobody; of more than two players some can always want the same.
    pub fn is_opposed(&self, occurs: impl Fn(Code) -> bool) -> bool {
        let order =
            |codes: &[Code]| -> Vec<Code> { codes.iter().copied().filter(|&code| occurs(code)).collect() };
        match self.best_first.as_slice() {
            [] | [_] => true,
            [first, second] => order(first).iter().eq(order(second).iter().rev()),
            _ => false,
        }
    }
}
