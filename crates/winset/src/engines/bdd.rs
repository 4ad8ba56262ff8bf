//! The BDD engine.

use super::hybrid;
use super::reorder::or_in_better_order;
use crate::checkpoint::Checkpoint;
use crate::engine::{Engine, EngineError, Finished, Job, Stage, Verdict, Watcher};
use crate::report::{Iteration, Layer, Partition, Report, RewardCount};
use std::path::{Path, PathBuf};
use winset_model::{Game, Remoteness, Rewards, Valuation, grouped, visible};
use winset_store::{Disk, OsDisk};
use winset_symbolic::{
    Diagram, LayerCounts, Layering, Observer, Options, Outcomes, Phase, SolveOptions, Split, SymbolicError,
    SymbolicGame, Variant, reach, retrograde, solve as solve_game, solve_split, solve_with, with_kind,
};

/// How the BDD engine solves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BddAlgorithm {
    /// Layered where there are layers, else by a matrix of rewards.
    #[default]
    Auto,
    /// Forward layers, then backward from the last.
    Layered,
    /// The same, but one by one, a few bits a state, from the layer on whose diagrams do not fit; or from another.
    Hybrid,
    /// A matrix of rewards with strong preimages.
    Matrix,
    /// Alg 2 to Alg 5 of the Othello thesis.
    Retrograde(Variant),
}

/// Decision diagrams on OxiDD. Memory and threads are the job's.
#[derive(Clone, Debug, Default)]
pub struct Bdd {
    /// How diagrams are built.
    pub options: Options,
    /// How the game is solved.
    pub algorithm: BddAlgorithm,
    /// From this layer on, by number, seen from the end, states are looked at one by one; none: if need be.
    pub switch_at: Option<usize>,
    /// Layers are cut once more, by the values of a variable; none: not.
    pub split: Option<Split>,
    /// Where every layer's sets are written in DDDMP form.
    pub dddmp: Option<PathBuf>,
    /// Yield to another engine where diagrams do not fit, instead of looking for another order of the variables.
    pub may_yield: bool,
}

/// Why there is no report.
pub(super) enum Refused {
    Symbolic(SymbolicError),
    /// A file could not be written, or layers could not be kept.
    Other(EngineError),
}

impl From<SymbolicError> for Refused {
    fn from(error: SymbolicError) -> Self {
        Refused::Symbolic(error)
    }
}

impl Engine for Bdd {
    fn name(&self) -> &'static str {
        "bdd"
    }

    fn fits(&self, _: &Game, job: &Job) -> Verdict {
        let unfit = |why: &str| Verdict::Unfit(why.to_owned());
        let layered =
            matches!(self.algorithm, BddAlgorithm::Auto | BddAlgorithm::Layered | BddAlgorithm::Hybrid);
        match () {
            () if job.distance => unfit("the BDD engine finds no distances: --engine layers does"),
            () if job.keep && !layered => {
                unfit("a solution is kept layer by layer: by the algorithms auto, layered and hybrid")
            }
            () if job.keep && self.dddmp.is_some() => {
                unfit("--dddmp is for a solution that stays in memory: leave out --out")
            }
            () if self.switch_at.is_some() && !layered => {
                unfit("--switch-at goes with the algorithms auto, layered and hybrid")
            }
            () if self.split.is_some()
                && !matches!(self.algorithm, BddAlgorithm::Auto | BddAlgorithm::Layered) =>
            {
                unfit("--split goes with the algorithms auto and layered")
            }
            () if self.split.is_some() && (job.keep || self.dddmp.is_some() || self.switch_at.is_some()) => {
                unfit("--split is for figures: leave out --out, --dddmp and --switch-at")
            }
            () if self.dddmp.is_some() && !layered && self.algorithm != BddAlgorithm::Matrix => {
                unfit("DDDMP files go with the algorithms layered, matrix and auto")
            }
            () if self.dddmp.is_some()
                && (self.switch_at.is_some() || self.algorithm == BddAlgorithm::Hybrid) =>
            {
                unfit("DDDMP files have diagrams, which the hybrid does not make of all values")
            }
            () => Verdict::Fits,
        }
    }

    fn solve(
        &self,
        game: &Game,
        job: &Job,
        checkpoint: &mut dyn Checkpoint,
        watcher: &mut dyn Watcher,
    ) -> Result<Finished, EngineError> {
        if let Verdict::Unfit(why) = self.fits(game, job) {
            return Err(EngineError::WrongUse(why));
        }
        let threads = job.threads.unwrap_or(1) as u32;
        let work = job.work.clone();
        if work.spend(0).is_err() {
            return Ok(Finished::Exhausted);
        }
        let options = Options { memory: job.memory, threads, work, ..self.options.clone() };
        watcher.stage(&Stage {
            phase: "relation",
            done: 0,
            of: None,
            positions: None,
            message: "compiling the moves",
        });
        let report = match self.algorithm {
            _ if !job.solve => count(game, &options, watcher),
            BddAlgorithm::Retrograde(variant) => by_retrograde(game, variant, &options, watcher),
            _ => self.by_layers(game, job, &options, checkpoint, watcher),
        };
        match report {
            Ok(report) => Ok(Finished::Done(Box::new(report))),
            Err(Refused::Symbolic(SymbolicError::Exhausted(_))) => Ok(Finished::Exhausted),
            Err(Refused::Symbolic(
                error @ (SymbolicError::OutOfMemory { .. }
                | SymbolicError::Budget(..)
                | SymbolicError::CountOverflow
                | SymbolicError::Endless(_)
                | SymbolicError::Cyclic),
            )) if self.may_yield => Ok(Finished::Yields(format!("the BDD engine says: {error}"))),
            Err(Refused::Symbolic(error)) => Err(failure(error)),
            Err(Refused::Other(error)) => Err(error),
        }
    }
}

