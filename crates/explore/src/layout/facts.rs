//! Boards in rules from a file.

use super::{Kind, Layout, Square, Style, empty, is_turn};
use std::collections::{BTreeMap, BTreeSet};
use winset_model::{Game, VarId, visible};

/// A fact that can hold: a name with arguments.
struct Fact<'a> {
    var: usize,
    value: usize,
    functor: &'a str,
    arguments: Vec<&'a str>,
}

/// Larger boards are not drawn.
const MOST: usize = 32;

/// Names that rules give to nothing.
const NOTHING: [&str; 15] = [
    "b",
    "blank",
    "empty",
    "e",
    "none",
    "free",
    "nil",
    "z",
    "unoccupied",
    "open",
    "clear",
    "null",
    "hole",
    "gap",
    "vacant",
];

/// The best layout that the facts allow.
pub fn layout(game: &Game) -> Layout {
    let facts = facts(game);
    let found = candidates(&facts).into_iter().filter_map(|candidate| place(game, &facts, &candidate));
    let best = found.max_by_key(|layout| (layout.kind != Kind::Line, layout.squares.len()));
    best.unwrap_or_else(|| cards(game))
}

/// Reads every value's name.
fn facts(game: &Game) -> Vec<Fact<'_>> {
    let mut all = vec![];
    for (var, variable) in game.variables().iter().enumerate() {
        for (value, name) in variable.values.iter().enumerate() {
            let inner = name.strip_prefix('(').and_then(|name| name.strip_suffix(')'));
            let Some(inner) = inner.filter(|inner| !inner.contains(['(', ')'])) else { continue };
            let mut words = inner.split_ascii_whitespace();
            let Some(functor) = words.next() else { continue };
            all.push(Fact { var, value, functor, arguments: words.collect() });
        }
    }
    split_names(&mut all);
    all
}

