//! Random programs with windows, against what they mean.
//!
//! A program is made from a seed (`generate`): stencils, shared tiles, ghost zones, channels, trees
//! and slots that are written back, over windows, types, sizes and blocks of up to three
//! dimensions. It is written twice, as C with directives and as serial C that computes, thread by
//! thread, what the directives mean; both are in one file and compared in one run, integers exactly
//! and floating point bit for bit, in three schedules of the emulation.
//!
//! `cargo test --test property` runs 200 programs that are distinct after translation, always the
//! same. On request:
//!
//! - `ACCRS_PROGRAMS=10000` runs that many;
//! - `ACCRS_SEED=N` begins with seed `N`; with `ACCRS_PROGRAMS=1` this repeats one program;
//! - `ACCRS_WRITE=FILE` writes the programs to a file, to be looked at, and runs nothing;
//! - `ACCRS_ROUNDS=N` runs that many programs of another kind, from `ACCRS_ROUNDS_SEED` (`rounds`);
//! - `ACCRS_NESTS=N` and `ACCRS_CHOICES=all` run more nests, each in all ways (see `mapping`);
//! - `ACCRS_KERNELS=N` runs more nests in `kernels` (see `proof`);
//! - `ACCRS_PARTITIONS=N` runs more kernels of hiCUDA (see `hicuda`);
//! - `ACCRS_SEQUENCES=N` runs more sequences of MESI-CUDA (see `coherence`), `ACCRS_TILES=N` more kernels
//!   (see `caching`);
//! - `ACCRS_READS=N` runs more functions with windows without directives (see `automatic`);
//! - `ACCRS_STENCILS=N` runs more functions with windows that are only read (see `stencils`);
//! - `ACCRS_WAVES=N` runs more functions with windows that are written back (see `waves`);
//! - `ACCRS_EXPRESSIONS=N` runs more functions that compute with integers (see `arithmetic`);
//! - `ACCRS_MUTANTS=N` runs more damaged files, from `ACCRS_MUTANTS_SEED` on (see `mutants`);
//! - `ACCRS_SHRINK=SECONDS` is how long each of the first failures is made smaller (0: not at all).

#![allow(clippy::print_stderr, reason = "progress of a run on request")]

mod arithmetic;
mod automatic;
mod batch;
mod caching;
mod coherence;
mod distinct;
mod generate;
mod hicuda;
mod mapping;
mod model;
mod mutants;
mod mutate;
mod oracle;
mod proof;
mod random;
mod rounds;
mod run;
mod serial;
mod shrink;
mod source;
mod stencils;
#[path = "../support/mod.rs"]
mod support;
mod visit;
mod waves;

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use libtest_mimic::{Arguments, Failed, Trial};
use model::{Policy, Program};
use run::{File, Verdict};

/// The programs that are run without a request, and the seed of the first.
const PROGRAMS: u64 = 200;
const FIRST_SEED: u64 = 2015;

/// Programs in one file: the header of the emulation costs a compiler half a second.
const IN_A_FILE: u64 = 25;

/// Failures that are made smaller, and after how many the run ends.
const SHRUNK: usize = 3;
const MOST_FAILURES: usize = 100;

fn main() {
    let arguments = Arguments::from_args();
    let trials = vec![
        Trial::test("programs_compute_what_they_mean", programs),
        Trial::test("the_oracle_agrees_with_plain_c", plain),
        Trial::test("a_mistake_in_the_oracle_is_seen", mistakes),
        Trial::test("code_between_shared_loops", between),
        Trial::test("kernels_compute_what_is_serial", || {
            Ok(proof::kernels_compute_what_is_serial()?)
        }),
        Trial::test("partitions_compute_what_is_serial", || {
            Ok(hicuda::partitions_compute_what_is_serial()?)
        }),
        Trial::test("a_missing_partition_is_seen", || {
            Ok(hicuda::a_missing_partition_is_seen()?)
        }),
        Trial::test("copies_are_coherent", || {
            Ok(coherence::copies_are_coherent()?)
        }),
        Trial::test("a_stale_copy_is_seen", || {
            Ok(coherence::a_stale_copy_is_seen()?)
        }),
        Trial::test("tiles_hold_what_threads_use", || {
            Ok(caching::tiles_hold_what_threads_use()?)
        }),
        Trial::test("windows_without_directives_change_nothing", || {
            Ok(automatic::windows_without_directives_change_nothing()?)
        }),
        Trial::test("windows_that_are_only_read_change_nothing", || {
            Ok(stencils::windows_that_are_only_read_change_nothing()?)
        }),
        Trial::test("windows_hold_what_waves_write", || {
            Ok(waves::windows_hold_what_waves_write()?)
        }),
        Trial::test("integers_are_those_of_c", || {
            Ok(arithmetic::integers_are_those_of_c()?)
        }),
        Trial::test("no_mutant_panics", || Ok(mutants::no_mutant_panics()?)),
        Trial::test("no_choice_of_threads_changes_a_result", || {
            Ok(mapping::no_choice_changes_a_result()?)
        }),
        Trial::test("a_missing_iteration_is_seen", || {
            Ok(mapping::a_missing_iteration_is_seen()?)
        }),
        Trial::test("no_placement_changes_a_result", || {
            Ok(mapping::no_placement_changes_a_result()?)
        }),
    ];
    libtest_mimic::run(&arguments, trials).exit();
}

