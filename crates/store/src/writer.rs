//! Writing a solution, layer by layer, so that whatever is finished stays finished.

use crate::chunks::{Kind, unhex};
use crate::consistent::{FRAME_NAME, digits_name, set_name, values_name};
use crate::diagram;
use crate::digits_file::write_digits;
use crate::disk::{Disk, OsDisk};
use crate::error::StoreError;
use crate::files::{Files, groups};
use crate::manifest::{
    DigitsRecord, Encoding, FileRecord, Header, LayerRecord, MANIFEST, Manifest, ValuesRecord, Verdict,
};
use crate::pending::Pending;
use crate::set_file::write_set;
use crate::tally::{count_codes, greatest};
use crate::value_file::{bits_of, write_diagram, write_packed};
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use winset_index::{Blocks, Index, Planes};
use winset_model::{Player, Rewards, Valuation, Variable};

/// The name of the file whose lock says that a process works in the directory. It stays, empty.
pub const LOCK: &str = "lock";

/// Of n layers whose values are kept as bits, one tries a diagram all the same.
const AGAIN: usize = 8;

/// What is in a directory already.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// The layers whose sets are there, ascending.
    pub sets: Vec<u32>,
    /// All sets are there.
    pub forward_complete: bool,
    /// The layers whose values are there, ascending.
    pub values: Vec<u32>,
    /// Nothing is left to do.
    pub finished: bool,
}

/// What a solver has counted in a layer when its set is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LayerCounts {
    /// Positions, terminal ones included.
    pub positions: u64,
    /// Terminal positions.
    pub terminal: u64,
    /// Terminal positions of each code (missing ones: none).
    pub terminal_by_code: Vec<u64>,
    /// Who is to move in the whole layer, if it is always the same player.
    pub mover: Option<Player>,
    /// See [`LayerRecord::unclear`].
    pub unclear: bool,
}

/// The values of a layer, in rank order.
#[derive(Clone, Debug)]
pub struct LayerValues<'a> {
    /// The code of each position.
    pub codes: &'a Planes,
    /// The distance to the end in plies plus one (0: endless), if the header says that distances are kept.
    pub distances: Option<&'a Planes>,
    /// The number of positions of each code, terminal ones left out. Needed only if the set has terminal
    /// positions; otherwise the codes are counted.
    pub by_code: Option<Vec<u64>>,
}

/// Writes a solution into a directory, from the first layer or from where another process stopped.
///
/// What is put is in the directory at once, and durable and named in the manifest there within a tenth of a second of
/// further work, or with [`StoreWriter::flush`], [`StoreWriter::finish`], or when the writer is dropped. The directory is
/// this process's own until then.
#[derive(Debug)]
pub struct StoreWriter {
    pub(crate) files: Files,
    pub(crate) manifest: Manifest,
    variables: Vec<Variable>,
    /// Keep values in the smallest way, even if finding it takes longer than solving.
    pub compact: bool,
    pub(crate) pending: Pending,
    _lock: Option<File>,
}

impl StoreWriter {
    /// Starts a solution in a new or empty directory, or goes on with the same one that was begun there.
    pub fn create_or_resume(directory: &Path, header: Header) -> Result<(Self, Progress), StoreError> {
        Self::create_or_resume_on(Arc::new(OsDisk), directory, header)
    }

