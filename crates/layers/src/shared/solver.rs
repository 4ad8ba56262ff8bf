//! The backward pass, piece by piece.

use crate::backward::layer_by_layer::{Backward, Known};
use crate::backward::leaves::{ByLeaves, Fitting, Stash};
use crate::backward::room::Room;
use crate::backward::stream::{Distance, Remoteness, Stored, Target, Values};
use crate::backward::tier::Tally;
use crate::error::LayersError;
use crate::forward::search::Forward;
use crate::observer::Refusal;
use crate::options::Options;
use crate::sets::copy::Copied;
use crate::sets::layer::Layer;
use crate::sets::set::{EMPTY, Sets};
use crate::shared::by_leaves::LeafUnit;
use crate::shared::bytes::{Bytes, NONSENSE, pressed, put, unpressed};
use crate::shared::owners::Keys;
use crate::shared::pieces::{Piece, Slot};
use crate::shared::record::{LayerRecord, PieceRecord};
use crate::solution::{Kept, Solution};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use winset_index::{Index, Planes};
use winset_model::{Code, Game, Remoteness as Lasts};

/// Where pieces are, whoever has made them.
pub trait Source: Send + Sync {
    /// The states of a piece, as [`crate::shared::Member::next_layer`] gave them.
    fn states(&self, layer: usize, piece: &PieceRecord) -> Result<Vec<u8>, Refusal>;

    /// The values of a unit by rank, as [`Solver::solve`] gave them. A unit is named by its first piece.
    fn values(&self, layer: usize, unit: usize) -> Result<Vec<u8>, Refusal>;

    /// What is said of the parts of a unit's leaves.
    fn head(&self, layer: usize, unit: usize) -> Result<Vec<u8>, Refusal>;

    /// A part of a unit's leaves.
    fn part(&self, layer: usize, unit: usize, part: usize) -> Result<Vec<u8>, Refusal>;
}

/// What a process needs to solve pieces of layers.
pub struct Solver<'a> {
    pub(super) backward: Backward<'a>,
    pub(super) options: &'a Options,
    pub(super) records: Vec<LayerRecord>,
    pub(super) keys: Keys,
    /// The units that the values in memory are of, by measure.
    held: BTreeMap<i64, BTreeSet<usize>>,
    /// Layers before the first number were expanded by everybody; from the second on each process has expanded its own
    /// states.
    expanded: (usize, usize),
    /// In which form values are kept.
    kept: Kept,
    /// What this process has made and will read soon.
    pub(super) stash: Stash,
}

/// The values of a unit.
pub enum SolvedUnit {
    /// By rank, as others read them.
    Ranks(Vec<u8>),
    /// As leaves.
    Leaves(Box<LeafUnit>),
}

/// The values of one unit or of several.
pub struct UnitValues {
    /// The codes in rank order.
    pub codes: Planes,
    /// The distances, if asked for.
    pub distances: Vec<Distance>,
    /// For each of the record's movers how many states have each outcome.
    pub tallies: Vec<Tally>,
}

impl<'a> Solver<'a> {
    pub(crate) fn new(
        game: &'a Game,
        options: &'a Options,
        forward: Forward,
        records: Vec<LayerRecord>,
        expanded: (usize, usize),
        leaves: Result<Box<ByLeaves>, &'static str>,
    ) -> Result<Self, LayersError> {
        let Some(shared) = &forward.shared else { return Err(NONSENSE) };
        let keys = shared.keys.clone();
        let mut backward = Backward::new(game, forward, &ends(&records), options);
        let fitting = leaves.map_or_else(Fitting::Not, Fitting::Fits);
        let kept = fitting.kept(backward.digits.len());
        let mut records = records;
        if let Fitting::Fits(by) = fitting {
            let width = keys.width_of(by.first_digits().0);
            records.iter_mut().for_each(|record| record.join(width));
            backward.leaves = Some(by);
        }
        let (held, stash) = (BTreeMap::new(), Stash::default());
        Ok(Solver { backward, options, records, keys, held, expanded, kept, stash })
    }

    /// The moves of a unit of a layer are known; `own` if its states were found by this process.
    pub(super) fn knows_moves(&self, number: usize, own: bool) -> bool {
        number < self.expanded.0 || own && number >= self.expanded.1
    }

    /// Values are kept as leaves.
    pub fn is_by_leaves(&self) -> bool {
        self.backward.leaves.is_some()
    }

    /// The layers, from the first on.
    pub fn records(&self) -> &[LayerRecord] {
        &self.records
    }

