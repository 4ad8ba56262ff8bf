//! Who solves which unit: process 0 hands them out.
//!
//! A layer's units are divided among the processes in runs of about as much work, so that neighbours, which need much the
//! same, are solved in one place. Everybody takes the largest of the own run first, and then those of whoever has most left.
//! What a state will cost is what those with the same first digits did in the layer solved before.

use crate::error::ClusterError;
use crate::transport::{Tag, Transport};
use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;
use winset_layers::shared::LayerRecord;

/// Something to do, or that was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// A unit of a layer is to be solved.
    Unit(usize, usize),
    /// The set of a layer is to be written into the store.
    Set(usize),
    /// The values of a layer are.
    Values(usize),
    /// There is nothing more to do.
    Over,
    /// Nothing more is to be done.
    Stop,
    /// Nothing yet.
    Nothing,
}

impl Task {
    fn to_bytes(self, stop: bool, cost: u64) -> Vec<u8> {
        let [kind, layer, unit] = match self {
            Task::Unit(layer, unit) => [0, layer, unit],
            Task::Set(layer) => [1, layer, 0],
            Task::Values(layer) => [2, layer, 0],
            Task::Over => [3, 0, 0],
            Task::Stop => [4, 0, 0],
            Task::Nothing => [5, 0, 0],
        };
        let numbers = [kind, layer, unit, usize::from(stop), cost as usize];
        numbers.into_iter().flat_map(|n| (n as u64).to_le_bytes()).collect()
    }

    fn from_bytes(bytes: &[u8]) -> (Self, bool, u64) {
        let number = |at: usize| {
            let bytes = bytes.get(at * 8..at * 8 + 8).and_then(|b| b.try_into().ok());
            bytes.map_or(0, u64::from_le_bytes) as usize
        };
        let task = match number(0) {
            0 => Task::Unit(number(1), number(2)),
            1 => Task::Set(number(1)),
            2 => Task::Values(number(1)),
            3 => Task::Over,
            4 => Task::Stop,
            _ => Task::Nothing,
        };
        (task, number(3) == 1, number(4) as u64)
    }
}

/// Says that something was done and what it cost, and asks for the next task.
pub fn ask(transport: &dyn Transport, done: Task, cost: u64, stop: bool) -> Result<Task, ClusterError> {
    transport.send(0, Tag::Ask, &done.to_bytes(stop, cost))?;
    let (_, answer) = transport.receive(Some(0), Tag::Answer)?;
    Ok(Task::from_bytes(&answer).0)
}

/// The number of states of every unit of a layer.
pub fn states(record: &LayerRecord) -> Vec<u64> {
    (0..record.units()).map(|unit| record.states_of(unit)).collect()
}

/// The run of units of these weights that a process should have, so that all have about as much.
pub fn run(weights: &[u64], rank: usize, size: usize) -> Range<usize> {
    let all: u128 = weights.iter().copied().map(u128::from).sum();
    let mut bounds = vec![];
    let mut before = 0u128;
    for (unit, &weight) in weights.iter().enumerate() {
        let weight = u128::from(weight);
        // The unit belongs to whoever has its middle.
        let owner = ((2 * before + weight) * size as u128 / (2 * all).max(1)).min(size as u128 - 1) as usize;
        while bounds.len() <= owner {
            bounds.push(unit);
        }
        before += weight;
    }
    bounds.resize(size + 1, weights.len());
    bounds[rank]..bounds[rank + 1]
}

/// What the units of a layer have cost.
#[derive(Default)]
struct Costs(Vec<Cost>);

struct Cost {
    first: u64,
    states: u64,
    cost: u64,
}

impl Costs {
    fn add(&mut self, record: &LayerRecord, unit: usize, cost: u64) {
        let first = record.pieces[record.name_of(unit)].first;
        self.0.push(Cost { first, states: record.states_of(unit), cost });
        self.0.sort_by_key(|cost| cost.first);
    }

    /// What the units of another layer will cost.
    fn of(&self, record: &LayerRecord) -> Vec<u64> {
        let weight = |unit: usize| {
            let (first, states) = (record.pieces[record.name_of(unit)].first, record.states_of(unit));
            let at = self.0.partition_point(|cost| cost.first <= first);
            match self.0.get(at.saturating_sub(1)) {
                Some(seen) if seen.states > 0 => {
                    let cost = u128::from(states) * u128::from(seen.cost) / u128::from(seen.states);
                    u64::try_from(cost).unwrap_or(u64::MAX)
                }
                _ => states,
            }
        };
        (0..record.units()).map(weight).collect()
    }
}

