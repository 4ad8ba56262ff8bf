//! Ctrl-C: asks the work to stop at the next safe point; a second one ends it at once.

use std::sync::atomic::{AtomicBool, Ordering};

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C only asks.
pub fn watch() {
    // Without a handler Ctrl-C ends the program, and what is finished is safe all the same.
    let _ = ctrlc::set_handler(|| {
        if REQUESTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        eprintln!("\nwinset: stopping after this layer; Ctrl-C again ends at once");
    });
}

/// Whether somebody asked.
pub fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}
