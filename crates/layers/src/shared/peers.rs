//! What is asked of the other processes.

use crate::observer::Refusal;

/// The other processes that work on the same layers. All of them make the same calls in the same order.
pub trait Peers: Send + Sync {
    /// The number of this process, from 0.
    fn rank(&self) -> usize;

    /// How many there are, this one included.
    fn size(&self) -> usize;

    /// Everybody's bytes, by rank.
    fn gather(&self, mine: &[u8]) -> Result<Vec<Vec<u8>>, Refusal>;

    /// Sends everybody else the bytes that `piece` makes for them, and hands over what comes from each of them. No more
    /// than one piece of either kind needs to be in memory at a time.
    fn exchange(
        &self,
        piece: &mut dyn FnMut(usize) -> Result<Vec<u8>, Refusal>,
        take: &mut dyn FnMut(usize, Vec<u8>) -> Result<(), Refusal>,
    ) -> Result<(), Refusal>;
}
