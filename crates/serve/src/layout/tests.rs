use super::*;
use winset::Catalogue;
use winset_model::Game;

fn built_in(name: &str, size: &str) -> Game {
    Catalogue::default().game(name, Some(size), &Default::default()).unwrap().game
}

/// Rules in which nothing moves: only the facts count.
fn with_facts(facts: &str) -> Game {
    let text = format!(
        "(role a) (role b) {facts} (init (control a))
         (<= (legal ?p end) (true (control ?p))) (<= (legal ?p noop) (role ?p) (not (true (control ?p))))
         (<= (next over) (does ?p end)) (<= (next ?f) (true ?f) (keeps ?f)) (<= terminal (true over))
         (<= (next (control b)) (true (control a))) (<= (next (control a)) (true (control b)))
         (goal a 50) (goal b 50)"
    );
    Catalogue::default().gdl("facts", &text).unwrap().game
}

#[test]
fn squares_of_built_in_games_are_theirs() {
    let layout = Layout::of(&built_in("connect4", "4x4"));
    assert_eq!((layout.kind, layout.style, layout.rows, layout.columns), (Kind::Grid, Style::Discs, 4, 4));
    assert_eq!(layout.pieces, ["x", "o"]);
    let game = built_in("checkers", "4");
    let layout = Layout::of(&game);
    assert_eq!(layout.squares.len(), 8);
    let board = layout.board(&layout.placed(game.initial())).unwrap();
    assert_eq!(board[0][..2], [None, Some("w")]);
    assert_eq!(board[3][..2], [Some("b"), None]);
}

/// Lines are found from the moves, and men that fly add none.
#[test]
fn lines_join_the_points_that_they_join_on_the_board() {
    for (name, size, points, lines) in [
        ("six-mens-morris", Some("3"), 16, 20),
        ("nine-mens-morris", Some("3"), 24, 32),
        ("three-mens-morris", None, 9, 12),
        ("tapatan", None, 9, 16),
        ("mu-torere", None, 9, 16),
        ("pong-hau-ki", None, 5, 7),
    ] {
        let game = Catalogue::default().game(name, size, &Default::default()).unwrap().game;
        let layout = Layout::of(&game);
        assert_eq!((layout.squares.len(), layout.lines.len()), (points, lines), "{name}");
    }
}

#[test]
fn a_grid_is_recognised_by_its_shape() {
    let tictactoe = include_str!("../../../gdl/games/tic_tac_toe.kif");
    let game = Catalogue::default().gdl("t", tictactoe).unwrap().game;
    let layout = Layout::of(&game);
    assert_eq!((layout.kind, layout.rows, layout.columns), (Kind::Grid, 3, 3));
    assert!(layout.placed(game.initial()).iter().all(Option::is_none), "b is nothing there");
    // The same game under names that say nothing.
    let scrambled = tictactoe.replace("cell", "qwert").replace("control", "zuiop").replace(" b)", " blk)");
    let layout = Layout::of(&Catalogue::default().gdl("t", &scrambled).unwrap().game);
    assert_eq!((layout.kind, layout.rows, layout.columns), (Kind::Grid, 3, 3));
}

/// A game in which these facts are taken away, one after the other.
fn taking(facts: &[String]) -> Game {
    let stated: String = facts.iter().map(|fact| format!("(init {fact}) (piece {fact}) ")).collect();
    let text = format!(
        "(role a) (role b) {stated} (init (control a))
         (<= (legal ?p (take ?f)) (true (control ?p)) (piece ?f) (true ?f))
         (<= (legal ?p noop) (role ?p) (not (true (control ?p))))
         (<= (taken ?f) (does ?p (take ?f))) (<= (next ?f) (piece ?f) (true ?f) (not (taken ?f)))
         (<= (next (control b)) (true (control a))) (<= (next (control a)) (true (control b)))
         (<= open (piece ?f) (true ?f)) (<= terminal (not open)) (goal a 50) (goal b 50)"
    );
    Catalogue::default().gdl("taking", &text).unwrap().game
}

