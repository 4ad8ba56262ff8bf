//! A site with small solved games, asked without a network.
#![allow(dead_code, reason = "every test uses some of it")]

use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode};
use serde_json::Value;
use std::sync::OnceLock;
use tower::ServiceExt;
use winset::{Catalogue, Options, Rules, Solved};
use winset_serve::{Config, Site};

pub fn rules(name: &str, size: Option<&str>) -> Rules {
    let catalogue = Catalogue::default();
    // Rules from a file, where the built-in game of the name has another size.
    if name == "nim" {
        return catalogue.gdl(name, include_str!("../../../gdl/games/nim.kif")).unwrap();
    }
    catalogue.game(name, size, &Default::default()).unwrap()
}

pub fn solved(rules: Rules) -> Solved {
    winset::solve(rules, &Options { distance: true, threads: Some(1), ..Options::default() }).unwrap()
}

/// Games of all kinds: ties, draws that never end, rules from a file. Solved once for all tests of a file.
pub fn site() -> Site {
    static SITE: OnceLock<Site> = OnceLock::new();
    let make = || {
        let site = Site::new(Config::default());
        for (name, size) in [
            ("tictactoe", None),
            ("connect4", Some("4x4")),
            ("checkers", Some("4")),
            ("nim", None),
            ("chomp", Some("3x3")),
        ] {
            site.add(solved(rules(name, size)));
        }
        site
    };
    SITE.get_or_init(make).clone()
}

pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub text: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|e| panic!("{e}: {}", self.text))
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

pub async fn send(site: &Site, request: Request<Body>) -> Answer {
    let response = site.router().oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    let bytes = axum::body::to_bytes(body, 1 << 26).await.unwrap();
    Answer { status: parts.status, headers: parts.headers, text: String::from_utf8(bytes.to_vec()).unwrap() }
}

pub async fn get(site: &Site, path: &str) -> Answer {
    send(site, Request::get(path).header("host", "localhost:8017").body(Body::empty()).unwrap()).await
}

pub async fn post(site: &Site, path: &str, body: &str) -> Answer {
    let request = Request::post(path).header("host", "localhost").header("content-type", "application/json");
    send(site, request.body(Body::from(body.to_owned())).unwrap()).await
}
