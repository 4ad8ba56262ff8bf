//! The search: 64 ways down the tree at a time, and from their ends 64 random plays side by side.

use crate::knowledge::Knowledge;
use crate::tree::{Leaf, Seen, Tree};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use winset::Session;
use winset_gdl::{Action, Playing, Simulation};

/// Plies that a random play lasts at most.
const LONGEST_PLAY: usize = 400;
/// Time after which random plays are cut short: in a game of a million rules a single one can take minutes.
const LONGEST_TIME: Duration = Duration::from_millis(400);

/// A game that is searched, and the tree.
pub(crate) struct Table {
    pub simulation: Simulation,
    pub tree: Mutex<Tree>,
    /// What is solved, and how often that has changed.
    pub known: Mutex<(u64, Option<Arc<Knowledge>>)>,
}

impl Table {
    /// A table with the game at its start, and a tree of at most n bytes.
    pub fn new(simulation: Simulation, room: usize) -> Self {
        let mut lanes = simulation.lanes();
        let start = simulation.start();
        lanes.load(&[&start]);
        let root = look(&simulation, &lanes, 0);
        drop(lanes);
        let highest = (0..simulation.roles().len()).map(|role| simulation.highest_goal(role)).collect();
        let tree = Mutex::new(Tree::new(root, highest, room));
        Table { simulation, tree, known: Mutex::new((0, None)) }
    }

    pub fn knowledge(&self) -> (u64, Option<Arc<Knowledge>>) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn learn(&self, knowledge: Knowledge) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        *known = (known.0 + 1, Some(Arc::new(knowledge)));
    }
}

/// Everything that the tree wants to know of a state.
pub(crate) fn look(simulation: &Simulation, lanes: &Playing<'_>, lane: usize) -> Seen {
    let ended = lanes.ended() >> lane & 1 == 1;
    let roles = 0..simulation.roles().len();
    let choices = roles.map(|role| match ended {
        true => vec![],
        false => lanes.choices(lane, role).into_iter().map(|action| action as u32).collect(),
    });
    Seen {
        facts: lanes.state(lane),
        choices: choices.collect(),
        proved: ended.then(|| lanes.goals(lane).into()),
    }
}

/// Searches until told to stop, or until there is nothing left to find out.
pub(crate) fn run(table: &Table, stop: &AtomicBool) {
    let mut lanes = table.simulation.lanes();
    let mut seed = 0x2545_f491_4f6c_dd1d;
    while !stop.load(Ordering::Relaxed) {
        let (version, known) = table.knowledge();
        let known = known.as_deref();
        if known.is_some_and(|known| known.complete) {
            return;
        }
        let mut ask = known.map(|known| (known, known.solved.session()));
        while !stop.load(Ordering::Relaxed) && table.knowledge().0 == version {
            if !batch(table, &mut lanes, ask.as_mut(), &mut seed, stop) {
                // All is proved, or every way ends in what is known: until the next move.
                std::thread::sleep(Duration::from_millis(2));
            }
        }
    }
}

fn lock(table: &Table) -> std::sync::MutexGuard<'_, Tree> {
    table.tree.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Some ways down, and what comes of them. Whether there was anything to do.
