//! Generated kernels are as short as a person's: at most 1.5 times the tokens of hand-written ones.
//!
//! The hand-written kernels are in `tests/handwritten/`, each accepted by nvcc; comments do not
//! count.

#![allow(clippy::unwrap_used, reason = "a test that fails says where")]

mod support;

use std::path::Path;

use support::process::{command, succeed};
use support::{accrs, nvcc, read, root};

/// The most tokens of a generated kernel for each ten of the hand-written one.
const MOST_PER_TEN: usize = 15;

/// The operators of more than one character that CUDA C++ has.
const OPERATORS: &[&str] = &[
    "<<=", ">>=", "...", "::", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
    "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=",
];

/// The tokens of a text without its comments.
fn tokens(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let length = if rest.starts_with("//") {
            rest = rest.find('\n').map_or("", |end| rest[end..].trim_start());
            continue;
        } else if rest.starts_with("/*") {
            rest = rest
                .split_once("*/")
                .map_or("", |(_, after)| after.trim_start());
            continue;
        } else if first.is_ascii_digit() {
            rest.find(|c: char| !word(c) && c != '.')
                .unwrap_or(rest.len())
        } else if word(first) {
            rest.find(|c: char| !word(c)).unwrap_or(rest.len())
        } else {
            let operator = OPERATORS
                .iter()
                .find(|operator| rest.starts_with(**operator));
            operator.map_or(first.len_utf8(), |operator| operator.len())
        };
        found.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    found
}

/// How many tokens the kernels of a file have: from each `__global__` to its closing brace.
fn kernel_tokens(text: &str) -> usize {
    let (mut count, mut depth, mut inside) = (0, 0, false);
    for token in tokens(text) {
        inside |= token == "__global__";
        count += usize::from(inside);
        match token {
            "{" if inside => depth += 1,
            "}" if inside => {
                depth -= 1;
                inside = depth > 0;
            }
            _ => {}
        }
    }
    count
}

#[track_caller]
fn short_enough(source: &str, handwritten: &str) {
    let folder = tempfile::tempdir().unwrap();
    let source = root().join(source);
    let stem = source.file_stem().unwrap().to_str().unwrap();
    let mut translate = command(accrs());
    translate
        .arg("translate")
        .arg(&source)
        .arg("-o")
        .arg(folder.path());
    succeed(&mut translate).unwrap();
    let generated = read(&folder.path().join(format!("{stem}.acc.cu"))).unwrap();
    let by_hand: &Path = &root().join("tests/handwritten").join(handwritten);
    nvcc::compile(
        by_hand,
        &folder.path().join("by_hand.o"),
        nvcc::ALL_ARCHITECTURES,
    )
    .unwrap();
    let (ours, theirs) = (
        kernel_tokens(&generated),
        kernel_tokens(&read(by_hand).unwrap()),
    );
    assert!(
        theirs > 20 && ours > 20,
        "{theirs} and {ours} tokens: kernels were not found"
    );
    assert!(
        ours * 10 <= theirs * MOST_PER_TEN,
        "{ours} tokens, by hand {theirs}\n{generated}"
    );
}

#[test]
fn tokens_are_counted() {
    let text =
        "int f; // x\n__global__ void k(int *a) /* y z */ { if (a[0] >= 1.5e3f) { a++; } } int g;";
    assert_eq!(tokens(text)[..3], ["int", "f", ";"]);
    let kernel = "__global__ void k ( int * a ) { if ( a [ 0 ] >= 1.5e3f ) { a ++ ; } }";
    assert_eq!(kernel_tokens(text), kernel.split(' ').count());
    assert_eq!(kernel_tokens("void f() { }"), 0);
}

#[test]
fn saxpy() {
    short_enough("tests/fixtures/loops/saxpy.c", "saxpy.cu");
}

#[test]
fn matrix_multiplication() {
    short_enough(
        "tests/fixtures/nests/matrix_multiplication.c",
        "matrix_multiplication.cu",
    );
}

#[test]
fn hotspot() {
    short_enough("benchmarks/hotspot/hotspot.c", "hotspot.cu");
}
