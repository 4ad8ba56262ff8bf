//! The hybrid paper's own variants on the BDD engine: two-bit retrograde analysis with rank and unrank on the
//! layers' diagrams, by how a state is found to be terminal and by the number of threads (Tables 3 and 4).

use super::Setting;
use crate::engines::failure;
use crate::failure::Failure;
use crate::report::comparison::Comparison;
use crate::report::table::{grouped, seconds};
use std::time::Instant;
use winset_games::connect4;
use winset_symbolic::{Bcdd, GoalTest, Options, SymbolicGame, layers, two_bit};

/// The variants with the paper's states per second: Table 3 for one core, Table 4 for two.
const VARIANTS: [(&str, GoalTest, usize, &str); 6] = [
    ("direct goal evaluation", GoalTest::Direct, 1, "246,514"),
    ("goal diagram", GoalTest::Diagram, 1, "239,737"),
    ("no successors", GoalTest::NoSuccessors, 1, "242,235"),
    ("direct goal evaluation", GoalTest::Direct, 2, "389,712"),
    ("goal diagram", GoalTest::Diagram, 2, ""),
    ("no successors", GoalTest::NoSuccessors, 2, "383,356"),
];

/// All variants on 5x4, with `--large` on the paper's 5x5; all must count the same wins.
pub fn variants(setting: &Setting<'_>, comparison: &mut Comparison) -> Result<(), Failure> {
    let rows = if setting.large { 5 } else { 4 };
    let game = connect4(5, rows, 4);
    let options = Options { memory: setting.memory, ..Options::default() };
    let mut symbolic = SymbolicGame::<Bcdd>::new(&game, &options).map_err(failure)?;
    let every_move_counts = vec![1; symbolic.symbolic.parts.len()];
    symbolic.symbolic.measure_by(&every_move_counts);
    let found = layers(&symbolic.symbolic, 0, &mut ()).map_err(failure)?;
    let mut first = None;
    for (name, goal, threads, published) in VARIANTS {
        let what = format!("5x{rows}, two bits, {name}, {threads} core(s), states per second");
        setting.progress.step("hybrid-connect4", 0, None, &what);
        let clock = Instant::now();
        let solved = two_bit(&symbolic, &found, goal, threads).map_err(failure)?;
        let time = clock.elapsed().as_secs_f64();
        let states: u64 = solved.iter().map(|layer| layer.states).sum();
        let note = format!("the machine of 2009; ours took {} s", seconds(time));
        comparison.compare(what, published, grouped((states as f64 / time) as u64), &note);
        let mut counts = [0u64; 3];
        for layer in &solved {
            counts.iter_mut().zip(layer.counts).for_each(|(sum, n)| *sum += n);
        }
        if *first.get_or_insert(counts) != counts {
            return Err(anyhow::anyhow!(
                "{name} on {threads} core(s) counts other wins than the first variant"
            )
            .into());
        }
    }
    let [white, drawn, black] = first.unwrap_or_default().map(grouped);
    comparison.notes.push(format!(
        "5x{rows} by two bits, all variants: {white} states won by the first player, {black} by the second, {drawn} drawn."
    ));
    if !setting.large {
        comparison.notes.push("The two-bit variants run on 5x4; with --large on 5x5.".to_owned());
    }
    Ok(())
}
