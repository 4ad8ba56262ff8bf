//! The job, as each process does it.

use crate::error::ClusterError;
use crate::farm::{self, Farm, Task};
use crate::figures::{self, Figures, RankFigures};
use crate::group::Group;
use crate::shelf::{Names, Shelf};
use crate::write::{self, Written};
use std::collections::BTreeSet;
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Instant;
use winset::{Checkpoint, Engine, Finished, Job, Layers, Report, Stage, Watcher, layered};
use winset_layers::shared::{LayerRecord, Member, SolvedUnit, Solver, Source};
use winset_model::{Game, grouped};

/// What a job needs besides the game.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The store's directory, which all processes see.
    pub directory: PathBuf,
    /// A piece has at least n states, where its process has as many.
    pub least: u64,
    /// Every process finds all states of a layer whose diagrams take n bytes at most; none: as is faster.
    pub small: Option<u64>,
    /// For tests: the process is gone when it has written n files.
    pub lives: Option<u64>,
}

/// Fewer states are not worth a piece of their own.
pub const LEAST: u64 = 1 << 17;

impl Settings {
    /// In this directory.
    pub fn new(directory: &Path) -> Self {
        Settings { directory: directory.to_owned(), least: LEAST, small: None, lives: None }
    }
}

/// What has been done.
#[derive(Debug)]
pub struct Done {
    /// What was found out, at process 0.
    pub report: Option<Report>,
    /// What all did.
    pub figures: Figures,
}

/// Solves a game together with the other processes of the group, all of which call this. `checkpoint` is process 0's.
pub fn solve(
    group: &Group,
    game: &Game,
    engine: &Layers,
    job: &Job,
    checkpoint: Option<&mut dyn Checkpoint>,
    settings: &Settings,
    watcher: &mut dyn Watcher,
) -> Result<Done, ClusterError> {
    let begun = Instant::now();
    let rank = group.rank();
    let stage = |phase, message| Stage { phase, done: 0, of: None, positions: None, message };
    watcher.stage(&stage("measure", "looking for a progress measure"));
    let described = describe(game, &engine.options(game, job).0);
    let memory = check_alike(group, &described, job)?;
    let job = &Job { memory, ..job.clone() };
    let (mut options, needed) = engine.options(game, job);
    options.small = settings.small;
    watcher.stage(&stage("blocks", "trying which variables are taken together"));
    let mut member = Member::new(game, &options, Arc::new(group.clone()), settings.least)?;
    let mut checkpoint = checkpoint;
    let mut shelf = Shelf::new(&settings.directory, rank);
    shelf.lives = settings.lives.map(AtomicU64::new);
    let shelf = Arc::new(shelf);
    // A store that is finished already is read by process 0 alone.
    let (mut finished, mut by_rank) = (false, false);
    if let Some(checkpoint) = checkpoint.as_deref_mut() {
        let plan = layered::store_plan(game, &member.plan(), options.distance);
        let past = checkpoint.begin(&plan).map_err(ClusterError::of_store)?;
        finished = past.complete && past.layers.iter().all(|layer| layer.solved.is_some());
        // Whoever has begun with values by rank goes on so.
        if let Some(solved) = past.layers.iter().position(|layer| layer.solved.is_some()) {
            by_rank = checkpoint.leaves(solved).map_err(ClusterError::of_store)?.is_none();
        }
    }
    if group.any(finished)? {
        let report = checkpoint.map(|checkpoint| {
            shelf.remove()?;
            match engine.solve(game, job, checkpoint, watcher) {
                Ok(Finished::Done(report)) => Ok(*report),
                Ok(Finished::Yields(why)) => Err(ClusterError::Store(why.into())),
                Ok(Finished::Exhausted) => Err(ClusterError::Stopped),
                Err(error) => Err(ClusterError::Store(error.into())),
            }
        });
        let report = report.transpose()?;
        let figures = gather(group, begun, 0.0, &shelf, 0, 0, &settings.directory)?;
        return Ok(Done { report, figures });
    }
    open(group, &shelf, &described, &settings.directory)?;
    let (records, complete) = past(group, &shelf)?;
    let mut found = records.len();
    member.go_on(records, complete.is_some(), &*shelf)?;
    let mut own = BTreeSet::new();
    if complete.is_none() {
        found = forward(group, &mut member, &shelf, found, &mut own, watcher)?;
    }
    let forward_cpu_seconds = figures::cpu_seconds();
    let form = complete.or(group.any(by_rank)?.then_some(false));
    let mut solver = member.into_solver(form)?;
    if rank == 0 && complete.is_none() {
        shelf.complete(found, solver.is_by_leaves())?;
    }
    let source: Arc<dyn Source> = shelf.clone();
    let mut worker = Worker { group, shelf: &shelf, source: &source, own, scratch: &job.scratch, units: 0 };
    // Lent, not given: it is needed again.
    let lent: Option<&mut dyn Checkpoint> = match &mut checkpoint {
        Some(checkpoint) => Some(&mut **checkpoint),
        None => None,
    };
    let (written, moved) = worker.backward(&mut solver, lent, watcher, options.distance)?;
    let units = worker.units;
    let mut report = None;
    if let Some(checkpoint) = checkpoint {
        report = Some(finish(game, &mut solver, checkpoint, &source, &written, needed)?);
        shelf.remove()?;
    }
    let figures = gather(group, begun, forward_cpu_seconds, &shelf, units, moved, &settings.directory)?;
    if let Some(report) = &mut report {
        report.seconds = begun.elapsed().as_secs_f64();
    }
    Ok(Done { report, figures })
}

