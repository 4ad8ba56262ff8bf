//! A plain explicit solver, and the comparison of the engine with it state by state.

use std::collections::HashMap;
use winset_index::{Blocks, Index, Planes};
use winset_layers::{
    Distance, Layering, NEVER_ENDS, Observer, Opponent, Options, Plan, Reached, Refusal, Solution, Solved,
    solve,
};
use winset_model::{Explicit, Game, Player, Remoteness, Rewards, State};

/// One reachable state.
pub struct Entry {
    pub state: State,
    pub turn: Option<Player>,
    pub terminal: Option<Rewards>,
    pub successors: Vec<usize>,
}

/// All reachable states with their successors.
pub fn explore(game: &Game) -> Vec<Entry> {
    let mut explicit = Explicit::new(game);
    let mut numbers: HashMap<State, usize> = HashMap::from([(game.initial().clone(), 0)]);
    let mut entries: Vec<Entry> = vec![];
    let mut states = vec![game.initial().clone()];
    while entries.len() < states.len() {
        let state = states[entries.len()].clone();
        let at = explicit.at(&state);
        let (turn, terminal) = (at.turn(), at.rewards());
        let nexts: Vec<State> = at.moves().map(|m| at.apply(m)).collect();
        let mut successors = vec![];
        for next in nexts {
            let number = *numbers.entry(next.clone()).or_insert_with(|| {
                states.push(next);
                states.len() - 1
            });
            successors.push(number);
        }
        entries.push(Entry { state, turn, terminal, successors });
    }
    entries
}

fn score(rewards: &Rewards, player: Player, opponent: Opponent) -> (i32, i32) {
    let own = i32::from(rewards[player]);
    let other = if rewards.len() == 1 { 0 } else { i32::from(rewards[player.other()]) };
    match opponent {
        Opponent::Difference => (own - other, own),
        Opponent::Own => (own, -other),
    }
}

/// The value of every state of a game without cycles, by recursion.
pub fn values_without_cycles(entries: &[Entry], opponent: Opponent) -> Vec<Rewards> {
    fn value(entries: &[Entry], opponent: Opponent, i: usize, known: &mut [Option<Rewards>]) -> Rewards {
        if let Some(known) = &known[i] {
            return *known;
        }
        let entry = &entries[i];
        let result = entry.terminal.unwrap_or_else(|| {
            let player = entry.turn.unwrap();
            let options: Vec<Rewards> =
                entry.successors.iter().map(|&s| value(entries, opponent, s, known)).collect();
            options.into_iter().max_by_key(|r| score(r, player, opponent)).unwrap()
        });
        known[i] = Some(result);
        result
    }
    let mut known = vec![None; entries.len()];
    (0..entries.len()).map(|i| value(entries, opponent, i, &mut known)).collect()
}

/// The value of every state of a game of win, draw and loss: who can force a win, by attractors.
pub fn values_by_attractor(entries: &[Entry]) -> Vec<Rewards> {
    let forced = |winner: Player| {
        let mut won: Vec<bool> =
            entries.iter().map(|e| e.terminal.as_ref().is_some_and(|r| r[winner] == 100)).collect();
        loop {
            let mut grown = false;
            for (i, entry) in entries.iter().enumerate() {
                let mut options = entry.successors.iter().map(|&s| won[s]);
                let forces = match entry.turn {
                    _ if entry.terminal.is_some() => false,
                    Some(player) if player == winner => options.any(|w| w),
                    _ => options.all(|w| w),
                };
                grown |= forces && !won[i];
                won[i] |= forces;
            }
            if !grown {
                return won;
            }
        }
    };
    let (first, second) = (forced(Player(0)), forced(Player(1)));
    (0..entries.len())
        .map(|i| match (first[i], second[i]) {
            (true, _) => [100, 0].into(),
            (_, true) => [0, 100].into(),
            _ => [50, 50].into(),
        })
        .collect()
}

/// The number of moves to the end of every state, by relaxation from the terminal states: who would rather
/// play on for ever holds out, everybody else hurries.
pub fn distances(entries: &[Entry], values: &[Rewards], opponent: Opponent) -> Vec<Distance> {
    let mut known = vec![NEVER_ENDS; entries.len()];
    loop {
        let mut changed = false;
        for (i, entry) in entries.iter().enumerate() {
            let same = entry.successors.iter().filter(|&&s| values[s] == values[i]).map(|&s| known[s]);
            let distance = if entry.terminal.is_some() {
                Some(0)
            } else {
                let mover = entry.turn.unwrap();
                let endless = if values[i].len() == 1 { [0].into() } else { [50, 50].into() };
                let delays = score(&values[i], mover, opponent) < score(&endless, mover, opponent);
                let best = if delays { same.max() } else { same.min() };
                best.filter(|&d| d != NEVER_ENDS).map(|d| d + 1)
            };
            let distance = distance.unwrap_or(NEVER_ENDS);
            changed |= distance != known[i];
            known[i] = distance;
        }
        if !changed {
            return known;
        }
    }
}

