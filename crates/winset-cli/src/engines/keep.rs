//! Keeps what the layer engine finds in a store, layer by layer.

use crate::failure::Failure;
use std::path::Path;
use winset_index::{Index, Planes};
use winset_layers::{Code, Distance, Layering, NEVER_ENDS, Past, PastLayer, Plan, Reached, Refusal, Solved};
use winset_model::{Game, Opponent, Remoteness, Rewards, Valuation};
use winset_store::{GameRecord, Header, LayerCounts, LayerRecord, LayerValues, StoreWriter};

/// A store that takes the layers of one solution. What a former run has finished is not written again.
pub struct Keep<'a> {
    directory: &'a Path,
    game: &'a Game,
    record: GameRecord,
    opponent: Opponent,
    distance: bool,
    compact: bool,
    /// The memory that a layer of a former run may take.
    memory: u64,
    writer: Option<StoreWriter>,
    /// The measure in layer 0; none if layers are numbered.
    base: Option<i64>,
    start: Option<Valuation>,
}

impl<'a> Keep<'a> {
    /// A store in this directory for a solution of this game, found with so much memory.
    pub fn new(
        directory: &'a Path,
        game: &'a Game,
        record: GameRecord,
        opponent: Opponent,
        [distance, compact]: [bool; 2],
        memory: Option<u64>,
    ) -> Self {
        let memory = memory.unwrap_or(u64::MAX);
        let (writer, base, start) = (None, None, None);
        Keep { directory, game, record, opponent, distance, compact, memory, writer, base, start }
    }

    /// Opens the directory, once it is known how states are cut and numbered.
    pub fn open(&mut self, plan: &Plan<'_>) -> Result<(), Refusal> {
        let groups: Vec<_> = plan.blocks.blocks.iter().map(|block| block.vars.clone()).collect();
        let layering = match plan.layering {
            Layering::Measure(weights) => {
                let weigh = |(w, &value): (&Vec<i64>, &u16)| w[value as usize];
                let base = weights.iter().zip(&self.game.initial().0).map(weigh).sum();
                self.base = Some(base);
                winset_store::Layering::Measure { weights: weights.clone(), base }
            }
            Layering::Plies => winset_store::Layering::Bfs,
            Layering::OneTier => winset_store::Layering::Single,
        };
        let mut header = Header::new(self.game, "layers", &groups, layering);
        header.game = self.record.clone();
        header.codes = plan.outcomes.table().to_vec();
        header.opponent = self.opponent;
        header.remoteness = self.distance;
        let (mut writer, _) = StoreWriter::create_or_resume(self.directory, header)?;
        writer.check_past(self.memory)?;
        writer.compact = self.compact;
        writer.put_blocks(plan.blocks)?;
        self.writer = Some(writer);
        Ok(())
    }

    fn layer(&self, number: usize, measure: i64) -> u32 {
        self.base.map_or(number as u32, |base| (measure - base) as u32)
    }

    /// Keeps a layer's set.
    pub fn put_set(&mut self, reached: &Reached<'_>) -> Result<(), Refusal> {
        let layer = self.layer(reached.number, reached.summary.measure);
        let Some(writer) = &mut self.writer else { return Ok(()) };
        if writer.progress().sets.contains(&layer) {
            return Ok(());
        }
        let summary = reached.summary;
        let mut by_code = vec![];
        for &(code, n) in &summary.terminal {
            let code = usize::from(code);
            by_code.resize(by_code.len().max(code + 1), 0);
            by_code[code] += n;
        }
        let counts = LayerCounts {
            positions: summary.positions,
            terminal: summary.ended(),
            terminal_by_code: by_code,
            mover: match summary.movers.as_slice() {
                [only] => Some(only.player),
                _ => None,
            },
        };
        writer.put_codes(reached.outcomes.table())?;
        writer.put_set(layer, &reached.index()?, counts)?;
        Ok(())
    }

    /// Keeps a layer's values.
    pub fn put_values(&mut self, solved: &Solved<'_>) -> Result<(), Refusal> {
        let layer = self.layer(solved.number, solved.summary.measure);
        let Some(writer) = &mut self.writer else { return Ok(()) };
        writer.forward_done()?;
        writer.put_codes(solved.outcomes.table())?;
        let needed = solved.number == 0 || writer.tries_diagram(layer);
        let index = needed.then(|| solved.index()).transpose()?;
        let values = solved.values()?;
        let distances = self.distance.then(|| solved.distances()).transpose()?.map(|all| planes(&all));
        if let (0, Some(index)) = (solved.number, &index) {
            self.start = value_of_start(writer, self.game, index, &values, distances.as_ref())?;
        }
        if writer.progress().values.contains(&layer) {
            return Ok(());
        }
        let mut by_code: Vec<u64> = vec![];
        for movers in &solved.summary.movers {
            by_code.resize(by_code.len().max(movers.by_code.len()), 0);
            by_code.iter_mut().zip(&movers.by_code).for_each(|(sum, n)| *sum += n);
        }
        let values = LayerValues { codes: &values, distances: distances.as_ref(), by_code: Some(by_code) };
        writer.put_values(layer, index.as_ref(), &values)?;
        Ok(())
    }

