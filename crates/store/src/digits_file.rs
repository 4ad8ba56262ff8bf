//! The meaning of the digits as a file.

use crate::bytes::{Bytes, put};
use crate::chunks::{ChunkReader, ChunkWriter};
use crate::error::StoreError;
use winset_index::Blocks;
use winset_model::{Value, VarId, Variable};

/// Digits of one block in one chunk.
const DIGITS: u64 = 4096;

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

/// Reads the blocks back. `groups` says which variables each block has.
pub fn read_digits(
    file: &ChunkReader,
    groups: Vec<Vec<VarId>>,
    variables: &[Variable],
) -> Result<Blocks, StoreError> {
    let mut blocks = Blocks::new(groups, variables.len())?;
    let mut head = Bytes::new(&file.head);
    let mut next = 0;
    for block in &mut blocks.blocks {
        let wrong = || file.damaged("it makes no sense");
        let count = head.get().ok_or_else(wrong)?;
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
        }
    }
    if next != file.len() || !head.is_empty() {
        return Err(file.damaged("it is longer than its head says"));
    }
    Ok(blocks)
}
