/* SPDX-License-Identifier: 0BSD */
/* Sections with device memory of their own: figure 9 of the hiCUDA paper, random sections of up to
   five dimensions against loops over all elements, the number of calls against its formula, and what
   OpenACC makes of such data. What the device holds is read by acc_memcpy_from_device; where that is,
   acc_ev_create tells. */
#define _DEFAULT_SOURCE
#include "acc_callback.h"
#include "accrs.h"
#include "openacc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { most_dimensions = 5, most_elements = 5 * 5 * 5 * 5 * 5 };

/* Elements along a dimension: of the array, of what is allocated, of what is copied. */
struct dimension {
    long extent, lower, length, copied_lower, copied_length;
};

static int failures;
static size_t allocated, allocations, frees, uploads, downloads, waits, moved;
static char *memory; /* of the entry made last */
static unsigned long long state = 1;

static long below(long limit)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (long)((state >> 33) % (unsigned long)limit);
}

static void expect(int is_true, int line)
{
    if (!is_true) {
        fprintf(stderr, "section_copies.c:%d is not so\n", line);
        ++failures;
    }
}
#define EXPECT(condition) expect((condition) != 0, __LINE__)

static void note(acc_callback_info *info, acc_event_info *event, acc_api_info *api)
{
    (void)api;
    switch (info->event_type) {
    case acc_ev_alloc: allocated = event->data_event.bytes, ++allocations; break;
    case acc_ev_free: ++frees; break;
    case acc_ev_create: memory = (char *)event->data_event.device_ptr; break;
    case acc_ev_enqueue_upload_start: ++uploads, moved += event->data_event.bytes; break;
    case acc_ev_enqueue_download_start: ++downloads, moved += event->data_event.bytes; break;
    default: ++waits;
    }
}

static void reset(void)
{
    allocated = allocations = frees = uploads = downloads = waits = moved = 0;
}

static void at(const char *directive)
{
    reset();
    accrs_at("section_copies.c", 1, directive);
}

/* int A[8][7];
   #pragma hicuda global alloc A[*][1:6] copyin A[0:3][1:3]
   #pragma hicuda global copyout A[4:7][4:6]
   #pragma hicuda global free A */
static void figure_9(void)
{
    int A[8][7], device[8][6], i, j;
    for (i = 0; i < 8; ++i)
        for (j = 0; j < 7; ++j)
            A[i][j] = 10 * i + j;
    at("global alloc");
    accrs_zero();
    accrs_dimension(0, 8, 8);
    accrs_dimension(1, 6, 7);
    accrs_section_alloc("A", A, sizeof(int));
    EXPECT(allocations == 1 && allocated == 192 && uploads == 0);
    accrs_dimension(0, 4, 8);
    accrs_dimension(1, 3, 7);
    accrs_section_in("A", A, sizeof(int));
    EXPECT(uploads == 1 && moved == 48);
    acc_memcpy_from_device(device, memory, sizeof device);
    for (i = 0; i < 8; ++i)
        for (j = 0; j < 6; ++j)
            EXPECT(device[i][j] == (i < 4 && j < 3 ? 10 * i + j + 1 : 0));
    for (i = 0; i < 8; ++i)
        for (j = 0; j < 6; ++j)
            device[i][j] = 1000 + 10 * i + j + 1;
    acc_memcpy_to_device(memory, device, sizeof device);
    at("global copyout");
    accrs_dimension(4, 4, 8);
    accrs_dimension(4, 3, 7);
    accrs_section_out("A", A, sizeof(int));
    EXPECT(downloads == 1 && moved == 48);
    for (i = 0; i < 8; ++i)
        for (j = 0; j < 7; ++j)
            EXPECT(A[i][j] == 10 * i + j + (i >= 4 && j >= 4 ? 1000 : 0));
    at("global free");
    accrs_section_free("A", A);
    EXPECT(frees == 1);
}

