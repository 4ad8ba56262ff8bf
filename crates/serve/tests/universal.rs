//! The contract of `/universal/v1/`: every rule that GamesmanUni's client needs, each with what happens otherwise.

mod common;

use common::{get, site};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use winset_serve::Site;

/// The pictures that are compiled into the client; those that we may name.
const PICTURES: &[&str] = &[
    "hashi/grayclick.svg",
    "ttt/x.svg",
    "ttt/o.svg",
    "general/whitepiece.svg",
    "general/blackpiece.svg",
    "general/redpiece.svg",
    "general/bluepiece.svg",
    "chess/wikipedia/K.svg",
    "chess/wikipedia/kk.svg",
    "general/blue_circle.svg",
    "general/orange_circle.svg",
    "general/teal_circle.svg",
    "general/purple_circle.svg",
    "general/yellow_circle.svg",
    "general/pink_circle.svg",
    "general/brown_circle.svg",
    "general/green_circle.svg",
    "general/red_circle.svg",
    "general/0.svg",
    "general/1.svg",
    "general/2.svg",
    "general/3.svg",
    "general/4.svg",
    "general/5.svg",
    "general/6.svg",
    "general/7.svg",
    "general/8.svg",
    "general/9.svg",
];

const BASE: &str = "/universal/v1/";

async fn variants(site: &Site) -> Vec<(String, String)> {
    let mut all = vec![];
    for game in get(site, BASE).await.json().as_array().unwrap() {
        let id = game["id"].as_str().unwrap();
        for variant in get(site, &format!("{BASE}{id}/")).await.json()["variants"].as_array().unwrap() {
            all.push((id.to_owned(), variant["id"].as_str().unwrap().to_owned()));
        }
    }
    all
}

/// Positions of a variant, by walking along first and last moves from the start.
async fn walk(site: &Site, game: &str, variant: &str, mut visit: impl FnMut(&Value)) {
    let ask = async |p: &str| get(site, &format!("{BASE}{game}/{variant}/positions/?p={p}")).await;
    let start = get(site, &format!("{BASE}{game}/{variant}/")).await.json();
    for pick in 0..3usize {
        let mut position = start["startPosition"].as_str().unwrap().to_owned();
        for _ in 0..40 {
            let answer = ask(&position).await;
            assert_eq!(answer.status, 200, "{position}: {}", answer.text);
            let answer = answer.json();
            assert_eq!(answer["position"], position.as_str());
            visit(&answer);
            let moves = answer["moves"].as_array().unwrap();
            let Some(m) = moves.get((pick * 7 + moves.len() / 2) % moves.len().max(1)) else { break };
            position = m["position"].as_str().unwrap().to_owned();
        }
    }
}

#[tokio::test]
async fn games_are_listed_in_words_that_the_client_knows() {
    let site = site();
    let answer = get(&site, BASE).await;
    assert_eq!(answer.header("access-control-allow-origin"), "*");
    for game in answer.json().as_array().unwrap() {
        let id = game["id"].as_str().unwrap();
        // tictactoe, quarto and sim have boards of their own in the client.
        assert!(id.starts_with("winset-") && !id.contains('/'), "{id}");
        assert!(["v0", "v1", "v2", "v3"].contains(&game["gui"].as_str().unwrap()));
        assert!(["twoPlayer", "onePlayer"].contains(&game["type"].as_str().unwrap()));
        assert!(game["name"].is_string());
        let one = get(&site, &format!("{BASE}{id}/")).await.json();
        assert!(one["allowCustomVariantCreation"].is_boolean() && one["supportsWinBy"].is_boolean());
        for variant in one["variants"].as_array().unwrap() {
            assert!(
                variant["id"].is_string()
                    && variant["name"].is_string()
                    && variant["supportsWinBy"].is_boolean()
            );
            assert!(["v0", "v1", "v2", "v3"].contains(&variant["gui"].as_str().unwrap()));
        }
    }
}

