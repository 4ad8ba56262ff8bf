//! Layer by layer: what is reached, and what it is worth.

use super::arena::Id;
use super::conditions::Conditions;
use super::layer::Targets;
use super::moves::Moves;
use super::read::{ByValue, Stored, read};
use super::sets::{EMPTY, Sets};
use crate::check::KEPT_FAULTS;
use crate::fault::{Fault, Wrong};
use crate::full::check_start;
use crate::report::Report;
use crate::tally::{Tally, about, unused_codes};
use crate::{VerifyError, Watch};
use std::collections::BTreeMap;
use winset_model::{CodeTable, ExprId, Game, Player, Rewards, State, VarId};
use winset_store::{Encoding, Header, LayerRecord, Layering, Manifest, Store};

/// The process itself, with what the store keeps of it.
const PROCESS: u64 = 48 << 20;

/// More positions are not looked at one by one if diagrams will do.
const MANY: u64 = 1 << 32;

/// Whether [`verify_by_diagrams`] suits a solution better than [`crate::verify_full`]: it has very many positions, and all
/// values are kept as diagrams.
pub fn suits_diagrams(manifest: &Manifest) -> bool {
    let mut values = manifest.layers.iter().filter_map(|layer| layer.values.as_ref());
    manifest.layers.iter().map(|layer| layer.stored).sum::<u64>() > MANY
        && values.all(|values| values.encoding == Encoding::Diagram)
}

/// Checks everything that a solution says, as [`crate::verify_full`] does, without looking at positions one by one: for
/// solutions of regular games, which have more of them than anybody can look at. In so much memory for the whole
/// process. `watch` hears of the progress.
pub fn verify_by_diagrams(store: &Store, memory: u64, watch: &Watch<'_>) -> Result<Report, VerifyError> {
    let manifest = store.manifest();
    store.check_files()?;
    let mut report = Report::new(manifest, None);
    check_start(store, &mut report)?;
    let room = memory.saturating_sub(PROCESS);
    let mut check = Check::new(store, room)?;
    check.begin()?;
    let mut passed = 0;
    for record in &manifest.layers {
        check.unrecorded(record.layer.into(), &mut report)?;
        let tally = check.layer(record, &mut report)?;
        tally.compare(record, &mut report);
        passed += record.stored;
        watch(passed, report.of);
        check.tidy(record.layer)?;
    }
    check.unrecorded(i64::MAX, &mut report)?;
    if report.is_complete() {
        unused_codes(manifest, &mut report);
    }
    Ok(report)
}

/// A move, compiled.
pub struct Rule {
    pub player: Player,
    pub fallback: bool,
    pub residual: u32,
    /// The condition alone.
    pub guard: Id,
}

/// All that the check knows.
pub struct Check<'s> {
    pub store: &'s Store,
    pub game: &'s Game,
    pub header: &'s Header,
    manifest: &'s Manifest,
    /// The variable of each level.
    order: Vec<VarId>,
    weights: Option<(Vec<Vec<i64>>, i64)>,
    pub sets: Sets,
    pub conditions: Conditions,
    pub moves: Moves,
    pub rules: Vec<Rule>,
    turn: Vec<Id>,
    terminal: Vec<Id>,
    /// For each player, rewards and where they are given.
    rewards: Vec<Vec<(u8, Id)>>,
    pub table: CodeTable,
    /// What was found to be reached, by layer.
    pending: BTreeMap<i64, Id>,
    /// Layers that are read, by number.
    loaded: BTreeMap<u32, Stored>,
    room: u64,
}

/// States in which play goes on, by who is to move.
pub struct Playing {
    /// All of them.
    pub all: Id,
    /// For each player.
    pub by_mover: Vec<Id>,
    /// For each player the states in which no move is possible but a fallback.
    pub passing: Vec<Id>,
}

