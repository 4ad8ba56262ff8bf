//! Going on from what an earlier run has found, instead of finding it again.

use crate::backward::layer_by_layer::Backward;
use crate::backward::stream::{Distance, Target, Values, each_rank};
use crate::backward::tier::Tally;
use crate::error::LayersError;
use crate::forward::search::Forward;
use crate::forward::successors::{Successors, bitmaps, item};
use crate::observer::Refusal;
use crate::sets::layer::Layer;
use crate::sets::set::{Level, Sets};
use std::sync::Arc;
use winset_index::{Index, Planes};
use winset_model::{Code, Game, Player, Rewards};

/// What an earlier run has found.
#[derive(Clone, Debug, Default)]
pub struct Past {
    /// The rewards of every code.
    pub outcomes: Vec<Rewards>,
    /// The layers whose states are known, in the order in which they were reached.
    pub layers: Vec<PastLayer>,
    /// There are no other layers.
    pub complete: bool,
}

/// What an earlier run has found out about a layer.
#[derive(Clone, Debug, Default)]
pub struct PastLayer {
    /// The value of the measure, or the number of moves made.
    pub measure: i64,
    /// The number of states.
    pub positions: u64,
    /// The number of terminal states by code.
    pub terminal: Vec<(Code, u64)>,
    /// Who moves in the whole layer, if it is always the same player.
    pub mover: Option<Player>,
    /// Terminal states without a place may have ended under conditions that do not show their outcome.
    pub unclear: bool,
    /// If its values are known: how many states that are not terminal have each outcome, by code.
    pub solved: Option<Vec<u64>>,
}

impl Past {
    /// The first of the layers at the end whose values are all known.
    pub(crate) fn solved_from(&self) -> usize {
        if !self.complete {
            return self.layers.len();
        }
        self.layers.iter().rposition(|layer| layer.solved.is_none()).map_or(0, |last| last + 1)
    }
}

/// Reads what an earlier run has found.
pub(crate) type Load<'a> = dyn FnMut(usize) -> Result<Index, Refusal> + 'a;

impl Forward {
    /// Continues after the layers of an earlier run. Returns those that are needed for it, by number.
    pub fn go_on(
        &mut self,
        game: &Game,
        past: &Past,
        load: &mut Load,
    ) -> Result<Vec<(usize, Arc<Layer>)>, LayersError> {
        for rewards in &past.outcomes {
            self.rules.outcomes.add(*rewards)?;
        }
        if !self.rules.outcomes.table().starts_with(&past.outcomes) {
            return Err(LayersError::Past("the outcomes have other numbers"));
        }
        let Some(last) = past.layers.last() else { return Ok(vec![]) };
        self.initial = None;
        self.ahead.clear();
        if past.complete {
            return Ok(vec![]);
        }
        let greatest = self.greatest_gain();
        let mut needed = vec![];
        for (number, layer) in past.layers.iter().enumerate() {
            let gains = self.roots.iter().map(|root| layer.measure + root.gain);
            self.ahead.extend(gains.filter(|&measure| measure > last.measure));
            let is_needed = layer.measure + greatest > last.measure;
            if !is_needed && !self.by_plies {
                continue;
            }
            let index = load(number).map_err(LayersError::Source)?;
            if self.by_plies {
                self.seen.insert(fingerprint(&index));
            }
            if is_needed {
                let restored = Arc::new(self.restore(game, &index, layer)?);
                self.recent.insert(layer.measure, restored.clone());
                needed.push((number, restored));
            }
        }
        Ok(needed)
    }

    /// A layer from the states of it that have a place.
    pub fn restore(&mut self, game: &Game, index: &Index, past: &PastLayer) -> Result<Layer, LayersError> {
        let copy = |level: &winset_index::Level| {
            let (start, digit, child) = (level.start.clone(), level.digit.clone(), level.child.clone());
            Level { start, digit, child }
        };
        let levels: Vec<Level> = index.levels().iter().map(copy).collect();
        let digits_fit =
            |(level, &digits): (&Level, &usize)| level.digit.iter().all(|&digit| usize::from(digit) < digits);
        if levels.len() != self.digits.len() || !levels.iter().zip(&self.digits).all(digits_fit) {
            return Err(LayersError::Past("the blocks have other digits"));
        }
        let mut layer = Layer { measure: past.measure, ..Default::default() };
        match index.root() {
            None => layer.levels = levels,
            Some(root) => {
                if !self.divide_simply(&levels, root, &mut layer)? || layer.default.is_some() {
                    layer = Layer { measure: past.measure, ..Default::default() };
                    let mut sets = Sets::of(levels);
                    self.divide(game, &mut sets, root, &mut layer, true)?;
                    sets.check()?;
                    layer.freeze(&sets)?;
                }
            }
        }
        let placed = |code: Code| layer.ended.iter().any(|&(ended, _)| ended == code);
        layer.default =
            past.terminal.iter().find(|&&(code, n)| n > 0 && !placed(code)).map(|&(code, _)| code);
        layer.default_unclear = past.unclear;
        layer.positions = past.positions;
        layer.terminal = past.terminal.clone();
        let moving: u64 = layer.parts.iter().map(|part| part.len).sum();
        let ended: u64 = past.terminal.iter().map(|&(_, n)| n).sum();
        if layer.len != index.len() || moving.checked_add(ended) != Some(past.positions) {
            return Err(LayersError::Past("a layer has other states"));
        }
        Ok(layer)
    }

