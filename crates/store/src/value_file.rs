//! The values of a layer as a file: bit planes in rank order, or a reduced diagram.

use crate::bytes::{Bytes, put};
use crate::chunks::{ChunkReader, ChunkWriter};
use crate::diagram::{self, Diagram, Nodes, Ref};
use crate::error::StoreError;
use crate::leaf_file::LeavesHead;
use crate::manifest::Encoding;
use crate::set_file::{Section, append};
use winset_index::{Index, LeafFrame, Planes};

/// A chunk of bit planes holds the values of 2^16 states, never of more.
const SHIFT: u32 = 16;
/// The memory of a node of a diagram, and of an exception.
const NODE_BYTES: [u64; 2] = [12, 10];

/// What the head of a file of values says.
#[derive(Clone, Debug)]
pub struct ValuesHead {
    /// The number of states.
    pub len: u64,
    /// The number of planes of the codes, and of the distances.
    pub bits: [u32; 2],
    /// Where what is.
    pub body: Body,
}

/// The ways to keep values.
#[derive(Clone, Debug)]
pub enum Body {
    /// Chunks of 2^shift states, plane by plane in each.
    Packed {
        /// See there.
        shift: u32,
    },
    /// A diagram's nodes.
    Diagram {
        /// Where every walk begins.
        root: Ref,
        /// Where the levels' nodes are.
        levels: Vec<Section>,
    },
    /// A diagram over leaves of bits.
    Leaves(LeavesHead),
}

impl ValuesHead {
    /// Reads the head of an opened file and checks that it fits the layer.
    pub fn read(
        file: &ChunkReader,
        len: u64,
        blocks: usize,
        frame: Option<&LeafFrame>,
    ) -> Result<Self, StoreError> {
        let wrong = || file.damaged("the head makes no sense");
        let mut head = Self::decode(&file.head).ok_or_else(wrong)?;
        let chunks = match &head.body {
            Body::Leaves(leaves) => leaves.chunks().ok_or_else(wrong)?,
            Body::Packed { shift } => head.len.div_ceil(1 << shift),
            Body::Diagram { root, levels } => {
                let mut first = 0;
                for section in levels {
                    if section.first != first {
                        return Err(wrong());
                    }
                    first += section.chunks();
                }
                let exists = match levels.get((root >> 32) as usize) {
                    Some(section) => (root & 0xffff_ffff) < section.nodes,
                    None => (root >> 32) as usize == levels.len() && (root & 0xffff_ffff) < head.values(),
                };
                if levels.len() != blocks || !exists {
                    return Err(wrong());
                }
                first
            }
        };
        if head.len != len || chunks != file.len() {
            return Err(wrong());
        }
        if let Body::Leaves(leaves) = &mut head.body {
            leaves.read_map(file, frame.ok_or_else(wrong)?.level())?;
        }
        Ok(head)
    }

    /// How the file keeps the values.
    pub fn encoding(&self) -> Encoding {
        match self.body {
            Body::Packed { .. } => Encoding::Packed,
            Body::Diagram { .. } => Encoding::Diagram,
            Body::Leaves(_) => Encoding::Leaves,
        }
    }

    /// The number of different values that the bits can tell apart.
    pub fn values(&self) -> u64 {
        1 << (self.bits[0] + self.bits[1])
    }

