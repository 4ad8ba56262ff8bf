//! Solving a game: forward, then backward.

use crate::backward::Backward;
use crate::compiled::Width;
use crate::error::ExplicitError;
use crate::forward::Forward;
use crate::pack::{Key, Packing};
use crate::shelf::Held;
use std::path::PathBuf;
use std::time::Duration;
use winset_model::{Code, CodeTable, Game, Opponent, Player, Remoteness, Rewards, Valuation, VarId};
use winset_settle::{Distance, NEVER_ENDS, Values};
use winset_work::Work;

/// How a game is solved.
#[derive(Clone, Debug)]
pub struct Options {
    /// Values too, and not only counts.
    pub solve: bool,
    /// What the players want.
    pub opponent: Opponent,
    /// The bytes that states and values may take.
    pub memory: u64,
    /// Where states may wait that do not fit; none: all must fit.
    pub scratch: Option<PathBuf>,
    /// The steps that finding the states may take.
    pub work: Work,
    /// The threads that work; what they find does not depend on how many they are.
    pub threads: usize,
    /// The weights of a measure that no move lowers; none: all states are in one tier.
    pub weights: Option<Vec<Vec<i64>>>,
    /// How far the end is matters: it is found out in any case where states are listed, part by part only if it does.
    pub distance: bool,
    /// Part by part, with a number for every state inside its part; what is found is counted, and whoever observes is not
    /// given states unless it wants them one by one. Where parts cannot be numbered, that is an error.
    pub dense: bool,
    /// Part by part: what is known is kept, so that a run that was stopped or killed goes on.
    pub checkpoint: Option<Keep>,
    /// Parts of tiers between which no move leads (see [`winset_progress::parts`]) are settled apart from each other, in groups
    /// of about this many states; none: only where a tier does not fit, because together they are settled faster.
    pub group: Option<usize>,
    /// Part by part, on the way back: the most later tiers that are in memory at the same time, where a tier has moves to more
    /// its states are looked at several times; none: as many as fit.
    pub together: Option<usize>,
    /// When there are more states than this, symmetries of the game are looked for, and of the states that they take to each
    /// other only one is looked at: whoever observes is told of these; counts are those of all states. None: never.
    pub symmetry: Option<u64>,
    /// The variables in the order in which states are numbered, in blocks; each is in one of them.
    pub blocks: Vec<Vec<VarId>>,
}

/// Where what is known is kept, and how often.
#[derive(Clone, Debug)]
pub struct Keep {
    /// A directory, which is made if need be.
    pub directory: PathBuf,
    /// What waits for later tiers is much, so it is written this often; what is found or solved is, tier by tier.
    pub often: Duration,
}

impl Options {
    /// A game's own measure, and its variables in their order.
    pub fn of(game: &Game) -> Self {
        Options {
            solve: true,
            opponent: Opponent::usual(game.players().len()),
            memory: 1 << 30,
            scratch: None,
            work: Work::default(),
            threads: 1,
            weights: winset_progress::find(game).map(|measure| measure.weights),
            distance: true,
            dense: false,
            checkpoint: None,
            group: None,
            together: None,
            symmetry: None,
            blocks: in_order(game),
        }
    }
}

/// Anything that an observer may meet.
pub type Refusal = Box<dyn std::error::Error + Send + Sync>;

/// What a tier has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// The measure of its states.
    pub measure: i64,
    /// Its states, terminal ones included.
    pub positions: u64,
    /// Its terminal states by code.
    pub terminal_by_code: Vec<u64>,
    /// Who moves in all others, if it is always the same player.
    pub mover: Option<Player>,
}

/// What an earlier run has found.
#[derive(Clone, Debug)]
pub struct Past {
    /// The rewards of every code so far.
    pub codes: Vec<Rewards>,
    /// Its tiers, from the first on.
    pub tiers: Vec<Count>,
    /// There are no more.
    pub complete: bool,
}

/// Is told of tiers as they are finished, and knows of those that an earlier run has finished.
pub trait Observer<K> {
    /// What an earlier run has found. Nothing is told of it again.
    fn past(&mut self) -> Option<Past> {
        None
    }

    /// The states of a tier of the past in which the game goes on, in ascending order.
    fn past_states(&mut self, number: usize) -> Result<Option<Vec<K>>, ExplicitError> {
        let _ = number;
        Ok(None)
    }

