//! The IR of constructs, as snapshots, and the points that matter in each.

use super::{function, ir};

/// The lines of the IR that contain a word.
fn lines_with(ir: &str, word: &str) -> Vec<String> {
    ir.lines()
        .filter(|line| line.contains(word))
        .map(|line| line.trim().to_string())
        .collect()
}

/// The line of the only kernel's captures.
fn captures(text: &str) -> String {
    lines_with(&ir(&function(text)), "captures").join("; ")
}

/// The data items.
fn data(text: &str) -> Vec<String> {
    lines_with(&ir(&function(text)), "data ")
        .into_iter()
        .filter(|line| line.starts_with("data "))
        .collect()
}

/// The headers of counted loops.
fn loops(text: &str) -> Vec<String> {
    lines_with(&ir(&function(text)), "loop ")
        .into_iter()
        .filter(|line| line.starts_with("loop ") && !line.contains("in f"))
        .collect()
}

#[test]
fn saxpy() {
    insta::assert_snapshot!(ir(
        "void saxpy(int n, float a, const float *restrict x, float *restrict y)
        {
            #pragma acc parallel loop copyin(x[0:n]) copy(y[0:n])
            for (int i = 0; i < n; i++)
                y[i] = a * x[i] + y[i];
        }"
    ));
}

#[test]
fn a_stencil_in_a_data_region() {
    insta::assert_snapshot!(ir(
        "void simulate(int rows, int columns, int steps, float *now, float *next)
        {
            #pragma acc data copy(now[0:rows * columns]) create(next[0:rows * columns])
            {
                for (int step = 0; step < steps; step++) {
                    #pragma acc parallel loop collapse(2) present(now, next)
                    for (int r = 1; r < rows - 1; r++)
                        for (int c = 1; c < columns - 1; c++)
                            next[r * columns + c] = (now[r * columns + c - 1] + now[r * columns + c + 1]) / 2;
                    float *swap = now;
                    now = next;
                    next = swap;
                }
                #pragma acc update self(now[0:columns]) if(steps > 1) if_present
            }
            #pragma acc enter data copyin(now[0:columns])
            #pragma acc exit data delete(now) finalize
        }"
    ));
}

