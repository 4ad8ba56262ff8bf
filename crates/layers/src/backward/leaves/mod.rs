//! Values as a diagram over leaves of bits, where what is best for the player to move takes no room.
//!
//! | file | does |
//! |---|---|
//! | `places.rs` | which leaf states belong together, and where each stands as a bit |
//! | `diagram.rs` | the values of a layer, in parts by their first digits |
//! | `held.rs` | parts in memory or in a file |
//! | `mirror.rs` | how one of each two mirrored states is left out |
//! | `shift.rs` | moves inside the leaf, as moves of bits |
//! | `walk.rs`, `worker.rs` | the walk over a layer, and what one thread does of it |
//! | `asked.rs` | what is asked of the states that must be solved |
//! | `fitting.rs` | for which games this works |
//! | `kept.rs` | to and from what keeps values |
//! | `ranked.rs` | the same values one after the other, by rank |
//! | `shared.rs` | units of a layer that several processes share |
//!
//! A layer is walked together with the values of later layers, but not with their states: a cursor that reaches what
//! is absent there is dropped, since nothing below it is better than the worst. This asks for two opposed players who
//! take turns; and states in which a move ends the game in the best way, whose successors are not there either, are
//! left out of the walk. Other games are solved by ranks (`stream`).

mod asked;
mod diagram;
mod fitting;
mod held;
mod kept;
mod mirror;
mod places;
mod ranked;
mod shared;
mod shift;
mod walk;
mod worker;

pub use fitting::{Facts, Fitting, LEAVES_NEED};
pub use held::{Elsewhere, Name};
pub use places::Candidates;
pub use shared::{Stash, UnitHead};

use crate::backward::layer_by_layer::{Backward, Known, STEPS_TO_SOLVE};
use crate::backward::room::Room;
use crate::backward::stream::{Remoteness, Stored, Target, Values, extractor};
use crate::backward::tier::Tally;
use crate::error::LayersError;
use crate::forward::search::Forward;
use crate::forward::successors::Filter;
use crate::rules::condition::Cond;
use crate::rules::relation::IDENTITY;
use crate::sets::layer::{Layer, Part as LayerPart};
use crate::sets::set::{EMPTY, Node};
use diagram::{ABSENT, LayerValues, step, words};
use held::{Drawer, Held};
use mirror::{Half, Way};
use places::Places;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use walk::{Cursor, Task, Tools, Walk, child, sort_and_dedup};
use winset_index::{Digit, LeafFrame, LeafReader};
use winset_model::{Code, Player};

/// At least n parts, if the first digits allow it.
pub const PARTS: usize = 48;

/// What a thread remembers about conditions at most.
const REMEMBERED: u64 = 64 << 20;

/// The values of a game as far as they are still needed, and what finding them takes.
pub struct ByLeaves {
    places: Places,
    /// How one of each two mirrored states is left out, if they are.
    half: Option<Half>,
    /// The same as whoever keeps values sees it.
    frame: Option<LeafFrame>,
    /// The number of first digits by which layers are cut into parts, and of those of which every part has several:
    /// at least as many, where groups of mirrored levels end.
    cut: usize,
    top: usize,
    /// The outcomes that occur, for each player the best first.
    orders: [Vec<Code>; 2],
    /// Who moves in each layer, by measure; in one with terminal states only, who would.
    movers: BTreeMap<i64, Player>,
    /// For each player, conditions under which no move ends the game in the best way, and those under which there is
    /// none.
    goes_on: [Vec<Cond>; 2],
    stuck: [Vec<Cond>; 2],
    /// The layers in which terminal states of their leaders' best outcome have no place.
    hidden: BTreeMap<i64, bool>,
    /// Layers with their values, by measure.
    known: BTreeMap<i64, (Arc<Layer>, LayerValues)>,
    /// What each thread has found out.
    tools: Vec<Tools>,
    /// The steps that the layer solved last took, and its positions.
    last: (u64, u64),
}

impl ByLeaves {
    /// Forgets layers beyond a measure.
    pub fn forget_beyond(&mut self, measure: i64) {
        self.known.retain(|&known, _| known <= measure);
    }

    /// The memory that all values take.
    pub fn bytes(&self) -> u64 {
        self.known.values().map(|(layer, values)| layer.bytes() + values.bytes()).sum()
    }
}

