//! `winset estimate`: how large a game is and what solving it takes, as far as that is found out in a few seconds.

use crate::args::GameArgs;
use crate::failure::Failure;
use crate::memory;
use crate::output::{self, say};
use crate::report::table::{bytes, grouped};
use crate::source;
use clap::Args;
use serde_json::json;
use winset::{Cost, Estimate};

#[derive(Args, Debug)]
pub struct EstimateArgs {
    #[command(flatten)]
    pub game: GameArgs,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Prints what is found out about a game.
pub fn run(args: &EstimateArgs) -> Result<(), Failure> {
    let loaded = source::game(&args.game)?;
    let estimate = winset::estimate_within(&loaded.rules.game, memory::left());
    let title = loaded.rules.game.title();
    if args.json {
        let mut object = serde_json::to_value(estimate)?;
        object["game"] = json!(title);
        return output::json(&object);
    }
    say!("{title}: {}\n", sentence(&estimate))?;
    Ok(())
}

/// The estimate in a sentence.
pub fn sentence(estimate: &Estimate) -> String {
    let counted = grouped(estimate.positions);
    let takes = |cost: Cost| {
        let [memory, disk] = [cost.memory, cost.disk].map(|size| bytes(size as u64));
        format!("; solving takes about {}, {memory} of memory, {disk} of disk", duration(cost.seconds))
    };
    let takes = estimate.cost.map_or(String::new(), takes);
    match &estimate.expected {
        _ if estimate.exact => format!("{counted} positions, which is exact{takes}"),
        Some(expected) => {
            let [likely, low, high] = [expected.positions, expected.low, expected.high].map(about);
            let word = if expected.rough { "very roughly" } else { "about" };
            format!("{word} {likely} positions ({low} to {high}){takes}")
        }
        None => {
            let most = estimate.at_most;
            let most = if most.is_finite() {
                format!(", and there are at most {}", about(most))
            } else {
                String::new()
            };
            format!("{counted} positions were counted in some seconds{most}; solving may take long")
        }
    }
}

/// A number that is not known to more than two digits.
pub fn about(number: f64) -> String {
    if number < 1e15 {
        let unit = 10f64.powf(number.max(1.0).log10().floor() - 1.0).max(1.0);
        grouped(((number / unit).round() * unit) as u64)
    } else {
        format!("{number:.1e}")
    }
}

/// A time that is not known exactly.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1.0 => "a second".to_owned(),
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s if s < 172_800.0 => format!("{:.0} h", s / 3600.0),
        s => format!("{} days", about(s / 86_400.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_digits_are_enough() {
        assert_eq!(
            [0.4, 7.0, 1234.0, 987_654.0, 4.53e12].map(about),
            ["0", "7", "1,200", "990,000", "4,500,000,000,000"]
        );
        assert_eq!(about(3e17), "3.0e17");
        let times = [0.2, 12.3, 600.0, 40_000.0, 1e7].map(duration);
        assert_eq!(times, ["a second", "12 s", "10 min", "11 h", "120 days"]);
    }
}
