//! Keeping values as leaves, and giving them back to whoever goes on.

use crate::chunks::Kind;
use crate::consistent::{FRAME_NAME, values_name};
use crate::error::StoreError;
use crate::leaf_file::{LeavesWriter, write_frame};
use crate::leaf_walk::StoredLeaves;
use crate::manifest::{Encoding, ValuesRecord};
use crate::value_file::{Body, ValuesHead};
use crate::writer::StoreWriter;
use std::sync::Arc;
use winset_index::{LeafFrame, LeafSource};

impl StoreWriter {
    /// Keeps the values of a layer whose set is there as leaves, part by part. `by_code` counts the positions of each code
    /// that are not terminal. Only for solutions without distances; all layers have the same frame.
    pub fn put_leaves(
        &mut self,
        layer: u32,
        source: &dyn LeafSource,
        by_code: &[u64],
    ) -> Result<(), StoreError> {
        let wrong = |reason| Err(StoreError::Layer { layer, reason });
        let Ok(at) = self.manifest.layers.binary_search_by_key(&layer, |l| l.layer) else {
            return wrong("its set must be kept before its values");
        };
        let (record, header) = (&self.manifest.layers[at], &self.manifest.header);
        if record.values.is_some() {
            return wrong("its values are there already");
        }
        if header.remoteness {
            return wrong("distances are announced but not given");
        }
        let (bits, codes, len) = (header.code_bits() as u32, header.codes.len(), record.stored);
        if by_code.len() > codes || by_code.iter().sum::<u64>() != record.positions - record.terminal {
            return wrong("the counts of each code do not add up");
        }
        if source.order().iter().any(|&code| usize::from(code) >= codes) {
            return wrong("a position has a code that is not in the table");
        }
        let mut by_code = by_code.to_vec();
        by_code.resize(codes, 0);
        self.put_frame(layer, source.frame())?;
        let name = values_name(layer);
        let mut writer = self.files.create(&name, Kind::Values, layer)?;
        let reading = |error| StoreError::io("reading", &self.files.directory, error);
        let leaves = LeavesWriter::write(&mut writer, source, reading)?;
        let head = ValuesHead { len, bits: [bits, 0], body: Body::Leaves(leaves) }.encode();
        let file = self.pending.name(writer.complete(&head)?, &name)?;
        let encoding = Encoding::Leaves;
        self.manifest.layers[at].values = Some(ValuesRecord { encoding, by_code, longest: None, file });
        self.commit()
    }

    /// Keeps of which states leaves are, the first time.
    fn put_frame(&mut self, layer: u32, frame: &LeafFrame) -> Result<(), StoreError> {
        if self.manifest.leaves.is_some() {
            return match *self.files.frame(&self.manifest)? == *frame {
                true => Ok(()),
                false => Err(StoreError::Layer { layer, reason: "its leaves are of other states" }),
            };
        }
        let counts = self.manifest.digits.iter().flat_map(|digits| &digits.counts);
        if !counts.copied().eq(frame.digits().iter().map(|&n| n as u64)) {
            return Err(StoreError::Layer { layer, reason: "its leaves have other digits" });
        }
        let mut writer = self.files.create(FRAME_NAME, Kind::Frame, 0)?;
        let head = write_frame(&mut writer, frame)?;
        self.manifest.leaves = Some(self.pending.name(writer.complete(&head)?, FRAME_NAME)?);
        let _ = self.files.frame.set(Arc::new(frame.clone()));
        Ok(())
    }

    /// The values of a layer as leaves, if that is how they are kept.
    pub fn read_leaves(&self, layer: u32) -> Result<Option<StoredLeaves>, StoreError> {
        let opened = self.files.open(&self.manifest, Kind::Values, layer)?;
        opened.frame.is_some().then(|| StoredLeaves::new(Arc::new(opened))).transpose()
    }
}
