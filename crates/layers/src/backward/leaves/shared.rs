//! Units of a layer that several processes share: each has made some of them, and everybody reads what is needed.

use crate::backward::leaves::diagram::Part;
use crate::backward::leaves::held::{Drawer, Elsewhere, Held, Name, pack};
use crate::backward::leaves::shift::AllShifts;
use crate::backward::leaves::{ByLeaves, Walked, by_code};
use crate::backward::tier::Tally;
use crate::error::LayersError;
use crate::rules::condition::Cond;
use crate::sets::layer::Layer;
use crate::shared::bytes::{Bytes, NONSENSE, put};
use rustc_hash::FxHasher;
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::io;
use std::sync::Arc;
use winset_index::Digit;
use winset_model::{Code, Player};

/// What is said of a unit's parts.
#[derive(Debug, Default)]
pub struct UnitHead {
    parts: Vec<PartHead>,
    /// How many states have each outcome, the best first, which is not counted.
    tally: Vec<u64>,
}

#[derive(Debug)]
struct PartHead {
    /// The memory that it takes.
    len: usize,
    /// Its tasks: their first digits, and the node of each.
    tasks: Vec<(Vec<Digit>, u32)>,
}

impl Walked {
    /// What is said of the parts.
    pub fn head(&self) -> UnitHead {
        let head = |held: &Held| PartHead { len: held.bytes() as usize, tasks: vec![] };
        let mut parts: Vec<PartHead> = self.parts.iter().map(head).collect();
        for (prefix, &(part, node)) in self.prefixes.iter().zip(&self.below) {
            parts[part as usize].tasks.push((prefix.clone(), node));
        }
        UnitHead { parts, tally: self.tally.clone() }
    }

    /// A part, as others read it.
    pub fn packed(&self, number: usize) -> io::Result<Vec<u8>> {
        pack(&*self.drawer.get(&self.parts[number])?)
    }
}

impl UnitHead {
    /// As bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = vec![];
        put(&mut out, self.tally.len() as u64);
        self.tally.iter().for_each(|&n| put(&mut out, n));
        put(&mut out, self.parts.len() as u64);
        for PartHead { len, tasks } in &self.parts {
            put(&mut out, *len as u64);
            put(&mut out, tasks.len() as u64);
            for (prefix, node) in tasks {
                prefix.iter().for_each(|&digit| put(&mut out, digit.into()));
                put(&mut out, (*node).into());
            }
        }
        out
    }

    /// What was written as these bytes, where blocks have n digits and tasks the first `top` of them.
    pub fn from_bytes(bytes: &[u8], digits: &[usize], top: usize) -> Result<Self, LayersError> {
        let mut bytes = Bytes(bytes);
        let mut head = UnitHead::default();
        for _ in 0..bytes.len()? {
            head.tally.push(bytes.get()?);
        }
        for _ in 0..bytes.len()? {
            let (len, mut tasks) = (bytes.get()? as usize, vec![]);
            for _ in 0..bytes.len()? {
                let mut prefix: Vec<Digit> = vec![];
                for &digits in &digits[..top] {
                    let digit = bytes.get()?;
                    if digit >= digits as u64 {
                        return Err(NONSENSE);
                    }
                    prefix.push(digit as Digit);
                }
                tasks.push((prefix, u32::try_from(bytes.get()?).map_err(|_| NONSENSE)?));
            }
            head.parts.push(PartHead { len, tasks });
        }
        if bytes.0.is_empty() { Ok(head) } else { Err(NONSENSE) }
    }
}

impl ByLeaves {
    /// By how many first digits layers are cut into parts, and how many a task has.
    pub fn first_digits(&self) -> (usize, usize) {
        (self.cut, self.top)
    }

    /// A number that is the same for all who keep values in the same way; none if they cannot be kept as leaves, or if it
    /// is not known of all of these layers who moves there.
    pub fn fingerprint(&self, mut measures: impl Iterator<Item = i64>) -> Option<u64> {
        let frame =
            self.frame.as_ref().filter(|_| measures.all(|measure| self.movers.contains_key(&measure)))?;
        let mut hasher = FxHasher::default();
        (self.cut, self.top, frame.level(), frame.classes(), &self.orders).hash(&mut hasher);
        for level in frame.mirror().unwrap_or_default() {
            (level.from, &level.image).hash(&mut hasher);
        }
        Some(hasher.finish())
    }

