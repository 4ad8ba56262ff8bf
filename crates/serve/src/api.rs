//! Our API, `/api/v1`. What it says of a position is said by `winset query --json` too.

mod cached;
mod census;
mod game;

use crate::answer::{self, Asked, describe};
use crate::problem::Problem;
use crate::site::Site;
use axum::Router;
use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
pub use cached::{cached, keep, plain, text};
pub use game::{details, info};
use serde::Deserialize;
use serde_json::json;
use winset_model::visible_lines;

/// The most positions of one batch.
const BATCH: usize = 10_000;

/// The routes below `/api/v1`.
pub fn routes() -> Router<Site> {
    Router::new()
        .route("/", get(index))
        .route("/games", get(game::list))
        .route("/games/{id}", get(game::one))
        .route("/games/{id}/positions", get(position).post(positions))
        .route("/games/{id}/history", get(history))
        .route("/games/{id}/line", get(line))
        .route("/games/{id}/stats", get(census::stats))
        .route("/games/{id}/stats.csv", get(census::stats_csv))
        .route("/games/{id}/stats.svg", get(census::stats_svg))
        .route("/games/{id}/histogram", get(census::histogram))
        .route("/games/{id}/histogram.csv", get(census::histogram_csv))
        .route("/games/{id}/histogram.svg", get(census::histogram_svg))
        .route("/games/{id}/sample", get(census::sample))
        .route("/games/{id}/quiz", get(census::quiz))
        .route("/games/{id}/rules", get(rules))
        .route("/openapi.json", get(openapi))
        .merge(crate::live::routes())
}

async fn index() -> Response {
    plain(&json!({"games": "/api/v1/games", "openapi": "/api/v1/openapi.json", "uwapi": "/universal/v1/",
        "version": env!("CARGO_PKG_VERSION")}))
}

async fn openapi() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], include_str!("../assets/openapi.json")).into_response()
}

/// Where a client wants to look; the start if nothing is said.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Where {
    p: Option<String>,
    #[serde(alias = "m")]
    moves: Option<String>,
}

impl Where {
    /// As a question.
    pub fn asked(self) -> Result<Asked, Problem> {
        Ok(match (self.p, self.moves) {
            (Some(position), Some(moves)) if !moves.is_empty() => Asked::From(position, moves),
            (Some(position), _) => Asked::Position(position),
            (None, moves) => Asked::Moves(moves.unwrap_or_default()),
        })
    }
}

/// The same and nothing else. Who misspells a name would be answered about the start of the game and not notice; only links
/// to the page may carry what others put there.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Exactly {
    p: Option<String>,
    #[serde(alias = "m")]
    moves: Option<String>,
}

fn exactly(query: Result<Query<Exactly>, QueryRejection>) -> Result<Asked, Problem> {
    let Exactly { p, moves } = queried(query)?;
    Where { p, moves }.asked()
}

/// What the query says, or what is wrong with it.
pub fn queried<T>(query: Result<Query<T>, QueryRejection>) -> Result<T, Problem> {
    let wrong = |error: QueryRejection| {
        let said = error.body_text();
        let said = said.trim_start_matches("Failed to deserialize query string: ");
        let said = said.replace("invalid digit found in string", "a whole number is expected");
        let said = said.replace("cannot parse integer from empty string", "a whole number is expected");
        let said = said.replace("number too large to fit in target type", "the number is too large");
        Problem::bad(format!("the query cannot be read: {said}"))
    };
    query.map(|Query(query)| query).map_err(wrong)
}

