//! Games in which men slide along lines.

use super::{Grid, Plain, Pos, win_of};

/// Men are placed, then moved along the lines; the last number of a position counts what is placed.
pub fn rows_of_three(
    points: usize,
    men: u8,
    near: impl Fn(usize, usize) -> bool + Clone + 'static,
    threes: Vec<[usize; 3]>,
) -> Plain {
    let moves = move |p: &Pos| {
        let free: Vec<usize> = (0..points).filter(|&i| p.at[i] == 0).collect();
        if p.at[points] < 2 * men {
            return free.iter().map(|&to| p.put(&[(to, p.me()), (points, p.at[points] + 1)])).collect();
        }
        let own = (0..points).filter(|&i| p.at[i] == p.me());
        let pairs = own.flat_map(|from| free.iter().map(move |&to| (from, to)));
        let pairs = pairs.filter(|&(from, to)| near(from, to) || near(to, from));
        pairs.map(|(from, to)| p.put(&[(from, 0), (to, p.me())])).collect::<Vec<_>>()
    };
    let stuck = moves.clone();
    Plain::new(Pos::new(0, vec![0; points + 1]), moves, move |p| {
        let won = threes.iter().any(|three| three.iter().all(|&i| p.at[i] == p.other()));
        if won || stuck(p).is_empty() { win_of(1 - p.turn) } else { None }
    })
}

const ROWS: [[usize; 3]; 6] = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8]];
const DIAGONALS: [[usize; 3]; 2] = [[0, 4, 8], [2, 4, 6]];

/// 3x3 points; men move aslant only to or from the middle.
pub fn three_by_three(men: u8, aslant: bool, diagonals: bool) -> Plain {
    let grid = Grid::new(3, 3);
    let near = move |a: usize, b: usize| {
        grid.orthogonal(a).any(|to| to == b) || (aslant && (a == 4 || b == 4) && a != b)
    };
    let threes = ROWS.into_iter().chain(DIAGONALS.into_iter().filter(|_| diagonals)).collect();
    rows_of_three(9, men, near, threes)
}

/// Picaria: 3x3 points and four between them.
pub fn picaria() -> Plain {
    // The lines of the board, each from end to end; points 9 to 12 are in the middle of the quarters.
    let lines: Vec<Vec<usize>> = ROWS
        .iter()
        .map(|row| row.to_vec())
        .chain([
            vec![0, 9, 4, 12, 8],
            vec![2, 10, 4, 11, 6],
            vec![1, 9, 3],
            vec![1, 10, 5],
            vec![3, 11, 7],
            vec![5, 12, 7],
        ])
        .collect();
    let threes = lines.iter().flat_map(|line| line.windows(3).map(|w| [w[0], w[1], w[2]])).collect();
    rows_of_three(13, 3, move |a, b| lines.iter().any(|line| line.windows(2).any(|w| w == [a, b])), threes)
}

/// Men's Morris on squares inside each other; point 8 s + i is the i-th around square s, corners even. The last two
/// numbers count what is placed and say that a man is to be taken.
pub fn morris(squares: usize, men: u8, fly: bool) -> Plain {
    let points = 8 * squares;
    let mut mills: Vec<Vec<usize>> = (0..squares)
        .flat_map(|s| [0, 2, 4, 6].map(|i| vec![8 * s + i, 8 * s + i + 1, 8 * s + (i + 2) % 8]))
        .collect();
    if squares == 3 {
        mills.extend([1, 3, 5, 7].map(|i| vec![i, 8 + i, 16 + i]));
    }
    let near = move |a: usize, b: usize| match a / 8 == b / 8 {
        true => matches!((8 + a - b) % 8, 1 | 7),
        false => a % 8 == b % 8 && a % 2 == 1 && (a / 8).abs_diff(b / 8) == 1,
    };
    let moves = move |p: &Pos| {
        let in_mill =
            |at: &[u8], i: usize| mills.iter().any(|m| m.contains(&i) && m.iter().all(|&j| at[j] == at[i]));
        let men_of = |who: u8| (0..points).filter(move |&i| p.at[i] == who);
        let mut next = vec![];
        if p.at[points + 1] == 1 {
            let loose: Vec<usize> = men_of(p.other()).filter(|&i| !in_mill(&p.at, i)).collect();
            let takes = if loose.is_empty() { men_of(p.other()).collect() } else { loose };
            return takes.into_iter().map(|i| p.put(&[(i, 0), (points + 1, 0)])).collect();
        }
        let placing = p.at[points] < 2 * men;
        for to in men_of(0) {
            let mut changes: Vec<Vec<(usize, u8)>> = vec![];
            if placing {
                changes.push(vec![(to, p.me()), (points, p.at[points] + 1)]);
            } else {
                let flies = fly && men_of(p.me()).count() <= 3;
                let from = men_of(p.me()).filter(|&from| flies || near(from, to));
                changes.extend(from.map(|from| vec![(from, 0), (to, p.me())]));
            }
            for change in changes {
                let mut q = p.put(&change);
                if in_mill(&q.at, to) {
                    (q.turn, q.at[points + 1]) = (p.turn, 1);
                }
                next.push(q);
            }
        }
        next
    };
    let again = moves.clone();
    Plain::new(Pos::new(0, vec![0; points + 2]), moves, move |p| {
        let count = |who: u8| p.at[..points].iter().filter(|&&man| man == who).count();
        let settled = p.at[points] == 2 * men && p.at[points + 1] == 0;
        match () {
            () if settled && count(1) < 3 => Some(-1),
            () if settled && count(2) < 3 => Some(1),
            () if again(p).is_empty() => win_of(1 - p.turn),
            () => None,
        }
    })
}

