//! Reading a solution: any position's value, touching only the chunks it needs.

use crate::cache::{Cache, Chunk};
use crate::chunks::{ChunkReader, Kind, unhex};
use crate::disk::{Disk, OsDisk};
use crate::error::StoreError;
use crate::files::{Files, Opened, groups};
use crate::manifest::{LayerRecord, Layering, MANIFEST, Manifest};
use crate::open_files::OpenFiles;
use crate::rules::rules_digest;
use crate::value_file::Body;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use winset_index::{Blocks, Digit, Index, Level, Planes, ValueDiagram};
use winset_model::{Game, Remoteness, State, Valuation};

/// Decoded chunks and heads of files that are kept by default. With the rest of the process it stays below 64 MiB.
const CACHE_BYTES: usize = 24 << 20;

/// What a store knows of a position that is not terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    /// Its value.
    Solved(Valuation),
    /// It may be reachable, but its value has not been computed yet.
    NotSolvedYet,
    /// The game cannot come to it.
    NotReachable,
}

impl Stored {
    /// The value, if it is there.
    pub fn valuation(self) -> Option<Valuation> {
        match self {
            Stored::Solved(valuation) => Some(valuation),
            Stored::NotSolvedYet | Stored::NotReachable => None,
        }
    }
}

/// A solution, complete or not, opened for reading. Can be shared by threads.
///
/// It gives what is written and no more: which of a position's moves are good is for others to say, who know the rules
/// (`winset_explore::Session`).
#[derive(Debug)]
pub struct Store {
    files: Files,
    manifest: Manifest,
    game: Game,
    digits: Option<ChunkReader>,
    blocks: OnceLock<Blocks>,
    open: Mutex<OpenFiles>,
    /// Every play comes to an end, once that has been asked.
    ends: OnceLock<bool>,
    cache: Cache,
}

impl Store {
    /// Opens a solution. `build` makes the game that the manifest names; it is refused if its rules are not
    /// those that were solved. Reads only the manifest, whatever the solution's size.
    pub fn open<E: std::fmt::Display>(
        directory: &Path,
        build: impl FnOnce(&Manifest) -> Result<Game, E>,
    ) -> Result<Self, StoreError> {
        Self::open_on(Arc::new(OsDisk), directory, CACHE_BYTES, build)
    }

    /// The same on a given file system, with room for this many bytes of decoded chunks.
    pub fn open_on<E: std::fmt::Display>(
        disk: Arc<dyn Disk>,
        directory: &Path,
        cache_bytes: usize,
        build: impl FnOnce(&Manifest) -> Result<Game, E>,
    ) -> Result<Self, StoreError> {
        let path = directory.join(MANIFEST);
        let (files, manifest, digits) = read_manifest(disk, directory)?;
        let no_game = |e: E| StoreError::Game { path: path.clone(), reason: e.to_string() };
        let game = build(&manifest).map_err(no_game)?;
        let (stored, here) = (manifest.header.rules.clone(), rules_digest(&game));
        if stored != here {
            return Err(StoreError::Rules { path, stored, here });
        }
        if let Some(what) = manifest.header.differs_from_game(&game) {
            return Err(StoreError::damaged(&path, format!("its {what} are not the game's")));
        }
        Blocks::new(groups(&manifest.header), game.variables().len())?;
        let (blocks, ends) = (OnceLock::new(), OnceLock::new());
        // A file of leaves says where they are, which is much for a large layer.
        let open = Mutex::new(OpenFiles::new(cache_bytes / 4));
        let cache = Cache::new(cache_bytes - cache_bytes / 4);
        Ok(Store { files, manifest, game, digits, blocks, open, ends, cache })
    }

    /// What was solved and how.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The game that was solved.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The directory.
    pub fn directory(&self) -> &Path {
        &self.files.directory
    }

    /// Every reachable position has a value.
    pub fn is_complete(&self) -> bool {
        self.manifest.value.is_some()
    }

    /// The rules show that every play comes to an end: layers by plies are only made of games that do, and a
    /// measure can prove it.
    pub fn every_play_ends(&self) -> bool {
        *self.ends.get_or_init(|| match &self.manifest.header.layering {
            Layering::Bfs => true,
            Layering::Measure { weights, .. } => winset_progress::every_play_ends(&self.game, weights),
            Layering::Single => false,
        })
    }

