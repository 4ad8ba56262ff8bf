//! Other processes, and what they take.

use std::ffi::OsStr;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// What a process took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    /// Seconds of CPU.
    pub seconds: f64,
    /// The most memory that it had, in bytes, as far as that was seen.
    pub memory: u64,
    /// It ended by itself.
    pub done: bool,
}

/// Ticks of the system's clock in a second.
const TICKS: f64 = 100.0;
/// A model that takes both programs less is not listed.
const LISTED: f64 = 0.1;

fn limit() -> f64 {
    std::env::var("WINSET_CORPUS_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(60.0)
}

/// Numbers of `/proc/PID/stat`, behind the name, which may have anything in it.
fn stat(pid: &str) -> Vec<f64> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let behind = text.rsplit_once(')').map_or("", |(_, behind)| behind);
    behind.split_whitespace().map(|word| word.parse().unwrap_or(0.0)).collect()
}

/// The seconds of CPU of all processes that have ended and been waited for.
fn of_children() -> f64 {
    stat("self").get(13..15).map_or(0.0, |ticks| ticks.iter().sum::<f64>() / TICKS)
}

/// What a process prints, and what it takes. It is ended when it has taken its seconds.
pub fn in_a_process(program: &Path, arguments: &[&OsStr]) -> (String, Cost) {
    let before = of_children();
    let child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut child = child.expect("the program can be started");
    let mut output = child.stdout.take().expect("piped");
    let reader = std::thread::spawn(move || {
        let mut bytes = vec![];
        let _ = output.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    });
    let (pid, limit, mut memory) = (child.id().to_string(), limit(), 0);
    let mut ended_here = false;
    while child.try_wait().expect("a child can be waited for").is_none() {
        memory = memory.max(peak(&pid));
        let used = stat(&pid).get(11..13).map_or(0.0, |ticks| ticks.iter().sum::<f64>() / TICKS);
        if used > limit {
            let _ = child.kill();
            ended_here = true;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let seconds = of_children() - before;
    (reader.join().unwrap_or_default(), Cost { seconds, memory, done: !ended_here })
}

fn peak(pid: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<u64>().ok()).unwrap_or(0) << 10
}

/// A file checked by another program, which gets a copy without letters beyond ASCII and with an end of the last line.
pub fn beside(program: &str, file: &Path) -> Cost {
    let bytes = std::fs::read(file).expect("the file can be read");
    let mut plain: Vec<u8> = bytes.into_iter().map(|b| if b.is_ascii() { b } else { b'?' }).collect();
    plain.push(b'\n');
    let copy = std::env::temp_dir().join(format!("winset-corpus-{}.smv", std::process::id()));
    std::fs::write(&copy, plain).expect("a copy");
    let (_, cost) = in_a_process(Path::new(program), &[copy.as_os_str()]);
    let _ = std::fs::remove_file(copy);
    cost
}

/// The table of ratios, the slowest models of the other program first, and what it comes to.
pub fn print(rows: &[(String, Cost, Cost)]) {
    let mut rows: Vec<_> = rows.iter().collect();
    rows.sort_by(|a, b| b.2.seconds.total_cmp(&a.2.seconds));
    println!("{:>9} {:>7} {:>9} {:>7} {:>6}", "winset s", "MB", "NuSMV s", "MB", "ratio");
    let shown = |cost: &Cost| format!("{}{:.2}", if cost.done { "" } else { ">" }, cost.seconds);
    let ratio = |ours: &Cost, theirs: &Cost| ours.seconds.max(0.01) / theirs.seconds.max(0.01);
    for (name, ours, theirs) in &rows {
        if ours.seconds.max(theirs.seconds) >= LISTED {
            println!(
                "{:>9} {:>7} {:>9} {:>7} {:>6.2}  {name}",
                shown(ours),
                ours.memory >> 20,
                shown(theirs),
                theirs.memory >> 20,
                ratio(ours, theirs)
            );
        }
    }
    let slow = rows.iter().filter(|(_, ours, theirs)| theirs.seconds > 1.0 && (ours.done || theirs.done));
    summary(
        "over a second with NuSMV",
        &slow.map(|(_, ours, theirs)| ratio(ours, theirs)).collect::<Vec<_>>(),
    );
    let some = rows.iter().filter(|(_, _, theirs)| theirs.seconds > LISTED && theirs.done);
    summary("over a tenth", &some.map(|(_, ours, theirs)| ratio(ours, theirs)).collect::<Vec<_>>());
    let far = rows.iter().filter(|(_, ours, theirs)| {
        theirs.done && theirs.seconds <= 10.0 && (!ours.done || ours.seconds > 60.0 || ours.memory > 4 << 30)
    });
    println!("{} models that NuSMV does in 10 s take winset over the limit of time, or 4 GiB", far.count());
    let most = |of: fn(&(String, Cost, Cost)) -> u64| rows.iter().map(|row| of(row)).max().unwrap_or(0) >> 20;
    println!("peak memory: winset {} MB, NuSMV {} MB", most(|row| row.1.memory), most(|row| row.2.memory));
}

fn summary(what: &str, ratios: &[f64]) {
    let mut ratios = ratios.to_vec();
    ratios.sort_by(f64::total_cmp);
    let within = ratios.iter().filter(|&&ratio| ratio <= 2.0).count();
    let median = ratios.get(ratios.len() / 2).copied().unwrap_or(0.0);
    println!("{} models {what}: {within} within twice its CPU, median ratio {median:.2}", ratios.len());
}
