//! Games in which squares are filled and never emptied, and games in which they are emptied and never filled.

use super::{Grid, Plain, Pos, win_of};

pub fn tictactoe(columns: usize, rows: usize, k: usize) -> Plain {
    let grid = Grid::new(rows, columns);
    let moves = |p: &Pos| {
        let free = (0..p.at.len()).filter(|&i| p.at[i] == 0);
        free.map(|i| p.put(&[(i, p.me())])).collect()
    };
    Plain::new(Pos::new(0, vec![0; grid.len()]), moves, move |p| match () {
        () if grid.line(&p.at, k, p.other()) => win_of(1 - p.turn),
        () => (!p.at.contains(&0)).then_some(0),
    })
}

pub fn wild(columns: usize, rows: usize, k: usize) -> Plain {
    let grid = Grid::new(rows, columns);
    let moves = |p: &Pos| {
        let free = (0..p.at.len()).filter(|&i| p.at[i] == 0);
        free.flat_map(|i| [1, 2].map(|mark| p.put(&[(i, mark)]))).collect()
    };
    Plain::new(Pos::new(0, vec![0; grid.len()]), moves, move |p| match () {
        () if grid.line(&p.at, k, 1) || grid.line(&p.at, k, 2) => win_of(1 - p.turn),
        () => (!p.at.contains(&0)).then_some(0),
    })
}

/// Dominoes: the first player's directions and the second's, 0 upright and 1 lengthwise.
pub fn dominoes(rows: usize, columns: usize, ways: [&'static [usize]; 2]) -> Plain {
    let grid = Grid::new(rows, columns);
    Plain::last_mover_wins(Pos::new(0, vec![0; grid.len()]), move |p| {
        let mut next = vec![];
        for from in (0..grid.len()).filter(|&i| p.at[i] == 0) {
            for &way in ways[p.turn as usize] {
                let to = if way == 0 { grid.step(from, 1, 0) } else { grid.step(from, 0, 1) };
                next.extend(to.filter(|&to| p.at[to] == 0).map(|to| p.put(&[(from, 1), (to, 1)])));
            }
        }
        next
    })
}

pub fn hex(n: usize) -> Plain {
    let grid = Grid::new(n, n);
    let joins = move |at: &[u8], who: u8| {
        let side = |i: usize| if who == 1 { i / n } else { i % n };
        let mut seen: Vec<usize> = (0..n * n).filter(|&i| at[i] == who && side(i) == 0).collect();
        let mut done = 0;
        while done < seen.len() {
            for (d, r) in [(0, 1), (0, -1), (1, 0), (-1, 0), (-1, 1), (1, -1)] {
                let to = grid.step(seen[done], d, r).filter(|&to| at[to] == who && !seen.contains(&to));
                seen.extend(to);
            }
            done += 1;
        }
        seen.iter().any(|&i| side(i) == n - 1)
    };
    let moves = |p: &Pos| {
        let free = (0..p.at.len()).filter(|&i| p.at[i] == 0);
        free.map(|i| p.put(&[(i, p.me())])).collect()
    };
    Plain::new(Pos::new(0, vec![0; n * n]), moves, move |p| {
        [1, 2].into_iter().find(|&who| joins(&p.at, who)).and_then(|who| win_of(who - 1))
    })
}

/// Sides first, upright and lengthwise, then the boxes of the first player.
pub fn dots_and_boxes(columns: usize, rows: usize) -> Plain {
    let lengthwise = columns * (rows + 1);
    let sides = lengthwise + (columns + 1) * rows;
    let complete = move |at: &[u8]| {
        let done = |r: usize, c: usize| {
            let upright = lengthwise + r * (columns + 1) + c;
            [r * columns + c, (r + 1) * columns + c, upright, upright + 1].iter().all(|&side| at[side] == 1)
        };
        (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c))).filter(|&(r, c)| done(r, c)).count() as u8
    };
    let moves = move |p: &Pos| {
        let draw = |side: usize| {
            let mut next = p.put(&[(side, 1)]);
            let made = complete(&next.at) - complete(&p.at);
            if made > 0 {
                next.turn = p.turn;
                next.at[sides] += if p.turn == 0 { made } else { 0 };
            }
            next
        };
        (0..sides).filter(|&side| p.at[side] == 0).map(draw).collect()
    };
    Plain::new(Pos::new(0, vec![0; sides + 1]), moves, move |p| {
        let all = (rows * columns) as i32;
        p.at[..sides].iter().all(|&side| side == 1).then(|| (2 * p.at[sides] as i32 - all).signum() as i8)
    })
}

/// Crosses only: who makes three in a row wins.
pub fn treblecross(n: usize) -> Plain {
    let moves = |p: &Pos| (0..p.at.len()).filter(|&i| p.at[i] == 0).map(|i| p.put(&[(i, 1)])).collect();
    Plain::new(Pos::new(0, vec![0; n]), moves, |p| {
        p.at.windows(3).any(|three| three == [1, 1, 1]).then_some(if p.turn == 1 { 1 } else { -1 })
    })
}

