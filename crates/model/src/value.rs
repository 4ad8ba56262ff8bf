//! What a result means: what each player gets, who wins by that, how long it lasts, and the words for it.
//!
//! Everything that computes, stores, checks or shows a value takes its meaning from here.
//!
//! ```
//! use winset_model::{Opponent, Outcome, Player, Remoteness, Rewards, Valuation};
//! let value = Valuation { rewards: Rewards::from([50, 50]), remoteness: Remoteness::Endless };
//! assert_eq!(value.outcome(Player(0), false), Some(Outcome::Draw));
//! let (a, b) = (Rewards::from([60, 50]), Rewards::from([50, 0]));
//! assert!(Opponent::Difference.liking(Player(0), a) < Opponent::Difference.liking(Player(0), b));
//! assert!(Opponent::Own.liking(Player(0), a) > Opponent::Own.liking(Player(0), b));
//! ```
//!
//! # More than two players
//!
//! Who is to move takes what it likes best, knowing that all others do the same: backward induction, in the literature
//! max^n. Rewards are a tuple, one for each player. So that every position has one value, whatever the order of moves and
//! whichever engine looks, no two tuples are liked alike. A player compares, in this order ([`Opponent::Own`]):
//!
//! 1. its own reward: the more the better;
//! 2. the greatest reward of another player: the less the better;
//! 3. the sum of all others' rewards: the less the better;
//! 4. the rewards of the others one by one, beginning with the next player: the less the better.
//!
//! A player who has nothing to gain thus plays against the others, which is what a cautious player expects of them (the
//! paranoid rule among those who break ties). With [`Opponent::Difference`] the first two are its own reward less the
//! greatest other one, and then its own reward. Of two players nothing is left to compare after the second step.
//!
//! ```
//! use winset_model::{Opponent, Player};
//! let like = |rewards: [u8; 3]| Opponent::Own.liking(Player(0), rewards.into());
//! assert!(like([60, 100, 100]) > like([50, 0, 0]), "one's own reward counts first");
//! assert!(like([50, 40, 40]) > like([50, 60, 0]), "then that nobody gets far");
//! assert!(like([50, 40, 0]) > like([50, 40, 40]), "then that all others get little");
//! assert!(like([50, 0, 40]) > like([50, 40, 0]), "then that the next player does");
//! ```
//!
//! A game whose play can go round for ever has such values only if it is played by one, or by two whose wishes are
//! opposite: see [`CodeTable::is_opposed`](crate::CodeTable::is_opposed).

use crate::game::Player;
use std::cmp::Reverse;
use std::fmt;
use std::ops::{Deref, Index};

/// The most players that rewards can be kept for.
pub const MOST_PLAYERS: usize = 8;

/// A reward for each player, 0 to 100, in the order of the players. A player who does not exist has none.
///
/// It is read like a slice: `rewards[player]`, `rewards.len()`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rewards {
    players: u8,
    /// Zeros after the last player, so that equal rewards are equal in all parts.
    each: [u8; MOST_PLAYERS],
}

impl Rewards {
    /// What endless play is worth: 50 for each of several players, nothing for one alone, who has not come
    /// to any end.
    pub fn endless(players: usize) -> Self {
        let each = if players > 1 { 50 } else { 0 };
        std::iter::repeat_n(each, players).collect()
    }

    /// 100 for the winner, 0 for each other.
    pub fn win_of(winner: Player, players: usize) -> Self {
        Player::all(players).map(|player| if player == winner { 100 } else { 0 }).collect()
    }

    /// The greatest reward of the other players; none if there are no others.
    pub fn best_of_others(self, player: Player) -> Option<u8> {
        let others = self.iter().enumerate().filter(|&(other, _)| other != player.index());
        others.map(|(_, &reward)| reward).max()
    }

    /// How a player does in comparison with the others; none if there are no others.
    pub fn standing(self, player: Player) -> Option<Standing> {
        let other = self.best_of_others(player)?;
        Some(match self[player].cmp(&other) {
            std::cmp::Ordering::Less => Standing::Behind,
            std::cmp::Ordering::Equal => Standing::Level,
            std::cmp::Ordering::Greater => Standing::Ahead,
        })
    }

    /// The player who is ahead of all others.
    pub fn leader(self) -> Option<Player> {
        Player::all(self.len()).find(|&player| self.standing(player) == Some(Standing::Ahead))
    }
}

impl Deref for Rewards {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.each[..usize::from(self.players)]
    }
}

