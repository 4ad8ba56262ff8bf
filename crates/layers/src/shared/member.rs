//! One of the processes that solve a game together: the forward pass.

use crate::backward::leaves::{Candidates, LEAVES_NEED};
use crate::error::LayersError;
use crate::forward::search::Forward;
use crate::observer::{Plan, Refusal};
use crate::options::{Form, Options};
use crate::sets::layer::Layer;
use crate::shared::agree::Shared;
use crate::shared::by_leaves::fit;
use crate::shared::owners::{Key, Keys, Owners};
use crate::shared::peers::Peers;
use crate::shared::pieces::{Piece, each_prefix};
use crate::shared::record::{LayerRecord, MoverRecord, PieceRecord};
use crate::shared::solver::{Solver, Source};
use crate::solve::prepare;
use std::collections::BTreeMap;
use std::sync::Arc;
use winset_model::Game;

/// Pieces of a layer that one process has found, at most.
const PIECES: u64 = 8;

/// Every process finds all states of a layer by itself while their diagrams take no more: that is faster than sending
/// them, however many processes there are.
const SMALL: u64 = 16 << 20;

/// And no more than an n-th of the memory.
const SMALL_PART: u64 = 24;

/// What a process that solves a game with others has in the forward pass.
pub struct Member<'a> {
    game: &'a Game,
    options: &'a Options,
    forward: Forward,
    /// With whom states are shared, while every process still finds all of them by itself.
    alone: Option<Shared>,
    /// Layers before this one were expanded by everybody.
    by_all: usize,
    /// Diagrams that take more are shared.
    small: u64,
    /// A piece has at least n states, if its process has as many.
    least: u64,
    records: Vec<LayerRecord>,
    /// In layers from here on the moves from own states are known.
    expanded_from: usize,
    /// What this process has seen of states that might be leaves, unless values are to be kept by rank.
    candidates: Option<Candidates>,
}

/// Keeps a piece of a layer: its number, what is known of the piece, and its bytes.
pub type Keep<'a> = dyn FnMut(usize, &PieceRecord, Vec<u8>) -> Result<(), Refusal> + 'a;

/// A layer that has been found.
pub struct Found<'a> {
    /// Its number.
    pub number: usize,
    /// What all know of it.
    pub record: &'a LayerRecord,
}

impl<'a> Member<'a> {
    /// Nothing found yet. Pieces have at least n states where there are as many.
    pub fn new(
        game: &'a Game,
        options: &'a Options,
        peers: Arc<dyn Peers>,
        least: u64,
    ) -> Result<Self, LayersError> {
        let forward = prepare(game, options, &mut |_| ())?;
        if forward.by_plies {
            return Err(LayersError::Past("layers by plies cannot be shared"));
        }
        // What might be a leaf is in one piece.
        let blocks = forward.digits.len();
        let first =
            if options.distance { blocks } else { Candidates::new(&forward.digits).first_level(blocks) };
        let keys = Keys::new(&forward.digits[..first]);
        let owners = Owners::even(peers.size(), &keys);
        let alone = Some(Shared { peers, keys, owners });
        let memory = options.memory.unwrap_or(u64::MAX);
        let small = options.small.unwrap_or(SMALL.min(memory / SMALL_PART));
        let forward = forward.with_leaves(options);
        let roomy = options.form == Form::Leaves || options.memory.is_none_or(|memory| memory >= LEAVES_NEED);
        let by_leaves = roomy && options.form != Form::Ranks && !options.distance;
        let candidates = by_leaves.then(|| Candidates::new(&forward.digits));
        let (records, expanded_from, by_all) = (vec![], 0, 0);
        Ok(Member { game, options, forward, alone, by_all, small, least, records, expanded_from, candidates })
    }

