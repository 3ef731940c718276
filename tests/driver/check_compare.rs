//! `accrs check --compare`: results on the device that are not those of the host, and right programs.

use super::{Folder, text};

const PROGRAM: &str = include_str!("compare/program.c");

fn checked(arguments: &str) -> (Option<i32>, String) {
    let folder = Folder::with(&[("program.c", PROGRAM)]);
    let output = folder.accrs(&format!("check --compare program.c {arguments}"));
    (output.status.code(), text(&output))
}

/// The place of the construct with this comment, as a diagnostic has it.
fn place(comment: &str) -> String {
    let is_there = |line: &&str| line.contains(&format!("/* {comment} */"));
    let line = PROGRAM.lines().position(|line| is_there(&line));
    format!("program.c:{}:", line.expect("a construct has it") + 1)
}

/// A mistake is an error at a construct, with these words.
fn found(arguments: &str, comment: &str, words: &[&str]) {
    let (code, said) = checked(arguments);
    assert_eq!(code, Some(1), "{said}");
    for words in [&["error[A0733]", &place(comment)], words].concat() {
        assert!(said.contains(words), "no {words}:\n{said}");
    }
}

#[test]
fn right_results_say_nothing() {
    let (code, said) = checked("");
    assert_eq!((code, said.lines().count()), (Some(0), 3), "{said}");
}

#[test]
fn a_missing_update_of_the_device_is_found() {
    let words = [
        "`b` has another value",
        "element 17 is 6.",
        "and 10 on the host",
        "1 of 1000 elements differs",
        "has found a difference in `a` already: element 17 is",
    ];
    found("-DMISTAKE=1", "twice", &words);
}

#[test]
fn a_missing_update_of_the_host_is_found() {
    let words = [
        "`b` has",
        "element 0 is",
        "1000 of 1000 elements differ",
        "`a` already: element 3 is",
    ];
    found("-DMISTAKE=2", "from host", &words);
}

#[test]
fn a_shared_temporary_is_found_in_another_order() {
    let words = [
        "`shared`",
        "element 1 is 0 on the device and 999 on the host",
        "in reverse",
    ];
    found("-DMISTAKE=3", "temporary", &words);
    let (code, said) = checked("-DMISTAKE=3 --allow differs=shared");
    assert_eq!(code, Some(0), "{said}");
}

#[test]
fn a_sum_without_reduction_is_found() {
    let words = ["after this `parallel loop`, `top` is ", "998 on the host"];
    found("-DMISTAKE=4", "no reduction", &words);
}

#[test]
fn one_wrong_element_is_found() {
    found(
        "-DMISTAKE=5",
        "off by one",
        &["element 41 is", "1 of 1000 elements differs"],
    );
}

#[test]
fn runs_that_take_other_ways_are_found() {
    let (code, said) = checked("-DMISTAKE=6");
    assert_eq!(code, Some(1), "{said}");
    let words = "the program runs other constructs on the device than on the host";
    assert!(said.contains(words), "{said}");
    assert!(
        said.contains("the host runs this `parallel loop` next"),
        "{said}"
    );
}

#[test]
fn what_the_host_alone_reads_shows_in_the_output() {
    let (code, said) = checked("-DMISTAKE=7");
    assert_eq!(code, Some(0), "{said}");
    let words = ["warning[A0733]", "line 3 is `", "on the device and `"];
    assert!(words.iter().all(|words| said.contains(words)), "{said}");
}

#[test]
fn floating_point_has_a_tolerance() {
    found(
        "--tolerance 0",
        "sum",
        &["after this `parallel loop`, `s` is"],
    );
    let (code, said) = checked("--tolerance 1e-3,0");
    assert_eq!(code, Some(0), "{said}");
}

#[test]
fn members_and_rows_are_named() {
    let program = |code: &str| {
        format!(
            "#include <openacc.h>\n#include <stdlib.h>\n\
             struct cell {{ char kind; struct {{ short s[2]; int *to; }} in; double at; }};\n\
             int main(void)\n{{\n    static struct cell c[9];\n    float *r[3];\n    \
             for (int i = 0; i < 3; i++)\n        r[i] = calloc(5, sizeof(float));\n    \
             const int n = 4;\n    #pragma acc parallel loop copy(c, r[0:3][0:5])\n    \
             for (int i = 0; i < 3; i++) {{\n        \
             int off = i == 1 && acc_on_device(acc_device_not_host);\n        {code}\n    }}\n    \
             return c[0].kind + n - 4;\n}}\n"
        )
    };
    for (code, expected) in [
        (
            "c[i].at = i; c[i].in.s[1] = -3 - off;",
            "member `in.s[1]` of element 1 is -4 on the device and -3 on the host",
        ),
        (
            "r[i][2] = 0.0f / (i - 1 + off);",
            "element 2 of row 1 is 0 on the device and NaN on the host",
        ),
    ] {
        let folder = Folder::with(&[("named.c", &program(code))]);
        let said = text(&folder.accrs("check --compare named.c"));
        assert!(said.contains(expected), "{said}");
    }
}

/// A program whose constructs keep values in windows has nothing to compare.
#[test]
fn what_is_not_compared_is_said() {
    let source = "int main(void)\n{\n    static int a[64];\n    \
                  #pragma acc kernels copy(a)\n    #pragma acc loop independent vector(32)\n    \
                  for (int i = 0; i < 64; i++) {\n        \
                  #pragma acc fcw FETCH_CHANNEL(a[i:0:0])\n        a[i] += 1;\n    }\n    \
                  return 0;\n}\n";
    let folder = Folder::with(&[("kept.c", source)]);
    let output = folder.accrs("check --compare --message-format short kept.c");
    let said = text(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    for words in [
        "kept.c:4:",
        "note[A0733]: the results of this construct are not compared",
        "nothing is compared",
    ] {
        assert!(said.contains(words), "{said}");
    }
}
