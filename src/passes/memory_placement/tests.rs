//! Which tables are copied, and what is said of arrays.

use super::{PlacementRequest, Space};
use crate::diagnostic::{Diagnostics, Severity, codes};
use crate::ir::builder::*;
use crate::ir::{Execution, Module};
use crate::passes::{Options, run};

/// `for (i = 0; i < trips; i++) for (k = 0; k < 9; k++) out[i] = taps[k];`
fn lookups(s: &mut Sample, trips: i128) -> Module {
    let (i, k) = (s.int("i"), s.int("k"));
    let out = s.array("out", &[1 << 30]);
    let taps = s.array("taps", &[9]);
    let inner = count(&k, 0, 9).body(vec![set(out.at([i.e()]), taps.at([k.e()]))]);
    let body = vec![count(&i, 0, trips).independent(&[]).body(vec![inner])];
    s.module(Execution::Redundant, body)
}

fn decide(s: &mut Sample, module: &mut Module, place: Option<&str>) -> Diagnostics {
    let mut diagnostics = Diagnostics::new();
    let places = place.map(|text| text.parse().expect("a request"));
    let options = Options {
        feedback: true,
        places: places.into_iter().collect(),
        ..Options::default()
    };
    run(module, &mut s.unit, &options, &mut diagnostics);
    diagnostics
}

fn notes(diagnostics: &Diagnostics) -> Vec<String> {
    let those = diagnostics
        .iter()
        .filter(|d| d.severity == Severity::Note && d.code == codes::MEMORY_PLACEMENT);
    those
        .map(|d| format!("{}: {}", d.message, d.notes.join("; ")))
        .collect()
}

#[test]
fn a_table_is_copied_where_a_launch_is_known_to_be_large() {
    let mut s = Sample::new();
    let mut module = lookups(&mut s, 100_000_000);
    let told = notes(&decide(&mut s, &mut module, None));
    assert_eq!(module.kernels[0].tables.len(), 1);
    assert_eq!(module.kernels[0].tables[0].bytes, 72);
    assert!(
        told.iter()
            .any(|note| note.contains("`taps` is read from constant memory: it pays")),
        "{told:?}"
    );
    let mut s = Sample::new();
    let mut module = lookups(&mut s, 1000);
    let told = notes(&decide(&mut s, &mut module, None));
    assert!(module.kernels[0].tables.is_empty());
    assert!(
        told.iter()
            .any(|note| note.contains("would pay from 6400000 threads on, and a launch has 1000")),
        "{told:?}"
    );
}

#[test]
fn requests_win() {
    let mut s = Sample::new();
    let mut module = lookups(&mut s, 1000);
    decide(&mut s, &mut module, Some("taps=constant"));
    assert_eq!(module.kernels[0].tables.len(), 1);
    let mut s = Sample::new();
    let mut module = lookups(&mut s, 100_000_000);
    decide(&mut s, &mut module, Some("taps=read-only"));
    assert!(module.kernels[0].tables.is_empty());
    assert_eq!(module.kernels[0].read_only.len(), 1);
    let mut s = Sample::new();
    let mut module = lookups(&mut s, 100_000_000);
    decide(&mut s, &mut module, Some("taps=global"));
    assert!(module.kernels[0].tables.is_empty());
    assert!(module.kernels[0].read_only.is_empty());
}

#[test]
fn what_is_written_stays() {
    let mut s = Sample::new();
    let mut module = lookups(&mut s, 1000);
    let diagnostics = decide(&mut s, &mut module, Some("out=constant"));
    let error = diagnostics.iter().find(|d| d.severity == Severity::Error);
    let error = error.expect("`out` is written");
    assert_eq!(error.code, codes::PLACEMENT_REFUSED);
    assert!(
        error.message.ends_with("the kernel writes it"),
        "{}",
        error.message
    );
}

#[test]
fn requests_have_a_form() {
    let parse = |text: &str| text.parse::<PlacementRequest>();
    let expected = PlacementRequest {
        array: "a".into(),
        space: Space::ReadOnly,
    };
    assert_eq!(parse("a=read-only"), Ok(expected));
    for wrong in ["a", "a=", "a=shared", "=constant"] {
        assert!(parse(wrong).is_err(), "{wrong}");
    }
}

/// `for (i) for (k = 0; k < n; k++) out[i] = in[k + 1] + in[k];`
fn along(s: &mut Sample) -> Module {
    let (i, k, n) = (s.int("i"), s.int("k"), s.value("n"));
    let (out, of) = (s.array("out", &[1000]), s.array("in", &[1000]));
    let sum = of.at([k.e() + 1]) + of.at([k.e()]);
    let inner = count(&k, 0, &n).body(vec![set(out.at([i.e()]), sum)]);
    let body = vec![count(&i, 0, 1000).independent(&[]).body(vec![inner])];
    s.module(Execution::Redundant, body)
}

#[test]
fn a_window_is_made_of_what_subscripts_need() {
    let mut s = Sample::new();
    let mut module = along(&mut s);
    decide(&mut s, &mut module, Some("in=window"));
    let windows = &module.kernels[0].windows;
    assert_eq!(windows.len(), 1);
    assert_eq!(windows[0].text, "in[k_first + 1:1:255]");
    assert!(windows[0].policy.fetch && !windows[0].policy.write_back);
    let mut s = Sample::new();
    let mut module = along(&mut s);
    decide(&mut s, &mut module, None);
    assert!(module.kernels[0].windows.is_empty());
}
