//! Solves a game of the library without anything around it, to measure the engine alone.
//!
//! `cargo run --release -p winset-explicit --example solve -- checkers 5 [threads=2] [memory=100000000] [group=1000] [symmetry=100000]
//! [dense=1] [distance=0] [start=POSITION] [checkpoint=DIR]`

use std::collections::HashMap;
use std::time::{Duration, Instant};
use winset_explicit::{Count, ExplicitError, Keep, Key, Observer, Options, solve, width};

/// Says what each tier takes, part by part.
struct Told(Instant);

/// The seconds of work of all threads, where the system says so.
fn work() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    let ticks: u64 = text.rsplit_once(')')?.1.split_whitespace().nth(11)?.parse().ok()?;
    Some(ticks as f64 / 100.0)
}

impl<K: Key> Observer<K> for Told {
    fn counted(
        &mut self,
        number: usize,
        count: &Count,
        parts: (u64, u64),
        solved: bool,
    ) -> Result<(), ExplicitError> {
        let Count { measure, positions, .. } = count;
        let what = if solved { "solved" } else { "found" };
        let (seconds, work) = (self.0.elapsed().as_secs_f64(), work().unwrap_or_default());
        println!(
            "{what} tier {number} of measure {measure}: {positions} positions, {} parts with {} numbers, {seconds:.1} s, \
             {work:.1} s of work",
            parts.0, parts.1
        );
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words: Vec<String> = vec![];
    let mut settings: HashMap<String, String> = HashMap::new();
    for argument in std::env::args().skip(1) {
        match argument.split_once('=') {
            Some((name, value)) => drop(settings.insert(name.to_owned(), value.to_owned())),
            None => words.push(argument),
        }
    }
    let name = words.first().ok_or("which game?")?;
    let mut game = winset_games::build(name, words.get(1).map(String::as_str), &Default::default())?;
    if let Some(start) = settings.get("start") {
        let initial = game.parse(start)?;
        let mut parts = game.into_builder();
        parts.initial = initial;
        game = parts.build()?;
    }
    let number = |name: &str, otherwise: u64| settings.get(name).map_or(Ok(otherwise), |text| text.parse());
    let clock = Instant::now();
    let mut options = Options::of(&game);
    options.threads = number("threads", 1)? as usize;
    options.memory = number("memory", 8 << 30)?;
    options.scratch = Some(std::env::temp_dir());
    if settings.contains_key("group") {
        options.group = Some(number("group", 1)? as usize);
    }
    if settings.contains_key("symmetry") {
        options.symmetry = Some(number("symmetry", 0)?);
    }
    options.dense = number("dense", 0)? > 0;
    options.distance = number("distance", 1)? > 0;
    options.checkpoint = settings
        .get("checkpoint")
        .map(|directory| Keep { directory: directory.into(), often: Duration::from_secs(600) });
    println!("{name}: {:.2} s to find the measure", clock.elapsed().as_secs_f64());
    let solution = match width(&game) {
        0..=64 => solve::<u64>(&game, &options, &mut Told(clock))?,
        65..=128 => solve::<u128>(&game, &options, &mut Told(clock))?,
        _ => solve::<winset_explicit::Wide<8>>(&game, &options, &mut Told(clock))?,
    };
    let largest = solution.tiers.iter().map(|tier| tier.count.positions).max().unwrap_or(0);
    println!(
        "{} positions in {} tiers of up to {largest}, value {:?}, {} states on disk in {} bytes, {:.2} s",
        solution.positions(),
        solution.tiers.len(),
        solution.value,
        solution.on_disk.0,
        solution.on_disk.1,
        clock.elapsed().as_secs_f64()
    );
    Ok(())
}
