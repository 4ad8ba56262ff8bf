//! The player: one match at a time, and an answer to every message.

use crate::event::Event;
use crate::game::{Match, Setting, deadline};
use crate::message::Message;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Hears of what happens.
pub type Log = Arc<dyn Fn(&Event) + Send + Sync>;

/// What a player may use, and what it is called.
#[derive(Clone)]
pub struct Config {
    /// The name that INFO tells: a word without blanks and parentheses.
    pub name: String,
    /// The memory for solving and searching together, in bytes.
    pub memory: u64,
    /// The threads that solve.
    pub threads: usize,
    /// Where solutions are kept; none: only as long as the match lasts.
    pub cache: Option<winset::Cache>,
    /// What reading rules may cost.
    pub gdl: winset_gdl::Options,
    /// Hears of every match and move.
    pub log: Option<Log>,
}

impl Default for Config {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Config {
            name: "winset".to_owned(),
            memory: winset::default_budget(),
            // One core is left to the search, and to answers.
            threads: cores.saturating_sub(1).max(1),
            cache: None,
            gdl: winset_gdl::Options::default(),
            log: None,
        }
    }
}

impl Config {
    pub(crate) fn tell(&self, event: &Event) {
        if let Some(log) = &self.log {
            log(event);
        }
    }
}

/// A player. It can be asked by many connections at once; it plays one match at a time.
///
/// ```
/// use winset_player::{Config, Message, Player};
/// let player = Player::new(Config::default());
/// assert_eq!(player.answer(Message::Info), "( (name winset) (status available) (species program) )");
/// assert_eq!(player.answer(Message::read("( PLAY nobody.1 NIL )").unwrap()), "busy");
/// ```
pub struct Player {
    config: Arc<Config>,
    current: Mutex<Option<Arc<Match>>>,
    slot: Arc<Mutex<()>>,
}

impl Player {
    /// A player who is free.
    pub fn new(config: Config) -> Self {
        Player { config: Arc::new(config), current: Mutex::default(), slot: Arc::default() }
    }

    /// The answer to a message that has come just now.
    pub fn answer(&self, message: Message) -> String {
        self.answer_at(message, Instant::now())
    }

    /// The same for a message that came at a given time, from which its clock counts.
    pub fn answer_at(&self, message: Message, received: Instant) -> String {
        match message {
            Message::Info => {
                let status = if self.is_free(received) { "available" } else { "busy" };
                format!("( (name {}) (status {status}) (species program) )", self.config.name)
            }
            Message::Preview { .. } => if self.is_free(received) { "ready" } else { "busy" }.to_owned(),
            Message::Start { id, role, rules, start_clock, play_clock } => {
                self.start(Setting { id, role, rules, start_clock, play_clock }, received)
            }
            Message::Play { id, moves } => match self.find(&id) {
                Some(game) => game.play(moves, received, &self.config),
                None => "busy".to_owned(),
            },
            Message::Stop { id, moves } => match self.take(&id) {
                Some(game) => {
                    // Whoever still thinks about the match is to stop first.
                    game.stop();
                    let goals = game.end(moves, &self.config);
                    self.over(&game, "stop", goals);
                    "done".to_owned()
                }
                None => "busy".to_owned(),
            },
            Message::Abort { id } => match self.take(&id) {
                Some(game) => {
                    self.over(&game, "abort", None);
                    "aborted".to_owned()
                }
                None => "busy".to_owned(),
            },
        }
    }

    fn current(&self) -> std::sync::MutexGuard<'_, Option<Arc<Match>>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_free(&self, now: Instant) -> bool {
        let current = self.current().clone();
        current.is_none_or(|game| game.is_stale(now))
    }

    fn find(&self, id: &str) -> Option<Arc<Match>> {
        self.current().clone().filter(|game| game.setting.id == id)
    }

    fn take(&self, id: &str) -> Option<Arc<Match>> {
        let mut current = self.current();
        if current.as_ref().is_some_and(|game| game.setting.id == id) { current.take() } else { None }
    }

    fn over(&self, game: &Match, how: &'static str, goals: Option<Vec<u8>>) {
        game.stop();
        self.config.tell(&Event::End { id: game.setting.id.clone(), how, goals });
    }

    fn start(&self, setting: Setting, received: Instant) -> String {
        let (id, start_clock) = (setting.id.clone(), setting.start_clock);
        let game = {
            let mut current = self.current();
            if let Some(old) = current.take() {
                // A match that is begun again, or whose server is gone, makes room.
                if old.setting.id != id && !old.is_stale(received) {
                    *current = Some(old);
                    drop(current);
                    self.config.tell(&Event::Busy { id });
                    return "busy".to_owned();
                }
                self.over(&old, "dropped", None);
            }
            self.config.tell(&Event::Start {
                id: id.clone(),
                role: setting.role.clone(),
                start_clock,
                play_clock: setting.play_clock,
            });
            let game = Arc::new(Match::begin(setting, &self.config, &self.slot, received));
            *current = Some(game.clone());
            game
        };
        if game.prepare(deadline(received, start_clock)) {
            return "ready".to_owned();
        }
        // Nobody can play these rules: the next match is welcome.
        let mut current = self.current();
        if current.as_ref().is_some_and(|current| Arc::ptr_eq(current, &game)) {
            *current = None;
        }
        "busy".to_owned()
    }
}
