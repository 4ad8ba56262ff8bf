//! Sets written in DDDMP form are the same sets when they are read again.

use oxidd::{BooleanFunction, Function, ManagerRef};
use oxidd_dump::dddmp::{DumpHeader, import};
use winset_model::Player;
use winset_symbolic::{Bcdd, Bdd, Options, Order, SolveOptions, SymbolicGame, solve_with};

macro_rules! comes_back {
    ($name:ident, $kind:ty) => {
        #[test]
        fn $name() {
            let game = winset_games::build("tictactoe", None, &Default::default()).unwrap();
            let options = Options { memory: 64 << 20, ..Options::default() };
            let how = SolveOptions::default();
            let (_, solved) = solve_with::<$kind>(&game, &options, how, &mut (), true).unwrap();
            let space = &solved.game.symbolic.space;
            space.name_bits(game.variables());
            assert_eq!(solved.layers.len(), 10);
            for (index, values) in &solved.layers {
                let sets: Vec<_> = values
                    .iter()
                    .map(|(r, set)| (set, format!("{}:{}", r[Player(0)], r[Player(1)])))
                    .collect();
                let mut text = vec![];
                space.write_dddmp(&mut text, "tictactoe", &sets).unwrap();
                let mut input = text.as_slice();
                let header = DumpHeader::load(&mut input).unwrap();
                let names: Vec<&str> = header.root_names().unwrap().iter().map(String::as_str).collect();
                assert_eq!(names, sets.iter().map(|(_, name)| name.as_str()).collect::<Vec<_>>());
                let read: Vec<$kind> = space.manager().with_manager_shared(|manager| {
                    let variables: Vec<u32> = header.support_vars().to_vec();
                    import(&mut input, &header, manager, variables, <$kind>::not_edge_owned).unwrap()
                });
                for ((set, name), read) in sets.iter().zip(&read) {
                    assert!(*set == read, "layer {index}, {name}");
                }
                assert!(read.iter().all(|set| set.node_count() > 0));
                // The same through the space, which finds bits by their names, also in a manager of its own.
                let again = space.read_dddmp(&mut text.as_slice()).unwrap();
                let other = SymbolicGame::<$kind>::new(&game, &options).unwrap();
                other.symbolic.space.name_bits(game.variables());
                let elsewhere = other.symbolic.space.read_dddmp(&mut text.as_slice()).unwrap();
                for ((set, name), (again, elsewhere)) in sets.iter().zip(again.iter().zip(&elsewhere)) {
                    assert!(&again.0 == name && again.1 == **set && &elsewhere.0 == name);
                    assert_eq!(other.symbolic.space.count(&elsewhere.1), space.count(set));
                    assert!(elsewhere.1.node_count() == set.node_count());
                }
                // In another order it is refused, and what is no such file too.
                let rows = Options { order: Order::Columns, ..options.clone() };
                let other = SymbolicGame::<$kind>::new(&game, &rows).unwrap();
                other.symbolic.space.name_bits(game.variables());
                let several = header.support_vars().len() > 4;
                assert!(other.symbolic.space.read_dddmp(&mut text.as_slice()).is_err() || !several);
                for end in (0..text.len() - 1).step_by(97).chain(text.len() - 12..text.len() - 1) {
                    assert!(space.read_dddmp(&mut &text[..end]).is_err(), "{end}");
                }
            }
        }
    };
}

comes_back!(with_complement_edges, Bcdd);
comes_back!(plain, Bdd);
