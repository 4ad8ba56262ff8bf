//! Kayles and Dawson's Kayles: pins in a row.

use crate::entry::{Entry, Known, MISERE, any, number};
use crate::kit::Kit;
use winset_model::{Family, GameBuilder, Origin, Player, Update, VarId};

const DUDENEY: &str = "Dudeney 1908: the first player leaves two equal rows";
const GUY_SMITH: &str = "Guy and Smith 1956: nimbers of the octal game 0.07";

pub(crate) const ENTRY: Entry = Entry {
    family: Family {
        name: "kayles",
        size: "N",
        default: "12",
        about: "N pins in a row; a throw takes one or two neighbours; who takes the last pin wins",
        numbers: &[number("pins", 1, 26)],
        choices: &[MISERE],
    },
    aliases: &["rip-van-winkle"],
    rules: "A throw knocks down one pin or two neighbouring ones. Who knocks down the last pin wins.",
    known: &[Known::win("12", DUDENEY), Known::win("5", DUDENEY), Known::win("1", DUDENEY)],
    make: |n, _| rules("kayles", n[0], true),
    fit: any,
};

pub(crate) const DAWSON: Entry = Entry {
    family: Family {
        name: "dawsons-kayles",
        size: "N",
        default: "15",
        about: "N pins in a row; a throw takes exactly two neighbours; who cannot loses",
        numbers: &[number("pins", 1, 26)],
        choices: &[MISERE],
    },
    aliases: &["dawson"],
    rules: "A throw knocks down two neighbouring pins. Who cannot loses.",
    known: &[
        Known::loss("15", GUY_SMITH),
        Known::loss("1", GUY_SMITH),
        Known::win("4", GUY_SMITH),
        Known::loss("5", GUY_SMITH),
        Known::win("8", GUY_SMITH),
        Known::loss("9", GUY_SMITH),
        Known::win("14", GUY_SMITH),
        Known::win("16", GUY_SMITH),
    ],
    make: |n, _| rules("dawsons-kayles", n[0], false),
    fit: any,
};

fn rules(name: &str, pins: usize, single: bool) -> GameBuilder {
    let mut game = GameBuilder::new(name, ["first", "second"]);
    game.add_board((1, pins), Origin::Bottom, ".!", |_, _| true);
    let turn = game.add_turn();
    let cells = game.cells();
    let singles = cells.chunks(1).filter(|_| single);
    for hit in singles.chain(cells.windows(2)) {
        let stand = game.all(hit, 1);
        for player in Player::all(2) {
            let fall = hit.iter().map(|&pin: &VarId| Update::set(pin, 0));
            let updates: Vec<Update> = fall.chain([game.hand_over(turn, player)]).collect();
            game.add_move(game.called(hit), player, stand, updates);
        }
    }
    game.who_cannot_move_loses();
    game.begin(&"!".repeat(pins));
    game
}