/// What must be the same for all processes, and for all jobs in the same directory.
fn describe(game: &Game, options: &winset_layers::Options) -> String {
    serde_json::json!({
        "version": env!("CARGO_PKG_VERSION"),
        "rules": winset_store::rules_digest(game),
        "opponent": options.opponent.word(),
        "distance": options.distance,
        "blocks": options.blocks.as_ref().map(|blocks| format!("{blocks:?}")),
    })
    .to_string()
}

/// Fails, for all in the same way, if processes differ. Returns the memory that each may take: processes have used a
/// little of theirs already, not all the same.
fn check_alike(group: &Group, described: &str, job: &Job) -> Result<u64, ClusterError> {
    let mine = serde_json::json!([described, job.memory, figures::host()]).to_string();
    let all = group.all(mine.as_bytes())?;
    let read = |bytes: &Vec<u8>| serde_json::from_slice::<(String, u64, String)>(bytes).unwrap_or_default();
    let (first, memory, _) = read(&all[0]);
    let mut least = memory;
    for (rank, theirs) in all.iter().map(read).enumerate() {
        if theirs.0 != first {
            let fields = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap_or_default();
            let (one, other) = (fields(&first), fields(&theirs.0));
            let names = ["version", "rules", "opponent", "distance", "blocks"];
            let name = names.into_iter().find(|name| one[name] != other[name]).unwrap_or("version");
            return Err(ClusterError::Unlike(format!(
                "process {rank} ({}) has {name} {}, process 0 has {}",
                theirs.2, other[name], one[name]
            )));
        }
        least = least.min(theirs.1);
        if theirs.1.abs_diff(memory) > memory / 16 {
            return Err(ClusterError::Unlike(format!(
                "process {rank} ({}) may take {} bytes of memory, process 0 may take {}: give --memory, which is for \
                 each process",
                theirs.2,
                grouped(theirs.1),
                grouped(memory)
            )));
        }
    }
    Ok(least)
}

/// Makes the directory of pieces, and sees that everybody sees it and that it belongs to this job.
fn open(group: &Group, shelf: &Shelf, described: &str, directory: &Path) -> Result<(), ClusterError> {
    let mut token = String::new();
    if group.rank() == 0 {
        shelf.make()?;
        match shelf.read(Names::JOB)? {
            Some(bytes) if bytes != described.as_bytes() => {
                let was = String::from_utf8_lossy(&bytes).into_owned();
                return Err(ClusterError::Other { directory: directory.to_owned(), what: was });
            }
            Some(_) => {}
            None => shelf.write(Names::JOB, described.as_bytes())?,
        }
        // A name that no other directory has.
        token = format!("seen.tmp-{:016x}", RandomState::new().hash_one(std::process::id()));
        shelf.write(&token, &[])?;
    }
    let token = String::from_utf8_lossy(&group.all(token.as_bytes())?[0]).into_owned();
    let seen = shelf.has(&token);
    let all = group.all(serde_json::json!([seen, figures::host()]).to_string().as_bytes())?;
    for (rank, theirs) in all.iter().enumerate() {
        let (seen, host) = serde_json::from_slice::<(bool, String)>(theirs).unwrap_or_default();
        if !seen {
            return Err(ClusterError::Unseen { rank, host, directory: directory.to_owned() });
        }
    }
    Ok(())
}

