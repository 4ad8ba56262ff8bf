//! What a run leaves behind that was stopped or killed, and how another one goes on.
//!
//! A directory has pieces, each of which is written once and never changed, and `progress`, which says what they are. That
//! is replaced as a whole when the pieces that it speaks of are on the disk; pieces that it does not speak of are removed
//! then. So whatever ends a run, what is there is whole.

use crate::dense::closing::{Closer, SHARDS, Waiting};
use crate::dense::forward::{Forward, Held, Tier};
use crate::dense::piece::{Piece, Volume};
use crate::dense::settling::{Sums, Worths};
use crate::error::ExplicitError;
use crate::pack::Key;
use crate::solve::{Count, Keep, Options};
use std::fmt::Write;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::{Duration, Instant};
use winset_model::{CodeTable, Game, Player, Rewards};
use winset_settle::Worth;

/// The name of the file that says what is there.
const PROGRESS: &str = "progress";

/// Its first line.
const TITLE: &str = "winset parts 1";

/// The kinds of pieces.
const KINDS: [&str; 3] = ["found", "waiting", "tier"];

/// A directory that has what is known.
pub struct Checkpoint {
    directory: PathBuf,
    /// The rules and how they are solved, so that nothing else goes on with it.
    rules: u64,
    often: Duration,
    written: Instant,
    /// Nobody else writes while this is held.
    _lock: File,
}

impl Checkpoint {
    /// In this directory, which is made if need be.
    pub fn new(keep: &Keep, game: &Game, options: &Options) -> Result<Self, ExplicitError> {
        let directory = &keep.directory;
        let failed = |error| failed(directory, error);
        std::fs::create_dir_all(directory).map_err(failed)?;
        let lock = File::create(directory.join("lock")).map_err(failed)?;
        if lock.try_lock().is_err() {
            let why = format!("{} is in use by another run", directory.display());
            return Err(ExplicitError::Refused(why.into()));
        }
        let (directory, rules, often) = (directory.clone(), rules(game, options), keep.often);
        Ok(Checkpoint { directory, rules, often, written: Instant::now(), _lock: lock })
    }

    /// What `progress` says; none if there is none.
    fn read(&self) -> Result<Option<String>, ExplicitError> {
        let text = match std::fs::read_to_string(self.directory.join(PROGRESS)) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(&self.directory, error)),
        };
        let (body, sum) = text.rsplit_once("sum ").ok_or(ExplicitError::Damaged)?;
        if sum.trim_end() != format!("{:016x}", hash(body)) {
            return Err(ExplicitError::Damaged);
        }
        let mut lines = body.lines();
        if lines.next() != Some(TITLE) || lines.next() != Some(&format!("rules {:016x}", self.rules)) {
            let why = format!(
                "{} has what is known of another game, or of this one with other settings: use another directory",
                self.directory.display()
            );
            return Err(ExplicitError::Refused(why.into()));
        }
        Ok(Some(lines.map(|line| format!("{line}\n")).collect()))
    }

    /// Replaces `progress`, and removes pieces that it does not name.
    fn write(&mut self, lines: &str) -> Result<(), ExplicitError> {
        let body = format!("{TITLE}\nrules {:016x}\n{lines}", self.rules);
        let text = format!("{body}sum {:016x}\n", hash(&body));
        let write = || {
            let new = self.directory.join("progress.new");
            std::fs::write(&new, text)?;
            File::open(&new)?.sync_all()?;
            std::fs::rename(&new, self.directory.join(PROGRESS))?;
            File::open(&self.directory)?.sync_all()?;
            let named: std::collections::HashSet<&str> = lines.split_whitespace().collect();
            for entry in std::fs::read_dir(&self.directory)? {
                let name = entry?.file_name();
                let Some(name) = name.to_str() else { continue };
                let ours = name.split_once('-').is_some_and(|(kind, number)| {
                    KINDS.contains(&kind) && number.bytes().all(|byte| byte.is_ascii_digit())
                });
                if ours && !named.contains(name) {
                    std::fs::remove_file(self.directory.join(name))?;
                }
            }
            Ok(())
        };
        write().map_err(|error| failed(&self.directory, error))?;
        self.written = Instant::now();
        Ok(())
    }
}

fn failed(directory: &Path, error: io::Error) -> ExplicitError {
    ExplicitError::Disk { directory: directory.display().to_string(), error }
}

