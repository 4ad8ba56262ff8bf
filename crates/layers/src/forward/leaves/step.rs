//! A layer from those before it, by leaves.

use crate::blocks::divide::mover_and_endings;
use crate::crew::Crew;
use crate::error::LayersError;
use crate::forward::leaves::classes::NONE;
use crate::forward::leaves::images::Steps;
use crate::forward::leaves::packed::{LeafSets, Packed};
use crate::forward::leaves::{FAILURES, Leaves};
use crate::forward::search::Forward;
use crate::forward::successors::{Filter, LeafConditions, Successors, named};
use crate::rules::conjunction::{ALWAYS, Conj, Conjunctions};
use crate::rules::relation::IDENTITY;
use crate::rules::rules_of_game::Rules;
use crate::sets::build::{descend_to, first_request};
use crate::sets::by_parts::is_too_large;
use crate::sets::count::count_above;
use crate::sets::layer::{Kind, Layer, Part};
use crate::sets::make::{Made, make};
use crate::sets::set::{EMPTY, Level, Node};
use crate::sets::strings::{Joined, Strings};
use crate::sets::table::Table;
use crate::sets::up::{Handled, ascend_all};
use std::ops::Range;
use std::sync::Arc;

/// Another thread is worth its trouble only for n requests, to find what kinds of them there are.
const KINDS: usize = 1 << 13;

/// What became of a layer.
pub enum Step {
    /// It is made.
    Made,
    /// There are no such states.
    Empty,
    /// It must be made without leaves.
    Not,
}

impl Forward {
    /// Makes a layer of the successors of others, if it can be made by leaves.
    pub(crate) fn by_leaves(
        &mut self,
        recent: &[Arc<Layer>],
        items: &[u64],
        layer: &mut Layer,
    ) -> Result<Step, LayersError> {
        let Some(mut leaves) = self.leaves.take() else { return Ok(Step::Not) };
        leaves.keep(recent);
        if !leaves.are_worth_it(recent) {
            self.leaves = Some(leaves);
            return Ok(Step::Not);
        }
        let made = match self.successors_by_leaves(&mut leaves, recent, items) {
            Ok(Some(packed)) => self.divide_by_leaves(&mut leaves, packed, layer),
            Ok(None) => {
                self.leaves = leaves.smaller();
                return Ok(Step::Not);
            }
            Err(error) => Err(error),
        };
        match made {
            Ok(Step::Not) => {
                *layer = Layer { measure: layer.measure, ..Default::default() };
                leaves.failures += 1;
                self.leaves = Some(leaves).filter(|leaves| leaves.forced || leaves.failures < FAILURES);
                Ok(Step::Not)
            }
            // There may be more room without.
            Err(error) if is_too_large(&error) => {
                *layer = Layer { measure: layer.measure, ..Default::default() };
                Ok(Step::Not)
            }
            Ok(made) => {
                self.made_by_leaves += usize::from(matches!(made, Step::Made));
                self.leaves = Some(leaves);
                Ok(made)
            }
            Err(error) => Err(error),
        }
    }

    /// The successors of sets; none if leaves are not worth it.
    fn successors_by_leaves(
        &mut self,
        leaves: &mut Leaves,
        recent: &[Arc<Layer>],
        items: &[u64],
    ) -> Result<Option<Packed>, LayersError> {
        if !leaves.pack(recent) || !leaves.pays() {
            return Ok(None);
        }
        let work = self.rules.conds.work.part(u64::MAX);
        let mut successors = Successors {
            bitmaps: vec![],
            rules: &mut self.rules,
            conjs: &mut self.conjs,
            relations: &mut self.relations,
            sources: recent.iter().map(|layer| layer.levels.as_slice()).collect(),
            digits: self.digits.clone(),
        };
        let first = first_request(items);
        let level = leaves.classes.level;
        let (down, requests) = descend_to(&mut successors, first, level, &self.crew, self.budget, &work)?;
        leaves.answered += requests.len() as u64;
        let Successors { rules, conjs, relations, .. } = successors;
        let mut steps = Steps { rules, conjs, relations };
        let measures: Vec<i64> = recent.iter().map(|layer| layer.measure).collect();
        let Some(targets) = leaves.link(&requests, &measures, &mut steps, &self.crew)? else {
            return Ok(None);
        };
        let sources: Vec<&LeafSets> = measures.iter().map(|measure| &leaves.known[measure]).collect();
        let answer = |request: usize, made: &mut Made| {
            let target = targets[request];
            if target == NONE {
                return 1;
            }
            let out = &mut made.scratch;
            out.clear();
            out.push(target.into());
            out.resize(1 + leaves.classes.words(target), 0);
            let bits_out = &mut out[1..];
            let mut done = 1;
            for &item in requests.get(request) {
                let (source, rel, node) = named(item);
                let (class, bits) = sources[source].get(node);
                if rel == IDENTITY {
                    bits_out.iter_mut().zip(bits).for_each(|(out, bits)| *out |= bits);
                    done += bits.len() as u64 / 4;
                } else {
                    let moved = leaves.images.get(rel, class).moved();
                    moved.apply(leaves.fast, bits, bits_out);
                    done += moved.len() as u64;
                }
            }
            if bits_out.iter().any(|&word| word != 0) {
                made.push(0);
            }
            done
        };
        let taken = requests.bytes() + bytes(&down) + targets.len() as u64 * 4;
        let (handled, table) = make(requests.len(), &self.crew, (taken, self.budget), &work, answer)?;
        let table = table.join(&self.crew);
        let nodes = leaf_of_request(&handled, &table, requests.len());
        drop(handled);
        drop(requests);
        let taken = (table.bytes(), self.budget);
        let (levels, root) = ascend_all(down, nodes, &self.crew, taken)?;
        self.work += work.done();
        Ok(Some(Packed { levels, root, leaves: LeafSets::new(table, &self.crew) }))
    }

