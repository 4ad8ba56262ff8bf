//! The API that GamesmanUni speaks (UWAPI), `/universal/v1/`.
//!
//! Its client is strict where one would not expect it; every rule that is kept here has a test in
//! `tests/universal.rs` that names it.

mod autogui;
mod text;

use crate::answer::{Asked, Described, describe, describe_state};
use crate::api::{cached, keep, plain, queried, text as json_text};
use crate::problem::Problem;
use crate::shelf::Room;
use crate::site::Site;
use autogui::Autogui;
use axum::Router;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::get;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use winset::Session;
use winset_explore::Solution;

/// Never `tictactoe`, `quarto` or `sim`: the client has boards of its own for these names.
const PREFIX: &str = "winset-";

/// The routes of `/universal/v1/`. The client always ends its paths with a slash; others may forget it.
pub fn routes() -> Router<Site> {
    let all = [
        ("", get(games)),
        ("/{game}", get(variants)),
        ("/{game}/{variant}", get(variant)),
        ("/{game}/{variant}/positions", get(position)),
        ("/{game}/{variant}/instructions", get(instructions)),
    ];
    all.into_iter().fold(Router::new(), |router, (path, handler)| {
        let path = format!("/universal/v1{path}");
        router.route(&path, handler.clone()).route(&format!("{path}/"), handler)
    })
}

/// A game's variants: the solutions of the same game.
struct Family {
    name: String,
    players: usize,
    /// Ids and titles.
    variants: Vec<(String, String, bool)>,
}

/// All games with their variants.
fn families(site: &Site) -> BTreeMap<String, Family> {
    let mut families: BTreeMap<String, Family> = BTreeMap::new();
    for id in site.ids() {
        let Ok(room) = site.room(&id) else { continue };
        if !is_for_clients(&room) {
            continue;
        }
        let record = &room.manifest().header.game;
        let plain =
            winset_store::GameRecord { size: String::new(), options: Default::default(), ..record.clone() };
        let plain = crate::shelf::title(&plain, None);
        let drawn = Autogui::of(&room.layout).is_some();
        let family = families.entry(game_id(&room)).or_insert_with(|| Family {
            name: plain,
            players: record.players.len(),
            variants: vec![],
        });
        family.variants.push((id, room.title(), drawn));
    }
    families
}

/// The client knows two players, or one, and its opponent breaks on values that are not known: it would say of a third
/// player's win that the other has won. These solutions are left to our own page.
fn is_for_clients(room: &Room) -> bool {
    room.manifest().header.game.players.len() <= 2 && room.solved().store().is_complete()
}

fn game_id(room: &Room) -> String {
    let name = &room.manifest().header.game.name;
    let safe = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    format!("{PREFIX}{}", name.chars().map(safe).collect::<String>())
}

/// Exactly one of the words that the client knows, or it does not list the game.
fn gui(drawn: bool) -> &'static str {
    if drawn { "v2" } else { "v0" }
}

async fn games(State(site): State<Site>) -> Result<Response, Problem> {
    let all = site
        .work(|site| {
            let one = |(id, family): (String, Family)| {
                let kind = if family.players == 1 { "onePlayer" } else { "twoPlayer" };
                let drawn = family.variants.iter().any(|v| v.2);
                json!({"id": id, "name": family.name, "type": kind, "gui": gui(drawn)})
            };
            Ok(families(site).into_iter().map(one).collect::<Vec<Value>>())
        })
        .await?;
    Ok(plain(&all))
}

async fn variants(State(site): State<Site>, Path(game): Path<String>) -> Result<Response, Problem> {
    let value = site
        .work(move |site| {
            let family = families(site).remove(&game).ok_or_else(|| Problem::missing("no such game is served"))?;
            let one = |(id, title, drawn): &(String, String, bool)| {
                json!({"id": id, "name": title, "gui": gui(*drawn), "supportsWinBy": false})
            };
            Ok(json!({
                "id": game, "name": family.name, "allowCustomVariantCreation": false, "supportsWinBy": false,
                "variants": family.variants.iter().map(one).collect::<Vec<_>>(),
            }))
        })
        .await?;
    Ok(plain(&value))
}

/// The room of a variant, if it belongs to the game.
fn check(room: &Room, game: &str) -> Result<(), Problem> {
    match game_id(room) == game && is_for_clients(room) {
        true => Ok(()),
        false => Err(Problem::missing("this game has no such variant")),
    }
}

async fn variant(
    State(site): State<Site>,
    Path((game, variant)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let question = move |room: &Room, session: &mut Session<'_>| {
        check(room, &game)?;
        let autogui = Autogui::of(&room.layout);
        let start = describe_state(room, session, room.solved().start().clone(), true)?;
        Ok(json!({
            "id": room.id, "name": room.title(), "gui": gui(autogui.is_some()),
            "startPosition": text::safe(&start.answer.position),
            "autoguiStartPosition": autogui_position(room, autogui.as_ref(), &start.state, start.answer.turn),
            "imageAutoGUIData": autogui.as_ref().map(|gui| gui.data(&room.layout)),
            "supportsWinBy": false,
        }))
    };
    let (value, room) = site.ask(variant, question).await?;
    cached(&room, false, &headers, &value)
}

#[derive(Deserialize)]
struct Asking {
    p: Option<String>,
}

