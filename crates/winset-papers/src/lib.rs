//! Published tables and figures, computed there and then and compared with ours.
//!
//! An [`Experiment`] belongs to a table or figure of one of five publications. It computes every figure anew and puts it
//! into a [`Comparison`], where a difference that the code does not declare with a reason is a fault.
//!
//! ```
//! use std::{path::Path, time::Duration};
//! use winset_papers::{EXPERIMENTS, Setting, Size};
//! let setting = Setting {
//!     size: Size::Small,
//!     falsify: false,
//!     memory: 256 << 20,
//!     listener: &(),
//!     catalogue: &winset::Catalogue::default(),
//!     games: None,
//!     limit: Duration::from_secs(1),
//!     used: None,
//!     program: Path::new("winset"),
//! };
//! let experiment = EXPERIMENTS.iter().find(|experiment| experiment.name == "othello-moves").unwrap();
//! let comparison = experiment.compare(&setting).unwrap();
//! assert_eq!((comparison.rows.len(), comparison.faults().count()), (66, 0));
//! ```

mod breakthrough;
pub mod checkers;
mod comparison;
mod error;
mod gdl_oracle;
mod held;
mod hybrid;
mod layered_games;
mod othello;
mod printed;
pub mod results;
mod setting;
mod winners;

pub use comparison::{Comparison, Figure, Row, Verdict};
pub use error::PapersError;
pub use setting::{Listener, Setting, Size};

use std::time::Instant;

/// One experiment.
pub struct Experiment {
    /// Its name on the command line.
    pub name: &'static str,
    /// Where the figures were published.
    pub source: &'static str,
    /// Computes the figures and compares them.
    pub run: fn(&Setting<'_>, &mut Comparison) -> Result<(), PapersError>,
}

impl Experiment {
    /// Runs it.
    pub fn compare(&self, setting: &Setting<'_>) -> Result<Comparison, PapersError> {
        let mut comparison = Comparison::new(self.name, self.source).falsified(setting.falsify);
        let clock = Instant::now();
        (self.run)(setting, &mut comparison)?;
        comparison.seconds = clock.elapsed().as_secs_f64();
        Ok(comparison)
    }
}

/// All experiments, in the order in which they run.
pub const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "othello-encodings",
        source: "Solving Othello using BDDs (2019), Table 7.1: nodes on 4x4 and compression",
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
        run: othello::orders,
    },
    Experiment {
        name: "othello-turn",
        source: "Solving Othello using BDDs (2019), Figure 7.7: the turn variable, Alg 5 on 4x5",
        run: othello::turn,
    },
    Experiment {
        name: "othello-storage",
        source: "Solving Othello using BDDs (2019), Table 7.3, sections 5.3 and 7.2: immediately won states and their bytes",
        run: othello::storage,
    },
    Experiment {
        name: "othello-moves",
        source: "Solving Othello using BDDs (2019), formula 5.3: pairs in each move relation of 8x8",
        run: othello::moves,
    },
    Experiment {
        name: "breakthrough-boards",
        source: "Solving Breakthrough using BDDs and retrograde analysis (2022), Tables 5.1 and 5.2, Figure 5.1",
        run: breakthrough::boards,
    },
    Experiment {
        name: "breakthrough-orders",
        source: "Solving Breakthrough using BDDs and retrograde analysis (2022), Figure 4.2 and further research: encodings and \
                 variable orders",
        run: breakthrough::orders,
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
        source: "Symbolic and Explicit Search Hybrid Through Perfect Hash Functions (2014), Tables 1 to 6",
        run: hybrid::tables,
    },
    Experiment {
        name: "checkers",
        source: "Can American Checkers be Solved by Means of Symbolic Model Checking? (2002)",
        run: checkers::experiment::all,
    },
];
