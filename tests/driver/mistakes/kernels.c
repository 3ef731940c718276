/* Mistakes within kernels. See movement.c. */
#include "each.h"

/* races of loops said to be independent */
static void depends_on_previous(void)
{
    float *a = filled(N);
#pragma acc parallel loop copy(a[0:N])
    for (int i = 1; i < N; i++)
        a[i] = a[i - 1] + 1; /* found A0722 dependence between iterations */
}

static void depends_on_next(void)
{
    float *a = filled(N);
#pragma acc parallel loop copy(a[0:N])
    for (int i = 0; i < N - 1; i++)
        a[i] = a[i + 1] + 1; /* found A0722 dependence between iterations */
}

static void independent_in_kernels(void)
{
    float *a = filled(2 * N);
#pragma acc kernels copy(a[0:2 * N])
    {
#pragma acc loop independent
        for (int i = 0; i < N; i++)
            a[i + 1] = a[i] * 2; /* found A0722 independent that is not */
    }
}

static void histogram(void)
{
    int bins[8] = {0};
    float *a = filled(N);
#pragma acc parallel loop copyin(a[0:N]) copy(bins)
    for (int i = 0; i < N; i++)
        bins[(int)a[i] % 8] += 1; /* found A0722 atomic forgotten */
}

static void scatter(void)
{
    float *a = filled(N), *b = calloc(N, sizeof *b);
#pragma acc parallel loop copyin(a[0:N]) copy(b[0:N])
    for (int i = 0; i < N; i++)
        b[i / 2] = a[i]; /* found A0722 two iterations write one element */
}

static void inner_loop_writes_row(void)
{
    float *a = filled(N), *b = calloc(N, sizeof *b);
#pragma acc parallel loop gang copyin(a[0:N]) copy(b[0:N])
    for (int i = 0; i < 16; i++) {
#pragma acc loop vector
        for (int j = 0; j < 16; j++)
            b[i] += a[i * 16 + j]; /* found A0722 reduction forgotten */
    }
}

static void in_place_stencil(void)
{
    static float a[16][16];
    memset(a, 0, sizeof a);
    a[3][3] = 1;
#pragma acc parallel loop collapse(2) copy(a)
    for (int i = 1; i < 15; i++)
        for (int j = 1; j < 15; j++)
            a[i][j] = (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]) / 4; /* found A0722 in-place stencil */
}

static void append(void)
{
    int found = 0, list[N];
    float *a = filled(N);
#pragma acc parallel loop copyin(a[0:N]) copy(found) copyout(list)
    for (int i = 0; i < N; i++)
        if (a[i] > 100) {
            int at = found++; /* found A0722 atomic capture forgotten */
            list[at] = i;
        }
}

static void one_side_atomic(void)
{
    int count = 0, *seen = calloc(N, sizeof *seen);
#pragma acc parallel loop copy(count) copy(seen[0:N])
    for (int i = 0; i < N; i++) {
#pragma acc atomic update
        count++; /* found A0722 atomic beside a plain read */
        seen[i] = count;
    }
}

/* private forgotten */
static void shared_scalar(void)
{
    float *a = filled(N), t[1] = {0};
#pragma acc parallel loop copy(a[0:N], t)
    for (int i = 0; i < N; i++) {
        t[0] = a[i] * 2; /* found A0722 private forgotten */
        a[i] = t[0] + 1;
    }
}

static void shared_work_array(void)
{
    float *a = filled(N), work[4];
#pragma acc parallel loop copy(a[0:N]) create(work)
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < 4; k++)
            work[k] = a[i] + k; /* found A0722 private forgotten */
        a[i] = work[0] + work[3];
    }
}

static void shared_by_gangs_workers(void)
{
    float *a = filled(N), row[16];
#pragma acc parallel loop gang copy(a[0:N]) create(row)
    for (int i = 0; i < 16; i++) {
#pragma acc loop vector
        for (int j = 0; j < 16; j++)
            row[j] = a[i * 16 + j]; /* found A0722 private forgotten */
#pragma acc loop vector
        for (int j = 0; j < 16; j++)
            a[i * 16 + j] = row[15 - j];
    }
}

/* Scalars that are summed up without `reduction` are reduced all the same; parts of arrays are not. */
static void sum_in_element(void)
{
    float *a = filled(N), s[2] = {0};
#pragma acc parallel loop copyin(a[0:N]) copy(s)
    for (int i = 0; i < N; i++)
        s[1] += a[i]; /* found A0722 reduction forgotten */
}

