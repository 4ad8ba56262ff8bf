//! One match: rules that are read and solved while the clock runs, the state of play, and the next move.

mod unground;

use crate::event::{Event, How};
use crate::interpret::{Rulebook, Truths};
use crate::knowledge::{self, Job, Knowledge, was_found};
use crate::player::Config;
use crate::search::{self, Table, look};
use crate::tree::Seen;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use winset::Cached;
use winset_gdl::{Action, Facts};
use winset_model::Player as Mover;

/// What is kept of a clock: an answer is to be there a second before the clock has run out.
const MARGIN: Duration = Duration::from_millis(1200);

/// What is kept of it where no legal move is known yet: a late answer is an answer.
const LAST_MARGIN: Duration = Duration::from_millis(250);

/// Rules that are ground so soon are not taken at their word.
const BRIEFLY: Duration = Duration::from_millis(50);

/// When the answer to a message with this clock is to be given.
pub(crate) fn deadline(received: Instant, clock: u64) -> Instant {
    received + Duration::from_secs(clock).saturating_sub(MARGIN)
}

/// When an answer to it must be given whatever is known.
fn last_moment(received: Instant, clock: u64) -> Instant {
    received + Duration::from_secs(clock).saturating_sub(LAST_MARGIN)
}

/// How a START is set.
pub(crate) struct Setting {
    pub id: String,
    pub role: String,
    pub rules: String,
    pub start_clock: u64,
    pub play_clock: u64,
}

/// A match that is being played.
pub(crate) struct Match {
    pub setting: Setting,
    /// The rules as they are written, for as long as they are not ground.
    book: Option<Rulebook>,
    shared: Arc<Shared>,
    at: Mutex<At>,
}

/// Where the match is.
struct At {
    /// None until the rules are read.
    facts: Option<Facts>,
    ply: usize,
    /// Moves that were made and not followed yet; none: back to the start.
    waiting: Vec<Option<Vec<String>>>,
    /// The state as far as it was followed without ground rules, and how many of those that wait it follows.
    read: Option<(Truths, usize)>,
    /// The same at the start of the match, with some of our legal moves there.
    start: Option<Truths>,
    opening: Option<Vec<String>>,
}

/// What the match's threads work on.
struct Shared {
    stop: AtomicBool,
    stage: Mutex<Stage>,
    changed: Condvar,
    /// When the server last asked, and the seconds that it gave. Apart from where the match is, because that is held for
    /// as long as somebody thinks, and INFO wants its answer at once.
    heard: Mutex<(Instant, u64)>,
    /// Where the solution is kept, as long as it is asked.
    shelf: Mutex<Option<Cached>>,
}

#[derive(Clone)]
enum Rules {
    /// They are being read.
    Reading,
    /// They cannot be played.
    Refused,
    /// The game, and which role we are.
    Ready(Arc<Table>, usize),
}

struct Stage {
    rules: Rules,
    /// Somebody still tries to solve them.
    solving: bool,
    solved: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    fn is_stale(&self, now: Instant) -> bool {
        let (heard, clock) = *lock(&self.heard);
        now.saturating_duration_since(heard) > Duration::from_secs(3 * clock + 10)
    }

    /// Nobody works for a match whose server is gone. If it comes back, it gets legal moves still.
    fn end_when_stale(&self) {
        while !self.stop.load(Ordering::Relaxed) {
            if self.is_stale(Instant::now()) {
                self.stop.store(true, Ordering::Relaxed);
            }
            let stage = lock(&self.stage);
            drop(self.changed.wait_timeout(stage, Duration::from_secs(1)));
        }
    }
}

impl Match {
    /// Begins to read and to solve.
    pub fn begin(setting: Setting, config: &Arc<Config>, slot: &Arc<Mutex<()>>, received: Instant) -> Self {
        let stage = Mutex::new(Stage { rules: Rules::Reading, solving: true, solved: false });
        let shared = Arc::new(Shared {
            stop: AtomicBool::new(false),
            stage,
            changed: Condvar::new(),
            heard: Mutex::new((received, setting.start_clock + setting.play_clock)),
            shelf: Mutex::new(None),
        });
        let loader = Loader {
            shared: shared.clone(),
            config: config.clone(),
            slot: slot.clone(),
            id: setting.id.clone(),
            role: setting.role.clone(),
            rules: setting.rules.clone(),
            patience: Duration::from_secs(setting.start_clock + 2 * setting.play_clock),
            began: received,
        };
        std::thread::spawn(move || {
            // The last line: whatever goes wrong in there, the match is answered.
            if catch_unwind(AssertUnwindSafe(|| loader.run())).is_err() {
                lock(&loader.shared.stage).solving = false;
                loader.refuse("reading or solving the rules failed unexpectedly".to_owned());
            }
        });
        let watched = shared.clone();
        std::thread::spawn(move || watched.end_when_stale());
        let at = At { facts: None, ply: 0, waiting: vec![], read: None, start: None, opening: None };
        let book = Rulebook::read(&setting.rules);
        Match { setting, book, shared, at: Mutex::new(at) }
    }

