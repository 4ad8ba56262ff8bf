//! The forward pass, tier by tier and part by part.

use crate::dense::blocks::Blocks;
use crate::dense::checkpoint::Checkpoint;
use crate::dense::closing::{Closer, LARGEST, Met, POSTS, Post, Round, SHARDS, Tally, shard_of};
use crate::dense::index::{Index, Place};
use crate::dense::piece::{CODING, Piece, Shop, Volume};
use crate::dense::settling::{Sums, Worths};
use crate::error::ExplicitError;
use crate::expand::Expander;
use crate::pack::Key;
use crate::solve::{Count, Observer, Options};
use crate::worker::each;
use std::collections::BTreeMap;
use winset_model::{CodeTable, Game, Player};

/// What is known of a shard of a tier.
pub enum Held<K> {
    /// In memory, and on disk if it has been written.
    Here(Blocks<K>, Option<Piece>),
    /// On disk.
    Away(Piece),
    /// Nobody needs it.
    Gone,
}

impl<K: Key> Held<K> {
    /// The bytes of memory that it takes.
    pub fn bytes(&self) -> u64 {
        match self {
            Held::Here(blocks, _) => blocks.bytes(),
            _ => 0,
        }
    }

    /// About the bytes that it takes in memory, wherever it is.
    pub fn size(&self) -> u64 {
        match self {
            Held::Here(blocks, _) => blocks.bytes(),
            Held::Away(piece) => piece.bytes,
            Held::Gone => 0,
        }
    }

    /// It is in memory only.
    pub fn is_unsaved(&self) -> bool {
        matches!(self, Held::Here(_, None))
    }

    /// Writes it to disk if it is in memory only.
    pub fn save(&mut self, shop: &Shop, volume: &mut Volume, name: &str) -> Result<(), ExplicitError> {
        if let Held::Here(blocks, saved @ None) = self {
            *saved = Some(Piece::write(shop, volume, name, blocks)?);
        }
        Ok(())
    }

    /// Gives up the memory of what is on disk too.
    pub fn leave(&mut self) {
        if let Held::Here(_, saved @ Some(_)) = self
            && let Some(piece) = saved.take()
        {
            *self = Held::Away(piece);
        }
    }

    /// Reads it from disk.
    pub fn fetch(&mut self) -> Result<(), ExplicitError> {
        if let Held::Away(piece) = self {
            let mut blocks = Blocks::default();
            piece.read_into(&mut blocks)?;
            *self = Held::Here(blocks, Some(piece.clone()));
        }
        Ok(())
    }
}

/// A tier.
pub struct Tier<K> {
    /// How many states it has, who moves, and how it ends.
    pub count: Count,
    /// Moves from one of its states to another.
    pub inside: u64,
    /// Its parts, and the numbers that they have.
    pub parts: (u64, u64),
    /// The tiers that its moves lead to.
    pub leads_to: Vec<i64>,
    /// By shard: first the bits of its states, then their values.
    pub shards: Vec<Held<K>>,
    /// Where they are written.
    pub volume: Volume,
}

/// The states that have been found, and those that wait.
pub struct Forward<'a, K> {
    /// The game.
    pub game: &'a Game,
    /// How it is solved.
    pub options: &'a Options,
    /// The rules.
    pub expander: Expander<K>,
    /// The numbers of states.
    pub index: Index<K>,
    /// The results that occur.
    pub outcomes: CodeTable,
    /// The tiers that have been found, in the order of play.
    pub tiers: Vec<Tier<K>>,
    /// Where what does not fit waits.
    pub shop: Shop,
    /// What an interrupted run leaves.
    pub checkpoint: Option<Checkpoint>,
    pub closers: Vec<Closer<K>>,
    /// What an earlier run has solved.
    pub worths: Worths,
    /// The same.
    pub solved: Vec<Sums>,
    /// What a thread may post at once.
    posts: usize,
    /// The bytes that states and values may take: what is left beside tables, posts, and what coding takes.
    pub budget: u64,
    /// Pieces that have been written.
    pub written: u64,
    /// Where what waits for each tier is written.
    volumes: BTreeMap<i64, Volume>,
}

