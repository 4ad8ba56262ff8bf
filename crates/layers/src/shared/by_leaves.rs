//! The backward pass of several processes where values are kept as leaves.
//!
//! A unit is some parts of a layer, by their first digits, as one process would make them; it is made from the parts of
//! later layers that its moves lead to, which are read one by one as they are needed.

use crate::backward::leaves::{ByLeaves, Candidates, Elsewhere, Facts, Fitting, Name, UnitHead, Walked};
use crate::backward::room::Room;
use crate::backward::tier::Tally;
use crate::error::LayersError;
use crate::forward::search::Forward;
use crate::options::Options;
use crate::rules::conjunction::{Conj, NEVER};
use crate::sets::copy::Copied;
use crate::sets::layer::Layer;
use crate::sets::set::{EMPTY, Node, Sets};
use crate::shared::bytes::{NONSENSE, pressed, unpressed};
use crate::shared::pieces::{Piece, Slot};
use crate::shared::record::LayerRecord;
use crate::shared::solver::{SolvedUnit, Solver, Source, ends};
use rustc_hash::FxHashSet;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use winset_index::{Digit, LeafSource};
use winset_model::{Code, Game};

/// Of the memory an n-th may be taken by parts that others have made, and another by own ones of the layer that is being
/// solved.
const KEPT: u64 = 8;

/// Whether values can be kept as leaves, from what all have seen: the same for all of them.
pub fn fit(
    game: &Game,
    options: &Options,
    forward: &mut Forward,
    records: &[LayerRecord],
    mut mine: Candidates,
) -> Result<Result<Box<ByLeaves>, &'static str>, LayersError> {
    let Some(shared) = forward.shared.clone() else { return Err(NONSENSE) };
    let mut all = Candidates::new(&forward.digits);
    for theirs in shared.gather(&pressed(&mine.seen())?)? {
        all.add_bytes(&unpressed(&theirs, options.memory)?)?;
    }
    let facts = Facts::shared(all, records);
    let fitting = Fitting::new(facts, game, forward, &ends(records), options)?;
    let fingerprint = match &fitting {
        Fitting::Not(_) => None,
        Fitting::Fits(by) => by.fingerprint(records.iter().map(|record| record.measure)),
    };
    let told = fingerprint.map_or(vec![], |number| number.to_le_bytes().to_vec());
    if shared.gather(&told)?.iter().any(|theirs| *theirs != told) {
        return Err(LayersError::Past("processes see different leaves"));
    }
    Ok(match (fitting, fingerprint) {
        (Fitting::Fits(by), Some(_)) => Ok(by),
        (Fitting::Fits(_), None) => Err("leaves cannot be kept"),
        (Fitting::Not(why), _) => Err(why),
    })
}

/// A unit that has been solved.
pub struct LeafUnit {
    walked: Walked,
    measure: i64,
    number: u32,
    /// What is said of its parts.
    pub head: Vec<u8>,
}

impl LeafUnit {
    /// The number of parts.
    pub fn parts(&self) -> usize {
        self.walked.parts.len()
    }

    /// A part, as others read it.
    pub fn part(&self, number: usize) -> io::Result<Vec<u8>> {
        self.walked.packed(number)
    }

    /// The steps that it took.
    pub fn steps(&self) -> u64 {
        self.walked.steps
    }
}

/// The parts of a layer, as their files have them.
struct LayerParts {
    source: Arc<dyn Source>,
    layer: usize,
    /// The names of its units.
    units: Vec<usize>,
}

impl Elsewhere for LayerParts {
    fn part(&self, (unit, part): Name) -> io::Result<Vec<u8>> {
        let unit = self.units.get(unit as usize).copied().unwrap_or(usize::MAX);
        self.source.part(self.layer, unit, part as usize).map_err(io::Error::other)
    }
}

