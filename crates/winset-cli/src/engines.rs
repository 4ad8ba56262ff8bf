//! The engines as the flags ask for them.

use crate::args::{
    Diagram, DiagramArgs, Encoding, Engine as Choice, GameArgs, LayersArgs, Relation, Symmetry, Turn,
};
use crate::commands::count::CountArgs;
use crate::commands::solve::{Algorithm, SolveArgs};
use crate::failure::Failure;
use crate::memory;
use std::path::Path;
use winset::{Auto, Bdd, BddAlgorithm, Cache, Engine, ExplicitSearch, Job, Layers};
use winset_model::Game;
use winset_symbolic::{Kind, Options, SymbolicError, TurnPlace, Variant};

/// The engine that the flags ask for, and why if they do not name it: flags that only one engine has decide for it.
pub fn engine(game: &Game, args: &SolveArgs) -> Result<(Box<dyn Engine>, &'static str), Failure> {
    let diagrams = args.algorithm != Algorithm::Auto
        || args.switch_at.is_some()
        || args.split.is_some()
        || args.diagram.is_special()
        || args.dddmp.is_some();
    let of_layers = args.layers.is_special();
    let both_images = args.symmetry == Symmetry::Off;
    let of_explicit = args.checkpoint.is_some();
    if of_explicit
        && (args.engine != Choice::Explicit && args.engine != Choice::Auto || diagrams || of_layers)
    {
        return Err(Failure::wrong_use(
            "--checkpoint is for --engine explicit, and of flags that another engine has none goes with it",
        ));
    }
    let special = args.distance || of_layers || both_images;
    let solver = || Ok::<_, Failure>(Layers { both_images, ..layers(game, &args.layers)? });
    match args.engine {
        Choice::Layers | Choice::Auto if diagrams && special => Err(Failure::wrong_use(
            "--distance, --blocks, --portable, --by-rank and --symmetry are not the BDD engine's; --dddmp, --switch-at, --split, an algorithm, encoding, \
             order, turn, relation or kind of diagram is the BDD engine's: leave out one or the other",
        )),
        Choice::Layers if diagrams => Err(Failure::wrong_use(
            "--dddmp, --switch-at, --split, an algorithm, encoding, order, turn, relation or kind of diagram is for --engine bdd",
        )),
        Choice::Bdd if special => Err(Failure::wrong_use(
            "--distance and --symmetry are for --engine layers and explicit, --blocks, --portable and --by-rank for --engine layers",
        )),
        Choice::Explicit if diagrams || of_layers => Err(Failure::wrong_use(
            "--blocks, --portable and --by-rank are for --engine layers; --dddmp, --switch-at, --split, an algorithm, encoding, order, \
             turn, relation or kind of diagram is for --engine bdd",
        )),
        Choice::Explicit => Ok((Box::new(ExplicitSearch { both_images }), "")),
        Choice::Auto if of_explicit => {
            Ok((Box::new(ExplicitSearch { both_images }), "explicit, because of a flag that only it has"))
        }
        Choice::Bdd => Ok((Box::new(bdd(args)), "")),
        Choice::Auto if diagrams => Ok((Box::new(bdd(args)), "bdd, because of a flag that only it has")),
        Choice::Layers => Ok((Box::new(solver()?), "")),
        Choice::Auto if of_layers => Ok((Box::new(solver()?), "layers, because of a flag that only it has")),
        Choice::Auto => {
            let explicit = ExplicitSearch { both_images };
            Ok((Box::new(Auto { layers: solver()?, explicit, ..Auto::default() }), ""))
        }
    }
}

/// The layer engine as the flags ask for it, for several processes.
#[cfg(feature = "mpi")]
pub fn together(game: &Game, args: &SolveArgs) -> Result<Layers, Failure> {
    if args.diagram.is_special()
        || args.algorithm != Algorithm::Auto
        || args.switch_at.is_some()
        || args.split.is_some()
    {
        return Err(Failure::wrong_use(
            "--switch-at, --split, an algorithm, encoding, order, turn, relation or kind of diagram is for --engine bdd, which \
             several processes cannot share",
        ));
    }
    layers(game, &args.layers)
}

