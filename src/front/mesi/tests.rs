//! What becomes of host code and launches, statement by statement, and how threads are mapped.

mod kept;
mod misspelt;

use super::*;
use crate::front::cuda::Lines;

/// Variables, a kernel, and host functions for the statements of a test.
const BEFORE: &str = "\
__global__ int a[9], b[10], *p, *q;
__global__ long t, s;
__global__ void add(int *to, const int *from) { to[lThreadIdx.x] += from[lThreadIdx.x] + s; }
__global__ void count() { if (lThreadIdx.x == 0) t++; }
int launched(int *v, const int *w) { add<[<8>]>(v, w); return v[2]; }
int total(const int *v);
int total(const int *v) { return v[0] + v[1]; }
void fill(int *v, int by) { v[1] = by; }
void set(long &x) { x = 3; }
long twice() { return t * 2; }
void exchange() { int *r = p; p = q; q = r; }
void next(int *&v) { v++; }
int *at(int *v, int i) { return v + i; }
__device__ const int *row(const int *v, int i) { return v + i; }
__device__ int *place(int *v, int i) { return v + i; }
__global__ void rows(const int *v, int *to) { *place(to, lThreadIdx.x) = *row(v, lThreadIdx.x); }
static int *kept;
void keep(int *v) { kept = v; }
";

/// The body of `main`, translated, its white space narrowed; or the first error.
fn translated(body: &str) -> String {
    translated_with("", body)
}

