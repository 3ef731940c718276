//! `--feedback` of copies in functions that loops of the host call.

use super::{Folder, text};

const STEPS: &str = "#include <stdlib.h>
void outside(void);
static void step(int n, double *u, double *v)
{
    #pragma acc parallel loop copy(u[0:n], v[0:n])
    for (int i = 0; i < n; i++)
        u[i] += v[i];
}
static void twice(int n, double *u)
{
    #pragma acc parallel loop copyout(u[0:n])
    for (int i = 0; i < n; i++)
        u[i] = 2;
}
static void host(int n, double *w)
{
    #pragma acc parallel loop copy(w[0:n])
    for (int i = 0; i < n; i++)
        w[i] += 1;
    w[0] = 0;
}
int main(void)
{
    int m = 1000, steps = 10;
    double *a = calloc(m, 8), *b = calloc(m, 8), *c = calloc(m, 8), *d = calloc(m, 8);
    for (int t = 0; t < steps; t++) {
        step(m, a, b);
        #pragma acc parallel loop copy(a[0:m])
        for (int i = 0; i < m; i++)
            a[i] += 1;
    }
    for (int t = 0; t < 7; t++)
        twice(m, c);
    for (int t = 0; t < 8; t++)
        if (t % 2)
            host(m, d);
    return a[3] + c[3] + d[3];
}
";

/// Where the program computes the same with it, a region around the loop is proposed, in the words
/// of the function that has the loop.
#[test]
fn loops_around_calls_repeat_copies() {
    let folder = Folder::with(&[("f.c", STEPS)]);
    let said = text(&folder.accrs("check --feedback --message-format short f.c"));
    let moved: Vec<&str> = said.lines().filter(|l| l.contains("[A0539]")).collect();
    let line = |place: &str, text: &str| format!("f.c:{place}: note[A0539]: {text}");
    let both = "is copied to the device and back";
    assert_eq!(
        moved,
        [
            line(
                "5:36",
                &format!("`u[0:n]` {both}: 8·n bytes each way, in each of `steps` iterations")
            ),
            line(
                "5:44",
                &format!("`v[0:n]` {both}: 8·n bytes each way, in each of `steps` iterations")
            ) + ": a `data` region with `copy(b[0:m])` around the loop over `t` would copy it once (line 26)",
            line(
                "11:39",
                "`u[0:n]` is copied to the host: 8·n bytes, in each of 7 iterations: a `data` region \
                 with `copyout(c[0:m])` around the loop over `t` would copy it once (line 32)"
            ),
            // The host writes it, too.
            line(
                "17:36",
                &format!(
                    "`w[0:n]` {both}: 8·n bytes each way, in at most 8 iterations: the host uses `w` in \
                     the loop (line 20)"
                )
            ),
            line(
                "28:40",
                &format!("`a[0:m]` {both}: 8·m bytes each way, in each of `steps` iterations")
            ) + ": a `data` region with `copy(a[0:m])` around the loop over `t` would copy it once \
                 for 2 constructs (line 26)",
        ],
        "{said}"
    );
}

/// Around which there is a region already.
#[test]
fn loops_inside_of_regions_repeat_nothing() {
    let code = "static void step(int n, double *w)
{
    #pragma acc parallel loop copy(w[0:n])
    for (int i = 0; i < n; i++)
        w[i] += 1;
}
void f(int n, double *e)
{
    #pragma acc data copy(e[0:n])
    for (int t = 0; t < 9; t++)
        step(n, e);
}
";
    let folder = Folder::with(&[("f.c", code)]);
    let said = text(&folder.accrs("check --feedback --message-format short f.c"));
    assert!(
        said.contains(
            "`w[0:n]` is copied to the device and back unless it is present: 8·n bytes each way\n"
        ),
        "{said}"
    );
}

