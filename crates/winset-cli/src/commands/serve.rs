//! `winset serve`: solutions over HTTP.

use crate::commands::explore;
use crate::failure::Failure;
use crate::memory;
use crate::memory::Bytes;
use crate::output::{say, tell};
use anyhow::Context;
use clap::Args;
use std::net::SocketAddr;
use std::path::PathBuf;
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
    /// Directories of solutions, or of directories of them
    #[arg(value_name = "DIR", required = true)]
    pub directories: Vec<PathBuf>,
    #[command(flatten)]
    pub web: WebArgs,
    /// Open the page in the browser
    #[arg(long)]
    pub open: bool,
    /// Let the page solve small games into this directory [default: winset in the user's cache; if the address is not
    /// this machine's alone, nowhere]
    #[arg(long, value_name = "DIR")]
    pub solve_into: Option<PathBuf>,
    /// How much memory the whole process may use, for example 4G [default: 1G]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Bytes>,
}

/// What an open solution takes, and what the program takes without any.
const EACH: u64 = 28 << 20;
const PROGRAM: u64 = 32 << 20;

/// Serves until told to stop.
pub fn run(args: &ServeArgs) -> Result<(), Failure> {
    if let Some(missing) = args.directories.iter().find(|directory| !directory.is_dir()) {
        return Err(Failure::wrong_use(format!("{}: there is no such directory", missing.display())));
    }
    // Whoever can reach this machine from elsewhere may read, but not make it work, unless its user says so.
    let solve_into = match (&args.solve_into, args.web.bind.ip().is_loopback()) {
        (Some(directory), _) => Some(directory.clone()),
        (None, true) => explore::user_cache(),
        (None, false) => None,
    };
    let site = Site::new(Config { directories: args.directories.clone(), solve_into, ..config(&args.web) });
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
