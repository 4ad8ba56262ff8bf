//! How many states lie beyond those that were counted, from a sample: Chen's heterogeneous sampling, made right for graphs in
//! which many ways lead to a state.
//!
//! A population is a list of states with weights so that the sum of the weights estimates the number of states. Every state
//! hands its weight on to all that follow it; what a state gets is divided by the number of states that it can come from.
//! If every state before weighs 1 on average, so does every state after: it gets 1/n from each of n. Populations are thinned
//! so that expectations stay as they are (systematic sampling). The first is drawn from the layers that were counted.
//!
//! Only states count that can arise themselves, and whether one can is not known. A way back to the counted states is looked
//! for, at random and with a limit. Not all are found; how many are is known from the states of the population, which do
//! arise: to each a way is looked for twice.

use super::before::{Before, Pairs, verify};
use std::collections::BTreeMap;
use winset_explicit::{Expander, Key, LANES, Successor, Tiers};
use winset_model::Game;

/// The steps that a state or a successor costs beside what is evaluated for its batch, as the engine counts them.
pub const STEPS: u64 = 4;

/// The states of the counted layers that the first population is drawn from, for each of them.
const DRAWN: usize = 1 << 12;

/// Plays at random that are looked at for pairs of values, and states of the counted layers, for each of them.
const PLAYS: usize = 8 * LANES;
const SEEN: usize = 1 << 10;

/// The steps that it costs to find which moves may lead to a state, beside half a step for every move.
const BACK: u64 = 32;
/// What a layer counts for in the next one, where it matters which states can arise.
const FADING: f64 = 0.8;

/// How many states may be looked at to find a way back to the counted ones: some, and some more for every measure back.
#[derive(Clone, Copy, Debug)]
pub struct LookBack {
    /// Some.
    pub some: u32,
    /// For every measure.
    pub each: u32,
}

/// Draws populations.
pub struct Sampler<K> {
    expander: Expander<K>,
    measure: Tiers,
    before: Before<K>,
    pairs: Pairs,
    /// The states of the counted layers in which the game goes on, in ascending order, by measure.
    counted: BTreeMap<i64, Vec<K>>,
    /// The highest measure that was counted, and the most that a move raises it.
    last: i64,
    jump: i64,
    look_back: LookBack,
    /// Of the states that a way was found to: ways back that were found to others, that were looked for, that were found
    /// once more, and all, in the last layers.
    arisen: [f64; 4],
    /// The steps that have been made.
    pub steps: u64,
    random: u64,
}

/// A state of a population.
#[derive(Clone, Copy)]
struct Weighed<K> {
    key: K,
    weight: f64,
    /// One that it follows.
    parent: K,
}

/// A state that may have come about: a way back to the counted states is looked for.
struct Query<K> {
    /// The state of the population that it leads to.
    of: usize,
    /// It was a state of the population before, so that there is a way: which try this is.
    known: Option<usize>,
    /// Moves that may lead to it, and moves that may lead to where the way has come to.
    first: Vec<(K, K)>,
    open: Vec<(K, K)>,
    /// The states that may still be looked at.
    left: u32,
}

/// The states that one of the population can come from, besides the one that it does come from.
#[derive(Clone, Copy, Default)]
struct Ways {
    /// Those that were counted.
    certain: u32,
    /// Those that may be able to arise, and those of them to which a way was found.
    looked_for: u32,
    found: u32,
    /// A way to the one that it does come from was found as well, at the first and at a second try: others were likely to
    /// be found, too.
    again: [bool; 2],
}

impl<K: Key> Sampler<K> {
    /// Prepares to draw from the states beyond those that were counted.
    pub fn new(
        game: &Game,
        expander: Expander<K>,
        measure: &winset_progress::Measure,
        counted: BTreeMap<i64, Vec<K>>,
        look_back: LookBack,
    ) -> Self {
        let before = Before::new(game, &expander);
        let last = counted.keys().next_back().copied().unwrap_or(i64::MIN);
        let jump = measure.deltas.iter().map(|delta| delta.greatest).max().unwrap_or(0);
        let measure = Tiers::new(expander.packing(), &measure.weights);
        let pairs = Pairs::new(game, expander.packing());
        let start = expander.pack(game.initial());
        let mut sampler = Sampler {
            expander,
            measure,
            before,
            pairs,
            counted,
            last,
            jump,
            look_back,
            arisen: [0.0; 4],
            steps: 0,
            random: 0,
        };
        sampler.see(start);
        sampler
    }