    /// Waits until the game is solved or cannot be played, or for the deadline. Whether it can be played, as far as is
    /// known then.
    pub fn prepare(&self, deadline: Instant) -> bool {
        // Until the rules are ground there is time to find a first move, which the first message then gets at once.
        if self
            .table(Instant::now().checked_add(BRIEFLY).map_or(deadline, |soon| soon.min(deadline)))
            .is_none()
        {
            let _ = self.opening(&mut lock(&self.at), (deadline, deadline));
        }
        let mut stage = lock(&self.shared.stage);
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let proved = match &stage.rules {
                Rules::Refused => {
                    drop(stage);
                    // What is too large to be ground can be played all the same, if badly.
                    let deadline = deadline.max(Instant::now() + MARGIN);
                    return self.interpret(&mut lock(&self.at), (deadline, deadline)).is_some();
                }
                // A proof is as good, but the next match is glad of a solution that is kept.
                Rules::Ready(table, _) => !stage.solving && lock(&table.tree).is_proved(),
                Rules::Reading => false,
            };
            if stage.solved || proved || left.is_zero() || self.shared.stop.load(Ordering::Relaxed) {
                return true;
            }
            let wait = left.min(Duration::from_millis(20));
            let waited = self.shared.changed.wait_timeout(stage, wait);
            stage = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The match's clock has long passed: its server is gone.
    pub fn is_stale(&self, now: Instant) -> bool {
        self.shared.is_stale(now)
    }

    /// Moves that were made, and the answer: a legal move by the deadline.
    pub fn play(&self, moves: Option<Vec<String>>, received: Instant, config: &Config) -> String {
        let clock = self.setting.play_clock;
        let (deadline, last) = (deadline(received, clock), last_moment(received, clock));
        let heard = || *lock(&self.shared.heard) = (Instant::now(), self.setting.play_clock);
        heard();
        let mut at = lock(&self.at);
        at.waiting.push(moves);
        let tell = |how: How, answer: &str, ply: usize, search: Option<(u32, f64)>| {
            config.tell(&Event::Move {
                id: self.setting.id.clone(),
                ply,
                answer: answer.to_owned(),
                how,
                seconds: received.elapsed().as_secs_f64(),
                visits: search.map(|s| s.0),
                expected: search.map(|s| (1000.0 * s.1).round() / 10.0),
            });
        };
        // Large rules may not be ground in time.
        let now = received.checked_sub(MARGIN).unwrap_or(received);
        let plain = match self.table(now) {
            Some(_) => None,
            None => self.interpret(&mut at, (deadline, last)),
        };
        let wait = if plain.is_some() { deadline } else { last };
        let Some((table, role)) = self.table(wait) else {
            if let Some(text) = plain {
                at.ply = at.waiting.iter().rev().take_while(|moves| moves.is_some()).count();
                tell(How::Any, &text, at.ply, None);
                heard();
                return text;
            }
            // Nobody knows what is legal. The server takes a random move, which the next message brings.
            tell(How::Unknown, "busy", at.ply, None);
            return "busy".to_owned();
        };
        let here = self.follow(&mut at, &table, config);
        let choices = here.choices.get(role).cloned().unwrap_or_default();
        let answer = match choices.as_slice() {
            [] => {
                // The game has ended, or the rules leave us nothing: no answer is legal.
                tell(How::Unknown, "nil", at.ply, None);
                return "nil".to_owned();
            }
            [only] => (*only as Action, How::Only, None),
            several => self.decide(&table, role, several, here, deadline),
        };
        let (action, how, search) = answer;
        let text = table.simulation.text(action).to_owned();
        tell(how, &text, at.ply, search);
        heard();
        text
    }

    /// The last moves were made; what everybody got, if that was the end.
    pub fn end(&self, moves: Option<Vec<String>>, config: &Config) -> Option<Vec<u8>> {
        let mut at = lock(&self.at);
        at.waiting.extend(moves.map(Some));
        let (table, _) = self.table(Instant::now())?;
        let here = self.follow(&mut at, &table, config);
        here.proved.filter(|_| here.choices.iter().all(Vec::is_empty)).map(Vec::from)
    }

    /// The threads of the match come to an end by themselves.
    pub fn stop(&self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        // The next match may have the same rules.
        *lock(&self.shared.shelf) = None;
        self.shared.changed.notify_all();
    }

    /// The game, if it can be played before the deadline.
    fn table(&self, deadline: Instant) -> Option<(Arc<Table>, usize)> {
        let mut stage = lock(&self.shared.stage);
        loop {
            match &stage.rules {
                Rules::Ready(table, role) => return Some((table.clone(), *role)),
                Rules::Refused => return None,
                Rules::Reading => {}
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || self.shared.stop.load(Ordering::Relaxed) {
                return None;
            }
            let waited = self.shared.changed.wait_timeout(stage, left);
            stage = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Follows the moves that were made, and looks at where that leads.
    fn follow(&self, at: &mut At, table: &Table, config: &Config) -> Seen {
        let simulation = &table.simulation;
        let mut lanes = simulation.lanes();
        let mut facts = at.facts.take().unwrap_or_else(|| simulation.start());
        at.read = None;
        for moves in std::mem::take(&mut at.waiting) {
            let Some(moves) = moves else {
                (facts, at.ply) = (simulation.start(), 0);
                continue;
            };
            let actions: Option<Vec<Action>> =
                moves.iter().enumerate().map(|(role, text)| simulation.action(role, text)).collect();
            match actions.filter(|actions| actions.len() == simulation.roles().len()) {
                Some(actions) => {
                    lanes.load(&[&facts]);
                    lanes.advance(&[actions]);
                    facts = lanes.state(0);
                    at.ply += 1;
                }
                None => config.tell(&Event::Strange {
                    id: self.setting.id.clone(),
                    reason: format!("nobody can have done ({}); it is ignored", moves.join(" ")),
                }),
            }
        }
        lanes.load(&[&facts]);
        let here = look(simulation, &lanes, 0);
        let forgotten = lock(&table.tree).go_on(Seen {
            facts: here.facts.clone(),
            choices: here.choices.clone(),
            proved: here.proved.clone(),
        });
        // If there is no thread for it, it is dropped here.
        let _ = std::thread::Builder::new().spawn(move || drop(forgotten));
        at.facts = Some(facts);
        here
    }

    /// The best move that can be found by the deadline.
    fn decide(
        &self,
        table: &Table,
        role: usize,
        choices: &[u32],
        here: Seen,
        deadline: Instant,
    ) -> (Action, How, Option<(u32, f64)>) {
        loop {
            if let Some(known) = table.knowledge().1.filter(|known| known.complete) {
                let perfect = || perfect(table, &known, role, choices, &here);
                if let Ok(Some(action)) = catch_unwind(AssertUnwindSafe(perfect)) {
                    return (action, How::Solved, None);
                }
            }
            let proved = lock(&table.tree).is_proved();
            let left = deadline.saturating_duration_since(Instant::now());
            if proved || left.is_zero() || self.shared.stop.load(Ordering::Relaxed) {
                break;
            }
            std::thread::sleep(left.min(Duration::from_millis(10)));
        }
        let mut tree = lock(&table.tree);
        match tree.best(role) {
            Some(best) if best.visits > 0 || best.proved => {
                let how = if tree.is_proved() { How::Proved } else { How::Search };
                (best.action, how, Some((best.visits, best.value)))
            }
            _ => (tree.any(role).unwrap_or(choices[0] as Action), How::Any, None),
        }
    }
}

/// The best move by a complete solution.
fn perfect(table: &Table, known: &Knowledge, role: usize, choices: &[u32], here: &Seen) -> Option<Action> {
    let state = known.state(&table.simulation, &here.facts)?;
    let position = known.solved.session().position(&state).ok()?;
    if position.mover != Some(Mover::new(role)) {
        return None;
    }
    let best = position.moves.first().filter(|best| best.lookup.valuation().is_some())?;
    // Whoever has no choice does what it must.
    let mut joint: Vec<Action> = vec![];
    for list in &here.choices {
        joint.push(*list.first()? as Action);
    }
    let mut lanes = table.simulation.lanes();
    for some in choices.chunks(64) {
        lanes.load(&vec![&here.facts; some.len()]);
        let each = some.iter().map(|action| {
            let mut joint = joint.clone();
            joint[role] = *action as Action;
            joint
        });
        lanes.advance(&each.collect::<Vec<_>>());
        let leads = |lane: &usize| {
            known.state(&table.simulation, &lanes.state(*lane)).is_some_and(|after| after == best.state)
        };
        if let Some(lane) = (0..some.len()).find(leads) {
            return Some(some[lane] as Action);
        }
    }
    None
}

impl Drop for Match {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Reads and solves the rules of a match, in a thread of its own.
struct Loader {
    shared: Arc<Shared>,
    config: Arc<Config>,
    /// Only one game is solved at a time: a match that was dropped may take a while to stop.
    slot: Arc<Mutex<()>>,
    id: String,
    role: String,
    rules: String,
    patience: Duration,
    began: Instant,
}

impl Loader {
    fn refuse(&self, reason: String) {
        let mut stage = lock(&self.shared.stage);
        if matches!(stage.rules, Rules::Reading) {
            stage.rules = Rules::Refused;
            self.config.tell(&Event::Refused { id: self.id.clone(), reason });
        }
        drop(stage);
        self.shared.changed.notify_all();
    }

    fn seconds(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }

    fn run(&self) {
        let mut gdl = self.config.gdl.clone();
        // Rules with a free role in `legal` or `goal` are played by others too.
        gdl.lenient = true;
        gdl.limits.time = self.patience.clamp(Duration::from_secs(10), Duration::from_secs(120));
        let simulation = match winset_gdl::simulate(self.rules.as_bytes(), &gdl) {
            Ok(simulation) => simulation,
            Err(error) => return self.refuse(error.to_string()),
        };
        let Some(role) = simulation.roles().iter().position(|role| *role == self.role) else {
            let roles = simulation.roles().join(", ");
            return self.refuse(format!("the rules have no role {}; they have {roles}", self.role));
        };
        let table = Arc::new(Table::new(simulation, (self.config.memory / 6).min(256 << 20) as usize));
        lock(&self.shared.stage).rules = Rules::Ready(table.clone(), role);
        self.shared.changed.notify_all();
        self.config.tell(&Event::Ready { id: self.id.clone(), seconds: self.seconds() });
        let (shared, searched) = (self.shared.clone(), table.clone());
        std::thread::spawn(move || {
            // Without search a legal move can be made all the same.
            let _ = catch_unwind(AssertUnwindSafe(|| search::run(&searched, &shared.stop)));
        });
        self.solve(&table, gdl);
    }

    fn solve(&self, table: &Table, gdl: winset_gdl::Options) {
        let _slot = lock(&self.slot);
        if self.shared.stop.load(Ordering::Relaxed) {
            return;
        }
        let job = Job {
            rules: &self.rules,
            memory: self.config.memory / 2,
            threads: self.config.threads,
            gdl,
            cache: self.config.cache.as_ref(),
            stop: &self.shared.stop,
        };
        let mut learn = |solved| table.learn(Knowledge::new(solved));
        let found = match knowledge::solve(&job, &mut learn) {
            Ok(found) => found,
            Err(reason) => {
                lock(&self.shared.stage).solving = false;
                let (id, seconds) = (self.id.clone(), self.seconds());
                return self.config.tell(&Event::Unsolved { id, seconds, reason });
            }
        };
        let (solved, cached) = (found.solved.clone(), was_found(&found));
        *lock(&self.shared.shelf) = Some(found);
        let value = solved.value(solved.start()).ok().and_then(|found| found.valuation());
        table.learn(Knowledge::new(solved));
        {
            let mut stage = lock(&self.shared.stage);
            (stage.solving, stage.solved) = (false, true);
        }
        self.shared.changed.notify_all();
        self.config.tell(&Event::Solved {
            id: self.id.clone(),
            seconds: self.seconds(),
            cached,
            value: value.map(|value| value.rewards.to_vec()),
        });
    }
}
