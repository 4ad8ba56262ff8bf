//! The transition system below a game, which other front ends can state directly.

use crate::expr::{ExprId, Exprs};
use crate::game::Game;
use crate::variable::{Value, VarId, Variable};
use std::collections::BTreeMap;

/// One part of a disjunctively partitioned transition relation.
#[derive(Clone, Debug)]
pub struct Relation {
    /// For messages and pictures.
    pub name: String,
    /// Over the current state and the next values of `writes`.
    pub formula: ExprId,
    /// The variables that may change, sorted. All others keep their values.
    pub writes: Vec<VarId>,
    /// The relation applies only where none of these relations (by position) is enabled.
    pub unless: Vec<usize>,
}

/// Variables, initial states, a partitioned relation and named sets of states.
#[derive(Clone, Debug)]
pub struct System {
    /// The state variables.
    pub variables: Vec<Variable>,
    /// All expressions.
    pub exprs: Exprs,
    /// The initial states.
    pub initial: ExprId,
    /// The transition relation: the union of these.
    pub relations: Vec<Relation>,
    /// No transition leaves a state where one of these holds.
    pub stops: Vec<ExprId>,
    /// Sets of states with names: turns, terminal conditions, rewards, labels.
    pub sets: Vec<(String, ExprId)>,
    /// Variables that only record what happened in the last transition. States that differ in these alone count once.
    pub hidden: Vec<VarId>,
}

impl Game {
    /// The game's transition system: a relation per move, whose formula holds turn, guard and updates.
    /// Named sets: `turn:PLAYER`, `terminal`, `reward:PLAYER:N`.
    ///
    /// ```
    /// # use winset_model::*;
    /// # let mut game = GameBuilder::new("flip", ["only"]);
    /// # let light = game.add_variable("light", ["off", "on"]);
    /// # game.add_move("switch", Player(0), Exprs::TRUE, [Update::set(light, 1)]);
    /// # game.initial = game.state([0]);
    /// # let game = game.build().unwrap();
    /// let system = game.system();
    /// assert_eq!(system.relations[0].writes, [light]);
    /// ```
    pub fn system(&self) -> System {
        let mut exprs = self.exprs().clone();
        let initial = (0..self.variables().len())
            .map(|i| exprs.is(VarId(i as u32), self.initial().0[i]))
            .collect::<Vec<ExprId>>();
        let initial = exprs.and(initial);
        let mut relations = vec![];
        for m in self.moves() {
            let mut parts = vec![self.turn()[m.player.index()], m.guard];
            for update in &m.updates {
                let size = self.variables()[update.var.index()].size();
                parts.push(becomes(&mut exprs, update.var, size, &update.cases));
            }
            let mut writes: Vec<VarId> = m.updates.iter().map(|u| u.var).collect();
            writes.sort_unstable();
            let unless = if m.fallback {
                let others = self.moves().iter().enumerate();
                others.filter(|(_, o)| o.player == m.player && !o.fallback).map(|(i, _)| i).collect()
            } else {
                vec![]
            };
            relations.push(Relation { name: m.name.clone(), formula: exprs.and(parts), writes, unless });
        }
        let mut sets: Vec<(String, ExprId)> = vec![];
        for (player, name) in self.players().iter().enumerate() {
            sets.push((format!("turn:{name}"), self.turn()[player]));
        }
        sets.push(("terminal".to_owned(), exprs.or(self.terminal().iter().copied())));
        for (player, name) in self.players().iter().enumerate() {
            for (reward, when) in self.earned(&mut exprs, player) {
                sets.push((format!("reward:{name}:{reward}"), when));
            }
        }
        let (variables, stops) = (self.variables().to_vec(), self.terminal().to_vec());
        System { variables, exprs, initial, relations, stops, sets, hidden: vec![] }
    }
}

impl Game {
    /// Where a player gets each reward: of the conditions that hold, the first one counts, and several may give the
    /// same reward.
    fn earned(&self, exprs: &mut Exprs, player: usize) -> BTreeMap<u8, ExprId> {
        let list = &self.rewards()[player];
        let mut earned: BTreeMap<u8, Vec<ExprId>> = BTreeMap::new();
        for (i, &(reward, when)) in list.iter().enumerate() {
            let before = list[..i].iter().filter(|other| other.0 != reward && !self.exclusive_rewards());
            let before: Vec<ExprId> = before.map(|other| other.1).collect();
            let before = exprs.or(before);
            let first = exprs.not(before);
            earned.entry(reward).or_default().push(exprs.and([when, first]));
        }
        earned.into_iter().map(|(reward, ways)| (reward, exprs.or(ways))).collect()
    }
}

/// The next value of a variable follows from its cases.
fn becomes(exprs: &mut Exprs, var: VarId, size: usize, cases: &[(ExprId, Value)]) -> ExprId {
    let mut otherwise = exprs.unchanged(var, size);
    for &(when, value) in cases.iter().rev() {
        let next = exprs.next(var, value);
        otherwise = exprs.ite(when, next, otherwise);
    }
    otherwise
}
