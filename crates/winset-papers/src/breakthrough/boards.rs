//! Winners, reachable states and diagram sizes (Tables 5.1 and 5.2, Figure 5.1).

use super::{options, upward, visited};
use crate::comparison::Comparison;
use crate::error::PapersError;
use crate::setting::Setting;
use crate::winners;
use winset_games::{Baseline, breakthrough};
use winset_model::{Player, Rewards};
use winset_report::plot::Series;
use winset_report::table::grouped;

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
pub fn boards(setting: &Setting<'_>, comparison: &mut Comparison) -> Result<(), PapersError> {
    let mut series = vec![];
    let boards = if setting.is_small() { &BOARDS[1..2] } else { &BOARDS[..] };
    for board in boards {
        let Board { rows, columns, winner, states, nodes } = *board;
        let name = format!("{rows}x{columns}");
        for (baseline, label, published) in
            [(Baseline::Made, "M1", states[0]), (Baseline::CanBeMade, "M2", states[1])]
        {
            let game = breakthrough(rows, columns, baseline);
            setting.begin("breakthrough-boards", &format!("{name} {label}"));
            let solved = winset_layers::solve(&game, &setting.layers(), &mut ())?;
            let positions = solved.positions();
            comparison.rounded(format!("{name} {label}, reachable"), published, positions);
            if (rows, columns, label) == (5, 5, "M1") {
                let [black, level, white] = winners::of_all(&solved);
                comparison.rounded("5x5 M1, won by white", "2.57e10", white);
                comparison.rounded("5x5 M1, won by black", "2.52e10", black);
                comparison.must_match("5x5 M1, won by nobody", "0", grouped(level));
            }
            let ours = match solved.value.and_then(Rewards::leader) {
                Some(Player(0)) => "first",
                _ => "second",
            };
            comparison.must_match(format!("{name} {label}, winner"), winner, ours);
        }
        let game = breakthrough(rows, columns, Baseline::CanBeMade);
        let options = options(setting, upward(&game, rows, columns));
        let sizes = visited(setting, rows, columns, &options)?;
        let (peak, end) = (sizes.iter().max().copied().unwrap_or(0), sizes.last().copied().unwrap_or(0));
        comparison.must_match(format!("{name}, peak nodes"), grouped(nodes[0]), grouped(peak));
        comparison.must_match(format!("{name}, nodes at the end"), grouped(nodes[1]), grouped(end));
        let points = sizes.iter().enumerate().map(|(depth, &nodes)| (depth as f64, nodes as f64)).collect();
        series.push(Series { name, points });
    }
    comparison.figure(
        "breakthrough-boards",
        "Breakthrough: nodes of the visited set (Figure 5.1)",
        "depth",
        "nodes",
        &series,
    )
}
