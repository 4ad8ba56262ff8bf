//! The table of positions and moves, made from the games themselves.

use winset::{Catalogue, Explicit};

const BEGIN: &str = "<!-- made by crates/winset-cli/tests/guide.rs from here -->\n";
const END: &str = "<!-- to here -->\n";
/// Moves of the start that are shown.
const SHOWN: usize = 4;

/// The page with the table as it must be.
pub fn page(text: &str) -> String {
    let (before, rest) = text.split_once(BEGIN).expect("the mark where the table begins");
    let (_, after) = rest.split_once(END).expect("the mark where the table ends");
    format!("{before}{BEGIN}{}{END}{after}", table())
}

fn table() -> String {
    let mut table = "\n| game | size | the start | moves from there |\n|---|---|---|---|\n".to_owned();
    // Those in GDL come last.
    let built_in = Catalogue::families().count() - Catalogue::library().count();
    for (number, family) in Catalogue::families().enumerate() {
        let in_gdl = number >= built_in;
        let sized = in_gdl && !family.numbers.is_empty();
        let name = if sized { format!("{}-{}", family.name, family.default) } else { family.name.to_owned() };
        let size = (!in_gdl && !family.default.is_empty()).then_some(family.default);
        let game = Catalogue::default().game(&name, size, &Default::default()).unwrap().game;
        let mut explicit = Explicit::new(&game);
        let at = explicit.at(game.initial());
        let moves: Vec<String> = at.moves().map(|id| code(&game.move_at(id).name)).collect();
        let more = if moves.len() > SHOWN { ", ..." } else { "" };
        let shown = moves[..moves.len().min(SHOWN)].join(", ");
        let start = code(&game.print(game.initial()));
        table.push_str(&format!("| {name} | {} | {start} | {shown}{more} |\n", size.unwrap_or("")));
    }
    table + "\n"
}

/// A name as code in a table.
fn code(name: &str) -> String {
    format!("`{}`", name.replace('|', "\\|"))
}