/// Squares that are called by one word are squares too; what only looks like one is not.
#[test]
fn squares_with_names_of_two_parts_form_a_grid() {
    let names = ["a3", "b1", "b3", "c2", "c3", "c12"];
    let cross =
        taking(&names.map(|name| format!("(cell {name} {})", if name == "c2" { "red" } else { "blank" })));
    let layout = Layout::of(&cross);
    assert_eq!((layout.kind, layout.rows, layout.columns), (Kind::Grid, 12, 3));
    assert_eq!(layout.squares.len(), names.len());
    let mut called: Vec<&str> = layout.squares.iter().map(|square| square.name.as_str()).collect();
    called.sort_unstable();
    assert_eq!(called, ["a3", "b1", "b3", "c12", "c2", "c3"]);
    let placed = layout.placed(cross.initial());
    let red = layout.squares.iter().position(|square| square.name == "c2").unwrap();
    assert_eq!((0..placed.len()).filter(|&at| placed[at].is_some()).collect::<Vec<_>>(), [red]);
    for words in
        [["c1", "c2", "c3", "c4", "c5"], ["c1", "d", "e3", "f4", "g5"], ["k1", "k1x", "l2", "m1", "m2"]]
    {
        let counter = taking(&words.map(|word| format!("(done {word})")));
        assert_ne!(Layout::of(&counter).kind, Kind::Grid, "{words:?}");
    }
}

/// A board is counted from one: rows keep their numbers where nothing can stand in the first.
#[test]
fn rows_keep_their_numbers() {
    let facts: Vec<String> =
        (1..=5).flat_map(|x| (2..=4).map(move |y| format!("(cell {x} {y} blank)"))).collect();
    let layout = Layout::of(&taking(&facts));
    assert_eq!((layout.kind, layout.rows, layout.columns), (Kind::Grid, 4, 5));
    assert!(layout.squares.iter().any(|square| square.name == "1,4"));
    assert!(layout.squares.iter().all(|square| !square.name.ends_with('1')));
}

/// The tiles b and e of a sliding puzzle were taken for free squares, and one of them was not drawn.
#[test]
fn tiles_were_taken_for_nothing() {
    let tiles = |words: [&str; 6]| {
        let place = |(at, word): (usize, &&str)| format!("(cell {} {} {word})", at / 2 + 1, at % 2 + 1);
        let facts: Vec<String> = words.iter().enumerate().map(place).collect();
        let game = taking(&facts);
        let layout = Layout::of(&game);
        assert_eq!((layout.kind, layout.squares.len()), (Kind::Grid, 6), "{words:?}");
        layout.placed(game.initial()).iter().filter(|piece| piece.is_some()).count()
    };
    assert_eq!(tiles(["c", "b", "a", "d", "e", "hole"]), 5);
    assert_eq!(tiles(["c", "b", "a", "d", "e", "f"]), 6);
    assert_eq!(tiles(["1", "2", "3", "4", "5", "b"]), 5);
    assert_eq!(tiles(["w", "b", "b", "b", "b", "empty"]), 5);
}

#[test]
fn lines_and_cards() {
    let catalogue = Catalogue::default();
    let nim = catalogue.gdl("nim", include_str!("../../../gdl/games/nim.kif")).unwrap().game;
    let layout = Layout::of(&nim);
    assert_eq!((layout.kind, layout.columns), (Kind::Line, 4));
    let chomp = catalogue.gdl("chomp", include_str!("../../../gdl/games/chomp.kif")).unwrap().game;
    let layout = Layout::of(&chomp);
    assert_eq!((layout.kind, layout.rows, layout.columns), (Kind::Grid, 7, 8));
    let wolf = catalogue.gdl("w", include_str!("../../../gdl/games/sheep_and_wolf.kif")).unwrap().game;
    let layout = Layout::of(&wolf);
    assert_eq!((layout.kind, layout.rows, layout.columns, layout.squares.len()), (Kind::Grid, 8, 8, 32));
    let cards = with_facts("(init (on lamp)) (<= (keeps (on lamp)) (true (control a)))");
    assert_eq!(Layout::of(&cards).kind, Kind::Cards);
}

#[test]
fn what_a_move_does_is_seen_from_outside() {
    let layout = Layout::of(&built_in("breakthrough", "4x3"));
    let start = layout.placed(built_in("breakthrough", "4x3").initial());
    let mut after = start.clone();
    (after[6], after[9]) = (start[9], None);
    assert_eq!(layout.action(&start, &after), Action::Slide(9, 6));
    let mut captured = start.clone();
    (captured[0], captured[9]) = (start[9], None);
    assert_eq!(layout.action(&start, &captured), Action::Slide(9, 0));
    let mut put = start.clone();
    put[5] = start[0];
    assert_eq!(layout.action(&start, &put), Action::Put(5));
    assert_eq!(layout.action(&start, &start), Action::Other(vec![]));
}
