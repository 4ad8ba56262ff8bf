//! Random games of one to four players, with and without circles, state by state against the truth.
//!
//! `WINSET_GAMES=5000 WINSET_GAMES_SEED=1 cargo test --release -p winset-explicit --test random` for a long run.

use std::collections::HashMap;
use winset_explicit::{
    Count, Expander, ExplicitError, Key, NEVER_ENDS, Observer, Options, Values, Wide, Width, solve,
};
use winset_model::{CodeTable, Game, Opponent, Remoteness, State, Valuation, VarId};
use winset_reference::{Random, Truth, random_game};

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).map_or(otherwise, |text| text.parse().expect("a number"))
}

/// Keeps every value.
struct Keeper<K> {
    expander: Expander<K>,
    values: HashMap<State, Valuation>,
}

impl<K: Key> Observer<K> for Keeper<K> {
    fn found(&mut self, _: usize, count: &Count, going: &[K], _: &CodeTable) -> Result<(), ExplicitError> {
        assert!(going.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(count.positions, going.len() as u64 + count.terminal_by_code.iter().sum::<u64>());
        Ok(())
    }

    fn solved(
        &mut self,
        _: usize,
        going: &[K],
        values: &Values,
        by_code: Vec<u64>,
        outcomes: &CodeTable,
    ) -> Result<(), ExplicitError> {
        assert_eq!(by_code.iter().sum::<u64>(), going.len() as u64);
        for ((&key, &code), &distance) in going.iter().zip(&values.codes).zip(&values.distances) {
            let remoteness = match distance {
                NEVER_ENDS => Remoteness::Endless,
                plies => Remoteness::Plies(plies.into()),
            };
            let value = Valuation { rewards: outcomes.rewards(code), remoteness };
            assert!(self.values.insert(self.expander.unpack(key), value).is_none());
        }
        Ok(())
    }
}

/// The variables in another order, cut at random.
fn blocks(game: &Game, random: &mut Random) -> Vec<Vec<VarId>> {
    let mut variables: Vec<VarId> = (0..game.variables().len()).map(|var| VarId(var as u32)).collect();
    random.shuffle(&mut variables);
    let mut blocks = vec![vec![]];
    for var in variables {
        if random.one_in(3) {
            blocks.push(vec![]);
        }
        blocks.last_mut().unwrap().push(var);
    }
    blocks.retain(|block| !block.is_empty());
    blocks
}

fn check<K: Width>(game: &Game, options: &Options, truth: &Truth, positions: &[winset_reference::Position]) {
    check_in::<K>(game, options, truth, positions);
}

/// The states that waited on disk; none if the memory did not do.
fn check_in<K: Width>(
    game: &Game,
    options: &Options,
    truth: &Truth,
    positions: &[winset_reference::Position],
) -> Option<u64> {
    let mut keeper = Keeper { expander: Expander::<K>::new(game, &options.blocks), values: HashMap::new() };
    let solved = solve::<K>(game, options, &mut keeper);
    let (values, on_disk) = match (truth, solved) {
        (Truth::Solved(values), Ok(solution)) => {
            assert_eq!(solution.positions(), values.len() as u128);
            assert_eq!(solution.value, Some(values[0]));
            (values, solution.on_disk.0)
        }
        (_, Err(ExplicitError::Tier { .. })) if options.scratch.is_some() => return None,
        (Truth::NoValue, Err(ExplicitError::NoValue(_))) => return Some(0),
        (Truth::Refused, Err(ExplicitError::Stuck(_) | ExplicitError::Forbidden { .. })) => return Some(0),
        (_, Err(error)) => panic!("{error}"),
        (_, Ok(_)) => panic!("there is no value"),
    };
    for (position, value) in positions.iter().zip(values).filter(|(position, _)| position.ended.is_none()) {
        assert_eq!(keeper.values.remove(&position.state), Some(*value), "{}", game.print(&position.state));
    }
    assert!(keeper.values.is_empty());
    Some(on_disk)
}

/// With less and less memory the same comes out, by way of the disk, until a tier does not fit.
#[test]
fn random_games_are_solved_on_disk() {
    let (games, first) = (number("WINSET_GAMES", 600) / 4, number("WINSET_GAMES_SEED", 0));
    let (mut solved, mut waited, mut refused) = (0, 0, 0);
    for seed in first..first + games {
        let made = random_game(seed, 600);
        let weights = winset_progress::find(&made.game).map(|measure| measure.weights);
        // A single tier has nothing that could wait.
        if weights.is_none() {
            continue;
        }
        let mut random = Random::new(seed);
        let opponent = [Opponent::Difference, Opponent::Own][seed as usize % 2];
        let truth = Truth::of(&made.positions, opponent);
        let blocks = blocks(&made.game, &mut random);
        let mut memory = 1 << 16;
        loop {
            let threads = 1 + random.below(3);
            let scratch = Some(std::env::temp_dir());
            let (weights, blocks) = (weights.clone(), blocks.clone());
            let options =
                Options { opponent, scratch, memory, threads, blocks, weights, ..Options::of(&made.game) };
            let run = || match winset_explicit::width(&made.game) {
                0..=64 => check_in::<u64>(&made.game, &options, &truth, &made.positions),
                _ => check_in::<Wide<4>>(&made.game, &options, &truth, &made.positions),
            };
            match std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)) {
                Ok(Some(on_disk)) => (solved, waited) = (solved + 1, waited + u64::from(on_disk > 0)),
                Ok(None) => {
                    refused += 1;
                    break;
                }
                Err(panic) => {
                    eprintln!("seed {seed}, {options:?}");
                    std::panic::resume_unwind(panic);
                }
            }
            if memory == 0 {
                break;
            }
            memory = memory * 9 / 10;
        }
    }
    eprintln!("{solved} runs, {waited} with files, {refused} games refused in the end");
    assert!(games < 150 || (waited > 50 && refused > 50), "{solved} {waited} {refused}");
}

