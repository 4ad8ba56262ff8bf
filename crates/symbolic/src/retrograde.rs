//! Retrograde analysis as in chapter 7 of the Othello thesis: Alg 2 to Alg 5.

use crate::diagram::Diagram;
use crate::error::SymbolicError;
use crate::game::SymbolicGame;
use crate::observe::{Iteration, Observer, Phase};
use crate::psi::by_measure;
use crate::reach::reach;
use crate::symbolic::Which;
use std::collections::BTreeMap;
use std::time::Instant;
use winset_model::Player;
use winset_progress::Measure;

/// Which states are looked at, and how many at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// All states at once: Alg 2.
    Plain,
    /// The reachable states at once: Alg 3.
    Reachable,
    /// All states, a layer of the progress measure at a time: Alg 4.
    Sweep,
    /// The reachable states, a layer of the progress measure at a time: Alg 5.
    SweepReachable,
}

impl Variant {
    /// In the thesis's order.
    pub const ALL: [Variant; 4] = [Self::Plain, Self::Reachable, Self::Sweep, Self::SweepReachable];

    /// Only reachable states count.
    pub fn is_limited(self) -> bool {
        matches!(self, Variant::Reachable | Variant::SweepReachable)
    }

    /// One layer after the other.
    pub fn sweeps(self) -> bool {
        matches!(self, Variant::Sweep | Variant::SweepReachable)
    }
}

/// The states that a player can force a win from.
#[derive(Clone, Debug)]
pub struct Winning<F> {
    /// By layer of the measure; one layer without a sweep line.
    pub layers: BTreeMap<i64, F>,
    /// The most nodes that the growing set, or a layer of it, had after an iteration.
    pub peak: usize,
    /// The number of iterations.
    pub iterations: usize,
}

/// The states considered, by who can force a win.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcomes {
    /// Won by the first and by the second player.
    pub won: [u128; 2],
    /// Won by neither.
    pub drawn: u128,
    /// Who wins from the initial state.
    pub winner: Option<Player>,
}

/// Retrograde analysis of one compiled game.
pub struct Retrograde<'a, 'g, F: Diagram> {
    game: &'a SymbolicGame<'g, F>,
    variant: Variant,
    measure: Option<Measure>,
    /// The states considered, by layer.
    considered: BTreeMap<i64, F>,
    start: i64,
    /// A sweep line keeps the layers that lie behind it.
    keeps: bool,
}

impl<'a, 'g, F: Diagram> Retrograde<'a, 'g, F> {
    /// Prepares: the reachable states if only they count, and the layers of a sweep line. The game's
    /// relation must be cut by the measure for a sweep; [`retrograde`] does all this.
    pub fn new(
        game: &'a SymbolicGame<'g, F>,
        variant: Variant,
        measure: Option<Measure>,
        observer: &mut dyn Observer,
    ) -> Result<Self, SymbolicError> {
        let within = if variant.is_limited() { Some(reach(&game.symbolic, observer)?) } else { None };
        Self::among(game, variant, measure, within)
    }

    /// The same where the reachable states are known already.
    pub fn among(
        game: &'a SymbolicGame<'g, F>,
        variant: Variant,
        measure: Option<Measure>,
        within: Option<F>,
    ) -> Result<Self, SymbolicError> {
        let space = &game.symbolic.space;
        let mut considered: BTreeMap<i64, F> = match &measure {
            Some(measure) if variant.sweeps() => by_measure(space, &measure.weights)?,
            None if variant.sweeps() => return Err(SymbolicError::NoMeasure("the sweep line")),
            _ => BTreeMap::from([(0, space.domain().clone())]),
        };
        if let Some(within) = &within {
            for set in considered.values_mut() {
                *set = space.and(set, within)?;
            }
        }
        let measure = measure.filter(|_| variant.sweeps());
        let start = measure.as_ref().map_or(0, |m| m.of(game.game.initial()));
        Ok(Retrograde { game, variant, measure, considered, start, keeps: true })
    }

    /// A sweep line that drops a layer of won states as soon as no later one looks at it, as the thesis's does: what is left is
    /// enough to say who wins.
    pub fn dropping(self) -> Self {
        Retrograde { keeps: false, ..self }
    }

    /// The states that a player can force a win from.
    pub fn winning(&self, player: Player, observer: &mut dyn Observer) -> Result<Winning<F>, SymbolicError> {
        if self.measure.is_some() { self.sweep(player, observer) } else { self.fixpoint(player, observer) }
    }

