//! Windows: `fcw`, `fcw_barrier` and `cache`.

use super::{LoweringOptions, function, ir, outcome, outcome_of};

/// A parallel loop over `i` with statements in it.
fn in_loop(statements: &str) -> String {
    function(&format!(
        "#pragma acc parallel loop vector_length(64)\n\
         for (i = 0; i < n; i++) {{\n{statements}\n}}"
    ))
}

/// The lines from the kernel's body on.
fn body(text: &str) -> String {
    let ir = outcome(text).ir.unwrap();
    let lines: Vec<&str> = ir
        .lines()
        .skip_while(|line| !line.trim_start().starts_with("kernel"))
        .collect();
    lines.join("\n")
}

#[test]
fn each_type_is_a_policy() {
    let rows = [
        ("FETCH_ONLY", "fetch"),
        ("CHANNEL_ONLY", "channel"),
        ("FETCH_CHANNEL", "fetch channel"),
        ("CHANNEL_WB", "channel write-back"),
        ("FETCH_CHANNEL_WB", "fetch channel write-back"),
        ("FETCH_WB", "fetch write-back"),
        ("WB_ONLY", "write-back"),
    ];
    for (name, expected) in rows {
        let text = in_loop(&format!("#pragma acc fcw {name}(b[i:1:2])\ns = b[i];"));
        let line = format!("window b[i:1:2]: {expected}");
        let found = outcome(&text).ir.unwrap();
        assert!(found.lines().any(|l| l.trim() == line), "{line}\n{found}");
    }
}

#[test]
fn both_spellings_of_several_dimensions() {
    for item in ["rows[i:1:1:j:0:7]", "rows[i:1:1][j:0:7]"] {
        let text = in_loop(&format!(
            "#pragma acc fcw FETCH_ONLY({item})\nfor (j = 0; j < 8; j++) a[i] += rows[i][j];"
        ));
        assert!(ir(&text).contains(&format!("window {item}: fetch")));
    }
}

#[test]
fn stacked_directives_are_one_region() {
    insta::assert_snapshot!(body(&in_loop(
        "#pragma acc fcw FETCH_ONLY(b[i:1:1]) CHANNEL_ONLY(small[0:0:3])
         #pragma acc fcw explicit WB_ONLY(a[i:0:0])
         {
             float left = b[i - 1];
             small[i & 3] = 1;
         #pragma acc fcw_barrier
             a[i] = left + b[i + 1] + small[0];
         }"
    )));
}

#[test]
fn reduction_of_a_tile() {
    // Loop variables and temporaries from outside are the iteration's own.
    insta::assert_snapshot!(ir("void reduce(int *restrict a, int *b, int P)
        {
            int i, y;
            #pragma acc kernels present(a,b)
            #pragma acc loop independent vector(256)
            for (i = 0; i < P; i++) {
                int tile = i >> 8;
                int offset = i & 255;
                #pragma acc fcw FETCH_CHANNEL(a[i:0:0])
                {
                    for (y = 128; y > 0; y >>= 1)
                        if (offset < y && i + y < P)
                            a[i] = a[i] + a[i + y];
                    if (i == tile * 256)
                        b[tile] = a[i];
                }
            }
        }"
    .trim_start_matches("#define TILE 256\n")));
}

