//! `--feedback` of copies that loops of the host repeat: what would copy once, or why nothing would.

use super::{Folder, text};

/// What is said of the copies in a file, a line each, without place and code.
fn copies(code: &str) -> Vec<String> {
    let folder = Folder::with(&[("f.c", code)]);
    let said = text(&folder.accrs("check --feedback --message-format short f.c"));
    let copied = said.lines().filter_map(|l| l.split_once("note[A0539]: "));
    copied.map(|(_, line)| line.to_owned()).collect()
}

/// Statements in a loop of the host over `t`, with the clauses of constructs between `@` and directives
/// between `%`, and what is said of one of the copies in it behind the number of iterations.
const LOOPS: [(&str, &str); 40] = [
    // Rows of a length that the program knows, in full or but for the rims.
    (
        "@collapse(2)@ for (int j = 0; j < m; j++) v[i][j] = u[i][j];",
        "a `data` region with `copyin(u[0:n][0:m])` around the loop over `t` would copy it once (line 4)",
    ),
    (
        "@collapse(2)@ for (int j = 0; j < m; j++) u[i][j] += 1;",
        "a `data` region with `copy(u[0:n][0:m])` around the loop over `t` would copy it once (line 4)",
    ),
    (
        "@copy(w[0:n])@ for (int j = 0; j < k; j++) w[i][j] += 1;",
        "`k` changes, by which its rows are declared",
    ),
    // One section holds the other, in numbers and in variables.
    (
        "@copyin(a[0:n])@ b[i] = a[i]; @copy(a[1:n - 2])@ a[1 + i / 2] += 1;",
        "a `data` region with `copy(a[0:n])` around the loop over `t` would copy it once for 2 constructs (line 4)",
    ),
    (
        "@copyin(a[0:90])@ b[i] = a[i]; @copyin(a[10:80])@ b[i] += a[i];",
        "a `data` region with `copyin(a[0:90])` around the loop over `t` would copy it once for 2 constructs (line 4)",
    ),
    (
        "@copyin(a[0:90])@ b[i] = a[i]; @copyin(a[10:81])@ b[i] += a[i];",
        "the constructs in the loop copy different sections",
    ),
    // Directives without a block.
    (
        "%enter data copyin(a[0:n])% @present(a)@ a[i] += 1; %exit data copyout(a[0:n])%",
        "a `data` region with `copy(a[0:n])` around the loop over `t` would copy it once (line 4)",
    ),
    (
        "%enter data copyin(a[0:n])% @present(a)@ a[i] += 1; %exit data delete(a[0:n])%",
        "what the loop's kernels write to it does not come back",
    ),
    (
        "%update device(a[0:n])% @present(a, b)@ b[i] = a[i];",
        "`update device(a[0:n])` before the loop over `t` would copy it once (line 4)",
    ),
    (
        "@present(a, b)@ b[i] = a[i]; %update self(b[0:n])%",
        "`update self(b[0:n])` behind the loop over `t` would copy it once, if the loop runs at all (line 4)",
    ),
    // What comes back has values only where an iteration has run.
    (
        "@copyout(b[0:n])@ b[i] = m;",
        "a `data` region with `copyout(b[0:n])` around the loop over `t` would copy it once, if the loop runs at all (line 4)",
    ),
    (
        "if (t & 1) { @copyout(b[0:n])@ b[i] = m; }",
        "a `data` region with `copy(b[0:n])` around the loop over `t` would copy it once (line 4)",
    ),
    (
        "for (int q = 0; q < 3; q++) { @copyout(b[0:n])@ b[i] = m; }",
        "a `data` region with `copyout(b[0:n])` around the loop over `t` would copy it once, if the loop runs at all (line 4)",
    ),
    (
        "%update device(a[0:n])% @present(a)@ a[i] += 1;",
        "kernels in the loop use it in between (line 7)",
    ),
    (
        "@present(a, b)@ b[i] = a[i]; %update device(a[0:n])%",
        "kernels in the loop use it in between (line 5)",
    ),
    (
        "%update self(b[0:n])% @present(a, b)@ b[i] = a[i];",
        "kernels in the loop use it in between (line 7)",
    ),
    (
        "%update device(a[0:n])% @present(a, b)@ b[i] = a[i]; %update device(a[0:n])%",
        "other directives in the loop copy it, too (line 9)",
    ),
    (
        "%update device(a[0:n]) self(a[0:n])% @present(a, b)@ b[i] = a[i];",
        "another clause of the directive copies it, too",
    ),
    (
        "%enter data create(a[0:n])% %update device(a[0:n])% @present(a, b)@ b[i] = a[i]; %exit data delete(a)%",
        "directives in the loop begin or end its time on the device (line 5)",
    ),
    (
        "@present(a, b)@ b[i] = a[i]; if (t & 1) {%update self(b[0:n])%}",
        "not each iteration copies it (line 7)",
    ),
    (
        "@present(a, b)@ b[i] = a[i]; if (t > 3) break; %update self(b[0:n])%",
        "not each iteration copies it (line 7)",
    ),
    (
        "@present(a, b)@ b[i] = a[i]; %update self(b[0:n])% show(b[0]);",
        "the host uses `b` in the loop (line 8)",
    ),
    // What is in the way.
    (
        "@copy(a[0:n])@ a[i] += 1; double *o = a; a = b; b = o;",
        "the loop exchanges `a` and `b`, and not all have one section there",
    ),
    (
        "@copyin(a[0:n]) copyout(b[0:n])@ b[i] = a[i]; double *o = a; a = b; b = o;",
        "a `data` region with `copy(a[0:n], b[0:n])` around the loop over `t` would copy them once (line 4)",
    ),
    (
        "@copyin(a[0:n]) copyout(b[0:n])@ b[i] = a[i]; @copy(b[0:n])@ b[i] *= 2; do { double *o = b; b = a; a = o; } while (0);",
        "a `data` region with `copy(a[0:n], b[0:n])` around the loop over `t` would copy them once for 2 constructs (line 4)",
    ),
    (
        "@copyin(a[0:n]) copyout(b[0:9])@ b[i & 7] = a[i]; double *o = a; a = b; b = o;",
        "the loop exchanges `a` and `b`, and constructs copy different sections of them",
    ),
    // A function that does nothing else exchanges them, too.
    (
        "@copyin(a[0:n]) copyout(b[0:n])@ b[i] = a[i]; swap(&a, &b);",
        "a `data` region with `copy(a[0:n], b[0:n])` around the loop over `t` would copy them once (line 4)",
    ),
    (
        "@copyin(a[0:n]) copyout(b[0:n])@ b[i] = a[i]; swap(&a, &b); show(b[0]);",
        "the host uses `b` in the loop (line 6)",
    ),
    (
        "@copyin(a[0:n]) copyout(b[0:n])@ b[i] = a[i]; moved(&a, &b);",
        "the pointer `b` changes in the loop (line 6)",
    ),
    (
        "@copyin(a[0:n]) copyout(b[0:n])@ b[i] = a[i]; kept_too(&a, &b);",
        "the pointer `b` changes in the loop (line 6)",
    ),
    (
        "@copyin(a[0:n]) copyout(b[0:n])@ b[i] = a[i]; turned(&a, &a, &b);",
        "the pointer `b` changes in the loop (line 6)",
    ),
    (
        "@copyin(a[0:n]) copyout(b[0:n])@ b[i] = a[i]; unseen(&a, &b);",
        "the pointer `b` changes in the loop (line 6)",
    ),
    (
        "@copyin(a[0:n]) copyout(b[0:n])@ b[i] = a[i]; double *o = a; a = b; b = o; show(b[0]);",
        "the host uses `b` in the loop (line 6)",
    ),
    (
        "@copyin(a[0:n]) copyout(b[0:n])@ b[i] = a[i]; double *o = a; a = b; b = a;",
        "the pointer `b` changes in the loop (line 6)",
    ),
    (
        "@copyin(a[0:n]) copyout(b[0:n])@ b[i] = a[i]; if (t & 1) { double *o = a; a = b; b = o; }",
        "the pointer `b` changes in the loop (line 6)",
    ),
    (
        "@copyin(a[0:n]) copyout(b[0:n])@ b[i] = a[i]; double *o = a; a = b; b = o; o[t] = 1;",
        "the pointer `b` changes in the loop (line 6)",
    ),
    (
        "@copyin(a[t:10])@ b[i] = a[t + i];",
        "the section depends on `t`, which changes in the loop (line 4)",
    ),
    (
        "@copy(a[0:n]) if(t > 2)@ a[i] += 1;",
        "an `if` clause decides whether it is copied (line 5)",
    ),
    (
        "@copyin(always: a[0:n])@ b[i] = a[i];",
        "`always` asks for it each time (line 5)",
    ),
    (
        "@copy(a[0:n])@ a[i] += 1; if (t > 5) return;",
        "`return` leaves the loop (line 6)",
    ),
];

