//! Windows as programs meet them: sizes that only the launch knows, promises about caches, feedback.

use crate::{Folder, text};

/// A product of matrices; `CLAUSE`, `INDEX` and `OTHER` are macros.
const PRODUCT: &str = "\
#ifndef CLAUSE
#define CLAUSE collapse(2)
#endif
#ifndef INDEX
#define INDEX k
#endif
#ifndef OTHER
#define OTHER 0
#endif
void multiply(int n, const float a[restrict n][n], const float b[restrict n][n],
              float c[restrict n][n], const int d[restrict n])
{
    #pragma acc parallel loop CLAUSE \\
        copyin(a[0:n], b[0:n], d[0:n]) copyout(c[0:n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int k = 0; k < n; k++)
                sum += a[i][k] * b[INDEX][j] + OTHER;
            c[i][j] = sum;
        }
}
";

/// Which arrays have windows that no directive asks for.
#[test]
fn automatic_windows_are_made_where_profitable() {
    let folder = Folder::with(&[("product.c", PRODUCT)]);
    let windows = |options: &str| {
        let text = folder.succeed(&format!("translate product.c -o - {options}"));
        let has = |array: &str| text.contains(&format!("__shared__ float {array}_window["));
        (has("a"), has("b"))
    };
    assert_eq!(windows(""), (true, true));
    assert_eq!(windows("--windows=automatic"), (true, true));
    // The user's word wins.
    assert_eq!(windows("--windows=directives"), (false, false));
    assert_eq!(
        windows("--windows=directives --place b=window"),
        (false, true)
    );
    assert_eq!(
        windows("--place a=global --place b=read-only"),
        (false, false)
    );
    assert_eq!(windows("-DCLAUSE=collapse(2)num_gangs(7)"), (false, false));
    assert_eq!(
        windows("-DCLAUSE=collapse(2)vector_length(64)"),
        (false, false)
    );
    assert_eq!(windows("-DCLAUSE=tile(16,16)"), (true, true));
    // The rest of the loop asks for too much still, or for what is not known.
    assert_eq!(windows("-DOTHER=c[k][j]"), (false, false));
    assert_eq!(windows("-DINDEX=d[k]"), (false, false));
}

