//! Progress of long work: a bar on a terminal, nothing on a pipe, JSON lines on request.

use crate::commands::estimate::duration;
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
    /// The seconds that all of it is expected to take, if that is known.
    expected: Option<f64>,
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
        Progress { mode, bar, clock: Instant::now(), expected: None }
    }

    /// Shows a bar, and the time that is left, when the work is expected to take so many seconds from now on.
    pub fn expect(&mut self, seconds: f64) {
        self.expected = Some(self.seconds() + seconds);
        if let Some(bar) = &self.bar {
            let style = ProgressStyle::with_template("{bar:24} {prefix} {wide_msg} {elapsed}");
            bar.set_style(style.expect("a constant template"));
            bar.set_length(1000);
        }
    }

    /// The time that is left, in words; nothing where the work takes longer than expected.
    fn left(&self) -> String {
        let left = self.expected.map(|expected| expected - self.seconds()).filter(|&left| left > 0.0);
        left.map_or(String::new(), |left| format!("; about {} left", duration(left)))
    }

    /// Says what has been done.
    pub fn step(&self, phase: &str, done: u64, total: Option<u64>, message: &str) {
        if let Some(bar) = &self.bar {
            let of = total.map_or(String::new(), |total| format!("/{total}"));
            bar.set_prefix(format!("{phase} {done}{of}"));
            bar.set_message(format!("{}{}", visible(message), self.left()));
            if let Some(expected) = self.expected {
                bar.set_position((1000.0 * self.seconds() / expected).min(990.0) as u64);
            }
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