/// A wrong order is wrong use; everything else could not be done.
pub(super) fn failure(error: SymbolicError) -> EngineError {
    match error {
        SymbolicError::OrderUnknown(_)
        | SymbolicError::OrderTwice(_)
        | SymbolicError::OrderMissing(_)
        | SymbolicError::OrderNeedsBoard(_)
        | SymbolicError::OrderName(..)
        | SymbolicError::SplitUnknown(_)
        | SymbolicError::NotWinDrawLoss(_) => EngineError::WrongUse(error.to_string()),
        SymbolicError::Cancelled => EngineError::Stopped,
        error @ (SymbolicError::OutOfMemory { .. }
        | SymbolicError::Budget(..)
        | SymbolicError::Refused(_)) => EngineError::Memory(error.into()),
        other => EngineError::Cannot(other.into()),
    }
}

/// Tells the watcher of each iteration as it is done, and keeps it.
pub(super) struct Watch<'w> {
    watcher: &'w mut dyn Watcher,
    pub(super) iterations: Vec<winset_symbolic::Iteration>,
    stopped: bool,
}

impl<'w> Watch<'w> {
    pub(super) fn new(watcher: &'w mut dyn Watcher) -> Self {
        Watch { watcher, iterations: vec![], stopped: false }
    }
}

impl Observer for Watch<'_> {
    fn iteration(&mut self, it: &winset_symbolic::Iteration) {
        let phase = match it.phase {
            Phase::Forward => "forward",
            Phase::Backward => "backward",
        };
        let message = format!("{} states, {} nodes", grouped(it.states), grouped(it.nodes as u64));
        // The states of an iteration are not always those of a layer.
        let done = it.index.max(0) as u64;
        self.watcher.stage(&Stage { phase, done, of: None, positions: None, message: &message });
        self.iterations.push(it.clone());
        self.stopped |= self.watcher.stop();
    }

    fn is_cancelled(&self) -> bool {
        self.stopped
    }
}

/// Counts the reachable positions of a game.
fn count(game: &Game, options: &Options, watcher: &mut dyn Watcher) -> Result<Report, Refused> {
    struct Reach<'a>(&'a Game, &'a Options, &'a mut dyn Observer);
    impl winset_symbolic::Job for Reach<'_> {
        type Output = Result<(), SymbolicError>;

        fn run<F: Diagram>(self) -> Self::Output {
            let game = SymbolicGame::<F>::new(self.0, self.1)?;
            let reached = reach(&game.symbolic, self.2)?;
            game.check_reached(&reached)
        }
    }
    let iterations = or_in_better_order(game, options, watcher, |options, watcher| {
        let mut watch = Watch::new(watcher);
        with_kind(options.kind, Reach(game, options, &mut watch))?;
        Ok(watch.iterations)
    })?;
    let mut report = Report::of(game, "bdd", "forward reachability (Alg 1)");
    report.positions = iterations.last().map(|it| it.states);
    report.iterations = iterations.iter().map(|it| iteration("reachable", it)).collect();
    Ok(report)
}

