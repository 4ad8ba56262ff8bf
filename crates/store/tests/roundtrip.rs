//! Any set with any values comes back as it was, in memory and position by position.

use proptest::prelude::*;
use winset_index::{Blocks, Digit, Index, Planes};
use winset_model::{Game, GameBuilder, Remoteness, State, VarId};
use winset_reference::scratch;
use winset_store::{Encoding, Header, LayerCounts, LayerValues, Layering, Store, StoreWriter};

/// A game that is nothing but its variables.
fn game(sizes: &[usize]) -> Game {
    let mut game = GameBuilder::new("any", ["a", "b"]);
    for (i, &size) in sizes.iter().enumerate() {
        game.add_variable(format!("v{i}"), (0..size).map(|value| value.to_string()));
    }
    game.initial = game.state(vec![0; sizes.len()]);
    game.build().unwrap()
}

/// A state's values, its code and its distance.
type Valued = (Vec<u16>, u32, u32);

fn states() -> impl Strategy<Value = (Vec<usize>, Vec<Valued>)> {
    prop::collection::vec(1usize..7, 0..6).prop_flat_map(|sizes| {
        let state: Vec<_> = sizes.iter().map(|&size| 0..size as u16).collect();
        // Mostly one code, so that diagrams have something to reduce.
        let code = prop_oneof![8 => Just(1u32), 1 => Just(0), 1 => Just(2)];
        let states = prop::collection::vec((state, code, 0u32..5), 0..600);
        (Just(sizes), states)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn what_is_written_is_read((sizes, mut states) in states(), remoteness: bool) {
        states.sort();
        states.dedup_by(|a, b| a.0 == b.0);
        let game = game(&sizes);
        let groups: Vec<Vec<VarId>> = (0..sizes.len() as u32).map(|v| vec![VarId(v)]).collect();
        let mut header = Header::new(&game, "none", &groups, Layering::Single);
        header.remoteness = remoteness;
        let mut blocks = Blocks::new(groups, sizes.len()).unwrap();
        let mut kept: Vec<(Vec<Digit>, u32, u32)> = vec![];
        for (values, code, distance) in &states {
            kept.push((blocks.add(&State(values.clone().into())).unwrap(), *code, *distance));
        }
        kept.sort();
        let index = Index::from_sorted(sizes.len(), kept.iter().map(|s| s.0.as_slice()));
        let mut codes = Planes::new(index.len(), 2);
        let mut distances = Planes::new(index.len(), 3);
        for (rank, (_, code, distance)) in kept.iter().enumerate() {
            codes.set(rank as u64, *code);
            distances.set(rank as u64, *distance);
        }
        let directory = scratch();
        let (mut writer, _) = StoreWriter::create_or_resume(directory.path(), header).unwrap();
        writer.put_blocks(&blocks).unwrap();
        // One terminal position that has no place in the set, so that there is always a position.
        let counts = LayerCounts {
            positions: index.len() + 1,
            terminal: 1,
            terminal_by_code: vec![1],
            mover: None,
            ..Default::default()
        };
        writer.put_set(0, &index, counts).unwrap();
        writer.forward_done().unwrap();
        let distances = remoteness.then_some(distances);
        let values = LayerValues { codes: &codes, distances: distances.as_ref(), by_code: None };
        writer.put_values(0, Some(&index), &values).unwrap();
        prop_assert_eq!(&writer.blocks().unwrap(), &blocks);
        drop(writer);
        let store = Store::open(directory.path(), |_| Ok::<_, String>(game)).unwrap();
        store.check_files().unwrap();
        prop_assert_eq!(&store.read_set(0, u64::MAX).unwrap(), &index);
        let read = store.read_values(0, &index, u64::MAX).unwrap();
        prop_assert_eq!((&read.0, read.1.as_ref()), (&codes, distances.as_ref()));
        for (rank, (digits, code, distance)) in kept.iter().enumerate() {
            prop_assert_eq!(store.rank(0, digits).unwrap(), Some(rank as u64));
            let (found, value) = store.at(0, rank as u64).unwrap();
            prop_assert_eq!(&found, digits);
            prop_assert_eq!(value.rewards, winset_store::WIN_DRAW_LOSS[*code as usize]);
            let plies = match distance {
                _ if !remoteness => Remoteness::Unknown,
                0 => Remoteness::Endless,
                n => Remoteness::Plies(*n - 1),
            };
            prop_assert_eq!(value.remoteness, plies);
        }
        prop_assert!(store.at(0, index.len()).is_err());
        let walked = store.positions(0).unwrap().collect::<Result<Vec<_>, _>>().unwrap();
        let one_by_one = (0..index.len()).map(|rank| {
            let (digits, value) = store.at(0, rank).unwrap();
            (store.blocks().unwrap().state(&digits), value)
        });
        prop_assert_eq!(walked, one_by_one.collect::<Vec<_>>());
    }
}

#[test]
fn both_encodings_occur() {
    let mut found = vec![];
    for noisy in [false, true] {
        let game = game(&[25, 25, 25]);
        let groups: Vec<Vec<VarId>> = (0..3).map(|v| vec![VarId(v)]).collect();
        let header = Header::new(&game, "none", &groups, Layering::Single);
        let mut blocks = Blocks::new(groups, 3).unwrap();
        let strings: Vec<Vec<Digit>> = (0..15_625u32)
            .map(|i| blocks.add(&[i / 625, i / 25 % 25, i % 25].map(|x| x as u16).into()).unwrap())
            .collect();
        let index = Index::from_sorted(3, strings.iter().map(Vec::as_slice));
        let mut codes = Planes::new(index.len(), 2);
        let mix = |x: u64| x.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        for rank in 0..index.len() {
            let [a, b, c] = [rank / 625, rank / 25 % 25, rank % 25];
            // Seven different rows, each in many places but at no regular distance: a diagram shares them.
            let row = mix(a % 5 * 25 + b) % 7;
            codes.set(rank, if noisy { mix(rank) % 3 } else { mix(row * 25 + c) % 2 } as u32);
        }
        let directory = scratch();
        let (mut writer, _) = StoreWriter::create_or_resume(directory.path(), header).unwrap();
        writer.put_blocks(&blocks).unwrap();
        let counts = LayerCounts { positions: index.len(), ..Default::default() };
        writer.put_set(0, &index, counts).unwrap();
        writer.forward_done().unwrap();
        let values = LayerValues { codes: &codes, distances: None, by_code: None };
        writer.put_values(0, Some(&index), &values).unwrap();
        assert_eq!(writer.read_values(0, &index, u64::MAX).unwrap().0, codes);
        found.push(writer.manifest().layers[0].values.as_ref().unwrap().encoding);
    }
    assert_eq!(found, [Encoding::Diagram, Encoding::Packed]);
}
