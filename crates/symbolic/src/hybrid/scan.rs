//! One layer, state by state: the value of each from those of its successors, which are found by rank.

use super::codes::Codes;
use super::cursor::{Cursor, Walk};
use crate::error::SymbolicError;
use crate::solve::Share;
use std::sync::atomic::{AtomicU64, Ordering};
use winset_index::{Digit, Index};
use winset_model::{
    CodeTable, ExprId, Exprs, Game, Lanes, MOST_PLAYERS, MoveId, Player, Rewards, State, Value, VarId,
};

/// States that a thread takes at a time; a multiple of 64.
const RANGE: u64 = 1 << 14;

/// A layer whose values are known, or, for the layer itself, become known.
#[derive(Clone, Debug)]
pub struct Known {
    pub index: Index,
    pub codes: Codes,
}

/// What all threads that work on a layer share.
pub struct Scan<'a> {
    pub game: &'a Game,
    /// The variables by level.
    pub order: &'a [VarId],
    pub table: &'a CodeTable,
    pub index: &'a Index,
    /// For each move the layer that it leads to; none if that is this one, or if there is none.
    pub targets: Vec<Target<'a>>,
    /// Where each variable's row of masks begins.
    rows: Vec<usize>,
    moves: Vec<Planned>,
}

/// Where a move leads.
#[derive(Clone, Copy)]
pub enum Target<'a> {
    /// To a later layer.
    Later(&'a Known),
    /// To the same layer.
    Here,
    /// There is no such layer, so the move is never made.
    Nowhere,
}

/// A move by levels.
struct Planned {
    guard: ExprId,
    player: Player,
    fallback: bool,
    /// The levels that it changes, ascending, with conditions and new digits.
    updates: Vec<(usize, Vec<(ExprId, Value)>)>,
    /// The new digits do not depend on the state.
    fixed: bool,
}

/// The values of a part of a layer.
#[derive(Default)]
struct Part {
    codes: Codes,
    /// The states that have no value yet, because they lead to others of the layer that have none.
    open: Vec<u64>,
    /// By mover (nobody: last) and code.
    counts: Vec<u64>,
}

/// A solved layer.
pub struct Scanned {
    pub codes: Codes,
    pub shares: Vec<Share>,
}

impl<'a> Scan<'a> {
    pub fn new(
        game: &'a Game,
        order: &'a [VarId],
        table: &'a CodeTable,
        index: &'a Index,
        targets: Vec<Target<'a>>,
    ) -> Self {
        let mut rows = vec![];
        let mut next = 0;
        for v in game.variables() {
            rows.push(next);
            next += v.size();
        }
        let mut level_of = vec![0; order.len()];
        order.iter().enumerate().for_each(|(level, var)| level_of[var.index()] = level);
        let planned = |m: &winset_model::Move| {
            let mut updates: Vec<(usize, Vec<(ExprId, Value)>)> =
                m.updates.iter().map(|u| (level_of[u.var.index()], u.cases.clone())).collect();
            updates.sort_by_key(|update| update.0);
            let fixed = updates.iter().all(|(_, cases)| cases.first().is_some_and(|c| c.0 == Exprs::TRUE));
            Planned { guard: m.guard, player: m.player, fallback: m.fallback, updates, fixed }
        };
        let moves = game.moves().iter().map(planned).collect();
        Scan { game, order, table, index, targets, rows, moves }
    }

    /// All states of the layer, on n threads.
    pub fn solve(&self, threads: usize) -> Result<Scanned, SymbolicError> {
        let len = self.index.len();
        let level = self.targets.iter().any(|target| matches!(target, Target::Here));
        let mut codes = Codes::new(len, self.table.len());
        let mut open: Option<Vec<u64>> = None;
        let mut counts = vec![0; (MOST_PLAYERS + 1) * self.table.len()];
        loop {
            // What moves inside of the layer lead to is what former rounds have found.
            let parts = self.round(threads, level.then_some((&codes, open.as_deref())))?;
            let (mut made, mut left) = (Codes::new(0, self.table.len()), vec![]);
            for part in parts {
                made.append(part.codes);
                left.extend(part.open);
                counts.iter_mut().zip(part.counts).for_each(|(sum, n)| *sum += n);
            }
            codes.join(&made);
            let still = left.iter().any(|&word| word != 0);
            if !still {
                break;
            }
            if open.as_ref() == Some(&left) {
                return Err(SymbolicError::Cyclic);
            }
            open = Some(left);
        }
        let share = |(at, &positions): (usize, &u64)| {
            let (mover, code) = (at / self.table.len(), at % self.table.len());
            let mover = (mover < MOST_PLAYERS).then(|| Player::new(mover));
            Share { mover, rewards: self.table.rewards(code as u16), positions: positions.into() }
        };
        let shares = counts.iter().enumerate().filter(|(_, n)| **n > 0).map(share).collect();
        Ok(Scanned { codes, shares })
    }

