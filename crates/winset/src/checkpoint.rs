//! Where an engine puts what it has finished, and finds it again.

use crate::engine::Cause;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use winset_index::{Blocks, Index, LeafReader, LeafSource, Planes, ValueDiagram};
use winset_model::{Game, Opponent, Player, Remoteness, Rewards, Valuation, VarId};
use winset_store::{Disk, GameRecord, Header, LayerRecord, Layering, Manifest, StoreWriter, WholeValues};

/// How states are cut into digits and layers, known before the first layer.
#[derive(Debug)]
pub struct Plan<'a> {
    /// The engine.
    pub engine: &'static str,
    /// The blocks with their digits.
    pub blocks: &'a Blocks,
    /// Which layer a state is in.
    pub layering: Layering,
    /// The rewards of every code so far.
    pub codes: &'a [Rewards],
    /// Distances come with the values.
    pub distance: bool,
}

/// A layer whose states are known.
pub struct FoundLayer<'a> {
    /// Its number, from 0.
    pub number: usize,
    /// The value of the measure, or the number of moves made.
    pub measure: i64,
    /// Its positions, terminal ones included.
    pub positions: u64,
    /// Its terminal positions by code.
    pub terminal_by_code: Vec<u64>,
    /// Who is to move in the whole layer, if it is always the same player.
    pub mover: Option<Player>,
    /// Terminal positions without a place may have ended under conditions that do not show their rewards.
    pub unclear: bool,
    /// The rewards of every code so far.
    pub codes: &'a [Rewards],
    /// The states that have a place, made when asked for.
    pub index: &'a dyn Fn() -> Result<Index, Cause>,
}

/// A layer whose values are known.
pub struct SolvedLayer<'a> {
    /// Its number, from 0.
    pub number: usize,
    /// The value of the measure, or the number of moves made.
    pub measure: i64,
    /// Its positions that are not terminal, by code.
    pub by_code: Vec<u64>,
    /// The rewards of every code so far.
    pub codes: &'a [Rewards],
    /// The states that have a place, made when asked for.
    pub index: &'a dyn Fn() -> Result<Index, Cause>,
    /// Their codes in rank order.
    pub values: &'a dyn Fn() -> Result<Planes, Cause>,
    /// The same as leaves, part by part, if the engine knows them so: then the others need not be made.
    pub leaves: Option<&'a dyn LeafSource>,
    /// Their distances to the end plus one in rank order, 0 where play never has to end; if they were asked for.
    pub distances: &'a dyn Fn() -> Result<Option<Planes>, Cause>,
}

/// A layer whose values are known all at once, of an engine that need not look at states one by one.
pub struct WholeLayer<'a> {
    /// Its number, from 0.
    pub number: usize,
    /// The value of the measure, or the number of moves made.
    pub measure: i64,
    /// Its positions that are not terminal, by code.
    pub by_code: Vec<u64>,
    /// The rewards of every code.
    pub codes: &'a [Rewards],
    /// The states that have a place.
    pub index: &'a Index,
    /// Their codes.
    pub values: WholeValues<'a>,
}

/// What earlier runs have finished.
#[derive(Clone, Debug, Default)]
pub struct Past {
    /// The rewards of every code so far.
    pub codes: Vec<Rewards>,
    /// The layers, from the first on.
    pub layers: Vec<PastLayer>,
    /// There are no more layers.
    pub complete: bool,
}

/// A layer that an earlier run has finished.
#[derive(Clone, Debug)]
pub struct PastLayer {
    /// The value of the measure, or the number of moves made.
    pub measure: i64,
    /// Its positions, terminal ones included.
    pub positions: u64,
    /// Its terminal positions by code.
    pub terminal_by_code: Vec<u64>,
    /// Who is to move in the whole layer, if it is always the same player.
    pub mover: Option<Player>,
    /// See [`FoundLayer::unclear`].
    pub unclear: bool,
    /// Its other positions by code, if it is solved.
    pub solved: Option<Vec<u64>>,
}

