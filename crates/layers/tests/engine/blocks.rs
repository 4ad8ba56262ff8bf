//! Which blocks are chosen.

use winset_games::build;
use winset_layers::{LayersError, Observer, Options, Plan, Refusal, count};
use winset_model::{Exprs, Game, GameBuilder, Player, Update, VarId};

/// Takes the numbers of variables in the blocks, and nothing else.
struct Sizes(Vec<usize>);

impl Observer for Sizes {
    fn begin(&mut self, plan: &Plan) -> Result<(), Refusal> {
        self.0 = plan.blocks.blocks.iter().map(|block| block.vars.len()).collect();
        Err("enough".into())
    }
}

fn sizes(name: &str, size: &str) -> Vec<usize> {
    sizes_of(&build(name, Some(size), &Default::default()).unwrap())
}

fn sizes_of(game: &Game) -> Vec<usize> {
    let mut sizes = Sizes(vec![]);
    assert!(matches!(count(game, &Options::default(), &mut sizes), Err(LayersError::Sink(_))));
    sizes.0
}

#[test]
fn the_direction_of_a_board_with_less_work_is_chosen() {
    assert_eq!(sizes("othello", "4x6"), [1, 4, 4, 4, 4, 4, 4], "columns");
    assert_eq!(sizes("othello", "5x4"), [1, 4, 4, 4, 4, 4], "rows");
    assert_eq!(sizes("breakthrough", "7x3"), [1, 3, 3, 3, 3, 3, 3, 3], "rows");
    assert_eq!(sizes("connect4", "5x4"), [1, 4, 4, 4, 4, 4], "columns");
}

/// Piles of stones of either colour: a place can be filled when the one below it is. The place of the level
/// comes before that of the pile among the variables.
fn piles(heights: &[usize]) -> Game {
    let mut game = GameBuilder::new("piles", ["a", "b"]);
    let mut places: Vec<(usize, usize, VarId)> = vec![];
    for level in 0..heights.iter().copied().max().unwrap_or(0) {
        for (pile, _) in heights.iter().enumerate().filter(|(_, height)| level < **height) {
            let var = game.add_variable(format!("{pile}.{level}"), ["free", "a", "b"]);
            places.push((pile, level, var));
        }
    }
    let turn = game.add_turn();
    let mut open = vec![];
    for &(pile, level, var) in &places {
        let free = game.exprs.is(var, 0);
        open.push(free);
        let below = places.iter().find(|p| p.0 == pile && p.1 + 1 == level);
        let empty = below.map_or(Exprs::FALSE, |p| game.exprs.is(p.2, 0));
        let filled = game.exprs.not(empty);
        for player in 0..2 {
            let mine = game.exprs.is(turn, player as u16);
            let guard = game.exprs.and([mine, free, filled]);
            let updates =
                vec![Update::set(var, player as u16 + 1), game.hand_over(turn, Player::new(player))];
            game.add_move(format!("{pile}.{level} {player}"), Player::new(player), guard, updates);
        }
    }
    let going_on = game.exprs.or(open);
    let ended = game.exprs.not(going_on);
    game.terminal.push(ended);
    game.reward_draw(ended);
    game.initial = game.state(vec![0; places.len() + 1]);
    game.build().unwrap()
}

#[test]
fn what_is_stacked_is_a_block() {
    assert_eq!(sizes_of(&piles(&[3, 1, 2])), [1, 1, 2, 3], "the turn, then the shortest first");
    let game = piles(&[3, 1, 2]);
    let counted = count(&game, &Options::default(), &mut ()).unwrap();
    let lines = vec![(0..3).map(VarId).collect(), (3..7).map(VarId).collect()];
    let other = Options { blocks: Some(lines), ..Options::default() };
    assert_eq!(count(&game, &other, &mut ()).unwrap().positions(), counted.positions());
    assert_eq!(sizes_of(&piles(&[1, 1, 1, 1, 2])).len(), 2, "most places stand alone");
}

/// The game with more variables, each with a single value, that moves ask about and "change".
fn among_constants(game: Game, constants: usize) -> Game {
    let mut game = game.into_builder();
    for i in 0..constants {
        let constant = game.add_variable(format!("constant {i}"), ["always"]);
        let always = game.exprs.is(constant, 0);
        let at = i % game.moves.len();
        game.moves[at].guard = game.exprs.and([game.moves[at].guard, always]);
        game.moves[at].updates.push(Update::set(constant, 0));
        if i % 2 == 0 && !game.blocks.is_empty() {
            let at = i % game.blocks.len();
            game.blocks[at].insert(0, constant);
        }
    }
    let initial = game.initial.0.iter().copied().chain(std::iter::repeat_n(0, constants));
    game.initial = game.state(initial.collect::<Vec<_>>());
    game.build().unwrap()
}

#[test]
fn blocks_are_chosen_though_most_variables_have_one_value() {
    let free = piles(&[1; 9]).with_name("no piles, so that lines are tried");
    let board = |name, size| build(name, Some(size), &Default::default()).unwrap();
    for game in [piles(&[3, 1, 2]), free, board("connect4", "4x4"), board("othello", "4x4")] {
        let plain = count(&game, &Options::default(), &mut ()).unwrap();
        let many = among_constants(game.clone(), 40);
        let mut sizes = sizes_of(&game);
        sizes[0] += 40;
        assert_eq!(sizes_of(&many), sizes, "{}: constants are in the topmost block", game.name());
        assert_eq!(count(&many, &Options::default(), &mut ()).unwrap().positions(), plain.positions());
    }
    let nothing = among_constants(piles(&[]), 0);
    assert_eq!(count(&nothing, &Options::default(), &mut ()).unwrap().positions(), 1);
}
