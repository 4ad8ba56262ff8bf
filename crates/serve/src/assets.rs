//! The page's files, inside the binary. They have a digest in their addresses, so that browsers keep them for ever.

use crate::problem::Problem;
use crate::site::Site;
use axum::Router;
use axum::extract::Path;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::LazyLock;

macro_rules! files {
    ($($name:literal: $kind:literal),* $(,)?) => {
        &[$(($name, $kind, include_str!(concat!("../assets/", $name)))),*]
    };
}

/// Name, type and text of every file.
const FILES: &[(&str, &str, &str)] = files! {
    "style.css": "text/css; charset=utf-8",
    "board.css": "text/css; charset=utf-8",
    "icon.svg": "image/svg+xml",
    "play.js": "text/javascript; charset=utf-8",
    "session.js": "text/javascript; charset=utf-8",
    "board.js": "text/javascript; charset=utf-8",
    "geometry.js": "text/javascript; charset=utf-8",
    "pieces.js": "text/javascript; charset=utf-8",
    "moves.js": "text/javascript; charset=utf-8",
    "history.js": "text/javascript; charset=utf-8",
    "editor.js": "text/javascript; charset=utf-8",
    "home.js": "text/javascript; charset=utf-8",
    "live.js": "text/javascript; charset=utf-8",
    "stats.js": "text/javascript; charset=utf-8",
    "tools.js": "text/javascript; charset=utf-8",
};

static DIGEST: LazyLock<String> = LazyLock::new(|| {
    let mut hasher = DefaultHasher::new();
    FILES.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
});

/// The address of a file.
pub fn address(name: &str) -> String {
    format!("/assets/{}/{name}", *DIGEST)
}

/// The routes of the files.
pub fn routes() -> Router<Site> {
    Router::new()
        .route("/assets/{digest}/{name}", get(file))
        .route("/favicon.ico", get(|| async { axum::response::Redirect::permanent(&address("icon.svg")) }))
}

async fn file(Path((digest, name)): Path<(String, String)>) -> Result<Response, Problem> {
    let found = FILES.iter().find(|(known, ..)| *known == name);
    let (_, kind, text) = found.ok_or_else(|| Problem::missing("the page has no such file"))?;
    let keep = if digest == *DIGEST { "public, max-age=31536000, immutable" } else { "no-cache" };
    Ok(([(header::CONTENT_TYPE, *kind), (header::CACHE_CONTROL, keep)], *text).into_response())
}
