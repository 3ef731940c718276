//! Work that need not wait for other work, and a bar that tells how far it is.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use indicatif::{ProgressBar, ProgressStyle};

/// What `work` makes of each job, in their order, as many at a time as there
/// are processors, but at most `most`.
pub fn all<J: Sync, R: Send>(jobs: &[J], most: usize, work: impl Fn(&J) -> R + Sync) -> Vec<R> {
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
    let workers = processors.min(most).min(jobs.len());
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

/// A bar of so many steps on standard error, where that is a terminal.
pub fn progress(steps: usize) -> ProgressBar {
    let bar = ProgressBar::new(steps as u64);
    match ProgressStyle::with_template("{bar:30} {pos}/{len} {wide_msg}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_are_in_the_order_of_the_jobs() {
        let jobs: Vec<u64> = (0..50).collect();
        let squares = super::all(&jobs, 12, |job| job * job);
        assert!(
            squares
                .iter()
                .zip(&jobs)
                .all(|(square, job)| *square == job * job)
        );
        assert_eq!(squares.len(), 50);
        assert!(super::all(&[], 12, |(): &()| 0).is_empty());
    }
}
