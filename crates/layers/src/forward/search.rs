//! The forward pass: all reachable states, layer by layer.

use crate::blocks::layering::Layering;
use crate::crew::Crew;
use crate::error::LayersError;
use crate::forward::image::Image;
use crate::forward::leaves::{Leaves, Step};
use crate::forward::resume::fingerprint;
use crate::forward::successors::{Successors, bitmaps, item, too_many};
use crate::options::{Form, Options};
use crate::rules::conjunction::Conjunctions;
use crate::rules::moves::{Moves, Root};
use crate::rules::relation::{Rel, Relations};
use crate::rules::rules_of_game::{Move, Rules};
use crate::sets::by_parts::build;
use crate::sets::copy::Copied;
use crate::sets::layer::Layer;
use crate::sets::set::{EMPTY, Level, Node, Sets};
use crate::shared::Shared;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;
use winset_index::Digit;
use winset_model::Game;

/// The rules, the relations and the layers still to come.
pub struct Forward {
    /// The rules over blocks.
    pub rules: Rules,
    /// The moves as relations.
    pub relations: Relations,
    /// Lists of conditions.
    pub conjs: Conjunctions,
    /// The relations by player and gain.
    pub roots: Vec<Root>,
    /// The layering that is really used: a measure may have been refined by the turn.
    pub layering: Layering,
    /// All states of a layer, also terminal ones, have the same player to move.
    pub split_by_turn: bool,
    /// The measures of layers that may still have states.
    pub(crate) ahead: BTreeSet<i64>,
    /// Layers whose successors are still being collected, by measure.
    pub(crate) recent: BTreeMap<i64, Arc<Layer>>,
    /// The digits of the initial state, until its layer has been made.
    pub(crate) initial: Option<Vec<Digit>>,
    /// The number of digits of each block.
    pub(crate) digits: Vec<usize>,
    pub(crate) crew: Crew,
    /// Layers are numbers of moves, so that a game with cycles has no last one.
    pub(crate) by_plies: bool,
    /// What layers by plies had in them: when one comes back, so will all after it.
    pub(crate) seen: HashSet<[u64; 2]>,
    /// About how many steps building took, apart from finding out where moves lead.
    pub(crate) work: u64,
    /// Whether sets had to be built part by part the last time: those of successors, and what is left of them.
    pub(crate) split: [bool; 2],
    /// What building a layer may take.
    pub(crate) budget: Option<u64>,
    /// Passes are the only moves that stay inside a layer.
    pub(crate) only_passes_stay: bool,
    /// The processes that share the states, if there are others.
    pub(crate) shared: Option<Shared>,
    /// What is known about leaves, if layers may be made by them.
    pub(crate) leaves: Option<Box<Leaves>>,
    /// How many layers have been made so.
    pub(crate) made_by_leaves: usize,
}

impl Forward {
    /// Prepares the forward pass; the moves may take so much memory.
    pub fn new(
        game: &Game,
        mut rules: Rules,
        layering: &Layering,
        budget: Option<u64>,
    ) -> Result<Self, LayersError> {
        let per_move = layering.per_move();
        let mut moves = Moves::new(game, &mut rules, layering.weights(game), per_move, budget)?;
        let mut layering = layering.clone();
        let mut split_by_turn = false;
        if moves.per_move == 0
            && moves.all_raise()
            && let Some(split) = Layering::split_by_turn(&moves.weights, game)
        {
            let by_turn = Moves::new(game, &mut rules, split, 0, budget)?;
            if by_turn.all_raise() {
                layering = Layering::Measure(by_turn.weights.clone());
                split_by_turn = true;
                moves = by_turn;
            }
        }
        let Moves { relations, conjs, roots, weights, per_move, only_passes_stay, .. } = moves;
        let initial = rules.frame.blocks.digits(game.initial());
        let measure = game.initial().0.iter().zip(&weights).map(|(&value, w)| w[value as usize]).sum();
        let (ahead, recent) = (BTreeSet::from([measure]), BTreeMap::new());
        let digits = (0..rules.frame.levels()).map(|level| rules.frame.digits(level)).collect();
        Ok(Forward {
            rules,
            relations,
            conjs,
            roots,
            layering,
            split_by_turn,
            ahead,
            recent,
            initial,
            digits,
            crew: Crew::default(),
            by_plies: per_move > 0,
            seen: HashSet::new(),
            work: 0,
            split: [false; 2],
            budget: None,
            only_passes_stay,
            shared: None,
            leaves: None,
            made_by_leaves: 0,
        })
    }