/* The largest and the second largest number of a step are covered by one call. A dimension is no step
   of its own where all dimensions inside it, up to the next step or the element, are whole. */
static size_t formula(const struct dimension *d, int dimensions)
{
    size_t calls = 1, largest = 1, second = 1, step = 0;
    int whole = 1, k;
    for (k = dimensions - 1; k >= 0; --k) {
        size_t count = (size_t)d[k].copied_length;
        if (count > 1 && whole)
            step = step != 0 ? step * count : 0; /* 0 so far: it is in the run */
        if (count > 1 && !whole) {
            calls *= step != 0 ? step : 1;
            if (step > second)
                second = step;
            if (second > largest)
                count = largest, largest = second, second = count, count = (size_t)d[k].copied_length;
            step = count;
            whole = 1;
        }
        if (d[k].copied_length != d[k].extent || d[k].length != d[k].extent)
            whole = 0;
    }
    calls *= step != 0 ? step : 1;
    if (step > second)
        second = step;
    if (second > largest)
        step = largest, largest = second, second = step;
    return calls / (largest * second);
}

/* Whether an element of the array is within lower bounds and lengths; `place` is where it stands among
   these then. */
static int is_within(const struct dimension *d, int dimensions, long element, int copied, long *place)
{
    long index[most_dimensions], within = 0;
    int k;
    for (k = dimensions - 1; k >= 0; element /= d[k--].extent)
        index[k] = element % d[k].extent;
    for (k = 0; k < dimensions; ++k) {
        long lower = copied ? d[k].copied_lower : d[k].lower, length = copied ? d[k].copied_length : d[k].length;
        if (index[k] < lower || index[k] >= lower + length)
            return 0;
        within = within * length + index[k] - lower;
    }
    *place = within;
    return 1;
}

/* Behind a pointer to row `origin`, where the outermost extent is not known. */
static void tell(const struct dimension *d, int dimensions, int copied, long origin, int is_pointer)
{
    int k;
    for (k = 0; k < dimensions; ++k)
        accrs_dimension((copied ? d[k].copied_lower : d[k].lower) - (k == 0 ? origin : 0),
                        (accrs_size)(copied ? d[k].copied_length : d[k].length),
                        k == 0 && is_pointer ? 0 : (accrs_size)d[k].extent);
}

static void choose(struct dimension *d, int dimensions)
{
    int k;
    for (k = 0; k < dimensions; ++k) {
        int whole = below(2) == 0;
        d[k].extent = 1 + below(5);
        d[k].length = whole ? d[k].extent : 1 + below(d[k].extent);
        d[k].lower = below(d[k].extent - d[k].length + 1);
    }
}

static void choose_copied(struct dimension *d, int dimensions)
{
    int k;
    for (k = 0; k < dimensions; ++k) {
        d[k].copied_length = below(2) == 0 ? d[k].length : 1 + below(d[k].length);
        d[k].copied_lower = d[k].lower + below(d[k].length - d[k].copied_length + 1);
    }
}

