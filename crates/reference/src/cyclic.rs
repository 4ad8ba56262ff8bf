//! Games in which play can go in circles: a small one, and a plain solver's store of them.

use crate::{Layer, Solution, circles, groups, layer};
use winset_index::Blocks;
use winset_model::{Explicit, Game, GameBuilder, Player, Remoteness, State, Update};
use winset_store::{Header, Layering};

/// Two pieces on a ring: who comes to where the other one is wins. At place 1 the first may stop if the second is at
/// place 5, which is a tie; at place 2 the second may give up; both may also go on for ever.
pub fn chase(places: u16) -> Game {
    let mut game = GameBuilder::new("chase", ["hound", "fox"]);
    game.size = places.to_string();
    let turn = game.add_turn();
    let names: Vec<String> = (0..places).map(|place| place.to_string()).collect();
    let pieces = ["hound", "fox"].map(|name| game.add_variable(name, names.iter().map(String::as_str)));
    let over = game.add_variable("over", ["no", "tie", "hound", "fox"]);
    for player in 0..2usize {
        let (mine, other) = (pieces[player], pieces[1 - player]);
        for (place, step) in (0..places).flat_map(|place| [(place, 1), (place, places - 1)]) {
            let to = (place + step) % places;
            // The fox does not turn back at the last place, so that not all is alike.
            if player == 1 && place == places - 1 && step != 1 {
                continue;
            }
            let here = game.exprs.is(mine, place);
            let caught = game.exprs.is(other, to);
            let ends = Update { var: over, cases: vec![(caught, 2 + player as u16)] };
            let name = format!("{} {place} to {to}", ["hound", "fox"][player]);
            let updates = [Update::set(mine, to), ends, game.hand_over(turn, Player::new(player))];
            game.add_move(name, Player::new(player), here, updates);
        }
        let mut here = game.exprs.is(mine, 1 + player as u16);
        if player == 0 {
            let far = game.exprs.is(other, 5);
            here = game.exprs.and([here, far]);
        }
        let end =
            [Update::set(over, if player == 0 { 1 } else { 2 }), game.hand_over(turn, Player::new(player))];
        game.add_move(["stop", "give up"][player], Player::new(player), here, end);
    }
    for (value, rewards) in [(1, [50, 50]), (2, [100, 0]), (3, [0, 100])] {
        let ended = game.exprs.is(over, value);
        game.terminal.push(ended);
        for (player, reward) in rewards.into_iter().enumerate() {
            game.rewards[player].push((reward, ended));
        }
    }
    game.initial = game.state([0, 0, places / 2, 0]);
    game.build().expect("a game")
}

/// Solves a game whose play may go on for ever, as one layer.
pub fn solve_cyclic(game: &Game, remoteness: bool) -> Solution {
    let mut header = Header::new(game, "explicit", &groups(game), Layering::Single);
    header.remoteness = remoteness;
    let values = circles::values(game);
    let mut states: Vec<State> = values.keys().cloned().collect();
    states.sort();
    let mut blocks = Blocks::new(groups(game), game.variables().len()).expect("blocks");
    let made: Layer = layer(&header, &mut Explicit::new(game), &values, &mut blocks, states);
    let mut value = values[game.initial()];
    if !remoteness {
        value.remoteness = Remoteness::Unknown;
    }
    Solution { header, layers: vec![made], value, values, frame: None }
}
