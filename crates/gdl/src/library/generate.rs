//! Generators of rules for games of any size.

use std::fmt::Write;

fn turns(out: &mut String, first: &str, second: &str) {
    let _ = writeln!(out, "(role {first}) (role {second})\n(init (control {first}))");
    let _ = writeln!(out, "(other {first} {second}) (other {second} {first})");
    out.push_str("(<= (legal ?p noop) (role ?p) (not (true (control ?p))))\n");
    out.push_str("(<= (next (control ?q)) (true (control ?p)) (other ?p ?q))\n");
}

fn successors(out: &mut String, most: usize) {
    (0..most).for_each(|n| {
        let _ = writeln!(out, "(succ {n} {})", n + 1);
    });
}

/// Clobber: pieces fill the board like a chequerboard; a piece takes an adjacent one of the opponent and its
/// place. Who cannot move loses; the winner gets the share of pieces left, in per cent, rounded up to tens.
pub fn clobber(columns: usize, rows: usize) -> String {
    let mut out = String::from("; Clobber\n");
    turns(&mut out, "white", "black");
    let cells = columns * rows;
    for x in 1..=columns {
        for y in 1..=rows {
            let colour = if (x + y) % 2 == 0 { "white" } else { "black" };
            let _ = writeln!(out, "(init (cell {x} {y} {colour}))");
        }
    }
    successors(&mut out, columns.max(rows).max(cells));
    let _ = writeln!(out, "(init (left {cells}))");
    for left in 1..=cells {
        let _ = writeln!(out, "(worth {left} {})", (100 * left).div_ceil(cells).div_ceil(10) * 10);
    }
    out.push_str(
        "(<= (beside ?x ?u) (succ ?x ?u))
(<= (beside ?x ?u) (succ ?u ?x))
(<= (way ?p ?x ?y ?u ?y) (other ?p ?q) (true (cell ?x ?y ?p)) (beside ?x ?u) (true (cell ?u ?y ?q)))
(<= (way ?p ?x ?y ?x ?v) (other ?p ?q) (true (cell ?x ?y ?p)) (beside ?y ?v) (true (cell ?x ?v ?q)))
(<= (legal ?p (take ?x ?y ?u ?v)) (true (control ?p)) (way ?p ?x ?y ?u ?v))
(<= (next (cell ?u ?v ?p)) (does ?p (take ?x ?y ?u ?v)))
(<= (next (cell ?x ?y ?p)) (true (cell ?x ?y ?p)) (not (changed ?x ?y)))
(<= (changed ?x ?y) (does ?p (take ?x ?y ?u ?v)))
(<= (changed ?u ?v) (does ?p (take ?x ?y ?u ?v)))
(<= (next (left ?m)) (true (left ?n)) (succ ?m ?n))
(<= (mobile ?p) (way ?p ?x ?y ?u ?v))
(<= over (true (control ?p)) (not (mobile ?p)))
(<= terminal over)
(<= (goal ?p 0) (true (control ?p)))
(<= (goal ?p ?v) (role ?p) (not (true (control ?p))) (true (left ?n)) (worth ?n ?v))
",
    );
    out
}

