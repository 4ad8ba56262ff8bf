//! The explicit engine.

use crate::checkpoint::{Checkpoint, FoundLayer, Past, Plan, SolvedLayer};
use crate::engine::{Cause, Engine, EngineError, Finished, Job, Stage, Verdict, Watcher};
use crate::report::{Layer, Report, RewardCount};
use std::collections::BTreeMap;
use std::time::Instant;
use winset_explicit::{
    Count, Distance, ExplicitError, Key, NEVER_ENDS, Observer, Options, Packing, Solution, WIDEST, Wide,
};
use winset_index::{Blocks, Digit, Index, IndexBuilder, Planes};
use winset_model::{Code, CodeTable, Game, VarId, grouped};
use winset_store::Layering;

/// About the memory that the process takes before the engine begins.
const PROCESS: u64 = 6 << 20;

/// About the bytes that a position takes while it is put into a store.
const TAKEN: u64 = 24;

/// The most combinations of values that a block of several variables can take on.
const BLOCK_DIGITS: usize = 1 << 12;

/// State by state: every position is packed into a number, expanded twice and settled once. For games whose positions do
/// not look alike.
///
/// What does not fit into memory waits on disk; one tier, the states with one value of the progress measure, must fit. What
/// an earlier run has put into a store is found again, compared, and not written again.
#[derive(Clone, Debug, Default)]
pub struct ExplicitSearch;

/// How an attempt ended.
pub(super) enum Attempt {
    /// The job is done.
    Done(Box<Report>),
    /// The steps did not do to find all positions, only this many.
    Large(u64),
    /// The memory did not do.
    NoRoom,
}

impl Engine for ExplicitSearch {
    fn name(&self) -> &'static str {
        "explicit"
    }

    fn fits(&self, game: &Game, _: &Job) -> Verdict {
        match winset_explicit::width(game) {
            bits if bits <= WIDEST => Verdict::Fits,
            bits => Verdict::Unfit(ExplicitError::TooWide { bits }.to_string()),
        }
    }

    fn solve(
        &self,
        game: &Game,
        job: &Job,
        checkpoint: &mut dyn Checkpoint,
        watcher: &mut dyn Watcher,
    ) -> Result<Finished, EngineError> {
        match self.attempt(None, game, job, checkpoint, watcher)? {
            Attempt::Done(report) => Ok(Finished::Done(report)),
            Attempt::Large(_) => Ok(Finished::Exhausted),
            Attempt::NoRoom => {
                Ok(Finished::Yields("its positions do not fit into memory one by one".to_owned()))
            }
        }
    }
}

impl ExplicitSearch {
    /// With a limit, gives up when all positions are not found in this many steps or do not fit; nothing has been
    /// given to the checkpoint then.
    pub(super) fn attempt(
        &self,
        limit: Option<u64>,
        game: &Game,
        job: &Job,
        checkpoint: &mut dyn Checkpoint,
        watcher: &mut dyn Watcher,
    ) -> Result<Attempt, EngineError> {
        let run = match winset_explicit::width(game) {
            0..=64 => run::<u64>,
            65..=128 => run::<u128>,
            129..=256 => run::<Wide<4>>,
            _ => run::<Wide<8>>,
        };
        run(limit, game, job, checkpoint, watcher)
    }
}

