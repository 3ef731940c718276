/* Data that does not get where it is used. `found CODE CLASS` beside a line: what the checks say
 * there; functions without it are right. */
#include "each.h"

static float fixed[N];

/* missing copyin */
static void create_for_copyin(void)
{
    float *a = filled(N), *b = malloc(N * sizeof *b);
#pragma acc data create(a[0:N]) copyout(b[0:N])
    {
#pragma acc parallel loop
        for (int i = 0; i < N; i++)
            b[i] = a[i]; /* found A0723 missing copyin */
    }
}

static void copyout_for_copy(void)
{
    float *a = filled(N);
#pragma acc parallel loop copyout(a[0:N])
    for (int i = 0; i < N; i++)
        a[i] += 1; /* found A0723 missing copyin */
}

static void enter_create(void)
{
    float *a = filled(N), s = 0;
#pragma acc enter data create(a[0:N])
#pragma acc parallel loop present(a[0:N]) reduction(+:s)
    for (int i = 0; i < N; i++)
        s += a[i]; /* found A0723 missing copyin */
#pragma acc exit data delete(a[0:N])
    sink = s;
}

/* missing copyout */
static void copyin_for_copy(void)
{
    float *a = filled(N);
#pragma acc parallel loop copyin(a[0:N])
    for (int i = 0; i < N; i++)
        a[i] *= 2;
    sink = a[3]; /* found A0728 missing copyout */
}

static void create_for_copyout(void)
{
    float *a = filled(N), *b = calloc(N, sizeof *b);
#pragma acc data copyin(a[0:N]) create(b[0:N])
    {
#pragma acc parallel loop
        for (int i = 0; i < N; i++)
            b[i] = a[i] * 2;
    }
    sink = b[N - 1]; /* found A0728 missing copyout */
}

static void delete_for_copyout(void)
{
    float *a = filled(N);
#pragma acc enter data copyin(a[0:N])
#pragma acc parallel loop present(a[0:N])
    for (int i = 0; i < N; i++)
        a[i] *= 2;
#pragma acc exit data delete(a[0:N])
    float s = 0;
    for (int i = 0; i < N; i++)
        s += a[i]; /* found A0728 missing copyout */
    sink = s;
}

static void copied_in_again(void)
{
    float *a = filled(N), *b = malloc(N * sizeof *b);
#pragma acc parallel loop copyin(a[0:N])
    for (int i = 0; i < N; i++)
        a[i] *= 2;
#pragma acc parallel loop copyin(a[0:N]) copyout(b[0:N])
    for (int i = 0; i < N; i++)
        b[i] = a[i]; /* found A0728 missing copyout */
    sink = b[1];
}

static void lost_flag(void)
{
    int flag = 0;
    float *a = filled(N);
#pragma acc parallel loop copyin(a[0:N], flag)
    for (int i = 0; i < N; i++)
        if (a[i] == 7)
            flag = 1; /* found A0474 missing copyout */
    sink = flag; /* found A0728 missing copyout */
}

static void lost_through_memcpy(void)
{
    float *a = filled(N), b[N];
#pragma acc parallel loop copyin(a[0:N])
    for (int i = 0; i < N; i++)
        a[i] = 0;
    memcpy(b, a, sizeof b); /* found A0728 missing copyout */
    sink = b[0];
}

/* missing update self */
static void host_reads_in_region(void)
{
    float *a = filled(N);
#pragma acc data copy(a[0:N])
    {
#pragma acc parallel loop
        for (int i = 0; i < N; i++)
            a[i] += 1;
        sink = a[5]; /* found A0728 missing update self */
    }
}

static void host_reads_after_second_kernel(void)
{
    float *a = filled(N);
#pragma acc data copy(a[0:N])
    {
#pragma acc parallel loop
        for (int i = 0; i < N; i++)
            a[i] += 1;
#pragma acc update self(a[0:N])
        sink = a[0];
#pragma acc parallel loop
        for (int i = 0; i < N; i++)
            a[i] += 1;
        sink = a[5]; /* found A0728 missing update self */
    }
}

static void half_updated(void)
{
    float *a = filled(N);
#pragma acc data copy(a[0:N])
    {
#pragma acc parallel loop
        for (int i = 0; i < N; i++)
            a[i] += 1;
#pragma acc update self(a[0:N / 2])
        float s = 0;
        for (int i = 0; i < N; i++)
            s += a[i]; /* found A0728 short update */
        sink = s;
    }
}