    /// How the work is done.
    pub fn plan(&self) -> Plan<'_> {
        let Forward { rules, layering, .. } = &self.forward;
        Plan { blocks: &rules.frame.blocks, layering, outcomes: &rules.outcomes }
    }

    /// Goes on after layers that were found before; `complete` if there are no others.
    pub fn go_on(
        &mut self,
        records: Vec<LayerRecord>,
        complete: bool,
        source: &dyn Source,
    ) -> Result<(), LayersError> {
        let Some(last) = records.last() else { return Ok(()) };
        // Each has a part of what was found.
        let forward = &mut self.forward;
        (forward.shared, forward.leaves) = (self.alone.take(), None);
        for rewards in &last.codes {
            forward.rules.outcomes.add(*rewards)?;
        }
        if forward.rules.outcomes.table() != last.codes {
            return Err(LayersError::Past("the outcomes have other numbers"));
        }
        let Some(shared) = &mut forward.shared else { return Ok(()) };
        if last.pieces.iter().any(|piece| piece.last >= shared.keys.end() || piece.first > piece.last) {
            return Err(LayersError::Past("the blocks have other digits"));
        }
        let states: Vec<(Key, u64)> = last.pieces.iter().map(|piece| (piece.first, piece.states)).collect();
        shared.owners = shared.owners.after(&shared.keys, &states);
        let (keys, mine) = (shared.keys.clone(), shared.owners.run(shared.peers.rank()));
        let (rank, size) = (shared.peers.rank(), shared.peers.size());
        forward.initial = None;
        forward.ahead.clear();
        if !complete {
            let greatest = forward.greatest_gain();
            for (number, record) in records.iter().enumerate() {
                let gains = forward.roots.iter().map(|root| record.measure + root.gain);
                forward.ahead.extend(gains.filter(|&measure| measure > last.measure));
                if record.measure + greatest <= last.measure {
                    continue;
                }
                let mut pieces = vec![];
                for piece in &record.pieces {
                    if piece.first < mine.end && mine.start <= piece.last {
                        let bytes = source.states(number, piece).map_err(LayersError::Source)?;
                        pieces.push(Piece::from_bytes(&bytes, &forward.digits, self.options.memory)?);
                    }
                }
                let layer = Piece::join(pieces, forward.digits.len(), &keys, mine.clone())?.layer(record);
                forward.recent.insert(record.measure, Arc::new(layer));
            }
        }
        // What was seen then is seen again, each piece by one of all.
        let all = records.iter().enumerate();
        let all = all.flat_map(|(number, record)| record.pieces.iter().map(move |piece| (number, piece)));
        for (number, piece) in all.skip(rank).step_by(size) {
            if let Some(candidates) = &mut self.candidates {
                let bytes = source.states(number, piece).map_err(LayersError::Source)?;
                let piece = Piece::from_bytes(&bytes, &forward.digits, self.options.memory)?;
                candidates.add(&piece.layer(&records[number]));
            }
        }
        (self.expanded_from, self.records) = (records.len(), records);
        Ok(())
    }

    /// Finds the next layer. `keep` gets the own pieces of it, with their first digits, before anybody says that it has
    /// been found. None if there is no other.
    pub fn next_layer(&mut self, keep: &mut Keep<'_>) -> Result<Option<Found<'_>>, LayersError> {
        let number = self.records.len();
        let memory = self.options.memory;
        let used = self.forward.bytes();
        let fits = LayersError::check_memory(used, memory);
        fits.map_err(|error| error.at_layer(number, self.options))?;
        let budget = memory.map(|memory| memory - used);
        let found = self.forward.next_layer(self.game, budget);
        let Some(layer) = found.map_err(|error| error.at_layer(number, self.options))? else {
            return Ok(None);
        };
        let Some(shared) = self.alone.clone().or(self.forward.shared.clone()) else { return Ok(None) };
        let mut states = states_of_keys(&layer, &shared.keys);
        let mut mine = record_of(&layer);
        if self.alone.is_some() {
            // All have found all of it, and each keeps its own part.
            let all = states.clone();
            states.retain(|(key, _)| shared.owners.run(shared.peers.rank()).contains(key));
            self.keep_pieces(number, &layer, &shared, &states, &mut mine, keep)?;
            let record = self.agree_on_pieces(&shared, mine, &all)?;
            self.records.push(record);
            if layer.bytes() > self.small {
                self.share()?;
            }
            return Ok(self.records.last().map(|record| Found { number, record }));
        }
        self.keep_pieces(number, &layer, &shared, &states, &mut mine, keep)?;
        let record = self.agree(&shared, mine, &states)?;
        self.records.push(record);
        Ok(self.records.last().map(|record| Found { number, record }))
    }

    /// Hands over the own pieces of a layer.
    fn keep_pieces(
        &mut self,
        number: usize,
        layer: &Layer,
        shared: &Shared,
        states: &[(Key, u64)],
        mine: &mut LayerRecord,
        keep: &mut Keep<'_>,
    ) -> Result<(), LayersError> {
        let slots = Piece::slots_of(layer);
        for run in cut(states, self.least, shared.keys.width()) {
            let piece = Piece::cut(&layer.levels, &slots, &shared.keys, run[0].0..run[run.len() - 1].0 + 1);
            let record = PieceRecord {
                first: run[0].0,
                last: run[run.len() - 1].0,
                states: run.iter().map(|&(_, n)| n).sum(),
                bytes: piece.levels.iter().map(|l| (l.start.len() * 4 + l.digit.len() * 6) as u64).sum(),
            };
            keep(number, &record, piece.to_bytes()?).map_err(LayersError::Sink)?;
            if let Some(candidates) = &mut self.candidates {
                candidates.add(&piece.layer(mine));
            }
            mine.pieces.push(record);
        }
        Ok(())
    }

    /// From the next layer on each process has only the own states.
    fn share(&mut self) -> Result<(), LayersError> {
        let Some(shared) = self.alone.take() else { return Ok(()) };
        let run = shared.owners.run(shared.peers.rank());
        let greatest = self.forward.greatest_gain();
        let last = self.records.last().map_or(0, |record| record.measure);
        self.by_all = self.records.iter().take_while(|record| record.measure + greatest <= last).count();
        for (measure, layer) in &mut self.forward.recent {
            let Some(record) = self.records.iter().find(|record| record.measure == *measure) else {
                continue;
            };
            let piece = Piece::cut(&layer.levels, &Piece::slots_of(layer), &shared.keys, run.clone());
            *layer = Arc::new(piece.layer(record));
        }
        (self.forward.shared, self.forward.leaves) = (Some(shared), None);
        // Pieces of these layers were kept by whoever owned them then.
        self.expanded_from = self.records.len();
        Ok(())
    }

    /// What all say of a layer that all have found: everybody has kept some of its pieces.
    fn agree_on_pieces(
        &mut self,
        shared: &Shared,
        mine: LayerRecord,
        states: &[(Key, u64)],
    ) -> Result<LayerRecord, LayersError> {
        let mut all = LayerRecord { pieces: vec![], ..mine.clone() };
        let theirs = shared.gather(&mine.to_bytes())?;
        for theirs in &theirs {
            let record = LayerRecord::from_bytes(theirs)?;
            if (record.measure, record.positions, record.places) != (all.measure, all.positions, all.places) {
                return Err(LayersError::Past("processes find different layers"));
            }
            all.pieces.extend(record.pieces);
        }
        self.complete(&mut all);
        if let Some(shared) = &mut self.alone {
            shared.owners = shared.owners.after(&shared.keys, states);
        }
        Ok(all)
    }

    /// Adds what follows from the moves.
    fn complete(&self, all: &mut LayerRecord) {
        all.codes = self.forward.rules.outcomes.table().to_vec();
        let stays = |mover: &MoverRecord| {
            let mut roots = self.forward.roots.iter();
            roots.any(|root| root.gain == 0 && root.player == mover.player && root.kind == mover.kind)
        };
        all.whole = !all.all_leave && all.movers.iter().any(stays);
    }

    /// What all say of a layer, of which each knows its own states.
    fn agree(
        &mut self,
        shared: &Shared,
        mine: LayerRecord,
        states: &[(Key, u64)],
    ) -> Result<LayerRecord, LayersError> {
        use crate::shared::bytes::{Bytes, put};
        let mut out = vec![];
        let record = mine.to_bytes();
        put(&mut out, record.len() as u64);
        out.extend(record);
        put(&mut out, states.len() as u64);
        for &(key, n) in states {
            put(&mut out, key);
            put(&mut out, n);
        }
        let mut all = LayerRecord { pieces: vec![], positions: 0, places: 0, nodes: 0, bytes: 0, ..mine };
        let (mut terminal, mut movers) = (BTreeMap::new(), BTreeMap::new());
        let mut by_key = vec![];
        for theirs in shared.gather(&out)? {
            let mut bytes = Bytes(&theirs);
            let len = bytes.len()?;
            let record = LayerRecord::from_bytes(bytes.take(len)?)?;
            for _ in 0..bytes.len()? {
                by_key.push((bytes.get()?, bytes.get()?));
            }
            all.positions += record.positions;
            all.places += record.places;
            all.nodes += record.nodes;
            all.bytes += record.bytes;
            all.pieces.extend(record.pieces);
            record.terminal.iter().for_each(|&(code, n)| *terminal.entry(code).or_insert(0) += n);
            for mover in record.movers {
                *movers.entry((mover.player, mover.kind)).or_insert(0) += mover.states;
            }
        }
        all.terminal = terminal.into_iter().collect();
        all.movers =
            movers.into_iter().map(|((player, kind), states)| MoverRecord { player, kind, states }).collect();
        self.complete(&mut all);
        for mover in &all.movers {
            let moves =
                self.forward.roots.iter().filter(|r| r.player == mover.player && r.kind == mover.kind);
            let ahead = moves.map(|root| root.gain).filter(|&gain| gain > 0);
            self.forward.ahead.extend(ahead.map(|gain| all.measure + gain));
        }
        if let Some(shared) = &mut self.forward.shared {
            shared.owners = shared.owners.after(&shared.keys, &by_key);
        }
        Ok(all)
    }

    /// The backward pass, when there are no other layers. `by_leaves` if it is known in which form values are kept.
    pub fn into_solver(self, by_leaves: Option<bool>) -> Result<Solver<'a>, LayersError> {
        let Member { game, options, mut forward, alone, mut by_all, records, .. } = self;
        let (expanded_from, candidates) = (self.expanded_from, self.candidates);
        if let Some(shared) = alone {
            by_all = records.len();
            (forward.shared, forward.leaves) = (Some(shared), None);
        }
        if by_leaves == Some(true) && candidates.is_none() {
            return Err(LayersError::Past("an earlier run has kept values in another form"));
        }
        let candidates = candidates.filter(|_| by_leaves != Some(false));
        let leaves = candidates.map(|mine| fit(game, options, &mut forward, &records, mine)).transpose()?;
        let leaves = leaves.unwrap_or(Err("it is asked for, or there is little memory"));
        if by_leaves == Some(true) && leaves.is_err() {
            return Err(LayersError::Past("an earlier run has kept values in another form"));
        }
        Solver::new(game, options, forward, records, (by_all, expanded_from), leaves)
    }
}

