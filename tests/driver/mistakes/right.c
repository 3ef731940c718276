/* Right functions of many kinds: the checks say nothing. See movement.c. */
#include "each.h"

#include <complex.h>
#include <math.h>
#include <openacc.h>

#define M 24

static float table[N];
#pragma acc declare create(table)
static int limits[4] = {3, 1, 4, 1};
#pragma acc declare copyin(limits)
static float *linked;
#pragma acc declare link(linked)

struct point {
    float x, y, z;
    int tag;
};

struct vector {
    int n;
    float *data;
};

#pragma acc routine seq
static float twice(float x)
{
    return 2 * x;
}

#pragma acc routine vector
static void fill_row(float *row, int n, float value)
{
#pragma acc loop vector
    for (int i = 0; i < n; i++)
        row[i] = value + i;
}

/* Data clauses and lifetimes. */
static void right_present_or(void)
{
    float *a = filled(N);
#pragma acc data pcopy(a[0:N])
    {
#pragma acc parallel loop present_or_copy(a[0:N])
        for (int i = 0; i < N; i++)
            a[i] += 1;
#pragma acc parallel loop pcopyin(a[0:N])
        for (int i = 0; i < N; i++)
            a[i] *= 2;
    }
    sink = sum(a, N);
}

static void right_declared_table(void)
{
    for (int i = 0; i < N; i++)
        table[i] = i;
#pragma acc update device(table)
    float *a = malloc(N * sizeof *a);
#pragma acc parallel loop copyout(a[0:N])
    for (int i = 0; i < N; i++)
        a[i] = table[N - 1 - i] + limits[i % 4];
    sink = sum(a, N);
}

static void right_declared_and_fetched(void)
{
#pragma acc parallel loop present(table)
    for (int i = 0; i < N; i++)
        table[i] = 3 * i;
#pragma acc update self(table[N / 2:N / 2])
    sink = sum(table + N / 2, N / 2);
}

static void right_linked_pointer(void)
{
    linked = filled(N);
#pragma acc enter data copyin(linked[0:N])
#pragma acc parallel loop present(linked[0:N])
    for (int i = 0; i < N; i++)
        linked[i] += i;
#pragma acc exit data copyout(linked[0:N])
    sink = sum(linked, N);
}

static void right_nested_regions(void)
{
    float *a = filled(N), *t = malloc(N * sizeof *t);
#pragma acc data copy(a[0:N])
    for (int step = 0; step < 3; step++) {
#pragma acc data create(t[0:N])
        {
#pragma acc parallel loop
            for (int i = 0; i < N; i++)
                t[i] = a[i] + step;
#pragma acc parallel loop
            for (int i = 0; i < N; i++)
                a[i] = t[N - 1 - i];
        }
    }
    sink = sum(a, N);
}

static void right_counted_lifetimes(void)
{
    float *a = filled(N);
#pragma acc enter data copyin(a[0:N])
#pragma acc enter data copyin(a[0:N])
#pragma acc parallel loop present(a[0:N])
    for (int i = 0; i < N; i++)
        a[i] += 1;
#pragma acc exit data delete(a[0:N])
#pragma acc exit data copyout(a[0:N])
    sink = a[1];
#pragma acc enter data copyin(a[0:N])
#pragma acc enter data create(a[0:N])
#pragma acc exit data delete(a[0:N]) finalize
    a[0] = 1;
    sink = a[0];
}

static void right_memory_that_moves(void)
{
    float *a = filled(N);
#pragma acc enter data copyin(a[0:N])
#pragma acc exit data delete(a[0:N])
    a = realloc(a, 2 * N * sizeof *a);
    for (int i = N; i < 2 * N; i++)
        a[i] = i;
#pragma acc parallel loop copy(a[0:2 * N])
    for (int i = 0; i < 2 * N; i++)
        a[i] += 1;
    sink = sum(a, 2 * N);
    free(a);
    a = filled(2 * N);
#pragma acc parallel loop copy(a[0:2 * N])
    for (int i = 0; i < 2 * N; i++)
        a[i] += 1;
    sink = sum(a, 2 * N);
}

