//! The tiers that have been found: in memory, or away on disk.

use crate::error::ExplicitError;
use crate::pack::Key;
use crate::run::{Run, RunWriter};
use crate::scratch::Scratch;
use crate::set::Sorted;
use crate::solve::Count;
use winset_model::Code;
use winset_settle::{Distance, MOVE, SETTLING, Values, Worth};

/// The states of a tier.
pub struct States<K> {
    /// Those in which the game goes on.
    pub going: Sorted<K>,
    /// Those in which it has ended, if they are known.
    pub ended: Sorted<K>,
    /// With what.
    pub ends: Vec<Code>,
}

impl<K: Key> States<K> {
    fn bytes(&self) -> u64 {
        self.going.bytes() + self.ended.bytes() + (size_of::<Code>() * self.ends.len()) as u64
    }

    /// With what the game has ended in a state, if it is known to have.
    #[inline]
    pub fn end(&self, key: K) -> Option<Code> {
        self.ended.rank(key).map(|rank| self.ends[rank])
    }
}

/// Where the states of a tier are.
pub enum Held<K> {
    /// In memory, with their values if the tier is solved.
    Here(States<K>, Option<Values>),
    /// On disk, and not solved: those in which the game goes on, and those in which it has ended.
    Found(Run<K>, Run<K>),
    /// On disk with their values.
    Solved(Run<K>),
    /// Whoever observes has them from an earlier run.
    Past,
    /// Nobody needs them any more.
    Gone,
}

/// One tier.
pub struct Tier<K> {
    /// How many states it has, who moves, and how it ends.
    pub count: Count,
    /// The states in which the game goes on that are held: one of those that symmetries take to each other.
    pub going: u64,
    /// The same with those in which it has ended.
    pub states: u64,
    /// Moves from one of its states to another, if they were counted.
    pub inside: Option<u64>,
    /// The tiers that its moves lead to, if they are known.
    pub leads_to: Option<Vec<i64>>,
    /// The states in which the game has ended are held too.
    pub ends_known: bool,
    /// Where its states are.
    pub held: Held<K>,
}

impl<K: Key> Tier<K> {
    /// The bytes of memory that it takes.
    pub fn bytes(&self) -> u64 {
        match &self.held {
            Held::Here(states, values) => {
                let each = (size_of::<Code>() + size_of::<Distance>()) as u64;
                states.bytes() + values.as_ref().map_or(0, |values| each * values.codes.len() as u64)
            }
            Held::Found(going, ended) => going.waiting() + ended.waiting(),
            Held::Solved(run) => run.waiting(),
            Held::Past | Held::Gone => 0,
        }
    }

    /// What it takes to find out what its states are worth, beside the states themselves.
    pub fn settling(&self) -> u64 {
        self.going * SETTLING + self.inside.unwrap_or(self.going) * MOVE
    }

    /// About what its states take in memory once they are read.
    pub fn fetching(&self) -> u64 {
        // A key, where keys with the same first bits begin, and a value.
        let each = size_of::<K>() as u64 + 8 + 4;
        match &self.held {
            Held::Here(..) | Held::Gone => 0,
            Held::Found(..) | Held::Solved(_) => self.states * each,
            Held::Past => self.going * each,
        }
    }

    /// It is in memory.
    pub fn is_here(&self) -> bool {
        matches!(self.held, Held::Here(..))
    }
}

/// All tiers, in the order of play.
pub struct Shelf<K> {
    /// The tiers.
    pub tiers: Vec<Tier<K>>,
    /// What all of it may take.
    pub memory: u64,
    /// Where tiers may wait.
    pub scratch: Scratch,
    /// The bits of a key.
    pub bits: u32,
}

impl<K: Key> Shelf<K> {
    /// The bytes that the tiers take.
    pub fn bytes(&self) -> u64 {
        self.tiers.iter().map(Tier::bytes).sum()
    }

    /// What is left of the memory.
    pub fn left(&self) -> u64 {
        self.memory.saturating_sub(self.bytes())
    }

