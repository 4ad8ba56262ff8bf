//! The values of one layer's states from those of later layers.

use crate::diagram::Diagram;
use crate::error::SymbolicError;
use crate::game::SymbolicGame;
use crate::layers::Layer;
use crate::observe::Observer;
use crate::solve::{Share, Values};
use crate::symbolic::{JOINT, Which};
use std::collections::BTreeMap;
use winset_model::{Opponent, Player, Rewards};

/// Solves layers one at a time.
pub struct Tier<'a, 'g, F: Diagram> {
    game: &'a SymbolicGame<'g, F>,
    opponent: Opponent,
    deltas: Vec<i64>,
    /// For each player where any of their moves can be made, in parts.
    enabled: Option<Vec<Vec<F>>>,
}

/// A solved layer.
pub struct SolvedLayer<F> {
    pub values: Values<F>,
    pub shares: Vec<Share>,
}

impl<'a, 'g, F: Diagram> Tier<'a, 'g, F> {
    pub fn new(game: &'a SymbolicGame<'g, F>, opponent: Opponent) -> Self {
        Tier { game, opponent, deltas: game.symbolic.deltas(), enabled: None }
    }

    /// Solves a layer. Where transitions stay inside it, states are solved once all their successors are;
    /// a win, draw and loss game may also go round in circles, which is a draw.
    pub fn solve(
        &mut self,
        layer: &Layer<F>,
        later: &BTreeMap<i64, Values<F>>,
        observer: &mut dyn Observer,
    ) -> Result<SolvedLayer<F>, SymbolicError> {
        let game = self.game;
        let space = &game.symbolic.space;
        let terminal = space.diff(&layer.states, &layer.going_on)?;
        game.check_forbidden(&terminal, &layer.going_on)?;
        let mut shares = vec![];
        let mut values: Values<F> = game.by_rewards(&terminal)?;
        for (rewards, set) in &values {
            shares.push(Share { mover: None, rewards: *rewards, positions: space.count(set)? });
        }
        let movers = game.by_turn(&layer.going_on)?;
        let mut decided: Vec<Values<F>> = vec![vec![]; movers.len()];
        let has_level = self.deltas.contains(&0);
        let mut open = layer.going_on.clone();
        while open != *space.none() {
            let level = Which { player: None, delta: Some(0) };
            let ready = if has_level {
                let waiting = game.symbolic.preimage_within(&open, &open, level)?;
                space.diff(&open, &waiting)?
            } else {
                open.clone()
            };
            let step = if ready == *space.none() {
                self.circles(layer.index, &open, &movers, &values, later, observer)?
            } else {
                let mut step = vec![];
                for (player, mover) in movers.iter().enumerate() {
                    let states = space.and(&ready, mover)?;
                    step.push(self.decide(Player::new(player), &states, layer.index, &values, later)?);
                }
                open = space.diff(&open, &ready)?;
                step
            };
            let circled = ready == *space.none();
            for (player, found) in step.into_iter().enumerate() {
                for (rewards, set) in found {
                    merge(space, &mut decided[player], rewards, &set)?;
                    merge(space, &mut values, rewards, &set)?;
                }
            }
            if circled {
                break;
            }
            if observer.is_cancelled() {
                return Err(SymbolicError::Cancelled);
            }
            space.tidy();
        }
        for (player, list) in decided.iter().enumerate() {
            for (rewards, set) in list {
                let positions = space.count(set)?;
                shares.push(Share { mover: Some(Player::new(player)), rewards: *rewards, positions });
            }
        }
        Ok(SolvedLayer { values, shares })
    }

    /// The values that successors of the layer can have, the best for the player first.
    fn targets(
        &self,
        player: Player,
        index: i64,
        here: &Values<F>,
        later: &BTreeMap<i64, Values<F>>,
    ) -> Vec<Rewards> {
        let mut all: Vec<Rewards> = vec![];
        for &delta in &self.deltas {
            let values = if delta == 0 { Some(here) } else { later.get(&(index + delta)) };
            all.extend(values.into_iter().flatten().map(|&(rewards, _)| rewards));
        }
        all.sort_by_key(|&rewards| std::cmp::Reverse(self.opponent.liking(player, rewards)));
        all.dedup();
        all
    }

