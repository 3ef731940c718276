//! The tests' own instruments: a comparison that cannot fail, or a scanner that finds nothing,
//! would make every other test worthless.

#![allow(clippy::unwrap_used, reason = "a test that fails says where")]

mod support;

use support::compare::{Tolerance, outputs};
use support::regions::{host_text, host_text_kept, regions};

const THREE_ULP: Tolerance = Tolerance::Ulp { count: 3, bits: 24 };

#[test]
fn equal_outputs_are_equal() {
    assert_eq!(
        outputs("1 0x1.8p+1\n", "1 0x1.8p+1\n", Tolerance::Exact),
        Ok(())
    );
}

#[test]
fn one_bit_is_a_difference() {
    let difference = outputs("0x1.8p+1\n", "0x1.80001p+1\n", Tolerance::Exact).unwrap_err();
    assert!(difference.contains("`0x1.8p+1` expected"), "{difference}");
    assert!(outputs("0x0p+0\n", "-0x0p+0\n", Tolerance::Exact).is_err());
    assert!(outputs("12\n", "13\n", THREE_ULP).is_err());
}

#[test]
fn missing_or_added_values_are_a_difference() {
    for (expected, actual) in [
        ("1\n2\n", "1\n"),
        ("1\n", "1\n2\n"),
        ("1 2\n", "1\n"),
        ("1\n", ""),
    ] {
        assert!(
            outputs(expected, actual, Tolerance::Exact).is_err(),
            "{expected:?} {actual:?}"
        );
    }
}

#[test]
fn an_oracle_that_prints_nothing_fails() {
    assert!(outputs("", "", Tolerance::Exact).is_err());
}

#[test]
fn nan_equals_nothing() {
    for nan in ["nan", "-nan", "NaN", "-nan(0x1)"] {
        assert!(outputs(nan, nan, THREE_ULP).is_err(), "{nan}");
    }
}

#[test]
fn the_bound_is_counted_in_the_stated_format() {
    // One unit of float at 1.0 is 0x1p-23.
    assert_eq!(outputs("0x1p+0", "0x1.000006p+0", THREE_ULP), Ok(()));
    assert!(outputs("0x1p+0", "0x1.000008p+0", THREE_ULP).is_err());
    assert!(outputs("0x1p+0", "-0x1p+0", THREE_ULP).is_err());
    let double = Tolerance::Ulp { count: 3, bits: 53 };
    assert!(outputs("0x1p+0", "0x1.000002p+0", double).is_err());
    assert_eq!(outputs("0x1p-1074", "0x1p-1074", double), Ok(()));
    assert!(outputs("0x1p-1074", "0x1p-1073", Tolerance::Exact).is_err());
}

#[test]
fn a_tolerance_needs_its_reason() {
    let stated = "4 ulp of float because three additions of positive terms come in another order";
    assert_eq!(
        Tolerance::parse(stated),
        Ok(Tolerance::Ulp { count: 4, bits: 24 })
    );
    for malformed in [
        "4 ulp of float",
        "4 ulp because of much",
        "0.1 because it is small enough",
    ] {
        assert!(Tolerance::parse(malformed).is_err(), "{malformed}");
    }
}

const PROGRAM: &str = r##"/* #pragma acc parallel */
int f(int n, int *a)
{
    char *text = "#pragma acc parallel {";
#pragma acc data \
    copy(a[0:n]) // comment }
    {
        #pragma acc parallel loop
        for (int i = 0; i < n; i++) {
            #pragma acc loop seq
            for (;;) { if ('}') break; else continue; }
        }
        n++;
    }
    if (n) a[0] = 1; else
    # pragma acc kernels
    if (a[0]) a[1] = 2; else if (a[2]) { a[1] = 3; }
    return n;
}
"##;

#[test]
fn directives_are_found_and_nothing_else() {
    let found = regions(PROGRAM);
    let starts: Vec<&str> = found
        .iter()
        .map(|r| PROGRAM[r.directive.clone()].trim())
        .collect();
    assert_eq!(
        starts,
        [
            "#pragma acc data \\\n    copy(a[0:n]) // comment }",
            "#pragma acc parallel loop",
            "# pragma acc kernels"
        ]
    );
    let block = &PROGRAM[found[0].block.clone().unwrap()];
    assert!(
        block.starts_with('{') && block.ends_with("n++;\n    }"),
        "{block}"
    );
    let parallel = &PROGRAM[found[1].compute.clone().unwrap()];
    assert!(parallel.ends_with("continue; }\n        }"), "{parallel}");
    let kernels = &PROGRAM[found[2].compute.clone().unwrap()];
    assert!(kernels.ends_with("{ a[1] = 3; }"), "{kernels}");
}

#[test]
fn changed_host_text_is_found() {
    let pieces = host_text(PROGRAM, &[]);
    assert!(pieces.concat().contains("n++;") && !pieces.concat().contains("seq"));
    let mut translated = pieces.join("accrs_begin();\n");
    assert_eq!(host_text_kept(&pieces, &translated), Ok(()));
    translated = translated.replace("        n++;", "        n ++;");
    assert!(
        host_text_kept(&pieces, &translated)
            .unwrap_err()
            .contains("n++;")
    );
}

#[test]
fn replaced_lines_are_cut_by_number() {
    assert_eq!(host_text("a\nb\nc\nd\n", &[2..=3]), ["a\n", "d\n"]);
}