fn batch(
    table: &Table,
    lanes: &mut Playing<'_>,
    ask: Option<&mut (&Knowledge, Session<'_>)>,
    seed: &mut u64,
    stop: &AtomicBool,
) -> bool {
    let (leaves, generation) = {
        let mut tree = lock(table);
        if tree.is_proved() {
            return false;
        }
        let leaves: Vec<Leaf> = (0..64).filter_map(|_| tree.descend()).collect();
        (leaves, tree.generation)
    };
    if leaves.is_empty() {
        return false;
    }
    lanes.load(&leaves.iter().map(|leaf| &leaf.before).collect::<Vec<_>>());
    lanes.advance(&leaves.iter().map(|leaf| leaf.actions.clone()).collect::<Vec<_>>());
    let mut seen: Vec<Seen> = (0..leaves.len()).map(|lane| look(&table.simulation, lanes, lane)).collect();
    if let Some((known, session)) = ask {
        let open: Vec<usize> = (0..seen.len()).filter(|lane| seen[*lane].proved.is_none()).collect();
        let states = open.iter().map(|lane| known.state(&table.simulation, &seen[*lane].facts));
        for (lane, value) in open.iter().zip(known.values(session, states.collect())) {
            seen[*lane].proved = value;
        }
    }
    let values = play(&table.simulation, lanes, &seen, seed, stop);
    let mut tree = lock(table);
    if tree.generation == generation {
        for ((leaf, seen), values) in leaves.into_iter().zip(seen).zip(values) {
            tree.finish(&leaf.path, seen, &values);
        }
    }
    true
}

/// Plays at random from where the lanes are, and says what each role gets, from 0 to 1.
fn play(
    simulation: &Simulation,
    lanes: &mut Playing<'_>,
    seen: &[Seen],
    seed: &mut u64,
    stop: &AtomicBool,
) -> Vec<Vec<f32>> {
    let roles = simulation.roles().len();
    let scaled = |goals: &[u8]| goals.iter().map(|goal| f32::from(*goal) / 100.0).collect::<Vec<f32>>();
    let mut values: Vec<Option<Vec<f32>>> =
        seen.iter().map(|seen| seen.proved.as_deref().map(scaled)).collect();
    let began = Instant::now();
    for _ in 0..LONGEST_PLAY {
        let ended = lanes.ended();
        for (lane, value) in values.iter_mut().enumerate().filter(|(_, value)| value.is_none()) {
            if ended >> lane & 1 == 1 {
                *value = Some(scaled(&lanes.goals(lane)));
            }
        }
        let open =
            (0..values.len()).filter(|lane| values[*lane].is_none()).fold(0u64, |m, lane| m | 1 << lane);
        if open == 0 || began.elapsed() > LONGEST_TIME || stop.load(Ordering::Relaxed) {
            break;
        }
        let joint = random(simulation, lanes, open, seen.len(), seed);
        // Without a move for everybody a play cannot go on.
        for (lane, value) in values.iter_mut().enumerate() {
            if value.is_none() && joint[lane].len() < roles {
                *value = Some(vec![0.5; roles]);
            }
        }
        lanes.advance(&joint);
    }
    let unfinished = |lane: usize| match roles {
        // Nobody else spoils it for one alone: what there is counts.
        1 => scaled(&lanes.goals(lane)),
        _ => vec![0.5; roles],
    };
    values.into_iter().enumerate().map(|(lane, value)| value.unwrap_or_else(|| unfinished(lane))).collect()
}

/// A random legal action of every role in each of the open lanes.
fn random(
    simulation: &Simulation,
    lanes: &Playing<'_>,
    open: u64,
    count: usize,
    seed: &mut u64,
) -> Vec<Vec<Action>> {
    let mut joint: Vec<Vec<Action>> = vec![Vec::with_capacity(simulation.roles().len()); count];
    for role in 0..simulation.roles().len() {
        let mut chosen: [(u32, Action); 64] = [(0, 0); 64];
        for &action in simulation.actions(role) {
            let mut legal = lanes.legal(action) & open;
            while legal != 0 {
                let lane = legal.trailing_zeros() as usize;
                legal &= legal - 1;
                let (met, kept) = &mut chosen[lane];
                *met += 1;
                *seed ^= *seed << 13;
                *seed ^= *seed >> 7;
                *seed ^= *seed << 17;
                // Each of those met is the one with the same probability.
                if ((*seed >> 32) * u64::from(*met)) >> 32 == 0 {
                    *kept = action;
                }
            }
        }
        for (lane, (met, action)) in chosen.iter().enumerate().take(count) {
            if *met > 0 {
                joint[lane].push(*action);
            }
        }
    }
    joint
}