static void right_only_on_the_device(void)
{
    float *a = malloc(N * sizeof *a), *b = malloc(N * sizeof *b), total = 0;
#pragma acc data create(a[0:N], b[0:N])
    {
#pragma acc parallel loop
        for (int i = 0; i < N; i++)
            a[i] = i;
#pragma acc parallel loop
        for (int i = 1; i < N; i++)
            b[i] = a[i] - a[i - 1];
#pragma acc parallel loop reduction(+:total)
        for (int i = 1; i < N; i++)
            total += b[i];
    }
    a[0] = 3;
    sink = total + a[0];
}

static void right_no_section_at_all(void)
{
    float *a = filled(N);
    for (int n = 0; n < 3; n++)
#pragma acc parallel loop copy(a[0:n])
        for (int i = 0; i < n; i++)
            a[i] += 1;
    sink = a[1];
}

static void right_if_and_if_present(void)
{
    float *a = filled(N);
    for (int on = 0; on < 2; on++) {
#pragma acc data copy(a[0:N]) if(on)
        {
#pragma acc parallel loop if(on)
            for (int i = 0; i < N; i++)
                a[i] += 1;
#pragma acc update self(a[0:N]) if_present
            sink = a[5];
        }
    }
    sink = sum(a, N);
}

static void right_self_clause(void)
{
    float *a = filled(N);
    for (int own = 0; own < 2; own++)
#pragma acc parallel loop self(own) copy(a[0:N])
        for (int i = 0; i < N; i++)
            a[i] += 1;
    sink = sum(a, N);
}

static void right_default_none(void)
{
    float *a = filled(N), scale = 2;
    int n = N;
#pragma acc parallel loop default(none) copy(a[0:n]) firstprivate(scale, n)
    for (int i = 0; i < n; i++)
        a[i] *= scale;
    sink = sum(a, N);
}

static void right_default_present(void)
{
    float *a = filled(N);
#pragma acc enter data copyin(a[0:N])
#pragma acc parallel loop default(present)
    for (int i = 0; i < N; i++)
        a[i] *= 2;
#pragma acc exit data copyout(a[0:N])
    sink = sum(a, N);
}

static void right_no_create(void)
{
    float *a = filled(N);
    int has = 0;
#pragma acc parallel loop no_create(table[0:N]) copy(a[0:N]) firstprivate(has)
    for (int i = 0; i < N; i++)
        a[i] += has ? table[i] : 1;
    sink = sum(a, N);
}

/* Pointers. */
static void right_device_pointer(void)
{
    float *a = filled(N), *d = acc_malloc(N * sizeof *d);
    acc_memcpy_to_device(d, a, N * sizeof *d);
#pragma acc parallel loop deviceptr(d)
    for (int i = 0; i < N; i++)
        d[i] *= 2;
    acc_memcpy_from_device(a, d, N * sizeof *d);
    acc_free(d);
    sink = sum(a, N);
}

static void right_host_data(void)
{
    float *a = filled(N), *b = malloc(N * sizeof *b);
#pragma acc data copyin(a[0:N]) copyout(b[0:N])
    {
#pragma acc host_data use_device(a, b)
        acc_memcpy_device(b, a, N * sizeof *a);
    }
    sink = sum(b, N);
}

static void right_mapped(void)
{
    float *a = filled(N), *d = acc_malloc(N * sizeof *d);
    acc_map_data(a, d, N * sizeof *a);
    acc_update_device(a, N * sizeof *a);
#pragma acc parallel loop present(a[0:N])
    for (int i = 0; i < N; i++)
        a[i] += 1;
    acc_update_self(a, N * sizeof *a);
    acc_unmap_data(a);
    acc_free(d);
    sink = sum(a, N);
}

static void right_routines_of_the_library(void)
{
    float *a = filled(N);
    acc_copyin(a, N * sizeof *a);
#pragma acc parallel loop present(a[0:N])
    for (int i = 0; i < N; i++)
        a[i] += 1;
    acc_copyout(a, N * sizeof *a);
    sink = sum(a, N);
}