    /// Sees which values occur together: in counted states, and in plays at random.
    fn see(&mut self, start: K) {
        let mut facts = vec![];
        let every = |states: &Vec<K>| states.len().div_ceil(SEEN).max(1);
        let seen: Vec<K> =
            self.counted.values().flat_map(|states| states.iter().copied().step_by(every(states))).collect();
        seen.iter().for_each(|&key| self.pairs.see(key, &mut facts));
        self.steps += STEPS * seen.len() as u64;
        let mut successors: Vec<Successor<K>> = vec![];
        for _ in 0..PLAYS / LANES {
            let mut batch = vec![start; LANES];
            while !batch.is_empty() {
                successors.clear();
                self.expander.expand(&batch, &mut successors);
                self.steps +=
                    self.expander.steps(successors.len()) + STEPS * (batch.len() + successors.len()) as u64;
                successors.sort_unstable();
                batch.clear();
                for follow in successors.chunk_by(|a, b| a.lane == b.lane) {
                    let next = follow[(self.next() * follow.len() as f64) as usize].key;
                    self.pairs.see(next, &mut facts);
                    batch.push(next);
                }
            }
        }
    }

    /// The numbers of states by measure, estimated with populations of about this size; none if that would take more steps
    /// than these in all.
    pub fn draw(&mut self, size: usize, seed: u64, most: u64) -> Option<BTreeMap<i64, f64>> {
        (self.random, self.arisen) = (seed, [0.0; 4]);
        let mut waiting: BTreeMap<i64, Vec<Weighed<K>>> = BTreeMap::new();
        let from = self.counted.range(self.last.saturating_sub(self.jump)..);
        let tiers: Vec<Vec<Weighed<K>>> = from
            .map(|(_, states)| states.iter().map(|&key| Weighed { key, weight: 1.0, parent: key }).collect())
            .collect();
        for tier in tiers {
            let drawn = self.thin(tier, DRAWN);
            self.expand(&drawn, &mut waiting);
        }
        let mut numbers = BTreeMap::new();
        while let Some((measure, reached)) = waiting.pop_first() {
            if self.steps > most {
                return None;
            }
            let merged = merge(reached);
            let mut drawn = self.thin(merged, size);
            self.divide(&mut drawn);
            *numbers.entry(measure).or_default() += drawn.iter().map(|state| state.weight).sum::<f64>();
            self.expand(&drawn, &mut waiting);
        }
        Some(numbers)
    }

    /// Gives the weight of every state to all that follow it beyond what was counted.
    fn expand(&mut self, drawn: &[Weighed<K>], waiting: &mut BTreeMap<i64, Vec<Weighed<K>>>) {
        let (mut batch, mut successors): (Vec<K>, Vec<Successor<K>>) = (vec![], vec![]);
        for chunk in drawn.chunks(LANES) {
            batch.clear();
            batch.extend(chunk.iter().map(|state| state.key));
            successors.clear();
            self.expander.expand(&batch, &mut successors);
            self.steps +=
                self.expander.steps(successors.len()) + STEPS * (batch.len() + successors.len()) as u64;
            successors.sort_unstable();
            successors.dedup();
            for successor in &successors {
                let measure = self.measure.of(successor.key);
                if measure > self.last {
                    let from = &chunk[usize::from(successor.lane)];
                    let next = Weighed { key: successor.key, weight: from.weight, parent: from.key };
                    waiting.entry(measure).or_default().push(next);
                }
            }
        }
    }

    /// About this many of the states, so that every state's weight stays as it is on average: a state stays with a
    /// probability that is proportional to its weight, and then weighs that much more; heavy ones always do.
    fn thin(&mut self, states: Vec<Weighed<K>>, size: usize) -> Vec<Weighed<K>> {
        if states.len() <= size {
            return states;
        }
        let least = threshold(states.iter().map(|state| state.weight).collect(), size);
        let mut sum = self.next();
        let stays = |state: Weighed<K>| {
            sum += (state.weight / least).min(1.0);
            let stays = sum >= 1.0;
            sum -= f64::from(u8::from(stays));
            stays.then_some(Weighed { weight: state.weight.max(least), ..state })
        };
        states.into_iter().filter_map(stays).collect()
    }