    /// Looks at all states, or at those that are open.
    fn round(
        &self,
        threads: usize,
        here: Option<(&Codes, Option<&[u64]>)>,
    ) -> Result<Vec<Part>, SymbolicError> {
        let ranges = self.index.len().div_ceil(RANGE);
        let next = AtomicU64::new(0);
        let work = || {
            let mut worker = Worker::new(self, here);
            let mut mine = vec![];
            loop {
                let range = next.fetch_add(1, Ordering::Relaxed);
                if range >= ranges {
                    return Ok(mine);
                }
                mine.push((range, worker.run(range * RANGE)?));
            }
        };
        let threads = threads.clamp(1, ranges.max(1) as usize);
        let done: Vec<Result<Vec<(u64, Part)>, SymbolicError>> = if threads == 1 {
            vec![work()]
        } else {
            std::thread::scope(|scope| {
                let handles: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
                handles.into_iter().map(|handle| handle.join().expect("a scan does not panic")).collect()
            })
        };
        let mut parts = vec![];
        for list in done {
            parts.extend(list?);
        }
        parts.sort_by_key(|part| part.0);
        Ok(parts.into_iter().map(|part| part.1).collect())
    }
}

/// What one thread keeps.
struct Worker<'a, 's> {
    scan: &'s Scan<'a>,
    here: Option<(&'s Codes, Option<&'s [u64]>)>,
    lanes: Lanes,
    /// Lane by lane.
    digits: Vec<Digit>,
    /// The topmost level that differs from the lane before.
    changed: [u16; 64],
    cursors: Vec<Cursor>,
    /// The topmost level that has changed since each move was last looked up.
    since: Vec<u16>,
    /// For each code the lanes in which a move leads to it.
    offers: Vec<u64>,
}