static void random_section(size_t *most_calls)
{
    static int host[most_elements], before[most_elements], device[most_elements];
    struct dimension d[most_dimensions];
    int dimensions = 1 + (int)below(most_dimensions), is_pointer = below(2) == 0, k;
    long elements = 1, row = 1, bytes = 1, section = sizeof(int), element, place, origin, wrong = 0;
    int *base;
    choose(d, dimensions);
    for (k = 0; k < dimensions; ++k) {
        elements *= d[k].extent, section *= d[k].length;
        row *= k == 0 ? 1 : d[k].extent;
    }
    origin = is_pointer ? below(d[0].extent) : 0;
    base = host + origin * row;
    for (element = 0; element < elements; ++element)
        host[element] = before[element] = (int)below(1000000) + 1;
    at("global alloc");
    accrs_zero();
    tell(d, dimensions, 0, origin, is_pointer);
    accrs_section_alloc("host", base, sizeof(int));
    EXPECT((long)allocated == section);

    choose_copied(d, dimensions);
    for (bytes = sizeof(int), k = 0; k < dimensions; ++k)
        bytes *= d[k].copied_length;
    at("global copyin");
    tell(d, dimensions, 1, origin, is_pointer);
    accrs_section_in("host", base, sizeof(int));
    EXPECT(uploads == formula(d, dimensions) && (long)moved == bytes);
    acc_memcpy_from_device(device, memory, (size_t)section);
    for (element = 0; element < elements; ++element)
        if (is_within(d, dimensions, element, 0, &place)) {
            long unused;
            wrong += device[place] != (is_within(d, dimensions, element, 1, &unused) ? host[element] : 0);
            device[place] = -host[element];
        }

    choose_copied(d, dimensions);
    acc_memcpy_to_device(memory, device, (size_t)section);
    at("global copyout");
    tell(d, dimensions, 1, origin, is_pointer);
    accrs_section_out("host", base, sizeof(int));
    EXPECT(downloads == formula(d, dimensions));
    *most_calls = downloads > *most_calls ? downloads : *most_calls;
    for (element = 0; element < elements; ++element)
        wrong += host[element] != (is_within(d, dimensions, element, 1, &place) ? -before[element] : before[element]);
    EXPECT(wrong == 0);
    at("global free");
    accrs_section_free("host", base);
    EXPECT(frees == 1);
}

/* The numbers of calls that the formula gives, written out. */
static void calls(void)
{
    static char A[4][5][6][7][3];
    static const struct { long lower[5], length[5]; size_t calls; } table[] = {
        {{0, 0, 0, 0, 0}, {4, 5, 6, 7, 3}, 1},  /* all of it */
        {{1, 0, 0, 0, 0}, {2, 5, 6, 7, 3}, 1},  /* some planes: one run */
        {{1, 2, 0, 0, 0}, {2, 2, 6, 7, 3}, 1},  /* a step of 2 */
        {{1, 2, 1, 0, 0}, {2, 2, 3, 7, 3}, 1},  /* steps of 2, 2; the third is in the run */
        {{1, 2, 1, 2, 0}, {2, 2, 3, 4, 3}, 2},  /* 2, 2, 3 */
        {{0, 1, 1, 1, 1}, {4, 4, 5, 6, 2}, 16}, /* 4, 4, 5, 6 */
        {{0, 0, 0, 0, 1}, {4, 5, 6, 7, 1}, 1},  /* a step of 840 */
        {{0, 0, 1, 0, 1}, {4, 5, 2, 7, 1}, 1},  /* 20, 14 */
        {{3, 4, 5, 6, 2}, {1, 1, 1, 1, 1}, 1},  /* an element */
    };
    size_t i;
    int k;
    at("global alloc");
    accrs_zero();
    for (k = 0; k < 5; ++k)
        accrs_dimension(0, (accrs_size)table[0].length[k], (accrs_size)table[0].length[k]);
    accrs_section_alloc("A", A, 1);
    for (i = 0; i < sizeof table / sizeof *table; ++i) {
        at("global copyin");
        for (k = 0; k < 5; ++k)
            accrs_dimension(table[i].lower[k], (accrs_size)table[i].length[k], (accrs_size)table[0].length[k]);
        accrs_section_in("A", A, 1);
        EXPECT(uploads == table[i].calls);
    }
    at("global free");
    accrs_section_free("A", A);
}

