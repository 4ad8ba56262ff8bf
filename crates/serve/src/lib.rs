//! Solved games over HTTP: a page on which they can be played and understood, and an API.
//!
//! | path | what |
//! |---|---|
//! | `/`, `/g/{id}` | the page |
//! | `/api/v1` | our API: [`openapi.json`](../assets/openapi.json) describes it |
//! | `/universal/v1/` | the API that GamesmanUni speaks |
//!
//! ```
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
//! # runtime.block_on(async {
//! use winset::{Catalogue, Options};
//! use winset_serve::{Config, Site};
//!
//! let rules = Catalogue::default().game("tictactoe", None, &Default::default())?;
//! let solved = winset::solve(rules, &Options { distance: true, ..Options::default() })?;
//! let site = Site::new(Config::default());
//! let id = site.add(solved);
//! let router = site.router();
//! # use tower::ServiceExt;
//! # let request = axum::http::Request::get(format!("/api/v1/games/{id}")).header("host", "localhost");
//! # let answer = router.oneshot(request.body(axum::body::Body::empty()).unwrap()).await.unwrap();
//! # assert_eq!(answer.status(), 200);
//! # Ok::<(), winset::Error>(()) }).unwrap();
//! ```

mod answer;
mod api;
mod assets;
mod desk;
mod given;
mod guard;
mod layout;
mod live;
mod page;
mod patient;
mod problem;
mod server;
mod shelf;
mod site;
mod universal;

pub use live::{Running, Tee, Watched};
pub use server::{Background, Limits, background, run, serve, shutdown_signal};
pub use site::{Config, Log, Site};
