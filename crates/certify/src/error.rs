//! Why a certificate is not accepted.

use thiserror::Error;
use winset_formula::FormulaError;

/// Why a certificate is not accepted.
#[derive(Debug, Error)]
pub enum CertifyError {
    /// It is of another version.
    #[error("the certificate has version {0}, and {expected} is known here", expected = crate::VERSION)]
    Version(u32),
    /// It is not about this model and these specifications.
    #[error("the certificate is of another model: {0}")]
    Other(String),
    /// It is not of the form that the formulas need.
    #[error("{specification}: {what}")]
    Malformed {
        /// Of which specification.
        specification: String,
        /// What is wrong.
        what: &'static str,
    },
    /// It does not prove what it says.
    #[error("{specification}: {what}")]
    Wrong {
        /// Of which specification.
        specification: String,
        /// What does not follow.
        what: &'static str,
    },
    /// A formula cannot be read as the checker did.
    #[error(transparent)]
    Formula(#[from] FormulaError),
    /// It cannot be found out in the memory that is allowed.
    #[error("the check needs more than the {} MiB of memory it may use", .0 >> 20)]
    Memory(u64),
}

/// What is wrong with evidence, before it is known of which specification.
#[derive(Debug)]
pub enum Fault {
    Malformed(&'static str),
    Wrong(&'static str),
    Memory(u64),
}

impl Fault {
    /// The same with its place.
    pub fn of(self, specification: &str) -> CertifyError {
        let specification = specification.to_owned();
        match self {
            Fault::Malformed(what) => CertifyError::Malformed { specification, what },
            Fault::Wrong(what) => CertifyError::Wrong { specification, what },
            Fault::Memory(allowed) => CertifyError::Memory(allowed),
        }
    }
}
