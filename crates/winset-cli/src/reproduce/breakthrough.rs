//! Breakthrough: winners, reachable states and diagram sizes (Tables 5.1 and 5.2, Figure 5.1).

use super::Setting;
use crate::engines::{Watch, failure};
use crate::failure::Failure;
use crate::report::comparison::Comparison;
use crate::report::plot::Series;
use crate::report::table::grouped;
use winset_games::{Baseline, breakthrough};
use winset_model::{Player, Rewards};
use winset_symbolic::{Bcdd, Encoding, Options, Order, Symbolic, TurnPlace, reach};

struct Board {
    rows: usize,
    columns: usize,
    winner: &'static str,
    /// Reachable states by M1 and by M2.
    states: [&'static str; 2],
    /// Nodes of the visited set: peak and end.
    nodes: [u64; 2],
}

const BOARDS: [Board; 4] = [
    Board { rows: 5, columns: 4, winner: "second", states: ["3.7e8", "3.5e7"], nodes: [170_075, 155_056] },
    Board { rows: 7, columns: 3, winner: "second", states: ["3.2e8", "1.0e8"], nodes: [57_865, 51_133] },
    Board { rows: 6, columns: 4, winner: "first", states: ["1.5e10", "2.0e9"], nodes: [350_532, 292_921] },
    Board {
        rows: 5,
        columns: 5,
        winner: "second",
        states: ["5.1e10", "2.4e9"],
        nodes: [2_693_209, 2_494_183],
    },
];

/// All four boards, both baselines.
pub fn boards(setting: &Setting<'_>, comparison: &mut Comparison) -> Result<(), Failure> {
    let mut series = vec![];
    for board in &BOARDS {
        let Board { rows, columns, winner, states, nodes } = *board;
        let name = format!("{rows}x{columns}");
        for (baseline, label, published) in
            [(Baseline::Made, "M1", states[0]), (Baseline::CanBeMade, "M2", states[1])]
        {
            let game = breakthrough(rows, columns, baseline);
            setting.progress.step("breakthrough-boards", 0, None, &format!("{name} {label}"));
            let solved = winset_layers::solve(&game, &Default::default(), &mut ())?;
            let positions = solved.positions();
            comparison.compare_rounded(format!("{name} {label}, reachable"), published, positions);
            let ours = match solved.value.and_then(Rewards::leader) {
                Some(Player(0)) => "first",
                _ => "second",
            };
            comparison.must_match(format!("{name} {label}, winner"), winner, ours);
        }
        // As in the thesis's program: by M2, white's home row first, the turn last, the unused code word 11.
        let game = breakthrough(rows, columns, Baseline::CanBeMade);
        let upward = (0..rows).rev().flat_map(|row| (0..columns).map(move |column| (row, column)));
        let name_of = |(row, column)| game.variables()[game.cell(row, column).index()].name.clone();
        let options = Options {
            encoding: Encoding::Binary,
            order: Order::List(upward.map(name_of).collect()),
            turn: TurnPlace::Bottom,
            memory: setting.memory,
            ..Options::default()
        };
        let symbolic = Symbolic::<Bcdd>::from_game(&game, &options).map_err(failure)?;
        let mut watch = Watch::new(setting.progress);
        reach(&symbolic, &mut watch).map_err(failure)?;
        let sizes = || watch.iterations.iter().map(|it| it.nodes as u64);
        let (peak, end) = (sizes().max().unwrap_or(0), sizes().next_back().unwrap_or(0));
        comparison.must_match(format!("{name}, peak nodes"), grouped(nodes[0]), grouped(peak));
        comparison.must_match(format!("{name}, nodes at the end"), grouped(nodes[1]), grouped(end));
        let points = watch.iterations.iter().map(|it| (it.index as f64, it.nodes as f64)).collect();
        series.push(Series { name, points });
    }
    setting.figure(
        "breakthrough-boards",
        "Breakthrough: nodes of the visited set (Figure 5.1)",
        "depth",
        "nodes",
        &series,
    )
}
