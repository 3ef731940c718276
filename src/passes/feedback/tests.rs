//! The notes of `--feedback`.

use crate::diagnostic::{Diagnostics, Severity, codes};
use crate::ir::Execution;
use crate::ir::builder::*;
use crate::passes::{Options, run};

#[test]
fn each_loop_gets_a_note_with_its_level_dimensions_block_and_reason() {
    let mut s = Sample::new();
    let (i, j, n) = (s.int("i"), s.int("j"), s.value("n"));
    let a = s.array("a", &[100, 100]);
    let previous = a.at([i.e(), j.e() - 1]);
    let inner = count(&j, 1, &n).body(vec![set(a.at([i.e(), j.e()]), previous)]);
    let body = vec![count(&i, 0, &n).body(vec![inner])];
    let mut module = s.module(Execution::Automatic, body);
    let mut diagnostics = Diagnostics::new();
    run(
        &mut module,
        &mut s.unit,
        &Options {
            feedback: true,
            ..Options::default()
        },
        &mut diagnostics,
    );
    let notes: Vec<(String, String)> = diagnostics
        .iter()
        .filter(|d| d.severity == Severity::Note && d.code == codes::LOOP_MAPPING)
        .map(|d| (d.message.clone(), d.notes.join("; ")))
        .collect();
    let expected = [
        (
            "loop over `i` is block lane: blockIdx.x, threadIdx.x, block at most 256 x 1 x 1",
            "parallel: its iterations are independent",
        ),
        (
            "loop over `j` runs within each thread",
            "sequential: the next iteration reads as `a[i][j - 1]` what was written as `a[i][j]`",
        ),
    ];
    let expected: Vec<(String, String)> = expected
        .iter()
        .map(|(message, note)| (message.to_string(), note.to_string()))
        .collect();
    assert_eq!(notes, expected);
}