#[test]
fn random_games_are_solved_as_the_truth_is() {
    let (games, first) = (number("WINSET_GAMES", 600), number("WINSET_GAMES_SEED", 0));
    let (mut kinds, mut cut) = ([0; 3], 0);
    for seed in first..first + games {
        let made = random_game(seed, 600);
        let mut random = Random::new(seed);
        for opponent in [Opponent::Difference, Opponent::Own] {
            let truth = Truth::of(&made.positions, opponent);
            kinds[match truth {
                Truth::Solved(_) => 0,
                Truth::NoValue => 1,
                Truth::Refused => 2,
            }] += 1;
            let own = Options { opponent, ..Options::of(&made.game) };
            let mut threads = || 1 + random.below(4);
            let one_tier = Options { weights: None, threads: threads(), ..own.clone() };
            let threads = threads();
            let shuffled = Options { blocks: blocks(&made.game, &mut random), threads, ..own.clone() };
            let apart = Options { group: Some(1 + random.below(60)), ..shuffled.clone() };
            let parts = apart.weights.as_ref().map(|weights| winset_progress::parts(&made.game, weights));
            cut += usize::from(parts.iter().flatten().flatten().any(|&class| class > 0));
            for options in [own, one_tier, shuffled, apart] {
                let run = || {
                    check::<u128>(&made.game, &options, &truth, &made.positions);
                    check::<Wide<4>>(&made.game, &options, &truth, &made.positions);
                    if winset_explicit::width(&made.game) <= 64 {
                        check::<u64>(&made.game, &options, &truth, &made.positions);
                    }
                };
                if let Err(panic) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)) {
                    eprintln!("seed {seed}, {opponent:?}, {options:?}");
                    std::panic::resume_unwind(panic);
                }
            }
        }
    }
    eprintln!("{cut} with parts");
    assert!(games < 600 || cut > 100, "{cut} games have parts");
    assert!(games < 600 || kinds.iter().all(|&games| games > 10), "{kinds:?}");
}

/// A tier as an observer hears of it.
#[derive(PartialEq)]
struct Told {
    number: usize,
    states: Vec<u64>,
    values: Values,
    table: Vec<Vec<u8>>,
}