/// Breakthrough with two rows of pieces each: straight ahead to an empty square, or diagonally ahead, which
/// may capture. Who reaches the last row, or takes all pieces of the opponent, wins.
pub fn breakthrough(columns: usize, rows: usize) -> String {
    let mut out = String::from("; Breakthrough\n");
    turns(&mut out, "white", "black");
    for x in 1..=columns {
        for (y, colour) in [(1, "white"), (2, "white"), (rows - 1, "black"), (rows, "black")] {
            let _ = writeln!(out, "(init (cell {x} {y} {colour}))");
        }
    }
    successors(&mut out, columns.max(rows));
    (1..=columns).for_each(|x| {
        let _ = writeln!(out, "(column {x})");
    });
    (1..rows).for_each(|y| {
        let _ = writeln!(out, "(ahead white {y} {})\n(ahead black {} {y})", y + 1, y + 1);
    });
    let _ = writeln!(out, "(last white {rows})\n(last black 1)");
    out.push_str(
        "(<= (beside ?x ?u) (column ?x) (column ?u) (succ ?x ?u))
(<= (beside ?x ?u) (column ?x) (column ?u) (succ ?u ?x))
(<= (way ?p ?x ?y ?u ?v) (true (cell ?x ?y ?p)) (ahead ?p ?y ?v) (beside ?x ?u) (not (true (cell ?u ?v ?p))))
(<= (way ?p ?x ?y ?x ?v) (true (cell ?x ?y ?p)) (ahead ?p ?y ?v) (not (true (cell ?x ?v white))) (not (true (cell ?x ?v black))))
(<= (legal ?p (move ?x ?y ?u ?v)) (true (control ?p)) (way ?p ?x ?y ?u ?v))
(<= (next (cell ?u ?v ?p)) (does ?p (move ?x ?y ?u ?v)))
(<= (next (cell ?x ?y ?p)) (true (cell ?x ?y ?p)) (not (changed ?x ?y)))
(<= (changed ?x ?y) (does ?p (move ?x ?y ?u ?v)))
(<= (changed ?u ?v) (does ?p (move ?x ?y ?u ?v)))
(<= (alive ?p) (true (cell ?x ?y ?p)))
(<= (through ?p) (last ?p ?y) (true (cell ?x ?y ?p)))
(<= (won ?p) (through ?p))
(<= (won ?p) (other ?p ?q) (not (alive ?q)))
(<= terminal (won ?p))
(<= (goal ?p 100) (won ?p))
(<= (goal ?p 0) (role ?p) (not (won ?p)))
",
    );
    out
}

/// Connect Four: stones drop into columns; four in a line win.
pub fn connect_four(columns: usize, rows: usize) -> String {
    let mut out = String::from("; Connect Four\n");
    turns(&mut out, "first", "second");
    for x in 1..=columns {
        let _ = writeln!(out, "(column {x})");
        for y in 1..=rows {
            let _ = writeln!(out, "(init (cell {x} {y} b))");
        }
    }
    let _ = writeln!(out, "(top {rows})");
    (1..rows).for_each(|y| {
        let _ = writeln!(out, "(above {y} {})", y + 1);
    });
    let place = |out: &mut String, x: usize, y: usize, dx: isize, dy: isize| {
        let end = |a: usize, d: isize| a as isize + 3 * d;
        let inside = |a: isize, most: usize| (1..=most as isize).contains(&a);
        if inside(end(x, dx), columns) && inside(end(y, dy), rows) {
            out.push_str("(<= (line ?p) (role ?p)");
            for k in 0..4isize {
                let _ = write!(out, " (true (cell {} {} ?p))", x as isize + k * dx, y as isize + k * dy);
            }
            out.push_str(")\n");
        }
    };
    for x in 1..=columns {
        for y in 1..=rows {
            for (dx, dy) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
                place(&mut out, x, y, dx, dy);
            }
        }
    }
    out.push_str(
        "(<= (free ?x 1) (true (cell ?x 1 b)))
(<= (free ?x ?y) (above ?z ?y) (true (cell ?x ?y b)) (true (cell ?x ?z ?p)) (role ?p))
(<= (legal ?p (drop ?x)) (true (control ?p)) (top ?y) (true (cell ?x ?y b)))
(<= (next (cell ?x ?y ?p)) (does ?p (drop ?x)) (free ?x ?y))
(<= (next (cell ?x ?y ?p)) (true (cell ?x ?y ?p)) (role ?p))
(<= (next (cell ?x ?y b)) (true (cell ?x ?y b)) (not (filled ?x ?y)))
(<= (filled ?x ?y) (does ?p (drop ?x)) (free ?x ?y))
(<= open (true (cell ?x ?y b)))
(<= terminal (line ?p))
(<= terminal (not open))
(<= (goal ?p 100) (line ?p))
(<= (goal ?p 0) (other ?p ?q) (line ?q))
(<= (goal ?p 50) (role ?p) (not (line first)) (not (line second)))
",
    );
    out
}

