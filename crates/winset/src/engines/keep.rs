//! Keeps what the layer engine finds in a store, layer by layer.

use crate::failure::Failure;
use std::path::Path;
use winset_index::Planes;
use winset_layers::{Layering, NEVER_ENDS, Outcomes, Plan, Reached, Refusal, Solved};
use winset_model::Game;
use winset_store::{GameRecord, Header, LayerCounts, LayerValues, Remoteness, StoreWriter, Valuation};

/// A store that takes the layers of one solution. What a former run has finished is not written again.
pub struct Keep<'a> {
    directory: &'a Path,
    game: &'a Game,
    record: GameRecord,
    opponent: winset_store::Opponent,
    distance: bool,
    writer: Option<StoreWriter>,
    /// The measure in layer 0; none if layers are numbered.
    base: Option<i64>,
    start: Option<Valuation>,
}

impl<'a> Keep<'a> {
    /// A store in this directory for a solution of this game.
    pub fn new(
        directory: &'a Path,
        game: &'a Game,
        record: GameRecord,
        opponent: winset_store::Opponent,
        distance: bool,
    ) -> Self {
        Keep { directory, game, record, opponent, distance, writer: None, base: None, start: None }
    }

    /// Opens the directory, once it is known how states are cut and numbered.
    pub fn open(&mut self, plan: &Plan<'_>) -> Result<(), Refusal> {
        let groups: Vec<_> = plan.blocks.blocks.iter().map(|block| block.vars.clone()).collect();
        let layering = match plan.layering {
            Layering::Measure(weights) => {
                let weigh = |(w, &value): (&Vec<i64>, &u16)| w[value as usize];
                let base = weights.iter().zip(&self.game.initial.0).map(weigh).sum();
                self.base = Some(base);
                winset_store::Layering::Measure { weights: weights.clone(), base }
            }
            Layering::Plies => winset_store::Layering::Bfs,
            Layering::OneTier => winset_store::Layering::Single,
        };
        let mut header = Header::new(self.game, "layers", &groups, layering);
        header.game = self.record.clone();
        header.codes = codes(plan.outcomes);
        header.opponent = self.opponent;
        header.remoteness = self.distance;
        let (mut writer, _) = StoreWriter::create_or_resume(self.directory, header)?;
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
            terminal_by_code: Some(by_code),
            mover: match summary.movers.as_slice() {
                [only] => Some(only.player),
                _ => None,
            },
        };
        writer.put_codes(&codes(reached.outcomes))?;
        writer.put_set(layer, &reached.index()?, counts)?;
        Ok(())
    }

    /// Keeps a layer's values.
    pub fn put_values(&mut self, solved: &Solved<'_>) -> Result<(), Refusal> {
        let layer = self.layer(solved.number, solved.summary.measure);
        let (game, base) = (self.game, self.base);
        let Some(writer) = &mut self.writer else { return Ok(()) };
        writer.forward_done()?;
        writer.put_codes(&codes(solved.outcomes))?;
        let index = solved.index()?;
        let values = solved.values();
        let distances = self.distance.then(|| planes(solved.distances()));
        let is_first = base.map_or(solved.number == 0, |_| layer == 0);
        if is_first
            && let Some(rank) = writer.blocks()?.digits(&game.initial).and_then(|digits| index.rank(&digits))
        {
            let rewards = codes(solved.outcomes)[values.get(rank) as usize];
            let remoteness = distances.as_ref().map(|planes| match planes.get(rank) {
                0 => Remoteness::Endless,
                more => Remoteness::Plies(more - 1),
            });
            self.start = Some(Valuation { rewards, remoteness });
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
        writer.put_values(layer, &index, &values)?;
        Ok(())
    }

    /// Says that everything is there.
    pub fn finish(&mut self, rewards: &[u8]) -> Result<(), Failure> {
        let pair = [rewards.first().copied().unwrap_or(0), rewards.get(1).copied().unwrap_or(0)];
        // A start that is terminal has no place in a set; the rules know its value.
        let value = self.start.unwrap_or(Valuation { rewards: pair, remoteness: None });
        if let Some(writer) = &mut self.writer {
            writer.finish(value)?;
        }
        Ok(())
    }
}

/// What each code means, for two players.
fn codes(outcomes: &Outcomes) -> Vec<[u8; 2]> {
    let pair = |rewards: &Vec<u8>| [rewards[0], rewards.get(1).copied().unwrap_or(0)];
    outcomes.table().iter().map(pair).collect()
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
