//! The paper's procedure on plain diagrams: every iteration computes the body of the fixed point anew, and
//! preimages are relational products with the quantified relation.

use oxidd::{BooleanFunction, BooleanFunctionQuant, BooleanOperator, FunctionSubst, ManagerRef, Subst};
use winset_model::{Game, Owner, VarId};
use winset_reorder::Bench;
use winset_symbolic::{Bdd, Compiler, Encoding, Options, Order, Symbolic, SymbolicError};

/// The paper's optimisations.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The order of the squares; the turn is on top.
    pub order: Order,
    /// Rule out states with too many pieces.
    pub limit: bool,
    /// Rule out states in which a piece must go on capturing. None can arise on 3x3 and 4x4, where no capture leads to
    /// another.
    pub rest: bool,
    /// The number of disjunctive parts of the relation; at least one, at most one per move.
    pub parts: usize,
    /// The memory budget in bytes. Garbage is collected after every operation, which takes the longer the
    /// larger it is.
    pub memory: u64,
}

/// A fixed point with its cost.
pub struct Peak {
    /// The values of the variable, from the first on; the last is the fixed point.
    pub stages: Vec<Bdd>,
    /// Iterations until nothing changed, the last one included.
    pub iterations: usize,
    /// The nodes of the largest intermediate result of the fixed point.
    pub largest: usize,
    /// The most nodes after any operation, that operation's garbage and the relation included.
    pub peak: usize,
    /// The results of all its operations that can differ in size: preimages, and sets within a turn.
    pub results: Vec<Bdd>,
}

/// A board, its relation in parts.
pub struct Symquest {
    /// The game.
    pub game: Game,
    /// Its diagrams.
    pub symbolic: Symbolic<Bdd>,
    parts: Vec<Part>,
    /// Where it is each player's turn.
    turns: Vec<Bdd>,
    /// Nodes that the compiled game keeps alive besides the relation's parts.
    overhead: usize,
}

struct Part {
    relation: Bdd,
    /// The next copies of what it writes.
    quantified: Bdd,
    /// Current bits and their next copies.
    renamed: Vec<(u32, u32)>,
}

impl Symquest {
    /// Compiles a board.
    pub fn new(n: usize, setup: &Setup) -> Result<Symquest, SymbolicError> {
        let game = winset_games::checkers(n);
        let mut exprs = game.exprs().clone();
        let limit = game.piece_limit(&mut exprs, None).filter(|_| setup.limit);
        let options = Options {
            order: setup.order.clone(),
            encoding: Encoding::Standard,
            memory: setup.memory,
            ..Options::default()
        };
        let symbolic = Symbolic::<Bdd>::from_game(&game, &options)?;
        let space = &symbolic.space;
        let mut compiler = Compiler::new(space, &exprs);
        let turns =
            game.turn().iter().map(|&turn| compiler.compile(turn)).collect::<Result<Vec<Bdd>, _>>()?;
        let mut within = match limit {
            Some(limit) => compiler.compile(limit)?,
            None => space.all().clone(),
        };
        drop(compiler);
        if setup.rest {
            let board = game.board().expect("checkers has a board");
            let marked = (0..board.owners.len()).filter(|&value| board.owners[value] == Owner::Mover);
            for value in marked {
                for &cell in board.cells.iter().flatten() {
                    within = space.diff(&within, space.is(cell, value as u16))?;
                }
            }
        }
        // Words that stand for no value have no successors, whichever way the relation is cut.
        let within = space.and(&within, space.domain())?;
        let count = symbolic.parts.len();
        let share = count.div_ceil(setup.parts.clamp(1, count));
        let mut parts = vec![];
        for chunk in symbolic.parts.chunks(share) {
            let mut writes: Vec<VarId> = chunk.iter().flat_map(|part| part.writes.iter().copied()).collect();
            if setup.parts <= 1 {
                writes = (0..space.variables() as u32).map(VarId).collect();
            }
            writes.sort_unstable();
            writes.dedup();
            let mut relation = space.none().clone();
            for part in chunk {
                let mut pairs = part.pairs.clone();
                for &var in writes.iter().filter(|var| !part.writes.contains(var)) {
                    pairs = space.and(&pairs, &keeps_value(&symbolic, var)?)?;
                }
                relation = space.or(&relation, &pairs)?;
            }
            relation = space.and(&relation, &within)?;
            let levels: Vec<u32> = writes.iter().flat_map(|&var| space.place(var).levels.clone()).collect();
            let mut quantified = space.all().clone();
            for &level in &levels {
                quantified = space.and(&quantified, &literal(&symbolic, level + 1)?)?;
            }
            let renamed = levels.iter().map(|&level| (level, level + 1)).collect();
            parts.push(Part { relation, quantified, renamed });
        }
        space.collect();
        let relations: Vec<Bdd> = parts.iter().map(|part: &Part| part.relation.clone()).collect();
        let bench = Bench::new(space, &relations)
            .map_err(|_| SymbolicError::OutOfMemory { budget: setup.memory, advice: 2 * setup.memory })?;
        let overhead = space.nodes().saturating_sub(bench.size());
        Ok(Symquest { game, symbolic, parts, turns, overhead })
    }