static void right_attached(void)
{
    struct vector v = {N, filled(N)};
#pragma acc enter data copyin(v)
#pragma acc enter data copyin(v.data[0:v.n])
#pragma acc parallel loop present(v, v.data[0:v.n])
    for (int i = 0; i < v.n; i++)
        v.data[i] += 1;
#pragma acc exit data copyout(v.data[0:v.n])
#pragma acc exit data delete(v)
    sink = sum(v.data, v.n);
}

static void right_rows_behind_pointers(void)
{
    float **rows = malloc(M * sizeof *rows);
    for (int i = 0; i < M; i++)
        rows[i] = filled(M);
#pragma acc parallel loop collapse(2) copy(rows[0:M][0:M])
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++)
            rows[i][j] += i;
    sink = sum(rows[3], M);
}

static void right_swapped(void)
{
    float *a = filled(N), *b = malloc(N * sizeof *b);
#pragma acc data copy(a[0:N]) create(b[0:N])
    {
        float *from = a, *to = b;
        for (int t = 0; t < 4; t++) {
#pragma acc parallel loop present(from[0:N], to[0:N])
            for (int i = 0; i < N; i++)
                to[i] = from[i] + 1;
            float *other = from;
            from = to;
            to = other;
        }
    }
    sink = sum(a, N);
}

static void right_interior_pointer(void)
{
    float *a = filled(N), *middle = a + N / 2;
#pragma acc data copy(a[0:N])
    {
#pragma acc parallel loop present(middle[0:N / 2])
        for (int i = 0; i < N / 2; i++)
            middle[i] = middle[i - N / 2];
    }
    sink = sum(a, N);
}

/* Types of data. */
static void right_structures(void)
{
    struct point *p = malloc(N * sizeof *p);
    for (int i = 0; i < N; i++)
        p[i] = (struct point){.x = i, .tag = i};
#pragma acc data copy(p[0:N])
    {
#pragma acc parallel loop
        for (int i = 0; i < N; i++)
            p[i].y = p[i].x * 2;
#pragma acc update self(p[0:N])
        p[1].z = p[1].y;
#pragma acc update device(p[1:1])
#pragma acc parallel loop
        for (int i = 0; i < N; i++)
            p[i].x += p[i].z;
    }
    sink = p[1].x;
}

static void right_member_arrays(void)
{
    static struct {
        float in[N], out[N];
    } s;
    for (int i = 0; i < N; i++)
        s.in[i] = i;
#pragma acc parallel loop copyin(s.in) copyout(s.out)
    for (int i = 0; i < N; i++)
        s.out[i] = s.in[i] + 1;
    sink = sum(s.out, N);
}

static void right_variable_lengths(void)
{
    int n = M, m = M / 2;
    float a[n][m];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i][j] = i + j;
#pragma acc parallel loop collapse(2) copy(a)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i][j] *= 2;
    sink = sum(a[3], m);
}

static void right_small_types(void)
{
    static signed char c[N + 3];
    static short s[N + 1];
    static double _Complex z[N];
    for (int i = 0; i < N; i++)
        c[i + 3] = (signed char)i, s[i + 1] = (short)i, z[i] = i + 2 * I;
#pragma acc parallel loop copy(c[3:N], s[1:N], z)
    for (int i = 0; i < N; i++) {
        c[i + 3] = (signed char)(c[i + 3] / 2);
        s[i + 1] = (short)(s[i + 1] + c[i + 3]);
        z[i] *= z[i];
    }
    sink = c[5] + s[7] + (float)creal(z[3]);
}

/* Updates of parts. */
static void right_halo_of_rows(void)
{
    static float a[M][M];
    for (int i = 0; i < M * M; i++)
        a[0][i] = i;
#pragma acc data copy(a)
    for (int t = 0; t < 3; t++) {
#pragma acc parallel loop collapse(2)
        for (int i = 1; i < M - 1; i++)
            for (int j = 1; j < M - 1; j++)
                a[i][j] += 1;
#pragma acc update self(a[1:1][0:M], a[M - 2:1][0:M])
        memcpy(a[0], a[M - 2], sizeof a[0]);
        memcpy(a[M - 1], a[1], sizeof a[0]);
#pragma acc update device(a[0:1][0:M], a[M - 1:1][0:M])
    }
    sink = sum(a[0], M * M);
}