/// What costs more is told of first: more bytes, or both ways.
#[test]
fn copies_of_one_order_are_told_of_by_their_bytes() {
    let code = "void f(int n, const int *r, const double *restrict x, double *restrict y)
{
    #pragma acc parallel loop copyin(r[0:n], x[0:n]) copy(y[0:n])
    for (int i = 0; i < n; i++)
        y[i] += x[r[i]];
}
";
    let folder = Folder::with(&[("f.c", code)]);
    let said = text(&folder.accrs("check --feedback f.c"));
    let ranked: Vec<&str> = said.lines().skip(1).take(3).collect();
    for (line, array) in ranked.iter().zip(["y", "x", "r"]) {
        assert!(line.contains(&format!("`{array}[0:n]`")), "{said}");
    }
}

const STATICS: &str = "static float A[64][64], B[64][64];
int chosen;
void outside(void);
static void copy_all(void)
{
    #pragma acc parallel loop collapse(2)
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 64; j++)
            B[i][j] = A[i][j];
}
static int n = 64;
static void grow(void)
{
    n++;
}
void f(float *c, int steps)
{
    for (int k = 0; k < 5; k++)
        copy_all();
    for (int k = 0; k < 6; k++) {
        #pragma acc parallel loop copy(c[0:n])
        for (int i = 0; i < n; i++)
            c[i] += 1;
        grow();
    }
    while (c[0] < steps) {
        #pragma acc kernels copy(c[0:n])
        for (int i = 0; i < n; i++)
            c[i] += 1;
        #pragma acc update self(c[0:1])
    }
    for (int k = 0; steps > k && k < 9; k++) {
        #pragma acc kernels copy(c[0:n])
        for (int i = 0; i < n; i++)
            c[i] += 1;
        #pragma acc update self(c[0:1])
    }
}
int main(void) { return B[1][2]; }
";