/// What process 0 knows of the work.
pub struct Farm<'a> {
    records: &'a [LayerRecord],
    size: usize,
    /// The layer that is being solved; those after it are.
    layer: Option<usize>,
    /// Its units that nobody has taken, and those that are not done.
    free: BTreeSet<usize>,
    open: BTreeSet<usize>,
    /// What they are expected to cost, and what they did.
    weights: Vec<u64>,
    costs: Costs,
    /// What process 0 has to write.
    sets: VecDeque<usize>,
    values: VecDeque<usize>,
    waiting: BTreeSet<usize>,
    stopping: bool,
    /// Whose values are there from an earlier run.
    solved: &'a dyn Fn(usize, usize) -> bool,
    /// Units that were taken from somebody else's run.
    pub moved: u64,
}

impl<'a> Farm<'a> {
    /// All layers are to be written, and all units to be solved that are not yet.
    pub fn new(records: &'a [LayerRecord], size: usize, solved: &'a dyn Fn(usize, usize) -> bool) -> Self {
        let mut farm = Farm {
            records,
            size,
            layer: Some(records.len()),
            free: BTreeSet::new(),
            open: BTreeSet::new(),
            weights: vec![],
            costs: Costs::default(),
            sets: (0..records.len()).collect(),
            values: VecDeque::new(),
            waiting: BTreeSet::new(),
            stopping: false,
            solved,
            moved: 0,
        };
        farm.advance();
        farm
    }

    /// Goes on to the layer before, while there is nothing left to solve in this one.
    fn advance(&mut self) {
        while let Some(layer) = self.layer
            && self.open.is_empty()
        {
            if layer < self.records.len() {
                self.values.push_back(layer);
            }
            self.layer = layer.checked_sub(1);
            if let Some(layer) = self.layer {
                self.open =
                    (0..self.records[layer].units()).filter(|&unit| !(self.solved)(layer, unit)).collect();
                self.free = self.open.clone();
                self.weights = std::mem::take(&mut self.costs).of(&self.records[layer]);
            }
        }
    }

    /// What a process should do next.
    fn next(&mut self, rank: usize) -> Task {
        if self.stopping {
            return Task::Stop;
        }
        if rank == 0 {
            if let Some(layer) = self.sets.pop_front() {
                return Task::Set(layer);
            }
            if let Some(layer) = self.values.pop_front() {
                return Task::Values(layer);
            }
        }
        let Some(layer) = self.layer else { return Task::Over };
        let left = |of: usize| {
            run(&self.weights, of, self.size)
                .filter(|unit| self.free.contains(unit))
                .map(|unit| self.weights[unit])
        };
        let most = || (0..self.size).max_by_key(|&of| left(of).map(u128::from).sum::<u128>());
        let from = if left(rank).next().is_some() { Some(rank) } else { most() };
        let units = from.into_iter().flat_map(|of| run(&self.weights, of, self.size));
        let largest = units.filter(|unit| self.free.contains(unit)).max_by_key(|&unit| self.weights[unit]);
        match largest {
            None => Task::Nothing,
            Some(unit) => {
                self.moved += u64::from(from != Some(rank));
                self.free.remove(&unit);
                Task::Unit(layer, unit)
            }
        }
    }

    /// A process has done something and asks for more. Says who is to do what.
    pub fn asked(&mut self, rank: usize, (done, cost): (Task, u64), stop: bool) -> Vec<(usize, Task)> {
        self.stopping |= stop;
        if let Task::Unit(layer, unit) = done
            && self.layer == Some(layer)
        {
            self.open.remove(&unit);
            if cost > 0 {
                self.costs.add(&self.records[layer], unit, cost);
            }
            self.advance();
        }
        self.waiting.insert(rank);
        let mut answers = vec![];
        for rank in std::mem::take(&mut self.waiting) {
            match self.next(rank) {
                Task::Nothing => _ = self.waiting.insert(rank),
                task => answers.push((rank, task)),
            }
        }
        answers
    }

    /// Answers everybody until all have ended.
    pub fn serve(mut self, transport: &dyn Transport) -> Result<u64, ClusterError> {
        let mut ended = 0;
        while ended < self.size {
            let (rank, bytes) = transport.receive(None, Tag::Ask)?;
            let (done, stop, cost) = Task::from_bytes(&bytes);
            for (rank, task) in self.asked(rank, (done, cost), stop) {
                ended += usize::from(matches!(task, Task::Over | Task::Stop));
                transport.send(rank, Tag::Answer, &task.to_bytes(false, 0))?;
            }
        }
        Ok(self.moved)
    }
}