    /// The partition of the states considered.
    pub fn outcomes(&self, first: &Winning<F>, second: &Winning<F>) -> Result<Outcomes, SymbolicError> {
        let space = &self.game.symbolic.space;
        let sum =
            |sets: &BTreeMap<i64, F>| sets.values().map(|set| space.count(set)).sum::<Result<u128, _>>();
        let won = [sum(&first.layers)?, sum(&second.layers)?];
        // A sweep line ends at the initial layer; what lies before it is not considered.
        let layers = self.considered.iter().filter(|(m, _)| first.layers.contains_key(m));
        let all = sum(&layers.map(|(&m, set)| (m, set.clone())).collect())?;
        let initial = self.game.game.initial();
        let at_start =
            |w: &Winning<F>| w.layers.get(&self.start).is_some_and(|set| space.contains(set, initial));
        let winner = [at_start(first), at_start(second)].iter().position(|&wins| wins).map(Player::new);
        Ok(Outcomes { won, drawn: all - won[0] - won[1], winner })
    }

    /// Alg 2 and Alg 3: grow the winning set until nothing changes.
    fn fixpoint(&self, player: Player, observer: &mut dyn Observer) -> Result<Winning<F>, SymbolicError> {
        let space = &self.game.symbolic.space;
        let within = &self.considered[&0];
        let mut won = self.game.won_at_once(player, within)?;
        let mut report = Report::new();
        report.add(space.count(&won)?, won.node_count(), 0, observer);
        // What the two halves of the last iteration started from: only what came since can add anything.
        let (mut seen_own, mut seen_forced) = (space.none().clone(), space.none().clone());
        loop {
            let old = won.clone();
            let fresh = space.diff(&won, &seen_own)?;
            seen_own = won.clone();
            let own = self.can(player, &fresh, None, within)?;
            won = space.or(&won, &own)?;
            let half = won.node_count();
            let fresh = space.diff(&won, &seen_forced)?;
            seen_forced = won.clone();
            let forced = self.must(player.other(), &won, &fresh, within)?;
            won = space.or(&won, &forced)?;
            if self.variant.is_limited() {
                won = space.and(&won, within)?;
            }
            report.add(space.count(&won)?, won.node_count(), half, observer);
            if won == old {
                let (peak, iterations) = (report.peak, report.index - 1);
                return Ok(Winning { layers: BTreeMap::from([(0, won)]), peak, iterations });
            }
            if observer.is_cancelled() {
                return Err(SymbolicError::Cancelled);
            }
            space.tidy();
        }
    }

    /// Alg 4 and Alg 5: from the layer of the greatest measure down to the initial state's.
    fn sweep(&self, player: Player, observer: &mut dyn Observer) -> Result<Winning<F>, SymbolicError> {
        let space = &self.game.symbolic.space;
        let deltas = self.game.symbolic.deltas();
        let mut layers: BTreeMap<i64, F> = BTreeMap::new();
        let mut report = Report::new();
        let won_at_once = self.game.won_at_once(player, space.domain())?;
        for (&index, considered) in self.considered.range(self.start..).rev() {
            let opponent = player.other();
            let (mut won, mut some) = (space.none().clone(), space.none().clone());
            for &delta in deltas.iter().filter(|&&delta| delta > 0) {
                let Some(after) = layers.get(&(index + delta)) else { continue };
                won = space.or(&won, &self.can(player, after, Some(delta), considered)?)?;
                some = space.or(&some, &self.can(opponent, after, Some(delta), considered)?)?;
            }
            let mut escaping = space.none().clone();
            for &delta in deltas.iter().filter(|&&delta| delta > 0) {
                let others = space.complement(layers.get(&(index + delta)).unwrap_or(space.none()))?;
                let out = self.raw(opponent, &others, Some(delta), considered)?;
                escaping = space.or(&escaping, &out)?;
            }
            if deltas.contains(&0) {
                // Also the game's end can be reached without leaving the layer.
                won = space.or(&won, &space.and(&won_at_once, considered)?)?;
            }
            // Moves that keep the measure, passes, lead to what is won already in this layer.
            loop {
                let mut more = won.clone();
                let (mut some, mut escaping) = (some.clone(), escaping.clone());
                if deltas.contains(&0) {
                    more = space.or(&more, &self.can(player, &won, Some(0), considered)?)?;
                    some = space.or(&some, &self.can(opponent, &won, Some(0), considered)?)?;
                    let others = space.complement(&more)?;
                    escaping = space.or(&escaping, &self.raw(opponent, &others, Some(0), considered)?)?;
                }
                let forced = space.diff(&some, &escaping)?;
                more = space.or(&more, &forced)?;
                if more == won {
                    break;
                }
                won = more;
            }
            won = space.or(&won, &won_at_once)?;
            won = space.and(&won, considered)?;
            report.add(space.count(&won)?, won.node_count(), 0, observer);
            layers.insert(index, won);
            if !self.keeps {
                let furthest = deltas.last().copied().unwrap_or(0);
                layers.retain(|&behind, _| behind < index + furthest.max(1));
            }
            if observer.is_cancelled() {
                return Err(SymbolicError::Cancelled);
            }
            space.tidy();
        }
        Ok(Winning { layers, peak: report.peak, iterations: report.index })
    }