impl<'s> Check<'s> {
    fn new(store: &'s Store, room: u64) -> Result<Self, VerifyError> {
        let (manifest, game) = (store.manifest(), store.game());
        let header = &manifest.header;
        let order: Vec<VarId> = header.blocks.iter().flatten().map(|&var| VarId(var)).collect();
        let mut level_of = vec![0u32; order.len()];
        (0..).zip(&order).for_each(|(level, var)| level_of[var.index()] = level);
        let sizes: Vec<usize> = order.iter().map(|var| game.variables()[var.index()].size()).collect();
        let weights = match &header.layering {
            Layering::Measure { weights, base } => {
                Some((order.iter().map(|var| weights[var.index()].clone()).collect(), *base))
            }
            _ => None,
        };
        let levels = order.len();
        let (exprs, mut moves) = (game.exprs(), Moves::new(room / 4));
        let mut conditions = Conditions::new(level_of.clone(), sizes, room / 8);
        let mut rules = vec![];
        for m in game.moves() {
            let residual = moves.compile(&mut conditions, exprs, m, &level_of)?;
            let guard = conditions.compile(exprs, m.guard)?;
            rules.push(Rule { player: m.player, fallback: m.fallback, residual, guard });
        }
        let mut compile = |when: &ExprId| conditions.compile(exprs, *when);
        let turn = game.turn().iter().map(&mut compile).collect::<Result<_, _>>()?;
        let terminal = game.terminal().iter().map(&mut compile).collect::<Result<_, _>>()?;
        let mut rewards = vec![];
        for list in game.rewards() {
            let list = list.iter().map(|(reward, when)| Ok((*reward, compile(when)?)));
            rewards.push(list.collect::<Result<_, VerifyError>>()?);
        }
        Ok(Check {
            store,
            game,
            header,
            manifest,
            order,
            weights,
            sets: Sets::new(levels, room / 2),
            conditions,
            moves,
            rules,
            turn,
            terminal,
            rewards,
            table: CodeTable::of(header.codes.clone(), header.opponent),
            pending: BTreeMap::new(),
            loaded: BTreeMap::new(),
            room,
        })
    }

    /// Enters the start, from which everything is reached.
    fn begin(&mut self) -> Result<(), VerifyError> {
        let start = self.game.initial();
        let number = self.header.layering.layer(start).unwrap_or(0);
        let values: Vec<u32> = self.order.iter().map(|&var| start[var].into()).collect();
        let set = self.sets.single(&values)?;
        self.reach(number, set)
    }

    /// Notes that states of a layer are reached.
    fn reach(&mut self, layer: i64, set: Id) -> Result<(), VerifyError> {
        let last = self.manifest.layers.last().map_or(-1, |l| i64::from(l.layer));
        // What has not been found yet is no fault.
        if set == EMPTY || !self.manifest.forward_complete && layer > last {
            return Ok(());
        }
        let before = self.pending.get(&layer).copied().unwrap_or(EMPTY);
        let joined = self.sets.union(before, set)?;
        self.pending.insert(layer, joined);
        Ok(())
    }

    /// Faults of layers before one that nobody has written down, although there are positions in them.
    fn unrecorded(&mut self, before: i64, report: &mut Report) -> Result<(), VerifyError> {
        while let Some((&layer, &set)) = self.pending.first_key_value().filter(|(layer, _)| **layer < before)
        {
            self.pending.remove(&layer);
            let expected = self.sets.count(set)?.unwrap_or(u64::MAX);
            let what = Wrong::Count { of: "positions", stored: 0, expected };
            let mut fault = about(u32::try_from(layer).unwrap_or(0), what);
            fault.position = self.print(set);
            report.push(fault);
        }
        Ok(())
    }

    pub fn print(&self, set: Id) -> String {
        let mut state = State(vec![0; self.order.len()].into());
        for (&var, value) in self.order.iter().zip(self.sets.first(set)) {
            state[var] = value as u16;
        }
        self.game.print(&state)
    }

    /// A fault of all states of a set; the first one is named.
    pub fn fault(
        &mut self,
        layer: u32,
        set: Id,
        what: Wrong,
        report: &mut Report,
    ) -> Result<(), VerifyError> {
        if set == EMPTY {
            return Ok(());
        }
        let count = self.sets.count(set)?.unwrap_or(u64::MAX);
        let fault = Fault { layer, rank: None, position: self.print(set), what };
        report.faults = report.faults.saturating_add(count);
        if report.examples.len() < KEPT_FAULTS {
            report.examples.push(fault);
        }
        Ok(())
    }

