//! The comparison of the engine with the plain explicit solver, state by state.

use std::collections::HashMap;
use winset_index::{Blocks, Index, Planes};
use winset_layers::{
    Distance, Layering, LayersError, NEVER_ENDS, Observer, Options, Plan, Reached, Refusal, Solution, Solved,
    solve,
};
use winset_model::{Game, Player, Remoteness, Rewards, Valuation};
use winset_reference::{Position, Truth, positions};

/// All positions of a small game.
pub fn explore(game: &Game) -> Vec<Position> {
    positions(game, usize::MAX).unwrap()
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

fn remoteness(distance: Distance) -> Remoteness {
    match distance {
        NEVER_ENDS => Remoteness::Endless,
        plies => Remoteness::Plies(plies.into()),
    }
}

/// Solves the game and compares every state's value and every layer's counts with the truth; none if there is no value.
pub fn compare(game: &Game, options: &Options, positions: &[Position]) -> Option<Solution> {
    let mut keeper = Keeper::default();
    let found = solve(game, options, &mut keeper);
    let values = match Truth::of(positions, options.opponent) {
        Truth::Solved(values) => values,
        Truth::NoValue => {
            assert!(matches!(found, Err(LayersError::NoValue)), "{found:?}");
            return None;
        }
        Truth::Refused => panic!("a move is always there"),
    };
    let solution = found.unwrap();
    let blocks = keeper.blocks.as_ref().unwrap();
    let table = solution.outcomes.table();
    assert_eq!(solution.value, Some(values[0].rewards));
    for (number, index) in keeper.reached.iter().enumerate() {
        assert_eq!(*index, keeper.solved[&number].0);
    }
    let by_plies = options.layering == Some(Layering::Plies);
    if !by_plies {
        assert_eq!(solution.positions(), positions.len() as u128);
    }
    let mut placed = 0;
    let start = if options.distance { values[0].remoteness } else { Remoteness::Unknown };
    assert_eq!(solution.remoteness, start);
    for (position, value) in positions.iter().zip(&values) {
        let digits = blocks.digits(&position.state).unwrap();
        let found: Vec<(usize, u64)> = (0..keeper.reached.len())
            .filter_map(|number| Some((number, keeper.reached[number].rank(&digits)?)))
            .collect();
        if position.ended.is_none() && !by_plies {
            assert_eq!(found.len(), 1, "{}", game.print(&position.state));
        }
        assert!(position.ended.is_some() || !found.is_empty());
        for &(number, rank) in &found {
            let text = || format!("{} in layer {number}", game.print(&position.state));
            let code = keeper.solved[&number].1.get(rank);
            assert_eq!(table[code as usize], value.rewards, "{}", text());
            if options.distance {
                let found = remoteness(keeper.distances[&number][rank as usize]);
                assert_eq!(found, value.remoteness, "{}", text());
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
        compare_totals(&solution, positions, &values);
    }
    Some(solution)
}

fn compare_totals(solution: &Solution, positions: &[Position], values: &[Valuation]) {
    let table = solution.outcomes.table();
    let mut expected: HashMap<(Option<Player>, Rewards), u64> = HashMap::new();
    for (position, value) in positions.iter().zip(values) {
        let mover = if position.ended.is_some() { None } else { position.turn };
        *expected.entry((mover, value.rewards)).or_default() += 1;
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