/// Takes layers as they are finished, and gives them back to a later run. A store does, on disk or in memory
/// ([`StoreCheckpoint`]); `()` keeps nothing.
pub trait Checkpoint {
    /// The engine that began what is there, if something is: another cannot go on with it.
    fn begun_by(&self) -> Option<String> {
        None
    }

    /// The blocks of what this engine has begun, if it has: they were chosen then, maybe with fewer steps than there are
    /// now, and who goes on must cut states alike.
    fn blocks_of(&self, engine: &str) -> Option<Vec<Vec<VarId>>> {
        let _ = engine;
        None
    }

    /// It is known how states are cut: opens what is there, and says what that is. When another engine begins in the
    /// same run, what the first one has put is forgotten.
    fn begin(&mut self, plan: &Plan<'_>) -> Result<Past, Cause> {
        let _ = plan;
        Ok(Past::default())
    }

    /// Values are wanted, which takes memory.
    fn takes_values(&self) -> bool {
        false
    }

    /// Takes the set of a layer.
    fn put_set(&mut self, layer: &FoundLayer<'_>) -> Result<(), Cause> {
        let _ = layer;
        Ok(())
    }

    /// Takes the values of a layer.
    fn put_values(&mut self, layer: &SolvedLayer<'_>) -> Result<(), Cause> {
        let _ = layer;
        Ok(())
    }

    /// Takes the values of a layer as a whole; they are kept in the same way however they were found.
    fn put_whole_values(&mut self, layer: &WholeLayer<'_>) -> Result<(), Cause> {
        let _ = layer;
        Ok(())
    }

    /// The codes of a layer of the past as a diagram.
    fn diagram(&mut self, number: usize, index: &Index) -> Result<ValueDiagram, Cause> {
        let _ = index;
        Err(format!("layer {number} is not there").into())
    }

    /// The set of a layer of the past.
    fn set(&mut self, number: usize) -> Result<Index, Cause> {
        Err(format!("layer {number} is not there").into())
    }

    /// The values of a layer of the past, and its distances as [`SolvedLayer::distances`] has them.
    fn values(&mut self, number: usize, index: &Index) -> Result<(Planes, Option<Planes>), Cause> {
        let _ = index;
        Err(format!("layer {number} is not there").into())
    }

    /// The values of a layer of the past as leaves, if they are kept so.
    fn leaves(&mut self, number: usize) -> Result<Option<Box<dyn LeafReader>>, Cause> {
        let _ = number;
        Ok(None)
    }

    /// Everything is there, and this is what the start is worth. Where the start has a place in the first layer,
    /// the checkpoint knows its distance too and gives back what it knows.
    fn finish(&mut self, rewards: Rewards) -> Result<Option<Valuation>, Cause> {
        let _ = rewards;
        Ok(None)
    }
}

/// Keeps nothing.
impl Checkpoint for () {}

/// A store that takes the layers of one solution, on disk or in memory. What a former run has finished is not
/// written again.
pub struct StoreCheckpoint<'a> {
    disk: Arc<dyn Disk>,
    directory: PathBuf,
    game: &'a Game,
    record: GameRecord,
    opponent: Opponent,
    /// Keep values in the smallest way, even if finding it takes longer than solving.
    pub compact: bool,
    /// The memory that a layer of a former run may take.
    memory: u64,
    /// The threads that compress.
    pool: Option<rayon::ThreadPool>,
    writer: Option<StoreWriter>,
    /// The measure in layer 0; none if layers are numbered.
    base: Option<i64>,
    distance: bool,
    start: Option<Valuation>,
}

impl<'a> StoreCheckpoint<'a> {
    /// A store in this directory for a solution of this game, found with this much memory and this many threads.
    pub fn new(
        disk: Arc<dyn Disk>,
        directory: &Path,
        game: &'a Game,
        record: GameRecord,
        opponent: Opponent,
        memory: u64,
        threads: usize,
    ) -> Self {
        // Without threads of its own it compresses on those of the process.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok();
        StoreCheckpoint {
            disk,
            directory: directory.to_owned(),
            game,
            record,
            opponent,
            compact: false,
            memory,
            pool,
            writer: None,
            base: None,
            distance: false,
            start: None,
        }
    }

