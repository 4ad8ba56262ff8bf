//! Starting, watching and stopping work.

use super::{End, MOST_POSITIONS, Snapshot, end_of, finish, solve};
use crate::api::plain;
use crate::page::{self, escape};
use crate::problem::Problem;
use crate::site::Site;
use axum::extract::rejection::JsonRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::json;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::ReceiverStream;
use winset::{Catalogue, Choices};

/// The routes below `/api/v1/jobs`.
pub fn routes() -> Router<Site> {
    Router::new()
        .route("/jobs", get(list).post(begin))
        .route("/jobs/{job}", get(one))
        .route("/jobs/{job}/events", get(events))
        .route("/jobs/{job}/cancel", post(cancel))
}

/// The pages of solving.
pub fn pages() -> Router<Site> {
    Router::new().route("/solve", get(form)).route("/solve/{job}", get(watching))
}

/// Only our own page can send this header: another origin's script would have to ask before, and is refused.
fn check_token(site: &Site, headers: &HeaderMap) -> Result<(), Problem> {
    let given = headers.get("x-winset-token").and_then(|token| token.to_str().ok()).unwrap_or_default();
    let right = &site.live().token;
    // Every byte is compared, whatever the first difference is.
    let differs = given.len() != right.len()
        || given.bytes().zip(right.bytes()).fold(0, |differs, (a, b)| differs | (a ^ b)) != 0;
    match differs {
        true => Err(Problem::new(StatusCode::FORBIDDEN, "only the page itself may do this")),
        false => Ok(()),
    }
}

async fn list(State(site): State<Site>) -> Response {
    let all = site.live().all();
    plain(&json!({"jobs": all.iter().map(|snapshot| &**snapshot).collect::<Vec<&Snapshot>>()}))
}

async fn one(State(site): State<Site>, Path(job): Path<u64>) -> Result<Response, Problem> {
    Ok(plain(&*site.live().get(job)?.snapshot()))
}

#[derive(Deserialize)]
struct Wish {
    game: String,
    size: Option<String>,
}

async fn begin(
    State(site): State<Site>,
    headers: HeaderMap,
    body: Result<Json<Wish>, JsonRejection>,
) -> Result<Response, Problem> {
    check_token(&site, &headers)?;
    let Json(wish) = body.map_err(|error| Problem::bad(error.body_text()))?;
    let into =
        site.live().into.clone().ok_or_else(|| Problem::missing("this server does not solve games"))?;
    if site.live().is_busy() {
        return Err(Problem::busy("something is being solved already; one game at a time"));
    }
    // Names only: nothing that a client sends is a path.
    let size = wish.size.filter(|size| !size.is_empty());
    let (name, wanted) = (wish.game.clone(), size.clone());
    let rules = site
        .work(move |_| {
            let found = Catalogue::default().game(&name, wanted.as_deref(), &Choices::default());
            found.map_err(|error| Problem::bad(error.to_string()))
        })
        .await?;
    let title = crate::shelf::title(&rules.record, rules.game.board());
    let running = site.live().begin(&title, Some(MOST_POSITIONS));
    let (job, directory) = (running.snapshot().job, into.join(winset::Cache::folder(&rules)));
    let command = format!(
        "winset solve {} {} --distance --out {}",
        wish.game,
        size.unwrap_or_default(),
        directory.display()
    );
    let memory = site.live().memory;
    std::thread::spawn(move || {
        let solved = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            solve(&running, &rules, directory.clone(), memory)
        }));
        let end = match solved {
            Ok(Ok(())) => served(&site, Some(&directory)),
            Ok(Err(error)) => end_of(&running, &error, &command),
            Err(_) => End::Failed { detail: "the engine failed".to_owned() },
        };
        finish(&running, end);
    });
    Ok((StatusCode::ACCEPTED, plain(&json!({"job": job, "page": format!("/solve/{job}")}))).into_response())
}