    /// The head's bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut head = vec![];
        put(&mut head, self.len);
        self.bits.iter().for_each(|&bits| put(&mut head, bits.into()));
        match &self.body {
            Body::Packed { shift } => {
                put(&mut head, 0);
                put(&mut head, (*shift).into());
            }
            Body::Diagram { root, levels } => {
                put(&mut head, 1);
                put(&mut head, *root);
                put(&mut head, levels.len() as u64);
                levels.iter().for_each(|section| section.put(&mut head));
            }
            Body::Leaves(leaves) => {
                put(&mut head, 2);
                leaves.put(&mut head);
            }
        }
        head
    }

    fn decode(head: &[u8]) -> Option<Self> {
        let mut bytes = Bytes::new(head);
        let len = bytes.get()?;
        let bits = [bytes.get()?, bytes.get()?];
        let body = match bytes.get()? {
            0 => {
                Body::Packed { shift: bytes.get().filter(|shift| (6..=SHIFT.into()).contains(shift))? as u32 }
            }
            1 => {
                let (root, levels) = (bytes.get()?, bytes.get()?);
                let levels = (0..levels).map(|_| Section::get(&mut bytes)).collect::<Option<Vec<_>>>()?;
                Body::Diagram { root, levels }
            }
            2 => Body::Leaves(LeavesHead::get(&mut bytes)?),
            _ => return None,
        };
        let sensible = bytes.is_empty() && bits[0] <= 16 && bits[1] <= 15;
        sensible.then_some(ValuesHead { len, bits: bits.map(|n| n as u32), body })
    }

    /// Decodes a chunk of a diagram's level.
    pub fn nodes(&self, file: &ChunkReader, k: usize, chunk: u64, raw: &[u8]) -> Result<Nodes, StoreError> {
        let Body::Diagram { levels, .. } = &self.body else {
            return Err(file.damaged("this is not a diagram"));
        };
        let range = levels[k].range(chunk);
        diagram::decode(raw, k, levels, range.end - range.start, self.values())
            .ok_or_else(|| file.damaged(format!("chunk {} makes no sense", levels[k].first + chunk)))
    }

    /// Decodes a chunk of bit planes: all words of the first plane, then all of the next.
    pub fn words(&self, file: &ChunkReader, chunk: u64, raw: &[u8]) -> Result<Vec<u64>, StoreError> {
        let expected = self.words_in(chunk) * (self.bits[0] + self.bits[1]) as u64;
        if raw.len() as u64 != 8 * expected {
            return Err(file.damaged(format!("chunk {chunk} has the wrong length")));
        }
        Ok(raw.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().expect("8 bytes"))).collect())
    }

    /// The number of words of each plane in a chunk of bit planes.
    pub fn words_in(&self, chunk: u64) -> u64 {
        let Body::Packed { shift } = self.body else { return 0 };
        let first = chunk << shift;
        (self.len - first.min(self.len)).min(1 << shift).div_ceil(64)
    }
}

/// The planes of the codes and, if there are any, of the distances.
fn all_planes<'a>(values: &'a [&Planes]) -> Vec<&'a [u64]> {
    values.iter().flat_map(|planes| planes.planes.iter().map(Vec::as_slice)).collect()
}

/// The bits of codes and of distances.
pub fn bits_of(values: &[&Planes]) -> [u32; 2] {
    [0, 1].map(|i| values.get(i).map_or(0, |planes: &&Planes| planes.planes.len() as u32))
}

/// Writes values as bit planes.
pub fn write_packed(
    writer: &mut ChunkWriter<'_>,
    values: &[&Planes],
    len: u64,
) -> Result<Vec<u8>, StoreError> {
    let planes = all_planes(values);
    let per_chunk = 1u64 << (SHIFT - 6);
    writer.push_each(len.div_ceil(1 << SHIFT), |chunk| {
        let words = (chunk * per_chunk)..((chunk + 1) * per_chunk).min(len.div_ceil(64));
        let words = words.start as usize..words.end as usize;
        let mut raw = Vec::with_capacity(planes.len() * words.len() * 8);
        for plane in &planes {
            // Bits beyond the last state are cleared: they must not depend on how the planes were made.
            for w in words.clone() {
                let rest = len - 64 * w as u64;
                let used = if rest >= 64 { !0 } else { (1u64 << rest) - 1 };
                raw.extend((plane[w] & used).to_le_bytes());
            }
        }
        raw
    })?;
    Ok(ValuesHead { len, bits: bits_of(values), body: Body::Packed { shift: SHIFT } }.encode())
}

