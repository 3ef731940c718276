//! What is written for spans, and where.

use std::path::Path;

use super::*;
use crate::diagnostic::Diagnostics;
use crate::source::{Preprocessor, SourceFile};

const SOURCE: &str = "int first;
#define N 64
#define IDX(i, j) ((i) * N + (j))
#define F(f, q, x) (f)[(q) * N + (x)]
#define AT(i) a[i]
#define G(f, i) (((f)[(i) + 1]))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
void g(double *a, double *b, int q, int x)
{
    F(b, q, x) += F(a, x, q) * 2;
    b[q * N + x] += AT(x * N) + AT(q);
    b[q] = MAX(b[q], a[IDX(q - 1, x)]);
    G(b, q) = -G(a, x);
}
";

/// What is written for a piece of the text, of several like it the n-th, and what is underlined.
fn written(piece: &str, n: usize) -> (Option<String>, String) {
    let preprocessor = Preprocessor {
        compiler: Some("cc".into()),
        arguments: Vec::new(),
    };
    let file = SourceFile::new(Path::new("a.c"), SOURCE.into());
    let mut diagnostics = Diagnostics::new();
    let unit = TranslationUnit::preprocess(file, &preprocessor, &["acc"], &mut diagnostics);
    let at = unit.text.match_indices(piece).nth(n).unwrap().0;
    let span = Span::new(at as u32, (at + piece.len()) as u32);
    let known = unit.alignment(vec![Span::new(0, unit.text.len() as u32)]);
    let range = unit.original_range(span).unwrap();
    (unit.spelling(&known, span), SOURCE[range].to_owned())
}

#[test]
fn code_is_as_the_user_wrote_it() {
    for (piece, n, spelled) in [
        ("(b)[(q) * 64 + (x)]", 0, "F(b, q, x)"),
        ("(a)[(x) * 64 + (q)]", 0, "F(a, x, q)"),
        ("b[q * 64 + x]", 0, "b[q * N + x]"),
        ("a[x * 64]", 0, "AT(x * N)"),
        ("a[q]", 0, "AT(q)"),
        // Parentheses around it are no other code.
        ("(b)[(q) + 1]", 0, "G(b, q)"),
        ("((a)[(x) + 1])", 0, "G(a, x)"),
        ("b[q]", 0, "b[q]"),
        // In the condition and in the value.
        ("a[((q - 1) * 64 + (x))]", 0, "a[IDX(q - 1, x)]"),
        ("a[((q - 1) * 64 + (x))]", 1, "a[IDX(q - 1, x)]"),
    ] {
        let (text, place) = written(piece, n);
        assert_eq!(text.as_deref(), Some(spelled), "{piece} {n}");
        assert_eq!(place, spelled, "{piece} {n}");
    }
}

#[test]
fn what_a_call_makes_in_part_is_the_call() {
    let (text, place) = written("(q) * 64", 0);
    assert_eq!((text, place.as_str()), (None, "F(b, q, x)"));
}
