//! Part by part: state by state against the truth, in less and less memory, and after interruptions.
//!
//! `WINSET_GAMES=5000 WINSET_GAMES_SEED=1 cargo test --release -p winset-explicit --test dense` for a long run.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::time::Duration;
use winset_explicit::{
    Count, Distance, Expander, ExplicitError, Keep, Key, NEVER_ENDS, Observer, Options, Solution, Wide,
    Width, solve,
};
use winset_model::{
    Code, CodeTable, Game, GameBuilder, Opponent, Player, Remoteness, State, Update, Valuation, VarId,
};
use winset_reference::{Position, Random, Truth, random_game};

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).map_or(otherwise, |text| text.parse().expect("a number"))
}

/// Keeps every value; can be told to stop, or to panic, at a tier.
struct Keeper<K> {
    expander: Expander<K>,
    values: HashMap<State, Valuation>,
    parts: bool,
    listed: bool,
    left: Option<usize>,
    panics: bool,
}

impl<K: Key> Keeper<K> {
    fn new(game: &Game, options: &Options) -> Self {
        let expander = Expander::<K>::new(game, &options.blocks);
        Keeper { expander, values: HashMap::new(), parts: false, listed: false, left: None, panics: false }
    }
}

impl<K: Key> Observer<K> for Keeper<K> {
    fn found(&mut self, _: usize, _: &Count, _: &[K], _: &CodeTable) -> Result<(), ExplicitError> {
        self.listed = true;
        Ok(())
    }

    fn counted(&mut self, _: usize, count: &Count, parts: (u64, u64), _: bool) -> Result<(), ExplicitError> {
        self.parts = true;
        assert!(parts.0 > 0 && parts.1 >= count.positions, "{parts:?} for {count:?}");
        match &mut self.left {
            Some(0) if self.panics => panic!("killed"),
            Some(0) => return Err(ExplicitError::Stopped),
            Some(left) => *left -= 1,
            None => {}
        }
        Ok(())
    }

    fn wants_states(&self) -> bool {
        true
    }

    fn settled(&mut self, _: usize, state: K, code: Code, distance: Distance, outcomes: &CodeTable) {
        let remoteness = match distance {
            NEVER_ENDS => Remoteness::Endless,
            plies => Remoteness::Plies(plies.into()),
        };
        let value = Valuation { rewards: outcomes.rewards(code), remoteness };
        assert!(self.values.insert(self.expander.unpack(state), value).is_none());
    }
}

/// The variables in another order, as blocks of one.
fn blocks(game: &Game, random: &mut Random) -> Vec<Vec<VarId>> {
    let mut variables: Vec<VarId> = (0..game.variables().len()).map(|var| VarId(var as u32)).collect();
    random.shuffle(&mut variables);
    variables.into_iter().map(|var| vec![var]).collect()
}

/// Everything that a solution says of its tiers, by rewards and not by codes, whose order may differ.
type Said = Vec<(i64, u64, BTreeMap<Vec<u8>, u64>, Vec<BTreeMap<Vec<u8>, u64>>, u64, Option<u64>)>;

fn said(solution: &Solution) -> Said {
    let named = |counts: &[u64]| {
        let counts = counts.iter().enumerate().filter(|(_, count)| **count > 0);
        counts.map(|(code, &count)| (solution.outcomes.rewards(code as Code).to_vec(), count)).collect()
    };
    let tier = |tier: &winset_explicit::Solved| {
        let by_mover = tier.by_mover.iter().map(|counts| named(counts)).collect();
        let Count { measure, positions, terminal_by_code, .. } = &tier.count;
        (*measure, *positions, named(terminal_by_code), by_mover, tier.endless, tier.longest_win)
    };
    solution.tiers.iter().map(tier).collect()
}