    /// The states of `care` with a move of the player to a state of the given value.
    fn preimage(
        &self,
        player: Player,
        rewards: Rewards,
        care: &F,
        index: i64,
        here: &Values<F>,
        later: &BTreeMap<i64, Values<F>>,
    ) -> Result<F, SymbolicError> {
        let space = &self.game.symbolic.space;
        let mut targets: Vec<(i64, &F)> = vec![];
        for &delta in &self.deltas {
            let values = if delta == 0 { Some(here) } else { later.get(&(index + delta)) };
            // A later layer can have several sets of one value, where it is cut into parts.
            let alike = values.into_iter().flatten().filter(|(known, _)| *known == rewards);
            targets.extend(alike.map(|(_, set)| (delta, set)));
        }
        let (mut found, mut open) = (space.none().clone(), care.clone());
        for (i, (delta, target)) in targets.iter().enumerate() {
            let which = Which { player: Some(player), delta: Some(*delta) };
            let more = self.game.symbolic.preimage_within(target, &open, which)?;
            if i + 1 < targets.len() {
                open = space.diff(&open, &more)?;
            }
            found = space.or(&found, &more)?;
        }
        Ok(found)
    }

    /// The values of states all of whose successors have one.
    fn decide(
        &mut self,
        player: Player,
        states: &F,
        index: i64,
        here: &Values<F>,
        later: &BTreeMap<i64, Values<F>>,
    ) -> Result<Values<F>, SymbolicError> {
        let space = &self.game.symbolic.space;
        let mut rest = states.clone();
        let mut found = vec![];
        let targets = self.targets(player, index, here, later);
        for (i, rewards) in targets.iter().enumerate() {
            if rest == *space.none() {
                break;
            }
            // What is left for the last value needs no preimage.
            let share = if i + 1 == targets.len() {
                self.check_moves(player, &rest)?;
                rest.clone()
            } else {
                self.preimage(player, *rewards, &rest, index, here, later)?
            };
            rest = space.diff(&rest, &share)?;
            if share != *space.none() {
                found.push((*rewards, share));
            }
        }
        if rest != *space.none() {
            self.check_moves(player, &rest)?;
        }
        Ok(found)
    }

    /// Every state of the set has a move.
    fn check_moves(&mut self, player: Player, states: &F) -> Result<(), SymbolicError> {
        let (game, space) = (self.game, &self.game.symbolic.space);
        if self.enabled.is_none() {
            let mut lists = vec![vec![]; game.turn.len()];
            for (part, m) in game.game.moves().iter().enumerate() {
                lists[m.player.index()].push(game.symbolic.enabled(part)?);
            }
            let joined = lists.into_iter().map(|list| space.join_small(list, JOINT));
            self.enabled = Some(joined.collect::<Result<_, _>>()?);
        }
        let mut rest = states.clone();
        for enabled in &self.enabled.as_ref().expect("just made")[player.index()] {
            if rest == *space.none() {
                return Ok(());
            }
            rest = space.diff(&rest, enabled)?;
        }
        match space.pick(&rest)? {
            Some(state) => Err(SymbolicError::Stuck(game.game.print(&state))),
            None => Ok(()),
        }
    }

