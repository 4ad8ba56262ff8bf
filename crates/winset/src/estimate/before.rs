//! The states that a move may have led from, found from the changes that moves make.
//!
//! [`winset_model::Predecessors`] finds the same one state at a time; here many states go back together: what the rules do
//! not exclude variable by variable is listed first, and whether a move really leads on from there is looked at for 256
//! states at once.

use winset_explicit::{Expander, Key, LANES, Packing, Successor, Tiers};
use winset_model::{Expr, Facts, Game, Value, VarId, Variable};
use winset_progress::{Steps, steps};

/// The most combinations of values that are tried for one move.
const COMBINATIONS: usize = 1 << 12;

/// The most kinds of pieces that are compared, and how much one that is gone may make up for.
const KINDS: usize = 4;
const FARTHEST: i64 = 16;

/// Goes back by one move.
pub struct Before<K> {
    moves: Vec<Reverse<K>>,
    bounds: Vec<Bound>,
}

/// A move the other way round.
struct Reverse<K> {
    /// What stands after the move where it leaves a variable alone, or writes to it.
    checks: Vec<Check>,
    /// What may have stood there before, of which variables.
    choices: Vec<Choice<K>>,
    vars: Vec<usize>,
}

/// The values that a variable may have after a move.
struct Check {
    shift: u32,
    mask: u64,
    allowed: Vec<bool>,
}

/// For every value after the move those that may have been there before it, in place.
struct Choice<K> {
    shift: u32,
    mask: u64,
    before: Vec<Vec<K>>,
}

/// A count that no move lowers, or none raises: it cannot have been below, or above, what it is at the start.
struct Bound {
    count: Tiers,
    start: i64,
    rises: bool,
}

impl<K: Key> Before<K> {
    /// Prepares to go back in a game whose states are packed like this expander's.
    pub fn new(game: &Game, expander: &Expander<K>) -> Self {
        let packing = expander.packing();
        let all = steps(game);
        let taken = taken(game, &all);
        let possible = possible(game, &taken);
        let mask = |var: usize| (1u64 << packing.fields[var].width) - 1;
        let place = |var: usize, value: usize| K::default().with(packing.fields[var].shift, value as u64);
        let reverse = |(id, changes): (usize, &Vec<Steps>)| {
            // A move without a single pair for one of its variables can never be made.
            if changes.len() < game.moves()[id].updates.len() {
                return None;
            }
            let (mut checks, mut choices, mut vars) = (vec![], vec![], vec![]);
            for (var, variable) in game.variables().iter().enumerate() {
                if packing.fields[var].width == 0 {
                    continue;
                }
                let (shift, mask) = (packing.fields[var].shift, mask(var));
                let change = changes.iter().find(|change| change.var.index() == var);
                let before: Vec<Vec<usize>> = (0..variable.size())
                    .map(|after| match change {
                        None => Vec::from_iter(possible[id][var][after].then_some(after)),
                        Some(change) => {
                            let pairs = change.pairs.iter().filter(|pair| usize::from(pair.1) == after);
                            let before = pairs.map(|pair| usize::from(pair.0));
                            before.filter(|&before| possible[id][var][before]).collect()
                        }
                    })
                    .collect();
                let allowed: Vec<bool> = before.iter().map(|before| !before.is_empty()).collect();
                if allowed.contains(&false) {
                    checks.push(Check { shift, mask, allowed });
                }
                if change.is_some() {
                    let placed = |values: Vec<usize>| values.into_iter().map(|value| place(var, value));
                    let before = before.into_iter().map(|values| placed(values).collect()).collect();
                    choices.push(Choice { shift, mask, before });
                    vars.push(var);
                }
            }
            // What excludes most comes first.
            checks.sort_by_key(|check| check.allowed.iter().filter(|&&allowed| allowed).count());
            Some(Reverse { checks, choices, vars })
        };
        let moves = all.iter().enumerate().filter_map(reverse).collect();
        Before { moves, bounds: bounds(game, expander, &all) }
    }

    /// The moves that are tried.
    pub fn moves(&self) -> usize {
        self.moves.len()
    }

    /// Adds the states from which a move may lead to this one, as far as variables show it one by one. Some may come twice.
    pub fn candidates(&self, after: K, pairs: &Pairs, found: &mut Vec<K>) {
        let mut facts = vec![];
        for reverse in &self.moves {
            let fits = |check: &Check| check.allowed[after.field(check.shift, check.mask) as usize];
            if !reverse.checks.iter().all(fits) {
                continue;
            }
            let first = found.len();
            found.push(after);
            for choice in &reverse.choices {
                let values = &choice.before[after.field(choice.shift, choice.mask) as usize];
                let cleared = K::default().with(choice.shift, choice.mask);
                let last = found.len();
                if (last - first) * values.len() > COMBINATIONS {
                    found.truncate(first);
                    break;
                }
                for i in first..last {
                    let key = found[i];
                    for (number, &value) in values.iter().enumerate() {
                        let before = key.changed(cleared, value);
                        if number == 0 { found[i] = before } else { found.push(before) }
                    }
                }
            }
            let mut kept = first;
            for i in first..found.len() {
                let key = found[i];
                if self.bounds.iter().all(|bound| bound.allows(key))
                    && pairs.allow(key, &reverse.vars, &mut facts)
                {
                    found[kept] = found[i];
                    kept += 1;
                }
            }
            found.truncate(kept);
        }
    }
}

