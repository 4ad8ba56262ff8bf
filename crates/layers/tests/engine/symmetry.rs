//! Positions that are left out because they are mirror images of others.

use crate::leaves::compare_and_tidy;
use crate::reference::{Keeper, compare, explore};
use proptest::prelude::*;
use winset_games::build;
use winset_layers::{Form, Kept, Layering, Options, Solution, solve};
use winset_model::{Exprs, Game, GameBuilder, Player, Update, VarId};

fn is_halved(kept: Kept) -> bool {
    matches!(kept, Kept::Leaves { halved: true, .. })
}

/// The columns of a board from the middle outwards, below what is not on the board. Of larger boards the engine finds
/// them itself.
fn outwards(game: &Game) -> Option<Vec<Vec<VarId>>> {
    let board = game.board().unwrap();
    let mut order: Vec<usize> = (0..board.columns).collect();
    order.sort_by_key(|&c| (2 * c + 1).abs_diff(board.columns));
    let column = |c: usize| (0..board.rows).filter_map(|r| board.cells[r * board.columns + c]).collect();
    let others =
        (0..game.variables().len() as u32).map(VarId).filter(|var| !board.cells.contains(&Some(*var)));
    let mut blocks: Vec<Vec<VarId>> = vec![others.collect()];
    blocks.extend(order.into_iter().map(column));
    Some(blocks)
}

fn solved(game: &Game, options: &Options) -> (Solution, Keeper) {
    let mut keeper = Keeper::default();
    (solve(game, options, &mut keeper).unwrap(), keeper)
}

/// Counts and the value of every position, with and without their images, and by rank.
#[test]
fn boards() {
    for (name, size) in [
        ("connect4", "3x4x3"),
        ("connect4", "4x4"),
        ("connect4", "5x3x3"),
        ("connect4", "6x3x3"),
        ("connect4", "4x4x3"),
        ("connect4", "7x2x3"),
        ("breakthrough", "3x4"),
        ("breakthrough", "4x4"),
        ("tictactoe", "3x3"),
        ("tictactoe", "4x3x3"),
    ] {
        let game = build(name, Some(size), &Default::default()).unwrap();
        let form = Form::Leaves;
        let blocks = outwards(&game);
        let ranks = Options { form: Form::Ranks, blocks: blocks.clone(), ..Default::default() };
        let (by_rank, values) = solved(&game, &ranks);
        for (symmetry, threads) in [(false, 1), (true, 1), (true, 3)] {
            let options = Options { form, symmetry, threads, blocks: blocks.clone(), ..Default::default() };
            let (found, kept) = solved(&game, &options);
            assert_eq!(found.layers, by_rank.layers, "{name} {size}");
            assert_eq!(found.value, by_rank.value);
            assert!(kept.solved == values.solved, "{name} {size}");
            assert_eq!(symmetry, is_halved(found.kept), "{name} {size}: {:?}", found.kept);
        }
    }
}

/// The same where parts wait in files, and where leaves are given up for want of memory.
#[test]
fn with_little_memory() {
    let directory = std::env::temp_dir().join(format!("winset-halves-memory-{}", std::process::id()));
    for size in ["5x3x3", "4x4x3"] {
        let game = build("connect4", Some(size), &Default::default()).unwrap();
        let blocks = outwards(&game);
        let ranks = Options { form: Form::Ranks, blocks: blocks.clone(), ..Default::default() };
        let (by_rank, ranked) = solved(&game, &ranks);
        let mut halved = vec![];
        for (memory, values) in [(Some(9 << 20), None), (Some(48 << 20), None), (None, Some(1 << 10))] {
            for threads in [1, 2] {
                let options = Options {
                    memory,
                    values,
                    threads,
                    directory: Some(directory.clone()),
                    form: Form::Leaves,
                    blocks: blocks.clone(),
                    ..Default::default()
                };
                let (found, kept) = solved(&game, &options);
                assert_eq!((&found.layers, found.value), (&by_rank.layers, by_rank.value));
                assert!(kept.solved == ranked.solved, "{size} {memory:?}");
                halved.push(is_halved(found.kept));
            }
        }
        assert!(halved.contains(&true) && halved.contains(&false), "{halved:?}");
    }
    let _ = std::fs::remove_dir(directory);
}