    fn layer(&self, number: usize, measure: i64) -> u32 {
        self.base.map_or(number as u32, |base| (measure - base) as u32)
    }

    fn finished(&self, number: usize) -> Result<(&StoreWriter, u32), Cause> {
        let found = self.writer.as_ref().and_then(|writer| {
            let record = writer.manifest().layers.get(number)?;
            Some((writer, record.layer))
        });
        found.ok_or_else(|| format!("layer {number} is not in the store").into())
    }

    /// Does work on the checkpoint's own threads.
    fn on_threads<T: Send>(pool: &Option<rayon::ThreadPool>, work: impl FnOnce() -> T + Send) -> T {
        match pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }
}

impl Checkpoint for StoreCheckpoint<'_> {
    fn begun_by(&self) -> Option<String> {
        // What is wrong with it is said when it is opened.
        Manifest::read(&*self.disk, &self.directory).ok().map(|manifest| manifest.header.engine)
    }

    fn blocks_of(&self, engine: &str) -> Option<Vec<Vec<VarId>>> {
        let header = Manifest::read(&*self.disk, &self.directory).ok()?.header;
        let blocks: Vec<Vec<VarId>> =
            header.blocks.iter().map(|block| block.iter().copied().map(VarId).collect()).collect();
        // A store may come from anyone: whatever does not cut these states is refused when it is opened.
        let mut all: Vec<VarId> = blocks.concat();
        all.sort_unstable();
        let each_once = all.into_iter().eq((0..self.game.variables().len() as u32).map(VarId));
        (header.engine == engine && each_once).then_some(blocks)
    }

    fn begin(&mut self, plan: &Plan<'_>) -> Result<Past, Cause> {
        let groups: Vec<_> = plan.blocks.blocks.iter().map(|block| block.vars.clone()).collect();
        self.base = match &plan.layering {
            Layering::Measure { base, .. } => Some(*base),
            _ => None,
        };
        self.distance = plan.distance;
        let mut header = Header::new(self.game, plan.engine, &groups, plan.layering.clone());
        header.game = self.record.clone();
        header.codes = plan.codes.to_vec();
        header.opponent = self.opponent;
        header.remoteness = plan.distance;
        let mut writer = match self.writer.take() {
            Some(writer) if writer.manifest().header.engine == plan.engine => writer,
            Some(mut writer) => {
                writer.start_over(header)?;
                writer
            }
            None => StoreWriter::create_or_resume_on(self.disk.clone(), &self.directory, header)?.0,
        };
        writer.check_past(self.memory)?;
        writer.compact = self.compact;
        writer.put_blocks(plan.blocks)?;
        let manifest = writer.manifest();
        let layer = |record: &LayerRecord| PastLayer {
            measure: self.base.map_or(i64::from(record.layer), |base| base + i64::from(record.layer)),
            positions: record.positions,
            terminal_by_code: record.terminal_by_code.clone(),
            mover: record.mover,
            unclear: record.unclear,
            solved: record.values.as_ref().map(|values| values.by_code.clone()),
        };
        let past = Past {
            codes: manifest.header.codes.clone(),
            layers: manifest.layers.iter().map(layer).collect(),
            complete: manifest.forward_complete,
        };
        self.writer = Some(writer);
        Ok(past)
    }

    fn takes_values(&self) -> bool {
        true
    }

    fn put_set(&mut self, found: &FoundLayer<'_>) -> Result<(), Cause> {
        let layer = self.layer(found.number, found.measure);
        let writer = self.writer.as_mut().ok_or("nothing has begun")?;
        if writer.progress().sets.contains(&layer) {
            return Ok(());
        }
        let counts = winset_store::LayerCounts {
            positions: found.positions,
            terminal: found.terminal_by_code.iter().sum(),
            terminal_by_code: found.terminal_by_code.clone(),
            mover: found.mover,
            unclear: found.unclear,
        };
        writer.put_codes(found.codes)?;
        let index = (found.index)()?;
        Self::on_threads(&self.pool, || writer.put_set(layer, &index, counts))?;
        Ok(())
    }

    fn put_values(&mut self, solved: &SolvedLayer<'_>) -> Result<(), Cause> {
        let layer = self.layer(solved.number, solved.measure);
        let writer = self.writer.as_mut().ok_or("nothing has begun")?;
        writer.forward_done()?;
        writer.put_codes(solved.codes)?;
        if let Some(leaves) = solved.leaves.filter(|_| !self.distance) {
            let by_code = &solved.by_code;
            if !writer.progress().values.contains(&layer) {
                Self::on_threads(&self.pool, || writer.put_leaves(layer, leaves, by_code))?;
            }
            return Ok(());
        }
        let needed = solved.number == 0 || writer.tries_diagram(layer);
        let index = needed.then(|| (solved.index)()).transpose()?;
        let codes = (solved.values)()?;
        let distances = if self.distance { (solved.distances)()? } else { None };
        if let (0, Some(index)) = (solved.number, &index) {
            self.start = value_of_start(writer, self.game, index, &codes, distances.as_ref())?;
        }
        if writer.progress().values.contains(&layer) {
            return Ok(());
        }
        let values = winset_store::LayerValues {
            codes: &codes,
            distances: distances.as_ref(),
            by_code: Some(solved.by_code.clone()),
        };
        Self::on_threads(&self.pool, || writer.put_values(layer, index.as_ref(), &values))?;
        Ok(())
    }

    fn put_whole_values(&mut self, solved: &WholeLayer<'_>) -> Result<(), Cause> {
        let layer = self.layer(solved.number, solved.measure);
        let writer = self.writer.as_mut().ok_or("nothing has begun")?;
        writer.forward_done()?;
        writer.put_codes(solved.codes)?;
        if writer.progress().values.contains(&layer) {
            return Ok(());
        }
        let put = || writer.put_whole_values(layer, solved.index, solved.values, &solved.by_code);
        Ok(Self::on_threads(&self.pool, put)?)
    }

    fn diagram(&mut self, number: usize, index: &Index) -> Result<ValueDiagram, Cause> {
        let (writer, layer) = self.finished(number)?;
        Ok(writer.read_diagram(layer, index, self.memory)?)
    }

    fn set(&mut self, number: usize) -> Result<Index, Cause> {
        let (writer, layer) = self.finished(number)?;
        Ok(writer.read_set(layer, self.memory)?)
    }

    fn values(&mut self, number: usize, index: &Index) -> Result<(Planes, Option<Planes>), Cause> {
        let (writer, layer) = self.finished(number)?;
        let (values, distances) = writer.read_values(layer, index, self.memory)?;
        if number == 0 {
            self.start = value_of_start(writer, self.game, index, &values, distances.as_ref())?;
        }
        Ok((values, distances))
    }

    fn leaves(&mut self, number: usize) -> Result<Option<Box<dyn LeafReader>>, Cause> {
        let (writer, layer) = self.finished(number)?;
        let found = writer.read_leaves(layer)?;
        Ok(found.map(|leaves| Box::new(leaves) as Box<dyn LeafReader>))
    }

    fn finish(&mut self, rewards: Rewards) -> Result<Option<Valuation>, Cause> {
        // A start that is terminal has no place in a set; the rules know its value.
        let ended = if self.distance { Remoteness::Plies(0) } else { Remoteness::Unknown };
        let value = self.start.unwrap_or(Valuation { rewards, remoteness: ended });
        if let Some(writer) = &mut self.writer {
            writer.finish(value)?;
        }
        Ok(Some(value))
    }
}

/// What the start is worth, if it has a place in the first layer.
fn value_of_start(
    writer: &StoreWriter,
    game: &Game,
    index: &Index,
    values: &Planes,
    distances: Option<&Planes>,
) -> Result<Option<Valuation>, Cause> {
    let rank = writer.blocks()?.digits(game.initial()).and_then(|digits| index.rank(&digits));
    Ok(rank.map(|rank| Valuation {
        rewards: writer.manifest().header.codes[values.get(rank) as usize],
        remoteness: distances.map_or(Remoteness::Unknown, |planes| match planes.get(rank) {
            0 => Remoteness::Endless,
            more => Remoteness::Plies(more - 1),
        }),
    }))
}
