//! The path operators of CTL over fair infinite paths, as fixed points (Emerson and Lei 1986; for compassion the
//! emptiness of Streett automata).
//!
//! Every construction is stated for the existential operator, and gives the dual of all of it where `positive` is
//! false: intersections become unions, successors some to all, least fixed points greatest. Operands come with the
//! same sign.

use crate::core::{Core, FixId, Node, NodeId};
use crate::error::FormulaError;
use crate::formula::{Formula, Path};
use crate::property::Fairness;
use crate::translate::{Translated, Translation};
use winset_model::{ExprId, Exprs};

impl Translation<'_> {
    /// An operator over paths, or its negation if not `positive`. What holds on all fair paths fails on none, so that
    /// the universal operators are the duals of the existential ones, with operands of the same sign.
    pub fn over_fair_paths(&mut self, formula: &Formula, positive: bool, fairness: &Fairness) -> Translated {
        let sign_of = |path: Path| (path == Path::Some) == positive;
        match formula {
            Formula::Next(path, a) => {
                let (sign, a) = (sign_of(*path), self.node(a, positive)?);
                let fair = self.fair(sign);
                let both = self.and_or(sign, a, fair);
                Ok(self.next(sign, both))
            }
            Formula::Finally(Path::Some, a) | Formula::Globally(Path::All, a) => {
                let path = if matches!(formula, Formula::Finally(..)) { Path::Some } else { Path::All };
                let (sign, a) = (sign_of(path), self.node(a, positive)?);
                let everywhere = self.set(sign, Exprs::TRUE);
                self.fair_until(sign, everywhere, a)
            }
            Formula::Finally(path, a) | Formula::Globally(path, a) => {
                let (sign, a) = (sign_of(*path), self.node(a, positive)?);
                self.only_fair(sign, a, fairness)
            }
            Formula::Until(Path::Some, a, b) => {
                let (a, b) = (self.node(a, positive)?, self.node(b, positive)?);
                self.fair_until(positive, a, b)
            }
            // It fails where b fails until a fails too, and where b fails for ever.
            Formula::Until(Path::All, a, b) => {
                let (a, b) = (self.node(a, positive)?, self.node(b, positive)?);
                let neither = self.and_or(!positive, a, b);
                let broken = self.fair_until(!positive, b, neither)?;
                let never = self.only_fair(!positive, b, fairness)?;
                Ok(self.and_or(positive, broken, never))
            }
            _ => unreachable!("only operators over paths come here"),
        }
    }

    fn set(&mut self, sign: bool, set: ExprId) -> NodeId {
        let set = if sign { set } else { self.exprs.not(set) };
        self.intern(Node::Set(set))
    }

    fn next(&mut self, sign: bool, a: NodeId) -> NodeId {
        self.intern(Node::Next(if sign { Path::Some } else { Path::All }, a))
    }

    /// The states with a fair path, which are given.
    fn fair(&mut self, sign: bool) -> NodeId {
        let id = match self.core.given[usize::from(sign)] {
            Some(id) => id,
            None => {
                let id = FixId(self.core.names.len() as u32);
                self.core.names.push(if sign { "with fair paths" } else { "without fair paths" }.to_owned());
                self.core.given[usize::from(sign)] = Some(id);
                id
            }
        };
        self.intern(Node::Variable(id))
    }

    /// The states with a fair path, or without one, as a formula.
    pub fn fair_states(mut self, sign: bool, fairness: &Fairness) -> Result<Core, FormulaError> {
        let everywhere = self.set(sign, Exprs::TRUE);
        self.core.root = self.fair_globally(sign, everywhere, fairness)?;
        self.core.fairness = fairness.clone();
        Ok(self.core)
    }

    /// `E[a U b]` over all paths: `mu Y. b | a & EX Y`.
    fn plain_until(&mut self, sign: bool, a: NodeId, b: NodeId) -> Translated {
        let everywhere = self.set(sign, Exprs::TRUE);
        self.fix(sign, "until", |t, id| {
            let variable = t.intern(Node::Variable(id));
            let next = t.next(sign, variable);
            let on = if a == everywhere { next } else { t.and_or(sign, a, next) };
            Ok(t.and_or(!sign, b, on))
        })
    }

    /// `E[a U b]`: b is reached where a fair path begins.
    fn fair_until(&mut self, sign: bool, a: NodeId, b: NodeId) -> Translated {
        let fair = self.fair(sign);
        let goal = self.and_or(sign, b, fair);
        self.plain_until(sign, a, goal)
    }

    /// `EG a`, looked for only where a fair path begins.
    fn only_fair(&mut self, sign: bool, a: NodeId, fairness: &Fairness) -> Translated {
        let fair = self.fair(sign);
        let a = self.and_or(sign, a, fair);
        self.fair_globally(sign, a, fairness)
    }

    /// `EG a`: a set in which every state has a successor and a way to each justice, and a way to the second of each
    /// compassion if the first holds there. Without compassion that is all; with it, the set has the states that a
    /// path may go round through, and others lead there.
    fn fair_globally(&mut self, sign: bool, a: NodeId, fairness: &Fairness) -> Translated {
        let everywhere = self.set(sign, Exprs::TRUE);
        let core = self.fix(!sign, "fair", |t, id| {
            if sign {
                t.core.fair.push(id);
            }
            let variable = t.intern(Node::Variable(id));
            let inside = if a == everywhere { variable } else { t.and_or(sign, a, variable) };
            let mut all = a;
            if fairness.justice.is_empty() {
                let on = t.next(sign, variable);
                all = if a == everywhere { on } else { t.and_or(sign, all, on) };
            }
            for &justice in &fairness.justice {
                let goal = t.set(sign, justice);
                let goal = t.and_or(sign, goal, inside);
                let way = t.plain_until(sign, inside, goal)?;
                let on = t.next(sign, way);
                all = if all == everywhere { on } else { t.and_or(sign, all, on) };
            }
            for &(if_this, then_that) in &fairness.compassion {
                let (without, goal) = (t.set(!sign, if_this), t.set(sign, then_that));
                let goal = t.and_or(sign, goal, inside);
                let way = t.plain_until(sign, inside, goal)?;
                let kept = t.and_or(!sign, without, way);
                all = t.and_or(sign, all, kept);
            }
            Ok(all)
        })?;
        if fairness.compassion.is_empty() { Ok(core) } else { self.plain_until(sign, a, core) }
    }
}