impl Solver<'_> {
    /// The memory for parts that others have made, and as much for own ones.
    fn keep(&self) -> u64 {
        self.options.memory.map_or(u64::MAX, |memory| memory / KEPT)
    }

    pub(super) fn solve_by_leaves(
        &mut self,
        by: &mut ByLeaves,
        number: usize,
        unit: usize,
        own: bool,
        scratch: Option<PathBuf>,
        source: &Arc<dyn Source>,
    ) -> Result<SolvedUnit, LayersError> {
        let record = self.records[number].clone();
        let reach = record.measure + self.backward.forward.greatest_gain();
        by.forget_beyond(reach);
        let later = |record: &LayerRecord, other: &LayerRecord| {
            record.measure < other.measure && other.measure <= reach
        };
        let needed = (0..self.records.len()).filter(|&other| later(&record, &self.records[other]));
        for other in needed.collect::<Vec<usize>>() {
            self.recall(by, other, source)?;
        }
        let layer = self.states(number, unit, source)?.layer(&record);
        if !self.knows_moves(number, own) {
            let known = self.backward.forward.relations.known_ways();
            self.backward.forward.touch(&layer)?;
            if self.backward.forward.relations.known_ways() != known {
                by.forget_moves();
            }
        }
        let used = self.backward.forward.bytes() + layer.bytes();
        let used = used + self.options.memory.map_or(0, |_| self.keep());
        let room = Room {
            budget: self.options.memory.map(|memory| memory.saturating_sub(used)),
            directory: scratch.filter(|_| self.options.memory.or(self.options.values).is_some()),
            values: self.options.values,
            taken: true,
        };
        let walked = self.backward.walk_by_leaves(by, &layer, &room).map_err(LayersError::of_source)?;
        let Some(walked) = walked else { return Err(self.why_not(by, &layer, &room)?) };
        let head = walked.head().to_bytes();
        Ok(SolvedUnit::Leaves(Box::new(LeafUnit {
            walked,
            measure: record.measure,
            number: unit as u32,
            head,
        })))
    }

    /// A unit has been kept for all: what is in memory of it may stay for a while.
    pub fn kept(&mut self, unit: LeafUnit) {
        self.stash.add(unit.measure, unit.number, unit.walked, self.keep());
    }

    /// What its units say of a layer.
    fn heads(
        &self,
        by: &ByLeaves,
        number: usize,
        source: &Arc<dyn Source>,
    ) -> Result<Vec<UnitHead>, LayersError> {
        let record = &self.records[number];
        let head = |unit: usize| {
            let bytes = source.head(number, record.pieces_of(unit).start).map_err(LayersError::Source)?;
            UnitHead::from_bytes(&bytes, &self.backward.digits, by.first_digits().1)
        };
        (0..record.units()).map(head).collect()
    }

    /// Sees that the values of a layer can be read.
    fn recall(
        &mut self,
        by: &mut ByLeaves,
        number: usize,
        source: &Arc<dyn Source>,
    ) -> Result<(), LayersError> {
        let record = &self.records[number];
        if by.knows(record.measure) {
            return Ok(());
        }
        let heads = self.heads(by, number, source)?;
        let units = (0..record.units()).map(|unit| record.pieces_of(unit).start).collect();
        let parts = LayerParts { source: source.clone(), layer: number, units };
        // As many layers as moves can reach from one share the memory, and that one itself.
        let layers = self.backward.forward.greatest_gain().max(1) as u64 + 1;
        let keep = if self.options.memory.is_some() { self.keep() / layers } else { u64::MAX };
        by.share(record.measure, heads, Arc::new(parts), (keep, &mut self.stash), &self.backward.digits)
    }

    /// The states of a unit, of which equal ones below the same level are one: as one process has them.
    fn states(&self, number: usize, unit: usize, source: &Arc<dyn Source>) -> Result<Piece, LayersError> {
        let pieces = self.records[number].pieces_of(unit);
        if pieces.len() == 1 {
            return self.piece(number, pieces.start, source);
        }
        let mut sets = Sets::new(self.backward.digits.len());
        let mut slots: Vec<(Slot, Node)> = vec![];
        for piece in pieces {
            let piece = self.piece(number, piece, source)?;
            let mut copied = Copied::new(&piece.levels);
            for &(slot, root) in &piece.slots {
                let root = copied.copy(&piece.levels, &mut sets, 0, root);
                match slots.iter_mut().find(|(other, _)| *other == slot) {
                    Some((_, all)) => *all = sets.union(0, *all, root),
                    None => slots.push((slot, root)),
                }
            }
            sets.check()?;
            LayersError::check_memory(sets.bytes(), self.options.memory)?;
        }
        slots.sort_unstable();
        Ok(Piece::cut(&sets.levels, &slots, &self.keys, 0..self.keys.end()))
    }

    /// Why a unit could not be solved as one process would.
    fn why_not(&mut self, by: &ByLeaves, layer: &Layer, room: &Room) -> Result<LayersError, LayersError> {
        if let Some(part) = layer.parts.first()
            && self.backward.is_stuck(by, layer, part, room.budget)?
            && let Some(digits) = self.stuck_state(by, layer)
        {
            return Ok(self.backward.stuck(&digits));
        }
        let free = room.budget.unwrap_or(u64::MAX);
        Ok(LayersError::memory(free.saturating_mul(2), free))
    }

    /// The digits of a state without a move.
    fn stuck_state(&mut self, by: &ByLeaves, layer: &Layer) -> Option<Vec<Digit>> {
        let part = layer.parts.first()?;
        let Forward { rules, conjs, .. } = &mut self.backward.forward;
        let stuck = conjs.intern(by.is_stuck_if(part.player).to_vec());
        let mut open: Vec<(usize, Node, Conj, Vec<Digit>)> = vec![(0, part.root, stuck, vec![])];
        let mut seen = FxHashSet::default();
        while let Some((level, node, conj, digits)) = open.pop() {
            if level == layer.levels.len() {
                return Some(digits);
            }
            let here = &layer.levels[level];
            for at in here.edges(node) {
                let (digit, child) = (here.digit[at], here.child[at]);
                let rest = conjs.step(rules, level, conj, digit);
                if rest != NEVER && seen.insert((level, child, rest)) {
                    let digits = digits.iter().copied().chain([digit]).collect();
                    open.push((level + 1, child, rest, digits));
                }
            }
        }
        None
    }

    /// The values of a layer, all of whose units are solved, on their way to a store; and how many states of each mover have
    /// each outcome.
    pub fn with_leaves<T>(
        &mut self,
        number: usize,
        source: &Arc<dyn Source>,
        take: impl FnOnce(&[LayerRecord], Vec<Tally>, &dyn LeafSource) -> T,
    ) -> Result<T, LayersError> {
        let Some(mut by) = self.backward.leaves.take() else { return Err(NONSENSE) };
        let taken = self.take_leaves(&mut by, number, source, take);
        self.backward.leaves = Some(by);
        taken
    }

    fn take_leaves<T>(
        &mut self,
        by: &mut ByLeaves,
        number: usize,
        source: &Arc<dyn Source>,
        take: impl FnOnce(&[LayerRecord], Vec<Tally>, &dyn LeafSource) -> T,
    ) -> Result<T, LayersError> {
        // Whoever only writes has no use for later ones.
        by.forget_beyond(self.records[number].measure + self.backward.forward.greatest_gain());
        self.recall(by, number, source)?;
        let record = &self.records[number];
        let heads = self.heads(by, number, source)?;
        let codes = self.backward.forward.rules.outcomes.len();
        let tally = |states: u64| by.tally(record.measure, codes, &heads, states);
        let tallies = record.movers.iter().map(|mover| tally(mover.states)).collect::<Result<_, _>>()?;
        let layer = Layer { measure: record.measure, ..Layer::default() };
        let leaves = by.solved(&layer, &self.backward.digits).ok_or(NONSENSE)?;
        Ok(take(&self.records, tallies, &leaves))
    }

    /// The code of the start; none if it has no place.
    pub fn start(&mut self, source: &Arc<dyn Source>) -> Result<Option<Code>, LayersError> {
        let Some(mut by) = self.backward.leaves.take() else { return Err(NONSENSE) };
        let found = self.start_by_leaves(&mut by, source);
        self.backward.leaves = Some(by);
        found
    }

    fn start_by_leaves(
        &mut self,
        by: &mut ByLeaves,
        source: &Arc<dyn Source>,
    ) -> Result<Option<Code>, LayersError> {
        let Some(record) = self.records.first().cloned() else { return Ok(None) };
        self.recall(by, 0, source)?;
        let frame = &self.backward.forward.rules.frame;
        let digits = frame.blocks.digits(self.backward.game.initial()).unwrap_or_default();
        for unit in 0..record.units() {
            let layer = self.states(0, unit, source)?.layer(&record);
            if layer.root.is_none_or(|root| root == EMPTY) {
                continue;
            }
            let code = by.code(&layer, &digits, &self.backward.digits);
            let code = code.map_err(|error| LayersError::of_source(LayersError::io(&None, error)))?;
            if code.is_some() {
                return Ok(code);
            }
        }
        Ok(None)
    }
}
