//! Games in which pieces move.

use super::{Grid, Plain, Pos, win_of};

pub fn hexapawn(rows: usize, columns: usize) -> Plain {
    let grid = Grid::new(rows, columns);
    let mut start = vec![0; grid.len()];
    start[..columns].fill(2);
    start[columns * (rows - 1)..].fill(1);
    let moves = move |p: &Pos| {
        let ahead = if p.turn == 0 { -1 } else { 1 };
        let mut next = vec![];
        for from in (0..grid.len()).filter(|&i| p.at[i] == p.me()) {
            for aside in -1..=1 {
                let wanted = if aside == 0 { 0 } else { p.other() };
                let to = grid.step(from, ahead, aside).filter(|&to| p.at[to] == wanted);
                next.extend(to.map(|to| p.put(&[(from, 0), (to, p.me())])));
            }
        }
        next
    };
    Plain::new(Pos::new(0, start), moves, move |p| {
        let far = if p.turn == 0 { columns * (rows - 1)..grid.len() } else { 0..columns };
        let through = p.at[far].contains(&p.other());
        if through || moves(p).is_empty() { win_of(1 - p.turn) } else { None }
    })
}

pub fn dodgem(n: usize) -> Plain {
    let grid = Grid::new(n, n);
    let mut start = vec![0; n * n];
    (0..n - 1).for_each(|row| start[row * n] = 1);
    (1..n).for_each(|column| start[n * (n - 1) + column] = 2);
    let moves = move |p: &Pos| {
        let steps = if p.turn == 0 { [(0, 1), (-1, 0), (1, 0)] } else { [(-1, 0), (0, -1), (0, 1)] };
        let mut next = vec![];
        for from in (0..n * n).filter(|&i| p.at[i] == p.me()) {
            for (i, (d, r)) in steps.into_iter().enumerate() {
                match grid.step(from, d, r) {
                    Some(to) if p.at[to] == 0 => next.push(p.put(&[(from, 0), (to, p.me())])),
                    None if i == 0 => next.push(p.put(&[(from, 0)])),
                    _ => {}
                }
            }
        }
        next
    };
    Plain::new(Pos::new(0, start), moves, move |p| match () {
        () if !p.at.contains(&p.other()) => win_of(1 - p.turn),
        () if moves(p).is_empty() => win_of(p.turn),
        () => None,
    })
}

pub fn clobber(columns: usize, rows: usize) -> Plain {
    let grid = Grid::new(rows, columns);
    let start: Vec<u8> = (0..grid.len()).map(|i| 1 + ((i / columns + i % columns) % 2) as u8).collect();
    Plain::last_mover_wins(Pos::new(0, start), move |p| {
        let own = (0..grid.len()).filter(|&i| p.at[i] == p.me());
        let pairs = own.flat_map(|from| grid.orthogonal(from).map(move |to| (from, to)));
        let takes = pairs.filter(|&(_, to)| p.at[to] == p.other());
        takes.map(|(from, to)| p.put(&[(from, 0), (to, p.me())])).collect()
    })
}

pub fn toads_and_frogs(toads: usize, blanks: usize, frogs: usize) -> Plain {
    let start = [vec![1; toads], vec![0; blanks], vec![2; frogs]].concat();
    Plain::last_mover_wins(Pos::new(0, start), move |p| {
        let at = |i: i32| usize::try_from(i).ok().and_then(|i| p.at.get(i)).copied();
        let ahead = if p.turn == 0 { 1 } else { -1 };
        let mut next = vec![];
        for from in (0..p.at.len() as i32).filter(|&i| at(i) == Some(p.me())) {
            let to = match at(from + ahead) {
                Some(0) => from + ahead,
                Some(over) if over == p.other() && at(from + 2 * ahead) == Some(0) => from + 2 * ahead,
                _ => continue,
            };
            next.push(p.put(&[(from as usize, 0), (to as usize, p.me())]));
        }
        next
    })
}