impl Bound {
    fn allows<K: Key>(&self, key: K) -> bool {
        let count = self.count.of(key);
        if self.rises { count >= self.start } else { count <= self.start }
    }
}

/// The pairs of values that two variables have had at the same time in any state that was seen. Most states that cannot
/// arise have others: a stone in the air, two kings of a colour.
pub struct Pairs {
    packing: Packing,
    /// Where the values of every variable begin in the list of all values.
    first: Vec<usize>,
    /// For each value of a variable the others that have been seen with it, as bits.
    seen: Vec<Vec<u64>>,
}

impl Pairs {
    /// Nothing has been seen.
    pub fn new(game: &Game, packing: &Packing) -> Self {
        let mut facts = 0;
        let mut first = vec![];
        for variable in game.variables() {
            first.push(facts);
            facts += variable.size();
        }
        Pairs { packing: packing.clone(), first, seen: vec![vec![0; facts.div_ceil(64)]; facts] }
    }

    /// All values of a state as bits.
    fn facts<K: Key>(&self, key: K, facts: &mut Vec<u64>) {
        facts.clear();
        facts.resize(self.seen.first().map_or(0, Vec::len), 0);
        for (var, first) in self.first.iter().enumerate() {
            let fact = first + usize::from(self.packing.value(key, var));
            facts[fact / 64] |= 1 << (fact % 64);
        }
    }

    /// A state that can arise.
    pub fn see<K: Key>(&mut self, key: K, facts: &mut Vec<u64>) {
        self.facts(key, facts);
        for (var, first) in self.first.iter().enumerate() {
            let row = &mut self.seen[first + usize::from(self.packing.value(key, var))];
            row.iter_mut().zip(&*facts).for_each(|(row, facts)| *row |= facts);
        }
    }

    /// Whether all values of these variables have been seen with all others of the state.
    fn allow<K: Key>(&self, key: K, vars: &[usize], facts: &mut Vec<u64>) -> bool {
        self.facts(key, facts);
        vars.iter().all(|&var| {
            let row = &self.seen[self.first[var] + usize::from(self.packing.value(key, var))];
            row.iter().zip(&*facts).all(|(row, facts)| facts & !row == 0)
        })
    }
}

/// Which of these pairs (before, after) are moves.
pub fn verify<K: Key>(expander: &mut Expander<K>, pairs: &[(K, K)], verdicts: &mut Vec<bool>) -> u64 {
    let (mut batch, mut successors): (Vec<K>, Vec<Successor<K>>) = (vec![], vec![]);
    let mut steps = 0;
    for chunk in pairs.chunks(LANES) {
        batch.clear();
        batch.extend(chunk.iter().map(|pair| pair.0));
        successors.clear();
        expander.expand(&batch, &mut successors);
        let first = verdicts.len();
        verdicts.resize(first + chunk.len(), false);
        for successor in &successors {
            let lane = usize::from(successor.lane);
            verdicts[first + lane] |= successor.key == chunk[lane].1;
        }
        steps +=
            expander.steps(successors.len()) + super::sample::STEPS * (batch.len() + successors.len()) as u64;
    }
    steps
}

/// The values that every variable can take on, as far as the changes show it.
fn taken(game: &Game, all: &[Vec<Steps>]) -> Vec<Vec<bool>> {
    let mut taken: Vec<Vec<bool>> = game.variables().iter().map(|v| vec![false; v.size()]).collect();
    for (taken, &start) in taken.iter_mut().zip(&game.initial().0) {
        taken[usize::from(start)] = true;
    }
    loop {
        let mut more = false;
        for change in all.iter().flatten() {
            let taken = &mut taken[change.var.index()];
            for &(before, after) in &change.pairs {
                more |= taken[usize::from(before)] && !taken[usize::from(after)];
                taken[usize::from(after)] |= taken[usize::from(before)];
            }
        }
        if !more {
            return taken;
        }
    }
}

