//! The truth about any game with few states, by exhaustion: no layers, no measures, no order of moves.

use rustc_hash::{FxHashMap, FxHashSet};
use winset_model::{Explicit, Game, Opponent, Player, Remoteness, Rewards, State, Valuation};

/// One reachable position.
#[derive(Clone, Debug)]
pub struct Position {
    /// The values of all variables.
    pub state: State,
    /// Who moves.
    pub turn: Option<Player>,
    /// What the players get, if the game has ended.
    pub ended: Option<Rewards>,
    /// The numbers of the positions that a move leads to.
    pub next: Vec<usize>,
    /// The rules say that it must not be.
    pub forbidden: bool,
    /// How many players the game has.
    pub players: usize,
}

/// All positions that can be reached, the initial one first; none if there are more than this.
pub fn positions(game: &Game, most: usize) -> Option<Vec<Position>> {
    let mut explicit = Explicit::new(game);
    let mut numbers = FxHashMap::from_iter([(game.initial().clone(), 0)]);
    let (mut states, mut found) = (vec![game.initial().clone()], vec![]);
    while found.len() < states.len() {
        if states.len() > most {
            return None;
        }
        let state = states[found.len()].clone();
        let at = explicit.at(&state);
        let (turn, ended) = (at.turn(), at.rewards());
        let forbidden = game.forbidden().iter().any(|f| f.ended == ended.is_some() && at.holds(f.when));
        let after: Vec<State> = at.moves().map(|m| at.apply(m)).collect();
        let number = |next: State| {
            *numbers.entry(next.clone()).or_insert_with(|| {
                states.push(next);
                states.len() - 1
            })
        };
        let next = after.into_iter().map(number).collect();
        found.push(Position { state, turn, ended, next, forbidden, players: game.players().len() });
    }
    Some(found)
}

/// What a solver must say about a game.
#[derive(Clone, Debug, PartialEq)]
pub enum Truth {
    /// The value of every position, in the order of the positions.
    Solved(Vec<Valuation>),
    /// A position must not be, or has no move although the game has not ended.
    Refused,
    /// Play can go round for ever, and players may want the same: there can be several values that agree with
    /// themselves, so there is none.
    NoValue,
}

impl Truth {
    /// The truth about a game whose positions these are.
    pub fn of(positions: &[Position], opponent: Opponent) -> Self {
        let wrong = |p: &Position| p.forbidden || p.ended.is_none() && p.next.is_empty();
        if positions.iter().any(wrong) {
            return Truth::Refused;
        }
        match rewards(positions, opponent) {
            Some(rewards) => Truth::Solved(with_distances(positions, &rewards, opponent)),
            None => Truth::NoValue,
        }
    }

    /// The values; panics if there are none.
    pub fn values(self) -> Vec<Valuation> {
        match self {
            Truth::Solved(values) => values,
            other => panic!("{other:?}"),
        }
    }
}

/// What the players get from every position, if that is defined.
fn rewards(positions: &[Position], opponent: Opponent) -> Option<Vec<Rewards>> {
    let settled = without_circles(positions, opponent);
    if settled.iter().all(Option::is_some) {
        return settled.into_iter().collect();
    }
    let players = positions[0].players;
    let ends: FxHashSet<Rewards> = positions.iter().filter_map(|p| p.ended).collect();
    let endless = Rewards::endless(players);
    let all: Vec<Rewards> = ends.iter().copied().filter(|&r| r != endless).chain([endless]).collect();
    if !opposed(&all, players, opponent) {
        return None;
    }
    let mut found: Vec<Option<Rewards>> = positions.iter().map(|p| p.ended).collect();
    for player in Player::all(players) {
        let liking = |rewards: Rewards| opponent.liking(player, rewards);
        let mut hopes: Vec<Rewards> = all.iter().copied().filter(|&r| liking(r) > liking(endless)).collect();
        hopes.sort_by_key(|&r| std::cmp::Reverse(liking(r)));
        for hope in hopes {
            let forced = forced(positions, player, |rewards| liking(rewards) >= liking(hope));
            for (found, forced) in found.iter_mut().zip(forced) {
                *found = found.or(forced.then_some(hope));
            }
        }
    }
    Some(found.into_iter().map(|value| value.unwrap_or(endless)).collect())
}

/// Values of the positions from which every play ends: one has a value once all its successors have.
fn without_circles(positions: &[Position], opponent: Opponent) -> Vec<Option<Rewards>> {
    let mut values: Vec<Option<Rewards>> = positions.iter().map(|p| p.ended).collect();
    loop {
        let mut found = false;
        for (i, position) in positions.iter().enumerate().filter(|(_, p)| p.ended.is_none()) {
            let next: Option<Vec<Rewards>> = position.next.iter().map(|&next| values[next]).collect();
            if let (None, Some(next)) = (values[i], next) {
                let mover = position.turn.expect("it is somebody's turn");
                values[i] = next.into_iter().max_by_key(|&rewards| opponent.liking(mover, rewards));
                found = true;
            }
        }
        if !found {
            return values;
        }
    }
}

/// No two players want the same.
fn opposed(all: &[Rewards], players: usize, opponent: Opponent) -> bool {
    let prefers = |player, a, b| opponent.liking(player, a) > opponent.liking(player, b);
    let pairs = || all.iter().flat_map(|&a| all.iter().map(move |&b| (a, b)));
    match players {
        1 => true,
        2 => pairs().all(|(a, b)| prefers(Player(0), a, b) == prefers(Player(1), b, a)),
        _ => false,
    }
}

/// The positions from which a player can force an end with rewards that are good enough.
fn forced(positions: &[Position], player: Player, enough: impl Fn(Rewards) -> bool) -> Vec<bool> {
    let mut forced: Vec<bool> = positions.iter().map(|p| p.ended.is_some_and(&enough)).collect();
    loop {
        let before = forced.clone();
        for (forced, position) in forced.iter_mut().zip(positions).filter(|(_, p)| p.ended.is_none()) {
            let mut next = position.next.iter().map(|&next| before[next]);
            *forced |= if position.turn == Some(player) { next.any(|f| f) } else { next.all(|f| f) };
        }
        if forced == before {
            return forced;
        }
    }
}

/// How long it lasts, from the terminal positions on: who would rather play on for ever holds out, everybody else
/// hurries.
fn with_distances(positions: &[Position], rewards: &[Rewards], opponent: Opponent) -> Vec<Valuation> {
    let endless = Rewards::endless(positions[0].players);
    let mut plies: Vec<Option<u32>> = vec![None; positions.len()];
    loop {
        let before = plies.clone();
        for (i, position) in positions.iter().enumerate() {
            let same = position.next.iter().filter(|&&next| rewards[next] == rewards[i]);
            plies[i] = match position.turn {
                _ if position.ended.is_some() => Some(0),
                Some(mover) if opponent.liking(mover, rewards[i]) < opponent.liking(mover, endless) => {
                    let all: Option<Vec<u32>> = same.map(|&next| before[next]).collect();
                    all.and_then(|all| all.into_iter().max()).map(|plies| plies + 1)
                }
                _ => same.filter_map(|&next| before[next]).min().map(|plies| plies + 1),
            };
        }
        if plies == before {
            let remoteness = |plies: Option<u32>| plies.map_or(Remoteness::Endless, Remoteness::Plies);
            let value = |(&rewards, plies)| Valuation { rewards, remoteness: remoteness(plies) };
            return rewards.iter().zip(plies).map(value).collect();
        }
    }
}
