//! What slices are told to use, and why grids stay whole.

use crate::diagnostic::{Diagnostics, codes};
use crate::front::cuda::Lines;
use crate::front::mesi::{Arrays, translate};

const BEFORE: &str = "\
#define ACCRS_MESI_DEVICES 2
#define N 8
#define ROW(i) ((i) * n)
__global__ int a[9], b[10], m[N][N], *p, *q, t, s;
struct pair { int x, y; };
__global__ struct pair pairs[N];
__device__ int counter;
const int size = 5;
__device__ int least(int x, int y) { int z = x; z = y < x ? y : x; return z; }
__device__ int global(int x) { return x + counter; }
__device__ void set(int *to) { *to = 3; }
";

/// The lines of a kernel's uses, or why its grid stays whole.
fn uses(body: &str) -> Result<Vec<String>, String> {
    let text = format!(
        "{BEFORE}__global__ void own(int n, int *v, const int *w, struct pair by) {{ {body} }}\n\
         void run(int count, struct pair by) {{ own<[<8, 4>]>(count + 1, p, q + 2, by); }}\n\
         void change() {{ t = s = 1; }}\n"
    );
    let mut diagnostics = Diagnostics::new();
    let text = text.as_bytes();
    let edits = translate(text, &[], &Arrays::default(), false, &mut diagnostics);
    if let Some(one) = diagnostics.iter().next() {
        assert_eq!(one.code, codes::MESI_WHOLE, "{}", one.message);
        return Err(one.notes[0].clone());
    }
    let out = String::from_utf8(edits.apply_with(text, Lines::New)).expect("ASCII");
    let lines = out.lines().map(str::trim);
    Ok(lines
        .filter_map(|line| line.strip_prefix("uses."))
        .map(|line| line.replace("accrs_mesi::", "").replace("lThread.", ""))
        .collect())
}

#[track_caller]
fn are(body: &str, expected: &[&str]) {
    assert_eq!(
        uses(body).as_deref(),
        Ok(&expected
            .iter()
            .map(|one| one.to_string())
            .collect::<Vec<_>>()[..]),
        "{body}"
    );
}

#[track_caller]
fn stays(body: &str, reason: &str) {
    assert_eq!(uses(body), Err(reason.to_owned()), "{body}");
}

#[test]
fn subscripts_are_ranges_of_what_they_are_made_of() {
    are(
        "int i = lThreadIdx.y; a[i + 1] = b[i - size] + m[lThreadIdx.x][2 * i];",
        &[
            "writes(a, Idx[1] + 1);",
            "reads(b, Idx[1] - Span(size));",
            "reads(m, Idx[0], 2 * Idx[1]);",
        ],
    );
    are(
        "v[ROW(lThread.Idx[1]) + lThread.Idx[0]] += w[(unsigned)(n - 1) * 2];",
        &[
            "writes(p, (Idx[1] * Span((int)(count + 1))) + Idx[0]);",
            "reads(q + 2, to_unsigned(Span((int)(count + 1)) - 1) * 2);",
        ],
    );
    are(
        "for (int k = N - 1; k >= by.x; k -= 2) m[lThreadIdx.x][k] = k;",
        &["writes(m, Idx[0], between(Span(((struct pair)(by)).x), N - 1));"],
    );
    are(
        "pairs[lThreadIdx.x].y++; pairs[lThreadIdx.x].x = least(s, lGridDim.y);",
        &["writes(pairs, Idx[0]);", "reads(s);"],
    );
    are(
        "for (int k = 0; k < n; k++) { int e = k + 1; for (int l = 0; l < 2; l++) m[lThreadIdx.x][e + l] = 1; }",
        &["writes(m, Idx[0], (between(0, Span((int)(count + 1)) - 1) + 1) + between(0, 2 - 1));"],
    );
    // Nothing is known of what is read: all of it.
    are(
        "m[lThreadIdx.x][0] = a[b[lThreadIdx.x] % 9] + w[n / 2] + *v;",
        &[
            "writes(m, Idx[0], 0);",
            "reads(a);",
            "reads(b, Idx[0]);",
            "reads(q + 2);",
            "reads(p);",
        ],
    );
}

#[test]
fn variables_of_several_values_and_of_short_types_are_not_followed() {
    for body in [
        "int i = lThreadIdx.x; i++; m[0][0] = 0; a[i] = 1;",
        "int i = 0; if (n) i = lThreadIdx.x; a[i] = 1;",
        "short i = lThreadIdx.x; a[i] = 1;",
        "float i = lThreadIdx.x; a[(int)i] = 1;",
        "for (int k = 0; k < n; k += n) a[k] = 1;",
        "for (int k = 0; k < n; k++) { a[k] = 1; k += 2; }",
        "for (int k = n; k < n; k--) a[k] = 1;",
        "int k; for (k = 0; k < n; k++) ; a[k] = 1;",
        // What another loop's variable was is not what this one's is.
        "int e; for (int k = 0; k < 9; k++) e = k; for (int k = 0; k < 2; k++) a[e] = 1;",
        "a[lThreadIdx.x % 3] = 1;",
        "a[lThreadIdx.x << 1] = 1;",
        "a[b[0]] = 1;",
    ] {
        stays(body, "`a` is written by subscripts that are no sums");
    }
}

#[test]
fn grids_stay_whole_where_threads_do_more_than_write_elements() {
    for (body, reason) in [
        ("t = 1;", "all threads write `t`"),
        ("atomicAdd(&a[0], 1);", "it calls `atomicAdd`"),
        ("counter = 1;", "`counter` is a variable of one device"),
        (
            "a[lThreadIdx.x] = global(3);",
            "`counter` is a variable of one device",
        ),
        (
            "set(&a[lThreadIdx.x]);",
            "it calls `set`, which uses memory or indices",
        ),
        (
            "int *r = v + 1; r[lThreadIdx.x] = 1;",
            "`r` is another name for memory",
        ),
        ("int &r = a[3]; r = 1;", "`r` is another name for memory"),
        (
            "*v = 3;",
            "`=` changes what is no variable or element of an array",
        ),
        (
            "*(v + lThreadIdx.x) = 3;",
            "`=` changes what is no variable or element of an array",
        ),
        (
            "static int x; a[lThreadIdx.x] = x;",
            "`static` in a function of the device",
        ),
        ("printf(\"%d\", 3);", "it calls `printf`"),
        ("int n = 3; m[lThreadIdx.x][0] = n;", "`n` is two variables"),
    ] {
        stays(body, reason);
    }
}