/// The layers that earlier jobs have found, as process 0 sees them.
fn past(group: &Group, shelf: &Shelf) -> Result<(Vec<LayerRecord>, Option<bool>), ClusterError> {
    let mut mine = vec![];
    if group.rank() == 0 {
        let (records, complete) = shelf.find_records()?;
        shelf.remove_leftovers(&records)?;
        mine.push(complete.map_or(0, |by_leaves| 1 + u8::from(by_leaves)));
        for record in &records {
            let bytes = record.to_bytes();
            mine.extend((bytes.len() as u64).to_le_bytes());
            mine.extend(bytes);
        }
    }
    let all = group.all(&mine)?;
    let Some((&complete, mut rest)) = all[0].split_first() else { return Ok((vec![], None)) };
    let mut records = vec![];
    while let Some((length, more)) = rest.split_at_checked(8) {
        let length = u64::from_le_bytes(length.try_into().unwrap_or_default()) as usize;
        let Some((bytes, more)) = more.split_at_checked(length) else { break };
        records.push(LayerRecord::from_bytes(bytes)?);
        rest = more;
    }
    Ok((records, (complete > 0).then_some(complete == 2)))
}

/// Finds all layers. Says how many there are.
fn forward(
    group: &Group,
    member: &mut Member<'_>,
    shelf: &Shelf,
    found: usize,
    own: &mut BTreeSet<(usize, u64)>,
    watcher: &mut dyn Watcher,
) -> Result<usize, ClusterError> {
    let mut number = found;
    loop {
        if group.any(watcher.stop())? {
            return Err(ClusterError::Stopped);
        }
        let mut keep = |layer: usize, piece: &winset_layers::shared::PieceRecord, bytes: Vec<u8>| {
            own.insert((layer, piece.first));
            Ok(shelf.write(&Names::states(layer, piece), &bytes)?)
        };
        let Some(found) = member.next_layer(&mut keep)? else { break };
        let record = found.record.clone();
        if group.rank() == 0 {
            shelf.write(&Names::record(number), &record.to_bytes())?;
        }
        let message = format!("{} positions", grouped(record.positions));
        let positions = Some(record.positions.into());
        let (phase, done) = ("forward", number as u64);
        watcher.stage(&Stage { phase, done, of: None, positions, message: &message });
        number += 1;
    }
    Ok(number)
}

/// What a process needs in the backward pass.
struct Worker<'a> {
    group: &'a Group,
    shelf: &'a Shelf,
    source: &'a Arc<dyn Source>,
    /// Pieces whose states this process has found.
    own: BTreeSet<(usize, u64)>,
    scratch: &'a Path,
    units: u64,
}

impl Worker<'_> {
    /// Solves everything, with the others. Returns what was written, at process 0, and how many units were taken over.
    fn backward(
        &mut self,
        solver: &mut Solver<'_>,
        checkpoint: Option<&mut dyn Checkpoint>,
        watcher: &mut dyn Watcher,
        distance: bool,
    ) -> Result<(Written, u64), ClusterError> {
        let group = self.group;
        let records = solver.records().to_vec();
        let names = if solver.is_by_leaves() { Names::leaves } else { Names::values };
        let shelf = self.shelf;
        let solved = |layer: usize, unit: usize| shelf.has(&names(layer, records[layer].name_of(unit)));
        std::thread::scope(|scope| {
            let farm = (group.rank() == 0).then(|| {
                let (records, solved) = (&records, &solved);
                scope.spawn(move || Farm::new(records, group.size(), solved).serve(&*group.transport))
            });
            let worked = self.work(solver, checkpoint, watcher, distance);
            if worked.as_ref().is_err_and(|error| !matches!(error, ClusterError::Stopped)) {
                // Nobody will be answered any more; where all stop, all are told so first.
                group.transport.mailbox().fail();
            }
            let moved = farm.map(|farm| farm.join().unwrap_or(Err(ClusterError::Peer)));
            Ok((worked?, moved.transpose()?.unwrap_or(0)))
        })
    }

    fn work(
        &mut self,
        solver: &mut Solver<'_>,
        mut checkpoint: Option<&mut dyn Checkpoint>,
        watcher: &mut dyn Watcher,
        distance: bool,
    ) -> Result<Written, ClusterError> {
        let mut written = Written::default();
        let (mut done, mut cost) = (Task::Nothing, 0);
        let layers = solver.records().len() as u64;
        loop {
            if !self.group.delay.is_zero() {
                std::thread::sleep(self.group.delay);
            }
            let task = farm::ask(&*self.group.transport, done, cost, watcher.stop())?;
            cost = 0;
            match (task, checkpoint.as_deref_mut()) {
                (Task::Over, _) => return Ok(written),
                (Task::Stop, _) => return Err(ClusterError::Stopped),
                (Task::Unit(layer, unit), _) => cost = self.unit(solver, layer, unit)?,
                (Task::Set(layer), Some(checkpoint)) => {
                    solver.make_room(layer);
                    write::put_set(solver, self.source, checkpoint, layer)?;
                }
                (Task::Values(layer), Some(checkpoint)) => {
                    solver.make_room(layer);
                    match solver.is_by_leaves() {
                        true => write::put_leaves(solver, self.source, checkpoint, layer, &mut written)?,
                        false => {
                            write::put_values(
                                solver,
                                self.source,
                                checkpoint,
                                layer,
                                &mut written,
                                distance,
                            )?;
                        }
                    }
                    let positions = solver.records()[layer].positions;
                    let message = format!("{} positions", grouped(positions));
                    let (phase, number, of) = ("backward", layer as u64, Some(layers));
                    let positions = Some(positions.into());
                    watcher.stage(&Stage { phase, done: number, of, positions, message: &message });
                }
                _ => {}
            }
            done = task;
        }
    }

    /// Solves a unit. Says what it cost, if that is known.
    fn unit(&mut self, solver: &mut Solver<'_>, layer: usize, unit: usize) -> Result<u64, ClusterError> {
        let record = &solver.records()[layer];
        let name = record.name_of(unit);
        let near = farm::run(&farm::states(record), self.group.rank(), self.group.size());
        let own = record.pieces[record.pieces_of(unit)]
            .iter()
            .all(|piece| self.own.contains(&(layer, piece.first)));
        let scratch = self.scratch.join(format!("winset-cluster-{}", std::process::id()));
        let solved = solver.solve(layer, unit, near, own, Some(scratch.clone()), self.source);
        let written =
            solved.map_err(ClusterError::from).and_then(|solved| self.keep(solver, layer, name, solved));
        // Only what did not fit into memory, and nothing depends on its being gone.
        let _ = std::fs::remove_dir_all(&scratch);
        self.units += 1;
        written
    }

    fn keep(
        &self,
        solver: &mut Solver<'_>,
        layer: usize,
        name: usize,
        solved: SolvedUnit,
    ) -> Result<u64, ClusterError> {
        match solved {
            SolvedUnit::Ranks(bytes) => self.shelf.write(&Names::values(layer, name), &bytes).map(|()| 0),
            SolvedUnit::Leaves(unit) => {
                let part = |number: usize| unit.part(number);
                self.shelf.write_parts(&Names::leaves(layer, name), &unit.head, unit.parts(), &part)?;
                let steps = unit.steps();
                solver.kept(*unit);
                Ok(steps)
            }
        }
    }
}

