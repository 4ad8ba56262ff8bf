//! Plays a few plies of every file of rules that it is given, as one role after the other against random moves, and says
//! whether every answer was legal and how long the slowest took:
//! `cargo run --release -p winset-player --example tournament -- [--plies N] [--clock SECONDS] FILE...`

#[path = "../tests/referee/mod.rs"]
mod referee;

use referee::{Referee, Seat};
use winset_player::Config;

fn main() {
    let mut files = vec![];
    let (mut plies, mut clock) = (4, 2);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next().and_then(|n| n.parse().ok()).expect("a number");
        match argument.as_str() {
            "--plies" => plies = number(),
            "--clock" => clock = number() as u64,
            _ => files.push(argument),
        }
    }
    let (mut played, mut refused, mut wrong) = (0, 0, 0);
    for (n, file) in files.iter().enumerate() {
        let name = file.rsplit('/').next().unwrap_or(file);
        let source = std::fs::read(file).expect("a file that can be read");
        let options = winset_gdl::Options { lenient: true, ..Default::default() };
        let Ok(simulation) = winset_gdl::simulate(&source, &options) else {
            refused += 1;
            println!("{name}: too large to ground");
            continue;
        };
        // A message is one line, and its comments would end it.
        let text = String::from_utf8_lossy(&source);
        let lines = text.lines().map(|line| line.split(';').next().unwrap_or(""));
        let rules = lines.collect::<Vec<_>>().join(" ");
        let seat = Seat::new(Config { memory: 1 << 30, threads: 1, ..Config::default() });
        let id = format!("t.{n}");
        let mut seats = vec![None; simulation.roles().len()];
        let role = n % seats.len();
        seats[role] = Some(&seat);
        let referee =
            Referee { rules: &rules, simulation: &simulation, id: &id, clocks: (clock, clock), most: plies };
        let protocol = referee.play(&seats);
        let bad = !protocol.illegal.is_empty();
        played += usize::from(!bad);
        wrong += usize::from(bad);
        let (answers, slowest) = (protocol.answers, protocol.slowest.as_secs_f64());
        let end = protocol.goals.map_or(String::new(), |goals| format!(", ended {goals:?}"));
        let illegal = if bad { format!(" ILLEGAL {:?}", protocol.illegal) } else { String::new() };
        println!("{name}: {answers} answers, slowest {slowest:.2} s{end}{illegal}");
    }
    println!("{played} played with legal moves throughout, {wrong} not, {refused} too large to ground");
}
