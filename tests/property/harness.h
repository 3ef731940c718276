/*
 * What every generated program shares: arrays with values made from a seed, the windows of the
 * oracle, and the comparison. The oracle checks the program while it computes: an index outside of
 * an array or window, a slot that is read before it has a value, or two iterations at one slot with
 * no barrier between them is a fault, and the program proves nothing.
 */
/* Most of the file is oracles, run once: optimising them would take longer than running them. */
#pragma GCC optimize("O0")

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pair {
    int x;
    double y;
};

struct tagged {
    char mark;
    float value;
    short count;
};

enum kind { CHAR, SHORT, INT, UNSIGNED, LONG, FLOAT, DOUBLE, PAIR, TAGGED };

static const size_t kind_size[] = {sizeof(char),  sizeof(short),  sizeof(int),
                                   sizeof(unsigned), sizeof(long), sizeof(float),
                                   sizeof(double), sizeof(struct pair), sizeof(struct tagged)};

/* Functions that kernels call. */
static int least(int x, int y)
{
    return x < y ? x : y;
}

static double larger(double x, double y)
{
    return x > y ? x : y;
}

static int pair_key(struct pair p)
{
    return p.x * 2 - 1;
}

/* Faults of the program itself */

static char fault[160];

__attribute__((format(printf, 1, 2))) static void fail(const char *format, ...)
{
    if (fault[0])
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fault, sizeof fault, format, arguments);
    va_end(arguments);
}

/* Which iteration computes: tiles are counted through the program, kernels by epoch. */
static long epoch = 1, tile, phase = 1;

/* Arrays */

struct array {
    const char *name;
    enum kind kind;
    long extent[3];
    unsigned char *data;
    long *writer, *reader; /* who wrote and read each element, as iteration numbers */
};

static long count_of(const struct array *array)
{
    return array->extent[0] * array->extent[1] * array->extent[2];
}

static struct array array_of(const char *name, enum kind kind, long e0, long e1, long e2)
{
    struct array array = {name, kind, {e0, e1, e2}, NULL, NULL, NULL};
    const size_t count = (size_t)count_of(&array);
    array.data = calloc(count + 1, kind_size[kind]);
    array.writer = calloc(count + 1, sizeof(long));
    array.reader = calloc(count + 1, sizeof(long));
    if (!array.data || !array.writer || !array.reader)
        abort();
    return array;
}

static void array_free(struct array *array)
{
    free(array->data);
    free(array->writer);
    free(array->reader);
}

static unsigned long chance;

static int small(int range)
{
    chance = chance * 6364136223846793005UL + 1442695040888963407UL;
    return (int)((chance >> 33) % (unsigned long)(2 * range + 1)) - range;
}

static void array_fill(struct array *array, unsigned long seed)
{
    chance = seed;
    for (long at = 0; at < count_of(array); at++) {
        void *place = array->data + (size_t)at * kind_size[array->kind];
        switch (array->kind) {
        case CHAR: *(char *)place = (char)small(100); break;
        case SHORT: *(short *)place = (short)small(9000); break;
        case INT: *(int *)place = small(1000); break;
        case UNSIGNED: *(unsigned *)place = (unsigned)small(1000); break;
        case LONG: *(long *)place = small(1000000) * 70001L; break;
        case FLOAT: *(float *)place = (float)small(1000) / 64; break;
        case DOUBLE: *(double *)place = (double)small(100000) / 1024; break;
        case PAIR:
            ((struct pair *)place)->x = small(1000);
            ((struct pair *)place)->y = (double)small(1000) / 8;
            break;
        case TAGGED:
            ((struct tagged *)place)->mark = (char)small(50);
            ((struct tagged *)place)->value = (float)small(1000) / 16;
            ((struct tagged *)place)->count = (short)small(500);
            break;
        }
    }
}

/* Bit for bit; a NaN is like nothing. */
static int same_float(float x, float y)
{
    return x == x && y == y && memcmp(&x, &y, sizeof x) == 0;
}

static int same_double(double x, double y)
{
    return x == x && y == y && memcmp(&x, &y, sizeof x) == 0;
}

static int same(enum kind kind, const void *x, const void *y)
{
    const struct pair *p = x, *q = y;
    const struct tagged *s = x, *t = y;
    switch (kind) {
    case FLOAT: return same_float(*(const float *)x, *(const float *)y);
    case DOUBLE: return same_double(*(const double *)x, *(const double *)y);
    case PAIR: return p->x == q->x && same_double(p->y, q->y);
    case TAGGED:
        return s->mark == t->mark && s->count == t->count && same_float(s->value, t->value);
    default: return memcmp(x, y, kind_size[kind]) == 0;
    }
}

