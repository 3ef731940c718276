/* What host and device access, in order, and how few transfers of whole variables that needs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum copies { ON_HOST, ON_DEVICE, ON_BOTH, STATES };

/* The least transfers after which the valid copies are these. */
struct shared {
    const char *memory;
    long bytes;
    int least[STATES];
};

#define MOST 64
static struct shared all[MOST];
static int count, transfers[4096];

static int smaller(int a, int b) { return a < b ? a : b; }

/* A state that cannot be has more transfers than any. */
#define NEVER 1000000

static void begin(const void *memory, long bytes, enum copies first)
{
    struct shared *own = &all[count++];
    own->memory = memory;
    own->bytes = bytes;
    for (int state = 0; state < STATES; state++)
        own->least[state] = state == (int)first ? 0 : NEVER;
}

static struct shared *at(const void *address)
{
    for (int i = count - 1; i >= 0; i--)
        if ((const char *)address >= all[i].memory && (const char *)address < all[i].memory + all[i].bytes)
            return &all[i];
    abort();
}

static void end(const void *memory)
{
    struct shared *own = at(memory);
    transfers[own->bytes] += smaller(smaller(own->least[0], own->least[1]), own->least[2]);
    *own = all[--count];
}

/* A copy may be made before each access. */
static void make_copies(struct shared *own)
{
    own->least[ON_BOTH] = smaller(own->least[ON_BOTH], smaller(own->least[ON_HOST], own->least[ON_DEVICE]) + 1);
}

static void reads(const void *address, enum copies where)
{
    struct shared *own = at(address);
    make_copies(own);
    own->least[where == ON_HOST ? ON_DEVICE : ON_HOST] = NEVER;
}

/* Some of it, so that the rest has to be there. */
static void writes(const void *address, enum copies where)
{
    struct shared *own = at(address);
    reads(address, where);
    own->least[where] = smaller(own->least[where], own->least[ON_BOTH]);
    own->least[ON_BOTH] = NEVER;
}

/* All of it. */
static void sets(const void *address)
{
    struct shared *own = at(address);
    own->least[ON_HOST] = smaller(smaller(own->least[0], own->least[1]), own->least[2]);
    own->least[ON_DEVICE] = own->least[ON_BOTH] = NEVER;
}

/* Device and host. */
#define DR(x) reads(x, ON_DEVICE)
#ifdef FORGET
#define DW(x) reads(x, ON_DEVICE)
#else
#define DW(x) writes(x, ON_DEVICE)
#endif
#define R(x) reads(x, ON_HOST)
#define W(x) writes(x, ON_HOST)
#define S(x) sets(x)

/* What the kernels of all sequences do. */
static void add(int *to, const int *from, int threads)
{
    DW(to);
    DR(from);
    for (int i = 0; i < threads - LESS; i++)
        to[i] += from[i] % 100 + 1;
}

static void copy(int *to, const int *from, int threads)
{
    DW(to);
    DR(from);
    for (int i = 0; i < threads; i++)
        to[i] = from[i] + 1;
}

/* What host functions of all sequences do with what they are given. */
static int total(const int *v)
{
    int sum = 0;
    for (int i = 0; i < 8; i++)
        sum += v[i] % 1000;
    return sum;
}

static void fill(int *v, int by)
{
    for (int i = 0; i < 8; i++)
        v[i] = v[i] / 2 + by;
}

static void halve(int *x) { *x /= 2; }

static int launched(int *v, const int *w)
{
    add(v, w, 8);
    R(v);
    return v[2];
}

static void report(int seed)
{
    for (long bytes = 0; bytes < 4096; bytes++)
        if (transfers[bytes])
            fprintf(stderr, "%ld %d\n", bytes, transfers[bytes]);
    fprintf(stderr, "sequence %d\n", seed);
    memset(transfers, 0, sizeof transfers);
}
