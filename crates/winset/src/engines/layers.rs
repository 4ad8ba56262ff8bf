//! The layer engine.

mod figures;

use figures::ends;
pub use figures::{Figures, Lengths, planes, report};

use crate::checkpoint::{Checkpoint, FoundLayer, Past, Plan, SolvedLayer};
use crate::engine::{Cause, Engine, EngineError, Finished, Job, Stage, Verdict, Watcher};
use std::collections::BTreeMap;
use std::time::Instant;
use winset_index::{Index, LeafReader, Planes};
use winset_layers::{
    Code, Distance, Form, Layering, LayersError, NEVER_ENDS, Observer, Options, PastLayer, Reached, Refusal,
    Solved, Stage as Begins,
};
use winset_model::{Game, VarId, grouped};
use winset_work::Work;

/// About the memory that the process takes before the engine begins.
const PROCESS: u64 = 6 << 20;

/// What every thread but the first takes for itself: its stack, and what the allocator keeps for it.
const THREAD: u64 = 1 << 20;

/// Steps that a position may take, forward and backward, without counting as work that the BDD engine might do better:
/// about a microsecond.
const FORGIVEN: u64 = 64;

/// Levelled diagrams over blocks, one layer streamed against the next: looks at every position once, 64 at a time.
#[derive(Clone, Debug, Default)]
pub struct Layers {
    /// The blocks, topmost first; none: the engine chooses.
    pub blocks: Option<Vec<Vec<VarId>>>,
    /// Do without the processor's bit instructions.
    pub portable: bool,
    /// Look at both of two positions that are each other's mirror images, where one would do.
    pub both_images: bool,
    /// Solve and keep values by rank, one after the other, also where leaves of bits would do better: so do several processes.
    pub by_rank: bool,
    /// Yield to another engine where that would do better.
    pub may_yield: bool,
    /// How another engine would fare, if one might do better.
    pub rival: Option<Rival>,
}

/// An engine that looks at states one by one, as the layer engine is compared with it.
#[derive(Clone, Copy, Debug)]
pub struct Rival {
    /// The steps that a position takes there: as many are forgiven here.
    pub steps: u64,
    /// The most positions that it can look at. Who has found more has no rival.
    pub positions: u64,
}

impl Engine for Layers {
    fn name(&self) -> &'static str {
        "layers"
    }

    fn fits(&self, _: &Game, _: &Job) -> Verdict {
        Verdict::Fits
    }

    fn solve(
        &self,
        game: &Game,
        job: &Job,
        checkpoint: &mut dyn Checkpoint,
        watcher: &mut dyn Watcher,
    ) -> Result<Finished, EngineError> {
        let stage = |phase, message| Stage { phase, done: 0, of: None, positions: None, message };
        watcher.stage(&stage("measure", "looking for a progress measure"));
        let (mut options, needed) = self.options(game, job);
        options.blocks = options.blocks.or_else(|| checkpoint.blocks_of(self.name()));
        let distance = options.distance;
        let mut bridge = Bridge {
            game,
            distance,
            checkpoint,
            watcher,
            clock: Instant::now(),
            seconds: BTreeMap::new(),
            layers: 0,
            longest_win: None,
            endless: BTreeMap::new(),
            past: Past::default(),
            found: self.may_yield.then_some(Regular { positions: 0, nodes: 0 }),
            work: job.work.clone(),
            rival: self.rival,
            positions: 0,
        };
        let run = if job.solve { winset_layers::solve } else { winset_layers::count };
        let solved = match run(game, &options, &mut bridge) {
            Ok(solved) => solved,
            Err(error) => return self.refused(error, job, bridge.found),
        };
        let Bridge { longest_win, endless, seconds, .. } = &mut bridge;
        let figures = Figures {
            longest_win: *longest_win,
            endless: std::mem::take(endless),
            seconds: std::mem::take(seconds),
        };
        let mut report = report(game, &solved, &figures);
        report.distances_needed = needed;
        if let Some(rewards) = solved.value
            && let Some(value) = bridge.checkpoint.finish(rewards).map_err(EngineError::Cannot)?
        {
            report.set_value(value, solved.every_move_leaves || ends(game, &solved.layering));
        }
        Ok(Finished::Done(Box::new(report)))
    }
}