impl<'a, K: Key> Forward<'a, K> {
    /// Begins at the start of a game.
    pub fn new(
        game: &'a Game,
        options: &'a Options,
        expander: Expander<K>,
        index: Index<K>,
        shop: Shop,
        checkpoint: Option<Checkpoint>,
    ) -> Self {
        let threads = options.threads.clamp(1, SHARDS);
        let shards = SHARDS.div_ceil(threads);
        // Lists that grow take up to three times what they hold.
        let of_thread = options.memory / threads as u64;
        let each = 3 * Post::<K>::EACH as u64;
        let posts = (of_thread / 16 / each).clamp(1 << 10, POSTS as u64);
        let coding = if shop.is_there() { CODING } else { 0 };
        let beside = index.bytes() + threads as u64 * (posts * each + coding);
        Forward {
            posts: posts as usize,
            budget: options.memory.saturating_sub(beside),
            closers: (0..threads).map(|_| Closer::new(expander.clone(), shards)).collect(),
            outcomes: CodeTable::of_game(game, options.opponent),
            tiers: vec![],
            written: 0,
            worths: Worths::default(),
            solved: vec![],
            volumes: BTreeMap::new(),
            game,
            options,
            expander,
            index,
            shop,
            checkpoint,
        }
    }

    /// The threads that work.
    pub fn threads(&self) -> usize {
        self.closers.len()
    }

    /// Finds all tiers.
    pub fn run(&mut self, observer: &mut dyn Observer<K>) -> Result<(), ExplicitError> {
        if !self.resume()? {
            let place = self.index.place(self.expander.pack(self.game.initial()));
            if place.size > LARGEST {
                return Err(ExplicitError::TooManyStates);
            }
            self.give(vec![place]);
        }
        while let Some(measure) = self.closers.iter().filter_map(Closer::next_tier).min() {
            let tier = self.close(measure)?;
            let (count, parts) = (tier.count.clone(), tier.parts);
            self.tiers.push(tier);
            let number = self.tiers.len() - 1;
            let told = observer.counted(number, &count, parts, false);
            self.keep(told.is_err())?;
            told?;
        }
        self.keep(true)
    }

    fn give(&mut self, places: Vec<Place<K>>) {
        let threads = self.threads();
        for place in places {
            let shard = shard_of(place.frame, place.sums);
            self.closers[shard % threads].take_in(shard / threads, Post::of(place));
        }
    }

    /// All states of a tier, shard by shard.
    fn close(&mut self, measure: i64) -> Result<Tier<K>, ExplicitError> {
        let (threads, players) = (self.threads(), self.game.players().len());
        let mut tally = Tally::new(players);
        let mut shards: Vec<Held<K>> = (0..SHARDS).map(|_| Held::Gone).collect();
        let mut volume = Volume::default();
        for slot in 0..SHARDS.div_ceil(threads) {
            let waiting: u64 = self.closers.iter().map(|closer| closer.waiting(slot, measure)).sum();
            self.make_room(waiting, (&mut shards, &mut volume), measure)?;
            let mut none = vec![(); threads];
            let begun = each(&mut self.closers, &mut none, usize::MAX, |closer, ()| {
                closer.begin(slot, measure, players)
            });
            begun.into_iter().collect::<Result<(), _>>()?;
            while self.closers.iter().any(Closer::is_open) {
                let round =
                    Round { measure, index: &self.index, work: &self.options.work, posts: self.posts };
                let met = each(&mut self.closers, &mut none, usize::MAX, |closer, ()| closer.close(&round));
                met.into_iter().try_for_each(|met| met.map_err(|met| self.error(met)))?;
                let mut posts: Vec<Vec<(usize, Post<K>)>> = (0..threads).map(|_| vec![]).collect();
                for shard in 0..SHARDS {
                    for closer in &mut self.closers {
                        let post = std::mem::take(&mut closer.post[shard]);
                        posts[shard % threads].push((shard / threads, post));
                    }
                }
                each(&mut self.closers, &mut posts, usize::MAX, |closer, posts| {
                    posts.drain(..).for_each(|(shard, post)| closer.take_in(shard, post));
                });
                self.make_room(0, (&mut shards, &mut volume), measure)?;
            }
            for (thread, closer) in self.closers.iter_mut().enumerate() {
                tally.add(std::mem::take(&mut closer.tally));
                let blocks = std::mem::take(&mut closer.blocks);
                if let Some(shard) = shards.get_mut(slot * threads + thread)
                    && self.options.solve
                {
                    *shard = Held::Here(blocks, None);
                }
            }
        }
        let mut terminal_by_code = vec![];
        for (&rewards, &count) in &tally.ends {
            let code = usize::from(self.outcomes.add(rewards)?);
            terminal_by_code.resize(terminal_by_code.len().max(code + 1), 0);
            terminal_by_code[code] += count;
        }
        let mut movers = Player::all(players).filter(|player| tally.moving[player.index()]);
        let mover = movers.next().filter(|_| movers.next().is_none());
        let count = Count { measure, positions: tally.positions, terminal_by_code, mover };
        let (inside, parts) = (tally.inside, (tally.parts, tally.numbers));
        Ok(Tier { count, inside, parts, leads_to: tally.leads_to.into_iter().collect(), shards, volume })
    }