async fn position(
    State(site): State<Site>,
    Path((game, variant)): Path<(String, String)>,
    headers: HeaderMap,
    query: Result<Query<Asking>, QueryRejection>,
) -> Result<Response, Problem> {
    let asked = queried(query)?.p;
    // With the name of the game, which is checked; its length comes first, so that no two questions have one text.
    let text = format!(
        "{} {game} {}",
        game.len(),
        asked.as_deref().map_or_else(String::new, |text| format!("p{text}"))
    );
    let question = move |room: &Room, session: &mut Session<'_>| {
        check(room, &game)?;
        let described = match asked {
            None => describe_state(room, session, room.solved().start().clone(), true)?,
            // The text as it is, or as this route writes it.
            Some(text) => match describe(room, session, &Asked::Position(text.clone())) {
                Ok(described) => described,
                Err(_) => describe(room, session, &Asked::Position(text::unsafe_again(&text)))?,
            },
        };
        // Clients come to where the game has ended by moves that they were given, and ask for nothing but the position.
        let described = match described.answer.terminal && described.answer.reachable.is_none() {
            true => describe_state(room, session, described.state, true)?,
            false => described,
        };
        if described.answer.reachable == Some(false) {
            return Err(Problem::missing(described.answer.known.sentence));
        }
        Ok(shape(room, session, &described))
    };
    let (answer, room) = site.ask_again(variant, ("universal", text), question).await?;
    Ok(keep(&room, false, &headers, json_text((*answer).to_owned())))
}

/// Plies; 0 only at the end, -200 for play without end, -100 for an end at a distance that is not known.
fn remoteness(value: Option<&str>, plies: Option<u32>) -> i64 {
    match (value, plies) {
        (_, Some(plies)) => i64::from(plies),
        (Some("draw"), None) => -200,
        _ => -100,
    }
}

fn autogui_position(
    room: &Room,
    autogui: Option<&Autogui>,
    state: &winset::State,
    turn: Option<u8>,
) -> String {
    // Always 1 or 2, also without a board: else the client guesses from the text.
    let turn = turn.map_or(1, |turn| turn.clamp(1, 2));
    let entities = autogui.map_or("-".to_owned(), |gui| gui.entities(&room.layout.placed(state)));
    format!("{turn}_{entities}")
}

fn shape(room: &Room, session: &mut Session<'_>, described: &Described) -> Value {
    let answer = &described.answer;
    let autogui = Autogui::of(&room.layout);
    let before = room.layout.placed(&described.state);
    let buttons: Vec<Option<String>> = match &autogui {
        None => vec![None; answer.moves.len()],
        Some(gui) => {
            let button =
                |state| gui.button(&room.layout.action(&before, &room.layout.placed(state)), before.len());
            described.after.iter().map(button).collect()
        }
    };
    // Whose turn it is after each move; the other's, if nothing says so.
    let other = answer.turn.map(|turn| 3 - turn.clamp(1, 2));
    let turns: Vec<Option<u8>> = described
        .after
        .iter()
        .map(|state| session.explicit().at(state).turn().map(|player| player.0 + 1).or(other))
        .collect();
    let unique = |button: &String| buttons.iter().flatten().filter(|other| *other == button).count() == 1;
    let moves = answer.moves.iter().zip(&described.after).zip(&buttons).zip(turns);
    let moves = moves.map(|(((m, state), button), turn)| {
        // The client looks a move of its list up by this: it must be the move itself.
        let name = text::unlike_a_button(&m.name);
        let button = button.clone().filter(unique).unwrap_or_else(|| name.clone());
        json!({
            "move": name,
            "autoguiMove": button,
            "moveValue": m.move_value.unwrap_or("unsolved"),
            "deltaRemoteness": m.delta_remoteness.unwrap_or(0),
            "position": text::safe(&m.position),
            "autoguiPosition": autogui_position(room, autogui.as_ref(), state, turn),
            "positionValue": m.position_value.unwrap_or("unsolved"),
            "remoteness": remoteness(m.position_value, m.remoteness),
            "winby": 0,
        })
    });
    json!({
        "position": text::safe(&answer.position),
        "autoguiPosition": autogui_position(room, autogui.as_ref(), &described.state, answer.turn),
        "positionValue": answer.value.unwrap_or("unsolved"),
        "remoteness": remoteness(answer.value, answer.remoteness),
        "winby": 0,
        "moves": moves.collect::<Vec<_>>(),
    })
}

async fn instructions(
    State(site): State<Site>,
    Path((game, variant)): Path<(String, String)>,
) -> Result<Response, Problem> {
    let question = move |room: &Room, _: &mut Session<'_>| {
        check(room, &game)?;
        let record = &room.manifest().header.game;
        let about = match &record.source {
            Some(_) => "Its rules are in GDL.".to_owned(),
            None => winset::Catalogue::family(&record.name).map_or(String::new(), |family| {
                let mut letters = family.about.chars();
                let first = letters.next().map_or(String::new(), |c| c.to_uppercase().to_string());
                format!("{first}{}.", letters.as_str())
            }),
        };
        let players =
            record.players.iter().map(|p| crate::answer::shown(p)).collect::<Vec<_>>().join(" and ");
        Ok(json!({"instructions": format!("# {}\n\n{about}\n\nPlayers: {players}.", room.title())}))
    };
    let (value, _) = site.ask(variant, question).await?;
    Ok(plain(&value))
}
