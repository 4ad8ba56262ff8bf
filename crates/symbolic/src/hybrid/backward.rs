//! The way back by diagrams, as far as they fit.

use super::Switch;
use super::drive::{DriveError, Found, Outcome, Search, Why, by_code};
use super::explicit::{self, Rest};
use super::keep::{KeptLayer, KeptValues};
use crate::diagram::Diagram;
use crate::error::SymbolicError;
use crate::layers::Layer;
use crate::observe::{Iteration, Phase};
use crate::solve::{Layering, Share, Values};
use crate::tier::Tier;
use std::collections::BTreeMap;
use std::time::Instant;
use winset_model::{Code, CodeTable, ExprId, Game, Opponent, Player, Rewards, TooManyCodes};

impl<F: Diagram> Search<'_, '_, F> {
    pub(super) fn backward(
        mut self,
        layering: Layering,
        positions: u128,
        deltas: Vec<i64>,
    ) -> Result<Outcome, DriveError> {
        let (game, count) = (self.game, self.measures.len());
        let mut found = Found {
            start: None,
            layering,
            measures: self.measures.clone(),
            shares: vec![None; count],
            positions,
        };
        let mut tier = Tier::new(game, self.how.opponent);
        let mut solved: BTreeMap<i64, Values<F>> = BTreeMap::new();
        let mut behind: BTreeMap<i64, F> = BTreeMap::new();
        let reach = game.symbolic.deltas().last().copied().unwrap_or(0);
        for number in (0..count).rev() {
            let index = self.measures[number];
            if self.is_past(number) {
                found.shares[number] = Some(self.past_shares(number)?);
                if number == 0 {
                    let values = self.past_values(0)?;
                    found.start = self.value_of_start(&values);
                }
                self.layers[number] = None;
                game.symbolic.space.tidy();
                continue;
            }
            let asked = matches!(self.how.switch, Switch::At(last) if number <= last);
            let result = match asked {
                true => Err(None),
                false => self.solve_layer(number, &mut tier, &mut solved).map_err(Some),
            };
            let shares = match result {
                Ok(shares) => shares,
                Err(Some(DriveError::Symbolic(SymbolicError::OutOfMemory { .. })))
                    if self.how.switch == Switch::WhenFull =>
                {
                    drop(tier);
                    let rest = self.rest(number, deltas, &mut solved, &mut behind)?;
                    return Ok(Outcome { found, rest: Some((rest, Why::Full)) });
                }
                Err(None) => {
                    let rest = self.rest(number, deltas, &mut solved, &mut behind)?;
                    return Ok(Outcome { found, rest: Some((rest, Why::Asked)) });
                }
                Err(Some(error)) => return Err(error),
            };
            found.shares[number] = Some(shares);
            if number == 0 {
                found.start = solved.get(&index).and_then(|values| self.value_of_start(values));
            }
            if let Some(layer) = self.layers[number].take() {
                behind.insert(index, layer.states);
            }
            while solved.last_key_value().is_some_and(|(&last, _)| last > index - 1 + reach) {
                solved.pop_last();
            }
            behind.retain(|measure, _| solved.contains_key(measure));
            if number > 0 && self.observer.is_cancelled() {
                return Err(SymbolicError::Cancelled.into());
            }
            game.symbolic.space.tidy();
        }
        Ok(Outcome { found, rest: None })
    }

    fn solve_layer(
        &mut self,
        number: usize,
        tier: &mut Tier<'_, '_, F>,
        solved: &mut BTreeMap<i64, Values<F>>,
    ) -> Result<Vec<Share>, DriveError> {
        let (began, index) = (Instant::now(), self.measures[number]);
        let space = &self.game.symbolic.space;
        for delta in self.game.symbolic.deltas().into_iter().filter(|&delta| delta > 0) {
            if let Ok(later) = self.measures.binary_search(&(index + delta))
                && !solved.contains_key(&(index + delta))
            {
                let values = self.past_values(later)?;
                solved.insert(index + delta, values);
            }
        }
        let layer = self.layer(number)?;
        let result = tier.solve(&layer, solved, self.observer)?;
        let nodes: Vec<usize> = result.values.iter().map(|(_, set)| set.node_count()).collect();
        if self.keeper.keeps() {
            let mut values: Vec<(u32, &F)> = vec![];
            for (rewards, set) in &result.values {
                let code = self.table.code(*rewards).ok_or_else(|| {
                    SymbolicError::Past(format!("there is no code for the rewards {rewards}"))
                })?;
                values.push((code.into(), set));
            }
            values.sort_by_key(|value| value.0);
            let states = match self.indexes.take(number) {
                Some(states) => states,
                None => space.index(&layer.states)?,
            };
            let kept = KeptValues {
                number,
                measure: index,
                by_code: by_code(&result.shares, &self.table, false)?,
                codes: self.table.table(),
                index: &states,
                values: Ok(&space.value_diagram(&values)),
            };
            self.keeper.put_values(&kept).map_err(DriveError::Keeping)?;
        }
        self.observer.iteration(&Iteration {
            phase: Phase::Backward,
            index,
            states: result.shares.iter().map(|share| share.positions).sum(),
            nodes: nodes.iter().sum(),
            peak: nodes.iter().copied().max().unwrap_or(0),
            time: began.elapsed(),
        });
        solved.insert(index, result.values);
        Ok(result.shares)
    }

    fn is_past(&self, number: usize) -> bool {
        self.past.layers.get(number).is_some_and(|layer| layer.solved.is_some())
    }