    /// Solves a unit of a layer; those of later layers are solved. `near` are units that this process is likely to solve
    /// next: what they need is read with it, if there is room. `own` if its states were found by this process.
    pub fn solve(
        &mut self,
        number: usize,
        unit: usize,
        near: Range<usize>,
        own: bool,
        scratch: Option<PathBuf>,
        source: &Arc<dyn Source>,
    ) -> Result<SolvedUnit, LayersError> {
        let solved = match self.backward.leaves.take() {
            Some(mut by) => {
                let solved = self.solve_by_leaves(&mut by, number, unit, own, scratch, source);
                self.backward.leaves = Some(by);
                solved
            }
            None => self.solve_unit(number, unit, near, own, scratch, source),
        };
        solved.map_err(|error| error.at_layer(number, self.options))
    }

    fn solve_unit(
        &mut self,
        number: usize,
        unit: usize,
        near: Range<usize>,
        own: bool,
        scratch: Option<PathBuf>,
        source: &Arc<dyn Source>,
    ) -> Result<SolvedUnit, LayersError> {
        let record = self.records[number].clone();
        let greatest = self.backward.forward.greatest_gain();
        let reach = record.measure..=record.measure + greatest;
        self.backward.known.retain(|measure, _| reach.contains(measure));
        self.held.retain(|measure, _| reach.contains(measure));
        for later in 0..self.records.len() {
            if later != number && reach.contains(&self.records[later].measure) {
                let needed = self.needed(&record, unit..unit + 1, later)?;
                let also = self.needed(&record, near.clone(), later)?;
                self.fetch(later, needed, also, source)?;
            }
        }
        let layer = Arc::new(self.joined(number, unit..unit + 1, source)?.layer(&record));
        if !self.knows_moves(number, own) {
            self.backward.forward.touch(&layer)?;
        }
        let used = self.backward.forward.bytes();
        let room = Room {
            budget: self.options.memory.map(|memory| memory.saturating_sub(used)),
            directory: scratch.filter(|_| self.options.memory.or(self.options.values).is_some()),
            values: self.options.values,
            taken: true,
        };
        let tallies = self.backward.solve(&layer, &room)?;
        let mut found = UnitValues {
            codes: self.backward.ranked(&layer).map_err(|error| LayersError::io(&None, error))?,
            distances: vec![],
            tallies: vec![vec![]; record.movers.len()],
        };
        if let Some((_, distances)) = self.backward.distances(&layer).filter(|_| self.backward.distance) {
            found.distances = distances.all().map_err(|error| LayersError::io(&None, error))?.into_owned();
        }
        for (part, tally) in layer.parts.iter().zip(tallies) {
            let same = record.movers.iter().position(|m| (m.player, m.kind) == (part.player, part.kind));
            found.tallies[same.ok_or(NONSENSE)?] = tally;
        }
        self.backward.known.remove(&record.measure);
        Ok(SolvedUnit::Ranks(found.to_bytes()?))
    }

    /// The units of a later layer that moves from some units of a layer lead to.
    fn needed(
        &mut self,
        record: &LayerRecord,
        units: Range<usize>,
        later: usize,
    ) -> Result<BTreeSet<usize>, LayersError> {
        let gain = self.records[later].measure - record.measure;
        let (mut found, mut after) = (BTreeSet::new(), BTreeSet::new());
        let leaves = gain != 0 || !record.all_leave;
        let moving = |player, kind| record.movers.iter().any(|m| (m.player, m.kind) == (player, kind));
        let roots = self.backward.forward.roots.iter();
        let roots = roots.filter(|root| root.gain == gain && leaves && moving(root.player, root.kind));
        let roots: Vec<_> = roots.copied().collect();
        for unit in units {
            for root in &roots {
                after.extend(self.backward.forward.keys_after(&self.keys, record.run_of(unit), root.rel)?);
            }
        }
        let target = &self.records[later];
        for key in after {
            let at = target.pieces.partition_point(|piece| piece.last < key);
            if target.pieces.get(at).is_some_and(|piece| piece.first <= key) {
                found.insert(if target.whole { 0 } else { at });
            }
        }
        Ok(found)
    }