    /// The values of a tier of n states in which the game goes on, in the same order, if an earlier run has found
    /// them.
    fn past_values(&mut self, number: usize, states: u64) -> Result<Option<Values>, ExplicitError> {
        let _ = (number, states);
        Ok(None)
    }

    /// The states of a tier of the past have been looked at again.
    fn looked_at(&mut self, number: usize) -> Result<(), ExplicitError> {
        let _ = number;
        Ok(())
    }

    /// About the bytes that taking in a tier of n states needs.
    fn room(&self, states: u64) -> u64 {
        let _ = states;
        0
    }

    /// A tier has been found, or solved, part by part: its states are not given. `parts` is how many parts it has,
    /// and how many numbers for states these have.
    fn counted(
        &mut self,
        number: usize,
        count: &Count,
        parts: (u64, u64),
        solved: bool,
    ) -> Result<(), ExplicitError> {
        let _ = (number, count, parts, solved);
        Ok(())
    }

    /// The states that are solved part by part are to be given one by one.
    fn wants_states(&self) -> bool {
        false
    }

    /// A state in which the game goes on is solved; they come in no order.
    fn settled(&mut self, number: usize, state: K, code: Code, distance: Distance, outcomes: &CodeTable) {
        let _ = (number, state, code, distance, outcomes);
    }

    /// Nothing that was told holds any more: everything is told again.
    fn begins_again(&mut self) {}

    /// The states of a tier are known; those in which the game goes on are given in ascending order.
    fn found(
        &mut self,
        number: usize,
        count: &Count,
        going: &[K],
        outcomes: &CodeTable,
    ) -> Result<(), ExplicitError> {
        let _ = (number, count, going, outcomes);
        Ok(())
    }

    /// Their values are known, in the same order, and how many states have each code.
    fn solved(
        &mut self,
        number: usize,
        going: &[K],
        values: &Values,
        by_code: Vec<u64>,
        outcomes: &CodeTable,
    ) -> Result<(), ExplicitError> {
        let _ = (number, going, values, by_code, outcomes);
        Ok(())
    }
}

/// Is told of nothing.
impl<K> Observer<K> for () {}

/// What was found out.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The tiers in the order of play.
    pub tiers: Vec<Solved>,
    /// The results that occur.
    pub outcomes: CodeTable,
    /// What the start is worth; none if states were only counted.
    pub value: Option<Valuation>,
    /// Every move leads to a later tier, so that every play ends.
    pub every_move_leaves: bool,
    /// The states that waited on disk, each as often as it was written, and the bytes that they took there.
    pub on_disk: (u64, u64),
}

/// A tier of a solution.
#[derive(Clone, Debug)]
pub struct Solved {
    /// Its states.
    pub count: Count,
    /// For each player who moves, that player's states by code; empty if states were only counted.
    pub by_mover: Vec<Vec<u64>>,
    /// States from which play never has to end.
    pub endless: u64,
    /// The most moves to the end of states that somebody wins.
    pub longest_win: Option<u64>,
}

impl Solution {
    /// All states.
    pub fn positions(&self) -> u128 {
        self.tiers.iter().map(|tier| u128::from(tier.count.positions)).sum()
    }
}

/// The bits that a state takes.
pub fn width(game: &Game) -> u32 {
    Packing::new(game, &in_order(game)).bits
}

/// All variables in their order, as one block.
fn in_order(game: &Game) -> Vec<Vec<VarId>> {
    vec![(0..game.variables().len()).map(|var| VarId(var as u32)).collect()]
}

/// Finds all states that can be reached, and what they are worth. The keys must be wide enough for [`width`].
pub fn solve<K: Width>(
    game: &Game,
    options: &Options,
    observer: &mut dyn Observer<K>,
) -> Result<Solution, ExplicitError> {
    if options.dense {
        return K::dense(game, options, observer)?.ok_or(ExplicitError::NoParts);
    }
    find(game, options, observer)?.solve(observer)
}

/// All states that can be reached.
pub struct Found<'a, K> {
    game: &'a Game,
    forward: Forward<'a, K>,
    solve: bool,
}

/// Finds all states that can be reached. The keys must be wide enough for [`width`].
pub fn find<'a, K: Width>(
    game: &'a Game,
    options: &Options,
    observer: &mut dyn Observer<K>,
) -> Result<Found<'a, K>, ExplicitError> {
    K::find(game, options, observer)
}

