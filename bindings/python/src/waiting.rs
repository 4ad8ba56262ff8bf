//! Long work without the interpreter's lock, during which Ctrl-C is heard.

use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// How long Ctrl-C may go unheard.
const PATIENCE: Duration = Duration::from_millis(50);
/// Engines expect the stack of a program's first thread.
const STACK: usize = 16 << 20;

/// What long work says while it goes on: a phase, how much is done, of how much, and more about it.
pub type Told = (String, u64, Option<u64>, String);

/// Does `work` in a thread of its own, which is told by the flag that it is to stop. What it tells is given to `progress`.
/// An exception of `progress` or of a signal's handler ends the work and is what comes out.
pub fn wait<T: Send>(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&AtomicBool, &(dyn Fn(Told) + Sync)) -> T + Send,
) -> PyResult<T> {
    let stop = AtomicBool::new(false);
    py.detach(|| {
        let (sender, receiver) = channel::<Told>();
        std::thread::scope(|scope| {
            let flag = &stop;
            // The channel ends with the work, also if that panics.
            let body = move || {
                let tell = |told: Told| {
                    let _ = sender.send(told);
                };
                work(flag, &tell)
            };
            let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, body)?;
            let mut failed: Option<PyErr> = None;
            loop {
                let told = receiver.recv_timeout(PATIENCE);
                if told == Err(RecvTimeoutError::Disconnected) {
                    break;
                }
                if failed.is_some() {
                    continue;
                }
                let heard = Python::attach(|py| {
                    py.check_signals()?;
                    match (told, progress) {
                        (Ok(told), Some(progress)) => progress.call1(py, told).map(|_| ()),
                        _ => Ok(()),
                    }
                });
                if let Err(error) = heard {
                    stop.store(true, Ordering::Relaxed);
                    failed = Some(error);
                }
            }
            let result = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            match failed {
                Some(error) => Err(error),
                None => Ok(result),
            }
        })
    })
}
