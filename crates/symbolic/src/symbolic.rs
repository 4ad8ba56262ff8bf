//! A game or transition system in diagrams.

use crate::budget::Capacity;
use crate::compile::Compiler;
use crate::conjunctive::Conjunction;
use crate::diagram::Diagram;
use crate::error::SymbolicError;
use crate::mxd::{EMPTY, Mxd, MxdId};
use crate::narrow::{Narrowed, narrowed};
use crate::options::{Options, Partition};
use crate::order;
use crate::relation::{self, Conjuncts, Part};
use crate::space::Space;
use std::sync::Arc;
use winset_model::{ExprId, Game, Player, System, VarId};

/// Moves are joined while their relation stays below n nodes.
const CLUSTER: usize = 4096;
/// With so few relations each may be large, so that it is looked whether one had better stay a conjunction.
const FEW: usize = 2048;
/// A system with so few is small more often than not.
const FEW_FOR_CACHE: usize = 256;
/// The entries of the cache that does for them: 16 times as many make none of the models of others faster that take
/// seconds, and all of those slower that do not.
const SMALL_CACHE: usize = 1 << 20;
/// Conditions are joined while their union stays below n nodes.
pub(crate) const JOINT: usize = 1 << 17;

/// A compiled transition system: initial states, relation, and where transitions stop.
pub struct Symbolic<F: Diagram> {
    /// The state space.
    pub space: Arc<Space<F>>,
    /// The initial states.
    pub initial: F,
    /// The relation, part by part.
    pub parts: Vec<Part<F>>,
    /// No transition leaves these sets, whose union can be huge.
    pub stops: Vec<F>,
    /// The named sets of the system.
    pub sets: Vec<(String, F)>,
    mxd: Mxd,
    clusters: Vec<Cluster<F>>,
    partition: Partition,
}

/// Parts of the relation that are applied in one traversal.
#[derive(Clone, Debug)]
struct Cluster<F> {
    step: Step,
    how: How<F>,
}

/// How a cluster is applied to sets.
#[derive(Clone, Debug)]
enum How<F> {
    Matrix(MxdId),
    Conjunction(Arc<Conjunction<F>>),
}

/// What the parts of a cluster have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Step {
    player: Option<Player>,
    delta: i64,
}

/// Which transitions are meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Which {
    /// Those of one player only.
    pub player: Option<Player>,
    /// Those that raise the measure by so much only; see [`Symbolic::measure_by`].
    pub delta: Option<i64>,
}

impl Which {
    /// The transitions of one player.
    pub fn of(player: Player) -> Self {
        Which { player: Some(player), delta: None }
    }

    fn admits(self, step: Step) -> bool {
        self.player.is_none_or(|p| step.player == Some(p)) && self.delta.is_none_or(|d| step.delta == d)
    }
}

impl<F: Diagram> Symbolic<F> {
    /// Compiles a transition system, its variables in the given order.
    pub fn from_system(system: &System, order: Vec<VarId>, options: &Options) -> Result<Self, SymbolicError> {
        let named: Vec<ExprId> = system.sets.iter().map(|&(_, id)| id).collect();
        let (mut symbolic, sets) = Self::build(system, order, options, &[], &named)?;
        let (names, space) = (system.sets.iter().map(|(name, _)| name.clone()), symbolic.space.clone());
        let sets = sets.iter().map(|set| space.and(set, space.domain())).collect::<Result<Vec<F>, _>>()?;
        symbolic.sets = names.zip(sets).collect();
        Ok(symbolic)
    }

    /// Compiles a game's transition system, without its named sets: the union of a game's terminal
    /// conditions can be huge. See [`crate::SymbolicGame`] for the rest of the game.
    pub fn from_game(game: &Game, options: &Options) -> Result<Self, SymbolicError> {
        Ok(Self::from_game_with(game, options, &[])?.0)
    }

    /// Compiles a game's transition system and more expressions of the game.
    pub(crate) fn from_game_with(
        game: &Game,
        options: &Options,
        more: &[ExprId],
    ) -> Result<(Self, Vec<F>), SymbolicError> {
        let order = order::order(game, &options.order, options.turn)?;
        let players: Vec<Player> = game.moves().iter().map(|m| m.player).collect();
        Self::build(&game.system(), order, options, &players, more)
    }

