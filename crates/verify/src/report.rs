//! What a check found, and what it says about the solution.

use crate::check::KEPT_FAULTS;
use crate::fault::Fault;
use std::fmt;
use winset_model::grouped;
use winset_store::{Manifest, Verdict};

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The number of positions whose values were checked.
    pub checked: u64,
    /// The number of positions that have values.
    pub solved: u64,
    /// The number of positions stored.
    pub of: u64,
    /// The seed of the sample; none if everything was to be checked.
    pub seed: Option<u64>,
    /// The number of faults.
    pub faults: u64,
    /// The first of them.
    pub examples: Vec<Fault>,
    /// What an unfinished solution lacks, in words; nothing if it is complete.
    pub missing: Vec<String>,
}

impl Report {
    /// A report about a solution of which nothing has been checked yet.
    pub(crate) fn new(manifest: &Manifest, seed: Option<u64>) -> Self {
        let sum = |all: bool| {
            let layers = manifest.layers.iter().filter(|l| all || l.values.is_some());
            layers.map(|l| l.stored).sum()
        };
        Report { solved: sum(false), of: sum(true), seed, missing: missing(manifest), ..Default::default() }
    }

    /// No fault was found.
    pub fn holds(&self) -> bool {
        self.faults == 0
    }

    /// Every position that can arise has a value, as far as the solution says.
    pub fn is_complete(&self) -> bool {
        self.missing.is_empty()
    }

    /// Everything that the solution says was shown to follow from the rules.
    pub fn is_proof(&self) -> bool {
        self.holds() && self.is_complete() && self.seed.is_none() && self.checked == self.of
    }

    /// For the manifest.
    pub fn verdict(&self) -> Verdict {
        Verdict {
            tool: concat!("winset ", env!("CARGO_PKG_VERSION")).to_owned(),
            checked: self.checked,
            of: self.of,
            seed: self.seed,
            faults: self.faults,
            complete: self.is_complete(),
            proved: self.is_proof(),
        }
    }

    /// With 95 % confidence no more than this many values of a faultless sample's solution do not follow from
    /// the values after the moves: the rule of three, `3 / n` of them, rounded up. Of everything, none.
    pub fn bound(&self) -> u64 {
        if self.checked >= self.solved {
            return 0;
        }
        let bound = (3 * u128::from(self.solved)).div_ceil(u128::from(self.checked.max(1)));
        bound.min(self.solved.into()) as u64
    }

    /// Adds n faults, with examples of them.
    pub(crate) fn add_faults(&mut self, count: u64, examples: Vec<Fault>) {
        self.faults += count;
        let room = KEPT_FAULTS.saturating_sub(self.examples.len());
        self.examples.extend(examples.into_iter().take(room));
    }

    pub(crate) fn push(&mut self, fault: Fault) {
        self.faults += 1;
        if self.examples.len() < KEPT_FAULTS {
            self.examples.push(fault);
        }
    }
}

/// What a manifest says is not there yet.
fn missing(manifest: &Manifest) -> Vec<String> {
    let (mut missing, layers) = (vec![], &manifest.layers);
    if !manifest.forward_complete {
        missing.push(match layers.last() {
            None => "all positions".to_owned(),
            Some(last) => format!("the positions after layer {}", last.layer),
        });
    }
    let open: Vec<_> = layers.iter().filter(|l| l.values.is_none()).collect();
    if let (Some(first), Some(last)) = (open.first(), open.last()) {
        let positions = grouped(open.iter().map(|l| l.stored).sum::<u64>());
        missing.push(match open.len() {
            1 => format!("the values of layer {} ({positions} positions)", first.layer),
            n => {
                format!(
                    "the values of {n} layers from {} to {} ({positions} positions)",
                    first.layer, last.layer
                )
            }
        });
    }
    if manifest.value.is_none() {
        missing.push("the value of the start".to_owned());
    }
    missing
}

/// What the check means, in a sentence or two.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [checked, solved, of] = [self.checked, self.solved, self.of].map(grouped);
        match (self.faults, self.seed) {
            (0, None) if self.is_proof() => {
                return write!(f, "all {of} stored positions hold: the solution is proved");
            }
            (0, None) => write!(
                f,
                "not finished, so not proved: the sets that are there and the values of {checked} of {of} stored \
                 positions hold"
            )?,
            (0, Some(_)) if self.checked >= self.solved => write!(
                f,
                "each of the {solved} stored values follows from those after the moves; whether nothing else is wrong, \
                 only a full check proves"
            )?,
            (0, Some(seed)) => write!(
                f,
                "{checked} positions of {solved}, drawn with seed {seed}, hold: with 95 % confidence at most {} values \
                 do not follow from those after the moves; nothing is proved",
                grouped(self.bound())
            )?,
            (1, _) => write!(f, "1 fault in {checked} positions checked of {of}")?,
            (faults, _) => {
                write!(f, "{} faults in {checked} positions checked of {of}", grouped(faults))?;
            }
        }
        match self.missing.is_empty() {
            true => Ok(()),
            false => write!(f, "; missing: {}", self.missing.join(", ")),
        }
    }
}
