//! How much memory there is.

/// Half of the machine's memory, where the system tells; else 4 GiB.
pub fn default_budget() -> u64 {
    let total = std::fs::read_to_string("/proc/meminfo").ok().and_then(|info| {
        let line = info.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
        line.trim().trim_end_matches("kB").trim().parse::<u64>().ok()
    });
    total.map_or(4 << 30, |kib| kib * 1024 / 2)
}