    /// States none of which has only solved successors: each player's attractor to the states won already;
    /// who can avoid both goes on for ever.
    fn circles(
        &mut self,
        index: i64,
        open: &F,
        movers: &[F],
        here: &Values<F>,
        later: &BTreeMap<i64, Values<F>>,
        observer: &mut dyn Observer,
    ) -> Result<Vec<Values<F>>, SymbolicError> {
        let game = self.game;
        let space = &game.symbolic.space;
        if let [only] = movers {
            let open = space.and(open, only)?;
            return Ok(vec![self.alone(index, &open, here, later, observer)?]);
        }
        let draw = Rewards::endless(2);
        let simple = [draw, Rewards::win_of(Player(0), 2), Rewards::win_of(Player(1), 2)];
        // The conditions may leave states where nobody gets anything, whatever their rewards are.
        let mut met = here.iter().chain(later.values().flatten());
        if !game.game.is_win_draw_loss() || met.any(|(rewards, _)| !simple.contains(rewards)) {
            return Err(SymbolicError::Cyclic);
        }
        let mut rest = open.clone();
        let mut found: Vec<Values<F>> = vec![vec![]; movers.len()];
        for winner in Player::all(2) {
            let [won, lost] = [winner, winner.other()].map(|player| Rewards::win_of(player, 2));
            let mut attractor = space.none().clone();
            loop {
                let undecided = space.diff(&rest, &attractor)?;
                let mut seen = here.clone();
                merge(space, &mut seen, won, &attractor)?;
                let wins = space.and(&undecided, &movers[winner.index()])?;
                let wins = self.preimage(Player::new(winner.index()), won, &wins, index, &seen, later)?;
                let mut losing = space.and(&undecided, &movers[winner.other().index()])?;
                for escape in [draw, lost] {
                    let out = self.preimage(winner.other(), escape, &losing, index, here, later)?;
                    losing = space.diff(&losing, &out)?;
                }
                let still = space.diff(&undecided, &wins)?;
                let which = Which { player: Some(winner.other()), delta: Some(0) };
                let out = game.symbolic.preimage_within(&still, &losing, which)?;
                losing = space.diff(&losing, &out)?;
                let more = space.or(&wins, &losing)?;
                if more == *space.none() {
                    break;
                }
                attractor = space.or(&attractor, &more)?;
                if observer.is_cancelled() {
                    return Err(SymbolicError::Cancelled);
                }
                space.tidy();
            }
            for (player, mover) in movers.iter().enumerate() {
                let share = space.and(&attractor, mover)?;
                merge(space, &mut found[player], won, &share)?;
            }
            rest = space.diff(&rest, &attractor)?;
        }
        for (player, mover) in movers.iter().enumerate() {
            let share = space.and(&rest, mover)?;
            merge(space, &mut found[player], draw, &share)?;
        }
        Ok(found)
    }
}

impl<F: Diagram> Tier<'_, '_, F> {
    /// The circles of a player alone, who goes wherever most is to be had: the states that can come to each value, the
    /// best first. Who cannot come to an end that is worth something has nothing, as if play went on for ever.
    fn alone(
        &self,
        index: i64,
        open: &F,
        here: &Values<F>,
        later: &BTreeMap<i64, Values<F>>,
        observer: &mut dyn Observer,
    ) -> Result<Values<F>, SymbolicError> {
        let space = &self.game.symbolic.space;
        let (player, nothing) = (Player(0), Rewards::endless(1));
        let (mut rest, mut known, mut found) = (open.clone(), here.clone(), vec![]);
        // Rewards are never negative, so nothing comes last.
        for rewards in self.targets(player, index, here, later).into_iter().filter(|&r| r != nothing) {
            loop {
                let more = self.preimage(player, rewards, &rest, index, &known, later)?;
                if more == *space.none() {
                    break;
                }
                rest = space.diff(&rest, &more)?;
                merge(space, &mut known, rewards, &more)?;
                merge(space, &mut found, rewards, &more)?;
                if observer.is_cancelled() {
                    return Err(SymbolicError::Cancelled);
                }
                space.tidy();
            }
        }
        merge(space, &mut found, nothing, &rest)?;
        Ok(found)
    }
}

/// Adds a set to those of its value.
fn merge<F: Diagram>(
    space: &crate::space::Space<F>,
    values: &mut Values<F>,
    rewards: Rewards,
    set: &F,
) -> Result<(), SymbolicError> {
    if *set == *space.none() {
        return Ok(());
    }
    match values.iter_mut().find(|(known, _)| *known == rewards) {
        Some((_, known)) => *known = space.or(known, set)?,
        None => values.push((rewards, set.clone())),
    }
    Ok(())
}
