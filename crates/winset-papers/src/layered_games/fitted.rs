//! What the paper does not say and was chosen so that its outcomes come out: Clobber's rewards and Cubi Cup's cubes. The
//! alternatives are solved too, so that everybody sees what the choice decides.

use super::outcome;
use crate::comparison::Comparison;
use crate::error::PapersError;
use crate::setting::Setting;
use winset_report::table::grouped;

/// How many points the winner of Clobber gets for the pieces left, of all pieces.
type Worth = (&'static str, fn(usize, usize) -> usize);

const WORTHS: [Worth; 5] = [
    ("rounded up to tens (chosen)", |left, all| (100 * left).div_ceil(all).div_ceil(10) * 10),
    ("rounded to the nearest ten", |left, all| (1000 * left / all + 50) / 100 * 10),
    ("rounded down to tens", |left, all| 100 * left / all / 10 * 10),
    ("in per cent", |left, all| 100 * left / all),
    ("always 100", |_, _| 100),
];

/// Solves the alternatives.
pub fn alternatives(setting: &Setting<'_>, comparison: &mut Comparison) -> Result<(), PapersError> {
    for (name, pieces, published) in [("clobber-3x4", 12, "0/40"), ("clobber-4x5", 20, "30/0")] {
        if setting.is_small() && pieces > 12 {
            continue;
        }
        let text = winset_gdl::game(name).expect("in the library");
        for (how, worth) in WORTHS {
            let text = with_worth(&text, pieces, worth);
            let (outcome, _) = solved(setting, name, &text)?;
            let what = format!("{name}, the winner's points: the share of pieces left, {how}");
            comparison.beside(what, published, outcome, "fitted: the paper does not give the rewards");
        }
    }
    let sizes = match () {
        () if setting.is_large() => 3..=5,
        () if setting.is_small() => 3..=3,
        () => 3..=4,
    };
    for edge in sizes {
        let all: usize = edge * (edge + 1) * (edge + 2) / 6;
        let name = format!("cubi-cup-{edge}");
        let text = winset_gdl::game(&name).expect("in the library");
        let published = if edge == 5 { "100/0" } else { "" };
        let (up, down) = (all.div_ceil(2), all / 2);
        let mut shares = vec![(up, down), (up, up), (all, all)];
        shares.dedup();
        for (first, second) in shares {
            let text = with_cubes(&text, [up, down], [first, second]);
            setting.begin("layered-games", &format!("{name} with {first} and {second} cubes"));
            let (outcome, positions) = solved(setting, &name, &text)?;
            let what = format!("{name}, {first} and {second} cubes: outcome, positions");
            let chosen = if (first, second) == (up, down) { "chosen; " } else { "" };
            let why = format!("{chosen}fitted: the paper does not say how the {all} cubes are shared out");
            comparison.beside(what, published, format!("{outcome}, {}", grouped(positions)), &why);
        }
    }
    if !setting.is_large() {
        comparison.note(
            "Cubi Cup 5, of which the outcome was published, and its alternatives take hours: with --large.",
        );
    }
    Ok(())
}

/// The rules with other points.
fn with_worth(text: &str, pieces: usize, worth: fn(usize, usize) -> usize) -> String {
    let others = text.lines().filter(|line| !line.starts_with("(worth "));
    let mut text = others.collect::<Vec<_>>().join("\n");
    for left in 1..=pieces {
        text.push_str(&format!("\n(worth {left} {})", worth(left, pieces)));
    }
    text
}

/// The rules with other numbers of cubes.
fn with_cubes(text: &str, from: [usize; 2], to: [usize; 2]) -> String {
    let line = |[red, blue]: [usize; 2]| format!("(init (cubes red {red})) (init (cubes blue {blue}))");
    let mut text = text.replace(&line(from), &line(to));
    for n in from[0]..to[0].max(to[1]) {
        text.push_str(&format!("\n(succ {n} {})", n + 1));
    }
    text
}

/// The outcome and the number of positions, by the layer engine.
fn solved(setting: &Setting<'_>, name: &str, text: &str) -> Result<(String, u128), PapersError> {
    let game = setting.catalogue.gdl(name, text)?.game;
    let solved = winset_layers::solve(&game, &setting.layers(), &mut ())?;
    let rewards = solved.value.unwrap_or(winset_model::Rewards::from([]));
    Ok((outcome(&rewards, false), solved.positions()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_changed_where_they_should_be() {
        let clobber = winset_gdl::game("clobber-3x4").unwrap();
        let lines = |text: &str| {
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            lines.sort();
            lines
        };
        assert_eq!(lines(&with_worth(&clobber, 12, WORTHS[0].1)), lines(&clobber));
        assert_ne!(lines(&with_worth(&clobber, 12, WORTHS[4].1)), lines(&clobber));
        let cubes = winset_gdl::game("cubi-cup-3").unwrap();
        assert_eq!(with_cubes(&cubes, [5, 5], [5, 5]), cubes);
        let more = with_cubes(&cubes, [5, 5], [10, 10]);
        assert!(more.contains("(cubes red 10)") && more.contains("(succ 9 10)"));
    }
}
