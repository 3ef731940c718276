//! The type of indices that a launch chooses.

use super::{Folder, text};

/// Arrays of 3 · 2^30 elements, of which few are touched: memory that is not needs no pages. An
/// index of type `int` would wrap.
const FAR: &str = r#"
#include <stdio.h>
#include <stdlib.h>

/* 3 * 2^30 elements: int would wrap. */
static int far_rows(int columns)
{
    signed char (*a)[columns] = malloc(3l * columns);
    int sum = 0;
    #pragma acc data create(a[0:3][0:columns])
    {
        #pragma acc parallel loop present(a)
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 4; k++)
                a[i][columns - 1 - k] = 10 * i + k;
        #pragma acc parallel loop present(a) reduction(+:sum)
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 4; k++)
                sum += a[i][columns - 1 - k] * (i + 1);
    }
    free(a);
    return sum;
}

/* The same of elements that are arrays, and of subscripts of 64 bits. */
static int far_cells(int columns, long far)
{
    signed char (*a)[columns][2] = malloc(6l * columns);
    int sum = 0;
    #pragma acc data create(a[0:3][0:columns])
    {
        #pragma acc parallel loop present(a)
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 4; k++)
                a[i][columns - 1 - k][k % 2] = 10 * i + k;
        #pragma acc parallel loop present(a) reduction(+:sum)
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 4; k++)
                sum += a[i][far - 1 - k][k % 2] * (i + 1);
    }
    free(a);
    return sum;
}

/* Far rows of a window. */
static int far_window(int columns)
{
    signed char (*restrict a)[columns] = malloc(3l * columns);
    int found[16];
    #pragma acc data create(a[0:3][0:columns]) copyout(found)
    {
        #pragma acc parallel loop present(a)
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 64; k++)
                a[i][columns - 1 - k] = i + k;
        #pragma acc parallel loop vector_length(16) present(a, found)
        for (int k = 0; k < 16; k++) {
            #pragma acc cache(a[2:1][columns - 40 + k:3])
            found[k] = a[2][columns - 40 + k] - a[2][columns - 38 + k];
        }
    }
    free(a);
    int sum = 0;
    for (int k = 0; k < 16; k++)
        sum += found[k] * (k + 1);
    return sum;
}

int main(void)
{
    printf("%d %d %d\n", far_rows(1 << 30), far_cells(1 << 30, 1l << 30), far_window(1 << 30));
    return 0;
}
"#;

/// An array in reach of `int`.
const NEAR: &str = "
#include <stdio.h>

static long sum(int rows, int columns, int a[rows][columns])
{
    long total = 0;
    #pragma acc parallel loop reduction(+:total) copyin(a[0:rows])
    for (int i = 0; i < rows; i++)
        total += a[i][columns - 1];
    return total;
}

