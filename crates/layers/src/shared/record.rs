//! What all know of a layer that several processes have found.

use crate::error::LayersError;
use crate::sets::layer::Kind;
use crate::shared::bytes::{Bytes, NONSENSE, put, put_signed};
use crate::shared::owners::Key;
use crate::solution::{Movers, Summary};
use std::ops::Range;
use winset_model::{Code, Player, Rewards};

/// States of a layer that are not terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoverRecord {
    /// Who moves.
    pub player: Player,
    pub(crate) kind: Kind,
    /// How many there are.
    pub states: u64,
}

/// A piece of a layer: the states with some first digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PieceRecord {
    /// The first and the last of the first digits, as numbers.
    pub first: u64,
    /// See there.
    pub last: u64,
    /// The number of states that have a place.
    pub states: u64,
    /// About the memory that its diagram takes.
    pub bytes: u64,
}

/// What is known of a whole layer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LayerRecord {
    /// The value of the measure.
    pub measure: i64,
    /// The number of states.
    pub positions: u64,
    /// The number of states that have a place.
    pub places: u64,
    /// The number of terminal states by code.
    pub terminal: Vec<(Code, u64)>,
    /// The other states, by player.
    pub movers: Vec<MoverRecord>,
    /// The rewards of every code found so far.
    pub codes: Vec<Rewards>,
    /// The number of nodes of all pieces.
    pub nodes: u64,
    /// The memory that their diagrams take.
    pub bytes: u64,
    /// The pieces, in the order of their first digits.
    pub pieces: Vec<PieceRecord>,
    /// Moves can stay inside the layer, so that all of its pieces are solved at once.
    pub whole: bool,
    /// The first pieces of units that are more than a piece each, and the number of pieces; empty if none is.
    pub(crate) joined: Vec<usize>,
    pub(crate) default: Option<Code>,
    /// Terminal states without a place may have ended under conditions that do not show their rewards.
    pub default_unclear: bool,
    pub(crate) all_leave: bool,
}

impl LayerRecord {
    /// How many times something is solved by itself: each piece, or all of them at once.
    pub fn units(&self) -> usize {
        match (self.whole, self.joined.len()) {
            (true, _) => self.pieces.len().min(1),
            (false, 0) => self.pieces.len(),
            (false, bounds) => bounds - 1,
        }
    }

    /// The pieces of a unit.
    pub fn pieces_of(&self, unit: usize) -> Range<usize> {
        match (self.whole, &self.joined[..]) {
            (true, _) => 0..self.pieces.len(),
            (false, []) => unit..unit + 1,
            (false, bounds) => bounds[unit]..bounds[unit + 1],
        }
    }

    /// Joins pieces to units where first digits, as numbers of which each `width` belong together, are in two of them.
    pub(crate) fn join(&mut self, width: u64) {
        let apart = |i: &usize| *i == 0 || self.pieces[*i].first / width != self.pieces[*i - 1].last / width;
        let mut bounds: Vec<usize> = (0..self.pieces.len()).filter(apart).collect();
        bounds.push(self.pieces.len());
        self.joined = if bounds.len() <= self.pieces.len() { bounds } else { vec![] };
    }

    /// The name of a unit: its first piece.
    pub fn name_of(&self, unit: usize) -> usize {
        self.pieces_of(unit).start
    }

    /// The number of states of a unit.
    pub fn states_of(&self, unit: usize) -> u64 {
        self.pieces[self.pieces_of(unit)].iter().map(|piece| piece.states).sum()
    }

    /// The first digits of a unit, as numbers.
    pub(crate) fn run_of(&self, unit: usize) -> Range<Key> {
        let pieces = &self.pieces[self.pieces_of(unit)];
        pieces.first().map_or(0, |piece| piece.first)..pieces.last().map_or(0, |piece| piece.last + 1)
    }

    /// The outcome of terminal states without a place.
    pub fn unplaced(&self) -> Option<Code> {
        self.default
    }

