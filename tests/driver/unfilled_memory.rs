//! A0477: memory on the device that kernels only read.

use crate::warnings::said;

#[test]
fn what_kernels_read_and_nothing_brings_to_the_device() {
    let with = |before: &str, clause: &str, within: &str| {
        format!(
            "void fill(double *);\nstatic double b[9];\nstatic void set(void)\n{{\n    \
             #pragma acc parallel loop present(b)\n    for (int i = 0; i < 9; i++)\n        b[i] = i;\n}}\n\
             #pragma acc routine seq\nstatic void one(double *c, int i)\n{{\n    c[i] = i;\n}}\n\
             double f(void)\n{{\n    double a[9] = {{0}}, s = 0;\n    {before}\n    #pragma acc data {clause}\n    {{\n    \
             {within}\n    #pragma acc parallel loop reduction(+:s)\n    for (int i = 0; i < 9; i++)\n        \
             s += a[i];\n    }}\n    return s;\n}}\n"
        )
    };
    for clause in ["create(a)", "copyout(a)", "create(a[0:9])"] {
        let said = said(&with("a[2] = 1;", clause, "a[3] = 2;"), "");
        assert!(said.contains("warning[A0477]"), "{clause}\n{said}");
    }
    let loops =
        |body: &str| format!("#pragma acc parallel loop\n for (int i = 0; i < 9; i++) {body}");
    let one = loops("one(a, i);");
    let written = loops("a[i] = i;");
    let atomic = loops("{\n#pragma acc atomic\na[i / 2] += 1;\n}");
    for (before, clause, within) in [
        ("", "copyin(a)", ""),
        ("", "copy(a)", ""),
        ("", "create(zero: a)", ""),
        ("", "create(a)", "#pragma acc update device(a)"),
        ("", "create(a)", "#pragma acc update device(a[0:9])"),
        ("", "create(a)", "#pragma acc enter data copyin(always: a)"),
        (
            "",
            "create(a)",
            "#pragma acc host_data use_device(a)\n    { }",
        ),
        (
            "",
            "create(a)",
            "#pragma acc data copyin(always: a)\n    { }",
        ),
        ("", "create(a)", written.as_str()),
        ("", "create(a)", one.as_str()),
        ("", "create(a)", atomic.as_str()),
        ("", "create(a)", "fill(a);"),
        (
            "double *p = a;",
            "create(a)",
            "#pragma acc parallel loop present(p[0:9])\n for (int i = 0; i < 9; i++) p[i] = i;",
        ),
        ("#pragma acc enter data copyin(a)", "create(a)", ""),
    ] {
        let said = said(&with(before, clause, within), "");
        assert!(!said.contains("A0477"), "{clause} {within}\n{said}");
    }
    let global = |within: &str| with("", "create(b)", within).replace("s += a[i]", "s += b[i]");
    assert!(!said(&global("set();"), "").contains("A0477"));
    // The caller may have it on the device.
    let parameter = "void f(int n, double *restrict a, double *restrict b)\n{\n    \
        #pragma acc parallel loop create(b[0:n]) copy(a[0:n])\n    for (int i = 0; i < n; i++)\n        a[i] = b[i];\n}\n";
    assert!(!said(parameter, "").contains("A0477"));
    assert!(said(parameter, "--feedback").contains("note[A0477]"));
}
