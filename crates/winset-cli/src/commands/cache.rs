//! `winset cache`: what was solved on the way and is kept.

use crate::engines;
use crate::failure::Failure;
use crate::output::{self, say};
use crate::report::table::{Table, bytes};
use clap::{Args, Subcommand};
use serde::Serialize;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};
use winset::{Cache, CacheEntry};

#[derive(Args, Debug)]
pub struct CacheArgs {
    #[command(subcommand)]
    pub what: What,
}

#[derive(Subcommand, Debug)]
pub enum What {
    /// Show what is kept, what was used last first
    ///
    /// All together take no more than 4 GiB, or what the environment variable WINSET_CACHE_LIMIT says (for example 10G);
    /// what was used longest ago is removed first.
    List(PlaceArgs),
    /// Remove everything that no process is using
    Clear(PlaceArgs),
}

#[derive(Args, Debug)]
pub struct PlaceArgs {
    /// The directory [default: winset in the user's cache]
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Serialize)]
struct Row {
    directory: PathBuf,
    game: Option<String>,
    finished: bool,
    bytes: u64,
    /// Seconds since 1970.
    used: u64,
}

impl Row {
    fn of(entry: &CacheEntry) -> Self {
        let used = entry.used.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let CacheEntry { directory, title, finished, bytes, .. } = entry.clone();
        Row { directory, game: title, finished, bytes, used }
    }
}

/// Lists or clears the cache.
pub fn run(args: &CacheArgs) -> Result<(), Failure> {
    match &args.what {
        What::List(place) => list(place),
        What::Clear(place) => clear(place),
    }
}

fn cache(args: &PlaceArgs) -> Result<Cache, Failure> {
    let none = || {
        Failure::Cannot(anyhow::anyhow!(
            "there is no cache: neither XDG_CACHE_HOME nor HOME says where; name a directory with --cache"
        ))
    };
    engines::cache(args.cache.as_deref())?.ok_or_else(none)
}

fn list(args: &PlaceArgs) -> Result<(), Failure> {
    let cache = cache(args)?;
    let all = cache.list()?;
    let total: u64 = all.iter().map(|entry| entry.bytes).sum();
    if args.json {
        let entries: Vec<Row> = all.iter().map(Row::of).collect();
        let object = serde_json::json!({
            "directory": cache.root(), "bytes": total, "limit": cache.limit, "entries": entries,
        });
        return output::json(&object);
    }
    let mut table = Table::new(["game", "size", "used", "", "directory"]);
    for entry in &all {
        let name = entry.directory.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let state = if entry.finished { "" } else { "not finished" };
        let title = entry.title.clone().unwrap_or_else(|| "?".to_owned());
        table.row([title, bytes(entry.bytes), ago(entry.used), state.to_owned(), name]);
    }
    if !all.is_empty() {
        say!("{}\n", table.text())?;
    }
    say!("{} of {} in {}\n", bytes(total), bytes(cache.limit), cache.root().display())?;
    Ok(())
}

fn clear(args: &PlaceArgs) -> Result<(), Failure> {
    let (gone, left) = cache(args)?.clear()?;
    let freed: u64 = gone.iter().map(|entry| entry.bytes).sum();
    if args.json {
        let left: Vec<Row> = left.iter().map(Row::of).collect();
        let gone: Vec<Row> = gone.iter().map(Row::of).collect();
        return output::json(&serde_json::json!({ "bytes": freed, "removed": gone, "in_use": left }));
    }
    let what = match gone.len() {
        1 => "1 solution removed".to_owned(),
        n => format!("{n} solutions removed"),
    };
    say!("{what}, {} free again\n", bytes(freed))?;
    for entry in &left {
        say!("in use: {}\n", entry.directory.display())?;
    }
    Ok(())
}

/// How long ago something was, as people say it.
fn ago(when: SystemTime) -> String {
    let seconds = SystemTime::now().duration_since(when).map_or(0, |since| since.as_secs());
    match seconds {
        0..60 => "just now".to_owned(),
        60..3600 => format!("{} min ago", seconds / 60),
        3600..86_400 => format!("{} h ago", seconds / 3600),
        _ => format!("{} days ago", seconds / 86_400),
    }
}