struct body {
    double x, y;
    int hits;
};

static void member_of_structure(void)
{
    struct body b[16];
    memset(b, 0, sizeof b);
#pragma acc enter data copyin(b)
#pragma acc parallel loop present(b)
    for (int i = 0; i < 16; i++)
        b[i].hits = i;
    sink = b[3].hits; /* found A0728 missing update self */
    sink = b[3].x;
#pragma acc exit data delete(b)
}

static void convergence_test(void)
{
    float *a = filled(N), error = 1;
    int rounds = 0;
#pragma acc data copy(a[0:N]) copyin(error)
    while (error > 0.5f && rounds++ < 3) { /* found A0728 missing update self */
#pragma acc serial present(error)
        error = 0.1f;
    }
}

/* missing update device */
static void host_writes_in_region(void)
{
    float *a = filled(N), *b = malloc(N * sizeof *b);
#pragma acc data copyin(a[0:N]) copyout(b[0:N])
    {
        a[7] = 1;
#pragma acc parallel loop
        for (int i = 0; i < N; i++)
            b[i] = a[i]; /* found A0728 missing update device */
    }
}

static void scalar_in_region(void)
{
    float *b = malloc(N * sizeof *b), scale = 1;
#pragma acc data copyin(scale) copyout(b[0:N])
    {
        scale = 2;
#pragma acc parallel loop present(scale)
        for (int i = 0; i < N; i++)
            b[i] = scale * i; /* found A0728 missing update device */
    }
}

static void memset_in_region(void)
{
    float *a = filled(N), s = 0;
#pragma acc data copyin(a[0:N])
    {
        memset(a, 0, N * sizeof *a);
#pragma acc parallel loop reduction(+:s)
        for (int i = 0; i < N; i++)
            s += a[i]; /* found A0728 missing update device */
    }
    sink = s;
}

static void boundary_of_halo(void)
{
    float *a = filled(N), *b = filled(N);
#pragma acc data copyin(a[0:N]) copy(b[0:N])
    for (int t = 0; t < 2; t++) {
        a[0] = t;
#pragma acc parallel loop
        for (int i = 1; i < N; i++)
            b[i] = a[i - 1]; /* found A0728 missing update device */
    }
}

static float table[64];
#pragma acc declare create(table)

static void global_table_changed(void)
{
    float s = 0;
    for (int i = 0; i < 64; i++)
        table[i] = i;
#pragma acc update device(table)
    table[3] = 100;
#pragma acc parallel loop reduction(+:s)
    for (int i = 0; i < 64; i++)
        s += table[i]; /* found A0728 missing update device */
    sink = s;
}

/* wrong direction */
static void self_for_device(void)
{
    float *a = filled(N), *b = malloc(N * sizeof *b);
#pragma acc data copyin(a[0:N]) copyout(b[0:N])
    {
        for (int i = 0; i < N; i++)
            a[i] = 2 * i;
#pragma acc update self(a[0:N]) /* found A0728 wrong direction */
#pragma acc parallel loop
        for (int i = 0; i < N; i++)
            b[i] = a[i];
    }
}

static void device_for_self(void)
{
    float *b = malloc(N * sizeof *b);
    memset(b, 0, N * sizeof *b);
    float *a = filled(N);
#pragma acc data copyin(a[0:N]) create(b[0:N])
    {
#pragma acc parallel loop
        for (int i = 0; i < N; i++)
            b[i] = a[i];
#pragma acc update device(b[0:N]) /* noted A0728 wrong direction */
    }
    sink = b[0]; /* missed wrong direction: the host's copy has the value that the device has as well */
}

static void copyout_for_copyin(void)
{
    float *a = filled(N), *b = malloc(N * sizeof *b);
#pragma acc parallel loop copyout(a[0:N]) copyout(b[0:N])
    for (int i = 0; i < N; i++)
        b[i] = a[i]; /* found A0723 wrong direction */
}

/* no value */
static void copyout_of_nothing(void)
{
    float *a = filled(N), *b = filled(N);
#pragma acc data copyout(b[0:N]) copy(a[0:N]) /* found A0729 copyout of nothing */
    {
#pragma acc parallel loop
        for (int i = 0; i < N; i++)
            a[i] += 1;
    }
}

