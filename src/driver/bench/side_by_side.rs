//! Work that need not wait for other work.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// So many at once at most, for the sake of memory.
const AT_ONCE: usize = 12;

/// What `work` makes of each job, in their order, as many at a time as there
/// are processors.
pub(super) fn all<J: Sync, R: Send>(jobs: &[J], work: impl Fn(&J) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let one_worker = || {
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            match jobs.get(number) {
                Some(job) => done.push((number, work(job))),
                None => return done,
            }
        }
    };
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let workers = processors.min(AT_ONCE).min(jobs.len());
    let mut results: Vec<(usize, R)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(one_worker)).collect();
        let joined = workers.into_iter().map(|worker| match worker.join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        joined.flatten().collect()
    });
    results.sort_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_are_in_the_order_of_the_jobs() {
        let jobs: Vec<u64> = (0..50).collect();
        let squares = super::all(&jobs, |job| job * job);
        assert!(
            squares
                .iter()
                .zip(&jobs)
                .all(|(square, job)| *square == job * job)
        );
        assert_eq!(squares.len(), 50);
        assert!(super::all(&[], |(): &()| 0).is_empty());
    }
}
