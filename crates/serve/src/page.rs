//! The page: what it says is written here, so that a link works without script and a preview carries the sentence;
//! script makes it move.

mod html;

use crate::answer::{Asked, PositionAnswer, describe};
use crate::api::{self, Where, queried};
use crate::assets::address;
use crate::problem::Problem;
use crate::shelf::Room;
use crate::site::Site;
use axum::Router;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
pub(crate) use html::escape;
use html::{address_of, grouped};
use serde_json::{Value, json};
use winset::Session;
use winset_model::visible_lines;

/// The routes of the page.
pub fn routes() -> Router<Site> {
    Router::new()
        .route("/", get(home))
        .route("/g/{id}", get(play))
        .route("/g/{id}/quiz", get(quiz))
        .route("/g/{id}/stats", get(stats))
        .route("/g/{id}/proof", get(proof))
}

fn page(status: StatusCode, text: String) -> Response {
    let kind = (header::CONTENT_TYPE, "text/html; charset=utf-8");
    (status, [kind, (header::CACHE_CONTROL, "no-cache")], text).into_response()
}

/// A page that says what is wrong.
pub(crate) fn sorry(problem: &Problem) -> Response {
    let title = problem.status.canonical_reason().unwrap_or("Error");
    let body = format!(
        "<main class=\"plain\"><section class=\"card sorry\"><h1>{}</h1><p>{}</p><p><a href=\"/\">All games</a></p></section></main>",
        escape(title),
        escape(&problem.detail)
    );
    page(problem.status, html::document(title, &problem.detail, "", &html::top(None, ""), &body, None))
}

async fn home(State(site): State<Site>) -> Response {
    let found = site
        .work(|site| {
            let rooms = site.ids().into_iter().filter_map(|id| site.room(&id).ok());
            let one = |room: std::sync::Arc<Room>| room.desk.ask(|session| api::info(&room, session)).ok();
            Ok(rooms.filter_map(one).collect::<Vec<Value>>())
        })
        .await;
    let games = match found {
        Ok(games) => games,
        Err(problem) => return sorry(&problem),
    };
    let card = |game: &Value| {
        let text = |key: &str| escape(game[key].as_str().unwrap_or_default());
        let id = text("id");
        let value = game["start"]["value"].as_str().unwrap_or("unknown");
        // Solutions of the same game are told apart by their names in addresses.
        let twin = games.iter().filter(|other| other["title"] == game["title"]).count() > 1;
        let twin = if twin { format!(" · {id}") } else { String::new() };
        let unfinished = match game["complete"].as_bool() {
            Some(true) => String::new(),
            _ => format!(" · {} of {} layers solved", game["layersSolved"], game["layers"]),
        };
        format!(
            "<li><a class=\"card game\" href=\"/g/{id}\"><h2>{}</h2><p class=\"verdict {}\"><span class=\"glyph\" \
             aria-hidden=\"true\">{}</span> {}</p><p class=\"quiet\">{} positions{unfinished}{twin}</p></a></li>",
            text("title"),
            escape(value),
            html::glyph(game["start"]["value"].as_str()),
            escape(game["start"]["sentence"].as_str().unwrap_or_default()),
            grouped(game["positions"].as_u64().unwrap_or(0)),
        )
    };
    let list: String = games.iter().map(card).collect();
    let solve = match site.live().into {
        Some(_) => "<p class=\"more\"><a class=\"button\" href=\"/solve\">Solve another game</a></p>",
        None => "",
    };
    let empty = "<p class=\"card\">Nothing is solved here yet. <code>winset solve connect4 5x4 --distance --out c4</code> \
                 makes a solution, <code>winset serve c4</code> serves it.</p>";
    let body = format!(
        "<main class=\"plain\"><h1>Solved games</h1><p class=\"lead\">Every position that can arise, and who wins it \
         under perfect play.</p>{}{solve}</main>",
        if games.is_empty() { empty.to_owned() } else { format!("<ul class=\"games\">{list}</ul>") }
    );
    let about = "Games solved by winset: play against perfection.";
    page(StatusCode::OK, html::document("Solved games", about, "home.js", &html::top(None, ""), &body, None))
}

async fn play(
    State(site): State<Site>,
    Path(id): Path<String>,
    query: Result<Query<Where>, QueryRejection>,
) -> Response {
    explorer(site, id, query, "play").await
}

async fn quiz(
    State(site): State<Site>,
    Path(id): Path<String>,
    query: Result<Query<Where>, QueryRejection>,
) -> Response {
    explorer(site, id, query, "quiz").await
}