/// For every move, variable and value whether the move may be legal where the variable has that value.
fn possible(game: &Game, taken: &[Vec<bool>]) -> Vec<Vec<Vec<bool>>> {
    let mut possible = vec![taken.to_vec(); game.moves().len()];
    let mut facts = Facts::new(game.exprs());
    for (var, taken) in taken.iter().enumerate() {
        for value in (0..taken.len()).filter(|&value| taken[value]) {
            facts.assume(&[(VarId(var as u32), value as Value)], &[]);
            let ended = game.terminal().iter().any(|&when| facts.holds(when) == Some(true));
            for (id, m) in game.moves().iter().enumerate() {
                let turn = game.turn()[m.player.index()];
                if ended || [m.guard, turn].into_iter().any(|when| facts.holds(when) == Some(false)) {
                    possible[id][var][value] = false;
                }
            }
        }
    }
    possible
}

/// How many moves a piece of a kind has made when it stands on each variable, if every way there has the same length; else
/// 0 everywhere.
fn way(game: &Game, all: &[Vec<Steps>], name: &String) -> Vec<i64> {
    let variables = game.variables();
    let is = |var: VarId, value: Value| variables[var.index()].values[usize::from(value)] == *name;
    let mut steps: Vec<(usize, usize)> = vec![];
    for changes in all {
        // Leaves wherever the move is made, and may come.
        let leaves = |c: &&Steps| c.pairs.iter().all(|&(from, to)| is(c.var, from) && !is(c.var, to));
        let comes = |c: &&Steps| c.pairs.iter().all(|&(from, to)| !is(c.var, from) && is(c.var, to));
        for from in changes.iter().filter(leaves) {
            for to in changes.iter().filter(comes) {
                steps.push((from.var.index(), to.var.index()));
            }
        }
    }
    let mut way: Vec<Option<i64>> = vec![None; variables.len()];
    for first in 0..way.len() {
        if way[first].is_some() {
            continue;
        }
        way[first] = Some(0);
        let (mut component, mut next) = (vec![first], 0);
        while let Some(&var) = component.get(next) {
            next += 1;
            let here = way[var].unwrap_or(0);
            let near = steps.iter().filter_map(|&(from, to)| match var {
                _ if var == from => Some((to, here + 1)),
                _ if var == to => Some((from, here - 1)),
                _ => None,
            });
            for (other, there) in near {
                match way[other] {
                    None => {
                        way[other] = Some(there);
                        component.push(other);
                    }
                    Some(known) if known != there => return vec![0; variables.len()],
                    Some(_) => {}
                }
            }
        }
        let least = component.iter().filter_map(|&var| way[var]).min().unwrap_or(0);
        component.iter().for_each(|&var| way[var] = way[var].map(|way| way - least));
    }
    way.into_iter().map(|way| way.unwrap_or(0)).collect()
}