    fn build(
        system: &System,
        order: Vec<VarId>,
        options: &Options,
        players: &[Player],
        more: &[ExprId],
    ) -> Result<(Self, Vec<F>), SymbolicError> {
        let few = players.is_empty() && system.relations.len() <= FEW_FOR_CACHE;
        let cache = if few { SMALL_CACHE } else { usize::MAX };
        let mut space = Space::<F>::with_cache(&system.variables, order, options, cache)?;
        space.hide(&system.hidden);
        let mxd = Mxd::new(Capacity::relation_nodes(options.memory));
        Self::in_space(Arc::new(space), mxd, system, options, players, more)
    }

    /// Another system over the same variables, compiled into the same space, so that sets of both can be compared.
    ///
    /// No relation of this one may be joined anew as long as the other is used: what is known of images is known by the
    /// numbers of relations, which both must give to different ones.
    pub fn beside(&self, system: &System, options: &Options) -> Result<Self, SymbolicError> {
        let (space, mxd) = (self.space.clone(), self.mxd.clone());
        Ok(Self::in_space(space, mxd, system, options, &[], &[])?.0)
    }

    fn in_space(
        space: Arc<Space<F>>,
        mut mxd: Mxd,
        system: &System,
        options: &Options,
        players: &[Player],
        more: &[ExprId],
    ) -> Result<(Self, Vec<F>), SymbolicError> {
        let few = players.is_empty() && system.relations.len() <= FEW;
        let mut compiler = Compiler::new(&space, &system.exprs);
        let initial = space.and(&compiler.compile(system.initial)?, space.domain())?;
        let conjuncts = match options.partition {
            Partition::Conjuncts => Conjuncts::Apart,
            Partition::Clustered if few => Conjuncts::Clustered,
            _ => Conjuncts::Joined,
        };
        let mut parts = relation::parts(&space, &mut compiler, &mut mxd, system, conjuncts)?;
        for (part, &player) in parts.iter_mut().zip(players) {
            part.player = Some(player);
        }
        let stops = system.stops.iter().map(|&id| compiler.compile(id)).collect::<Result<_, _>>()?;
        let stops = space.join_small(stops, JOINT)?;
        let more = more.iter().map(|&id| compiler.compile(id)).collect::<Result<_, _>>()?;
        drop(compiler);
        let partition = options.partition;
        let mut symbolic =
            Symbolic { space, initial, parts, stops, sets: vec![], mxd, clusters: vec![], partition };
        let ones = vec![1; symbolic.parts.len()];
        symbolic.measure_by(&ones);
        Ok((symbolic, more))
    }

    /// Says by how much each part raises the measure that [`Which::delta`] refers to; at first all by 1.
    pub fn measure_by(&mut self, deltas: &[i64]) {
        let limit = match self.partition {
            Partition::PerMove => 0,
            Partition::Clustered | Partition::Conjuncts => CLUSTER,
            Partition::Monolithic => usize::MAX,
            Partition::Parts(count) => return self.divide(deltas, count),
        };
        let mut clusters: Vec<Cluster<F>> = self.conjunctions(deltas);
        for (part, &delta) in self.parts.iter().zip(deltas) {
            let step = Step { player: part.player, delta };
            if part.mxd == EMPTY {
                continue;
            }
            if limit > 0
                && !self.mxd.is_full()
                && let Some(Cluster { how: How::Matrix(root), .. }) =
                    clusters.iter_mut().rfind(|c| c.step == step && matches!(c.how, How::Matrix(_)))
            {
                let joint = self.mxd.union(*root, part.mxd);
                if !self.mxd.is_full() && self.mxd.size(joint) <= limit {
                    *root = joint;
                    continue;
                }
            }
            clusters.push(Cluster { step, how: How::Matrix(part.mxd) });
        }
        self.clusters = clusters;
    }

