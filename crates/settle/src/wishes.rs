//! Results and distances, and what they mean to the players.

use winset_model::{Code, CodeTable, Player};

/// A number of moves to the end.
pub type Distance = u16;

/// Play never has to end.
pub const NEVER_ENDS: Distance = Distance::MAX;

/// A result and how far it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Worth {
    /// The result.
    pub code: Code,
    /// How far the end is.
    pub distance: Distance,
}

/// Not settled yet.
pub(crate) const OPEN: Code = Code::MAX;

/// Nothing is known.
pub const NOTHING: Worth = Worth { code: OPEN, distance: NEVER_ENDS };

/// What the results mean to the players.
pub struct Wishes<'a> {
    /// The results.
    pub outcomes: &'a CodeTable,
    /// For each player the place of every code, the best 0.
    place: Vec<Vec<u16>>,
    /// Each player's results that are better than endless play, the best first.
    pub(crate) hopes: Vec<Vec<Code>>,
    /// Whether a player who comes to a result wants to come there soon.
    hurries: Vec<Vec<bool>>,
    /// What one player wants the other does not.
    pub opposed: bool,
}

impl<'a> Wishes<'a> {
    /// The wishes of n players, if these codes occur.
    pub fn new(outcomes: &'a CodeTable, players: usize, occurs: &[bool]) -> Self {
        let place = |player: Player| {
            let mut place = vec![0; outcomes.len()];
            (0..).zip(outcomes.best_first(player)).for_each(|(at, &code)| place[usize::from(code)] = at);
            place
        };
        let hopes = |player: Player| {
            let all = outcomes.best_first(player).iter().copied();
            all.take_while(|&code| code != CodeTable::ENDLESS).collect()
        };
        let hurries =
            |player: Player| (0..outcomes.len()).map(|code| outcomes.hurries(code as Code, player)).collect();
        Wishes {
            outcomes,
            place: Player::all(players).map(place).collect(),
            hopes: Player::all(players).map(hopes).collect(),
            hurries: Player::all(players).map(hurries).collect(),
            opposed: outcomes.is_opposed(|code| occurs[usize::from(code)]),
        }
    }

    /// A player likes a result better than another.
    pub fn prefers(&self, player: Player, code: Code, other: Code) -> bool {
        let place = &self.place[player.index()];
        other == OPEN || place[usize::from(code)] < place[usize::from(other)]
    }

    /// A player likes a result better than endless play.
    pub fn hopes_for(&self, player: Player, code: Code) -> bool {
        self.prefers(player, code, CodeTable::ENDLESS)
    }

    /// What is left of two moves that are known, if it does not matter any more which there were: the one that the state is
    /// settled with when nothing better follows.
    pub fn best_known(&self, player: Player, a: Worth, b: Worth) -> Worth {
        let soon = self.opposed
            && a.code == b.code
            && a.code != OPEN
            && !self.prefers(player, CodeTable::ENDLESS, a.code);
        match soon {
            // Of results that need not be waited for, the nearest end comes first, whether the player hurries or not.
            true => Worth { distance: a.distance.min(b.distance), ..a },
            false => self.best(player, a, b),
        }
    }

    /// The better of two for a player; of the same result the nearer one if the player hurries, else the farther one.
    pub fn best(&self, player: Player, a: Worth, b: Worth) -> Worth {
        if a.code == b.code {
            // Nothing is known of either.
            let hurries = a.code == OPEN || self.hurries[player.index()][usize::from(a.code)];
            let distance = if hurries { a.distance.min(b.distance) } else { a.distance.max(b.distance) };
            return Worth { distance, ..a };
        }
        if self.prefers(player, b.code, a.code) { b } else { a }
    }
}

/// One move before.
pub fn before(distance: Distance) -> Distance {
    if distance == NEVER_ENDS { NEVER_ENDS } else { (distance + 1).min(NEVER_ENDS - 1) }
}