    /// What former runs have finished.
    pub fn past(&self) -> Past {
        let Some(writer) = &self.writer else { return Past::default() };
        let manifest = writer.manifest();
        let layer = |record: &LayerRecord| PastLayer {
            measure: self.base.map_or(i64::from(record.layer), |base| base + i64::from(record.layer)),
            positions: record.positions,
            terminal: counted(&record.terminal_by_code),
            mover: record.mover,
            solved: record.values.as_ref().map(|values| values.by_code.clone()),
        };
        Past {
            outcomes: manifest.header.codes.clone(),
            layers: manifest.layers.iter().map(layer).collect(),
            complete: manifest.forward_complete,
        }
    }

    /// The set of a layer that a former run has finished.
    pub fn past_set(&self, number: usize) -> Result<Index, Refusal> {
        let (writer, layer) = self.finished(number)?;
        Ok(writer.read_set(layer, self.memory)?)
    }

    /// The values and distances of a layer that a former run has finished.
    pub fn past_values(&mut self, number: usize, index: &Index) -> Result<(Planes, Vec<Distance>), Refusal> {
        let (writer, layer) = self.finished(number)?;
        let (values, distances) = writer.read_values(layer, index, self.memory)?;
        if number == 0 {
            self.start = value_of_start(writer, self.game, index, &values, distances.as_ref())?;
        }
        let distance = |planes: &Planes, rank| match planes.get(rank) {
            0 => NEVER_ENDS,
            more => (more - 1) as Distance,
        };
        let list = |planes: Planes| (0..planes.len()).map(|rank| distance(&planes, rank)).collect();
        Ok((values, distances.map(list).unwrap_or_default()))
    }

    /// A code with which one of the players wins.
    pub fn is_decided(&self, code: u32) -> bool {
        let codes = self.writer.as_ref().map(|writer| &writer.manifest().header.codes);
        codes.and_then(|codes| codes.get(code as usize)).is_some_and(|rewards| rewards.leader().is_some())
    }

    fn finished(&self, number: usize) -> Result<(&StoreWriter, u32), Refusal> {
        let found = self.writer.as_ref().and_then(|writer| {
            let record = writer.manifest().layers.get(number)?;
            Some((writer, record.layer))
        });
        found.ok_or_else(|| format!("layer {number} is not in the store").into())
    }

    /// Says that everything is there.
    pub fn finish(&mut self, rewards: Rewards) -> Result<(), Failure> {
        // A start that is terminal has no place in a set; the rules know its value.
        let ended = if self.distance { Remoteness::Plies(0) } else { Remoteness::Unknown };
        let value = self.start.unwrap_or(Valuation { rewards, remoteness: ended });
        if let Some(writer) = &mut self.writer {
            writer.finish(value)?;
        }
        Ok(())
    }
}

/// What the start is worth, if it has a place in the first layer.
fn value_of_start(
    writer: &StoreWriter,
    game: &Game,
    index: &Index,
    values: &Planes,
    distances: Option<&Planes>,
) -> Result<Option<Valuation>, Refusal> {
    let rank = writer.blocks()?.digits(game.initial()).and_then(|digits| index.rank(&digits));
    Ok(rank.map(|rank| Valuation {
        rewards: writer.manifest().header.codes[values.get(rank) as usize],
        remoteness: distances.map_or(Remoteness::Unknown, |planes| match planes.get(rank) {
            0 => Remoteness::Endless,
            more => Remoteness::Plies(more - 1),
        }),
    }))
}

/// The codes that occur, with their numbers.
fn counted(by_code: &[u64]) -> Vec<(Code, u64)> {
    let with_code = by_code.iter().enumerate().map(|(code, &n)| (code as Code, n));
    with_code.filter(|&(_, n)| n > 0).collect()
}

/// Distances as the store wants them: one more than the plies, 0 for endless play.
fn planes(distances: &[winset_layers::Distance]) -> Planes {
    let plies = |d: winset_layers::Distance| if d == NEVER_ENDS { 0 } else { u32::from(d) + 1 };
    let longest = distances.iter().map(|&d| plies(d)).max().unwrap_or(0);
    let bits = (u32::BITS - longest.leading_zeros()).max(1) as usize;
    let mut planes = Planes::new(distances.len() as u64, bits);
    for (rank, &distance) in distances.iter().enumerate() {
        planes.set(rank as u64, plies(distance));
    }
    planes
}