    /// That a state has a value for each of the game's variables, from its domain.
    pub fn check(&self, state: &State) -> Result<(), StoreError> {
        let variables = self.game.variables();
        let fits = state.0.len() == variables.len()
            && state.0.iter().zip(variables).all(|(&value, v)| usize::from(value) < v.size());
        if fits { Ok(()) } else { Err(StoreError::NotAState) }
    }

    /// The number of chunks read from disk so far.
    pub fn chunks_read(&self) -> u64 {
        self.cache.loads()
    }

    /// The blocks with all digits.
    pub fn blocks(&self) -> Result<&Blocks, StoreError> {
        if let Some(blocks) = self.blocks.get() {
            return Ok(blocks);
        }
        let blocks = self.files.read_blocks(&self.manifest, self.digits.as_ref(), self.game.variables())?;
        Ok(self.blocks.get_or_init(|| blocks))
    }

    /// The whole set of a layer, in memory, of which it may take `room` bytes.
    pub fn read_set(&self, layer: u32, room: u64) -> Result<Index, StoreError> {
        self.opened(Kind::Set, layer)?.read_set(room)
    }

    /// All values of a layer, in `room` bytes of memory: codes, and distances if they are kept.
    pub fn read_values(
        &self,
        layer: u32,
        index: &Index,
        room: u64,
    ) -> Result<(Planes, Option<Planes>), StoreError> {
        self.opened(Kind::Values, layer)?.read_values(index, room)
    }

    /// All values of a layer as a diagram in `room` bytes of memory, if that is how they are kept: the code in the lowest
    /// bits, as many as a code takes, and the distance above it.
    pub fn read_diagram(&self, layer: u32, room: u64) -> Result<Option<ValueDiagram>, StoreError> {
        self.opened(Kind::Values, layer)?.read_diagram(room)
    }

    /// The number of nodes of a layer's set.
    pub fn set_nodes(&self, layer: u32) -> Result<u64, StoreError> {
        Ok(self.opened(Kind::Set, layer)?.set()?.levels.iter().map(|section| section.nodes).sum())
    }

    /// That every byte of every file is the one that was written. Reads everything.
    pub fn check_files(&self) -> Result<(), StoreError> {
        if let (Some(file), Some(record)) = (&self.digits, &self.manifest.digits) {
            file.check_digest(&record.file)?;
        }
        if let (Some(file), Some(record)) = (self.files.open_frame(&self.manifest)?, &self.manifest.leaves) {
            file.check_digest(record)?;
        }
        for record in &self.manifest.layers {
            self.opened(Kind::Set, record.layer)?.file.check_digest(&record.set)?;
            if let Some(values) = &record.values {
                self.opened(Kind::Values, record.layer)?.file.check_digest(&values.file)?;
            }
        }
        Ok(())
    }

    /// What is stored about a state that is not terminal.
    pub fn stored(&self, state: &State) -> Result<Stored, StoreError> {
        let mut found =
            if self.manifest.forward_complete { Stored::NotReachable } else { Stored::NotSolvedYet };
        let Some(digits) = self.blocks()?.digits(state) else { return Ok(found) };
        // In BFS layers a state can be in several: any solved one will do, and the later ones are first solved.
        for record in self.layers_of(state).iter().rev() {
            let Some(rank) = self.rank(record.layer, &digits)? else { continue };
            if record.values.is_none() {
                found = Stored::NotSolvedYet;
                continue;
            }
            return Ok(Stored::Solved(self.value_at(record.layer, rank, &digits)?));
        }
        Ok(found)
    }

