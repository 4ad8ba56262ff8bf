//! Estimates beside what is known (`estimates/known.txt`: name, size, option, positions, seconds and MiB of RESULTS.md).

use winset::{Catalogue, Choices, Estimate};

fn known() -> impl Iterator<Item = (String, f64, Estimate)> {
    estimates(|_| true)
}

fn estimates(wanted: impl Fn(f64) -> bool) -> impl Iterator<Item = (String, f64, Estimate)> {
    include_str!("estimates/known.txt").lines().filter_map(move |line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [name, size, option, positions] = [0, 1, 2, 3].map(|i| words[i]);
        let positions = positions.parse().unwrap();
        wanted(positions).then(|| {
            let choices = option.split_once('=').map(|(option, value)| (option.to_owned(), value.to_owned()));
            let choices = Choices(choices.into_iter().collect());
            let size = (size != "-").then_some(size);
            let rules = Catalogue::default().find(name, size, &choices).unwrap();
            (line.to_owned(), positions, winset::estimate(&rules.game))
        })
    })
}

#[test]
fn small_boards_are_counted() {
    for (line, positions, estimate) in estimates(|positions| positions < 1e6) {
        assert!(estimate.exact && estimate.positions as f64 == positions, "{line}: {estimate:?}");
    }
}

/// The same every time, but for the time.
#[test]
fn the_same_game_has_the_same_estimate() {
    let game = Catalogue::default().find("connect4", Some("6x6"), &Choices::default()).unwrap().game;
    let [one, other] = [winset::estimate(&game), winset::estimate(&game)];
    assert_eq!((one.positions, one.expected), (other.positions, other.expected));
    assert!(!one.exact && one.expected.is_some() && one.cost.is_some());
}

#[test]
#[ignore = "slow: a minute or two"]
fn within_a_factor_of_three() {
    let (mut all, mut right) = (0, 0);
    for (line, positions, estimate) in known() {
        assert!(!estimate.exact || estimate.positions as f64 == positions, "{line}: {estimate:?}");
        let Some(expected) = estimate.expected else { continue };
        all += 1;
        let near = (positions / 3.0..positions * 3.0).contains(&expected.positions);
        assert!(near || expected.rough || !line.starts_with("connect4"), "{line}: {expected:?}");
        right += u32::from(near);
    }
    assert!(4 * right >= 3 * all, "{right} of {all}");
}
