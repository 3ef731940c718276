/* Queues that do not wait for each other. See movement.c. */
#include "each.h"

/* between queues */
static void two_queues(void)
{
    float *a = malloc(N * sizeof *a), *b = malloc(N * sizeof *b);
#pragma acc data create(a[0:N]) copyout(b[0:N])
    {
#pragma acc parallel loop async(1)
        for (int i = 0; i < N; i++)
            a[i] = i;
#pragma acc parallel loop async(2)
        for (int i = 0; i < N; i++)
            b[i] = a[i]; /* found A0730 missing wait between queues */
#pragma acc wait
    }
}

static void two_writers(void)
{
    float *a = malloc(N * sizeof *a);
#pragma acc data copyout(a[0:N])
    {
#pragma acc parallel loop async(1)
        for (int i = 0; i < N; i++)
            a[i] = i;
#pragma acc parallel loop async(2)
        for (int i = 0; i < N; i++)
            a[i] = 2 * i; /* found A0730 missing wait between queues */
#pragma acc wait
    }
}

static void reader_then_writer(void)
{
    float *a = filled(N), *b = malloc(N * sizeof *b);
#pragma acc data copy(a[0:N]) copyout(b[0:N])
    {
#pragma acc parallel loop async(1)
        for (int i = 0; i < N; i++)
            b[i] = a[i];
#pragma acc parallel loop async(2)
        for (int i = 0; i < N; i++)
            a[i] = 0; /* found A0730 missing wait between queues */
#pragma acc wait
    }
}

static void wrong_queue_waited_for(void)
{
    float *a = malloc(N * sizeof *a), *b = malloc(N * sizeof *b);
#pragma acc data create(a[0:N]) copyout(b[0:N])
    {
#pragma acc parallel loop async(1)
        for (int i = 0; i < N; i++)
            a[i] = i;
#pragma acc wait(2)
#pragma acc parallel loop async(2)
        for (int i = 0; i < N; i++)
            b[i] = a[i]; /* found A0730 wrong queue waited for */
#pragma acc wait
    }
}

static void queue_and_none(void)
{
    float *a = malloc(N * sizeof *a), *b = malloc(N * sizeof *b);
#pragma acc data create(a[0:N]) copyout(b[0:N])
    {
#pragma acc parallel loop async(1)
        for (int i = 0; i < N; i++)
            a[i] = i;
#pragma acc parallel loop
        for (int i = 0; i < N; i++)
            b[i] = a[i]; /* found A0730 missing wait before a kernel without async */
#pragma acc wait
    }
}

static void wait_too_early(void)
{
    float *a = malloc(N * sizeof *a), *b = malloc(N * sizeof *b);
#pragma acc data create(a[0:N]) copyout(b[0:N])
    {
#pragma acc wait(1) async(2)
#pragma acc parallel loop async(1)
        for (int i = 0; i < N; i++)
            a[i] = i;
#pragma acc parallel loop async(2)
        for (int i = 0; i < N; i++)
            b[i] = a[i]; /* found A0730 wait too early */
#pragma acc wait
    }
}

static void pipeline_without_wait(void)
{
    float *a = filled(N);
#pragma acc data copy(a[0:N])
    {
        for (int part = 0; part < 4; part++)
#pragma acc parallel loop async(part + 1)
            for (int i = part * N / 4; i < (part + 1) * N / 4; i++)
                a[i] += 1;
#pragma acc wait(1)
#pragma acc wait(2)
#pragma acc wait(3)
#pragma acc parallel loop
        for (int i = 0; i < N; i++)
            a[i] += 1; /* found A0730 missing wait before a kernel without async */
#pragma acc wait
    }
}

/* copies */
static void update_device_in_other_queue(void)
{
    float *a = filled(N), *b = malloc(N * sizeof *b);
#pragma acc data copyin(a[0:N]) copyout(b[0:N])
    {
        a[3] = 1;
#pragma acc update device(a[0:N]) async(1)
#pragma acc parallel loop async(2)
        for (int i = 0; i < N; i++)
            b[i] = a[i]; /* found A0730 missing wait for update device */
#pragma acc wait
    }
}

static void update_self_without_wait(void)
{
    float *a = malloc(N * sizeof *a);
#pragma acc data create(a[0:N])
    {
#pragma acc parallel loop async(1)
        for (int i = 0; i < N; i++)
            a[i] = i;
#pragma acc update self(a[0:N]) /* found A0730 missing wait before update self */
#pragma acc wait
    }
}

static void update_self_in_other_queue(void)
{
    float *a = malloc(N * sizeof *a);
#pragma acc data create(a[0:N])
    {
#pragma acc parallel loop async(1)
        for (int i = 0; i < N; i++)
            a[i] = i;
#pragma acc update self(a[0:N]) async(2) /* found A0730 missing wait before update self */
#pragma acc wait
    }
}

