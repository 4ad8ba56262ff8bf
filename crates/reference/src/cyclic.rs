//! Games in which play can go in circles: a small one, and a plain solver for them.

use crate::{Layer, Solution, groups, layer};
use rustc_hash::FxHashMap;
use winset_index::Blocks;
use winset_model::{Explicit, Game, GameBuilder, Player, Remoteness, Rewards, State, Update, Valuation};
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

/// Every position that can be reached, with its moves' targets.
type Graph = FxHashMap<State, (Option<Player>, Option<Rewards>, Vec<State>)>;

fn reach(game: &Game) -> Graph {
    let (mut explicit, mut graph, mut open) =
        (Explicit::new(game), Graph::default(), vec![game.initial().clone()]);
    while let Some(state) = open.pop() {
        if graph.contains_key(&state) {
            continue;
        }
        let at = explicit.at(&state);
        let next: Vec<State> = at.moves().map(|m| at.apply(m)).collect();
        let known = (at.turn(), at.rewards(), next.clone());
        graph.insert(state, known);
        open.extend(next);
    }
    graph
}

/// The values of a game of wins, ties and losses, round by round: what is known after so many moves to the end.
fn values(graph: &Graph) -> FxHashMap<State, Valuation> {
    let ended = |(state, node): (&State, &(_, Option<Rewards>, _))| {
        node.1.map(|rewards| (state.clone(), Valuation::ended(rewards)))
    };
    let mut values: FxHashMap<State, Valuation> = graph.iter().filter_map(ended).collect();
    for plies in 1.. {
        let decided = |state: &State| values.get(state).filter(|v| v.rewards.leader().is_some());
        let mut found = vec![];
        for (state, (mover, _, next)) in graph.iter().filter(|(state, _)| !values.contains_key(state)) {
            let mover = mover.expect("somebody moves");
            let won = next.iter().filter_map(decided).find(|v| v.rewards.leader() == Some(mover));
            let lost = next.iter().all(|to| decided(to).is_some_and(|v| v.rewards.leader() != Some(mover)));
            if let Some(rewards) =
                won.or_else(|| lost.then(|| decided(&next[0])).flatten()).map(|v| v.rewards)
            {
                found.push((state.clone(), Valuation { rewards, remoteness: Remoteness::Plies(plies) }));
            }
        }
        if found.is_empty() {
            break;
        }
        values.extend(found);
    }
    // Nobody wins the others. Where a tie can be reached without giving anybody a win it is; all else is endless.
    let level = Rewards::endless(2);
    for plies in 1.. {
        let mut found = vec![];
        for (state, (.., next)) in graph.iter().filter(|(state, _)| !values.contains_key(state)) {
            if next.iter().any(|to| values.get(to).is_some_and(|v| v.rewards == level)) {
                found.push((
                    state.clone(),
                    Valuation { rewards: level, remoteness: Remoteness::Plies(plies) },
                ));
            }
        }
        if found.is_empty() {
            break;
        }
        values.extend(found);
    }
    for state in graph.keys() {
        let endless = Valuation { rewards: level, remoteness: Remoteness::Endless };
        values.entry(state.clone()).or_insert(endless);
    }
    values
}

/// Solves a game whose play may go on for ever, as one layer.
pub fn solve_cyclic(game: &Game, remoteness: bool) -> Solution {
    let mut header = Header::new(game, "explicit", &groups(game), Layering::Single);
    header.remoteness = remoteness;
    let graph = reach(game);
    let values = values(&graph);
    let mut states: Vec<State> = graph.into_keys().collect();
    states.sort();
    let mut blocks = Blocks::new(groups(game), game.variables().len()).expect("blocks");
    let made: Layer = layer(&header, &mut Explicit::new(game), &values, &mut blocks, states);
    let mut value = values[game.initial()];
    if !remoteness {
        value.remoteness = Remoteness::Unknown;
    }
    Solution { header, layers: vec![made], value, values }
}