/// Reads squares that are called a1 or c12 by their two parts, where a relation has nothing else that could say where.
fn split_names(facts: &mut [Fact<'_>]) {
    let relations: BTreeSet<(&str, usize)> = facts.iter().map(|f| (f.functor, f.arguments.len())).collect();
    for (functor, arity) in relations.into_iter().filter(|(_, arity)| (1..=2).contains(arity)) {
        let is_of = |f: &Fact<'_>| f.functor == functor && f.arguments.len() == arity;
        let are_squares = |at: &usize| {
            let words = facts.iter().filter(|f| is_of(f)).map(|f| letter_and_number(f.arguments[*at]));
            let Some(parts) = words.collect::<Option<BTreeSet<_>>>() else { return false };
            let [letters, numbers] = [
                parts.iter().map(|part| part.0).collect::<BTreeSet<_>>(),
                parts.iter().map(|part| part.1).collect::<BTreeSet<_>>(),
            ];
            // A counter has one letter, and pieces are few.
            letters.len() > 1 && numbers.len() > 1 && parts.len() > 4
        };
        let Some(at) = (0..arity).find(are_squares) else { continue };
        for fact in facts.iter_mut().filter(|f| is_of(f)) {
            if let Some((letter, number)) = letter_and_number(fact.arguments[at]) {
                fact.arguments.splice(at..=at, [letter, number]);
            }
        }
    }
}

/// One letter and one or two digits.
fn letter_and_number(word: &str) -> Option<(&str, &str)> {
    let (letter, digits) = word.split_at_checked(1)?;
    let good = letter.as_bytes()[0].is_ascii_alphabetic() && (1..=2).contains(&digits.len());
    (good && digits.bytes().all(|digit| digit.is_ascii_digit())).then_some((letter, digits))
}

/// A relation read as a board: which arguments say where, which says what.
struct Candidate {
    functor: String,
    arity: usize,
    /// Column, and row where there are rows.
    place: Vec<usize>,
    piece: Option<usize>,
}

fn candidates(facts: &[Fact<'_>]) -> Vec<Candidate> {
    let relations: BTreeSet<(&str, usize)> = facts.iter().map(|f| (f.functor, f.arguments.len())).collect();
    let mut all = vec![];
    for (functor, arity) in relations {
        let of = || facts.iter().filter(|f| f.functor == functor && f.arguments.len() == arity);
        let ordered: Vec<bool> = (0..arity).map(|i| is_ordered(of().map(|f| f.arguments[i]))).collect();
        // Within a variable exactly the value varies, or the place.
        let mut first: BTreeMap<usize, &Fact<'_>> = BTreeMap::new();
        let mut varies = vec![false; arity];
        for f in of() {
            let one = *first.entry(f.var).or_insert(f);
            let unequal = one.arguments.iter().zip(&f.arguments).map(|(a, b)| a != b);
            varies.iter_mut().zip(unequal).for_each(|(varies, unequal)| *varies |= unequal);
        }
        let mut add = |place: Vec<usize>, piece| {
            if place.iter().all(|&i| ordered[i]) {
                all.push(Candidate { functor: functor.to_owned(), arity, place, piece });
            }
        };
        match arity {
            2 => {
                if !varies[0] && varies[1] {
                    add(vec![0], Some(1));
                } else if !varies[1] && varies[0] {
                    add(vec![1], Some(0));
                } else {
                    add(vec![0, 1], None);
                }
            }
            3 => {
                let pieces: Vec<usize> = match varies.iter().filter(|&&v| v).count() {
                    1 => (0..3).filter(|&i| varies[i]).collect(),
                    _ => vec![2, 0, 1],
                };
                for piece in pieces {
                    add((0..3).filter(|&i| i != piece).collect(), Some(piece));
                }
            }
            _ => {}
        }
    }
    all
}

/// Numbers, or single letters.
fn is_ordered<'a>(mut words: impl Iterator<Item = &'a str> + Clone) -> bool {
    let letter = |word: &str| word.len() == 1 && word.as_bytes()[0].is_ascii_alphabetic();
    words.clone().all(|word| number(word).is_some()) || words.all(letter)
}

fn number(word: &str) -> Option<i64> {
    word.parse::<i32>().ok().map(i64::from)
}

/// Where a word stands among others of its kind.
fn order(word: &str) -> i64 {
    number(word).unwrap_or_else(|| word.bytes().next().map_or(0, i64::from))
}

/// Reads the game with a candidate; none if that is no board.
fn place(game: &Game, facts: &[Fact<'_>], candidate: &Candidate) -> Option<Layout> {
    let is_of = |f: &&Fact<'_>| f.functor == candidate.functor && f.arguments.len() == candidate.arity;
    let of: Vec<&Fact<'_>> = facts.iter().filter(is_of).collect();
    let axis = |i: Option<&usize>| -> Vec<i64> {
        let all: BTreeSet<i64> = of.iter().map(|f| i.map_or(0, |&i| order(f.arguments[i]))).collect();
        let (Some(&first), Some(&last)) = (all.first(), all.last()) else { return vec![] };
        // Boards are counted from one, also where nothing can stand at the edge.
        let first = if (2..=3).contains(&first) && candidate.place.len() == 2 { 1 } else { first };
        // Numbers keep their distances: a missing one is a gap. Far apart, they only keep their order.
        if last - first < MOST as i64 { (first..=last).collect() } else { all.into_iter().collect() }
    };
    let (columns, rows) = (axis(candidate.place.first()), axis(candidate.place.get(1)));
    let are_letters = [0, 1].map(|i| {
        candidate.place.get(i).is_some_and(|&i| of.iter().all(|f| number(f.arguments[i]).is_none()))
    });
    let line = candidate.place.len() == 1;
    let fits = |n: usize, least: usize| (least..=MOST).contains(&n);
    if !(if line { fits(columns.len(), 2) } else { fits(columns.len(), 2) && fits(rows.len(), 2) }) {
        return None;
    }
    let at = |f: &Fact<'_>| -> Option<(usize, usize)> {
        let column = columns.binary_search(&order(f.arguments[candidate.place[0]])).ok()?;
        let row = match candidate.place.get(1) {
            None => 0,
            // The first row is at the bottom, as on most boards.
            Some(&i) => rows.len() - 1 - rows.binary_search(&order(f.arguments[i])).ok()?,
        };
        Some((row, column))
    };
    let places: BTreeSet<(usize, usize)> = of.iter().filter_map(|f| at(f)).collect();
    if !line && places.len() < 4 {
        return None;
    }
    // At most one piece a square, as far as the start shows.
    let mut start: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let initial = game.initial();
    for f in of.iter().filter(|f| initial.0[f.var] as usize == f.value) {
        *start.entry(at(f)?).or_default() += 1;
    }
    if start.values().any(|&n| n > 1) {
        return None;
    }
    let word =
        |f: &Fact<'_>| candidate.piece.map_or(candidate.functor.clone(), |i| f.arguments[i].to_owned());
    let blank = candidate.piece.and_then(|_| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        of.iter()
            .filter(|f| initial.0[f.var] as usize == f.value)
            .for_each(|f| *counts.entry(word(f)).or_default() += 1);
        nothing(&counts, &of.iter().map(|f| word(f)).collect())
    });
    let squares: Vec<Square> = places
        .iter()
        .map(|&(row, column)| Square {
            row,
            column,
            name: match line {
                true => axis_name(columns[column], are_letters[0]),
                false => {
                    let column = axis_name(columns[column], are_letters[0]);
                    let row = axis_name(rows[rows.len() - 1 - row], are_letters[1]);
                    // Short where nobody can mistake it.
                    if are_letters == [true, false] { column + &row } else { format!("{column},{row}") }
                }
            },
        })
        .collect();
    let index: BTreeMap<(usize, usize), usize> = places.iter().enumerate().map(|(i, &at)| (at, i)).collect();
    let mut pieces: Vec<String> = vec![];
    let mut puts = empty(game);
    for f in &of {
        let name = word(f);
        if Some(&name) == blank.as_ref() {
            continue;
        }
        let name = visible(&name).into_owned();
        let piece = pieces.iter().position(|p| *p == name).unwrap_or_else(|| {
            pieces.push(name);
            pieces.len() - 1
        });
        puts[f.var][f.value] = Some((*index.get(&at(f)?)?, piece));
    }
    let mut home = vec![None; game.variables().len()];
    let mut seen: BTreeMap<usize, Option<usize>> = BTreeMap::new();
    for f in &of {
        let square = index.get(&at(f)?).copied();
        seen.entry(f.var).and_modify(|s| *s = s.filter(|_| *s == square)).or_insert(square);
    }
    seen.iter().for_each(|(&var, &square)| home[var] = square);
    let others = (0..game.variables().len())
        .filter(|var| !seen.contains_key(var) && !is_turn(game, VarId(*var as u32)))
        .map(|var| VarId(var as u32))
        .collect();
    let kind = match line {
        true => Kind::Line,
        false if is_hex(&places) => Kind::Hex,
        false => Kind::Grid,
    };
    let style = match pieces.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["x", "o"] | ["o", "x"] => Style::Marks,
        _ => Style::Tokens,
    };
    let rows = if line { 1 } else { rows.len() };
    Some(Layout {
        kind,
        style,
        rows,
        columns: columns.len(),
        squares,
        pieces,
        lines: vec![],
        puts,
        home,
        others,
    })
}

