//! A new game in Rust: Dodgem on 3x3 squares, whose cars can go back and forth, so that play need not end.
//!
//! Across drives to the right, Up drives upwards; a car can also go aside, never back. Who has driven both cars off the
//! board wins, and so does who has no move: it is not allowed to shut the other in.
use winset::{Game, GameBuilder, Options, Origin, Player, Rules, Update};

const N: usize = 3;

fn dodgem() -> Game {
    let mut game = GameBuilder::new("dodgem", ["across", "up"]);
    game.add_board((N, N), Origin::Bottom, ".>^", |_, _| true);
    let turn = game.add_turn();
    let mut shut_in = vec![];
    for player in Player::all(2) {
        let own = 1 + player.value();
        // Forward, then to both sides, in rows from the top and columns.
        let steps = if player == Player(0) { [(0, 1), (-1, 0), (1, 0)] } else { [(-1, 0), (0, -1), (0, 1)] };
        let mut guards = vec![];
        for row in 0..N {
            for column in 0..N {
                let from = game.cell(row, column);
                let here = game.exprs.is(from, own);
                let name = game.variables[from.index()].name.clone();
                for (number, (down, right)) in steps.into_iter().enumerate() {
                    let (to_row, to_column) =
                        (row.checked_add_signed(down), column.checked_add_signed(right));
                    let on_board = to_row.zip(to_column).filter(|&(r, c)| r < N && c < N);
                    let mut updates = vec![Update::set(from, 0), game.hand_over(turn, player)];
                    let (name, guard) = match on_board.map(|(r, c)| game.cell(r, c)) {
                        Some(to) => {
                            updates.push(Update::set(to, own));
                            let free = game.exprs.is(to, 0);
                            let name = format!("{name}{}", game.variables[to.index()].name);
                            (name, game.exprs.and([here, free]))
                        }
                        // The cars leave the board where they drive to.
                        None if number == 0 => (format!("{name}off"), here),
                        None => continue,
                    };
                    guards.push(guard);
                    game.add_move(name, player, guard, updates);
                }
            }
        }
        let to_move = game.exprs.is(turn, player.value());
        let any = game.exprs.or(guards);
        let none = game.exprs.not(any);
        shut_in.push(game.exprs.and([to_move, none]));
    }
    for player in Player::all(2) {
        let cars: Vec<_> = (0..N * N).map(|i| game.cell(i / N, i % N)).collect();
        let on_board: Vec<_> = cars.iter().map(|&cell| game.exprs.is(cell, 1 + player.value())).collect();
        let any = game.exprs.or(on_board);
        let gone = game.exprs.not(any);
        // Where one is gone the other can always drive on: nobody wins twice.
        game.terminal.extend([gone, shut_in[player.index()]]);
        let won = game.exprs.or([gone, shut_in[player.index()]]);
        game.reward_winner(player, won);
    }
    game.initial = game.state([1, 0, 0, 1, 0, 0, 0, 2, 2, 0]);
    game.build().expect("the rules are a game")
}

fn main() -> Result<(), winset::Error> {
    let solved = winset::solve(Rules::of(dodgem()), &Options { distance: true, ..Options::default() })?;
    let start = solved.answer(solved.start())?;
    println!("{}\n{}", solved.game().draw(solved.start()), start.sentence);
    let names = solved.line(solved.start())?.into_iter().map(|m| solved.game().move_at(m.id).name.clone());
    println!("{}", names.collect::<Vec<_>>().join(" "));
    assert_eq!(start.position_value, Some("win"), "the first player wins, as Berlekamp, Conway and Guy say");
    assert!(solved.verify()?.is_proof());
    Ok(())
}
