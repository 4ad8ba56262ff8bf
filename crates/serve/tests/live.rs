//! Solving while somebody watches: who may start it, what is told, and that stopping loses nothing.

mod common;

use axum::body::Body;
use axum::http::Request;
use common::{Answer, get, send};
use serde_json::Value;
use std::time::Duration;
use winset_serve::{Config, Site};

fn site(into: &std::path::Path) -> Site {
    Site::new(Config { solve_into: Some(into.to_owned()), ..Config::default() })
}

/// The token that the page has.
async fn token(site: &Site) -> String {
    let page = get(site, "/solve").await.text;
    let data = page.split("id=\"data\">").nth(1).unwrap().split("</script>").next().unwrap();
    serde_json::from_str::<Value>(data).unwrap()["token"].as_str().unwrap().to_owned()
}

async fn post(site: &Site, path: &str, token: &str, body: &str) -> Answer {
    let request = Request::post(path).header("host", "localhost").header("content-type", "application/json");
    send(site, request.header("x-winset-token", token).body(Body::from(body.to_owned())).unwrap()).await
}

async fn ended(site: &Site, job: u64) -> Value {
    loop {
        let now = get(site, &format!("/api/v1/jobs/{job}")).await.json();
        if !now["end"].is_null() {
            return now;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_page_may_make_the_server_work() {
    let folder = tempfile::tempdir().unwrap();
    let site = site(folder.path());
    let wish = r#"{"game": "tictactoe"}"#;
    for wrong in ["", "x", &"0".repeat(64)] {
        assert_eq!(post(&site, "/api/v1/jobs", wrong, wish).await.status, 403);
        assert_eq!(post(&site, "/api/v1/jobs/1/cancel", wrong, "").await.status, 403);
    }
    assert_eq!(get(&site, "/api/v1/jobs").await.header("access-control-allow-origin"), "");
    assert_eq!(get(&site, "/solve").await.header("access-control-allow-origin"), "");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    let token = token(&site).await;
    for wrong in [
        r#"{"game": "chess"}"#,
        r#"{"game": "../x"}"#,
        r#"{"game": "/etc/passwd"}"#,
        r#"{"game": "connect4", "size": "99x99"}"#,
        "[]",
    ] {
        assert_eq!(post(&site, "/api/v1/jobs", &token, wrong).await.status, 400, "{wrong}");
    }
    let mute = Site::new(Config::default());
    assert_eq!(get(&mute, "/solve").await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn layers_fill_in_and_the_solution_is_served() {
    let folder = tempfile::tempdir().unwrap();
    let site = site(folder.path());
    let token = token(&site).await;
    let begun = post(&site, "/api/v1/jobs", &token, r#"{"game": "tictactoe", "size": ""}"#).await;
    assert_eq!(begun.status, 202);
    let job = begun.json()["job"].as_u64().unwrap();
    // The stream ends by itself, with the end as its last word.
    let events = get(&site, &format!("/api/v1/jobs/{job}/events")).await;
    assert_eq!(events.header("content-type"), "text/event-stream");
    let last = events.text.lines().filter_map(|line| line.strip_prefix("data: ")).next_back().unwrap();
    let last: Value = serde_json::from_str(last).unwrap();
    assert_eq!(last["end"]["how"], "done");
    assert_eq!(last["end"]["sentence"], "A tie in 9 plies");
    assert_eq!(last["positions"], 5478);
    assert_eq!(last["solved"], 5478);
    let layers = last["layers"].as_array().unwrap();
    assert!(layers.len() == 10 && layers.iter().all(|layer| layer["solved"] == true));
    // Nobody can move in the last one.
    assert!(layers[..9].iter().all(|layer| layer["nodes"].as_u64() > Some(0)), "{layers:?}");
    assert_eq!(get(&site, last["end"]["page"].as_str().unwrap()).await.status, 200);
    assert_eq!(get(&site, "/api/v1/jobs/77").await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_stopped_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let site = site(folder.path());
    let token = token(&site).await;
    let wish = r#"{"game": "connect4", "size": "5x4"}"#;
    let job = post(&site, "/api/v1/jobs", &token, wish).await.json()["job"].as_u64().unwrap();
    assert_eq!(post(&site, "/api/v1/jobs", &token, wish).await.status, 503, "one at a time");
    while get(&site, &format!("/api/v1/jobs/{job}")).await.json()["layers"].as_array().unwrap().len() < 5 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(post(&site, &format!("/api/v1/jobs/{job}/cancel"), &token, "").await.status, 200);
    let now = ended(&site, job).await;
    // On a fast machine it may have come to its end before it heard.
    if now["end"]["how"] == "done" {
        return;
    }
    assert_eq!(now["end"]["how"], "stopped", "{now}");
    let kept = now["layers"].as_array().unwrap().len();
    let job = post(&site, "/api/v1/jobs", &token, wish).await.json()["job"].as_u64().unwrap();
    let now = ended(&site, job).await;
    assert_eq!(
        (&now["end"]["how"], &now["positions"]),
        (&Value::from("done"), &Value::from(3_945_711)),
        "{now}"
    );
    assert!(kept <= now["layers"].as_array().unwrap().len());
}