    /// Where all of these hold a player has no move.
    pub fn is_stuck_if(&self, player: Player) -> &[Cond] {
        &self.stuck[player.index()]
    }

    /// The values of a layer are known.
    pub fn knows(&self, measure: i64) -> bool {
        self.known.contains_key(&measure)
    }

    /// Takes over the values of a layer whose units, in order, say this. N bytes of them stay in memory once they
    /// are read.
    pub fn share(
        &mut self,
        measure: i64,
        heads: Vec<UnitHead>,
        elsewhere: Arc<dyn Elsewhere>,
        (keep, stash): (u64, &mut Stash),
        digits: &[usize],
    ) -> Result<(), LayersError> {
        let mover = *self.movers.get(&measure).ok_or(NONSENSE)?;
        let drawer = Drawer::of_others(keep, elsewhere);
        stash.take(measure).into_iter().for_each(|(name, part)| drawer.remember(name, part));
        let (mut prefixes, mut below, mut parts) = (vec![], vec![], vec![]);
        for (unit, head) in (0..).zip(heads) {
            for (number, PartHead { len, tasks }) in (0..).zip(head.parts) {
                for (prefix, node) in tasks {
                    prefixes.push(prefix);
                    below.push((parts.len() as u32, node));
                }
                parts.push(Held::Elsewhere { name: (unit, number), len });
            }
        }
        if !prefixes.is_sorted() {
            return Err(NONSENSE);
        }
        let walked = Walked { mover, prefixes, below, parts, drawer, tally: vec![], steps: 0 };
        let values = walked.into_values(self.top, digits);
        self.known.insert(measure, (Arc::new(Layer { measure, ..Layer::default() }), values));
        Ok(())
    }

    /// How many of a layer's states have each of n codes, as its units say.
    pub fn tally(
        &self,
        measure: i64,
        codes: usize,
        heads: &[UnitHead],
        states: u64,
    ) -> Result<Tally, LayersError> {
        let order: &[Code] = &self.orders[self.movers.get(&measure).ok_or(NONSENSE)?.index()];
        let mut sum = vec![0u64; order.len()];
        for head in heads {
            if head.tally.len() != sum.len() {
                return Err(NONSENSE);
            }
            sum.iter_mut().zip(&head.tally).for_each(|(sum, n)| *sum += n);
        }
        if sum.iter().sum::<u64>() > states {
            return Err(NONSENSE);
        }
        Ok(by_code(order, codes, &sum, states))
    }

    /// Forgets what was found out about moves inside the leaf: more is known about moves now.
    pub fn forget_moves(&mut self) {
        self.tools.iter_mut().for_each(|tools| tools.shifts = AllShifts::default());
    }
}

/// Parts that this process has made of layers that are not finished yet: it will read them soon.
#[derive(Default)]
pub struct Stash {
    parts: BTreeMap<i64, Vec<(Name, Arc<Part>)>>,
    kept: u64,
}

impl Stash {
    /// Keeps the parts of a unit that are in memory, as far as there is room.
    pub fn add(&mut self, measure: i64, unit: u32, walked: Walked, room: u64) {
        let list = self.parts.entry(measure).or_default();
        for (number, held) in (0..).zip(walked.parts) {
            let Held::Here(part) = held else { continue };
            if self.kept + part.bytes() > room {
                break;
            }
            self.kept += part.bytes();
            list.push(((unit, number), part));
        }
    }

    /// Hands over the parts of a layer, and forgets those of later ones.
    fn take(&mut self, measure: i64) -> Vec<(Name, Arc<Part>)> {
        let taken = self.parts.remove(&measure).unwrap_or_default();
        self.parts.retain(|&other, _| other < measure);
        self.kept = self.parts.values().flatten().map(|(_, part)| part.bytes()).sum();
        taken
    }
}