static void show(char *text, size_t size, enum kind kind, const void *place)
{
    const struct pair *p = place;
    const struct tagged *t = place;
    switch (kind) {
    case CHAR: snprintf(text, size, "%d", *(const char *)place); break;
    case SHORT: snprintf(text, size, "%d", *(const short *)place); break;
    case INT: snprintf(text, size, "%d", *(const int *)place); break;
    case UNSIGNED: snprintf(text, size, "%u", *(const unsigned *)place); break;
    case LONG: snprintf(text, size, "%ld", *(const long *)place); break;
    case FLOAT: snprintf(text, size, "%a", *(const float *)place); break;
    case DOUBLE: snprintf(text, size, "%a", *(const double *)place); break;
    case PAIR: snprintf(text, size, "{%d, %a}", p->x, p->y); break;
    case TAGGED: snprintf(text, size, "{%d, %a, %d}", t->mark, t->value, t->count); break;
    }
}

/* The first element that differs goes to `message`; 1 where there is one. */
static int differs(const struct array *expected, const struct array *found, char *message,
                   size_t size)
{
    for (long at = 0; at < count_of(expected); at++) {
        const size_t offset = (size_t)at * kind_size[expected->kind];
        if (same(expected->kind, expected->data + offset, found->data + offset))
            continue;
        char left[80], right[80];
        show(left, sizeof left, expected->kind, expected->data + offset);
        show(right, sizeof right, found->kind, found->data + offset);
        snprintf(message, size, "%s[%ld][%ld][%ld]: expected %s, found %s", expected->name,
                 at / (expected->extent[1] * expected->extent[2]),
                 at / expected->extent[2] % expected->extent[1], at % expected->extent[2], left,
                 right);
        return 1;
    }
    return 0;
}

/* Accesses of the oracle to arrays in memory */

enum { EVERY_THREAD = 4095 };

/* An iteration of a kernel, or the block as a whole. */
static long iteration(int thread)
{
    return (epoch * 1000000 + tile) * 4096 + thread + 1;
}

static int conflict(long earlier, long now)
{
    return earlier / 4096 / 1000000 == epoch && earlier != now;
}

static long index_of(const struct array *array, long i, long j, long k)
{
    if (i < 0 || j < 0 || k < 0 || i >= array->extent[0] || j >= array->extent[1] ||
        k >= array->extent[2]) {
        fail("%s[%ld][%ld][%ld] is outside of the array", array->name, i, j, k);
        return 0;
    }
    return (i * array->extent[1] + j) * array->extent[2] + k;
}

static void *element_read(struct array *array, int thread, long i, long j, long k)
{
    const long at = index_of(array, i, j, k);
    const long now = iteration(thread);
    if (conflict(array->writer[at], now))
        fail("%s[%ld][%ld][%ld] is read and was written by another", array->name, i, j, k);
    if (array->reader[at] / 4096 / 1000000 == epoch && array->reader[at] != now)
        array->reader[at] = (epoch * 1000000 + 999999) * 4096; /* several */
    else
        array->reader[at] = now;
    return array->data + (size_t)at * kind_size[array->kind];
}

static void *element_written(struct array *array, int thread, long i, long j, long k)
{
    const long at = index_of(array, i, j, k);
    const long now = iteration(thread);
    if (conflict(array->writer[at], now) || conflict(array->reader[at], now))
        fail("%s[%ld][%ld][%ld] is written and was used by another", array->name, i, j, k);
    array->writer[at] = now;
    return array->data + (size_t)at * kind_size[array->kind];
}

/* Windows */

struct slot {
    int valid, written;
    long write_phase, read_phase;
    int writer, reader;
};

struct window {
    struct array *array;
    int rank;
    long first[3], last[3];
    unsigned char *data;
    struct slot *slots;
};

static struct window window_of(struct array *array, int rank)
{
    struct window window = {array, rank, {0, 0, 0}, {0, 0, 0}, NULL, NULL};
    for (int d = 0; d < rank; d++) {
        window.first[d] = 1000000000;
        window.last[d] = -1000000000;
    }
    return window;
}

/* The window of the block is what all of its iterations ask for. */
static void window_widen(struct window *window, int d, long pivot, long before, long after)
{
    if (before < 0 || after < 0)
        fail("a window of %s with a negative side", window->array->name);
    if (pivot - before < window->first[d])
        window->first[d] = pivot - before;
    if (pivot + after > window->last[d])
        window->last[d] = pivot + after;
}

