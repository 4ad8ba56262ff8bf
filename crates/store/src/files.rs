//! The files that a manifest names. Queries, checks and resuming all open them here, so that what one of them
//! has checked is what the others read.

use crate::chunks::{ChunkReader, ChunkWriter, Identity, Kind};
use crate::digits_file::{self, read_digits};
use crate::disk::Disk;
use crate::error::StoreError;
use crate::manifest::{Header, Manifest};
use crate::set_file::{self, SetHead, read_set};
use crate::value_file::{ValuesHead, read_diagram, read_values};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use winset_index::{Blocks, Index, Planes, ValueDiagram};
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
}

/// A file of a layer with what its head says.
#[derive(Debug)]
pub struct Opened {
    pub file: ChunkReader,
    head: Head,
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
            return Ok(Opened { file, head: Head::Set(head) });
        }
        let values = record.values.as_ref().ok_or(StoreError::Layer { layer, reason: "it is not solved" })?;
        let file = open(&values.file)?;
        let head = ValuesHead::read(&file, record.stored, blocks)?;
        if head.bits[0] as usize != header.code_bits() {
            return Err(file.damaged("the codes do not have the right number of bits"));
        }
        if (head.bits[1] > 0) != header.remoteness {
            return Err(file.damaged("it has distances and the manifest says that it has none, or has none"));
        }
        if head.encoding() != values.encoding {
            return Err(file.damaged("its encoding is not the manifest's"));
        }
        Ok(Opened { file, head: Head::Values(head) })
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