/// With other words for what stands between two marks.
fn between(text: &str, mark: char, other: impl Fn(&str) -> String) -> String {
    let parts = text.split(mark).enumerate();
    let parts = parts.map(|(number, part)| match number % 2 {
        0 => part.to_owned(),
        _ => other(part),
    });
    parts.collect()
}

#[test]
fn loops_of_the_host_repeat_copies_for_a_reason() {
    for (statements, expected) in LOOPS {
        let lines = between(statements, '%', |words| format!("\n#pragma acc {words}\n"));
        let lines = between(&lines, '@', |clauses| {
            format!("\n#pragma acc parallel loop {clauses}\nfor (int i = 0; i < n; i++)")
        });
        let code = format!(
            "void show(double); void unseen(double **x, double **y); \
             static void swap(double **x, double **y) {{ double *t = *x; *x = *y; *y = t; }} \
             static double *kept; \
             static void kept_too(double **x, double **y) {{ double *t = *x; *x = *y; *y = t; kept = t; }} \
             static void turned(double **x, double **y, double **z) {{ double *t = *x; *x = *y; *y = *z; *z = t; }} \
             static void moved(double **x, double **y) {{ double *t = *x; *x = *y + 1; *y = t; }}\n\
             void f(int n, int m, int k, int steps, double (*restrict u)[m], double (*restrict v)[m], double (*w)[k], double *a, double *b)\n\
             {{\n    k++; for (int t = 0; t < steps; t++) {{ {lines} }}\n}}\n"
        );
        let said = copies(&code);
        assert!(
            said.iter().any(|line| line.ends_with(expected)),
            "{statements}\n{code}\n{said:#?}"
        );
    }
}

