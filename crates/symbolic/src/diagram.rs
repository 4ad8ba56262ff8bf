//! The two kinds of diagrams behind one trait.

use crate::count::{self, Groups};
use crate::fused::{self, Ops};
use crate::mxd::{Mxd, MxdId};
use crate::options::Kind;
use oxidd::bcdd::BCDDFunction;
use oxidd::bdd::BDDFunction;
use oxidd::{
    BooleanFunction, BooleanFunctionQuant, Function, FunctionSubst, HasLevel, HasWorkers, Manager,
    ManagerRef, Node, WorkerPool,
};
use oxidd_core::util::AllocResult;
use oxidd_dump::dddmp::ExportSettings;
use oxidd_rules_bdd::complement_edge::BCDDOp;
use oxidd_rules_bdd::simple::BDDOp;
use std::hash::Hash;

/// A decision diagram that the engine can work with: a set of states, or of pairs of states.
///
/// Everything else in this crate is generic over it; [`crate::with_kind`] chooses one at run time.
pub trait Diagram:
    BooleanFunction
    + BooleanFunctionQuant
    + FunctionSubst
    + Function<ManagerRef: Send + Sync>
    + Clone
    + Ord
    + Hash
    + Send
    + Sync
    + 'static
{
    /// Which kind it is.
    const KIND: Kind;

    /// A manager with room for so many nodes and cache entries.
    fn new_manager(nodes: usize, cache: usize, threads: u32) -> Self::ManagerRef;

    /// The level of the root; none for the constants.
    fn root_level(&self) -> Option<u32>;

    /// The successors of the set under a relation, in one traversal.
    fn image_under(&self, mxd: &Mxd, relation: MxdId) -> AllocResult<Self>;

    /// The states of `care` with a successor in the set under a relation, in one traversal.
    fn preimage_under(&self, mxd: &Mxd, relation: MxdId, care: &Self) -> AllocResult<Self>;

    /// The exact number of members, counted by groups of bits; none if it does not fit into 128 bits.
    fn count_groups(&self, groups: &Groups) -> Option<u128>;

    /// The diagram as plain arrays.
    fn flatten(&self) -> crate::flat::Flat;

    /// Writes diagrams with their names in the DDDMP format.
    fn write_dddmp(
        manager: &Self::ManagerRef,
        out: &mut dyn std::io::Write,
        title: &str,
        sets: &[(&Self, String)],
    ) -> std::io::Result<()>;
}

macro_rules! diagram {
    ($function:ty, $kind:expr, $module:path, $ops:expr) => {
        impl Diagram for $function {
            const KIND: Kind = $kind;

            fn new_manager(nodes: usize, cache: usize, threads: u32) -> Self::ManagerRef {
                use $module as module;
                let manager = module::new_manager(nodes, cache, threads);
                // Work is divided among threads by relations and unions, see [`crate::Space::share`]; the
                // library would divide every small operation inside a traversal.
                manager.workers().set_split_depth(Some(0));
                manager
            }

            fn root_level(&self) -> Option<u32> {
                self.with_manager_shared(|manager, edge| match manager.get_node(edge) {
                    Node::Inner(node) => Some(node.level()),
                    Node::Terminal(_) => None,
                })
            }

            fn image_under(&self, mxd: &Mxd, relation: MxdId) -> AllocResult<Self> {
                self.with_manager_shared(|manager, edge| {
                    let image = fused::image::<Self, _>(manager, $ops, mxd, edge, relation)?;
                    Ok(Self::from_edge(manager, image))
                })
            }

            fn preimage_under(&self, mxd: &Mxd, relation: MxdId, care: &Self) -> AllocResult<Self> {
                self.with_manager_shared(|manager, edge| {
                    let care = care.as_edge(manager);
                    let preimage = fused::preimage::<Self, _>(manager, $ops, mxd, edge, relation, care)?;
                    Ok(Self::from_edge(manager, preimage))
                })
            }

            fn count_groups(&self, groups: &Groups) -> Option<u128> {
                self.with_manager_shared(|manager, edge| count::count::<Self>(manager, edge, groups))
            }

            fn flatten(&self) -> crate::flat::Flat {
                self.with_manager_shared(|manager, edge| crate::flat::flatten::<Self>(manager, edge))
            }

            fn write_dddmp(
                manager: &Self::ManagerRef,
                out: &mut dyn std::io::Write,
                title: &str,
                sets: &[(&Self, String)],
            ) -> std::io::Result<()> {
                let settings = ExportSettings::default().ascii().diagram_name(title);
                manager.with_manager_shared(|manager| {
                    settings.export_with_names(out, manager, sets.iter().map(|(set, name)| (*set, name)))
                })
            }
        }
    };
}

// The built-in operators never use these with a number among their operands, so the cache entries of the
// fused operators cannot be taken for theirs.
diagram!(BCDDFunction, Kind::Complement, oxidd::bcdd, Ops { image: BCDDOp::And, preimage: BCDDOp::Xor });
diagram!(BDDFunction, Kind::Plain, oxidd::bdd, Ops { image: BDDOp::And, preimage: BDDOp::Or });

/// Work that can be done with either kind of diagram.
pub trait Job {
    /// What it gives.
    type Output;

    /// Does it.
    fn run<F: Diagram>(self) -> Self::Output;
}

/// Does the work with the kind of diagram chosen.
pub fn with_kind<J: Job>(kind: Kind, job: J) -> J::Output {
    match kind {
        Kind::Complement => job.run::<BCDDFunction>(),
        Kind::Plain => job.run::<BDDFunction>(),
    }
}
