//! Answers that may be kept: what a solution says never changes.

use crate::problem::Problem;
use crate::shelf::Room;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// The name of everything that this version says of a solution.
pub fn etag(room: &Room) -> String {
    let digest = &room.manifest().digest;
    format!("W/\"{}-{}\"", &digest[..16.min(digest.len())], env!("CARGO_PKG_VERSION"))
}

/// JSON that may not be kept.
pub fn plain(value: &impl Serialize) -> Response {
    text(serde_json::to_string(value).unwrap_or_default())
}

/// The same, already as text.
pub fn text(json: String) -> Response {
    let mut response = json.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

/// JSON about a solution: for ever if its digest is in the address, else to be asked about again, which costs
/// nothing as long as the solution is the same.
pub fn cached(
    room: &Room,
    pinned: bool,
    headers: &HeaderMap,
    value: &impl Serialize,
) -> Result<Response, Problem> {
    Ok(keep(room, pinned, headers, plain(value)))
}

/// The same for any answer.
pub fn keep(room: &Room, pinned: bool, headers: &HeaderMap, mut response: Response) -> Response {
    let tag = etag(room);
    let has = headers.get(header::IF_NONE_MATCH).and_then(|tags| tags.to_str().ok());
    let bare = tag.trim_start_matches("W/");
    let same = has.is_some_and(|tags| {
        tags.split(',').any(|known| known.trim().trim_start_matches("W/") == bare || known.trim() == "*")
    });
    if same {
        response = StatusCode::NOT_MODIFIED.into_response();
        // What the whole answer would say of caching.
        response.headers_mut().insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    }
    let control = if pinned { "public, max-age=31536000, immutable" } else { "no-cache" };
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(control));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(header::ETAG, tag);
    }
    response
}
