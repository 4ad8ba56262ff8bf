//! The meaning of the digits as a file.

use crate::bytes::{Bytes, put};
use crate::chunks::{Bounds, ChunkReader, ChunkWriter};
use crate::error::StoreError;
use winset_index::Blocks;
use winset_model::{Value, VarId, Variable};

/// Digits of one block in one chunk.
const DIGITS: u64 = 4096;
/// A block has no more digits than this.
const MOST: u64 = 1 << 16;
/// About the memory of a digit beside its values, which are there twice.
const DIGIT_BYTES: u64 = 128;

/// How large the parts of a file of digits can be.
pub fn bounds(groups: &[Vec<VarId>]) -> Bounds {
    // No value is longer than three bytes.
    let widest = groups.iter().map(Vec::len).max().unwrap_or(0) as u64;
    Bounds { head: 10 * groups.len() as u64, chunk: 3 * DIGITS * widest }
}

/// Writes the values behind every digit of every block.
pub fn write_digits(writer: &mut ChunkWriter<'_>, blocks: &Blocks) -> Result<Vec<u8>, StoreError> {
    let mut head = vec![];
    for block in &blocks.blocks {
        let count = block.digits.len() as u64;
        put(&mut head, count);
        writer.push_each(count.div_ceil(DIGITS), |chunk| {
            let mut raw = vec![];
            let digits = (chunk * DIGITS) as usize..((chunk + 1) * DIGITS).min(count) as usize;
            let values = block.digits[digits].iter().flat_map(|values| values.iter());
            values.for_each(|&value| put(&mut raw, value.into()));
            raw
        })?;
    }
    Ok(head)
}

/// Reads the blocks back, which may take so much memory. `groups` says which variables each block has, `counts`
/// how many digits the manifest names.
pub fn read_digits(
    file: &ChunkReader,
    groups: Vec<Vec<VarId>>,
    variables: &[Variable],
    counts: &[u64],
    room: u64,
) -> Result<Blocks, StoreError> {
    let mut blocks = Blocks::new(groups, variables.len())?;
    let mut head = Bytes::new(&file.head);
    let (mut next, mut left) = (0, room);
    let wrong = || file.damaged("it makes no sense");
    for (k, block) in blocks.blocks.iter_mut().enumerate() {
        let count = head.get().filter(|&count| count <= MOST).ok_or_else(wrong)?;
        if counts.get(k) != Some(&count) {
            return Err(file.damaged("the number of digits is not the manifest's"));
        }
        let bytes = count * (DIGIT_BYTES + 4 * block.vars.len() as u64);
        left = left.checked_sub(bytes).ok_or_else(|| file.too_large(room))?;
        for first in (0..count).step_by(DIGITS as usize) {
            let raw = file.chunk(next)?;
            next += 1;
            let mut bytes = Bytes::new(&raw);
            for digit in first..count.min(first + DIGITS) {
                let mut values = Vec::with_capacity(block.vars.len());
                for var in &block.vars {
                    let value = bytes.get().ok_or_else(wrong)?;
                    if value >= variables[var.index()].size() as u64 {
                        return Err(wrong());
                    }
                    values.push(value as Value);
                }
                if u64::from(block.add(&values)?) != digit {
                    return Err(file.damaged("a digit occurs twice"));
                }
            }
            if !bytes.is_empty() {
                return Err(wrong());
            }
        }
    }
    if next != file.len() || !head.is_empty() {
        return Err(file.damaged("it is longer than its head says"));
    }
    Ok(blocks)
}