impl Layers {
    /// What the engine is told for a job, and whether distances are found though nobody asked for them.
    pub fn options(&self, game: &Game, job: &Job) -> (Options, bool) {
        let layering = Layering::find(game);
        // Where play can go in circles a win is only won by coming nearer to it, so a store keeps how near it is.
        let needed = job.solve && job.keep && !ends(game, &layering);
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = job.threads.unwrap_or_else(cores);
        let own = PROCESS + THREAD * (threads as u64).saturating_sub(1);
        let options = Options {
            threads,
            opponent: job.opponent,
            memory: Some(job.memory.saturating_sub(own)),
            directory: Some(job.scratch.clone()),
            layering: Some(layering),
            distance: job.distance || needed,
            blocks: self.blocks.clone(),
            portable: self.portable,
            symmetry: !self.both_images,
            form: if self.by_rank { Form::Ranks } else { Form::Best },
            work: job.work.clone(),
            ..Options::default()
        };
        (options, needed && !job.distance)
    }

    /// What an error means for whoever asked: the end, or that another engine should go on.
    fn refused(
        &self,
        error: LayersError,
        job: &Job,
        found: Option<Regular>,
    ) -> Result<Finished, EngineError> {
        let unfit = match &error {
            LayersError::Stopped => match found.filter(Regular::is_reached) {
                Some(regular) => return Ok(Finished::Yields(regular.to_string())),
                None => return Err(EngineError::Stopped),
            },
            LayersError::Exhausted(_) => return Ok(Finished::Exhausted),
            LayersError::BlockTooLarge { .. }
            | LayersError::ConditionTooLarge
            | LayersError::ConditionsDoNotFit { .. }
            | LayersError::TooManyEdges
            | LayersError::Index(_)
            // Who keeps what he finds is told what it would take.
            | LayersError::Memory { .. } => self.may_yield && !job.keep,
            _ => false,
        };
        let beyond = |needed: u64| crate::memory::total_memory().is_some_and(|total| needed > total);
        let short = matches!(&error, LayersError::Memory { .. } | LayersError::ConditionsDoNotFit { .. });
        let cause: Cause = match &error {
            LayersError::Memory { needed, .. } if beyond(*needed) => {
                let flags = if job.distance { " without --distance" } else { "" };
                format!(
                    "{error}; the machine has less: here no engine can look at all positions one by one, but \
                     --engine bdd{flags} looks at sets of them"
                )
                .into()
            }
            _ => error.into(),
        };
        match unfit {
            true => Ok(Finished::Yields(format!("the layer engine says: {cause}"))),
            false if short => Err(EngineError::Memory(cause)),
            false => Err(EngineError::Cannot(cause)),
        }
    }
}

/// More positions than can be looked at one by one, in diagrams so small that they need not be.
#[derive(Clone, Copy)]
struct Regular {
    positions: u128,
    nodes: u128,
}

impl std::fmt::Display for Regular {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [positions, nodes] = [self.positions, self.nodes].map(grouped);
        write!(f, "there are more than {positions} positions in diagrams of {nodes} nodes")
    }
}

impl Regular {
    /// Fewer positions are looked at one by one in minutes.
    const MANY: u128 = 10_000_000_000;
    /// Positions that look alike: Connect Four 7x6 has a hundred thousand a node.
    const PER_NODE: u128 = 1_000_000;

    fn is_reached(&self) -> bool {
        self.positions > Self::MANY && self.positions / self.nodes.max(1) > Self::PER_NODE
    }
}