    /// All states that have been found.
    pub fn positions(&self) -> u64 {
        self.tiers.iter().map(|tier| tier.count.positions).sum()
    }

    /// That the memory does not do.
    pub fn no_room(&self) -> ExplicitError {
        let (budget, positions) = (self.memory, self.positions());
        match self.scratch.is_there() {
            true => ExplicitError::Tier { budget, positions },
            false => ExplicitError::Memory { budget, positions },
        }
    }

    /// Sends tiers away, in this order, until n bytes are left or there are no more.
    pub fn send_away_until(
        &mut self,
        left: u64,
        order: impl IntoIterator<Item = usize>,
    ) -> Result<(), ExplicitError> {
        if !self.scratch.is_there() {
            return Ok(());
        }
        for number in order {
            if self.left() >= left {
                break;
            }
            self.send_away(number)?;
        }
        Ok(())
    }

    /// Writes a tier to disk if it is in memory.
    pub fn send_away(&mut self, number: usize) -> Result<(), ExplicitError> {
        let tier = &mut self.tiers[number];
        let Held::Here(states, values) = &tier.held else { return Ok(()) };
        let ended = || states.ended.keys().iter().zip(&states.ends).map(|(&key, &code)| (key, code));
        tier.held = match values {
            None => {
                let mut going = RunWriter::new(&self.scratch, false)?;
                states.going.keys().iter().try_for_each(|&key| going.push(key, Worth::default()))?;
                let mut ends = RunWriter::new(&self.scratch, true)?;
                ended().try_for_each(|(key, code)| ends.push(key, Worth { code, distance: 0 }))?;
                Held::Found(going.finish()?, ends.finish()?)
            }
            Some(values) => {
                let mut run = RunWriter::new(&self.scratch, true)?;
                let mut ended = ended().peekable();
                for (rank, &key) in states.going.keys().iter().enumerate() {
                    while let Some((end, code)) = ended.next_if(|&(end, _)| end < key) {
                        run.push(end, Worth { code, distance: 0 })?;
                    }
                    run.push(key, values.worth(rank))?;
                }
                ended.try_for_each(|(key, code)| run.push(key, Worth { code, distance: 0 }))?;
                Held::Solved(run.finish()?)
            }
        };
        Ok(())
    }

    /// Reads a tier from disk if it is there. Of one that is solved, states in which the game has ended are read as others
    /// are, with what they are worth.
    pub fn fetch(&mut self, number: usize) -> Result<(), ExplicitError> {
        let bits = self.bits;
        let read = |run: &Run<K>| {
            let size = run.states as usize;
            let mut keys = Vec::with_capacity(size);
            let (mut codes, mut distances) = (Vec::with_capacity(size), Vec::with_capacity(size));
            let mut iter = run.iter()?;
            while let Some((key, worth)) = iter.next()? {
                keys.push(key);
                codes.push(worth.code);
                distances.push(worth.distance);
            }
            Ok::<_, ExplicitError>((Sorted::of(keys, bits), Values { codes, distances }))
        };
        let tier = &mut self.tiers[number];
        tier.held = match &tier.held {
            Held::Found(going, ended) => {
                let (ended, ends) = read(ended)?;
                let going = Sorted::of(keys_of(going)?, bits);
                Held::Here(States { going, ended, ends: ends.codes }, None)
            }
            Held::Solved(run) => {
                let (going, values) = read(run)?;
                Held::Here(States { going, ended: Sorted::of(vec![], bits), ends: vec![] }, Some(values))
            }
            _ => return Ok(()),
        };
        Ok(())
    }
}

/// The states of a run.
pub fn keys_of<K: Key>(run: &Run<K>) -> Result<Vec<K>, ExplicitError> {
    let mut keys = Vec::with_capacity(run.states as usize);
    let mut iter = run.iter()?;
    while let Some((key, _)) = iter.next()? {
        keys.push(key);
    }
    Ok(keys)
}