    /// Sees that the values of some units of a layer are there, and of some more if there is room.
    fn fetch(
        &mut self,
        number: usize,
        needed: BTreeSet<usize>,
        also: BTreeSet<usize>,
        source: &Arc<dyn Source>,
    ) -> Result<(), LayersError> {
        let record = &self.records[number];
        let measure = record.measure;
        if self.held.get(&measure).is_some_and(|held| needed.is_subset(held)) {
            return Ok(());
        }
        let bits = self.backward.forward.rules.outcomes.bits() as u64;
        let per_state = bits + if self.backward.distance { 16 } else { 0 };
        let room = self.options.memory.map_or(u64::MAX, |memory| memory / 4);
        let mut units = needed;
        let more: BTreeSet<usize> = units.union(&also).copied().collect();
        let bytes: u64 = more
            .iter()
            .flat_map(|&unit| &record.pieces[record.pieces_of(unit)])
            // The diagram as it is read, as cursors see it, and what is in between.
            .map(|piece| piece.bytes * 4 + piece.states / 8 * per_state)
            .sum();
        if bytes <= room {
            units = more;
        }
        // What was there goes first: there may be no room for both.
        self.backward.known.remove(&measure);
        self.held.remove(&measure);
        let values = self.values(number, units.iter().copied(), source)?;
        let mut pieces = vec![];
        for &unit in &units {
            for piece in self.records[number].pieces_of(unit) {
                pieces.push(self.piece(number, piece, source)?.placed(&self.keys));
            }
        }
        let levels = self.backward.digits.len();
        let layer = Piece::join(pieces, levels, &self.keys, 0..self.keys.end())?.layer(&self.records[number]);
        if layer.len != values.codes.len() {
            return Err(NONSENSE);
        }
        let crew = &self.backward.forward.crew;
        let target = Target::new(&layer, &layer.counts(), &self.backward.digits, crew);
        let (values, distances) =
            (Stored::Here(Values::of(values.codes)), Remoteness::Here(values.distances));
        self.backward.known.insert(measure, Known { target, values, distances });
        self.held.insert(measure, units);
        Ok(())
    }

    pub(super) fn piece(
        &self,
        number: usize,
        piece: usize,
        source: &Arc<dyn Source>,
    ) -> Result<Piece, LayersError> {
        let piece = &self.records[number].pieces[piece];
        let bytes = source.states(number, piece).map_err(LayersError::Source)?;
        Piece::from_bytes(&bytes, &self.backward.digits, self.options.memory)
    }

    /// The states of some units, as one piece.
    fn joined(
        &self,
        number: usize,
        units: Range<usize>,
        source: &Arc<dyn Source>,
    ) -> Result<Piece, LayersError> {
        let record = &self.records[number];
        let mut pieces = vec![];
        for piece in units.flat_map(|unit| record.pieces_of(unit)) {
            pieces.push(self.piece(number, piece, source)?);
        }
        Piece::join(pieces, self.backward.digits.len(), &self.keys, 0..self.keys.end())
    }

    /// The values of some units, one after the other.
    pub fn values(
        &self,
        number: usize,
        units: impl Iterator<Item = usize>,
        source: &Arc<dyn Source>,
    ) -> Result<UnitValues, LayersError> {
        let record = &self.records[number];
        let bits = self.backward.forward.rules.outcomes.bits();
        let units: Vec<usize> = units.collect();
        let len = units.iter().map(|&unit| record.states_of(unit)).sum();
        let mut all = UnitValues {
            codes: Planes::new(len, bits),
            distances: vec![],
            tallies: vec![vec![]; record.movers.len()],
        };
        let mut at = 0;
        for unit in units {
            let bytes = source.values(number, record.pieces_of(unit).start).map_err(LayersError::Source)?;
            let part = UnitValues::from_bytes(&bytes, self.options.memory)?;
            let distances = if self.backward.distance { part.codes.len() } else { 0 };
            if part.codes.len() != record.states_of(unit)
                || part.codes.planes.len() != bits
                || part.distances.len() as u64 != distances
                || part.tallies.len() != all.tallies.len()
            {
                return Err(NONSENSE);
            }
            for (to, from) in all.codes.planes.iter_mut().zip(&part.codes.planes) {
                append(to, at, from, part.codes.len());
            }
            at += part.codes.len();
            all.distances.extend(part.distances);
            for (sum, tally) in all.tallies.iter_mut().zip(part.tallies) {
                sum.resize(tally.len().max(sum.len()), 0);
                sum.iter_mut().zip(tally).for_each(|(sum, n)| *sum += n);
            }
        }
        Ok(all)
    }

    /// The index of a whole layer, numbered in the order of a walk from the top like that of one process.
    pub fn index(&self, number: usize, source: &Arc<dyn Source>) -> Result<Index, LayersError> {
        let record = &self.records[number];
        let mut sets = Sets::new(self.backward.digits.len());
        let mut all = EMPTY;
        for piece in 0..record.pieces.len() {
            let piece = self.piece(number, piece, source)?;
            let root = piece.root(Slot::Placed);
            let root = Copied::new(&piece.levels).copy(&piece.levels, &mut sets, 0, root);
            all = sets.union(0, all, root);
            sets.check()?;
            let fits = LayersError::check_memory(sets.bytes(), self.options.memory);
            fits.map_err(|error| error.at_layer(number, self.options))?;
        }
        let root = (all != EMPTY).then_some(all);
        let index = Layer { levels: sets.levels, root, ..Layer::default() }.index()?;
        if index.len() == record.places { Ok(index) } else { Err(NONSENSE) }
    }

