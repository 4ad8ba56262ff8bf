//! Asking, counting, exporting and playing small solutions.

use std::sync::Arc;
use winset_diagnostic::Span;
use winset_explore::play::{Play, Side, run_plain};
use winset_explore::{ExploreError, Session, export, query, stats};
use winset_model::{Player, TextCode};
use winset_reference::{Cut, build, open, scratch, solve, write, write_until};
use winset_store::{OsDisk, Store};

fn stored(name: &str, size: &str, cut: Cut) -> (tempfile::TempDir, Store) {
    let directory = scratch();
    write(directory.path(), &solve(&build(name, size), cut, true));
    let store = open(directory.path()).unwrap();
    (directory, store)
}

fn text(write: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut out = vec![];
    write(&mut out);
    String::from_utf8(out).unwrap()
}

#[test]
fn a_position_is_answered_in_words_and_as_json() {
    let (_directory, store) = stored("tictactoe", "3x3", Cut::Stones);
    let mut session = Session::new(&store);
    let start = query::after_moves(store.game(), "").unwrap();
    let answer = query::answer(&mut session, &start).unwrap();
    assert_eq!(answer.sentence, "A tie in 9 plies");
    assert_eq!(answer.moves.len(), 9);
    let state = query::after_moves(store.game(), "b2 a2").unwrap();
    let answer = query::answer(&mut session, &state).unwrap();
    assert_eq!(answer.sentence, "X wins in 5 plies");
    let json = serde_json::to_value(&answer).unwrap();
    assert_eq!(json["positionValue"], "win");
    assert_eq!(json["remoteness"], 5);
    assert_eq!(json["moves"][0]["moveValue"], "win");
    assert_eq!(json["moves"][0]["positionValue"], "loss");
    assert_eq!(json["moves"][0]["deltaRemoteness"], 0);
    let values: Vec<&str> = answer.moves.iter().map(|m| m.move_value.unwrap()).collect();
    let order = |word: &&str| ["win", "tie", "draw", "loss"].iter().position(|w| w == word).unwrap();
    assert!(values.is_sorted_by_key(order), "{values:?}");
    let shown = text(|out| query::write_text(out, store.game(), &state, &answer).unwrap());
    assert!(shown.contains("X wins in 5 plies\n") && shown.contains("a b c"), "{shown}");
    let line = session.line(&state).unwrap();
    assert_eq!(line.len(), 5);
    assert!(text(|out| query::write_line(out, &session, &line).unwrap()).contains("X has won"));
}

#[test]
fn wrong_moves_and_texts_say_what_is_possible() {
    let (_directory, store) = stored("tictactoe", "3x3", Cut::Stones);
    let error = query::after_moves(store.game(), "a1 a1").unwrap_err();
    let ExploreError::Text(wrong) = &error else { panic!("{error}") };
    assert_eq!((wrong.code, wrong.span), (TextCode::IllegalMove, Span::new(3, 5)));
    let legal = wrong.help.as_deref().unwrap();
    assert!(!legal.contains("a1") && legal.contains("b1"), "{legal}");
    assert!(query::position(store.game(), ".../.../.. x").is_err());
    let shown = text(|out| {
        let mut input = ".../.../... x\nnonsense\n.../.../x.. o\n".as_bytes();
        assert_eq!(query::answer_many(&mut Session::new(&store), &mut input, out, false).unwrap(), 2);
    });
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines[0], ".../.../... x\tA tie in 9 plies");
    assert!(lines[1].contains("not a position: at column 1: [board-rows]"), "{}", lines[1]);
    assert_eq!(lines[2], ".../.../x.. o\tA tie in 8 plies");
    let json = text(|out| {
        query::answer_many(&mut Session::new(&store), &mut "nonsense\n".as_bytes(), out, true).unwrap();
    });
    assert!(serde_json::from_str::<serde_json::Value>(&json).unwrap()["error"].is_string());
}

#[test]
fn every_position_of_a_store_is_answered() {
    let (_directory, store) = stored("connect4", "4x4", Cut::Stones);
    let mut csv = vec![];
    let count = export::write_csv(&mut csv, &store, &[]).unwrap();
    let csv = String::from_utf8(csv).unwrap();
    let positions: Vec<&str> = csv.lines().skip(1).map(|line| line.split('"').nth(1).unwrap()).collect();
    assert_eq!(positions.len() as u64, count);
    let mut out = vec![];
    let input = positions.join("\n");
    let answered =
        query::answer_many(&mut Session::new(&store), &mut input.as_bytes(), &mut out, false).unwrap();
    assert_eq!(answered, count);
    // Each with itself in front, and a word for its value behind.
    let answers = String::from_utf8(out).unwrap();
    assert_eq!(answers.lines().count(), positions.len());
    for (answer, position) in answers.lines().zip(&positions) {
        let (asked, sentence) = answer.split_once('\t').unwrap();
        let words = [" wins", " win", "tie", "drawn", "Drawn"];
        assert!(asked == *position && words.iter().any(|word| sentence.contains(word)), "{answer}");
    }
}

