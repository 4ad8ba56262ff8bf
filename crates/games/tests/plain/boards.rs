//! Other games on boards.

use super::{Grid, Plain, Pos, win_of};

/// The last number is 1 where a quarter is to be turned.
pub fn pentago(quarter: usize, k: usize) -> Plain {
    let n = 2 * quarter;
    let grid = Grid::new(n, n);
    let moves = move |p: &Pos| {
        let stay = |mut q: Pos| {
            q.turn = p.turn;
            q
        };
        if p.at[n * n] == 0 {
            let free = (0..n * n).filter(|&i| p.at[i] == 0);
            return free.map(|i| stay(p.put(&[(i, p.me()), (n * n, 1)]))).collect();
        }
        let mut next = vec![];
        for (top, left) in [(0, 0), (0, quarter), (quarter, 0), (quarter, quarter)] {
            let at = |r: usize, c: usize| (top + r) * n + left + c;
            let all = || (0..quarter).flat_map(|r| (0..quarter).map(move |c| (r, c)));
            for clockwise in [true, false] {
                let turned = all().map(|(r, c)| match clockwise {
                    true => (at(c, quarter - 1 - r), p.at[at(r, c)]),
                    false => (at(quarter - 1 - c, r), p.at[at(r, c)]),
                });
                next.push(p.put(&turned.chain([(n * n, 0)]).collect::<Vec<_>>()));
            }
        }
        next
    };
    Plain::new(Pos::new(0, vec![0; n * n + 1]), moves, move |p| {
        let full = !p.at[..n * n].contains(&0) && p.at[n * n] == 0;
        match [1, 2].map(|who| grid.line(&p.at[..n * n], k, who)) {
            [true, false] => Some(1),
            [false, true] => Some(-1),
            [true, true] => Some(0),
            [false, false] => full.then_some(0),
        }
    })
}

/// Pieces are numbers from 1, the last number is the one in hand.
pub fn quarto(n: usize) -> Plain {
    let (cells, pieces) = (n * n, 1u8 << n);
    let moves = move |p: &Pos| {
        let hand = p.at[cells];
        if hand == 0 {
            let unused = (1..=pieces).filter(|piece| !p.at.contains(piece));
            return unused.map(|piece| p.put(&[(cells, piece)])).collect();
        }
        let place = |i: usize| Pos { turn: p.turn, ..p.put(&[(i, hand), (cells, 0)]) };
        (0..cells).filter(|&i| p.at[i] == 0).map(place).collect()
    };
    let lines: Vec<Vec<usize>> = (0..n)
        .flat_map(|i| [(0..n).map(|j| i * n + j).collect(), (0..n).map(|j| j * n + i).collect()])
        .chain([(0..n).map(|i| i * n + i).collect(), (0..n).map(|i| i * n + n - 1 - i).collect()])
        .collect();
    Plain::new(Pos::new(0, vec![0; cells + 1]), moves, move |p| {
        let all =
            |line: &Vec<usize>, f: &dyn Fn(u8) -> bool| line.iter().all(|&i| p.at[i] > 0 && f(p.at[i] - 1));
        let shares = |line: &Vec<usize>| {
            (0..n).any(|bit| {
                all(line, &|piece| piece >> bit & 1 == 0) || all(line, &|piece| piece >> bit & 1 == 1)
            })
        };
        let placed = p.at[..cells].iter().filter(|&&piece| piece > 0).count();
        match p.at[cells] == 0 {
            true if lines.iter().any(shares) => win_of(p.turn),
            true => (placed == cells || placed == pieces as usize).then_some(0),
            false => None,
        }
    })
}

pub fn konane(rows: usize, columns: usize) -> Plain {
    let grid = Grid::new(rows, columns);
    let start: Vec<u8> = (0..grid.len()).map(|i| 1 + ((i / columns + i % columns) % 2) as u8).collect();
    Plain::last_mover_wins(Pos::new(0, start), move |p| {
        let own: Vec<usize> = (0..grid.len()).filter(|&i| p.at[i] == p.me()).collect();
        let gaps = p.at.iter().filter(|&&stone| stone == 0).count();
        if gaps < 2 {
            let may = |&&i: &&usize| gaps == 0 || grid.orthogonal(i).any(|to| p.at[to] == 0);
            // Black takes from a full board, white beside the gap.
            return if gaps as u8 == p.turn {
                own.iter().filter(may).map(|&i| p.put(&[(i, 0)])).collect()
            } else {
                vec![]
            };
        }
        let mut next = vec![];
        for (&from, (d, r)) in
            own.iter().flat_map(|from| [(0, 1), (1, 0), (0, -1), (-1, 0)].map(|way| (from, way)))
        {
            let mut changes = vec![(from, 0)];
            let mut at = from;
            while let (Some(over), Some(to)) = (grid.step(at, d, r), grid.step(at, 2 * d, 2 * r)) {
                if p.at[over] != p.other() || p.at[to] != 0 {
                    break;
                }
                changes.push((over, 0));
                next.push(p.put(&[changes.clone(), vec![(to, p.me())]].concat()));
                at = to;
            }
        }
        next
    })
}