/// A board on which stones are put one by one, its own mirror image but for what is planted.
#[derive(Clone, Debug)]
struct Board {
    columns: usize,
    rows: usize,
    /// A stone needs one below it.
    falls: bool,
    /// Whoever has all stones of a line, or of its image, wins, or loses.
    lines: Vec<Vec<usize>>,
    misere: bool,
    /// A stone on one square turns a foreign stone on another; and so do their images.
    turns: Vec<(usize, usize)>,
    /// The values of the squares on the right are in another order.
    renamed: bool,
    blocks: Blocks,
    full: usize,
    planted: Planted,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Blocks {
    /// From the middle outwards, so that images are neighbours.
    Columns,
    /// The upper and the lower half of each, as the engine would order them.
    Halves,
    Squares,
    /// Each its own image.
    Rows,
    /// Images are far apart.
    LeftToRight,
    Chosen,
}

/// What has no image.
#[derive(Clone, Debug, PartialEq)]
enum Planted {
    Nothing,
    Line(Vec<usize>),
    Turn(usize, usize),
    /// Nobody may put a stone here but one player.
    Barred(usize, usize),
    /// A stone that is there at the beginning.
    Stone(usize, usize),
}

fn planted() -> impl Strategy<Value = Planted> {
    prop_oneof![
        4 => Just(Planted::Nothing),
        1 => prop::collection::vec(0..12usize, 2..4).prop_map(Planted::Line),
        1 => (0..12usize, 0..12usize).prop_map(|(from, to)| Planted::Turn(from, to)),
        1 => (0..12usize, 0..2usize).prop_map(|(square, player)| Planted::Barred(square, player)),
        1 => (0..12usize, 0..2usize).prop_map(|(square, player)| Planted::Stone(square, player)),
    ]
}

fn board() -> impl Strategy<Value = Board> {
    use Blocks::*;
    (
        prop::sample::select(vec![
            (2, 3),
            (3, 2),
            (4, 2),
            (2, 4),
            (5, 1),
            (6, 1),
            (3, 3),
            (5, 2),
            (4, 3),
            (6, 2),
        ]),
        any::<bool>(),
        prop::collection::vec(prop::collection::vec(0..12usize, 2..4), 1..5),
        any::<bool>(),
        prop::collection::vec((0..12usize, 0..12usize), 0..3),
        any::<bool>(),
        prop::sample::select(vec![Columns, Columns, Halves, Squares, Rows, LeftToRight, Chosen]),
        0..4usize,
        planted(),
    )
        .prop_map(|((columns, rows), falls, lines, misere, turns, renamed, blocks, full, planted)| {
            // Otherwise there are too many positions.
            let falls = falls || columns * rows > 8;
            Board { columns, rows, falls, lines, misere, turns, renamed, blocks, full, planted }
        })
}

impl Board {
    fn image(&self, square: usize) -> usize {
        let (column, row) = (square / self.rows, square % self.rows);
        (self.columns - 1 - column) * self.rows + row
    }

    /// The value of a player's stone.
    fn stone(&self, square: usize, player: usize) -> u16 {
        let right = 2 * (square / self.rows) + 1 > self.columns;
        if self.renamed && right { 2 - player as u16 } else { 1 + player as u16 }
    }

    fn game(&self) -> Game {
        let n = self.columns * self.rows;
        let mut game = GameBuilder::new("board", ["x", "o"]);
        let turn = game.add_turn();
        let squares: Vec<VarId> =
            (0..n).map(|i| game.add_variable(format!("s{i}"), ["0", "1", "2"].map(String::from))).collect();
        let has = |game: &mut GameBuilder, i: usize, player: usize| {
            game.exprs.is(squares[i % n], self.stone(i % n, player))
        };
        let mut turns: Vec<(usize, usize)> =
            self.turns.iter().map(|&(from, to)| (from % n, to % n)).collect();
        let images: Vec<(usize, usize)> =
            turns.iter().map(|&(from, to)| (self.image(from), self.image(to))).collect();
        turns.extend(images);
        if let Planted::Turn(from, to) = self.planted {
            turns.push((from % n, to % n));
        }
        for i in 0..n {
            for player in 0..2 {
                if self.planted == Planted::Barred(i, 1 - player) {
                    continue;
                }
                let mut guard = vec![game.exprs.is(squares[i], 0)];
                if self.falls && i % self.rows > 0 {
                    let empty = game.exprs.is(squares[i - 1], 0);
                    guard.push(game.exprs.not(empty));
                }
                let guard = game.exprs.and(guard);
                let mover = Player::new(player);
                let mut updates =
                    vec![Update::set(squares[i], self.stone(i, player)), game.hand_over(turn, mover)];
                for &(_, to) in turns.iter().filter(|&&(from, to)| from == i && to != i) {
                    if updates.iter().all(|update| update.var != squares[to]) {
                        let foreign = has(&mut game, to, 1 - player);
                        let cases = vec![(foreign, self.stone(to, player))];
                        updates.push(Update { var: squares[to], cases });
                    }
                }
                game.add_move(format!("put {i}"), mover, guard, updates);
            }
        }
        for player in Player::all(2) {
            let pass = vec![game.hand_over(turn, player)];
            if matches!(self.planted, Planted::Barred(..)) {
                game.add_fallback("pass", player, Exprs::TRUE, pass);
            }
        }
        let mut lines: Vec<Vec<usize>> = vec![];
        for line in &self.lines {
            let line: Vec<usize> = line.iter().map(|i| i % n).collect();
            lines.push(line.iter().map(|&i| self.image(i)).collect());
            lines.push(line);
        }
        if let Planted::Line(line) = &self.planted {
            lines.push(line.iter().map(|i| i % n).collect());
        }
        let mut wins = vec![];
        for player in 0..2 {
            let mut held = vec![];
            for line in &lines {
                let all: Vec<_> = line.iter().map(|&i| has(&mut game, i, player)).collect();
                held.push(game.exprs.and(all));
            }
            game.terminal.extend(&held);
            wins.push(game.exprs.or(held));
        }
        let free: Vec<_> = squares.iter().map(|&square| game.exprs.is(square, 0)).collect();
        let some = game.exprs.or(free);
        let full = game.exprs.not(some);
        game.terminal.push(full);
        for player in 0..2 {
            let other = game.exprs.not(wins[1 - player]);
            let alone = game.exprs.and([wins[player], other]);
            game.reward_winner(Player::new(if self.misere { 1 - player } else { player }), alone);
        }
        let both = game.exprs.and(wins.clone());
        let either = game.exprs.or(wins);
        let neither = game.exprs.not(either);
        match self.full {
            0 | 1 => {
                game.reward_winner(Player::new(self.full), neither);
                game.reward_draw(both);
            }
            _ => {
                let level = game.exprs.or([both, neither]);
                game.reward_draw(level);
            }
        }
        game.blocks = self.blocks(&squares);
        let mut initial = vec![0; n + 1];
        if let Planted::Stone(square, player) = self.planted
            && !self.falls
        {
            initial[1 + square % n] = self.stone(square % n, player);
        }
        game.initial = game.state(initial);
        game.build().unwrap()
    }

