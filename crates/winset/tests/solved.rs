//! A solved game is the same wherever it is: in memory, on disk, in another thread.

use winset::{Catalogue, Options, Solved};

/// To other threads, for ever, and as often as anybody likes.
const _: fn() = || {
    fn anybody_can_have_it<T: Clone + Send + Sync + 'static>() {}
    anybody_can_have_it::<Solved>();
    // Two pointers: what is cloned is not the solution.
    const { assert!(size_of::<Solved>() == 2 * size_of::<usize>()) }
};

fn solved(game: &str, size: &str, distance: bool, out: Option<std::path::PathBuf>) -> Solved {
    let rules = Catalogue::default().game(game, Some(size), &Default::default()).unwrap();
    let options = Options { out, distance, threads: Some(1), memory: Some(256 << 20), ..Options::default() };
    winset::solve(rules, &options).unwrap()
}

#[test]
fn memory_and_disk_answer_alike() {
    for (game, size, distance) in [
        ("tictactoe", "3x3", true),
        ("connect4", "4x4", false),
        ("breakthrough", "4x3", true),
        ("checkers", "4", true),
    ] {
        let scratch = tempfile::tempdir().unwrap();
        let directory = scratch.path().join("store");
        solved(game, size, distance, Some(directory.clone()));
        let (memory, disk) = (solved(game, size, distance, None), winset::open(&directory).unwrap());
        let all = |solved: &Solved| solved.positions().collect::<Result<Vec<_>, _>>().unwrap();
        let (left, right) = (all(&memory), all(&disk));
        let stored: u64 = disk.store().manifest().layers.iter().map(|layer| layer.stored).sum();
        assert_eq!(left.len() as u64, stored, "{game}");
        assert!(left == right, "{game}");
        for (state, value) in left.iter().step_by(1 + left.len() / 200) {
            let asked = [&memory, &disk].map(|solved| {
                (solved.value(state).unwrap(), solved.moves(state).unwrap(), solved.line(state).unwrap())
            });
            assert_eq!(asked[0], asked[1], "{game}");
            let lookup = asked[0].0;
            let ended = matches!(lookup, winset::Lookup::Terminal { .. });
            assert!(ended || lookup.valuation() == Some(*value), "{game}");
            assert_eq!(memory.answer(state).unwrap(), disk.answer(state).unwrap());
        }
        let stats = [&memory, &disk].map(|solved| format!("{:?}", solved.stats()));
        assert_eq!(stats[0], stats[1], "{game}");
        assert!(memory.verify().unwrap().is_proof() && disk.verify().unwrap().is_proof(), "{game}");
    }
}

#[test]
fn a_clone_answers_in_another_thread() {
    let solved = solved("tictactoe", "3x3", true, None);
    let start = solved.answer(solved.start()).unwrap();
    let clones: Vec<Solved> = (0..4).map(|_| solved.clone()).collect();
    drop(solved);
    let asked =
        clones.into_iter().map(|solved| std::thread::spawn(move || solved.answer(solved.start()).unwrap()));
    asked.for_each(|thread| assert_eq!(thread.join().unwrap(), start));
}