/// FNV-1a: the same in every run.
fn hash(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// A number for the rules of a game and how it is solved.
fn rules(game: &Game, options: &Options) -> u64 {
    let exprs = game.exprs();
    let cases = game.moves().iter().flat_map(|m| m.updates.iter().flat_map(|update| &update.cases));
    let of_moves = game.moves().iter().map(|m| m.guard).chain(cases.map(|case| case.0));
    let others = game.turn().iter().chain(game.terminal()).copied();
    let rewards = game.rewards().iter().flatten().map(|reward| reward.1);
    let forbidden = game.forbidden().iter().map(|forbidden| forbidden.when);
    let cone = exprs.cone(of_moves.chain(others).chain(rewards).chain(forbidden));
    let mut text = String::new();
    for id in cone {
        let _ = write!(text, "{id:?} {:?};", exprs.get(id));
    }
    let sizes: Vec<usize> = game.variables().iter().map(|variable| variable.size()).collect();
    let _ = write!(
        text,
        "{sizes:?} {:?} {:?} {:?} {:?} {:?} {:?}",
        game.initial(),
        game.moves(),
        game.turn(),
        game.terminal(),
        game.rewards(),
        game.forbidden()
    );
    let Options { solve, opponent, distance, weights, blocks, .. } = options;
    let _ = write!(text, "{solve} {opponent:?} {distance} {weights:?} {blocks:?}");
    hash(&text)
}

/// A list as one word.
fn listed<T: std::fmt::Display>(list: impl IntoIterator<Item = T>) -> String {
    let words: Vec<String> = list.into_iter().map(|item| item.to_string()).collect();
    if words.is_empty() { "-".to_owned() } else { words.join(",") }
}

/// The words of a line.
struct Words<'a>(std::str::SplitWhitespace<'a>);

impl Words<'_> {
    fn word(&mut self) -> Result<&str, ExplicitError> {
        self.0.next().ok_or(ExplicitError::Damaged)
    }

    fn number<T: FromStr>(&mut self) -> Result<T, ExplicitError> {
        self.word()?.parse().map_err(|_| ExplicitError::Damaged)
    }

    fn optional<T: FromStr>(&mut self) -> Result<Option<T>, ExplicitError> {
        match self.word()? {
            "-" => Ok(None),
            word => word.parse().map(Some).map_err(|_| ExplicitError::Damaged),
        }
    }

    fn list<T: FromStr>(&mut self) -> Result<Vec<T>, ExplicitError> {
        list(self.word()?)
    }
}

fn list<T: FromStr>(word: &str) -> Result<Vec<T>, ExplicitError> {
    match word {
        "-" => Ok(vec![]),
        word => word.split(',').map(|item| item.parse().map_err(|_| ExplicitError::Damaged)).collect(),
    }
}

