//! Every engine on random games, state by state, against the truth that the explicit solver finds.
//!
//! `WINSET_GAMES=5000 WINSET_GAMES_SEED=1 cargo test --release -p winset-reference --test games` for a long run.

use winset_formula::parse;
use winset_index::{Blocks, Index, Planes};
use winset_layers::{Layering, LayersError, NEVER_ENDS, Observer, Plan, Refusal, Solved};
use winset_model::{Code, Game, Opponent, Player, Remoteness, Rewards, Valuation, VarId};
use winset_mu::{Universe, check};
use winset_reference::{Position, Random, RandomGame, Truth, random_game};
use winset_symbolic::{
    Algorithm, Bcdd, Bdd, Diagram, Encoding, Kind, SolveOptions, SymbolicError, SymbolicGame, Variant,
    retrograde, solve_with,
};

/// Larger games are rare and tell no more.
const MOST_STATES: usize = 1500;

const ENCODINGS: [Encoding; 3] = [Encoding::Standard, Encoding::ShortEmpty, Encoding::Binary];

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).map_or(otherwise, |text| text.parse().expect("a number"))
}

/// A problem of the game that a solver has found.
fn refuses(error: &SymbolicError) -> bool {
    matches!(error, SymbolicError::Stuck(_) | SymbolicError::Forbidden { .. })
}

/// A game, what players want in it, and what is true then.
struct Case<'a> {
    random: &'a RandomGame,
    opponent: Opponent,
    truth: Truth,
}

impl Case<'_> {
    /// Every play ends with a win, a loss or level, or not at all.
    fn is_simple(&self) -> bool {
        let simple = [[100, 0], [0, 100], [50, 50]];
        let mut ends = self.random.positions.iter().filter_map(|p| p.ended);
        self.random.game.is_win_draw_loss() && ends.all(|end| simple.iter().any(|s| end == *s))
    }

    /// Every position with its value.
    fn values<'b>(&'b self, values: &'b [Valuation]) -> impl Iterator<Item = (&'b Position, Rewards)> {
        self.random.positions.iter().zip(values.iter().map(|value| value.rewards))
    }
}

fn symbolic<F: Diagram>(case: &Case<'_>, options: &winset_symbolic::Options, algorithm: Algorithm) {
    let random = case.random;
    let how = SolveOptions { algorithm, opponent: case.opponent };
    let solved = solve_with::<F>(&random.game, options, how, &mut (), true);
    match (&case.truth, solved) {
        (Truth::Solved(values), Ok((solution, solved))) => {
            assert_eq!(solution.positions, values.len() as u128);
            for (position, value) in case.values(values) {
                let found = solved.value(&position.state);
                assert_eq!(found, Some(value), "{}", random.game.print(&position.state));
            }
        }
        (_, Err(SymbolicError::Endless(_))) if !random.ends && algorithm == Algorithm::Layered => {}
        // Circles are solved for wins and losses only.
        (_, Err(SymbolicError::Cyclic)) if !random.ends && !case.is_simple() => {}
        (Truth::NoValue, solved) => panic!("{:?}", solved.map(|solved| solved.0)),
        (Truth::Refused, Err(error)) => assert!(refuses(&error), "{error}"),
        (Truth::Refused, Ok(_)) => panic!("the game is refused"),
        (Truth::Solved(_), Err(error)) => panic!("{error}"),
    }
}

/// The algorithms for win, draw and loss.
fn by_variant<F: Diagram>(case: &Case<'_>, options: &winset_symbolic::Options, variant: Variant) {
    let (random, Truth::Solved(values)) = (case.random, &case.truth) else { return };
    let mut game = SymbolicGame::<F>::new(&random.game, options).unwrap();
    match retrograde(&mut game, variant, &mut ()) {
        Ok((outcomes, winning)) => {
            let won = |player| {
                case.values(values).filter(|(_, value)| *value == Rewards::win_of(player, 2)).count() as u128
            };
            if variant.is_limited() {
                assert_eq!(
                    (outcomes.won, outcomes.drawn),
                    (
                        [won(Player(0)), won(Player(1))],
                        values.len() as u128 - won(Player(0)) - won(Player(1))
                    )
                );
            }
            for (position, value) in case.values(values) {
                for (player, winning) in winning.iter().enumerate() {
                    let wins =
                        winning.layers.values().any(|set| game.symbolic.space.contains(set, &position.state));
                    assert_eq!(
                        wins,
                        value == Rewards::win_of(Player::new(player), 2),
                        "{}",
                        random.game.print(&position.state)
                    );
                }
            }
        }
        Err(error) => assert!(matches!(error, SymbolicError::NoMeasure(_)), "{error}"),
    }
}

