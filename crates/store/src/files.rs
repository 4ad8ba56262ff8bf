//! The files that a manifest names. Queries, checks and resuming all open them here, so that what one of them
//! has checked is what the others read.

use crate::chunks::{ChunkReader, ChunkWriter, Identity, Kind};
use crate::digits_file::{self, read_digits};
use crate::disk::Disk;
use crate::error::StoreError;
use crate::leaf_file::{frame_bounds, read_frame};
use crate::manifest::{Encoding, Header, MANIFEST, Manifest};
use crate::set_file::{self, SetHead, read_set};
use crate::value_file::{Body, ValuesHead, read_diagram, read_values};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use winset_index::{Blocks, Index, LeafFrame, Planes, ValueDiagram};
use winset_model::{VarId, Variable};

/// The memory that the digits may take. A store that needs more has been made up: a thousand digits in each of
/// a hundred blocks take less than a tenth.
const DIGITS_BYTES: u64 = 128 << 20;

/// Opens files of one directory.
#[derive(Clone, Debug)]
pub struct Files {
    pub disk: Arc<dyn Disk>,
    pub directory: PathBuf,
    /// The digest of the rules, which is part of every checksum.
    pub rules: [u8; 32],
    /// Which states belong together where values are leaves, once that has been read.
    pub frame: Arc<OnceLock<Arc<LeafFrame>>>,
}

/// A file of a layer with what its head says.
#[derive(Debug)]
pub struct Opened {
    pub file: ChunkReader,
    head: Head,
    /// Of which states leaves are, if it has leaves.
    pub frame: Option<Arc<LeafFrame>>,
}

#[derive(Debug)]
enum Head {
    Set(SetHead),
    Values(ValuesHead),
}

impl Opened {
    /// The head of a set.
    pub fn set(&self) -> Result<&SetHead, StoreError> {
        match &self.head {
            Head::Set(head) => Ok(head),
            Head::Values(_) => Err(self.file.damaged("this is not a set")),
        }
    }

    /// The head of a file of values.
    pub fn values(&self) -> Result<&ValuesHead, StoreError> {
        match &self.head {
            Head::Values(head) => Ok(head),
            Head::Set(_) => Err(self.file.damaged("these are not values")),
        }
    }

    /// About the memory that it takes.
    pub fn bytes(&self) -> usize {
        const USUAL: usize = 2 << 10;
        match &self.head {
            Head::Values(ValuesHead { body: Body::Leaves(leaves), .. }) => USUAL + leaves.map.bytes(),
            _ => USUAL,
        }
    }

    /// The whole set.
    pub fn read_set(&self, room: u64) -> Result<Index, StoreError> {
        read_set(&self.file, self.set()?, room)
    }

    /// All values: codes, and distances if they are kept.
    pub fn read_values(&self, index: &Index, room: u64) -> Result<(Planes, Option<Planes>), StoreError> {
        let head = self.values()?;
        if index.len() != head.len {
            return Err(self.file.damaged("the number of states is not that of the set"));
        }
        if self.frame.is_some() {
            return Ok((self.read_leaves(index, room)?, None));
        }
        let [codes, distances] = read_values(&self.file, head, index, room)?;
        Ok((codes, (head.bits[1] > 0).then_some(distances)))
    }
}

impl Opened {
    /// The values as a diagram, if that is how they are kept.
    pub fn read_diagram(&self, room: u64) -> Result<Option<ValueDiagram>, StoreError> {
        read_diagram(&self.file, self.values()?, room)
    }
}

