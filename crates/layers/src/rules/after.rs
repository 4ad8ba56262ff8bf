//! What holds after a move, as a condition on the state before it.

use crate::rules::condition::{Cond, Conditions, FALSE, TRUE, TooLarge};
use crate::rules::rules_of_game::{Move, Rules};
use rustc_hash::FxHashMap;
use winset_model::{Player, Value};

/// The most nodes by which conditions may grow while it is found out what holds after the moves.
const MOST: usize = 100_000;

/// What a move changes: positions, with conditions and new values.
type Updates = [(u32, Vec<(Cond, Value)>)];

impl Conditions {
    /// Where a condition holds after the updates.
    fn after(
        &mut self,
        cond: Cond,
        updates: &Updates,
        memo: &mut FxHashMap<Cond, Cond>,
    ) -> Result<Cond, TooLarge> {
        if cond <= TRUE {
            return Ok(cond);
        }
        if let Some(&known) = memo.get(&cond) {
            return Ok(known);
        }
        let position = self.position(cond);
        let mut below = vec![];
        for value in 0..self.size(position) {
            let child = self.child(cond, value as Value);
            below.push(self.after(child, updates, memo)?);
        }
        let cases = updates.binary_search_by_key(&position, |update| update.0).map(|at| &updates[at].1);
        let mut result = FALSE;
        let mut none_before = TRUE;
        for &(when, value) in cases.into_iter().flatten() {
            let applies = self.and(none_before, when)?;
            let holds = self.and(applies, below[usize::from(value)])?;
            result = self.or(result, holds)?;
            let not = self.not(when)?;
            none_before = self.and(none_before, not)?;
        }
        if none_before != FALSE {
            for (value, &below) in below.iter().enumerate() {
                let kept = self.is(position, value as Value)?;
                let kept = self.and(kept, none_before)?;
                let holds = self.and(kept, below)?;
                result = self.or(result, holds)?;
            }
        }
        memo.insert(cond, result);
        Ok(result)
    }
}

impl Rules {
    fn whole_guard(&mut self, m: &Move) -> Result<Cond, TooLarge> {
        let mut whole = TRUE;
        for &cond in &m.guard {
            whole = self.conds.and(whole, cond)?;
        }
        Ok(whole)
    }

    fn moves_of(&self, player: Player) -> Vec<Move> {
        self.moves.iter().filter(|m| m.player == player).cloned().collect()
    }

    /// Conditions that all hold in those states of a player in which no move ends the game as one of these endings
    /// says. The states themselves are not terminal. None if the conditions are too large.
    pub fn none_ends_at_once(
        &mut self,
        player: Player,
        endings: &[usize],
    ) -> Result<Option<Vec<Cond>>, TooLarge> {
        let moves = self.moves_of(player);
        let pieces: Vec<Cond> = endings.iter().flat_map(|&i| self.endings[i].pieces.clone()).collect();
        self.within(|rules| {
            let mut list = vec![];
            for m in &moves {
                let guard = rules.whole_guard(m)?;
                let cannot = rules.conds.not(guard)?;
                let mut memo = FxHashMap::default();
                for &piece in &pieces {
                    let goes_on = rules.conds.after(piece, &m.updates, &mut memo)?;
                    let harmless = rules.conds.or(cannot, goes_on)?;
                    let ends = rules.conds.not(harmless)?;
                    // What holds before the move anyway, because the game has not ended, need not be asked.
                    if rules.conds.meet(piece, ends) {
                        list.push(harmless);
                    }
                }
            }
            list.sort_unstable();
            list.dedup();
            Ok(list)
        })
    }

    /// Conditions that all hold where a player has no move.
    pub fn has_no_move(&mut self, player: Player) -> Result<Option<Vec<Cond>>, TooLarge> {
        let moves = self.moves_of(player);
        self.within(|rules| {
            let mut list = vec![];
            for m in &moves {
                let guard = rules.whole_guard(m)?;
                list.push(rules.conds.not(guard)?);
            }
            Ok(list)
        })
    }

    /// After every move of one player it is the other's turn.
    pub fn hands_over(&mut self, player: Player, to: Player) -> Result<bool, TooLarge> {
        let turn = &self.turn[to.index()];
        let ([turn], false) = (&turn.all[..], turn.negated) else { return Ok(false) };
        let (turn, moves) = (*turn, self.moves_of(player));
        let found = self.within(|rules| {
            for m in &moves {
                let after = rules.conds.after(turn, &m.updates, &mut FxHashMap::default())?;
                let guard = rules.whole_guard(m)?;
                let not = rules.conds.not(after)?;
                if rules.conds.meet(guard, not) {
                    return Ok(false);
                }
            }
            Ok(true)
        });
        Ok(found? == Some(true))
    }

    /// Does something that must not make the conditions much larger; none if it would.
    fn within<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, TooLarge>,
    ) -> Result<Option<T>, TooLarge> {
        let outer = self.conds.begin_budget(MOST);
        let result = work(self);
        self.conds.end_budget(outer);
        match result {
            Ok(found) => Ok(Some(found)),
            Err(TooLarge::Work) => Err(TooLarge::Work),
            Err(_) => Ok(None),
        }
    }
}
