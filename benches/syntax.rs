//! The speed of parsing: functions of dense loop nests, 500 to 50,000 lines.

use std::fmt::Write;

use accrs::diagnostic::Diagnostics;
use accrs::syntax;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

/// About `lines` lines of stencils, reductions and calls.
fn program(lines: usize) -> String {
    let mut text = String::from(
        "typedef double real; typedef struct { real x; int id; } point;\n\
         int printf(const char *, ...);\n",
    );
    for k in 0..lines / 14 {
        let _ = write!(
            text,
            "static real kernel_{k}(real *restrict a, const real *b, int n, point *p)\n{{\n    \
             real sum = 0.0;\n    \
             __accrs_pragma_acc parallel loop copyin(b[0:n]) copy(a[0:n*n]) reduction(+:sum) __accrs_pragma_end\n    \
             for (int i = 1; i < n - 1; i++) {{\n        \
             for (int j = 1; j < n - 1; ++j) {{\n            \
             a[i * n + j] = 0.25 * (b[(i - 1) * n + j] + b[(i + 1) * n + j] + b[i * n + j - 1]);\n            \
             if (a[i * n + j] > sum && p[j].id != 3)\n                \
             sum += (real)a[i * n + j] * p->x - (sum / 2.0);\n            \
             else\n                \
             printf(\"%d %f\\n\", i, a[i]);\n        }}\n    }}\n    return sum;\n}}\n"
        );
    }
    text
}

fn parse(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("parse");
    group.sample_size(10);
    for lines in [500, 5_000, 50_000] {
        let text = program(lines);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_with_input(
            BenchmarkId::from_parameter(lines),
            &text,
            |bencher, text| {
                bencher.iter(|| {
                    let mut diagnostics = Diagnostics::new();
                    let unit = syntax::parse(text, &mut diagnostics);
                    assert!(diagnostics.is_empty());
                    unit
                });
            },
        );
    }
    group.finish();
}

criterion_group!(benches, parse);
criterion_main!(benches);
