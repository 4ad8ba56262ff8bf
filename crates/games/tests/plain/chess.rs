//! Chess endings with a lone king: squares of the lone king, white's king, and white's pieces; a piece that is gone is 99.

use super::{Grid, Plain, Pos};

const GONE: u8 = 99;

/// The squares that a piece attacks; what stands on `blocked` squares ends a line.
fn attacks(grid: Grid, piece: u8, from: usize, blocked: &[u8]) -> Vec<usize> {
    let every = (-2i32..=2).flat_map(|d| (-2i32..=2).map(move |r| (d, r))).filter(|&way| way != (0, 0));
    let (ways, reach): (Vec<(i32, i32)>, i32) = match piece {
        b'N' => (every.filter(|(d, r)| d.abs() + r.abs() == 3).collect(), 1),
        b'P' => (vec![(-1, -1), (-1, 1)], 1),
        _ => {
            let near = every.filter(|(d, r)| d.abs() <= 1 && r.abs() <= 1);
            let kind = near.filter(|(d, r)| match piece {
                b'R' => d * r == 0,
                b'B' => d * r != 0,
                _ => true,
            });
            (kind.collect(), if piece == b'K' { 1 } else { 8 })
        }
    };
    let mut all = vec![];
    for (d, r) in ways {
        for far in 1..=reach {
            let Some(to) = grid.step(from, far * d, far * r) else { break };
            all.push(to);
            if blocked.contains(&(to as u8)) {
                break;
            }
        }
    }
    all
}

/// `pieces`: white's other pieces, with their squares at the start. A pawn that is a queen has 100 added to its square.
pub fn ending(n: usize, pieces: &'static [u8], squares: &[u8]) -> Plain {
    let grid = Grid::new(n, n);
    let kind = move |i: usize, square: u8| if pieces[i] == b'P' && square >= 100 { b'Q' } else { pieces[i] };
    let checked = move |p: &Pos, to: usize| {
        let stands: Vec<u8> = p.at[1..].iter().filter(|&&s| s as usize != to).map(|&s| s % 100).collect();
        let by = |i: usize| {
            let square = p.at[2 + i];
            square != GONE
                && square as usize % 100 != to
                && attacks(grid, kind(i, square), square as usize % 100, &stands).contains(&to)
        };
        grid.around(p.at[1] as usize).any(|i| i == to) || (0..pieces.len()).any(by)
    };
    let moves = move |p: &Pos| {
        let taken: Vec<u8> = p.at.iter().filter(|&&s| s != GONE).map(|&s| s % 100).collect();
        let free = |to: usize| !taken.contains(&(to as u8));
        let mut next = vec![];
        if p.turn == 1 {
            for to in grid.around(p.at[0] as usize).filter(|&to| to != p.at[1] as usize && !checked(p, to)) {
                let lost = (2..p.at.len()).filter(|&i| p.at[i] != GONE && p.at[i] as usize % 100 == to);
                next.push(p.put(&lost.map(|i| (i, GONE)).chain([(0, to as u8)]).collect::<Vec<_>>()));
            }
            return next;
        }
        let near = |to: usize| grid.around(p.at[0] as usize).any(|i| i == to);
        let king = grid.around(p.at[1] as usize).filter(|&to| free(to) && !near(to));
        next.extend(king.map(|to| p.put(&[(1, to as u8)])));
        for (i, &square) in p.at[2..].iter().enumerate().filter(|&(_, &square)| square != GONE) {
            let (from, queen) = (square as usize % 100, if square >= 100 { 100 } else { 0 });
            if kind(i, square) != b'P' {
                let to = attacks(grid, kind(i, square), from, &taken).into_iter().filter(|&to| free(to));
                next.extend(to.map(|to| p.put(&[(2 + i, to as u8 + queen)])));
                continue;
            }
            for far in 1..=if from / n == n - 2 && n >= 6 { 2 } else { 1 } {
                let Some(to) = grid.step(from, -far, 0).filter(|&to| free(to)) else { break };
                next.push(p.put(&[(2 + i, to as u8 + if to < n { 100 } else { 0 })]));
            }
        }
        next
    };
    Plain::new(Pos::new(0, squares), moves, move |p| match () {
        () if moves(p).is_empty() => Some(if p.turn == 1 && checked(p, p.at[0] as usize) { 1 } else { 0 }),
        () if p.at[2..].iter().all(|&square| square == GONE) => Some(0),
        () => None,
    })
}