/// The number of states with a place of each key, in order.
fn states_of_keys(layer: &Layer, keys: &Keys) -> Vec<(Key, u64)> {
    let mut states = vec![];
    if let Some(root) = layer.root {
        let counts = layer.counts();
        each_prefix(&layer.levels, keys, 0, root, 0, &mut |key, node| {
            states.push((key, counts[keys.cut()][node as usize]));
        });
    }
    states
}

/// Cuts keys into runs with at least n states each, and not too many runs; keys of which `width` belong together are
/// not cut apart.
fn cut(states: &[(Key, u64)], least: u64, width: u64) -> Vec<&[(Key, u64)]> {
    let all: u64 = states.iter().map(|&(_, n)| n).sum();
    let enough = least.max(all.div_ceil(PIECES));
    let (mut runs, mut first, mut sum) = (vec![], 0, 0);
    for (at, &(key, n)) in states.iter().enumerate() {
        sum += n;
        if sum >= enough && states.get(at + 1).is_none_or(|next| next.0 / width != key / width) {
            runs.push(&states[first..=at]);
            (first, sum) = (at + 1, 0);
        }
    }
    if first < states.len() {
        runs.push(&states[first..]);
    }
    runs
}

fn record_of(layer: &Layer) -> LayerRecord {
    LayerRecord {
        measure: layer.measure,
        positions: layer.positions,
        places: layer.len,
        terminal: layer.terminal.clone(),
        movers: layer
            .parts
            .iter()
            .map(|part| MoverRecord { player: part.player, kind: part.kind, states: part.len })
            .collect(),
        nodes: layer.nodes(),
        bytes: layer.bytes(),
        default: layer.default,
        default_unclear: layer.default_unclear,
        all_leave: layer.all_leave,
        ..LayerRecord::default()
    }
}
