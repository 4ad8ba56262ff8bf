//! Solves a board one way and says how long it took: `formulas` or `retrograde`, the size, an order and the
//! memory in GiB.

use std::time::Instant;
use winset_papers::checkers::{by_formulas, by_retrograde};
use winset_symbolic::{Options, Order};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [way, n, order, memory] = arguments.as_slice() else {
        return Err("usage: ways formulas|retrograde SIZE ORDER GIB".into());
    };
    let order: Order = order.parse()?;
    let options = Options { memory: memory.parse::<u64>()? << 30, order, ..Options::default() };
    let start = Instant::now();
    match way.as_str() {
        "formulas" => println!("{:?}", by_formulas(n.parse()?, &options)?),
        _ => println!("{:?}", by_retrograde(n.parse()?, &options)?),
    }
    println!("{:?}", start.elapsed());
    Ok(())
}
