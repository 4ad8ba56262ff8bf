//! The moves of a game by player and by what they add to the measure.

use crate::error::LayersError;
use crate::rules::conjunction::Conjunctions;
use crate::rules::relation::{IDENTITY, Rel, Relations};
use crate::rules::rules_of_game::{Move, Rules};
use crate::sets::layer::Kind;
use rustc_hash::FxHashSet;
use winset_model::{Game, Player};

/// The relation of some moves of a player that all add the same to the measure.
#[derive(Clone, Copy, Debug)]
pub struct Root {
    /// Who moves.
    pub player: Player,
    /// What the moves add to the measure.
    pub gain: i64,
    /// In which parts the moves are made.
    pub kind: Kind,
    /// The relation's topmost node.
    pub rel: Rel,
}

/// All moves under one measure.
pub struct Moves {
    /// The moves as relations.
    pub relations: Relations,
    /// Lists of conditions.
    pub conjs: Conjunctions,
    /// The relations by player and gain; those that lead nowhere are not among them.
    pub roots: Vec<Root>,
    /// The measure's weights, by variable and value.
    pub weights: Vec<Vec<i64>>,
    /// What every move adds apart from the weights.
    pub per_move: i64,
    /// Passes are the only moves that stay inside a layer.
    pub only_passes_stay: bool,
    /// What all of it may take.
    budget: Option<u64>,
}

impl Moves {
    /// The moves under a measure with these weights, by variable and value.
    pub fn new(
        game: &Game,
        rules: &mut Rules,
        weights: Vec<Vec<i64>>,
        per_move: i64,
        budget: Option<u64>,
    ) -> Result<Self, LayersError> {
        let mut by_position = vec![vec![]; weights.len()];
        for (var, &position) in rules.frame.positions.iter().enumerate() {
            by_position[position as usize] = weights[var].clone();
        }
        let relations = Relations::new(rules, by_position);
        let (conjs, roots) = (Conjunctions::new(), vec![]);
        let mut moves = Moves { relations, conjs, roots, weights, per_move, only_passes_stay: false, budget };
        moves.add_roots(game, rules, &[Kind::Leaving, Kind::Passing])?;
        let stays = |kind| moves.roots.iter().any(|root| root.gain == 0 && root.kind == kind);
        moves.only_passes_stay = stays(Kind::Passing) && !stays(Kind::Leaving);
        if !moves.only_passes_stay {
            moves.roots.clear();
            moves.add_roots(game, rules, &[Kind::All])?;
        }
        Ok(moves)
    }

    /// Every move adds to the measure.
    pub fn all_raise(&self) -> bool {
        self.roots.iter().all(|root| root.gain > 0)
    }

    fn add_roots(&mut self, game: &Game, rules: &mut Rules, kinds: &[Kind]) -> Result<(), LayersError> {
        let mut gains: Vec<i64> = rules.moves.iter().flat_map(|m| self.relations.gains(rules, m)).collect();
        gains.sort_unstable();
        gains.dedup();
        for player in game.each_player() {
            for &gain in &gains {
                for &kind in kinds {
                    let made = |m: &&Move| {
                        m.player == player
                            && match kind {
                                Kind::All => true,
                                Kind::Leaving => !m.fallback,
                                Kind::Passing => m.fallback,
                            }
                    };
                    let chosen: Vec<&Move> = rules.moves.iter().filter(made).collect();
                    rules.conds.work.spend(chosen.len() as u64)?;
                    let root = self.relations.root(rules, &mut self.conjs, &chosen, gain);
                    if let Some(rel) = root
                        && self.leads(rules, rel)?
                    {
                        self.roots.push(Root { player, gain: gain + self.per_move, kind, rel });
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether a relation leads from any state at all to another. What a move adds is first known only
    /// variable by variable: a stone that falls onto one of several squares seems to be able to fall on
    /// none of them. Past [`LOOKED`] steps it is taken for granted.
    fn leads(&mut self, rules: &mut Rules, root: Rel) -> Result<bool, LayersError> {
        let mut seen: FxHashSet<(usize, Rel)> = FxHashSet::default();
        let mut open = vec![(0, root)];
        let mut looked = 0;
        while let Some((level, rel)) = open.pop() {
            if rel == IDENTITY || level == rules.frame.levels() {
                return Ok(true);
            }
            if !seen.insert((level, rel)) {
                continue;
            }
            for digit in 0..rules.frame.digits(level) {
                let steps = self.relations.steps(rules, &mut self.conjs, level, rel, digit as _)?;
                open.extend(steps.map(|at| (level + 1, self.relations.step(level, at).1)));
                looked += 1;
                if looked % WEIGHED == 0 {
                    let taken = self.relations.bytes_with(rules, &self.conjs);
                    // Tables that grow are there twice for a moment.
                    LayersError::check_memory(2 * taken, self.budget)?;
                }
            }
            if looked > LOOKED {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// How many steps of a relation are looked at to find out whether it leads anywhere.
const LOOKED: usize = 50_000;

/// After n steps it is seen whether everything still fits.
const WEIGHED: usize = 1 << 8;

#[cfg(test)]
mod tests {
    use super::*;
    use winset_model::CodeTable;
    use winset_model::{GameBuilder, Update, VarId};

    /// A stone falls onto the lower of two squares if it is free, else onto the upper one.
    fn tower() -> Game {
        let mut game = GameBuilder::new("tower", ["only"]);
        let lower = game.add_variable("lower", ["empty", "stone"]);
        let upper = game.add_variable("upper", ["empty", "stone"]);
        let [free, taken] = [0, 1].map(|value| game.exprs.is(lower, value));
        let room = game.exprs.is(upper, 0);
        let when = |var, condition| Update { var, cases: vec![(condition, 1)] };
        game.add_move("drop", Player(0), room, [when(lower, free), when(upper, taken)]);
        game.initial = game.state([0, 0]);
        game.build().unwrap()
    }

    #[test]
    fn a_stone_that_falls_somewhere_never_falls_nowhere_or_twice() {
        let game = tower();
        for blocks in [vec![vec![VarId(0)], vec![VarId(1)]], vec![vec![VarId(0), VarId(1)]]] {
            let mut rules = Rules::new(
                &game,
                blocks,
                CodeTable::of_game(&game, Default::default()),
                None,
                Default::default(),
            )
            .unwrap();
            let stones = vec![vec![0, 1]; 2];
            let moves = Moves::new(&game, &mut rules, stones, 0, None).unwrap();
            assert_eq!(moves.relations.gains(&rules, &rules.moves[0]), [0, 1, 2], "variable by variable");
            let gains: Vec<i64> = moves.roots.iter().map(|root| root.gain).collect();
            assert_eq!(gains, [1]);
            assert!(moves.all_raise());
        }
    }
}
