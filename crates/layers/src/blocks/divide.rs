//! Cuts a layer into terminal states by outcome and other states by who moves.

use crate::blocks::partition::{Partition, Sides};
use crate::error::LayersError;
use crate::forward::search::Forward;
use crate::forward::successors::Filter;
use crate::rules::compile::Compound;
use crate::sets::by_parts::build;
use crate::sets::count::{Counter, count};
use crate::sets::layer::{Kind, Layer, Part};
use crate::sets::set::{EMPTY, Level, Node, Sets};
use crate::shared::Plain;
use winset_model::{Code, Game, Player, Rewards};

/// Terminal states that an ending has taken.
enum Taken {
    /// What was there before, and what goes on.
    Between(Node, Node),
    /// The states themselves.
    Are(Node),
}

impl Forward {
    /// Divides a layer in which all states have the same player to move, and whose terminal states all
    /// have the same outcome, known from the condition itself. Says if that was possible.
    pub(crate) fn divide_simply(
        &mut self,
        levels: &[Level],
        root: Node,
        layer: &mut Layer,
    ) -> Result<bool, LayersError> {
        if self.roots.iter().any(|root| root.gain == 0) {
            return Ok(false);
        }
        // The states before they are divided stay until that is done.
        let bytes: u64 = levels.iter().map(Level::bytes).sum();
        let budget = self.budget.map(|budget| budget.saturating_sub(bytes));
        let mut filter = Filter::new(&self.rules, &mut self.conjs, levels, self.digits.clone(), budget);
        let empty = root == EMPTY;
        let (positions, plain) = match empty {
            true => (Ok(0), Ok(None)),
            false => self.crew.both(|| count(levels, root), || mover_and_endings(&mut filter, root)),
        };
        layer.positions = positions?;
        let plain = match &self.shared {
            Some(shared) => shared.agree_on_mover(empty, plain?)?,
            None => plain?,
        };
        let Some((player, taking)) = plain else { return Ok(false) };
        match taking[..] {
            [] => {
                layer.levels = levels.to_vec();
                layer.root = (!empty).then_some(root);
            }
            [ending] => {
                let ending = &self.rules.endings[ending];
                let Some(rewards) = ending.by_turn[player.index()] else { return Ok(false) };
                layer.levels = vec![Level::default(); levels.len()];
                if !empty {
                    let work = self.rules.conds.work.part(u64::MAX);
                    let item = Filter::item(root, filter.conjs.intern(ending.all.clone()));
                    (layer.levels, layer.root) =
                        build(&mut filter, &[item], &self.crew, budget, &work, &mut self.split[1])?;
                    self.work += work.done();
                }
                layer.default = Some(self.rules.outcomes.add(rewards)?);
            }
            _ => return Ok(false),
        }
        layer.len = layer.root.map_or(Ok(0), |root| count(&layer.levels, root))?;
        if let Some(code) = layer.default {
            layer.terminal.push((code, layer.positions - layer.len));
        }
        if let Some(root) = layer.root {
            layer.parts.push(Part { player, kind: Kind::All, root, len: layer.len });
        }
        Ok(true)
    }

    /// The states of the set where a compound condition holds, and the others.
    pub(crate) fn cut(&mut self, sets: &mut Sets, node: Node, compound: &Compound) -> (Node, Node) {
        let conj = self.conjs.intern(compound.all.clone());
        let (yes, no) = Partition::new(&self.rules, &mut self.conjs, sets, Sides::Both).cut(0, node, conj);
        if compound.negated { (no, yes) } else { (yes, no) }
    }

    /// The states that an ending leaves, and those that it takes if their outcome must be found out.
    pub(crate) fn goes_on(&mut self, sets: &mut Sets, ending: usize, node: Node) -> (Node, Node) {
        let ending = &self.rules.endings[ending];
        let conj = self.conjs.intern(ending.all.clone());
        let sides = if ending.rewards.is_some() { Sides::Inside } else { Sides::Both };
        let ends = ending.ends;
        let (yes, no) = Partition::new(&self.rules, &mut self.conjs, sets, sides).cut(0, node, conj);
        if ends { (no, yes) } else { (yes, no) }
    }