/// A number from the environment.
fn setting(variable: &str, default: u64) -> Result<u64, String> {
    match std::env::var(variable) {
        Err(_) => Ok(default),
        Ok(text) => text
            .parse()
            .map_err(|_| format!("{variable}={text} is not a number")),
    }
}

/// Code between the loops that threads share.
fn between() -> Result<(), Failed> {
    let wanted = setting("ACCRS_ROUNDS", rounds::PROGRAMS)?;
    let first = match std::env::var_os("ACCRS_ROUNDS_SEED") {
        Some(_) => Some(setting("ACCRS_ROUNDS_SEED", 0)?),
        None => None,
    };
    use rounds::Kind;
    for (kind, wanted) in [
        (Kind::Windows, wanted),
        (Kind::OwnElements, wanted),
        (Kind::Jumps, wanted / 2),
    ] {
        rounds::run(kind, wanted, first)?;
    }
    Ok(())
}

fn programs_of(seeds: std::ops::Range<u64>) -> Vec<Program> {
    seeds.map(generate::program).collect()
}

// Programs against their oracles

/// What all workers know.
struct Progress {
    wanted: usize,
    next_seed: AtomicU64,
    last_seed: u64,
    structures: Mutex<HashSet<String>>,
    failures: Mutex<Vec<(Program, Verdict)>>,
    /// What went wrong with the test itself.
    broken: Mutex<Vec<String>>,
}

impl Progress {
    fn is_over(&self) -> bool {
        locked(&self.structures).len() >= self.wanted
            || locked(&self.failures).len() >= MOST_FAILURES
            || !locked(&self.broken).is_empty()
            || self.next_seed.load(Ordering::Relaxed) >= self.last_seed
    }

    /// Runs files of programs until there are enough.
    fn work(&self) {
        while !self.is_over() {
            let first = self.next_seed.fetch_add(IN_A_FILE, Ordering::Relaxed);
            let programs = programs_of(first..(first + IN_A_FILE).min(self.last_seed));
            if let Err(message) = self.file(&programs) {
                locked(&self.broken).push(message);
            }
        }
    }

    fn file(&self, programs: &[Program]) -> Result<(), String> {
        let verdicts = File::new(programs)?.verdicts()?;
        let mut good = Vec::new();
        for (program, verdict) in programs.iter().zip(verdicts) {
            match verdict {
                Verdict::Same => good.push(program.clone()),
                verdict => {
                    eprintln!("{}: {}: {verdict:.300?}", program.seed, program.family);
                    locked(&self.failures).push((program.clone(), verdict));
                }
            }
        }
        let kernels = File::new(&good)?.kernels()?;
        let mut structures = locked(&self.structures);
        structures.extend(distinct::structures(&kernels).into_values());
        if self.wanted > 1000 {
            eprintln!("{} programs", structures.len());
        }
        Ok(())
    }
}

/// What a lock protects, also after a worker panicked: its failure shows elsewhere.
fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn programs() -> Result<(), Failed> {
    let wanted = setting("ACCRS_PROGRAMS", PROGRAMS)?;
    let first = setting("ACCRS_SEED", FIRST_SEED)?;
    // Some seeds give programs that differ in sizes only.
    let last = if wanted < IN_A_FILE {
        first + wanted
    } else {
        first + wanted + wanted / 4
    };
    if let Some(path) = std::env::var_os("ACCRS_WRITE") {
        let programs = programs_of(first..first + wanted);
        let pairs: Vec<_> = programs.iter().map(|program| (program, program)).collect();
        return Ok(std::fs::write(path, batch::text(&pairs))?);
    }
    let progress = Progress {
        wanted: usize::try_from(wanted)?,
        next_seed: AtomicU64::new(first),
        last_seed: last,
        structures: Mutex::default(),
        failures: Mutex::default(),
        broken: Mutex::default(),
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| progress.work());
        }
    });
    let count = locked(&progress.structures).len();
    let failures = std::mem::take(&mut *locked(&progress.failures));
    let broken = std::mem::take(&mut *locked(&progress.broken));
    if !broken.is_empty() {
        return Err(broken.join("\n").into());
    }
    if !failures.is_empty() {
        return Err(report(failures)?.into());
    }
    if wanted >= IN_A_FILE && count < progress.wanted {
        return Err(format!("only {count} distinct programs of {wanted}").into());
    }
    Ok(())
}