/// Everything that an observer hears.
#[derive(Default, PartialEq)]
struct Heard(Vec<Told>);

impl Observer<u64> for Heard {
    fn found(&mut self, number: usize, _: &Count, going: &[u64], _: &CodeTable) -> Result<(), ExplicitError> {
        let (states, values, table) = (going.to_vec(), Values::default(), vec![]);
        self.0.push(Told { number, states, values, table });
        Ok(())
    }

    fn solved(
        &mut self,
        number: usize,
        going: &[u64],
        values: &Values,
        _: Vec<u64>,
        outcomes: &CodeTable,
    ) -> Result<(), ExplicitError> {
        let table = outcomes.table().iter().map(|rewards| rewards.to_vec()).collect();
        let (states, values) = (going.to_vec(), values.clone());
        self.0.push(Told { number, states, values, table });
        Ok(())
    }
}

/// Boards whose positions do not fit: the same comes out by way of the disk, whatever the memory is, and a position takes
/// less than three bytes there.
#[test]
fn the_disk_finds_the_same() {
    for (name, size) in [("connect4", "4x4"), ("dodgem", "4"), ("othello", "4x4"), ("checkers", "4")] {
        let game = winset_games::build(name, Some(size), &Default::default()).unwrap();
        let in_memory = {
            let mut heard = Heard::default();
            solve::<u64>(&game, &Options::of(&game), &mut heard).unwrap();
            heard
        };
        let (mut memory, mut waited) = (8 << 20, vec![]);
        loop {
            let mut heard = Heard::default();
            let (scratch, threads) = (Some(std::env::temp_dir()), 1 + memory as usize / 1000 % 2);
            let solved =
                solve::<u64>(&game, &Options { memory, scratch, threads, ..Options::of(&game) }, &mut heard);
            match solved {
                Ok(solution) => waited.push(solution.on_disk),
                Err(ExplicitError::Tier { .. }) => break,
                Err(error) => panic!("{name} {size}: {error}"),
            }
            assert!(heard == in_memory, "{name} {size} in {memory} bytes");
            memory = memory * 3 / 4;
        }
        eprintln!("{name} {size}: {waited:?}");
        let (states, bytes) = waited.last().copied().expect("eight megabytes do");
        assert!(states > 0, "{name} {size}: nothing was on disk");
        assert!(bytes < 3 * states, "{name} {size}: {states} states took {bytes} bytes");
    }
}

/// Where nothing can be written, that is said.
#[test]
fn a_directory_that_is_not_there() {
    let game = winset_games::build("connect4", Some("4x4"), &Default::default()).unwrap();
    let scratch = Some("/nowhere/at/all".into());
    let solved = solve::<u64>(&game, &Options { memory: 2 << 20, scratch, ..Options::of(&game) }, &mut ());
    let said = solved.unwrap_err().to_string();
    assert!(said.contains("/nowhere/at/all") && said.contains("TMPDIR"), "{said}");
}

/// Boards that are large enough for threads: every number of them finds the same in the same order, codes included.
#[test]
fn threads_find_the_same() {
    for (name, size) in [
        ("connect4", "4x4"),
        ("dodgem", "4"),
        ("quixo", "3"),
        ("isolation", "3x4"),
        ("checkers", "4"),
        ("othello", "4x4"),
    ] {
        let game = winset_games::build(name, Some(size), &Default::default()).unwrap();
        let heard = |threads| {
            let mut heard = Heard::default();
            solve::<u64>(&game, &Options { threads, ..Options::of(&game) }, &mut heard).unwrap();
            heard
        };
        let one = heard(1);
        for threads in [2, 3] {
            assert!(heard(threads) == one, "{name} {size} with {threads} threads");
        }
        for (threads, group) in [(1, 100), (2, 3_000)] {
            let mut heard = Heard::default();
            let options = Options { threads, group: Some(group), ..Options::of(&game) };
            solve::<u64>(&game, &options, &mut heard).unwrap();
            assert!(heard == one, "{name} {size} in groups of {group}");
        }
    }
}