    /// Who is to move in the whole layer, if it is always the same player.
    pub fn mover(&self) -> Option<Player> {
        let first = self.movers.first()?.player;
        self.movers.iter().all(|mover| mover.player == first).then_some(first)
    }

    /// The same as a process by itself says it; how many states of each part have each outcome, if it is solved.
    pub fn summary(&self, tallies: &[Vec<u64>]) -> Summary {
        let mut movers: Vec<Movers> = vec![];
        for (i, mover) in self.movers.iter().enumerate() {
            let at = movers.iter().position(|m| m.player == mover.player).unwrap_or(movers.len());
            if at == movers.len() {
                movers.push(Movers { player: mover.player, states: 0, by_code: vec![] });
            }
            let sum = &mut movers[at];
            sum.states += mover.states;
            let tally = tallies.get(i).map_or(&[][..], Vec::as_slice);
            sum.by_code.resize(tally.len().max(sum.by_code.len()), 0);
            sum.by_code.iter_mut().zip(tally).for_each(|(sum, n)| *sum += n);
        }
        Summary {
            measure: self.measure,
            positions: self.positions,
            unclear: self.default_unclear,
            terminal: self.terminal.clone(),
            movers,
            places: self.places,
            nodes: self.nodes,
            bytes: self.bytes,
        }
    }

    /// The record as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = vec![];
        put_signed(&mut out, self.measure);
        let flags = u64::from(self.whole)
            | u64::from(self.default_unclear) << 1
            | u64::from(self.all_leave) << 2
            | u64::from(self.default.is_some()) << 3;
        let numbers =
            [flags, self.default.unwrap_or(0).into(), self.positions, self.places, self.nodes, self.bytes];
        numbers.into_iter().for_each(|n| put(&mut out, n));
        put(&mut out, self.terminal.len() as u64);
        for &(code, n) in &self.terminal {
            put(&mut out, code.into());
            put(&mut out, n);
        }
        put(&mut out, self.movers.len() as u64);
        for mover in &self.movers {
            [mover.player.index() as u64, mover.kind.number(), mover.states]
                .into_iter()
                .for_each(|n| put(&mut out, n));
        }
        put(&mut out, self.codes.len() as u64);
        for rewards in &self.codes {
            put(&mut out, rewards.len() as u64);
            out.extend(rewards.iter());
        }
        put(&mut out, self.pieces.len() as u64);
        for piece in &self.pieces {
            [piece.first, piece.last, piece.states, piece.bytes].into_iter().for_each(|n| put(&mut out, n));
        }
        out
    }

    /// The record that was written as these bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, LayersError> {
        let mut bytes = Bytes(bytes);
        let code = |n: u64| Code::try_from(n).map_err(|_| NONSENSE);
        let measure = bytes.get_signed()?;
        let flags = bytes.get()?;
        let default = code(bytes.get()?)?;
        let mut record = LayerRecord {
            measure,
            whole: flags & 1 != 0,
            default_unclear: flags & 2 != 0,
            all_leave: flags & 4 != 0,
            default: (flags & 8 != 0).then_some(default),
            positions: bytes.get()?,
            places: bytes.get()?,
            nodes: bytes.get()?,
            bytes: bytes.get()?,
            ..LayerRecord::default()
        };
        for _ in 0..bytes.len()? {
            record.terminal.push((code(bytes.get()?)?, bytes.get()?));
        }
        for _ in 0..bytes.len()? {
            let player = Player(u8::try_from(bytes.get()?).map_err(|_| NONSENSE)?);
            let kind = Kind::of_number(bytes.get()?).ok_or(NONSENSE)?;
            record.movers.push(MoverRecord { player, kind, states: bytes.get()? });
        }
        for _ in 0..bytes.len()? {
            let players = bytes.len()?;
            record.codes.push(bytes.take(players)?.iter().copied().collect());
        }
        for _ in 0..bytes.len()? {
            let [first, last, states, size] = [bytes.get()?, bytes.get()?, bytes.get()?, bytes.get()?];
            record.pieces.push(PieceRecord { first, last, states, bytes: size });
        }
        Ok(record)
    }
}