/// Threads of a block, then how far its window reaches before and after.
const OPEN: &str = "\
#include <stdio.h>
#include <stdlib.h>
static float a[4096], b[4096];
static void smooth(int n, long threads, long before, long after)
{
    #pragma acc parallel loop vector_length(threads) copyin(a[0:n]) copyout(b[0:n])
    for (int i = 0; i < n; i++) {
        #pragma acc fcw FETCH_ONLY(a[i:before:after + 1])
        b[i] = a[i] + (i + 1 < n ? a[i + 1] : 0);
    }
}
int main(int count, char **arguments)
{
    for (int i = 0; i < 4096; i++)
        a[i] = i;
    smooth(4096, atol(arguments[1]), atol(arguments[2]), atol(arguments[3]));
    printf(\"%.0f %.0f\\n\", b[0], b[4095]);
    return count != 4;
}
";

/// Runs the program on an emulated device with 227 KB of shared memory a block.
#[test]
fn sizes_that_no_block_can_have_are_errors_at_the_launch() {
    let folder = Folder::with(&[("main.c", OPEN)]);
    folder.succeed("cc -o main main.c");
    let said = |arguments: &str| {
        let mut command = folder.command(folder.file("main"));
        let output = command.args(arguments.split(' ')).output().unwrap();
        let status = i32::from(!arguments.starts_with("64 1 0"));
        assert_eq!(output.status.code(), Some(status), "{}", text(&output));
        text(&output)
    };
    let window = "accrs: main.c:6: parallel loop: the window 'a[i:before:after + 1]' reaches";
    let block = "accrs: main.c:6: parallel loop: the block that shares windows here would be";
    assert!(said("64 1 0").contains("1 4095"));
    for (arguments, wanted) in [
        ("64 -3 0", format!("{window} -3 elements before its pivot")),
        ("64 1 -3", format!("{window} -2 elements after its pivot")),
        (
            "64 1 4294967296",
            format!("{window} 4294967297 elements after its pivot, a block of this device has 232448 bytes"),
        ),
        ("0 1 1", format!("{block} 0 x 1 x 1")),
        (
            "2048 1 1",
            format!("{block} 2048 x 1 x 1, a block of this kernel has at most 1024 threads"),
        ),
        ("4294967328 1 1", format!("{block} 4294967328 x 1 x 1")),
        (
            "64 20000 40000",
            "accrs: main.c:6: parallel loop: the windows of this kernel need 240260 bytes of shared \
             memory, a block of this device has 232448"
                .to_string(),
        ),
    ] {
        let said = said(arguments);
        assert!(said.contains(&wanted), "{arguments}: {said}");
        assert!(said.contains("accrs: help: "), "{said}");
    }
}

/// The section of the rows is visible where the window stands, and holds where the argument is 1.
const ROWS: &str = "\
#include <stdio.h>
#include <stdlib.h>
static float first[100], second[100], b[100];
int main(int count, char **arguments)
{
    float *rows[2] = {first, second}, **a = rows;
    for (int j = 0; j < 100; j++)
        second[j] = j;
    #pragma acc enter data copyin(a[0:2][0:100])
    #pragma acc data if(atoi(arguments[1])) copyin(a[0:2][0:100])
    {
        #pragma acc parallel loop vector_length(32) copyout(b)
        for (int j = 0; j < 100; j++) {
            #pragma acc fcw FETCH_ONLY(a[1:3:3:j:1:1])
            b[j] = a[1][j] + (j > 0 ? a[1][j - 1] : 0);
        }
    }
    printf(\"%.0f\\n\", b[99]);
    return count != 2;
}
";

#[test]
fn rows_that_no_open_clause_brings_are_an_error_at_the_launch() {
    let folder = Folder::with(&[("main.c", ROWS)]);
    assert_eq!(folder.succeed("run main.c -- 1"), "197\n");
    let output = folder.accrs("run main.c -- 0");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    let wanted =
        "main.c:12: parallel loop: how many rows 'a' has, and how long they are, is not known";
    assert!(text(&output).contains(wanted), "{}", text(&output));
}

/// The program keeps its promise that all elements are in the window, which is not proved.
const PROMISED: &str = "\
#include <stdio.h>
static int a[1000], b[1000], from[1000];
int main(void)
{
    for (int i = 0; i < 1000; i++) {
        a[i] = 3 * i;
        from[i] = i / 64 * 64 + (i * 7) % 64 < 1000 ? i / 64 * 64 + (i * 7) % 64 : i;
    }
    #pragma acc parallel loop vector_length(64) copyin(a, from) copyout(b)
    for (int i = 0; i < 1000; i++) {
        #pragma acc cache(a[i:1])
        b[i] = a[from[i]];
    }
    int wrong = 0;
    for (int i = 0; i < 1000; i++)
        wrong += b[i] != 3 * from[i];
    printf(\"%d wrong\\n\", wrong);
    return 0;
}
";

#[test]
fn trusted_caches_are_read_without_a_choice() {
    let folder = Folder::with(&[("main.c", PROMISED)]);
    let selected = folder.succeed("translate -o - main.c");
    let trusted = folder.succeed("translate --cache=trust -o - main.c");
    assert!(selected.contains(": a[from[i]]"), "{selected}");
    assert!(!trusted.contains(": a[from[i]]"), "{trusted}");
    assert!(
        trusted.contains("b[i] = a_window[from[i] - i_first];"),
        "{trusted}"
    );
    for flags in ["", "--cache=trust "] {
        let output = folder.succeed(&format!("run {flags}main.c"));
        assert_eq!(output, "0 wrong\n");
    }
}

#[test]
fn feedback_says_why_a_window_is_where_it_is() {
    let folder = Folder::with(&[("open.c", OPEN), ("known.c", PROMISED)]);
    let open = text(&folder.accrs("check --feedback open.c"));
    assert!(open.contains("dynamic because the size"), "{open}");
    let known = text(&folder.accrs("check --feedback known.c"));
    assert!(
        known.contains("static because the windows of this kernel take 256 bytes"),
        "{known}"
    );
}

/// 64 columns of rows that are 64 threads each: four times what a block can have.
const LARGE: &str = "\
#include <stdio.h>
static int a[200], b[200][200];
int main(void)
{
    for (int i = 0; i < 200; i++)
        a[i] = i * i % 17;
    #pragma acc kernels loop independent gang vector(64) copyin(a) copyout(b)
    for (int i = 0; i < 200; i++) {
        #pragma acc loop independent vector(64)
        for (int j = 0; j < 200; j++) {
            #pragma acc cache(a[j:1])
            b[i][j] = a[j] + i;
        }
    }
    int wrong = 0;
    for (int i = 0; i < 200; i++)
        for (int j = 0; j < 200; j++)
            wrong += b[i][j] != a[j] + i;
    printf(\"%d wrong\\n\", wrong);
    return 0;
}
";

#[test]
fn blocks_of_caches_are_cut_with_a_warning() {
    let folder = Folder::with(&[("main.c", LARGE)]);
    let said = text(&folder.accrs("check main.c"));
    assert!(
        said.contains("warning[A0501]: a block has at most 1024 threads"),
        "{said}"
    );
    assert!(!said.contains("error"), "{said}");
    assert!(folder.succeed("run main.c").contains("0 wrong\n"));
}

/// What one thread of a block does between loops of which one has a window.
const BETWEEN: &str = "\
double a[8][64], b[8][64], m[8];
void f(void)
{
    #pragma acc parallel loop gang vector_length(64) copyin(a) copy(b, m)
    for (int i = 0; i < 8; i++) {
        #pragma acc loop vector
        for (int j = 1; j < 63; j++) {
            #pragma acc fcw FETCH_ONLY(a[i:0:0:j:1:1])
            b[i][j] = a[i][j - 1] + a[i][j + 1];
        }
        m[i] += b[i][32] + b[i][3];
        #pragma acc loop vector
        for (int j = 0; j < 64; j++)
            b[i][j] *= m[i];
    }
}
";

#[test]
fn barriers_around_what_one_thread_does_name_the_variables() {
    let folder = Folder::with(&[("between.c", BETWEEN)]);
    folder.succeed("translate between.c -o out");
    let kernels = folder.read("out/between.acc.cu");
    assert!(kernels.contains("// all threads see `m`"), "{kernels}");
}