static void copyout_of_half(void)
{
    float *a = filled(N);
#pragma acc parallel loop copyout(a[0:N])
    for (int i = 0; i < N; i += 2)
        a[i] = i;

    float s = 0;
    for (int i = 0; i < N; i++)
        s += a[i]; /* found A0729 copyout of a part */
    sink = s;
}

static void boundary_without_value(void)
{
    float *a = filled(N), *b = filled(N);
#pragma acc parallel loop copyin(a[0:N]) copyout(b[0:N])
    for (int i = 1; i < N - 1; i++)
        b[i] = a[i - 1] + a[i + 1];
    sink = b[0]; /* found A0729 copyout of a part */
}

static void update_of_nothing(void)
{
    float *a = filled(N);
#pragma acc data create(a[0:N])
    {
#pragma acc update self(a[0:N]) /* found A0729 update of nothing */
    }
}

static void flag_without_value(void)
{
    int found;
    float *a = filled(N);
#pragma acc parallel loop copyin(a[0:N]) copyout(found) /* found A0729 copyout of nothing */
    for (int i = 0; i < N; i++)
        if (a[i] < 0)
            found = 1;
}

/* sections */
static void section_too_short(void)
{
    float *a = filled(N);
#pragma acc parallel loop copy(a[0:N - 1])
    for (int i = 0; i < N; i++)
        a[i] += 1; /* found A0724 section too short */
}

static void section_begins_too_late(void)
{
    float *a = filled(N);
#pragma acc parallel loop copy(a[1:N - 1])
    for (int i = 0; i < N; i++)
        a[i] += 1; /* found A0724 section too short */
}

static void extent_for_length(void)
{
    float *a = filled(N);
    int first = 100, last = 199;
#pragma acc parallel loop copy(a[first:last - first])
    for (int i = first; i <= last; i++)
        a[i] += 1; /* found A0724 section too short */
}

static void section_leaves_heap(void)
{
    float *a = filled(N);
#pragma acc parallel loop copyin(a[0:N + 1]) /* found A0731 section leaves its allocation */
    for (int i = 0; i < N; i++)
        sink = a[i];
}

static void bytes_for_elements(void)
{
    float *a = malloc(N);
    for (int i = 0; i < N / 4; i++)
        a[i] = i;
#pragma acc enter data copyin(a[0:N]) /* found A0731 section leaves its allocation */
#pragma acc exit data delete(a[0:N])
}

static void section_leaves_global(void)
{
    float *a = fixed + N / 2;
#pragma acc enter data create(a[0:N]) /* found A0731 section leaves its allocation */
#pragma acc exit data delete(a[0:N])
}

/* memory of others */
static void used_after_delete(void)
{
    float *a = filled(N), *device;
#pragma acc enter data copyin(a[0:N])
#pragma acc host_data use_device(a)
    device = a;
#pragma acc exit data delete(a[0:N])
#pragma acc parallel loop deviceptr(device)
    for (int i = 0; i < N; i++)
        device[i] = i; /* found A0724 use after exit data */
}

static void host_pointers_in_array(void)
{
    float *rows[2] = {filled(N), filled(N)};
#pragma acc parallel loop copyin(rows)
    for (int i = 0; i < N; i++)
        rows[0][i] = i; /* found A0725 host pointer */
}

static void member_not_attached(void)
{
    struct {
        float *data;
        int n;
    } v = {filled(N), N};
#pragma acc parallel loop copyin(v)
    for (int i = 0; i < N; i++)
        v.data[i] = i; /* found A0725 host pointer */
}

static void reused_address(void)
{
    float *a = filled(N);
#pragma acc enter data copyin(a[0:N])
    free(a);
    float *b = filled(N), *c = malloc(N * sizeof *c);
    if (b != a)
        exit(0);
    b[1] = 7;
#pragma acc parallel loop copyin(b[0:N]) copyout(c[0:N])
    for (int i = 0; i < N; i++)
        c[i] = b[i]; /* found A0728 stale present data */
    sink = c[0];
}