    /// A stored layer; none if there is no such layer.
    pub fn stored(&mut self, number: i64) -> Result<Option<Stored>, VerifyError> {
        let Some(number) = u32::try_from(number).ok().filter(|&n| self.manifest.layer(n).is_some()) else {
            return Ok(None);
        };
        if let Some(known) = self.loaded.get(&number) {
            return Ok(Some(known.clone()));
        }
        let stored = read(self.store, &mut self.sets, number, self.room / 8)?;
        self.loaded.insert(number, stored.clone());
        Ok(Some(stored))
    }

    /// The states of a set in which the game has ended, and the others.
    pub fn ended(&mut self, set: Id) -> Result<(Id, Id), VerifyError> {
        let mut playing = set;
        for i in 0..self.terminal.len() {
            let not = self.conditions.not(self.terminal[i])?;
            playing = self.sets.within(&self.conditions, playing, not)?;
        }
        Ok((self.sets.minus(set, playing)?, playing))
    }

    /// States in which the game has ended by what the players get.
    pub fn by_rewards(&mut self, ended: Id) -> Result<Vec<(Rewards, Id)>, VerifyError> {
        let mut cells: Vec<(Vec<u8>, Id)> = vec![(vec![], ended)];
        for player in 0..self.rewards.len() {
            let mut finer: BTreeMap<Vec<u8>, Id> = BTreeMap::new();
            for (given, mut rest) in cells {
                let mut add = |sets: &mut Sets, reward: u8, set: Id| -> Result<(), VerifyError> {
                    if set != EMPTY {
                        let at = finer.entry([given.as_slice(), &[reward]].concat()).or_insert(EMPTY);
                        *at = sets.union(*at, set)?;
                    }
                    Ok(())
                };
                for i in 0..self.rewards[player].len() {
                    let (reward, when) = self.rewards[player][i];
                    let inside = self.sets.within(&self.conditions, rest, when)?;
                    rest = self.sets.minus(rest, inside)?;
                    add(&mut self.sets, reward, inside)?;
                }
                add(&mut self.sets, 0, rest)?;
            }
            cells = finer.into_iter().collect();
        }
        Ok(cells.into_iter().map(|(rewards, set)| (rewards.into_iter().collect(), set)).collect())
    }

    fn playing(&mut self, all: Id) -> Result<Playing, VerifyError> {
        let (mut by_mover, mut passing, mut rest) = (vec![], vec![], all);
        for player in 0..self.turn.len() {
            let mine = self.sets.within(&self.conditions, rest, self.turn[player])?;
            rest = self.sets.minus(rest, mine)?;
            let mut idle = mine;
            for i in 0..self.rules.len() {
                let rule = &self.rules[i];
                if rule.player.index() == player && !rule.fallback && idle != EMPTY {
                    let not = self.conditions.not(rule.guard)?;
                    idle = self.sets.within(&self.conditions, idle, not)?;
                }
            }
            by_mover.push(mine);
            passing.push(idle);
        }
        Ok(Playing { all, by_mover, passing })
    }

    /// Where moves lead to from states in which play goes on, by layer.
    fn successors(&mut self, playing: &Playing, layer: u32) -> Result<BTreeMap<i64, Id>, VerifyError> {
        let mut found: BTreeMap<i64, Id> = BTreeMap::new();
        for i in 0..self.rules.len() {
            let from = self.movers(playing, i);
            let Check { sets, conditions, moves, rules, .. } = self;
            let image = moves.image(sets, conditions, from, rules[i].residual)?;
            let parts = match &self.weights {
                Some((weights, base)) => {
                    let parts = self.sets.by_weight(image, weights)?;
                    parts.into_iter().map(|(sum, part)| (sum.wrapping_sub(*base), part)).collect()
                }
                None if self.header.layering == Layering::Bfs => vec![(i64::from(layer) + 1, image)],
                None => vec![(0, image)],
            };
            for (layer, part) in parts.into_iter().filter(|part| part.1 != EMPTY) {
                let at = found.entry(layer).or_insert(EMPTY);
                *at = self.sets.union(*at, part)?;
            }
        }
        Ok(found)
    }

    /// The states in which somebody may make a move, if its own condition holds.
    pub fn movers(&self, playing: &Playing, rule: usize) -> Id {
        let rule = &self.rules[rule];
        let player = rule.player.index();
        if rule.fallback { playing.passing[player] } else { playing.by_mover[player] }
    }

