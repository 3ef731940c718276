//! No barrier under a condition that the threads of a block may disagree on, in the text of every
//! generated kernel: those of all fixtures and benchmarks.
//!
//! The text is read as it is, by an analysis that shares nothing with the translator's. Kernels
//! with such a barrier, written by hand, show that it would be seen; their right twins, that it is
//! no false alarm.

#[path = "barriers/divergence.rs"]
mod divergence;
mod support;
#[path = "barriers/text.rs"]
mod text;

use divergence::divergent_barriers;
use support::{files_below, read, root};

#[test]
fn every_barrier_of_a_generated_kernel_is_reached_by_all_threads() {
    let snapshots = files_below(&root().join("tests/snapshots"));
    let files: Vec<_> = snapshots
        .iter()
        .filter(|path| path.to_string_lossy().ends_with(".cu"))
        .collect();
    assert!(files.len() > 40, "{} files of kernels", files.len());
    let mut wrong = Vec::new();
    let (mut kernels, mut with_barriers) = (0, 0);
    for path in files {
        let text = read(path).expect("a file that was listed");
        for kernel in text::kernels(&text) {
            kernels += 1;
            with_barriers += usize::from(format!("{:?}", kernel.body).contains("__syncthreads"));
            for found in divergent_barriers(&kernel) {
                wrong.push(format!("{}: {}: {found}", path.display(), kernel.name));
            }
        }
    }
    assert!(kernels > 100, "{kernels} kernels");
    assert!(with_barriers > 5, "{with_barriers} kernels with barriers");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is found in a kernel with this body.
fn found_in(body: &str) -> Vec<String> {
    let text = format!(
        "__global__ void __launch_bounds__(64)\nk(int n, const float *__restrict__ b, \
         float *__restrict__ a)\n{{\n{body}\n}}\n"
    );
    let kernels = text::kernels(&text);
    assert_eq!(kernels.len(), 1, "{text}");
    divergent_barriers(&kernels[0])
}

/// Wrong bodies, and right ones that differ from them as little as can be.
const TWINS: &[(&str, &str)] = &[
    (
        "if (a[1] > 3) { a[0] = 1; __syncthreads(); }",
        "if (a[1] > 3) { __syncthreads(); a[0] = 1; }",
    ),
    (
        "if (a[1] > 3) { __syncthreads(); } a[1] = 9;",
        "if (a[1] > 3) { __syncthreads(); a[1] = 9; }",
    ),
    (
        "if (a[threadIdx.x] > 3) { __syncthreads(); a[0] = 1; }",
        "if (a[blockIdx.x] > 3) { __syncthreads(); a[0] = 1; }",
    ),
    (
        "if (threadIdx.x < n) { __syncthreads(); }",
        "if (blockIdx.x < n) { __syncthreads(); }",
    ),
    (
        "const int i = blockIdx.x * 64 + threadIdx.x; if (i < n) { a[i] = 1; __syncthreads(); }",
        "const int i = blockIdx.x * 64 + threadIdx.x; if (i < n) { a[i] = 1; } __syncthreads();",
    ),
    (
        "int k = threadIdx.x; int m = k * 2; if (m > 3) a[0] = 1; else __syncthreads();",
        "int k = blockIdx.x; int m = k * 2; if (m > 3) a[0] = 1; else __syncthreads();",
    ),
    (
        "int f = 0; if (threadIdx.x == 1) f = 1; if (f) __syncthreads();",
        "int f = 0; if (blockIdx.x == 1) f = 1; if (f) __syncthreads();",
    ),
    (
        "if (a[0] > 0) __syncthreads(); a[1] = 2;",
        "if (b[0] > 0) __syncthreads(); a[1] = 2;",
    ),
    (
        "for (int t = 0; t < threadIdx.x; t++) __syncthreads();",
        "for (int t = 0; t < n; t++) __syncthreads();",
    ),
    (
        "for (int t = 0; t < n; t++) { if (a[t] > 0) break; __syncthreads(); } a[0] = 1;",
        "for (int t = 0; t < n; t++) { if (b[t] > 0) break; __syncthreads(); } a[0] = 1;",
    ),
    (
        "for (int t = 0; t < n; t++) { __syncthreads(); if (threadIdx.x == t) break; }",
        "for (int t = 0; t < n; t++) { __syncthreads(); if (blockIdx.x == t) break; }",
    ),
    (
        "for (int t = 0; t < n; t++) { if (threadIdx.x == t) continue; __syncthreads(); }",
        "for (int t = 0; t < n; t++) { if (threadIdx.x == t) a[t] = 1; __syncthreads(); }",
    ),
    (
        "if (threadIdx.x > 7) return; __syncthreads();",
        "if (blockIdx.x > 7) return; __syncthreads();",
    ),
    (
        "bool live = threadIdx.x < n; while (live) { __syncthreads(); live = false; }",
        "bool live = threadIdx.x < n; while (__syncthreads_or(live)) { __syncthreads(); live = \
         false; }",
    ),
    (
        "int t = 0; do { __syncthreads(); t++; } while (t < a[threadIdx.x]);",
        "int t = 0; do { __syncthreads(); t++; } while (t < b[0]);",
    ),
    (
        "switch (threadIdx.x) { case 1: __syncthreads(); break; }",
        "switch (n) { case 1: __syncthreads(); break; }",
    ),
    (
        "int h = 1; while (h < n) { if (threadIdx.x == 0) h *= 2; __syncthreads(); }",
        "int h = 1; while (h < n) { h *= 2; __syncthreads(); }",
    ),
    (
        "{ const int t = threadIdx.x; if (t < 5) { if (n > 3) { __syncthreads(); } } }",
        "{ const int t = threadIdx.x; a[t] = t; } { const int t = n; if (t < 5) { __syncthreads(); \
         } }",
    ),
    (
        "double s = threadIdx.x; if (threadIdx.x < 8) { s = accrs::reduce_block<accrs::Sum>(s); }",
        "double s = threadIdx.x; double sum = accrs::reduce_block<accrs::Sum>(s); if (sum > 0) \
         __syncthreads();",
    ),
    (
        "int s = threadIdx.x; while (s < 3) { s = 4; __syncthreads(); }",
        "int s = threadIdx.x; s = 0; while (s < 3) { s = accrs::reduce_block<accrs::Sum>(s); }",
    ),
    (
        "int s = 0; while (s < 3) { __syncthreads(); s = threadIdx.x; }",
        "int s = 0; while (s < 3) { s = threadIdx.x; s = accrs::reduce_block<accrs::Sum>(s); }",
    ),
    (
        "int s = threadIdx.x; if (n > 2) { s = 1; } if (s) __syncthreads();",
        "int s = threadIdx.x; if (n > 2) { s = 1; } else { s = 2; } if (s) __syncthreads();",
    ),
    (
        "int s = 0; for (int t = 0; t < n; t++) { s = threadIdx.x; if (t == 3) break; s = 0; } if (s) \
         __syncthreads();",
        "int s = 0; for (int t = 0; t < n; t++) { s = threadIdx.x; s = 0; if (t == 3) break; } if (s) \
         __syncthreads();",
    ),
    (
        "int s = 0; for (int t = 0; t < n; t++) { if (s) __syncthreads(); s = threadIdx.x; if (t == 3) \
         continue; s = 0; }",
        "int s = 0; for (int t = 0; t < n; t++) { if (s) __syncthreads(); s = threadIdx.x; s = t; if (t \
         == 3) continue; s = 0; }",
    ),
    (
        "int s = 0; if (n > 3) { s = threadIdx.x; goto end; } s = 1; end:; if (s) __syncthreads();",
        "int s = 0; if (n > 3) { s = 2; goto end; } s = threadIdx.x; s = 1; end:; if (s) \
         __syncthreads();",
    ),
    (
        "__shared__ int go; int own; if (threadIdx.x == 0) own = 1; if (own) __syncthreads();",
        "__shared__ int go; int own; if (threadIdx.x == 0) go = 1; __syncthreads(); own = go; if \
         (own) __syncthreads();",
    ),
];

#[test]
fn barriers_that_some_threads_miss_are_seen() {
    for (wrong, right) in TWINS {
        assert!(!found_in(wrong).is_empty(), "not seen: {wrong}");
        assert_eq!(found_in(right), Vec::<String>::new(), "{right}");
    }
}