#[derive(Default)]
struct Keeper {
    blocks: Option<Blocks>,
    layers: Vec<(Index, Planes, Vec<u16>)>,
}

impl Observer for Keeper {
    fn begin(&mut self, plan: &Plan<'_>) -> Result<(), Refusal> {
        self.blocks = Some(plan.blocks.clone());
        Ok(())
    }

    fn takes_values(&self) -> bool {
        true
    }

    fn solved(&mut self, layer: &Solved<'_>) -> Result<(), Refusal> {
        self.layers.push((layer.index()?, layer.values()?, layer.distances()?.into_owned()));
        Ok(())
    }
}

fn layers(case: &Case<'_>, options: &winset_layers::Options) {
    let random = case.random;
    let mut keeper = Keeper::default();
    let solved = winset_layers::solve(&random.game, options, &mut keeper);
    let values = match (&case.truth, &solved) {
        (Truth::Solved(values), Ok(_)) => values,
        (Truth::Refused, Err(LayersError::Stuck(_) | LayersError::Forbidden { .. })) => return,
        // Which is met first depends on the layers.
        (Truth::Refused | Truth::NoValue, Err(LayersError::NoValue)) => return,
        (_, other) => panic!("{other:?}"),
    };
    let (solution, blocks) = (solved.unwrap(), keeper.blocks.unwrap());
    let plies = options.layering == Some(Layering::Plies);
    assert!(plies || solution.positions() == values.len() as u128, "{} positions", solution.positions());
    assert_eq!(solution.value, Some(values[0].rewards));
    for (position, value) in random.positions.iter().zip(values) {
        let text = || random.game.print(&position.state);
        let digits = blocks.digits(&position.state).expect("a reachable state has digits");
        let mut places = 0;
        for (index, codes, distances) in &keeper.layers {
            let Some(rank) = index.rank(&digits) else { continue };
            places += 1;
            let found = solution.outcomes.rewards(codes.get(rank) as Code);
            assert_eq!(found, value.rewards, "{}", text());
            if options.distance {
                let remoteness = match distances[rank as usize] {
                    NEVER_ENDS => Remoteness::Endless,
                    plies => Remoteness::Plies(plies.into()),
                };
                assert_eq!(remoteness, value.remoteness, "{}", text());
            }
        }
        assert!(position.ended.is_some() || places == 1 || plies && places > 0, "{}", text());
    }
}

/// The game as an SMV model, and its wins as formulas of both.
fn formulas(game: &Game, values: &[Valuation]) {
    for boolean in [false, true] {
        formulas_written(game, values, boolean);
    }
}

fn formulas_written(game: &Game, values: &[Valuation], boolean: bool) {
    let text = winset_smv::emit(game, winset_smv::Style { boolean, mu: true }).unwrap();
    let model =
        winset_smv::read(&text, &Default::default()).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    let options = winset_symbolic::Options { memory: 64 << 20, ..Default::default() };
    let mut system = game.system();
    let can_win: Vec<usize> = (0..game.players().len())
        .filter(|&player| {
            system.sets.iter().any(|(name, _)| *name == format!("reward:{}:100", game.players()[player]))
        })
        .collect();
    let mut own = vec![];
    for &player in &can_win {
        let me = &game.players()[player];
        let others: String =
            game.players().iter().filter(|p| *p != me).map(|p| format!(" | turn:{p} & AX X")).collect();
        let text = format!("mu X. terminal & reward:{me}:100 | !terminal & (turn:{me} & EX X{others})");
        own.push(parse(&text, &mut system).unwrap());
    }
    let found = check(&system, &own, Universe::Reachable, None, &options).unwrap().unwrap();
    let forced = model.specs.iter().filter(|spec| spec.text.starts_with("mu "));
    let specs: Vec<_> = forced.map(|spec| spec.branching().unwrap()).collect();
    let written = check(&model.system, &specs, Universe::Reachable, None, &options).unwrap().unwrap();
    assert_eq!((found.states, written.states), (values.len() as u128, values.len() as u128));
    if game.is_win_draw_loss() {
        for (&player, verdict) in can_win.iter().zip(&found.verdicts) {
            let wins = values
                .iter()
                .filter(|value| value.rewards == Rewards::win_of(Player::new(player), 2))
                .count();
            assert_eq!(verdict.satisfying, wins as u128);
        }
        for (player, verdict) in written.verdicts.iter().enumerate().filter(|_| can_win.len() == 2) {
            let wins = values
                .iter()
                .filter(|value| value.rewards == Rewards::win_of(Player::new(player), 2))
                .count();
            assert_eq!(verdict.satisfying, wins as u128, "as it is written");
        }
    }
}

