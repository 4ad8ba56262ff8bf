//! Matches over HTTP, as a real server plays them.

mod referee;

use referee::{Protocol, Referee, Seat, request};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use winset_gdl::Simulation;
use winset_player::{Config, Event, How};

/// A player that uses little, and what it tells.
fn config() -> (Config, Arc<Mutex<Vec<Event>>>) {
    let events: Arc<Mutex<Vec<Event>>> = Arc::default();
    let log = events.clone();
    let config = Config {
        memory: 512 << 20,
        threads: 1,
        log: Some(Arc::new(move |event: &Event| log.lock().unwrap().push(event.clone()))),
        ..Config::default()
    };
    (config, events)
}

fn game(name: &str) -> String {
    winset_gdl::game(name).expect("the game exists")
}

fn simulation(rules: &str) -> Simulation {
    winset_gdl::simulate(rules.as_bytes(), &Default::default()).expect("the rules can be played")
}

fn play(rules: &str, id: &str, clocks: (u64, u64), seats: &[Option<&Seat>]) -> Protocol {
    let simulation = simulation(rules);
    let protocol = Referee { rules, simulation: &simulation, id, clocks, most: 500 }.play(seats);
    assert!(protocol.illegal.is_empty(), "{protocol:?}");
    protocol
}

fn hows(events: &Mutex<Vec<Event>>) -> Vec<How> {
    let how = |event: &Event| match event {
        Event::Move { how, .. } => Some(*how),
        _ => None,
    };
    events.lock().unwrap().iter().filter_map(how).collect()
}

/// Every word but keywords and numbers becomes another, as a server scrambles rules.
fn scrambled(rules: &str) -> String {
    let keywords = "role init true does next legal goal terminal distinct not or and base input <=";
    let mut out = String::new();
    let mut word = String::new();
    for c in rules.chars().chain([' ']) {
        if !c.is_whitespace() && c != '(' && c != ')' {
            word.push(c);
            continue;
        }
        let plain = word.is_empty()
            || keywords.split(' ').any(|keyword| keyword == word)
            || word.chars().all(|c| c.is_ascii_digit());
        match (plain, word.strip_prefix('?')) {
            (true, _) => out.push_str(&word),
            (_, Some(name)) => out.push_str(&format!("?v{}", turned(name))),
            (_, None) => out.push_str(&format!("w{}", turned(&word))),
        }
        word.clear();
        out.push(c);
    }
    out
}

fn turned(word: &str) -> String {
    word.bytes()
        .map(|b| char::from(b'a' + b % 13))
        .chain(word.bytes().map(|b| char::from(b'a' + b / 13)))
        .collect()
}

#[test]
fn two_players_end_with_the_solved_value() {
    let (first, told) = config();
    let (second, _) = config();
    let (first, second) = (Seat::new(first), Seat::new(second));
    assert_eq!(first.ask("( INFO )"), "( (name winset) (status available) (species program) )");
    let rules = game("tic-tac-toe");
    // Many in a row: each finds the players free again.
    for round in 0..3 {
        let seats = [Some(&first), Some(&second)];
        let protocol = play(&rules, &format!("t.{round}"), (60, 60), &seats);
        assert_eq!(protocol.goals, Some(vec![50, 50]), "perfect play is a tie");
        assert_eq!(protocol.plies, 9);
    }
    assert!(hows(&told).iter().all(|how| matches!(how, How::Solved | How::Only)), "{:?}", hows(&told));
    assert!(first.ask("( info )").contains("available"));
}

#[test]
fn a_solved_player_wins_what_is_won_and_never_loses_what_is_not_lost() {
    let (player, _) = config();
    let player = Seat::new(player);
    let rules = game("nim");
    let value =
        winset::solve(winset::Catalogue::default().gdl("nim", &rules).unwrap(), &winset::Options::default());
    let value = value.unwrap();
    let value = value.value(value.start()).unwrap().valuation().unwrap().rewards;
    for role in 0..2 {
        let mut seats = [None, None];
        seats[role] = Some(&player);
        let goals = play(&rules, &format!("n.{role}"), (60, 60), &seats).goals.unwrap();
        assert!(goals[role] >= value.to_vec()[role], "{goals:?}, the game is worth {value:?}");
    }
}

/// The rules name nothing as they used to, `noop` included.
#[test]
fn scrambled_rules_are_played_as_they_are() {
    let rules = scrambled(&game("tic-tac-toe"));
    assert!(!rules.contains("noop") && !rules.contains("mark") && rules.contains("legal"), "{rules}");
    let (player, told) = config();
    let player = Seat::new(player);
    for role in 0..2 {
        let mut seats = [None, None];
        seats[role] = Some(&player);
        let protocol = play(&rules, &format!("s.{role}"), (60, 60), &seats);
        assert!(protocol.goals.unwrap()[role] >= 50, "a perfect player does not lose");
    }
    assert!(hows(&told).contains(&How::Solved));
}

