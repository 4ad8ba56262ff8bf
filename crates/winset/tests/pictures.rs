//! Positions of all games as text.

use winset::{Catalogue, Choices};
use winset_explore::layout::{Kind, Layout};
use winset_explore::picture::picture;

/// No line is longer than the screen is wide, whatever the game and however small the screen.
#[test]
fn pictures_fit_and_nothing_is_cut() {
    for family in Catalogue::families() {
        let name = match family.name {
            "clobber-" | "clobber" => "clobber-3x4",
            name => name,
        };
        let Ok(rules) = Catalogue::default().game(name, None, &Choices::default()) else { continue };
        let (game, layout) = (&rules.game, Layout::of(&rules.game));
        let all = |width: usize| picture(game, &layout, game.initial(), width);
        let letters = |lines: &[String]| lines.concat().chars().filter(|c| !c.is_whitespace()).count();
        for width in [20, 40, 78] {
            let lines = all(width);
            assert!(lines.iter().all(|line| line.chars().count() <= width), "{name} at {width}: {lines:#?}");
            if game.board().is_some() {
                assert_eq!(letters(&lines), letters(&all(1000)), "{name} at {width}");
            }
        }
    }
}

#[test]
fn a_grid_in_gdl_is_drawn_as_a_board() {
    let text = winset_gdl::game("tic-tac-toe").unwrap();
    let rules = Catalogue::default().gdl("ttt", &text).unwrap();
    let layout = Layout::of(&rules.game);
    assert_eq!(layout.kind, Kind::Grid);
    let lines = picture(&rules.game, &layout, rules.game.initial(), 78);
    // Its moves are called (mark 1 3): letters below the columns would have to be translated.
    assert_eq!(lines, ["  3 . . .", "  2 . . .", "  1 . . .", "    1 2 3"]);
}