    /// Checks a layer.
    fn layer(&mut self, record: &LayerRecord, report: &mut Report) -> Result<Tally, VerifyError> {
        let number = record.layer;
        let stored = self.stored(number.into())?.unwrap_or(Stored { set: EMPTY, values: None });
        let mut reached = self.pending.remove(&number.into()).unwrap_or(EMPTY);
        let (mut fresh, mut to) = (reached, BTreeMap::<i64, Id>::new());
        // Where moves stay inside of the layer, more of it is reached from what was.
        while fresh != EMPTY {
            let (_, going_on) = self.ended(fresh)?;
            let playing = self.playing(going_on)?;
            let mut back = EMPTY;
            fresh = EMPTY;
            for (layer, set) in self.successors(&playing, number)? {
                let at = to.entry(layer).or_insert(EMPTY);
                *at = self.sets.union(*at, set)?;
                if layer == i64::from(number) && self.header.layering != Layering::Bfs {
                    fresh = self.sets.minus(set, reached)?;
                    reached = self.sets.union(reached, fresh)?;
                } else if layer < i64::from(number) {
                    back = self.sets.union(back, set)?;
                } else {
                    self.reach(layer, set)?;
                }
            }
            self.fault(number, back, Wrong::Back { by: "a move to this position".to_owned() }, report)?;
        }
        let unreached = self.sets.minus(stored.set, reached)?;
        self.fault(number, unreached, Wrong::Unreachable, report)?;
        let (ended, going_on) = self.ended(reached)?;
        let missing = self.sets.minus(going_on, stored.set)?;
        let to_it = if missing == EMPTY { String::new() } else { self.print(missing) };
        self.fault(number, missing, Wrong::Open { by: "a move".to_owned(), to: to_it }, report)?;
        let playing = self.playing(going_on)?;
        let mut tally = Tally { by_code: vec![0; self.table.len()], ..Tally::default() };
        self.count_movers(&playing, number, &mut tally, report)?;
        self.check_ends(number, ended, &stored, &mut tally, report)?;
        if let Some(values) = &stored.values {
            self.count_values(&playing, number, values, &mut tally, report)?;
            let targets = self.targets(number, &to, ended)?;
            if targets.is_unsolved {
                self.fault(number, playing.all, Wrong::Unsolved { by: "a move".to_owned() }, report)?;
            }
            self.check_values(number, &playing, values, targets, report)?;
            let checked = self.sets.both(stored.set, reached)?;
            report.checked += self.counted(checked)?;
        }
        Ok(tally)
    }

    pub fn counted(&mut self, set: Id) -> Result<u64, VerifyError> {
        self.sets.count(set)?.ok_or(VerifyError::TooMany)
    }

    /// Forgets what is behind a layer.
    fn tidy(&mut self, done: u32) -> Result<(), VerifyError> {
        self.loaded.retain(|&number, _| number > done);
        let mut roots: Vec<&mut Id> = self.pending.values_mut().collect();
        for stored in self.loaded.values_mut() {
            roots.push(&mut stored.set);
            roots.extend(stored.values.iter_mut().flat_map(ByValue::values_mut));
        }
        self.sets.keep(&mut roots)?;
        self.moves.forget();
        Ok(())
    }

    /// The values that successors can have, by layer: what is stored, and what the rules say where the game has ended.
    fn targets(&mut self, number: u32, to: &BTreeMap<i64, Id>, ended: Id) -> Result<Targets, VerifyError> {
        let mut targets = Targets::default();
        for (&layer, &set) in to {
            let here = layer == i64::from(number) && self.header.layering != Layering::Bfs;
            let (over, _) = if here { (ended, EMPTY) } else { self.ended(set)? };
            let stored = self.stored(layer)?;
            targets.is_unsolved |= stored.as_ref().is_some_and(|stored| stored.values.is_none());
            let values = stored.and_then(|stored| stored.values);
            targets.here |= here;
            for (rewards, set) in self.by_rewards(over)? {
                if let Some(code) = self.table.code(rewards) {
                    // Stored distances are plies plus one.
                    let value =
                        u32::from(code) | u32::from(self.header.remoteness) << self.header.code_bits();
                    targets.add(&mut self.sets, here, value, set)?;
                }
            }
            for (value, set) in values.unwrap_or_default() {
                let (_, going_on) = self.ended(set)?;
                targets.add(&mut self.sets, here, value, going_on)?;
            }
        }
        Ok(targets)
    }
}
