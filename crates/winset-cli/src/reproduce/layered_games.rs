//! General games in GDL, layer by layer and with the reward matrix (Table 1).

use super::Setting;
use crate::engines::failure;
use crate::failure::Failure;
use crate::report::comparison::Comparison;
use crate::report::table::{grouped, seconds};
use crate::source;
use std::time::Instant;
use winset_layers::LayersError;
use winset_model::{Game, Rewards};
use winset_symbolic::{Algorithm, Options, Solution, SolveOptions, solve};

struct Row {
    title: &'static str,
    /// The game's name in the library of GDL games.
    name: &'static str,
    /// Published times in seconds: layered, matrix (none: out of memory).
    times: (u32, Option<u32>),
    outcome: &'static str,
    /// The players are listed in the other order in the paper.
    reversed: bool,
    /// Minutes or gigabytes: layered, matrix.
    large: (bool, bool),
}

const fn row(
    title: &'static str,
    name: &'static str,
    times: (u32, Option<u32>),
    outcome: &'static str,
    reversed: bool,
    large: (bool, bool),
) -> Row {
    Row { title, name, times, outcome, reversed, large }
}

const ROWS: [Row; 11] = [
    row("Catch a Mouse", "catch-a-mouse", (24, Some(104)), "100/0", true, (false, false)),
    row("Chomp", "chomp", (10, Some(2)), "100/0", false, (false, false)),
    row("Clobber 3x4", "clobber-3x4", (1, Some(1)), "0/40", false, (false, false)),
    row("Clobber 4x5", "clobber-4x5", (643, Some(4731)), "30/0", false, (true, true)),
    row("Connect Four 5x6", "connect-four-5x6", (1897, Some(8092)), "50/50", false, (true, true)),
    row("Cubi Cup 5", "cubi-cup-5", (30_069, None), "100/0", false, (true, true)),
    row("Nim", "nim", (10, Some(1)), "100/0", false, (false, false)),
    row("Number Tic-Tac-Toe", "number-tic-tac-toe", (101, Some(294)), "100/0", false, (true, true)),
    row("Sheep and Wolf", "sheep-and-wolf", (23, Some(57)), "0/100", false, (false, true)),
    row("Sum 15", "sum-15", (1, Some(0)), "50/50", false, (false, false)),
    row("Tic-Tac-Toe", "tic-tac-toe", (1, Some(0)), "50/50", false, (false, false)),
];

/// Not a matter of minutes.
const HUGE: &str = "cubi-cup-5";

/// More than 10^12 states in small diagrams: nothing for an engine that looks at every state.
const BY_DIAGRAMS: &str = "catch-a-mouse";

/// Every game of the table by both algorithms, and by the layer engine.
pub fn table(setting: &Setting<'_>, comparison: &mut Comparison) -> Result<(), Failure> {
    let mut left_out = vec![];
    for row in &ROWS {
        if row.name == HUGE && !setting.large {
            left_out.push(row.title.to_owned());
            continue;
        }
        setting.progress.step("layered-games", 0, None, row.title);
        let text = winset_gdl::game(row.name).expect("in the library");
        let game = source::catalogue().gdl(row.name, &text)?.game;
        let mut known = None;
        if row.name != BY_DIAGRAMS {
            let clock = Instant::now();
            let solved = match winset_layers::solve(&game, &setting.layers(), &mut ()) {
                Err(error @ LayersError::Memory { .. }) => {
                    let what = format!("{}, outcome", row.title);
                    comparison.compare(what, row.outcome, "not solved", &error.to_string());
                    continue;
                }
                solved => solved?,
            };
            let time = clock.elapsed().as_secs_f64();
            let rewards = solved.value.unwrap_or(Rewards::from([]));
            report(row, &rewards, solved.positions(), comparison);
            comparison.compare(format!("{}, layer engine, seconds", row.title), "", seconds(time), "");
            known = Some(rewards);
        }
        let runs = [
            (Algorithm::Layered, "layered", Some(row.times.0), row.large.0),
            (Algorithm::Matrix, "matrix", row.times.1, row.large.1),
        ];
        for (algorithm, name, published, large) in runs {
            if large && !setting.large {
                left_out.push(format!("{} {name}", row.title));
                continue;
            }
            let published = published.map_or("out of memory".to_owned(), |s| s.to_string());
            let what = format!("{}, BDD {name}, seconds", row.title);
            let clock = Instant::now();
            let solved = symbolic(setting, &game, algorithm)?;
            let ours = seconds(clock.elapsed().as_secs_f64());
            let rewards = known.get_or_insert_with(|| {
                report(row, &solved.rewards, solved.positions, comparison);
                solved.rewards
            });
            let facts = format!("{} layers, {} states", solved.layers.len(), grouped(solved.layer_positions));
            let [first, other] = [*rewards, solved.rewards].map(|rewards| outcome(&rewards, row.reversed));
            comparison.compare(what, published, ours, &facts);
            if first != other {
                comparison.must_match(format!("{}, outcome, BDD {name}", row.title), first, other);
            }
        }
    }
    if !left_out.is_empty() {
        comparison.notes.push(format!("With --large also: {}.", left_out.join(", ")));
    }
    comparison.notes.push(
        "Times are seconds on different machines. The paper's Chomp counts every position that is not \
         terminal twice (25,734); 12,868 is exact."
            .to_owned(),
    );
    Ok(())
}

/// The outcome beside the published one, and the number of positions.
fn report(row: &Row, rewards: &[u8], positions: u128, comparison: &mut Comparison) {
    let ours = outcome(rewards, row.reversed);
    comparison.must_match(format!("{}, outcome", row.title), row.outcome, ours);
    comparison.compare(format!("{}, positions", row.title), "", grouped(positions), "");
}

/// Solves by the BDD engine.
fn symbolic(setting: &Setting<'_>, game: &Game, algorithm: Algorithm) -> Result<Solution, Failure> {
    let options = Options { memory: setting.memory, ..Options::default() };
    let how = SolveOptions { algorithm, ..Default::default() };
    solve(game, &options, how, &mut ()).map_err(failure)
}

fn outcome(rewards: &[u8], reversed: bool) -> String {
    let mut each: Vec<String> = rewards.iter().map(u8::to_string).collect();
    if reversed {
        each.reverse();
    }
    each.join("/")
}
