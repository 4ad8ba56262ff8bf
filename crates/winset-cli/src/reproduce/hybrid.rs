//! Connect Four by the hybrid of symbolic and explicit search (Tables 1, 3 to 6).

use super::Setting;
use crate::failure::Failure;
use crate::report::comparison::Comparison;
use crate::report::table::{bytes, grouped, seconds};
use std::time::Instant;
use winset_games::connect4;
use winset_layers::{CodeTable, Summary};
use winset_model::Player;

/// A published table, kept as tab-separated text: the header's names and the rows' cells.
struct Published {
    names: Vec<&'static str>,
    rows: Vec<Vec<&'static str>>,
}

fn published(text: &'static str) -> Published {
    let mut lines = text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect());
    let names = lines.next().unwrap_or_default();
    Published { names, rows: lines.collect() }
}

impl Published {
    fn column(&self, name: &str) -> Vec<u128> {
        let at = self.names.iter().position(|n| *n == name);
        let cells = self.rows.iter().filter_map(|row| row.get(at?)?.parse().ok());
        cells.collect()
    }
}

/// Layers, values, speed and bytes of 5x5 and 6x5, with `--large` also of 6x6.
pub fn tables(setting: &Setting<'_>, comparison: &mut Comparison) -> Result<(), Failure> {
    let states = published(include_str!("../../data/connect4-states.tsv"));
    let values = published(include_str!("../../data/connect4-6x6-values.tsv"));
    let space = published(include_str!("../../data/connect4-6x5-space.tsv"));
    let boards = [(5, 5, false), (6, 5, false), (6, 6, true)];
    for (columns, rows, _) in boards.into_iter().filter(|board| !board.2 || setting.large) {
        let name = format!("{columns}x{rows}");
        setting.progress.step("hybrid-connect4", 0, None, &name);
        let game = connect4(columns, rows, 4);
        let clock = Instant::now();
        let solved = winset_layers::solve(&game, &setting.layers(), &mut ())?;
        let time = clock.elapsed().as_secs_f64();
        for (layer, (ours, published)) in solved.layers.iter().zip(states.column(&name)).enumerate() {
            let what = format!("{name} layer {layer}, states (Table 1)");
            comparison.must_match(what, grouped(published), grouped(ours.positions));
        }
        if name == "6x5" {
            for (layer, (ours, nodes)) in solved.layers.iter().zip(space.column("nodes")).enumerate() {
                let what = format!("6x5 layer {layer}, nodes (Table 5)");
                let why = "our levels are columns, not bits";
                comparison.compare(what, grouped(nodes), grouped(ours.nodes), why);
            }
        }
        if name == "6x6" {
            let columns = ["black", "draw", "white"].map(|who| values.column(who));
            for (layer, summary) in solved.layers.iter().enumerate() {
                let ours = by_winner(summary, &solved.outcomes);
                for (who, (ours, published)) in
                    ["black", "draw", "white"].iter().zip(ours.iter().zip(&columns))
                {
                    let what = format!("6x6 layer {layer}, {who} (Table 6)");
                    let published = published.get(layer).map_or(String::new(), |&n| grouped(n));
                    comparison.must_match(what, published, grouped(*ours));
                }
            }
        }
        let positions = solved.positions();
        let speed = (positions as f64 / time) as u64;
        let (paper, note) = match name.as_str() {
            "5x5" => ("246,514", "Table 3: backward alone, one core of 2009"),
            "6x5" => ("206,975", "Table 4: backward alone, one core of 2009"),
            _ => ("72,184", "one core of 2009"),
        };
        comparison.compare(
            format!("{name}, states per second, forward and backward"),
            paper,
            grouped(speed),
            note,
        );
        let indices: u64 = solved.layers.iter().map(|layer| layer.bytes).sum();
        let places: u64 = solved.layers.iter().map(|layer| layer.places).sum();
        comparison.compare(format!("{name}, diagrams of all layers"), "", bytes(indices), "");
        comparison.compare(format!("{name}, values at 2 bits"), "", bytes(places / 4), "");
        comparison.compare(format!("{name}, seconds"), "", seconds(time), "");
    }
    super::two_bit::variants(setting, comparison)?;
    if !setting.large {
        comparison.notes.push("6x6 (Tables 1 and 6) is solved with --large.".to_owned());
    }
    comparison.notes.push(
        "The total printed for 6x6 in Table 1, 69,212,342,175, is a slip: its entries add up to \
         69,173,028,785."
            .to_owned(),
    );
    Ok(())
}

/// All states of a layer: won by the second player (black), drawn, won by the first (white).
fn by_winner(summary: &Summary, outcomes: &CodeTable) -> [u128; 3] {
    let mut counts = [0u128; 3];
    let moving = summary.movers.iter().flat_map(|m| m.by_code.iter().enumerate());
    let ended = summary.terminal.iter().map(|(code, n)| (usize::from(*code), n));
    for (code, &n) in moving.chain(ended) {
        let at = match outcomes.table()[code].leader() {
            Some(Player(0)) => 2,
            Some(_) => 0,
            None => 1,
        };
        counts[at] += u128::from(n);
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_tables_add_up() {
        let states = published(include_str!("../../data/connect4-states.tsv"));
        let sum = |name: &str| states.column(name).iter().sum::<u128>();
        assert_eq!(sum("7x6"), 4_531_985_219_092);
        assert_eq!(sum("6x6"), 69_173_028_785);
        assert_eq!(sum("6x5"), 2_818_972_642);
        assert_eq!(sum("5x6"), 1_044_334_437);
        assert_eq!(sum("5x5"), 69_763_700);
        let values = published(include_str!("../../data/connect4-6x6-values.tsv"));
        let all: u128 =
            ["black", "draw", "white"].iter().map(|who| values.column(who).iter().sum::<u128>()).sum();
        assert_eq!(all, 69_173_028_785);
    }
}
