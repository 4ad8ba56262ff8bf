//! Everything that is served, behind one router.

use crate::given::{self, Given};
use crate::guard;
use crate::live::{self, Live, Running};
use crate::problem::Problem;
use crate::shelf::{Room, Shelf};
use crate::{api, assets, page, universal};
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tower_http::compression::{CompressionLayer, CompressionLevel};
use winset::{Session, Solved};

/// Hears a line about every request.
pub type Log = Arc<dyn Fn(&str) + Send + Sync>;

/// How a site is served.
#[derive(Clone)]
pub struct Config {
    /// Directories of solutions, or of directories of them.
    pub directories: Vec<PathBuf>,
    /// How many solutions may be open at a time: each takes about 28 MiB of memory at most.
    pub most_open: usize,
    /// Names of hosts that requests may be for, besides `localhost` and addresses.
    pub hosts: Vec<String>,
    /// The most bytes of a request's body.
    pub body: usize,
    /// How long a request may take.
    pub time: Duration,
    /// How many requests are worked on at a time.
    pub at_once: usize,
    /// How many requests may be there at a time; those beyond are sent away.
    pub waiting: usize,
    /// A directory that the page's form solves games into; none: it solves nothing.
    pub solve_into: Option<PathBuf>,
    /// The memory that solving may take, in bytes.
    pub solve_memory: u64,
    /// Hears of every request: the access log.
    pub log: Option<Log>,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            directories: vec![],
            most_open: 8,
            hosts: vec![],
            body: 2 << 20,
            time: Duration::from_secs(20),
            at_once: 2 * std::thread::available_parallelism().map_or(2, usize::from),
            waiting: 512,
            solve_into: None,
            solve_memory: 512 << 20,
            log: None,
        }
    }
}

/// A site: solutions and what is needed to serve them.
#[derive(Clone)]
pub struct Site(Arc<Parts>);

pub(crate) struct Parts {
    pub shelf: Shelf,
    pub config: Config,
    work: Arc<Semaphore>,
    pub inside: Semaphore,
    live: Live,
    given: Given,
}

impl Site {
    /// A site of the solutions in the configured directories.
    pub fn new(config: Config) -> Self {
        let shelf = Shelf::new(config.directories.clone(), config.most_open);
        let live = Live::new(config.solve_into.clone(), config.solve_memory);
        let (work, inside) =
            (Arc::new(Semaphore::new(config.at_once.max(1))), Semaphore::new(config.waiting.max(1)));
        Site(Arc::new(Parts { shelf, config, work, inside, live, given: Given::default() }))
    }

    pub(crate) fn parts(&self) -> &Parts {
        &self.0
    }

    pub(crate) fn live(&self) -> &Live {
        &self.0.live
    }

    /// A piece of work that clients can watch at the path that is given back, done by the caller with [`Watched`] and
    /// [`Tee`].
    ///
    /// [`Watched`]: crate::Watched
    /// [`Tee`]: crate::Tee
    pub fn watch(&self, title: &str) -> (Arc<Running>, String) {
        let running = self.live().begin(title, None);
        let page = format!("solve/{}", running.snapshot().job);
        (running, page)
    }

    /// Says how watched work ended: it is served from this directory, or this is why there is nothing to serve.
    pub fn watched(&self, running: &Running, outcome: Result<Option<&Path>, String>) {
        let end = match outcome {
            Ok(directory) => live::served(self, directory),
            Err(detail) => live::End::Stopped { detail },
        };
        live::finish(running, end);
    }

    pub(crate) fn shelf(&self) -> &Shelf {
        &self.0.shelf
    }

    /// Serves a solution that is open. Gives its id.
    pub fn add(&self, solved: Solved) -> String {
        self.shelf().add(solved)
    }

    /// Serves the solution in a directory. Gives its id, if there is one.
    pub fn add_directory(&self, directory: &Path) -> Option<String> {
        self.shelf().add_directory(directory)
    }

    /// The ids of what is served.
    pub fn ids(&self) -> Vec<String> {
        self.shelf().ids()
    }

    /// Directories that hold something like a solution that cannot be served, and why.
    pub fn skipped(&self) -> Vec<(PathBuf, String)> {
        self.shelf().skipped()
    }

