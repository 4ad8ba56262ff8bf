//! A value in words.

use crate::session::Lookup;
use crate::solution::Solution;
use winset_model::{Game, Outcome, Player, Remoteness, Rewards, Valuation};

/// What is known of a position, in one sentence.
pub fn sentence(solution: &dyn Solution<'_>, lookup: Lookup) -> String {
    match lookup {
        Lookup::Promised { rounds: Some(1) } => "The promise is kept in 1 move".to_owned(),
        Lookup::Promised { rounds: Some(rounds) } => {
            format!("The promise is kept in at most {rounds} moves")
        }
        Lookup::Promised { rounds: None } => "The promise is kept as long as play goes on".to_owned(),
        Lookup::NotPromised => "Nothing is promised here".to_owned(),
        Lookup::NotSolvedYet => "Not solved yet".to_owned(),
        Lookup::NotReachable => "The game cannot come to this position".to_owned(),
        Lookup::NotKnownToArise => "It is not known whether the game can come to this position".to_owned(),
        Lookup::Terminal { rewards } => {
            format!(
                "The game has ended: {}",
                result(solution, Valuation::ended(rewards), ["has won", "a tie"])
            )
        }
        Lookup::Solved(valuation) => {
            let after = match valuation.remoteness {
                Remoteness::Plies(1) => " in 1 ply".to_owned(),
                Remoteness::Plies(plies) => format!(" in {plies} plies"),
                Remoteness::Endless | Remoteness::Unknown => String::new(),
            };
            format!("{}{after}", result(solution, valuation, ["wins", "A tie"]))
        }
    }
}

/// Who gets what, with these words for winning and for an end that is level.
fn result(solution: &dyn Solution<'_>, valuation: Valuation, [wins, tie]: [&str; 2]) -> String {
    let (game, rewards) = (solution.game(), valuation.rewards);
    let outcome = valuation.outcome(Player(0), solution.every_play_ends());
    match (rewards.leader(), outcome) {
        (_, Some(Outcome::Draw)) => "A draw: play never has to end".to_owned(),
        (None, None) if rewards == Rewards::endless(rewards.len()) && rewards.len() > 1 => {
            "Level: the game ends so or goes on for ever".to_owned()
        }
        _ if !solution.is_win_draw_loss() => shares(game, rewards),
        (Some(winner), _) => format!("{} {wins}", capital(&game.players()[winner.index()])),
        (None, _) => tie.to_owned(),
    }
}

fn shares(game: &Game, rewards: Rewards) -> String {
    let each = game.players().iter().zip(rewards.iter());
    each.map(|(name, reward)| format!("{} gets {reward}", capital(name))).collect::<Vec<_>>().join(", ")
}

/// With a capital first letter.
pub fn capital(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
