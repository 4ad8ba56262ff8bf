//! What every request passes: is it meant for this host, is there room, how long may it take; and what every
//! answer carries.

use crate::problem::Problem;
use crate::site::Site;
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Method, StatusCode, Version};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::IpAddr;
use std::time::Instant;
use winset_model::visible;

/// Nothing from elsewhere, nothing inline, in no frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
    base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// Lets a request in, or not.
pub async fn guard(State(site): State<Site>, request: Request, next: Next) -> Response {
    let (clock, line) = (Instant::now(), site.parts().config.log.is_some().then(|| start_line(&request)));
    let open = is_open(request.uri().path());
    let mut response = admit(&site, request, next).await;
    finish(response.headers_mut(), open);
    if let (Some(log), Some(line)) = (&site.parts().config.log, line) {
        let status = response.status().as_u16();
        log(&format!("{line} {status} {:.1} ms", clock.elapsed().as_secs_f64() * 1e3));
    }
    response
}

async fn admit(site: &Site, request: Request, next: Next) -> Response {
    let config = &site.parts().config;
    if let Err(problem) = is_for_us(&request, &config.hosts) {
        return problem.into_response();
    }
    if request.uri().path().len() + request.uri().query().map_or(0, str::len) > 16 << 10 {
        return Problem::new(StatusCode::URI_TOO_LONG, "the address is longer than 16 KiB").into_response();
    }
    let length = request.headers().get(header::CONTENT_LENGTH);
    let length = length.and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if length.is_some_and(|length| length > config.body as u64) {
        let problem = format!("a body may have {} bytes", config.body);
        return Problem::new(StatusCode::PAYLOAD_TOO_LARGE, problem).into_response();
    }
    // Other origins may read. Nothing that they may send changes anything, so there is nothing to ask before.
    if request.method() == Method::OPTIONS {
        return preflight(&request);
    }
    let Ok(_inside) = site.parts().inside.try_acquire() else {
        return Problem::busy("too many requests are waiting; try again in a moment").into_response();
    };
    match tokio::time::timeout(config.time, next.run(request)).await {
        Ok(response) => response,
        Err(_) => {
            let problem = "the request or its answer took too long";
            Problem::new(StatusCode::REQUEST_TIMEOUT, problem).into_response()
        }
    }
}

/// A simple request with JSON in it is allowed from elsewhere; nothing else is.
fn preflight(request: &Request) -> Response {
    let open = is_open(request.uri().path());
    let mut response = StatusCode::NO_CONTENT.into_response();
    if open {
        let headers = response.headers_mut();
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, HEAD, POST"));
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static("content-type"));
        headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400"));
    }
    response
}

/// What other origins may read: answers about games. Not the page, which has a token, and not what goes on here.
fn is_open(path: &str) -> bool {
    path.starts_with("/universal/") || (path.starts_with("/api/v1") && !path.starts_with("/api/v1/jobs"))
}

/// The name by which the client knows this server is one that no stranger can point here: an address, `localhost`, or
/// a name that the operator gave. Otherwise a page from elsewhere could make a browser talk to us in its own name.
fn is_for_us(request: &Request, hosts: &[String]) -> Result<(), Problem> {
    let mut headers = request.headers().get_all(header::HOST).iter();
    let (header, more) = (headers.next(), headers.next());
    if more.is_some() {
        return Err(Problem::bad("a request has one Host"));
    }
    // A whole address in the first line counts more than the header (RFC 9112, 3.2.2).
    let host = match (request.uri().host(), header) {
        (Some(host), _) => Some(host),
        (None, Some(host)) => Some(host.to_str().map_err(|_| Problem::bad("the Host is no name"))?),
        (None, None) => None,
    };
    match host {
        Some(host) if is_known(host, hosts) => Ok(()),
        Some(_) => {
            let problem = "this server is not known by that name; --host NAME makes it so";
            Err(Problem::new(StatusCode::MISDIRECTED_REQUEST, problem))
        }
        // Old programs do not say it, and are no browsers.
        None if request.version() <= Version::HTTP_10 => Ok(()),
        None => Err(Problem::bad("a request of HTTP/1.1 names its Host")),
    }
}

fn is_known(host: &str, hosts: &[String]) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => match rest.split_once(']') {
            Some((name, port)) if port.is_empty() || port.starts_with(':') => name,
            _ => return false,
        },
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    };
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    name.parse::<IpAddr>().is_ok()
        || name == "localhost"
        || name.ends_with(".localhost")
        || hosts.iter().any(|known| known.eq_ignore_ascii_case(&name))
}

/// What is refused before it comes to us, such as an address that is not UTF-8, is refused in the same form.
pub async fn problems(response: Response) -> Response {
    let plain = |kind: &HeaderValue| kind.as_bytes().starts_with(b"text/plain");
    let status = response.status();
    if status.as_u16() < 400 || !response.headers().get(header::CONTENT_TYPE).is_some_and(plain) {
        return response;
    }
    let said = axum::body::to_bytes(response.into_body(), 4096).await.unwrap_or_default();
    Problem::new(status, String::from_utf8_lossy(&said)).into_response()
}

/// What every answer carries.
fn finish(headers: &mut HeaderMap, open: bool) {
    let mut set = |name: HeaderName, value: &'static str| {
        headers.insert(name, HeaderValue::from_static(value));
    };
    set(header::CONTENT_SECURITY_POLICY, POLICY);
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(header::REFERRER_POLICY, "no-referrer");
    set(header::X_FRAME_OPTIONS, "DENY");
    let resource = HeaderName::from_static("cross-origin-resource-policy");
    if open {
        set(header::ACCESS_CONTROL_ALLOW_ORIGIN, "*");
        set(header::ACCESS_CONTROL_EXPOSE_HEADERS, "etag, retry-after");
        set(resource, "cross-origin");
    } else {
        set(resource, "same-origin");
        set(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    }
}

fn start_line(request: &Request) -> String {
    visible(&format!("{} {}", request.method(), request.uri())).into_owned()
}
