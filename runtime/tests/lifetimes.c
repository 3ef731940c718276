/* SPDX-License-Identifier: 0BSD */
/* Lifetimes of data by random regions, directives and routines, against a model of OpenACC's two
   counters (2.6.7). The argument is the seed. */
#include "accrs.h"
#include "openacc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { arrays = 5, elements = 12, deepest = 6, steps = 20000 };

/* The part of an array that is present, its counters, and what the device has of it. */
struct lifetime {
    int begin, end, structured, dynamic, mapped, number;
    int copy[elements];
    void *memory;
};

struct region {
    int array, begin, end, copies, number; /* number 0: it holds nothing */
};

static int host[arrays][2 * elements], expected[arrays][elements]; /* gaps between the arrays */
static struct lifetime lives[arrays];
static struct region regions[deepest];
static int depth, lifetimes;
static unsigned long long state;

static int below(int limit)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (unsigned)limit);
}

static int is_alive(int a)
{
    return lives[a].number != 0;
}

static int contains(int a, int begin, int end)
{
    return is_alive(a) && lives[a].begin <= begin && end <= lives[a].end;
}

static int overlaps(int a, int begin, int end)
{
    return is_alive(a) && begin < lives[a].end && lives[a].begin < end;
}

static void begin_lifetime(int a, int begin, int end, int copies)
{
    struct lifetime fresh;
    int i;
    memset(&fresh, 0, sizeof fresh);
    fresh.begin = begin, fresh.end = end, fresh.number = ++lifetimes;
    for (i = begin; i < end; ++i)
        fresh.copy[i] = copies ? expected[a][i] : 0;
    lives[a] = fresh;
}

static void end_if_unused(int a, int begin, int end, int copies)
{
    int i;
    if (lives[a].structured != 0 || lives[a].dynamic != 0 || lives[a].mapped)
        return;
    for (i = begin; copies && i < end; ++i)
        expected[a][i] = lives[a].copy[i];
    lives[a].number = 0;
}

static void enter(int a, int begin, int end, int copies)
{
    int *start = host[a] + begin;
    accrs_size bytes = (accrs_size)(end - begin) * sizeof(int);
    int fresh = !is_alive(a);
    if (fresh)
        begin_lifetime(a, begin, end, copies);
    ++lives[a].dynamic;
    if (below(2))
        copies ? acc_copyin(start, bytes) : acc_create(start, bytes);
    else {
        accrs_at("lifetimes.c", __LINE__, "enter data");
        (copies ? accrs_enter_copyin : accrs_enter_create)("array", start, 0, bytes);
    }
    if (fresh && !copies) /* what fresh memory holds is not known */
        acc_memcpy_to_device(acc_deviceptr(start), lives[a].copy + begin, bytes);
}

static void leave(int a, int begin, int end, int copies, int finalize)
{
    int *start = host[a] + begin;
    accrs_size bytes = (accrs_size)(end - begin) * sizeof(int);
    if (is_alive(a) && lives[a].dynamic != 0) {
        lives[a].dynamic = finalize ? 0 : lives[a].dynamic - 1;
        end_if_unused(a, begin, end, copies);
    }
    if (below(2)) {
        (copies ? finalize ? acc_copyout_finalize : acc_copyout : finalize ? acc_delete_finalize : acc_delete)(start, bytes);
        return;
    }
    accrs_at("lifetimes.c", __LINE__, "exit data");
    if (finalize)
        accrs_finalize();
    (copies ? accrs_exit_copyout : accrs_exit_delete)("array", start, 0, bytes);
}

static void begin_region(int a, int begin, int end)
{
    struct region opened;
    accrs_size bytes = (accrs_size)(end - begin) * sizeof(int);
    int kind = below(6), held = is_alive(a);
    opened.array = a, opened.begin = begin, opened.end = end;
    opened.copies = kind == 0 || kind == 2;
    if (kind == 4 && !held)
        kind = 5; /* present is an error then */
    accrs_begin("lifetimes.c", __LINE__, "data");
    switch (kind) {
    case 0: accrs_copy("array", host[a], begin * (int)sizeof(int), bytes); break;
    case 1: accrs_copyin("array", host[a], begin * (int)sizeof(int), bytes); break;
    case 2: accrs_copyout("array", host[a], begin * (int)sizeof(int), bytes); break;
    case 3: accrs_create("array", host[a], begin * (int)sizeof(int), bytes); break;
    case 4: accrs_present("array", host[a], begin * (int)sizeof(int), bytes); break;
    case 5: accrs_no_create("array", host[a], begin * (int)sizeof(int), bytes); break;
    }
    if (!held && kind < 4) {
        begin_lifetime(a, begin, end, kind < 2);
        if (kind >= 2)
            acc_memcpy_to_device(acc_deviceptr(host[a] + begin), lives[a].copy + begin, bytes);
    }
    opened.number = lives[a].number;
    if (is_alive(a))
        ++lives[a].structured;
    regions[depth++] = opened;
}