    /// `mu X. (own turn & EX X) | (other's turn & AX X)`, as the paper computes it.
    pub fn can_win(&self, player: usize) -> Result<Peak, SymbolicError> {
        let space = &self.symbolic.space;
        let (own, other) = (&self.turns[player], &self.turns[1 - player]);
        let mut watch = Watch { symquest: self, peak: 0, largest: 0 };
        let mut value = space.none().clone();
        let (mut stages, mut results, mut iterations) = (vec![], vec![], 0);
        loop {
            iterations += 1;
            let some = watch.pre(&value)?;
            let outside = watch.note(space.attempt(|| value.not())?);
            let escapes = watch.pre(&outside)?;
            let all = watch.note(space.attempt(|| escapes.not())?);
            let mine = watch.note(space.and(own, &some)?);
            let theirs = watch.note(space.and(other, &all)?);
            let next = watch.note(space.or(&mine, &theirs)?);
            // A complement and a set renamed have the nodes of the set.
            results.extend([some, escapes, mine, theirs, next.clone()]);
            if next == value {
                let Watch { peak, largest, .. } = watch;
                return Ok(Peak { stages, iterations, largest, peak, results });
            }
            stages.push(next.clone());
            value = next;
        }
    }
}

/// Counts nodes after every operation.
struct Watch<'s> {
    symquest: &'s Symquest,
    peak: usize,
    largest: usize,
}

impl Watch<'_> {
    fn note(&mut self, result: Bdd) -> Bdd {
        let space = &self.symquest.symbolic.space;
        self.largest = self.largest.max(space.nodes_of(&result));
        self.peak = self.peak.max(space.nodes().saturating_sub(self.symquest.overhead));
        space.collect();
        result
    }

    /// The states with a successor in the set, part by part.
    fn pre(&mut self, set: &Bdd) -> Result<Bdd, SymbolicError> {
        let space = &self.symquest.symbolic.space;
        let mut found = space.none().clone();
        for part in &self.symquest.parts {
            let vars: Vec<u32> = part.renamed.iter().map(|pair| pair.0).collect();
            let next: Vec<Bdd> = part
                .renamed
                .iter()
                .map(|pair| literal(&self.symquest.symbolic, pair.1))
                .collect::<Result<_, _>>()?;
            let renaming = Subst::new(vars, next);
            let later = self.note(space.attempt(|| set.substitute(&renaming))?);
            let product = space
                .attempt(|| part.relation.apply_exists(BooleanOperator::And, &later, &part.quantified))?;
            drop(later);
            let product = self.note(product);
            found = self.note(space.or(&found, &product)?);
        }
        Ok(found)
    }
}

fn literal(symbolic: &Symbolic<Bdd>, level: u32) -> Result<Bdd, SymbolicError> {
    let space = &symbolic.space;
    space.attempt(|| space.manager().with_manager_shared(|manager| Bdd::var(manager, level)))
}

fn keeps_value(symbolic: &Symbolic<Bdd>, var: VarId) -> Result<Bdd, SymbolicError> {
    let space = &symbolic.space;
    let values = 0..space.place(var).codes.len() as u16;
    let same = values.map(|value| space.and(space.is(var, value), space.next(var, value)));
    space.or_all(same.collect::<Result<_, _>>()?)
}
