//! Values that come as a diagram, or are to be kept as if they had.
//!
//! A solver whose sets are diagrams has values of more positions than anybody can look at one by one. Which way such
//! values are kept is decided by the contents alone and not by the way they were found, so that the same solution has
//! the same bytes: see FORMAT.md.

use crate::chunks::Kind;
use crate::consistent::values_name;
use crate::diagram::{build_whole, is_kept, packed_bytes};
use crate::error::StoreError;
use crate::manifest::{Encoding, ValuesRecord};
use crate::tally::count_codes;
use crate::value_file::{write_diagram, write_packed};
use crate::writer::StoreWriter;
use winset_index::{Index, Planes, ValueDiagram};

/// All values of a layer.
#[derive(Clone, Copy, Debug)]
pub enum WholeValues<'a> {
    /// The code of each position as a diagram over the set's digits.
    Diagram(&'a ValueDiagram),
    /// The code of each position in rank order.
    Planes(&'a Planes),
}

/// The memory that counting a diagram's values may take.
const COUNTING: u64 = 1 << 32;

impl StoreWriter {
    /// Keeps the values of a layer whose set, `index`, is there: as a diagram unless bits take less. Only for solutions
    /// without distances. `by_code` counts the positions of each code that are not terminal.
    pub fn put_whole_values(
        &mut self,
        layer: u32,
        index: &Index,
        values: WholeValues<'_>,
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
        let (bits, codes, len) = (header.code_bits(), header.codes.len(), record.stored);
        let counted: Vec<u64> = match values {
            WholeValues::Diagram(diagram) => {
                if diagram.levels.len() != index.levels().len() {
                    return wrong("its diagram does not have one level per block");
                }
                let Some(counts) = diagram.counts(index, COUNTING) else {
                    return wrong("its values are too many to be counted");
                };
                if counts.keys().any(|&code| code as usize >= codes) {
                    return wrong("a position has a code that is not in the table");
                }
                (0..codes).map(|code| counts.get(&(code as u32)).copied().unwrap_or(0)).collect()
            }
            WholeValues::Planes(planes) if planes.planes.len() != bits => {
                return wrong("the codes do not have the right number of bits");
            }
            WholeValues::Planes(planes) => count_codes(planes, codes),
        };
        let fits = by_code.len() <= codes && by_code.iter().zip(&counted).all(|(given, all)| given <= all);
        let others = record.positions - record.terminal;
        if counted.iter().sum::<u64>() != len || index.len() != len {
            return wrong("there must be one value for each position of the set");
        }
        if !fits || by_code.iter().sum::<u64>() != others {
            return wrong("the counts of each code do not add up");
        }
        let mut by_code = by_code.to_vec();
        by_code.resize(codes, 0);
        let name = values_name(layer);
        let mut writer = self.files.create(&name, Kind::Values, layer)?;
        let limit = packed_bytes(bits, len);
        let (built, expanded);
        let (diagram, planes) = match values {
            WholeValues::Diagram(diagram) if is_kept(diagram.size(), bits, len) => (Some(diagram), None),
            WholeValues::Diagram(diagram) => {
                let mut planes = Planes::new(len, bits);
                diagram.expand(index, &mut [&mut planes]);
                expanded = planes;
                (None, Some(&expanded))
            }
            WholeValues::Planes(planes) => {
                built = build_whole(index, &[planes], Some(limit));
                (built.as_ref(), Some(planes))
            }
        };
        let (encoding, head) = match (diagram, planes) {
            (Some(made), _) => (Encoding::Diagram, write_diagram(&mut writer, made, [bits as u32, 0], len)?),
            (None, Some(planes)) => (Encoding::Packed, write_packed(&mut writer, &[planes], len)?),
            (None, None) => return wrong("it has no values"),
        };
        let file = self.pending.name(writer.complete(&head)?, &name)?;
        self.manifest.layers[at].values = Some(ValuesRecord { encoding, by_code, longest: None, file });
        self.commit()
    }

    /// Reads the codes of a layer back as a diagram, into `room` bytes of memory: the one that is kept, or the same
    /// made of the bits that are. `index` is the layer's set.
    pub fn read_diagram(&self, layer: u32, index: &Index, room: u64) -> Result<ValueDiagram, StoreError> {
        let opened = self.files.open(&self.manifest, Kind::Values, layer)?;
        if self.manifest.header.remoteness {
            return Err(StoreError::Layer { layer, reason: "its values have distances, too" });
        }
        match opened.read_diagram(room)? {
            Some(diagram) => Ok(diagram),
            None => {
                let (codes, _) = opened.read_values(index, room)?;
                let made = build_whole(index, &[&codes], None);
                made.ok_or(StoreError::Layer { layer, reason: "its values make no diagram" })
            }
        }
    }
}