/// Far too large for its clock: legal moves all the same, and none of them late.
#[test]
fn a_game_that_is_too_large_is_searched() {
    let (player, told) = config();
    let player = Seat::new(player);
    let rules = game("connect-four-8x8");
    let simulation = simulation(&rules);
    let referee = Referee { rules: &rules, simulation: &simulation, id: "c.1", clocks: (2, 2), most: 8 };
    let protocol = referee.play(&[Some(&player), None]);
    // Against chance it may have won before.
    let all = protocol.answers == protocol.plies && protocol.plies > 4;
    assert!(protocol.illegal.is_empty() && all, "{protocol:?}");
    // The server waits for three seconds; this machine may be busy with other things.
    assert!(protocol.slowest < Duration::from_secs(30), "{protocol:?}");
    assert!(hows(&told).iter().any(|how| matches!(how, How::Search | How::Proved)), "{:?}", hows(&told));
    assert!(player.ask("( INFO )").contains("available"), "an aborted match makes room");
}

const PENNIES: &str = "(role a) (role b) (init (round 0)) (succ 0 1) (succ 1 2)
    (<= (legal ?r (show ?n)) (role ?r) (coin ?n)) (coin heads) (coin tails)
    (<= (next (round ?m)) (true (round ?n)) (succ ?n ?m))
    (<= (next (won a)) (does a (show ?n)) (does b (show ?n)))
    (<= (next (won ?r)) (true (won ?r)))
    (<= terminal (true (round 2)))
    (<= (goal a 100) (true (won a))) (<= (goal a 0) (not (true (won a))))
    (<= (goal b 0) (true (won a))) (<= (goal b 100) (not (true (won a))))";

#[test]
fn moves_at_the_same_time_are_made_too() {
    let (player, told) = config();
    let player = Seat::new(player);
    let protocol = play(PENNIES, "p.1", (2, 2), &[Some(&player), None]);
    assert_eq!(protocol.plies, 2);
    assert!(protocol.goals.is_some());
    assert_eq!(hows(&told), [How::Search, How::Search]);
}

/// One player alone, and one way to the best goal among many.
#[test]
fn a_game_for_one_is_solved() {
    let (player, _) = config();
    let player = Seat::new(player);
    let rules = "(role you) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
        (<= (legal you left) (true (at ?n))) (<= (legal you right) (true (at ?n)))
        (<= (next (at ?m)) (true (at ?n)) (succ ?n ?m)) (<= (next bad) (does you left)) (<= (next bad) (true bad))
        (<= terminal (true (at 4))) (<= (goal you 100) (not (true bad))) (<= (goal you 10) (true bad))";
    assert_eq!(play(rules, "o.1", (30, 30), &[Some(&player)]).goals, Some(vec![100]));
}

