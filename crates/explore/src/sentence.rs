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
                result(
                    solution,
                    Valuation::ended(rewards),
                    Said { one: "has won", many: "have won", tie: "a tie" }
                )
            )
        }
        Lookup::Solved(valuation) => {
            let after = match valuation.remoteness {
                Remoteness::Plies(1) => " in 1 ply".to_owned(),
                Remoteness::Plies(plies) => format!(" in {plies} plies"),
                Remoteness::Endless | Remoteness::Unknown => String::new(),
            };
            format!("{}{after}", result(solution, valuation, Said { one: "wins", many: "win", tie: "A tie" }))
        }
    }
}

/// Words for winning, of one player or of a player who is many, and for an end that is level.
struct Said {
    one: &'static str,
    many: &'static str,
    tie: &'static str,
}

/// Who gets what, in these words.
fn result(solution: &dyn Solution<'_>, valuation: Valuation, said: Said) -> String {
    let (game, rewards) = (solution.game(), valuation.rewards);
    let outcome = valuation.outcome(Player(0), solution.every_play_ends());
    match (rewards.leader(), outcome) {
        (_, Some(Outcome::Draw)) => "A draw: play never has to end".to_owned(),
        (None, None) if rewards == Rewards::endless(rewards.len()) && rewards.len() > 1 => {
            "Level: the game ends so or goes on for ever".to_owned()
        }
        _ if !solution.is_win_draw_loss() => shares(game, rewards),
        (Some(winner), _) => does(&game.players()[winner.index()], said.one, said.many),
        (None, _) => said.tie.to_owned(),
    }
}

fn shares(game: &Game, rewards: Rewards) -> String {
    let each = game.players().iter().zip(rewards.iter());
    each.map(|(name, reward)| format!("{} {reward}", does(name, "gets", "get")))
        .collect::<Vec<_>>()
        .join(", ")
}

/// What a player does, in the word for one or for many: White wins, the hounds of a hunt win.
///
/// ```
/// assert_eq!(winset_explore::does("white", "wins", "win"), "White wins");
/// assert_eq!(winset_explore::does("hounds", "wins", "win"), "Hounds win");
/// ```
pub fn does(name: &str, one: &str, many: &str) -> String {
    // "xs" and the like are more often names of one letter and a number than many of something.
    let is_many = name.len() > 3 && name.ends_with('s') && !name.ends_with("ss");
    format!("{} {}", capital(name), if is_many { many } else { one })
}

/// With a capital first letter.
pub fn capital(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
