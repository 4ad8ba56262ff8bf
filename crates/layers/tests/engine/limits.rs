//! Threads, memory, disk and bad games.

use crate::reference::Keeper;
use winset_games::build;
use winset_layers::{Layering, LayersError, Observer, Options, Reached, Refusal, solve};
use winset_model::{Exprs, Game, GameBuilder, Player, Update};

fn connect4() -> Game {
    build("connect4", Some("4x4"), &Default::default()).unwrap()
}

fn kept(game: &Game, options: &Options) -> Keeper {
    let mut keeper = Keeper::default();
    solve(game, options, &mut keeper).unwrap();
    keeper
}

#[test]
fn results_do_not_depend_on_threads() {
    for (name, size) in [("connect4", "4x4"), ("othello", "3x4"), ("breakthrough", "4x3")] {
        let game = build(name, Some(size), &Default::default()).unwrap();
        let one = kept(&game, &Options::default());
        for threads in [2, 3] {
            let more = kept(&game, &Options { threads, ..Default::default() });
            assert_eq!(one.reached, more.reached, "{name}");
            assert_eq!(one.solved, more.solved, "{name}");
        }
    }
}

#[test]
fn layers_can_wait_on_disk() {
    let directory = std::env::temp_dir().join(format!("winset-limits-{}", std::process::id()));
    let game = connect4();
    let all_in_memory = kept(&game, &Options::default());
    let directory_given = Some(directory.clone());
    let options = Options { memory: Some(800_000), directory: directory_given, ..Default::default() };
    assert_eq!(kept(&game, &options).solved, all_in_memory.solved);
    assert_eq!(std::fs::read_dir(&directory).unwrap().count(), 0, "nothing is left behind");
    std::fs::remove_dir(&directory).unwrap();
}

#[test]
fn the_least_budget_is_enough_for_the_same_values() {
    let directory = std::env::temp_dir().join(format!("winset-least-{}", std::process::id()));
    for (name, size) in [("connect4", "4x4"), ("breakthrough", "6x3")] {
        let game = build(name, Some(size), &Default::default()).unwrap();
        let all_in_memory = kept(&game, &Options::default());
        let least = |directory: Option<std::path::PathBuf>| {
            let mut memory = 8 << 20;
            loop {
                let mut keeper = Keeper::default();
                let directory = directory.clone();
                let options = Options { memory: Some(memory), directory, ..Default::default() };
                match solve(&game, &options, &mut keeper) {
                    Ok(_) => assert_eq!(keeper.solved, all_in_memory.solved, "{name}, {memory} bytes"),
                    Err(LayersError::Memory { .. } | LayersError::ConditionsDoNotFit { .. }) => {
                        return memory;
                    }
                    Err(error) => panic!("{error}"),
                }
                memory = memory / 4 * 3;
            }
        };
        let (with, without) = (least(Some(directory.clone())), least(None));
        assert!(with < without, "{name}: {with} bytes with a directory, {without} without");
    }
    assert_eq!(std::fs::read_dir(&directory).unwrap().count(), 0, "nothing is left behind");
    std::fs::remove_dir(&directory).unwrap();
}

#[test]
fn a_budget_that_is_too_small_is_an_error() {
    let mut kinds = [0; 2];
    let mut memory = 10_000;
    while let Err(error) =
        solve(&connect4(), &Options { memory: Some(memory), ..Default::default() }, &mut ())
    {
        match error {
            LayersError::ConditionsDoNotFit { .. } => kinds[0] += 1,
            LayersError::Memory { budget, .. } if budget <= memory => kinds[1] += 1,
            other => panic!("{memory} bytes: {other}"),
        }
        memory += memory / 4;
    }
    assert!(kinds.iter().all(|&n| n > 0), "conditions and layers: {kinds:?}");
}

#[test]
fn a_directory_that_cannot_be_written_is_an_error() {
    let file = std::env::temp_dir().join(format!("winset-file-{}", std::process::id()));
    std::fs::write(&file, "in the way").unwrap();
    let options = Options { memory: Some(800_000), directory: Some(file.clone()), ..Default::default() };
    let error = solve(&connect4(), &options, &mut ()).unwrap_err();
    assert!(matches!(error, LayersError::Io { .. }), "{error}");
    std::fs::remove_file(&file).unwrap();
}

/// A light that can be switched on, and then nothing more.
fn light(terminal: bool) -> Game {
    let mut game = GameBuilder::new("light", ["first", "second"]);
    let turn = game.add_turn();
    let light = game.add_variable("light", ["off", "on"]);
    let off = game.exprs.is(light, 0);
    let hand_over = game.hand_over(turn, Player(0));
    game.add_move("switch", Player(0), off, [Update::set(light, 1), hand_over]);
    if terminal {
        let on = game.exprs.is(light, 1);
        game.terminal.push(on);
    }
    game.initial = game.state([0, 0]);
    game.build().unwrap()
}

#[test]
fn a_game_that_gets_stuck_is_an_error() {
    let error = solve(&light(false), &Options::default(), &mut ()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the rules allow no move although the game has not ended: second on",
        "{error}"
    );
    assert_eq!(solve(&light(true), &Options::default(), &mut ()).unwrap().positions(), 2);
}

#[test]
fn a_game_without_a_turn_is_an_error() {
    let mut game = light(false).into_builder();
    game.turn = vec![Exprs::FALSE; 2];
    let game = game.build().unwrap();
    let error = solve(&game, &Options::default(), &mut ()).unwrap_err();
    assert!(matches!(error, LayersError::NobodysTurn(_)), "{error}");
}

#[test]
fn weights_that_fall_are_an_error() {
    let game = light(true);
    let falling = Layering::Measure(vec![vec![0, 0], vec![1, 0]]);
    let options = Options { layering: Some(falling), ..Default::default() };
    let error = solve(&game, &options, &mut ()).unwrap_err();
    assert!(matches!(&error, LayersError::NotAMeasure(name) if name == "switch"), "{error}");
}

#[test]
fn breadth_first_layers_of_a_game_with_cycles_are_an_error() {
    let mut game = GameBuilder::new("clock", ["first", "second"]);
    let turn = game.add_turn();
    for player in 0..2 {
        let hand_over = game.hand_over(turn, Player::new(player));
        game.add_move("tick", Player::new(player), Exprs::TRUE, [hand_over]);
    }
    game.initial = game.state([0]);
    let game = game.build().unwrap();
    let options = Options { layering: Some(Layering::Plies), ..Default::default() };
    let error = solve(&game, &options, &mut ()).unwrap_err();
    assert!(matches!(error, LayersError::Cycle(2)), "{error}");
    assert_eq!(solve(&game, &Options::default(), &mut ()).unwrap().value, Some([50, 50].into()));
}

struct Impatient(usize);

impl Observer for Impatient {
    fn reached(&mut self, layer: &Reached) -> Result<(), Refusal> {
        if layer.number > 5 { Err("full".into()) } else { Ok(()) }
    }

    fn stop(&mut self) -> bool {
        self.0 -= 1;
        self.0 == 0
    }
}

#[test]
fn an_observer_can_stop_and_refuse() {
    let game = connect4();
    let error = solve(&game, &Options::default(), &mut Impatient(3)).unwrap_err();
    assert!(matches!(error, LayersError::Stopped), "{error}");
    let error = solve(&game, &Options::default(), &mut Impatient(100)).unwrap_err();
    assert_eq!(error.to_string(), "the result could not be kept: full");
}