impl Backward<'_> {
    /// Solves a layer all of whose successors are known as leaves. None if that does not work out: then it must be
    /// solved by ranks.
    pub fn solve_by_leaves(
        &mut self,
        by: &mut ByLeaves,
        layer: &Arc<Layer>,
        room: &Room,
    ) -> Result<Option<Vec<Tally>>, LayersError> {
        let Some(found) = self.walk_by_leaves(by, layer, room)? else { return Ok(None) };
        let tally = found.tally.clone();
        let order = by.orders[found.mover.index()].clone();
        let values = found.into_values(by.top, &self.digits);
        by.known.insert(layer.measure, (layer.clone(), values));
        let codes = self.forward.rules.outcomes.len();
        Ok(Some(layer.parts.iter().map(|part| by_code(&order, codes, &tally, part.len)).collect()))
    }

    /// Solves the states of a layer, or some of them: all that have the same first digits as one of them.
    pub fn walk_by_leaves(
        &mut self,
        by: &mut ByLeaves,
        layer: &Layer,
        room: &Room,
    ) -> Result<Option<Walked>, LayersError> {
        let Some(&mover) = by.movers.get(&layer.measure) else { return Ok(None) };
        if room.budget.is_some_and(|budget| by.bytes() > budget) {
            return Ok(None);
        }
        // Said before it is done, so that a trial is not longer than it may be; most leaves stand for many positions.
        let expected = match by.last {
            (_, 0) => layer.len.saturating_mul(STEPS_TO_SOLVE),
            (steps, of) => (u128::from(layer.len) * u128::from(steps) / u128::from(of)) as u64,
        };
        self.forward.rules.conds.work.spend(expected)?;
        let Some(leaves) = by.places.sets(layer) else { return Ok(None) };
        let mut hidden = false;
        if let Some(part) = layer.parts.first() {
            if self.is_stuck(by, layer, part, room.budget)? {
                return Ok(None);
            }
            let hides = |measure: &i64| by.hidden.get(measure).copied().unwrap_or(false);
            hidden = self.measures_of(layer, part).iter().any(hides);
        }
        let free = room.budget.map_or(u64::MAX, |room| room.saturating_sub(leaves.bytes() + by.bytes()));
        let threads = self.forward.crew.threads() as u64;
        // What all of them remember is a quarter of it at most.
        let remember = REMEMBERED.min(free / 8 / threads);
        let free = free.saturating_sub(threads * (Tools::BYTES + 2 * remember));
        // Half for the values, if those that do not fit can go elsewhere; half for the parts that threads work on.
        let drawer = drawer(layer, room, free / 2);
        let room_each = free / 2 / threads;
        let order = &by.orders[mover.index()];
        let plane = |code: Code| order.iter().position(|&other| other == code);
        let mut ended = vec![];
        for &(code, node) in &layer.ended {
            match plane(code) {
                // The best is left out.
                Some(0) => {}
                Some(n) => ended.push((n as u32 - 1, node)),
                None => return Ok(None),
            }
        }
        let mirror = by.half.as_ref().map(|half| &half.mirror);
        debug_assert!(
            self.forward.shared.is_some()
                || mirror.is_none_or(|mirror| {
                    let ended = layer.ended.iter().map(|&(_, root)| root);
                    layer
                        .parts
                        .iter()
                        .map(|part| part.root)
                        .chain(ended)
                        .all(|root| mirror.keeps(&layer.levels, root))
                }),
            "a layer is its own mirror image"
        );
        let way = Way::begin(mirror);
        let (mut cursors, mut targets) = (vec![], vec![]);
        for part in &layer.parts {
            for root in self.moves_of(layer, part) {
                let Some((_, values)) = by.known.get(&(layer.measure + root.gain)) else { continue };
                // Gains are what moves might add by the look of them: none leads to the same player's layer.
                if values.root != ABSENT && values.mover != mover {
                    let (rel, part, node) = (root.rel, targets.len() as u32, values.root);
                    cursors.push(Cursor { rel, part, node, way });
                    targets.push(values);
                }
            }
        }
        let mut first = vec![0];
        targets.iter().for_each(|values| first.push(first[first.len() - 1] + values.parts.len() as u32));
        let walk = Walk {
            places: &by.places,
            half: by.half.as_ref(),
            relations: &self.forward.relations,
            digits: &self.digits,
            top: by.top,
            levels: &layer.levels,
            leaves: &leaves,
            rules: &self.forward.rules,
            asked: if hidden { &by.goes_on[mover.index()] } else { &[] },
            sources: targets
                .iter()
                .flat_map(|values| values.parts.iter().map(|part| (&values.drawer, part)))
                .collect(),
            outcomes: order.len(),
            fast: self.fast,
            drawer: &drawer,
            room: room_each,
            remember,
        };
        let mut tasks = vec![];
        let open = layer.parts.first().map_or(EMPTY, |part| part.root);
        let top = Task { prefix: vec![], way, open, ended, cursors };
        if top.open != EMPTY || !top.ended.is_empty() {
            descend(&walk, &targets, &first, top, &mut tasks);
        }
        let bundles: Vec<&[Task]> = tasks.chunk_by(|a, b| a.prefix[..by.cut] == b.prefix[..by.cut]).collect();
        let found = walk.run(&bundles, &mut by.tools, &self.forward.crew);
        let Some((parts, tally)) = found.map_err(|error| LayersError::io(&room.directory, error))? else {
            return Ok(None);
        };
        let steps = by.tools.iter_mut().map(|tools| std::mem::take(&mut tools.steps)).sum::<u64>();
        by.last = (steps, layer.len);
        self.forward.rules.conds.work.add(steps.saturating_sub(expected));
        let mut walked =
            Walked { mover, prefixes: vec![], below: vec![], parts: vec![], drawer, tally, steps };
        for (bundle, made) in bundles.iter().zip(parts) {
            let Some((part, nodes)) = made else { continue };
            for (task, node) in bundle.iter().zip(nodes).filter(|(_, node)| *node != ABSENT) {
                walked.prefixes.push(task.prefix.clone());
                walked.below.push((walked.parts.len() as u32, node));
            }
            walked.parts.push(part);
        }
        Ok(Some(walked))
    }

    /// Takes over a layer that an earlier run has solved by leaves.
    pub fn take_over_leaves(
        &mut self,
        layer: Layer,
        reader: &dyn LeafReader,
        room: &Room,
    ) -> Result<(), LayersError> {
        let Some(by) = &mut self.leaves else { return Err(LayersError::Past("leaves are not wanted")) };
        let free = room.budget.map_or(u64::MAX, |budget| budget.saturating_sub(by.bytes() + layer.bytes()));
        let drawer = drawer(&layer, room, free / 2);
        by.take_over(Arc::new(layer), reader, &self.digits, drawer, free)
    }

    /// Goes over to values by rank.
    pub fn leave_leaves(&mut self, by: ByLeaves, room: &Room) -> Result<(), LayersError> {
        let bits = self.forward.rules.outcomes.bits();
        let failure = |error| LayersError::io(&room.directory, error);
        for (layer, _) in by.known.values() {
            if room.directory.is_none() {
                LayersError::check_memory(by.bytes() + Values::bytes_for(layer.len, bits), room.budget)?;
            }
            let file = room.directory.as_ref().filter(|_| room.budget.is_some());
            if let Some(directory) = file {
                std::fs::create_dir_all(directory).map_err(failure)?;
            }
            let file = file.map(|directory| directory.join(format!("layer-{}.values", layer.measure)));
            let mut values = Stored::new(file.as_deref(), layer.len, bits).map_err(failure)?;
            by.write_ranked(layer, &self.digits, extractor(self.fast), &mut values).map_err(failure)?;
            let target = Target::new(layer, &layer.counts(), &self.digits, &self.forward.crew);
            self.known.insert(layer.measure, Known { target, values, distances: Remoteness::default() });
        }
        Ok(())
    }

    /// There are states of a part without a move.
    pub fn is_stuck(
        &mut self,
        by: &ByLeaves,
        layer: &Layer,
        part: &LayerPart,
        room: Option<u64>,
    ) -> Result<bool, LayersError> {
        let Forward { rules, conjs, digits, .. } = &mut self.forward;
        let stuck = conjs.intern(by.stuck[part.player.index()].clone());
        Filter::new(rules, conjs, &layer.levels, digits.clone(), room).has(part.root, stuck, true)
    }
}