pub fn mu_torere() -> Plain {
    let start = vec![2, 2, 2, 1, 1, 1, 1, 2, 0];
    Plain::last_mover_wins(Pos::new(0, start), |p| {
        let to = p.at.iter().position(|&stone| stone == 0).unwrap();
        let may = |from: usize| match (from, to) {
            (8, _) => true,
            (_, 8) => [1, 7].iter().any(|step| p.at[(from + step) % 8] == p.other()),
            _ => matches!((8 + from - to) % 8, 1 | 7),
        };
        let own = (0..9).filter(|&from| p.at[from] == p.me() && may(from));
        own.map(|from| p.put(&[(from, 0), (to, p.me())])).collect()
    })
}

/// Points: above left and right, middle, below left and right.
pub fn pong_hau_ki() -> Plain {
    const LINES: [(usize, usize); 7] = [(0, 2), (1, 2), (3, 2), (4, 2), (0, 3), (1, 4), (3, 4)];
    Plain::last_mover_wins(Pos::new(0, vec![2, 2, 0, 1, 1]), |p| {
        let both = LINES.iter().flat_map(|&(a, b)| [(a, b), (b, a)]);
        let moves = both.filter(|&(from, to)| p.at[from] == p.me() && p.at[to] == 0);
        moves.map(|(from, to)| p.put(&[(from, 0), (to, p.me())])).collect()
    })
}

/// The fox's square and those of the hounds, in order.
pub fn fox(n: u8) -> Plain {
    let start: Vec<u8> =
        [(n - 1) * n + n / 2 / 2 * 2].into_iter().chain((0..n / 2).map(|i| 2 * i + 1)).collect();
    let moves = move |p: &Pos| {
        let mut next = vec![];
        let pieces = if p.turn == 0 { 0..1 } else { 1..p.at.len() };
        for (piece, down, right) in
            pieces.flat_map(|i| [(1, 1), (1, -1), (-1, 1), (-1, -1)].map(|(d, r)| (i, d, r)))
        {
            if p.turn == 1 && down == -1 {
                continue;
            }
            let to = Grid::new(n as usize, n as usize).step(p.at[piece] as usize, down, right);
            if let Some(to) = to.filter(|&to| !p.at.contains(&(to as u8))) {
                let mut q = p.put(&[(piece, to as u8)]);
                q.at[1..].sort_unstable();
                next.push(q);
            }
        }
        next
    };
    Plain::new(Pos::new(0, start), moves, move |p| match () {
        () if p.at[0] < n => Some(1),
        () if moves(p).is_empty() => win_of(1 - p.turn),
        () => None,
    })
}

