//! What is wrong with a request, in the form that clients know (RFC 9457).

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use winset_explore::ExploreError;
use winset_model::visible_lines;
use winset_store::StoreError;

/// A request that cannot be answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The status.
    pub status: StatusCode,
    /// What is wrong, and what would be right.
    pub detail: String,
}

#[derive(Serialize)]
struct Body<'a> {
    r#type: &'static str,
    title: &'a str,
    status: u16,
    detail: &'a str,
    /// Clients of the UWAPI look for this key.
    error: &'a str,
}

impl Problem {
    /// A problem with this status.
    pub fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Problem { status, detail: visible_lines(&detail.into()).into_owned() }
    }

    /// The request itself is wrong.
    pub fn bad(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, detail)
    }

    /// There is no such thing.
    pub fn missing(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, detail)
    }

    /// Too much is going on.
    pub fn busy(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, detail)
    }
}

/// What is asked for makes no sense, or the store is broken: the first is the client's fault, the second is not.
impl From<ExploreError> for Problem {
    fn from(error: ExploreError) -> Self {
        match &error {
            ExploreError::Text(_) | ExploreError::NoLayer(_) => Problem::bad(error.to_string()),
            // Paths of this machine are nobody's business.
            _ => Problem::busy(
                "the stored solution could not be read; `winset verify` says what is wrong with it",
            ),
        }
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        ExploreError::from(error).into()
    }
}

impl From<winset::Error> for Problem {
    fn from(error: winset::Error) -> Self {
        match error {
            winset::Error::Explore(error) => error.into(),
            winset::Error::Text(error) => Problem::bad(error.to_string()),
            _ => Problem::busy("the stored solution could not be opened; `winset stats` says why"),
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let title = self.status.canonical_reason().unwrap_or("Error");
        let body = Body {
            r#type: "about:blank",
            title,
            status: self.status.as_u16(),
            detail: &self.detail,
            error: &self.detail,
        };
        let text = serde_json::to_string(&body).unwrap_or_default();
        let mut response = (self.status, text).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}