    fn blocks(&self, squares: &[VarId]) -> Vec<Vec<VarId>> {
        let columns: Vec<&[VarId]> = squares.chunks(self.rows).collect();
        let mut outwards: Vec<usize> = (0..self.columns).collect();
        outwards.sort_by_key(|&c| (2 * c + 1).abs_diff(self.columns));
        let from_middle = || outwards.iter().map(|&c| columns[c]);
        match self.blocks {
            Blocks::Columns => from_middle().map(<[VarId]>::to_vec).collect(),
            Blocks::Squares => {
                let row = |r: usize| from_middle().map(move |column| vec![column[r]]);
                (0..self.rows).flat_map(row).collect()
            }
            Blocks::Rows => {
                (0..self.rows).map(|r| columns.iter().map(|column| column[r]).collect()).collect()
            }
            Blocks::LeftToRight => columns.into_iter().map(<[VarId]>::to_vec).collect(),
            Blocks::Halves => {
                let half = self.rows.div_ceil(2);
                let halves: Vec<Vec<VarId>> =
                    columns.iter().flat_map(|column| column.chunks(half)).map(<[VarId]>::to_vec).collect();
                let mut order: Vec<usize> = (0..halves.len()).collect();
                order.sort_by_key(|&at| (2 * at + 1).abs_diff(halves.len()));
                order.into_iter().map(|at| halves[at].clone()).collect()
            }
            Blocks::Chosen => vec![],
        }
    }
}

/// Many boards are solved with half of their positions, in all kinds of blocks, so that the test below tests something.
#[test]
fn many_boards_are_halved() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut found = vec![];
    for _ in 0..150 {
        let board = board().new_tree(&mut runner).unwrap().current();
        let game = board.game();
        let options = Options { form: Form::Leaves, ..Default::default() };
        let kept = compare(&game, &options, &explore(&game)).unwrap().kept;
        found.push((board.blocks, board.planted == Planted::Nothing, board.renamed, kept));
    }
    let halved = |planted: bool| {
        found.iter().filter(move |one| is_halved(one.3) && one.1 != planted).collect::<Vec<_>>()
    };
    assert!(halved(false).len() > 25, "{found:?}");
    for blocks in [Blocks::Columns, Blocks::Halves, Blocks::Squares, Blocks::Rows] {
        assert!(halved(false).iter().any(|one| one.0 == blocks), "{blocks:?}: {found:?}");
    }
    assert!(halved(false).iter().any(|one| one.2), "{found:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn random_boards(
        board in board(),
        threads in 1..4usize,
        portable in any::<bool>(),
        plies in any::<bool>(),
        values in prop::option::of(0..3000u64),
    ) {
        let game = board.game();
        let layering = plies.then_some(Layering::Plies);
        compare_and_tidy("halves", &game, Options { threads, portable, layering, values, ..Default::default() });
    }
}
