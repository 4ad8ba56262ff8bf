//! Published tables and figures, computed there and then and printed beside ours.

mod breakthrough;
mod checkers;
mod gdl_oracle;
mod hybrid;
mod layered_games;
mod othello;
mod othello_moves;
mod othello_sweep;
mod two_bit;

use crate::failure::Failure;
use crate::progress::Progress;
use crate::report::comparison::Comparison;
use crate::report::plot::{self, Series};
use crate::target::Target;
use std::path::Path;
use std::time::Duration;

/// What an experiment may use.
pub struct Setting<'a> {
    /// Run also what takes many minutes or gigabytes.
    pub large: bool,
    /// The memory budget in bytes.
    pub memory: u64,
    /// Where figures go, if they are wanted.
    pub plots: Option<&'a Path>,
    pub progress: &'a Progress,
    /// Where GDL games with known results are.
    pub games: Option<&'a Path>,
    /// How long each of those games may take.
    pub limit: Duration,
}

impl Setting<'_> {
    /// The layer engine's options: all cores, and the memory that is allowed.
    pub fn layers(&self) -> winset_layers::Options {
        winset_layers::Options {
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            memory: Some(self.memory),
            directory: Some(std::env::temp_dir()),
            ..Default::default()
        }
    }

    /// Writes a figure if figures are wanted.
    pub fn figure(
        &self,
        name: &str,
        title: &str,
        x: &str,
        y: &str,
        series: &[Series],
    ) -> Result<(), Failure> {
        if let Some(directory) = self.plots {
            let file = Target::new(&directory.join(format!("{name}.svg")))?;
            file.write(plot::lines(title, x, y, series)?.as_bytes())?;
        }
        Ok(())
    }
}

/// One experiment.
pub struct Experiment {
    pub name: &'static str,
    /// Where the figures were published.
    pub source: &'static str,
    pub run: fn(&Setting<'_>, &mut Comparison) -> Result<(), Failure>,
}

/// All experiments, in the order in which they run.
pub const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "othello-encodings",
        source: "Solving Othello using BDDs (2019), Table 7.1: nodes on 4x4",
        run: othello::encodings,
    },
    Experiment {
        name: "othello-algorithms",
        source: "Solving Othello using BDDs (2019), Table 7.2 and Figure 7.2: peak nodes",
        run: othello::algorithms,
    },
    Experiment {
        name: "othello-orders",
        source: "Solving Othello using BDDs (2019), Figure 7.6: variable orders, Alg 5 on 4x5",
        run: othello_sweep::orders,
    },
    Experiment {
        name: "othello-turn",
        source: "Solving Othello using BDDs (2019), Figure 7.7: the turn variable, Alg 5 on 4x5",
        run: othello_sweep::turn,
    },
    Experiment {
        name: "othello-storage",
        source: "Solving Othello using BDDs (2019), Table 7.3: bytes per immediately won state",
        run: othello::storage,
    },
    Experiment {
        name: "othello-moves",
        source: "Solving Othello using BDDs (2019), formula 5.3: pairs in each move relation of 8x8",
        run: othello_moves::moves,
    },
    Experiment {
        name: "breakthrough-boards",
        source: "Solving Breakthrough using BDDs and retrograde analysis (2022), Tables 5.1 and 5.2, Figure 5.1",
        run: breakthrough::boards,
    },
    Experiment {
        name: "layered-games",
        source: "Layer-Abstraction for Symbolically Solving General Two-Player Games (2010), Table 1",
        run: layered_games::table,
    },
    Experiment {
        name: "gdl-oracle",
        source: "GDL games from a directory (--games) beside what a state-by-state interpreter found",
        run: gdl_oracle::table,
    },
    Experiment {
        name: "hybrid-connect4",
        source: "Symbolic and Explicit Search Hybrid Through Perfect Hash Functions (2014), Tables 1, 3 to 6",
        run: hybrid::tables,
    },
    Experiment {
        name: "checkers",
        source: "Can American Checkers be Solved by Means of Symbolic Model Checking? (2002)",
        run: checkers::all,
    },
];
