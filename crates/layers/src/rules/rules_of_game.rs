//! The game's rules as conditions over blocks.

use crate::blocks::frame::Frame;
use crate::error::LayersError;
use crate::rules::compile::{Compiler, Compound, balanced};
use crate::rules::condition::{Cond, Conditions, TRUE};
use winset_model::{CodeTable, ExprId, Facts, Game, Player, Rewards, Value, VarId};
use winset_work::Work;

/// A move over positions.
#[derive(Clone, Debug)]
pub struct Move {
    /// Its name, for messages.
    pub name: String,
    /// Who makes it.
    pub player: Player,
    /// All of these hold; whose turn it is need not be among them.
    pub guard: Vec<Cond>,
    /// For each changed position, conditions and new values; sorted by position.
    pub updates: Vec<(u32, Vec<(Cond, Value)>)>,
    /// Made only when the player has no other move.
    pub fallback: bool,
}

/// The most nodes by which conditions may grow when those of an ending are made one, which is quicker to
/// follow than a list.
const WHOLE: usize = 20_000;

/// Terminal conditions that all give the same rewards.
pub struct Ending {
    /// What the players get; none if it must still be found out from the rewards' conditions. It gets a code where a
    /// state ends like this, not before: in what can be reached it may never happen.
    pub rewards: Option<Rewards>,
    /// The same for each player whose turn it is.
    pub by_turn: Vec<Option<Rewards>>,
    /// The game goes on where every one of these holds; or has ended there, if `ends`.
    pub all: Vec<Cond>,
    /// The same as `all`, but each as small as the rules state it.
    pub pieces: Vec<Cond>,
    /// The game has ended where all hold, rather than goes on.
    pub ends: bool,
}

/// The rules.
pub struct Rules {
    /// Blocks and digits.
    pub frame: Frame,
    /// All conditions.
    pub conds: Conditions,
    /// The moves; one whose guard is a large disjunction is split.
    pub moves: Vec<Move>,
    /// Where it is each player's turn.
    pub turn: Vec<Compound>,
    /// The terminal conditions, those with a known outcome first.
    pub endings: Vec<Ending>,
    /// For each player and reward in order: where the player gets it.
    pub rewards: Vec<Vec<(u8, Compound)>>,
    /// The outcomes that occur, as far as they have been found.
    pub outcomes: CodeTable,
    /// What no reachable state may fulfil: where the game has ended, or where it goes on; and why.
    pub forbidden: Vec<(Compound, bool, String)>,
}

impl Rules {
    /// Compiles a game's rules over these blocks.
    pub fn new(
        game: &Game,
        groups: Vec<Vec<VarId>>,
        outcomes: CodeTable,
        memory: Option<u64>,
        work: Work,
    ) -> Result<Self, LayersError> {
        let mut frame = Frame::new(groups, game)?;
        let mut sizes = vec![0; game.variables().len()];
        for (var, &position) in frame.positions.iter().enumerate() {
            sizes[position as usize] = game.variables()[var].size() as u32;
        }
        let mut conds = Conditions::new(sizes, memory, work);
        let mut compiler = Compiler::new(game.exprs(), frame.positions.clone());
        let mut moves = moves(game, &frame, &mut conds, &mut compiler)?;
        frame.find_digits(game, &mut conds, &moves)?;
        let mut turn = vec![];
        for &player in game.turn() {
            turn.push(compiler.compound(&mut conds, player)?);
        }
        // Whoever moves has the turn: a move that gives it away is known to change it.
        for m in &mut moves {
            if let Compound { all, negated: false } = &turn[m.player.index()]
                && let [turn] = all[..]
            {
                m.guard.push(turn);
            }
        }
        let mut rewards = vec![];
        for list in game.rewards() {
            let mut compiled = vec![];
            for &(reward, when) in list {
                compiled.push((reward, compiler.compound(&mut conds, when)?));
            }
            rewards.push(compiled);
        }
        let mut forbidden = vec![];
        for f in game.forbidden() {
            forbidden.push((compiler.compound(&mut conds, f.when)?, f.ended, f.why.clone()));
        }
        let mut rules = Rules { frame, conds, moves, turn, endings: vec![], rewards, outcomes, forbidden };
        let mut facts = Facts::new(game.exprs());
        for &terminal in game.terminal() {
            let compound = compiler.compound(&mut rules.conds, terminal)?;
            rules.add_ending(game, &mut facts, terminal, compound)?;
        }
        rules.endings.sort_by_key(|ending| ending.rewards.is_none());
        for ending in &mut rules.endings {
            let all = ending.all.clone();
            ending.pieces.clone_from(&all);
            let one = rules.conds.with_budget(WHOLE, |conds| balanced(conds, all, Conditions::and, TRUE));
            ending.all = one.map_or_else(|_| std::mem::take(&mut ending.all), |one| vec![one]);
        }
        Ok(rules)
    }

