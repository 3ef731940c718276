/* What files of random nests include: values, output, and the trace of a serial build.
 *
 * With TRACED, each loop keeps for every element which iteration touched it last; two iterations
 * that touch one element, one of them writing, are a dependence that the loop carries. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline int numbers(int k)
{
    return (int)((unsigned)k * 2654435761u >> 13) % 61 - 30;
}

static inline int permutation(int k, int length)
{
    /* 7 and the lengths have no common divisor: see Fill::Permutation's users. */
    return (int)((7L * k + 3) % length);
}

static inline int below(int k, int limit)
{
    return (int)(((unsigned)k * 2246822519u >> 11) % (unsigned)limit);
}

#define FILL(type, start, length, value)         \
    do {                                         \
        type *to = (start);                      \
        for (int k = 0; k < (length); k++)       \
            to[k] = (type)(value);               \
    } while (0)

#define PRINT(number, round, name, type, start, length)                        \
    do {                                                                       \
        const type *from = (start);                                            \
        printf("%d values %d %s", number, round, name);                        \
        for (int k = 0; k < (length); k++)                                     \
            if ((type)0.5 != 0)                                                \
                printf(isnan((double)from[k]) ? " nan" : " %a", (double)from[k] + 0.0); \
            else                                                               \
                printf(" %lld", (long long)from[k]);                           \
        printf("\n");                                                          \
    } while (0)

#define BEGIN(number, first, loops) (void)0

#ifdef TRACED

enum { LOOPS = 400, SLOTS = 8192, DEPTH = 16 };

struct touched {
    const void *element;
    long instance;
    long written, read;
    int many;
};

static struct touched table[LOOPS][SLOTS];
static long instances[LOOPS], iterations[LOOPS];
static int active[DEPTH], depth, carried[LOOPS];

static inline struct touched *slot(int loop, const void *element)
{
    size_t at = ((uintptr_t)element * 0x9e3779b97f4a7c15u) >> 51;
    struct touched *list = table[loop];
    while (list[at].element && list[at].element != element && list[at].instance == instances[loop])
        at = (at + 1) % SLOTS;
    if (list[at].element != element || list[at].instance != instances[loop])
        list[at] = (struct touched){element, instances[loop], -1, -1, 0};
    return &list[at];
}

static inline void *touch(const volatile void *where, int reads, int writes)
{
    const void *element = (const void *)where;
    for (int k = 0; k < depth; k++) {
        const int loop = active[k];
        const long now = iterations[loop];
        struct touched *t = slot(loop, element);
        const int other = t->written >= 0 && t->written != now;
        const int other_read = t->many || (t->read >= 0 && t->read != now);
        carried[loop] |= other || (writes && other_read);
        if (writes)
            t->written = now;
        if (reads) {
            t->many |= t->read >= 0 && t->read != now;
            t->read = now;
        }
    }
    return (void *)element;
}

#define READ(p) ((__typeof__(p))touch((p), 1, 0))
#define WRITE(p) ((__typeof__(p))touch((p), 0, 1))
#define UPDATE(p) ((__typeof__(p))touch((p), 1, 1))
#define LOOP_BEGINS(loop) (instances[loop]++, iterations[loop] = -1, active[depth++] = (loop))
#define ITERATION(loop) (iterations[loop]++)
#define LOOP_ENDS(loop) (depth--)
#define DONE(number, first, loops)                         \
    do {                                                   \
        printf("%d carried", number);                      \
        for (int k = 0; k < (loops); k++)                  \
            printf(" %d", carried[(first) + k]);           \
        printf("\n%d done\n", number);                     \
        fflush(stdout);                                    \
    } while (0)

#else

#define DONE(number, first, loops) (printf("%d done\n", number), fflush(stdout))

#endif
