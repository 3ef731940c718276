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