    /// Divides the weight of every state by the number of states that it can come from.
    fn divide(&mut self, drawn: &mut [Weighed<K>]) {
        let (mut pairs, mut of) = (vec![], vec![]);
        let (mut found, mut facts) = (vec![], vec![]);
        drawn.iter().for_each(|state| self.pairs.see(state.key, &mut facts));
        for (number, state) in drawn.iter().enumerate() {
            found.clear();
            self.before.candidates(state.key, &self.pairs, &mut found);
            found.sort_unstable();
            found.dedup();
            self.steps += BACK + (self.before.moves() + found.len()) as u64 / 2;
            pairs.extend(found.iter().map(|&before| (before, state.key)));
            of.resize(pairs.len(), number);
        }
        let mut verdicts = vec![];
        self.steps += verify(&mut self.expander, &pairs, &mut verdicts);
        let ways = self.ways(&pairs, &of, &verdicts, drawn);
        for (state, ways) in drawn.iter_mut().zip(ways) {
            state.weight /= ways;
        }
    }

    /// The number of states that each one can come from, itself not counted where it is known.
    fn ways(&mut self, pairs: &[(K, K)], of: &[usize], verdicts: &[bool], drawn: &[Weighed<K>]) -> Vec<f64> {
        let mut ways = vec![Ways::default(); drawn.len()];
        let mut queries = vec![];
        for ((&(before, _), &of), _) in pairs.iter().zip(of).zip(verdicts).filter(|pair| *pair.1) {
            let known = drawn[of].parent == before;
            match self.is_counted(before) {
                Some(_) if known => ways[of].again = [true; 2],
                Some(arises) => ways[of].certain += u32::from(arises),
                None => {
                    ways[of].looked_for += u32::from(!known);
                    let back = (self.measure.of(before) - self.last).clamp(0, 1 << 20) as u32;
                    let left = self.look_back.some + self.look_back.each * back;
                    let tries: &[Option<usize>] = if known { &[Some(0), Some(1)] } else { &[None] };
                    for &known in tries {
                        let first = self.back(before);
                        queries.push(Query { of, known, open: first.clone(), first, left });
                    }
                }
            }
        }
        self.look_back(queries, &mut ways);
        for ways in ways.iter().filter(|ways| ways.again[0]) {
            let found = [ways.found, ways.looked_for, u32::from(ways.again[1]), 1];
            self.arisen.iter_mut().zip(found).for_each(|(sum, number)| *sum += f64::from(number));
        }
        let [found, looked_for, again, once] = self.arisen.map(|sum| sum + 1.0);
        let seen = again / once;
        let part = (found / looked_for / seen).min(1.0);
        self.arisen = self.arisen.map(|sum| sum * FADING);
        let all = |ways: Ways| {
            let most = f64::from(ways.looked_for);
            let likely = if ways.again[0] { f64::from(ways.found) / seen } else { part * most };
            1.0 + f64::from(ways.certain) + likely.clamp(f64::from(ways.found), most)
        };
        ways.into_iter().map(all).collect()
    }

    /// Whether the state is among those that were counted; none if its layer was not.
    fn is_counted(&self, key: K) -> Option<bool> {
        let measure = self.measure.of(key);
        (measure <= self.last)
            .then(|| self.counted.get(&measure).is_some_and(|states| states.binary_search(&key).is_ok()))
    }

    /// Moves that may lead to a state, in any order: a random one is not misled by the order of moves.
    fn back(&mut self, key: K) -> Vec<(K, K)> {
        let mut found = vec![];
        self.before.candidates(key, &self.pairs, &mut found);
        self.steps += BACK + (self.before.moves() + found.len()) as u64 / 2;
        let mut moves: Vec<(K, K)> = found.into_iter().map(|before| (before, key)).collect();
        self.shuffle(&mut moves);
        moves
    }

    fn shuffle(&mut self, list: &mut [(K, K)]) {
        for i in (1..list.len()).rev() {
            list.swap(i, (self.next() * (i + 1) as f64) as usize);
        }
    }

