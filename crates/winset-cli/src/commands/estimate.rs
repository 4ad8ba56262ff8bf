//! `winset estimate`: how large a game is and what solving it takes.

use crate::args::GameArgs;
use crate::failure::Failure;
use crate::memory;
use crate::output::{self, say};
use crate::progress::Progress;
use crate::report::table::bytes;
use crate::source;
use clap::Args;
use serde_json::json;
use winset::{Catalogue, Estimate, Rules};

#[derive(Args, Debug)]
pub struct EstimateArgs {
    #[command(flatten)]
    pub game: GameArgs,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Prints what is expected of a game.
pub fn run(args: &EstimateArgs) -> Result<(), Failure> {
    let loaded = source::game(&args.game)?;
    let estimate = winset::estimate_within(&loaded.rules.game, memory::left());
    let title = loaded.rules.game.title();
    if args.json {
        let mut object = serde_json::to_value(&estimate)?;
        object["game"] = json!(title);
        return output::json(&object);
    }
    say!("{title}: {}\n", sentence(&estimate))?;
    Ok(())
}

/// Longer work than this is announced, in seconds.
pub const LONG: f64 = 10.0;

/// Says before long work what it takes and whether it fits, to somebody who looks at a terminal; for others it would only
/// cost time.
pub fn announce(game: &GameArgs, rules: &Rules, progress: &mut Progress) {
    if !progress.is_watched() {
        return;
    }
    progress.step("estimate", 0, None, "how large the game is");
    let estimate = winset::estimate_within(&rules.game, memory::left());
    let seconds = estimate.seconds / game.threads_or_cores() as f64;
    if seconds <= LONG {
        return;
    }
    let (budget, title) = (memory::left(), rules.game.title());
    progress.aside(&format!("winset: {title}: {}", sentence(&estimate)));
    if estimate.memory > budget as f64 {
        let smaller = match smaller(rules, budget) {
            Some(size) => format!("; {} {size} would", rules.game.name()),
            None => String::new(),
        };
        progress.aside(&format!("winset: it probably does not fit into {}{smaller}", bytes(budget)));
    }
    progress.expect(seconds);
}

/// The next smaller size of the game that fits, if there is one: the greatest number of the size is made smaller.
fn smaller(rules: &Rules, budget: u64) -> Option<String> {
    let family = Catalogue::family(rules.game.name()).ok().filter(|_| rules.text.is_none())?;
    let mut numbers: Vec<usize> =
        rules.game.size().split('x').map(str::parse).collect::<Result<_, _>>().ok()?;
    for _ in 0..4 {
        let (at, _) = numbers.iter().enumerate().max_by_key(|(_, n)| **n)?;
        numbers[at] -= 1;
        if family.numbers.get(at).is_none_or(|number| numbers[at] < number.min) {
            return None;
        }
        let size = numbers.iter().map(usize::to_string).collect::<Vec<_>>().join("x");
        let mut choices = rules.game.choices().clone();
        choices.0.remove(winset::START);
        let game = source::catalogue().game(family.name, Some(&size), &choices).ok()?.game;
        if winset::estimate_within(&game, memory::left()).memory <= budget as f64 {
            return Some(size);
        }
    }
    None
}

/// The estimate in a sentence.
pub fn sentence(estimate: &Estimate) -> String {
    let positions = match estimate.exact {
        true => format!("{} positions, counted", crate::report::table::grouped(estimate.positions as u64)),
        false => format!(
            "about {} positions ({} to {})",
            number(estimate.positions),
            number(estimate.between.0),
            number(estimate.between.1)
        ),
    };
    format!(
        "{positions}; about {} with one thread, {} of memory, {} on disk",
        duration(estimate.seconds),
        bytes(estimate.memory as u64),
        bytes(estimate.disk as u64)
    )
}

/// A number with two digits that count.
fn number(n: f64) -> String {
    if n < 1e3 {
        return format!("{n:.0}");
    }
    let power = (n.log10() / 3.0).floor() as i32;
    let unit = ["", " thousand", " million", " billion", " trillion"];
    match unit.get(power as usize) {
        Some(unit) => {
            let n = n / 1000f64.powi(power);
            if n < 10.0 { format!("{n:.1}{unit}") } else { format!("{n:.0}{unit}") }
        }
        None => format!("10^{:.0}", n.log10()),
    }
}

/// A duration as people say it.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1.0 => "a second".to_owned(),
        s if s < 100.0 => format!("{s:.0} seconds"),
        s if s < 6000.0 => format!("{:.0} minutes", s / 60.0),
        s if s < 172_800.0 => format!("{:.0} hours", s / 3600.0),
        s if s < 6e7 => format!("{:.0} days", s / 86_400.0),
        s => format!("{} years", number(s / 31_557_600.0)),
    }
}
