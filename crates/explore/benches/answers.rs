//! How many positions a second `winset query DIR -` answers: every position of Connect Four 4x4, read and answered as
//! text; and how many are walked through in the order of ranks. The best of five runs. `cargo bench -p winset-explore --bench answers`.

use std::time::Instant;
use winset_explore::{Session, export, query};
use winset_reference::{Cut, build, open, scratch, solve, write};

fn main() {
    let directory = scratch();
    write(directory.path(), &solve(&build("connect4", "4x4"), Cut::Stones, false));
    let store = open(directory.path()).expect("the store was just written");
    let mut csv = vec![];
    let count = export::write_csv(&mut csv, &store, &[]).expect("positions are listed");
    let csv = String::from_utf8(csv).expect("positions are text");
    let positions: Vec<&str> = csv.lines().skip(1).filter_map(|line| line.split('"').nth(1)).collect();
    let input = positions.join("\n");
    let run = || {
        let begin = Instant::now();
        let mut out = vec![];
        let answered = query::answer_many(&mut Session::new(&store), &mut input.as_bytes(), &mut out, false);
        assert_eq!(answered.expect("positions are answered"), count);
        begin.elapsed().as_secs_f64()
    };
    let best = (0..5).map(|_| run()).fold(f64::INFINITY, f64::min);
    println!("{:.0} positions/s answered", count as f64 / best);
    let layers = &store.manifest().layers;
    let walk = || {
        let begin = Instant::now();
        let all = layers.iter().flat_map(|record| store.positions(record.layer).expect("a solved layer"));
        let walked = all.filter(|position| position.is_ok()).count() as u64;
        assert_eq!(walked, layers.iter().map(|record| record.stored).sum::<u64>());
        walked as f64 / begin.elapsed().as_secs_f64()
    };
    println!("{:.0} positions/s walked", (0..5).map(|_| walk()).fold(0.0, f64::max));
}