impl Files {
    /// Starts a file.
    pub fn create(&self, name: &str, kind: Kind, layer: u32) -> Result<ChunkWriter<'_>, StoreError> {
        let identity = Identity { kind, layer, rules: self.rules };
        ChunkWriter::create(&*self.disk, &self.directory, name.to_owned(), identity)
    }

    /// Opens the set or the values of a layer and compares them with what the manifest says.
    pub fn open(&self, manifest: &Manifest, kind: Kind, layer: u32) -> Result<Opened, StoreError> {
        let record = manifest.layer(layer).ok_or(StoreError::Layer { layer, reason: "it is not there" })?;
        let (header, blocks) = (&manifest.header, manifest.header.blocks.len());
        let identity = Identity { kind, layer, rules: self.rules };
        let bounds = set_file::bounds(blocks);
        let open = |file| ChunkReader::open(&*self.disk, &self.directory, file, identity, bounds);
        if kind != Kind::Values {
            let file = open(&record.set)?;
            let head = SetHead::read(&file, blocks)?;
            if record.stored != head.len {
                return Err(file.damaged("the number of states is not the manifest's"));
            }
            return Ok(Opened { file, head: Head::Set(head), frame: None });
        }
        let values = record.values.as_ref().ok_or(StoreError::Layer { layer, reason: "it is not solved" })?;
        let file = open(&values.file)?;
        let leaves = values.encoding == Encoding::Leaves;
        let frame = if leaves { Some(self.frame(manifest)?) } else { None };
        let head = ValuesHead::read(&file, record.stored, blocks, frame.as_deref())?;
        if head.bits[0] as usize != header.code_bits() {
            return Err(file.damaged("the codes do not have the right number of bits"));
        }
        if (head.bits[1] > 0) != header.remoteness {
            return Err(file.damaged("it has distances and the manifest says that it has none, or has none"));
        }
        if head.encoding() != values.encoding {
            return Err(file.damaged("its encoding is not the manifest's"));
        }
        if let Body::Leaves(leaves) = &head.body
            && leaves.order.iter().any(|&code| usize::from(code) >= header.codes.len())
        {
            return Err(file.damaged("a code has no meaning"));
        }
        Ok(Opened { file, head: Head::Values(head), frame })
    }

    /// Opens the file that says which states belong together, if there is one.
    pub fn open_frame(&self, manifest: &Manifest) -> Result<Option<ChunkReader>, StoreError> {
        let (Some(record), Some(digits)) = (&manifest.leaves, &manifest.digits) else { return Ok(None) };
        let identity = Identity { kind: Kind::Frame, layer: 0, rules: self.rules };
        let bounds = frame_bounds(&digits.counts);
        ChunkReader::open(&*self.disk, &self.directory, record, identity, bounds).map(Some)
    }

    /// Which states belong together where values are leaves.
    pub fn frame(&self, manifest: &Manifest) -> Result<Arc<LeafFrame>, StoreError> {
        if let Some(frame) = self.frame.get() {
            return Ok(frame.clone());
        }
        let (Some(file), Some(digits)) = (self.open_frame(manifest)?, &manifest.digits) else {
            let path = self.path(MANIFEST);
            return Err(StoreError::damaged(&path, "nothing says of which states leaves are"));
        };
        let frame = Arc::new(read_frame(&file, &digits.counts)?);
        Ok(self.frame.get_or_init(|| frame).clone())
    }

    /// Opens the file of digits, if there is one.
    pub fn open_digits(&self, manifest: &Manifest) -> Result<Option<ChunkReader>, StoreError> {
        let Some(record) = &manifest.digits else { return Ok(None) };
        let identity = Identity { kind: Kind::Digits, layer: 0, rules: self.rules };
        let bounds = digits_file::bounds(&groups(&manifest.header));
        ChunkReader::open(&*self.disk, &self.directory, &record.file, identity, bounds).map(Some)
    }

    /// The blocks, with the digits of that file.
    pub fn read_blocks(
        &self,
        manifest: &Manifest,
        file: Option<&ChunkReader>,
        variables: &[Variable],
    ) -> Result<Blocks, StoreError> {
        let groups = groups(&manifest.header);
        match (file, &manifest.digits) {
            (Some(file), Some(record)) => read_digits(file, groups, variables, &record.counts, DIGITS_BYTES),
            _ => Ok(Blocks::new(groups, variables.len())?),
        }
    }

    /// A path in the directory.
    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.directory.join(name)
    }
}

/// The blocks' variables.
pub fn groups(header: &Header) -> Vec<Vec<VarId>> {
    header.blocks.iter().map(|block| block.iter().map(|&var| VarId(var)).collect()).collect()
}
