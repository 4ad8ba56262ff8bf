//! A solved game, in memory or on disk, that can be asked.

use crate::catalogue::{Catalogue, Rules};
use crate::error::Error;
use crate::report::Report;
use std::path::Path;
use std::sync::Arc;
use winset_explore::query::{self, Answer};
use winset_explore::stats::{self, Stats};
use winset_explore::{Lookup, MoveValue, Session};
use winset_model::{Game, State, Valuation};
use winset_store::{Disk, Manifest, OsDisk, Store};

/// Decoded chunks that are kept.
const CACHE_BYTES: usize = 24 << 20;

/// A solved game. It can be given to other threads, and a clone costs nothing.
#[derive(Clone, Debug)]
pub struct Solved {
    store: Arc<Store>,
    report: Option<Arc<Report>>,
}

/// Opens a solution on disk. The game is the one that the directory names: built in, or from the rules in it.
pub fn open(directory: &Path) -> Result<Solved, Error> {
    open_cached(directory, CACHE_BYTES)
}

/// The same with room for this many bytes of what was read and decoded: the more, the less is read again.
pub fn open_cached(directory: &Path, bytes: usize) -> Result<Solved, Error> {
    let build =
        |manifest: &Manifest| Ok::<_, Error>(Catalogue::default().recorded(&manifest.header.game)?.game);
    let store = Store::open_on(Arc::new(OsDisk), directory, bytes, build)?;
    Ok(Solved { store: Arc::new(store), report: None })
}

/// Opens a solution on disk of a game that only the caller can build.
pub fn open_as(directory: &Path, rules: Rules) -> Result<Solved, Error> {
    Solved::open_on(Arc::new(OsDisk), directory, rules, None)
}

impl Solved {
    pub(crate) fn open_on(
        disk: Arc<dyn Disk>,
        directory: &Path,
        rules: Rules,
        report: Option<Report>,
    ) -> Result<Self, Error> {
        let store = Store::open_on(disk, directory, CACHE_BYTES, |_| Ok::<_, Error>(rules.game))?;
        Ok(Solved { store: Arc::new(store), report: report.map(Arc::new) })
    }

    /// The game.
    pub fn game(&self) -> &Game {
        self.store.game()
    }

    /// Where the game starts.
    pub fn start(&self) -> &State {
        self.store.game().initial()
    }

    /// The position that a text stands for.
    pub fn position(&self, text: &str) -> Result<State, Error> {
        Ok(query::position(self.game(), text)?)
    }

    /// The position after these moves from the start.
    pub fn after(&self, moves: &str) -> Result<State, Error> {
        Ok(query::after_moves(self.game(), moves)?)
    }

    /// What is known of a position.
    pub fn value(&self, state: &State) -> Result<Lookup, Error> {
        Ok(self.session().value(state)?)
    }

    /// What is known of many positions; cheaper than one by one.
    pub fn values(&self, states: &[State]) -> Result<Vec<Lookup>, Error> {
        Ok(self.session().values(states)?)
    }

    /// Every legal move with what is known of where it leads, best first.
    pub fn moves(&self, state: &State) -> Result<Vec<MoveValue>, Error> {
        Ok(self.session().position(state)?.moves)
    }

    /// Everything about a position, in words and as JSON.
    pub fn answer(&self, state: &State) -> Result<Answer, Error> {
        Ok(query::answer(&mut self.session(), state)?)
    }

    /// One perfect line from a position to the end.
    pub fn line(&self, state: &State) -> Result<Vec<MoveValue>, Error> {
        Ok(self.session().line(state)?)
    }

    /// Positions and values, layer by layer.
    pub fn stats(&self) -> Stats {
        stats::stats(&self.store)
    }

    /// Derives every value from the rules once more, by code that no engine shares, within 256 MiB of memory.
    pub fn verify(&self) -> Result<winset_verify::Report, Error> {
        self.verify_within(winset_verify::MEMORY)
    }

    /// The same within `memory` bytes, which are those of the whole process.
    pub fn verify_within(&self, memory: u64) -> Result<winset_verify::Report, Error> {
        let diagrams = winset_verify::suits_diagrams(self.store.manifest());
        let check = if diagrams { winset_verify::verify_by_diagrams } else { winset_verify::verify_full };
        Ok(check(&self.store, memory, &|_, _| ())?)
    }

    /// Every stored position with its value, layer by layer in rank order. Ends after the first error of a layer.
    pub fn positions(&self) -> impl Iterator<Item = Result<(State, Valuation), Error>> + use<'_> {
        let layers = self.store.manifest().layers.iter().filter(|record| record.values.is_some());
        layers.flat_map(move |record| {
            let (walk, failed) = match self.store.positions(record.layer) {
                Ok(walk) => (Some(walk), None),
                Err(error) => (None, Some(Err(error))),
            };
            walk.into_iter().flatten().chain(failed).map(|found| Ok(found?))
        })
    }

    /// Asks many things one after the other: cheaper than one by one, because the rules are prepared once.
    pub fn session(&self) -> Session<'_> {
        Session::new(&self.store)
    }

    /// The store behind it.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// What the engine said when it solved the game; none if it was opened from disk.
    pub fn report(&self) -> Option<&Report> {
        self.report.as_deref()
    }
}
