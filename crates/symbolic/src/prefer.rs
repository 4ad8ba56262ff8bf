//! What a player wants: the order of reward pairs.

use std::cmp::Ordering;
use winset_model::{Player, Rewards};

/// How players weigh the other's reward (the layered-games paper's Figure 3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Opponent {
    /// Each wants the greatest difference to the other's reward; of equal ones the higher own reward.
    #[default]
    Difference,
    /// Each wants the highest own reward; of equal ones the lower reward for the other.
    Own,
}

impl Opponent {
    /// Orders rewards from the best for the player to the worst.
    ///
    /// ```
    /// use winset_symbolic::Opponent;
    /// let (a, b) = (vec![60, 50], vec![50, 0]);
    /// assert!(Opponent::Difference.compare(0, &a, &b).is_gt());
    /// assert!(Opponent::Own.compare(0, &a, &b).is_lt());
    /// ```
    pub fn compare(self, player: Player, a: &Rewards, b: &Rewards) -> Ordering {
        let own = |rewards: &Rewards| i16::from(rewards[player]);
        let other = |rewards: &Rewards| i16::from(rewards.get(1 - player).copied().unwrap_or(0));
        let key = |rewards: &Rewards| match self {
            Opponent::Difference if rewards.len() > 1 => (own(rewards) - other(rewards), own(rewards)),
            _ => (own(rewards), -other(rewards)),
        };
        key(b).cmp(&key(a))
    }
}
