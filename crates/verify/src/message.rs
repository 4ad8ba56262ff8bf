//! Terminal positions as bytes, for another process.

use crate::ends::Key;
use crate::peers::Cause;
use winset_model::Code;

/// A position with its layer and its code.
pub type End = (i64, Key, Code);

const SHORT: u8 = 0;
const LONG: u8 = 1;
const WIDE: u8 = 2;

/// One after the other: layer, code, kind of key, key; before a wide one the number of its values.
pub fn encode(ends: &[End]) -> Vec<u8> {
    let mut bytes = vec![];
    for (layer, key, code) in ends {
        bytes.extend(layer.to_le_bytes());
        bytes.extend(code.to_le_bytes());
        match key {
            Key::Short(key) => {
                bytes.push(SHORT);
                bytes.extend(key.to_le_bytes());
            }
            Key::Long(key) => {
                bytes.push(LONG);
                bytes.extend(key.to_le_bytes());
            }
            Key::Wide(values) => {
                bytes.push(WIDE);
                bytes.extend((values.len() as u32).to_le_bytes());
                bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
            }
        }
    }
    bytes
}

/// The positions of a message.
pub fn decode(mut bytes: &[u8]) -> Result<Vec<End>, Cause> {
    let mut ends = vec![];
    while !bytes.is_empty() {
        let end = next(&mut bytes).ok_or("a message about terminal positions is cut off")?;
        ends.push(end);
    }
    Ok(ends)
}

fn next(bytes: &mut &[u8]) -> Option<End> {
    let layer = i64::from_le_bytes(take(bytes)?);
    let code = Code::from_le_bytes(take(bytes)?);
    let [kind] = take(bytes)?;
    let key = match kind {
        SHORT => Key::Short(u64::from_le_bytes(take(bytes)?)),
        LONG => Key::Long(u128::from_le_bytes(take(bytes)?)),
        WIDE => {
            let count = u32::from_le_bytes(take(bytes)?);
            Key::Wide((0..count).map(|_| Some(u16::from_le_bytes(take(bytes)?))).collect::<Option<_>>()?)
        }
        _ => return None,
    };
    Some((layer, key, code))
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let wide = |n: u16| Key::Wide((0..n).collect());
        let ends = vec![
            (-3, Key::Short(7), 0),
            (i64::MAX, Key::Long(u128::MAX - 1), 65535),
            (0, wide(0), 1),
            (9, wide(40), 2),
        ];
        let bytes = encode(&ends);
        assert_eq!(decode(&bytes).unwrap(), ends);
        // Whatever is missing, it is no message, or a shorter one.
        for length in 0..bytes.len() {
            assert!(decode(&bytes[..length]).map_or(true, |some| ends.starts_with(&some)));
        }
    }
}