async fn position(
    State(site): State<Site>,
    Path(id): Path<String>,
    headers: HeaderMap,
    query: Result<Query<Exactly>, QueryRejection>,
) -> Result<Response, Problem> {
    let asked = exactly(query)?;
    let pinned = id.contains('@');
    let question = ("position", asked.to_string());
    let (answer, room) = site
        .ask_again(id, question, move |room, session| Ok(describe(room, session, &asked)?.answer))
        .await?;
    Ok(keep(&room, pinned, &headers, text((*answer).to_owned())))
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Batch {
    List(Vec<String>),
    Object { positions: Vec<String> },
}

async fn positions(
    State(site): State<Site>,
    Path(id): Path<String>,
    headers: HeaderMap,
    // All of it is read, whatever is wrong with it: who goes on with the connection finds it where the next request begins.
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, Problem> {
    let body = body.map_err(|error| Problem::new(error.status(), error.body_text()))?;
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if kind != "application/json" && !kind.ends_with("+json") {
        return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "send content-type: application/json"));
    }
    let batch = serde_json::from_slice(&body).map_err(|error| {
        let what =
            "a list of positions is expected, like [\"TEXT\", \"TEXT\"] or {\"positions\": [\"TEXT\"]}";
        // Where the text is no JSON at all, its reader knows the place.
        let place = if error.is_data() { String::new() } else { format!(": {error}") };
        Problem::bad(format!("{what}{place}"))
    })?;
    let texts = match batch {
        Batch::List(texts) | Batch::Object { positions: texts } => texts,
    };
    if texts.len() > BATCH {
        return Err(Problem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("{} positions; {BATCH} at most may be asked at once", texts.len()),
        ));
    }
    let answers = site.ask_all(id, ("brief", texts), answer::brief).await?;
    Ok(text(format!("[{}]", answers.join(","))))
}

async fn line(
    State(site): State<Site>,
    Path(id): Path<String>,
    headers: HeaderMap,
    query: Result<Query<Exactly>, QueryRejection>,
) -> Result<Response, Problem> {
    let asked = exactly(query)?;
    let pinned = id.contains('@');
    let question = move |room: &crate::shelf::Room, session: &mut winset::Session<'_>| {
        let start = describe(room, session, &asked)?;
        let game = room.solved().game();
        // Nothing leads on from a position of which nothing is known.
        let line = match start.answer.moves.is_empty() {
            true => vec![],
            false => session.line(&start.state).map_err(Problem::from)?,
        };
        let step = |m: &winset::MoveValue| json!({"move": answer::shown(&game.move_at(m.id).name), "position": answer::shown(&game.print(&m.state))});
        let ended = line
            .last()
            .map_or(start.answer.terminal, |last| matches!(last.lookup, winset::Lookup::Terminal { .. }));
        Ok(json!({
            "position": start.answer.position,
            "sentence": start.answer.sentence,
            "line": line.iter().map(step).collect::<Vec<_>>(),
            "ends": ended,
        }))
    };
    let (answer, room) = site.ask(id, question).await?;
    cached(&room, pinned, &headers, &answer)
}

/// The most positions of one history.
const HISTORY: usize = 400;

/// Every position on the way, the first first: what a page needs that is opened by a link.
async fn history(
    State(site): State<Site>,
    Path(id): Path<String>,
    headers: HeaderMap,
    query: Result<Query<Exactly>, QueryRejection>,
) -> Result<Response, Problem> {
    let asked = exactly(query)?;
    let pinned = id.contains('@');
    let question = move |room: &crate::shelf::Room, session: &mut winset::Session<'_>| {
        let (states, played) = answer::states(room, session, &asked)?;
        if states.len() > HISTORY {
            return Err(Problem::bad(format!("{} positions; {HISTORY} at most are given", states.len())));
        }
        let all =
            states.into_iter().map(|state| Ok(answer::describe_state(room, session, state, played)?.answer));
        all.collect::<Result<Vec<_>, Problem>>()
    };
    let (answers, room) = site.ask(id, question).await?;
    cached(&room, pinned, &headers, &json!({"positions": answers}))
}

async fn rules(State(site): State<Site>, Path(id): Path<String>) -> Result<Response, Problem> {
    let (text, _) = site
        .ask(id, |room, _| {
            let record = &room.manifest().header.game;
            match &record.source {
                Some(source) => Ok(visible_lines(&source.text).into_owned()),
                None => {
                    let about = winset::Catalogue::family(&record.name).map(|family| family.about);
                    Ok(format!("{}: {}\n", room.title(), about.unwrap_or("built in")))
                }
            }
        })
        .await?;
    Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response())
}