#[test]
fn partial_solutions_say_so_or_search() {
    let solution = solve(&build("connect4", "4x4"), Cut::Stones, false);
    let directory = scratch();
    let layers = solution.layers.len() as u32;
    write_until(Arc::new(OsDisk), directory.path(), &solution, layers + 4).unwrap();
    let store = open(directory.path()).unwrap();
    let mut session = Session::new(&store);
    let start = store.game().initial().clone();
    let answer = query::answer(&mut session, &start).unwrap();
    assert_eq!(answer.sentence, "Not solved yet");
    assert!(answer.moves.is_empty() && answer.position_value.is_none());
    let near = &solution.layers[layers as usize - 6].states[0];
    let answer = query::answer(&mut session, near).unwrap();
    assert!(answer.searched && answer.rewards == Some(solution.values[near].rewards.to_vec()));
}

#[test]
fn statistics_add_up_in_every_form() {
    let (_directory, store) = stored("connect4", "4x4", Cut::Stones);
    let all = stats::stats(&store);
    assert_eq!(all.total.positions, 161_029);
    assert_eq!(all.total.by_value.as_ref().unwrap().iter().sum::<u64>(), 161_029);
    for row in &all.layers {
        assert_eq!(row.by_value.as_ref().unwrap().iter().sum::<u64>(), row.positions);
    }
    let table = text(|out| stats::write_table(out, &all).unwrap());
    assert!(table.lines().last().unwrap().contains("161029"));
    let csv = text(|out| stats::write_csv(out, &all).unwrap());
    assert_eq!(csv.lines().count(), all.layers.len() + 1);
    let svg = text(|out| stats::write_svg(out, &all).unwrap());
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    assert!(serde_json::to_value(&all).unwrap()["layers"][0]["positions"] == 1);
}

#[test]
fn exports_have_every_position() {
    let (_directory, store) = stored("tictactoe", "3x3", Cut::Stones);
    let lines = text(|out| {
        export::write_json_lines(out, &store, &[1, 2]).unwrap();
    });
    assert_eq!(lines.lines().count(), 9 + 72);
    for line in lines.lines() {
        let object: serde_json::Value = serde_json::from_str(line).unwrap();
        let state = query::position(store.game(), object["position"].as_str().unwrap()).unwrap();
        let found = Session::new(&store).value(&state).unwrap().valuation().unwrap();
        assert_eq!(object["rewards"], serde_json::json!(found.rewards.to_vec()));
    }
    let dot = text(|out| export::write_dot(out, &store, 2).unwrap());
    assert!(dot.starts_with("digraph") && dot.contains("->"));
}

fn played(store: &Store, sides: [Side; 2], hints: bool, input: &str) -> String {
    let mut play = Play::new(Box::new(Session::new(store)), sides, hints).unwrap();
    text(|out| run_plain(&mut play, &mut input.as_bytes(), out).unwrap())
}

#[test]
fn games_are_played_in_plain_text() {
    let (_directory, store) = stored("tictactoe", "3x3", Cut::Stones);
    let shown =
        played(&store, [Side::Human, Side::Perfect], false, "z9\nb2\nmoves\nvalues\nundo\nresign\nquit\n");
    assert!(shown.contains("\"z9\" is not a move of this game; legal: a3"), "{shown}");
    assert!(shown.contains("O plays"), "{shown}");
    assert!(shown.contains("taken back") && shown.contains("X resigns. O wins."), "{shown}");
    let before_asking = shown.split("values").next().unwrap();
    assert!(!before_asking.lines().take(12).any(|line| line.contains("wins in")), "values stay hidden");
    let both = played(&store, [Side::Human, Side::Human], true, "a1\na2\nb1\nb2\nc1\n");
    assert!(both.contains("c1: The game has ended: X has won"), "{both}");
    assert!(both.contains("The game has ended: X has won."), "{both}");
    let second = played(&store, [Side::Perfect, Side::Human], false, "undo\n");
    assert!(second.starts_with("the opponent opens with"), "{second}");
    assert!(second.contains("nothing to take back"), "{second}");
}

#[test]
fn the_perfect_opponent_never_loses() {
    let (_directory, store) = stored("tictactoe", "3x3", Cut::Stones);
    let mut random = 1u64;
    for game in 0..60 {
        let human = game % 2;
        let mut sides = [Side::Perfect; 2];
        sides[human] = Side::Human;
        let mut play = Play::new(Box::new(Session::new(&store)), sides, false).unwrap();
        while !play.is_over() {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let moves = play.list(false);
            play.input(&moves[(random >> 33) as usize % moves.len()]).unwrap();
        }
        let rewards = play.position().lookup.valuation().unwrap().rewards;
        assert!(rewards[Player::new(1 - human)] >= rewards[Player::new(human)], "{:?}", play.moves_played());
    }
}