/* CUDA takes no rows that are 2 GiB apart. */
static void distant_rows(void)
{
    const size_t row = (size_t)3 << 30;
    char *p = mmap(NULL, 3 * row, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0), device[6];
    EXPECT(p != MAP_FAILED);
    if (p == MAP_FAILED)
        return;
    memcpy(p + 5, "ab", 2), memcpy(p + row + 5, "cd", 2), memcpy(p + 2 * row + 5, "ef", 2);
    at("global alloc");
    accrs_dimension(0, 3, 0);
    accrs_dimension(5, 2, row);
    accrs_section_alloc("p", p, 1);
    EXPECT(allocated == 6);
    accrs_dimension(0, 3, 0);
    accrs_dimension(5, 2, row);
    accrs_section_in("p", p, 1);
    EXPECT(uploads == 3);
    acc_memcpy_from_device(device, memory, 6);
    EXPECT(memcmp(device, "abcdef", 6) == 0);
    at("global free");
    accrs_section_free("p", p);
    munmap(p, 3 * row);
}

static void scalars_and_nothing(void)
{
    double x = 1.5;
    int a[4] = {1, 2, 3, 4}, *null = NULL;
    at("global alloc");
    accrs_section_alloc("x", &x, sizeof x);
    EXPECT(allocated == sizeof x);
    accrs_section_in("x", &x, sizeof x);
    EXPECT(uploads == 1 && moved == sizeof x);
    x = 0;
    at("global copyout");
    accrs_section_out("x", &x, sizeof x);
    EXPECT(x == 1.5);
    at("global free");
    accrs_section_free("x", &x);

    at("global alloc"); /* no elements: known, without memory */
    accrs_dimension(1, 0, 4);
    accrs_section_alloc("a", a, sizeof(int));
    EXPECT(allocations == 0);
    accrs_dimension(1, 0, 4);
    accrs_section_in("a", a, sizeof(int));
    accrs_section_free("a", a);
    accrs_dimension(0, 0, 0);
    accrs_section_alloc("null", null, sizeof(int));
    accrs_dimension(0, 0, 0);
    accrs_section_alloc("another", null, sizeof(int));
    accrs_section_free("another", null);
    accrs_section_free("null", null);
    at("global alloc"); /* elements of no bytes, as GNU C has them */
    accrs_dimension(0, 4, 4);
    accrs_section_alloc("a", a, 0);
    accrs_dimension(0, 4, 4);
    accrs_section_in("a", a, 0);
    accrs_section_free("a", a);
    EXPECT(allocations == 0 && frees == 0 && uploads == 0);
}

/* The pointers of structures that OpenACC attached stay each side's own. */
static void attached_pointers(void)
{
    static int target[2] = {1, 2};
    struct { int *pointer, number; } holders[3] = {{target, 1}, {target, 2}, {NULL, 3}}, device[3];
    int i;
    for (i = 0; i < 2; ++i) {
        at("global alloc");
        if (i == 0) {
            accrs_dimension(0, 3, 3);
            accrs_section_alloc("holders", holders, sizeof *holders);
        }
        accrs_dimension(0, 3, 3);
        accrs_section_in("holders", holders, sizeof *holders);
        acc_memcpy_from_device(device, acc_deviceptr(holders), sizeof device);
        EXPECT(device[1].pointer == target && device[0].number == 1 + i);
        EXPECT(device[0].pointer == (i == 0 ? target : acc_deviceptr(target)));
        holders[0].number = 2;
        if (i == 0) {
            acc_copyin(target, sizeof target);
            acc_attach((void **)&holders[0].pointer);
        }
    }
    at("global copyout");
    accrs_dimension(0, 2, 3);
    accrs_section_out("holders", holders, sizeof *holders);
    EXPECT(holders[0].pointer == target && holders[1].pointer == target);
    accrs_section_free("holders", holders);
    acc_delete(target, sizeof target);
}