fn run<K: Key>(
    limit: Option<u64>,
    game: &Game,
    job: &Job,
    checkpoint: &mut dyn Checkpoint,
    watcher: &mut dyn Watcher,
) -> Result<Attempt, EngineError> {
    let stage = |phase, message| Stage { phase, done: 0, of: None, message };
    watcher.stage(&stage("measure", "looking for a progress measure"));
    let groups = groups(game);
    let options = Options {
        solve: job.solve,
        opponent: job.opponent,
        memory: job.memory.saturating_sub(PROCESS),
        // Who may give up does so before anything is written.
        scratch: limit.is_none().then(|| job.scratch.clone()),
        work: limit.map_or_else(|| job.work.clone(), |steps| job.work.part(steps)),
        blocks: groups.clone(),
        threads: job.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)),
        ..Options::of(game)
    };
    let ends =
        options.weights.as_ref().is_some_and(|weights| winset_progress::every_play_ends(game, weights));
    // Where play can go in circles a win is only won by coming nearer to it, so a store keeps how near it is.
    let needed = job.solve && job.keep && !ends;
    let distance = job.distance || needed;
    let cannot = |cause: Cause| EngineError::Cannot(cause);
    let numbering = Numbering::new(game, groups).map_err(|error| cannot(error.into()))?;
    let layering = match &options.weights {
        Some(weights) => {
            let weigh = |(weights, &value): (&Vec<i64>, &u16)| weights[usize::from(value)];
            let base = weights.iter().zip(&game.initial().0).map(weigh).sum();
            Layering::Measure { weights: weights.clone(), base }
        }
        None => Layering::Single,
    };
    let outcomes = CodeTable::of_game(game, job.opponent);
    let plan =
        Plan { engine: "explicit", blocks: &numbering.blocks, layering, codes: outcomes.table(), distance };
    watcher.stage(&stage("rules", "compiling the moves"));
    // Who may give up says nothing before it is sure not to.
    let quietly = match limit {
        None => None,
        Some(_) => match winset_explicit::find::<K>(game, &options, &mut Patient(&mut *watcher)) {
            Ok(found) if found.fits() => Some(found),
            Ok(_)
            | Err(ExplicitError::Memory { .. } | ExplicitError::Tier { .. } | ExplicitError::TooManyStates) =>
            {
                return Ok(Attempt::NoRoom);
            }
            Err(ExplicitError::Exhausted { seen }) => return Ok(Attempt::Large(seen)),
            Err(error) => return Err(failed(error)),
        },
    };
    let past = checkpoint.begin(&plan).map_err(cannot)?;
    let (clock, seconds, counts) = (Instant::now(), BTreeMap::new(), vec![]);
    let mut bridge =
        Bridge { numbering: &numbering, checkpoint, watcher, distance, clock, seconds, counts, past };
    let solved = match quietly {
        Some(mut found) => found.tell(&mut bridge).and_then(|()| found.solve(&mut bridge)),
        None => winset_explicit::solve::<K>(game, &options, &mut bridge),
    };
    let solution = match solved {
        Ok(solution) => solution,
        Err(ExplicitError::Exhausted { seen }) => return Ok(Attempt::Large(seen)),
        Err(error) => return Err(failed(error)),
    };
    let ends = ends || solution.every_move_leaves;
    let mut report = report(game, &solution, &bridge.seconds, options.weights.is_some(), distance, ends);
    report.distances_needed = needed && !job.distance;
    if let Some(value) = solution.value
        && let Some(value) = bridge.checkpoint.finish(value.rewards).map_err(cannot)?
    {
        report.set_value(value, ends);
    }
    Ok(Attempt::Done(Box::new(report)))
}

fn failed(error: ExplicitError) -> EngineError {
    match error {
        ExplicitError::Stopped => EngineError::Stopped,
        ExplicitError::Refused(cause) => EngineError::Cannot(cause),
        error => EngineError::Cannot(error.into()),
    }
}

/// Only hears whether to stop.
struct Patient<'a>(&'a mut dyn Watcher);

impl<K: Key> Observer<K> for Patient<'_> {
    fn found(&mut self, _: usize, _: &Count, _: &[K], _: &CodeTable) -> Result<(), ExplicitError> {
        if self.0.stop() { Err(ExplicitError::Stopped) } else { Ok(()) }
    }
}

/// The game's own blocks, or its variables in their order, cut so that no block has too many digits.
fn groups(game: &Game) -> Vec<Vec<VarId>> {
    let every: Vec<VarId> = (0..game.variables().len()).map(|var| VarId(var as u32)).collect();
    let named: Vec<Vec<VarId>> = game.blocks().to_vec();
    let left =
        every.iter().copied().filter(|var| !named.iter().flatten().any(|other| other == var)).collect();
    let mut groups: Vec<Vec<VarId>> = vec![];
    for group in named.into_iter().chain([left]) {
        let (mut block, mut digits): (Vec<VarId>, usize) = (vec![], 1);
        for var in group {
            let size = game.variables()[var.index()].size();
            if !block.is_empty() && digits.saturating_mul(size) > BLOCK_DIGITS {
                groups.push(std::mem::take(&mut block));
                digits = 1;
            }
            digits *= size;
            block.push(var);
        }
        groups.extend((!block.is_empty()).then_some(block));
    }
    groups
}