static void sum_without_reduction(void)
{
    float *a = filled(N), s = 0;
#pragma acc parallel loop copyin(a[0:N]) copy(s)
    for (int i = 0; i < N; i++)
        s += a[i];
}

static void maximum_without_reduction(void)
{
    float *a = filled(N), most = -1;
#pragma acc parallel loop copyin(a[0:N]) copy(most)
    for (int i = 0; i < N; i++)
        if (a[i] > most)
            most = a[i];
}

static float total;
#pragma acc declare create(total)

static void global_sum(void)
{
    float *a = filled(N);
    total = 0;
#pragma acc update device(total)
#pragma acc parallel loop copyin(a[0:N]) present(total)
    for (int i = 0; i < N; i++)
        total += a[i];
}

/* uninitialised */
static void private_without_value(void)
{
    float *a = filled(N), t = 5;
#pragma acc parallel loop private(t) copy(a[0:N])
    for (int i = 0; i < N; i++) {
        a[i] += t; /* found A0732 private for firstprivate */
        t = a[i];
    }
}

static void local_set_in_one_branch(void)
{
    float *a = filled(N);
#pragma acc parallel loop copy(a[0:N])
    for (int i = 0; i < N; i++) {
        float t;
        if (a[i] > 10)
            t = 1;
        a[i] += t; /* found A0732 local variable without value */
    }
}

static void local_array_element(void)
{
    float *a = filled(N);
#pragma acc parallel loop copy(a[0:N])
    for (int i = 0; i < N; i++) {
        float w[4];
        for (int k = 0; k < 3; k++)
            w[k] = a[i] + k;
        a[i] = w[0] + w[i % 4]; /* found A0732 element of a local array without value */
    }
}

static void private_array_read_first(void)
{
    float *a = filled(N), w[4] = {1, 2, 3, 4};
#pragma acc parallel loop private(w) copy(a[0:N])
    for (int i = 0; i < N; i++) {
        a[i] += w[1]; /* found A0732 private for firstprivate */
        w[1] = a[i];
    }
}

static void accumulator_not_cleared(void)
{
    float *a = filled(N), *b = calloc(16, sizeof *b), s = 0;
#pragma acc parallel loop private(s) copyin(a[0:N]) copyout(b[0:16])
    for (int i = 0; i < 16; i++) {
        for (int j = 0; j < 16; j++)
            s += a[i * 16 + j];
        b[i] = s; /* found A0732 accumulator not cleared */
    }
}

/* bounds */
static void one_too_many(void)
{
    float *a = filled(N);
#pragma acc parallel loop copy(a[0:N])
    for (int i = 0; i <= N; i++)
        a[i] = i; /* found A0724 out of bounds */
}

static void negative_index(void)
{
    float *a = filled(N), *b = calloc(N, sizeof *b);
#pragma acc parallel loop copyin(a[0:N]) copy(b[0:N])
    for (int i = 0; i < N; i++)
        b[i] = a[i - 1]; /* found A0724 out of bounds */
}

static void index_from_data(void)
{
    int *index = calloc(N, sizeof *index);
    float *a = filled(N), *b = calloc(N, sizeof *b);
    index[7] = 5000;
#pragma acc parallel loop copyin(a[0:N], index[0:N]) copy(b[0:N])
    for (int i = 0; i < N; i++)
        b[i] = a[index[i]]; /* found A0724 index from data */
}

static void column_for_row(void)
{
    static float a[8][32];
#pragma acc parallel loop collapse(2) copy(a)
    for (int i = 0; i < 32; i++)
        for (int j = 0; j < 8; j++)
            a[i][j] = i + j; /* found A0724 rows and columns exchanged */
}

static void beyond_private_array(void)
{
    float *a = filled(N);
#pragma acc parallel loop copy(a[0:N])
    for (int i = 0; i < N; i++) {
        float w[4] = {1, 2, 3, 4};
        a[i] = w[i % 5]; /* found A0724 beyond a local array */
    }
}

static void null_pointer(void)
{
    struct {
        float *data;
    } v = {NULL};
#pragma acc parallel loop copyin(v)
    for (int i = 0; i < N; i++)
        v.data[i] = i; /* found A0725 null pointer */
}

/* others */
static void too_wide_shift(void)
{
    int *a = calloc(N, sizeof *a);
#pragma acc parallel loop copy(a[0:N])
    for (int i = 0; i < N; i++)
        a[i] = 1u << i % 33; /* found A0727 shift */
}