async fn explorer(
    site: Site,
    id: String,
    query: Result<Query<Where>, QueryRejection>,
    mode: &'static str,
) -> Response {
    let asked = match queried(query).and_then(Where::asked) {
        Ok(asked) => asked,
        Err(problem) => return sorry(&problem),
    };
    let question = move |room: &Room, session: &mut Session<'_>| {
        let details = api::details(room, session)?;
        // What is wrong with a link is said on the page of the game, which goes on from the start.
        let (described, wrong) = match describe(room, session, &asked) {
            Ok(described) => (described, None),
            Err(problem) => (describe(room, session, &Asked::Moves(String::new()))?, Some(problem.detail)),
        };
        let drawn = visible_lines(&room.solved().game().draw(&described.state)).into_owned();
        Ok((details, described.answer, drawn, wrong))
    };
    match site.ask(id, question).await {
        Ok(((details, answer, drawn, wrong), room)) => {
            let status = if wrong.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
            page(status, explorer_page(&room, &details, &answer, &drawn, wrong.as_deref(), mode))
        }
        Err(problem) => sorry(&problem),
    }
}

fn explorer_page(
    room: &Room,
    details: &Value,
    answer: &PositionAnswer,
    drawn: &str,
    wrong: Option<&str>,
    mode: &str,
) -> String {
    let id = &room.id;
    let title = room.title();
    let sentence = &answer.sentence;
    let heading = format!("{sentence} · {title}");
    let about = format!(
        "{title}: {}. Solved by winset: all {} positions.",
        match &answer.player {
            Some(player) => format!("{player} to move. {sentence}"),
            None => sentence.clone(),
        },
        grouped(details["positions"].as_u64().unwrap_or(0))
    );
    let to_move = answer
        .player
        .as_ref()
        .map_or(String::new(), |player| format!("<p class=\"to-move\">{} to move</p>", escape(player)));
    let why = match (&answer.why, answer.reachable) {
        (Some(why), _) => format!("<p class=\"why\">{}.</p>", escape(why)),
        _ => String::new(),
    };
    let wrong = wrong.map(|wrong| {
        let wrong = wrong.trim_end_matches('.');
        format!("The link could not be followed: {wrong}. This is the start.")
    });
    let data = json!({"game": details, "position": answer, "mode": mode, "wrong": wrong});
    let wrong = wrong.map_or(String::new(), |wrong| format!("<p class=\"why\">{}</p>", escape(&wrong)));
    let warning =
        answer.warning.map_or(String::new(), |text| format!("<p class=\"why\">{}.</p>", escape(text)));
    let item = |m: &crate::answer::MoveOut| {
        format!(
            "<li><a href=\"/g/{id}?p={}\"><b>{}</b> <span>{}</span></a></li>",
            address_of(&m.position),
            escape(&m.name),
            escape(&m.sentence)
        )
    };
    let moves: String = answer.moves.iter().map(item).collect();
    let body = format!(
        "<main class=\"explorer\" id=\"explorer\">\
         <section class=\"left\" aria-label=\"Board\"><div id=\"board\" class=\"board\"><pre class=\"drawn\">{}</pre></div>\
         <div id=\"below\"></div></section>\
         <section class=\"right\"><div class=\"card verdict-card\" id=\"verdict\" aria-live=\"polite\">{wrong}\
         <h1 class=\"verdict {}\"><span class=\"glyph\" aria-hidden=\"true\">{}</span> <span id=\"sentence\">{}</span></h1>\
         {to_move}{why}{warning}</div>\
         <div class=\"card\" id=\"moves\" tabindex=\"-1\"><h2>Moves</h2><ul class=\"moves plain-moves\">{moves}</ul></div>\
         <div id=\"more\"></div></section></main>",
        escape(drawn),
        escape(answer.value.unwrap_or("unknown")),
        html::glyph(answer.value),
        escape(sentence),
    );
    html::document(
        &heading,
        &about,
        "play.js",
        &html::top(Some((id.as_str(), title.as_str())), mode),
        &body,
        Some(&data),
    )
}

async fn stats(
    State(site): State<Site>,
    Path(id): Path<String>,
    query: Result<Query<Where>, QueryRejection>,
) -> Response {
    let asked = match queried(query).and_then(Where::asked) {
        Ok(asked) => asked,
        Err(problem) => return sorry(&problem),
    };
    let question = move |room: &Room, session: &mut Session<'_>| {
        let answer = describe(room, session, &asked)?.answer;
        Ok((api::details(room, session)?, room.stats(), answer))
    };
    match site.ask(id, question).await {
        Ok(((details, stats, answer), room)) => {
            page(StatusCode::OK, html::stats_page(&room, &details, &stats, &answer))
        }
        Err(problem) => sorry(&problem),
    }
}

async fn proof(State(site): State<Site>, Path(id): Path<String>) -> Response {
    match site.ask(id, api::details).await {
        Ok((details, room)) => page(StatusCode::OK, html::proof_page(&room, &details)),
        Err(problem) => sorry(&problem),
    }
}

/// A page with data for its script and no game of its own.
pub(crate) fn document(
    status: StatusCode,
    title: &str,
    about: &str,
    script: &str,
    body: &str,
    data: &Value,
) -> Response {
    page(status, html::document(title, about, script, &html::top(None, ""), body, Some(data)))
}

/// The address of a file of the page.
pub(crate) fn asset(name: &str) -> String {
    address(name)
}