/// Everything is written: names the value of the start.
fn finish(
    game: &Game,
    solver: &mut Solver<'_>,
    checkpoint: &mut dyn Checkpoint,
    source: &Arc<dyn Source>,
    written: &Written,
    needed: bool,
) -> Result<Report, ClusterError> {
    let tallies: Vec<Vec<Vec<u64>>> = written.tallies.values().cloned().collect();
    let mut solution = solver.solution(&tallies);
    // A start that ends the game may have no place; else the store knows better.
    let start = if solver.is_by_leaves() { solver.start(source)? } else { None };
    let unplaced = solver.records().first().and_then(LayerRecord::unplaced);
    let code = start.or(unplaced).unwrap_or_default();
    let rewards = solution.outcomes.rewards(code);
    let value = checkpoint.finish(rewards).map_err(ClusterError::of_store)?;
    solution.value = Some(value.map_or(rewards, |value| value.rewards));
    solution.remoteness = value.map_or(winset_model::Remoteness::Unknown, |value| value.remoteness);
    let mut report = layered::report(game, &solution, &written.figures);
    report.distances_needed = needed;
    Ok(report)
}

/// What everybody did.
fn gather(
    group: &Group,
    begun: Instant,
    forward_cpu_seconds: f64,
    shelf: &Shelf,
    units: u64,
    moved: u64,
    directory: &Path,
) -> Result<Figures, ClusterError> {
    let (sent, received, waiting_seconds) = group.transport.mailbox().traffic();
    let (read, written) = shelf.traffic();
    let mine = RankFigures {
        rank: group.rank(),
        host: figures::host(),
        cpu_seconds: figures::cpu_seconds(),
        forward_cpu_seconds,
        seconds: begun.elapsed().as_secs_f64(),
        waiting_seconds,
        sent,
        received,
        read,
        written,
        units,
        peak_memory_bytes: figures::peak_memory(),
    };
    let all = group.all(serde_json::to_string(&mine).unwrap_or_default().as_bytes())?;
    let ranks = all.iter().filter_map(|bytes| serde_json::from_slice(bytes).ok()).collect();
    let files = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let stored =
        files.filter_map(|entry| entry.metadata().ok()).filter(|m| m.is_file()).map(|m| m.len()).sum();
    Ok(Figures::new(ranks, moved, stored))
}
