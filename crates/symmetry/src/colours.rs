//! Colours of (variable, value): equal where nothing that was looked at tells them apart.

use crate::prove::all;
use winset_model::{Expr, ExprId, Game, Value, VarId};

/// A colour for every value of every variable.
pub type Colours = Vec<Vec<u64>>;

/// Mixes numbers in their order.
fn mixed(numbers: &[u64]) -> u64 {
    let step = |mixed: u64, &number: &u64| {
        let mixed = (mixed.rotate_left(27) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed ^ mixed >> 31
    };
    numbers.iter().fold(0x51_7c_c1_b7, step)
}

/// Colours by what the rules say of values.
pub struct Refiner<'a> {
    game: &'a Game,
    all: Vec<ExprId>,
    /// Steps that may still be made: one for each expression that is looked at.
    pub left: u64,
}

impl<'a> Refiner<'a> {
    /// None if there are recursive definitions, about which nothing is proved.
    pub fn new(game: &'a Game, steps: u64) -> Option<Self> {
        Some(Refiner { game, all: all(game)?, left: steps })
    }

    /// The colours before anything is looked at: the value of the start, and others. Values that no rule speaks of are told
    /// apart by their numbers, since exchanging them means nothing.
    pub fn first(&self) -> Colours {
        let mut spoken: Vec<Vec<bool>> =
            self.game.variables().iter().map(|variable| vec![false; variable.size()]).collect();
        for &id in &self.all {
            if let &Expr::Is(var, value) = self.game.exprs().get(id) {
                spoken[var.index()][usize::from(value)] = true;
            }
        }
        for update in self.game.moves().iter().flat_map(|m| &m.updates) {
            for &(_, value) in &update.cases {
                spoken[update.var.index()][usize::from(value)] = true;
            }
        }
        let colour = |var: usize, value: usize, spoken: bool| match () {
            () if usize::from(self.game.initial().0[var]) == value => 1,
            () if spoken => 2,
            () => 3 + value as u64,
        };
        let colours = |(var, spoken): (usize, Vec<bool>)| {
            let size = spoken.len() as u64;
            let each = spoken.into_iter().enumerate();
            each.map(|(value, spoken)| mixed(&[size, colour(var, value, spoken)])).collect()
        };
        spoken.into_iter().enumerate().map(colours).collect()
    }

    /// Looks again and again until nothing new is told apart; none if there are no steps left.
    pub fn refined(&mut self, mut colours: Colours) -> Option<Colours> {
        let mut known = distinct(&colours);
        loop {
            self.left = self.left.checked_sub(self.all.len() as u64 + self.game.moves().len() as u64)?;
            colours = self.once(&colours);
            let now = distinct(&colours);
            if now <= known {
                return Some(colours);
            }
            known = now;
        }
    }

    fn once(&self, colours: &Colours) -> Colours {
        let game = self.game;
        let exprs = game.exprs();
        let of_variable: Vec<u64> = colours.iter().map(|values| sum(values.iter().copied())).collect();
        // From the values up: what is in an expression.
        let mut up = vec![0u64; exprs.len()];
        for &id in &self.all {
            let operands = || sum(exprs.operands(id).iter().map(|a| mixed(&[up[a.index()]])));
            up[id.index()] = match exprs.get(id) {
                Expr::Is(var, value) => mixed(&[3, colour(colours, *var, *value)]),
                Expr::Not(_) => mixed(&[4, operands()]),
                Expr::And(_) => mixed(&[5, operands()]),
                Expr::Or(_) => mixed(&[6, operands()]),
                Expr::True => 2,
                _ => 1,
            };
        }
        // From the rules down: what an expression is used for.
        let mut down = vec![0u64; exprs.len()];
        let mut next: Colours = colours.iter().map(|values| vec![0; values.len()]).collect();
        let mut uses = |id: ExprId, numbers: &[u64]| {
            down[id.index()] = down[id.index()].wrapping_add(mixed(numbers));
        };
        for (player, &turn) in (0..).zip(game.turn()) {
            uses(turn, &[10, player]);
        }
        game.terminal().iter().for_each(|&end| uses(end, &[11]));
        for (player, list) in (0..).zip(game.rewards()) {
            for (number, &(reward, when)) in (0..).zip(list) {
                let number = if game.exclusive_rewards() { 0 } else { number };
                uses(when, &[12, player, reward.into(), number]);
            }
        }
        game.forbidden().iter().for_each(|forbidden| uses(forbidden.when, &[13, forbidden.ended.into()]));
        for m in game.moves() {
            let case = |var: VarId, number: u64, &(when, value): &(ExprId, Value)| {
                mixed(&[number, up[when.index()], colour(colours, var, value)])
            };
            let update = |update: &winset_model::Update| {
                let cases = (0..).zip(&update.cases).map(|(number, one)| case(update.var, number, one));
                mixed(&[of_variable[update.var.index()], sum(cases)])
            };
            let whole = mixed(&[
                m.player.0.into(),
                m.fallback.into(),
                up[m.guard.index()],
                sum(m.updates.iter().map(update)),
            ]);
            uses(m.guard, &[15, whole]);
            for update in &m.updates {
                let var = update.var.index();
                next[var].iter_mut().for_each(|value| *value = value.wrapping_add(mixed(&[18, whole])));
                for (number, &(when, value)) in (0..).zip(&update.cases) {
                    uses(when, &[16, whole, number, colour(colours, update.var, value)]);
                    let value = &mut next[var][usize::from(value)];
                    *value = value.wrapping_add(mixed(&[17, whole, number, up[when.index()]]));
                }
            }
        }
        for &id in self.all.iter().rev() {
            let kind = matches!(exprs.get(id), Expr::And(_)) as u64
                + 2 * matches!(exprs.get(id), Expr::Or(_)) as u64;
            let above = mixed(&[19, kind, down[id.index()], up[id.index()]]);
            for a in exprs.operands(id) {
                down[a.index()] = down[a.index()].wrapping_add(above);
            }
            if let &Expr::Is(var, value) = exprs.get(id) {
                let value = &mut next[var.index()][usize::from(value)];
                *value = value.wrapping_add(mixed(&[20, down[id.index()]]));
            }
        }
        for (var, values) in next.iter_mut().enumerate() {
            for (value, &before) in values.iter_mut().zip(&colours[var]) {
                *value = mixed(&[before, *value, of_variable[var]]);
            }
        }
        next
    }
}

fn colour(colours: &Colours, var: VarId, value: Value) -> u64 {
    colours[var.index()][usize::from(value)]
}

/// Some numbers in any order.
fn sum(numbers: impl Iterator<Item = u64>) -> u64 {
    numbers.fold(0, |sum, number| sum.wrapping_add(mixed(&[number])))
}

/// All colours in ascending order.
pub fn sorted(colours: &Colours) -> Vec<u64> {
    let mut all: Vec<u64> = colours.iter().flatten().copied().collect();
    all.sort_unstable();
    all
}

fn distinct(colours: &Colours) -> usize {
    let mut all = sorted(colours);
    all.dedup();
    all.len()
}

/// A value gets a colour of its own.
pub fn marked(colours: &Colours, (var, value): (usize, usize)) -> Colours {
    let mut colours = colours.clone();
    colours[var][value] = mixed(&[21, colours[var][value]]);
    colours
}