/// The hare's point and those of the hounds, in order; points are numbers 5 row + column.
pub fn hare() -> Plain {
    let grid = Grid::new(3, 5);
    let used = |i: usize| ![0, 4, 10, 14].contains(&i);
    let moves = move |p: &Pos| {
        let mut next = vec![];
        let pieces = if p.turn == 1 { 0..1 } else { 1..4 };
        for piece in pieces {
            let from = p.at[piece] as usize;
            for to in grid.around(from).filter(|&to| used(to) && !p.at.contains(&(to as u8))) {
                let aslant = from / 5 != to / 5 && from % 5 != to % 5;
                let joined = !aslant || [from, to].iter().any(|end| [5, 7, 9].contains(end));
                if joined && (p.turn == 1 || to % 5 >= from % 5) {
                    let mut q = p.put(&[(piece, to as u8)]);
                    q.at[1..].sort_unstable();
                    next.push(q);
                }
            }
        }
        next
    };
    Plain::new(Pos::new(0, [9, 1, 5, 11]), moves, move |p| match () {
        () if p.at[1..].iter().all(|hound| hound % 5 >= p.at[0] % 5) => Some(-1),
        () if moves(p).is_empty() => win_of(1 - p.turn),
        () => None,
    })
}

/// The last number counts what is placed.
pub fn teeko(n: usize) -> Plain {
    let grid = Grid::new(n, n);
    let moves = move |p: &Pos| {
        let free = |&i: &usize| p.at[i] == 0;
        if p.at[n * n] < 8 {
            return (0..n * n)
                .filter(free)
                .map(|i| p.put(&[(i, p.me()), (n * n, p.at[n * n] + 1)]))
                .collect();
        }
        let own = (0..n * n).filter(|&i| p.at[i] == p.me());
        let pairs = own.flat_map(|from| grid.around(from).filter(free).map(move |to| (from, to)));
        pairs.map(|(from, to)| p.put(&[(from, 0), (to, p.me())])).collect::<Vec<_>>()
    };
    Plain::new(Pos::new(0, vec![0; n * n + 1]), moves, move |p| {
        let who = p.other();
        let is = |i: usize, d: i32, r: i32| grid.step(i, d, r).is_some_and(|to| p.at[to] == who);
        let square = (0..n * n).any(|i| is(i, 0, 0) && is(i, 0, 1) && is(i, 1, 0) && is(i, 1, 1));
        let won = square || grid.line(&p.at[..n * n], 4, who);
        if won || moves(p).is_empty() { win_of(1 - p.turn) } else { None }
    })
}

/// The last number is 1 where a neutral piece, number 3, may be moved.
pub fn l_game() -> Plain {
    let grid = Grid::new(4, 4);
    // Every L has a corner, an arm of two from there and one of one at a right angle.
    let mut shapes: Vec<Vec<usize>> = vec![];
    let ways = [(0, 1), (1, 0), (0, -1), (-1, 0)];
    for (corner, long, short) in
        (0..16).flat_map(|c| ways.into_iter().flat_map(move |l| ways.into_iter().map(move |s| (c, l, s))))
    {
        let squares = [(0, 0), long, (2 * long.0, 2 * long.1), short].map(|(d, r)| grid.step(corner, d, r));
        if long.0 * short.0 + long.1 * short.1 == 0
            && let Some(mut shape) = squares.into_iter().collect::<Option<Vec<usize>>>()
        {
            shape.sort_unstable();
            shapes.push(shape);
        }
    }
    let start = vec![3, 1, 1, 0, 0, 2, 1, 0, 0, 2, 1, 0, 0, 2, 2, 3, 0];
    Plain::last_mover_wins(Pos::new(0, start), move |p| {
        if p.at[16] == 1 {
            let neutral = (0..16).filter(|&i| p.at[i] == 3);
            let pairs =
                neutral.flat_map(|from| (0..16).filter(|&to| p.at[to] == 0).map(move |to| (from, to)));
            let moved = pairs.map(|(from, to)| p.put(&[(from, 0), (to, 3), (16, 0)]));
            return moved.chain([p.put(&[(16, 0)])]).collect();
        }
        let own: Vec<usize> = (0..16).filter(|&i| p.at[i] == p.me()).collect();
        let fits =
            |shape: &&Vec<usize>| **shape != own && shape.iter().all(|&i| p.at[i] == 0 || p.at[i] == p.me());
        let lift = own.iter().map(|&i| (i, 0)).collect::<Vec<_>>();
        let set = |shape: &Vec<usize>| {
            let mut q =
                p.put(&[lift.clone(), shape.iter().map(|&i| (i, p.me())).collect(), vec![(16, 1)]].concat());
            q.turn = p.turn;
            q
        };
        shapes.iter().filter(fits).map(set).collect()
    })
}