    /// Looks for ways back: at random, and from the beginning again where a way ends.
    fn look_back(&mut self, mut queries: Vec<Query<K>>, ways: &mut [Ways]) {
        let (mut pairs, mut verdicts) = (vec![], vec![]);
        queries.retain(|query| !query.first.is_empty());
        while !queries.is_empty() {
            pairs.clear();
            for query in &mut queries {
                if query.open.is_empty() {
                    query.open.clone_from(&query.first);
                    self.shuffle(&mut query.open);
                }
                query.left = query.left.saturating_sub(1);
                pairs.extend(query.open.pop());
            }
            verdicts.clear();
            self.steps += verify(&mut self.expander, &pairs, &mut verdicts);
            let mut number = 0;
            queries.retain_mut(|query| {
                let ((before, _), leads) = (pairs[number], verdicts[number]);
                number += 1;
                match leads.then(|| self.is_counted(before)) {
                    None => {}
                    Some(None) => query.open = self.back(before),
                    Some(Some(false)) => query.open.clear(),
                    Some(Some(true)) => {
                        let ways = &mut ways[query.of];
                        match query.known {
                            Some(again) => ways.again[again] = true,
                            None => ways.found += 1,
                        }
                        return false;
                    }
                }
                query.left > 0
            });
        }
    }

    /// A number from 0 to 1 (splitmix64).
    fn next(&mut self) -> f64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.random;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ mixed >> 31) >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Equal states become one with the sum of their weights.
fn merge<K: Key>(mut states: Vec<Weighed<K>>) -> Vec<Weighed<K>> {
    states.sort_by_key(|state| state.key);
    states.dedup_by(|next, kept| {
        let equal = next.key == kept.key;
        if equal {
            kept.weight += next.weight;
        }
        equal
    });
    states
}

/// The weight from which on states stay, so that about this many do.
fn threshold(mut weights: Vec<f64>, size: usize) -> f64 {
    weights.sort_unstable_by(|a, b| b.total_cmp(a));
    let mut rest: f64 = weights.iter().sum();
    for (heavy, &weight) in weights.iter().enumerate() {
        let least = rest / size.saturating_sub(heavy).max(1) as f64;
        if weight <= least {
            return least;
        }
        rest -= weight;
    }
    weights.last().copied().unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use winset_explicit::{Count, ExplicitError, Observer, Options};
    use winset_model::CodeTable;

    struct Layers(BTreeMap<i64, (u64, Vec<u64>)>);

    impl Observer<u64> for Layers {
        fn found(
            &mut self,
            _: usize,
            count: &Count,
            going: &[u64],
            _: &CodeTable,
        ) -> Result<(), ExplicitError> {
            self.0.insert(count.measure, (count.positions, going.to_vec()));
            Ok(())
        }
    }

    /// From the first layers of games whose layers are all known: the middle of some draws is near the truth.
    #[test]
    fn near_what_is_counted() {
        for (name, size, first) in [
            ("tictactoe", "3x3", 3),
            ("connect4", "4x4", 5),
            ("breakthrough", "5x3", 4),
            ("othello", "4x4", 5),
        ] {
            let game = winset_games::build(name, Some(size), &Default::default()).unwrap();
            let options = Options::of(&game);
            let mut layers = Layers(BTreeMap::new());
            winset_explicit::find::<u64>(&game, &options, &mut layers).map(|_| ()).unwrap();
            let counted: BTreeMap<i64, Vec<u64>> =
                layers.0.iter().take(first).map(|(&measure, layer)| (measure, layer.1.clone())).collect();
            let truth: u64 = layers.0.values().skip(first).map(|layer| layer.0).sum();
            let measure = winset_progress::find(&game).unwrap();
            let expander = Expander::<u64>::new(&game, &options.blocks);
            let look_back = LookBack { some: 100, each: 10 };
            let mut sampler = Sampler::new(&game, expander, &measure, counted, look_back);
            let mut sums: Vec<f64> =
                (0..7).map(|seed| sampler.draw(48, seed, u64::MAX).unwrap().values().sum()).collect();
            sums.sort_unstable_by(f64::total_cmp);
            let ratio = sums[3] / truth as f64;
            assert!((0.4..2.5).contains(&ratio), "{name} {size}: {ratio}");
        }
    }
}