static long window_extent(const struct window *window, int d)
{
    return window->last[d] - window->first[d] + 1;
}

static long window_count(const struct window *window)
{
    return window_extent(window, 0) * window_extent(window, 1) * window_extent(window, 2);
}

static int window_holds(const struct window *window, long i, long j, long k)
{
    return i >= window->first[0] && i <= window->last[0] && j >= window->first[1] &&
           j <= window->last[1] && k >= window->first[2] && k <= window->last[2];
}

static long window_slot(const struct window *window, long i, long j, long k)
{
    if (!window_holds(window, i, j, k)) {
        fail("%s[%ld][%ld][%ld] is outside of the window", window->array->name, i, j, k);
        return 0;
    }
    return ((i - window->first[0]) * window_extent(window, 1) + j - window->first[1]) *
               window_extent(window, 2) +
           k - window->first[2];
}

/* The elements that a window stands for and that exist. */
#define EACH_ELEMENT(w, i, j, k)                                                                  \
    for (long i = (w)->first[0]; i <= (w)->last[0]; i++)                                          \
        for (long j = (w)->first[1]; j <= (w)->last[1]; j++)                                      \
            for (long k = (w)->first[2]; k <= (w)->last[2]; k++)                                  \
                if (i >= 0 && j >= 0 && k >= 0 && i < (w)->array->extent[0] &&                    \
                    j < (w)->array->extent[1] && k < (w)->array->extent[2])

static void window_open(struct window *window, int fetch)
{
    const size_t count = (size_t)window_count(window);
    const size_t size = kind_size[window->array->kind];
    window->data = malloc(count * size + 1);
    window->slots = calloc(count + 1, sizeof *window->slots);
    if (!window->data || !window->slots)
        abort();
    memset(window->data, 0x5a, count * size);
    if (!fetch)
        return;
    EACH_ELEMENT(window, i, j, k) {
        const long at = window_slot(window, i, j, k);
        memcpy(window->data + (size_t)at * size,
               element_read(window->array, EVERY_THREAD, i, j, k), size);
        window->slots[at].valid = 1;
    }
}

static void window_close(struct window *window, int write_back)
{
    const size_t size = kind_size[window->array->kind];
    if (write_back)
        EACH_ELEMENT(window, i, j, k) {
            const long at = window_slot(window, i, j, k);
            if (window->slots[at].written)
                memcpy(element_written(window->array, EVERY_THREAD, i, j, k),
                       window->data + (size_t)at * size, size);
        }
    long kept = 0, written = 0;
    EACH_ELEMENT(window, i, j, k)
        kept += window->slots[window_slot(window, i, j, k)].written;
    for (long at = 0; at < window_count(window); at++)
        written += window->slots[at].written;
    if (write_back && kept != written)
        fail("a slot of %s is written that is no element", window->array->name);
    free(window->data);
    free(window->slots);
}

static void *slot_read(struct window *window, int thread, long at)
{
    struct slot *slot = &window->slots[at];
    if (!slot->valid)
        fail("a slot of %s is read that nothing filled", window->array->name);
    if (slot->write_phase == phase && slot->writer != thread)
        fail("a slot of %s is read while another writes it", window->array->name);
    slot->reader = slot->read_phase == phase && slot->reader != thread ? -1 : thread;
    slot->read_phase = phase;
    return window->data + (size_t)at * kind_size[window->array->kind];
}

static void *slot_written(struct window *window, int thread, long at)
{
    struct slot *slot = &window->slots[at];
    if ((slot->write_phase == phase && slot->writer != thread) ||
        (slot->read_phase == phase && slot->reader != thread))
        fail("a slot of %s is written while another uses it", window->array->name);
    slot->write_phase = phase;
    slot->writer = thread;
    slot->valid = slot->written = 1;
    return window->data + (size_t)at * kind_size[window->array->kind];
}

/* Masks */

/* Every thread whose mask is set. */
#define EACH                                                                                      \
    for (int t = 0; t < THREADS; t++)                                                             \
        if (on[t])

static int any(const char *mask, int threads)
{
    for (int t = 0; t < threads; t++)
        if (mask[t])
            return 1;
    return 0;
}

static int leader(const char *mask, int threads)
{
    for (int t = 0; t < threads; t++)
        if (mask[t])
            return t;
    return 0;
}
