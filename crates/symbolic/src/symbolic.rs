//! A game or transition system in diagrams.

use crate::compile::Compiler;
use crate::diagram::Diagram;
use crate::error::SymbolicError;
use crate::mxd::{EMPTY, Mxd, MxdId};
use crate::options::{Options, Partition};
use crate::order;
use crate::relation::{self, Part};
use crate::space::Space;
use winset_model::{Game, Player, System, VarId};

/// Moves are joined while their relation stays below so many nodes.
const CLUSTER: usize = 4096;

/// A compiled transition system: initial states, relation, and where transitions stop.
pub struct Symbolic<F: Diagram> {
    /// The state space.
    pub space: Space<F>,
    /// The initial states.
    pub initial: F,
    /// The relation, part by part.
    pub parts: Vec<Part<F>>,
    /// No transition leaves these sets.
    pub stops: Vec<F>,
    /// The named sets of the system.
    pub sets: Vec<(String, F)>,
    mxd: Mxd,
    clusters: Vec<Cluster>,
}

/// Parts of the relation that are applied in one traversal.
#[derive(Clone, Copy, Debug)]
struct Cluster {
    player: Option<Player>,
    root: MxdId,
}

impl<F: Diagram> Symbolic<F> {
    /// Compiles a transition system, its variables in the given order.
    pub fn from_system(
        system: &System,
        order: Vec<VarId>,
        options: &Options,
    ) -> Result<Self, SymbolicError> {
        Self::build(system, order, options, &[])
    }

    /// Compiles a game.
    pub fn from_game(game: &Game, options: &Options) -> Result<Self, SymbolicError> {
        let order = order::order(game, &options.order, options.turn)?;
        let players: Vec<Player> = game.moves.iter().map(|m| m.player).collect();
        Self::build(&game.system(), order, options, &players)
    }

    fn build(
        system: &System,
        order: Vec<VarId>,
        options: &Options,
        players: &[Player],
    ) -> Result<Self, SymbolicError> {
        let space = Space::<F>::new(&system.variables, order, options)?;
        let mut mxd = Mxd::new();
        let mut compiler = Compiler::new(&space, &system.exprs);
        let initial = space.and(&compiler.compile(system.initial)?, space.domain())?;
        let mut parts = relation::parts(&space, &mut compiler, &mut mxd, system)?;
        for (part, &player) in parts.iter_mut().zip(players) {
            part.player = Some(player);
        }
        let stops = system.stops.iter().map(|&id| compiler.compile(id)).collect::<Result<_, _>>()?;
        let sets = system.sets.iter().map(|(name, id)| Ok((name.clone(), compiler.compile(*id)?)));
        let sets = sets.collect::<Result<_, SymbolicError>>()?;
        drop(compiler);
        let mut symbolic = Symbolic { space, initial, parts, stops, sets, mxd, clusters: vec![] };
        let all: Vec<usize> = (0..symbolic.parts.len()).collect();
        symbolic.clusters = symbolic.cluster(&all, options.partition);
        Ok(symbolic)
    }

    /// Joins parts of the same player into clusters.
    fn cluster(&mut self, parts: &[usize], partition: Partition) -> Vec<Cluster> {
        let limit = match partition {
            Partition::PerMove => 0,
            Partition::Clustered => CLUSTER,
            Partition::Monolithic => usize::MAX,
        };
        let mut clusters: Vec<Cluster> = vec![];
        for &i in parts {
            let Part { player, mxd: root, .. } = self.parts[i];
            if root == EMPTY {
                continue;
            }
            if limit > 0 && let Some(open) = clusters.iter_mut().rfind(|c| c.player == player) {
                let joint = self.mxd.union(open.root, root);
                if self.mxd.size(joint) <= limit {
                    open.root = joint;
                    continue;
                }
            }
            clusters.push(Cluster { player, root });
        }
        clusters
    }

    /// A named set of the system.
    pub fn set(&self, name: &str) -> Option<&F> {
        self.sets.iter().find(|(n, _)| n == name).map(|(_, set)| set)
    }

    fn clusters(&self, player: Option<Player>) -> impl Iterator<Item = MxdId> + '_ {
        self.clusters
            .iter()
            .filter(move |c| player.is_none() || c.player == player)
            .map(|c| c.root)
    }

    /// The successors of the states of a set that may go on.
    pub fn image(&self, set: &F) -> Result<F, SymbolicError> {
        let going_on = self.space.subtract(set, &self.stops)?;
        self.image_of_going_on(&going_on, None)
    }

    /// The successors of states none of which is in [`Symbolic::stops`]; by moves of one player if given.
    pub fn image_of_going_on(&self, set: &F, player: Option<Player>) -> Result<F, SymbolicError> {
        let space = &self.space;
        let mut images = vec![];
        for root in self.clusters(player) {
            images.push(space.attempt(|| set.image_under(&self.mxd, root))?);
        }
        space.or_all(images)
    }

    /// The states that may go on with a successor in the set.
    pub fn preimage(&self, set: &F) -> Result<F, SymbolicError> {
        let raw = self.preimage_within(set, self.space.domain(), None)?;
        self.space.subtract(&raw, &self.stops)
    }

    /// The states of `care` with a successor in the set; by moves of one player if given. None of `care`
    /// may be in [`Symbolic::stops`], or stopped states are taken as going on.
    pub fn preimage_within(
        &self,
        set: &F,
        care: &F,
        player: Option<Player>,
    ) -> Result<F, SymbolicError> {
        let space = &self.space;
        let (mut found, mut open) = (vec![], care.clone());
        for root in self.clusters(player) {
            let more = space.attempt(|| set.preimage_under(&self.mxd, root, &open))?;
            open = space.diff(&open, &more)?;
            found.push(more);
        }
        space.or_all(found)
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
        let escaping = self.preimage_within(&others, &some, None)?;
        self.space.diff(&some, &escaping)
    }

    /// The states without successors.
    pub fn deadlocks(&self) -> Result<F, SymbolicError> {
        let all = self.preimage(self.space.domain())?;
        self.space.complement(&all)
    }

    /// The number of nodes of the relations as matrix diagrams.
    pub fn relation_nodes(&self) -> usize {
        self.clusters.iter().map(|c| self.mxd.size(c.root)).sum()
    }
}
