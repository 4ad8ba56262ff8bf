//! "Layer-Abstraction for Symbolically Solving General Two-Player Games" (2010): general games in GDL, layer by layer and
//! with the reward matrix (Table 1), and what had to be guessed to get its outcomes.

mod fitted;

use crate::comparison::Comparison;
use crate::error::PapersError;
use crate::setting::{Setting, Watch};
use std::time::Instant;
use winset_layers::LayersError;
use winset_model::{Game, Rewards};
use winset_report::table::{grouped, seconds};
use winset_symbolic::{Algorithm, Bcdd, Options, Solution, SolveOptions, Symbolic, reach, solve};

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

/// What the text says of two games: layers and states of the layered search, and of the one that removes duplicates.
const LAYERS: [(&str, [&str; 2], [&str; 2]); 2] =
    [("chomp", ["56", "162,591"], ["8", "25,734"]), ("nim", ["63", "1,866,488"], ["5", "129,776"])];

/// Not a matter of minutes.
const HUGE: &str = "cubi-cup-5";

/// More than 10^12 states in small diagrams: nothing for an engine that looks at every state.
const BY_DIAGRAMS: &str = "catch-a-mouse";

/// Every game of the table by both algorithms, and by the layer engine.
pub fn table(setting: &Setting<'_>, comparison: &mut Comparison) -> Result<(), PapersError> {
    let mut left_out = vec![];
    for row in &ROWS {
        let huge = row.name == HUGE && !setting.is_large();
        if huge || (setting.is_small() && (row.large.0 || row.large.1)) {
            left_out.push(row.title.to_owned());
            continue;
        }
        setting.begin("layered-games", row.title);
        let text = winset_gdl::game(row.name).expect("in the library");
        let game = setting.catalogue.gdl(row.name, &text)?.game;
        let mut known = None;
        if row.name != BY_DIAGRAMS {
            let clock = Instant::now();
            let solved = match winset_layers::solve(&game, &setting.layers(), &mut ()) {
                Err(error @ LayersError::Memory { .. }) => {
                    let what = format!("{}, outcome", row.title);
                    comparison.beside(what, row.outcome, "not solved", &error.to_string());
                    continue;
                }
                solved => solved?,
            };
            let time = clock.elapsed().as_secs_f64();
            let rewards = solved.value.unwrap_or(Rewards::from([]));
            report(row, &rewards, solved.positions(), comparison);
            comparison.ours(format!("{}, layer engine, seconds", row.title), seconds(time));
            known = Some(rewards);
        }
        let runs = [
            (Algorithm::Layered, "layered", Some(row.times.0), row.large.0),
            (Algorithm::Matrix, "matrix", row.times.1, row.large.1),
        ];
        for (algorithm, name, published, large) in runs {
            if large && !setting.is_large() {
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
            comparison.beside(what, published, ours, MACHINE);
            let [first, other] = [*rewards, solved.rewards].map(|rewards| outcome(&rewards, row.reversed));
            if first != other {
                let what =
                    format!("{} by BDDs, {name}, is {other}; the layer engine says {first}", row.title);
                return Err(PapersError::Disagree(what));
            }
            if algorithm == Algorithm::Layered {
                let all =
                    format!("{} layers, {} states", solved.layers.len(), grouped(solved.layer_positions));
                comparison.ours(format!("{}, BDD layered, layers and their states", row.title), all);
                counts(setting, row, &game, &solved, comparison)?;
            }
        }
    }
    if !left_out.is_empty() {
        comparison.note(format!("With --large also: {}.", left_out.join(", ")));
    }
    comparison.note("The paper counts layers without the one of the start.");
    fitted::alternatives(setting, comparison)
}

/// The machine that the published times are of.
const MACHINE: &str = "a machine of 2010 with 2.67 GHz";

/// Layers and states, of the two games of which they were published.
fn counts(
    setting: &Setting<'_>,
    row: &Row,
    game: &Game,
    solved: &Solution,
    comparison: &mut Comparison,
) -> Result<(), PapersError> {
    let Some((_, layered, plain)) = LAYERS.iter().find(|(name, ..)| *name == row.name) else { return Ok(()) };
    let title = row.title;
    let layers = solved.layers.len() - 1;
    comparison.must_match(format!("{title}, layers"), layered[0], layers.to_string());
    comparison.must_match(
        format!("{title}, states over all layers"),
        layered[1],
        grouped(solved.layer_positions),
    );
    let options = Options { memory: setting.memory, ..Options::default() };
    let compiled = Symbolic::<Bcdd>::from_game(game, &options)?;
    let mut watch = Watch::new(setting);
    let reached = reach(&compiled, &mut watch)?;
    // The start and the last search, which finds nothing, are not layers.
    let depth = watch.iterations.len().saturating_sub(2);
    let what = format!("{title}, layers without duplicates");
    comparison.must_match(what, plain[0], depth.to_string());
    let going_on = compiled.space.count(&compiled.space.subtract(&reached, &compiled.stops)?)?;
    let all = compiled.space.count(&reached)?;
    if row.name == "chomp" {
        let what = format!("{title}, states without duplicates, those that go on twice");
        comparison.must_match(what, plain[1], grouped(all + going_on));
        comparison.ours(format!("{title}, states without duplicates"), grouped(all));
    } else {
        comparison.must_match(format!("{title}, states without duplicates"), plain[1], grouped(all));
    }
    Ok(())
}

/// The outcome beside the published one, and the number of positions.
fn report(row: &Row, rewards: &[u8], positions: u128, comparison: &mut Comparison) {
    let ours = outcome(rewards, row.reversed);
    comparison.must_match(format!("{}, outcome", row.title), row.outcome, ours);
    comparison.ours(format!("{}, positions", row.title), grouped(positions));
}

/// Solves by the BDD engine.
fn symbolic(setting: &Setting<'_>, game: &Game, algorithm: Algorithm) -> Result<Solution, PapersError> {
    let options = Options { memory: setting.memory, ..Options::default() };
    let how = SolveOptions { algorithm, ..Default::default() };
    Ok(solve(game, &options, how, &mut ())?)
}

fn outcome(rewards: &[u8], reversed: bool) -> String {
    let mut each: Vec<String> = rewards.iter().map(u8::to_string).collect();
    if reversed {
        each.reverse();
    }
    each.join("/")
}