/// All variables in random blocks.
fn blocks(game: &Game, random: &mut Random) -> Vec<Vec<VarId>> {
    let mut vars: Vec<VarId> = (0..game.variables().len() as u32).map(VarId).collect();
    for i in (1..vars.len()).rev() {
        vars.swap(i, random.below(i + 1));
    }
    let mut blocks: Vec<Vec<VarId>> = vec![];
    for var in vars {
        match blocks.last_mut() {
            Some(block) if block.len() < 3 && random.below(2) == 0 => block.push(var),
            _ => blocks.push(vec![var]),
        }
    }
    blocks
}

/// Every engine in a few of its ways.
fn compare(seed: u64) -> (bool, usize) {
    let made = random_game(seed, MOST_STATES);
    let mut random = Random::new(!seed);
    let opponent = random.pick(&[Opponent::Difference, Opponent::Own]);
    let truth = Truth::of(&made.positions, opponent);
    let case = Case { random: &made, opponent, truth };
    let simple = made.game.is_win_draw_loss();
    for algorithm in [Algorithm::Auto, Algorithm::Layered, Algorithm::Matrix] {
        let encoding = ENCODINGS[random.below(3)];
        let options = winset_symbolic::Options { encoding, memory: 48 << 20, ..Default::default() };
        match [Kind::Complement, Kind::Plain][random.below(2)] {
            Kind::Complement => symbolic::<Bcdd>(&case, &options, algorithm),
            Kind::Plain => symbolic::<Bdd>(&case, &options, algorithm),
        }
        if simple {
            let variant = Variant::ALL[random.below(Variant::ALL.len())];
            by_variant::<Bcdd>(&case, &options, variant);
        }
    }
    for layering in [None, Some(Layering::OneTier), made.ends.then_some(Layering::Plies)] {
        let options = winset_layers::Options {
            layering,
            opponent,
            blocks: (random.below(2) == 0).then(|| blocks(&made.game, &mut random)),
            distance: random.below(2) == 0,
            portable: random.below(2) == 0,
            threads: 1 + random.below(2),
            ..Default::default()
        };
        layers(&case, &options);
    }
    match &case.truth {
        Truth::Solved(values) => {
            // A model in which nothing can happen is refused.
            if values.len() > 1 {
                formulas(&made.game, values);
            }
            (true, values.len())
        }
        Truth::Refused | Truth::NoValue => (false, 0),
    }
}

#[test]
fn every_engine_finds_the_truth_about_random_games() {
    let (count, first) = (number("WINSET_GAMES", 150), number("WINSET_GAMES_SEED", 0));
    let (mut refused, mut states) = (0, vec![]);
    for seed in first..first + count {
        match std::panic::catch_unwind(|| compare(seed)) {
            Ok((true, positions)) => states.push(positions),
            Ok((false, _)) => refused += 1,
            Err(panic) => {
                println!("seed {seed}");
                std::panic::resume_unwind(panic);
            }
        }
    }
    states.sort_unstable();
    let middle = states[states.len() / 2];
    println!(
        "{count} games from seed {first}: {refused} refused, half of the others with more than {middle} states"
    );
    assert!(3 * states.len() > count as usize && refused > 0 && middle > 5, "the games are trivial");
}
