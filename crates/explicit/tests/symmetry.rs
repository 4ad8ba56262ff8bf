//! One state for all that symmetries take to each other: the same counts and values as with all of them.

use std::collections::{BTreeMap, HashMap};
use winset_explicit::{
    Expander, ExplicitError, Key, Observer, Options, Solution, Values, Wide, Width, solve,
};
use winset_model::{Code, CodeTable, Game, GameBuilder, Player, Rewards, State, Update, VarId};
use winset_reference::Random;

/// The value of every state that was told, and how many states each stands for.
struct Keeper<K> {
    expander: Expander<K>,
    values: HashMap<State, (Rewards, u16)>,
    told: u64,
}

impl<K: Key> Observer<K> for Keeper<K> {
    fn solved(
        &mut self,
        _: usize,
        going: &[K],
        values: &Values,
        by_code: Vec<u64>,
        outcomes: &CodeTable,
    ) -> Result<(), ExplicitError> {
        self.told += by_code.iter().sum::<u64>();
        for ((&key, &code), &distance) in going.iter().zip(&values.codes).zip(&values.distances) {
            self.values.insert(self.expander.unpack(key), (outcomes.rewards(code), distance));
        }
        Ok(())
    }
}

/// What a solution says, codes replaced by what they mean: they are numbered as they are met.
fn said(solution: &Solution) -> Vec<String> {
    let meant = |counts: &[u64]| -> BTreeMap<Rewards, u64> {
        let some = counts.iter().enumerate().filter(|(_, n)| **n > 0);
        some.map(|(code, &n)| (solution.outcomes.rewards(code as Code), n)).collect()
    };
    let tier = |tier: &winset_explicit::Solved| {
        let by_mover: Vec<_> = tier.by_mover.iter().map(|counts| meant(counts)).collect();
        let ends = meant(&tier.count.terminal_by_code);
        let (count, endless, longest) = (&tier.count, tier.endless, tier.longest_win);
        format!(
            "{} {} {:?} {ends:?} {by_mover:?} {endless} {longest:?}",
            count.measure, count.positions, count.mover
        )
    };
    let mut said: Vec<String> = solution.tiers.iter().map(tier).collect();
    said.push(format!("{:?}", solution.value));
    said
}

/// Compares; how many states were told of, and how many there are.
fn compare<K: Width>(what: &str, game: &Game, options: Options) -> (usize, usize) {
    let run = |symmetry| {
        let options = Options { symmetry, ..options.clone() };
        let expander = Expander::<K>::new(game, &options.blocks);
        let mut keeper = Keeper { expander, values: HashMap::new(), told: 0 };
        let solved = solve::<K>(game, &options, &mut keeper);
        (solved.map(|solution| said(&solution)).map_err(|error| error.to_string()), keeper)
    };
    let ((all, every), (one, some)) = (run(None), run(Some(0)));
    assert_eq!(one, all, "{what}");
    if one.is_ok() {
        assert_eq!((every.told, some.told), (every.values.len() as u64, every.values.len() as u64), "{what}");
        for (state, value) in &some.values {
            assert_eq!(Some(value), every.values.get(state), "{what}: {}", game.print(state));
        }
    }
    (some.values.len(), every.values.len())
}

#[test]
fn boards() {
    let boards = [
        ("tictactoe", "3x3", 7.0),
        ("connect4", "4x4", 1.9),
        ("connect4", "5x3x3", 1.9),
        ("hexapawn", "4x4", 1.9),
        ("checkers", "4", 1.0),
        ("dodgem", "3", 1.0),
        ("quixo", "3", 7.0),
        ("teeko", "3", 7.0),
        ("three-mens-morris", "", 7.0),
        ("tapatan", "", 7.0),
        ("picaria", "", 7.0),
        ("mu-torere", "", 1.9),
        ("pong-hau-ki", "", 1.8),
        ("krk", "4", 1.0),
        ("sim", "5", 10.0),
        ("hex", "3", 1.0),
        ("cram", "4x3", 1.9),
        ("domineering", "4x4", 1.9),
        ("notakto", "2", 15.0),
        ("nim", "3x3x3", 3.0),
        ("order-and-chaos", "3", 13.0),
    ];
    for (name, size, least) in boards {
        let size = Some(size).filter(|size| !size.is_empty());
        let game = winset_games::build(name, size, &Default::default()).unwrap();
        for threads in [1, 3] {
            let options = Options { threads, ..Options::of(&game) };
            let (some, all) = compare::<u64>(name, &game, options.clone());
            assert!(all as f64 >= least * some as f64, "{name}: {some} of {all}");
            compare::<Wide<4>>(name, &game, Options { weights: None, ..options });
        }
    }
}