    fn error(&self, met: Met<K>) -> ExplicitError {
        let print = |key| self.game.print(&self.expander.unpack(key));
        match met {
            Met::Forbidden(number, key) => {
                let why = self.game.forbidden()[number].why.clone();
                ExplicitError::Forbidden { why, state: print(key) }
            }
            Met::Stuck(key) => ExplicitError::Stuck(print(key)),
            Met::NotAMeasure => ExplicitError::NotAMeasure,
            Met::NotAPart => ExplicitError::NotAPart,
            Met::Exhausted => ExplicitError::Exhausted { seen: self.positions(), each: 0 },
            Met::TooLarge => ExplicitError::TooManyStates,
        }
    }

    /// The states of the tiers that have been found.
    pub fn positions(&self) -> u64 {
        self.tiers.iter().map(|tier| tier.count.positions).sum()
    }

    /// That the memory does not do.
    pub fn no_room(&self) -> ExplicitError {
        let (budget, positions) = (self.options.memory, self.positions());
        match self.shop.is_there() {
            true => ExplicitError::Tier { budget, positions },
            false => ExplicitError::Memory { budget, positions },
        }
    }

    pub fn next_name(&mut self, kind: &str) -> String {
        self.written += 1;
        format!("{kind}-{}", self.written)
    }

    /// Sends to disk what does not fit beside n bytes: what has been found, then what waits for the last tiers.
    fn make_room(
        &mut self,
        more: u64,
        (shards, volume): (&mut [Held<K>], &mut Volume),
        measure: i64,
    ) -> Result<(), ExplicitError> {
        let budget = self.budget;
        let found: u64 =
            self.tiers.iter().flat_map(|tier| &tier.shards).chain(&*shards).map(Held::bytes).sum();
        let mut needed = more + found + self.closers.iter().map(Closer::bytes).sum::<u64>();
        if needed <= budget {
            return Ok(());
        }
        if self.shop.is_there() {
            // Some room beyond, so that this need not be done at every step.
            let enough = budget - budget / 8;
            for number in 0..self.tiers.len() {
                for shard in 0..SHARDS {
                    let bytes = self.tiers[number].shards[shard].bytes();
                    if needed > enough && bytes > 0 {
                        let name = self.next_name("found");
                        let Tier { shards, volume, .. } = &mut self.tiers[number];
                        shards[shard].save(&self.shop, volume, &name)?;
                        shards[shard].leave();
                        needed -= bytes;
                    }
                }
            }
            for shard in shards {
                let bytes = shard.bytes();
                if needed > enough && bytes > 0 {
                    let name = self.next_name("found");
                    shard.save(&self.shop, volume, &name)?;
                    shard.leave();
                    needed -= bytes;
                }
            }
            needed = self.send_waiting_away(needed, enough, measure)?;
        }
        if needed > budget { Err(self.no_room()) } else { Ok(()) }
    }

    /// Writes what waits for tiers after this one, the last tiers first, until no more than enough is left.
    pub fn send_waiting_away(
        &mut self,
        mut needed: u64,
        enough: u64,
        measure: i64,
    ) -> Result<u64, ExplicitError> {
        // What takes less is not worth a file, unless everything must go.
        let least = if enough == 0 { 0 } else { self.options.memory >> 12 };
        let mut lists: Vec<(i64, u64, usize, usize)> = vec![];
        for (thread, closer) in self.closers.iter().enumerate() {
            for (slot, shard) in closer.shards.iter().enumerate() {
                let later = shard.iter().filter(|(tier, waiting)| {
                    **tier >= measure && !waiting.blocks.list().is_empty() && waiting.blocks.bytes() >= least
                });
                lists.extend(later.map(|(&tier, waiting)| (tier, waiting.blocks.bytes(), thread, slot)));
            }
        }
        lists.sort_unstable_by_key(|list| std::cmp::Reverse(*list));
        for (tier, bytes, thread, slot) in lists {
            if needed <= enough {
                break;
            }
            let name = self.next_name("waiting");
            let (shop, volume) = (&self.shop, self.volumes.entry(tier).or_default());
            if let Some(waiting) = self.closers[thread].shards[slot].get_mut(&tier) {
                let blocks = std::mem::take(&mut waiting.blocks);
                waiting.pieces.push(Piece::write(shop, volume, &name, &blocks)?);
                needed -= bytes;
            }
        }
        Ok(needed)
    }
}