    /// Whether a state is in the set of a layer.
    pub fn contains(&self, state: &State) -> Result<bool, StoreError> {
        let Some(digits) = self.blocks()?.digits(state) else { return Ok(false) };
        for record in self.layers_of(state) {
            if self.rank(record.layer, &digits)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The layers in which a state can be.
    fn layers_of(&self, state: &State) -> &[LayerRecord] {
        let layers = self.manifest.layers.as_slice();
        match self.manifest.header.layering.layer(state).map(u32::try_from) {
            None => layers,
            Some(Err(_)) => &[],
            Some(Ok(layer)) => match layers.binary_search_by_key(&layer, |l| l.layer) {
                Ok(at) => &layers[at..=at],
                Err(_) => &[],
            },
        }
    }

    /// The position of a digit string in a layer's set, if it is there.
    pub fn rank(&self, layer: u32, digits: &[Digit]) -> Result<Option<u64>, StoreError> {
        let opened = self.opened(Kind::Set, layer)?;
        let (head, mut rank) = (opened.set()?, 0u64);
        let Some(mut node) = head.root else { return Ok(None) };
        for (k, digit) in digits.iter().enumerate() {
            let found = self.at_node(layer, &opened, k, node, |level, edges| {
                let at = level.digit[edges.clone()].binary_search(digit).ok()?;
                Some((level.child[edges.start + at], level.before[edges.start + at]))
            })?;
            let Some((child, before)) = found else { return Ok(None) };
            (node, rank) = (child, rank.wrapping_add(before));
        }
        if rank >= head.len {
            return Err(opened.file.damaged("a rank is too large"));
        }
        Ok(Some(rank))
    }

    /// The digit string at a position of a layer's set.
    pub fn unrank(&self, layer: u32, mut rank: u64) -> Result<Vec<Digit>, StoreError> {
        let opened = self.opened(Kind::Set, layer)?;
        let head = opened.set()?;
        let Some(mut node) = head.root.filter(|_| rank < head.len) else {
            return Err(StoreError::Layer { layer, reason: "it does not have that many positions" });
        };
        let mut digits = vec![];
        for k in 0..head.levels.len() {
            let (child, before, digit) = self
                .at_node(layer, &opened, k, node, |level, edges| {
                    let at = level.before[edges.clone()].partition_point(|&before| before <= rank);
                    let e = edges.start + at.checked_sub(1)?;
                    Some((level.child[e], level.before[e], level.digit[e]))
                })?
                .ok_or_else(|| opened.file.damaged("a node has no edges"))?;
            (node, rank) = (child, rank - before);
            digits.push(digit);
        }
        Ok(digits)
    }

    /// The digits and the value of the state at a position of a solved layer's set.
    pub fn at(&self, layer: u32, rank: u64) -> Result<(Vec<Digit>, Valuation), StoreError> {
        let digits = self.unrank(layer, rank)?;
        let known = digits.iter().zip(&self.blocks()?.blocks);
        if !known.clone().all(|(&digit, block)| usize::from(digit) < block.digits.len()) {
            return Err(StoreError::Layer { layer, reason: "it has a digit without meaning" });
        }
        let value = self.value_at(layer, rank, &digits)?;
        Ok((digits, value))
    }

    /// Looks at the edges of a node of a set.
    fn at_node<T>(
        &self,
        layer: u32,
        opened: &Opened,
        k: usize,
        node: u32,
        look: impl FnOnce(&Level, Range<usize>) -> T,
    ) -> Result<T, StoreError> {
        let section = &opened.set()?.levels[k];
        let chunk = u64::from(node) >> section.shift;
        let loaded = self.set_chunk(layer, opened, k, chunk)?;
        let Chunk::Set(level) = &*loaded else { return Err(opened.file.damaged("not a set")) };
        let edges = level.edges((u64::from(node) - (chunk << section.shift)) as u32);
        Ok(look(level, edges))
    }

    /// A chunk of a level of a set, by its number in the level.
    pub(crate) fn set_chunk(
        &self,
        layer: u32,
        opened: &Opened,
        k: usize,
        chunk: u64,
    ) -> Result<Arc<Chunk>, StoreError> {
        let head = opened.set()?;
        let number = head.levels[k].first + chunk;
        let load = || {
            let raw = opened.file.chunk(number)?;
            Ok(Chunk::Set(head.nodes(&opened.file, k, chunk, &raw)?.level))
        };
        self.cache.get((u64::from(layer) << 1, number), load)
    }

    /// A chunk of packed values.
    pub(crate) fn words_chunk(
        &self,
        layer: u32,
        opened: &Opened,
        number: u64,
    ) -> Result<Arc<Chunk>, StoreError> {
        let load = || {
            let raw = opened.file.chunk(number)?;
            Ok(Chunk::Words(opened.values()?.words(&opened.file, number, &raw)?))
        };
        self.cache.get((u64::from(layer) << 1 | 1, number), load)
    }

    /// A chunk of values.
    pub(crate) fn cached(
        &self,
        layer: u32,
        number: u64,
        load: impl FnOnce() -> Result<Chunk, StoreError>,
    ) -> Result<Arc<Chunk>, StoreError> {
        self.cache.get((u64::from(layer) << 1 | 1, number), load)
    }

    /// A chunk of a level of a diagram of values, by its number in the level.
    pub(crate) fn diagram_chunk(
        &self,
        layer: u32,
        opened: &Opened,
        k: usize,
        chunk: u64,
    ) -> Result<Arc<Chunk>, StoreError> {
        let head = opened.values()?;
        let Body::Diagram { levels, .. } = &head.body else { return Err(opened.file.damaged("not nodes")) };
        let number = levels[k].first + chunk;
        let load = || {
            let raw = opened.file.chunk(number)?;
            Ok(Chunk::Diagram(head.nodes(&opened.file, k, chunk, &raw)?))
        };
        self.cache.get((u64::from(layer) << 1 | 1, number), load)
    }

    /// The value of a state of a layer, by rank and digits.
    fn value_at(&self, layer: u32, rank: u64, digits: &[Digit]) -> Result<Valuation, StoreError> {
        let opened = self.opened(Kind::Values, layer)?;
        let head = opened.values()?;
        let value = match &head.body {
            Body::Packed { shift } => {
                let number = rank >> shift;
                let loaded = self.words_chunk(layer, &opened, number)?;
                self.packed(&opened, &loaded, number, *shift, rank)?
            }
            Body::Diagram { root, levels } => {
                let mut at = *root;
                while let Some(section) = levels.get((at >> 32) as usize) {
                    let (k, node) = ((at >> 32) as usize, at & 0xffff_ffff);
                    let chunk = node >> section.shift;
                    let loaded = self.diagram_chunk(layer, &opened, k, chunk)?;
                    let Chunk::Diagram(nodes) = &*loaded else {
                        return Err(opened.file.damaged("not nodes"));
                    };
                    at = nodes.step((node - (chunk << section.shift)) as usize, digits[k]);
                }
                at & 0xffff_ffff
            }
            Body::Leaves(_) => self.leaf_value(layer, &opened, digits)?,
        };
        self.meaning(&opened, value)
    }

    /// The bits of a rank in a chunk of packed values.
    pub(crate) fn packed(
        &self,
        opened: &Opened,
        chunk: &Chunk,
        number: u64,
        shift: u32,
        rank: u64,
    ) -> Result<u64, StoreError> {
        let Chunk::Words(words) = chunk else { return Err(opened.file.damaged("not words")) };
        let each = opened.values()?.words_in(number) as usize;
        let (word, bit) = (((rank & ((1 << shift) - 1)) / 64) as usize, rank % 64);
        let planes = words.chunks_exact(each.max(1)).enumerate();
        Ok(planes.fold(0u64, |value, (b, plane)| value | (plane[word] >> bit & 1) << b))
    }

    /// What a code and a distance side by side mean.
    pub(crate) fn meaning(&self, opened: &Opened, value: u64) -> Result<Valuation, StoreError> {
        let bits = opened.values()?.bits[0];
        let code = value & ((1 << bits) - 1);
        let rewards = *self
            .manifest
            .header
            .codes
            .get(code as usize)
            .ok_or_else(|| opened.file.damaged(format!("the code {code} has no meaning")))?;
        let distance = (value >> bits) as u32;
        let remoteness = match distance {
            _ if !self.manifest.header.remoteness => Remoteness::Unknown,
            0 => Remoteness::Endless,
            more => Remoteness::Plies(more - 1),
        };
        Ok(Valuation { rewards, remoteness })
    }

    pub(crate) fn opened(&self, kind: Kind, layer: u32) -> Result<Arc<Opened>, StoreError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = open.find(&(kind, layer)) {
            return Ok(found);
        }
        let opened = Arc::new(self.files.open(&self.manifest, kind, layer)?);
        open.keep((kind, layer), opened.clone());
        Ok(opened)
    }
}

/// The manifest and the digits' file that it names. A solver at work may replace both in between, so a
/// missing file means: look again.
fn read_manifest(
    disk: Arc<dyn Disk>,
    directory: &Path,
) -> Result<(Files, Manifest, Option<ChunkReader>), StoreError> {
    let mut tries = 0;
    loop {
        let manifest = Manifest::read(&*disk, directory)?;
        let rules = unhex(&manifest.header.rules)
            .ok_or_else(|| StoreError::damaged(&directory.join(MANIFEST), "malformed digest"))?;
        let files =
            Files { disk: disk.clone(), directory: directory.to_owned(), rules, frame: Default::default() };
        match files.open_digits(&manifest) {
            Ok(file) => return Ok((files, manifest, file)),
            Err(StoreError::Io { source, .. })
                if source.kind() == std::io::ErrorKind::NotFound && tries < 3 =>
            {
                tries += 1;
            }
            Err(error) => return Err(error),
        }
    }
}