/// Keys as strings of digits: every combination of a block's values has one, in ascending order.
struct Numbering {
    blocks: Blocks,
    /// For each block where its bits begin, which they are, and the digit of what stands there.
    tables: Vec<(u32, u64, Vec<Digit>)>,
}

impl Numbering {
    fn new(game: &Game, groups: Vec<Vec<VarId>>) -> Result<Self, winset_index::BlocksError> {
        let packing = Packing::new(game, &groups);
        let mut blocks = Blocks::new(groups, game.variables().len())?;
        let mut tables = vec![];
        for block in &mut blocks.blocks {
            let fields: Vec<_> = block.vars.iter().map(|var| packing.fields[var.index()]).collect();
            let bits: u32 = fields.iter().map(|field| field.width).sum();
            let shift = fields.last().map_or(0, |field| field.shift);
            let sizes: Vec<usize> =
                block.vars.iter().map(|var| game.variables()[var.index()].size()).collect();
            let mut table = vec![0; 1 << bits];
            for number in 0..sizes.iter().product::<usize>() {
                let (mut rest, mut values) = (number, vec![0u16; sizes.len()]);
                for (value, size) in values.iter_mut().zip(&sizes).rev() {
                    (*value, rest) = ((rest % size) as u16, rest / size);
                }
                let digit = block.add(&values)?;
                let place = |(field, &value): (&winset_explicit::Field, &u16)| match field.width {
                    0 => 0,
                    _ => usize::from(value) << (field.shift - shift),
                };
                table[fields.iter().zip(&values).map(place).sum::<usize>()] = digit;
            }
            tables.push((shift, (1u64 << bits) - 1, table));
        }
        Ok(Numbering { blocks, tables })
    }

    /// The index of keys in ascending order.
    fn index<K: Key>(&self, keys: &[K]) -> Index {
        let mut builder = IndexBuilder::new(self.tables.len());
        let mut digits = vec![0; self.tables.len()];
        for &key in keys {
            for (digit, (shift, mask, table)) in digits.iter_mut().zip(&self.tables) {
                *digit = if *mask == 0 { 0 } else { table[key.field(*shift, *mask) as usize] };
            }
            builder.push(&digits);
        }
        builder.finish()
    }
}

/// Tells the checkpoint and the watcher what the engine has found.
struct Bridge<'a> {
    numbering: &'a Numbering,
    checkpoint: &'a mut dyn Checkpoint,
    watcher: &'a mut dyn Watcher,
    distance: bool,
    clock: Instant,
    seconds: BTreeMap<usize, f64>,
    counts: Vec<Count>,
    /// What an earlier run has finished.
    past: Past,
}

impl Bridge<'_> {
    /// A layer is done; nothing is told of what an earlier run has finished.
    fn done(&mut self, number: usize, phase: &str, of: Option<u64>, new: bool) -> Result<(), ExplicitError> {
        *self.seconds.entry(number).or_default() += self.clock.elapsed().as_secs_f64();
        self.clock = Instant::now();
        if new {
            let message = format!("{} positions", grouped(self.counts[number].positions));
            self.watcher.stage(&Stage { phase, done: number as u64, of, message: &message });
        }
        if self.watcher.stop() { Err(ExplicitError::Stopped) } else { Ok(()) }
    }
}