/// A function may change what other files name, or what it changes; an array stays where it is. An
/// `update` is no copy that a region around the loop would be in the way of.
#[test]
fn variables_that_calls_change_are_those_that_they_name() {
    let folder = Folder::with(&[("f.c", STATICS)]);
    let said = text(&folder.accrs("check --feedback --message-format short f.c"));
    for part in [
        "f.c:9:23: note[A0539]: `A` is copied to the device: 16384 bytes, in each of 5 iterations: a `data` \
         region with `copyin(A)` around the loop over `k` would copy it once (line 18)",
        "in each of 6 iterations: the section depends on `n`, which changes in the loop (line 14)",
        "f.c:27:34: note[A0539]: `c[0:n]` is copied to the device and back: 4·n bytes each way, in each \
         iteration of the loop around: the host uses `c` in the loop (line 26)",
        "f.c:33:34: note[A0539]: `c[0:n]` is copied to the device and back: 4·n bytes each way, in each \
         iteration of the loop around: a `data` region with `copy(c[0:n])` around the loop would copy it \
         once (line 32)",
        "f.c:36:33: note[A0539]: `c[0:1]` is copied to the host: 4 bytes, in each iteration of the loop \
         around: other directives in the loop copy it, too",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
}

/// What is in the way of an `update` is another directive, in a function at times.
#[test]
fn functions_use_what_an_update_copies() {
    let code = "static double u[1000], v[1000];
static void sweep(void)
{
    #pragma acc parallel loop present(u)
    for (int i = 0; i < 1000; i++) u[i] *= 2;
}
static void look(void)
{
    #pragma acc parallel loop present(u, v)
    for (int i = 0; i < 1000; i++) v[i] = u[i];
}
void f(void)
{
    for (int k = 0; k < 3; k++) {
        #pragma acc update device(u)
        sweep();
    }
    for (int k = 0; k < 3; k++) {
        #pragma acc update device(u)
        look();
    }
}
";
    let folder = Folder::with(&[("f.c", code)]);
    let said = text(&folder.accrs("check --feedback --message-format short f.c"));
    for part in [
        "f.c:15:35: note[A0539]: `u` is copied to the device: 8000 bytes, in each of 3 iterations: kernels in \
         the loop use it in between (line 4)",
        "f.c:19:35: note[A0539]: `u` is copied to the device: 8000 bytes, in each of 3 iterations: functions \
         that the loop calls use it (line 9)",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
}

const POWER: &str = "#include <stdio.h>
double dot(int n, const double *x, const double *y)
{
    double s = 0;
    #pragma acc parallel loop reduction(+:s) copyin(x[0:n], y[0:n])
    for (int i = 0; i < n; i++)
        s += x[i] * y[i];
    return s;
}
void matvec(int n, const double *restrict A, const double *restrict x, double *restrict y)
{
    #pragma acc parallel loop
    for (int i = 0; i < n; i++) {
        double s = 0;
        for (int j = 0; j < n; j++)
            s += A[i * n + j] * x[j];
        y[i] = s;
    }
}
void power(int n, int most, const double *restrict A, double *restrict x, double *restrict y)
{
    for (int it = 0; it < most && dot(n, x, x) > 1; it++) {
        matvec(n, A, x, y);
        matvec(n, A, y, x);
    }
}
void other(int n, double *z)
{
    #pragma acc enter data copyin(z[0:n])
}
";

/// What functions copy in a loop that other conditions may leave, and which callers may have on the
/// device; the largest is told of first.
#[test]
fn copies_by_functions_in_loops_are_told_of_first() {
    let folder = Folder::with(&[("f.c", POWER)]);
    let said = text(&folder.accrs("check --feedback f.c"));
    let first: Vec<&str> = said.lines().skip(1).take(2).collect();
    assert_eq!(
        first,
        [
            "  1. f.c:16: `A[0:n * n]` is copied to the device unless it is present: 8·n·n bytes, in iterations \
             of the loop over `it`",
            "     a `data` region with `copyin(A[0:n * n])` around the loop over `it` would copy it once (line 22); \
             16·n·n bytes together",
        ],
        "{said}"
    );
}

/// Each loop that calls a function is told of, and what repeats a copy more often is first.
#[test]
fn each_calling_loop_is_told_of() {
    let code = "static void scale(int n, double *x)
{
    #pragma acc parallel loop copy(x[0:n])
    for (int i = 0; i < n; i++)
        x[i] *= 2;
}
void f(int n, int steps, double *a, double *b, double *c)
{
    for (int k = 0; k < 10; k++)
        scale(n, a);
    for (int k = 0; k < 2000; k++)
        scale(n, b);
    for (int k = 0; k < 20; k++) {
        #pragma acc parallel loop copy(c[0:n])
        for (int i = 0; i < n; i++)
            c[i] += 1;
    }
    for (int k = 0; k < steps; k++) {
        #pragma acc parallel loop copy(c[0:n])
        for (int i = 0; i < n; i++)
            c[i] += 1;
    }
}
";
    let folder = Folder::with(&[("f.c", code)]);
    let said = text(&folder.accrs("check --feedback f.c"));
    let summary = said.split("\n\n").next().unwrap_or_default();
    let lines: Vec<&str> = summary.lines().skip(1).collect();
    for (two, (place, name, times)) in lines.chunks(2).zip([
        ("f.c:19", "c", "`steps`"),
        ("f.c:3", "b", "2000"),
        ("f.c:14", "c", "20"),
        ("f.c:3", "a", "10"),
    ]) {
        let is_it = two[0].contains(&format!(" {place}: "))
            && two[0].ends_with(&format!("in each of {times} iterations"))
            && two[1].contains(&format!("with `copy({name}[0:n])`"));
        assert!(is_it, "{place} {name} {times}\n{said}");
    }
    assert_eq!(lines.len(), 8, "{said}");
}

/// A caller of the function that has the loop has it on the device.
#[test]
fn regions_around_outer_calls_are_seen() {
    let code = "static void step(int n, double *w)
{
    #pragma acc parallel loop copy(w[0:n])
    for (int i = 0; i < n; i++)
        w[i] += 1;
}
static void steps(int n, double *v)
{
    for (int t = 0; t < 9; t++)
        step(n, v);
}
void f(int n, double *e)
{
    #pragma acc data copy(e[0:n])
    steps(n, e);
}
";
    let folder = Folder::with(&[("f.c", code)]);
    let said = text(&folder.accrs("check --feedback --message-format short f.c"));
    let line =
        "`w[0:n]` is copied to the device and back unless it is present: 8·n bytes each way\n";
    assert!(said.contains(line), "{said}");
}

/// Pointers that a loop exchanges, and which functions get, have one region for both; each loop is told of.
#[test]
fn functions_get_pointers_that_a_loop_exchanges() {
    let code = "static double step(int n, const double *restrict u, double *restrict v)
{
    double most = 0;
    #pragma acc parallel loop copyin(u[0:n]) copyout(v[0:n]) reduction(max:most)
    for (int i = 1; i < n - 1; i++) {
        v[i] = (u[i - 1] + u[i + 1]) * 0.5;
        most = v[i] - u[i] > most ? v[i] - u[i] : most;
    }
    return most;
}
void until(int n, double tolerance, double *a, double *b)
{
    double error = 1;
    while (error > tolerance) {
        error = step(n, a, b);
        double *old = a; a = b; b = old;
    }
}
void both(int n, double tolerance, double *c, double *d)
{
    double error = 1;
    while (error > tolerance) {
        step(n, c, d);
        error = step(n, d, c);
    }
}
void seen(int n, int steps, double *e, double *f)
{
    for (int t = 0; t < steps; t++) {
        step(n, e, f);
        double *old = e; e = f; f = old;
        f[0] = t;
    }
}
";
    let folder = Folder::with(&[("f.c", code)]);
    let said = text(&folder.accrs("check --feedback --message-format short f.c"));
    let of_u: Vec<&str> = said.lines().filter(|l| l.contains(":4:38: ")).collect();
    let copied = "f.c:4:38: note[A0539]: `u[0:n]` is copied to the device: 8·n bytes, in each";
    let expected = [
        "of `steps` iterations: the host may use the memory of `e` in the loop (line 32)",
        "iteration of the loop around: a `data` region with `copy(a[0:n], b[0:n])` around the loop would \
         copy them once (line 14)",
        "iteration of the loop around: a `data` region with `copy(c[0:n])` around the loop would copy it \
         once (line 22)",
    ];
    for part in expected {
        let is_told = of_u.iter().any(|line| *line == format!("{copied} {part}"));
        assert!(is_told, "{part}\n{said}");
    }
    assert_eq!(of_u.len(), expected.len(), "{said}");
    let told = text(&folder.accrs("check --feedback f.c"));
    let together = "would copy them once (line 14); 16·n bytes together";
    assert!(told.contains(together), "{told}");
}

/// An update that is made a few times ranks behind one that is made as often as the program says.
#[test]
fn updates_rank_by_their_number() {
    let code = "void f(int n, float *restrict few, float *restrict many, float *restrict all)
{
    #pragma acc parallel loop copy(few[0:1])
    for (int i = 0; i < 8; i++) {
        #pragma acc atomic update
        *few += i;
    }
    #pragma acc parallel loop copy(many[0:1])
    for (int i = 0; i < 10000; i++) {
        for (int k = 0; k < 4; k++) {
            #pragma acc atomic update
            *many += i;
        }
    }
    #pragma acc parallel loop copy(all[0:1])
    for (int i = 0; i < n; i++) {
        #pragma acc atomic update
        *all += i;
    }
}
";
    let folder = Folder::with(&[("f.c", code)]);
    let said = text(&folder.accrs("check --feedback f.c"));
    let summary = said.split("\n\n").next().unwrap_or_default();
    let updates: Vec<&str> = summary.lines().filter(|l| l.contains("update `")).collect();
    let expected = [
        "  1. f.c:18: all threads update `*all`, one after the other",
        "  2. f.c:12: all threads update `*many`, one after the other",
    ];
    assert_eq!(updates, expected, "{said}");
    assert!(said.contains("= note: 40000 updates in a launch"), "{said}");
}