static void region_ends(void)
{
    float *a = filled(N);
#pragma acc data copy(a[0:N]) /* found A0730 missing wait before the end of a region */
    {
#pragma acc parallel loop async(1)
        for (int i = 0; i < N; i++)
            a[i] += 1;
    }
#pragma acc wait
}

static void memory_given_back(void)
{
    float *a = filled(N), *t = malloc(N * sizeof *t);
#pragma acc data copyin(a[0:N])
    {
#pragma acc enter data create(t[0:N])
#pragma acc parallel loop async(1) present(t[0:N])
        for (int i = 0; i < N; i++)
            t[i] = a[i];
#pragma acc exit data delete(t[0:N]) /* found A0730 missing wait before exit data */
#pragma acc wait
    }
}

/* the host */
static void host_reads_copyout(void)
{
    float *a = filled(N);
#pragma acc parallel loop copy(a[0:N]) async(1)
    for (int i = 0; i < N; i++)
        a[i] += 1;
    printf("%g\n", a[3]); /* found A0730 missing wait before host use */
#pragma acc wait
}

static void host_reads_update(void)
{
    float *a = filled(N);
#pragma acc data copyin(a[0:N])
    {
#pragma acc parallel loop async(1)
        for (int i = 0; i < N; i++)
            a[i] += 1;
#pragma acc update self(a[0:N]) async(1)
        sink = a[3]; /* found A0730 missing wait before host use */
#pragma acc wait(1)
    }
}

static void host_changes_what_is_copied(void)
{
    float *a = filled(N), *b = malloc(N * sizeof *b);
#pragma acc parallel loop copyin(a[0:N]) copyout(b[0:N]) async(1)
    for (int i = 0; i < N; i++)
        b[i] = a[i];
    a[0] = 5; /* found A0730 missing wait before host write */
#pragma acc wait
}

static void reduction_read_early(void)
{
    float *a = filled(N), s = 0;
#pragma acc data copyin(a[0:N])
    {
#pragma acc parallel loop async(1) copy(s) reduction(+:s)
        for (int i = 0; i < N; i++)
            s += a[i];
        sink = s; /* found A0730 missing wait before host use */
#pragma acc wait(1)
    }
}

static void memcpy_before_wait(void)
{
    float *a = filled(N), b[N];
#pragma acc parallel loop copy(a[0:N]) async(1)
    for (int i = 0; i < N; i++)
        a[i] += 1;
    memcpy(b, a, sizeof b); /* found A0730 missing wait before host use */
#pragma acc wait
    sink = b[2];
}

/* Right. */
static void right_wait_directive(void)
{
    float *a = malloc(N * sizeof *a), *b = malloc(N * sizeof *b);
#pragma acc data create(a[0:N]) copyout(b[0:N])
    {
#pragma acc parallel loop async(1)
        for (int i = 0; i < N; i++)
            a[i] = i;
#pragma acc wait(1)
#pragma acc parallel loop async(2)
        for (int i = 0; i < N; i++)
            b[i] = a[i];
#pragma acc wait
    }
    sink = sum(b, N);
}

static void right_wait_clause(void)
{
    float *a = malloc(N * sizeof *a), *b = malloc(N * sizeof *b);
#pragma acc data create(a[0:N]) copyout(b[0:N])
    {
#pragma acc parallel loop async(1)
        for (int i = 0; i < N; i++)
            a[i] = i;
#pragma acc parallel loop async(2) wait(1)
        for (int i = 0; i < N; i++)
            b[i] = a[i];
#pragma acc wait(2)
    }
    sink = sum(b, N);
}

static void right_wait_async(void)
{
    float *a = malloc(N * sizeof *a), *b = malloc(N * sizeof *b);
#pragma acc data create(a[0:N]) copyout(b[0:N])
    {
#pragma acc parallel loop async(1)
        for (int i = 0; i < N; i++)
            a[i] = i;
#pragma acc wait(1) async(2)
#pragma acc parallel loop async(2)
        for (int i = 0; i < N; i++)
            b[i] = a[i];
#pragma acc wait(2) async(3)
#pragma acc update self(b[0:N]) async(3)
#pragma acc wait(3)
        sink = sum(b, N);
    }
}

static void right_one_queue(void)
{
    float *a = filled(N), *b = malloc(N * sizeof *b);
#pragma acc enter data copyin(a[0:N]) create(b[0:N]) async(4)
    for (int t = 0; t < 3; t++) {
#pragma acc parallel loop async(4) present(a[0:N], b[0:N])
        for (int i = 0; i < N; i++)
            b[i] = a[i];
#pragma acc parallel loop async(4) present(a[0:N], b[0:N])
        for (int i = 0; i < N; i++)
            a[i] = b[N - 1 - i];
    }
#pragma acc exit data copyout(b[0:N]) delete(a[0:N]) async(4)
#pragma acc wait(4)
    sink = sum(b, N);
}