/// Solves a game part by part and compares every state with the truth; none if the memory did not do. What was written.
fn check<K: Width>(game: &Game, options: &Options, truth: &Truth, positions: &[Position]) -> Option<u64> {
    let mut keeper = Keeper::<K>::new(game, options);
    let (values, on_disk) = match (truth, solve::<K>(game, options, &mut keeper)) {
        (Truth::Solved(values), Ok(solution)) => {
            assert_eq!(solution.positions(), values.len() as u128);
            let value = solution.value.expect("it was asked for");
            assert_eq!(value.rewards, values[0].rewards);
            assert!(!options.distance || value == values[0]);
            let listed = Options { dense: false, scratch: None, memory: 1 << 30, ..options.clone() };
            let listed = solve::<K>(game, &listed, &mut ()).expect("it is solved in lists");
            if options.distance {
                assert_eq!(said(&solution), said(&listed));
            }
            assert_eq!(solution.every_move_leaves, listed.every_move_leaves);
            (values, solution.on_disk.0)
        }
        (_, Err(ExplicitError::Tier { .. })) if options.scratch.is_some() => return None,
        (Truth::NoValue, Err(ExplicitError::NoValue(_))) => return Some(0),
        (Truth::Refused, Err(ExplicitError::Stuck(_) | ExplicitError::Forbidden { .. })) => return Some(0),
        (_, Err(error)) => panic!("{error}"),
        (_, Ok(_)) => panic!("there is no value"),
    };
    assert!(keeper.parts && !keeper.listed, "it was solved part by part");
    for (position, value) in positions.iter().zip(values).filter(|(position, _)| position.ended.is_none()) {
        let found = keeper.values.remove(&position.state).expect("it is there");
        assert_eq!(found.rewards, value.rewards, "{}", game.print(&position.state));
        assert!(
            !options.distance || found == *value,
            "{found:?}, {value:?}: {}",
            game.print(&position.state)
        );
    }
    assert!(keeper.values.is_empty());
    Some(on_disk)
}