#[test]
fn kernels_are_a_sequence_of_launches() {
    insta::assert_snapshot!(ir("int f(int n, int *a, int *b)
        {
            int total = 0, factor = 2, last;
            #pragma acc kernels copy(a[0:n]) copyout(b[0:n])
            {
                for (int i = 0; i < n; i++)
                    a[i] *= factor;
                last = a[n - 1];
                total = last + 1;
                #pragma acc loop independent
                for (int i = 0; i < n; i++)
                    b[i] = a[i] + last;
            }
            return total;
        }"));
}

#[test]
fn locals_that_several_launches_use_are_values_or_in_device_memory() {
    let text = ir("void f(int n, int *a)
        {
            #pragma acc kernels copy(a[0:n])
            {
                const int shift = n / 2, first = a[0];
                for (int i = 0; i < n; i++)
                    a[i] += shift - first;
                for (int i = 0; i < n; i++)
                    a[i] *= shift + first;
            }
        }");
    assert_eq!(lines_with(&text, "launch").len(), 3);
    assert_eq!(lines_with(&text, "local shift = n / 2").len(), 1);
    assert_eq!(lines_with(&text, "local first").len(), 1);
    assert_eq!(lines_with(&text, "create first").len(), 1);
}

#[test]
fn locals_that_cannot_be_handed_on_keep_one_kernel() {
    let text = ir("void f(int n, int *a)
        {
            #pragma acc kernels copy(a[0:n])
            {
                int *next = a + 1;
                for (int i = 0; i < n - 1; i++)
                    next[i] += n;
                for (int i = 0; i < n - 1; i++)
                    next[i] *= n;
            }
        }");
    assert_eq!(lines_with(&text, "launch").len(), 1);
    assert_eq!(lines_with(&text, "loop i").len(), 2);
}

#[test]
fn levels_privates_and_reductions() {
    insta::assert_snapshot!(ir(
        "void f(int n, int m, float a[n][m], float *sums)
        {
            float sum, scratch[4];
            #pragma acc parallel num_gangs(n / 2) num_workers(4) vector_length(32) copyin(a[0:n][0:m]) copyout(sums[0:n])
            {
                #pragma acc loop gang private(scratch)
                for (int i = 0; i < n; i++) {
                    sum = 0;
                    scratch[0] = 1;
                    #pragma acc loop worker vector reduction(+:sum)
                    for (int j = 0; j < m; j++)
                        sum += a[i][j] * scratch[0];
                    sums[i] = sum;
                }
            }
        }"
    ));
}

#[test]
fn functions_come_with_their_callees_first() {
    insta::assert_snapshot!(ir("static const float table[2] = {1, 2};
        float twice(float x);
        #pragma acc routine seq
        static float both(float x) { return twice(x) + table[1]; }
        float twice(float x) { return x < 0 ? -both(-x) : 2 * x; }
        #pragma acc routine vector
        void fill(int n, float *row)
        {
            #pragma acc loop vector
            for (int i = 0; i < n; i++)
                row[i] = both(i);
        }
        void f(int n, int m, float *a)
        {
            #pragma acc parallel loop gang copyout(a[0:n * m])
            for (int i = 0; i < n; i++)
                fill(m, a + i * m);
        }"));
}

#[test]
fn statements_keep_their_shape() {
    insta::assert_snapshot!(ir(&function(
        "#pragma acc serial copy(a[0:n])
        {
            int x = 3, y[2] = {1};
            while (x > 0) { x--; if (x == 7) continue; else break; }
            do x++; while (x < 4);
            switch (x) { case 1: x = 2; break; case 3 ... 5: x = 1; default: ; }
            for (i = 0, j = 1; i < n; i++, j *= 2) a[i] = j;
            for (;;) { if (x) goto out; }
        out:
            a[0] = ({ int z = y[0]; z + x; });
        }"
    )));
}

#[test]
fn attributes_that_parallel_implies() {
    let text = "#pragma acc parallel loop
        for (i = 0; i < n; i++) { a[i] = b[i] * pair.x + k + weights[0]; fixed[0][i] = d; }";
    assert_eq!(
        data(text),
        [
            "data find or copy a[0:n] of float (implicit)",
            "data find or copyin b[0:n] of const float (implicit)",
            "data constant weights whole (implicit)",
            "data copy fixed whole (implicit)",
        ]
    );
    assert_eq!(
        captures(text),
        "captures n value, a pointer written, b pointer, pair value, k value, weights array, \
         fixed array written, d value"
    );
}

#[test]
fn a_struct_that_is_written_comes_back() {
    let text = "#pragma acc serial
        { pair.x = n; }
        n = pair.x;";
    assert_eq!(data(text), ["data copy pair whole (implicit)"]);
    assert_eq!(captures(text), "captures pair reference written, n value");
}

#[test]
fn kernels_copy_the_scalars_that_they_write() {
    let text = "#pragma acc kernels copyin(a[0:n])
        { s = n; k = s + m; }
        a[0] = s;";
    assert_eq!(
        data(text)[1..],
        [
            "data copy s whole (implicit)",
            "data copy k whole (implicit)"
        ]
    );
    // Without a use afterwards `s` stays inside; the global `k` may be used anywhere.
    let text = "#pragma acc kernels copyin(a[0:n])
        { s = n; k = s + m; }";
    assert_eq!(data(text)[1..], ["data copy k whole (implicit)"]);
    assert_eq!(
        captures(text),
        "captures n value, k reference written, m value"
    );
}

#[test]
fn explicit_scalars_go_by_reference_and_reductions_are_copied() {
    let text = "#pragma acc parallel loop copyin(n) copyout(t) reduction(+:s)
        for (i = 0; i < n; i++) { s += i; t = 1; }";
    assert_eq!(
        captures(text),
        "captures s reference written, n reference, t reference written"
    );
    assert_eq!(data(text)[2], "data copy s whole (implicit)");
}

#[test]
fn what_a_data_construct_names_is_present_inside() {
    let text = "#pragma acc data copy(s, fixed, a[0:n], b[2:n]) no_create(small) deviceptr(rows)
        {
            #pragma acc parallel
            { s = b[2] + fixed[0][0] + a[0] + small[0] + rows[0][0]; }
        }";
    assert_eq!(
        data(text)[6..],
        [
            "data present s whole (implicit)",
            "data find b[2:1] of const float (implicit)",
            "data present fixed whole (implicit)",
            "data find a (implicit)",
            "data no_create small whole (implicit)",
            "data device pointer rows (implicit)",
        ]
    );
    assert_eq!(
        captures(text),
        "captures s reference written, b pointer, fixed array, a pointer, small array, \
         rows device pointer"
    );
}

#[test]
fn default_present_is_for_arrays_and_structs_and_inherited() {
    let text = "#pragma acc data copyin(n) default(present)
        {
            #pragma acc parallel
            { a[0] = fixed[0][0] + pair.x + m; }
        }";
    assert_eq!(
        data(text)[1..],
        [
            "data find a (implicit)",
            "data present fixed whole (implicit)",
            "data present pair whole (implicit)",
        ]
    );
}

#[test]
fn sections_of_all_kinds() {
    let text = "#pragma acc data copyin(fixed[2:3], rows[0:n], vla[:n]) copy(a[i:m]) create(small[1:]) copyout(vla[1:n-1][:])
        { }";
    // `vla` stands in two clauses, so it is an error; see the tests of errors.
    assert!(super::outcome(&function(text)).ir.is_none());
    let text = "#pragma acc data copyin(fixed[2:3], rows[0:n], vla[:n]) copy(a[i:m]) create(small[1:]) copyin(b[3])
        { }";
    assert_eq!(
        data(text),
        [
            "data copyin fixed[2:3 / 10][0:20 / 20] of float",
            "data copyin rows[0:n][0:8 / 8] of float",
            "data copyin vla[0:n][0:declared 1 / declared 1] of float",
            "data copy a[i:m] of float",
            "data create small[1:3 / 4] of int",
            "data copyin b[3:1] of const float",
        ]
    );
    assert_eq!(
        data("#pragma acc data present(a, rows, vla) copyin(pair, d) copy(fixed[1][0:5])\n{ }"),
        [
            "data present a",
            "data present rows",
            "data present vla[0:n][0:declared 1 / declared 1] of float",
            "data copyin pair whole",
            "data copyin d whole",
            "data copy fixed[1:1 / 10][0:5 / 20] of float",
        ]
    );
    assert_eq!(
        data("#pragma acc update host(fixed[0:10][3:1]) device(a[0:n], a[m:2])"),
        [
            "data update host fixed[0:10 / 10][3:1 / 20] of float",
            "data update device a[0:n] of float",
            "data update device a[m:2] of float",
        ]
    );
}

#[test]
fn an_array_parameter_has_its_declared_length() {
    let text = "void f(int n, float a[100], float b[n], float c[][4])
        {
            #pragma acc parallel loop copy(a, b) present(c)
            for (int i = 0; i < 4; i++) a[i] = b[i] + c[0][i];
        }";
    assert_eq!(
        lines_with(&ir(text), "data "),
        [
            "data copy a[0:100] of float",
            "data copy b[0:n] of float",
            "data present c"
        ]
    );
}

#[test]
fn counted_loops_of_all_forms() {
    for (header, expected) in [
        ("i = 0; i < n; i++", "loop i = 0; i < n; i += 1"),
        ("i = n; i > 0; --i", "loop i = n; i > 0; i -= 1"),
        (
            "i = n - 1; i >= 0; i -= 3",
            "loop i = n - 1; i >= 0; i -= 3",
        ),
        ("i = 0; n >= i; i = 2 + i", "loop i = 0; i <= n; i += 2"),
        ("i = 0; i != n; i++", "loop i = 0; i != n; i += 1"),
        ("i = n; i > 0; i += -2", "loop i = n; i > 0; i -= 2"),
        ("i = 0; i < n; i -= -m", "loop i = 0; i < n; i += - -m"),
        ("i = n; 0 < i; i = i - m", "loop i = n; i > 0; i -= m"),
        ("long q = 2; q <= n; q += m", "loop q = 2; q <= n; q += m"),
        (
            "unsigned char q = 0; q < 200; q++",
            "loop q = 0; q < 200; q += 1",
        ),
        (
            "i = b[0] > 0; i < b[1]; ++i",
            "loop i = b[0] > 0; i < b[1]; i += 1",
        ),
    ] {
        let text = format!("#pragma acc parallel loop\nfor ({header}) a[0] = 1;");
        let found = loops(&text);
        assert!(found[0].starts_with(expected), "{header}: {found:?}");
    }
}

#[test]
fn undirected_loops_are_counted_where_that_is_certain() {
    let counted = |body: &str| {
        let text = format!("#pragma acc kernels copy(a[0:n])\n{{ {body} }}");
        !loops(&text).is_empty()
    };
    assert!(counted("for (i = 0; i < n; i++) a[i] = 0;"));
    assert!(counted("for (i = 0; i < small[0]; i++) a[i] = 0;"));
    // The bound may change: same type, or behind the loop's back.
    assert!(!counted("for (i = 0; i < a[0]; i++) a[i] = 0;"));
    assert!(!counted("for (i = 0; i < small[0]; i++) small[i] = 0;"));
    assert!(!counted("for (i = 0; i < n; i++) { if (a[i]) break; }"));
    assert!(!counted("for (i = 0; i < n; i++) { a[i] = 0; i++; }"));
    assert!(!counted("for (d = 0; d < n; d++) a[0] += d;"));
    assert!(counted(
        "for (i = 0; i < n; i++) { if (a[i]) continue; a[i] = 1; }"
    ));
}

#[test]
fn scalars_that_an_iteration_writes_first_are_its_own() {
    let text = "#pragma acc parallel loop copy(a[0:n])
        for (i = 0; i < n; i++) {
            t = i;
            if (t > 3) s = 1; else s = 2;
            for (j = 0; j < m; j++) t += s;
            a[i] = t;
        }";
    let found = loops(text);
    assert!(
        found[0].ends_with("[directive, independent, private t, s]"),
        "{found:?}"
    );
    assert_eq!(found[1], "loop j = 0; j < m; j += 1");
    assert_eq!(
        captures(text),
        "captures n value, m value, a pointer written"
    );
}

#[test]
fn scalars_that_an_iteration_reads_first_are_not() {
    for body in [
        "t += i; a[i] = t;",
        "if (i) t = 1; a[i] = t;",
        "while (t < 3) t++; a[i] = 1;",
        "for (int q = 0; q < m; q++) t = q; a[i] = t;",
        "switch (i) { case 1: t = 1; } a[i] = t;",
        "i && (t = 1); a[i] = t;",
    ] {
        let text =
            format!("#pragma acc parallel loop copy(a[0:n])\nfor (i = 0; i < n; i++) {{ {body} }}");
        assert!(captures(&text).contains("t value written"), "{body}");
    }
    for body in [
        "t = 1; a[i] = t;",
        "i ? (t = 1) : (t = 2); a[i] = t;",
        "do t = i; while (t < 0); a[i] = t;",
        "if (i == 3) continue; t = 1; a[i] = t;",
    ] {
        let text =
            format!("#pragma acc parallel loop copy(a[0:n])\nfor (i = 0; i < n; i++) {{ {body} }}");
        assert!(!captures(&text).contains("t value"), "{body}");
    }
}

#[test]
fn in_kernels_what_is_needed_afterwards_is_not_private() {
    let body = "#pragma acc kernels copy(a[0:n])
        for (i = 0; i < n; i++) { t = i; a[i] = t; }";
    assert!(loops(body)[0].contains("private t"));
    let used = format!("{body}\nm = t;");
    assert!(captures(&used).contains("t reference written"));
    let written_first = format!("{body}\nt = 0; m = t;");
    assert!(loops(&written_first)[0].contains("private t"));
    let private_later =
        format!("{body}\n#pragma acc parallel loop private(t)\nfor (i = 0; i < n; i++) t = 1;");
    assert!(loops(&private_later)[0].contains("private t"));
    let in_a_loop = format!("while (n--) {{ m = t;\n{body} }}");
    assert!(captures(&in_a_loop).contains("t reference written"));
    // The loop's own variable, too.
    let last = format!("{body}\nm = i;");
    assert!(loops(&last).is_empty());
}

#[test]
fn a_collapsed_loop_owns_the_variables_of_all_its_loops() {
    let text = "#pragma acc parallel loop collapse(2) copy(a[0:n])
        for (i = 0; i < n; i++) { for (j = 0; j < m; j++) a[i] = j; }";
    assert_eq!(
        loops(text),
        [
            "loop i = 0; i < n; i += 1 [directive, independent, collapse 2]",
            "loop j = 0; j < m; j += 1 [directive]"
        ]
    );
}

#[test]
fn a_sequential_loop_may_have_any_form() {
    let text = ir(&function(
        "#pragma acc parallel loop copy(a[0:n])
        for (i = 0; i < n; i++) {
            #pragma acc loop seq
            for (j = 1; j < m; j *= 2) { if (a[j] > 0) break; a[i] += j; }
        }",
    ));
    assert_eq!(lines_with(&text, "for j"), ["for j = 1; j < m; j *= 2"]);
}

#[test]
fn spellings_of_one_clause_mean_the_same() {
    for (spelling, action) in [
        ("pcopy", "copy"),
        ("present_or_copy", "copy"),
        ("pcopyin", "copyin"),
        ("present_or_copyin", "copyin"),
        ("pcopyout", "copyout"),
        ("present_or_copyout", "copyout"),
        ("pcreate", "create"),
        ("present_or_create", "create"),
    ] {
        let text = format!("#pragma acc data {spelling}(a[0:n])\n{{ }}");
        assert_eq!(data(&text), [format!("data {action} a[0:n] of float")]);
    }
    let text = "#pragma acc data copyin(readonly: a[0:n])\n{ }";
    assert_eq!(data(text), ["data copyin a[0:n] of float"]);
}

#[test]
fn lengths_of_arrays_declared_inside_are_captured() {
    let text = "#pragma acc parallel loop copy(a[0:n])
        for (int q = 0; q < n; q++) { float (*view)[m] = (float (*)[m])a; view[0][q] = 1; }";
    assert!(captures(text).contains("m value"));
}

#[test]
fn extents_of_pointers_without_clauses() {
    let of = |body: &str| {
        let text = format!("#pragma acc parallel loop\nfor (int i = 0; i < n; i++) {{ {body} }}");
        data(&text).join("; ")
    };
    assert_eq!(
        of("a[i] = i;"),
        "data find or copy a[0:n] of float (implicit)"
    );
    let unknown = [
        "if (i > 3) a[i] += a[i];",
        "if (i == 4) continue; a[i] = 0;",
        "a[i] = 0; if (i < n - 1) a[i + 1] = 0;",
        "a[i] = i > 0 ? a[i - 1] : 0;",
        "a[i * i] = 0;",
        "a[i * m + 1] = 0;",
        "a[n - i] = a[m];",
        "int j = i; j++; a[j] = 0;",
        "float *p = &a[i]; p++; *p = 0;",
        "for (unsigned j = 0; j < n; j++) a[i + j] = 0;",
        "for (int j = 0; j < i * m; j++) a[j] = 0;",
        "for (int j = i; j != m; j += 2) a[j] = 0;",
        "int j = 0; while (j < m) { a[i] = 0; j++; }",
    ];
    for body in unknown {
        assert_eq!(of(body), "data find a (implicit)", "{body}");
    }
    let known = [
        ("a[i] = a[i + 1];", "[0:n > 0 ? (unsigned long)n + 1 : 0]"),
        (
            "for (int j = 0; j < i; j++) a[j] = 0;",
            "[0:(unsigned long)n - 1]",
        ),
        ("a[n - i] = 0; if (m) a[n - i] = 1;", "[1:n]"),
        (
            "for (int j = 0; j < m; j++) a[i * m + j] = 0;",
            "[0:n > 0 && m > 0 ? (unsigned long)n * m : 0]",
        ),
        (
            "float *row = a + i * m; for (int j = m - 1; j >= 0; j--) row[j] = 0;",
            "[0:n > 0 && m > 0 ? (unsigned long)n * m : 0]",
        ),
        (
            "const long j = (long)i * 2; a[j + 1] = 0;",
            "[1:n > 0 ? 2ul * n - 1 : 0]",
        ),
        ("a[(unsigned long)i + 1] = 0;", "[1:n]"),
        ("*(a + i) = 0; (i + a)[0] = 1;", "[0:n]"),
    ];
    for (body, section) in known {
        let wanted = format!("data find or copy a{section} of float (implicit)");
        assert_eq!(of(body), wanted, "{body}");
    }
}