impl Index<Player> for Rewards {
    type Output = u8;

    fn index(&self, player: Player) -> &u8 {
        &self.each[..usize::from(self.players)][player.index()]
    }
}

impl<const N: usize> From<[u8; N]> for Rewards {
    fn from(rewards: [u8; N]) -> Self {
        const { assert!(N <= MOST_PLAYERS) };
        rewards.into_iter().collect()
    }
}

/// Rewards of more players than there can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("rewards of {0} players; {MOST_PLAYERS} at most are possible")]
pub struct TooManyPlayers(pub usize);

impl TryFrom<&[u8]> for Rewards {
    type Error = TooManyPlayers;

    fn try_from(rewards: &[u8]) -> Result<Self, TooManyPlayers> {
        match rewards.len() {
            few if few <= MOST_PLAYERS => Ok(rewards.iter().copied().collect()),
            many => Err(TooManyPlayers(many)),
        }
    }
}

/// One reward for each player. A finished game has no more players than [`MOST_PLAYERS`]; panics if there are.
impl FromIterator<u8> for Rewards {
    fn from_iter<I: IntoIterator<Item = u8>>(rewards: I) -> Self {
        let mut made = Rewards { players: 0, each: [0; MOST_PLAYERS] };
        for reward in rewards {
            made.each[usize::from(made.players)] = reward;
            made.players += 1;
        }
        made
    }
}

impl<const N: usize> PartialEq<[u8; N]> for Rewards {
    fn eq(&self, other: &[u8; N]) -> bool {
        **self == other[..]
    }
}

impl fmt::Debug for Rewards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// The players' rewards with colons between them.
impl fmt::Display for Rewards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let each: Vec<String> = self.iter().map(u8::to_string).collect();
        f.write_str(&each.join(" : "))
    }
}

/// How a player's reward compares with the best of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Standing {
    /// It is less.
    Behind,
    /// It is the same.
    Level,
    /// It is more.
    Ahead,
}

/// How long perfect play lasts: who would rather play on for ever delays the end, everybody else hurries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Remoteness {
    /// This many moves.
    Plies(u32),
    /// For ever.
    Endless,
    /// It is not known.
    #[default]
    Unknown,
}

impl Remoteness {
    /// The number of moves, where it is known that there is an end.
    pub fn plies(self) -> Option<u32> {
        match self {
            Remoteness::Plies(plies) => Some(plies),
            Remoteness::Endless | Remoteness::Unknown => None,
        }
    }

    /// One move before that.
    pub fn before(self) -> Self {
        match self {
            Remoteness::Plies(plies) => Remoteness::Plies(plies.saturating_add(1)),
            other => other,
        }
    }
}

/// What a position is worth when everybody plays perfectly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Valuation {
    /// What each player gets.
    pub rewards: Rewards,
    /// How long it lasts.
    pub remoteness: Remoteness,
}

impl Valuation {
    /// What a game that has ended is worth.
    pub fn ended(rewards: Rewards) -> Self {
        Valuation { rewards, remoteness: Remoteness::Plies(0) }
    }

    /// The word for it, as a player sees it, if one fits and is known to. `ends` says that every play of the
    /// game comes to an end.
    ///
    /// Rewards that endless play is worth too can mean either that, or an end with the same rewards: where
    /// nothing tells which, there is no word. A player alone wins with 100 and loses with 0; nothing in
    /// between has a word.
    pub fn outcome(self, player: Player, ends: bool) -> Option<Outcome> {
        let can_be_endless = self.rewards == Rewards::endless(self.rewards.len());
        match self.remoteness {
            Remoteness::Endless => return Some(Outcome::Draw),
            Remoteness::Unknown if !ends && can_be_endless => return None,
            _ => {}
        }
        match (self.rewards.standing(player), self.rewards[player]) {
            (Some(Standing::Ahead), _) | (None, 100) => Some(Outcome::Win),
            (Some(Standing::Level), _) => Some(Outcome::Tie),
            (Some(Standing::Behind), _) | (None, 0) => Some(Outcome::Loss),
            (None, _) => None,
        }
    }
}

/// What a position is to one player, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The player gets more than any other.
    Win,
    /// Another player gets more.
    Loss,
    /// The game ends, and nobody gets more than the player, but another as much.
    Tie,
    /// Play never has to end.
    Draw,
}