#[test]
fn three_players_are_served() {
    let rules = "(role a) (role b) (role c) (init (control a)) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3)
        (after a b) (after b c) (after c a)
        (<= (legal ?r (give ?s)) (true (control ?r)) (role ?s)) (<= (legal ?r wait) (role ?r) (not (true (control ?r))))
        (<= (next (control ?s)) (true (control ?r)) (after ?r ?s)) (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
        (<= (next (has ?s)) (does ?r (give ?s))) (<= (next (has ?s)) (true (has ?s)))
        (<= terminal (true (step 3))) (<= (goal ?r 100) (role ?r) (true (has ?r)))
        (<= (goal ?r 0) (role ?r) (not (true (has ?r))))";
    let seats: Vec<Seat> = (0..3).map(|_| Seat::new(config().0)).collect();
    let seats: Vec<Option<&Seat>> = seats.iter().map(Some).collect();
    assert_eq!(play(rules, "3.1", (30, 30), &seats).goals, Some(vec![100; 3]), "each gives to itself");
}

#[test]
fn what_was_solved_is_found_again() {
    let directory = tempfile::tempdir().unwrap();
    let (mut first, told) = config();
    first.cache = Some(winset::Cache::at(directory.path().to_owned()));
    let rules = game("tic-tac-toe");
    for round in 0..2 {
        let player = Seat::new(first.clone());
        play(&rules, &format!("k.{round}"), (60, 60), &[Some(&player), None]);
    }
    let found = |event: &Event| match event {
        Event::Solved { cached, value, .. } => Some((*cached, value.clone())),
        _ => None,
    };
    let solved: Vec<_> = told.lock().unwrap().iter().filter_map(found).collect();
    assert_eq!(solved, [(false, Some(vec![50, 50])), (true, Some(vec![50, 50]))]);
}

#[test]
fn a_start_that_cannot_be_played_leaves_the_player_free() {
    let (player, told) = config();
    let player = Seat::new(player);
    // Not safe, not a game, no such role.
    for (n, rules) in
        ["(role a) (<= (p ?x) (not (q ?x)))", "nonsense", "(role b) (legal b x)"].iter().enumerate()
    {
        assert_eq!(player.ask(&format!("( START bad.{n} a ({rules}) 20 20 )")), "busy");
        assert_eq!(player.ask(&format!("( PLAY bad.{n} NIL )")), "busy");
    }
    assert!(player.ask("( INFO )").contains("available"));
    let refused = told.lock().unwrap().iter().filter(|event| matches!(event, Event::Refused { .. })).count();
    assert_eq!(refused, 3);
    let protocol = play(PENNIES, "p.1", (2, 1), &[Some(&player), None]);
    assert_eq!(protocol.answers, 2);
}

/// The start clock is over before anything can be done.
#[test]
fn a_start_without_time_is_played_all_the_same() {
    let (player, _) = config();
    let player = Seat::new(player);
    let rules = game("tic-tac-toe");
    let protocol = play(&rules, "q.1", (0, 3), &[Some(&player), None]);
    assert!(protocol.answers >= 5, "{protocol:?}");
}

/// The server says neither how long it waits nor, at the end, what was played.
#[test]
fn a_server_that_says_too_little_was_answered_busy() {
    let (player, _) = config();
    let player = Seat::new(player);
    assert_eq!(player.ask(&format!("( START m.1 a ({PENNIES}) )")), "ready");
    assert!(player.ask("( PLAY m.1 )").starts_with("(show "));
    assert_eq!(player.ask("( STOP m.1 )"), "done");
    assert!(player.ask("( INFO )").contains("available"));
}

#[test]
fn one_match_at_a_time_and_unknown_ones_are_not_ours() {
    let (player, _) = config();
    let player = Seat::new(player);
    let start = |id: &str| format!("( START {id} a ({PENNIES}) 1 1 )");
    assert_eq!(player.ask(&start("m.1")), "ready");
    assert!(player.ask("( INFO )").contains("busy"));
    assert_eq!(player.ask(&start("m.2")), "busy");
    assert_eq!(player.ask(&format!("( PREVIEW ({PENNIES}) 1 )")), "busy");
    assert_eq!(player.ask("( PLAY m.2 NIL )"), "busy");
    assert_eq!(player.ask("( ABORT m.2 )"), "busy");
    assert_eq!(player.ask("( STOP m.2 NIL )"), "busy");
    assert!(player.ask("( PLAY m.1 NIL )").starts_with("(show "));
    // Moves that nobody can have made are ignored, and the answer is legal all the same.
    assert!(player.ask("( PLAY m.1 ( jump ) )").starts_with("(show "));
    assert_eq!(player.ask("( ABORT m.1 )"), "aborted");
    assert_eq!(player.ask(&format!("( PREVIEW ({PENNIES}) 1 )")), "ready");
    assert_eq!(player.ask(&start("m.2")), "ready");
    assert_eq!(player.ask("( STOP m.2 NIL )"), "done");
    assert!(player.ask("( INFO )").contains("available"));
}

/// The server waits for a second and no longer, whatever else is going on.
#[test]
fn info_is_answered_while_a_move_is_thought_about() {
    let (player, told) = config();
    let player = Seat::new(player);
    let rules = game("connect-four-8x8");
    let role = simulation(&rules).roles()[0].clone();
    assert_eq!(player.ask(&format!("( START long.1 {role} ({rules}) 1 600 )")), "ready");
    std::thread::scope(|scope| {
        let thinking = scope.spawn(|| player.ask("( PLAY long.1 NIL )"));
        while !told.lock().unwrap().iter().any(|event| matches!(event, Event::Ready { .. })) {
            std::thread::sleep(Duration::from_millis(5));
        }
        // None of these could be answered before the move if they had to wait for it: ten minutes are not over.
        assert!(player.ask("( INFO )").contains("busy"));
        assert_eq!(player.ask(&format!("( START other.1 {role} ({rules}) 1 1 )")), "busy");
        assert!(!thinking.is_finished());
        assert_eq!(player.ask("( ABORT long.1 )"), "aborted");
        assert!(!thinking.join().unwrap().is_empty());
    });
    assert!(player.ask("( INFO )").contains("available"));
}

#[test]
fn what_is_no_message_is_a_bad_request_with_a_reason() {
    let (player, _) = config();
    let player = Seat::new(player);
    for (bytes, status, reason) in [
        (request("( DANCE )"), "400", "DANCE"),
        (request("( PLAY m"), "400", "never closed"),
        (b"BREW / HTTP/1.0\r\n\r\n".to_vec(), "405", "POST"),
        (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n".to_vec(), "400", "INFO"),
        (b"\0\xff\r\n\r\n".to_vec(), "400", "POST / HTTP/1.0"),
    ] {
        let (head, body) = player.raw(&bytes);
        assert!(head.starts_with(&format!("HTTP/1.0 {status}")) && body.contains(reason), "{head} {body}");
    }
    let (head, body) = player.raw(b"GET /%28+info+%29 HTTP/1.1\r\nHost: x\r\n\r\n");
    assert!(head.starts_with("HTTP/1.0 200") && body.contains("available"), "{head} {body}");
    let (head, _) = player.raw(b"OPTIONS / HTTP/1.1\r\nHost: x\r\n\r\n");
    assert!(head.starts_with("HTTP/1.0 200") && head.contains("Access-Control-Allow-Methods"), "{head}");
}
