//! The outcomes of a game as small numbers, and who prefers which.

use crate::error::LayersError;
use winset_model::{Game, Outcome, Player, Rewards};

/// An outcome, by its position in the table.
pub type Code = u16;

/// The most outcomes: every pair of rewards from 0 to 100 has a code.
const MOST: usize = 1 << 14;

/// The code of endless play.
pub const ENDLESS: Code = 0;

/// What a player wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Opponent {
    /// Each player wants the greatest difference to the other's reward; of equal ones, the greater reward.
    #[default]
    Difference,
    /// Each player wants the greatest reward; of equal ones, the smaller reward for the other.
    Own,
}

/// The rewards that occur, and each player's order of preference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcomes {
    opponent: Opponent,
    table: Vec<Rewards>,
    /// For each player all codes, the best first.
    best_first: Vec<Vec<Code>>,
}

impl Outcomes {
    /// No outcome yet but that of endless play; and those of a game of win, draw and loss.
    pub fn new(game: &Game, opponent: Opponent) -> Self {
        let endless = if game.players.len() == 1 { vec![0] } else { vec![50; game.players.len()] };
        let mut table = vec![endless];
        if game.is_win_draw_loss() {
            table.extend([vec![100, 0], vec![0, 100]]);
        }
        let mut outcomes = Outcomes { opponent, table, best_first: vec![] };
        outcomes.order();
        outcomes
    }

    /// The code of these rewards, a new one if need be.
    pub fn add(&mut self, rewards: Rewards) -> Result<Code, LayersError> {
        if let Some(code) = self.code(&rewards) {
            return Ok(code);
        }
        if self.table.len() == MOST {
            return Err(LayersError::TooManyOutcomes);
        }
        self.table.push(rewards);
        self.order();
        Ok((self.table.len() - 1) as Code)
    }

    fn order(&mut self) {
        let players = self.table[0].len();
        self.best_first = (0..players)
            .map(|player| {
                let mut codes: Vec<Code> = (0..self.table.len()).map(|code| code as Code).collect();
                codes.sort_by_key(|&code| {
                    let rewards = &self.table[code as usize];
                    let own = i32::from(rewards[player]);
                    let other = if players == 1 { 0 } else { i32::from(rewards[1 - player]) };
                    match self.opponent {
                        Opponent::Difference => (other - own, -own),
                        Opponent::Own => (-own, other),
                    }
                });
                codes
            })
            .collect();
    }

    /// The rewards of every code.
    pub fn table(&self) -> &[Rewards] {
        &self.table
    }

    /// The number of codes.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Never: endless play is always an outcome.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// The number of bits of a code.
    pub fn bits(&self) -> usize {
        (usize::BITS - (self.len() - 1).leading_zeros()) as usize
    }

    /// The code of these rewards.
    pub fn code(&self, rewards: &[u8]) -> Option<Code> {
        self.table.iter().position(|r| r == rewards).map(|code| code as Code)
    }

    /// All codes, the player's best first.
    pub fn best_first(&self, player: Player) -> &[Code] {
        &self.best_first[player]
    }

    /// What an outcome is to a player.
    pub fn outcome(&self, code: Code, player: Player) -> Outcome {
        match self.table[code as usize].as_slice() {
            &[own] => Outcome::of(own, 50),
            rewards => Outcome::of(rewards[player], rewards[1 - player]),
        }
    }

    /// The players' preferences are opposite to each other.
    pub fn is_opposed(&self) -> bool {
        match self.best_first.as_slice() {
            [first, second] => first.iter().eq(second.iter().rev()),
            _ => true,
        }
    }
}
