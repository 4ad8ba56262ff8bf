//! Estimates beside what is known.
use std::time::Instant;
use winset::{Catalogue, Choices};

fn main() {
    let only: Vec<String> = std::env::args().skip(1).collect();
    for line in include_str!("../tests/estimates/known.txt").lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let &[name, size, option, truth, seconds, memory] = words.as_slice() else { continue };
        if !only.is_empty() && !only.iter().any(|word| line.contains(word.as_str())) {
            continue;
        }
        let size = (size != "-").then_some(size);
        let choices = match option.split_once('=') {
            Some((option, value)) => Choices([(option.to_owned(), value.to_owned())].into()),
            None => Choices::default(),
        };
        let rules = match Catalogue::default().find(name, size, &choices) {
            Ok(rules) => rules,
            Err(error) => {
                println!("{name}: {error}");
                continue;
            }
        };
        let clock = Instant::now();
        let estimate = winset::estimate(&rules.game);
        let took = clock.elapsed().as_secs_f64();
        let number = |word: &str| word.parse::<f64>().unwrap_or(f64::NAN);
        let likely = estimate.expected.map_or(f64::NAN, |expected| expected.positions);
        let cost = estimate.cost;
        println!(
            "{:30} {:5} true {:.3e} ratio {:.3} [{:.2}, {:.2}]{} seconds {:.1} of {seconds} memory {:.0} MiB of {memory} disk {:.0} MiB; took {took:.1}",
            rules.game.title(),
            estimate.exact,
            number(truth),
            likely / number(truth),
            estimate.expected.map_or(0.0, |e| e.low / number(truth)),
            estimate.expected.map_or(0.0, |e| e.high / number(truth)),
            if estimate.expected.is_some_and(|e| e.rough) { " rough" } else { "" },
            cost.map_or(f64::NAN, |cost| cost.seconds),
            cost.map_or(f64::NAN, |cost| cost.memory) / 1048576.0,
            cost.map_or(f64::NAN, |cost| cost.disk) / 1048576.0,
        );
    }
}