    /// The parts that are conjunctions, each a cluster of its own.
    fn conjunctions(&self, deltas: &[i64]) -> Vec<Cluster<F>> {
        let parts = self.parts.iter().zip(deltas);
        let cluster = |(part, &delta): (&Part<F>, &i64)| {
            let how = How::Conjunction(part.conjunction.clone()?);
            Some(Cluster { step: Step { player: part.player, delta }, how })
        };
        parts.filter_map(cluster).collect()
    }

    /// Leaves out what relations that are conjunctions say of other states than these, where that makes them smaller. From
    /// then on images may be asked of sets of these states only, and preimages only within them.
    pub fn narrow(&mut self, states: &F) -> Result<(), SymbolicError> {
        let (space, apart) = (self.space.clone(), self.partition == Partition::Conjuncts);
        for cluster in &mut self.clusters {
            let How::Conjunction(all) = &cluster.how else { continue };
            let own = |part: &&Part<F>| part.conjunction.as_ref().is_some_and(|one| Arc::ptr_eq(one, all));
            let Some(part) = self.parts.iter().find(own) else { continue };
            match narrowed(&space, all, &part.writes, states, apart)? {
                None => return Ok(()),
                Some(Narrowed::Many(all)) => cluster.how = How::Conjunction(Arc::new(all)),
                Some(Narrowed::One(pairs)) => {
                    let root = relation::to_mxd(&space, &mut self.mxd, &pairs, &part.writes);
                    if self.mxd.is_full() {
                        return Ok(());
                    }
                    cluster.how = How::Matrix(root);
                }
            }
        }
        Ok(())
    }

    /// Joins neighbouring parts so that every kind of step has `count` clusters, or one for each of its parts.
    /// Where the relations' table is full, the rest stay apart.
    fn divide(&mut self, deltas: &[i64], count: usize) {
        let mut kinds: Vec<(Step, Vec<MxdId>)> = vec![];
        for (part, &delta) in self.parts.iter().zip(deltas).filter(|(part, _)| part.mxd != EMPTY) {
            let step = Step { player: part.player, delta };
            match kinds.iter_mut().find(|(other, _)| *other == step) {
                Some((_, roots)) => roots.push(part.mxd),
                None => kinds.push((step, vec![part.mxd])),
            }
        }
        self.clusters = self.conjunctions(deltas);
        for (step, roots) in kinds {
            let count = count.clamp(1, roots.len());
            for i in 0..count {
                let share = &roots[i * roots.len() / count..(i + 1) * roots.len() / count];
                let mut open = share[0];
                for &root in &share[1..] {
                    let joint = if self.mxd.is_full() { EMPTY } else { self.mxd.union(open, root) };
                    if self.mxd.is_full() {
                        self.clusters.push(Cluster { step, how: How::Matrix(open) });
                        open = root;
                    } else {
                        open = joint;
                    }
                }
                self.clusters.push(Cluster { step, how: How::Matrix(open) });
            }
        }
    }

    /// The number of relations that the moves were joined to.
    pub fn clusters(&self) -> usize {
        self.clusters.len()
    }

    /// By how much a step can raise the measure: the distinct amounts, ascending.
    pub fn deltas(&self) -> Vec<i64> {
        let mut deltas: Vec<i64> = self.clusters.iter().map(|c| c.step.delta).collect();
        deltas.sort_unstable();
        deltas.dedup();
        deltas
    }

    /// A named set of the system.
    pub fn set(&self, name: &str) -> Option<&F> {
        self.sets.iter().find(|(n, _)| n == name).map(|(_, set)| set)
    }

    fn chosen(&self, which: Which) -> Vec<&How<F>> {
        self.clusters.iter().filter(move |c| which.admits(c.step)).map(|c| &c.how).collect()
    }

    fn image_by(&self, how: &How<F>, set: &F) -> Result<F, SymbolicError> {
        match how {
            How::Matrix(root) => self.space.attempt(|| set.image_under(&self.mxd, *root)),
            How::Conjunction(conjunction) => conjunction.image(&self.space, set),
        }
    }

    fn preimage_by(&self, how: &How<F>, set: &F, care: &F) -> Result<F, SymbolicError> {
        match how {
            How::Matrix(root) => self.space.attempt(|| set.preimage_under(&self.mxd, *root, care)),
            How::Conjunction(conjunction) => conjunction.preimage(&self.space, set, care),
        }
    }