    /// Files a terminal condition with those that have the same outcome.
    fn add_ending(
        &mut self,
        game: &Game,
        facts: &mut Facts,
        id: ExprId,
        terminal: Compound,
    ) -> Result<(), LayersError> {
        let [only] = terminal.all[..] else {
            let by_turn = vec![None; game.turn().len()];
            self.endings.push(Ending {
                rewards: None,
                by_turn,
                all: terminal.all,
                pieces: vec![],
                ends: !terminal.negated,
            });
            return Ok(());
        };
        let (ends, goes_on) = match terminal.negated {
            false => (only, self.conds.not(only)?),
            true => (self.conds.not(only)?, only),
        };
        let mut by_turn = vec![];
        for &turn in game.turn() {
            facts.assume(&[], &[id, turn]);
            by_turn.push(rewards_at_once(game, facts));
        }
        let same = by_turn.windows(2).all(|pair| pair[0] == pair[1]);
        let rewards = match by_turn.first() {
            Some(&Some(rewards)) if same => Some(rewards),
            _ if by_turn.iter().all(Option::is_some) => None,
            _ => self.implied_rewards(ends, game.exclusive_rewards())?,
        };
        by_turn.iter_mut().for_each(|known| *known = known.or(rewards));
        match self.endings.iter_mut().find(|e| !e.ends && e.rewards == rewards && e.by_turn == by_turn) {
            Some(ending) if by_turn.iter().all(Option::is_some) => ending.all.push(goes_on),
            _ => self.endings.push(Ending {
                rewards,
                by_turn,
                all: vec![goes_on],
                pieces: vec![],
                ends: false,
            }),
        }
        Ok(())
    }

    /// The outcome in all states of a condition, if the rewards' conditions show it at once; `exclusive` if
    /// they exclude each other in the states that matter.
    fn implied_rewards(&mut self, terminal: Cond, exclusive: bool) -> Result<Option<Rewards>, LayersError> {
        let mut rewards: Vec<u8> = vec![];
        for player in 0..self.rewards.len() {
            let (mut earned, mut open) = (None, false);
            for i in 0..self.rewards[player].len() {
                let (reward, when) = self.rewards[player][i].clone();
                if self.implies(terminal, &when)? {
                    earned = Some(reward);
                    break;
                }
                open |= !self.excludes(terminal, &when)?;
                if open && !exclusive {
                    return Ok(None);
                }
            }
            if open && earned.is_none() {
                return Ok(None);
            }
            rewards.push(earned.unwrap_or(0));
        }
        Ok(Some(rewards.into_iter().collect()))
    }

    /// Whether the compound is seen at once to hold wherever the condition does.
    fn implies(&mut self, cond: Cond, compound: &Compound) -> Result<bool, LayersError> {
        let outside = self.conds.not(cond)?;
        if compound.negated && compound.all.contains(&outside) {
            return Ok(true);
        }
        for &part in &compound.all {
            let other = if compound.negated { part } else { self.conds.not(part)? };
            let disjoint = !self.conds.meet(cond, other);
            if disjoint == compound.negated {
                return Ok(compound.negated);
            }
        }
        Ok(!compound.negated)
    }

    fn excludes(&mut self, cond: Cond, compound: &Compound) -> Result<bool, LayersError> {
        let opposite = Compound { all: compound.all.clone(), negated: !compound.negated };
        self.implies(cond, &opposite)
    }
}

/// The outcome where these facts hold, if they decide it without a look at diagrams.
fn rewards_at_once(game: &Game, facts: &mut Facts) -> Option<Rewards> {
    let mut rewards: Vec<u8> = vec![];
    for list in game.rewards() {
        let (mut earned, mut open) = (None, false);
        for &(reward, when) in list {
            match facts.holds(when) {
                Some(true) => {
                    earned = Some(reward);
                    break;
                }
                Some(false) => {}
                None => open = true,
            }
        }
        if open && (earned.is_none() || !game.exclusive_rewards()) {
            return None;
        }
        rewards.push(earned.unwrap_or(0));
    }
    Some(rewards.into_iter().collect())
}

fn moves(
    game: &Game,
    frame: &Frame,
    conds: &mut Conditions,
    compiler: &mut Compiler,
) -> Result<Vec<Move>, LayersError> {
    let mut guards = vec![];
    for m in game.moves() {
        guards.push(compiler.compound(conds, m.guard)?);
    }
    let mut moves = vec![];
    for (m, guard) in game.moves().iter().zip(&guards) {
        let mut updates = vec![];
        for update in &m.updates {
            let mut cases = vec![];
            for &(when, value) in &update.cases {
                cases.push((compiler.whole(conds, when)?, value));
            }
            updates.push((frame.positions[update.var.index()], cases));
        }
        updates.sort_unstable_by_key(|update| update.0);
        let mut others = vec![];
        if m.fallback {
            for (other, guard) in game.moves().iter().zip(&guards) {
                if other.player == m.player && !other.fallback {
                    if guard.negated {
                        others.extend(&guard.all);
                    } else {
                        let mut whole = TRUE;
                        for &cond in &guard.all {
                            whole = conds.and(whole, cond)?;
                        }
                        others.push(conds.not(whole)?);
                    }
                }
            }
        }
        let alternatives: Vec<Vec<Cond>> = if guard.negated {
            let mut list = vec![];
            for &cond in &guard.all {
                list.push(vec![conds.not(cond)?]);
            }
            list
        } else {
            vec![guard.all.clone()]
        };
        for mut guard in alternatives {
            guard.extend(&others);
            let (name, player, fallback) = (m.name.clone(), m.player, m.fallback);
            moves.push(Move { name, player, guard, updates: updates.clone(), fallback });
        }
    }
    Ok(moves)
}