#[test]
fn tiles_of_matrices() {
    insta::assert_snapshot!(ir("enum { LEN = 64 };
        float a[LEN][LEN], b[LEN][LEN], c[LEN][LEN];
        void multiply(void)
        {
            int i, j, l, m;
            #pragma acc data copyin(a,b) copyout(c)
            #pragma acc kernels
            #pragma acc loop independent vector(16)
            for (i = 0; i < LEN; ++i) {
                #pragma acc loop independent vector(16)
                for (j = 0; j < LEN; ++j) {
                    float sum = 0;
                    for (l = 0; l < LEN; l += 16) {
                        int offseti = (i & (16 - 1)) + l;
                        int offsetj = (j & (16 - 1)) + l;
                        #pragma acc fcw FETCH_ONLY(a[i:0:0:offsetj:0:0],b[offseti:0:0:j:0:0])
                        if (j < LEN && i < LEN) {
                            for (m = l; m < ((l + 16) < LEN ? (l + 16) : LEN); m++)
                                sum += a[i][m] * b[m][j];
                        }
                    }
                    if (j < LEN && i < LEN)
                        c[i][j] = sum;
                }
            }
        }"));
}

#[test]
fn ghost_zones_in_two_dimensions() {
    insta::assert_snapshot!(ir(
        "void hotspot(int row, int col, int innerIter, float (*restrict temp)[col], float (*restrict power)[col], float result[row][col])
        {
            int rs, cs;
            double delta;
            #pragma acc kernels present(temp, power, result)
            #pragma acc loop independent vector(16)
            for (rs = 0; rs < row; rs++) {
                int r = rs - ((rs >> 4) * 2 * innerIter + innerIter);
                #pragma acc loop independent vector(16)
                for (cs = 0; cs < col; cs++) {
                    int c = cs - ((cs >> 4) * 2 * innerIter + innerIter);
                    double next;
                    _Bool compute = 0;
                    #pragma acc fcw FETCH_CHANNEL(temp[r:0:0:c:0:0],power[r:0:0:c:0:0])
                    {
                        for (int iter = 0; iter < innerIter; iter++) {
                            compute = 0;
                            if (r > 0 && c > 0 && r < row - 1 && c < col - 1 && (rs & 15) > iter) {
                                compute = 1;
                                delta = power[r][c] + temp[r - 1][c] + temp[r + 1][c];
                                next = delta + temp[r][c];
                            }
                            if (iter == innerIter - 1)
                                break;
                            if (compute)
                                temp[r][c] = next;
                        }
                        if (compute)
                            result[r][c] = next;
                    }
                }
            }
        }"
    ));
}

#[test]
fn cache_is_a_region_over_the_rest_of_the_loop() {
    insta::assert_snapshot!(body(&in_loop(
        "int first = i;
         #pragma acc cache(readonly: b[first - 1:3], rows[i])
         #pragma acc cache(a[i])
         a[i] = b[i - 1] + b[i + 1] + rows[i][0];
         for (j = 0; j < n; j++) {
             #pragma acc cache(b[j:m], fixed[i % 10][2:])
             a[i] += b[j] + fixed[i % 10][4];
         }"
    )));
}

#[test]
fn vector_loops_around_a_cache_are_the_dimensions_of_a_block() {
    let text = |directive: &str| {
        format!(
            "void f(int n, int m, float (*restrict a)[m], float (*restrict b)[m])
            {{
                #pragma acc parallel present(a, b)
                #pragma acc loop vector(4)
                for (int i = 1; i < n - 1; i++) {{
                    #pragma acc loop vector(32)
                    for (int j = 1; j < m - 1; j++) {{
                        {directive}
                        b[i][j] = a[i - 1][j] + a[i][j + 1];
                    }}
                }}
            }}"
        )
    };
    ir(&text("#pragma acc cache(a[i - 1:3][j - 1:3])"));
    let without = outcome(&text("")).said;
    assert!(without.iter().any(|said| said.starts_with("A0414 `vector")));
}

#[test]
fn cache_in_a_function() {
    let text = "static float sum(const float *p, int i)
        {
            #pragma acc cache(p[i:4])
            return p[i] + p[i + 3];
        }
        void f(int n, float *a, const float *p)
        {
            #pragma acc parallel loop present(a, p)
            for (int i = 0; i < n; i++)
                a[i] = sum(p, i);
        }";
    // One thread runs the function: it has no block to share with.
    let found = ir(text);
    assert!(!found.contains("window"), "{found}");
    assert!(found.contains("return p[i] + p[i + 3];"), "{found}");
    let options = LoweringOptions {
        feedback: true,
        ..LoweringOptions::default()
    };
    let said = outcome_of(text, options).said;
    assert!(said[0].contains("makes no window"), "{said:?}");
}

#[test]
fn arrays_that_only_hold_a_channel_are_no_data() {
    let text = in_loop(
        "#pragma acc fcw CHANNEL_ONLY(small[i:0:0])
         { small[i] = i; a[i] = small[i]; }",
    );
    let found = ir(&text);
    assert!(!found.contains("data copy small"), "{found}");
    assert!(!found.contains("small by"), "{found}");
    let outcome = outcome(&text.replace("loop vector", "loop default(none) copy(a[0:n]) vector"));
    assert!(
        !outcome.said.iter().any(|s| s.contains("small")),
        "{:?}",
        outcome.said
    );
}

#[test]
fn arrays_written_only_in_their_window_are_copied_in() {
    let text = in_loop(
        "#pragma acc fcw FETCH_CHANNEL(small[i:0:0])
         small[i] = small[i] + 1;",
    );
    assert!(ir(&text).contains("copyin small"), "{}", ir(&text));
    let text = in_loop(
        "#pragma acc fcw FETCH_CHANNEL_WB(small[i:0:0])
         small[i] = small[i] + 1;",
    );
    assert!(ir(&text).contains("copy small"), "{}", ir(&text));
}

fn strictly(strict: bool) -> LoweringOptions {
    LoweringOptions {
        strict,
        ..LoweringOptions::default()
    }
}

/// What is said about a region in a parallel loop, with strictness.
fn said(statements: &str, strict: bool) -> Vec<String> {
    outcome_of(&in_loop(statements), strictly(strict)).said
}

#[test]
fn elements_in_every_spelling_are_fine() {
    let rows = [
        "#pragma acc fcw FETCH_ONLY(b[i:1:1])\na[i] = *b + *(b + i) + (b)[i] + i[b] + *(1 + b) + (b + 2)[i];",
        "#pragma acc fcw FETCH_ONLY(rows[i:0:0][0:0:7])\na[i] = rows[i][0] + *rows[i] + (*rows)[1] + *(*(rows + i) + 1);",
        "#pragma acc fcw FETCH_ONLY(small[i:0:0])\nfor (j = 0; j < 4; j++) { const int *p = weights; a[i] = small[j] + p[j]; }",
        "#pragma acc fcw explicit CHANNEL_ONLY(small[i:0:0])\nt = (small[i] = 1) + (i && small[i]++);",
        "#pragma acc fcw CHANNEL_ONLY(small[i:0:0])\n{ small[i] = 1; if (small[0]) ++small[i]; (small[i]) += 2; }",
        "#pragma acc fcw CHANNEL_ONLY(small[i:0:0])\n{\n#pragma acc atomic capture\nt = small[i]++;\n#pragma acc atomic\nsmall[0] += t;\n}",
        "#pragma acc fcw FETCH_ONLY(b[i:1:1], b[i + n:0:0])\na[i] = b[i] + b[i + n];",
        "#pragma acc fcw FETCH_ONLY(b[i:1:1])\n{ switch (i) { case 1: a[i] = 2; } for (;;) { if (i) break; } }",
    ];
    for row in rows {
        assert_eq!(said(row, true), Vec::<String>::new(), "{row}");
    }
}

#[test]
fn what_is_doubtful_is_a_warning_or_under_strict_an_error() {
    let written = "#pragma acc fcw FETCH_CHANNEL(a[i:0:0])\na[i] = a[i] + 1;";
    let message = "A0439 `a[i:0:0]`: `a` is written in its window, and may have another name";
    assert_eq!(said(written, false), [format!("warning {message}")]);
    assert_eq!(said(written, true), [message]);
    let nested = function(
        "#pragma acc parallel loop vector(8)\nfor (i = 0; i < n; i++) {
         #pragma acc loop vector(8)\nfor (j = 0; j < n; j++) {
         #pragma acc fcw FETCH_ONLY(b[j:0:0])\na[i] = b[j]; } }",
    );
    assert_eq!(outcome(&nested).said, Vec::<String>::new());
    let strict = outcome_of(&nested, strictly(true));
    let codes: Vec<&str> = strict.said.iter().map(|s| &s[..13]).collect();
    assert_eq!(codes, ["warning A0421", "warning A0421", "warning A0414"]);
    assert!(strict.ir.is_some());
}
