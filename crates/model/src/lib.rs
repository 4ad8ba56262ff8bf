//! A game as data: the one statement of its rules.
//!
//! A [`Game`] has finite-domain variables, shared Boolean expressions over `variable = value`, guarded
//! moves with updates, a terminal condition, rewards, whose turn it is, and the text of its states and
//! moves. The explicit semantics ([`Explicit`]: legal moves, successors, outcomes) and the transition
//! [`System`] that symbolic engines compile both come from that one value, so they cannot disagree.
//!
//! This crate knows no solver and no file format.
//!
//! ```
//! use winset_model::{Explicit, GameBuilder, Player, Update};
//!
//! // One heap of three stones; take one or two; who takes the last stone wins.
//! let mut game = GameBuilder::new("heap", ["first", "second"]);
//! let turn = game.add_turn();
//! let heap = game.add_variable("heap", ["0", "1", "2", "3"]);
//! for player in Player::all(2) {
//!     for take in 1..=2u16 {
//!         let cases: Vec<_> = (take..=3).map(|n| (game.exprs.is(heap, n), n - take)).collect();
//!         let guard = game.exprs.or(cases.iter().map(|&(is, _)| is));
//!         let pass_turn = game.hand_over(turn, player);
//!         game.add_move(format!("take {take}"), player, guard, [Update { var: heap, cases }, pass_turn]);
//!     }
//! }
//! let empty = game.exprs.is(heap, 0);
//! game.terminal.push(empty);
//! for winner in Player::all(2) {
//!     let last_moved = game.exprs.is(turn, winner.other().value());
//!     game.reward_winner(winner, last_moved);
//! }
//! game.initial = game.state([0, 3]);
//! let game = game.build().unwrap();
//!
//! let mut explicit = Explicit::new(&game);
//! let start = explicit.at(game.initial());
//! assert_eq!(start.moves().count(), 2);
//! ```

mod before;
mod board;
mod builder;
mod codes;
mod explicit;
mod expr;
mod facts;
mod family;
mod game;
mod lanes;
mod names;
mod pieces;
mod system;
mod text;
mod value;
mod variable;
mod wrong;

pub use before::Predecessors;
pub use board::{Board, Origin, Owner};
pub use builder::GameBuilder;
pub use codes::{Code, CodeTable, TooManyCodes};
pub use explicit::{At, Explicit};
pub use expr::{Expr, ExprId, Exprs, Operands, SystemId};
pub use facts::Facts;
pub use family::{Choice, Choices, Family, FamilyError, Member, Number};
pub use game::{Forbidden, Game, Move, MoveId, Player, Update};
pub use lanes::{Lanes, Part, evaluation_order};
pub use names::similar;
pub use system::{Relation, System};
pub use text::{TextCode, TextError, grouped};
pub use value::{
    Liking, MOST_PLAYERS, Opponent, Outcome, Remoteness, Rewards, Standing, TooManyPlayers, Valuation,
};
pub use variable::{State, Value, VarId, Variable};
pub use winset_diagnostic::{Notation, Visible, is_visible, visible, visible_lines};
pub use wrong::{ModelError, Place};
