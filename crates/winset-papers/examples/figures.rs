//! Prints one of the paper's tables beside ours: `relations`, `relation`, `sets`, `peaks`, `results` or `orders`, with
//! the largest board (`relation`: this board only).

use std::time::{Duration, Instant};
use winset_papers::checkers::{Setup, Symquest, diagonal, horizontal, search_all, tables};
use winset_reorder::Limits;
use winset_symbolic::Options;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let largest = arguments.get(1).and_then(|n| n.parse().ok()).unwrap_or(4);
    let limits = Limits { growth: 120, time: Duration::from_secs(120) };
    let start = Instant::now();
    let rows = match arguments.first().map(String::as_str) {
        Some("relations") => tables::relations(largest, &limits, 2 << 30)?,
        Some("relation") => tables::relation(largest, &limits, 6 << 30)?,
        Some("sets") => tables::reachable_sets(largest, &limits, 4 << 30)?,
        Some("peaks") => tables::peaks(64 << 20)?,
        Some("results") => tables::results(largest, &Options { memory: 8 << 30, ..Options::default() })?,
        Some("one") => {
            let order = if arguments[2] == "diagonal" { diagonal(largest) } else { horizontal() };
            let setup = Setup {
                order,
                limit: arguments[3] == "limit",
                rest: false,
                parts: arguments[4].parse()?,
                memory: 64 << 20,
            };
            let symquest = Symquest::new(largest, &setup)?;
            println!("compiled after {:?}", start.elapsed());
            let peak = symquest.can_win(0)?;
            println!("{} iterations, peak {}, {:?}", peak.iterations, peak.peak, start.elapsed());
            vec![]
        }
        _ => {
            let found = search_all(largest, 2, 10)?;
            println!("{} orders; horizontal {}, diagonal {}", found.tried, found.horizontal, found.diagonal);
            for (size, order) in found.best {
                println!("{size:8} {}", order.join(","));
            }
            vec![]
        }
    };
    for row in rows {
        println!("{:44} {:>12} {:>12}  {}", row.label, row.published, row.ours, row.note);
    }
    println!("{:?}", start.elapsed());
    Ok(())
}
