//! Two-bit retrograde analysis with rank and unrank on the layers' diagrams (the hybrid paper's Figure 4): the
//! hybrid of symbolic forward search and explicit backward search, as the paper has it, for comparison.

use crate::diagram::Diagram;
use crate::error::SymbolicError;
use crate::game::SymbolicGame;
use crate::layers::Layer;
use crate::rank::Ranked;
use crate::space::Space;
use std::time::{Duration, Instant};
use winset_model::{Explicit, Game, MoveId, Player, Rewards, State};

/// How a state is found to be terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoalTest {
    /// The rules are evaluated on the state.
    Direct,
    /// The state is looked up in the diagrams of the layer's terminal states by reward.
    Diagram,
    /// None of its successors is in the next layer; then the rules say who gets what.
    NoSuccessors,
}

/// Two bits a state: 0 not evaluated, 1 won by the first player, 2 by the second, 3 drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TwoBits(Vec<u8>);

impl TwoBits {
    fn get(&self, i: u64) -> u8 {
        self.0[(i / 4) as usize] >> (i % 4 * 2) & 3
    }
}

/// One solved layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TwoBitLayer {
    /// The layer.
    pub index: i64,
    /// Its states.
    pub states: u64,
    /// The nodes of its diagram.
    pub nodes: usize,
    /// Won by the first player, drawn, won by the second.
    pub counts: [u64; 3],
    /// The bytes of its values.
    pub bytes: usize,
    /// Wall-clock time.
    pub time: Duration,
}

const FIRST: u8 = 1;
const SECOND: u8 = 2;
const DRAWN: u8 = 3;

/// Solves layers that follow each other without gaps, all moves leading from one to the next, from the last
/// to the first.
pub fn two_bit<F: Diagram>(
    game: &SymbolicGame<'_, F>,
    layers: &[Layer<F>],
    goal: GoalTest,
    threads: usize,
) -> Result<Vec<TwoBitLayer>, SymbolicError> {
    if !game.game.is_win_draw_loss() {
        return Err(SymbolicError::NotWinDrawLoss("two-bit retrograde analysis"));
    }
    let space = &game.symbolic.space;
    let mut solved: Vec<TwoBitLayer> = vec![];
    let mut next: Option<(Ranked, TwoBits)> = None;
    for layer in layers.iter().rev() {
        let began = Instant::now();
        let ranked = space.ranked(&layer.states)?;
        let terminal = match goal {
            GoalTest::Diagram => game.by_rewards(&space.diff(&layer.states, &layer.going_on)?)?,
            _ => vec![],
        };
        let flat = terminal.into_iter().map(|(rewards, set)| Ok((rewards, space.ranked(&set)?)));
        let terminal = flat.collect::<Result<Vec<_>, SymbolicError>>()?;
        let (game, places) = (game.game, Places::new(space));
        let scan = Scan { game, places, ranked: &ranked, terminal, next: &next, goal };
        let values = scan.all(threads.max(1))?;
        let mut counts = [0; 3];
        for i in 0..ranked.len() {
            match values.get(i) {
                FIRST => counts[0] += 1,
                SECOND => counts[2] += 1,
                _ => counts[1] += 1,
            }
        }
        solved.push(TwoBitLayer {
            index: layer.index,
            states: ranked.len(),
            nodes: ranked.nodes(),
            counts,
            bytes: values.0.len(),
            time: began.elapsed(),
        });
        next = Some((ranked, values));
    }
    solved.reverse();
    Ok(solved)
}

/// One layer's scan.
struct Scan<'a> {
    game: &'a Game,
    places: Places,
    ranked: &'a Ranked,
    terminal: Vec<(Rewards, Ranked)>,
    next: &'a Option<(Ranked, TwoBits)>,
    goal: GoalTest,
}

