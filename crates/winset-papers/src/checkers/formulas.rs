//! Solving a board by the paper's two formulas, over the reachable states.

use winset_formula::parse;
use winset_mu::{Checker, Universe};
use winset_symbolic::{
    Diagram, Job, Options, Outcomes, Symbolic, SymbolicError, SymbolicGame, Variant, retrograde, with_kind,
};

/// Who wins where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solved {
    /// The number of reachable states.
    pub states: u128,
    /// The number of nodes of the diagram of the reachable states.
    pub reachable_nodes: usize,
    /// The number of states from which black can win.
    pub black: u128,
    /// The number of states from which white can win.
    pub white: u128,
    /// Who wins from the start: 0 for black, 1 for white.
    pub start: Option<winset_model::Player>,
    /// The longest win in transitions, if there is one.
    pub longest: Option<usize>,
    /// Steps of the two fixed points.
    pub iterations: [usize; 2],
    /// The most nodes the manager held after a step, garbage included.
    pub peak: usize,
}

impl Solved {
    /// The number of states from which neither can win.
    pub fn draws(&self) -> u128 {
        self.states - self.black - self.white
    }
}

/// Solves an `n` x `n` board.
pub fn by_formulas(n: usize, options: &Options) -> Result<Solved, SymbolicError> {
    with_kind(options.kind, Formulas { n, options })
}

struct Formulas<'o> {
    n: usize,
    options: &'o Options,
}

impl Job for Formulas<'_> {
    type Output = Result<Solved, SymbolicError>;

    fn run<F: Diagram>(self) -> Self::Output {
        let game = winset_games::checkers(self.n);
        let symbolic = Symbolic::<F>::from_game(&game, self.options)?;
        let mut system = game.system();
        let mut cores = vec![];
        for text in
            ["mu X. turn:black & EX X | turn:white & AX X", "mu X. turn:white & EX X | turn:black & AX X"]
        {
            let core = parse(text, &mut system).and_then(|formula| formula.core(&mut system.exprs));
            cores.push(core.expect("the paper's formulas are monotone and use the game's own sets"));
        }
        let space = &symbolic.space;
        let mut checker = Checker::new(&symbolic, &system.exprs, Universe::Reachable)?;
        let states = space.count(&checker.universe)?;
        let reachable_nodes = checker.universe.node_count();
        let (mut counts, mut iterations, mut longest) = ([0, 0], [0, 0], None);
        let (mut start, mut peak) = (None, 0);
        for (player, core) in cores.iter().enumerate() {
            let won = checker.evaluate(core)?;
            counts[player] = space.count(&won)?;
            iterations[player] = checker.work.iterations;
            peak = peak.max(checker.work.peak);
            if space.contains(&won, game.initial()) {
                start = Some(winset_model::Player::new(player));
            }
            let stages = checker.strategy(core).and_then(|strategy| strategy.stages).unwrap_or_default();
            longest = longest.max(stages.len().checked_sub(1));
        }
        let [black, white] = counts;
        Ok(Solved { states, reachable_nodes, black, white, start, longest, iterations, peak })
    }
}

/// The same by retrograde analysis over the reachable states: states won by black, by white, drawn, and the
/// winner from the start.
pub fn by_retrograde(n: usize, options: &Options) -> Result<Outcomes, SymbolicError> {
    with_kind(options.kind, ByRetrograde { n, options })
}

struct ByRetrograde<'o> {
    n: usize,
    options: &'o Options,
}

impl Job for ByRetrograde<'_> {
    type Output = Result<Outcomes, SymbolicError>;

    fn run<F: Diagram>(self) -> Self::Output {
        let game = winset_games::checkers(self.n);
        let mut compiled = SymbolicGame::<F>::new(&game, self.options)?;
        let (outcomes, _) = retrograde(&mut compiled, Variant::Reachable, &mut ())?;
        Ok(outcomes)
    }
}
