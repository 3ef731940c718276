//! Random nests in `kernels`, against the same program run serially.
//!
//! A function is made from a seed (`generate`): loops with all kinds of bounds, steps and variables,
//! arrays and pointers of all kinds, subscripts affine and not, scalars in every role. It is built
//! serially under sanitizers, which reject what is not defined C, and traced: which loops touch one
//! element in two iterations. It is built with accrs and run in three orders. All elements have to
//! be the same, and no loop that carries a dependence may be called parallel.
//!
//! `cargo test --test property` runs 150 functions, always the same. On request:
//!
//! - `ACCRS_KERNELS=20000` runs that many, from seed `ACCRS_KERNELS_SEED`;
//! - `ACCRS_KERNELS_WRITE=FILE` writes them to a file and runs nothing.

mod generate;
mod model;
mod run;
mod shrink;
mod text;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::run::Verdict;
use super::{IN_A_FILE, locked, setting};
use model::Function;
use run::Found;

/// The functions that are run without a request, and the seed of the first.
const FUNCTIONS: u64 = 150;
const FIRST_SEED: u64 = 2026;

/// Failures that are made smaller, and after how many the run ends.
const SHRUNK: usize = 3;
const MOST_FAILURES: usize = 40;

/// How many of a hundred loops have to be called parallel, and have to carry a dependence.
const PARALLEL: usize = 40;
const CARRIED: usize = 20;

/// What all workers know.
struct Progress {
    next: AtomicU64,
    last: u64,
    good: Mutex<Count>,
    failures: Mutex<Vec<(Function, Verdict)>>,
    broken: Mutex<Vec<String>>,
}

/// What the functions that are defined have.
#[derive(Debug, Default)]
struct Count {
    functions: usize,
    faulty: usize,
    loops: usize,
    parallel: usize,
    carried: usize,
}

impl Progress {
    fn work(&self) {
        loop {
            let first = self.next.fetch_add(IN_A_FILE, Ordering::Relaxed);
            let is_over = first >= self.last
                || locked(&self.failures).len() >= MOST_FAILURES
                || !locked(&self.broken).is_empty();
            if is_over {
                return;
            }
            let seeds = first..(first + IN_A_FILE).min(self.last);
            let functions: Vec<Function> = seeds.map(generate::function).collect();
            match run::examine(&functions.iter().collect::<Vec<_>>()) {
                Ok(found) => self.note(&functions, found),
                Err(message) => locked(&self.broken).push(message),
            }
        }
    }

    fn note(&self, functions: &[Function], found: Vec<Found>) {
        for (function, found) in functions.iter().zip(found) {
            let mut count = locked(&self.good);
            match &found.verdict {
                Verdict::Faulty(_) => count.faulty += 1,
                verdict => {
                    count.functions += 1;
                    count.loops += found.loops.len();
                    let is_parallel = |l: &&run::LoopFound| l.parallel || l.checked;
                    count.parallel += found.loops.iter().filter(is_parallel).count();
                    count.carried += found.loops.iter().filter(|l| l.carried).count();
                    if verdict.is_failure() {
                        eprintln!("{}: {verdict:.300?}", function.seed);
                        locked(&self.failures).push((function.clone(), verdict.clone()));
                    }
                }
            }
        }
        if self.last > 1000 + FIRST_SEED {
            eprintln!("{:?}", locked(&self.good));
        }
    }
}

/// Random nests compute in `kernels` what they compute serially.
pub fn kernels_compute_what_is_serial() -> Result<(), String> {
    let wanted = setting("ACCRS_KERNELS", FUNCTIONS)?;
    let first = setting("ACCRS_KERNELS_SEED", FIRST_SEED)?;
    if let Some(path) = std::env::var_os("ACCRS_KERNELS_WRITE") {
        let functions: Vec<Function> = (first..first + wanted).map(generate::function).collect();
        let (text, _) = text::file(&functions.iter().collect::<Vec<_>>(), false);
        return std::fs::write(path, text).map_err(|error| error.to_string());
    }
    let progress = Progress {
        next: AtomicU64::new(first),
        last: first + wanted,
        good: Mutex::default(),
        failures: Mutex::default(),
        broken: Mutex::default(),
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| progress.work());
        }
    });
    let count = std::mem::take(&mut *locked(&progress.good));
    let failures = std::mem::take(&mut *locked(&progress.failures));
    let broken = std::mem::take(&mut *locked(&progress.broken));
    eprintln!("{count:?}");
    if !broken.is_empty() {
        return Err(broken.join("\n"));
    }
    if !failures.is_empty() {
        return Err(report(failures)?);
    }
    let is_enough = count.parallel * 100 >= count.loops * PARALLEL
        && count.carried * 100 >= count.loops * CARRIED
        && count.functions > count.faulty * 9;
    if wanted >= FUNCTIONS && !is_enough {
        return Err(format!("the functions test too little: {count:?}"));
    }
    Ok(())
}

/// All failures, the first ones as small as they get.
fn report(mut failures: Vec<(Function, Verdict)>) -> Result<String, String> {
    failures.sort_by_key(|(function, _)| function.seed);
    let time = Duration::from_secs(setting("ACCRS_SHRINK", 60)?);
    let mut text = format!("{} functions fail\n", failures.len());
    for (index, (function, verdict)) in failures.into_iter().enumerate() {
        text += &format!("\nseed {}: {verdict:.600?}\n", function.seed);
        if index < SHRUNK && !time.is_zero() {
            let small = shrink::shrink(&function, &verdict, time);
            text += &text::function(&small);
        }
    }
    Ok(text)
}