static void right_columns(void)
{
    static float a[M][M];
#pragma acc data copy(a)
    {
#pragma acc parallel loop collapse(2)
        for (int i = 0; i < M; i++)
            for (int j = 0; j < M; j++)
                a[i][j] = i + 10 * j;
#pragma acc update self(a[0:M][2:3])
        float s = 0;
        for (int i = 0; i < M; i++)
            s += a[i][3];
        sink = s;
    }
    sink = a[1][1];
}

static void right_host_writes_between(void)
{
    float *a = filled(N);
#pragma acc data copy(a[0:N])
    for (int t = 0; t < 3; t++) {
#pragma acc parallel loop
        for (int i = 0; i < N; i++)
            a[i] += 1;
#pragma acc update self(a[t:1])
        a[t] = 2 * a[t];
#pragma acc update device(a[t:1])
    }
    sink = sum(a, N);
}

static void right_starts_again_with_what_was_read(void)
{
    float *a = filled(N), best = 0;
#pragma acc data create(a[0:N])
    for (int run = 0; run < 3; run++) {
        for (int i = 0; i < N; i++)
            a[i] = i + run;
#pragma acc update device(a[0:N])
#pragma acc parallel loop
        for (int i = 0; i < N; i++)
            a[i] *= 1.5f;
        float total = 0;
#pragma acc parallel loop reduction(+:total)
        for (int i = 0; i < N; i++)
            total += a[i];
        best = fmaxf(best, total);
    }
    sink = best;
}

static void right_libc_moves_data(void)
{
    float *a = malloc(N * sizeof *a), *b = malloc(N * sizeof *b);
    memset(a, 0, N * sizeof *a);
#pragma acc parallel loop copy(a[0:N])
    for (int i = 0; i < N; i++)
        a[i] += i;
    memmove(b, a, N * sizeof *b);
    FILE *file = tmpfile();
    if (file == NULL || fwrite(b, sizeof *b, N, file) != N)
        return;
    rewind(file);
    if (fread(a, sizeof *a, N, file) != N)
        return;
#pragma acc parallel loop copy(a[0:N])
    for (int i = 0; i < N; i++)
        a[i] += 1;
    sink = sum(a, N);
    fclose(file);
}

/* Loops and levels. */
static void right_reductions(void)
{
    float *a = filled(N), most = -1, total = 0;
    int all = 1, bits = 0;
#pragma acc parallel loop copyin(a[0:N]) reduction(max:most) reduction(+:total) reduction(&&:all) reduction(|:bits)
    for (int i = 0; i < N; i++) {
        most = fmaxf(most, a[i]);
        total += a[i];
        all = all && a[i] >= 0;
        bits |= i;
    }
    sink = most + total + all + bits;
}

static void right_reduction_of_an_array(void)
{
    int bins[8] = {0};
#pragma acc parallel loop reduction(+:bins)
    for (int i = 0; i < N; i++)
        bins[i % 8] += i;
    sink = bins[3];
}

static void right_private_arrays(void)
{
    float *a = filled(N), t[4];
#pragma acc parallel loop gang vector copy(a[0:N]) private(t)
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < 4; k++)
            t[k] = a[i] + k;
        a[i] = t[0] * t[3];
    }
    sink = sum(a, N);
}

static void right_firstprivate_array(void)
{
    float *a = filled(N), t[2] = {1, 2};
#pragma acc parallel loop copy(a[0:N]) firstprivate(t)
    for (int i = 0; i < N; i++)
        a[i] += t[i % 2];
    sink = sum(a, N);
}

static void right_shared_by_a_gang(void)
{
    static float a[M][M];
    float row[M];
#pragma acc parallel loop gang copyout(a) private(row)
    for (int i = 0; i < M; i++) {
#pragma acc loop vector
        for (int j = 0; j < M; j++)
            row[j] = i + j;
#pragma acc loop vector
        for (int j = 0; j < M; j++)
            a[i][j] = row[M - 1 - j];
    }
    sink = sum(a[2], M);
}