impl<'a, 's> Worker<'a, 's> {
    fn new(scan: &'s Scan<'a>, here: Option<(&'s Codes, Option<&'s [u64]>)>) -> Self {
        let game = scan.game;
        let of_moves = scan.moves.iter().flat_map(|m| {
            let cases = m.updates.iter().flat_map(|(_, cases)| cases.iter().map(|case| case.0));
            std::iter::once(m.guard).chain(cases)
        });
        let roots: Vec<ExprId> = of_moves
            .chain(game.turn().iter().copied())
            .chain(game.terminal().iter().copied())
            .chain(game.rewards().iter().flatten().map(|reward| reward.1))
            .chain(game.forbidden().iter().map(|forbidden| forbidden.when))
            .collect();
        let levels = scan.order.len();
        let cursor = |target: &Target<'_>| {
            let index = match target {
                Target::Later(known) => &known.index,
                Target::Here => scan.index,
                Target::Nowhere => return Cursor::default(),
            };
            Cursor::new(levels, index.root().unwrap_or(0))
        };
        Worker {
            scan,
            here,
            lanes: Lanes::new(game.exprs(), game.variables(), roots),
            digits: vec![0; 64 * levels],
            changed: [0; 64],
            cursors: scan.targets.iter().map(cursor).collect(),
            since: vec![0; scan.moves.len()],
            offers: vec![0; scan.table.len()],
        }
    }

    /// The values of the states from a rank on.
    fn run(&mut self, first: u64) -> Result<Part, SymbolicError> {
        let (scan, table) = (self.scan, self.scan.table);
        let count = RANGE.min(scan.index.len() - first);
        let mut part = Part {
            codes: Codes::new(count, table.len()),
            open: vec![0; if self.here.is_some() { count.div_ceil(64) as usize } else { 0 }],
            counts: vec![0; (MOST_PLAYERS + 1) * table.len()],
        };
        let mut walk = Walk::new(scan.index, first, count);
        // Somewhere else than before.
        self.since.fill(0);
        for batch in (0..count).step_by(64) {
            let lanes = self.load(&mut walk);
            let wanted = match self.here {
                Some((_, Some(open))) => open[((first + batch) / 64) as usize],
                _ => !0,
            };
            if wanted != 0 {
                self.batch(batch, lanes, wanted, &mut part)?;
            }
            let topmost = self.changed[..lanes].iter().copied().min().unwrap_or(0);
            if wanted == 0 {
                self.since.iter_mut().for_each(|since| *since = topmost.min(*since));
            }
        }
        Ok(part)
    }

    /// Takes up to 64 states from the walk; at each level a run of equal digits is entered into the masks at once.
    fn load(&mut self, walk: &mut Walk<'_>) -> usize {
        let (scan, levels) = (self.scan, self.scan.order.len());
        let masks = self.lanes.masks();
        masks.fill(0);
        let mut begun = vec![0usize; levels];
        let mut lanes = 0usize;
        while lanes < 64 {
            let last = lanes.saturating_sub(1) * levels;
            let Some(changed) = walk.step() else { break };
            if lanes > 0 {
                for k in changed..levels {
                    let begin = std::mem::replace(&mut begun[k], lanes);
                    let value = usize::from(self.digits[last + k]);
                    masks[scan.rows[scan.order[k].index()] + value] |= run_mask(begin, lanes);
                }
            }
            self.digits[lanes * levels..][..levels].copy_from_slice(&walk.digits);
            self.changed[lanes] = changed as u16;
            lanes += 1;
        }
        for (k, &begin) in begun.iter().enumerate().filter(|_| lanes > 0) {
            let value = usize::from(self.digits[(lanes - 1) * levels + k]);
            masks[scan.rows[scan.order[k].index()] + value] |= run_mask(begin, lanes);
        }
        self.lanes.evaluate(lanes);
        lanes
    }

    fn batch(&mut self, batch: u64, lanes: usize, wanted: u64, part: &mut Part) -> Result<(), SymbolicError> {
        let (game, table, codes) = (self.scan.game, self.scan.table, self.scan.table.len());
        let used = self.lanes.used() & wanted;
        let ended = game.terminal().iter().fold(0, |all, &when| all | self.lanes.word(when)) & used;
        let playing = used & !ended;
        for forbidden in game.forbidden() {
            let found = self.lanes.word(forbidden.when) & if forbidden.ended { ended } else { playing };
            if found != 0 {
                let state = self.print(found.trailing_zeros() as usize);
                return Err(SymbolicError::Forbidden { why: forbidden.why.clone(), state });
            }
        }
        if ended != 0 {
            self.ends(batch, ended, part)?;
        }
        self.offers.fill(0);
        let mut open = 0;
        let (mut has_other, mut moved) = ([0u64; MOST_PLAYERS], 0);
        let mut turns = [0u64; MOST_PLAYERS];
        let mut taken = 0;
        for (player, &turn) in game.turn().iter().enumerate() {
            let word = self.lanes.word(turn) & playing;
            if word & taken != 0 {
                return Err(SymbolicError::TwoTurns(self.print((word & taken).trailing_zeros() as usize)));
            }
            turns[player] = word;
            taken |= word;
        }
        for fallback in [false, true] {
            for id in 0..self.scan.moves.len() {
                let m = &self.scan.moves[id];
                if m.fallback != fallback {
                    continue;
                }
                let player = m.player.index();
                let mut legal = self.lanes.word(m.guard) & turns[player];
                match fallback {
                    true => legal &= !has_other[player],
                    false => has_other[player] |= legal,
                }
                moved |= legal;
                open |= self.follow(MoveId::new(id), lanes, legal)?;
            }
        }
        let stuck = playing & !moved;
        if stuck != 0 {
            return Err(SymbolicError::Stuck(self.print(stuck.trailing_zeros() as usize)));
        }
        if self.here.is_some() {
            part.open[(batch / 64) as usize] = open;
        }
        for player in game.each_player() {
            let mut rest = turns[player.index()] & !open;
            for &code in table.best_first(player) {
                let best = rest & self.offers[usize::from(code)];
                rest &= !best;
                part.counts[player.index() * codes + usize::from(code)] += u64::from(best.count_ones());
                if code != 0 {
                    bits(best).for_each(|lane| part.codes.set(batch + lane as u64, code.into()));
                }
            }
        }
        Ok(())
    }

    /// Looks where a move leads to from each of some lanes. Gives the lanes where that is not known yet.
    fn follow(&mut self, id: MoveId, lanes: usize, legal: u64) -> Result<u64, SymbolicError> {
        let (scan, levels) = (self.scan, self.scan.order.len());
        let m = &scan.moves[id.index()];
        let mut since = self.since[id.index()];
        let mut open = 0;
        let mut looked = 0;
        for lane in bits(legal) {
            for changed in &self.changed[looked..=lane] {
                since = since.min(*changed);
            }
            looked = lane + 1;
            let mut from = usize::from(since);
            let digits = &self.digits[lane * levels..][..levels];
            let cursor = &mut self.cursors[id.index()];
            let (index, codes) = match scan.targets[id.index()] {
                Target::Later(known) => (&known.index, &known.codes),
                Target::Here => (scan.index, self.here.expect("the layer's own values").0),
                Target::Nowhere => return Err(self.lost(id, lane)),
            };
            if m.fixed {
                cursor.digits[from..].copy_from_slice(&digits[from..]);
                for (level, cases) in m.updates.iter().filter(|update| update.0 >= from) {
                    cursor.digits[*level] = cases[0].1;
                }
            } else {
                let old: Vec<(usize, Digit)> =
                    m.updates.iter().map(|update| (update.0, cursor.digits[update.0])).collect();
                cursor.digits[from..].copy_from_slice(&digits[from..]);
                for ((level, cases), (_, old)) in m.updates.iter().zip(old) {
                    let case = cases.iter().find(|case| self.lanes.holds(case.0, lane));
                    let new = case.map_or(digits[*level], |case| case.1);
                    cursor.digits[*level] = new;
                    if new != old {
                        from = from.min(*level);
                    }
                }
            }
            let Some(rank) = cursor.rank(index, from) else { return Err(self.lost(id, lane)) };
            since = levels as u16;
            if let (Target::Here, Some((_, done))) = (scan.targets[id.index()], self.here) {
                // In the first round nothing of the layer is known.
                let known = done.is_some_and(|open| open[(rank / 64) as usize] >> (rank % 64) & 1 == 0);
                if !known {
                    open |= 1 << lane;
                    continue;
                }
            }
            self.offers[codes.get(rank) as usize] |= 1 << lane;
        }
        for changed in &self.changed[looked..lanes] {
            since = since.min(*changed);
        }
        self.since[id.index()] = since;
        Ok(open)
    }

    /// What the players get in the lanes where the game has ended.
    fn ends(&mut self, batch: u64, ended: u64, part: &mut Part) -> Result<(), SymbolicError> {
        let (game, table) = (self.scan.game, self.scan.table);
        let mut rewards = [[0u8; 64]; MOST_PLAYERS];
        for (player, list) in game.rewards().iter().enumerate() {
            let mut left = ended;
            for &(reward, when) in list {
                let here = self.lanes.word(when) & left;
                bits(here).for_each(|lane| rewards[player][lane] = reward);
                left &= !here;
            }
        }
        for lane in bits(ended) {
            let given: Rewards = (0..game.players().len()).map(|player| rewards[player][lane]).collect();
            let code = table.code(given).ok_or_else(|| {
                SymbolicError::Past(format!("no code for the rewards {given} of {}", self.print(lane)))
            })?;
            part.codes.set(batch + lane as u64, code.into());
            part.counts[MOST_PLAYERS * table.len() + usize::from(code)] += 1;
        }
        Ok(())
    }

    fn state(&self, lane: usize) -> State {
        let (levels, mut state) = (self.scan.order.len(), State(vec![0; self.scan.order.len()].into()));
        for (&var, &digit) in self.scan.order.iter().zip(&self.digits[lane * levels..]) {
            state[var] = digit;
        }
        state
    }

    fn print(&self, lane: usize) -> String {
        self.scan.game.print(&self.state(lane))
    }

    /// A move leads to a state that is in no layer.
    fn lost(&self, id: MoveId, lane: usize) -> SymbolicError {
        let name = &self.scan.game.move_at(id).name;
        SymbolicError::Past(format!("{name} leads from {} to a state in no layer", self.print(lane)))
    }
}

/// The bits from one number up to another.
fn run_mask(from: usize, to: usize) -> u64 {
    let below = |n: usize| if n == 64 { !0 } else { (1u64 << n) - 1 };
    below(to) & !below(from)
}

/// The numbers of the bits that are set.
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros();
        word &= word.wrapping_sub(1);
        (bit < 64).then_some(bit as usize)
    })
}