int main(void)
{
    int a[3][2] = { { 1, 2 }, { 3, 4 }, { 5, 6 } };
    printf(\"%ld\\n\", sum(3, 2, a));
    return 0;
}
";

/// The end of 65536 rows of 65536 elements, of which one row is on the device, is not where they begin.
const END: &str = "
#include <stdio.h>
#include <stdlib.h>

static int is_end(int rows, int columns, signed char (*a)[columns], int *found)
{
    #pragma acc parallel loop copyin(a[0:1]) copyout(found[0:4])
    for (int j = 0; j < 4; j++) {
        const signed char *end = a[rows], *last = &a[rows - 1][columns - 1];
        found[j] = end == a[0] || last + 1 != end || last < &a[0][j];
    }
    return found[0] + found[3];
}

int main(void)
{
    enum { N = 65536 };
    signed char (*a)[N] = malloc((size_t)N * N);
    int found[4];
    for (int j = 0; j < N; j++)
        a[0][j] = j;
    printf(\"%d\\n\", is_end(N, N, a, found));
    free(a);
    return 0;
}
";

#[test]
fn addresses_beyond_what_is_present_are_computed_in_64_bits() {
    let folder = Folder::with(&[("end.c", END)]);
    assert_eq!(folder.succeed("run end.c"), "0\n");
}

#[test]
fn a_large_array_has_indices_of_64_bits() {
    let folder = Folder::with(&[("far.c", FAR)]);
    assert_eq!(folder.succeed("run far.c"), "356 356 272\n");
}

/// A loop over lanes in `int`, to a bound that the launch has, and one to a bound that it has not.
const LANES: &str = "
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    const int end = argc > 1 ? atoi(argv[1]) : INT_MAX - 5;
    int ends[1] = {100}, *found = calloc(100, sizeof *found);
    #pragma acc parallel loop gang copy(found[0:100])
    for (int j = 0; j < 1; j++) {
        #pragma acc loop vector
        for (int i = 0; i < end; i++)
            if (i < 100)
                found[i] = i;
    }
    #pragma acc parallel loop gang copyin(ends) copy(found[0:100])
    for (int j = 0; j < 1; j++) {
        #pragma acc loop vector
        for (int i = 0; i < ends[j]; i++)
            found[i] += 1;
    }
    int sum = 0;
    for (int i = 0; i < 100; i++)
        sum += found[i];
    printf(\"%d\\n\", sum);
    free(found);
    return 0;
}
";

/// The last step of a thread would leave `int`.
#[test]
fn a_loop_over_lanes_ends_within_its_type() {
    let folder = Folder::with(&[("lanes.c", LANES)]);
    assert_eq!(folder.succeed("run lanes.c -- 100"), "5050\n");
    let output = folder.accrs("run lanes.c");
    assert!(!output.status.success());
    let message = text(&output);
    assert!(
        message.contains("a loop up to 2147483642 is too long"),
        "{message}"
    );
    let kernels = folder.succeed("translate lanes.c -o -");
    assert!(
        kernels.contains("for (int i = threadIdx.x; i < end; "),
        "{kernels}"
    );
    assert!(
        kernels.contains("for (int i = threadIdx.x, i_end = accrs::int_end(ends[j]); "),
        "{kernels}"
    );
}

/// Loops over gangs: as many as the program asks for, as many as there are iterations.
const GANGS: &str = "
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    const int end = atoi(argv[1]), is_requested = argc > 2;
    int sum = 0;
    if (is_requested) {
        int found[100] = { 0 };
        #pragma acc parallel num_gangs(1000) vector_length(32) copy(found)
        {
            #pragma acc loop gang
            for (int i = 0; i < end; i++)
                if (i < 100)
                    found[i] = i + 1;
        }
        for (int i = 0; i < 100; i++)
            sum += found[i];
    } else {
        #pragma acc parallel loop gang reduction(+:sum)
        for (int i = 0; i < end; i++) {
            int last = 0;
            #pragma acc loop vector reduction(max:last)
            for (int j = 0; j < 2; j++)
                last = j;
            if (i < 100)
                sum += i + last;
        }
    }
    printf(\"%d\\n\", sum);
    return 0;
}
";

/// The last step of a gang would leave `int`.
#[test]
fn a_loop_over_gangs_ends_within_its_type() {
    let folder = Folder::with(&[("gangs.c", GANGS)]);
    for requested in ["", " requested"] {
        assert_eq!(
            folder.succeed(&format!("run gangs.c -- 100{requested}")),
            "5050\n"
        );
        let output = folder.accrs(&format!("run gangs.c -- 2147483642{requested}"));
        assert!(!output.status.success());
        let message = text(&output);
        assert!(
            message.contains("is too long for its 32-bit variable"),
            "{message}"
        );
    }
}

/// A loop in `int` and one in 64 bits that have one axis of the grid, and an axis each.
const MIXED: &str = "
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    const int end = atoi(argv[1]), has_own_axis = argc > 2;
    const long long_end = 100;
    int sum = 0;
    if (has_own_axis) {
        #pragma acc parallel loop reduction(+:sum) collapse(2)
        for (long i = 0; i < long_end; i++)
            for (int j = 0; j < end; j++)
                sum += (i < 10) * (j < 10);
        int found[200] = { 0 };
        #pragma acc parallel loop collapse(2) copy(found)
        for (long i = 0; i < long_end; i++)
            for (int j = 0; j < end; j++)
                if (j < 2)
                    found[2 * i + j] = 1;
        for (int i = 0; i < 200; i++)
            sum += found[i];
    } else {
        #pragma acc parallel copy(sum)
        {
            #pragma acc loop gang vector
            for (int i = 0; i < end; i++)
                if (i < 10) {
                    #pragma acc atomic
                    sum += i;
                }
            #pragma acc loop gang vector
            for (long i = 0; i < long_end; i++) {
                #pragma acc atomic
                sum += i;
            }
        }
    }
    printf(\"%d\\n\", sum);
    return 0;
}
";

/// The grid is one that the `int` reaches, of however many iterations the other loop is.
#[test]
fn loops_of_both_widths_share_a_grid() {
    let folder = Folder::with(&[("mixed.c", MIXED)]);
    for (own_axis, sum) in [("", "4995\n"), (" own", "300\n")] {
        assert_eq!(
            folder.succeed(&format!("run mixed.c -- 100{own_axis}")),
            sum
        );
        let output = folder.accrs(&format!("run mixed.c -- 2147483642{own_axis}"));
        assert!(!output.status.success());
        let message = text(&output);
        assert!(
            message.contains("is too long for its 32-bit variable"),
            "{message}"
        );
    }
    let kernels = folder.succeed("translate mixed.c -o -");
    let grids = [
        "accrs::longest(end, accrs::striding(long_end))",
        "accrs::grid(block, end, accrs::striding(long_end))",
        "accrs::wide_covering_grid(block, extent_x, long_end)",
    ];
    for grid in grids {
        assert!(kernels.contains(grid), "{grid}:\n{kernels}");
    }
}

/// More rows than CUDA has blocks along y, of which only the device knows how many.
const ROWS: &str = "
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    const int columns = atoi(argv[2]);
    int rows = atoi(argv[1]), *a = calloc(rows, columns * sizeof *a);
    #pragma acc parallel loop gang vector collapse(2) copy(a[0:columns * rows], rows)
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            a[columns * i + j] += 1 + j;
    long sum = 0;
    for (int i = 0; i < columns * rows; i++)
        sum += a[i];
    printf(\"%ld\\n\", sum);
    free(a);
    return 0;
}
";

/// Blocks along z would run them again.
#[test]
fn rows_that_stride_run_once() {
    let folder = Folder::with(&[("rows.c", ROWS)]);
    assert_eq!(folder.succeed("run rows.c -- 600000 2"), "1800000\n");
}

#[test]
fn both_instances_of_a_kernel_have_its_name() {
    let folder = Folder::with(&[("near.c", NEAR)]);
    let output = folder.accrs("run --counts near.c");
    let table = text(&output);
    assert!(table.contains("sum_kernel: 1 launch,"), "{table}");
}