/// The engine that the flags of `count` ask for.
pub fn counter(game: &Game, args: &CountArgs) -> Result<Box<dyn Engine>, Failure> {
    let (diagrams, special) = (args.diagram.is_special(), args.layers.is_special());
    match args.engine {
        Choice::Layers if diagrams => Err(Failure::wrong_use(
            "an encoding, order, turn, relation or kind of diagram is for --engine bdd",
        )),
        Choice::Auto | Choice::Bdd if special && (diagrams || args.engine == Choice::Bdd) => {
            Err(Failure::wrong_use("--blocks, --portable and --by-rank are for --engine layers"))
        }
        Choice::Explicit if diagrams || special => Err(Failure::wrong_use(
            "--blocks, --portable and --by-rank are for --engine layers; an encoding, order, turn, relation or kind of diagram is for \
             --engine bdd",
        )),
        Choice::Explicit => Ok(Box::new(ExplicitSearch::default())),
        Choice::Auto if !diagrams && !special => Ok(Box::new(Auto::default())),
        Choice::Auto if special => Ok(Box::new(layers(game, &args.layers)?)),
        Choice::Layers => Ok(Box::new(layers(game, &args.layers)?)),
        Choice::Auto | Choice::Bdd => Ok(Box::new(Bdd { options: options(&args.diagram), ..Bdd::default() })),
    }
}

/// What is asked of the engine.
pub fn job(args: &GameArgs) -> Job {
    Job { memory: memory::left(), threads: args.threads.map(|threads| threads as usize), ..Job::default() }
}

/// The cache: where a flag says, or the user's. `WINSET_CACHE_LIMIT` says how much it may take.
pub fn cache(at: Option<&Path>) -> Result<Option<Cache>, Failure> {
    let cache = at.map(|at| Cache::at(at.to_owned())).or_else(Cache::of_user);
    let Some(mut cache) = cache else { return Ok(None) };
    if let Ok(limit) = std::env::var("WINSET_CACHE_LIMIT") {
        let limit: memory::Bytes =
            limit.parse().map_err(|wrong| Failure::wrong_use(format!("WINSET_CACHE_LIMIT: {wrong}")))?;
        cache.limit = limit.0;
    }
    Ok(Some(cache))
}

fn layers(game: &Game, flags: &LayersArgs) -> Result<Layers, Failure> {
    let blocks = flags.blocks.as_ref().map(|text| winset::parse_blocks(game, text)).transpose();
    let blocks = blocks.map_err(Failure::of_engine)?;
    Ok(Layers { blocks, portable: flags.portable, by_rank: flags.by_rank, ..Layers::default() })
}

fn bdd(args: &SolveArgs) -> Bdd {
    let algorithm = match args.algorithm {
        Algorithm::Auto => BddAlgorithm::Auto,
        Algorithm::Layered => BddAlgorithm::Layered,
        Algorithm::Hybrid => BddAlgorithm::Hybrid,
        Algorithm::Matrix => BddAlgorithm::Matrix,
        Algorithm::Alg2 => BddAlgorithm::Retrograde(Variant::Plain),
        Algorithm::Alg3 => BddAlgorithm::Retrograde(Variant::Reachable),
        Algorithm::Alg4 => BddAlgorithm::Retrograde(Variant::Sweep),
        Algorithm::Alg5 => BddAlgorithm::Retrograde(Variant::SweepReachable),
    };
    Bdd {
        options: options(&args.diagram),
        algorithm,
        switch_at: args.switch_at,
        split: args.split.clone(),
        dddmp: args.dddmp.clone(),
        ..Bdd::default()
    }
}

/// The symbolic engine's options from the flags; memory and threads are the job's.
pub fn options(diagram: &DiagramArgs) -> Options {
    Options {
        kind: match diagram.diagram {
            Diagram::Bcdd => Kind::Complement,
            Diagram::Bdd => Kind::Plain,
        },
        encoding: match diagram.encoding {
            Encoding::Standard => winset_symbolic::Encoding::Standard,
            Encoding::ShortEmpty => winset_symbolic::Encoding::ShortEmpty,
            Encoding::Binary => winset_symbolic::Encoding::Binary,
            Encoding::ShortLast => winset_symbolic::Encoding::ShortLast,
            Encoding::UnusedFirst => winset_symbolic::Encoding::UnusedFirst,
        },
        order: diagram.order.clone(),
        turn: match diagram.turn {
            Turn::Top => TurnPlace::Top,
            Turn::Bottom => TurnPlace::Bottom,
        },
        partition: match diagram.relation {
            Relation::Clustered => winset_symbolic::Partition::Clustered,
            Relation::PerMove => winset_symbolic::Partition::PerMove,
            Relation::Monolithic => winset_symbolic::Partition::Monolithic,
        },
        ..Options::default()
    }
}

/// A wrong order is wrong use; everything else could not be done.
pub fn failure(error: SymbolicError) -> Failure {
    match error {
        SymbolicError::OrderUnknown(_)
        | SymbolicError::OrderTwice(_)
        | SymbolicError::OrderMissing(_)
        | SymbolicError::OrderNeedsBoard(_)
        | SymbolicError::OrderName(..)
        | SymbolicError::NotWinDrawLoss(_) => Failure::wrong_use(error),
        other => Failure::Cannot(other.into()),
    }
}