/// Crosses only on several boards: who ends the last one loses.
pub fn notakto(boards: usize) -> Plain {
    let dead = |at: &[u8], board: usize| Grid::new(3, 3).line(&at[9 * board..9 * board + 9], 3, 1);
    let moves = move |p: &Pos| {
        let free = (0..p.at.len()).filter(|&i| p.at[i] == 0 && !dead(&p.at, i / 9));
        free.map(|i| p.put(&[(i, 1)])).collect()
    };
    Plain::new(Pos::new(0, vec![0; 9 * boards]), moves, move |p| {
        (0..boards).all(|board| dead(&p.at, board)).then_some(if p.turn == 0 { 1 } else { -1 })
    })
}

/// Maps to paint; `alike`: neighbours must not be alike, otherwise they must not differ.
pub fn painting(rows: usize, columns: usize, alike: bool) -> Plain {
    let grid = Grid::new(rows, columns);
    Plain::last_mover_wins(Pos::new(0, vec![0; grid.len()]), move |p| {
        let shunned = if alike { p.me() } else { p.other() };
        let may = |&i: &usize| p.at[i] == 0 && grid.orthogonal(i).all(|to| p.at[to] != shunned);
        (0..grid.len()).filter(may).map(|i| p.put(&[(i, p.me())])).collect()
    })
}

/// Lines between points: who closes a triangle loses.
pub fn sim(n: usize) -> Plain {
    let pairs: Vec<(usize, usize)> = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))).collect();
    let lines = pairs.len();
    let moves = |p: &Pos| {
        let free = (0..p.at.len()).filter(|&i| p.at[i] == 0);
        free.map(|i| p.put(&[(i, p.me())])).collect()
    };
    Plain::new(Pos::new(0, vec![0; lines]), moves, move |p| {
        let who = p.other();
        let has = |i: usize, j: usize| p.at[pairs.iter().position(|&pair| pair == (i, j)).unwrap()] == who;
        let closed = |&(i, j): &(usize, usize)| has(i, j) && (j + 1..n).any(|k| has(i, k) && has(j, k));
        match pairs.iter().any(closed) {
            true => win_of(p.turn),
            false => (!p.at.contains(&0)).then_some(0),
        }
    })
}

/// Pins in a row; a throw takes n neighbours.
pub fn pins(n: usize, throws: &'static [usize]) -> Plain {
    Plain::last_mover_wins(Pos::new(0, vec![1; n]), move |p| {
        let hits = throws.iter().flat_map(|&k| (0..=n.saturating_sub(k)).map(move |i| i..(i + k).min(n)));
        let stand = hits.filter(|hit| !hit.is_empty() && p.at[hit.clone()].iter().all(|&pin| pin == 1));
        let stand = stand.filter(|hit| throws.contains(&hit.len()));
        stand.map(|hit| p.put(&hit.map(|pin| (pin, 0)).collect::<Vec<_>>())).collect()
    })
}

pub fn tac_tix(n: usize) -> Plain {
    let grid = Grid::new(n, n);
    Plain::last_mover_wins(Pos::new(0, vec![1; n * n]), move |p| {
        let mut next = vec![];
        for (from, (d, r)) in (0..n * n).flat_map(|from| [(0, 1), (1, 0)].map(|way| (from, way))) {
            let mut taken = vec![];
            for i in 0..n as i32 {
                let Some(to) = grid.step(from, i * d, i * r).filter(|&to| p.at[to] == 1) else { break };
                taken.push((to, 0));
                next.push(p.put(&taken));
            }
        }
        next
    })
}

/// Chocolate as the height of what is left in each column.
pub fn chomp(columns: usize, rows: usize) -> Plain {
    let moves = move |p: &Pos| {
        let mut next = vec![];
        for column in 0..columns {
            for row in 0..p.at[column] {
                let cut = (column..columns).map(|c| (c, p.at[c].min(row)));
                next.push(p.put(&cut.collect::<Vec<_>>()));
            }
        }
        next
    };
    Plain::new(Pos::new(0, vec![rows as u8; columns]), moves, |p| {
        (p.at[0] == 0).then_some(if p.turn == 0 { 1 } else { -1 })
    })
}

/// The sizes of all heaps, sorted; a heap is divided into equal ones, or two different ones are united.
pub fn fair_shares(n: u8) -> Plain {
    Plain::last_mover_wins(Pos::new(0, [n]), |p| {
        let mut next = vec![];
        let mut add = |gone: &[u8], come: Vec<u8>| {
            let mut heaps = p.at.clone();
            for size in gone {
                let at = heaps.iter().position(|heap| heap == size).unwrap();
                heaps.remove(at);
            }
            heaps.extend(come);
            heaps.sort_unstable();
            next.push(Pos::new(1 - p.turn, heaps));
        };
        let mut sizes = p.at.clone();
        sizes.dedup();
        for (i, &size) in sizes.iter().enumerate() {
            (2..=size).filter(|k| size % k == 0).for_each(|k| add(&[size], vec![size / k; k as usize]));
            sizes[..i].iter().for_each(|&other| add(&[size, other], vec![size + other]));
        }
        next
    })
}

/// A heap for each number; `takes` gives what a move takes from every heap.
pub fn heaps(heaps: &[u8], takes: impl Fn(&[u8]) -> Vec<Vec<u8>> + Clone + 'static) -> Plain {
    Plain::last_mover_wins(Pos::new(0, heaps), move |p| {
        let after = |take: Vec<u8>| {
            let left = p.at.iter().zip(take).map(|(heap, take)| heap - take);
            Pos::new(1 - p.turn, left.collect::<Vec<u8>>())
        };
        takes(&p.at).into_iter().map(after).collect()
    })
}
