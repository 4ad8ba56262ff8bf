//! What follows a state, for 256 states at a time.

use crate::orbits::Orbits;
use crate::pack::{Key, Packing};
use crate::program::{LANES, Literal, Program, WORDS};
use std::sync::Arc;
use winset_model::{Game, Player, Rewards, State, VarId};

/// Expands packed states by the rules of a game.
///
/// ```
/// use winset_explicit::Expander;
/// let game = winset_games::build("tictactoe", None, &Default::default()).unwrap();
/// let mut expander = Expander::<u64>::new(&game, &[game.variables().iter().enumerate().map(|(i, _)| winset_model::VarId(i as u32)).collect()]);
/// let start = expander.pack(game.initial());
/// let mut successors = vec![];
/// expander.expand(&[start], &mut successors);
/// assert_eq!(successors.len(), 9);
/// ```
#[derive(Clone)]
pub struct Expander<K> {
    packing: Packing,
    program: Program<K>,
    /// Cases that hold for some of the states under a move.
    active: Vec<(u64, K, K)>,
    /// What follows is given as the state that stands for it.
    orbits: Option<Arc<Orbits<K>>>,
}

/// A state that follows one of the batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Successor<K> {
    /// The state before, by its place in the batch.
    pub lane: u16,
    /// The state.
    pub key: K,
}

impl<K: Key> Expander<K> {
    /// Compiles the rules. The variables are packed in the order of the blocks; every variable is in one block.
    pub fn new(game: &Game, blocks: &[Vec<VarId>]) -> Self {
        let packing = Packing::new(game, blocks);
        assert!(packing.bits <= K::BITS, "a state fits into a key");
        let program = Program::new(game, &packing);
        Expander { packing, program, active: vec![], orbits: None }
    }

    /// The same rules; what follows a state is given as the state that stands for it.
    pub(crate) fn up_to(self, orbits: Arc<Orbits<K>>) -> Self {
        Expander { orbits: Some(orbits), ..self }
    }

    /// The states that stand for others, if some do.
    pub(crate) fn orbits(&self) -> Option<&Orbits<K>> {
        self.orbits.as_deref()
    }

    /// How many states a state stands for.
    pub(crate) fn stands_for(&self, key: K) -> u64 {
        self.orbits().map_or(1, |orbits| orbits.size(key))
    }

    /// Where the variables are.
    pub fn packing(&self) -> &Packing {
        &self.packing
    }

    /// A state as a key.
    pub fn pack(&self, state: &State) -> K {
        self.packing.pack(state)
    }

    /// The state of a key.
    pub fn unpack(&self, key: K) -> State {
        self.packing.unpack(key)
    }

    /// Looks at up to [`LANES`] states: who is to move, and what the players get where the game has ended.
    pub fn load(&mut self, keys: &[K]) {
        self.program.load(keys);
    }

    /// Looks at up to [`LANES`] states, and adds what follows each of them, move by move; a state that two moves lead
    /// to comes twice.
    pub fn expand(&mut self, keys: &[K], successors: &mut Vec<Successor<K>>) {
        self.expand_in_spans(keys, successors, None);
    }

    /// The same; what stands side by side and came of the same bits being changed to the same is a span, and where each span
    /// begins is added too.
    #[inline]
    pub(crate) fn expand_in_spans(
        &mut self,
        keys: &[K],
        successors: &mut Vec<Successor<K>>,
        mut spans: Option<&mut Vec<usize>>,
    ) {
        self.load(keys);
        for m in &self.program.moves {
            let legal = self.program.bits(m.legal);
            let mut last = None;
            for (word, &legal) in legal.iter().enumerate().take(keys.len().div_ceil(64)) {
                let here = (keys.len() - 64 * word).min(64);
                let mut legal = if here == 64 { legal } else { legal & ((1 << here) - 1) };
                if legal == 0 {
                    continue;
                }
                let (mut clear, mut set) = (m.clear, m.set);
                self.active.clear();
                for case in &m.cases {
                    let when = self.program.bits(case.when)[word];
                    match when & legal {
                        0 => {}
                        all if all == legal => (clear, set) = (clear.or(case.clear), set.or(case.set)),
                        _ => self.active.push((when, case.clear, case.set)),
                    }
                }
                while legal != 0 {
                    let lane = legal.trailing_zeros();
                    legal &= legal - 1;
                    let lane_of_batch = 64 * word + lane as usize;
                    let (mut clear, mut set) = (clear, set);
                    for &(when, more_clear, more_set) in &self.active {
                        let bit = when >> lane;
                        (clear, set) = (clear.or(more_clear.masked(bit)), set.or(more_set.masked(bit)));
                    }
                    if let Some(spans) = &mut spans
                        && last != Some((clear, set))
                    {
                        last = Some((clear, set));
                        spans.push(successors.len());
                    }
                    let mut key = keys[lane_of_batch].changed(clear, set);
                    if let Some(orbits) = &self.orbits {
                        key = orbits.least(key);
                    }
                    successors.push(Successor { lane: lane_of_batch as u16, key });
                }
            }
        }
    }

    /// The steps of work that looking at a batch costs, when this many states follow.
    pub fn steps(&self, successors: usize) -> u64 {
        self.program.steps() + self.orbits().map_or(0, |orbits| orbits.steps(successors as u64))
    }

    fn holds(&self, literal: Literal, lane: usize) -> bool {
        self.program.bits(literal)[lane / 64] >> (lane % 64) & 1 == 1
    }

    /// The game has ended in this state of the batch.
    pub fn has_ended(&self, lane: usize) -> bool {
        !self.holds(self.program.goes_on, lane)
    }

    /// Whose turn it is in this state of the batch; nobody's if the rules do not say.
    pub fn turn(&self, lane: usize) -> Option<Player> {
        let turn = self.program.turn.iter().position(|&turn| self.holds(turn, lane));
        turn.map(Player::new)
    }

    /// What the players get in this state of the batch, in which the game has ended.
    pub fn rewards(&self, lane: usize) -> Rewards {
        let earned = |list: &Vec<(u8, Literal)>| {
            let first = list.iter().find(|&&(_, when)| self.holds(when, lane));
            first.map_or(0, |&(reward, _)| reward)
        };
        self.program.rewards.iter().map(earned).collect()
    }

    /// Something that must hold nowhere holds in a state of the batch: which, and where.
    pub fn forbidden(&self, states: usize) -> Option<(usize, usize)> {
        self.program.forbidden.iter().enumerate().find_map(|(number, &wrong)| {
            let bits = self.program.bits(wrong);
            let lanes = (0..WORDS).map(|word| 64 * word + bits[word].trailing_zeros() as usize);
            let mut inside = lanes.enumerate().filter(|&(word, lane)| lane < (64 * (word + 1)).min(states));
            inside.next().map(|(_, lane)| (number, lane))
        })
    }
}

const _: () = assert!(LANES <= u16::MAX as usize);