impl<K: Key> Observer<K> for Bridge<'_> {
    fn room(&self, states: u64) -> u64 {
        if self.checkpoint.takes_values() { states * TAKEN } else { 0 }
    }

    fn found(
        &mut self,
        number: usize,
        count: &Count,
        going: &[K],
        outcomes: &CodeTable,
    ) -> Result<(), ExplicitError> {
        self.counts.push(count.clone());
        if let Some(past) = self.past.layers.get(number) {
            if past.positions != count.positions {
                let (theirs, ours) = (grouped(past.positions), grouped(count.positions));
                let cause =
                    format!("layer {number} of the store has {theirs} positions, by the rules it has {ours}");
                return Err(ExplicitError::Refused(cause.into()));
            }
            return self.done(number, "forward", None, false);
        }
        self.checkpoint.put_set(&FoundLayer {
            number,
            measure: count.measure,
            positions: count.positions,
            terminal_by_code: count.terminal_by_code.clone(),
            mover: count.mover,
            codes: outcomes.table(),
            index: &|| Ok(self.numbering.index(going)),
        })?;
        self.done(number, "forward", None, true)
    }

    fn solved(
        &mut self,
        number: usize,
        going: &[K],
        codes: &[Code],
        distances: &[Distance],
        outcomes: &CodeTable,
    ) -> Result<(), ExplicitError> {
        let mut by_code = vec![0; outcomes.len()];
        codes.iter().for_each(|&code| by_code[usize::from(code)] += 1);
        let plies = |&distance: &Distance| if distance == NEVER_ENDS { 0 } else { u32::from(distance) + 1 };
        self.checkpoint.put_values(&SolvedLayer {
            number,
            measure: self.counts[number].measure,
            by_code,
            codes: outcomes.table(),
            index: &|| Ok(self.numbering.index(going)),
            values: &|| Ok(planes(codes.iter().map(|&code| code.into()), outcomes.bits())),
            distances: &|| {
                let longest = distances.iter().map(plies).max().unwrap_or(0);
                let bits = (u32::BITS - longest.leading_zeros()).max(1) as usize;
                Ok(self.distance.then(|| planes(distances.iter().map(plies), bits)))
            },
        })?;
        let new = self.past.layers.get(number).is_none_or(|past| past.solved.is_none());
        self.done(number, "backward", Some(self.counts.len() as u64), new)
    }
}

/// Numbers in rank order.
fn planes(numbers: impl ExactSizeIterator<Item = u32>, bits: usize) -> Planes {
    let mut planes = Planes::new(numbers.len() as u64, bits);
    (0..).zip(numbers).for_each(|(rank, number)| planes.set(rank, number));
    planes
}

fn report(
    game: &Game,
    solution: &Solution,
    seconds: &BTreeMap<usize, f64>,
    measured: bool,
    distance: bool,
    ends: bool,
) -> Report {
    let how = if measured { "by a progress measure" } else { "as one tier, for want of a progress measure" };
    let mut report = Report::of(game, "explicit", how);
    report.positions = Some(solution.positions());
    report.layer_positions = report.positions;
    if let Some(mut value) = solution.value {
        if !distance {
            value.remoteness = winset_model::Remoteness::Unknown;
        } else {
            report.longest_win = solution.tiers.iter().filter_map(|tier| tier.longest_win).max();
        }
        report.set_value(value, ends);
    }
    let first = solution.tiers.first().map_or(0, |tier| tier.count.measure);
    for (number, tier) in solution.tiers.iter().enumerate() {
        let ended = || (0..).zip(tier.count.terminal_by_code.iter().copied());
        let mut layer = Layer {
            layer: number as u64,
            measure: measured.then_some(tier.count.measure - first),
            positions: tier.count.positions.into(),
            terminal: ended().map(|(_, n)| u128::from(n)).sum(),
            seconds: seconds.get(&number).copied().unwrap_or(0.0),
            ..Default::default()
        };
        let moving = tier.by_mover.iter().enumerate().flat_map(|(player, by_code)| {
            (0..).zip(by_code.iter().copied()).map(move |(code, n)| (player, code, n))
        });
        if solution.value.is_some() && game.is_win_draw_loss() {
            let [mut won, mut level, mut lost] = [0u128; 3];
            for (player, code, n) in moving {
                let n = u128::from(n);
                match solution.outcomes.standing(code, winset_model::Player::new(player)) {
                    Some(winset_model::Standing::Ahead) => won += n,
                    Some(winset_model::Standing::Behind) => lost += n,
                    _ => level += n,
                }
            }
            (layer.won, layer.level, layer.lost) = (Some(won), Some(level), Some(lost));
            let endless = distance.then_some(u128::from(tier.endless));
            layer.tell_ties_from_draws(if ends { Some(0) } else { endless });
        } else if solution.value.is_some() {
            let all = moving.map(|(_, code, n)| (code, n)).chain(ended());
            let rewards = all.map(|(code, n): (Code, u64)| (solution.outcomes.rewards(code), u128::from(n)));
            layer.rewards = RewardCount::all(rewards);
        }
        report.layers.push(layer);
    }
    report
}