/// The same with more functions before it.
fn translated_with(others: &str, body: &str) -> String {
    let text = format!("{BEFORE}{others}int main()\n{{\n{body}\n}}\n");
    let mut diagnostics = Diagnostics::new();
    let edits = translate(
        text.as_bytes(),
        &[],
        &Arrays::default(),
        false,
        &mut diagnostics,
    );
    if let Some(error) = diagnostics.iter().next() {
        return error.message.clone();
    }
    let out = String::from_utf8(edits.apply_with(text.as_bytes(), Lines::New)).expect("ASCII");
    let (_, own) = out.split_once("int main()\n{\n").expect("main");
    let own = own.trim_end().strip_suffix('}').expect("a block");
    own.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn is(body: &str, expected: &str) {
    let expected: Vec<&str> = expected.split_whitespace().collect();
    assert_eq!(translated(body), expected.join(" "), "{body}");
}

#[test]
fn copies_are_brought_up_to_date_before_statements_that_use_them() {
    is("int x = a[3];", "a_copies.host_reads(); int x = a[3];");
    is("a[3] += 2;", "a_copies.host_writes(); a[3] += 2;");
    is("t = 2;", "t_copies.host_sets(sizeof t); t = 2;");
    // No device code writes s: it has no copy.
    is("s = s + 2;", "s = s + 2;");
    is(
        "int n = sizeof a / sizeof a[0];",
        "int n = sizeof a / sizeof a[0];",
    );
    is(
        "memset(a, 0, sizeof a);",
        "a_copies.host_sets(sizeof a); memset(a, 0, sizeof a);",
    );
    is(
        "memset(p, 0, 4 * s++);",
        "accrs_mesi::host_writes(p); memset(p, 0, 4 * s++);",
    );
    is(
        "int x = total(a) + total(p);",
        "a_copies.host_reads(); accrs_mesi::host_reads(p); int x = total(a) + total(p);",
    );
    is("fill(b, 3);", "b_copies.host_writes(); fill(b, 3);");
    is("set(t);", "t_copies.host_writes(); set(t);");
}

#[test]
fn macros_hide_what_is_in_them_and_not_their_arguments() {
    let show = "#define SHOW(a, count) printf(\"%d\\n\", (a) + (count))\n";
    let body = "int x = 3; SHOW(x, 2); SHOW(b[1], x);";
    assert_eq!(
        translated_with(show, body),
        "int x = 3; SHOW(x, 2); b_copies.host_writes(); SHOW(b[1], x);"
    );
    let each = "#define EACH(i, n) for (int i = 0; i < n; i++)\n";
    let body = "EACH(i, 9) { a[i] = i; } add<[<8>]>(b, a);";
    let result = translated_with(each, body);
    let begin = "a_copies.host_writes(); EACH(i, 9) { a[i] = i; }";
    assert!(result.starts_with(begin), "{result}");
}

#[test]
fn addresses_are_followed_to_the_values_that_are_used() {
    for (statement, lines) in [
        ("if (s) *(a + 1) = 2;", "a_copies.host_writes();"),
        ("if (s) ; else *p = 3;", "accrs_mesi::host_writes(p);"),
        (
            "for (int i = 0; i < 9; i++) *(a + i) = i;",
            "a_copies.host_writes();",
        ),
        ("int x = (int)*(a + 1);", "a_copies.host_reads();"),
        ("int x = (int) * a;", "a_copies.host_reads();"),
        ("long x = *&t;", "t_copies.host_reads();"),
        ("(&a[1])[2]++;", "a_copies.host_writes();"),
        ("*(&a[1]) = 2;", "a_copies.host_writes();"),
        ("++*a;", "a_copies.host_writes();"),
        ("(*(a + 1))--;", "a_copies.host_writes();"),
        (
            "(s ? a : b)[2] = 7;",
            "a_copies.host_writes(); b_copies.host_writes();",
        ),
        (
            "(s ? a[1] : b[2]) = 7;",
            "a_copies.host_writes(); b_copies.host_writes();",
        ),
        ("int x = *p++;", "accrs_mesi::host_reads(p);"),
        ("3[a] = 2;", "a_copies.host_writes();"),
        (
            "*static_cast<char *>(p + 1) = 2;",
            "accrs_mesi::host_writes(p);",
        ),
        ("std::cout << a;", "a_copies.host_reads();"),
        ("scanf(\"%ld\", (long *)&t);", "t_copies.host_writes();"),
        ("auto x = a[4]; int y = x;", "a_copies.host_reads();"),
        // Compared, subtracted, or asked for their sizes.
        ("long x = p - a;", ""),
        ("bool x = p == a + 1;", ""),
        ("int x = sizeof *p + sizeof(*p);", ""),
        ("delete[] p;", ""),
    ] {
        let statement_of = statement.replace("delete[] p", "accrs_mesi::destroy(p)");
        is(statement, &format!("{lines} {statement_of}"));
    }
    is(
        "double (*r)[5] = (double (*)[5])a; r[1][2] = 3;",
        "double (*r)[5] = (double (*)[5])a; accrs_mesi::host_writes(r); r[1][2] = 3;",
    );
    is(
        "int (&r)[9] = a; int *x(r); x[1] = 3;",
        "int (&r)[9] = a; int *x(r); accrs_mesi::host_writes(x); x[1] = 3;",
    );
}

#[test]
fn a_pointer_that_is_set_and_followed_in_one_statement_is_what_it_is_set_to() {
    for (statement, lines) in [
        ("int *w = a, v = w[1];", "a_copies.host_reads();"),
        (
            "int *w = b, *x = w + 1, v = (x[1] = 2);",
            "b_copies.host_writes();",
        ),
    ] {
        is(statement, &format!("{lines} {statement}"));
    }
    is(
        "int *w; w = p, w[0] = 1;",
        "int *w; accrs_mesi::host_writes(p); w = p, w[0] = 1;",
    );
    is(
        "p = p + 1, p[0] = 1;",
        "`p` gets an address and is followed in one statement",
    );
}

#[test]
fn addresses_that_go_elsewhere_are_errors() {
    for (statement, to) in [
        (
            "int *r[2] = {a, b};",
            "a structure or an array of addresses",
        ),
        ("int *r[2]; r[0] = a;", "`r[0]`"),
        ("kept = a + 1;", "`kept`"),
        ("keep(a);", "`keep`, and from there to `kept`"),
        (
            "*at(a, 1) = 2;",
            "`at`, and from there to the caller of this function",
        ),
    ] {
        is(statement, &format!("the address of `a` goes to {to}"));
    }
}

#[test]
fn device_code_may_do_anything_with_addresses_that_it_gives_back() {
    let launch = translated("rows<[<8>]>(a, b);");
    for line in ["a_copies.device_reads();", "b_copies.device_writes();"] {
        assert!(launch.contains(line), "{launch}");
    }
}

#[test]
fn what_is_read_for_its_own_value_is_not_set_before() {
    is(
        "t = twice() + 1;",
        "t_copies.host_writes(); t = twice() + 1;",
    );
    is(
        "long &x = t; t = x + 1;",
        "t_copies.host_reads(); long &x = t;
         t_copies.host_writes(); accrs_mesi::host_reads(&x); t = x + 1;",
    );
}

#[test]
fn pointers_that_calls_move_are_not_known() {
    for call in ["exchange();", "next(p);"] {
        is(
            &format!("p[0] = 1; {call} p[1] = 2;"),
            &format!(
                "accrs_mesi::host_writes(p); p[0] = 1; {call}
                 accrs_mesi::host_writes(p); p[1] = 2;"
            ),
        );
    }
    is(
        "p[0] = 1; q[0] = 1; std::swap(p, q); p[1] = 2;",
        "accrs_mesi::host_writes(p); p[0] = 1; accrs_mesi::host_writes(q); q[0] = 1;
         std::swap(p, q); accrs_mesi::host_writes(p); p[1] = 2;",
    );
    is(
        "for (int i = 0; i < 3; i++) { exchange(); p[0]++; }",
        "for (int i = 0; i < 3; i++) { exchange(); accrs_mesi::host_writes(p); p[0]++; }",
    );
}

#[test]
fn loops_that_launch_nothing_are_brought_up_to_date_once() {
    is(
        "for (int i = 0; i < 9; i++) if (b[i] > 2) a[i] = b[i];",
        "b_copies.host_reads(); a_copies.host_writes();
         for (int i = 0; i < 9; i++) if (b[i] > 2) a[i] = b[i];",
    );
    // What is known to be there is not asked for again.
    is(
        "a[0] = 1; a[1] = a[0]; a[2] = total(a);",
        "a_copies.host_writes(); a[0] = 1; a[1] = a[0]; a[2] = total(a);",
    );
}

#[test]
fn headers_of_loops_that_launch_ask_each_time() {
    is(
        "while (a[1] < 30) launched(a, b);",
        "while (a_copies.read()[1] < 30) launched(a, b);",
    );
    is(
        "if (launched(a, b) > 2) { a[0] = 1; }",
        "if (launched(a, b) > 2) { a_copies.host_writes(); a[0] = 1; }",
    );
    // What was known before the call is not behind it.
    is(
        "a[0] = 1; if (launched(a, b) > 2) a[0] = 1;",
        "a_copies.host_writes(); a[0] = 1;
         if (launched(a, b) > 2) { a_copies.host_writes(); a[0] = 1; }",
    );
}

#[test]
fn what_stands_beside_a_call_that_launches_has_an_order() {
    let refused = "`a` is used before or after a call that launches, in no order";
    for expression in [
        "a[0] + launched(a, b)",
        "launched(a, b) * (2 + a[1])",
        "total(a) - launched(a, b)",
        "a[launched(a, b)]",
        "max(launched(a, b), a[1])",
        "launched(a, b) == a[1]",
    ] {
        is(&format!("int x = {expression};"), refused);
    }
    is("a[0] = a[1] + launched(a, b);", refused);
    is("while (a[0] < launched(a, b)) t++;", refused);
    for (expression, expected) in [
        (
            "launched(a, b) > 2 && a[1]",
            "launched(a, b) > 2 && a_copies.read()[1]",
        ),
        (
            "launched(a, b) ? total(a) : a[1]",
            "launched(a, b) ? total(a_copies.read()) : a_copies.read()[1]",
        ),
        (
            "(launched(a, b), a[1] + 1)",
            "(launched(a, b), a_copies.read()[1] + 1)",
        ),
    ] {
        is(
            &format!("int x = {expression};"),
            &format!("int x = {expected};"),
        );
    }
    is(
        "a[0] = launched(a, b) + 3;",
        "a_copies.write()[0] = launched(a, b) + 3;",
    );
    is(
        "int x = launched(a + b[1], b);",
        "b_copies.host_reads(); int x = launched(a + b[1], b);",
    );
}

#[test]
fn memory_of_shared_pointers_is_known() {
    is(
        "p = (int *)malloc(40); q = new int[7]; free(p); delete[] q;",
        "p = (int *)accrs_mesi::allocate(40); q = accrs_mesi::make<int>(7);
         accrs_mesi::release(p); accrs_mesi::destroy(q);",
    );
    is(
        "int *r = p; p = q; q = r; r[1] = 2;",
        "int *r = p; p = q; q = r; accrs_mesi::host_writes(r); r[1] = 2;",
    );
}

#[test]
fn a_translation_has_nothing_to_translate() {
    assert!(is_used(b"__global__ int a[9];"));
    assert!(is_used(b"void f() { k<[<3>]>(); }"));
    assert!(!is_used(b"__global__ void k(int *a); int *b;"));
    assert!(!is_used(b"int lThreadIdx_x, lGrids;"));
    let translated = format!("{RUNTIME}__global__ void k() {{ int lThread; }}");
    assert!(!is_used(translated.as_bytes()));
}

/// What is said of a kernel's launch: the notes, and then what was decided.
fn mapped(kernel: &str, launch: &str) -> Vec<String> {
    let text = format!("#define N 64\n{kernel}\nint main(int n, char **)\n{{\n{launch}\n}}\n");
    let mut diagnostics = Diagnostics::new();
    translate(
        text.as_bytes(),
        &[],
        &Arrays::default(),
        true,
        &mut diagnostics,
    );
    let all = diagnostics.iter().flat_map(|one| {
        let (_, decided) = one.message.split_once(": ").unwrap_or_default();
        one.notes.iter().cloned().chain([decided.to_owned()])
    });
    all.collect()
}

#[test]
fn priorities_are_those_of_section_4_2() {
    let kernel = |body: &str| {
        format!(
            "__global__ float x[N][N], y[N];\n__global__ double z[N * N];\n__global__ void k(int m) {{ {body} }}"
        )
    };
    for (body, expected) in [
        // One access to neighbours: 128 bytes of 4, or of 8.
        (
            "y[lThreadIdx.x] = 1;",
            "elements side by side for neighbours in dimension 0: `y` 32",
        ),
        (
            "z[lThreadIdx.x] = 1;",
            "elements side by side for neighbours in dimension 0: `z` 16",
        ),
        (
            "z[3 * lThreadIdx.x] = 1;",
            "elements side by side for neighbours in dimension 0: `z` 5",
        ),
        ("y[lThread.Idx[0] / 1 + m] = 1;", ""),
        // A local variable and a macro.
        (
            "const int i = lThreadIdx.x, j = i + N; z[j] = 1;",
            "elements side by side for neighbours in dimension 0: `z` 16",
        ),
        // The number of iterations.
        (
            "float s = 0; for (int i = 0; i < N; i += 4) s += y[i];",
            "the same element for neighbours in dimension 0: `y` 512",
        ),
        (
            "float s = 0; for (int i = 0; i < m; i++) s += y[i];",
            "the same element for neighbours in dimension 0: `y` 160",
        ),
        (
            "float s = 0; for (int i = N - 1; i >= 0; i--) s += y[i];",
            "the same element for neighbours in dimension 0: `y` 2048",
        ),
        (
            "float s = 0; for (int i = 0; i < lGridDim.x; i++) s += y[i];",
            "the same element for neighbours in dimension 0: `y` 1024",
        ),
    ] {
        let notes = mapped(&kernel(body), "k<[<32>]>(5);");
        let (last, own) = notes.split_last().expect("how it lies");
        assert_eq!(last, "dimension 0 lies along x", "{body}");
        assert_eq!(own.join("; "), expected, "{body}");
    }
    let notes = mapped(
        &kernel("x[lThreadIdx.x][lThreadIdx.y] = y[lThreadIdx.y];"),
        "k<[<N, N>]>(5);",
    );
    assert_eq!(
        notes,
        [
            "the same element for neighbours in dimension 0: `y` 32",
            "elements side by side for neighbours in dimension 1: `x` 32, `y` 32",
            "dimension 1 lies along x, 0 along y",
        ]
    );
}

#[test]
fn sums_of_values_that_are_not_known_are_compared_at_the_launch() {
    let kernel = "__global__ float x[N][N];\n__global__ void k(int m, int l)\n{\n\
                  for (int i = 0; i < m; i++) x[lThreadIdx.x][lThreadIdx.y] += i;\n\
                  for (int i = 0; i < l; i++) x[lThreadIdx.y][lThreadIdx.x] += i;\n}";
    let notes = mapped(kernel, "k<[<N, N>]>(n, 2);");
    assert_eq!(
        notes,
        [
            "elements side by side for neighbours in dimension 0: `x` 64",
            "elements side by side for neighbours in dimension 1: `x` 32 · n",
            "the launch compares the sums when it is reached",
        ]
    );
}

/// Whether the loop of a kernel and dimension 0 change places.
fn is_exchanged(parameters: &str, body: &str, launch: &str) -> bool {
    let kernel = format!(
        "__global__ float x[N][N], y[N][N], z[N][N][N], *p;\n__global__ int limit;\n\
         __device__ float twice(float v) {{ return 2 * v; }}\n\
         __global__ void k({parameters})\n{{\n{body}\n}}"
    );
    let notes = mapped(&kernel, launch);
    assert!(!notes.is_empty(), "{body}");
    notes
        .iter()
        .any(|note| note.contains("has changed places with dimension 0"))
}

#[test]
fn loops_change_places_where_no_iteration_needs_another_one() {
    for (parameters, body, launch) in [
        (
            "",
            "int j = lThreadIdx.x; for (int i = 0; i < N; i++) y[j][i] = x[j][i] + 1;",
            "k<[<N>]>();",
        ),
        (
            "float from[][N], float to[][N]",
            "for (int i = 0; i < N; i++) to[lThreadIdx.x][i] = sqrtf(from[lThreadIdx.x][i]);",
            "k<[<N>]>(x, (float (*)[N])y);",
        ),
        (
            "int m",
            "for (long i = 2; i <= m; i++) { float t = x[lThreadIdx.x][i]; t *= 2; y[lThreadIdx.x][i] = t; }",
            "k<[<N>]>(N - 2);",
        ),
        (
            "",
            "for (int i = 0; i < N; i++) for (int l = 0; l < 3; l++)\n\
             z[lThreadIdx.y][lThreadIdx.x][i] += x[lThreadIdx.x][l];",
            "k<[<N, N>]>();",
        ),
        (
            "",
            "for (int i = 2; i < N - 3; i++) { y[lThreadIdx.x][i + 3] = 2; y[lThreadIdx.x][i + 3] += i; }",
            "k<[<N>]>();",
        ),
    ] {
        assert!(is_exchanged(parameters, body, launch), "{body}");
    }
}

#[test]
fn loops_stay_where_an_iteration_may_need_another_one() {
    let one = "k<[<N>]>();";
    for (parameters, body, launch) in [
        // The arrays may be one.
        (
            "float from[][N], float to[][N]",
            "for (int i = 0; i < N; i++) to[lThreadIdx.x][i] = from[lThreadIdx.x][i];",
            "k<[<N>]>(x, x);",
        ),
        (
            "float *to",
            "for (int i = 0; i < N; i++) to[lThreadIdx.x * N + i] = p[lThreadIdx.x * N + i];",
            "k<[<N>]>(p);",
        ),
        (
            "",
            "for (int i = 1; i < N; i++) y[lThreadIdx.x][i] = y[lThreadIdx.x][i - 1];",
            one,
        ),
        (
            "",
            "for (int i = 1; i < N; i++) y[lThreadIdx.x][i / 2] = x[lThreadIdx.x][i];",
            one,
        ),
        (
            "",
            "for (int i = 1; i < N; i++) y[lThreadIdx.x][(char)i] = 2;",
            one,
        ),
        (
            "",
            "for (int i = 1; i < N; i++) y[lThreadIdx.x][0] += x[lThreadIdx.x][i];",
            one,
        ),
        (
            "",
            "for (int i = 1; i < N; i++) { y[lThreadIdx.x][i] = 2; y[lThreadIdx.x][N - 1 - i] = 3; }",
            one,
        ),
        (
            "",
            "float s = 0; for (int i = 1; i < N; i++) { s += x[lThreadIdx.x][i]; y[lThreadIdx.x][i] = s; }",
            one,
        ),
        (
            "",
            "float v = y[lThreadIdx.x][0]; for (int i = 0; i < N; i++) y[lThreadIdx.x][i] = v;",
            one,
        ),
        (
            "",
            "float v = y[lThreadIdx.x][0] = 3; for (int i = 0; i < N; i++) x[lThreadIdx.x][i] = v;",
            one,
        ),
        // Code that is more than a loop, or leaves it.
        (
            "",
            "for (int i = 1; i < N; i++) y[lThreadIdx.x][i] = 2; y[lThreadIdx.x][0] = 3;",
            one,
        ),
        (
            "",
            "if (lThreadIdx.x > 3) return; for (int i = 1; i < N; i++) y[lThreadIdx.x][i] = 2;",
            one,
        ),
        (
            "",
            "for (int i = 1; i < N; i++) { if (x[lThreadIdx.x][i] > 3) break; y[lThreadIdx.x][i] = 2; }",
            one,
        ),
        // What is not followed.
        (
            "",
            "for (int i = 1; i < N; i++) y[lThreadIdx.x][i] = twice(x[lThreadIdx.x][i]);",
            one,
        ),
        (
            "",
            "for (int i = 1; i < N; i++) atomicAdd(&y[lThreadIdx.x][i], 1.0f);",
            one,
        ),
        (
            "",
            "for (int i = 1; i < N; i++) { float *v = &y[lThreadIdx.x][i]; *v = 1; }",
            one,
        ),
        // Bounds that the kernel has, and steps.
        (
            "",
            "int j = lThreadIdx.x; for (int i = 1; i < j; i++) y[lThreadIdx.x][i] = 2;",
            one,
        ),
        (
            "",
            "for (int i = 1; i < limit; i++) y[lThreadIdx.x][i] = 2;",
            one,
        ),
        (
            "",
            "for (int i = 1; i < N; i += 2) y[lThreadIdx.x][i] = 2;",
            one,
        ),
        // Neighbours are in one warp as it is.
        (
            "",
            "for (int i = 1; i < N; i++) y[i][lThreadIdx.x] = x[i][lThreadIdx.x];",
            one,
        ),
    ] {
        assert!(!is_exchanged(parameters, body, launch), "{body}");
    }
}

/// Whether a kernel of a plane of threads reads arrays through shared memory; `launch` has its arguments.
fn is_cached(parameters: &str, body: &str, launch: &str) -> bool {
    let text = format!(
        "#define N 64\n#define AT(i, k) ((i) * N + (k))\n#define HIDDEN k\n__global__ float a[N][N], b[N][N], c[N][N];\n\
         __global__ float *p, *q, limit; __global__ volatile float v[N][N];\n\
         __global__ void f({parameters})\n{{\n    const int i = lThreadIdx.y, j = lThreadIdx.x;\n    \
         float sum = 0;\n{body}\n}}\nint main()\n{{\n{launch}\n}}\n"
    );
    let mut diagnostics = Diagnostics::new();
    let edits = translate(
        text.as_bytes(),
        &[],
        &Arrays::default(),
        false,
        &mut diagnostics,
    );
    let all: Vec<&Diagnostic> = diagnostics.iter().collect();
    assert!(all.is_empty(), "{body}: {}", all[0].message);
    let out = String::from_utf8(edits.apply(text.as_bytes())).expect("ASCII");
    assert_eq!(
        out.contains("_tile"),
        out.contains(", true, true))"),
        "{out}"
    );
    out.contains("_tile")
}

#[test]
fn loops_that_all_threads_run_alike_go_through_shared_memory() {
    let launch = "f<[<N, N>]>();";
    let product = "for (int k = 0; k < N; k++) sum += a[i][k] * b[k][j];";
    for (parameters, body, launch) in [
        ("", product, launch),
        (
            "",
            "int k; for (k = 2; k < lGridDim.x; ++k) { float x = a[i][k]; sum += x * b[k][j]; }",
            launch,
        ),
        (
            "int n",
            "for (int k = 0; k < n - 1; k++) sum += a[i][k + 1] * b[k][j];",
            "f<[<N, N>]>(5);",
        ),
        (
            "",
            "for (size_t k = 0; k < N; k++) sum += p[AT(i, k)] * q[k * N + j];",
            launch,
        ),
        (
            "float *x, float y[][N]",
            "for (int k = 0; k < N; k++) sum += x[i * N + k] * y[k][j];",
            "f<[<N, N>]>(p, b);",
        ),
        (
            "",
            "c[i][j] = 0; for (int k = 0; k < N; k++) c[i][j] += a[i][k] * b[k][j];",
            launch,
        ),
        (
            "",
            "for (int k = 0; k < N; k++) sum += a[i][k] * b[k][j] + c[i][j];",
            launch,
        ),
        (
            "",
            &format!("{product} c[i][j] = sum; if (sum > 3) return; c[i][j] = 3;"),
            launch,
        ),
        // Elements that the place of others is in.
        (
            "",
            "for (int k = 0; k < N; k++) sum += a[i][(int)b[j][k]] * b[(int)a[i][k]][j];",
            launch,
        ),
    ] {
        assert!(is_cached(parameters, body, launch), "{body}");
    }
    for (parameters, body, launch) in [
        // Threads run it differently often, or not at all.
        (
            "",
            "for (int k = 0; k < i; k++) sum += a[i][k] * b[k][j];",
            launch,
        ),
        (
            "",
            "for (int k = i; k < N; k++) sum += a[i][k] * b[k][j];",
            launch,
        ),
        (
            "",
            "for (int k = 0; k < limit; k++) sum += a[i][k] * b[k][j];",
            launch,
        ),
        (
            "int n",
            "n += i; for (int k = 0; k < n; k++) sum += a[i][k] * b[k][j];",
            "f<[<N, N>]>(5);",
        ),
        (
            "float n",
            "for (int k = 0; k < n; k++) sum += a[i][k] * b[k][j];",
            "f<[<N, N>]>(5);",
        ),
        (
            "",
            "for (int k = 0; k < N; k += 2) sum += a[i][k] * b[k][j];",
            launch,
        ),
        (
            "",
            "if (i > 3) return; for (int k = 0; k < N; k++) sum += a[i][k] * b[k][j];",
            launch,
        ),
        (
            "",
            "if (i > 3) for (int k = 0; k < N; k++) sum += a[i][k] * b[k][j];",
            launch,
        ),
        (
            "",
            "for (int k = 0; k < N; k++) { if (sum > 9) break; sum += a[i][k] * b[k][j]; }",
            launch,
        ),
        (
            "",
            "for (int k = 0; k < N; k++) { sum += a[i][k] * b[k][j]; k += 1; }",
            launch,
        ),
        (
            "",
            "#ifdef N\nfor (int k = 0; k < N; k++) sum += a[i][k] * b[k][j];\n#endif",
            launch,
        ),
        // Elements that may not be there, or are others.
        (
            "",
            "for (int k = 0; k < N; k++) sum += i > k ? a[i][k] * b[k][j] : 0;",
            launch,
        ),
        (
            "",
            "for (int k = 0; k < N; k++) { int m = k + 1; sum += a[i][m] * b[m][j]; }",
            launch,
        ),
        (
            "",
            "for (int k = 0; k < N; k++) sum += a[i][HIDDEN] * b[HIDDEN][j];",
            launch,
        ),
        (
            "",
            "int m = a[i][0]; for (int k = 0; k < N; k++) sum += a[i][k] * b[k][j];",
            launch,
        ),
        // What is written, or may be; what is used after.
        (
            "",
            "for (int k = 0; k < N; k++) a[i][j] += a[i][k] * b[k][j];",
            launch,
        ),
        (
            "float *x, float *y",
            "for (int k = 0; k < N; k++) x[j] += p[i * N + k] * y[k * N + j];",
            "f<[<N, N>]>(p, q);",
        ),
        (
            "",
            "p[i] = 0; for (int k = 0; k < N; k++) sum += p[i * N + k] * q[k * N + j];",
            launch,
        ),
        (
            "",
            "for (int k = 0; k < N; k++) { float *x = &a[i][j]; *x += a[i][k] * b[k][j]; }",
            launch,
        ),
        (
            "",
            "for (int k = 0; k < N; k++) atomicAdd(&c[i][j], a[i][k] * b[k][j]);",
            launch,
        ),
        (
            "",
            "int k; for (k = 0; k < N; k++) sum += a[i][k] * b[k][j]; c[i][j] = k;",
            launch,
        ),
        (
            "",
            "for (int k = 0; k < N; k++) sum += v[i][k] * v[k][j];",
            launch,
        ),
        // No plane, or no common elements of both dimensions.
        ("", product, "f<[<N, N, 2>]>();"),
        ("", "for (int k = 0; k < N; k++) sum += a[i][k];", launch),
        (
            "",
            "for (int k = 0; k < N; k++) sum += a[i][j + k];",
            launch,
        ),
    ] {
        assert!(!is_cached(parameters, body, launch), "{body}");
    }
}