impl<K: Key> Forward<'_, K> {
    /// Takes what an earlier run has found; false if there is nothing.
    pub fn resume(&mut self) -> Result<bool, ExplicitError> {
        let Some(text) = self.checkpoint.as_ref().map(Checkpoint::read).transpose()?.flatten() else {
            return Ok(false);
        };
        let mut worths = vec![];
        for line in text.lines() {
            let mut words = Words(line.split_whitespace());
            match words.word()? {
                "written" => self.written = words.number()?,
                "codes" => {
                    let rewards =
                        |word: &str| list::<u8>(word).map(|list| list.into_iter().collect::<Rewards>());
                    let table = words.0.map(rewards).collect::<Result<Vec<_>, _>>()?;
                    self.outcomes = CodeTable::of(table, self.options.opponent);
                }
                "worth" => worths.push(Worth { code: words.number()?, distance: words.number()? }),
                "tier" => {
                    let (measure, positions, inside) = (words.number()?, words.number()?, words.number()?);
                    let mover = words.optional::<u8>()?.map(Player);
                    let (terminal_by_code, leads_to) = (words.list()?, words.list()?);
                    let parts = (words.number()?, words.number()?);
                    let count = Count { measure, positions, terminal_by_code, mover };
                    let (shards, volume) = (vec![], Volume::default());
                    self.tiers.push(Tier { count, inside, parts, leads_to, shards, volume });
                }
                "shard" => {
                    let held = match words.optional::<String>()? {
                        Some(name) => Held::Away(self.shop.open(&name, words.number()?)?),
                        None => Held::Gone,
                    };
                    self.tiers.last_mut().ok_or(ExplicitError::Damaged)?.shards.push(held);
                }
                "waiting" => {
                    let (measure, shard, name) =
                        (words.number()?, words.number::<usize>()?, words.number::<String>()?);
                    let piece = self.shop.open(&name, words.number()?)?;
                    let threads = self.threads();
                    if shard >= SHARDS {
                        return Err(ExplicitError::Damaged);
                    }
                    let shard = &mut self.closers[shard % threads].shards[shard / threads];
                    shard.entry(measure).or_default().pieces.push(piece);
                }
                "solved" => {
                    let (endless, longest_win) = (words.number()?, words.optional()?);
                    let by_mover = words.0.map(list).collect::<Result<_, _>>()?;
                    self.solved.push(Sums { by_mover, endless, longest_win });
                }
                _ => return Err(ExplicitError::Damaged),
            }
        }
        self.worths = Worths::of(worths);
        let whole = self.tiers.iter().all(|tier| tier.shards.len() == SHARDS);
        if whole && self.solved.len() <= self.tiers.len() { Ok(true) } else { Err(ExplicitError::Damaged) }
    }

    /// Keeps what is found, now or if that was long ago: everything goes to disk.
    pub fn keep(&mut self, now: bool) -> Result<(), ExplicitError> {
        let due = |checkpoint: &Checkpoint| now || checkpoint.written.elapsed() >= checkpoint.often;
        if !self.checkpoint.as_ref().is_some_and(due) || !self.solved.is_empty() {
            return Ok(());
        }
        for number in 0..self.tiers.len() {
            self.save(number, "found")?;
            self.tiers[number].shards.iter_mut().for_each(Held::leave);
        }
        self.send_waiting_away(u64::MAX, 0, i64::MIN)?;
        self.write_progress(&[], &[])
    }

    /// Keeps a tier that is solved.
    pub fn keep_solved(
        &mut self,
        number: usize,
        worths: &Worths,
        solved: &[Sums],
    ) -> Result<(), ExplicitError> {
        if self.checkpoint.is_none() {
            return Ok(());
        }
        self.save(number, "tier")?;
        self.write_progress(&worths.list, solved)
    }

    /// What is in memory of a tier is also on disk.
    fn save(&mut self, number: usize, kind: &str) -> Result<(), ExplicitError> {
        for shard in 0..SHARDS {
            if self.tiers[number].shards[shard].is_unsaved() {
                let name = self.next_name(kind);
                let Tier { shards, volume, .. } = &mut self.tiers[number];
                shards[shard].save(&self.shop, volume, &name)?;
            }
        }
        Ok(())
    }

    fn write_progress(&mut self, worths: &[Worth], solved: &[Sums]) -> Result<(), ExplicitError> {
        let mut text = String::new();
        let codes = self.outcomes.table().iter().map(|rewards| listed(rewards.iter()));
        let codes = codes.collect::<Vec<_>>().join(" ");
        let _ = writeln!(text, "written {}\ncodes {codes}", self.written);
        for Worth { code, distance } in worths {
            let _ = writeln!(text, "worth {code} {distance}");
        }
        for Tier { count, inside, parts, leads_to, shards, .. } in &self.tiers {
            let mover = listed(count.mover.map(|player| player.0));
            let _ = writeln!(
                text,
                "tier {} {} {inside} {mover} {} {} {} {}",
                count.measure,
                count.positions,
                listed(&count.terminal_by_code),
                listed(leads_to),
                parts.0,
                parts.1
            );
            for shard in shards {
                let _ = match shard.piece().and_then(|piece| Some((piece.name()?, piece.bytes))) {
                    Some((name, bytes)) => writeln!(text, "shard {name} {bytes}"),
                    None => writeln!(text, "shard -"),
                };
            }
        }
        let threads = self.threads();
        let lists = |(thread, closer): (usize, &Closer<K>), text: &mut String| {
            for (slot, shard) in closer.shards.iter().enumerate() {
                for (measure, Waiting { pieces, .. }) in shard {
                    for piece in pieces {
                        let (number, name) = (slot * threads + thread, piece.name().unwrap_or("-"));
                        let _ = writeln!(text, "waiting {measure} {number} {name} {}", piece.bytes);
                    }
                }
            }
        };
        self.closers.iter().enumerate().for_each(|closer| lists(closer, &mut text));
        for Sums { by_mover, endless, longest_win } in solved {
            let by_mover = by_mover.iter().map(listed).collect::<Vec<_>>().join(" ");
            let _ = writeln!(text, "solved {endless} {} {by_mover}", listed(*longest_win));
        }
        match &mut self.checkpoint {
            Some(checkpoint) => checkpoint.write(&text),
            None => Ok(()),
        }
    }

    /// What an earlier run has solved.
    pub fn take_solved(&mut self) -> (Worths, Vec<Sums>) {
        (std::mem::take(&mut self.worths), std::mem::take(&mut self.solved))
    }
}

/// Pieces that say what is in memory.
impl<K: Key> Held<K> {
    fn piece(&self) -> Option<&Piece> {
        match self {
            Held::Here(_, saved) => saved.as_ref(),
            Held::Away(piece) => Some(piece),
            Held::Gone => None,
        }
    }
}