#[tokio::test]
async fn a_match_can_be_started() {
    let site = site();
    for (game, variant) in variants(&site).await {
        let answer = get(&site, &format!("{BASE}{game}/{variant}/")).await.json();
        assert_eq!(answer["id"], variant.as_str());
        assert!(answer["startPosition"].is_string());
        assert!(answer["autoguiStartPosition"].as_str().unwrap().starts_with("1_"));
        let data = &answer["imageAutoGUIData"];
        // An empty object breaks the page.
        assert_eq!(data.is_null(), answer["gui"] == "v0");
        let instructions = format!("{BASE}{game}/{variant}/instructions/?locale=en-US");
        assert!(get(&site, &instructions).await.json()["instructions"].is_string());
        let first = get(&site, &format!("{BASE}{game}/{variant}/positions/")).await.json();
        assert_eq!(first["position"], answer["startPosition"]);
    }
}

#[tokio::test]
async fn boards_use_only_pictures_that_the_client_has() {
    let site = site();
    for (game, variant) in variants(&site).await {
        let answer = get(&site, &format!("{BASE}{game}/{variant}/")).await.json();
        let theme = &answer["imageAutoGUIData"]["themes"]["basic"];
        let centers = theme["centers"].as_array().unwrap();
        let [width, height] = [0, 1].map(|i| theme["space"][i].as_f64().unwrap());
        for center in centers {
            assert!((0.0..=width).contains(&center[0].as_f64().unwrap()));
            assert!((0.0..=height).contains(&center[1].as_f64().unwrap()));
        }
        for (name, image) in theme["charImages"].as_object().unwrap() {
            assert_eq!(name.len(), 1);
            assert!(PICTURES.contains(&image["image"].as_str().unwrap()), "{image}");
        }
        let start = answer["autoguiStartPosition"].as_str().unwrap()[2..].split('~').next().unwrap();
        assert_eq!(start.len(), centers.len(), "an entity for each centre");
        for c in start.chars().filter(|c| !"-.".contains(*c)) {
            assert!(theme["charImages"].get(c.to_string()).is_some(), "{c}");
        }
    }
}

#[tokio::test]
async fn positions_survive_addresses_without_encoding_and_begin_with_whose_turn() {
    let site = site();
    for (game, variant) in variants(&site).await {
        walk(&site, &game, &variant, |answer| {
            let moves = answer["moves"].as_array().unwrap().iter();
            for one in std::iter::once(answer).chain(moves) {
                let text = one["position"].as_str().unwrap();
                assert!(text.chars().all(|c| c.is_ascii_alphanumeric() || "-._~,()".contains(c)), "{text}");
                let shape = one["autoguiPosition"].as_str().unwrap();
                assert!(shape.starts_with("1_") || shape.starts_with("2_"), "{shape}");
                assert!(
                    shape[2..].chars().all(|c| c.is_ascii_alphanumeric() || "-.~".contains(c)),
                    "{shape}"
                );
            }
        })
        .await;
    }
}

#[tokio::test]
async fn values_and_distances_are_what_the_client_computes_with() {
    let site = site();
    for (game, variant) in variants(&site).await {
        walk(&site, &game, &variant, |answer| {
            let ended = answer["moves"].as_array().unwrap().is_empty();
            let moves = answer["moves"].as_array().unwrap().iter();
            for one in std::iter::once(answer).chain(moves) {
                let value = one["positionValue"].as_str().unwrap();
                // "unsolved" crashes the computer opponent.
                assert!(["win", "tie", "draw", "lose"].contains(&value), "{value}");
                assert_eq!(one["winby"], 0);
                let remoteness = one["remoteness"].as_i64().unwrap();
                assert!(remoteness >= 0 || [-100, -200].contains(&remoteness));
                assert_eq!(remoteness == -200, value == "draw");
            }
            // 0 is the end and nothing else is.
            assert_eq!(answer["remoteness"] == 0, ended);
            // A level game that has ended is a tie: a draw without moves is reported as lost.
            assert!(!ended || answer["positionValue"] != "draw");
            for m in answer["moves"].as_array().unwrap() {
                assert!(["win", "tie", "draw", "lose"].contains(&m["moveValue"].as_str().unwrap()));
                assert!(m["deltaRemoteness"].is_u64());
            }
            // Best first: the position is worth what its first move is.
            if !ended {
                assert_eq!(answer["positionValue"], answer["moves"][0]["moveValue"]);
            }
        })
        .await;
    }
}

