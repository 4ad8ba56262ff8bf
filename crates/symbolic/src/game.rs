//! A game in diagrams: the transition system with turns and rewards.

use crate::diagram::Diagram;
use crate::error::SymbolicError;
use crate::options::Options;
use crate::space::Space;
use crate::symbolic::Symbolic;
use winset_model::{Expr, ExprId, Exprs, Game, Player, Rewards};

/// A condition kept in parts: their union, or its complement. As one diagram it can be huge.
#[derive(Clone, Debug)]
pub struct Condition<F> {
    parts: Vec<F>,
    negated: bool,
}

impl<F: Diagram> Condition<F> {
    /// The states of a set where the condition holds, and the others.
    pub fn split(&self, space: &Space<F>, set: &F) -> Result<(F, F), SymbolicError> {
        let outside = space.subtract(set, &self.parts)?;
        let inside = space.diff(set, &outside)?;
        Ok(if self.negated { (outside, inside) } else { (inside, outside) })
    }
}

/// A compiled game.
pub struct SymbolicGame<'g, F: Diagram> {
    /// The game.
    pub game: &'g Game,
    /// Its transition system.
    pub symbolic: Symbolic<F>,
    /// For each player the states where it is that player's turn.
    pub turn: Vec<F>,
    /// For each player the rewards, tried in order.
    pub rewards: Vec<Vec<(u8, Condition<F>)>>,
}

impl<'g, F: Diagram> SymbolicGame<'g, F> {
    /// Compiles a game.
    pub fn new(game: &'g Game, options: &Options) -> Result<Self, SymbolicError> {
        let mut wanted: Vec<ExprId> = game.turn.clone();
        let conditions: Vec<Vec<(u8, Vec<ExprId>, bool)>> = game
            .rewards
            .iter()
            .map(|list| {
                let condition = |&(reward, when): &(u8, ExprId)| {
                    let (parts, negated) = parts_of(&game.exprs, when);
                    (reward, parts, negated)
                };
                list.iter().map(condition).collect()
            })
            .collect();
        wanted.extend(conditions.iter().flatten().flat_map(|(_, parts, _)| parts));
        let (symbolic, sets) = Symbolic::from_game_with(game, options, &wanted)?;
        let mut sets = sets.into_iter();
        let turn = sets.by_ref().take(game.turn.len()).collect();
        let rewards = conditions
            .into_iter()
            .map(|list| {
                let condition = |(reward, parts, negated): (u8, Vec<ExprId>, bool)| {
                    (reward, Condition { parts: sets.by_ref().take(parts.len()).collect(), negated })
                };
                list.into_iter().map(condition).collect()
            })
            .collect();
        Ok(SymbolicGame { game, symbolic, turn, rewards })
    }

    /// Divides terminal states by what the players get.
    pub fn by_rewards(&self, terminal: &F) -> Result<Vec<(Rewards, F)>, SymbolicError> {
        let space = &self.symbolic.space;
        let mut cells = vec![(vec![], terminal.clone())];
        for list in &self.rewards {
            let mut finer: Vec<(Rewards, F)> = vec![];
            for (given, set) in cells {
                let mut rest = set;
                let mut add = |reward: u8, set: F| {
                    let rewards: Rewards = given.iter().copied().chain([reward]).collect();
                    match finer.iter_mut().find(|(known, _)| *known == rewards) {
                        Some((_, known)) => *known = space.or(known, &set)?,
                        None => finer.push((rewards, set)),
                    }
                    Ok::<(), SymbolicError>(())
                };
                for (reward, condition) in list {
                    if rest == *space.none() {
                        break;
                    }
                    let (inside, outside) = condition.split(space, &rest)?;
                    if inside != *space.none() {
                        add(*reward, inside)?;
                    }
                    rest = outside;
                }
                if rest != *space.none() {
                    add(0, rest)?;
                }
            }
            cells = finer;
        }
        Ok(cells)
    }

    /// Divides states that are not terminal by whose turn it is.
    pub fn by_turn(&self, going_on: &F) -> Result<Vec<F>, SymbolicError> {
        let space = &self.symbolic.space;
        let mut rest = going_on.clone();
        let mut shares = vec![];
        for turn in &self.turn {
            let share = space.and(&rest, turn)?;
            rest = space.diff(&rest, &share)?;
            shares.push(share);
        }
        if let Some(state) = space.pick(&rest) {
            return Err(SymbolicError::Stuck(self.game.print(&state)));
        }
        if let [first, second] = shares.as_slice() {
            debug_assert!(space.and(first, second)? == *space.none());
            if let Some(state) = space.pick(&space.and(first, &self.turn[1])?) {
                return Err(SymbolicError::TwoTurns(self.game.print(&state)));
            }
        }
        Ok(shares)
    }

    /// The immediately won states of a player among a set (seed 000, 4.4): terminal, and the player's
    /// reward is the highest there is.
    pub fn won_at_once(&self, player: Player, within: &F) -> Result<F, SymbolicError> {
        let space = &self.symbolic.space;
        let going_on = space.subtract(within, &self.symbolic.stops)?;
        let terminal = space.diff(within, &going_on)?;
        let cells = self.by_rewards(&terminal)?;
        let won = cells.into_iter().filter(|(rewards, _)| rewards[player] == 100).map(|(_, set)| set);
        space.or_all(won.collect())
    }
}

/// The parts whose union, or its complement, a condition is.
fn parts_of(exprs: &Exprs, id: ExprId) -> (Vec<ExprId>, bool) {
    let (root, negated) = match exprs.get(id) {
        Expr::Not(inner) if matches!(exprs.get(*inner), Expr::Or(_)) => (*inner, true),
        _ => (id, false),
    };
    let (mut parts, mut stack) = (vec![], vec![root]);
    while let Some(id) = stack.pop() {
        match exprs.get(id) {
            Expr::Or(list) => stack.extend(list.iter().rev()),
            _ => parts.push(id),
        }
    }
    (parts, negated)
}
