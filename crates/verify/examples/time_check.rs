//! Measures a store of a built-in game: solve plainly, write, ask, check. Arguments: game, size.

use std::time::Duration;
use winset_explore::Session;
use winset_reference::{Cut, build, open, solve, write};

/// The CPU time of this process; on a loaded machine the clock says nothing.
fn cpu() -> Duration {
    let clock = || -> Option<Duration> {
        let tasks = std::fs::read_dir("/proc/self/task").ok()?;
        let of_task = |path: std::path::PathBuf| -> Option<u64> {
            std::fs::read_to_string(path.join("schedstat")).ok()?.split(' ').next()?.parse().ok()
        };
        Some(Duration::from_nanos(tasks.filter_map(|t| of_task(t.ok()?.path())).sum()))
    };
    clock().unwrap_or_default()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, size, cut] = arguments.as_slice() else {
        return Err("usage: measure GAME SIZE bfs|stones".into());
    };
    let cut = if cut == "bfs" { Cut::Bfs } else { Cut::Stones };
    let begin = cpu();
    let solution = solve(&build(name, size), cut, false);
    println!("solved plainly in {:?}", (cpu() - begin));
    let directory = winset_reference::scratch();
    let begin = cpu();
    write(directory.path(), &solution);
    let positions: u64 = solution.layers.iter().map(|l| l.index.len()).sum();
    println!("wrote {positions} positions in {:?}", (cpu() - begin));
    let begin = cpu();
    let store = open(directory.path())?;
    println!("opened in {:?}", (cpu() - begin));
    let (mut sets, mut values) = (0, 0);
    for record in &store.manifest().layers {
        sets += record.set.bytes;
        let kept = record.values.as_ref().ok_or("not solved")?;
        values += kept.file.bytes;
        println!(
            "layer {:>3} {:>10} set {:>9} values {:>9} {:?}",
            record.layer,
            record.positions - record.terminal,
            record.set.bytes,
            kept.file.bytes,
            kept.encoding
        );
    }
    let bits = |bytes: u64| bytes as f64 * 8.0 / positions as f64;
    println!("bits per position: sets {:.3}, values {:.3}", bits(sets), bits(values));
    let states: Vec<_> = solution.values.keys().take(200_000).cloned().collect();
    let mut session = Session::new(&store);
    for round in ["cold", "warm"] {
        let begin = cpu();
        session.values(&states)?;
        let seconds = (cpu() - begin).as_secs_f64();
        println!("{round}: {:.0} positions/s, {} chunks", states.len() as f64 / seconds, store.chunks_read());
    }
    let begin = cpu();
    let report = winset_verify::verify_full(&store, 4 << 30, &|_, _| ())?;
    let nanoseconds = (cpu() - begin).as_nanos() / u128::from(report.checked);
    println!("{report}: {:?}, {nanoseconds} ns a position", (cpu() - begin));
    Ok(())
}