#[tokio::test]
async fn buttons_are_unique_and_the_rest_is_found_by_its_name() {
    let site = site();
    let mut forms = BTreeSet::new();
    for (game, variant) in variants(&site).await {
        let entities = get(&site, &format!("{BASE}{game}/{variant}/")).await.json();
        let entities =
            entities["imageAutoGUIData"]["themes"]["basic"]["centers"].as_array().map_or(0, Vec::len);
        walk(&site, &game, &variant, |answer| {
            let mut seen = BTreeSet::new();
            for m in answer["moves"].as_array().unwrap() {
                let button = m["autoguiMove"].as_str().unwrap();
                assert!(seen.insert(button.to_owned()), "{button} twice");
                let parts: Vec<&str> = button.split('_').collect();
                let place = |text: &str| (entities / 2..entities).contains(&text.parse::<usize>().unwrap());
                match parts[..] {
                    ["A", "-", at] => assert!(place(at)),
                    ["M", from, to] => assert!(place(from) && place(to)),
                    _ => assert_eq!(button, m["move"].as_str().unwrap()),
                }
                forms.insert(parts[0].chars().next().unwrap());
            }
        })
        .await;
    }
    assert!(forms.contains(&'A') && forms.contains(&'M') && forms.contains(&'('), "{forms:?}");
}

#[tokio::test]
async fn both_texts_of_a_position_are_read_and_errors_are_errors() {
    let site = site();
    let ask =
        async |p: &str| get(&site, &format!("{BASE}winset-tictactoe/tictactoe-3x3/positions/?p={p}")).await;
    assert_eq!(ask("...,...,...~x").await.json(), ask(".../.../...%20x").await.json());
    let wrong = ask("nonsense").await;
    assert_eq!(wrong.status, 400);
    assert!(wrong.json()["error"].is_string());
    assert_eq!(ask("xxx,...,...~x").await.status, 404, "it cannot arise");
    assert_eq!(get(&site, &format!("{BASE}winset-chess/")).await.status, 404);
    assert_eq!(get(&site, &format!("{BASE}winset-tictactoe/connect4-4x4/")).await.status, 404);
    assert_eq!(get(&site, &format!("{BASE}winset-tictactoe")).await.status, 200, "without the slash too");
}

#[tokio::test]
async fn the_shape_of_a_position_is_the_recorded_one() {
    let site = site();
    let mut answer =
        get(&site, &format!("{BASE}winset-tictactoe/tictactoe-3x3/positions/?p=...,...,...~x")).await.json();
    let first = answer["moves"][0].clone();
    answer["moves"] = json!([first]);
    let recorded = json!({
        "position": "...,...,...~x", "autoguiPosition": "1_ttttttttt---------", "positionValue": "tie", "remoteness": 9,
        "winby": 0,
        "moves": [{
            "move": "a3", "autoguiMove": "A_-_9", "moveValue": "tie", "deltaRemoteness": 0,
            "position": "x..,...,...~o", "autoguiPosition": "2_ttttttttta--------", "positionValue": "tie",
            "remoteness": 8, "winby": 0
        }],
    });
    assert_eq!(answer, recorded);
}

/// Its opponent and its words are for two players; values that are not known break it.
#[tokio::test]
async fn games_of_three_are_left_out() {
    let site = Site::new(winset_serve::Config::default());
    let text = include_str!("../../gdl/tests/corpus/three.kif");
    let id = site.add(common::solved(winset::Catalogue::default().gdl("three", text).unwrap()));
    assert_eq!(get(&site, BASE).await.json(), json!([]));
    assert_eq!(get(&site, &format!("{BASE}winset-three/")).await.status, 404);
    assert_eq!(get(&site, &format!("{BASE}winset-three/{id}/")).await.status, 404);
    assert_eq!(get(&site, &format!("{BASE}winset-three/{id}/positions/")).await.status, 404);
    assert_eq!(get(&site, &format!("/api/v1/games/{id}/positions")).await.status, 200);
}