/// What a walk has found.
pub struct Walked {
    /// Who moves.
    pub mover: Player,
    /// The first digits of every task that has a node, in order.
    pub prefixes: Vec<Vec<Digit>>,
    /// Where that node is: its part, and the node there.
    pub below: Vec<(u32, u32)>,
    /// The parts.
    pub parts: Vec<Held>,
    /// Where they are.
    pub drawer: Drawer,
    /// How many states have each outcome, the best first, which is not counted. An image that is left out counts where the
    /// other one is.
    pub tally: Vec<u64>,
    /// What it took.
    pub steps: u64,
}

impl Walked {
    /// The values of a layer whose parts these are; tasks have n first digits.
    pub fn into_values(self, top: usize, digits: &[usize]) -> LayerValues {
        let Walked { mover, prefixes, below, parts, drawer, .. } = self;
        let mut top = vec![vec![0]; top];
        let root = ascend(&mut top, digits, &prefixes, 0, 0);
        LayerValues { top, root, below, parts, drawer, mover }
    }
}

/// How many of n states have each of n codes, given how many have each outcome but the best.
pub fn by_code(order: &[Code], codes: usize, tally: &[u64], states: u64) -> Tally {
    let mut by_code = vec![0; codes];
    order.iter().zip(tally).for_each(|(&code, &n)| by_code[usize::from(code)] = n);
    by_code[usize::from(order[0])] = states - tally.iter().sum::<u64>();
    by_code
}

