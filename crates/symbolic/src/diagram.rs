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
use oxidd_dump::dddmp::{DumpHeader, ExportSettings, import};
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

    /// A manager with room for n nodes and cache entries.
    fn new_manager(nodes: usize, cache: usize, threads: u32) -> Self::ManagerRef;

    /// The level of the root; none for the constants.
    fn root_level(&self) -> Option<u32>;

    /// The successors of the set under a relation, in one traversal.
    fn image_under(&self, mxd: &Mxd, relation: MxdId) -> AllocResult<Self>;

    /// The states of `care` with a successor in the set under a relation, in one traversal.
    fn preimage_under(&self, mxd: &Mxd, relation: MxdId, care: &Self) -> AllocResult<Self>;

    /// The set with the two copies of some bits exchanged, of which it depends on one at most: at the levels that are
    /// marked, the other copy of the bit is meant.
    fn shifted(&self, moved: &[bool]) -> AllocResult<Self>;

    /// The exact number of members, counted by groups of bits; none if it does not fit into 128 bits.
    fn count_groups(&self, groups: &Groups) -> Option<u128>;

    /// About the same number, however large; beyond the range of such numbers infinity.
    fn count_groups_about(&self, groups: &Groups) -> f64;

    /// The diagram as plain arrays.
    fn flatten(&self) -> crate::flat::Flat {
        self.flatten_about(0)
    }

    /// The same of a diagram that has about n nodes.
    fn flatten_about(&self, nodes: usize) -> crate::flat::Flat;

    /// Writes diagrams with their names in the DDDMP format.
    fn write_dddmp(
        manager: &Self::ManagerRef,
        out: &mut dyn std::io::Write,
        title: &str,
        sets: &[(&Self, String)],
    ) -> std::io::Result<()>;

    /// Reads diagrams in the DDDMP format, behind its header; each of the file's variables is one of the manager's, all
    /// of them in the manager's order.
    fn read_dddmp(
        manager: &Self::ManagerRef,
        input: &mut dyn std::io::BufRead,
        header: &DumpHeader,
        variables: &[u32],
    ) -> std::io::Result<Vec<Self>>;
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

            fn shifted(&self, moved: &[bool]) -> AllocResult<Self> {
                self.with_manager_shared(|manager, edge| {
                    let shifted = crate::shift::shift::<Self>(manager, edge, moved)?;
                    Ok(Self::from_edge(manager, shifted))
                })
            }

            fn count_groups(&self, groups: &Groups) -> Option<u128> {
                self.with_manager_shared(|manager, edge| count::count::<Self, u128>(manager, edge, groups))
            }

            fn count_groups_about(&self, groups: &Groups) -> f64 {
                let about = self
                    .with_manager_shared(|manager, edge| count::count::<Self, f64>(manager, edge, groups));
                about.unwrap_or(f64::INFINITY)
            }

            fn flatten_about(&self, nodes: usize) -> crate::flat::Flat {
                self.with_manager_shared(|manager, edge| crate::flat::flatten::<Self>(manager, edge, nodes))
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

            fn read_dddmp(
                manager: &Self::ManagerRef,
                input: &mut dyn std::io::BufRead,
                header: &DumpHeader,
                variables: &[u32],
            ) -> std::io::Result<Vec<Self>> {
                manager.with_manager_shared(|manager| {
                    import(input, header, manager, variables.iter().copied(), Self::not_edge_owned)
                })
            }
        }
    };
}

// The built-in operators never use these with a number among their operands, so the cache entries of the
// fused operators cannot be taken for theirs. That is not promised anywhere: the version is pinned and a test asks.
const BCDD: Ops<BCDDOp> = Ops { image: BCDDOp::And, preimage: BCDDOp::Xor };
const BDD: Ops<BDDOp> = Ops { image: BDDOp::And, preimage: BDDOp::Or };

diagram!(BCDDFunction, Kind::Complement, oxidd::bcdd, BCDD);
diagram!(BDDFunction, Kind::Plain, oxidd::bdd, BDD);

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

#[cfg(test)]
mod tests {
    use super::*;
    use oxidd_core::util::Ref;
    use oxidd_core::{ApplyCache, HasApplyCache};

    /// Functions of three variables, by truth table.
    const FUNCTIONS: usize = 256;
    const ROWS: usize = 8;

    fn table(of: impl Fn(usize) -> bool) -> usize {
        (0..ROWS).filter(|row| of(*row)).map(|row| 1 << row).sum()
    }

    fn at(table: usize, row: usize) -> bool {
        table >> row & 1 == 1
    }

    /// All functions of the variables, by truth table; the first variable is the lowest bit of a row.
    fn functions<F: Diagram>(vars: &[F; 3]) -> Vec<F> {
        let not: Vec<F> = vars.iter().map(|v| v.not().unwrap()).collect();
        let mut all = vec![vars[0].and(&not[0]).unwrap()];
        for table in 1..FUNCTIONS {
            let row = table.trailing_zeros() as usize;
            let pick = |bit: usize| if row >> bit & 1 == 1 { &vars[bit] } else { &not[bit] };
            let minterm = pick(0).and(pick(1)).unwrap().and(pick(2)).unwrap();
            all.push(all[table & (table - 1)].or(&minterm).unwrap());
        }
        all
    }