    /// Divides a layer in which all states have the same player to move, and whose terminal states all have the same
    /// outcome, known from the condition itself.
    fn divide_by_leaves(
        &mut self,
        leaves: &mut Leaves,
        packed: Packed,
        layer: &mut Layer,
    ) -> Result<Step, LayersError> {
        let Some(root) = packed.root else { return Ok(Step::Empty) };
        layer.positions = count_above(packed.leaves.counts(), &packed.levels, root, &self.crew)?;
        leaves.masks.forget();
        let taken = packed.bytes();
        let budget = self.budget.map(|budget| budget.saturating_sub(taken));
        let Forward { rules, conjs, digits, .. } = &mut *self;
        let mut filter = Filter::new(rules, conjs, &packed.levels, digits.clone(), budget);
        filter.leaf = Some(LeafConditions { leaves, sets: &packed.leaves });
        let Some((player, taking)) = mover_and_endings(&mut filter, root)? else { return Ok(Step::Not) };
        drop(filter);
        let work = self.rules.conds.work.part(u64::MAX);
        let left = match taking[..] {
            [] => packed,
            [ending] => {
                let Forward { rules, conjs, digits, crew, .. } = &mut *self;
                let ending = &rules.endings[ending];
                let Some(rewards) = ending.by_turn[player.index()] else { return Ok(Step::Not) };
                let conj = conjs.intern(ending.all.clone());
                let mut filter = Filter::new(rules, conjs, &packed.levels, digits.clone(), budget);
                let first = first_request(&[Filter::item(root, conj)]);
                let level = packed.levels.len();
                let (down, requests) = descend_to(&mut filter, first, level, crew, budget, &work)?;
                let Filter { rules, conjs, .. } = filter;
                leaves.answered += requests.len() as u64;
                let mut masks = Vec::with_capacity(requests.len());
                for request in 0..requests.len() {
                    let (node, conj) = Filter::named(requests.get(request)[0]);
                    let class = packed.leaves.get(node).0;
                    masks.push(match conj {
                        ALWAYS => NONE,
                        _ => {
                            let Leaves { masks, classes, tails, .. } = leaves;
                            masks.find(rules, conjs, classes, tails, (conj, class))
                        }
                    });
                }
                let answer = |request: usize, made: &mut Made| {
                    let (node, _) = Filter::named(requests.get(request)[0]);
                    let (class, bits) = packed.leaves.get(node);
                    made.scratch.clear();
                    made.scratch.push(class.into());
                    match masks[request] {
                        NONE => made.scratch.extend_from_slice(bits),
                        at => made.scratch.extend(bits.iter().zip(leaves.masks.get(at)).map(|(b, m)| b & m)),
                    }
                    if made.scratch[1..].iter().any(|&word| word != 0) {
                        made.push(0);
                    }
                    1 + bits.len() as u64 / 4
                };
                let taken = requests.bytes() + bytes(&down) + masks.len() as u64 * 4 + leaves.masks.bytes();
                let (handled, table) = make(requests.len(), &self.crew, (taken, budget), &work, answer)?;
                let table = table.join(&self.crew);
                let nodes = leaf_of_request(&handled, &table, requests.len());
                drop(handled);
                drop(requests);
                let taken = (table.bytes(), budget);
                let (levels, root) = ascend_all(down, nodes, &self.crew, taken)?;
                layer.default = Some(self.rules.outcomes.add(rewards)?);
                Packed { levels, root, leaves: LeafSets::new(table, &self.crew) }
            }
            _ => return Ok(Step::Not),
        };
        self.work += work.done();
        self.take(leaves, left, layer)?;
        if let Some(code) = layer.default {
            layer.terminal.push((code, layer.positions - layer.len));
        }
        if let Some(root) = layer.root {
            layer.parts.push(Part { player, kind: Kind::All, root, len: layer.len });
        }
        Ok(Step::Made)
    }

