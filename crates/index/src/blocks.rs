//! How a state is cut into digits.

use rustc_hash::FxHashMap;
use thiserror::Error;
use winset_model::{State, Value, VarId};

/// The contents of one block, numbered as they occurred.
pub type Digit = u16;

/// Some variables of the game and the combinations of their values that occur.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// The variables, in a fixed order.
    pub vars: Vec<VarId>,
    /// The values of those variables for each digit.
    pub digits: Vec<Box<[Value]>>,
    numbers: FxHashMap<Box<[Value]>, Digit>,
}

impl Block {
    /// A block of these variables in which nothing has occurred yet.
    pub fn new(vars: Vec<VarId>) -> Self {
        Block { vars, ..Default::default() }
    }

    /// The digit of a combination of values, if it has occurred.
    pub fn digit(&self, values: &[Value]) -> Option<Digit> {
        self.numbers.get(values).copied()
    }

    /// The digit of a combination of values, a new one if need be.
    pub fn add(&mut self, values: &[Value]) -> Result<Digit, BlocksError> {
        if let Some(digit) = self.digit(values) {
            return Ok(digit);
        }
        let digit = Digit::try_from(self.digits.len()).map_err(|_| BlocksError::TooManyDigits)?;
        self.digits.push(values.into());
        self.numbers.insert(values.into(), digit);
        Ok(digit)
    }
}

/// Why states cannot be cut like this.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum BlocksError {
    /// A block has more local states than digits can number.
    #[error("a block takes on more than 65,536 combinations of values; smaller blocks would do")]
    TooManyDigits,
    /// The blocks are not a partition of the variables.
    #[error("variable number {0} must be in exactly one block")]
    NotAPartition(usize),
}

/// A partition of the game's variables into blocks, in the order of the index's levels.
///
/// ```
/// use winset_index::{Block, Blocks};
/// use winset_model::{State, VarId};
/// let mut blocks = Blocks::new(vec![vec![VarId(1)], vec![VarId(0), VarId(2)]], 3).unwrap();
/// let state = State(Box::new([7, 8, 9]));
/// let digits = blocks.add(&state).unwrap();
/// assert_eq!(digits, [0, 0]);
/// assert_eq!(blocks.state(&digits), state);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocks {
    /// The blocks, topmost level first.
    pub blocks: Vec<Block>,
    variables: usize,
}

impl Blocks {
    /// Cuts `variables` variables into these groups; each must be in exactly one.
    pub fn new(groups: Vec<Vec<VarId>>, variables: usize) -> Result<Self, BlocksError> {
        let mut seen = vec![0usize; variables];
        for var in groups.iter().flatten() {
            *seen.get_mut(var.index()).ok_or(BlocksError::NotAPartition(var.index()))? += 1;
        }
        if let Some(var) = seen.iter().position(|&n| n != 1) {
            return Err(BlocksError::NotAPartition(var));
        }
        Ok(Blocks { blocks: groups.into_iter().map(Block::new).collect(), variables })
    }

    /// The number of blocks, which is the number of levels.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// No blocks, so a single empty state.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The digits of a state, if each has occurred.
    pub fn digits(&self, state: &State) -> Option<Vec<Digit>> {
        let local = |block: &Block| block.vars.iter().map(|&var| state[var]).collect::<Vec<Value>>();
        self.blocks.iter().map(|block| block.digit(&local(block))).collect()
    }

    /// The digits of a state, new ones if need be.
    pub fn add(&mut self, state: &State) -> Result<Vec<Digit>, BlocksError> {
        let local = |block: &Block| block.vars.iter().map(|&var| state[var]).collect::<Vec<Value>>();
        self.blocks.iter_mut().map(|block| block.add(&local(block))).collect()
    }

    /// The state with these digits.
    pub fn state(&self, digits: &[Digit]) -> State {
        let mut state = State(vec![0; self.variables].into());
        for (block, &digit) in self.blocks.iter().zip(digits) {
            for (&var, &value) in block.vars.iter().zip(&block.digits[digit as usize]) {
                state[var] = value;
            }
        }
        state
    }
}
