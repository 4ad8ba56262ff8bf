//! Solves a built-in game and prints times and counts: `measure GAME SIZE [--threads N] [--memory MIB] [--m2] [--count] [--columns] [--centre] [--symmetry off]`.

use std::time::Instant;
use winset_games::{Baseline, build};
use winset_layers::{Form, Layering, Observer, Options, Reached, Refusal, Solved};
use winset_model::VarId;

struct Clock {
    start: Instant,
    last: Instant,
    verbose: bool,
    forward: f64,
}

impl Observer for Clock {
    fn reached(&mut self, layer: &Reached) -> Result<(), Refusal> {
        let s = layer.summary;
        if self.verbose {
            println!(
                "{:3} {:4} {:>14} {:>12} {:>9} nodes {:>10} B {:8.3}",
                layer.number,
                s.measure,
                s.positions,
                s.ended(),
                s.nodes,
                s.bytes,
                self.last.elapsed().as_secs_f64()
            );
        }
        self.last = Instant::now();
        self.forward = self.start.elapsed().as_secs_f64();
        Ok(())
    }

    fn solved(&mut self, layer: &Solved) -> Result<(), Refusal> {
        if self.verbose {
            println!(
                "{:3} {:?} {:8.3}",
                layer.number,
                layer.summary.lost_level_won(layer.outcomes),
                self.last.elapsed().as_secs_f64()
            );
        }
        self.last = Instant::now();
        Ok(())
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let flag = |name: &str| args.iter().any(|a| a == name);
    let number = |name: &str| {
        args.iter().position(|a| a == name).and_then(|i| args[i + 1].parse().ok()).unwrap_or(1usize)
    };
    let baseline = if flag("--m2") { Baseline::CanBeMade } else { Baseline::Made };
    let game = build(&args[0], Some(&args[1]), &baseline.into()).unwrap();
    let layering = if flag("--plies") {
        Some(Layering::Plies)
    } else if flag("--tier") {
        Some(Layering::OneTier)
    } else {
        None
    };
    let board = game.board().expect("a board game");
    let columns =
        (0..board.columns).map(|c| (0..board.rows).filter_map(move |r| board.cells[r * board.columns + c]));
    let mut columns: Vec<Vec<VarId>> = columns.map(Iterator::collect).collect();
    let all = (0..game.variables().len() as u32).map(VarId);
    if flag("--centre") {
        // The middle first, then outwards.
        let middle = (columns.len() - 1) as isize;
        let mut order: Vec<usize> = (0..columns.len()).collect();
        order.sort_by_key(|&c| (2 * c as isize - middle).abs());
        columns = order.into_iter().map(|c| columns[c].clone()).collect();
    }
    columns.insert(0, all.filter(|var| !board.cells.contains(&Some(*var))).collect());
    let options = Options {
        layering,
        blocks: (flag("--columns") || flag("--centre")).then_some(columns),
        threads: number("--threads"),
        portable: flag("--portable"),
        memory: flag("--memory").then(|| (number("--memory") as u64) << 20),
        directory: flag("--memory").then(std::env::temp_dir),
        symmetry: !args.windows(2).any(|pair| pair == ["--symmetry", "off"]),
        form: if flag("--by-rank") { Form::Ranks } else { Form::Best },
        ..Default::default()
    };
    let now = Instant::now();
    let mut clock = Clock { start: now, last: now, verbose: flag("-v"), forward: 0.0 };
    let solution = if flag("--count") {
        winset_layers::count(&game, &options, &mut clock).unwrap()
    } else {
        winset_layers::solve(&game, &options, &mut clock).unwrap()
    };
    let all = clock.start.elapsed().as_secs_f64();
    println!(
        "{} positions, {:?}, lost/drawn/won {:?}",
        solution.positions(),
        solution.value,
        solution.lost_level_won()
    );
    println!("{:?}", solution.kept);
    println!("forward {:.2} s, backward {:.2} s", clock.forward, all - clock.forward);
}