/// All failures, the first ones as small as they get.
fn report(failures: Vec<(Program, Verdict)>) -> Result<String, String> {
    let time = Duration::from_secs(setting("ACCRS_SHRINK", 60)?);
    let mut text = format!("{} programs fail\n", failures.len());
    for (index, (program, verdict)) in failures.into_iter().enumerate() {
        text += &format!(
            "\nseed {}: {}: {verdict:.600?}\n",
            program.seed, program.family
        );
        if index < SHRUNK && verdict.is_failure() && !time.is_zero() {
            let small = shrink::shrink(&program, &verdict, time);
            text += &format!("sizes {:?}\n{}", small.rounds, source::function(&small, 0));
            text += &kept(&small)?;
        }
    }
    Ok(text)
}

/// Leaves a small program where it can be built again.
fn kept(program: &Program) -> Result<String, String> {
    let name = format!("property-{}.c", program.seed);
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, batch::text(&[(program, program)]))
        .map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(format!("with its oracle: {}\n", path.display()))
}

// The oracle against plain C

/// Programs whose windows change nothing give the same with their directives ignored; and no
/// program is undefined.
fn plain() -> Result<(), Failed> {
    let programs = programs_of(
        setting("ACCRS_SEED", FIRST_SEED)?
            ..setting("ACCRS_SEED", FIRST_SEED)? + setting("ACCRS_PROGRAMS", PROGRAMS)? / 2,
    );
    let mut verdicts = Vec::new();
    for some in programs.chunks(IN_A_FILE as usize) {
        verdicts.extend(File::new(some)?.serial_verdicts()?);
    }
    let (mut equal, mut others) = (0, 0);
    for (program, verdict) in programs.iter().zip(verdicts) {
        let told = format!("seed {}: {}: {verdict:?}", program.seed, program.family);
        match verdict {
            Verdict::Same => equal += 1,
            Verdict::Differs(_) if communicates(program) => others += 1,
            _ => return Err(told.into()),
        }
    }
    if equal < 25 || others < 25 {
        return Err(format!("{equal} programs equal plain C, {others} do not").into());
    }
    Ok(())
}

/// Whether iterations see what others write.
fn communicates(program: &Program) -> bool {
    let mut found = false;
    visit::regions(&mut program.clone(), &mut |region| {
        found |= region.directives.iter().any(|directive| {
            directive.policy.communicates() || directive.policy == Policy::ChannelOnly
        });
    });
    found
}

// Mistakes

/// With a mistake in what an oracle is made from, the comparison must fail. Some mistakes change
/// nothing (a loop whose last round computes the same again, a neighbour behind a guard that never
/// holds), so that one in three may go unseen; some make the program undefined, which the oracle
/// says.
fn mistakes() -> Result<(), Failed> {
    let programs = programs_of(FIRST_SEED..FIRST_SEED + PROGRAMS);
    for mistake in mutate::MISTAKES {
        let wrong: Vec<(&Program, Program)> = programs
            .iter()
            .filter_map(|program| Some((program, mutate::mistaken(program, *mistake)?)))
            .take(30)
            .collect();
        let pairs = wrong
            .iter()
            .map(|(program, wrong)| (*program, wrong))
            .collect();
        let verdicts = File::with_oracles(pairs)?.verdicts()?;
        let unseen: Vec<u64> = wrong
            .iter()
            .zip(&verdicts)
            .filter(|(_, verdict)| **verdict == Verdict::Same)
            .map(|((program, _), _)| program.seed)
            .collect();
        let is_seen = |verdict: &&Verdict| matches!(verdict, Verdict::Differs(_));
        let seen = verdicts.iter().filter(is_seen).count();
        if seen < 6 || unseen.len() * 2 > seen {
            return Err(format!("{mistake:?}: {seen} seen, unseen with seeds {unseen:?}").into());
        }
    }
    Ok(())
}