static void present_by_caller(void)
{
    float *a = filled(N);
#pragma acc enter data copyin(a[0:N])
    for (int i = 0; i < N; i++)
        a[i] = 2 * i;
#pragma acc parallel loop copy(a[0:N])
    for (int i = 0; i < N; i++)
        a[i] += 1; /* found A0728 stale present data */
}

/* Right. */
static void right_update_both_ways(void)
{
    float *a = filled(N);
#pragma acc data copy(a[0:N])
    {
#pragma acc parallel loop
        for (int i = 0; i < N; i++)
            a[i] += 1;
#pragma acc update self(a[0:N])
        a[5] = a[4];
#pragma acc update device(a[5:1])
#pragma acc parallel loop
        for (int i = 0; i < N; i++)
            a[i] += 1;
    }
    sink = sum(a, N);
}

static void right_scratch(void)
{
    float *a = filled(N), *t = malloc(N * sizeof *t);
#pragma acc data copy(a[0:N]) create(t[0:N])
    {
#pragma acc parallel loop
        for (int i = 0; i < N; i++)
            t[i] = a[i];
#pragma acc parallel loop
        for (int i = 0; i < N; i++)
            a[i] = t[N - 1 - i];
    }
    for (int i = 0; i < N; i++)
        t[i] = a[i];
    sink = sum(t, N);
}

static void right_memory_again(void)
{
    float *a = filled(N);
#pragma acc parallel loop copyin(a[0:N])
    for (int i = 0; i < N; i++)
        a[i] = 0;
    free(a);
    float *b = calloc(N, sizeof *b);
    sink = sum(b, N);
}

static void use_of_stack(int again)
{
    float a[64];
    if (again) {
        FILE *zero = fopen("/dev/zero", "r");
        if (zero == NULL || fread(a, sizeof a, 1, zero) != 1)
            exit(1);
        sink = sum(a, 64);
        return;
    }
    for (int i = 0; i < 64; i++)
        a[i] = 0;
#pragma acc parallel loop copyin(a)
    for (int i = 0; i < 64; i++)
        a[i] += 1;
}

static void right_stack_again(void)
{
    use_of_stack(0);
    use_of_stack(1);
}

static void right_padded_rows(void)
{
    float *a = malloc(16 * 20 * sizeof *a);
#pragma acc parallel loop collapse(2) copyout(a[0:16 * 20])
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++)
            a[i * 20 + j] = i + j;
    for (int i = 0; i < 16; i++)
        sink = sum(a + i * 20, 16);
}

static void right_bytes(void)
{
    unsigned char *a = malloc(N);
    memset(a, 1, N);
#pragma acc data copy(a[0:N])
    {
#pragma acc parallel loop
        for (int i = 0; i < N; i += 2)
            a[i] = 3;
        for (int i = 1; i < N; i += 2)
            sink = a[i];
#pragma acc update self(a[0:N])
        a[1] = 9;
#pragma acc update device(a[1:1])
    }
    sink = a[0] + a[1];
}

static void right_restored(void)
{
    float *a = filled(N), s = 0;
#pragma acc data copyin(a[0:N])
    for (int t = 0; t < 3; t++) {
#pragma acc update device(a[0:N])
#pragma acc parallel loop reduction(+:s)
        for (int i = 0; i < N; i++) {
            a[i] += 1;
            s += a[i];
        }
    }
    sink = s;
}

static void right_enter_and_exit(void)
{
    float *a = filled(N);
#pragma acc enter data create(a[0:N])
#pragma acc parallel loop present(a[0:N])
    for (int i = 0; i < N; i++)
        a[i] = i;
#pragma acc exit data copyout(a[0:N])
    sink = sum(a, N);
}

static void needless_updates(void)
{
    float *a = filled(N);
#pragma acc data copy(a[0:N])
    {
#pragma acc parallel loop
        for (int i = 0; i < N; i++)
            a[i] += 1;
        for (int step = 0; step < 2; step++) {
#pragma acc update self(a[0:N])
            sink = sum(a, N);
#pragma acc update device(a[0:N]) /* noted A0734 needless update */
#pragma acc update self(a[0:9]) /* noted A0734 needless update */
        }
    }
}

static void update_loses_what_is_newer(void)
{
    float *a = filled(N);
#pragma acc data copy(a[0:N])
    {
#pragma acc parallel loop
        for (int i = 0; i < N; i++)
            a[i] = 2 * i;
        a[3] = 1;
#pragma acc update device(a[0:N]) /* noted A0728 update device of older values */
    }
}

