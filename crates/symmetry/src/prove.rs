//! Whether a permutation of variables and values leaves a game as it is.

use crate::symmetry::Symmetry;
use winset_model::{Expr, ExprId, Exprs, Game, Value};

/// A permutation maps the rules onto themselves, part by part, and the start onto itself. Conditions are compared as they
/// are written, up to the order of operands: what is true has been proved, what is not may still be a symmetry.
pub fn is_symmetry(game: &Game, symmetry: &Symmetry) -> bool {
    fits(game, symmetry)
        && symmetry.image(game.initial()) == *game.initial()
        && Images::new(game, symmetry).is_some_and(|images| images.rules_stay(game, symmetry))
}

/// Every variable goes to one of the same size, every value to one value, and no two to the same.
fn fits(game: &Game, symmetry: &Symmetry) -> bool {
    let sizes: Vec<usize> = game.variables().iter().map(|variable| variable.size()).collect();
    let mut reached = vec![false; sizes.len()];
    let once = |reached: &mut [bool], at: usize| {
        reached.get_mut(at).is_some_and(|reached| !std::mem::replace(reached, true))
    };
    symmetry.variables.len() == sizes.len()
        && symmetry.values.len() == sizes.len()
        && symmetry.variables.iter().all(|to| once(&mut reached, to.index()))
        && (0..sizes.len()).all(|var| {
            let (to, values) = (symmetry.variables[var].index(), &symmetry.values[var]);
            let mut reached = vec![false; sizes[var]];
            sizes[to] == sizes[var]
                && values.len() == sizes[var]
                && values.iter().all(|&value| once(&mut reached, value.into()))
        })
}

/// The expressions that the rules ask for.
pub fn roots(game: &Game) -> Vec<ExprId> {
    let of_moves = game.moves().iter().flat_map(|m| {
        let cases = m.updates.iter().flat_map(|update| update.cases.iter().map(|case| case.0));
        std::iter::once(m.guard).chain(cases)
    });
    let ends = game.turn().iter().chain(game.terminal()).copied();
    let rewards = game.rewards().iter().flatten().map(|reward| reward.1);
    let forbidden = game.forbidden().iter().map(|forbidden| forbidden.when);
    of_moves.chain(ends).chain(rewards).chain(forbidden).collect()
}

/// Everything that the rules ask for, operands first; none if there are recursive definitions.
pub fn all(game: &Game) -> Option<Vec<ExprId>> {
    let mut cone = game.exprs().cone(roots(game));
    // Expressions are made after their operands.
    cone.sort_unstable();
    cone.dedup();
    let recursive = |id: &ExprId| matches!(game.exprs().get(*id), Expr::Fix(..) | Expr::Next(..));
    (!cone.iter().any(recursive)).then_some(cone)
}

/// The images of all expressions, in the game's own arena: equal expressions have the same number there.
struct Images(Vec<ExprId>);

impl Images {
    fn new(game: &Game, symmetry: &Symmetry) -> Option<Self> {
        let mut exprs = game.exprs().clone();
        let mut images = vec![Exprs::FALSE; exprs.len()];
        images[Exprs::TRUE.index()] = Exprs::TRUE;
        for id in all(game)? {
            let of = |id: &ExprId| images[id.index()];
            images[id.index()] = match game.exprs().get(id) {
                Expr::False => Exprs::FALSE,
                Expr::True => Exprs::TRUE,
                &Expr::Is(var, value) => {
                    let value = symmetry.values[var.index()][usize::from(value)];
                    exprs.is(symmetry.variables[var.index()], value)
                }
                Expr::Not(a) => exprs.not(of(a)),
                Expr::And(list) => exprs.and(list.iter().map(of)),
                Expr::Or(list) => exprs.or(list.iter().map(of)),
                Expr::Fix(..) | Expr::Next(..) => return None,
            };
        }
        Some(Images(images))
    }

    fn of(&self, id: ExprId) -> ExprId {
        self.0[id.index()]
    }

    fn rules_stay(&self, game: &Game, symmetry: &Symmetry) -> bool {
        let same = |id: ExprId| id;
        let image = |id: ExprId| self.of(id);
        let identity = Symmetry::identity(game.variables().iter().map(|variable| variable.size()));
        parts(game, &identity, same) == parts(game, symmetry, image)
    }
}

/// The rules with their variables, values and expressions replaced, in an order that depends on nothing else.
#[derive(PartialEq, Eq)]
struct Parts {
    turn: Vec<ExprId>,
    terminal: Vec<ExprId>,
    rewards: Vec<Vec<(u8, ExprId)>>,
    forbidden: Vec<(ExprId, bool)>,
    moves: Vec<(u8, bool, ExprId, Vec<Changed>)>,
}

/// A variable, and the cases of its update in their order.
type Changed = (u32, Vec<(ExprId, Value)>);

fn parts(game: &Game, symmetry: &Symmetry, of: impl Fn(ExprId) -> ExprId) -> Parts {
    let sorted = |ids: &[ExprId]| {
        let mut ids: Vec<ExprId> = ids.iter().map(|&id| of(id)).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    };
    let rewards = |list: &Vec<(u8, ExprId)>| {
        let mut list: Vec<(u8, ExprId)> = list.iter().map(|&(reward, when)| (reward, of(when))).collect();
        // Otherwise the first one counts.
        if game.exclusive_rewards() {
            list.sort_unstable();
        }
        list
    };
    let mut forbidden: Vec<(ExprId, bool)> =
        game.forbidden().iter().map(|forbidden| (of(forbidden.when), forbidden.ended)).collect();
    forbidden.sort_unstable();
    let mut moves: Vec<_> = game
        .moves()
        .iter()
        .map(|m| {
            let mut updates: Vec<Changed> = m
                .updates
                .iter()
                .map(|update| {
                    let values = &symmetry.values[update.var.index()];
                    let case = |&(when, value): &(ExprId, Value)| (of(when), values[usize::from(value)]);
                    (symmetry.variables[update.var.index()].0, update.cases.iter().map(case).collect())
                })
                .collect();
            updates.sort_unstable();
            (m.player.0, m.fallback, of(m.guard), updates)
        })
        .collect();
    moves.sort_unstable();
    Parts {
        turn: game.turn().iter().map(|&id| of(id)).collect(),
        terminal: sorted(game.terminal()),
        rewards: game.rewards().iter().map(rewards).collect(),
        forbidden,
        moves,
    }
}
