//! Zielonka's algorithm against small progress measures (Jurdziński 2000), on random games.

use winset_parity::{Fault, Game, Vertex, read, solve};

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as usize % n
    }
}

fn game(random: &mut Random, most: usize, priorities: usize) -> Game {
    let count = 1 + random.below(most);
    let degree = 1 + random.below(4);
    let vertices = (0..count).map(|number| {
        let mut successors: Vec<usize> = (0..1 + random.below(degree)).map(|_| random.below(count)).collect();
        successors.sort_unstable();
        successors.dedup();
        let (owner, priority) = (random.below(2) as u8, random.below(priorities) as u64);
        Vertex { number: number as u64, owner, priority, successors, name: None }
    });
    Game { vertices: vertices.collect(), start: None }
}

/// The vertices that player 0 wins: those whose least progress measure is not the top. Measures count the odd priorities,
/// the highest first; none is the top.
fn by_measures(game: &Game) -> Vec<bool> {
    let highest = game.vertices.iter().map(|v| v.priority).max().unwrap_or(0) as usize;
    let number = |odd: usize| game.vertices.iter().filter(|v| v.priority == odd as u64).count();
    let odd: Vec<usize> = (0..=highest).rev().filter(|p| p % 2 == 1).collect();
    let limits: Vec<usize> = odd.iter().map(|&p| number(p)).collect();
    let mut measures: Vec<Option<Vec<usize>>> = vec![Some(vec![0; odd.len()]); game.vertices.len()];
    // The least measure that a vertex may have if its successor has this one.
    let progress = |priority: usize, next: &Option<Vec<usize>>| -> Option<Vec<usize>> {
        let mut m = next.clone()?;
        let counted = odd.iter().filter(|&&p| p >= priority).count();
        m[counted..].iter_mut().for_each(|n| *n = 0);
        if priority % 2 == 1 {
            let mut at = counted;
            loop {
                at = at.checked_sub(1)?;
                if m[at] < limits[at] {
                    m[at] += 1;
                    break;
                }
                m[at] = 0;
            }
        }
        Some(m)
    };
    let key = |m: &Option<Vec<usize>>| (m.is_none(), m.clone().unwrap_or_default());
    loop {
        let mut stable = true;
        for (v, vertex) in game.vertices.iter().enumerate() {
            let options =
                vertex.successors.iter().map(|&to| progress(vertex.priority as usize, &measures[to]));
            let chosen =
                if vertex.owner == 0 { options.min_by_key(key) } else { options.max_by_key(key) }.unwrap();
            if key(&chosen) > key(&measures[v]) {
                measures[v] = chosen;
                stable = false;
            }
        }
        if stable {
            return measures.iter().map(Option::is_some).collect();
        }
    }
}

#[test]
fn both_algorithms_agree_and_strategies_win() {
    let mut random = Random(0x1234_5678_9abc_def1);
    for (cases, most, priorities) in [(3000, 6, 4), (2000, 12, 6), (500, 30, 5), (500, 20, 2), (300, 15, 3)] {
        for case in 0..cases {
            let game = game(&mut random, most, priorities);
            let solution = solve(&game);
            let even: Vec<bool> = solution.winner.iter().map(|&winner| winner == 0).collect();
            assert_eq!(even, by_measures(&game), "case {case}: {game:?}");
            assert_eq!(solution.check(&game), Ok(()), "case {case}: {game:?}");
        }
    }
}

#[test]
fn large_games_are_solved_and_checked() {
    let mut random = Random(77);
    for _ in 0..20 {
        let game = game(&mut random, 3000, 40);
        let solution = solve(&game);
        assert_eq!(solution.check(&game), Ok(()));
    }
}

#[test]
fn a_wrong_solution_is_found_out() {
    let mut random = Random(99);
    let mut faults = 0;
    for _ in 0..500 {
        let game = game(&mut random, 8, 4);
        let mut solution = solve(&game);
        let v = random.below(game.vertices.len());
        solution.winner[v] = 1 - solution.winner[v];
        assert!(solution.check(&game).is_err(), "{game:?} {solution:?}");
        faults += usize::from(matches!(solution.check(&game), Err(Fault::Loses(_))));
    }
    assert!(faults > 0);
}

#[test]
fn the_format_is_read_and_refused_with_a_place() {
    let text = "parity 4;\nstart 1;\n1 3 0 1,3,4 \"Europe\";\n0 6 1 4,2 \"Africa\";\n4 5 1 0 \"Antarctica\";\n\
                2 8 1 2,4 \"America\";\n3 6 0 4,2 \"Australia\";\n";
    let game = read(text).unwrap();
    assert_eq!(game.vertices[0].name.as_deref(), Some("Europe"));
    let solution = solve(&game);
    assert_eq!(solution.check(&game), Ok(()));
    assert!(solution.write(&game).starts_with("paritysol 4;\n"));
    for (text, place) in [
        ("", 0),
        ("parity 1;\n0 1 2 0;", 14),
        ("parity 1;\n0 1 0 7;", 16),
        ("parity 1;\n0 1 0;", 15),
        ("parity 1;\n0 1 0 0", 17),
        ("0 1 0 0; 0 1 0 0;", 9),
        ("99999999999999999999 1 0 0;", 0),
        ("0 1 0 0 \"x;", 9),
    ] {
        assert_eq!(read(text).unwrap_err().span.start, place, "{text}");
    }
}
