//! The file: what was checked, and for each specification what proves its verdict.

use serde::{Deserialize, Serialize};

/// The version of the format.
pub const VERSION: u32 = 1;

/// What proves the verdicts of a model's specifications.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// [`VERSION`].
    pub winset_certificate: u32,
    /// What was asked beside the model: the arguments of `check`.
    pub arguments: Vec<String>,
    /// The variables in the order of the sets' levels, by position in the model; those of tableaux come after its own.
    pub order: Vec<u32>,
    /// Which states have a fair path and which have none, where not all paths count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fair: Option<[Proof; 2]>,
    /// The specifications in the order of the model.
    pub specifications: Vec<Entry>,
}

/// One specification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// As it is called or written.
    pub specification: String,
    /// The verdict.
    pub holds: bool,
    /// What proves it.
    pub evidence: Evidence,
}

/// What proves a verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// The values of the fixed points of the formula, or of its negation.
    Sets(Proof),
    /// A path from an initial state, and where its last state leads back to.
    Path {
        /// The values of the variables in each state.
        states: Vec<Vec<u16>>,
        /// The position that follows the last one; none if the path just ends.
        back_to: Option<usize>,
    },
    /// There is none: a number was computed.
    None,
}

/// The fixed points of a formula in the order in which they are met, from the root down, operands from left to right; what
/// does not depend on a surrounding fixed point is met once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Proof(pub Vec<Fix>);

/// The value of a fixed point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fix {
    /// The states of a greatest one.
    Greatest(Levels),
    /// What each step adds to a least one. What lies inside is given anew for each step.
    Least(Vec<Levels>),
}

/// A set of states: a level for each variable, a node for each way in which the variables below go on, and of each node its
/// values with the nodes of the next level that they lead to. Below the last level there is node 0. An empty set has no levels.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Levels(pub Vec<Vec<Vec<(u16, u32)>>>);