/// Keeps everything.
#[derive(Default)]
pub struct Keeper {
    pub blocks: Option<Blocks>,
    pub reached: Vec<Index>,
    pub solved: HashMap<usize, (Index, Planes)>,
    pub distances: HashMap<usize, Vec<Distance>>,
}

impl Observer for Keeper {
    fn begin(&mut self, plan: &Plan) -> Result<(), Refusal> {
        self.blocks = Some(plan.blocks.clone());
        Ok(())
    }

    fn reached(&mut self, layer: &Reached) -> Result<(), Refusal> {
        assert_eq!(layer.number, self.reached.len());
        self.reached.push(layer.index()?);
        Ok(())
    }

    fn solved(&mut self, layer: &Solved) -> Result<(), Refusal> {
        self.solved.insert(layer.number, (layer.index()?, layer.values()?));
        self.distances.insert(layer.number, layer.distances()?.into_owned());
        Ok(())
    }
}

/// Solves the game and compares every state's value and every layer's counts with the reference's.
pub fn compare(game: &Game, options: &Options, entries: &[Entry], values: &[Rewards]) -> Solution {
    let mut keeper = Keeper::default();
    let solution = solve(game, options, &mut keeper).unwrap();
    let blocks = keeper.blocks.as_ref().unwrap();
    let table = solution.outcomes.table();
    assert_eq!(solution.value.as_ref(), Some(&values[0]));
    for (number, index) in keeper.reached.iter().enumerate() {
        assert_eq!(*index, keeper.solved[&number].0);
    }
    let by_plies = options.layering == Some(Layering::Plies);
    if !by_plies {
        assert_eq!(solution.positions(), entries.len() as u128);
    }
    let mut placed = 0;
    let distances = if options.distance { distances(entries, values, options.opponent) } else { vec![] };
    let start = match distances.first() {
        None => Remoteness::Unknown,
        Some(&NEVER_ENDS) => Remoteness::Endless,
        Some(&plies) => Remoteness::Plies(plies.into()),
    };
    assert_eq!(solution.remoteness, start);
    for (i, (entry, value)) in entries.iter().zip(values).enumerate() {
        let digits = blocks.digits(&entry.state).unwrap();
        let found: Vec<(usize, u64)> = (0..keeper.reached.len())
            .filter_map(|number| Some((number, keeper.reached[number].rank(&digits)?)))
            .collect();
        if entry.terminal.is_none() && !by_plies {
            assert_eq!(found.len(), 1, "{}", game.print(&entry.state));
        }
        assert!(entry.terminal.is_some() || !found.is_empty());
        for &(number, rank) in &found {
            let code = keeper.solved[&number].1.get(rank);
            assert_eq!(&table[code as usize], value, "{} in layer {number}", game.print(&entry.state));
            if options.distance {
                let found = keeper.distances[&number][rank as usize];
                assert_eq!(found, distances[i], "{} in layer {number}", game.print(&entry.state));
            }
        }
        placed += found.len() as u64;
    }
    assert_eq!(placed, keeper.reached.iter().map(Index::len).sum::<u64>());
    for (number, layer) in solution.layers.iter().enumerate() {
        let movers: u64 = layer.movers.iter().map(|m| m.states).sum();
        assert_eq!(layer.positions, movers + layer.ended(), "layer {number}");
        for m in &layer.movers {
            assert_eq!(m.states, m.by_code.iter().sum::<u64>(), "layer {number}");
        }
    }
    if !by_plies {
        compare_totals(&solution, entries, values);
    }
    solution
}

fn compare_totals(solution: &Solution, entries: &[Entry], values: &[Rewards]) {
    let table = solution.outcomes.table();
    let mut expected: HashMap<(Option<Player>, Rewards), u64> = HashMap::new();
    for (entry, value) in entries.iter().zip(values) {
        let mover = if entry.terminal.is_some() { None } else { entry.turn };
        *expected.entry((mover, *value)).or_default() += 1;
    }
    let mut found: HashMap<(Option<Player>, Rewards), u64> = HashMap::new();
    for layer in &solution.layers {
        for &(code, n) in &layer.terminal {
            *found.entry((None, table[code as usize])).or_default() += n;
        }
        for m in &layer.movers {
            for (code, &n) in m.by_code.iter().enumerate() {
                *found.entry((Some(m.player), table[code])).or_default() += n;
            }
        }
    }
    found.retain(|_, n| *n > 0);
    assert_eq!(found, expected);
}
