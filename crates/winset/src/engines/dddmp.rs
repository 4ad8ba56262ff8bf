//! Sets in DDDMP files: how many states they have.

use super::bdd::failure;
use crate::engine::{EngineError, Job};
use serde::Serialize;
use std::io::BufReader;
use std::path::Path;
use winset_model::Game;
use winset_symbolic::{Diagram, Options, SymbolicError, SymbolicGame, with_kind};

/// A set of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DddmpSet {
    /// Its name.
    pub name: String,
    /// The states of the game in it.
    pub states: u128,
    /// The nodes of its diagram.
    pub nodes: u64,
}

/// The sets of a DDDMP file of a game, as `solve --dddmp` writes them, with the same choices about diagrams.
pub fn read_dddmp(
    game: &Game,
    options: &Options,
    job: &Job,
    path: &Path,
) -> Result<Vec<DddmpSet>, EngineError> {
    struct Read<'a>(&'a Game, &'a Options, BufReader<std::fs::File>);
    impl winset_symbolic::Job for Read<'_> {
        type Output = Result<std::io::Result<Vec<DddmpSet>>, SymbolicError>;

        fn run<F: Diagram>(mut self) -> Self::Output {
            let symbolic = SymbolicGame::<F>::new(self.0, self.1)?.symbolic;
            symbolic.space.name_bits(self.0.variables());
            let sets = match symbolic.space.read_dddmp(&mut self.2) {
                Ok(sets) => sets,
                Err(error) => return Ok(Err(error)),
            };
            let mut all = vec![];
            for (name, set) in sets {
                let (states, nodes) = (symbolic.space.count(&set)?, set.node_count() as u64);
                all.push(DddmpSet { name, states, nodes });
            }
            Ok(Ok(all))
        }
    }
    let cannot = |error: std::io::Error| EngineError::Cannot(format!("{}: {error}", path.display()).into());
    let file = BufReader::new(std::fs::File::open(path).map_err(cannot)?);
    let options = Options { memory: job.memory, ..options.clone() };
    let read = with_kind(options.kind, Read(game, &options, file)).map_err(failure)?;
    read.map_err(cannot)
}
