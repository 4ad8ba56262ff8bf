//! Letters as strokes, so that a picture needs no font: neither of the system, where there may be none, nor of a file.

/// How a letter is drawn: its width, and its strokes. A point is two letters, across and down, `a` for 0; capitals reach
/// from `a` down to the line at `k`, small letters begin at `d`, what hangs below ends at `n`. A stroke after `~` is
/// rounded at its corners.
const LETTERS: &[(char, u8, &str)] = &[
    ('0', 6, "~aa ga gk ak aa"),
    ('1', 4, "ac ca ck"),
    ('2', 6, "~ad aa ga gf ak,ak gk"),
    ('3', 6, "~ac aa ga gf cf,~cf gf gk ak ai"),
    ('4', 6, "ek ea ah gh"),
    ('5', 6, "fa aa ae,~ae ge gk ak ai"),
    ('6', 6, "~ga aa ag,~ae ge gk ak ae"),
    ('7', 6, "aa ga ck"),
    ('8', 6, "~aa ga gf af aa,~af gf gk ak af"),
    ('9', 6, "~aa ga gg ag aa,~ge gk ak"),
    ('.', 1, "ak ak"),
    (',', 1, "bk am"),
    (':', 1, "ae ae,ak ak"),
    (';', 1, "be be,bk am"),
    ('!', 1, "aa ag,ak ak"),
    ('?', 6, "~ac aa ga gf df dh,dk dk"),
    ('-', 4, "ag eg"),
    ('+', 6, "ag gg,dd dj"),
    ('=', 6, "ae ge,ai gi"),
    ('_', 6, "al gl"),
    ('/', 4, "ak ea"),
    ('\\', 4, "aa ek"),
    ('(', 2, "~ca ad ai cl"),
    (')', 2, "~aa cd ci al"),
    ('[', 2, "ca aa al cl"),
    (']', 2, "aa ca cl al"),
    ('{', 2, "~ca ba bf af,~af bf bl cl"),
    ('}', 2, "~aa ba bf cf,~cf bf bl al"),
    ('<', 6, "gc af gi"),
    ('>', 6, "ac gf ai"),
    ('|', 1, "aa al"),
    ('%', 8, "ga bk,~aa da dd ad aa,~fh ih ik fk fh"),
    ('&', 7, "~hk ac aa ea ed ag ak ek hg"),
    ('*', 4, "cb cf,ac ee,ec ae"),
    ('#', 6, "ca bk,fa ek,ad gd,ah gh"),
    ('$', 6, "~gc gb ab af gf gj aj ai,da dk"),
    ('@', 8, "~fj ak aa ia ih fh fd cd ch fh"),
    ('\'', 1, "aa ac"),
    ('"', 2, "aa ac,ca cc"),
    ('`', 1, "aa bc"),
    ('^', 4, "ad ca ed"),
    ('~', 6, "~ah ae dg gi gf"),
    ('A', 6, "ak da gk,bh fh"),
    ('B', 6, "aa ak,~aa ga gf af,~af gf gk ak"),
    ('C', 6, "~gd ga aa ak gk gh"),
    ('D', 6, "aa ak,~aa ga gk ak"),
    ('E', 5, "fa aa ak fk,af ef"),
    ('F', 5, "fa aa ak,af ef"),
    ('G', 6, "~gd ga aa ak gk gf,gf df"),
    ('H', 6, "aa ak,ga gk,af gf"),
    ('I', 1, "aa ak"),
    ('J', 4, "~ea eh ek ak ah"),
    ('K', 6, "aa ak,ga ag,ce gk"),
    ('L', 5, "aa ak fk"),
    ('M', 8, "ak aa eh ia ik"),
    ('N', 6, "ak aa gk ga"),
    ('O', 7, "~aa ha hk ak aa"),
    ('P', 6, "aa ak,~aa ga gf af"),
    ('Q', 7, "~aa ha hk ak aa,eh hl"),
    ('R', 6, "aa ak,~aa ga gf af,df gk"),
    ('S', 6, "~gc ga aa af gf gk ak ai"),
    ('T', 6, "aa ga,da dk"),
    ('U', 6, "~aa ag ak gk gg ga"),
    ('V', 6, "aa dk ga"),
    ('W', 8, "aa ck ec gk ia"),
    ('X', 6, "aa gk,ga ak"),
    ('Y', 6, "aa df ga,df dk"),
    ('Z', 6, "aa ga ak gk"),
    ('a', 5, "~ad fd fk ak ad,fd fk"),
    ('b', 5, "aa ak,~ad fd fk ak ad"),
    ('c', 5, "~ff fd ad ak fk fi"),
    ('d', 5, "fa fk,~ad fd fk ak ad"),
    ('e', 5, "ag fg,~fg fd ad ak fk fi"),
    ('f', 3, "~da ba bd,bc bk,ad dd"),
    ('g', 5, "~ad fd fk ak ad,fd fk,~fk fn an am"),
    ('h', 5, "aa ak,~ah ad fd fh,fg fk"),
    ('i', 1, "ad ak,aa aa"),
    ('j', 2, "cd ck,~ck cn an,ca ca"),
    ('k', 4, "aa ak,ed ah,bg ek"),
    ('l', 1, "aa ak"),
    ('m', 8, "ad ak,~ah ad ed eh,eg ek,~eh ed id ih,ig ik"),
    ('n', 5, "ad ak,~ah ad fd fh,fg fk"),
    ('o', 5, "~ad fd fk ak ad"),
    ('p', 5, "ad an,~ad fd fk ak ad"),
    ('q', 5, "fd fn,~ad fd fk ak ad"),
    ('r', 3, "ad ak,~ah ad dd"),
    ('s', 4, "~ee ed ad ag eg ek ak aj"),
    ('t', 3, "ba bi,~bh bk dk,ad dd"),
    ('u', 5, "ad ah,~ag ak fk fg,fd fk"),
    ('v', 4, "ad ck ed"),
    ('w', 8, "ad ck ee gk id"),
    ('x', 4, "ad ek,ed ak"),
    ('y', 4, "ad ck,ed bn"),
    ('z', 4, "ad ed ak ek"),
];