static void right_disjoint_parts(void)
{
    float *a = filled(N);
#pragma acc data copy(a[0:N])
    {
        for (int part = 0; part < 4; part++) {
            int first = part * N / 4;
#pragma acc update device(a[first:N / 4]) async(part) /* noted A0734 needless update */
#pragma acc parallel loop async(part)
            for (int i = first; i < first + N / 4; i++)
                a[i] += 1;
#pragma acc update self(a[first:N / 4]) async(part)
        }
#pragma acc wait
        sink = sum(a, N);
    }
}

static void right_both_read(void)
{
    float *a = filled(N), *b = malloc(N * sizeof *b), *c = malloc(N * sizeof *c);
#pragma acc data copyin(a[0:N]) copyout(b[0:N], c[0:N])
    {
#pragma acc parallel loop async(1)
        for (int i = 0; i < N; i++)
            b[i] = a[i];
#pragma acc parallel loop async(2)
        for (int i = 0; i < N; i++)
            c[i] = a[i];
        sink = a[0];
#pragma acc wait
    }
}

static void right_host_works_meanwhile(void)
{
    float *a = filled(N), *other = filled(N);
#pragma acc parallel loop copy(a[0:N]) async
    for (int i = 0; i < N; i++)
        a[i] += 1;
    for (int i = 0; i < N; i++)
        other[i] = 2 * i;
#pragma acc wait
    sink = sum(a, N) + sum(other, N);
}

static void right_reduction(void)
{
    float *a = filled(N), s = 0;
#pragma acc parallel loop async(1) copyin(a[0:N]) copy(s) reduction(+:s)
    for (int i = 0; i < N; i++)
        s += a[i];
#pragma acc wait(1)
    sink = s;
}

static void right_atomics_in_one_queue(void)
{
    int *a = calloc(16, sizeof *a);
#pragma acc data copy(a[0:16])
    {
        for (int t = 0; t < 3; t++)
#pragma acc parallel loop async(1)
            for (int i = 0; i < N; i++)
#pragma acc atomic update
                a[i % 16]++;
#pragma acc wait(1)
    }
    sink = a[0];
}

static void right_chain_of_queues(void)
{
    float *a = filled(N);
#pragma acc data copy(a[0:N])
    {
        for (int t = 0; t < 5; t++) {
#pragma acc parallel loop async(t % 2) wait((t + 1) % 2)
            for (int i = 0; i < N; i++)
                a[i] += t;
        }
#pragma acc wait
    }
    sink = sum(a, N);
}

static void right_part_fetched_again(void)
{
    float *a = filled(N);
#pragma acc data copyin(a[0:N])
    {
#pragma acc parallel loop
        for (int i = 0; i < N; i++)
            a[i] += 1;
#pragma acc update self(a[0:N]) async(1)
#pragma acc update self(a[16:16])
        sink = sum(a + 16, 16);
#pragma acc wait(1)
        sink = sum(a, N);
    }
}

/* `firstprivate` takes the value as the construct is met, whatever its queue still has to do */
static void value_before_its_queue_brings_it(void)
{
    int w[4] = {1, 2, 3, 4};
    float *a = malloc(N * sizeof *a);
#pragma acc data copyout(a[0:N]) copyin(w)
    {
#pragma acc parallel loop async(1)
        for (int i = 0; i < 4; i++)
            w[i] = 5 * i;
#pragma acc update self(w) async(1)
#pragma acc parallel loop firstprivate(w) async(1) /* found A0730 value taken before a queue brings it */
        for (int i = 0; i < N; i++)
            a[i] = w[i % 4];
#pragma acc wait
    }
}

static void (*const all[])(void) = {
    two_queues, two_writers, reader_then_writer, wrong_queue_waited_for, queue_and_none, wait_too_early, pipeline_without_wait,
    update_device_in_other_queue, update_self_without_wait, update_self_in_other_queue, region_ends, memory_given_back,
    host_reads_copyout, host_reads_update, host_changes_what_is_copied, reduction_read_early, memcpy_before_wait,
    right_wait_directive, right_wait_clause, right_wait_async, right_one_queue, right_disjoint_parts, right_both_read,
    right_host_works_meanwhile, right_reduction, right_atomics_in_one_queue, right_chain_of_queues,
    right_part_fetched_again, value_before_its_queue_brings_it};

int main(void)
{
    run_each(all, sizeof all / sizeof *all);
    return 0;
}