impl Outcome {
    /// All of them.
    pub const ALL: [Outcome; 4] = [Outcome::Win, Outcome::Loss, Outcome::Tie, Outcome::Draw];

    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Outcome::Win => "win",
            Outcome::Loss => "loss",
            Outcome::Tie => "tie",
            Outcome::Draw => "draw",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// What players want, as all know of each other (the layered-games paper's Figure 3). A player alone wants the
/// highest reward. What is left open here is decided as the page's beginning says, so that no two results are liked
/// alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Opponent {
    /// The greatest difference between one's own reward and the best other; then the higher own reward. What two players
    /// want if nothing else is said.
    #[default]
    Difference,
    /// The highest own reward; then the lowest for the best other. What more than two players want if nothing else is
    /// said.
    Own,
}

/// How much a player likes rewards: the greater is chosen.
///
/// Two numbers that depend on [`Opponent`], then the others' rewards: their sum and each of them, the lower the better.
/// Both are kept for more than two players only, where the first two do not decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Liking(i16, i16, Reverse<(u16, [u8; MOST_PLAYERS - 1])>);

impl Opponent {
    /// What n players want if nothing else is said.
    pub fn usual(players: usize) -> Self {
        if players > 2 { Opponent::Own } else { Opponent::Difference }
    }