    /// Cuts a layer into terminal states by outcome and other states by player. If all its states have a
    /// place, then those of the outcome without places are not there, and it is not named.
    pub(crate) fn divide(
        &mut self,
        game: &Game,
        sets: &mut Sets,
        all: Node,
        layer: &mut Layer,
        all_placed: bool,
    ) -> Result<(), LayersError> {
        let mut counter = Counter::new(sets.levels.len());
        layer.positions = counter.count(sets, all)?;
        let mut rest = all;
        let mut taken: Vec<(usize, Rewards, u64, Taken)> = vec![];
        for i in 0..self.rules.endings.len() {
            let (goes_on, took) = self.goes_on(sets, i, rest);
            if goes_on == rest {
                continue;
            }
            match self.rules.endings[i].rewards {
                Some(rewards) => {
                    let n = counter.count(sets, rest)? - counter.count(sets, goes_on)?;
                    taken.push((i, rewards, n, Taken::Between(rest, goes_on)));
                }
                None => {
                    for (rewards, node) in self.by_rewards(sets, took) {
                        taken.push((i, rewards, counter.count(sets, node)?, Taken::Are(node)));
                    }
                }
            }
            rest = goes_on;
        }
        self.check_forbidden(game, sets, all, rest)?;
        self.name_default(&taken, layer, all_placed)?;
        let mut ended: Vec<(Code, Node)> = vec![];
        for (_, rewards, n, states) in taken {
            let code = self.rules.outcomes.add(rewards)?;
            layer.terminal.push((code, n));
            if layer.default != Some(code) {
                let node = match states {
                    Taken::Between(before, after) => sets.difference(before, after),
                    Taken::Are(node) => node,
                };
                ended.push((code, node));
            }
        }
        add_equal(&mut layer.terminal, |a, b| a + b);
        add_equal(&mut ended, |a, b| sets.union(0, a, b));
        let mut left = rest;
        for player in game.each_player() {
            let turn = self.rules.turn[player.index()].clone();
            let (movers, others) = self.cut(sets, left, &turn);
            left = others;
            for (kind, root) in self.kinds(sets, player, movers) {
                if root != EMPTY {
                    let len = counter.count(sets, root)?;
                    layer.parts.push(Part { player, kind, root, len });
                }
            }
        }
        if left != EMPTY {
            let state = self.rules.frame.blocks.state(&sets.first(left));
            return Err(LayersError::NobodysTurn(game.print(&state)));
        }
        let mut placed = rest;
        for &(_, node) in &ended {
            placed = sets.union(0, placed, node);
        }
        layer.ended = ended;
        layer.root = (placed != EMPTY).then_some(placed);
        layer.len = counter.count(sets, placed)?;
        Ok(())
    }

    /// Gives codes to all outcomes of a layer, in the order in which endings take states, and names the one without
    /// places: that of the first ending whose outcome is known, else the most frequent.
    fn name_default(
        &mut self,
        taken: &[(usize, Rewards, u64, Taken)],
        layer: &mut Layer,
        all_placed: bool,
    ) -> Result<(), LayersError> {
        let mut taken: Vec<(usize, Rewards, u64)> =
            taken.iter().map(|&(ending, rewards, n, _)| (ending, rewards, n)).collect();
        if let Some(shared) = &self.shared {
            taken = shared.agree_on_endings(&taken)?;
        }
        let mut terminal: Vec<(Code, u64)> = vec![];
        let mut unclear: Vec<Code> = vec![];
        for (i, rewards, n) in taken {
            let code = self.rules.outcomes.add(rewards)?;
            terminal.push((code, n));
            let ending = &self.rules.endings[i];
            if ending.rewards.is_none() {
                if ending.by_turn.iter().any(Option::is_none) {
                    unclear.push(code);
                }
            } else if layer.default.is_none() && !all_placed {
                layer.default = Some(code);
            }
        }
        add_equal(&mut terminal, |a, b| a + b);
        if layer.default.is_none() && !all_placed {
            layer.default = terminal.iter().max_by_key(|(_, n)| n).map(|&(code, _)| code);
        }
        layer.default_unclear = layer.default.is_some_and(|code| unclear.contains(&code));
        Ok(())
    }

