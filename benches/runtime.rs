//! What the runtime costs beside CUDA: a look-up in present tables of a thousand to a million
//! entries, and a region with 20 arrays and its launcher in a table of 1,000. The measuring is done
//! by `runtime/tests/host_path.cpp`, which is compiled here and launches no kernel.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};

/// The repository's own runtime.
fn runtime() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime")
}

/// Compiles the measuring program with the runtime's sources for the emulation.
fn build(folder: &Path) -> PathBuf {
    let program = folder.join("host_path");
    let list =
        fs::read_to_string(runtime().join("SOURCES")).expect("the runtime lists its sources");
    // No watcher: the runtime itself, and the device without its watchers.
    let sources = list
        .lines()
        .filter(|line| line.starts_with("src/") || line.starts_with("emulation/"));
    let status = Command::new("c++")
        .args(["-std=c++17", "-O2", "-ffp-contract=off", "-pthread", "-o"])
        .arg(&program)
        .arg("-I")
        .arg(runtime().join("include"))
        .arg(runtime().join("tests/host_path.cpp"))
        .args(sources.map(|source| runtime().join(source)))
        .status()
        .expect("a C++ compiler is installed");
    assert!(status.success(), "the measuring program does not compile");
    program
}

/// What one round of a measure takes: the best of several batches of `rounds`.
fn measure(program: &Path, name: &str, entries: u32, rounds: u32) -> Duration {
    let output = Command::new(program)
        .args([name, &entries.to_string(), &rounds.to_string()])
        .output()
        .expect("the program was just built");
    let text = String::from_utf8_lossy(&output.stdout);
    let nanoseconds: f64 = text.trim().parse().expect("it prints one number");
    Duration::from_secs_f64(nanoseconds * 1e-9)
}

fn host_path(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("there is a temporary folder");
    let program = build(folder.path());
    let measures: [(&str, &[u32], u32); 3] = [
        ("look-up", &[1_000, 10_000, 100_000, 1_000_000], 10_000),
        ("launch", &[1_000], 500),
        ("launch-others", &[1_000], 500),
    ];
    let mut group = criterion.benchmark_group("host_path");
    group.sample_size(10);
    for (name, sizes, rounds) in measures {
        for entries in sizes {
            group.bench_function(BenchmarkId::new(name, entries), |bencher| {
                bencher.iter_custom(|iterations| {
                    let one = measure(&program, name, *entries, rounds);
                    one.mul_f64(iterations as f64)
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, host_path);
criterion_main!(benches);