static void right_update_needed_once(void)
{
    float *a = filled(N);
#pragma acc data copy(a[0:N])
    for (int step = 0; step < 3; step++) {
        if (step == 2)
            a[5] = step;
#pragma acc update device(a[0:N])
#pragma acc parallel loop
        for (int i = 0; i < N; i++)
            a[i] += i == 7 && step == 1;
#pragma acc update self(a[0:N])
    }
    sink = a[7];
}

static void right_on_host(void)
{
    float *a = filled(N);
#pragma acc data copy(a[0:N])
    {
#pragma acc update self(a[0:N]) /* noted A0734 needless update */
#pragma acc parallel loop if(sink < -1)
        for (int i = 0; i < N; i++)
            a[i] += 1;
#pragma acc update device(a[0:N])
#pragma acc parallel loop
        for (int i = 0; i < N; i++)
            a[i] += 1;
    }
    sink = sum(a, N);
}

static void right_global_table(void)
{
    float s = 0;
    for (int i = 0; i < 64; i++)
        table[i] = i;
#pragma acc update device(table)
#pragma acc parallel loop reduction(+:s)
    for (int i = 0; i < 64; i++)
        s += table[i];
    sink = s;
}

static void right_attached(void)
{
    struct {
        float *data;
        int n;
    } v = {filled(N), N};
#pragma acc enter data copyin(v)
#pragma acc enter data copyin(v.data[0:N])
#pragma acc parallel loop present(v)
    for (int i = 0; i < v.n; i++)
        v.data[i] += i;
#pragma acc update self(v.data[0:N])
    sink = v.data[3];
#pragma acc exit data delete(v.data[0:N])
#pragma acc exit data delete(v)
}

static void right_read_before(void)
{
    float *a = filled(N);
#pragma acc data copy(a[0:N])
    {
        sink = sum(a, N);
#pragma acc parallel loop
        for (int i = 0; i < N; i++)
            a[i] += 1;
    }
    sink = sum(a, N);
}

static void right_sections(void)
{
    float *a = filled(N);
#pragma acc parallel loop copy(a[16:N - 16])
    for (int i = 16; i < N; i++)
        a[i] += 1;
    sink = sum(a, N);
    float *middle = fixed + N / 2;
#pragma acc parallel loop copyout(middle[0:N / 2])
    for (int i = 0; i < N / 2; i++)
        middle[i] = 1;
    sink = sum(fixed, N);
}

static void right_two_dimensions(void)
{
    static float a[16][16];
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++)
            a[i][j] = i * j;
#pragma acc data copy(a)
    {
#pragma acc parallel loop collapse(2)
        for (int i = 1; i < 15; i++)
            for (int j = 1; j < 15; j++)
                a[i][j] += 1;
#pragma acc update self(a[1:14][1:14])
        sink = a[1][1] + a[0][5];
        a[0][3] = 4;
#pragma acc update device(a[0:1])
    }
    sink = a[0][3];
}

static void (*const all[])(void) = {
    create_for_copyin, copyout_for_copy, enter_create, copyin_for_copy, create_for_copyout, delete_for_copyout, copied_in_again,
    lost_flag, lost_through_memcpy, host_reads_in_region, host_reads_after_second_kernel, half_updated, member_of_structure,
    convergence_test, host_writes_in_region, scalar_in_region, memset_in_region, boundary_of_halo, global_table_changed,
    self_for_device, device_for_self, copyout_for_copyin, copyout_of_nothing, copyout_of_half, boundary_without_value,
    update_of_nothing, flag_without_value, section_too_short, section_begins_too_late, extent_for_length, section_leaves_heap,
    bytes_for_elements, section_leaves_global, used_after_delete, host_pointers_in_array, member_not_attached, reused_address,
    present_by_caller,
    right_update_both_ways, right_scratch, right_memory_again, right_stack_again, right_padded_rows, right_bytes, right_restored,
    right_enter_and_exit, needless_updates, update_loses_what_is_newer, right_update_needed_once, right_on_host, right_global_table, right_attached, right_read_before, right_sections,
    right_two_dimensions};

int main(void)
{
    run_each(all, sizeof all / sizeof *all);
    return 0;
}
