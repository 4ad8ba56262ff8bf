//! Numbers and diagrams as bytes, for messages and files between processes of the same version.

use crate::error::LayersError;
use crate::sets::set::{EMPTY, Level, Node};

/// Appends a number, seven bits a byte.
pub fn put(out: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

/// Appends a number that may be negative.
pub fn put_signed(out: &mut Vec<u8>, n: i64) {
    put(out, (n << 1 ^ n >> 63) as u64);
}

/// What is left to read.
pub struct Bytes<'a>(pub &'a [u8]);

/// Bytes that nobody can have written.
pub const NONSENSE: LayersError = LayersError::Past("bytes from another process make no sense");

impl<'a> Bytes<'a> {
    /// A number.
    pub fn get(&mut self) -> Result<u64, LayersError> {
        let mut n = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.0.split_first().ok_or(NONSENSE)?;
            self.0 = rest;
            n |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(n);
            }
        }
        Err(NONSENSE)
    }

    /// A number that may be negative.
    pub fn get_signed(&mut self) -> Result<i64, LayersError> {
        let n = self.get()?;
        Ok((n >> 1) as i64 ^ -((n & 1) as i64))
    }

    /// The length of a list whose elements take at least a byte each.
    pub fn len(&mut self) -> Result<usize, LayersError> {
        let n = self.get()?;
        if n > self.0.len() as u64 { Err(NONSENSE) } else { Ok(n as usize) }
    }

    /// The next n bytes.
    pub fn take(&mut self, len: usize) -> Result<&'a [u8], LayersError> {
        let (taken, rest) = self.0.split_at_checked(len).ok_or(NONSENSE)?;
        self.0 = rest;
        Ok(taken)
    }
}

/// Appends a diagram: degrees, digits and children of each level, as differences.
pub fn put_levels(out: &mut Vec<u8>, levels: &[Level]) {
    put(out, levels.len() as u64);
    for level in levels {
        put(out, level.nodes() as u64);
        level.start.windows(2).for_each(|pair| put(out, u64::from(pair[1] - pair[0])));
        for pair in level.start.windows(2) {
            let mut next = 0;
            for &digit in &level.digit[pair[0] as usize..pair[1] as usize] {
                put(out, u64::from(digit) - next);
                next = u64::from(digit) + 1;
            }
        }
        let mut previous = 0;
        for &child in &level.child {
            put_signed(out, i64::from(child) - previous);
            previous = i64::from(child);
        }
    }
}

/// Reads a diagram with n digits in each block.
pub fn get_levels(bytes: &mut Bytes<'_>, digits: &[usize]) -> Result<Vec<Level>, LayersError> {
    if bytes.len()? != digits.len() {
        return Err(NONSENSE);
    }
    let mut levels = vec![];
    for &digits in digits {
        let nodes = bytes.len()?;
        let mut level = Level::default();
        level.start.reserve_exact(nodes);
        let mut edges = 0u64;
        for _ in 0..nodes {
            edges += bytes.get()?;
            level.start.push(u32::try_from(edges).map_err(|_| NONSENSE)?);
        }
        if edges > bytes.0.len() as u64 {
            return Err(NONSENSE);
        }
        level.digit.reserve_exact(edges as usize);
        level.child.reserve_exact(edges as usize);
        for pair in level.start.windows(2) {
            let mut next = 0;
            for _ in pair[0]..pair[1] {
                let digit = next + bytes.get()?;
                if digit >= digits as u64 {
                    return Err(NONSENSE);
                }
                level.digit.push(digit as u16);
                next = digit + 1;
            }
        }
        let mut previous = 0;
        for _ in 0..edges {
            previous += bytes.get_signed()?;
            level.child.push(Node::try_from(previous).map_err(|_| NONSENSE)?);
        }
        levels.push(level);
    }
    for (k, level) in levels.iter().enumerate() {
        let below = levels.get(k + 1).map_or(1, Level::nodes) as u64;
        if level.child.iter().any(|&child| u64::from(child) >= below) {
            return Err(NONSENSE);
        }
    }
    Ok(levels)
}

/// Appends a node.
pub fn put_node(out: &mut Vec<u8>, node: Node) {
    put(out, if node == EMPTY { 0 } else { u64::from(node) + 1 });
}

/// Reads a node of the topmost level.
pub fn get_node(bytes: &mut Bytes<'_>, levels: &[Level]) -> Result<Node, LayersError> {
    match bytes.get()? {
        0 => Ok(EMPTY),
        n if n <= levels.first().map_or(1, Level::nodes) as u64 => Ok((n - 1) as Node),
        _ => Err(NONSENSE),
    }
}

/// How hard bytes are pressed: about as fast as a network takes them.
const PRESSED: i32 = 1;

/// The same in fewer bytes.
pub fn pressed(bytes: &[u8]) -> Result<Vec<u8>, LayersError> {
    let mut out = (bytes.len() as u64).to_le_bytes().to_vec();
    out.extend(zstd::bulk::compress(bytes, PRESSED).map_err(|error| LayersError::io(&None, error))?);
    Ok(out)
}

/// What [`pressed`] was given; it may take so much memory.
pub fn unpressed(bytes: &[u8], room: Option<u64>) -> Result<Vec<u8>, LayersError> {
    let (len, rest) = bytes.split_at_checked(8).ok_or(NONSENSE)?;
    let len = u64::from_le_bytes(len.try_into().unwrap_or_default());
    LayersError::check_memory(len, room)?;
    let out = zstd::bulk::decompress(rest, len as usize).map_err(|_| NONSENSE)?;
    if out.len() as u64 == len { Ok(out) } else { Err(NONSENSE) }
}