/// Cubi Cup: cubes are stacked on three others. Three of one colour below a free place are a cup: the
/// opponent of that colour must fill it and moves again. Who sets the last cube wins, unless it fills a cup
/// of the opponent: then it is a draw.
pub fn cubi_cup(edge: usize) -> String {
    let mut out = String::from(
        "; Cubi Cup\n(role red) (role blue)\n(init (control red))\n(other red blue) (other blue red)\n",
    );
    // Layer z has a triangle of places; a place rests on three of the layer below.
    for z in 1..=edge {
        for y in z..=edge {
            for x in y..=edge {
                let _ = writeln!(out, "(place {x} {y} {z}) (init (cube {x} {y} {z} none))");
                if z > 1 {
                    let below = z - 1;
                    let _ = writeln!(
                        out,
                        "(rests {x} {y} {z} {} {} {below} {x} {} {below} {x} {y} {below})",
                        x - 1,
                        y - 1,
                        y - 1
                    );
                } else {
                    let _ = writeln!(out, "(ground {x} {y} {z})");
                }
            }
        }
    }
    let _ = writeln!(out, "(summit {edge} {edge} {edge})");
    // Each player has half of the cubes; of an odd number the first one has one more, as it turns out from the
    // published outcome of edge 5.
    let all = edge * (edge + 1) * (edge + 2) / 6;
    let cubes = all.div_ceil(2);
    let _ = writeln!(out, "(init (cubes red {cubes})) (init (cubes blue {}))", all / 2);
    successors(&mut out, cubes);
    out.push_str(
        "(<= (filled ?x ?y ?z) (true (cube ?x ?y ?z ?p)) (role ?p))
(<= (free ?x ?y ?z) (true (cube ?x ?y ?z none)) (ground ?x ?y ?z))
(<= (free ?x ?y ?z) (true (cube ?x ?y ?z none)) (rests ?x ?y ?z ?a ?b ?c ?d ?e ?f ?g ?h ?i)
    (filled ?a ?b ?c) (filled ?d ?e ?f) (filled ?g ?h ?i))
(<= (cup ?q ?x ?y ?z) (role ?q) (true (cube ?x ?y ?z none)) (rests ?x ?y ?z ?a ?b ?c ?d ?e ?f ?g ?h ?i)
    (true (cube ?a ?b ?c ?q)) (true (cube ?d ?e ?f ?q)) (true (cube ?g ?h ?i ?q)))
(<= (forced ?p) (other ?p ?q) (cup ?q ?x ?y ?z))
(<= (legal ?p (fill ?x ?y ?z)) (true (control ?p)) (other ?p ?q) (cup ?q ?x ?y ?z))
(<= (legal ?p (fill ?x ?y ?z)) (true (control ?p)) (not (forced ?p)) (free ?x ?y ?z))
(<= (legal ?p noop) (role ?p) (not (true (control ?p))))
(<= again (does ?p (fill ?x ?y ?z)) (other ?p ?q) (cup ?q ?x ?y ?z))
(<= keeps again)
(<= keeps (true (control ?p)) (other ?p ?q) (true (cubes ?q 0)))
(<= (next (control ?p)) (true (control ?p)) keeps)
(<= (next (control ?q)) (true (control ?p)) (other ?p ?q) (not keeps))
(<= (next (cubes ?p ?n)) (true (cubes ?p ?n)) (not (true (control ?p))))
(<= (next (cubes ?p ?n)) (true (cubes ?p ?m)) (true (control ?p)) (succ ?n ?m))
(<= (next (cube ?x ?y ?z ?p)) (does ?p (fill ?x ?y ?z)))
(<= (next (cube ?x ?y ?z ?p)) (true (cube ?x ?y ?z ?p)) (role ?p))
(<= (next (cube ?x ?y ?z none)) (true (cube ?x ?y ?z none)) (not (filling ?x ?y ?z)))
(<= (filling ?x ?y ?z) (does ?p (fill ?x ?y ?z)))
(<= (top ?p) (summit ?x ?y ?z) (true (cube ?x ?y ?z ?p)) (role ?p))
(<= drawn (summit ?x ?y ?z) (top ?p) (other ?p ?q) (rests ?x ?y ?z ?a ?b ?c ?d ?e ?f ?g ?h ?i)
    (true (cube ?a ?b ?c ?q)) (true (cube ?d ?e ?f ?q)) (true (cube ?g ?h ?i ?q)))
(<= terminal (top ?p))
(<= (goal ?p 100) (top ?p) (not drawn))
(<= (goal ?q 0) (top ?p) (other ?p ?q) (not drawn))
(<= (goal ?p 50) (role ?p) drawn)
",
    );
    out
}
