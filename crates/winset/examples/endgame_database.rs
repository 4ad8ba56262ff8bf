//! A game loop with an endgame database in it: the database says which moves keep the win.
//!
//! Whoever has a game program gives its positions to [`winset::Solved`]; here both sides are played at random,
//! and from the moment on at which the database is asked, the side to move never gives away what it has.

use winset::{Catalogue, Lookup, Options, Solved};

/// Plays a game: at random for `opening` moves, then by the database. Says who was to win then, and who won.
fn play(database: &Solved, opening: u32, seed: &mut u64) -> Result<(Vec<u8>, Vec<u8>), winset::Error> {
    let mut session = database.session();
    let (mut state, mut promised) = (database.start().clone(), None);
    for ply in 0.. {
        let position = session.position(&state).map_err(winset::Error::from)?;
        if let Lookup::Terminal { rewards } = position.lookup {
            return Ok((promised.unwrap_or_else(|| rewards.to_vec()), rewards.to_vec()));
        }
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let at_random = (*seed >> 33) as usize % position.moves.len();
        // The moves come best first.
        let chosen = if ply < opening { at_random } else { 0 };
        if ply == opening {
            promised = position.lookup.valuation().map(|value| value.rewards.to_vec());
        }
        state = position.moves[chosen].state.clone();
    }
    unreachable!("a game of Breakthrough has an end")
}

fn main() -> Result<(), winset::Error> {
    let rules = Catalogue::default().game("breakthrough", Some("5x3"), &Default::default())?;
    let database = winset::solve(rules, &Options { distance: true, ..Options::default() })?;
    let mut seed = 1;
    for game in 1..=20 {
        let (promised, got) = play(&database, 4, &mut seed)?;
        println!("game {game}: promised {promised:?}, got {got:?}");
        assert_eq!(promised, got, "perfect play keeps what it has");
    }
    Ok(())
}
