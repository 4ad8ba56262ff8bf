//! What a certificate is about.

use winset_formula::{Fairness, Property};
use winset_model::{ExprId, System};

/// A model and its specifications, read by whoever checks the certificate and not taken from it.
#[derive(Clone, Copy, Debug)]
pub struct Claims<'a> {
    /// The model.
    pub system: &'a System,
    /// The specifications, as they are called or written.
    pub specifications: &'a [(String, Property)],
    /// Which paths count; none: all, those included that end.
    pub fairness: Option<&'a Fairness>,
    /// The states that exist.
    pub constraint: ExprId,
}

/// What is known of a specification after the check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// As it is called or written.
    pub specification: String,
    /// It holds; none if nothing is proved about it: a number was computed.
    pub holds: Option<bool>,
}