    /// The most that a move adds to the measure.
    pub fn greatest_gain(&self) -> i64 {
        self.roots.iter().map(|root| root.gain).max().unwrap_or(0)
    }

    /// About the memory that the rules take, the moves and everything that is kept about them.
    pub fn bytes(&self) -> u64 {
        let leaves = self.leaves.as_ref().map_or(0, |leaves| leaves.bytes());
        self.relations.bytes_with(&self.rules, &self.conjs) + leaves
    }

    /// Makes layers by leaves where that is worth it, or wherever it is possible, as the form of values says. Not where
    /// moves can stay inside a layer.
    pub fn with_leaves(mut self, options: &Options) -> Self {
        if options.form != Form::Ranks && self.roots.iter().all(|root| root.gain != 0) {
            let forced = options.form == Form::Leaves;
            self.leaves = Leaves::new(&self.digits, 0, !options.portable, forced);
        }
        self
    }

    /// Uses these threads.
    pub fn with_crew(self, crew: Crew) -> Self {
        Forward { crew, ..self }
    }

    /// The next layer, or none if all have been found.
    pub fn next_layer(
        &mut self,
        game: &Game,
        budget: Option<u64>,
    ) -> Result<Option<Arc<Layer>>, LayersError> {
        let recent: u64 = self.recent.values().map(|layer| layer.bytes()).sum();
        self.budget = budget.map(|budget| budget.saturating_sub(recent));
        while let Some(measure) = self.ahead.pop_first() {
            let mut layer = Layer { measure, ..Default::default() };
            let (recent, items) = self.leading_to(measure)?;
            match self.by_leaves(&recent, &items, &mut layer)? {
                Step::Made => {}
                Step::Empty => continue,
                Step::Not => {
                    let mine = self.collect(&recent, &items)?;
                    let Some((levels, root)) = self.bring_together(mine)? else { continue };
                    if !self.divide_simply(&levels, root, &mut layer)? {
                        let mut sets = Sets::of(levels);
                        let root = self.close(&mut sets, root, &mut layer)?;
                        self.divide(game, &mut sets, root, &mut layer, false)?;
                        self.rules.conds.work.spend(std::mem::take(&mut sets.steps))?;
                        sets.check()?;
                        LayersError::check_memory(sets.bytes(), self.budget)?;
                        layer.freeze(&sets)?;
                    }
                }
            }
            if self.by_plies {
                let number = self.seen.len();
                if !self.seen.insert(fingerprint(&layer.index()?)) {
                    return Err(LayersError::Cycle(number));
                }
            }
            let layer = Arc::new(layer);
            self.look_ahead(&layer)?;
            return Ok(Some(layer));
        }
        Ok(None)
    }

    /// The layers before a measure that may lead there, and the items of their successors there.
    fn leading_to(&mut self, measure: i64) -> Result<(Vec<Arc<Layer>>, Vec<u64>), LayersError> {
        let greatest = self.greatest_gain();
        self.recent.retain(|&earlier, _| earlier + greatest >= measure);
        let recent: Vec<Arc<Layer>> = self.recent.values().cloned().collect();
        let mut items = vec![];
        for (source, layer) in recent.iter().enumerate() {
            for root in self.roots.iter().filter(|root| layer.measure + root.gain == measure) {
                let parts = layer.parts.iter();
                let moving = parts.filter(|part| part.player == root.player && part.kind == root.kind);
                items.extend(moving.map(|part| item(source, part.root, root.rel)));
            }
        }
        if too_many(recent.len(), &self.relations) {
            return Err(LayersError::TooManyEdges);
        }
        Ok((recent, items))
    }

