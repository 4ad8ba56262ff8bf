//! Several processes that check one solution: each looks at its share of every layer, and tells the others what it found.

use crate::VerifyError;
use std::sync::atomic::{AtomicU64, Ordering};

/// Why a message did not come through.
pub type Cause = Box<dyn std::error::Error + Send + Sync>;

/// Makes the bytes for another process.
pub type Piece<'a> = dyn FnMut(usize) -> Result<Vec<u8>, Cause> + 'a;
/// Takes the bytes from another process.
pub type Take<'a> = dyn FnMut(usize, Vec<u8>) -> Result<(), Cause> + 'a;

/// The processes of a check, as one of them sees them. All of them call the same in the same order.
pub trait Peers: Sync {
    /// The number of this process, from 0.
    fn rank(&self) -> usize;

    /// How many there are, this one included.
    fn size(&self) -> usize;

    /// Everybody's bytes, by rank.
    fn gather(&self, mine: &[u8]) -> Result<Vec<Vec<u8>>, Cause>;

    /// Sends bytes to everybody else, and takes theirs.
    fn exchange(&self, piece: &mut Piece<'_>, take: &mut Take<'_>) -> Result<(), Cause>;
}

/// Nobody else.
#[derive(Clone, Copy, Debug)]
pub struct Alone;

impl Peers for Alone {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        1
    }

    fn gather(&self, mine: &[u8]) -> Result<Vec<Vec<u8>>, Cause> {
        Ok(vec![mine.to_vec()])
    }

    fn exchange(&self, _: &mut Piece<'_>, _: &mut Take<'_>) -> Result<(), Cause> {
        Ok(())
    }
}

/// Words that are sent at a time: a megabyte.
const TOGETHER: usize = 1 << 17;

/// Every bit that anybody has set.
pub fn unite(peers: &dyn Peers, words: &[AtomicU64]) -> Result<(), VerifyError> {
    if peers.size() == 1 {
        return Ok(());
    }
    for some in words.chunks(TOGETHER) {
        let mine: Vec<u8> = some.iter().flat_map(|word| word.load(Ordering::Relaxed).to_le_bytes()).collect();
        for theirs in peers.gather(&mine).map_err(VerifyError::Peers)? {
            for (word, bytes) in some.iter().zip(theirs.as_chunks().0) {
                word.fetch_or(u64::from_le_bytes(*bytes), Ordering::Relaxed);
            }
        }
    }
    Ok(())
}

/// Everybody's numbers, by rank.
pub fn numbers(peers: &dyn Peers, mine: &[u64]) -> Result<Vec<Vec<u64>>, VerifyError> {
    if peers.size() == 1 {
        return Ok(vec![mine.to_vec()]);
    }
    let mine: Vec<u8> = mine.iter().flat_map(|number| number.to_le_bytes()).collect();
    let all = peers.gather(&mine).map_err(VerifyError::Peers)?;
    Ok(all.iter().map(|bytes| bytes.as_chunks().0.iter().map(|&b| u64::from_le_bytes(b)).collect()).collect())
}

/// The sum of everybody's number.
pub fn sum(peers: &dyn Peers, mine: u64) -> Result<u64, VerifyError> {
    Ok(numbers(peers, &[mine])?.into_iter().flatten().sum())
}
