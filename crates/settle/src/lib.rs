//! Settling states: what each is worth where play can go round in circles.
//!
//! This is retrograde analysis of one tier: the states between which play can go back and forth, after everything that leaves
//! the tier is known. Every state is settled once, from the end on. Results are settled class by class. Where players want
//! the opposite, a state gets a result that its mover likes better than endless play as soon as one move leads to it, and one
//! that it likes less when all moves lead to such: the best of them. Classes go from each player's best result on, so the
//! first one that comes is the right one; inside a class the nearest states come first, so that who hurries has the least
//! distance and who does not the greatest. What is never settled is endless play, with the distance of the nearest end that
//! is worth the same.
//!
//! Engines say how states and moves are found and where values are kept. Two players who each have one other state to go to, and
//! a way out to a win for the first:
//!
//! ```
//! use winset_model::{CodeTable, Opponent, Player, Rewards};
//! use winset_settle::{Settling, Wishes, Worth};
//!
//! let mut outcomes = CodeTable::new(2, Opponent::Difference);
//! let won = outcomes.add(Rewards::from([100, 0]))?;
//! outcomes.add(Rewards::from([0, 100]))?;
//! let wishes = Wishes::new(&outcomes, 2, &[true; 3]);
//! let mut settling = Settling::new(&wishes, 2);
//! let mut share = settling.shares(2).pop().unwrap();
//! (share.mover[0], share.mover[1]) = (Player(0), Player(1));
//! share.go(0, 1);
//! share.go(1, 0);
//! share.know(0, Worth { code: won, distance: 0 });
//! let found = (share.agenda, share.moves);
//! settling.take_in(vec![found]);
//! let (values, _) = settling.run().expect("what one wants the other does not");
//! assert_eq!(values.codes, [won, won]);
//! assert_eq!(values.distances, [1, 2]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod agenda;
mod settling;
mod wishes;

pub use agenda::Agenda;
pub use settling::{Found, KEPT, MOVE, SETTLING, Settling, Share, Values};
pub use wishes::{Distance, NEVER_ENDS, NOTHING, Wishes, Worth, before};