/* Right. */
static void right_loops(void)
{
    float *a = filled(N), *b = calloc(N, sizeof *b), s = 0, most = 0, t = 0;
    int bins[8] = {0};
#pragma acc data copy(a[0:N], b[0:N])
    {
#pragma acc parallel loop private(t)
        for (int i = 1; i < N - 1; i++) {
            t = a[i - 1] + a[i + 1];
            b[i] = t;
        }
#pragma acc parallel loop reduction(+:s) reduction(max:most)
        for (int i = 0; i < N; i++) {
            s += b[i];
            most = b[i] > most ? b[i] : most;
        }
#pragma acc parallel loop copy(bins)
        for (int i = 0; i < N; i++)
#pragma acc atomic update
            bins[i % 8]++;
    }
    sink = s + most + bins[3];
}

static void right_list(void)
{
    int found = 0, list[N];
    float *a = filled(N);
#pragma acc parallel loop copyin(a[0:N]) copy(found) copy(list)
    for (int i = 0; i < N; i++)
        if (a[i] > 100) {
            int at;
#pragma acc atomic capture
            at = found++;
            list[at] = i;
        }
    sink = list[0] + found;
}

static void right_flag(void)
{
    int flag = 0;
    float *a = filled(N);
#pragma acc parallel loop copyin(a[0:N]) copy(flag)
    for (int i = 0; i < N; i++)
        if (a[i] == 7)
            flag = 1;
    sink = flag;
}

static void right_locals(void)
{
    float *a = filled(N);
#pragma acc parallel loop copy(a[0:N])
    for (int i = 0; i < N; i++) {
        float w[4], t;
        for (int k = 0; k < 4; k++)
            w[k] = a[i] + k;
        if (i % 2 == 0)
            t = 1;
        if (i % 2 == 0)
            w[3] += t;
        a[i] = w[0] + w[i % 4];
    }
    sink = sum(a, N);
}

static void right_private_array(void)
{
    float *a = filled(N), w[4];
#pragma acc parallel loop private(w) copy(a[0:N])
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < 4; k++)
            w[k] = a[i] * k;
        a[i] = w[1] + w[3];
    }
    sink = sum(a, N);
}

static void right_firstprivate(void)
{
    float *a = filled(N), t = 5, w[4] = {1, 2, 3, 4};
#pragma acc parallel loop firstprivate(t, w) copy(a[0:N])
    for (int i = 0; i < N; i++) {
        float own = t + w[i % 4];
        a[i] += own;
    }
    sink = sum(a, N);
}

static void right_rows(void)
{
    float *a = filled(N), row[16];
#pragma acc parallel loop gang private(row) copy(a[0:N])
    for (int i = 0; i < 16; i++) {
#pragma acc loop vector
        for (int j = 0; j < 16; j++)
            row[j] = a[i * 16 + j];
#pragma acc loop vector
        for (int j = 0; j < 16; j++)
            a[i * 16 + j] = row[15 - j];
    }
    sink = sum(a, N);
}

static void right_kernels(void)
{
    float *a = filled(N), *b = calloc(N, sizeof *b);
#pragma acc kernels copy(a[0:N], b[0:N])
    {
        for (int i = 1; i < N; i++)
            a[i] = a[i - 1] + 1;
        for (int i = 0; i < N; i++)
            b[i] = a[i];
    }
    sink = sum(b, N);
}

static void right_sequential(void)
{
    float *a = filled(N);
#pragma acc parallel loop seq copy(a[0:N])
    for (int i = 1; i < N; i++)
        a[i] += a[i - 1];
    sink = sum(a, N);
}

static void right_blocks(void)
{
    static float a[16][16], b[16][16];
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++)
            a[i][j] = i * j;
#pragma acc parallel loop collapse(2) copyin(a) copy(b)
    for (int i = 1; i < 15; i++)
        for (int j = 1; j < 15; j++)
            b[i][j] = (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]) / 4;
    sink = b[3][4];
}

static void (*const all[])(void) = {
    depends_on_previous, depends_on_next, independent_in_kernels, histogram, scatter, inner_loop_writes_row, in_place_stencil,
    append, one_side_atomic, shared_scalar, shared_work_array, shared_by_gangs_workers, sum_in_element, sum_without_reduction,
    maximum_without_reduction, global_sum, private_without_value, local_set_in_one_branch, local_array_element,
    private_array_read_first, accumulator_not_cleared, one_too_many, negative_index, index_from_data, column_for_row,
    beyond_private_array, null_pointer, too_wide_shift,
    right_loops, right_list, right_flag, right_locals, right_private_array, right_firstprivate, right_rows, right_kernels,
    right_sequential, right_blocks};

int main(void)
{
    run_each(all, sizeof all / sizeof *all);
    return 0;
}