    /// The successors of the states of a set that may go on.
    pub fn image(&self, set: &F) -> Result<F, SymbolicError> {
        let going_on = self.space.subtract(set, &self.stops)?;
        self.image_of_going_on(&going_on, Which::default())
    }

    /// The successors of states none of which is in [`Symbolic::stops`].
    pub fn image_of_going_on(&self, set: &F, which: Which) -> Result<F, SymbolicError> {
        let (space, chosen) = (&self.space, self.chosen(which));
        let pieces = space.pieces(set)?;
        let image = |(piece, how): &(&F, &How<F>)| self.image_by(how, piece);
        space.or_all(space.share(&pairs(&pieces, &chosen), image)?)
    }

    /// The states that may go on with a successor in the set.
    pub fn preimage(&self, set: &F) -> Result<F, SymbolicError> {
        let raw = self.preimage_of(set, Which::default())?;
        self.space.subtract(&raw, &self.stops)
    }

    /// The states with a successor in the set, stopped states taken as going on.
    pub fn preimage_of(&self, set: &F, which: Which) -> Result<F, SymbolicError> {
        let (space, chosen) = (&self.space, self.chosen(which));
        let pieces = space.divided(space.domain(), set)?;
        let preimage = |(piece, how): &(&F, &How<F>)| self.preimage_by(how, set, piece);
        space.or_all(space.share(&pairs(&pieces, &chosen), preimage)?)
    }

    /// The states of `care` with a successor in the set. None of `care` may be in [`Symbolic::stops`], or
    /// stopped states are taken as going on.
    pub fn preimage_within(&self, set: &F, care: &F, which: Which) -> Result<F, SymbolicError> {
        let space = &self.space;
        let roots = self.chosen(which);
        let found = space.share(&space.divided(care, set)?, |piece| {
            let (mut found, mut open) = (vec![], piece.clone());
            for (i, &root) in roots.iter().enumerate() {
                let more = self.preimage_by(root, set, &open)?;
                if i + 1 < roots.len() {
                    open = space.diff(&open, &more)?;
                }
                found.push(more);
            }
            Ok(found)
        })?;
        space.or_all(found.concat())
    }

    /// The states all of whose successors are in the set, those without successors included.
    pub fn forall_preimage(&self, set: &F) -> Result<F, SymbolicError> {
        let others = self.space.complement(set)?;
        let escaping = self.preimage(&others)?;
        self.space.complement(&escaping)
    }

    /// The states with successors, all of them in the set.
    pub fn forall_exists_preimage(&self, set: &F) -> Result<F, SymbolicError> {
        let some = self.preimage(set)?;
        let others = self.space.complement(set)?;
        let escaping = self.preimage_of(&others, Which::default())?;
        self.space.diff(&some, &escaping)
    }

    /// The states without successors.
    pub fn deadlocks(&self) -> Result<F, SymbolicError> {
        let all = self.preimage(self.space.domain())?;
        self.space.complement(&all)
    }

    /// The number of nodes of the relations as matrix diagrams.
    pub fn relation_nodes(&self) -> usize {
        let size = |cluster: &Cluster<F>| match &cluster.how {
            How::Matrix(root) => self.mxd.size(*root),
            How::Conjunction(conjunction) => conjunction.nodes(),
        };
        self.clusters.iter().map(size).sum()
    }

    /// The states where a part of the relation applies, stopped or not.
    pub fn enabled(&self, part: usize) -> Result<F, SymbolicError> {
        let part = &self.parts[part];
        let how = match &part.conjunction {
            Some(conjunction) => How::Conjunction(conjunction.clone()),
            None => How::Matrix(part.mxd),
        };
        self.preimage_by(&how, self.space.domain(), self.space.domain())
    }
}

/// Every piece with every relation.
fn pairs<'a, F, H>(pieces: &'a [F], relations: &[&'a H]) -> Vec<(&'a F, &'a H)> {
    pieces.iter().flat_map(|piece| relations.iter().map(move |&relation| (piece, relation))).collect()
}
