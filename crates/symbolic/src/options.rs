//! The choices that change how diagrams look and are built, never what they mean.

use crate::error::SymbolicError;
use std::str::FromStr;
use winset_work::Work;

/// Which diagrams are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// Complement edges: a set and its complement share their nodes.
    #[default]
    Complement,
    /// Plain reduced ordered binary decision diagrams.
    Plain,
}

/// How the values of a variable become bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// As many bits as the number of values needs, every value one code; the codes that are left over are
    /// unused.
    Standard,
    /// Value 0 (the empty square) takes the unused codes as well, so that it is known after fewer bits: the
    /// 3T encoding.
    #[default]
    ShortEmpty,
    /// The values' numbers in binary; the codes that are left over come last, as in the Breakthrough thesis.
    Binary,
    /// As [`Encoding::Binary`], but the last value takes the unused codes as well, so that it is known after fewer bits: the
    /// Breakthrough thesis's Figure 4.2, where that is a black pawn.
    ShortLast,
    /// The values' numbers in binary, counted so that the codes that are left over come first: what the hybrid paper's
    /// numbers of nodes come out with.
    UnusedFirst,
}

/// The order of the variables in the diagrams, from the root down.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The blocks that the game states, otherwise as [`Order::Model`], but variables with many more values
    /// than most above the others.
    #[default]
    Auto,
    /// As the game lists its variables.
    Model,
    /// Row by row from the top left (VO_a).
    Rows,
    /// Rings from the outside in, the four corners of a ring first (VO_b).
    RingsInward,
    /// Rings from the inside out: the reverse of [`Order::RingsInward`] (VO_c).
    RingsOutward,
    /// Column by column from the top left.
    Columns,
    /// Diagonals from the top left corner.
    Diagonal,
    /// The variables' names; all of them, though the turn may be left out.
    List(Vec<String>),
}

impl Order {
    const NAMES: [(&'static str, Order); 7] = [
        ("auto", Order::Auto),
        ("model", Order::Model),
        ("rows", Order::Rows),
        ("rings-in", Order::RingsInward),
        ("rings-out", Order::RingsOutward),
        ("columns", Order::Columns),
        ("diagonal", Order::Diagonal),
    ];

    /// The names of all orders but lists, as the user writes them.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::NAMES.iter().map(|(name, _)| *name)
    }
}

/// ```
/// use winset_symbolic::Order;
/// assert_eq!("rings-in".parse(), Ok(Order::RingsInward));
/// assert_eq!("b1,a1".parse(), Ok(Order::List(vec!["b1".into(), "a1".into()])));
/// assert!("ringsin".parse::<Order>().is_err());
/// ```
impl FromStr for Order {
    type Err = SymbolicError;

    fn from_str(text: &str) -> Result<Self, SymbolicError> {
        let alias = match text {
            "vo-a" => "rows",
            "vo-b" => "rings-in",
            "vo-c" => "rings-out",
            other => other,
        };
        if let Some((_, order)) = Self::NAMES.iter().find(|(name, _)| *name == alias) {
            return Ok(order.clone());
        }
        if text.contains(',') {
            return Ok(Order::List(text.split(',').map(|name| name.trim().to_owned()).collect()));
        }
        let all: Vec<&str> = Self::names().collect();
        Err(SymbolicError::OrderName(text.to_owned(), all.join(", ")))
    }
}

/// Where the variable goes that says whose turn it is, and others beside the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TurnPlace {
    /// Above all others.
    #[default]
    Top,
    /// Below all others.
    Bottom,
}

/// How the transition relation is cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Partition {
    /// Moves joined as long as the joint relation stays small.
    #[default]
    Clustered,
    /// One relation per move.
    PerMove,
    /// One relation per player.
    Monolithic,
    /// This number of relations, neighbouring moves joined evenly; of each player, where players are kept apart. Zero
    /// counts as one, and no part is without a move.
    Parts(usize),
    /// Like [`Partition::Clustered`], and what a move says of each variable is kept apart too, however small. Otherwise
    /// that is done where a system has few relations and one of them would be large.
    Conjuncts,
}

/// All choices together.
///
/// ```
/// use winset_symbolic::{Encoding, Options};
/// let options = Options { encoding: Encoding::Standard, ..Options::default() };
/// assert_eq!(options.threads, 1);
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    /// Which diagrams are used.
    pub kind: Kind,
    /// How values become bits.
    pub encoding: Encoding,
    /// The order of the variables.
    pub order: Order,
    /// Where the turn goes.
    pub turn: TurnPlace,
    /// How the transition relation is cut.
    pub partition: Partition,
    /// The memory budget in bytes, for diagrams and everything else in the process.
    pub memory: u64,
    /// The number of threads.
    pub threads: u32,
    /// Counts the steps, and says whether to go on.
    pub work: Work,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            kind: Kind::default(),
            encoding: Encoding::default(),
            order: Order::default(),
            turn: TurnPlace::default(),
            partition: Partition::default(),
            memory: 4 << 30,
            threads: 1,
            work: Work::default(),
        }
    }
}
