//! How long a translation takes beyond the preprocessor's own time, how that
//! grows with the length of the program, and what part of it the passes take.
//!
//! `cargo bench --bench translation` (`-- stages` for the parts alone)

mod program;

use std::hint::black_box;
use std::path::Path;

use accrs::diagnostic::Diagnostics;
use accrs::source::{Preprocessor, SourceFile, TranslationUnit};
use accrs::stopwatch::Stopwatch;
use accrs::{back, front, ir, passes, sema, syntax, typed};
use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

fn preprocess(path: &Path, bytes: Vec<u8>) -> TranslationUnit {
    let preprocessor = Preprocessor {
        compiler: Some("cc".into()),
        arguments: Vec::new(),
    };
    let mut diagnostics = Diagnostics::new();
    let file = SourceFile::new(path, bytes);
    TranslationUnit::preprocess(file, &preprocessor, &["acc"], &mut diagnostics)
}

/// Every stage after preprocessing.
fn translate(source: &TranslationUnit, watch: &mut Stopwatch) -> usize {
    let mut lowered = lower(source, watch);
    decide(&mut lowered, watch);
    let Lowered { unit, module } = &lowered;
    let output = watch.time("back", |_| {
        back::emit(module, unit, source, &back::Options::default())
    });
    output.expect("it can be printed").kernels.len()
}

/// What the passes work on.
#[derive(Clone)]
struct Lowered {
    unit: typed::Unit,
    module: ir::Module,
}

fn lower(source: &TranslationUnit, watch: &mut Stopwatch) -> Lowered {
    let mut diagnostics = Diagnostics::new();
    let tree = watch.time("syntax", |_| syntax::parse(&source.text, &mut diagnostics));
    let tree = tree.expect("the program is C");
    let mut unit = watch.time("sema", |_| sema::analyse(&tree, &mut diagnostics));
    let module = watch.time("front", |_| {
        front::openacc::lower(&mut unit, Default::default(), &mut diagnostics)
    });
    let module = module.expect("it is OpenACC");
    Lowered { unit, module }
}

fn decide(lowered: &mut Lowered, watch: &mut Stopwatch) {
    let Lowered { unit, module } = lowered;
    let options = passes::Options {
        automatic_windows: true,
        ..passes::Options::default()
    };
    let mut diagnostics = Diagnostics::new();
    watch.time("passes", |watch| {
        passes::run_timed(module, unit, &options, &mut diagnostics, watch);
    });
}

fn on_a_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(512 << 20)
            .spawn_scoped(scope, work)
            .expect("a thread can be started")
            .join()
            .expect("the work does not panic")
    })
}

fn hotspot(criterion: &mut Criterion) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let path = root.join("benchmarks/hotspot/hotspot.c");
    let bytes = std::fs::read(&path).expect("the repository has its benchmarks");
    let source = preprocess(&path, bytes);
    criterion.bench_function("hotspot", |b| {
        b.iter(|| on_a_large_stack(|| translate(black_box(&source), &mut Stopwatch::default())));
    });
}

fn growth(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("lines");
    group.sample_size(10);
    for lines in [500, 1_600, 5_000, 16_000, 50_000] {
        let source = preprocess(
            Path::new("program.c"),
            program::of_lines(lines).into_bytes(),
        );
        group.throughput(Throughput::Elements(lines as u64));
        group.bench_with_input(BenchmarkId::from_parameter(lines), &source, |b, source| {
            b.iter(|| on_a_large_stack(|| translate(black_box(source), &mut Stopwatch::default())));
        });
    }
    group.finish();
}

/// The translation of one long program, the passes over it, and the part that
/// each stage and each pass has in the whole.
fn stages(criterion: &mut Criterion) {
    const LINES: usize = 50_000;
    let source = preprocess(
        Path::new("program.c"),
        program::of_lines(LINES).into_bytes(),
    );
    let mut group = criterion.benchmark_group("stages");
    group.sample_size(10);
    group.bench_function("translation", |b| {
        b.iter(|| on_a_large_stack(|| translate(black_box(&source), &mut Stopwatch::default())));
    });
    let lowered = on_a_large_stack(|| lower(&source, &mut Stopwatch::default()));
    group.bench_function("passes", |b| {
        b.iter_batched(
            || lowered.clone(),
            |mut lowered| {
                decide(&mut lowered, &mut Stopwatch::default());
                lowered
            },
            BatchSize::PerIteration,
        );
    });
    group.finish();
    print_shares(&source);
}

/// Where the time of some translations goes.
#[allow(clippy::print_stdout, reason = "what a benchmark is for")]
fn print_shares(source: &TranslationUnit) {
    const RUNS: u32 = 5;
    let watch = on_a_large_stack(|| {
        let mut watch = Stopwatch::default();
        for _ in 0..RUNS {
            translate(source, &mut watch);
        }
        watch
    });
    let total = watch.total().as_secs_f64();
    for stage in watch.stages() {
        let seconds = stage.time.as_secs_f64();
        println!(
            "{:>9.2} ms {:>5.1} %  {}{}",
            1e3 * seconds / f64::from(RUNS),
            100.0 * seconds / total,
            "  ".repeat(stage.depth),
            stage.name
        );
    }
    let of_paper = ["thread_mapping", "memory_placement", "launch_configuration"];
    let deciding = watch.stages().iter().filter(|s| of_paper.contains(&s.name));
    let deciding: f64 = deciding.map(|stage| stage.time.as_secs_f64()).sum();
    println!(
        "{}: {:.1} % of the translation",
        of_paper.join(", "),
        100.0 * deciding / total
    );
}

criterion_group!(benches, hotspot, growth, stages);
criterion_main!(benches);
