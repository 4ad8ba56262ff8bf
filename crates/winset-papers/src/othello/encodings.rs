//! Table 7.1: the same three sets under both encodings.

use super::boards::by_lead;
use super::{FIRST_CODE, options};
use crate::comparison::Comparison;
use crate::error::PapersError;
use crate::setting::Setting;
use winset_games::othello;
use winset_report::table::grouped;
use winset_symbolic::{Bcdd, Encoding, Options, SymbolicError, SymbolicGame};

/// The sets, with their published nodes in the standard and the 3T encoding and the compression.
const PUBLISHED: [(&str, [u64; 2], &str); 3] = [
    ("initial", [34, 22], "35.29%"),
    ("relation", [215_801, 192_422], "10.83%"),
    ("winning", [45_478, 32_636], "28.24%"),
];

/// Compares nodes and percentages on 4x4.
pub fn encodings(setting: &Setting<'_>, comparison: &mut Comparison) -> Result<(), PapersError> {
    let game = othello(4, 4);
    let mut nodes = [[0u64; 3]; 2];
    for (at, encoding) in [Encoding::Standard, Encoding::ShortEmpty].into_iter().enumerate() {
        let options = Options { encoding, ..options(setting) };
        let symbolic = SymbolicGame::<Bcdd>::new(&game, &options)?;
        let space = &symbolic.symbolic.space;
        let initial = space.nodes_of(&symbolic.symbolic.initial);
        let relation = space.nodes_of(&symbolic.symbolic.monolithic()?);
        let mut won = symbolic.won_at_once(FIRST_CODE, space.domain())?;
        if encoding == Encoding::Standard {
            let proper = grouped(space.nodes_of(&won) as u64);
            won = with_unused_codes(&symbolic, &won)?;
            comparison.note(format!(
                "In the standard encoding the thesis's program has no move from a board with an unused code word, \
                 so that such boards count as ended, the unused words as stones of the winner. The winning set \
                 proper has {proper} nodes."
            ));
        }
        nodes[at] = [initial, relation, space.nodes_of(&won)].map(|nodes| nodes as u64);
    }
    for (i, (set, published, compression)) in PUBLISHED.into_iter().enumerate() {
        let [standard, short] = [nodes[0][i], nodes[1][i]];
        comparison.must_match(format!("{set}, standard encoding"), grouped(published[0]), grouped(standard));
        comparison.must_match(format!("{set}, 3T encoding"), grouped(published[1]), grouped(short));
        let saved = u128::from(standard.saturating_sub(short));
        let ours = format!("{:.3}%", 100.0 * saved as f64 / standard as f64);
        comparison.fraction(
            format!("{set}, compression"),
            compression,
            [100 * saved, u128::from(standard)],
            ours,
        );
    }
    Ok(())
}

/// A player's won states, and the boards with unused code words that the thesis's program adds to them.
fn with_unused_codes(game: &SymbolicGame<'_, Bcdd>, won: &Bcdd) -> Result<Bcdd, SymbolicError> {
    let space = &game.symbolic.space;
    let ahead = by_lead(game)?.into_iter().filter(|(lead, _)| *lead > 0).map(|(_, boards)| boards);
    let ahead = space.or_all(ahead.collect())?;
    space.or(won, &space.diff(&ahead, space.domain())?)
}
