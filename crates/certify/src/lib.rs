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
//!
//! A light that is never seen broken: the set in which it is off or on has all initial states, and no step leaves it.
//!
//! ```
//! use winset_certify::{Certificate, Claims, Entry, Evidence, Fix, Levels, Proof, VERSION, verify};
//! use winset_formula::Property;
//! use winset_model::{Exprs, GameBuilder, Player, Update};
//!
//! let mut game = GameBuilder::new("light", ["only"]);
//! let light = game.add_variable("light", ["off", "on", "broken"]);
//! let (off, on) = (game.exprs.is(light, 0), game.exprs.is(light, 1));
//! game.add_move("switch on", Player(0), off, [Update::set(light, 1)]);
//! game.add_move("switch off", Player(0), on, [Update::set(light, 0)]);
//! game.initial = game.state([0]);
//! let mut system = game.build()?.system();
//!
//! let never = Property::Branching(winset_formula::parse("AG !(light = broken)", &mut system)?);
//! let specifications = [("never broken".to_owned(), never)];
//! let claims = Claims { system: &system, specifications: &specifications, fairness: None, constraint: Exprs::TRUE };
//! let proof = |values: &[u16]| Certificate {
//!     winset_certificate: VERSION,
//!     arguments: vec![],
//!     order: vec![0],
//!     fair: None,
//!     specifications: vec![Entry {
//!         specification: "never broken".to_owned(),
//!         holds: true,
//!         evidence: Evidence::Sets(Proof(vec![Fix::Greatest(Levels(vec![vec![
//!             values.iter().map(|&value| (value, 0)).collect(),
//!         ]]))])),
//!     }],
//! };
//! assert_eq!(verify(&claims, &proof(&[0, 1]), 64 << 20)?[0].holds, Some(true));
//! // One step leads from off to on: this set proves nothing.
//! assert!(verify(&claims, &proof(&[0]), 64 << 20).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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
