//! A value in words.

use crate::solution::Solution;
use winset_model::{Game, Outcome, Player};
use winset_store::{Lookup, Remoteness, Valuation};

/// A value as clients of solved games call it, seen by one player.
///
/// `tie` is a game that ends level, `draw` one that goes on for ever.
pub fn value_word(valuation: Valuation, player: Player) -> &'static str {
    let [own, other] = [valuation.rewards[player], valuation.rewards[1 - player]];
    match (Outcome::of(own, other), valuation.remoteness) {
        (Outcome::Win, _) => "win",
        (Outcome::Loss, _) => "lose",
        (Outcome::Draw, Some(Remoteness::Endless)) => "draw",
        (Outcome::Draw, _) => "tie",
    }
}

/// What is known of a position, in one sentence.
pub fn sentence(solution: &dyn Solution<'_>, lookup: Lookup) -> String {
    let game = solution.game();
    match lookup {
        Lookup::Promised { rounds: Some(1) } => "The promise is kept in 1 move".to_owned(),
        Lookup::Promised { rounds: Some(rounds) } => {
            format!("The promise is kept in at most {rounds} moves")
        }
        Lookup::Promised { rounds: None } => "The promise is kept as long as play goes on".to_owned(),
        Lookup::NotPromised => "Nothing is promised here".to_owned(),
        Lookup::NotSolvedYet => "Not solved yet".to_owned(),
        Lookup::NotReachable => "The game cannot come to this position".to_owned(),
        Lookup::Terminal { rewards } => match leader(game, rewards) {
            _ if !solution.is_win_draw_loss() => {
                format!("The game has ended: {}", shares(game, rewards))
            }
            Some(winner) => format!("The game has ended: {winner} has won"),
            None => "The game has ended in a draw".to_owned(),
        },
        Lookup::Solved(Valuation { rewards, remoteness }) => {
            let after = match remoteness {
                Some(Remoteness::Plies(1)) => " in 1 ply".to_owned(),
                Some(Remoteness::Plies(plies)) => format!(" in {plies} plies"),
                _ => String::new(),
            };
            match leader(game, rewards) {
                _ if !solution.is_win_draw_loss() => {
                    format!("{}{after}", shares(game, rewards))
                }
                Some(winner) => format!("{winner} wins{after}"),
                None if remoteness == Some(Remoteness::Endless) => "A draw: play goes on for ever".to_owned(),
                None => format!("A draw{after}"),
            }
        }
    }
}

fn leader(game: &Game, rewards: [u8; 2]) -> Option<String> {
    let player = match rewards[0].cmp(&rewards[1]) {
        std::cmp::Ordering::Less => 1,
        std::cmp::Ordering::Equal => return None,
        std::cmp::Ordering::Greater => 0,
    };
    game.players.get(player).map(|name| capital(name))
}

fn shares(game: &Game, rewards: [u8; 2]) -> String {
    let each =
        game.players.iter().zip(rewards).map(|(name, reward)| format!("{} gets {reward}", capital(name)));
    each.collect::<Vec<_>>().join(", ")
}

/// With a capital first letter.
pub fn capital(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
