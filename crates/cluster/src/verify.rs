//! A stored solution checked by several processes.

use crate::error::ClusterError;
use crate::group::Group;
use winset_store::Store;
use winset_verify::{
    Cause, Fault, Peers, Piece, Report, Take, VerifyError, Watch, verify_full_together,
    verify_sample_together,
};

impl Peers for Group {
    fn rank(&self) -> usize {
        self.rank()
    }

    fn size(&self) -> usize {
        self.size()
    }

    fn gather(&self, mine: &[u8]) -> Result<Vec<Vec<u8>>, Cause> {
        Ok(self.all(mine)?)
    }

    fn exchange(&self, piece: &mut Piece<'_>, take: &mut Take<'_>) -> Result<(), Cause> {
        self.swap(piece, take)
    }
}

/// What a check found, as every process knows it.
#[derive(Debug)]
pub struct Checked {
    /// The report, with the faults that all of them have found, and examples of this one's.
    pub report: Report,
    /// Examples of everybody's, written as the processes wrote them, by rank.
    pub examples: Vec<String>,
}

/// Checks a solution with the other processes, all of which have opened it: every position, or n of them drawn with a
/// seed. `memory` is each one's.
pub fn verify(
    group: &Group,
    store: &Store,
    sample: Option<(u64, u64)>,
    memory: u64,
    show: impl Fn(&Fault) -> String,
    watch: &Watch<'_>,
) -> Result<Checked, ClusterError> {
    let digest = &store.manifest().digest;
    for (rank, theirs) in group.all(digest.as_bytes())?.iter().enumerate() {
        if theirs != digest.as_bytes() {
            return Err(ClusterError::Unlike(format!(
                "process {rank} sees another solution than process {}: all of them need the same directory",
                group.rank()
            )));
        }
    }
    let report = match sample {
        Some((count, seed)) => verify_sample_together(store, count, seed, memory, group, watch),
        None => verify_full_together(store, memory, group, watch),
    }?;
    let own: Vec<String> = report.examples.iter().map(show).collect();
    let all = group.all(&serde_json::to_vec(&own).unwrap_or_default())?;
    let examples = all.iter().flat_map(|bytes| serde_json::from_slice::<Vec<String>>(bytes));
    Ok(Checked { examples: examples.flatten().collect(), report })
}

impl From<VerifyError> for ClusterError {
    fn from(error: VerifyError) -> Self {
        match error {
            VerifyError::Peers(cause) => match cause.downcast::<ClusterError>() {
                Ok(own) => *own,
                Err(cause) => ClusterError::Store(cause),
            },
            other => ClusterError::Check(other),
        }
    }
}