    /// The same on a given file system.
    pub fn create_or_resume_on(
        disk: Arc<dyn Disk>,
        directory: &Path,
        header: Header,
    ) -> Result<(Self, Progress), StoreError> {
        disk.make_directory(directory).map_err(|e| StoreError::io("creating", directory, e))?;
        if let Some(parent) = directory.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            disk.sync_directory(parent).map_err(|e| StoreError::io("syncing", parent, e))?;
        }
        let lock = lock(&*disk, directory)?;
        let path = directory.join(MANIFEST);
        let (manifest, new) = match Manifest::read(&*disk, directory) {
            Err(StoreError::NoStore(_)) => {
                refuse_other_contents(&*disk, directory)?;
                (Manifest::new(header), true)
            }
            Err(error) => return Err(error),
            Ok(manifest) => {
                manifest.check_same(&path, &header)?;
                (manifest, false)
            }
        };
        let rules = unhex(&manifest.header.rules)
            .ok_or_else(|| StoreError::damaged(&path, "the rules' digest is malformed"))?;
        let variables = variables(&manifest.header);
        let files = Files { disk, directory: directory.to_owned(), rules, frame: Default::default() };
        let pending = Pending::default();
        let mut writer = StoreWriter { files, manifest, variables, compact: false, pending, _lock: lock };
        if new {
            writer.flush()?;
        }
        writer.remove_leftovers()?;
        let progress = writer.progress();
        Ok((writer, progress))
    }

    /// Forgets everything that has been put, and begins a store with another header in its place. Whenever this is
    /// interrupted, there is the one store or the other.
    pub fn start_over(&mut self, header: Header) -> Result<(), StoreError> {
        self.variables = variables(&header);
        self.manifest = Manifest::new(header);
        self.files.frame = Default::default();
        self.flush()?;
        self.remove_leftovers()
    }

    /// What is there.
    pub fn progress(&self) -> Progress {
        let layers = &self.manifest.layers;
        Progress {
            sets: layers.iter().map(|l| l.layer).collect(),
            forward_complete: self.manifest.forward_complete,
            values: layers.iter().filter(|l| l.values.is_some()).map(|l| l.layer).collect(),
            finished: self.manifest.value.is_some(),
        }
    }

    /// The manifest as it is now.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The blocks with the digits that have been written so far.
    pub fn blocks(&self) -> Result<Blocks, StoreError> {
        let file = self.files.open_digits(&self.manifest)?;
        self.files.read_blocks(&self.manifest, file.as_ref(), &self.variables)
    }

    /// Keeps the digits. They may only grow; to be called before the first layer that uses new ones.
    pub fn put_blocks(&mut self, blocks: &Blocks) -> Result<(), StoreError> {
        let same = groups(&self.manifest.header).into_iter().eq(blocks.blocks.iter().map(|b| b.vars.clone()));
        if !same {
            let path = self.files.path(MANIFEST);
            return Err(StoreError::Mismatch { path, what: "the block structure" });
        }
        let counts: Vec<u64> = blocks.blocks.iter().map(|block| block.digits.len() as u64).collect();
        if self.manifest.digits.as_ref().is_some_and(|record| record.counts == counts) {
            return Ok(());
        }
        let name = digits_name(&counts);
        let mut writer = self.files.create(&name, Kind::Digits, 0)?;
        let head = write_digits(&mut writer, blocks)?;
        let file = self.pending.name(writer.complete(&head)?, &name)?;
        let old = self.manifest.digits.replace(DigitsRecord { counts, file });
        if let Some(old) = old.filter(|old| old.file.file != name) {
            self.pending.drop_later(old.file.file);
        }
        self.commit()
    }

    /// Keeps the set of a layer: its positions that are not terminal.
    pub fn put_set(&mut self, layer: u32, index: &Index, counts: LayerCounts) -> Result<(), StoreError> {
        let wrong = |reason| Err(StoreError::Layer { layer, reason });
        let at = match self.manifest.layers.binary_search_by_key(&layer, |l| l.layer) {
            Ok(_) => return wrong("its set is there already"),
            Err(at) => at,
        };
        if index.levels().len() != self.manifest.header.blocks.len() {
            return wrong("its index does not have one level per block");
        }
        let others = counts.positions.checked_sub(counts.terminal);
        if others.is_none_or(|others| others > index.len()) || index.len() > counts.positions {
            return wrong(
                "its set must have all positions that are not terminal, and no more than there are",
            );
        }
        let by_code = &counts.terminal_by_code;
        if by_code.len() > self.manifest.header.codes.len() || by_code.iter().sum::<u64>() != counts.terminal
        {
            return wrong("the terminal positions of each code do not add up");
        }
        let name = set_name(layer);
        let mut writer = self.files.create(&name, Kind::Set, layer)?;
        let head = write_set(&mut writer, index)?;
        let set = self.pending.name(writer.complete(&head)?, &name)?;
        let LayerCounts { positions, terminal, terminal_by_code, mover, unclear } = counts;
        let stored = index.len();
        let values = None;
        let record =
            LayerRecord { layer, positions, terminal, mover, terminal_by_code, unclear, stored, set, values };
        self.manifest.layers.insert(at, record);
        self.commit()
    }

    /// Every layer's set is there.
    pub fn forward_done(&mut self) -> Result<(), StoreError> {
        if self.manifest.forward_complete {
            return Ok(());
        }
        self.manifest.forward_complete = true;
        self.commit()
    }

    /// Keeps what the codes mean. The table may only grow, and not after the first values.
    pub fn put_codes(&mut self, codes: &[Rewards]) -> Result<(), StoreError> {
        let here = &mut self.manifest.header.codes;
        if here == codes {
            return Ok(());
        }
        if !codes.starts_with(here) || self.manifest.layers.iter().any(|l| l.values.is_some()) {
            let path = self.files.path(MANIFEST);
            return Err(StoreError::Mismatch { path, what: "the values' meaning" });
        }
        *here = codes.to_vec();
        self.commit()
    }

    /// Whether a diagram of a layer's values is worth a try, so that its set is needed with them.
    ///
    /// Values look alike from layer to layer, and the ends of games, which have much in common, come last. So
    /// where a large layer was better kept as bits, those before it are too; one in `AGAIN` is tried all
    /// the same. What is not known yet is tried, and everything if [`StoreWriter::compact`].
    pub fn tries_diagram(&self, layer: u32) -> bool {
        let layers = &self.manifest.layers;
        let Ok(at) = layers.binary_search_by_key(&layer, |l| l.layer) else { return true };
        let after = layers.get(at + 1).filter(|after| after.stored > diagram::FEW);
        let packed = after
            .and_then(|after| after.values.as_ref())
            .is_some_and(|values| values.encoding == Encoding::Packed);
        self.compact || !packed || layers[at].stored <= diagram::FEW || at % AGAIN == 0
    }

    /// Keeps the values of a layer whose set is there. `index` is that set; it can be left out where
    /// [`StoreWriter::tries_diagram`] says that it is not needed.
    pub fn put_values(
        &mut self,
        layer: u32,
        index: Option<&Index>,
        values: &LayerValues<'_>,
    ) -> Result<(), StoreError> {
        let wrong = |reason| Err(StoreError::Layer { layer, reason });
        let Ok(at) = self.manifest.layers.binary_search_by_key(&layer, |l| l.layer) else {
            return wrong("its set must be kept before its values");
        };
        let LayerValues { codes, distances, ref by_code } = *values;
        let (record, header) = (&self.manifest.layers[at], &self.manifest.header);
        if record.values.is_some() {
            return wrong("its values are there already");
        }
        let index = match index {
            _ if !self.tries_diagram(layer) => None,
            None => return wrong("its set is needed with its values"),
            given => given,
        };
        let places = index.map_or(record.stored, Index::len);
        let lengths = [places, codes.len(), distances.map_or(record.stored, Planes::len)];
        if lengths != [record.stored; 3] {
            return wrong("there must be one value for each position of the set");
        }
        if distances.is_some() != header.remoteness {
            return wrong("distances are given but not announced, or announced but not given");
        }
        if codes.planes.len() != header.code_bits() {
            return wrong("the codes do not have the right number of bits");
        }
        if distances.is_some_and(|d| d.planes.len() > 15) {
            return wrong("distances of more than 15 bits");
        }
        let counted = count_codes(codes, header.codes.len());
        if counted.iter().sum::<u64>() != record.stored {
            return wrong("a position has a code that is not in the table");
        }
        let others = record.positions - record.terminal;
        let by_code = match by_code {
            None if others == record.stored => counted,
            None => return wrong("its set has terminal positions, so the others' counts must be given"),
            Some(given) => {
                let fits = given.len() <= counted.len() && given.iter().zip(&counted).all(|(g, c)| g <= c);
                if !fits || given.iter().sum::<u64>() != others {
                    return wrong("the counts of each code do not add up");
                }
                let mut given = given.clone();
                given.resize(counted.len(), 0);
                given
            }
        };
        let planes: Vec<&Planes> = std::iter::once(codes).chain(distances).collect();
        let (encoding, file) = self.write_values(layer, index, &planes)?;
        let longest = distances.map(|planes| greatest(planes).saturating_sub(1));
        self.manifest.layers[at].values = Some(ValuesRecord { encoding, by_code, longest, file });
        self.commit()
    }

    /// Writes the values in the smaller of the two ways.
    fn write_values(
        &mut self,
        layer: u32,
        index: Option<&Index>,
        values: &[&Planes],
    ) -> Result<(Encoding, FileRecord), StoreError> {
        let name = values_name(layer);
        let mut writer = self.files.create(&name, Kind::Values, layer)?;
        let len = values[0].len();
        let head = write_packed(&mut writer, values, len)?;
        let packed = writer.complete(&head)?;
        let limit = packed.record.bytes;
        let Some(made) = index.and_then(|index| diagram::build(index, values, limit, self.compact)) else {
            return Ok((Encoding::Packed, self.pending.name(packed, &name)?));
        };
        let mut writer = self.files.create(&format!("{name}.diagram"), Kind::Values, layer)?;
        let head = write_diagram(&mut writer, &made, bits_of(values), len)?;
        let reduced = writer.complete(&head)?;
        if reduced.record.bytes < packed.record.bytes {
            packed.discard()?;
            Ok((Encoding::Diagram, self.pending.name(reduced, &name)?))
        } else {
            reduced.discard()?;
            Ok((Encoding::Packed, self.pending.name(packed, &name)?))
        }
    }

    /// Everything is solved, and this is the value of the start.
    pub fn finish(&mut self, value: Valuation) -> Result<(), StoreError> {
        if self.manifest.value == Some(value) {
            return Ok(());
        }
        if let Some(missing) = self.manifest.layers.iter().find(|l| l.values.is_none()) {
            return Err(StoreError::Layer { layer: missing.layer, reason: "its values are missing" });
        }
        self.manifest.forward_complete = true;
        self.manifest.value = Some(value);
        self.flush()
    }

    /// Reads the set of a layer back, into `room` bytes of memory.
    pub fn read_set(&self, layer: u32, room: u64) -> Result<Index, StoreError> {
        self.files.open(&self.manifest, Kind::Set, layer)?.read_set(room)
    }

    /// Reads the values of a layer back, into `room` bytes of memory: codes, and distances if they are kept.
    pub fn read_values(
        &self,
        layer: u32,
        index: &Index,
        room: u64,
    ) -> Result<(Planes, Option<Planes>), StoreError> {
        self.files.open(&self.manifest, Kind::Values, layer)?.read_values(index, room)
    }

    /// How long what is put may wait to become durable, unless the default is good enough.
    pub fn wait_at_most(&mut self, patience: Duration) {
        self.pending.patience = patience;
    }

    /// Makes everything that was put durable, and names it in the manifest.
    pub fn flush(&mut self) -> Result<(), StoreError> {
        // What was checked has changed.
        self.manifest.verified = None;
        self.pending.settle(&*self.files.disk, &self.files.directory)?;
        self.manifest.write(&*self.files.disk, &self.files.directory)?;
        self.pending.settled().iter().try_for_each(|name| self.remove(name))
    }

    /// The manifest has changed: it is written unless it was a moment ago.
    pub(crate) fn commit(&mut self) -> Result<(), StoreError> {
        if self.pending.is_due() { self.flush() } else { Ok(()) }
    }

    fn remove(&self, name: &str) -> Result<(), StoreError> {
        let path = self.files.path(name);
        self.files.disk.remove(&path).map_err(|e| StoreError::io("removing", &path, e))
    }

    /// Removes what an interrupted process left: our files that the manifest does not name.
    fn remove_leftovers(&self) -> Result<(), StoreError> {
        let named: Vec<&str> = self.manifest.files().map(|record| record.file.as_str()).collect();
        for name in names(&*self.files.disk, &self.files.directory)? {
            if is_ours(&name) && !named.contains(&name.as_str()) {
                self.remove(&name)?;
            }
        }
        Ok(())
    }
}