#[test]
fn random_games_are_solved_as_the_truth_is() {
    let (games, first) = (number("WINSET_GAMES", 600), number("WINSET_GAMES_SEED", 0));
    let mut with_sums = 0;
    for seed in first..first + games {
        let made = random_game(seed, 600);
        let mut random = Random::new(seed);
        for opponent in [Opponent::Difference, Opponent::Own] {
            let truth = Truth::of(&made.positions, opponent);
            let own = Options { opponent, dense: true, ..Options::of(&made.game) };
            if let Some(weights) = &own.weights {
                let classes = winset_progress::parts(&made.game, weights);
                with_sums += usize::from(!winset_progress::kept(&made.game, weights, &classes).is_empty());
            }
            let threads = 1 + random.below(4);
            let one_tier = Options { weights: None, threads, ..own.clone() };
            let threads = 1 + random.below(4);
            let blocks = blocks(&made.game, &mut random);
            let together = random.one_in(2).then(|| 1 + random.below(2));
            let distance = random.one_in(2);
            let shuffled = Options { blocks, threads, distance, together, ..own.clone() };
            for options in [own, one_tier, shuffled] {
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
    assert!(games < 600 || with_sums > 5, "{with_sums} games have sums that are kept");
}

/// A random game of pieces on a few squares: some only advance and are crowned at the end, others go back and forth, some
/// capture. So tiers have parts, and the numbers of pieces that go back and forth are kept inside of them.
fn pieces(random: &mut Random) -> Game {
    let mut game = GameBuilder::new("pieces", ["a", "b"]);
    let turn = game.add_turn();
    let (squares, kinds) = (3 + random.below(4), 1 + random.below(2));
    // Empty; and for each player men and kings of each kind.
    let values: Vec<String> = (0..1 + 4 * kinds).map(|value| value.to_string()).collect();
    let value =
        |player: usize, kind: usize, king: bool| (1 + 2 * (kinds * player + kind) + usize::from(king)) as u16;
    let cells: Vec<VarId> =
        (0..squares).map(|square| game.add_variable(format!("s{square}"), values.clone())).collect();
    for size in (0..random.below(3)).map(|_| 1 + random.below(6)) {
        let values: Vec<String> = (0..size).map(|value| value.to_string()).collect();
        game.add_variable(format!("idle{size}{}", game.variables.len()), values);
    }
    for player in Player::all(2) {
        let mut legal = vec![];
        for (from, to) in (0..squares).flat_map(|from| (0..squares).map(move |to| (from, to))) {
            let ahead = if player == Player(0) { to > from } else { to < from };
            if from == to || from.abs_diff(to) > 2 {
                continue;
            }
            for (kind, king) in (0..kinds).flat_map(|kind| [(kind, false), (kind, true)]) {
                if !king && !ahead || random.one_in(4) {
                    continue;
                }
                let here = game.exprs.is(cells[from], value(player.index(), kind, king));
                let far = if player == Player(0) { squares - 1 } else { 0 };
                let arrived = value(player.index(), kind, king || to == far);
                let theirs = value(player.other().index(), random.below(kinds), random.one_in(2));
                for there in if random.one_in(2) { vec![0, theirs] } else { vec![0] } {
                    let free = game.exprs.is(cells[to], there);
                    let guard = game.exprs.and([here, free]);
                    legal.push(guard);
                    let updates = [
                        Update::set(cells[from], 0),
                        Update::set(cells[to], arrived),
                        game.hand_over(turn, player),
                    ];
                    game.add_move(format!("{from}-{to}"), player, guard, updates);
                }
            }
        }
        let can = game.exprs.or(legal);
        let cannot = game.exprs.not(can);
        let lost = game.exprs.and([game.turn[player.index()], cannot]);
        game.terminal.push(lost);
        game.reward_winner(player.other(), lost);
    }
    let mut initial = vec![0; game.variables.len()];
    for &cell in &cells {
        initial[cell.index()] = if random.one_in(3) { 0 } else { random.below(values.len()) as u16 };
    }
    game.initial = game.state(initial);
    game.build().expect("the rules are a game")
}

#[test]
fn games_of_pieces_are_solved_as_the_truth_is() {
    let (games, first) = (number("WINSET_GAMES", 600) / 2, number("WINSET_GAMES_SEED", 0));
    let (mut cut, mut with_sums) = (0, 0);
    for seed in first..first + games {
        let mut random = Random::new(seed);
        let game = pieces(&mut random);
        let Some(positions) = winset_reference::positions(&game, 4_000) else { continue };
        let truth = Truth::of(&positions, Opponent::Difference);
        let own = Options { opponent: Opponent::Difference, dense: true, ..Options::of(&game) };
        if let Some(weights) = &own.weights {
            let classes = winset_progress::parts(&game, weights);
            cut += usize::from(classes.iter().flatten().any(|&class| class > 0));
            with_sums += usize::from(!winset_progress::kept(&game, weights, &classes).is_empty());
        }
        let (threads, distance) = (1 + random.below(3), random.one_in(2));
        let blocks = blocks(&game, &mut random);
        let shuffled = Options { blocks, threads, distance, ..own.clone() };
        let one_after_the_other = Options { together: Some(1), ..shuffled.clone() };
        for options in [own, shuffled, one_after_the_other] {
            let run = || {
                check::<Wide<8>>(&game, &options, &truth, &positions);
                check::<u64>(&game, &options, &truth, &positions)
            };
            if let Err(panic) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)) {
                eprintln!("seed {seed}, {options:?}");
                std::panic::resume_unwind(panic);
            }
        }
    }
    eprintln!("{cut} with parts, {with_sums} with sums");
    assert!(games < 300 || (cut > 100 && with_sums > 100), "{cut} {with_sums}");
}

/// Boards whose positions do not fit: the same comes out by way of the disk, whatever the memory is.
#[test]
fn boards_are_solved_on_disk() {
    let mut files = 0;
    for (name, size) in [("connect4", "4x4"), ("othello", "4x4"), ("checkers", "5")] {
        let game = winset_games::build(name, Some(size), &Default::default()).unwrap();
        let listed = solve::<u64>(&game, &Options::of(&game), &mut ()).unwrap();
        // What reading and writing takes is always there; the rest shrinks.
        let (mut beside, mut waited) = (80u64 << 20, vec![]);
        loop {
            let (threads, scratch) = (1 + waited.len() % 2, Some(std::env::temp_dir()));
            let memory = beside + threads as u64 * (4 << 20);
            let options = Options { dense: true, memory, scratch, threads, ..Options::of(&game) };
            match solve::<u64>(&game, &options, &mut ()) {
                Ok(solution) => {
                    assert_eq!(said(&solution), said(&listed), "{name} {size} in {memory} bytes");
                    assert_eq!(solution.value, listed.value);
                    waited.push(solution.on_disk);
                }
                Err(ExplicitError::Tier { .. }) => break,
                Err(error) => panic!("{name} {size}: {error}"),
            }
            beside = beside * 3 / 4;
        }
        eprintln!("{name} {size}: {waited:?}");
        assert!(!waited.is_empty(), "{name} {size} does not fit at all");
        files += waited.iter().filter(|on_disk| on_disk.0 > 0).count();
    }
    assert!(files > 0, "nothing was on disk");
}

fn directory(name: &str) -> PathBuf {
    let directory = std::env::temp_dir().join(format!("winset-dense-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&directory);
    directory
}

/// Boards, also those whose tiers are cut into many parts: stopped or killed at every tier, and gone on with by another number
/// of threads, the same comes out.
#[test]
fn interrupted_runs_go_on() {
    for (name, size) in [("checkers", "4"), ("quixo", "3"), ("dodgem", "3"), ("connect4", "3x3")] {
        let game = winset_games::build(name, Some(size), &Default::default()).unwrap();
        let options = Options { dense: true, ..Options::of(&game) };
        let whole = solve::<u64>(&game, &options, &mut ()).unwrap();
        let listed = solve::<u64>(&game, &Options::of(&game), &mut ()).unwrap();
        assert_eq!(said(&whole), said(&listed), "{name} {size}");
        assert_eq!(whole.value, listed.value);
        for (panics, often) in [(false, 600), (true, 0), (true, 600)] {
            let directory = directory(&format!("{name}-{panics}-{often}"));
            let (mut interruptions, mut step) = (0, 0);
            let solution = loop {
                step += 1;
                let keep = Keep { directory: directory.clone(), often: Duration::from_secs(often) };
                let options = Options { threads: 1 + step % 3, checkpoint: Some(keep), ..options.clone() };
                // Without what waits, a run that is killed on the way forward begins again: it must get farther then.
                let left = if panics && often > 0 { step * 7 } else { step % 3 };
                let mut keeper = Keeper::<u64>::new(&game, &options);
                (keeper.left, keeper.panics) = (Some(left), panics);
                let run = std::panic::AssertUnwindSafe(|| solve::<u64>(&game, &options, &mut keeper));
                match std::panic::catch_unwind(run) {
                    Ok(Ok(solution)) => break solution,
                    Ok(Err(ExplicitError::Stopped)) | Err(_) => interruptions += 1,
                    Ok(Err(error)) => panic!("{name} {size}: {error}"),
                }
                assert!(step < 200, "{name} {size} comes to no end");
            };
            assert!(interruptions > 1, "{name} {size}: {interruptions}");
            assert_eq!(said(&solution), said(&whole), "{name} {size}");
            assert_eq!(solution.value, whole.value);
            // Other settings do not go on with it.
            let keep = Keep { directory: directory.clone(), often: Duration::ZERO };
            let other = Options { checkpoint: Some(keep), distance: false, ..options.clone() };
            let refused = solve::<u64>(&game, &other, &mut ()).unwrap_err().to_string();
            assert!(refused.contains("another directory"), "{refused}");
            std::fs::remove_dir_all(&directory).unwrap();
        }
    }
}

/// Whatever byte of a checkpoint is changed, that is said, or it does not matter: nothing wrong comes out.
#[test]
fn damage_is_noticed() {
    let game = winset_games::build("checkers", Some("4"), &Default::default()).unwrap();
    let options = Options { dense: true, ..Options::of(&game) };
    let whole = solve::<u64>(&game, &options, &mut ()).unwrap();
    let directory = directory("damage");
    let keep = Keep { directory: directory.clone(), often: Duration::ZERO };
    let options = Options { checkpoint: Some(keep), ..options };
    let mut keeper = Keeper::<u64>::new(&game, &options);
    keeper.left = Some(whole.tiers.len() + 3);
    assert!(matches!(solve::<u64>(&game, &options, &mut keeper), Err(ExplicitError::Stopped)));
    let files: Vec<PathBuf> =
        std::fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    let saved: Vec<(PathBuf, Vec<u8>)> =
        files.into_iter().map(|path| (path.clone(), std::fs::read(&path).unwrap())).collect();
    let mut random = Random::new(1);
    let mut noticed = 0;
    for _ in 0..200 {
        for entry in std::fs::read_dir(&directory).unwrap() {
            std::fs::remove_file(entry.unwrap().path()).unwrap();
        }
        saved.iter().for_each(|(path, bytes)| std::fs::write(path, bytes).unwrap());
        let (path, bytes) = &saved[random.below(saved.len())];
        let mut bytes = bytes.clone();
        if bytes.is_empty() {
            continue;
        }
        let at = random.below(bytes.len());
        match random.below(3) {
            0 => bytes.truncate(at),
            _ => bytes[at] ^= 1 << random.below(8),
        }
        std::fs::write(path, bytes).unwrap();
        match solve::<u64>(&game, &options, &mut ()) {
            Ok(solution) => assert_eq!(said(&solution), said(&whole), "{}", path.display()),
            Err(_) => noticed += 1,
        }
    }
    assert!(noticed > 100, "{noticed}");
    std::fs::remove_dir_all(&directory).unwrap();
}