/// Solves a game by retrograde analysis: Alg 2 to Alg 5.
fn by_retrograde(
    game: &Game,
    variant: Variant,
    options: &Options,
    watcher: &mut dyn Watcher,
) -> Result<Report, Refused> {
    struct Analyse<'a, 'w>(&'a Game, &'a Options, Variant, &'a mut Watch<'w>);
    impl winset_symbolic::Job for Analyse<'_, '_> {
        /// The partition, and how many iterations the first player's part took.
        type Output = Result<(Outcomes, usize), SymbolicError>;

        fn run<F: Diagram>(self) -> Self::Output {
            let mut symbolic = SymbolicGame::<F>::new(self.0, self.1)?;
            // Not every variant looks at the states that can arise, of which alone something is forbidden.
            if !self.0.forbidden().is_empty() {
                let reached = reach(&symbolic.symbolic, &mut ())?;
                symbolic.check_reached(&reached)?;
            }
            let (outcomes, _) = retrograde(&mut symbolic, self.2, self.3)?;
            let backward = self.3.iterations.iter().filter(|it| it.phase == Phase::Backward);
            // Each player's part begins with iteration 0.
            let first = backward.skip(1).take_while(|it| it.index != 0).count() + 1;
            Ok((outcomes, first))
        }
    }
    let mut watch = Watch::new(watcher);
    let job = Analyse(game, options, variant, &mut watch);
    let (outcomes, first) = with_kind(options.kind, job)?;
    let number = Variant::ALL.iter().position(|&v| v == variant).map_or(0, |i| i + 2);
    let mut report = Report::of(game, "bdd", &format!("retrograde analysis (Alg {number})"));
    let rewards = outcomes.winner.map_or(Rewards::endless(2), |winner| Rewards::win_of(winner, 2));
    report.set_value(Valuation { rewards, remoteness: Remoteness::Unknown }, ends(game));
    let [first_wins, second_wins] = outcomes.won;
    report.partition = Some(Partition { first: first_wins, second: second_wins, level: outcomes.drawn });
    if variant.is_limited() {
        report.positions = Some(first_wins + second_wins + outcomes.drawn);
    }
    let mut backward = 0;
    for it in &watch.iterations {
        let phase = match it.phase {
            Phase::Forward => "reachable".to_owned(),
            Phase::Backward => {
                backward += 1;
                format!("won by {}", game.players()[usize::from(backward > first)])
            }
        };
        report.iterations.push(iteration(&phase, it));
    }
    Ok(report)
}

fn iteration(phase: &str, it: &winset_symbolic::Iteration) -> Iteration {
    Iteration {
        phase: phase.to_owned(),
        iteration: it.index,
        states: it.states,
        nodes: it.nodes as u64,
        peak_nodes: it.peak as u64,
        seconds: it.time.as_secs_f64(),
    }
}

impl Bdd {
    /// Solves layer by layer or by a matrix of rewards.
    fn by_layers(
        &self,
        game: &Game,
        job: &Job,
        options: &Options,
        checkpoint: &mut dyn Checkpoint,
        watcher: &mut dyn Watcher,
    ) -> Result<Report, Refused> {
        if let Some(split) = &self.split {
            return self.by_parts(game, job, options, split, watcher);
        }
        if self.dddmp.is_none() && !self.may_yield && self.algorithm != BddAlgorithm::Matrix {
            let solved = self.by_hybrid(game, job, options, checkpoint, watcher)?;
            if let Some((driven, iterations)) = solved {
                let name = hybrid::named(layering_name(driven.solution.layering), &driven);
                let report = report(game, &driven.solution, &iterations, &name);
                if job.keep {
                    let finished = checkpoint.finish(driven.solution.rewards);
                    finished.map_err(|cause| Refused::Other(EngineError::Cannot(cause)))?;
                }
                return Ok(report);
            }
        }
        let how = self.how(job);
        let (solved, iterations) = match &self.dddmp {
            Some(directory) => {
                let mut watch = Watch::new(watcher);
                let dump = Dump { game, options, how, watch: &mut watch, directory };
                (with_kind(options.kind, dump)?, watch.iterations)
            }
            None => {
                let solve = |options: &Options, watcher: &mut dyn Watcher| {
                    let mut watch = Watch::new(watcher);
                    Ok((solve_game(game, options, how, &mut watch)?, watch.iterations))
                };
                match self.may_yield {
                    true => solve(options, watcher)?,
                    false => or_in_better_order(game, options, watcher, solve)?,
                }
            }
        };
        Ok(report(game, &solved, &iterations, layering_name(solved.layering)))
    }

    fn how(&self, job: &Job) -> SolveOptions {
        SolveOptions {
            algorithm: match self.algorithm {
                BddAlgorithm::Layered => winset_symbolic::Algorithm::Layered,
                BddAlgorithm::Matrix => winset_symbolic::Algorithm::Matrix,
                _ => winset_symbolic::Algorithm::Auto,
            },
            opponent: job.opponent,
        }
    }

