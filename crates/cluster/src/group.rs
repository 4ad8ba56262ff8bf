//! Gathering and exchanging over messages.

use crate::error::ClusterError;
use crate::transport::{Tag, Transport};
use std::sync::Arc;
use std::time::Duration;
use winset_layers::Refusal;
use winset_layers::shared::Peers;

/// The longest message: longer bytes are sent in several.
const LONGEST: usize = 4 << 20;

/// The processes of a job, as one of them sees them.
#[derive(Clone)]
pub struct Group {
    /// How messages are sent.
    pub transport: Arc<dyn Transport>,
    /// Every exchange is delayed by this, for tests of what a slow process does.
    pub delay: Duration,
}

impl Group {
    /// The processes that a transport reaches.
    pub fn new(transport: Arc<dyn Transport>) -> Self {
        Group { transport, delay: Duration::ZERO }
    }

    /// The number of this process.
    pub fn rank(&self) -> usize {
        self.transport.rank()
    }

    /// How many there are.
    pub fn size(&self) -> usize {
        self.transport.size()
    }

    /// Sends bytes of any length.
    pub fn send(&self, to: usize, tag: Tag, bytes: &[u8]) -> Result<(), ClusterError> {
        self.transport.send(to, tag, &(bytes.len() as u64).to_le_bytes())?;
        bytes.chunks(LONGEST).try_for_each(|chunk| self.transport.send(to, tag, chunk))
    }

    /// Receives bytes that [`Group::send`] has sent.
    pub fn receive(&self, from: usize, tag: Tag) -> Result<Vec<u8>, ClusterError> {
        let (_, length) = self.transport.receive(Some(from), tag)?;
        let length = u64::from_le_bytes(length.try_into().unwrap_or_default()) as usize;
        let mut bytes = vec![];
        while bytes.len() < length {
            bytes.append(&mut self.transport.receive(Some(from), tag)?.1);
        }
        Ok(bytes)
    }

    /// Everybody's bytes, by rank.
    pub fn all(&self, mine: &[u8]) -> Result<Vec<Vec<u8>>, ClusterError> {
        if !self.delay.is_zero() {
            std::thread::sleep(self.delay);
        }
        let (rank, size) = (self.rank(), self.size());
        if rank > 0 {
            self.send(0, Tag::Gather, mine)?;
            return (0..size).map(|_| self.receive(0, Tag::Gather)).collect();
        }
        let mut all = vec![mine.to_vec()];
        for other in 1..size {
            all.push(self.receive(other, Tag::Gather)?);
        }
        for other in 1..size {
            all.iter().try_for_each(|bytes| self.send(other, Tag::Gather, bytes))?;
        }
        Ok(all)
    }

    /// Sends bytes to everybody else, and takes theirs.
    pub(crate) fn swap(
        &self,
        piece: &mut dyn FnMut(usize) -> Result<Vec<u8>, Refusal>,
        take: &mut dyn FnMut(usize, Vec<u8>) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let (rank, size) = (self.rank(), self.size());
        for step in 1..size {
            let (to, from) = ((rank + step) % size, (rank + size - step) % size);
            let bytes = piece(to)?;
            self.send(to, Tag::Exchange, &bytes)?;
            drop(bytes);
            take(from, self.receive(from, Tag::Exchange)?)?;
        }
        Ok(())
    }

    /// Waits for everybody.
    pub fn meet(&self) -> Result<(), ClusterError> {
        self.all(&[]).map(|_| ())
    }

    /// Whether it is so for anybody.
    pub fn any(&self, mine: bool) -> Result<bool, ClusterError> {
        Ok(self.all(&[u8::from(mine)])?.iter().any(|theirs| theirs == &[1]))
    }
}

impl Peers for Group {
    fn rank(&self) -> usize {
        self.rank()
    }

    fn size(&self) -> usize {
        self.size()
    }

    fn gather(&self, mine: &[u8]) -> Result<Vec<Vec<u8>>, Refusal> {
        Ok(self.all(mine)?)
    }

    fn exchange(
        &self,
        piece: &mut dyn FnMut(usize) -> Result<Vec<u8>, Refusal>,
        take: &mut dyn FnMut(usize, Vec<u8>) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        self.swap(piece, take)
    }
}