/// Squares: 3 has an arrow; the last number is 1 where an arrow is to be shot.
pub fn amazons(rows: usize, columns: usize) -> Plain {
    let grid = Grid::new(rows, columns);
    let n = grid.len();
    let mut start = vec![0; n + 1];
    (start[0], start[n - 1]) = (2, 1);
    Plain::last_mover_wins(Pos::new(0, start), move |p| {
        let from = p.at[..n].iter().position(|&piece| piece == p.me()).unwrap();
        let mut next = vec![];
        for (d, r) in (-1..=1).flat_map(|d| (-1..=1).map(move |r| (d, r))).filter(|&way| way != (0, 0)) {
            for far in 1.. {
                let Some(to) = grid.step(from, far * d, far * r).filter(|&to| p.at[to] == 0) else { break };
                next.push(match p.at[n] {
                    0 => Pos { turn: p.turn, ..p.put(&[(from, 0), (to, p.me()), (n, 1)]) },
                    _ => p.put(&[(to, 3), (n, 0)]),
                });
            }
        }
        next
    })
}

pub fn loa(n: usize) -> Plain {
    let grid = Grid::new(n, n);
    let start =
        (0..n * n).map(|i| match (matches!(i / n, r if r % (n - 1) == 0), (i % n).is_multiple_of(n - 1)) {
            (true, false) => 1,
            (false, true) => 2,
            _ => 0,
        });
    let joined = move |at: &[u8], who: u8| {
        let all: Vec<usize> = (0..n * n).filter(|&i| at[i] == who).collect();
        let mut seen: Vec<usize> = all.first().copied().into_iter().collect();
        let mut done = 0;
        while done < seen.len() {
            let more: Vec<usize> =
                grid.around(seen[done]).filter(|to| at[*to] == who && !seen.contains(to)).collect();
            seen.extend(more);
            done += 1;
        }
        seen.len() == all.len()
    };
    let moves = move |p: &Pos| {
        let mut next = vec![];
        for from in (0..n * n).filter(|&i| p.at[i] == p.me()) {
            for (d, r) in (-1..=1).flat_map(|d| (-1..=1).map(move |r| (d, r))).filter(|&way| way != (0, 0)) {
                let line = (-(n as i32)..=n as i32).filter_map(|i| grid.step(from, i * d, i * r));
                let far = line.filter(|&i| p.at[i] != 0).count() as i32;
                let clear =
                    (1..far).all(|i| grid.step(from, i * d, i * r).is_none_or(|i| p.at[i] != p.other()));
                let to = grid.step(from, far * d, far * r).filter(|&to| clear && p.at[to] != p.me());
                next.extend(to.map(|to| p.put(&[(from, 0), (to, p.me())])));
            }
        }
        next
    };
    Plain::new(Pos::new(0, start.collect::<Vec<u8>>()), moves, move |p| match () {
        () if joined(&p.at, p.other()) => win_of(1 - p.turn),
        () if joined(&p.at, p.me()) => win_of(p.turn),
        () if moves(p).is_empty() => win_of(1 - p.turn),
        () => None,
    })
}

/// For each square and size who owns the piece there.
pub fn gobblet(sizes: usize, pieces: usize) -> Plain {
    let top = move |at: &[u8], cell: usize| (0..sizes).rev().find(|s| at[cell * sizes + s] != 0);
    let moves = move |p: &Pos| {
        let mut next = vec![];
        for size in 0..sizes {
            let small = |to: &usize| top(&p.at, *to).is_none_or(|on_top| on_top < size);
            let used = (0..9).filter(|cell| p.at[cell * sizes + size] == p.me()).count();
            for to in (0..9).filter(small) {
                let set = (to * sizes + size, p.me());
                if used < pieces {
                    next.push(p.put(&[set]));
                }
                let own =
                    |from: &usize| top(&p.at, *from) == Some(size) && p.at[from * sizes + size] == p.me();
                next.extend((0..9).filter(own).map(|from| p.put(&[(from * sizes + size, 0), set])));
            }
        }
        next
    };
    Plain::new(Pos::new(0, vec![0; 9 * sizes]), moves, move |p| {
        let tops: Vec<u8> =
            (0..9).map(|cell| top(&p.at, cell).map_or(0, |s| p.at[cell * sizes + s])).collect();
        match () {
            () if Grid::new(3, 3).line(&tops, 3, p.me()) => win_of(p.turn),
            () if Grid::new(3, 3).line(&tops, 3, p.other()) => win_of(1 - p.turn),
            () if moves(p).is_empty() => win_of(1 - p.turn),
            () => None,
        }
    })
}

