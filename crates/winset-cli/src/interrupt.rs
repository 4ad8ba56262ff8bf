//! Ctrl-C: asks the work to stop at the next safe point; a second one ends it at once.

use crate::output::tell;
use std::sync::atomic::{AtomicBool, Ordering};

static REQUESTED: AtomicBool = AtomicBool::new(false);
/// The work is done, and Ctrl-C ends what is left without a word.
static OVER: AtomicBool = AtomicBool::new(false);

/// A file that grows beyond what the user may write (`ulimit -f`) is an error where it is written, like a full
/// disk, and no reason to be killed.
pub fn outlive_file_limits() {
    #[cfg(all(
        any(target_os = "linux", target_os = "macos"),
        any(target_arch = "x86_64", target_arch = "aarch64")
    ))]
    {
        #[allow(unsafe_code, reason = "a function of the C library that no crate here wraps")]
        unsafe extern "C" {
            fn signal(number: i32, action: usize) -> usize;
        }
        const SIGXFSZ: i32 = 25;
        const SIG_IGN: usize = 1;
        // SAFETY: a function of the C library with the types that its manual gives, and no handler of ours.
        #[allow(unsafe_code, reason = "as above")]
        unsafe {
            signal(SIGXFSZ, SIG_IGN);
        }
    }
}

/// From now on Ctrl-C only asks.
pub fn watch() {
    // Without a handler Ctrl-C ends the program, and what is finished is safe all the same.
    let _ = ctrlc::set_handler(|| {
        if OVER.load(Ordering::Relaxed) {
            REQUESTED.store(true, Ordering::Relaxed);
            return;
        }
        if REQUESTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        tell!("\nwinset: stopping after this layer; Ctrl-C again ends at once");
    });
}

/// From now on the signals by which job schedulers announce the end (TERM; USR1, which `mpirun` hands on) only ask too.
#[cfg(feature = "mpi")]
pub fn watch_termination() {
    #[allow(unsafe_code, reason = "a function of the C library that no crate here wraps")]
    unsafe extern "C" {
        fn signal(number: i32, action: usize) -> usize;
    }
    extern "C" fn ask(_: i32) {
        REQUESTED.store(true, Ordering::Relaxed);
    }
    const SIGUSR1: i32 = 10;
    const SIGTERM: i32 = 15;
    for number in [SIGUSR1, SIGTERM] {
        // SAFETY: a function of the C library with the types that its manual gives; the handler only stores a flag.
        #[allow(unsafe_code, reason = "as above")]
        unsafe {
            signal(number, ask as extern "C" fn(i32) as usize);
        }
    }
}

/// The work is done: from now on Ctrl-C is only noted.
pub fn over() {
    OVER.store(true, Ordering::Relaxed);
}

/// Whether somebody asked.
pub fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}