    /// Forgets values of later layers, if there is else no room to put a whole layer together.
    pub fn make_room(&mut self, number: usize) {
        let Some(memory) = self.options.memory else { return };
        let record = &self.records[number];
        let bits = self.backward.forward.rules.outcomes.bits() as u64;
        let per_state = bits + if self.backward.distance { 16 } else { 0 };
        // The nodes with the table that finds them, the index, and what a store makes of values.
        let needed = record.bytes * 6 + record.places / 8 * per_state * 3;
        let known = self.backward.known.values();
        let held: u64 = known.map(|known| known.target.bytes() + known.values.bytes_here()).sum();
        if needed + held + self.backward.forward.bytes() > memory {
            self.backward.known.clear();
            self.held.clear();
        }
    }

    /// What is known in the end, given the tallies of every layer and the value of the start.
    pub fn solution(&self, tallies: &[Vec<Tally>]) -> Solution {
        let forward = &self.backward.forward;
        let none: Vec<Tally> = vec![];
        let layers = self.records.iter().enumerate();
        let layers = layers.map(|(i, record)| record.summary(tallies.get(i).unwrap_or(&none)));
        let none_stays = forward.roots.iter().all(|root| root.gain != 0);
        Solution {
            blocks: forward.rules.frame.blocks.clone(),
            outcomes: forward.rules.outcomes.clone(),
            layering: forward.layering.clone(),
            layers: layers.collect(),
            value: None,
            remoteness: Lasts::Unknown,
            found_by_leaves: 0,
            every_move_leaves: none_stays || self.records.iter().all(|record| record.all_leave),
            kept: self.kept,
        }
    }
}

/// The outcomes that occur.
pub(super) fn ends(records: &[LayerRecord]) -> Vec<Code> {
    let ends = records.iter().flat_map(|record| &record.terminal).filter(|end| end.1 > 0);
    ends.map(|&(code, _)| code).collect()
}

/// Puts bits at a place of a plane that has zeros there.
fn append(to: &mut [u64], at: u64, from: &[u64], len: u64) {
    let (first, shift) = ((at / 64) as usize, at % 64);
    for word in 0..len.div_ceil(64) as usize {
        let left = len - word as u64 * 64;
        let bits = if left < 64 { from[word] & ((1 << left) - 1) } else { from[word] };
        to[first + word] |= bits << shift;
        if shift > 0 {
            to[first + word + 1] |= bits >> (64 - shift);
        }
    }
}

impl UnitValues {
    fn to_bytes(&self) -> Result<Vec<u8>, LayersError> {
        let mut out = vec![];
        put(&mut out, self.tallies.len() as u64);
        for tally in &self.tallies {
            put(&mut out, tally.len() as u64);
            tally.iter().for_each(|&n| put(&mut out, n));
        }
        put(&mut out, self.codes.len());
        put(&mut out, self.codes.planes.len() as u64);
        put(&mut out, u64::from(!self.distances.is_empty()));
        for plane in &self.codes.planes {
            let words = &plane[..self.codes.len().div_ceil(64) as usize];
            words.iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
        }
        self.distances.iter().for_each(|distance| out.extend_from_slice(&distance.to_le_bytes()));
        pressed(&out)
    }

    fn from_bytes(bytes: &[u8], room: Option<u64>) -> Result<Self, LayersError> {
        let raw = unpressed(bytes, room)?;
        let mut bytes = Bytes(&raw);
        let mut tallies = vec![];
        for _ in 0..bytes.len()? {
            let len = bytes.len()?;
            tallies.push((0..len).map(|_| bytes.get()).collect::<Result<Tally, _>>()?);
        }
        let (len, bits, far) = (bytes.get()?, bytes.get()?, bytes.get()? == 1);
        let words = len.div_ceil(64) as usize;
        if words.saturating_mul(8).saturating_mul(bits as usize) > bytes.0.len() {
            return Err(NONSENSE);
        }
        let mut codes = Planes::new(len, bits as usize);
        for plane in &mut codes.planes {
            for (word, bytes) in plane.iter_mut().zip(bytes.take(words * 8)?.chunks_exact(8)) {
                *word = u64::from_le_bytes(bytes.try_into().unwrap_or_default());
            }
        }
        let distances = match far {
            false => vec![],
            true => {
                let bytes = bytes.take(len as usize * 2)?.chunks_exact(2);
                bytes.map(|b| Distance::from_le_bytes([b[0], b[1]])).collect()
            }
        };
        Ok(UnitValues { codes, distances, tallies })
    }
}