pub fn order_and_chaos(n: usize, k: usize) -> Plain {
    let grid = Grid::new(n, n);
    let moves = |p: &Pos| {
        let free = (0..p.at.len()).filter(|&i| p.at[i] == 0);
        free.flat_map(|i| [1, 2].map(|mark| p.put(&[(i, mark)]))).collect()
    };
    Plain::new(Pos::new(0, vec![0; n * n]), moves, move |p| match () {
        () if grid.line(&p.at, k, 1) || grid.line(&p.at, k, 2) => Some(1),
        () => (!p.at.contains(&0)).then_some(-1),
    })
}

/// Squares: 3 is gone; the last number is 1 where a square is to be removed.
pub fn isolation(rows: usize, columns: usize) -> Plain {
    let grid = Grid::new(rows, columns);
    let n = grid.len();
    let mut start = vec![0; n + 1];
    start[n - columns + columns / 2] = 1;
    start[(columns - 1) / 2] = 2;
    Plain::last_mover_wins(Pos::new(0, start), move |p| {
        if p.at[n] == 1 {
            return (0..n).filter(|&i| p.at[i] == 0).map(|i| p.put(&[(i, 3), (n, 0)])).collect();
        }
        let from = p.at[..n].iter().position(|&piece| piece == p.me()).unwrap();
        let step = |to: usize| Pos { turn: p.turn, ..p.put(&[(from, 0), (to, p.me()), (n, 1)]) };
        grid.around(from).filter(|&to| p.at[to] == 0).map(step).collect()
    })
}

pub fn quixo(n: usize) -> Plain {
    let grid = Grid::new(n, n);
    let moves = move |p: &Pos| {
        let edge = |&i: &usize| (i / n).is_multiple_of(n - 1) || (i % n).is_multiple_of(n - 1);
        let mut next = vec![];
        for from in (0..n * n).filter(edge).filter(|&i| p.at[i] != p.other()) {
            for (d, r) in [(0, 1), (1, 0), (0, -1), (-1, 0)] {
                let (mut at, mut changes) = (from, vec![]);
                while let Some(to) = grid.step(at, d, r) {
                    changes.push((at, p.at[to]));
                    at = to;
                }
                if at != from {
                    changes.push((at, p.me()));
                    next.push(p.put(&changes));
                }
            }
        }
        next
    };
    Plain::new(Pos::new(0, vec![0; n * n]), moves, move |p| match () {
        () if grid.line(&p.at, n, p.me()) => win_of(p.turn),
        () if grid.line(&p.at, n, p.other()) => win_of(1 - p.turn),
        () => None,
    })
}

/// Bridges by number: first n rows of n, then n - 1 rows of n - 1 between them.
pub fn bridg_it(n: usize) -> Plain {
    // Red's points are n + 1 rows of n; bridge (r, c) of the first kind joins (r, c) and (r + 1, c), one of the second
    // kind (r + 1, c) and (r + 1, c + 1). Blue's are the same with rows and columns exchanged.
    let joins = move |at: &[u8], who: u8| {
        let own = |first: bool, r: usize, c: usize| match first {
            true => at[r * n + c] == who,
            false => at[n * n + r * (n - 1) + c] == who,
        };
        let bridge =
            |first: bool, r: usize, c: usize| if who == 1 { own(first, r, c) } else { own(first, c, r) };
        let mut seen: Vec<(usize, usize)> = (0..n).map(|c| (0, c)).collect();
        let mut done = 0;
        while done < seen.len() {
            let (r, c) = seen[done];
            let mut to = vec![];
            to.extend((r < n && bridge(true, r, c)).then_some((r + 1, c)));
            to.extend((r > 0 && bridge(true, r - 1, c)).then(|| (r - 1, c)));
            if (1..n).contains(&r) {
                to.extend((c + 1 < n && bridge(false, r - 1, c)).then_some((r, c + 1)));
                to.extend((c > 0 && bridge(false, r - 1, c - 1)).then(|| (r, c - 1)));
            }
            to.retain(|point| !seen.contains(point));
            seen.extend(to);
            done += 1;
        }
        seen.iter().any(|&(r, _)| r == n)
    };
    let moves = |p: &Pos| {
        let free = (0..p.at.len()).filter(|&i| p.at[i] == 0);
        free.map(|i| p.put(&[(i, p.me())])).collect()
    };
    Plain::new(Pos::new(0, vec![0; n * n + (n - 1) * (n - 1)]), moves, move |p| {
        [1, 2].into_iter().find(|&who| joins(&p.at, who)).and_then(|who| win_of(who - 1))
    })
}