static void end_region(void)
{
    const struct region *closed = &regions[--depth];
    if (closed->number != 0 && lives[closed->array].number == closed->number) {
        --lives[closed->array].structured;
        end_if_unused(closed->array, closed->begin, closed->end, closed->copies);
    }
    accrs_end();
}

static void map(int a, int begin, int end)
{
    accrs_size bytes = (accrs_size)(end - begin) * sizeof(int);
    begin_lifetime(a, begin, end, 1);
    lives[a].mapped = 1, lives[a].dynamic = 1;
    lives[a].memory = acc_malloc(bytes);
    acc_memcpy_to_device(lives[a].memory, host[a] + begin, bytes);
    acc_map_data(host[a] + begin, lives[a].memory, bytes);
}

static void unmap(int a)
{
    acc_unmap_data(host[a] + lives[a].begin);
    acc_free(lives[a].memory);
    lives[a].number = 0;
}

static void change(int a)
{
    int at = lives[a].begin + below(lives[a].end - lives[a].begin), value = below(1000000);
    lives[a].copy[at] = value;
    acc_memcpy_to_device(acc_deviceptr(host[a] + at), &value, sizeof value);
}

static void update(int a, int begin, int end)
{
    int to_host = below(2), i;
    accrs_size bytes = (accrs_size)(end - begin) * sizeof(int);
    for (i = begin; i < end; ++i)
        *(to_host ? &expected[a][i] : &lives[a].copy[i]) = to_host ? lives[a].copy[i] : expected[a][i];
    (to_host ? acc_update_self : acc_update_device)(host[a] + begin, bytes);
}

static void shut_down(void)
{
    int a;
    acc_shutdown(acc_device_default);
    for (a = 0; a < arrays; ++a) {
        if (is_alive(a) && lives[a].mapped)
            acc_free(lives[a].memory);
        lives[a].number = 0;
    }
}

static void step(void)
{
    int a = below(arrays), begin = below(elements), end = begin + 1 + below(elements - begin);
    int i = below(elements);
    if (is_alive(a) && overlaps(a, begin, end) && !contains(a, begin, end))
        begin = lives[a].begin, end = lives[a].end; /* a part would be an error */
    if (is_alive(a) && !contains(a, begin, end))
        return; /* one lifetime an array */
    switch (below(20)) {
    case 0: case 1: case 2: enter(a, begin, end, below(2)); break;
    case 3: case 4: case 5: leave(a, begin, end, below(2), below(4) == 0); break;
    case 6: case 7: case 8: if (depth < deepest) begin_region(a, begin, end); break;
    case 9: case 10: case 11: if (depth > 0) end_region(); break;
    case 12: case 13: if (is_alive(a)) change(a); break;
    case 14: case 15: if (is_alive(a)) update(a, begin, end); break;
    case 16: if (!is_alive(a)) map(a, begin, end); else if (lives[a].mapped && lives[a].structured == 0) unmap(a); break;
    case 17: if (below(40) == 0) shut_down(); break;
    default: host[a][i] = expected[a][i] = below(1000000);
    }
}

static int is_right(void)
{
    int a, i;
    for (a = 0; a < arrays; ++a) {
        if (memcmp(host[a], expected[a], sizeof expected[a]) != 0)
            return 0;
        for (i = 0; i < elements; ++i)
            if ((acc_is_present(host[a] + i, sizeof(int)) != 0) != contains(a, i, i + 1))
                return 0;
    }
    return 1;
}

int main(int count, char **arguments)
{
    int i;
    state = count > 1 ? strtoull(arguments[1], NULL, 10) : 1;
    for (i = 0; i < steps; ++i) {
        step();
        if (!is_right()) {
            fprintf(stderr, "seed %s: step %d\n", count > 1 ? arguments[1] : "1", i);
            return 1;
        }
    }
    while (depth > 0)
        end_region();
    return !is_right();
}
