//! The threads among which work is shared out.
//!
//! A layer has dozens of short pieces of work, so the threads are started once and wait in between.

use crate::error::LayersError;

/// Some threads: the one that asks for work does its share, these are the others.
#[derive(Debug, Default)]
pub struct Crew(Option<rayon::ThreadPool>);

impl Crew {
    /// Of n threads, with the one that asks for work.
    pub fn new(threads: usize) -> Result<Self, LayersError> {
        if threads < 2 {
            return Ok(Crew(None));
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads - 1).build();
        Ok(Crew(Some(pool.map_err(|error| LayersError::Threads { threads, error })?)))
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        1 + self.0.as_ref().map_or(0, rayon::ThreadPool::current_num_threads)
    }

    /// Does the work once for each element, with its number, the first one here and the rest on the other
    /// threads: best for one element a thread.
    ///
    /// Elements are handed over, not lent: what threads write again and again must not lie side by side.
    pub fn map<T: Send, R: Send>(&self, elements: Vec<T>, work: impl Fn(usize, T) -> R + Sync) -> Vec<R> {
        let mut elements = elements.into_iter().enumerate();
        let Some(pool) = self.0.as_ref().filter(|_| elements.len() > 1) else {
            return elements.map(|(i, element)| work(i, element)).collect();
        };
        let mut results: Vec<Option<R>> = Vec::new();
        results.resize_with(elements.len(), || None);
        pool.in_place_scope(|scope| {
            let mut places = results.iter_mut();
            let own = elements.next().zip(places.next());
            for ((i, element), result) in elements.zip(places) {
                let work = &work;
                scope.spawn(move |_| *result = Some(work(i, element)));
            }
            if let Some(((i, element), result)) = own {
                *result = Some(work(i, element));
            }
        });
        results.into_iter().flatten().collect()
    }

    /// Does both, at the same time if there are two threads.
    pub fn both<A: Send, B>(&self, one: impl FnOnce() -> A + Send, other: impl FnOnce() -> B) -> (A, B) {
        let Some(pool) = &self.0 else { return (one(), other()) };
        let mut first = None;
        let second = pool.in_place_scope(|scope| {
            scope.spawn(|_| first = Some(one()));
            other()
        });
        (first.expect("the scope has waited for it"), second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_is_worked_on_once() {
        for threads in [0, 1, 2, 3] {
            let crew = Crew::new(threads).unwrap();
            assert_eq!(crew.threads(), threads.max(1));
            for len in 0..10 {
                let found = crew.map(vec![1; len], |i, element| i + element);
                assert_eq!(found, (1..=len).collect::<Vec<_>>());
            }
            assert_eq!(crew.both(|| 1, || 'b'), (1, 'b'));
        }
    }
}
