//! Positions and diagrams for other programs.

use crate::error::ExploreError;
use std::io::Write;
use winset_model::{Explicit, Outcome, Valuation, visible};
use winset_store::Store;

/// No larger diagram is drawn.
const MOST_NODES: u64 = 2000;
/// The memory of a set that is drawn.
const SET_BYTES: u64 = 64 << 20;

/// A stored position.
struct Entry {
    layer: usize,
    measure: Option<u32>,
    text: String,
    player: String,
    /// For who is to move, if it is known.
    outcome: Option<Outcome>,
    valuation: Valuation,
}

/// Visits the solved positions of the chosen layers (none chosen: all) that are not terminal, in their order.
/// Layers are numbered in the order of play.
fn each(
    store: &Store,
    layers: &[usize],
    mut visit: impl FnMut(&Entry) -> Result<(), ExploreError>,
) -> Result<u64, ExploreError> {
    let game = store.game();
    let mut explicit = Explicit::new(game);
    let mut count = 0;
    for (number, record) in store.manifest().layers.iter().enumerate() {
        if record.values.is_none() || !(layers.is_empty() || layers.contains(&number)) {
            continue;
        }
        let mut positions = store.positions(record.layer)?;
        loop {
            let found = positions.by_ref().take(64).collect::<Result<Vec<_>, _>>()?;
            if found.is_empty() {
                break;
            }
            explicit.load(found.iter().map(|(state, _)| state.clone()).collect());
            for (lane, (state, valuation)) in found.iter().enumerate() {
                let at = explicit.lane(lane);
                let Some(player) = at.turn().filter(|_| !at.is_terminal()) else { continue };
                count += 1;
                visit(&Entry {
                    layer: number,
                    measure: store.manifest().header.layering.measure(record),
                    text: game.print(state),
                    player: game.player_name(player).to_owned(),
                    outcome: valuation.outcome(player, store.every_play_ends()),
                    valuation: *valuation,
                })?;
            }
        }
    }
    Ok(count)
}

/// The positions as comma-separated values. Returns how many.
pub fn write_csv(out: &mut dyn Write, store: &Store, layers: &[usize]) -> Result<u64, ExploreError> {
    let rewards: String =
        (0..store.game().players().len()).map(|player| format!("reward_{player},")).collect();
    writeln!(out, "layer,measure,position,player,value,{rewards}remoteness")?;
    each(store, layers, |entry| {
        let remoteness = entry.valuation.remoteness.plies().map_or(String::new(), |plies| plies.to_string());
        let text = visible(&entry.text).replace('"', "\"\"");
        let measure = entry.measure.map_or(String::new(), |measure| measure.to_string());
        let player = csv_cell(&entry.player);
        let (layer, value) = (entry.layer, entry.outcome.map_or("", Outcome::word));
        let rewards: String = entry.valuation.rewards.iter().map(|reward| format!("{reward},")).collect();
        Ok(writeln!(out, "{layer},{measure},\"{text}\",{player},{value},{rewards}{remoteness}")?)
    })
}

/// A text of any characters as one cell.
pub(crate) fn csv_cell(text: &str) -> String {
    let text = visible(text);
    match text.contains([',', '"']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.into_owned(),
    }
}

/// The positions as JSON, one object a line. Returns how many.
pub fn write_json_lines(out: &mut dyn Write, store: &Store, layers: &[usize]) -> Result<u64, ExploreError> {
    each(store, layers, |entry| {
        let object = serde_json::json!({
            "layer": entry.layer,
            "measure": entry.measure,
            "position": entry.text,
            "player": entry.player,
            "positionValue": entry.outcome.map(Outcome::word),
            "rewards": *entry.valuation.rewards,
            "remoteness": entry.valuation.remoteness.plies(),
        });
        Ok(writeln!(out, "{object}")?)
    })
}

/// The diagram of a layer's set for Graphviz, with the digits' values on the edges.
pub fn write_dot(out: &mut dyn Write, store: &Store, number: usize) -> Result<(), ExploreError> {
    let record = store.manifest().layers.get(number).ok_or(ExploreError::NoLayer(number))?;
    let layer = record.layer;
    let nodes = store.set_nodes(layer)?;
    if nodes > MOST_NODES {
        return Err(ExploreError::TooLarge(nodes, MOST_NODES));
    }
    let (index, blocks, game) = (store.read_set(layer, SET_BYTES)?, store.blocks()?, store.game());
    writeln!(out, "digraph layer_{number} {{\n  node [shape=circle, label=\"\"];")?;
    for (k, level) in index.levels().iter().enumerate() {
        let block = &blocks.blocks[k];
        let names: Vec<&str> =
            block.vars.iter().map(|var| game.variables()[var.index()].name.as_str()).collect();
        writeln!(out, "  // level {k}: {}", names.join(" "))?;
        for node in 0..level.nodes() as u32 {
            for e in level.edges(node) {
                let values = block.digits.get(usize::from(level.digit[e])).map_or(&[][..], |v| v);
                let words: Vec<&str> = block
                    .vars
                    .iter()
                    .zip(values)
                    .map(|(var, &value)| game.variables()[var.index()].values[usize::from(value)].as_str())
                    .collect();
                let label = words.join(" ").replace('\\', "\\\\").replace('"', "\\\"");
                writeln!(out, "  n{k}_{node} -> n{}_{} [label=\"{label}\"];", k + 1, level.child[e])?;
            }
        }
    }
    writeln!(out, "  n{}_0 [shape=box];\n}}", index.levels().len())?;
    Ok(())
}