impl Scan<'_> {
    /// All states, in as many runs as there are threads; a run is a whole number of bytes.
    fn all(&self, threads: usize) -> Result<TwoBits, SymbolicError> {
        let run = self.ranked.len().div_ceil(threads as u64).next_multiple_of(4).max(4);
        let runs: Vec<_> = (0..self.ranked.len()).step_by(run as usize).collect();
        let done: Vec<Result<Vec<u8>, SymbolicError>> = std::thread::scope(|scope| {
            let work = |from: u64| scope.spawn(move || self.run(from, (from + run).min(self.ranked.len())));
            let handles: Vec<_> = runs.into_iter().map(work).collect();
            handles.into_iter().map(|handle| handle.join().expect("a scan does not panic")).collect()
        });
        Ok(TwoBits(done.into_iter().collect::<Result<Vec<_>, _>>()?.concat()))
    }

    fn run(&self, from: u64, to: u64) -> Result<Vec<u8>, SymbolicError> {
        let mut explicit = Explicit::new(self.game);
        let mut bytes = vec![0u8; (to - from).div_ceil(4) as usize];
        let mut start = from;
        while start < to {
            let end = (start + 64).min(to);
            let state = |i| self.places.state(&self.ranked.unrank(i).expect("below the number of states"));
            explicit.load((start..end).map(state).collect());
            for i in start..end {
                let value = self.value(&explicit, (i - start) as usize)?;
                bytes[((i - from) / 4) as usize] |= value << ((i - from) % 4 * 2);
            }
            start = end;
        }
        Ok(bytes)
    }

    fn value(&self, explicit: &Explicit<'_>, lane: usize) -> Result<u8, SymbolicError> {
        let at = explicit.lane(lane);
        let given = match self.goal {
            GoalTest::Direct => at.rewards(),
            GoalTest::Diagram => {
                let word = self.places.word(at.state());
                let found = self.terminal.iter().find(|(_, set)| set.rank(&word).is_some());
                found.map(|&(rewards, _)| rewards)
            }
            GoalTest::NoSuccessors => None,
        };
        if let Some(rewards) = given {
            return Ok(code(rewards));
        }
        let mover = at.turn();
        let (best, worst) = if mover == Some(Player(0)) { (FIRST, SECOND) } else { (SECOND, FIRST) };
        let mut value = 0;
        for (id, m) in self.game.moves().iter().enumerate() {
            if Some(m.player) != mover || !at.holds(m.guard) {
                continue;
            }
            let Some((ranked, values)) = self.next else { continue };
            let Some(rank) = ranked.rank(&self.places.word(&at.apply(MoveId::new(id)))) else { continue };
            let there = values.get(rank);
            if there == best {
                return Ok(best);
            }
            value = if there == DRAWN || value == DRAWN { DRAWN } else { worst };
        }
        match value {
            0 => match at.rewards() {
                Some(rewards) => Ok(code(rewards)),
                None => Err(SymbolicError::Stuck(self.game.print(at.state()))),
            },
            value => Ok(value),
        }
    }
}

fn code(rewards: Rewards) -> u8 {
    match rewards.leader() {
        Some(Player(0)) => FIRST,
        Some(_) => SECOND,
        None => DRAWN,
    }
}

/// Words of bits to states and back.
pub struct Places {
    /// By position from the root: the variable, its first bit, its codes.
    groups: Vec<(usize, usize, Vec<crate::encode::Code>)>,
    bits: usize,
}

impl Places {
    /// The places of a space.
    pub fn new<F: Diagram>(space: &Space<F>) -> Self {
        let mut bits = 0;
        let mut groups = vec![];
        for &var in space.order() {
            let place = space.place(var);
            groups.push((var.index(), bits, place.codes.clone()));
            bits += place.levels.len();
        }
        Places { groups, bits }
    }

    /// The state that a word stands for; words without one must not occur.
    pub fn state(&self, word: &[bool]) -> State {
        let mut values = vec![0; self.groups.len()];
        for (var, first, codes) in &self.groups {
            let width = codes[0].len();
            let value = crate::encode::decode(codes, &word[*first..first + width]);
            values[*var] = value.expect("the word of a state");
        }
        State(values.into())
    }

    /// The word of a state, bits without meaning 0.
    pub fn word(&self, state: &State) -> Vec<bool> {
        let mut word = vec![false; self.bits];
        for (var, first, codes) in &self.groups {
            for (i, bit) in codes[state.0[*var] as usize].iter().enumerate() {
                word[first + i] = bit.unwrap_or(false);
            }
        }
        word
    }
}