/// Sums over a state of which every move changes one in the same direction, or leaves it alone: numbers of pieces, and how much
/// farther the pieces of one kind have come than those of another, as far as those that are gone can make up for it.
fn bounds<K: Key>(game: &Game, expander: &Expander<K>, all: &[Vec<Steps>]) -> Vec<Bound> {
    let mut names: Vec<&String> = game.variables().iter().flat_map(|v| &v.values).collect();
    names.sort_unstable();
    names.dedup();
    // The kinds of pieces: what stands on many variables.
    let on = |name: &String| game.variables().iter().filter(|v| v.values.contains(name)).count();
    names.retain(|name| 2 * on(name) > game.variables().len());
    if names.len() > KINDS {
        return vec![];
    }
    let turn = match game.exprs().get(game.turn()[0]) {
        &Expr::Is(var, value) => Some((var.index(), value)),
        _ => None,
    };
    let way: Vec<Vec<i64>> = names.iter().map(|name| way(game, all, name)).collect();
    // For each kind how many there are and how far they have come; whose turn it is.
    let size = 2 * names.len() + 1;
    let add = |var: usize, value: Value, sums: &mut [i64], sign: i64| {
        let name = &game.variables()[var].values[usize::from(value)];
        if let Some(kind) = names.iter().position(|other| *other == name) {
            sums[kind] += sign;
            sums[names.len() + kind] += sign * way[kind][var];
        }
        sums[size - 1] += sign * i64::from(turn == Some((var, value)));
    };
    let mut steps: Vec<Vec<Vec<Vec<i64>>>> = all
        .iter()
        .map(|changes| {
            let step = |change: &Steps, &(from, to): &(Value, Value)| {
                let mut sums = vec![0; size];
                add(change.var.index(), to, &mut sums, 1);
                add(change.var.index(), from, &mut sums, -1);
                sums
            };
            changes
                .iter()
                .map(|change| change.pairs.iter().map(|pair| step(change, pair)).collect())
                .collect()
        })
        .collect();
    steps.sort_unstable();
    steps.dedup();
    let direction = |factors: &[i64]| {
        let dot =
            |sums: &Vec<i64>| -> i64 { sums.iter().zip(factors).map(|(sum, factor)| sum * factor).sum() };
        let (mut falls, mut rises) = (true, true);
        for changes in &steps {
            let least = changes.iter().map(|pairs| pairs.iter().map(dot).min().unwrap_or(0)).sum::<i64>();
            let most = changes.iter().map(|pairs| pairs.iter().map(dot).max().unwrap_or(0)).sum::<i64>();
            falls &= most <= 0;
            rises &= least >= 0;
            if !falls && !rises {
                return None;
            }
        }
        Some(rises)
    };
    let mut found: Vec<(Vec<i64>, bool)> = vec![];
    let unit = |at: &[(usize, i64)]| {
        let mut factors = vec![0; size];
        at.iter().for_each(|&(i, factor)| factors[i] += factor);
        factors
    };
    for kind in 0..names.len() {
        let factors = unit(&[(kind, 1)]);
        found.extend(direction(&factors).map(|rises| (factors, rises)));
    }
    let kinds = names.len();
    for (a, b) in (0..kinds).flat_map(|a| (0..kinds).map(move |b| (a, b))).filter(|(a, b)| a < b) {
        for (other, turn) in [-1, 1].into_iter().flat_map(|other| [-1, 0, 1].map(|turn| (other, turn))) {
            // The smallest numbers of pieces that do are the sharpest.
            let mut best: [Option<(i64, Vec<i64>)>; 2] = [None, None];
            for more_a in -FARTHEST..=FARTHEST {
                for more_b in -FARTHEST..=FARTHEST {
                    let factors = unit(&[
                        (kinds + a, 1),
                        (kinds + b, other),
                        (a, more_a),
                        (b, more_b),
                        (size - 1, turn),
                    ]);
                    let cost = more_a.abs() + more_b.abs();
                    if let Some(rises) = direction(&factors)
                        && best[usize::from(rises)].as_ref().is_none_or(|(least, _)| cost < *least)
                    {
                        best[usize::from(rises)] = Some((cost, factors));
                    }
                }
            }
            let best = best.into_iter().zip([false, true]);
            found.extend(best.filter_map(|(best, rises)| Some((best?.1, rises))));
        }
    }
    let weigh = |factors: &Vec<i64>| -> Vec<Vec<i64>> {
        let one = |var: usize, value: usize| {
            let mut sums = vec![0; size];
            add(var, value as Value, &mut sums, 1);
            sums.iter().zip(factors).map(|(sum, factor)| sum * factor).sum()
        };
        let each =
            |(var, variable): (usize, &Variable)| (0..variable.size()).map(|value| one(var, value)).collect();
        game.variables().iter().enumerate().map(each).collect()
    };
    let bound = |(factors, rises): (Vec<i64>, bool)| {
        let count = Tiers::new(expander.packing(), &weigh(&factors));
        let start = count.of(expander.pack(game.initial()));
        Bound { count, start, rises }
    };
    found.into_iter().map(bound).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use winset_explicit::Options;

    /// Every move between states that can arise is found the other way round, and what is verified is a move.
    #[test]
    fn no_way_back_is_missing() {
        for (name, size) in [
            ("tictactoe", "3x3"),
            ("connect4", "4x3"),
            ("breakthrough", "4x3"),
            ("othello", "4x4"),
            ("clobber", "3x4"),
            ("domineering", "4x3"),
        ] {
            let game = winset_games::build(name, Some(size), &Default::default()).unwrap();
            let mut expander = Expander::<u64>::new(&game, &Options::of(&game).blocks);
            let mut pairs = Pairs::new(&game, expander.packing());
            let before = Before::new(&game, &expander);
            let start = expander.pack(game.initial());
            let (mut seen, mut open) = (BTreeSet::from([start]), vec![start]);
            let (mut moves, mut facts, mut successors) = (vec![], vec![], vec![]);
            while let Some(key) = open.pop() {
                pairs.see(key, &mut facts);
                successors.clear();
                expander.expand(&[key], &mut successors);
                for successor in &successors {
                    moves.push((key, successor.key));
                    if seen.insert(successor.key) {
                        open.push(successor.key);
                    }
                }
            }
            let every = moves.len().div_ceil(20_000);
            for &(from, to) in moves.iter().step_by(every) {
                let mut found = vec![];
                before.candidates(to, &pairs, &mut found);
                assert!(found.contains(&from), "{name} {size}");
            }
            let mut verdicts = vec![];
            let some: Vec<(u64, u64)> = moves.iter().copied().step_by(every * 10).collect();
            verify(&mut expander, &some, &mut verdicts);
            assert!(verdicts.iter().all(|&verdict| verdict), "{name} {size}");
            let not: Vec<(u64, u64)> = some.iter().map(|&(from, to)| (to, from)).collect();
            verdicts.clear();
            verify(&mut expander, &not, &mut verdicts);
            assert!(!verdicts.contains(&true), "{name} {size}");
        }
    }
}