/// Stones on a ring of points: rules that are the same from every point, and in some games one that is not.
fn ring(random: &mut Random) -> (Game, bool) {
    let (points, values) = (3 + random.below(4), 2 + random.below(3));
    let names: Vec<String> = (0..values).map(|value| value.to_string()).collect();
    let mut game = GameBuilder::new("ring", ["x", "o"]);
    let turn = game.add_turn();
    let cells: Vec<VarId> = (0..points).map(|i| game.add_variable(format!("c{i}"), names.clone())).collect();
    let planted = random.one_in(3);
    for number in 0..3 + random.below(4) {
        let player = Player::new(random.below(2));
        let guards: Vec<(usize, u16)> =
            (0..1 + random.below(2)).map(|_| (random.below(points), random.below(values) as u16)).collect();
        let sets: Vec<(usize, u16)> = (0..1 + random.below(2))
            .map(|i| ((random.below(points) + i) % points, random.below(values) as u16))
            .collect();
        let from = if planted && number == 0 { 1 } else { points };
        for i in 0..from {
            let guard: Vec<_> =
                guards.iter().map(|&(d, value)| game.exprs.is(cells[(i + d) % points], value)).collect();
            let guard = game.exprs.and(guard);
            let mut updates = vec![game.hand_over(turn, player)];
            for &(d, value) in &sets {
                let to = cells[(i + d) % points];
                if updates.iter().all(|update| update.var != to) {
                    updates.push(Update::set(to, value));
                }
            }
            game.add_move(format!("m{number}-{i}"), player, guard, updates);
        }
    }
    for player in Player::all(2) {
        let pass = vec![game.hand_over(turn, player)];
        game.add_fallback("pass", player, winset_model::Exprs::TRUE, pass);
    }
    let mut wins = vec![];
    for _ in 0..2 {
        let pattern: Vec<(usize, u16)> =
            (0..2 + random.below(2)).map(|_| (random.below(points), random.below(values) as u16)).collect();
        let mut there = vec![];
        for i in 0..points {
            let all: Vec<_> =
                pattern.iter().map(|&(d, value)| game.exprs.is(cells[(i + d) % points], value)).collect();
            there.push(game.exprs.and(all));
        }
        let some = game.exprs.or(there);
        game.terminal.push(some);
        wins.push(some);
    }
    for player in 0..2 {
        let other = game.exprs.not(wins[1 - player]);
        let alone = game.exprs.and([wins[player], other]);
        game.reward_winner(Player::new(player), alone);
    }
    let both = game.exprs.and(wins);
    game.reward_draw(both);
    game.initial = game.state(vec![0; points + 1]);
    (game.build().unwrap(), planted)
}

#[test]
fn random_rings() {
    let games = std::env::var("WINSET_GAMES").map_or(400, |text| text.parse().expect("a number"));
    let (mut fewer, mut kept) = (0, 0);
    for seed in 0..games {
        let mut random = Random::new(seed);
        let (game, planted) = ring(&mut random);
        let threads = 1 + random.below(3);
        let measured = Options { threads, ..Options::of(&game) };
        let options = if random.one_in(2) { measured } else { Options { weights: None, ..measured } };
        let (some, all) = compare::<u64>(&format!("seed {seed}"), &game, options);
        fewer += usize::from(some < all);
        kept += usize::from(planted && some == all && all > 20);
    }
    eprintln!("{fewer} of {games} games with fewer states, {kept} with a rule that holds at one point alone");
    assert!(fewer * 6 > games as usize && kept > 5, "{fewer} {kept}");
}