/// Tells the checkpoint and the watcher what the engine has found.
struct Bridge<'a> {
    game: &'a Game,
    distance: bool,
    checkpoint: &'a mut dyn Checkpoint,
    watcher: &'a mut dyn Watcher,
    clock: Instant,
    seconds: BTreeMap<usize, f64>,
    layers: usize,
    /// The most moves that a win takes, if distances are asked for.
    longest_win: Option<u64>,
    /// How many positions of each layer play never has to end from, if distances are asked for.
    endless: BTreeMap<usize, u64>,
    past: Past,
    /// What has been found so far, if another engine may go on where positions are too many and too regular.
    found: Option<Regular>,
    /// The steps made; those that found positions are forgiven.
    work: Work,
    rival: Option<Rival>,
    /// What has been found so far.
    positions: u64,
}

impl Bridge<'_> {
    fn done(&mut self, number: usize) {
        *self.seconds.entry(number).or_default() += self.clock.elapsed().as_secs_f64();
        self.clock = Instant::now();
    }

    /// Forgives the steps that positions are worth.
    fn forgive(&self, positions: u64) {
        match self.rival {
            None => self.work.forgive(positions.saturating_mul(FORGIVEN)),
            Some(rival) if self.positions > rival.positions => self.work.lift(),
            Some(rival) => self.work.forgive(positions.saturating_mul(rival.steps)),
        }
    }

    fn take(&mut self, number: usize, seen: &Lengths) {
        self.longest_win = self.longest_win.max(seen.longest_win);
        self.endless.insert(number, seen.endless);
    }

    fn stage(&mut self, phase: &str, done: usize, message: &str) {
        self.watcher.stage(&Stage { phase, done: done as u64, of: None, positions: None, message });
    }

    /// A layer is found, or its values are.
    fn layer(&mut self, phase: &str, number: usize, of: Option<usize>, positions: u64) {
        let message = format!("{} positions", grouped(positions));
        let (done, of) = (number as u64, of.map(|layers| layers as u64));
        self.watcher.stage(&Stage { phase, done, of, positions: Some(positions.into()), message: &message });
    }
}