/// The word for nothing among those that stand on squares at the start, if there is one.
fn nothing(counts: &BTreeMap<String, usize>, all: &BTreeSet<String>) -> Option<String> {
    // A letter that follows one that is a piece too is one of many pieces: tiles are called a, b, c.
    let is_in_a_row = |word: &str| match word.as_bytes() {
        &[letter] => all.contains(&char::from(letter - 1).to_string()),
        _ => false,
    };
    let mut words: Vec<(&String, &usize)> = counts
        .iter()
        .filter(|(word, _)| NOTHING.contains(&word.to_ascii_lowercase().as_str()) && !is_in_a_row(word))
        .collect();
    // "b" may be black where there is a better word for nothing.
    words.sort_by_key(|(word, n)| (word.len() > 1, **n));
    words.last().map(|(word, _)| (*word).clone())
}

/// What a row or a column is called: as in the rules, so that whoever reads the name of a move finds the square.
fn axis_name(number: i64, is_letter: bool) -> String {
    match u8::try_from(number) {
        Ok(letter) if is_letter => char::from(letter).to_string(),
        _ => number.to_string(),
    }
}

/// Rows without gaps, each one square longer or shorter than its neighbours.
fn is_hex(places: &BTreeSet<(usize, usize)>) -> bool {
    let mut rows: BTreeMap<usize, (usize, usize, usize)> = BTreeMap::new();
    for &(row, column) in places {
        let (first, last, n) = rows.entry(row).or_insert((column, column, 0));
        (*first, *last, *n) = ((*first).min(column), (*last).max(column), *n + 1);
    }
    let dense = rows.values().all(|&(first, last, n)| last - first + 1 == n);
    let lengths: Vec<usize> = rows.values().map(|&(.., n)| n).collect();
    dense && lengths.len() > 2 && lengths.windows(2).all(|pair| pair[0].abs_diff(pair[1]) == 1)
}

/// No board: everything is a card.
fn cards(game: &Game) -> Layout {
    let others = (0..game.variables().len() as u32).map(VarId).filter(|&var| !is_turn(game, var)).collect();
    Layout {
        kind: Kind::Cards,
        style: Style::Tokens,
        rows: 0,
        columns: 0,
        squares: vec![],
        pieces: vec![],
        lines: vec![],
        puts: empty(game),
        home: vec![None; game.variables().len()],
        others,
    }
}