const SPELLED: &str = "#define N 1000
#define RADIUS 3
#define AT(g, i, j) ((g)[(i) * nx + (j)])
struct body { float x, y, z, vx, vy, vz; };
struct soa { float *x, *y; };
void f(int n, int nx, float *restrict a, float *restrict b, struct body *restrict p, struct soa *restrict q)
{
    #pragma acc parallel loop copy(a[RADIUS:n - 2 * RADIUS]) copyin(b[0:n * sizeof(float)])
    for (int i = 3; i < n; i++) {
        #pragma acc loop seq
        for (int j = 0; j < nx; j++)
            AT(a, j, i) = AT(b, i, j);
    }
    #pragma acc parallel loop copy(p[0:n])
    for (int i = 0; i < n; i++)
        p[i].vx += p[i].x;
    #pragma acc parallel loop copy(a[0:n])
    for (float *o = a; o < a + n; o++)
        *o = *o * 0.5f;
    #pragma acc parallel loop gang vector collapse(2) vector_length(128) copy(a[0:n * N])
    for (int x = 0; x < n; x++)
        for (int y = 0; y < N; y++)
            a[x * N + y] = 1;
    #pragma acc parallel loop present(q)
    for (int i = 0; i < n; i++)
        q->x[i] += q->y[i];
    double u[n][N];
    #pragma acc parallel loop collapse(2) copyout(u)
    for (int x = 0; x < n; x++)
        for (int y = 0; y < N; y++)
            u[x][y] = 1;
}
";