    /// Solves layer by layer, every layer in parts by the values of a variable.
    fn by_parts(
        &self,
        game: &Game,
        job: &Job,
        options: &Options,
        split: &Split,
        watcher: &mut dyn Watcher,
    ) -> Result<Report, Refused> {
        let mut watch = Watch::new(watcher);
        let (solved, var) = solve_split(game, options, self.how(job), split, &mut watch)?;
        let cut = match var {
            Some(var) => format!("cut by {}", visible(&game.variables()[var.index()].name)),
            None => "not cut, because all are small".to_owned(),
        };
        let name = format!("{}, {cut}", layering_name(solved.layering));
        Ok(report(game, &solved, &watch.iterations, &name))
    }
}

fn report(
    game: &Game,
    solved: &winset_symbolic::Solution,
    iterations: &[winset_symbolic::Iteration],
    name: &str,
) -> Report {
    let mut report = Report::of(game, "bdd", name);
    let value = Valuation { rewards: solved.rewards, remoteness: Remoteness::Unknown };
    let every_play_ends = solved.layering == Layering::Breadth || ends(game);
    report.set_value(value, every_play_ends);
    report.positions = Some(solved.positions);
    report.layer_positions = Some(solved.layer_positions);
    let simple = game.is_win_draw_loss();
    let first = solved.layers.first().map_or(0, |counts| counts.index);
    for (number, counts) in solved.layers.iter().enumerate() {
        let mut layer = layer(counts, simple, iterations);
        layer.layer = number as u64;
        layer.measure = (solved.layering == Layering::Measure).then_some(counts.index - first);
        layer.tell_ties_from_draws(every_play_ends.then_some(0));
        report.layers.push(layer);
    }
    report
}

/// The rules show that every play comes to an end.
fn ends(game: &Game) -> bool {
    winset_progress::find(game)
        .is_some_and(|measure| winset_progress::every_play_ends(game, &measure.weights))
}

/// Solves a game and writes every layer's sets in DDDMP form.
struct Dump<'a, 'w> {
    game: &'a Game,
    options: &'a Options,
    how: SolveOptions,
    watch: &'a mut Watch<'w>,
    directory: &'a Path,
}

impl winset_symbolic::Job for Dump<'_, '_> {
    type Output = Result<winset_symbolic::Solution, Refused>;

    fn run<F: Diagram>(self) -> Self::Output {
        let Dump { game, options, how, watch, directory } = self;
        let (solution, solved) = solve_with::<F>(game, options, how, watch, true)?;
        let cannot = |what: &str, path: &Path, error: std::io::Error| {
            Refused::Other(EngineError::Cannot(format!("cannot {what} {}: {error}", path.display()).into()))
        };
        std::fs::create_dir_all(directory).map_err(|error| cannot("make", directory, error))?;
        let space = &solved.game.symbolic.space;
        space.name_bits(game.variables());
        for (index, (_, values)) in solved.layers.iter().enumerate() {
            let path = directory.join(format!("layer-{index}.dddmp"));
            let name = |rewards: &[u8]| rewards.iter().map(u8::to_string).collect::<Vec<_>>().join(":");
            let sets: Vec<(&F, String)> = values.iter().map(|(rewards, set)| (set, name(rewards))).collect();
            let title = format!("{}-{}-layer-{index}", game.name(), game.size());
            let mut text = vec![];
            let written = space.write_dddmp(&mut text, &title, &sets);
            written
                .and_then(|()| OsDisk.create(&path)?.append(&text))
                .map_err(|error| cannot("write", &path, error))?;
        }
        Ok(solution)
    }
}

fn layering_name(layering: Layering) -> &'static str {
    match layering {
        Layering::Measure => "layers of a progress measure",
        Layering::Breadth => "breadth-first layers",
        Layering::One => "reward matrix",
    }
}

fn layer(counts: &LayerCounts, simple: bool, iterations: &[winset_symbolic::Iteration]) -> Layer {
    let mine = iterations.iter().filter(|it| it.index == counts.index);
    let nodes = mine.clone().filter(|it| it.phase == Phase::Forward).map(|it| it.nodes as u64).max();
    let [lost, level, won] = counts.by_mover();
    let mut layer = Layer {
        positions: counts.positions,
        terminal: counts.terminal,
        nodes: nodes.unwrap_or(0),
        seconds: mine.map(|it| it.time.as_secs_f64()).sum(),
        ..Default::default()
    };
    if simple {
        (layer.won, layer.level, layer.lost) = (Some(won), Some(level), Some(lost));
    } else {
        layer.rewards = RewardCount::all(counts.shares.iter().map(|share| (share.rewards, share.positions)));
    }
    layer
}