/// Where the values of a layer go, of which n bytes stay in memory.
fn drawer(layer: &Layer, room: &Room, keep: u64) -> Drawer {
    let file = |directory: &PathBuf| directory.join(format!("layer-{}.leaves", layer.measure));
    let path = room.directory.as_ref().filter(|_| room.budget.or(room.values).is_some()).map(file);
    Drawer::new(keep.min(room.values.unwrap_or(u64::MAX)), path)
}

/// Cuts the states into tasks by their first digits.
fn descend(walk: &Walk, targets: &[&LayerValues], first: &[u32], task: Task, tasks: &mut Vec<Task>) {
    let level = task.prefix.len();
    if level == walk.top {
        return tasks.push(task);
    }
    let mut digits: Vec<Digit> = vec![];
    let here = &walk.levels[level];
    let ended = task.ended.iter().map(|&(_, node)| node);
    for node in [task.open].into_iter().chain(ended).filter(|&node| node != EMPTY) {
        digits.extend_from_slice(&here.digit[here.edges(node)]);
    }
    digits.sort_unstable();
    digits.dedup();
    for digit in digits {
        let Some(way) = walk.way(level, task.way, digit) else { continue };
        let open = child(here, task.open, digit);
        let below = |&(plane, node): &(u32, Node)| (plane, child(here, node, digit));
        let ended = task.ended.iter().map(below).filter(|(_, node)| *node != EMPTY).collect();
        let mut cursors = vec![];
        for &cursor in task.cursors.iter().filter(|_| open != EMPTY) {
            let Cursor { rel, part, node, way } = cursor;
            let values = targets[part as usize];
            let down =
                |level: usize, node, digit| step(&values.top[level], words(walk.digits[level]), node, digit);
            let mut go = |digit, rel| {
                let (node, way) = match walk.half {
                    Some(half) => half.mirror.step(level, node, way, digit, down),
                    None => (down(level, node, digit), way),
                };
                if node == ABSENT {
                    return;
                }
                cursors.push(match level + 1 == walk.top {
                    false => Cursor { rel, part, node, way },
                    true => {
                        let (number, node) = values.below[node as usize - 1];
                        Cursor { rel, part: first[part as usize] + number, node, way }
                    }
                });
            };
            match rel {
                IDENTITY => go(digit, IDENTITY),
                _ => walk.steps(level, cursor, digit).iter().for_each(|&(digit, rel)| go(digit, rel)),
            }
        }
        sort_and_dedup(&mut cursors, 0);
        let mut prefix = task.prefix.clone();
        prefix.push(digit);
        descend(walk, targets, first, Task { prefix, way, open, ended, cursors }, tasks);
    }
}

/// Makes the nodes above those of parts with these first digits, which are in order; `before` of them are elsewhere.
fn ascend(
    top: &mut [Vec<u32>],
    digits: &[usize],
    prefixes: &[Vec<Digit>],
    level: usize,
    before: usize,
) -> u32 {
    if prefixes.is_empty() {
        return ABSENT;
    }
    if level == top.len() {
        return before as u32 + 1;
    }
    let mut node = vec![0u32; words(digits[level])];
    let mut done = 0;
    for group in prefixes.chunk_by(|a, b| a[level] == b[level]) {
        let digit = group[0][level];
        node[usize::from(digit) / 32] |= 1 << (digit % 32);
        node.push(ascend(top, digits, group, level + 1, before + done));
        done += group.len();
    }
    let at = top[level].len() as u32;
    top[level].extend(node);
    at
}
