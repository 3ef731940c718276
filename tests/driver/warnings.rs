//! What is translated and warned of, and what is not accused.

use crate::Folder;

/// A function around a loop; what the loop uses are its parameters.
pub(super) fn function(code: &str) -> String {
    format!(
        "void f(int n, int m, double *restrict a, double *restrict b, const int *restrict x,\n\
         double c[64][64], double *restrict s)\n{{\n{code}\n}}\n"
    )
}

/// What `check` says of some code, a line for each message.
pub(super) fn said(code: &str, options: &str) -> String {
    let folder = Folder::with(&[("f.c", code)]);
    let output = folder.accrs(&format!("check --message-format short {options} f.c"));
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn what_a_construct_writes_and_does_not_bring_back() {
    let lost = "double f(void)\n{\n    double a[9] = {0};\n    KEPT\n    #pragma acc parallel loop copyin(a)\n    \
        for (int i = 0; i < 9; i++)\n        a[i] = BODY;\n    return a[0];\n}\n";
    let with = |kept: &str, body: &str| lost.replace("KEPT", kept).replace("BODY", body);
    assert!(said(&with("", "i"), "").contains("5:38: warning[A0470]"));
    for kept in [
        "#pragma acc enter data copyin(a)",
        "#pragma acc data copy(a)",
    ] {
        let said = said(&with(kept, "i"), "--feedback");
        assert!(!said.contains("A0470"), "{kept}\n{said}");
    }
    // What has ended is not around, and what comes later was not there.
    for ended in [
        "#pragma acc data copy(a)\n    { }",
        "#pragma acc data copyin(a)\n    {\n    #pragma acc update self(a)\n    }",
        "{\n    #pragma acc data copy(a)\n    a[0] = 1;\n    }",
    ] {
        let said = said(&with(ended, "i"), "");
        assert!(said.contains("warning[A0470]"), "{ended}\n{said}");
    }
    let later =
        "i;\n    #pragma acc enter data copyin(a)\n    #pragma acc exit data copyout(a)\n    ";
    assert!(said(&with("", later), "").contains("warning[A0470]"));
    // In the next iteration it is there.
    for (kept, end) in [
        ("for (int k = 0; k < 2; k++) {", "}"),
        ("again: ;", "if (a[0] > 1) goto again;"),
    ] {
        let more = format!("{later}{end}");
        let said = said(&with(kept, &more), "--feedback");
        assert!(!said.contains("A0470"), "{kept}\n{said}");
    }
    // Another function has it on the device while it calls this one.
    let shared = "static double a[9];\nstatic void g(void)\n{\n    #pragma acc parallel loop copyin(a)\n    \
        for (int i = 0; i < 9; i++)\n        a[i] = i;\n}\nvoid f(void)\n{\n    #pragma acc data copy(a)\n    g();\n}\n";
    assert!(!said(shared, "").contains("A0470"));
    let only_read = with("double b[9];", "0; (void)(b[i] = a[i])");
    let only_read = only_read.replace("a[i] = 0; (void)(b[i] = a[i])", "b[i] = a[i]");
    assert!(!said(&only_read, "").contains("A0470"));
    // Working memory of the construct.
    let used = with("int b[9];", "i, b[i] = a[8 - i]");
    assert!(!said(&used, "").contains("A0470"));
    // What comes later in `main` was not there, and what a file declares is.
    let global = "static double a[9];\nDECLARED\nint main(void)\n{\n    #pragma acc parallel loop copyin(a)\n    \
        for (int i = 0; i < 9; i++)\n        a[i] = i;\n    #pragma acc enter data copyin(a)\n    \
        #pragma acc exit data copyout(a)\n    return (int)a[1];\n}\n";
    let lost = said(&global.replace("DECLARED", ""), "");
    assert!(
        lost.contains("write `copy(a)` if the host needs it, `create(a)` if it does not"),
        "{lost}"
    );
    let declared = global.replace("DECLARED", "#pragma acc declare create(a)");
    assert!(!said(&declared, "").contains("A0470"));
    // The caller may have it on the device.
    let parameter = "void f(int n, double *a)\n{\n    #pragma acc parallel loop copyin(a[0:n])\n    \
        for (int i = 0; i < n; i++)\n        a[i] = i;\n}\n";
    assert!(!said(parameter, "").contains("A0470"));
    assert!(said(parameter, "--feedback").contains("note[A0470]"));
    // Of a pointer in it, the target is written.
    let deep = "struct grid { double *d, s; };\nvoid f(struct grid *h)\n{\n    #pragma acc parallel loop copyin(h[0:1]) \
        copy(h->d[0:200])\n    for (int i = 0; i < 200; i++)\n        h->d[i] *= 2;\n}\n";
    assert!(!said(deep, "--feedback").contains("A0470"));
    let member = deep.replace("*= 2;", "*= 2, h->s = 2;");
    assert!(said(&member, "--feedback").contains("note[A0470]"));
}

/// Scalars that are read after the construct that assigns them.
const LOST_SCALARS: &[&str] = &[
    "int k = 0;\n#pragma acc parallel loop\nfor (int i = 0; i < n; i++) if (a[i] == 7) k = 1;\nm += k;",
    "double t = 0;\n#pragma acc parallel copy(a[0:n])\n{ t = 5; a[0] = t; }\ns[0] = t;",
    "int t = m;\n#pragma acc serial copy(a[0:n])\n{ t = a[0]; }\ns[0] = t;",
    "int t = m;\nfor (int k = 0; k < 3; k++) {\n#pragma acc serial copy(a[0:n])\n{ a[0] = t++; }\n}",
    "int k = 0;\n#pragma acc parallel loop copyin(k)\nfor (int i = 0; i < n; i++) if (a[i] == 7) k = 1;\nm += k;",
    "double t = 0;\n#pragma acc parallel loop copyin(t) reduction(+:t)\nfor (int i = 0; i < n; i++) t += a[i];\ns[0] = t;",
    "int i;\n#pragma acc parallel loop\nfor (i = 0; i < n; i++) a[i] = i;\nm += i;",
    "int i = 3, k;\n#pragma acc parallel copy(a[0:n])\n{\n#pragma acc loop private(k)\nfor (i = 0; i < n; i++) for (k = 0; k < 2; k++) a[i] = k;\n}\nm += i;",
];

/// Scalars that clauses bring back, whose values are not needed, or of which that is not known.
const NOT_LOST: &[&str] = &[
    "int k = 0;\n#pragma acc parallel loop reduction(max:k)\nfor (int i = 0; i < n; i++) if (a[i] == 7) k = 1;\nm += k;",
    "int k = 0;\n#pragma acc parallel loop copy(k)\nfor (int i = 0; i < n; i++) if (a[i] == 7) k = 1;\nm += k;",
    "int k = 0;\n#pragma acc data copy(k)\n{\n#pragma acc parallel loop\nfor (int i = 0; i < n; i++) if (a[i] == 7) k = 1;\n}\nm += k;",
    "int k = 0;\n#pragma acc kernels\n{ k = 3; }\nm += k;",
    "int k = 0;\n#pragma acc data copy(k)\n{\n#pragma acc parallel loop copyin(k)\nfor (int i = 0; i < n; i++) if (a[i] == 7) k = 1;\n}\nm += k;",
    "int k = 0;\n#pragma acc parallel loop copyin(k)\nfor (int i = 0; i < n; i++) a[i] = k;\nm += k;",
    "int k = 0;\n#pragma acc parallel loop firstprivate(k)\nfor (int i = 0; i < n; i++) { k = i; a[i] = k; }\nm += k;",
    "int k;\n#pragma acc parallel loop private(k)\nfor (int i = 0; i < n; i++) { k = i; a[i] = k; }\nk = 0; m += k;",
    "double t;\nfor (int k = 0; k < 3; k++) {\n#pragma acc parallel loop\nfor (int i = 0; i < n; i++) { t = a[i]; a[i] = t * t; }\n}",
    "int i;\n#pragma acc parallel loop private(i)\nfor (i = 0; i < n; i++) a[i] = i;\nm += i;",
    "int i;\n#pragma acc parallel loop\nfor (i = 0; i < n; i++) a[i] = i;\ni = n; m += i;",
    "int i;\n#pragma acc parallel loop\nfor (i = 0; i < n; i++) a[i] = i;\nfor (i = 0; i < n; i++) a[i] += i;",
    "double t = 0;\n#pragma acc parallel loop\nfor (int i = 0; i < n; i++) t += a[i];\ns[0] = t;",
    "double t = 0;\n#pragma acc parallel loop\nfor (int i = 0; i < n; i++) { t = a[i]; a[i] = t * t; }\n__asm__ volatile(\"\");",
    "static int k;\n#pragma acc parallel loop\nfor (int i = 0; i < n; i++) if (a[i] == 7) k = 1;\nm += k;",
];

/// What each iteration hands on to the next one is none of a reduction.
#[test]
fn running_values_are_computed_in_order() {
    let code = "int k = 0;\n#pragma acc parallel loop CLAUSES\nfor (int i = 0; i < n; i++) { k += 2; a[i] = k; }\n\
        m += k;";
    let lost = said(&function(&code.replace("CLAUSES", "copy(a[0:n])")), "");
    let way = "note: each iteration uses what those before it made of `k`: write `seq` on the loop, and `copy(k)`";
    assert!(lost.contains(way), "{lost}");
    let right = said(
        &function(&code.replace("CLAUSES", "seq copy(a[0:n]) copy(k)")),
        "",
    );
    assert!(
        !right.contains("A0474") && !right.contains("A0475"),
        "{right}"
    );
}

#[test]
fn the_smallest_value_is_found_by_min() {
    let code = "double t = 9; int w = 0;\n#pragma acc parallel loop copyin(a[0:n])\n\
        for (int i = 0; i < n; i++) if (a[i] < t) { t = a[i]; w = i; }\ns[0] = t + w;";
    let lost = said(&function(code), "");
    assert!(lost.contains("write `reduction(min:t)`"), "{lost}");
}

#[test]
fn what_belongs_to_a_maximum_is_found_in_a_second_loop() {
    let code = "double t = 0; int w = 0;\n#pragma acc parallel loop reduction(max:t)CLAUSE\n\
        for (int i = 0; i < n; i++) if (a[i] > t) { t = a[i]; w = i; }\ns[0] = t + w;";
    let lost = said(&function(&code.replace("CLAUSE", "")), "");
    let way = "find `t` first, with `reduction(max:t)` and without `w`; then set `w` to what is larger than all it may \
               be, such as `INT_MAX`, and find it in a second loop, with `reduction(min:w)`, where `a[i] == t`";
    assert!(lost.contains("A0474") && lost.contains(way), "{lost}");
    assert!(!lost.contains("A0475"), "{lost}");
    for clause in [" copy(w)", " reduction(max:w)"] {
        let said = said(&function(&code.replace("CLAUSE", clause)), "");
        let message = "A0475]: `w` depends on what `t` is amid the reduction";
        assert!(said.contains(message), "{clause}\n{said}");
    }
    let private = code.replace("CLAUSE", " private(w)").replace("+ w", "");
    assert!(!said(&function(&private), "").contains("A0475"));
}

/// A pointer by itself in a clause of copies leads to the host's memory, or nowhere.
#[test]
fn copies_of_pointers_that_iterations_follow() {
    let code = "#include <stdlib.h>\ndouble f(int n, double *(*give)(void))\n{\n    double *p = GIVEN, b[9];\n    \
        #pragma acc parallel loop CLAUSE copyout(b)\n    for (int i = 0; i < 9; i++) {\n        SET\n        \
        b[i] = p[i];\n    }\n    return b[0];\n}\n";
    for (given, clause, set, expected) in [
        ("malloc(72)", "firstprivate(p)", "", "A0416"),
        ("give()", "firstprivate(p)", "", ""),
        ("malloc(72)", "copyin(p[0:9])", "", ""),
        ("malloc(72)", "private(p)", "", "A0475"),
        ("malloc(72)", "private(p[0:9])", "p[i] = 1;", ""),
    ] {
        let code = code
            .replace("GIVEN", given)
            .replace("CLAUSE", clause)
            .replace("SET", set);
        let said = said(&code, "");
        match expected {
            "" => assert!(
                !said.contains("A0416") && !said.contains("A0475"),
                "{code}\n{said}"
            ),
            _ => assert!(said.contains(expected), "{code}\n{said}"),
        }
    }
}

/// Fortran's and others' bounds are no lengths.
#[test]
fn lengths_of_cached_sections() {
    let with = |section: &str| {
        let code = format!(
            "#pragma acc parallel loop\nfor (int i = 1; i < n - 1; i++) {{\n#pragma acc cache({section})\n\
             a[i] = b[i - 1] + b[i + 1];\n}}"
        );
        said(&function(&code), "")
    };
    let wrong = with("b[i - 1:i + 1]");
    assert!(
        wrong.contains("warning[A0407]") && wrong.contains("write `[i - 1:3]`"),
        "{wrong}"
    );
    for right in ["b[i - 1:3]", "b[i:n]", "b[0:64]"] {
        assert!(!with(right).contains("A0407"), "{right}");
    }
}

#[test]
fn scalars_that_are_read_after_constructs_that_assign_them() {
    for code in LOST_SCALARS {
        let said = said(&function(code), "");
        assert_eq!(said.matches("warning[A0474]").count(), 1, "{code}\n{said}");
    }
    for code in NOT_LOST {
        let said = said(&function(code), "");
        assert!(!said.contains("A0474"), "{code}\n{said}");
    }
}

#[test]
fn what_kernels_of_a_data_region_write_and_nothing_brings_back() {
    let lost = "double f(void)\n{\n    double a[9] = {0}, b[9];\n    #pragma acc data copyin(a)\n    {\n\
        #pragma acc parallel loop\n    for (int i = 0; i < 9; i++)\n        a[i] = i;\n    MORE\n    }\n    \
        return a[0];\n}\n";
    assert!(said(&lost.replace("MORE", ""), "").contains("4:29: warning[A0470]"));
    for more in [
        "#pragma acc update self(a)",
        "#pragma acc parallel loop copyout(always: a)\n    for (int i = 0; i < 9; i++) a[i] = 2;",
        // Working memory.
        "#pragma acc parallel loop copyout(b)\n    for (int i = 0; i < 9; i++) b[i] = a[i];",
    ] {
        let said = said(&lost.replace("MORE", more), "");
        assert!(!said.contains("A0470"), "{more}\n{said}");
    }
}

#[test]
fn sections_that_are_longer_than_what_loops_touch() {
    let code = "static double a[400], b[400];\nvoid f(int n)\n{\n    KEPT\n    \
        #pragma acc parallel loop copyin(a[0:LENGTH]) copy(b)\n    \
        for (int i = 0; i < 100; i++)\n        b[i] = a[i];\n}\n";
    let with = |kept: &str, length: &str| code.replace("KEPT", kept).replace("LENGTH", length);
    let too_long = said(&with("", "400"), "");
    assert!(too_long.contains("5:38: warning[A0472]"), "{too_long}");
    assert!(too_long.contains("write `a[0:100]`"), "{too_long}");
    assert!(!said(&with("", "150"), "").contains("A0472"));
    // Data that is on the device before is not copied.
    let kept = with("#pragma acc enter data copyin(a)", "400");
    assert!(!said(&kept, "").contains("A0472"));
    assert!(said(&kept, "--feedback").contains("note[A0472]"));
    // Of a region, if all that uses the array there is in kernels.
    let region = "#pragma acc data copy(a[0:2 * n])\n{\nBEFORE\n#pragma acc parallel loop present(a)\n\
        for (int i = 0; i < n; i++) a[i] = i;\n}";
    for (before, is_said) in [
        ("", true),
        ("a[0] = 1;", false),
        ("n = m;", false),
        ("#pragma acc update self(a[n:n])", false),
        (
            "#pragma acc parallel loop\nfor (int i = 0; i < n; i++) a[x[i]] = 1;",
            false,
        ),
        (
            "#pragma acc parallel loop\nfor (int i = 0; i < n; i++) a[i + n] = 1;",
            false,
        ),
        (
            "#pragma acc parallel loop\nfor (int i = 0; i < n; i++) b[i] = 1;",
            true,
        ),
    ] {
        let said = said(&function(&region.replace("BEFORE", before)), "--feedback");
        assert_eq!(said.contains("A0472"), is_said, "{before}\n{said}");
    }
}

#[test]
fn pragmas_of_openmp_beside_those_of_openacc() {
    let inside = "#pragma acc parallel loop\nfor (int i = 0; i < n; i++) {\n#pragma omp simd\n\
        for (int j = 0; j < m; j++) a[i] += b[j];\n}";
    assert!(said(&function(inside), "").contains("warning[A0471]: `#pragma omp simd`"));
    let target =
        "#pragma omp target teams distribute parallel for\nfor (int i = 0; i < n; i++) a[i] = 1;";
    assert!(said(&function(target), "").contains("warning[A0471]: `#pragma omp target`"));
    let mapped = "#pragma omp target parallel for map(tofrom: a[0:n]) map(to: b[0:n])\n\
        for (int i = 0; i < n; i++) a[i] = b[i];";
    let help = "note: write `#pragma acc parallel loop copy(a[0:n]) copyin(b[0:n])`";
    let said_of_map = said(&function(mapped), "");
    assert!(said_of_map.contains(help), "{said_of_map}");
    let summed = "double sum = 0;\n#pragma omp target parallel for map(to: a[0:n]) reduction(+:sum)\n\
        for (int i = 0; i < n; i++) sum += a[i];";
    let help = "note: write `#pragma acc parallel loop copyin(a[0:n]) reduction(+:sum)`";
    assert!(said(&function(summed), "").contains(help));
    let two_lines = "#pragma omp target map(tofrom: a[0:n])\n#pragma omp parallel for collapse(1)\n\
        for (int i = 0; i < n; i++) a[i] = 1;";
    let help =
        "note: write `#pragma acc parallel loop copy(a[0:n]) collapse(1)` in place of both lines";
    assert!(said(&function(two_lines), "").contains(help));
    for (target, clauses) in [
        ("target", ""),
        ("target map(tofrom: a[0:n])", " copy(a[0:n])"),
    ] {
        let bare = format!("#pragma omp {target}\nfor (int i = 0; i < n; i++) a[i] = 1;");
        let help = format!(
            "note: write `#pragma acc parallel loop{clauses}`, or with `serial` if the iterations have to \
             follow each other"
        );
        let said = said(&function(&bare), "");
        assert!(said.contains(&help), "{said}");
    }
    let apart =
        "#pragma omp target\n{\n#pragma omp parallel for\nfor (int i = 0; i < n; i++) a[i] = 1;\n}";
    assert!(said(&function(apart), "").contains("note: write `#pragma acc parallel`"));
    for (pragma, line) in [
        (
            "target update to(a[0:n]) from(b[0:n])",
            "`#pragma omp target update` is not translated: nothing is copied\n\
             f.c:4:2: note: write `#pragma acc update device(a[0:n]) self(b[0:n])`",
        ),
        (
            "target enter data map(to: a[0:n]) if(n > 3) nowait",
            "`#pragma omp target enter data` is not translated: no data moves\n\
             f.c:4:2: note: write `#pragma acc enter data copyin(a[0:n]) if(n > 3) async`",
        ),
        (
            "target update from(a[0:n:2])",
            "note: write `#pragma acc update self(a[0:(n - 1) * 2 + 1])`; sections have no strides",
        ),
        (
            "declare target to(f)",
            "note: write `#pragma acc routine(f) seq`",
        ),
    ] {
        let said = said(&function(&format!("#pragma omp {pragma}")), "");
        assert!(said.contains(line), "{pragma}: {said}");
    }
    let critical =
        "#pragma acc parallel loop\nfor (int i = 0; i < n; i++)\n#pragma omp critical\ns[0] += i;";
    assert!(said(&function(critical), "").contains("write `#pragma acc atomic`"));
    let captured = critical.replace("critical\ns[0] += i;", "atomic capture\nm = s[0]++;");
    assert!(said(&function(&captured), "").contains("write `#pragma acc atomic capture`"));
    let on_host = "#pragma omp parallel for\nfor (int i = 0; i < n; i++) a[i] = 1;\n\
        #pragma acc parallel loop\nfor (int i = 0; i < n; i++) b[i] = 1;";
    assert!(!said(&function(on_host), "").contains("A0471"));
}

/// The host reads what the device has printed by the format alone.
#[test]
fn formats_of_printf_in_kernels() {
    let with = |call: &str| {
        let code = function(&format!(
            "#pragma acc parallel loop copyin(a[0:n])\nfor (int i = 0; i < n; i++)\n    {call};"
        ));
        said(&format!("#include <stdio.h>\n{code}"), "")
    };
    for (call, place, message) in [
        (
            r#"printf("%d\n", a[i])"#,
            "7:20",
            "`%d` takes an integer, and the argument is a floating-point number",
        ),
        (
            r#"printf("%s\n", i)"#,
            "7:20",
            "`%s` takes a pointer, and the argument is an integer",
        ),
        (
            r#"printf("%d %d\n", i)"#,
            "7:5",
            "the format takes 2 arguments, and the call has 1",
        ),
        (
            r#"printf("%u %g\n", sizeof i, i)"#,
            "7:23",
            "`%u` takes an `int`, and the argument is of type `unsigned long`",
        ),
        (
            r#"printf("%5ld\n", i)"#,
            "7:22",
            "`%5ld` takes a `long`, and the argument is of type `int`",
        ),
        (
            r#"printf("%y\n", i)"#,
            "7:5",
            "`%y` is no conversion of `printf`",
        ),
        (
            r#"printf("%d%n\n", i, (int *)x)"#,
            "7:5",
            "`printf` of a device knows no `%n`",
        ),
    ] {
        let said = with(call);
        let line = format!("f.c:{place}: warning[A0473]: {message}");
        assert!(said.lines().any(|own| own == line), "{call}\n{said}");
    }
    for call in [
        r#"printf("%d %5.*f %% %p\n", i, 3, a[i], (void *)x)"#,
        r#"printf("%zu %c %s\n", sizeof i, 'x', i > 1 ? "a" : "b")"#,
    ] {
        assert!(!with(call).contains("A0473"), "{call}");
    }
}

/// Directives before a loop, the loop, and what is said of it.
const SHORT_SECTIONS: &[(&str, &str, &str)] = &[
    (
        "parallel loop copyin(x[0:n]) copyout(y[0:n])",
        "for (int i = 0; i < n; i++) y[i] = x[i] + x[i + 1];",
        "`x[i + 1]` is outside of `x[0:n]`: it reaches `x[n]`",
    ),
    (
        "parallel loop copy(x[0:n])",
        "for (int i = n; i >= 0; i--) x[i] = i;",
        "`x[i]` is outside of `x[0:n]`: it reaches `x[n]`",
    ),
    (
        "parallel loop copy(x[0:n-1])",
        "for (size_t i = 0; i < n; i++) x[i] = i;",
        "`x[i]` is outside of `x[0:n - 1]`: it reaches `x[n - 1]`",
    ),
    (
        "parallel loop copy(x[0:100])",
        "for (int i = 0; i < 128; i += 3) x[i] = i;",
        "`x[i]` is outside of `x[0:100]`: it reaches `x[126]`",
    ),
    (
        "parallel loop copy(x[1:n])",
        "for (int i = 0; i < n; i++) x[i] = i;",
        "`x[i]` is outside of `x[1:n]`: it reaches `x[0]`",
    ),
    (
        "parallel loop copyin(x[1:n]) copyout(y[0:n])",
        "for (int i = 0; i < n; i++) y[i] = x[i];",
        "a section is `name[first:length]`: write `x[0:n]`, or access less",
    ),
    (
        "parallel loop copyin(x[1:n-2]) copyout(y[0:n])",
        "for (int i = 1; i < n - 1; i++) y[i] = x[i - 1] + x[i + 1];",
        "a section is `name[first:length]`: write `x[0:n]`, or access less",
    ),
    (
        "parallel loop copy(x[0-n])",
        "for (int i = 0; i < n; i++) x[i] = i;",
        "`x[0 - n]` is one element; a section is `name[first:length]`: write `x[0:n]`",
    ),
    (
        "parallel loop copy(x[n])",
        "for (int i = 0; i < n; i++) x[i] = i;",
        "`x[n]` is one element; a section is `name[first:length]`: write `x[0:n]`",
    ),
    (
        "parallel loop copy(x[0:n])",
        "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) x[i * n + j] = i;",
        "`x[i * n + j]` is outside of `x[0:n]`: it reaches `x[n * n - 1]`",
    ),
    (
        "data copy(x[0:n])",
        "{\n#pragma acc parallel loop\nfor (int i = 0; i <= n; i++) x[i] = i;\n}",
        "`x[i]` is outside of `x[0:n]`: it reaches `x[n]`",
    ),
    (
        "parallel loop copyin(starts[0:n]) copyout(x[0:n])",
        "for (int i = 0; i < n; i++) { x[i] = 0; for (int j = starts[i]; j < starts[i + 1]; j++) x[i]++; }",
        "`starts[i + 1]` is outside of `starts[0:n]`: it reaches `starts[n]`",
    ),
    (
        "parallel loop copy(ten)",
        "for (int i = 0; i < 20; i++) ten[i] = i;",
        "`ten[i]` is outside of `ten`: it reaches `ten[19]`",
    ),
];

/// The same of what is right, or right for some values.
const SECTIONS_THAT_MAY_DO: &[(&str, &str)] = &[
    (
        "parallel loop copy(x[0:n])",
        "for (int i = 0; i < n - 1; i++) x[i] = x[i + 1] + 1;",
    ),
    (
        "parallel loop copy(x[0:n])",
        "for (int i = 0; i < m; i++) x[i] = i;",
    ),
    (
        "parallel loop copy(x[0:n])",
        "for (int i = 0; i < n; i++) x[i < n - 1 ? i + 1 : 0] = i;",
    ),
    (
        "parallel loop copy(x[0:n])",
        "for (int i = 0; i < n; i++) if (i + 1 < n) x[i + 1] = i;",
    ),
    (
        "parallel loop copy(x[0:n])",
        "for (int i = 0; i < n; i++) { if (i == n - 1) continue; x[i + 1] = i; }",
    ),
    (
        "parallel loop copy(x[0:n])",
        "for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) x[j + 1] = i;",
    ),
    (
        "parallel loop copy(x[0:n])",
        "for (int i = 0; i < n; i++) x[(unsigned char)(i + 1)] = i;",
    ),
    (
        "parallel loop present(x[0:n])",
        "for (int i = 0; i <= n; i++) x[i] = i;",
    ),
    (
        "parallel loop copy(x[0:m])",
        "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) x[i * n + j] = i;",
    ),
    (
        "data copy(x[0:n + 1])",
        "{\n#pragma acc parallel loop copy(x[0:n])\nfor (int i = 0; i <= n; i++) x[i] = i;\n}",
    ),
    (
        "data copy(x[0:n])",
        "{ n--;\n#pragma acc parallel loop\nfor (int i = 0; i <= n; i++) x[i] = i;\n}",
    ),
];

#[test]
fn sections_that_loops_leave() {
    let with = |directive: &str, code: &str| {
        let code = format!(
            "#include <stddef.h>\nvoid f(int n, int m, float *restrict x, float *restrict y, \
             const int *restrict starts)\n{{\nfloat ten[10];\n#pragma acc {directive}\n{code}\n}}\n"
        );
        said(&code, "")
    };
    for (directive, code, message) in SHORT_SECTIONS {
        let said = with(directive, code);
        assert!(
            said.contains("A0458") && said.contains(message),
            "{code}\n{said}"
        );
    }
    for (directive, code) in SECTIONS_THAT_MAY_DO {
        let said = with(directive, code);
        assert!(!said.contains("A0458"), "{directive}\n{code}\n{said}");
    }
    // What a caller puts on the device may be more.
    let caller = "static void f(int n, float *x)\n{\n#pragma acc parallel loop copy(x[0:n])\n\
        for (int i = 0; i <= n; i++) x[i] = i;\n}\nvoid g(int n, float *x)\n{\n\
        #pragma acc data copy(x[0:n + 1])\nf(n, x);\n}\n";
    assert!(!said(caller, "").contains("A0458"));
}

/// Loops in `parallel` that each gang runs, and whether that is warned of.
#[test]
fn updates_that_each_gang_makes() {
    let updates = "for (int i = 0; i < n; i++) a[i] += 1;";
    for (directive, code, is_wrong) in [
        ("parallel copy(a[0:n])", updates, true),
        ("parallel num_gangs(32) copy(a[0:n])", updates, true),
        (
            "parallel copy(a[0:n])",
            "{ for (int i = 0; i < n; i++) a[i] = a[i] * 2; }",
            true,
        ),
        ("parallel num_gangs(1) copy(a[0:n])", updates, false),
        ("serial copy(a[0:n])", updates, false),
        ("parallel loop copy(a[0:n])", updates, false),
        (
            "parallel copy(a[0:n])",
            "for (int i = 0; i < n; i++) a[i] = i;",
            false,
        ),
        (
            "parallel copy(a[0:n])",
            "{ a[0] = 0; for (int i = 1; i < n; i++) a[0] += b[i]; }",
            false,
        ),
        (
            "parallel private(t)",
            "for (int i = 0; i < 8; i++) t[i] += 1;",
            false,
        ),
        (
            "parallel copy(a[0:n])",
            "for (int i = 0; i < m; i++) {\n#pragma acc loop\nfor (int j = 0; j < n; j++) a[j] += 1; }",
            false,
        ),
        (
            "parallel loop gang copy(a[0:n])",
            "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i] += j;",
            false,
        ),
    ] {
        let said = said(
            &function(&format!("double t[8];\n#pragma acc {directive}\n{code}")),
            "",
        );
        assert_eq!(
            said.contains("A0476"),
            is_wrong,
            "{directive}\n{code}\n{said}"
        );
    }
}

/// Clauses, the statements of a loop, and what is said of them.
#[test]
fn clauses_that_do_not_fit_what_loops_do() {
    for (clause, code, message) in [
        (
            "reduction(*:sum)",
            "sum += a[i];",
            "updates `sum` by `+`, and the clause combines by `*`",
        ),
        (
            "reduction(max:sum)",
            "if (a[i] < sum) sum = a[i];",
            "updates `sum` by `min`",
        ),
        (
            "reduction(+:sum)",
            "sum = sum * 2 + a[i];",
            "what `sum` was is multiplied here",
        ),
        (
            "reduction(+:sum)",
            "sum = a[i] + (b[i] - sum) / 2;",
            "what `sum` was is multiplied here",
        ),
        (
            "reduction(+:sum)",
            "sum += a[i]; b[i] = sum;",
            "`b[i]` depends on what `sum` is",
        ),
        (
            "reduction(+:k)",
            "b[k++] = a[i];",
            "`b[k++]` depends on what `k` is",
        ),
        (
            "reduction(max:k)",
            "if (a[i] > 0) b[k++] = a[i];",
            "the place `b[k++]` depends on what `k` is amid the reduction",
        ),
        (
            "private(sum)",
            "sum += a[i];",
            "each iteration has a `sum` of its own",
        ),
        (
            "private(sum)",
            "b[i] = sum * i;",
            "`sum` is private, and has no value here",
        ),
        (
            "reduction(+:sum)",
            "sum = a[i] - sum;",
            "what `sum` was is subtracted here, and the clause adds up",
        ),
        (
            "reduction(+:sum)",
            "sum = 0; sum += a[i];",
            "what `sum` was is lost here, and the clause adds up",
        ),
        (
            "reduction(*:sum)",
            "if (a[i] > 2) sum = a[i];",
            "what `sum` was is lost here, and the clause multiplies",
        ),
        ("private(sum)", "sum = a[i]; b[i] = sum;", ""),
        (
            "reduction(+:sum)",
            "const double next = sum + a[i]; sum = next;",
            "",
        ),
        ("reduction(+:sum)", "sum += a[i]; sum -= b[i];", ""),
        ("reduction(+:sum)", "sum = (sum + a[i]) + b[i];", ""),
        ("reduction(max:sum)", "if (a[i] > sum) { sum = a[i]; }", ""),
        ("reduction(|:k)", "k |= a[i] > 0;", ""),
        ("reduction(+:k)", "k |= a[i] > 0;", ""),
        ("reduction(+:sum)", "sum = 0; sum += a[i]; b[i] = sum;", ""),
        (
            "reduction(+:sum)",
            "sum += a[i]; if (sum > 1e30) b[0] = 1;",
            "",
        ),
        (
            "private(sum)",
            "sum = 0; for (int j = 0; j < m; j++) sum += a[j]; b[i] = sum;",
            "",
        ),
        ("seq", "sum += a[i]; b[i] = sum;", ""),
    ] {
        let code = format!(
            "double sum = 1;\nint k = 0;\n#pragma acc parallel loop {clause} copyin(a[0:n]) \
             copy(b[0:n])\nfor (int i = 0; i < n; i++) {{ {code} }}\ns[0] = sum + k;"
        );
        let said = said(&function(&code), "");
        match message {
            "" => assert!(!said.contains("A0475"), "{code}\n{said}"),
            _ => assert!(
                said.contains("A0475") && said.contains(message),
                "{code}\n{said}"
            ),
        }
    }
}

/// Elements that all iterations of a parallel loop write.
#[test]
fn elements_that_all_iterations_write() {
    for (code, message) in [
        ("a[0] = i;", "A0469"),
        ("a[3] = b[i];", "A0469"),
        ("b[k++] = a[i];", "A0469"),
        ("b[k] = a[i]; k++;", "A0469"),
        (
            "for (int j = 0; j < 4; j++) t[j] = a[4 * i + j]; for (int j = 0; j < 4; j++) a[4 * i + j] = t[3 - j];",
            "A0469",
        ),
        ("a[0] = 5;", ""),
        (
            "int slot;\n#pragma acc atomic capture\nslot = x2[0]++;\nb[slot] = a[i];",
            "",
        ),
        ("if (b[i] > 0) a[0] = i;", ""),
        ("for (int j = 0; j < 4; j++) t[j] = j; b[i] = t[3];", ""),
        ("int k2 = k; b[k2] = 1;", ""),
        ("k = 4 * i; b[k++] = 1; b[k++] = 2;", ""),
    ] {
        let code = format!(
            "double t[8];\nint k = 0, x2[1] = {{0}};\n#pragma acc parallel loop\nfor (int i = 0; i < n; i++) {{ {code} }}"
        );
        let said = said(&function(&code), "");
        match message {
            "" => assert!(!said.contains("A0469"), "{code}\n{said}"),
            _ => assert!(said.contains(message), "{code}\n{said}"),
        }
    }
    let copied = "double t[4];\n#pragma acc parallel loop\nfor (int i = 0; i < n; i++) {\n\
        for (int j = 0; j < 4; j++) t[j] = a[4 * i + j];\nfor (int j = 0; j < 4; j++) a[4 * i + j] = t[j]; }";
    assert!(said(&function(copied), "").contains("name `t` in `private`"));
}

/// A section of a member needs its structure on the device.
#[test]
fn sections_of_members_without_their_structure() {
    let with = |before: &str, clause: &str| {
        format!(
            "typedef struct {{ int n; double *x; }} vec;\nvoid f(vec *v)\n{{\n{before}\n\
             #pragma acc parallel loop {clause}copy(v->x[0:v->n])\n\
             for (int i = 0; i < v->n; i++) v->x[i] *= 2;\n}}\n"
        )
    };
    let said_of = |before, clause| said(&with(before, clause), "");
    let plain = said_of("", "");
    assert!(
        plain.contains("5:32: warning[A0427]") && plain.contains("write `copyin(v[0:1])`"),
        "{plain}"
    );
    assert!(!said_of("", "copyin(v[0:1]) ").contains("A0427"));
    assert!(!said_of("#pragma acc enter data copyin(v[0:1])", "").contains("A0427"));
}