impl Observer for Bridge<'_> {
    fn begin(&mut self, plan: &winset_layers::Plan<'_>) -> Result<(), Refusal> {
        self.past = self.checkpoint.begin(&store_plan(self.game, plan, self.distance))?;
        Ok(())
    }

    fn past(&mut self) -> Result<winset_layers::Past, Refusal> {
        let counted = |by_code: &[u64]| -> Vec<(Code, u64)> {
            (0..).zip(by_code.iter().copied()).filter(|&(_, n)| n > 0).collect()
        };
        let layer = |layer: &crate::checkpoint::PastLayer| PastLayer {
            measure: layer.measure,
            positions: layer.positions,
            terminal: counted(&layer.terminal_by_code),
            mover: layer.mover,
            unclear: layer.unclear,
            solved: layer.solved.clone(),
        };
        self.layers = self.past.layers.len();
        Ok(winset_layers::Past {
            outcomes: self.past.codes.clone(),
            layers: self.past.layers.iter().map(layer).collect(),
            complete: self.past.complete,
        })
    }

    fn past_set(&mut self, number: usize) -> Result<Index, Refusal> {
        self.stage("read", number, "from an earlier run");
        self.checkpoint.set(number)
    }

    fn past_values(&mut self, number: usize, index: &Index) -> Result<(Planes, Vec<Distance>), Refusal> {
        let (values, distances) = self.checkpoint.values(number, index)?;
        let Some(distances) = distances else { return Ok((values, vec![])) };
        let distance = |rank| match distances.get(rank) {
            0 => NEVER_ENDS,
            more => (more - 1) as Distance,
        };
        let distances: Vec<Distance> = (0..distances.len()).map(distance).collect();
        let mut seen = Lengths::default();
        for (rank, &distance) in distances.iter().enumerate() {
            let rewards = self.past.codes.get(values.get(rank as u64) as usize);
            seen.add(rewards.is_some_and(|rewards| rewards.leader().is_some()), distance);
        }
        self.take(number, &seen);
        Ok((values, distances))
    }

    fn past_leaves(&mut self, number: usize) -> Result<Option<Box<dyn LeafReader>>, Refusal> {
        self.checkpoint.leaves(number)
    }

    fn takes_values(&self) -> bool {
        self.checkpoint.takes_values()
    }

    fn stop(&mut self) -> bool {
        self.watcher.stop() || self.found.as_ref().is_some_and(Regular::is_reached)
    }

    fn begins(&mut self, stage: Begins) {
        match stage {
            // Said already: the measure is looked for before the engine begins.
            Begins::Measure => {}
            Begins::Blocks(number) => {
                self.stage("blocks", number, "trying which variables are taken together");
            }
            Begins::Rules => self.stage("rules", 0, "compiling the moves"),
        }
    }

    fn reached(&mut self, layer: &Reached<'_>) -> Result<(), Refusal> {
        self.done(layer.number);
        self.layers = layer.number + 1;
        let summary = layer.summary;
        self.layer("forward", layer.number, None, summary.positions);
        if let Some(found) = &mut self.found {
            found.positions += u128::from(summary.positions);
            found.nodes += u128::from(summary.nodes);
        }
        self.positions += summary.positions;
        self.forgive(summary.positions);
        let terminal_by_code = by_code(&summary.terminal);
        self.checkpoint.put_set(&FoundLayer {
            number: layer.number,
            measure: summary.measure,
            positions: summary.positions,
            terminal_by_code,
            mover: match summary.movers.as_slice() {
                [only] => Some(only.player),
                _ => None,
            },
            unclear: summary.unclear,
            codes: layer.outcomes.table(),
            index: &|| Ok(layer.index()?),
        })
    }

    fn solved(&mut self, layer: &Solved<'_>) -> Result<(), Refusal> {
        self.done(layer.number);
        self.take(layer.number, &Lengths::of(layer)?);
        self.forgive(layer.summary.positions);
        self.layer("backward", layer.number, Some(self.layers), layer.summary.positions);
        let mut by_code: Vec<u64> = vec![];
        for movers in &layer.summary.movers {
            by_code.resize(by_code.len().max(movers.by_code.len()), 0);
            by_code.iter_mut().zip(&movers.by_code).for_each(|(sum, n)| *sum += n);
        }
        let leaves = layer.leaves();
        self.checkpoint.put_values(&SolvedLayer {
            number: layer.number,
            measure: layer.summary.measure,
            by_code,
            codes: layer.outcomes.table(),
            index: &|| Ok(layer.index()?),
            values: &|| Ok(layer.values()?),
            leaves: leaves.as_deref(),
            distances: &|| -> Result<Option<Planes>, Cause> {
                let distances = layer.distances()?;
                Ok(self.distance.then(|| planes(&distances)))
            },
        })
    }
}

/// How states are cut, as a checkpoint is told.
pub fn store_plan<'a>(game: &Game, plan: &winset_layers::Plan<'a>, distance: bool) -> Plan<'a> {
    let layering = match plan.layering {
        Layering::Measure(weights) => {
            let weigh = |(w, &value): (&Vec<i64>, &u16)| w[usize::from(value)];
            let base = weights.iter().zip(&game.initial().0).map(weigh).sum();
            winset_store::Layering::Measure { weights: weights.clone(), base }
        }
        Layering::Plies => winset_store::Layering::Bfs,
        Layering::OneTier => winset_store::Layering::Single,
    };
    Plan { engine: "layers", blocks: plan.blocks, layering, codes: plan.outcomes.table(), distance }
}

/// Counts by code as a list with a place for every code.
pub fn by_code(counts: &[(Code, u64)]) -> Vec<u64> {
    let mut all = vec![];
    for &(code, n) in counts {
        let code = usize::from(code);
        all.resize(all.len().max(code + 1), 0);
        all[code] += n;
    }
    all
}