impl Drop for StoreWriter {
    fn drop(&mut self) {
        if self.pending.is_waiting() {
            // Whoever has to know that it failed calls `flush`; what is durable stays right.
            let _ = self.flush();
        }
    }
}

/// Writes a checker's verdict about the manifest with this digest into that manifest. Refused if there is another
/// one by now.
pub fn record_verdict(directory: &Path, digest: &str, verdict: Verdict) -> Result<(), StoreError> {
    let disk = OsDisk;
    let _lock = lock(&disk, directory)?;
    let mut manifest = Manifest::read(&disk, directory)?;
    if manifest.digest != digest {
        let path = directory.join(MANIFEST);
        return Err(StoreError::Mismatch { path, what: "what was checked (it was changed meanwhile)" });
    }
    manifest.verified = Some(verdict);
    manifest.write(&disk, directory)
}

/// The variables of a header as the model has them.
pub(crate) fn variables(header: &Header) -> Vec<Variable> {
    let records = header.variables.iter();
    records.map(|v| Variable { name: v.name.clone(), values: v.values.clone() }).collect()
}

fn lock(disk: &dyn Disk, directory: &Path) -> Result<Option<File>, StoreError> {
    let path = directory.join(LOCK);
    let opened = disk.lock_file(&path).map_err(|e| StoreError::io("opening", &path, e))?;
    let Some(file) = opened else { return Ok(None) };
    // A process that is just being started inherits open files for an instant, and their locks with them.
    for patience in (0..10).rev() {
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(std::fs::TryLockError::WouldBlock) if patience > 0 => {
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
            Err(std::fs::TryLockError::WouldBlock) => break,
            Err(std::fs::TryLockError::Error(e)) => return Err(StoreError::io("locking", &path, e)),
        }
    }
    Err(StoreError::Locked(directory.to_owned()))
}

fn names(disk: &dyn Disk, directory: &Path) -> Result<Vec<String>, StoreError> {
    disk.names(directory).map_err(|e| StoreError::io("listing", directory, e))
}

/// A file that this program writes beside the manifest and the lock.
fn is_ours(name: &str) -> bool {
    let of_layer = name.starts_with("layer-") && [".set", ".val"].iter().any(|end| name.ends_with(end));
    let of_leaves = name == FRAME_NAME;
    let of_digits = name.starts_with("digits-") && name.ends_with(".dig");
    let unfinished = name.ends_with(".tmp")
        && ["layer-", "digits-", FRAME_NAME, MANIFEST].iter().any(|begin| name.starts_with(begin));
    of_layer || of_digits || of_leaves || unfinished
}

fn refuse_other_contents(disk: &dyn Disk, directory: &Path) -> Result<(), StoreError> {
    let foreign = names(disk, directory)?.into_iter().any(|name| name != LOCK && !is_ours(&name));
    if foreign { Err(StoreError::NotEmpty(directory.to_owned())) } else { Ok(()) }
}