/* Whole rows serve every clause and routine; closed-up ones are there for none. */
static void with_openacc(void)
{
    int a[4][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}};
    at("global alloc");
    accrs_dimension(1, 2, 4);
    accrs_dimension(0, 3, 3);
    accrs_section_alloc("a", a, sizeof(int));
    EXPECT(acc_is_present(a[1], 6 * sizeof(int)) && !acc_is_present(a[0], 1));
    EXPECT(acc_deviceptr(a[2]) == memory + 3 * sizeof(int) && acc_hostptr(memory + 4) == &a[1][1]);
    at("update");
    accrs_update_device("a", a, 3 * sizeof(int), 6 * sizeof(int));
    memset(a, 0, sizeof a);
    accrs_begin("section_copies.c", 1, "data");
    accrs_copy("a", a, 3 * sizeof(int), 6 * sizeof(int));
    accrs_end();
    EXPECT(a[1][0] == 0); /* the lifetime goes on, so that nothing is copied */
    at("exit data");
    accrs_finalize();
    accrs_exit_delete("a", a, 3 * sizeof(int), 6 * sizeof(int));
    EXPECT(frees == 0);
    at("global copyout");
    accrs_dimension(2, 1, 4);
    accrs_dimension(1, 2, 3);
    accrs_section_out("a", a, sizeof(int));
    EXPECT(a[1][0] == 0 && a[2][0] == 0 && a[2][1] == 8 && a[2][2] == 9 && a[3][0] == 0);
    at("global free");
    accrs_section_free("a", a);
    EXPECT(frees == 1 && !acc_is_present(a[1], 1));

    at("global alloc");
    accrs_dimension(0, 4, 4);
    accrs_dimension(1, 2, 3);
    accrs_section_alloc("a", a, sizeof(int));
    EXPECT(!acc_is_present(a[0] + 1, sizeof(int)));
    acc_shutdown(acc_device_default);
    EXPECT(frees == 1);
    accrs_dimension(0, 4, 4); /* so that it is no error now */
    accrs_dimension(0, 3, 3);
    accrs_section_alloc("a", a, sizeof(int));
    EXPECT(acc_is_present(a, sizeof a));
    at("global free");
    accrs_section_free("a", a);
}

/* What lies behind a section on the device is not its: its span on the host is longer. */
static void behind_on_the_device(void)
{
    static int a[64][64];
    char *section;
    void *other;
    at("global alloc");
    accrs_dimension(0, 64, 64);
    accrs_dimension(3, 1, 64);
    accrs_section_alloc("a", a, sizeof(int));
    section = memory;
    other = acc_malloc(4);
    EXPECT((char *)other > section && (char *)other < section + sizeof a);
    EXPECT(acc_hostptr(section + 64 * sizeof(int)) == NULL && acc_hostptr(other) == NULL);
    acc_free(other);
    accrs_section_free("a", a);
}

/* The host is the current device, and stays it. */
static void on_the_host(void)
{
    int a[2] = {1, 2};
    acc_set_device_type(acc_device_host);
    at("global alloc");
    accrs_dimension(0, 2, 2);
    accrs_section_alloc("a", a, sizeof(int));
    accrs_dimension(0, 2, 2);
    accrs_section_in("a", a, sizeof(int));
    a[0] = a[1] = 0;
    EXPECT(acc_get_device_type() == acc_device_host);
    accrs_dimension(1, 1, 2);
    accrs_section_out("a", a, sizeof(int));
    EXPECT(a[0] == 0 && a[1] == 2 && allocations == 1);
    accrs_section_free("a", a);
    acc_set_device_type(acc_device_nvidia);
}

int main(void)
{
    static const acc_event_t events[] = {acc_ev_alloc,  acc_ev_free,
                                         acc_ev_create, acc_ev_enqueue_upload_start,
                                         acc_ev_wait_start, acc_ev_enqueue_download_start};
    size_t i, most_calls = 0;
    for (i = 0; i < sizeof events / sizeof *events; ++i)
        acc_callback_register(events[i], note, acc_reg);
    figure_9();
    for (i = 0; i < 2000; ++i)
        random_section(&most_calls);
    EXPECT(most_calls >= 4); /* loops of cudaMemcpy3D were among them */
    calls();
    distant_rows();
    scalars_and_nothing();
    with_openacc();
    attached_pointers();
    behind_on_the_device();
    on_the_host();
    return failures != 0;
}
