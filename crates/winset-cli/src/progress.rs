//! Progress of long work: a bar on a terminal, nothing on a pipe, JSON lines on request.

use crate::interrupt;
use crate::output;
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use std::io::IsTerminal;
use std::time::{Duration, Instant};
use winset_model::visible;

/// How progress is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    /// A bar if standard error is a terminal
    #[default]
    Auto,
    /// One JSON object a line on standard error
    Json,
    /// Nothing
    None,
}

/// One step of progress as a JSON line.
#[derive(Serialize)]
struct Line<'a> {
    phase: &'a str,
    done: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<u64>,
    message: &'a str,
    seconds: f64,
}

/// Shows how far a piece of work is.
pub struct Progress {
    mode: Mode,
    bar: Option<ProgressBar>,
    clock: Instant,
}

impl Progress {
    /// Progress as the user wants it.
    pub fn new(mode: Mode) -> Self {
        let shown = mode == Mode::Auto && std::io::stderr().is_terminal();
        let bar = shown.then(|| {
            let style = ProgressStyle::with_template("{spinner} {prefix} {wide_msg} {elapsed}");
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(5));
            bar.set_style(style.expect("a constant template"));
            bar.enable_steady_tick(Duration::from_millis(250));
            bar
        });
        Progress { mode, bar, clock: Instant::now() }
    }

    /// Says what has been done.
    pub fn step(&self, phase: &str, done: u64, total: Option<u64>, message: &str) {
        if let Some(bar) = &self.bar {
            let of = total.map_or(String::new(), |total| format!("/{total}"));
            bar.set_prefix(format!("{phase} {done}{of}"));
            bar.set_message(visible(message).into_owned());
        }
        if self.mode == Mode::Json {
            let line = Line { phase, done, total, message, seconds: self.clock.elapsed().as_secs_f64() };
            output::remark_json(&line);
        }
    }

    /// Seconds since the work began.
    pub fn seconds(&self) -> f64 {
        self.clock.elapsed().as_secs_f64()
    }
}

/// Shows what an engine does, and stops it when somebody asks for that.
impl winset::Watcher for Progress {
    fn stage(&mut self, stage: &winset::Stage<'_>) {
        self.step(stage.phase, stage.done, stage.of, stage.message);
    }

    fn stop(&mut self) -> bool {
        interrupt::requested()
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