    /// All states that the items ask for, or the initial one.
    fn collect(
        &mut self,
        recent: &[Arc<Layer>],
        items: &[u64],
    ) -> Result<Option<(Vec<Level>, Node)>, LayersError> {
        if let Some(digits) = self.initial.take() {
            if self.shared.as_ref().is_some_and(|shared| shared.peers.rank() > 0) {
                return Ok(None);
            }
            let mut sets = Sets::new(digits.len());
            let root = sets.single(&digits);
            return Ok(Some((sets.levels, root)));
        }
        let last = self.digits.len() - 1;
        let work = self.rules.conds.work.part(u64::MAX);
        let mut successors = Successors {
            bitmaps: recent.iter().map(|layer| bitmaps(&layer.levels[last], self.digits[last])).collect(),
            rules: &mut self.rules,
            conjs: &mut self.conjs,
            relations: &mut self.relations,
            sources: recent.iter().map(|layer| layer.levels.as_slice()).collect(),
            digits: self.digits.clone(),
        };
        let (levels, root) =
            build(&mut successors, items, &self.crew, self.budget, &work, &mut self.split[0])?;
        self.work += work.done();
        Ok(root.map(|root| (levels, root)))
    }

    /// Notes where the moves of a layer can lead.
    fn look_ahead(&mut self, layer: &Arc<Layer>) -> Result<(), LayersError> {
        for i in 0..self.roots.len() {
            let root = self.roots[i];
            for part in &layer.parts {
                if part.player != root.player || part.kind != root.kind {
                    continue;
                }
                if root.gain > 0 {
                    self.ahead.insert(layer.measure + root.gain);
                }
                if root.gain < 0 {
                    let mut sets = Sets::new(layer.levels.len());
                    let mut copied = Copied::new(&layer.levels);
                    let image = self.image(&layer.levels, part.root, root.rel, &mut sets, &mut copied)?;
                    if image != EMPTY {
                        return Err(LayersError::NotAMeasure(self.name_of(&root)));
                    }
                }
            }
        }
        self.recent.insert(layer.measure, layer.clone());
        Ok(())
    }

    /// Adds what moves that stay inside the layer reach, and notes if there are none.
    fn close(&mut self, sets: &mut Sets, root: Node, layer: &mut Layer) -> Result<Node, LayersError> {
        let staying: Vec<Root> = self.roots.iter().copied().filter(|r| r.gain == 0).collect();
        if staying.is_empty() {
            return Ok(root);
        }
        let (mut all, mut new) = (root, root);
        layer.all_leave = true;
        loop {
            let goes_on = match &self.shared {
                Some(shared) => shared.any(new != EMPTY)?,
                None => new != EMPTY,
            };
            if !goes_on {
                return Ok(all);
            }
            for i in 0..self.rules.endings.len() {
                new = self.goes_on(sets, i, new).0;
                self.rules.conds.work.spend(std::mem::take(&mut sets.steps))?;
            }
            let mut reached = EMPTY;
            for root in &staying {
                let turn = self.rules.turn[root.player.index()].clone();
                let (movers, _) = self.cut(sets, new, &turn);
                let mut from = Sets::new(sets.levels.len());
                let movers = Copied::new(&sets.levels).copy(&sets.levels, &mut from, 0, movers);
                let mut copied = Copied::new(&from.levels);
                let image = self.image(&from.levels, movers, root.rel, sets, &mut copied)?;
                reached = sets.union(0, reached, image);
                self.rules.conds.work.spend(from.steps + std::mem::take(&mut sets.steps))?;
            }
            layer.all_leave &= match &self.shared {
                Some(shared) => !shared.any(reached != EMPTY)?,
                None => reached == EMPTY,
            };
            if let Some(shared) = self.shared.clone() {
                reached = shared.to_owners(sets, reached, &self.digits, self.budget)?;
            }
            new = sets.difference(reached, all);
            all = sets.union(0, all, new);
        }
    }

    fn image(
        &mut self,
        from: &[Level],
        node: Node,
        rel: Rel,
        to: &mut Sets,
        copied: &mut Copied,
    ) -> Result<Node, LayersError> {
        if node == EMPTY {
            return Ok(EMPTY);
        }
        Image::new(&mut self.rules, &mut self.conjs, &mut self.relations, from, to, copied)
            .image(0, node, rel)
    }

    fn name_of(&self, root: &Root) -> String {
        let made = |m: &&Move| {
            m.player == root.player && self.relations.gains(&self.rules, m).iter().any(|&gain| gain < 0)
        };
        self.rules.moves.iter().find(made).map_or_else(String::new, |m| m.name.clone())
    }
}
