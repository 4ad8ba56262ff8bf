//! The paper's own variants on the BDD engine: two-bit retrograde analysis with rank and unrank on the layers' diagrams, by
//! how a state is found to be terminal and by the number of threads (Tables 3 and 4).

use crate::comparison::Comparison;
use crate::error::PapersError;
use crate::setting::{Setting, Size};
use std::time::Instant;
use winset_games::connect4;
use winset_report::table::{grouped, seconds};
use winset_symbolic::{Bcdd, GoalTest, Options, SymbolicGame, layers, two_bit};

/// A variant with the paper's states per second, where it has them, and the size from which on it is run.
type Variant = (&'static str, GoalTest, usize, &'static str, Size);

const TABLE_3: [Variant; 6] = [
    ("direct goal evaluation", GoalTest::Direct, 1, "246,514", Size::Usual),
    ("goal diagram", GoalTest::Diagram, 1, "239,737", Size::Large),
    ("no successors", GoalTest::NoSuccessors, 1, "242,235", Size::Large),
    ("direct goal evaluation", GoalTest::Direct, 2, "", Size::Usual),
    ("goal diagram", GoalTest::Diagram, 2, "", Size::Large),
    ("no successors", GoalTest::NoSuccessors, 2, "", Size::Large),
];

const TABLE_4: [Variant; 4] = [
    ("direct goal evaluation", GoalTest::Direct, 1, "206,975", Size::Large),
    ("direct goal evaluation", GoalTest::Direct, 2, "389,712", Size::Large),
    ("no successors", GoalTest::NoSuccessors, 1, "196,629", Size::Large),
    ("no successors", GoalTest::NoSuccessors, 2, "383,356", Size::Large),
];

/// The machine that the published speeds are of.
const MACHINE: &str = "a Core i7 920 of 2008 with 2.66 GHz";

/// 5x5 and with `--large` 6x5; for tests 4x4, of which nothing was published.
pub fn tables_3_and_4(setting: &Setting<'_>, comparison: &mut Comparison) -> Result<(), PapersError> {
    if setting.is_small() {
        let all = TABLE_3.map(|(name, goal, threads, ..)| (name, goal, threads, "", Size::Small));
        return variants(setting, [4, 4], "", None, &all, comparison);
    }
    comparison.note("The paper's runs on eight cores (Tables 3 and 4) are not repeated.");
    let states = ("69,763,699", "one less than in the paper's own Table 1: the start is not counted");
    variants(setting, [5, 5], " (Table 3)", Some(states), &TABLE_3, comparison)?;
    let states = ("2,938,430,579", "the paper contradicts itself: its Tables 1 and 5 have 2,818,972,642");
    variants(setting, [6, 5], " (Table 4)", Some(states), &TABLE_4, comparison)
}

/// All variants of a board; all must count the same wins.
fn variants(
    setting: &Setting<'_>,
    [columns, rows]: [usize; 2],
    table: &str,
    states: Option<(&str, &str)>,
    variants: &[Variant],
    comparison: &mut Comparison,
) -> Result<(), PapersError> {
    if variants.iter().all(|variant| variant.4 > setting.size) {
        return Ok(());
    }
    let game = connect4(columns, rows, 4);
    let options = Options { memory: setting.memory, ..Options::default() };
    let mut symbolic = SymbolicGame::<Bcdd>::new(&game, &options)?;
    let every_move_counts = vec![1; symbolic.symbolic.parts.len()];
    symbolic.symbolic.measure_by(&every_move_counts);
    let found = layers(&symbolic.symbolic, 0, &mut ())?;
    let mut first = None;
    for &(name, goal, threads, published, _) in variants.iter().filter(|variant| variant.4 <= setting.size) {
        let what = format!("{columns}x{rows}, two bits, {name}, cores: {threads}, states per second{table}");
        setting.begin("hybrid-connect4", &what);
        let clock = Instant::now();
        let solved = two_bit(&symbolic, &found, goal, threads)?;
        let time = clock.elapsed().as_secs_f64();
        let all: u64 = solved.iter().map(|layer| layer.states).sum();
        if let (Some((published, why)), None) = (states, first) {
            comparison.declared(format!("{columns}x{rows}, states{table}"), published, grouped(all), why);
        }
        let why = format!("{MACHINE}; ours took {} s", seconds(time));
        comparison.beside(what, published, grouped((all as f64 / time) as u64), &why);
        let mut counts = [0u64; 3];
        for layer in &solved {
            counts.iter_mut().zip(layer.counts).for_each(|(sum, n)| *sum += n);
        }
        if *first.get_or_insert(counts) != counts {
            let what = format!("{name} on {threads} cores counts other wins than the first variant");
            return Err(PapersError::Disagree(what));
        }
    }
    let [white, drawn, black] = first.unwrap_or_default().map(grouped);
    comparison.note(format!(
        "{columns}x{rows} by two bits, all variants: {white} states won by the first player, {black} by the second, {drawn} drawn."
    ));
    Ok(())
}