    /// The word for it, as a manifest and an argument have it.
    pub fn word(self) -> &'static str {
        match self {
            Opponent::Difference => "difference",
            Opponent::Own => "own",
        }
    }

    /// What each of more than two players wants, in a sentence.
    pub fn rule(self) -> &'static str {
        match self {
            Opponent::Difference => {
                "each player wants to be as far ahead of the best of the others as possible; then as much as possible; then \
                 as little as possible for all others together, and then for the next players in turn"
            }
            Opponent::Own => {
                "each player wants as much as possible; then as little as possible for the best of the others, then for all \
                 others together, and then for the next players in turn"
            }
        }
    }

    /// How much a player likes what everybody gets.
    pub fn liking(self, player: Player, rewards: Rewards) -> Liking {
        let own = i16::from(rewards[player]);
        let (first, second) = match (self, rewards.best_of_others(player).map(i16::from)) {
            (_, None) => (own, 0),
            (Opponent::Difference, Some(other)) => (own - other, own),
            (Opponent::Own, Some(other)) => (own, -other),
        };
        // From the next player on, and from the first one after the last.
        let (before, after) = rewards.split_at(player.index());
        let mut others = [0; MOST_PLAYERS - 1];
        others.iter_mut().zip(after[1..].iter().chain(before)).for_each(|(other, &reward)| *other = reward);
        let sum = others.iter().copied().map(u16::from).sum();
        Liking(first, second, Reverse((sum, others)))
    }

    /// A player who comes to these rewards wants to get there soon, and not late: they are worth no less to the
    /// player than endless play. So who wins hurries, who loses holds out, and a level game is brought to its
    /// end if that can be.
    pub fn hurries(self, player: Player, rewards: Rewards) -> bool {
        self.liking(player, rewards) >= self.liking(player, Rewards::endless(rewards.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn valued(rewards: Rewards, remoteness: Remoteness) -> Valuation {
        Valuation { rewards, remoteness }
    }

    #[test]
    fn a_missing_player_is_absent() {
        let alone = Rewards::from([30]);
        assert_eq!((alone.len(), alone.get(1)), (1, None));
        assert_eq!(
            (alone.standing(Player(0)), alone.best_of_others(Player(0)), alone.leader()),
            (None, None, None)
        );
        for opponent in [Opponent::Difference, Opponent::Own] {
            assert!(opponent.hurries(Player(0), alone));
            let liking = |reward: u8| opponent.liking(Player(0), Rewards::from([reward]));
            assert!((0..100).all(|reward| liking(reward) < liking(reward + 1)));
        }
        assert_ne!(alone, Rewards::from([30, 0]));
        assert_eq!(Rewards::try_from(&[1; MOST_PLAYERS][..]), Ok([1; MOST_PLAYERS].into()));
        assert_eq!(Rewards::try_from(&[1; MOST_PLAYERS + 1][..]), Err(TooManyPlayers(MOST_PLAYERS + 1)));
    }

    #[test]
    fn who_gets_more_wins_and_wants_the_end() {
        let rewards = Rewards::from([40, 30]);
        assert_eq!(
            [Player(0), Player(1)].map(|player| rewards.standing(player)),
            [Some(Standing::Ahead), Some(Standing::Behind)]
        );
        assert_eq!(
            [Player(0), Player(1)].map(|player| Opponent::Difference.hurries(player, rewards)),
            [true, false]
        );
        assert_eq!(rewards.leader(), Some(Player(0)));
        let value = valued(rewards, Remoteness::Unknown);
        assert_eq!(
            [Player(0), Player(1)].map(|p| value.outcome(p, false)),
            [Some(Outcome::Win), Some(Outcome::Loss)]
        );
    }

    #[test]
    fn a_tie_has_ended_and_a_draw_never_does() {
        let level = Rewards::from([50, 50]);
        let word = |remoteness, ends| valued(level, remoteness).outcome(Player(0), ends);
        assert_eq!(word(Remoteness::Plies(3), false), Some(Outcome::Tie));
        assert_eq!(word(Remoteness::Endless, false), Some(Outcome::Draw));
        assert_eq!(word(Remoteness::Unknown, true), Some(Outcome::Tie));
        assert_eq!(word(Remoteness::Unknown, false), None, "not known, and not guessed");
        // Endless play is never worth this, so the game must have ended.
        let other = valued(Rewards::from([30, 30]), Remoteness::Unknown);
        assert_eq!(other.outcome(Player(1), false), Some(Outcome::Tie));
    }

    #[test]
    fn a_player_alone_wins_everything_or_nothing() {
        let word =
            |reward: u8, ends| valued(Rewards::from([reward]), Remoteness::Unknown).outcome(Player(0), ends);
        assert_eq!([0, 30, 100].map(|r| word(r, true)), [Some(Outcome::Loss), None, Some(Outcome::Win)]);
        assert_eq!([0, 100].map(|r| word(r, false)), [None, Some(Outcome::Win)]);
        assert_eq!(
            valued(Rewards::from([0]), Remoteness::Endless).outcome(Player(0), false),
            Some(Outcome::Draw)
        );
    }

    #[test]
    fn the_orders_of_the_players() {
        let all: Vec<Rewards> =
            (0..=100).step_by(10).flat_map(|a| (0..=100).step_by(10).map(move |b| [a, b].into())).collect();
        for player in Player::all(2) {
            for (&a, &b) in all.iter().flat_map(|a| all.iter().map(move |b| (a, b))) {
                let own = |r: Rewards| i32::from(r[player]);
                let other = |r: Rewards| i32::from(r[player.other()]);
                let difference = |r: Rewards| (own(r) - other(r), own(r));
                let order = |opponent: Opponent| opponent.liking(player, a).cmp(&opponent.liking(player, b));
                assert_eq!(order(Opponent::Difference), difference(a).cmp(&difference(b)));
                assert_eq!(order(Opponent::Own), (own(a), -other(a)).cmp(&(own(b), -other(b))));
            }
        }
    }

    /// No two results are liked alike, so that every position has one value; two players compare as they always did.
    #[test]
    fn every_order_is_strict() {
        for players in 1..=4usize {
            let all: Vec<Rewards> = (0..4usize.pow(players as u32))
                .map(|n| (0..players).map(|p| [0, 30, 50, 100][n / 4usize.pow(p as u32) % 4]).collect())
                .collect();
            for (opponent, player) in [Opponent::Difference, Opponent::Own]
                .iter()
                .flat_map(|o| Player::all(players).map(move |p| (o, p)))
            {
                let mut order: Vec<Rewards> = all.clone();
                order.sort_by_key(|&rewards| opponent.liking(player, rewards));
                let apart =
                    |pair: &[Rewards]| opponent.liking(player, pair[0]) < opponent.liking(player, pair[1]);
                assert!(order.windows(2).all(apart), "{opponent:?} {player}");
            }
        }
        assert_eq!(
            [1, 2, 3].map(Opponent::usual),
            [Opponent::Difference, Opponent::Difference, Opponent::Own]
        );
    }

    #[test]
    fn of_many_the_one_with_most_wins() {
        let words = |rewards: [u8; 3]| {
            let value = valued(rewards.into(), Remoteness::Plies(1));
            [0, 1, 2].map(|player| value.outcome(Player(player), true).map(Outcome::word))
        };
        assert_eq!(words([70, 60, 60]), [Some("win"), Some("loss"), Some("loss")]);
        assert_eq!(words([70, 70, 60]), [Some("tie"), Some("tie"), Some("loss")]);
        assert_eq!(words([0, 0, 0]), [Some("tie"); 3]);
    }
}
