//! Certificates: what proves the verdict of a specification, as data, and a check of it that shares nothing with the
//! fixed-point engine, neither its algorithms nor its diagrams.
//!
//! Every claim comes down to one kind: a set of states is inside of what a formula means. The certificate gives the fixed
//! points' values, and nothing has to be iterated to see that they are right:
//!
//! - a greatest fixed point `nu X. f(X)` contains every set W with W ⊆ f(W): an inductive invariant is one;
//! - a least fixed point `mu X. f(X)` contains W1 ∪ ... ∪ Wk if each Wi ⊆ f(W1 ∪ ... ∪ Wi-1): the ranks of its states.
//!
//! Everything between fixed points (sets, intersections, successors) is computed by the check. What holds is proved for all
//! initial states; what does not hold is proved by its negation in one of them, or by a path that the rules allow.
//! A formula over linear time holds if no path that breaks it is fair: a least fixed point over the model together with the
//! formula's tableau.

mod bdd;
mod certificate;
mod claim;
mod compile;
mod error;
mod fixed_points;
mod steps;
mod verify;

pub use certificate::{Certificate, Entry, Evidence, Fix, Levels, Proof, VERSION};
pub use claim::{Claim, Claims};
pub use error::CertifyError;
pub use verify::verify;