/// Writes values as a diagram.
pub fn write_diagram(
    writer: &mut ChunkWriter<'_>,
    made: &Diagram,
    bits: [u32; 2],
    len: u64,
) -> Result<Vec<u8>, StoreError> {
    let count = made.levels.len();
    let (mut levels, mut first) = (vec![], 0);
    for (k, nodes) in made.levels.iter().enumerate() {
        // Every node has a default beside its exceptions.
        let start: Vec<u32> = nodes.start.iter().enumerate().map(|(n, &start)| start + n as u32).collect();
        let section = Section::cut(&start, first);
        first += section.chunks();
        writer.push_each(section.chunks(), |chunk| diagram::encode(nodes, k, count, section.range(chunk)))?;
        levels.push(section);
    }
    Ok(ValuesHead { len, bits, body: Body::Diagram { root: made.root, levels } }.encode())
}

/// Reads all values of a layer, which may take so much memory: codes and, if they are kept, distances.
pub fn read_values(
    file: &ChunkReader,
    head: &ValuesHead,
    index: &Index,
    room: u64,
) -> Result<[Planes; 2], StoreError> {
    let plane = (head.len / 64 + 2).saturating_mul(8);
    let left = room.saturating_sub(plane.saturating_mul((head.bits[0] + head.bits[1]).into()));
    if left == 0 {
        return Err(file.too_large(room));
    }
    let mut values = head.bits.map(|bits| Planes::new(head.len, bits as usize));
    let (root, levels) = match &head.body {
        Body::Packed { shift } => {
            let mut planes: Vec<&mut Vec<u64>> =
                values.iter_mut().flat_map(|p| p.planes.iter_mut()).collect();
            let decode = |chunk, raw: Vec<u8>| Ok((chunk, head.words(file, chunk, &raw)?));
            file.each(0, file.len(), decode, |(chunk, words)| {
                let each = head.words_in(chunk) as usize;
                let at = (chunk as usize) << (shift - 6);
                for (plane, words) in planes.iter_mut().zip(words.chunks_exact(each.max(1))) {
                    plane[at..at + each].copy_from_slice(words);
                }
                Ok(())
            })?;
            return Ok(values);
        }
        Body::Diagram { root, levels } => (*root, levels),
        Body::Leaves(_) => return Err(file.damaged("these are leaves")),
    };
    let made = read_nodes(file, head, (root, levels), left).map_err(|error| whole_room(error, room))?;
    let [codes, distances] = &mut values;
    made.expand(index, &mut [codes, distances]);
    Ok(values)
}

/// Reads the diagram that a file of values is, which may take so much memory; none if it is no diagram.
pub fn read_diagram(file: &ChunkReader, head: &ValuesHead, room: u64) -> Result<Option<Diagram>, StoreError> {
    match &head.body {
        Body::Packed { .. } | Body::Leaves(_) => Ok(None),
        Body::Diagram { root, levels } => read_nodes(file, head, (*root, levels), room).map(Some),
    }
}

/// Who has used up a part of the room speaks of the whole.
fn whole_room(error: StoreError, room: u64) -> StoreError {
    match error {
        StoreError::TooLarge { path, .. } => StoreError::TooLarge { path, room },
        other => other,
    }
}

fn read_nodes(
    file: &ChunkReader,
    head: &ValuesHead,
    (root, levels): (Ref, &[Section]),
    room: u64,
) -> Result<Diagram, StoreError> {
    let mut left = room;
    let mut made = Diagram { levels: vec![], root };
    for (k, section) in levels.iter().enumerate() {
        let mut all = Nodes::default();
        let decode = |chunk: u64, raw: Vec<u8>| head.nodes(file, k, chunk - section.first, &raw);
        file.each(section.first, section.chunks(), decode, |part| {
            let [nodes, exceptions] = [part.default.len() as u64, part.digit.len() as u64];
            let bytes = (nodes * NODE_BYTES[0] + exceptions * NODE_BYTES[1]) * 5 / 4;
            left = left.checked_sub(bytes).ok_or_else(|| file.too_large(room))?;
            let edges = all.digit.len() as u64;
            if edges + exceptions > u32::MAX.into() {
                return Err(file.too_large(room));
            }
            let start: Vec<u32> = part.start[1..].iter().map(|start| edges as u32 + start).collect();
            append(&mut all.start, &start);
            append(&mut all.default, &part.default);
            append(&mut all.digit, &part.digit);
            append(&mut all.target, &part.target);
            Ok(())
        })?;
        made.levels.push(all);
    }
    Ok(made)
}