    /// Does work that may read from disk, on a thread that may wait, with a few others at a time.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Site) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let permit = self.0.work.clone().acquire_owned().await;
        let site = self.clone();
        let done = tokio::task::spawn_blocking(move || {
            let _held = permit;
            work(&site)
        });
        done.await.unwrap_or_else(|_| Err(Problem::busy("the work was given up")))
    }

    /// The solution with this id, or with `id@digest` exactly the one with this digest.
    pub(crate) fn room(&self, id: &str) -> Result<Arc<Room>, Problem> {
        let (name, digest) = id.split_once('@').map_or((id, None), |(name, digest)| (name, Some(digest)));
        let missing = || Problem::missing("no solved game of this name is served; /api/v1/games lists them");
        let room = self.shelf().room(name).ok_or_else(missing)?.map_err(Problem::from)?;
        match digest {
            Some(digest) if digest.len() < 8 || !room.manifest().digest.starts_with(digest) => {
                Err(Problem::missing("this game is served, but not the solution with this digest"))
            }
            _ => Ok(room),
        }
    }

    /// Asks the solution with this id.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        id: String,
        question: impl FnOnce(&Room, &mut Session<'_>) -> Result<T, Problem> + Send + 'static,
    ) -> Result<(T, Arc<Room>), Problem> {
        self.work(move |site| {
            let room = site.room(&id)?;
            let answer = room.desk.ask(|session| question(&room, session))?;
            Ok((answer, room))
        })
        .await
    }

    /// The same as JSON, from what was answered before if that is still known. The question has a kind and a text.
    pub(crate) async fn ask_again<T: Serialize>(
        &self,
        id: String,
        (kind, text): (&'static str, String),
        question: impl FnOnce(&Room, &mut Session<'_>) -> Result<T, Problem> + Send + 'static,
    ) -> Result<(Arc<str>, Arc<Room>), Problem> {
        self.work(move |site| {
            let room = site.room(&id)?;
            let name = given::name(&room, kind, &text);
            if let Some(answer) = site.0.given.get(name.as_ref()) {
                return Ok((answer, room));
            }
            let answer = room.desk.ask(|session| question(&room, session))?;
            let answer: Arc<str> = serde_json::to_string(&answer).unwrap_or_default().into();
            site.0.given.put(name, &answer);
            Ok((answer, room))
        })
        .await
    }

    /// Answers many questions of a kind as JSON, each from what was answered before if that is still known; the others are
    /// asked together.
    pub(crate) async fn ask_all<T: Serialize>(
        &self,
        id: String,
        (kind, texts): (&'static str, Vec<String>),
        question: impl FnOnce(&mut Session<'_>, &[String]) -> Result<Vec<T>, Problem> + Send + 'static,
    ) -> Result<Vec<Arc<str>>, Problem> {
        self.work(move |site| {
            let room = site.room(&id)?;
            let given = &site.0.given;
            let names: Vec<Option<String>> =
                texts.iter().map(|text| given::name(&room, kind, text)).collect();
            let mut answers: Vec<Option<Arc<str>>> =
                names.iter().map(|name| given.get(name.as_ref())).collect();
            let open: Vec<usize> = (0..texts.len()).filter(|&i| answers[i].is_none()).collect();
            let asked: Vec<String> = open.iter().map(|&i| texts[i].clone()).collect();
            let found = match asked.is_empty() {
                true => vec![],
                false => room.desk.ask(|session| question(session, &asked))?,
            };
            for (&i, answer) in open.iter().zip(&found) {
                let answer: Arc<str> = serde_json::to_string(answer).unwrap_or_default().into();
                given.put(names[i].clone(), &answer);
                answers[i] = Some(answer);
            }
            Ok(answers.into_iter().flatten().collect())
        })
        .await
    }

    /// Everything that is served.
    pub fn router(&self) -> Router {
        let compress = CompressionLayer::new().quality(CompressionLevel::Fastest);
        Router::new()
            .nest("/api/v1", api::routes())
            .merge(universal::routes())
            .merge(page::routes())
            .merge(live::pages())
            .merge(assets::routes())
            .fallback(|| async { Problem::missing("there is nothing here; / has the games") })
            .method_not_allowed_fallback(|| async {
                Problem::new(axum::http::StatusCode::METHOD_NOT_ALLOWED, "this cannot be done here")
            })
            .with_state(self.clone())
            .layer(DefaultBodyLimit::max(self.0.config.body))
            .layer(middleware::map_response(guard::problems))
            .layer(compress)
            .layer(middleware::from_fn_with_state(self.clone(), guard::guard))
    }
}