impl<K: Width> Found<'_, K> {
    /// Finds out what they are worth, if that is asked for.
    pub fn solve(self, observer: &mut dyn Observer<K>) -> Result<Solution, ExplicitError> {
        K::solve(self, observer)
    }
}

impl<'a, K: Key> Found<'a, K> {
    pub(crate) fn find(
        game: &'a Game,
        options: &Options,
        observer: &mut dyn Observer<K>,
    ) -> Result<Self, ExplicitError> {
        let bits = width(game);
        if bits > K::BITS {
            return Err(ExplicitError::TooWide { bits });
        }
        let mut forward = Forward::<K>::new(game, options);
        forward.run(observer)?;
        Ok(Found { game, forward, solve: options.solve })
    }

    /// How many there are.
    pub fn positions(&self) -> u64 {
        self.forward.positions()
    }

    /// Their values can be found within the memory, without a disk.
    pub fn fits(&self) -> bool {
        !self.solve || self.forward.settling_bytes() <= self.forward.shelf.left()
    }

    /// Tells an observer what was found, if it was not told on the way.
    pub fn tell(&mut self, observer: &mut dyn Observer<K>) -> Result<(), ExplicitError> {
        let shelf = &mut self.forward.shelf;
        for number in 0..shelf.tiers.len() {
            shelf.fetch(number)?;
            let tier = &shelf.tiers[number];
            let Held::Here(states, _) = &tier.held else { return Err(ExplicitError::Damaged) };
            observer.found(number, &tier.count, states.going.keys(), &self.forward.outcomes)?;
        }
        Ok(())
    }

    pub(crate) fn settle(self, observer: &mut dyn Observer<K>) -> Result<Solution, ExplicitError> {
        let Found { game, mut forward, solve } = self;
        let found = &forward.shelf.tiers;
        let every_move_leaves = found.iter().all(|tier| tier.inside == Some(0));
        let counted = |count| Solved { count, by_mover: vec![], endless: 0, longest_win: None };
        let mut tiers: Vec<Solved> = found.iter().map(|tier| counted(tier.count.clone())).collect();
        if !solve {
            let on_disk = forward.shelf.scratch.all_written();
            return Ok(Solution {
                tiers,
                outcomes: forward.outcomes,
                value: None,
                every_move_leaves,
                on_disk,
            });
        }
        let start: K = forward.expander.pack(game.initial());
        forward.expander.load(&[start]);
        let ended = forward.expander.has_ended(0).then(|| forward.expander.rewards(0));
        let mut backward = Backward::new(game, &mut forward);
        for number in (0..tiers.len()).rev() {
            let movers = backward.solve(number, observer)?;
            backward.make_room(number, observer.room(movers.len() as u64))?;
            let outcomes = backward.outcomes();
            let (states, Some(values)) = backward.tier(number)? else { return Err(ExplicitError::Damaged) };
            let solved = &mut tiers[number];
            solved.by_mover = vec![vec![0; outcomes.len()]; game.players().len()];
            let each = values.codes.iter().zip(&values.distances).zip(&movers);
            for (((&code, &distance), player), &key) in each.zip(states.going.keys()) {
                let all = backward.stands_for(key);
                solved.by_mover[player.index()][usize::from(code)] += all;
                if distance == NEVER_ENDS {
                    solved.endless += all;
                } else if outcomes.rewards(code).leader().is_some() {
                    solved.longest_win = solved.longest_win.max(Some(distance.into()));
                }
            }
            drop(movers);
            let mut by_code = vec![0; outcomes.len()];
            for of_player in &solved.by_mover {
                by_code.iter_mut().zip(of_player).for_each(|(all, some)| *all += some);
            }
            observer.solved(number, states.going.keys(), values, by_code, outcomes)?;
        }
        let value = match ended {
            Some(rewards) => Valuation::ended(rewards),
            None => {
                let (states, Some(values)) = backward.tier(0)? else { return Err(ExplicitError::Damaged) };
                let worth = values.worth(states.going.rank(start).ok_or(ExplicitError::Damaged)?);
                let remoteness = match worth.distance {
                    NEVER_ENDS => Remoteness::Endless,
                    plies => Remoteness::Plies(plies.into()),
                };
                Valuation { rewards: backward.outcomes().rewards(worth.code), remoteness }
            }
        };
        let outcomes = backward.outcomes().clone();
        let on_disk = forward.shelf.scratch.all_written();
        Ok(Solution { tiers, outcomes, value: Some(value), every_move_leaves, on_disk })
    }
}
