//! A player for game servers: the protocol of general game playing (GGP) over HTTP.
//!
//! A server sends rules in GDL that nobody has seen before, and clocks. What can be solved while the start clock runs is
//! solved and then played perfectly; otherwise a UCT search plays, with what is solved so far as its leaves, while solving
//! goes on. Every game that can be grounded gets legal moves, also where roles move at the same time.
//!
//! ```
//! use winset_player::{Config, Message, Player};
//! let player = Player::new(Config::default());
//! let rules = "(role you) (init start) (<= (legal you (say ?w)) (word ?w)) (word yes) (word no)
//!              (<= (next (said ?w)) (does you (say ?w))) (<= terminal (true (said ?w)))
//!              (<= (goal you 100) (true (said yes))) (<= (goal you 0) (true (said no)))";
//! let say = |text: &str| player.answer(Message::read(text).unwrap());
//! assert_eq!(say(&format!("( START m.1 you ({rules}) 10 10 )")), "ready");
//! assert_eq!(say("( PLAY m.1 NIL )"), "(say yes)");
//! assert_eq!(say("( STOP m.1 ((say yes)) )"), "done");
//! ```

mod event;
mod game;
mod http;
mod interpret;
mod knowledge;
mod message;
mod player;
mod search;
mod server;
mod tree;

pub use event::{Event, How};
pub use message::{Message, MessageError, canonical};
pub use player::{Config, Log, Player};
pub use server::{Server, Stopper};