    /// The values of a layer that the keeper has.
    fn past_values(&mut self, number: usize) -> Result<Values<F>, DriveError> {
        let index = self.keeper.set(number).map_err(DriveError::Keeping)?;
        let diagram = self.keeper.diagram(number, &index).map_err(DriveError::Keeping)?;
        let states = self.layer(number)?.states;
        let sets = self.game.symbolic.space.sets_of(&diagram, &states)?;
        let reward = |code: u32| self.table.table().get(code as usize).copied();
        let values = sets.into_iter().map(|(code, set)| Some((reward(code)?, set))).collect::<Option<_>>();
        Ok(values.ok_or_else(|| SymbolicError::Past("a value has no code".to_owned()))?)
    }

    /// The numbers of a layer that the keeper has.
    fn past_shares(&mut self, number: usize) -> Result<Vec<Share>, DriveError> {
        let past: KeptLayer = self.past.layers[number].clone();
        let rewards = |code: usize| {
            let known = self.table.table().get(code).copied();
            known.ok_or_else(|| SymbolicError::Past("a value has no code".to_owned()))
        };
        let mut shares = vec![];
        for (code, &n) in past.terminal_by_code.iter().enumerate().filter(|(_, n)| **n > 0) {
            shares.push(Share { mover: None, rewards: rewards(code)?, positions: n.into() });
        }
        let solved = past.solved.unwrap_or_default();
        if past.mover.is_some() || solved.iter().all(|&n| n == 0) {
            for (code, &n) in solved.iter().enumerate().filter(|(_, n)| **n > 0) {
                shares.push(Share { mover: past.mover, rewards: rewards(code)?, positions: n.into() });
            }
            return Ok(shares);
        }
        // Both players are to move somewhere in it.
        let values = self.past_values(number)?;
        let (space, layer) = (&self.game.symbolic.space, self.layer(number)?);
        for (player, states) in (0..).zip(self.game.by_turn(&layer.going_on)?) {
            for (rewards, set) in &values {
                let positions = space.count(&space.and(&states, set)?)?;
                if positions > 0 {
                    shares.push(Share { mover: Some(Player(player)), rewards: *rewards, positions });
                }
            }
        }
        Ok(shares)
    }

    fn value_of_start(&self, values: &Values<F>) -> Option<Rewards> {
        let (space, state) = (&self.game.symbolic.space, self.game.game.initial());
        values.iter().find(|(_, set)| space.contains(set, state)).map(|&(rewards, _)| rewards)
    }

    /// What is left for whoever looks at states one by one: the layers up to one, and the values behind it.
    fn rest(
        &mut self,
        number: usize,
        deltas: Vec<i64>,
        solved: &mut BTreeMap<i64, Values<F>>,
        behind: &mut BTreeMap<i64, F>,
    ) -> Result<Rest, DriveError> {
        let space = &self.game.symbolic.space;
        if !self.keeper.keeps() {
            self.table = possible(self.game.game, self.how.opponent)?;
        }
        let mut rest = Rest {
            layers: number + 1,
            order: space.order().to_vec(),
            deltas,
            table: self.table.clone(),
            sets: vec![],
            later: BTreeMap::new(),
        };
        if self.keeper.keeps() {
            return Ok(rest);
        }
        for (measure, values) in std::mem::take(solved) {
            let Some(states) = behind.remove(&measure) else { continue };
            let code = |rewards: Rewards| self.table.code(rewards).map(u32::from);
            let numbered = values.iter().map(|(rewards, set)| Some((code(*rewards)?, set)));
            let numbered = numbered.collect::<Option<Vec<_>>>();
            let numbered = numbered.ok_or_else(|| SymbolicError::Past("a value has no code".to_owned()))?;
            let index = space.index(&states)?;
            let known = explicit::expanded(index, &space.value_diagram(&numbered), &self.table);
            rest.later.insert(measure, known);
        }
        let waiting: Vec<Layer<F>> =
            self.layers.iter_mut().take(number + 1).filter_map(Option::take).collect();
        let sets = space.share(&waiting, |layer| space.index(&layer.states))?;
        rest.sets = sets.into_iter().map(Some).collect();
        Ok(rest)
    }
}

/// All rewards that the rules can give.
fn possible(game: &Game, opponent: Opponent) -> Result<CodeTable, TooManyCodes> {
    let mut table = CodeTable::of_game(game, opponent);
    let conditions = |list: &Vec<(u8, ExprId)>| list.iter().map(|reward| reward.1).collect::<Vec<_>>();
    let first = conditions(&game.rewards()[0]);
    if game.rewards().iter().all(|list| conditions(list) == first) {
        // All players' rewards are given by the same condition; where none holds, nobody gets anything.
        for at in 0..first.len() {
            table.add(game.rewards().iter().map(|list| list[at].0).collect())?;
        }
        table.add(game.rewards().iter().map(|_| 0).collect())?;
        return Ok(table);
    }
    let mut all: Vec<Vec<u8>> = vec![vec![]];
    for list in game.rewards() {
        let mut rewards: Vec<u8> = list.iter().map(|reward| reward.0).chain([0]).collect();
        rewards.sort_unstable();
        rewards.dedup();
        let more =
            |given: &Vec<u8>| rewards.iter().map(|&r| [given.as_slice(), &[r]].concat()).collect::<Vec<_>>();
        all = all.iter().flat_map(more).collect();
        // Many players could get more than anybody has room for.
        if all.len() > usize::from(Code::MAX) {
            return Err(TooManyCodes);
        }
    }
    for rewards in all {
        let _: Code = table.add(rewards.into_iter().collect())?;
    }
    Ok(table)
}
