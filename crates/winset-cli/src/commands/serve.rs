//! `winset serve`: solutions over HTTP.

use crate::chosen::Chosen;
use crate::engines;
use crate::failure::Failure;
use crate::memory;
use crate::output::{say, tell};
use crate::stored::{self, SolutionArgs, SolvingArgs};
use anyhow::Context;
use clap::Args;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use winset_serve::{Config, Limits, Site};

/// Where and how to serve.
#[derive(Args, Debug)]
pub struct WebArgs {
    /// The address and port to serve at; port 0 is any that is free
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8017")]
    pub bind: std::net::SocketAddr,
    /// A name by which clients may know this machine, besides localhost and addresses; can be given several times
    #[arg(long, value_name = "NAME")]
    pub host: Vec<String>,
    /// Tell of every request on standard error
    #[arg(long)]
    pub log: bool,
}

#[derive(Args, Debug)]
pub struct ServeArgs {
    /// Directories of solutions, or of directories of them; and games, each with its size if that is not the usual one,
    /// which are solved first and kept in the user's cache
    #[arg(value_name = "DIR|GAME [SIZE]", required = true)]
    pub what: Vec<String>,
    #[command(flatten)]
    pub chosen: Chosen,
    #[command(flatten)]
    pub web: WebArgs,
    /// Open the page in the browser
    #[arg(long)]
    pub open: bool,
    /// Let the page solve small games into this directory [default: winset in the user's cache; if the address is not
    /// this machine's alone, nowhere]
    #[arg(long, value_name = "DIR")]
    pub solve_into: Option<PathBuf>,
    #[command(flatten)]
    pub solving: SolvingArgs,
}

impl ServeArgs {
    /// Directories, and games with their sizes.
    fn parts(&self) -> Result<(Vec<PathBuf>, Vec<SolutionArgs>), Failure> {
        let (mut directories, mut games): (Vec<PathBuf>, Vec<SolutionArgs>) = (vec![], vec![]);
        let mut sized = true;
        for word in &self.what {
            let number = word.starts_with(|c: char| c.is_ascii_digit());
            match games.last_mut() {
                Some(game) if number && !sized && !Path::new(word).exists() => {
                    (game.size, sized) = (Some(word.clone()), true);
                }
                _ if stored::is_game(word) => {
                    games.push(SolutionArgs {
                        solution: word.clone(),
                        size: None,
                        chosen: self.chosen.clone(),
                        solving: self.solving.clone(),
                    });
                    sized = false;
                }
                _ if Path::new(word).is_dir() => {
                    directories.push(PathBuf::from(word));
                    sized = true;
                }
                _ => return Err(Failure::wrong_use(format!("{word}: there is no such directory"))),
            }
        }
        if !self.chosen.0.0.is_empty() && games.len() != 1 {
            return Err(Failure::wrong_use(
                "options of a game go with one game; `winset explore` takes one too",
            ));
        }
        Ok((directories, games))
    }
}

/// What an open solution takes, and what the program takes without any.
const EACH: u64 = 28 << 20;
const PROGRAM: u64 = 32 << 20;

/// Serves until told to stop.
pub fn run(args: &ServeArgs) -> Result<(), Failure> {
    let (directories, games) = args.parts()?;
    let solved = games.iter().map(stored::solve).collect::<Result<Vec<_>, Failure>>()?;
    // Whoever can reach this machine from elsewhere may read, but not make it work, unless its user says so.
    let solve_into = match (&args.solve_into, args.web.bind.ip().is_loopback()) {
        (Some(directory), _) => Some(directory.clone()),
        (None, true) => engines::cache(args.solving.cache.as_deref())?.map(|cache| cache.root().to_owned()),
        (None, false) => None,
    };
    let site = Site::new(Config { directories, solve_into, ..config(&args.web) });
    for cached in &solved {
        site.add(cached.solved.clone());
    }
    for (path, why) in site.skipped() {
        tell!("winset: not served: {}: {why}", path.display());
    }
    let page = match site.ids().as_slice() {
        [] => {
            tell!("winset: no solution is there yet; what is solved into these directories will be served");
            String::new()
        }
        [one] => format!("g/{one}"),
        _ => String::new(),
    };
    serve(&site, &args.web, &page, args.open)
}

/// What the flags and the memory allow.
pub fn config(args: &WebArgs) -> Config {
    let room = memory::left().saturating_sub(PROGRAM) / EACH;
    let mut config = Config {
        most_open: room.clamp(1, 16) as usize,
        hosts: args.host.clone(),
        // Half for what is solved, half for what is read.
        solve_memory: memory::left() / 2,
        ..Config::default()
    };
    if args.log {
        config.log = Some(Arc::new(|line| tell!("{line}")));
    }
    config
}

/// Serves a site and says where.
pub fn serve(site: &Site, args: &WebArgs, page: &str, open: bool) -> Result<(), Failure> {
    if !args.bind.ip().is_loopback() {
        tell!(
            "winset: warning: {} is not this machine alone: everybody who can reach it may read what is served",
            args.bind.ip()
        );
    }
    let ready = |address: SocketAddr| {
        let url = format!("http://{}/{page}", reachable(address));
        // Whoever started this wants to read it; that nobody does changes nothing.
        let _ = say!("serving {url}\n");
        if open {
            browse(&url);
        }
    };
    let served = winset_serve::run(args.bind, site, Limits::default(), ready);
    Ok(served.with_context(|| format!("cannot serve at {}", args.bind))?)
}

/// An address that a browser understands: "everywhere" is here too.
fn reachable(address: SocketAddr) -> SocketAddr {
    match address.ip().is_unspecified() {
        true => SocketAddr::from(([127, 0, 0, 1], address.port())),
        false => address,
    }
}

/// Opens the browser, as each system does.
fn browse(url: &str) {
    let (program, before): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/C", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let mut command = Command::new(program);
    command.args(before).arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if command.spawn().is_err() {
        tell!("winset: no browser could be started; open {url}");
    }
}
