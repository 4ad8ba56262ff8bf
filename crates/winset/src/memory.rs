//! How much memory there is.

/// The machine's memory in bytes, where the system tells.
pub fn total_memory() -> Option<u64> {
    let info = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = info.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kib * 1024)
}

/// Half of the machine's memory, where the system tells; else 4 GiB.
pub fn default_budget() -> u64 {
    total_memory().map_or(4 << 30, |total| total / 2)
}
