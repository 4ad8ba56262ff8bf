//! How busy everybody was, and what went over the wire.

use serde::{Deserialize, Serialize};

/// What one process did.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct RankFigures {
    /// Its number.
    pub rank: usize,
    /// The machine.
    pub host: String,
    /// The time that its threads were at work.
    pub cpu_seconds: f64,
    /// The same until all layers were found.
    pub forward_cpu_seconds: f64,
    /// The time that the job took.
    pub seconds: f64,
    /// The time that it waited for others.
    pub waiting_seconds: f64,
    /// Bytes of messages sent.
    pub sent: u64,
    /// Bytes of messages received.
    pub received: u64,
    /// Bytes of pieces read from the shared directory.
    pub read: u64,
    /// Bytes of pieces written into it.
    pub written: u64,
    /// Units that it has solved.
    pub units: u64,
    /// The most memory that it took, if the system says so.
    pub peak_memory_bytes: Option<u64>,
}

/// What took the longest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Bound {
    /// Processes were at work most of the time.
    Computing,
    /// Processes waited for others: the work could not be divided evenly.
    Waiting,
    /// Processes neither worked nor waited for each other: files or messages did not come faster.
    Transfer,
}

/// What all processes did.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Figures {
    /// Each of them.
    pub ranks: Vec<RankFigures>,
    /// Units that an idle process took over from another.
    pub moved_units: u64,
    /// The bytes of the finished store.
    pub stored: u64,
    /// Bytes of messages, sent by all.
    pub wire: u64,
    /// What bounded the job.
    pub bound: Option<Bound>,
}

impl Figures {
    /// Of what everybody says.
    pub fn new(ranks: Vec<RankFigures>, moved_units: u64, stored: u64) -> Self {
        let wire = ranks.iter().map(|rank| rank.sent).sum();
        let sum = |of: fn(&RankFigures) -> f64| ranks.iter().map(of).sum::<f64>();
        let (all, waiting) = (sum(|rank| rank.seconds), sum(|rank| rank.waiting_seconds));
        let computing = sum(|rank| rank.cpu_seconds.min(rank.seconds));
        let transfer = (all - waiting - computing).max(0.0);
        let bound = match () {
            () if computing >= waiting && computing >= transfer => Bound::Computing,
            () if waiting >= transfer => Bound::Waiting,
            () => Bound::Transfer,
        };
        let bound = (!ranks.is_empty()).then_some(bound);
        Figures { ranks, moved_units, stored, wire, bound }
    }
}

/// The CPU seconds of this process so far, as Linux says.
pub fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // After the name, which may have blanks: user and system time are the 12th and 13th, in hundredths of a second.
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(11).take(2).filter_map(|n| n.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// The most memory that this process took, as Linux says.
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches("kB").trim().parse::<u64>().ok()? << 10)
}

/// The machine's name.
pub fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    name.trim().to_owned()
}
