//! The counts, against a search that plays every move on a plain board.

use std::collections::HashMap;
use winset_yardstick::{Report, solve};

/// Columns from below.
type Position = Vec<Vec<u8>>;

fn four(position: &Position, player: u8) -> bool {
    let at = |column: isize, row: isize| {
        let stone = usize::try_from(column).ok().and_then(|c| position.get(c));
        stone.and_then(|c| usize::try_from(row).ok().and_then(|r| c.get(r))) == Some(&player)
    };
    let all = (0..position.len() as isize).flat_map(|c| (0..8).map(move |r| (c, r)));
    all.into_iter().any(|(c, r)| {
        [(0, 1), (1, 0), (1, 1), (1, -1)].iter().any(|(x, y)| (0..4).all(|i| at(c + i * x, r + i * y)))
    })
}

/// 0, 1 or 2: loss, draw or win of the player to move; none where the game has ended by four in a row.
fn value(
    position: &Position,
    ply: usize,
    rows: usize,
    known: &mut HashMap<Position, Option<u8>>,
) -> Option<u8> {
    if let Some(known) = known.get(position) {
        return *known;
    }
    let player = (ply % 2) as u8;
    let result = if four(position, 1 - player) {
        None
    } else {
        let mut best = None;
        for column in (0..position.len()).filter(|c| position[*c].len() < rows) {
            let mut after = position.clone();
            after[column].push(player);
            let mine = value(&after, ply + 1, rows, known).map_or(2, |theirs| 2 - theirs);
            best = best.max(Some(mine));
        }
        // A full board is level.
        Some(best.unwrap_or(1))
    };
    known.insert(position.clone(), result);
    result
}

#[test]
fn the_yardstick_counts_what_a_plain_search_counts() {
    for (columns, rows) in [(2, 1), (4, 1), (2, 6), (3, 4), (5, 2), (4, 3), (6, 2), (4, 4)] {
        let mut known = HashMap::new();
        value(&vec![Vec::new(); columns], 0, rows, &mut known);
        let mut expected = Report { positions: known.len() as u64, ..Report::default() };
        for value in known.values() {
            match value {
                Some(0) => expected.loss += 1,
                Some(1) => expected.draw += 1,
                Some(_) => expected.win += 1,
                None => {}
            }
        }
        assert_eq!(solve(columns, rows), Some(expected), "{columns}x{rows}");
    }
}
