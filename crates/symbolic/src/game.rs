//! A game in diagrams: the transition system with turns and rewards.

use crate::diagram::Diagram;
use crate::error::SymbolicError;
use crate::options::Options;
use crate::space::Space;
use crate::symbolic::{JOINT, Symbolic};
use rustc_hash::FxHashSet;
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
    /// The rewards with their conditions, tried in order; a list per player, or one for all together where
    /// the players' conditions are the same.
    rewards: Vec<Vec<(Rewards, Condition<F>)>>,
    /// What no reachable state may fulfil, in the game's order.
    forbidden: Vec<F>,
}

impl<'g, F: Diagram> SymbolicGame<'g, F> {
    /// Compiles a game.
    pub fn new(game: &'g Game, options: &Options) -> Result<Self, SymbolicError> {
        let lists = reward_lists(game);
        let mut wanted: Vec<ExprId> = game.turn().to_vec();
        wanted.extend(lists.iter().flatten().flat_map(|plan| &plan.parts));
        wanted.extend(game.forbidden().iter().map(|f| f.when));
        let (symbolic, sets) = Symbolic::from_game_with(game, options, &wanted)?;
        let mut sets = sets.into_iter();
        let turn = sets.by_ref().take(game.turn().len()).collect();
        let mut rewards = vec![];
        for list in lists {
            let mut conditions = vec![];
            for plan in list {
                let parts = sets.by_ref().take(plan.parts.len()).collect();
                let parts = symbolic.space.join_small(parts, JOINT)?;
                conditions.push((plan.rewards, Condition { parts, negated: plan.negated }));
            }
            rewards.push(conditions);
        }
        let forbidden = sets.collect();
        Ok(SymbolicGame { game, symbolic, turn, rewards, forbidden })
    }

    /// Refuses the game if a reached state fulfils what it forbids.
    pub fn check_reached(&self, reached: &F) -> Result<(), SymbolicError> {
        if self.forbidden.is_empty() {
            return Ok(());
        }
        let space = &self.symbolic.space;
        let going_on = space.subtract(reached, &self.symbolic.stops)?;
        self.check_forbidden(&space.diff(reached, &going_on)?, &going_on)
    }

    /// Refuses the game if one of these states fulfils what it forbids.
    pub fn check_forbidden(&self, ended: &F, going_on: &F) -> Result<(), SymbolicError> {
        let space = &self.symbolic.space;
        for (set, forbidden) in self.forbidden.iter().zip(self.game.forbidden()) {
            let found = space.and(if forbidden.ended { ended } else { going_on }, set)?;
            if let Some(state) = space.pick(&found)? {
                let (why, state) = (forbidden.why.clone(), self.game.print(&state));
                return Err(SymbolicError::Forbidden { why, state });
            }
        }
        Ok(())
    }

    /// Divides terminal states by what the players get.
    pub fn by_rewards(&self, terminal: &F) -> Result<Vec<(Rewards, F)>, SymbolicError> {
        let space = &self.symbolic.space;
        let mut cells: Vec<(Rewards, F)> = vec![(Rewards::from([]), terminal.clone())];
        for list in &self.rewards {
            let mut finer: Vec<(Rewards, F)> = vec![];
            let width = if self.rewards.len() == 1 { self.game.players().len() } else { 1 };
            for (given, set) in cells {
                let mut rest = set;
                let mut add = |more: &[u8], set: F| {
                    let rewards: Rewards = given.iter().chain(more).copied().collect();
                    match finer.iter_mut().find(|(known, _)| *known == rewards) {
                        Some((_, known)) => *known = space.or(known, &set)?,
                        None => finer.push((rewards, set)),
                    }
                    Ok::<(), SymbolicError>(())
                };
                for (rewards, condition) in list {
                    if rest == *space.none() {
                        break;
                    }
                    let (inside, outside) = condition.split(space, &rest)?;
                    if inside != *space.none() {
                        add(rewards, inside)?;
                    }
                    rest = outside;
                }
                if rest != *space.none() {
                    add(&vec![0; width], rest)?;
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
        if let Some(state) = space.pick(&rest)? {
            return Err(SymbolicError::Stuck(self.game.print(&state)));
        }
        for (i, share) in shares.iter().enumerate() {
            for later in &self.turn[i + 1..] {
                if let Some(state) = space.pick(&space.and(share, later)?)? {
                    return Err(SymbolicError::TwoTurns(self.game.print(&state)));
                }
            }
        }
        Ok(shares)
    }

    /// The immediately won states of a player among a set (Othello thesis, 4.4): terminal, and the player's
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

/// A condition before it is compiled.
struct Plan {
    rewards: Rewards,
    parts: Vec<ExprId>,
    negated: bool,
}

/// The reward conditions in parts: one list for all players if their conditions are the same, in the same
/// order; else a list per player.
fn reward_lists(game: &Game) -> Vec<Vec<Plan>> {
    let conditions = |list: &[(u8, ExprId)]| list.iter().map(|&(_, when)| when).collect::<Vec<_>>();
    let first = conditions(&game.rewards()[0]);
    let same = game.rewards().iter().all(|list| conditions(list) == first);
    let of = |rewards: Rewards, when: ExprId| {
        let (parts, negated) = parts_of(game.exprs(), when);
        Plan { rewards, parts, negated }
    };
    let mut lists: Vec<Vec<Plan>> = if same {
        let together = |i: usize| game.rewards().iter().map(|list| list[i].0).collect();
        vec![first.iter().enumerate().map(|(i, &when)| of(together(i), when)).collect()]
    } else {
        let single = |list: &Vec<(u8, ExprId)>| list.iter().map(|&(r, when)| of([r].into(), when)).collect();
        game.rewards().iter().map(single).collect()
    };
    for list in &mut lists {
        let mut before: FxHashSet<ExprId> = FxHashSet::default();
        for plan in list {
            if plan.negated {
                // What earlier conditions have taken away need not be taken away again.
                plan.parts.retain(|part| !before.contains(part));
            } else {
                before.extend(&plan.parts);
            }
        }
    }
    lists
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
