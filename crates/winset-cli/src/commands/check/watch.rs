//! Long work says on standard error how far it is, from the second second on, if somebody looks.

use crate::output::tell;
use std::io::IsTerminal;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use winset_mu::Progress;

/// Does the work and tells, where standard error is a terminal, every few seconds which specification is being checked.
pub fn watched<R>(specifications: &[&str], work: impl FnOnce(&Progress) -> R) -> R {
    let progress = Progress::default();
    if !std::io::stderr().is_terminal() {
        return work(&progress);
    }
    std::thread::scope(|scope| {
        let (done, is_done) = channel::<()>();
        let progress = &progress;
        scope.spawn(move || {
            let (clock, mut wait) = (Instant::now(), Duration::from_secs(2));
            while is_done.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                tell!("{}", line(progress, specifications, clock.elapsed().as_secs()));
                wait = Duration::from_secs(2);
            }
        });
        let result = work(progress);
        drop(done);
        result
    })
}

fn line(progress: &Progress, specifications: &[&str], seconds: u64) -> String {
    let steps = format!("{} iterations, {} nodes, {seconds} s", progress.iterations(), progress.nodes());
    match progress.begun() {
        0 => format!("compiling and finding the reachable states: {seconds} s"),
        n => {
            let text: String = specifications[n - 1].chars().take(50).collect();
            format!("specification {n} of {}: {text}: {steps}", specifications.len())
        }
    }
}
