//! How long a translation takes beyond the preprocessor's own time, and how
//! that grows with the length of the program.
//!
//! `cargo bench --bench translation`

mod program;

use std::hint::black_box;
use std::path::Path;

use accrs::diagnostic::Diagnostics;
use accrs::source::{Preprocessor, SourceFile, TranslationUnit};
use accrs::{back, front, passes, sema, syntax};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

fn preprocess(path: &Path, bytes: Vec<u8>) -> TranslationUnit {
    let preprocessor = Preprocessor {
        compiler: "cc".into(),
        arguments: Vec::new(),
    };
    let mut diagnostics = Diagnostics::new();
    let file = SourceFile::new(path, bytes);
    TranslationUnit::preprocess(file, &preprocessor, &["acc"], &mut diagnostics)
}

/// Every stage after preprocessing.
fn translate(source: &TranslationUnit) -> usize {
    let mut diagnostics = Diagnostics::new();
    let tree = syntax::parse(&source.text, &mut diagnostics).expect("the program is C");
    let mut unit = sema::analyse(&tree, &mut diagnostics);
    let mut module = front::openacc::lower(&mut unit, Default::default(), &mut diagnostics)
        .expect("it is OpenACC");
    passes::run(
        &mut module,
        &mut unit,
        &passes::Options::default(),
        &mut diagnostics,
    );
    let output = back::emit(&module, &unit, source, &back::Options::default());
    output.expect("it can be printed").kernels.len()
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
    let path = Path::new("benchmarks/hotspot/hotspot.c");
    let bytes = std::fs::read(path).expect("run from the repository's root");
    let source = preprocess(path, bytes);
    criterion.bench_function("hotspot", |b| {
        b.iter(|| on_a_large_stack(|| translate(black_box(&source))));
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
            b.iter(|| on_a_large_stack(|| translate(black_box(source))));
        });
    }
    group.finish();
}

criterion_group!(benches, hotspot, growth);
criterion_main!(benches);
