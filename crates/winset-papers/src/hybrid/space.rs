//! Table 5: the nodes of every layer of 6x5, and what follows from them.

use super::published;
use crate::comparison::Comparison;
use crate::error::PapersError;
use crate::setting::{Setting, Watch};
use winset_games::connect4;
use winset_model::Game;
use winset_symbolic::{Bdd, Encoding, Kind, Options, Order, Symbolic, SymbolicError, TurnPlace, layers};

/// The bytes that the paper takes for a node.
const NODE: u128 = 20;

/// The two terminal nodes, which the paper does not count.
const TERMINAL: usize = 2;

/// For tests.
const A_FEW: usize = 12;

/// Nodes by the BDD engine, and bytes of diagrams and bit vectors. For tests only the first layers.
pub fn table_5(setting: &Setting<'_>, comparison: &mut Comparison) -> Result<(), PapersError> {
    let table = published::space_6x5();
    let mut watch = Watch::new(setting);
    if setting.is_small() {
        watch.enough = A_FEW;
    }
    forward(setting, &mut watch)?;
    let layers = table.column("layer").len().min(watch.enough);
    let [states, nodes] = ["states", "nodes"].map(|name| table.column(name)[..layers].to_vec());
    let our_states: Vec<u128> = watch.iterations.iter().map(|it| it.states).collect();
    comparison.layers(|layer| format!("6x5 layer {layer}, states (Table 5)"), &states, &our_states);
    let our_nodes: Vec<u128> = watch.iterations.iter().map(|it| (it.nodes - TERMINAL) as u128).collect();
    comparison.layers(|layer| format!("6x5 layer {layer}, nodes (Table 5)"), &nodes, &our_nodes);
    let [diagrams, vectors, needed] = ["bdd", "bits", "needed"].map(|name| table.cells(name));
    let bytes = |layer: usize| {
        let at = |column: &[u128]| column.get(layer).copied().unwrap_or(0);
        (NODE * at(&our_nodes), at(&our_states).div_ceil(4))
    };
    for layer in 0..layers.min(our_nodes.len()) {
        let ((diagram, vector), (next_diagram, next_vector)) = (bytes(layer), bytes(layer + 1));
        let all = diagram + vector + next_diagram + next_vector;
        let mut columns = vec![("diagram", diagrams[layer], diagram), ("bit vector", vectors[layer], vector)];
        // Of the last layer that was looked at, the next one is not known.
        if layer + 1 < layers || !setting.is_small() {
            columns.push(("memory needed", needed[layer], all));
        }
        for (what, published, ours) in columns {
            let (digits, unit) = unit(published);
            let shown = format!("{:.3}", ours as f64 / unit as f64);
            let what =
                format!("6x5 layer {layer}, {what} in {} (Table 5)", published.trim_start_matches(digits));
            let why = "follows from the nodes and states above; the paper rounds now up, now to the nearest";
            comparison.beside(what, digits, shown, why);
        }
    }
    comparison.note(
        "Table 5: the paper names neither its order nor its code words. Its nodes are those of plain diagrams without the two \
         terminal nodes, columns from left to right, each from the bottom up, a bit for the turn, and a square's two bits 01 \
         empty, 10 and 11 the players' stones (or what is the same with a bit negated): this was found by trying 15 codes and 5 orders on \
         layers 0 to 5. Diagrams at 20 bytes a node, KB and MB of 1,024 and 1,048,576 bytes.",
    );
    Ok(())
}

/// The layers, as far as the watch wants to see them.
fn forward(setting: &Setting<'_>, watch: &mut Watch<'_>) -> Result<(), PapersError> {
    let game = connect4(6, 5, 4);
    let options = Options {
        kind: Kind::Plain,
        encoding: Encoding::UnusedFirst,
        order: Order::List(columns_from_the_bottom(&game)),
        turn: TurnPlace::Top,
        memory: setting.memory,
        ..Options::default()
    };
    let mut symbolic = Symbolic::<Bdd>::from_game(&game, &options)?;
    let every_move_counts = vec![1; symbolic.parts.len()];
    symbolic.measure_by(&every_move_counts);
    match layers(&symbolic, 0, watch) {
        Ok(_) => Ok(()),
        Err(SymbolicError::Cancelled) if watch.iterations.len() >= watch.enough => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// The names of the squares.
fn columns_from_the_bottom(game: &Game) -> Vec<String> {
    let squares = (0..6).flat_map(|column| (0..5).rev().map(move |row| (row, column)));
    squares.map(|(row, column)| game.variables()[game.cell(row, column).index()].name.clone()).collect()
}

/// The number and the unit of something like `1.2KB`.
fn unit(text: &str) -> (&str, u128) {
    let units = [("KB", 1 << 10), ("MB", 1 << 20), ("B", 1)];
    let found = units.iter().find_map(|(name, unit)| Some((text.strip_suffix(name)?, *unit)));
    found.unwrap_or((text, 1))
}