/// The height of capitals, in units.
pub(crate) const CAPITAL: f64 = 10.0;
/// What is left free after each letter, and the width of a blank.
const GAP: f64 = 2.4;
const BLANK: f64 = 2.6;

fn letter(c: char) -> (u8, &'static str) {
    let found = LETTERS.iter().find(|(known, ..)| *known == c);
    // A letter nobody drew is a box, as in fonts that lack one.
    found.map_or((6, "aa ga gk ak aa"), |&(_, width, strokes)| (width, strokes))
}

/// The width of a text, in units.
pub(crate) fn width(text: &str) -> f64 {
    let each = |c: char| if c == ' ' { BLANK } else { f64::from(letter(c).0) };
    (text.chars().map(|c| each(c) + GAP).sum::<f64>() - GAP).max(0.0)
}

/// The strokes of a text, in units from the left end of its line, down from the top of its capitals.
pub(crate) fn strokes(text: &str) -> Vec<Vec<(f64, f64)>> {
    let mut all = vec![];
    let mut at = 0.0;
    for c in text.chars() {
        if c == ' ' {
            at += BLANK + GAP;
            continue;
        }
        let (width, strokes) = letter(c);
        for stroke in strokes.split(',') {
            let (round, stroke) = stroke.strip_prefix('~').map_or((false, stroke), |rest| (true, rest));
            let unit = |b: u8| f64::from(b.saturating_sub(b'a'));
            let points =
                stroke.split(' ').map(|pair| (at + unit(pair.as_bytes()[0]), unit(pair.as_bytes()[1])));
            let points: Vec<(f64, f64)> = points.collect();
            all.push(if round { rounded(points) } else { points });
        }
        at += f64::from(width) + GAP;
    }
    all
}

/// Corners cut off again and again (Chaikin 1974), until they are round.
fn rounded(mut points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let closed = points.first() == points.last();
    for _ in 0..4 {
        let mut cut = vec![];
        if !closed {
            cut.extend(points.first().copied());
        }
        for pair in points.windows(2) {
            let ((x, y), (u, v)) = (pair[0], pair[1]);
            cut.push((0.75 * x + 0.25 * u, 0.75 * y + 0.25 * v));
            cut.push((0.25 * x + 0.75 * u, 0.25 * y + 0.75 * v));
        }
        match closed {
            true => cut.extend(cut.first().copied()),
            false => cut.extend(points.last().copied()),
        }
        points = cut;
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_that_can_be_typed_is_drawn_inside_of_its_width() {
        for c in '!'..='~' {
            let found = LETTERS.iter().find(|(known, ..)| *known == c);
            let (_, wide, _) = found.unwrap_or_else(|| panic!("{c} is missing"));
            for (x, y) in strokes(&c.to_string()).concat() {
                assert!(x >= 0.0 && x <= f64::from(*wide), "{c}: {x}");
                assert!((0.0..=13.0).contains(&y), "{c}: {y}");
            }
        }
        assert!(width("WW") > 2.0 * width("i"));
        assert_eq!(strokes("\u{4e2d}").len(), 1, "a box");
    }
}
