//! Progress of long work: a bar on a terminal, nothing on a pipe, JSON lines on request.

use crate::commands::estimate::duration;
use crate::failure;
use crate::interrupt;
use crate::output::{self, tell};
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use winset::{Estimate, Forecast};
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
    /// About the seconds that the rest will take.
    #[serde(skip_serializing_if = "Option::is_none")]
    left: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    estimate: Option<&'a Estimate>,
}

/// What is shown while nobody knows how much is left, and where somebody does.
const UNKNOWN: &str = "{spinner} {prefix} {wide_msg} {elapsed}";
const KNOWN: &str = "{spinner} {prefix} {bar:24} {percent}% {wide_msg} {elapsed}";
/// The parts of the bar.
const PARTS: u64 = 1000;

/// Shows how far a piece of work is.
pub struct Progress {
    mode: Mode,
    bar: Option<ProgressBar>,
    clock: Instant,
    forecast: Forecast,
    /// The bar shows how much is left.
    known: AtomicBool,
}

impl Progress {
    /// Progress as the user wants it.
    pub fn new(mode: Mode) -> Self {
        let shown = mode == Mode::Auto && std::io::stderr().is_terminal();
        let bar = shown.then(|| {
            let bar = ProgressBar::with_draw_target(Some(PARTS), ProgressDrawTarget::stderr_with_hz(5));
            bar.set_style(style(UNKNOWN));
            bar.enable_steady_tick(Duration::from_millis(250));
            bar
        });
        Progress {
            mode,
            bar,
            clock: Instant::now(),
            forecast: Forecast::default(),
            known: AtomicBool::new(false),
        }
    }

    /// Says what has been done.
    pub fn step(&self, phase: &str, done: u64, total: Option<u64>, message: &str) {
        let seconds = self.seconds();
        let left = self.forecast.left(seconds);
        if let Some(bar) = &self.bar {
            let known = left.is_some();
            if self.known.swap(known, Ordering::Relaxed) != known {
                bar.set_style(style(if known { KNOWN } else { UNKNOWN }));
            }
            let of = total.map_or(String::new(), |total| format!("/{total}"));
            bar.set_prefix(format!("{phase} {done}{of}"));
            let rest = left.map_or(String::new(), |left| format!(", about {} left", duration(left.seconds)));
            bar.set_message(format!("{}{rest}", visible(message)));
            bar.set_position(left.map_or(0, |left| (left.done * PARTS as f64) as u64));
        }
        if self.mode == Mode::Json {
            let left = left.map(|left| left.seconds);
            output::remark_json(&Line { phase, done, total, message, seconds, left, estimate: None });
        }
    }

    /// What is known of how long it takes.
    pub fn forecast(&mut self) -> &mut Forecast {
        &mut self.forecast
    }

    /// Somebody wants to hear of what is expected: not where a program reads standard error and did not ask for progress.
    pub fn announces(&self) -> bool {
        match self.mode {
            Mode::Auto => !failure::wants_json(),
            Mode::Json => true,
            Mode::None => false,
        }
    }

    /// Says what is expected.
    pub fn announce(&self, sentence: &str, estimate: &Estimate) {
        if self.mode == Mode::Json {
            let (seconds, left) = (self.seconds(), estimate.cost.map(|cost| cost.seconds));
            let (phase, estimate) = ("estimate", Some(estimate));
            let line = Line { phase, done: 1, total: Some(1), message: sentence, seconds, left, estimate };
            output::remark_json(&line);
        } else {
            self.aside(|| tell!("winset: {sentence}"));
        }
    }

    /// Says something without disturbing the bar; not in the middle of lines of JSON.
    pub fn aside(&self, say: impl FnOnce()) {
        match &self.bar {
            _ if self.mode == Mode::Json => {}
            Some(bar) => bar.suspend(say),
            None => say(),
        }
    }

    /// Seconds since the work began.
    pub fn seconds(&self) -> f64 {
        self.clock.elapsed().as_secs_f64()
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("a constant template").progress_chars("=> ")
}

/// Shows what an engine does, and stops it when somebody asks for that.
impl winset::Watcher for Progress {
    fn stage(&mut self, stage: &winset::Stage<'_>) {
        self.forecast.see(stage, self.clock.elapsed().as_secs_f64());
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
