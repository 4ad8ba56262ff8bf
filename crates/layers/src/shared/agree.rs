//! What the forward pass of several processes must agree about: whose a state is, and what is said of whole layers.

use crate::error::LayersError;
use crate::forward::search::Forward;
use crate::sets::copy::Copied;
use crate::sets::set::{EMPTY, Level, Node, Sets};
use crate::shared::bytes::{Bytes, NONSENSE, put};
use crate::shared::owners::{Keys, Owners};
use crate::shared::peers::Peers;
use crate::shared::pieces::{Piece, Slot};
use std::collections::BTreeMap;
use std::sync::Arc;
use winset_model::{Player, Rewards};

/// A forward pass that several processes make together.
#[derive(Clone)]
pub struct Shared {
    /// The others.
    pub peers: Arc<dyn Peers>,
    /// How first digits make a key.
    pub keys: Keys,
    /// Whose the states of the next layer are.
    pub owners: Owners,
}

/// Who moves in all states, and the endings that take some of them; none if it is not one player.
pub type Plain = Option<(Player, Vec<usize>)>;

impl Shared {
    /// Everybody's bytes, by rank.
    pub fn gather(&self, mine: &[u8]) -> Result<Vec<Vec<u8>>, LayersError> {
        self.peers.gather(mine).map_err(LayersError::Peers)
    }

    /// Whether it is so for anybody.
    pub fn any(&self, mine: bool) -> Result<bool, LayersError> {
        Ok(self.gather(&[u8::from(mine)])?.iter().any(|theirs| theirs == &[1]))
    }

    /// Sends what others own of a set to them. Returns what is ours of it, and of what the others have sent.
    pub fn to_owners(
        &self,
        sets: &mut Sets,
        root: Node,
        digits: &[usize],
        room: Option<u64>,
    ) -> Result<Node, LayersError> {
        let run = |rank: usize| self.owners.run(rank);
        let cut = |levels: &[Level], rank: usize| {
            Piece::cut(levels, &[(Slot::Placed, root)], &self.keys, run(rank))
        };
        let mine = cut(&sets.levels, self.peers.rank());
        let mut all = match mine.slots.first() {
            Some(&(_, root)) => Copied::new(&mine.levels).copy(&mine.levels, sets, 0, root),
            None => EMPTY,
        };
        drop(mine);
        // What is sent comes from nodes that are there already; what comes in is added meanwhile.
        let shared = std::cell::RefCell::new(sets);
        let sent = self.peers.exchange(
            &mut |rank| match root {
                EMPTY => Ok(vec![]),
                _ => {
                    let piece = cut(&shared.borrow().levels, rank);
                    if piece.slots.is_empty() { Ok(vec![]) } else { Ok(piece.to_bytes()?) }
                }
            },
            &mut |_, bytes| {
                if bytes.is_empty() {
                    return Ok(());
                }
                let piece = Piece::from_bytes(&bytes, digits, room)?;
                drop(bytes);
                let mut sets = shared.borrow_mut();
                let theirs =
                    Copied::new(&piece.levels).copy(&piece.levels, &mut sets, 0, piece.root(Slot::Placed));
                all = sets.union(0, all, theirs);
                sets.check()?;
                Ok(LayersError::check_memory(sets.bytes(), room)?)
            },
        );
        sent.map_err(LayersError::of_peers)?;
        Ok(all)
    }

    /// Who moves in a whole layer, and which endings take some of it, from what everybody sees of it.
    pub fn agree_on_mover(&self, empty: bool, mine: Plain) -> Result<Plain, LayersError> {
        let mut out = vec![];
        match (empty, &mine) {
            (true, _) => put(&mut out, 0),
            (false, None) => put(&mut out, 1),
            (false, Some((player, taking))) => {
                put(&mut out, 2);
                put(&mut out, player.index() as u64);
                put(&mut out, taking.len() as u64);
                taking.iter().for_each(|&ending| put(&mut out, ending as u64));
            }
        }
        let (mut mover, mut all) = (None, vec![]);
        for theirs in self.gather(&out)? {
            let mut bytes = Bytes(&theirs);
            match bytes.get()? {
                0 => continue,
                1 => return Ok(None),
                _ => {}
            }
            let player = bytes.get()?;
            if *mover.get_or_insert(player) != player {
                return Ok(None);
            }
            for _ in 0..bytes.len()? {
                all.push(bytes.get()? as usize);
            }
        }
        all.sort_unstable();
        all.dedup();
        let player = mover.map(|player| u8::try_from(player).map_err(|_| NONSENSE)).transpose()?;
        Ok(player.map(|player| (Player(player), all)))
    }

    /// How many states of a whole layer each ending takes with each result, in the order of endings and results.
    pub fn agree_on_endings(
        &self,
        mine: &[(usize, Rewards, u64)],
    ) -> Result<Vec<(usize, Rewards, u64)>, LayersError> {
        let mut out = vec![];
        put(&mut out, mine.len() as u64);
        for (ending, rewards, n) in mine {
            put(&mut out, *ending as u64);
            put(&mut out, rewards.len() as u64);
            out.extend(rewards.iter());
            put(&mut out, *n);
        }
        let mut all: BTreeMap<(usize, Rewards), u64> = BTreeMap::new();
        for theirs in self.gather(&out)? {
            let mut bytes = Bytes(&theirs);
            for _ in 0..bytes.len()? {
                let ending = bytes.get()? as usize;
                let players = bytes.len()?;
                let rewards: Rewards = bytes.take(players)?.iter().copied().collect();
                *all.entry((ending, rewards)).or_default() += bytes.get()?;
            }
        }
        Ok(all.into_iter().map(|((ending, rewards), n)| (ending, rewards, n)).collect())
    }
}

impl Forward {
    /// What is ours of what everybody has collected; nothing if nobody has anything.
    pub(crate) fn bring_together(
        &mut self,
        mine: Option<(Vec<Level>, Node)>,
    ) -> Result<Option<(Vec<Level>, Node)>, LayersError> {
        let Some(shared) = self.shared.clone() else { return Ok(mine) };
        if !shared.any(mine.is_some())? {
            return Ok(None);
        }
        let (levels, root) = mine.unwrap_or((vec![Level::default(); self.digits.len()], EMPTY));
        let mut sets = Sets::of(levels);
        let root = shared.to_owners(&mut sets, root, &self.digits, self.budget)?;
        self.rules.conds.work.spend(std::mem::take(&mut sets.steps))?;
        // What only others own goes.
        let piece = Piece::cut(&sets.levels, &[(Slot::Placed, root)], &shared.keys, 0..shared.keys.end());
        let root = piece.root(Slot::Placed);
        Ok(Some((piece.levels, root)))
    }
}