/// What was solved is served from now on.
pub fn served(site: &Site, directory: Option<&std::path::Path>) -> End {
    let id = directory.and_then(|directory| site.add_directory(directory));
    let sentence = id.as_deref().and_then(|id| {
        let room = site.room(id).ok()?;
        let start = room.solved().start().clone();
        let described = room.desk.ask(|session| crate::answer::describe_state(&room, session, start, true));
        Some(described.ok()?.answer.known.sentence)
    });
    End::Done { page: id.map(|id| format!("/g/{id}")), sentence }
}

async fn cancel(
    State(site): State<Site>,
    headers: HeaderMap,
    Path(job): Path<u64>,
) -> Result<Response, Problem> {
    check_token(&site, &headers)?;
    site.live().get(job)?.cancel();
    Ok(plain(&json!({"job": job, "stopping": true})))
}

async fn events(State(site): State<Site>, Path(job): Path<u64>) -> Result<Response, Problem> {
    let mut now = site.live().get(job)?.subscribe();
    let (send, said) = tokio::sync::mpsc::channel(1);
    // The last word is the end; nothing comes after it.
    tokio::spawn(async move {
        loop {
            let snapshot = now.borrow_and_update().clone();
            let ended = snapshot.end.is_some();
            if send.send(snapshot).await.is_err() || ended {
                return;
            }
            tokio::time::sleep(Duration::from_millis(80)).await;
            if now.changed().await.is_err() {
                return;
            }
        }
    });
    let event = |snapshot: Arc<Snapshot>| {
        let data = serde_json::to_string(&*snapshot).unwrap_or_default();
        Ok::<Event, Infallible>(Event::default().event("progress").data(data))
    };
    let stream = ReceiverStream::new(said).map(event);
    Ok(Sse::new(stream).keep_alive(KeepAlive::new().interval(Duration::from_secs(10))).into_response())
}

async fn form(State(site): State<Site>) -> Response {
    if site.live().into.is_none() {
        return page::sorry(&Problem::missing("this server does not solve games"));
    }
    let family = |family: &&winset::Family| {
        let named = family.name.contains(|c: char| c.is_ascii_uppercase());
        (!named).then(|| {
            format!(
                "<option value=\"{}\" data-default=\"{}\">{} – {}</option>",
                escape(family.name),
                escape(family.default),
                escape(family.name),
                escape(family.about)
            )
        })
    };
    let options: String = Catalogue::families().filter_map(|f| family(&f)).collect();
    let body = format!(
        "<main class=\"plain\"><h1>Solve a game</h1><p class=\"lead\">Small boards, up to {} positions; larger ones are \
         for <code>winset solve</code>.</p><form id=\"solve\" class=\"card editor\"><label class=\"variable\"><span>Game</span>\
         <select name=\"game\">{options}</select></label><label class=\"variable\"><span>Size</span>\
         <input class=\"position-text\" name=\"size\" placeholder=\"the game's default\" spellcheck=\"false\"></label>\
         <p class=\"why\" id=\"wrong\" role=\"alert\" hidden></p><div class=\"row\"><button class=\"primary\">Solve</button></div></form>\
         <div id=\"jobs\"></div></main>",
        winset_model::grouped(MOST_POSITIONS)
    );
    live_page(&site, "Solve a game", &body, None)
}

async fn watching(State(site): State<Site>, Path(job): Path<u64>) -> Response {
    let snapshot = match site.live().get(job) {
        Ok(running) => running.snapshot(),
        Err(problem) => return page::sorry(&problem),
    };
    let body = format!(
        "<main class=\"plain\"><h1>{}</h1><p class=\"lead\" id=\"said\" role=\"status\">{}</p><section class=\"card\">\
         <div id=\"figures\" class=\"figures\"></div><div id=\"layers\" class=\"figure\"></div><div class=\"row\" id=\"act\"></div>\
         </section></main>",
        escape(&snapshot.title),
        escape(&snapshot.phase)
    );
    live_page(&site, &format!("Solving {}", snapshot.title), &body, Some(&snapshot))
}

fn live_page(site: &Site, title: &str, body: &str, snapshot: Option<&Snapshot>) -> Response {
    let data = json!({"token": site.live().token, "snapshot": snapshot});
    page::document(StatusCode::OK, title, title, "live.js", body, &data)
}
