//! The threads of a check.

use rayon::ThreadPoolBuilder;

/// Works in the present pool; where there is none, in one of its own; and alone if the system gives no threads.
pub fn in_threads<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if rayon::current_thread_index().is_some() {
        return work();
    }
    let pool = ThreadPoolBuilder::new().build();
    // This thread is a pool of one from now on.
    let pool = pool.or_else(|_| ThreadPoolBuilder::new().num_threads(1).use_current_thread().build());
    match pool {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    }
}