/// In the program's words, and nothing of what could not be otherwise.
#[test]
fn what_is_told_is_the_programs() {
    let folder = Folder::with(&[("f.c", SPELLED)]);
    let said = text(&folder.accrs("check --feedback --message-format short f.c"));
    for part in [
        "`a[RADIUS:n - 2 * RADIUS]` is copied to the device and back: 4·(n - 2 * RADIUS) bytes each way",
        "`b[0:n * sizeof(float)]` is copied to the device: 16·n bytes",
        "a warp reads `AT(b, i, j)` in 32 transactions",
        "a warp reads `p[i].x` in 6 transactions",
        "loop over `o` is gang vector",
        "loop over `x` is gang: blockIdx.y, block 128 x 1 x 1",
        "`u` is copied to the host: 8000·n bytes",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
    assert_eq!(said.matches("how a warp").count(), 1, "{said}");
    for part in [
        "o_index",
        "A0534",
        "with `o`, which",
        "`a` is in global memory",
    ] {
        assert!(!said.contains(part), "{part}\n{said}");
    }
    let told = text(&folder.accrs("check --feedback f.c"));
    for part in [
        "elements lie 24 bytes apart: a structure of arrays has them side by side",
        "so are 2 other accesses of the kernel",
    ] {
        assert!(told.contains(part), "{part}\n{told}");
    }
}

const ROWS: &str = "#include <math.h>
static const int K = 2;
static int hist[16], idx[4096];
static float u[256][256], palette[8];
static struct { double m[3][3]; int id; } box[4096];
void f(int n, int m, int inc, const double (*restrict a)[m], double *restrict x, double *restrict y)
{
    #pragma acc parallel loop copyin(a[0:n]) copyout(y[0:n])
    for (int i = 0; i < n; i++) {
        double s = 0;
        for (int j = 0; j < m; j++)
            s += a[i][j];
        y[i] = s;
    }
    #pragma acc parallel loop gang copyin(u) copyout(x[0:256])
    for (int j = 0; j < 256; j++) {
        double s = 0;
        #pragma acc loop vector reduction(+:s)
        for (int i = 0; i < 256; i++)
            s += u[i][j];
        x[j] = s;
    }
    #pragma acc parallel loop copy(x[0:n])
    for (int i = 0; i < 256; i++)
        x[i * inc] += x[i * K + 1];
    #pragma acc parallel loop reduction(+:hist)
    for (int i = 0; i < 4096; i++)
        hist[idx[i] & 15]++;
    #pragma acc parallel loop copyout(x[0:4096])
    for (int i = 0; i < 4096; i++)
        x[i] = palette[idx[i] & 7] + box[i].m[1][1];
}
void g(double *restrict x, double *restrict v)
{
    double err = 0, most = 0;
    int at = 0;
    #pragma acc kernels copyin(x[0:4096])
    for (int i = 0; i < 4096; i++)
        err = err > fabs(x[i]) ? err : fabs(x[i]);
    #pragma acc kernels copyin(x[0:4096])
    for (int i = 0; i < 4096; i++)
        if (x[i] > most) {
            most = x[i];
            at = i;
        }
    #pragma acc kernels copy(v[0:4096])
    for (int i = 0; i < 4096; i++)
        v[idx[i]] += 1;
    v[at] = err + most;
}
";

/// Ways out of accesses and loops that cost, and nothing of what is not in device memory, or not known.
#[test]
fn what_costs_has_a_way_out() {
    let folder = Folder::with(&[("f.c", ROWS)]);
    let said = text(&folder.accrs("check --feedback f.c"));
    for part in [
        "`gang` on the loop over `i` and `vector reduction(+:s)` on that over `j` have the lanes of a warp side \
         by side in a row\n",
        "`gang vector` on the loop over `j` alone, with that over `i` within each thread, has the lanes",
        "how a warp reads `x[i * inc]` is not known",
        "it depends on `inc`: `--assume inc=VALUE` gives its value",
        "a warp reads `x[i * K + 1]` in 4 transactions and 16 sectors",
        "elements lie 80 bytes apart",
        "write `err = d > err ? d : err`, which takes none (with `d` for `fabs(x[i])`), or add `reduction(max:err)`",
        "find `most` first, with a `reduction`, and `at` in a loop of its own",
        "make the update `atomic`, or mark the loop `independent`",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
    for part in [
        "A0532]: `hist`",
        "a warp reads `hist",
        "a warp reads `palette",
    ] {
        assert!(!said.contains(part), "{part}\n{said}");
    }
    let given = text(&folder.accrs("check --feedback --assume inc=3 f.c"));
    assert!(
        given.contains("a warp reads `x[i * inc]` in 6 transactions"),
        "{given}"
    );
}

const CONSECUTIVE: &str = "void show(double);
void f(int n, double *restrict a, double *restrict b, double *c)
{
    #pragma acc parallel loop copy(a[0:n]) copyin(b[0:n])
    for (int i = 0; i < n; i++)
        a[i] += b[i];
    double s = 0;
    #pragma acc parallel loop copyin(a[0:n]) reduction(+:s)
    for (int i = 0; i < n; i++)
        s += a[i];
    b[0] = s;
    #pragma acc parallel loop copy(a[0:n]) copyin(b[0:n])
    for (int i = 0; i < n; i++)
        a[i] -= b[i];
    #pragma acc parallel loop copyin(c[0:n]) async
    for (int i = 0; i < n; i++)
        c[i] = 1;
    #pragma acc parallel loop copyin(c[0:n]) async
    for (int i = 0; i < n; i++)
        c[i] = 1;
    #pragma acc wait
}
void g(int n, double *a)
{
    #pragma acc parallel loop copyin(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] += 1;
    #pragma acc parallel loop copyout(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = 1;
}
";

/// One region for constructs between which the host does not use an array, told of at the first.
#[test]
fn constructs_that_follow_one_another_copy_an_array_once() {
    let said = copies(CONSECUTIVE);
    let advised: Vec<&String> = said
        .iter()
        .filter(|l| l.contains("`data` region"))
        .collect();
    assert_eq!(
        advised,
        [
            "`a[0:n]` is copied to the device and back: 8·n bytes each way: a `data` region with `copy(a[0:n])` \
          around the 3 constructs from this one on would copy it once (line 12)"
        ],
        "{said:#?}"
    );
}

const STRIDED: &str = "static double a[512][512], b[512][512];
void f(void)
{
    #pragma acc data copy(a, b)
    {
        #pragma acc parallel loop vector_length(32) num_gangs(2)
        for (int i = 0; i < 512; i++)
            a[i][i] = i;
        #pragma acc parallel loop gang(static: 1) vector
        for (int i = 0; i < 512; i++)
            for (int j = 0; j < 512; j++)
                b[i][j] = j;
        #pragma acc parallel num_gangs(1)
        {
            #pragma acc loop seq
            for (int i = 1; i < 512; i++)
                a[0][i] += a[0][i - 1];
        }
    }
}
";

/// By the transactions of all requests, not of one; a few iterations are no matter, however they are
/// shared.
#[test]
fn what_costs_most_is_what_all_of_a_launch_costs() {
    let folder = Folder::with(&[("f.c", STRIDED)]);
    let said = text(&folder.accrs("check --feedback f.c"));
    let summary = said.split("\n\n").next().unwrap_or_default();
    let at = |part: &str| {
        summary
            .find(part)
            .unwrap_or_else(|| panic!("{part}: {said}"))
    };
    assert!(at("`b[i][j]`") < at("`a[i][i]`"), "{said}");
    assert!(!summary.contains("in at most 2 blocks"), "{said}");
    assert!(said.contains("no loop is shared within a gang"), "{said}");
    assert!(!said.contains("a clause says how many"), "{said}");
}

/// What is said of memory, of accesses that a statement repeats, and of what a condition decides.
#[test]
fn what_is_said_is_so() {
    let code = "void own(const float *restrict b, float *restrict a)
{
    #pragma acc parallel loop vector_length(128) present(a, b)
    for (int i = 0; i < 4096; i++) {
        #pragma acc cache(b[i:1])
        a[i] = b[i] + 1;
    }
}
void again(int n, float *restrict a, const float *restrict b)
{
    #pragma acc parallel loop present(a, b)
    for (int i = 0; i < n; i++) { a[i] = b[2 * i] + b[2 * i] * b[2 * i]; a[i] += b[2 * i]; }
}
void red(double u[64][64], int colour)
{
    #pragma acc kernels present(u)
    for (int i = 1; i < 63; i++)
        for (int j = 1; j < 63; j++)
            if (((i + j) & 1) == colour)
                u[i][j] += u[i - 1][j] + u[i][j - 1];
    #pragma acc kernels present(u)
    for (int i = 1; i < 63; i++) {
        if (i == colour)
            u[i][1] = 2;
        u[i][1] += u[i - 1][1];
    }
}
";
    let folder = Folder::with(&[("f.c", code)]);
    let said = text(&folder.accrs("check --feedback --message-format short f.c"));
    assert!(
        said.contains("`b` is in registers, an element for each thread"),
        "{said}"
    );
    assert!(!said.contains("is in shared memory"), "{said}");
    assert_eq!(said.matches("a warp reads `b[2 * i]`").count(), 1, "{said}");
    for part in [
        "f.c:17:5: note[A0500]: loop over `i` is run by one thread: it is not known whether the next iteration \
         reads as `u[i - 1][j]` what was written as `u[i][j]`: a condition decides\n",
        "f.c:22:5: note[A0500]: loop over `i` is run by one thread: the next iteration reads as `u[i - 1][1]` \
         what was written as `u[i][1]`",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
}

/// What a pointer is declared as is present with that.
#[test]
fn a_pointer_to_what_is_present_is_not_copied() {
    let code = |clause: &str| {
        format!(
            "void f(int n, double *restrict x, double *restrict y)\n{{\n    double *p = x;\n    \
             #pragma acc parallel loop {clause}\n    \
             for (double *q = p; q < p + n; q++)\n        *q *= 2;\n}}\n"
        )
    };
    for (clause, has_own) in [("copy(x[0:n])", false), ("copy(y[0:n])", true)] {
        let folder = Folder::with(&[("f.c", &code(clause))]);
        let said = text(&folder.accrs("check --feedback --message-format gcc f.c"));
        assert_eq!(said.contains("`p[0:n]` is copied"), has_own, "{said}");
    }
}

/// Pointers that arrays on the device take turns in are present, and with an array that is not there
/// they need not be.
#[test]
fn pointers_that_take_turns_are_present_with_all_of_their_arrays() {
    for (present, is_copied) in [
        ("copy(x[0:n]) create(y[0:n])", false),
        ("copy(x[0:n])", true),
    ] {
        let code = format!(
            "void f(int n, float *x, float *y)\n{{\n    float *from = x, *to = y;\n    \
             #pragma acc data {present}\n    for (int s = 0; s < 4; s++) {{\n        \
             #pragma acc parallel loop\n        for (int i = 0; i < n; i++)\n            \
             to[i] = 2 * from[i];\n        float *t = from; from = to; to = t;\n    }}\n}}\n"
        );
        let said = copies(&code);
        let told = said
            .iter()
            .any(|line| line.starts_with("`to[0:n]` is copied"));
        assert_eq!(told, is_copied, "{said:?}");
    }
}
