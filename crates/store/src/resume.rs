//! What an earlier run left, compared with what the manifest says about it, before anything is built on it.
//!
//! That is not a proof: whether sets and values follow from the rules, only a check against the rules can say.

use crate::chunks::Kind;
use crate::error::StoreError;
use crate::files::Opened;
use crate::manifest::LayerRecord;
use crate::tally::{count_codes, greatest};
use crate::writer::StoreWriter;
use winset_index::{Index, Planes, ValueDiagram};

impl StoreWriter {
    /// That everything which an earlier run has finished is what the manifest says: every file has its digest, every
    /// set its number of states, all its own numbers and no digit without meaning; every value has a code, as many
    /// of each as are counted, and no distance is longer than the longest. Layers take `room` bytes of memory at
    /// most, one after the other.
    pub fn check_past(&self, room: u64) -> Result<(), StoreError> {
        if self.manifest().layers.is_empty() {
            return Ok(());
        }
        let blocks = self.blocks()?;
        if let (Some(file), Some(record)) =
            (self.files.open_digits(self.manifest())?, &self.manifest().digits)
        {
            file.check_digest(&record.file)?;
        }
        if let (Some(file), Some(record)) = (self.files.open_frame(self.manifest())?, &self.manifest().leaves)
        {
            file.check_digest(record)?;
        }
        for record in &self.manifest().layers {
            let layer = record.layer;
            let opened = self.files.open(self.manifest(), Kind::Set, layer)?;
            opened.file.check_digest(&record.set)?;
            let index = opened.read_set(room)?;
            for (level, block) in index.levels().iter().zip(&blocks.blocks) {
                if level.digit.iter().any(|&digit| usize::from(digit) >= block.digits.len()) {
                    return Err(opened.file.damaged("it has a digit without meaning"));
                }
            }
            self.check_past_values(record, &index, room)?;
        }
        Ok(())
    }

    fn check_past_values(&self, record: &LayerRecord, index: &Index, room: u64) -> Result<(), StoreError> {
        let Some(values) = &record.values else { return Ok(()) };
        let opened = self.files.open(self.manifest(), Kind::Values, record.layer)?;
        opened.file.check_digest(&values.file)?;
        if opened.frame.is_some() {
            // Looking at every position would take as long as solving; that everything can be read takes little.
            return opened.check_leaves();
        }
        let (counted, longest) = match opened.read_diagram(room)? {
            Some(diagram) => self.count_diagram(&diagram, index, room, &opened)?,
            None => {
                let (codes, distances) = opened.read_values(index, room)?;
                let longest = distances.as_ref().map(|planes: &Planes| greatest(planes).saturating_sub(1));
                (count_codes(&codes, self.manifest().header.codes.len()), longest)
            }
        };
        if counted.iter().sum::<u64>() != record.stored {
            return Err(opened.file.damaged("a position has a code without meaning"));
        }
        let given = |code: usize| values.by_code.get(code).copied().unwrap_or(0);
        // Terminal positions may be stored too, and are not counted among these.
        let only_others = record.stored == record.positions - record.terminal;
        let fits = |(code, &n): (usize, &u64)| if only_others { given(code) == n } else { given(code) <= n };
        if !counted.iter().enumerate().all(fits) {
            return Err(opened
                .file
                .damaged("the positions of each code are not as many as the manifest says"));
        }
        if longest != values.longest {
            return Err(opened.file.damaged("its longest distance is not the manifest's"));
        }
        Ok(())
    }

    /// How many positions have each code, and the longest distance, without looking at them one by one.
    fn count_diagram(
        &self,
        diagram: &ValueDiagram,
        index: &Index,
        room: u64,
        opened: &Opened,
    ) -> Result<(Vec<u64>, Option<u32>), StoreError> {
        let (header, bits) = (&self.manifest().header, opened.values()?.bits[0]);
        let counts = diagram.counts(index, room).ok_or_else(|| opened.file.too_large(room))?;
        let (mut by_code, mut longest) = (vec![0; header.codes.len()], 0);
        for (value, n) in counts {
            if let Some(count) = by_code.get_mut((value & ((1 << bits) - 1)) as usize) {
                *count += n;
            }
            longest = longest.max(value >> bits);
        }
        Ok((by_code, header.remoteness.then(|| longest.saturating_sub(1))))
    }
}