static void right_atomics(void)
{
    int count = 0, *order = malloc(N * sizeof *order), *bins = calloc(4, sizeof *bins);
#pragma acc parallel loop copy(count, bins[0:4]) copyout(order[0:N])
    for (int i = 0; i < N; i++) {
        int own;
#pragma acc atomic capture
        own = count++;
        order[own] = i;
#pragma acc atomic update
        bins[i % 4] += 2;
    }
    sink = order[0] + bins[1];
}

static void right_routine_of_a_vector(void)
{
    static float a[M][M];
#pragma acc parallel loop gang copyout(a)
    for (int i = 0; i < M; i++)
        fill_row(a[i], M, twice(i));
    sink = sum(a[4], M);
}

static void right_tiles(void)
{
    static float a[M][M], b[M][M];
    for (int i = 0; i < M * M; i++)
        a[0][i] = i;
#pragma acc parallel loop tile(8, 8) copyin(a) copyout(b)
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++)
            b[j][i] = a[i][j];
    sink = sum(b[0], M * M);
}

static void right_triangle(void)
{
    static float a[M][M];
#pragma acc parallel loop copy(a)
    for (int i = 0; i < M; i++)
#pragma acc loop
        for (int j = 0; j <= i; j++)
            a[i][j] = i - j;
    sink = sum(a[0], M * M);
}

static void right_kernels_decides(void)
{
    float *a = filled(N), *b = filled(N), s = 0;
#pragma acc kernels copy(a[0:N]) copyin(b[0:N])
    {
        for (int i = 0; i < N; i++)
            a[i] += b[i];
        for (int i = 1; i < N; i++)
            a[i] += a[i - 1];
        for (int i = 0; i < N; i++)
            s += a[i];
    }
    sink = s;
}

static void right_serial(void)
{
    float *a = filled(N);
#pragma acc serial copy(a[0:N])
    {
        for (int i = 1; i < N; i++)
            a[i] += a[i - 1];
        a[0] = a[N - 1];
    }
    sink = a[0];
}

static void right_leaves_early(void)
{
    float *a = filled(N);
    int *first = malloc(M * sizeof *first);
#pragma acc parallel loop copyin(a[0:N]) copyout(first[0:M])
    for (int i = 0; i < M; i++) {
        int j = 0;
        while (j < N) {
            if (a[j] > 3 * i)
                break;
            j++;
        }
        first[i] = j;
    }
    sink = first[5];
}

static void right_cached(void)
{
    float *a = filled(N), *b = calloc(N, sizeof *b);
#pragma acc parallel loop copyin(a[0:N]) copy(b[0:N])
    for (int i = 1; i < N - 1; i++) {
#pragma acc cache(a[i - 1:3])
        b[i] = a[i - 1] + a[i] + a[i + 1];
    }
    sink = sum(b, N);
}

static void right_window(void)
{
    float *a = filled(N), *b = calloc(N, sizeof *b);
#pragma acc parallel loop copyin(a[0:N]) copy(b[0:N])
    for (int i = 1; i < N - 1; i++) {
#pragma acc fcw FETCH_ONLY(a[i:1:1])
        b[i] = a[i - 1] + a[i] + a[i + 1];
    }
    sink = sum(b, N);
}

/* Queues. */
static void right_parts_in_turn(void)
{
    float *a = filled(N), *part = malloc(N / 4 * sizeof *part);
    for (int k = 0; k < 4; k++) {
        memcpy(part, a + k * N / 4, N / 4 * sizeof *part);
#pragma acc parallel loop copy(part[0:N / 4]) async(k)
        for (int i = 0; i < N / 4; i++)
            part[i] += k;
#pragma acc wait(k)
        memcpy(a + k * N / 4, part, N / 4 * sizeof *part);
    }
    sink = sum(a, N);
}

