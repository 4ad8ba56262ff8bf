//! Numbers as bytes: small ones take few.

/// Appends a number, seven bits a byte, least significant first.
pub fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Appends a difference, which may be negative but is usually small.
pub fn put_signed(bytes: &mut Vec<u8>, number: i64) {
    put(bytes, (number << 1 ^ number >> 63) as u64);
}

/// Reads what [`put`] and [`put_signed`] wrote; nothing if the bytes end early.
pub struct Bytes<'a> {
    rest: &'a [u8],
}

impl<'a> Bytes<'a> {
    /// Reads from the beginning.
    pub fn new(bytes: &'a [u8]) -> Self {
        Bytes { rest: bytes }
    }

    /// The next number.
    pub fn get(&mut self) -> Option<u64> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        if first < 0x80 {
            return Some(first.into());
        }
        let (mut number, mut shift) = (u64::from(first & 0x7f), 7);
        loop {
            let (&byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            let part = u64::from(byte & 0x7f);
            if shift > 63 || (shift == 63 && part > 1) {
                return None;
            }
            number |= part << shift;
            if byte < 0x80 {
                return Some(number);
            }
            shift += 7;
        }
    }

    /// The next difference.
    pub fn get_signed(&mut self) -> Option<i64> {
        self.get().map(|n| (n >> 1) as i64 ^ -((n & 1) as i64))
    }

    /// What has not been read.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Everything has been read.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }
}
