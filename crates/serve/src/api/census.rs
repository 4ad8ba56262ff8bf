//! Figures: positions per layer and by distance, positions by lot.

use super::{keep, plain, queried};
use crate::answer::{describe_state, shown};
use crate::problem::Problem;
use crate::shelf::{Count, Room};
use crate::site::Site;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use winset_explore::census::{self, Histogram, Lot};
use winset_explore::{figures, stats};
use winset_store::Store;

/// More positions are not counted by distance for somebody who only looks.
const MOST: u64 = 200_000_000;
/// How long somebody waits for a count before being told to come again.
const PATIENCE: Duration = Duration::from_millis(1500);
/// The most positions drawn by lot at once.
const SAMPLE: u32 = 1000;
/// Positions looked at for one question of the quiz.
const TRIES: u32 = 3000;

pub async fn stats(
    State(site): State<Site>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let pinned = id.contains('@');
    let (value, room) = site
        .ask(id, |room, _| {
            serde_json::to_value(room.stats()).map_err(|error| Problem::busy(error.to_string()))
        })
        .await?;
    Ok(keep(&room, pinned, &headers, plain(&value)))
}

/// A figure in another form than JSON.
async fn figure(
    site: &Site,
    id: String,
    headers: &HeaderMap,
    kind: &'static str,
    draw: impl FnOnce(&Room) -> Result<String, Problem> + Send + 'static,
) -> Result<Response, Problem> {
    let pinned = id.contains('@');
    let (text, room) = site.ask(id, |room, _| draw(room)).await?;
    Ok(keep(&room, pinned, headers, ([(header::CONTENT_TYPE, kind)], text).into_response()))
}

fn text(written: Vec<u8>) -> String {
    String::from_utf8_lossy(&written).into_owned()
}

pub async fn stats_csv(
    State(site): State<Site>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let draw = |room: &Room| {
        let mut out = vec![];
        stats::write_csv(&mut out, &room.stats()).map_err(Problem::from)?;
        Ok(text(out))
    };
    figure(&site, id, &headers, "text/csv; charset=utf-8", draw).await
}

pub async fn stats_svg(
    State(site): State<Site>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let draw = |room: &Room| {
        let mut out = vec![];
        stats::write_svg(&mut out, &room.stats()).map_err(Problem::from)?;
        Ok(text(out))
    };
    figure(&site, id, &headers, "image/svg+xml", draw).await
}

/// The histogram, counted now if nobody has asked before. Who does not want to wait comes again.
async fn counted(site: &Site, id: &str) -> Result<(Arc<Histogram>, Arc<Room>), Problem> {
    let name = id.to_owned();
    let room = site.work(move |site| site.room(&name)).await?;
    let start = {
        let mut count = room.histogram.lock().unwrap_or_else(PoisonError::into_inner);
        let start = matches!(*count, Count::No);
        if start {
            *count = Count::Counting;
        }
        start
    };
    if start {
        let (counting, site) = (room.clone(), site.clone());
        tokio::spawn(async move {
            let done = counting.clone();
            let found = site.work(move |_| Ok(count(counting.solved().store()))).await;
            let found = found.unwrap_or_else(|problem| Count::Refused(problem.detail));
            *done.histogram.lock().unwrap_or_else(PoisonError::into_inner) = found;
        });
    }
    let clock = std::time::Instant::now();
    loop {
        let count = room.histogram.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match count {
            Count::Done(histogram) => return Ok((histogram, room)),
            Count::Refused(why) => return Err(Problem::new(StatusCode::NOT_IMPLEMENTED, why)),
            Count::No | Count::Counting if clock.elapsed() > PATIENCE => {
                return Err(Problem::busy("the positions are being counted; ask again in a moment"));
            }
            Count::No | Count::Counting => tokio::time::sleep(Duration::from_millis(15)).await,
        }
    }
}

fn count(store: &Store) -> Count {
    let positions = census::stored(store);
    if positions > MOST {
        return Count::Refused(format!(
            "{positions} positions are too many to be counted by distance here; `winset export` gives them"
        ));
    }
    match census::histogram(store, &mut || false) {
        Ok(Some(histogram)) => Count::Done(Arc::new(histogram)),
        Ok(None) => Count::No,
        Err(error) if census::is_too_large(&error) => {
            Count::Refused("a layer is too large to be counted by distance here".to_owned())
        }
        Err(error) => Count::Refused(Problem::from(error).detail),
    }
}

pub async fn histogram(
    State(site): State<Site>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let (histogram, room) = counted(&site, &id).await?;
    let mut value = serde_json::to_value(&*histogram).unwrap_or_default();
    if let Some(longest) = value["longest"].as_array_mut() {
        for one in longest {
            let position = shown(one["position"].as_str().unwrap_or_default());
            one["position"] = Value::String(position);
        }
    }
    Ok(keep(&room, id.contains('@'), &headers, plain(&value)))
}

pub async fn histogram_csv(
    State(site): State<Site>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let (histogram, _) = counted(&site, &id).await?;
    let draw = move |room: &Room| Ok(figures::histogram_table(room.solved().store(), &histogram).csv());
    figure(&site, id, &headers, "text/csv; charset=utf-8", draw).await
}

pub async fn histogram_svg(
    State(site): State<Site>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let (histogram, _) = counted(&site, &id).await?;
    let draw =
        move |room: &Room| figures::histogram_svg(room.solved().store(), &histogram).map_err(Problem::from);
    figure(&site, id, &headers, "image/svg+xml", draw).await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drawn {
    n: Option<u32>,
    seed: Option<u64>,
}

/// A seed that nobody has chosen.
fn any_seed() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    // Short enough for every client's numbers.
    since.map_or(1, |since| (since.as_nanos() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 12)
}

const EMPTY: &str = "no position of this game is solved yet";

pub async fn sample(
    State(site): State<Site>,
    Path(id): Path<String>,
    query: Result<Query<Drawn>, QueryRejection>,
) -> Result<Response, Problem> {
    let drawn = queried(query)?;
    let (n, seed) = (drawn.n.unwrap_or(1), drawn.seed.unwrap_or_else(any_seed));
    if !(1..=SAMPLE).contains(&n) {
        return Err(Problem::bad(format!("n may be 1 to {SAMPLE}")));
    }
    let (value, _) = site
        .ask(id, move |room, session| {
            let store = session.store();
            let mut lot = Lot::new(store, seed).ok_or_else(|| Problem::missing(EMPTY))?;
            let texts = (0..n).map(|_| Ok(room.solved().game().print(&lot.draw(store)?)));
            let texts = texts.collect::<Result<Vec<String>, winset_explore::ExploreError>>()?;
            Ok(json!({"seed": seed, "positions": crate::answer::brief(session, &texts)?}))
        })
        .await?;
    Ok(plain(&value))
}

pub async fn quiz(
    State(site): State<Site>,
    Path(id): Path<String>,
    query: Result<Query<Drawn>, QueryRejection>,
) -> Result<Response, Problem> {
    let seed = queried(query)?.seed.unwrap_or_else(any_seed);
    let (value, _) = site
        .ask(id, move |room, session| {
            let mut lot = Lot::new(session.store(), seed).ok_or_else(|| Problem::missing(EMPTY))?;
            let found = census::puzzle(session, &mut lot, TRIES)?;
            let none = "no position with exactly one good move was found among those drawn";
            let state = found.ok_or_else(|| Problem::missing(none))?;
            let answer = describe_state(room, session, state, false)?.answer;
            Ok(json!({"seed": seed, "question": answer}))
        })
        .await?;
    Ok(plain(&value))
}