    /// The built-in operators on all functions against truth tables.
    fn builtin_operators<F: Diagram>(vars: &[F; 3], all: &[F]) -> Result<(), String> {
        let check = |what: &str, f: usize, g: usize, result: AllocResult<F>, expected: usize| {
            let right = result.unwrap() == all[expected];
            right.then_some(()).ok_or_else(|| format!("{what} of {f:08b} and {g:08b}"))
        };
        let swap = oxidd::Subst::new([0, 1], [vars[1].clone(), vars[0].clone()]);
        for (f, a) in all.iter().enumerate() {
            check("not", f, f, a.not(), 255 ^ f)?;
            let swapped = |row: usize| row & 4 | (row & 1) << 1 | (row & 2) >> 1;
            check("substitute", f, f, a.substitute(&swap), table(|row| at(f, swapped(row))))?;
            for (bit, v) in vars.iter().enumerate() {
                let both = |row: usize| (at(f, row | 1 << bit), at(f, row & !(1 << bit)));
                check("exists", f, bit, a.exists(v), table(|row| both(row).0 | both(row).1))?;
                check("forall", f, bit, a.forall(v), table(|row| both(row).0 & both(row).1))?;
                check("unique", f, bit, a.unique(v), table(|row| both(row).0 ^ both(row).1))?;
                check("restrict", f, bit, a.restrict(v), table(|row| both(row).0))?;
            }
            for (g, b) in all.iter().enumerate() {
                check("and", f, g, a.and(b), f & g)?;
                check("or", f, g, a.or(b), f | g)?;
                check("xor", f, g, a.xor(b), f ^ g)?;
                check("equiv", f, g, a.equiv(b), 255 ^ f ^ g)?;
                check("nand", f, g, a.nand(b), 255 ^ f & g)?;
                check("nor", f, g, a.nor(b), 255 ^ (f | g))?;
                check("imp", f, g, a.imp(b), 255 ^ f | g)?;
                check("imp_strict", f, g, a.imp_strict(b), (255 ^ f) & g)?;
                check("ite", f, g, vars[0].ite(a, b), 0b1010_1010 & f | 0b0101_0101 & g)?;
                let both = table(|row| at(f & g, row | 1) | at(f & g, row & !1));
                check("apply_exists", f, g, a.apply_exists(oxidd::BooleanOperator::And, b, &vars[0]), both)?;
            }
        }
        Ok(())
    }

    macro_rules! keys_stay_apart {
        ($name:ident, $function:ty, $module:path, $ops:expr) => {
            #[test]
            fn $name() {
                use $module as module;
                let fresh = || {
                    let manager = module::new_manager(1 << 12, 1 << 20, 1);
                    let vars: [$function; 3] = manager.with_manager_exclusive(|m| {
                        let [a, b, c]: [u32; 3] = m.add_vars(3).collect::<Vec<u32>>().try_into().unwrap();
                        [a, b, c].map(|v| <$function>::var(m, v).unwrap())
                    });
                    let all = functions(&vars);
                    (manager, vars, all)
                };
                // A wrong result under each key: one set, or two sets, and a few numbers or none.
                let poison = |all: &[$function], numbers: &[u32]| {
                    for (f, a) in all.iter().enumerate() {
                        let wrong = &all[255 ^ f];
                        a.with_manager_shared(|m, a| {
                            let wrong = wrong.as_edge(m);
                            let cache = m.apply_cache();
                            if !numbers.is_empty() {
                                let key: (&[Ref<'_, _>], &[u32]) = (&[a], numbers);
                                cache.add_extended(m, $ops.image, key, (&[wrong], &[]));
                            }
                            for b in all {
                                let key: (&[Ref<'_, _>], &[u32]) = (&[a, b.as_edge(m)], numbers);
                                let op = if numbers.is_empty() { $ops.image } else { $ops.preimage };
                                cache.add_extended(m, op, key, (&[wrong], &[]));
                            }
                        });
                    }
                };
                // The built-in operators do not read entries like ours ...
                for number in 0..4 {
                    let (_manager, vars, all) = fresh();
                    poison(&all, &[number]);
                    builtin_operators(&vars, &all).expect("a built-in operator reads keys like ours");
                }
                // ... and this test would see it if they did: without the number the keys are theirs.
                let (_manager, vars, all) = fresh();
                poison(&all, &[]);
                builtin_operators(&vars, &all).expect_err("the poison works");
                // They do not write entries like ours either.
                let (_manager, vars, all) = fresh();
                builtin_operators(&vars, &all).unwrap();
                let known = |a: &$function, b: &$function, number: u32| {
                    a.with_manager_shared(|m, a| {
                        let b = b.as_edge(m);
                        let image = m.apply_cache().get_extended::<1, 0>(m, $ops.image, (&[a], &[number]));
                        let both = (&[a, b][..], &[number][..]);
                        let preimage = m.apply_cache().get_extended::<1, 0>(m, $ops.preimage, both);
                        let found = (image.is_some(), preimage.is_some());
                        for ([edge], []) in image.into_iter().chain(preimage) {
                            m.drop_edge(edge);
                        }
                        found
                    })
                };
                for number in 0..64 {
                    for a in &all {
                        for b in all.iter().step_by(17) {
                            assert_eq!(known(a, b, number), (false, false));
                        }
                    }
                }
                // Ours are written and found again: there is room for them in an entry.
                let mut mxd = Mxd::default();
                let flip = mxd.make(0, [crate::mxd::EMPTY, crate::mxd::IDENTITY, crate::mxd::IDENTITY, 0]);
                let (set, care) = (&all[0b1000_0001], &all[0b0111_1110]);
                set.image_under(&mxd, flip).unwrap();
                set.preimage_under(&mxd, flip, care).unwrap();
                assert_eq!(known(set, care, flip), (true, true));
            }
        };
    }

    keys_stay_apart!(keys_of_complement_edge_diagrams_stay_apart, BCDDFunction, oxidd::bcdd, BCDD);
    keys_stay_apart!(keys_of_plain_diagrams_stay_apart, BDDFunction, oxidd::bdd, BDD);
}