static void right_scratch_in_a_queue(void)
{
    float *a = filled(N), *t = malloc(N * sizeof *t);
#pragma acc enter data copyin(a[0:N]) async(1)
    for (int k = 0; k < 3; k++) {
#pragma acc enter data create(t[0:N]) async(1)
#pragma acc parallel loop async(1) present(a[0:N], t[0:N])
        for (int i = 0; i < N; i++)
            t[i] = 2 * a[i];
#pragma acc parallel loop async(1) present(a[0:N], t[0:N])
        for (int i = 0; i < N; i++)
            a[i] = t[N - 1 - i] - a[i];
#pragma acc exit data delete(t[0:N]) async(1)
    }
#pragma acc exit data copyout(a[0:N]) async(1)
#pragma acc wait
    sink = sum(a, N);
}

static void right_asks_whether_it_is_over(void)
{
    float *a = filled(N);
#pragma acc parallel loop copy(a[0:N]) async(3)
    for (int i = 0; i < N; i++)
        a[i] += 1;
    while (!acc_async_test(3)) {
    }
    sink = sum(a, N);
}

static void right_waits_for_several(void)
{
    float *a = filled(N), *b = filled(N);
#pragma acc data copy(a[0:N], b[0:N])
    {
#pragma acc parallel loop async(1)
        for (int i = 0; i < N; i++)
            a[i] += 1;
#pragma acc parallel loop async(2)
        for (int i = 0; i < N; i++)
            b[i] += 1;
#pragma acc parallel loop wait(1, 2) async(3)
        for (int i = 0; i < N; i++)
            a[i] += b[i];
#pragma acc update self(a[0:N]) wait(3)
        sink = sum(a, N);
    }
}

static void right_two_buffers(void)
{
    float *in = filled(4 * M), *out = malloc(4 * M * sizeof *out);
    float *d[2] = {acc_malloc(M * sizeof(float)), acc_malloc(M * sizeof(float))};
    for (int k = 0; k < 4; k++) {
        float *own = d[k % 2];
        acc_memcpy_to_device_async(own, in + k * M, M * sizeof *in, k % 2);
#pragma acc parallel loop deviceptr(own) async(k % 2)
        for (int i = 0; i < M; i++)
            own[i] += k;
        acc_memcpy_from_device_async(out + k * M, own, M * sizeof *out, k % 2);
    }
    acc_wait_all();
    sink = sum(out, 4 * M);
    acc_free(d[0]);
    acc_free(d[1]);
}

static void right_value_taken_before_the_queue_works(void)
{
    int w[4] = {1, 2, 3, 4};
    float *a = malloc(N * sizeof *a);
#pragma acc data copyout(a[0:N])
    {
#pragma acc parallel loop firstprivate(w) async(1)
        for (int i = 0; i < N; i++)
            a[i] = w[i % 4];
        w[1] = 20;
#pragma acc parallel loop firstprivate(w) async(1)
        for (int i = 0; i < N; i++)
            a[i] += w[i % 4];
        w[2] = 30;
#pragma acc wait(1)
    }
    sink = sum(a, N);
}

static void (*const all[])(void) = {
    right_present_or, right_declared_table, right_declared_and_fetched, right_linked_pointer, right_nested_regions,
    right_counted_lifetimes, right_memory_that_moves, right_only_on_the_device, right_no_section_at_all,
    right_if_and_if_present, right_self_clause, right_default_none, right_default_present, right_no_create,
    right_device_pointer, right_host_data, right_mapped, right_routines_of_the_library, right_attached,
    right_rows_behind_pointers, right_swapped, right_interior_pointer, right_structures, right_member_arrays,
    right_variable_lengths, right_small_types, right_halo_of_rows, right_columns, right_host_writes_between,
    right_starts_again_with_what_was_read, right_libc_moves_data, right_reductions, right_reduction_of_an_array,
    right_private_arrays, right_firstprivate_array, right_shared_by_a_gang, right_atomics, right_routine_of_a_vector,
    right_tiles, right_triangle, right_kernels_decides, right_serial, right_leaves_early, right_cached, right_window,
    right_parts_in_turn, right_scratch_in_a_queue, right_asks_whether_it_is_over, right_waits_for_several,
    right_two_buffers, right_value_taken_before_the_queue_works};

int main(void)
{
    run_each(all, sizeof all / sizeof *all);
    return 0;
}
