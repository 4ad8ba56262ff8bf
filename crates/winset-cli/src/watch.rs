//! `solve --watch`: the work as a page.

use crate::announce::Announcer;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::tell;
use crate::progress::Progress;
use anyhow::Context;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use winset::{Stage, Watcher};
use winset_serve::{Background, Config, Limits, Running, Site, Watched, background};

/// A page on which the work is watched.
pub struct Watch {
    site: Site,
    pub running: Arc<Running>,
    server: Background,
}

impl Watch {
    /// Serves the page of this work, at any free port of this machine, and says where.
    pub fn start(title: &str) -> Result<Self, Failure> {
        let site = Site::new(Config { most_open: 1, ..Config::default() });
        let (running, page) = site.watch(title);
        let address = ([127, 0, 0, 1], 0).into();
        let server = background(address, &site, Limits::default()).context("cannot serve the page")?;
        tell!("winset: watch at http://{}/{page}", server.address);
        Ok(Watch { site, running, server })
    }

    /// Says how the work ended; what was kept can be explored until somebody says stop.
    pub fn end(self, kept: Option<&Path>, failure: Option<&Failure>) {
        let outcome = match failure {
            Some(failure) => Err(failure.to_string()),
            None => Ok(kept),
        };
        self.site.watched(&self.running, outcome);
        if kept.is_some() && failure.is_none() && !interrupt::requested() {
            tell!("winset: the solution is served there until Ctrl-C");
            interrupt::over();
            while !interrupt::requested() {
                std::thread::sleep(Duration::from_millis(100));
            }
        }
        self.server.stop();
    }
}

/// Tells both: the terminal and the page. Either can stop the work.
pub struct Both<'a> {
    progress: &'a mut Progress,
    announcer: Announcer<'a>,
    page: Option<Watched>,
}

impl<'a> Both<'a> {
    pub fn new(progress: &'a mut Progress, announcer: Announcer<'a>, watch: Option<&Watch>) -> Self {
        Both { progress, announcer, page: watch.map(|watch| Watched::new(watch.running.clone())) }
    }
}

impl Watcher for Both<'_> {
    fn stage(&mut self, stage: &Stage<'_>) {
        self.progress.stage(stage);
        if let Some(page) = &mut self.page {
            page.stage(stage);
        }
        self.announcer.hear(self.progress);
    }

    fn stop(&mut self) -> bool {
        self.progress.stop() || self.page.as_mut().is_some_and(Watcher::stop)
    }
}