    /// Gives a layer its states, and keeps their leaves.
    fn take(&mut self, leaves: &mut Leaves, states: Packed, layer: &mut Layer) -> Result<(), LayersError> {
        let Packed { levels, root, leaves: sets } = states;
        layer.root = root;
        let Some(root) = root else {
            layer.levels = vec![Level::default(); self.digits.len()];
            return Ok(());
        };
        layer.len = count_above(sets.counts(), &levels, root, &self.crew)?;
        let work = self.rules.conds.work.part(u64::MAX);
        let Leaves { classes, tails, .. } = leaves;
        layer.levels = levels;
        let below =
            sets.unfold(classes, tails, &self.crew, (layer.bytes() + sets.bytes(), self.budget), &work)?;
        layer.levels.extend(below);
        self.work += work.done();
        leaves.known.insert(layer.measure, sets);
        Ok(())
    }
}

impl Leaves {
    /// For each request the class of all states that it asks for; [`NONE`] if there are none. None if it does not pay.
    fn link(
        &mut self,
        requests: &Strings,
        measures: &[i64],
        steps: &mut Steps,
        crew: &Crew,
    ) -> Result<Option<Vec<u32>>, LayersError> {
        // Requests that ask for the same classes with the same relations have the same answer.
        let sources: Vec<&LeafSets> = measures.iter().map(|measure| &self.known[measure]).collect();
        let runs = crew.threads().min(requests.len() / KINDS).max(1);
        let run = |i: usize| requests.len() * i / runs..requests.len() * (i + 1) / runs;
        let find = |_, run: Range<usize>| {
            let mut kinds = Table::default();
            let mut kind = vec![];
            let kind_of = run.map(|request| {
                kind.clear();
                for &item in requests.get(request) {
                    let (source, rel, node) = named(item);
                    let class = sources[source].get(node).0;
                    kind.push(u64::from(rel) << 32 | u64::from(class));
                }
                kind.sort_unstable();
                kind.dedup();
                kinds.add(&kind)
            });
            let kind_of: Vec<u32> = kind_of.collect();
            (kinds, kind_of)
        };
        let (tables, kind_of): (Vec<Table>, Vec<Vec<u32>>) =
            crew.map((0..runs).map(run).collect(), find).into_iter().unzip();
        // Several may have found the same kind, which then has the same answer several times.
        let kinds = Strings::new(tables);
        // New states can have successors of their own.
        let mut targets = vec![NONE; kinds.len()];
        loop {
            self.images.begin();
            for (kind, target) in targets.iter_mut().enumerate() {
                for &asked in kinds.get(kind) {
                    let (rel, class) = ((asked >> 32) as u32, self.classes.now(asked as u32));
                    let found = match rel {
                        IDENTITY => class,
                        _ => self.images.target(steps, &mut self.classes, &mut self.tails, rel, class)?,
                    };
                    if found != NONE {
                        *target = if *target == NONE { found } else { self.classes.link(*target, found) };
                    }
                }
            }
            let done = !self.classes.is_unsettled();
            if !self.settle() || !self.pays() {
                return Ok(None);
            }
            if done {
                break;
            }
        }
        let now = |target: u32| if target == NONE { NONE } else { self.classes.now(target) };
        let targets: Vec<u32> = targets.into_iter().map(now).collect();
        let runs = kind_of.iter().zip(kinds.firsts());
        let all = runs.flat_map(|(run, &first)| run.iter().map(move |&kind| first + kind as usize));
        Ok(Some(all.map(|kind| targets[kind]).collect()))
    }
}

impl LeafConditions<'_> {
    /// Whether a set has a state where all conditions hold, or else one where they do not.
    pub fn has(
        &mut self,
        (rules, conjs): (&Rules, &Conjunctions),
        node: Node,
        conj: Conj,
        all_hold: bool,
    ) -> bool {
        let (class, bits) = self.sets.get(node);
        let Leaves { masks, classes, tails, .. } = &mut *self.leaves;
        let mask = masks.find(rules, conjs, classes, tails, (conj, class));
        let mask = masks.get(mask);
        bits.iter().zip(mask).any(|(bits, mask)| bits & if all_hold { *mask } else { !mask } != 0)
    }
}

/// The leaf that each request has been answered with.
fn leaf_of_request(handled: &[Handled], leaves: &Joined, requests: usize) -> Vec<Node> {
    let mut nodes = vec![EMPTY; requests];
    for handled in handled {
        for (at, &request) in handled.requests.iter().enumerate() {
            if let Some((_, leaf)) = handled.edges_of(at).next() {
                nodes[request as usize] = leaves.number(leaf);
            }
        }
    }
    nodes
}

fn bytes(down: &[Vec<Handled>]) -> u64 {
    down.iter().flatten().map(Handled::bytes).sum()
}
