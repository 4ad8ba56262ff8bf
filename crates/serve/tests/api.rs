//! The contract of `/api/v1`.

mod common;

use axum::body::Body;
use axum::http::Request;
use common::{get, post, rules, send, site, solved};
use serde_json::{Value, json};
use winset_serve::{Config, Site};

#[tokio::test]
async fn what_is_served_is_listed_with_what_it_covers() {
    let site = site();
    let games = get(&site, "/api/v1/games").await.json();
    let ids: Vec<&str> =
        games["games"].as_array().unwrap().iter().map(|g| g["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["checkers-4", "chomp-3x3", "connect4-4x4", "nim", "tictactoe-3x3"]);
    let game = &games["games"][4];
    assert_eq!(game["positions"], 5478);
    assert_eq!(game["players"], json!(["x", "o"]));
    assert_eq!(
        (&game["layers"], &game["layersSolved"], &game["complete"]),
        (&json!(10), &json!(10), &json!(true))
    );
    assert_eq!((&game["distances"], &game["everyPlayEnds"]), (&json!(true), &json!(true)));
    assert_eq!(game["start"]["value"], "tie");
    assert_eq!(game["links"]["page"], "/g/tictactoe-3x3");
    assert_eq!(game["digest"].as_str().unwrap().len(), 64);
}

#[tokio::test]
async fn a_position_has_everything_that_clients_need() {
    let site = site();
    let answer = get(&site, "/api/v1/games/tictactoe-3x3/positions?p=xx./oo./...+x").await.json();
    assert_eq!(answer["board"], json!([["x", "x", ""], ["o", "o", ""], ["", "", ""]]));
    assert_eq!((&answer["player"], &answer["value"]), (&json!("x"), &json!("win")));
    assert_eq!(
        (&answer["remoteness"], &answer["terminal"], &answer["reachable"]),
        (&json!(1), &json!(false), &json!(true))
    );
    assert_eq!(answer["sentence"], "X wins in 1 ply");
    let best = &answer["moves"][0];
    assert_eq!(
        (&best["move"], &best["moveValue"], &best["positionValue"]),
        (&json!("c3"), &json!("win"), &json!("lose"))
    );
    assert_eq!((&best["remoteness"], &best["deltaRemoteness"]), (&json!(0), &json!(0)));
    assert_eq!(best["action"], json!({"put": "c3"}));
    // The same by moves, and from a position.
    let moves = get(&site, "/api/v1/games/tictactoe-3x3/positions?moves=a3,a2,b3,b2").await.json();
    assert_eq!(moves, answer);
    let from =
        get(&site, "/api/v1/games/tictactoe-3x3/positions?p=x../.../...+o&moves=a2+b3+b2").await.json();
    assert_eq!(from, answer);
    let ended = get(&site, "/api/v1/games/tictactoe-3x3/positions?p=xxx/oo./...+o").await.json();
    assert_eq!(
        (&ended["terminal"], &ended["value"], &ended["moves"]),
        (&json!(true), &json!("lose"), &json!([]))
    );
    assert_eq!((&ended["player"], &ended["remoteness"]), (&Value::Null, &json!(0)));
}

#[tokio::test]
async fn play_without_end_is_a_draw_and_not_a_tie() {
    let site = site();
    let start = get(&site, "/api/v1/games/checkers-4/positions").await.json();
    assert_eq!((&start["value"], &start["remoteness"]), (&json!("draw"), &Value::Null));
    assert_eq!(start["moves"][0]["action"], json!({"slide": ["a1", "b2"]}));
    let line = get(&site, "/api/v1/games/checkers-4/line").await.json();
    assert_eq!(line["ends"], false);
    assert_eq!(line["line"][0]["move"], start["moves"][0]["move"]);
}

#[tokio::test]
async fn a_line_begins_with_the_first_move_and_comes_to_the_end() {
    let site = site();
    for id in ["tictactoe-3x3", "connect4-4x4", "nim"] {
        let start = get(&site, &format!("/api/v1/games/{id}/positions")).await.json();
        let line = get(&site, &format!("/api/v1/games/{id}/line")).await.json();
        assert_eq!(line["line"][0]["move"], start["moves"][0]["move"], "{id}");
        assert_eq!(line["line"].as_array().unwrap().len() as u64, start["remoteness"].as_u64().unwrap());
        assert_eq!(line["ends"], true);
    }
}

#[tokio::test]
async fn a_position_that_cannot_arise_says_so_and_why() {
    let site = site();
    let ask = async |p: &str| get(&site, &format!("/api/v1/games/connect4-4x4/positions?p={p}")).await;
    let hanging = ask("..../..../x.../....+o").await.json();
    assert_eq!(
        (&hanging["reachable"], &hanging["moves"], &hanging["value"]),
        (&json!(false), &json!([]), &Value::Null)
    );
    assert_eq!(hanging["sentence"], "The game cannot come to this position");
    let turn = ask("..../..../..../x...+x").await.json();
    assert!(turn["why"].as_str().unwrap().contains("with o to move"), "{turn}");
    let both = ask("xxxx/oooo/xxxx/oooo+x").await.json();
    assert_eq!(both["reachable"], false);
}

#[tokio::test]
async fn batches_keep_their_order_and_their_mistakes() {
    let site = site();
    let list = r#"["xx./oo./... x", "nonsense", ".../.../... x", "xxx/.../... x"]"#;
    let answers = post(&site, "/api/v1/games/tictactoe-3x3/positions", list).await.json();
    assert_eq!(answers.as_array().unwrap().len(), 4);
    assert_eq!(answers[0]["positionValue"], "win");
    assert!(answers[1]["error"].as_str().unwrap().contains("not a position"));
    assert_eq!(answers[2]["remoteness"], 9);
    assert_eq!(answers[3]["reachable"], false);
    let object = format!("{{\"positions\": {list}}}");
    assert_eq!(post(&site, "/api/v1/games/tictactoe-3x3/positions", &object).await.json(), answers);
}

#[tokio::test]
async fn batches_say_the_same_as_single_questions() {
    let site = site();
    for id in ["tictactoe-3x3", "connect4-4x4", "checkers-4", "nim"] {
        let sample = get(&site, &format!("/api/v1/games/{id}/sample?n=60&seed=5")).await.json();
        for brief in sample["positions"].as_array().unwrap() {
            let position = brief["position"].as_str().unwrap().replace(' ', "+");
            let one = get(&site, &format!("/api/v1/games/{id}/positions?p={position}")).await.json();
            assert_eq!(one["reachable"], true);
            assert_eq!(
                (&one["value"], &one["remoteness"], &one["rewards"], &one["sentence"]),
                (&brief["positionValue"], &brief["remoteness"], &brief["rewards"], &brief["sentence"])
            );
            // The position is worth what its best move is worth.
            assert!(one["terminal"] == true || one["value"] == one["moves"][0]["moveValue"], "{one}");
        }
    }
}

#[tokio::test]
async fn figures_agree_with_each_other() {
    let site = site();
    for id in ["tictactoe-3x3", "connect4-4x4", "checkers-4"] {
        let stats = get(&site, &format!("/api/v1/games/{id}/stats")).await.json();
        let histogram = get(&site, &format!("/api/v1/games/{id}/histogram")).await.json();
        let total: u64 =
            histogram["bins"].as_array().unwrap().iter().map(|bin| bin["positions"].as_u64().unwrap()).sum();
        assert_eq!(stats["total"]["positions"].as_u64().unwrap(), total, "{id}");
        let far =
            histogram["bins"].as_array().unwrap().iter().filter(|bin| bin["rewards"][0] != bin["rewards"][1]);
        let longest = far.filter_map(|bin| bin["remoteness"].as_u64()).max().unwrap();
        assert_eq!(histogram["longest"][0]["remoteness"].as_u64(), Some(longest), "{id}");
        let position = histogram["longest"][0]["position"].as_str().unwrap().replace(' ', "+");
        let answer = get(&site, &format!("/api/v1/games/{id}/positions?p={position}")).await.json();
        assert_eq!(answer["remoteness"].as_u64(), Some(longest));
        let csv = get(&site, &format!("/api/v1/games/{id}/histogram.csv")).await;
        assert_eq!(csv.text.lines().count() - 1, histogram["bins"].as_array().unwrap().len());
        for figure in ["stats.svg", "histogram.svg"] {
            let svg = get(&site, &format!("/api/v1/games/{id}/{figure}")).await;
            assert_eq!(svg.header("content-type"), "image/svg+xml");
            assert!(svg.text.starts_with("<svg") && svg.text.contains("positions"), "{figure}");
        }
    }
}

#[tokio::test]
async fn lots_are_repeatable_and_quizzes_have_one_good_move() {
    let site = site();
    let path = "/api/v1/games/connect4-4x4/sample?n=20&seed=7";
    assert_eq!(get(&site, path).await.json(), get(&site, path).await.json());
    for seed in 0..20 {
        let quiz = get(&site, &format!("/api/v1/games/connect4-4x4/quiz?seed={seed}")).await.json();
        let question = &quiz["question"];
        let keeps = |m: &&Value| m["rewards"] == question["rewards"];
        assert_eq!(question["moves"].as_array().unwrap().iter().filter(keeps).count(), 1);
    }
}

#[tokio::test]
async fn answers_can_be_kept() {
    let site = site();
    let path = "/api/v1/games/tictactoe-3x3";
    let first = get(&site, path).await;
    let tag = first.header("etag").to_owned();
    assert!(tag.starts_with("W/\"") && first.header("cache-control") == "no-cache");
    let again = Request::get(path).header("host", "localhost").header("if-none-match", &tag);
    let again = send(&site, again.body(Body::empty()).unwrap()).await;
    assert_eq!((again.status.as_u16(), again.text.as_str()), (304, ""));
    let digest = first.json()["digest"].as_str().unwrap()[..16].to_owned();
    let pinned = get(&site, &format!("{path}@{digest}/positions")).await;
    assert!(pinned.header("cache-control").contains("immutable"));
    assert_eq!(get(&site, &format!("{path}@0123456789abcdef/positions")).await.status, 404);
}

#[tokio::test]
async fn answers_are_compressed() {
    let site = site();
    for encoding in ["br", "gzip"] {
        let request = Request::get("/api/v1/games/tictactoe-3x3").header("host", "localhost");
        let request = request.header("accept-encoding", encoding).body(Body::empty()).unwrap();
        use tower::ServiceExt;
        let response = site.router().oneshot(request).await.unwrap();
        assert_eq!(response.headers()["content-encoding"], encoding);
    }
}

#[tokio::test]
async fn the_description_names_every_route() {
    let site = site();
    let api = get(&site, "/api/v1/openapi.json").await.json();
    assert_eq!(api["openapi"], "3.1.0");
    let paths = api["paths"].as_object().unwrap();
    for (path, ways) in paths {
        let real = path.replace("{id}", "tictactoe-3x3").replace("{job}", "1");
        let answer = get(&site, &format!("/api/v1{real}")).await;
        // Nothing is being solved here; a path that is not served would be said to be nothing.
        let expected = match (path.contains("{job}"), ways.get("get")) {
            (true, Some(_)) => 404,
            (_, None) => 405,
            (false, Some(_)) => 200,
        };
        assert_eq!(answer.status, expected, "{path}: {}", answer.text);
        assert!(!answer.text.contains("there is nothing here"), "{path}");
    }
    // And what is served is named: the routes are read from the source.
    let source = concat!(include_str!("../src/api.rs"), include_str!("../src/live/routes.rs"));
    let routes =
        source.split(".route(\"/").skip(1).map(|rest| format!("/{}", rest.split('"').next().unwrap()));
    let ours = routes.filter(|route| route.starts_with("/games") || route.starts_with("/jobs"));
    let ours: Vec<String> = ours.collect();
    assert!(ours.len() > 15);
    assert!(ours.iter().all(|route| paths.contains_key(route)), "{ours:?}");
    // What a position has is what is said of it.
    let said = api["components"]["schemas"]["Position"]["properties"].as_object().unwrap();
    let has = get(&site, "/api/v1/games/tictactoe-3x3/positions").await.json();
    assert!(has.as_object().unwrap().keys().all(|key| said.contains_key(key)));
    let said = api["components"]["schemas"]["Move"]["properties"].as_object().unwrap();
    assert!(has["moves"][0].as_object().unwrap().keys().all(|key| said.contains_key(key)));
}

#[tokio::test]
async fn directories_of_directories_are_served_and_what_is_broken_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    for (at, name, size) in [("a/ttt", "tictactoe", "3x3"), ("b", "connect4", "4x4")] {
        let out = Some(folder.path().join(at));
        let options = winset::Options { out, threads: Some(1), ..Default::default() };
        winset::solve(rules(name, Some(size)), &options).unwrap();
    }
    std::fs::create_dir(folder.path().join("broken")).unwrap();
    std::fs::write(folder.path().join("broken/manifest.json"), "{}").unwrap();
    let site =
        Site::new(Config { directories: vec![folder.path().to_owned()], most_open: 1, ..Config::default() });
    assert_eq!(site.ids(), ["connect4-4x4", "tictactoe-3x3"]);
    assert_eq!(site.skipped().len(), 1);
    // One open at a time is enough.
    for id in ["connect4-4x4", "tictactoe-3x3", "connect4-4x4"] {
        assert_eq!(get(&site, &format!("/api/v1/games/{id}/positions")).await.json()["value"], "tie");
    }
    std::fs::remove_dir_all(folder.path().join("b")).unwrap();
    let gone = get(&site, "/api/v1/games/tictactoe-3x3").await;
    assert_eq!(gone.status, 200);
}

#[tokio::test]
async fn the_same_game_twice_has_two_names() {
    let site = Site::new(Config::default());
    let ttt = solved(rules("tictactoe", None));
    assert_eq!(site.add(ttt.clone()), "tictactoe-3x3");
    assert_eq!(site.add(ttt), "tictactoe-3x3-2");
}

/// A site that has answered everything before says what a new one says, word for word: full answers, short ones, those of the
/// other API, of two games, and what is wrong with a question.
#[tokio::test]
async fn what_was_asked_before_is_answered_alike() {
    let known = site();
    let mut paths = vec![];
    let mut texts: Vec<String> = vec!["no position".into()];
    for game in ["tictactoe-3x3", "connect4-4x4"] {
        let sample = get(&known, &format!("/api/v1/games/{game}/sample?n=40&seed=3")).await.json();
        for position in sample["positions"].as_array().unwrap() {
            let text = position["position"].as_str().unwrap().to_owned();
            let coded = text.replace(' ', "+");
            paths.push(format!("/api/v1/games/{game}/positions?p={coded}"));
            paths.push(format!(
                "/universal/v1/{}/{game}/positions/?p={coded}",
                game.split('-').next().unwrap()
            ));
            texts.push(text);
        }
        paths.push(format!("/api/v1/games/{game}/positions"));
        paths.push(format!("/api/v1/games/{game}/positions?moves=1"));
        paths.push(format!("/api/v1/games/{game}/positions?p=nonsense"));
    }
    let batch = json!(texts).to_string();
    let solutions = [solved(rules("tictactoe", None)), solved(rules("connect4", Some("4x4")))];
    // A site that was never asked anything.
    let fresh = || {
        let site = Site::new(Config::default());
        solutions.iter().for_each(|solved| drop(site.add(solved.clone())));
        site
    };
    for path in &paths {
        let expected = get(&fresh(), path).await;
        for _ in 0..2 {
            let answer = get(&known, path).await;
            assert_eq!((answer.status, &answer.text), (expected.status, &expected.text), "{path}");
        }
    }
    for game in ["tictactoe-3x3", "connect4-4x4"] {
        let path = format!("/api/v1/games/{game}/positions");
        let expected = post(&fresh(), &path, &batch).await;
        assert_eq!(expected.json().as_array().unwrap().len(), texts.len());
        for _ in 0..2 {
            assert_eq!(post(&known, &path, &batch).await.text, expected.text, "{path}");
        }
    }
}
