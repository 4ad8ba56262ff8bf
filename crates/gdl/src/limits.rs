//! How much a file may cost, and the count of what it has cost so far.

use crate::diagnostic::{Code, Diagnostic, Span};
use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// What a game may use before it is refused. Legal files can be exponentially large when grounded, so
/// every stage counts what it makes and stops in time.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Bytes of the file.
    pub source_bytes: usize,
    /// Depth of parentheses.
    pub nesting: usize,
    /// Ground atoms.
    pub atoms: usize,
    /// Ground atoms from which on a game counts as large: then only what its rules ask for is derived.
    pub large: usize,
    /// Instances of rules.
    pub instances: usize,
    /// Joint moves.
    pub moves: usize,
    /// Steps of joins; exploration and proofs are kept within it as well. It bounds the work on every machine
    /// in the same way, which a time does not.
    pub steps: u64,
    /// Time that the thread works for everything together: by the clock on the wall, a busy machine would refuse what an
    /// idle one reads.
    pub time: Duration,
    /// Memory in bytes: what [`Limits::measure`] tells, or else an estimate of the tables.
    pub memory: usize,
    /// What the process has in use, where somebody counts. It is asked wherever time is checked.
    pub measure: Option<fn() -> u64>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            source_bytes: 16 << 20,
            nesting: 256,
            atoms: 4_000_000,
            large: 1_500_000,
            instances: 12_000_000,
            moves: 500_000,
            steps: 3_000_000_000,
            time: Duration::from_secs(60),
            memory: 2 << 30,
            measure: None,
        }
    }
}

/// The part of all steps after which a game counts as large.
const IMPATIENT: u64 = 6;

/// A limit was reached.
#[derive(Debug)]
pub(crate) struct Exceeded(pub String);

/// How long this thread has been at work.
fn worked() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.try_into().unwrap_or(0), time.tv_nsec.try_into().unwrap_or(0))
}

/// Counts work per rule of the file, so that the rule that exploded can be named.
pub(crate) struct Meter<'a> {
    pub limits: &'a Limits,
    /// The thread's own time when it began.
    started: Duration,
    ticks: u64,
    /// Work by rule of the file.
    work: Vec<u64>,
    pub rule: usize,
    pub atoms: usize,
    pub instances: usize,
    /// A large game is not given up.
    patient: bool,
    /// Steps before the game was begun again.
    before: u64,
    /// The stages so far, with when they began.
    stages: Vec<(&'static str, Duration)>,
}

impl<'a> Meter<'a> {
    pub fn new(limits: &'a Limits) -> Self {
        Meter {
            limits,
            started: worked(),
            ticks: 0,
            work: Vec::new(),
            rule: 0,
            atoms: 0,
            instances: 0,
            patient: true,
            before: 0,
            stages: vec![("read", Duration::ZERO)],
        }
    }

    /// A new stage begins.
    pub fn stage(&mut self, name: &'static str) {
        self.stages.push((name, self.elapsed()));
    }

    /// How long each stage took.
    pub fn stages(&self) -> Vec<(&'static str, Duration)> {
        let ends = self.stages.iter().skip(1).map(|s| s.1).chain([self.elapsed()]);
        self.stages.iter().zip(ends).map(|((name, from), to)| (*name, to - *from)).collect()
    }

    /// How many rules the file has.
    pub fn set_rules(&mut self, rules: usize) {
        self.work = vec![0; rules];
    }

    /// Whether a game that is large is grounded nevertheless.
    pub fn be_patient(&mut self, patient: bool) {
        self.patient = patient;
    }

    /// Forgets what was counted: the game is grounded in another way.
    pub fn begin_again(&mut self) {
        (self.atoms, self.instances, self.before) = (0, 0, self.ticks);
        self.work.fill(0);
    }

    pub fn elapsed(&self) -> Duration {
        worked().saturating_sub(self.started)
    }

    /// Counts one step of the current rule.
    #[inline]
    pub fn tick(&mut self) -> Result<(), Exceeded> {
        self.ticks += 1;
        if self.ticks & 0x3fff == 0 { self.charge() } else { Ok(()) }
    }

    fn charge(&mut self) -> Result<(), Exceeded> {
        if let Some(work) = self.work.get_mut(self.rule) {
            *work += 0x4000;
        }
        let most = if self.patient { self.limits.steps } else { self.limits.steps / IMPATIENT };
        if self.ticks - self.before > most {
            return Err(Exceeded(format!("it took more than {} steps", self.limits.steps)));
        }
        self.check_time()
    }

    pub fn check_time(&self) -> Result<(), Exceeded> {
        if self.elapsed() > self.limits.time {
            return Err(Exceeded(format!("it took more than {} s of work", self.limits.time.as_secs_f64())));
        }
        self.check_memory(0)
    }

    pub fn add_atoms(&mut self, atoms: usize) -> Result<(), Exceeded> {
        self.atoms += atoms;
        if let Some(work) = self.work.get_mut(self.rule) {
            *work += 100 * atoms as u64;
        }
        let most = if self.patient { self.limits.atoms } else { self.limits.large.min(self.limits.atoms) };
        if self.atoms > most {
            return Err(Exceeded(format!("there are more than {most} ground atoms")));
        }
        Ok(())
    }

    pub fn add_instance(&mut self) -> Result<(), Exceeded> {
        self.instances += 1;
        if let Some(work) = self.work.get_mut(self.rule) {
            *work += 10;
        }
        if self.instances > self.limits.instances {
            return Err(Exceeded(format!(
                "there are more than {} instances of rules",
                self.limits.instances
            )));
        }
        Ok(())
    }

    pub fn check_memory(&self, bytes: usize) -> Result<(), Exceeded> {
        let bytes = self.limits.measure.map_or(bytes, |measure| measure() as usize);
        if bytes > self.limits.memory {
            return Err(Exceeded(format!("it needs more than {} MiB of memory", self.limits.memory >> 20)));
        }
        Ok(())
    }

    /// The diagnostic for a reached limit, at the rule that took most of the work.
    pub fn blame(&self, exceeded: Exceeded, spans: &[Span]) -> Diagnostic {
        let worst = (0..self.work.len()).max_by_key(|i| self.work[*i]).unwrap_or(0);
        let total: u64 = self.work.iter().sum();
        let share = (self.work.get(worst).copied().unwrap_or(0) * 100).checked_div(total).unwrap_or(0);
        let stage = match self.stages.last() {
            Some((stage, _)) if *stage != "ground" => format!(" (stage `{stage}`)"),
            _ => String::new(),
        };
        let span = spans.get(worst).copied().unwrap_or_default();
        let message = format!(
            "the game is too large to ground: {}{stage}; this rule took {share} % of the work",
            exceeded.0
        );
        Diagnostic::error(Code::LimitExceeded, span, message)
            .help(
                "split the rule so that fewer variables meet in one body, or raise the limits (that of memory: --memory)",
            )
    }
}
