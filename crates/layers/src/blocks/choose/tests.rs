//! The work that choosing takes.

use super::*;
use std::path::Path;
use winset_model::{GameBuilder, Player, Update};

/// A single step of compiling or of a layer may go so far beyond the limit.
const BEYOND: u64 = 5_000_000;

/// Chooses blocks and says how many steps it took and how many trials it made.
fn choosing(game: &Game) -> (u64, usize) {
    let (work, mut trials) = (Work::default(), 0);
    let blocks = choose_blocks(game, &Layering::find(game), Some(1 << 30), &work, &mut |n| trials = n);
    let mut vars: Vec<VarId> = blocks.concat();
    vars.sort_unstable();
    assert!(
        vars.into_iter().eq((0..game.variables().len() as u32).map(VarId)),
        "{}: every variable once",
        game.name()
    );
    (work.done(), trials)
}

fn is_bounded(game: &Game) {
    let (steps, _) = choosing(game);
    assert!(steps <= CHOOSING + BEYOND, "{} {}: {steps} steps", game.name(), game.size());
}

/// Variables of these sizes; a move sets one to its next value if the one before it is not 0, as a chain, or in any
/// case. The first player to have raised the last variable to the end wins.
fn made(name: &str, sizes: &[u16], chain: bool) -> Game {
    let mut game = GameBuilder::new(name, ["a", "b"]);
    let turn = game.add_turn();
    let vars: Vec<VarId> = (0..sizes.len())
        .map(|i| game.add_variable(format!("v{i}"), (0..sizes[i]).map(|v| v.to_string())))
        .collect();
    for (i, &var) in vars.iter().enumerate() {
        for value in 1..sizes[i] {
            let mut guard = vec![game.exprs.is(var, value - 1)];
            if chain && i > 0 && sizes[i - 1] > 1 {
                let none = game.exprs.is(vars[i - 1], 0);
                guard.push(game.exprs.not(none));
            }
            let guard = game.exprs.and(guard);
            for player in 0..2 {
                let updates = [Update::set(var, value), game.hand_over(turn, Player::new(player))];
                game.add_move(format!("{i} to {value}"), Player::new(player), guard, updates);
            }
        }
    }
    let last = (0..sizes.len()).rev().find(|&i| sizes[i] > 1).unwrap_or(0);
    let end = game.exprs.is(vars[last], sizes[last] - 1);
    game.terminal.push(end);
    game.reward_winner(Player(0), end);
    game.initial = game.state(vec![0; sizes.len() + 1]);
    game.build().unwrap()
}

/// Once `longest(1)` counted for ever, and most of these made trials without a limit.
#[test]
fn variables_of_one_value_and_other_odd_games_do_not_hold_up_choosing() {
    let mut mostly_constant = vec![1; 40];
    mostly_constant[7] = 3;
    mostly_constant[30] = 2;
    let mut one_large = vec![2; 12];
    one_large[5] = 256;
    for chain in [false, true] {
        is_bounded(&made("mostly constant", &mostly_constant, chain));
        is_bounded(&made("all but one constant", &[1, 1, 1, 1, 1, 1, 1, 2], chain));
        is_bounded(&made("one large", &one_large, chain));
        is_bounded(&made("unrelated", &[2; 60], chain));
        is_bounded(&made("large", &[200; 8], chain));
        is_bounded(&made("mixed", &[17, 1, 16, 2, 15, 3, 14, 4, 13, 5, 12, 6, 1, 1], chain));
    }
}

#[test]
fn choosing_is_bounded_in_the_library_and_built_in_games() {
    for name in winset_gdl::LIBRARY.iter().map(|game| game.family.name) {
        let rules = winset_gdl::rules(name, None, &Default::default()).expect("a game of the library");
        let rules = rules.expect("it has a size without being asked");
        is_bounded(&winset_gdl::compile(name, rules.text.as_bytes(), &Default::default()).unwrap().game);
    }
    for (name, size) in [("tictactoe", "4x4"), ("othello", "4x4"), ("checkers", "4"), ("dodgem", "3x3")] {
        if let Ok(game) = winset_games::build(name, Some(size), &Default::default()) {
            is_bounded(&game);
        }
    }
}

/// The limit is for games that would hold up choosing, and changes nothing for others.
#[test]
fn large_built_in_games_are_tried_as_if_there_were_no_limit() {
    for (name, size) in
        [("connect4", "6x6"), ("breakthrough", "5x6"), ("othello", "4x5"), ("tictactoe", "4x4")]
    {
        let game = winset_games::build(name, Some(size), &Default::default()).unwrap();
        let layering = Layering::find(&game);
        let free = Work::default();
        let unlimited = choose_and_order(&game, &layering, Some(1 << 30), (&free, u64::MAX), &mut |_| ());
        let limited = choose_blocks(&game, &layering, Some(1 << 30), &Work::default(), &mut |_| ());
        assert_eq!(with_constants(&game, unlimited), limited, "{name} {size}");
    }
}

#[test]
#[ignore = "the games are not part of the project: WINSET_GDL_GAMES names their folder"]
fn choosing_is_bounded_in_every_game_of_a_folder() {
    let folder = std::env::var("WINSET_GDL_GAMES").expect("WINSET_GDL_GAMES names a folder");
    let mut seen = 0;
    for entry in std::fs::read_dir(Path::new(&folder)).expect("a folder") {
        let path = entry.expect("a file").path();
        let Ok(text) = std::fs::read(&path) else { continue };
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if let Ok(compiled) = winset_gdl::compile(&name, &text, &Default::default()) {
            is_bounded(&compiled.game);
            seen += 1;
        }
    }
    assert!(seen > 0, "there are games in {folder}");
}