    /// Finds out everything about the moves that solving a layer asks for, which the forward pass does on
    /// its way.
    pub fn touch(&mut self, layer: &Layer) -> Result<(), LayersError> {
        let Some(last) = self.digits.len().checked_sub(1) else { return Ok(()) };
        let mut items = vec![];
        for part in &layer.parts {
            let moving = self.roots.iter().filter(|r| r.player == part.player && r.kind == part.kind);
            items.extend(moving.map(|root| item(0, part.root, root.rel)));
        }
        Successors {
            bitmaps: vec![bitmaps(&layer.levels[last], self.digits[last])],
            rules: &mut self.rules,
            conjs: &mut self.conjs,
            relations: &mut self.relations,
            sources: vec![layer.levels.as_slice()],
            digits: self.digits.clone(),
        }
        .touch(items)
    }
}

impl Backward<'_> {
    /// Takes over a layer that an earlier run has solved. Returns for each part how many states have each
    /// outcome.
    pub fn take_over(
        &mut self,
        layer: &Layer,
        (values, distances): (Planes, Vec<Distance>),
        count: bool,
        needed: bool,
    ) -> Result<Vec<Tally>, LayersError> {
        let outcomes = &self.forward.rules.outcomes;
        let (codes, bits) = (outcomes.len(), outcomes.bits());
        let has_distances = distances.len() as u64 == if self.distance { layer.len } else { 0 };
        if values.len() != layer.len || values.planes.len() != bits || !has_distances {
            return Err(LayersError::Past("a layer has another number of values"));
        }
        let values = Values::of(values);
        let target = Target::new(layer, &layer.counts(), &self.digits, &self.forward.crew);
        let mut tallies = vec![];
        for part in layer.parts.iter().filter(|_| count) {
            let mut tally = vec![0; codes.next_power_of_two()];
            let mut add = |rank: u64| tally[usize::from(values.get(rank))] += 1;
            each_rank(layer, &target, part.root, &mut add);
            tally.truncate(codes);
            tallies.push(tally);
        }
        if needed {
            self.insert(layer.measure, target, values, distances);
        }
        Ok(tallies)
    }
}

/// Two independent hashes of a set of states.
pub(crate) fn fingerprint(index: &Index) -> [u64; 2] {
    use std::hash::{DefaultHasher, Hash, Hasher};
    [0u64, 1].map(|seed| {
        let mut hasher = DefaultHasher::new();
        seed.hash(&mut hasher);
        for level in index.levels() {
            (&level.start, &level.digit, &level.child).hash(&mut hasher);
        }
        hasher.finish()
    })
}

impl Successors<'_> {
    /// Makes every step that the items of the topmost level ask for, without collecting what they lead to.
    fn touch(&mut self, mut items: Vec<u64>) -> Result<(), LayersError> {
        use crate::sets::build::Expand;
        let last = self.digits.len() - 1;
        let mut bitmap = vec![0u64; self.digits[last].div_ceil(64)];
        for level in 0..=last {
            // What moves leave alone asks for nothing.
            items.retain(|&item| !Self::is_identity(item));
            items.sort_unstable();
            items.dedup();
            let (mut below, mut found, mut missing) = (vec![], vec![], vec![]);
            let mut enough = 1 << 16;
            while !items.is_empty() {
                let mut postponed = vec![];
                for &item in &items {
                    let before = missing.len();
                    if level == last {
                        self.last(item, &mut bitmap, &mut missing);
                    } else {
                        found.clear();
                        self.expand(level, item, &mut found, &mut missing);
                    }
                    if missing.len() > before {
                        postponed.push(item);
                    } else {
                        let moving = found.iter().map(|&(_, item)| item);
                        below.extend(moving.filter(|&item| !Self::is_identity(item)));
                    }
                    if below.len() > enough {
                        below.sort_unstable();
                        below.dedup();
                        enough = below.len() * 2 + (1 << 16);
                    }
                }
                missing.sort_unstable();
                missing.dedup();
                self.provide(&missing)?;
                missing.clear();
                items = postponed;
            }
            items = below;
        }
        Ok(())
    }
}
