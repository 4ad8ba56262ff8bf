//! `winset player`: plays on game servers that speak the GGP protocol.

use crate::engines;
use crate::failure::Failure;
use crate::memory::{self, Bytes};
use crate::output::{self, say, tell};
use anyhow::Context;
use clap::Args;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use winset_player::{Config, Event, Player, Server};

#[derive(Args, Debug)]
pub struct PlayerArgs {
    /// The port; 0 takes one that is free
    #[arg(long, default_value_t = 9147)]
    pub port: u16,
    /// The address to listen at; other machines can ask only if it is one of theirs to reach, such as 0.0.0.0
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    pub bind: IpAddr,
    /// The name that the server is told
    #[arg(long, default_value = "winset", value_parser = name)]
    pub name: String,
    /// How much memory the whole process may use, for example 4G [default: half of the machine's]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Bytes>,
    /// The number of threads that solve; one more searches [default: one less than there are cores]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: Option<u32>,
    /// Where solutions are kept, by the digest of their rules [default: the user's cache, as of all commands]
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// The most bytes that are kept there; what was used least recently goes first [default: WINSET_CACHE_LIMIT, or 4G]
    #[arg(long, value_name = "SIZE")]
    pub cache_size: Option<Bytes>,
    /// Keep no solutions
    #[arg(long, conflicts_with_all = ["cache", "cache_size"])]
    pub no_cache: bool,
    /// Print a line for every match, solution and move
    #[arg(long)]
    pub log: bool,
    /// Print the same as one JSON object a line
    #[arg(long)]
    pub json: bool,
}

/// A name that can stand in an answer.
fn name(text: &str) -> Result<String, String> {
    let plain = |c: char| c.is_ascii_graphic() && !matches!(c, '(' | ')' | ';' | '?');
    match !text.is_empty() && text.len() <= 60 && text.chars().all(plain) {
        true => Ok(text.to_owned()),
        false => {
            Err("a name is one word of at most 60 letters, digits and signs, without parentheses".to_owned())
        }
    }
}

/// Plays until it is ended.
pub fn run(args: &PlayerArgs) -> Result<(), Failure> {
    let mut cache = if args.no_cache { None } else { engines::cache(args.cache.as_deref())? };
    if let (Some(cache), Some(size)) = (&mut cache, args.cache_size) {
        cache.limit = size.0;
    }
    let mut config = Config {
        name: args.name.clone(),
        memory: memory::left(),
        cache,
        gdl: memory::gdl_options(),
        ..Config::default()
    };
    // Rules are read within a part of the memory, because what is beyond the whole of it ends the program.
    config.gdl.limits.memory = config.gdl.limits.memory / 4 * 3;
    if let Some(threads) = args.threads {
        config.threads = threads as usize;
    }
    let json = args.json;
    if json || args.log {
        config.log = Some(Arc::new(move |event: &Event| match json {
            // That nobody reads it changes nothing: the match goes on.
            true => drop(output::json(event)),
            false => drop(say!("{event}\n")),
        }));
    }
    if !args.bind.is_loopback() {
        tell!(
            "winset: warning: {} is not this machine alone: everybody who can reach it can make this player work",
            args.bind
        );
    }
    let address = SocketAddr::new(args.bind, args.port);
    let server =
        Server::bind(address, Player::new(config)).with_context(|| format!("cannot listen at {address}"))?;
    let address = server.address().context("cannot say where it listens")?;
    tell!("winset: {} plays at http://{address}", args.name);
    server.run();
    Ok(())
}