    /// Where the player has a move into the set.
    fn can(&self, player: Player, set: &F, delta: Option<i64>, care: &F) -> Result<F, SymbolicError> {
        let symbolic = &self.game.symbolic;
        let raw = self.raw(player, set, delta, care)?;
        symbolic.space.subtract(&raw, &symbolic.stops)
    }

    /// A set to care for that is simple makes preimages cheaper, any other dearer than none.
    fn raw(&self, player: Player, set: &F, delta: Option<i64>, care: &F) -> Result<F, SymbolicError> {
        let which = Which { player: Some(player), delta };
        if self.variant.is_limited() {
            self.game.symbolic.preimage_within(set, care, which)
        } else {
            self.game.symbolic.preimage_of(set, which)
        }
    }

    /// Where the player has moves, all of them into the set and one of them into its fresh part.
    fn must(&self, player: Player, set: &F, fresh: &F, care: &F) -> Result<F, SymbolicError> {
        let symbolic = &self.game.symbolic;
        let space = &symbolic.space;
        let some = self.can(player, fresh, None, care)?;
        let some = space.diff(&some, set)?;
        let others = space.complement(set)?;
        let escaping = if some.node_count() < set.node_count() / 4 {
            symbolic.preimage_within(&others, &some, Which::of(player))?
        } else {
            self.raw(player, &others, None, &some)?
        };
        space.diff(&some, &escaping)
    }
}

/// Numbers the iterations and keeps the peak.
struct Report {
    index: usize,
    peak: usize,
    began: Instant,
}

impl Report {
    fn new() -> Self {
        Report { index: 0, peak: 0, began: Instant::now() }
    }

    fn add(&mut self, states: u128, nodes: usize, half: usize, observer: &mut dyn Observer) {
        observer.iteration(&Iteration {
            phase: Phase::Backward,
            index: self.index as i64,
            states,
            nodes,
            peak: nodes.max(half),
            time: self.began.elapsed(),
        });
        self.index += 1;
        self.peak = self.peak.max(nodes);
        self.began = Instant::now();
    }
}

/// The states that one player can force a win from: half of [`retrograde`]'s work, and what the literature's
/// tables are about. `reached` are the reachable states, which several variants can share. A sweep line leaves only its
/// last layers.
pub fn retrograde_for<F: Diagram>(
    game: &mut SymbolicGame<'_, F>,
    variant: Variant,
    player: Player,
    reached: &F,
    observer: &mut dyn Observer,
) -> Result<Winning<F>, SymbolicError> {
    let measure = prepare(game, variant)?;
    let within = variant.is_limited().then(|| reached.clone());
    Retrograde::among(game, variant, measure, within)?.dropping().winning(player, observer)
}

/// Cuts the relation by the game's progress measure if the variant sweeps, and runs the analysis for both
/// players.
pub fn retrograde<F: Diagram>(
    game: &mut SymbolicGame<'_, F>,
    variant: Variant,
    observer: &mut dyn Observer,
) -> Result<(Outcomes, [Winning<F>; 2]), SymbolicError> {
    let measure = prepare(game, variant)?;
    let analysis = Retrograde::new(game, variant, measure, observer)?;
    let first = analysis.winning(Player(0), observer)?;
    let second = analysis.winning(Player(1), observer)?;
    let outcomes = analysis.outcomes(&first, &second)?;
    Ok((outcomes, [first, second]))
}

/// Finds the measure that a variant needs and cuts the relation by it.
pub fn prepare<F: Diagram>(
    game: &mut SymbolicGame<'_, F>,
    variant: Variant,
) -> Result<Option<Measure>, SymbolicError> {
    if !game.game.is_win_draw_loss() {
        return Err(SymbolicError::NotWinDrawLoss("retrograde analysis"));
    }
    if !variant.sweeps() {
        return Ok(None);
    }
    let measure = winset_progress::find(game.game).filter(Measure::is_constant_per_move);
    let measure = measure.ok_or(SymbolicError::NoMeasure("the sweep line"))?;
    let deltas: Vec<i64> = measure.deltas.iter().map(|delta| delta.least).collect();
    game.symbolic.measure_by(&deltas);
    Ok(Some(measure))
}