    /// Refuses the game if a state of a layer fulfils what it forbids; `going_on` are those not terminal.
    fn check_forbidden(
        &mut self,
        game: &Game,
        sets: &mut Sets,
        all: Node,
        going_on: Node,
    ) -> Result<(), LayersError> {
        for i in 0..self.rules.forbidden.len() {
            let (when, ended, why) = self.rules.forbidden[i].clone();
            let among = if ended { sets.difference(all, going_on) } else { going_on };
            let (found, _) = self.cut(sets, among, &when);
            if found != EMPTY {
                let state = game.print(&self.rules.frame.blocks.state(&sets.first(found)));
                return Err(LayersError::Forbidden { why, state });
            }
        }
        Ok(())
    }

    /// The states of a player by the kind of moves that they have.
    fn kinds(&mut self, sets: &mut Sets, player: Player, movers: Node) -> Vec<(Kind, Node)> {
        if !self.only_passes_stay {
            return vec![(Kind::All, movers)];
        }
        let (mut leaving, mut passing) = (movers, EMPTY);
        for i in 0..self.rules.moves.len() {
            let m = &self.rules.moves[i];
            if m.player == player && m.fallback {
                let guard = Compound { all: m.guard.clone(), negated: false };
                let (yes, no) = self.cut(sets, leaving, &guard);
                (leaving, passing) = (no, sets.union(0, passing, yes));
            }
        }
        vec![(Kind::Leaving, leaving), (Kind::Passing, passing)]
    }

    /// Cuts terminal states by what the players get.
    fn by_rewards(&mut self, sets: &mut Sets, node: Node) -> Vec<(Rewards, Node)> {
        let mut groups: Vec<(Rewards, Node)> = vec![(Rewards::from([]), node)];
        for player in 0..self.rules.rewards.len() {
            let mut next: Vec<(Rewards, Node)> = vec![];
            for (head, node) in groups {
                let mut left = node;
                let with = |reward: u8| -> Rewards { head.iter().copied().chain([reward]).collect() };
                for i in 0..self.rules.rewards[player].len() {
                    let (reward, when) = self.rules.rewards[player][i].clone();
                    let (yes, no) = self.cut(sets, left, &when);
                    next.push((with(reward), yes));
                    left = no;
                }
                next.push((with(0), left));
            }
            next.retain(|group| group.1 != EMPTY);
            add_equal(&mut next, |a, b| sets.union(0, a, b));
            groups = next;
        }
        groups
    }
}

/// Who moves in all states of a set, and the endings that take some of them. None if it is not one player, or a state
/// is forbidden.
pub fn mover_and_endings(filter: &mut Filter, root: Node) -> Result<Plain, LayersError> {
    let rules = filter.rules;
    for (when, ..) in &rules.forbidden {
        let conj = filter.conjs.intern(when.all.clone());
        if filter.has(root, conj, !when.negated)? {
            return Ok(None);
        }
    }
    for (player, turn) in rules.turn.iter().enumerate() {
        let conj = filter.conjs.intern(turn.all.clone());
        if turn.negated || filter.has(root, conj, false)? {
            continue;
        }
        let mut taking = vec![];
        for (i, ending) in rules.endings.iter().enumerate() {
            let conj = filter.conjs.intern(ending.all.clone());
            if ending.ends || filter.has(root, conj, false)? {
                taking.push(i);
            }
        }
        return Ok(Some((Player::new(player), taking)));
    }
    Ok(None)
}

/// Combines what belongs to equal keys, and sorts by key.
fn add_equal<K: Ord + Clone, V: Copy>(list: &mut Vec<(K, V)>, mut add: impl FnMut(V, V) -> V) {
    list.sort_by(|a, b| a.0.cmp(&b.0));
    let mut combined: Vec<(K, V)> = vec![];
    for (key, value) in list.drain(..) {
        match combined.last_mut() {
            Some(last) if last.0 == key => last.1 = add(last.1, value),
            _ => combined.push((key, value)),
        }
    }
    *list = combined;
}
