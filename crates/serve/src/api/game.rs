//! What is served, and what is known of each game.

use super::cached;
use crate::answer::{describe_state, shown};
use crate::problem::Problem;
use crate::shelf::Room;
use crate::site::Site;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use serde_json::{Value, json};
use winset::Session;
use winset_explore::census;
use winset_model::VarId;

/// Where the page of a game is.
fn pages(id: &str) -> Value {
    json!({"page": format!("/g/{id}"), "self": format!("/api/v1/games/{id}")})
}

/// What is served, in short.
pub fn info(room: &Room, session: &mut Session<'_>) -> Result<Value, Problem> {
    let (manifest, solved) = (room.manifest(), room.solved());
    let start = describe_state(room, session, solved.start().clone(), true)?.answer;
    let positions: u64 = manifest.layers.iter().map(|layer| layer.positions).sum();
    let done = manifest.layers.iter().filter(|layer| layer.values.is_some()).count();
    let record = &manifest.header.game;
    Ok(json!({
        "id": room.id,
        "title": room.title(),
        "game": shown(&record.name),
        "size": shown(&record.size),
        "options": record.options.iter().map(|(k, v)| (shown(k), shown(v))).collect::<std::collections::BTreeMap<_, _>>(),
        "players": record.players.iter().map(|name| shown(name)).collect::<Vec<_>>(),
        "positions": positions,
        "layers": manifest.layers.len(),
        "layersSolved": done,
        "complete": solved.store().is_complete(),
        "distances": manifest.header.remoteness,
        "everyPlayEnds": solved.store().every_play_ends(),
        "digest": manifest.digest,
        "start": {"position": start.position, "player": start.player, "value": start.value,
                  "remoteness": start.remoteness, "rewards": start.rewards, "sentence": start.sentence},
        "links": pages(&room.id),
    }))
}

/// Everything about a game that does not depend on a position: how its board looks, how it is edited, who proved what.
pub fn details(room: &Room, session: &mut Session<'_>) -> Result<Value, Problem> {
    let mut all = info(room, session)?;
    let (layout, game, manifest) = (&room.layout, room.solved().game(), room.manifest());
    let variable = |i: usize| {
        let (var, variable) = (VarId(i as u32), &game.variables()[i]);
        let home = layout.home(var);
        let option = |value: usize| {
            let text = match (game.board(), home) {
                (Some(board), Some(_)) => board.glyphs[value].to_string(),
                _ => variable.values[value].clone(),
            };
            json!({"text": shown(&text), "piece": layout.piece(var, value).map(|piece| &layout.pieces[piece])})
        };
        json!({
            "name": shown(&variable.name),
            "square": home.map(|square| &layout.squares[square].name),
            "options": (0..variable.size()).map(option).collect::<Vec<_>>(),
        })
    };
    let more = json!({
        "board": {
            "kind": layout.kind, "style": layout.style, "rows": layout.rows, "columns": layout.columns,
            "squares": layout.squares, "pieces": layout.pieces, "lines": layout.lines,
        },
        "editor": {
            "rows": game.board().is_some(),
            "variables": (0..game.variables().len()).map(variable).collect::<Vec<_>>(),
        },
        "solution": {
            "tool": manifest.header.tool, "engine": manifest.header.engine, "rules": manifest.header.rules,
            "verified": manifest.verified, "stored": census::stored(room.solved().store()),
            "files": manifest.files().map(|file| json!({"file": file.file, "bytes": file.bytes, "blake3": file.blake3}))
                .collect::<Vec<_>>(),
        },
    });
    if let (Value::Object(all), Value::Object(more)) = (&mut all, more) {
        all.extend(more);
    }
    Ok(all)
}

pub async fn list(State(site): State<Site>) -> Result<Response, Problem> {
    let all = site
        .work(|site| {
            let rooms = site.ids().into_iter().filter_map(|id| match site.room(&id) {
                Ok(room) => Some(room.desk.ask(|session| info(&room, session))),
                // It has been moved away, or is damaged: it is not served.
                Err(_) => None,
            });
            Ok(rooms.filter_map(Result::ok).collect::<Vec<Value>>())
        })
        .await?;
    Ok(super::plain(&json!({"games": all})))
}

pub async fn one(
    State(site): State<Site>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let pinned = id.contains('@');
    let (answer, room) = site.ask(id, details).await?;
    cached(&room, pinned, &headers, &answer)
}
