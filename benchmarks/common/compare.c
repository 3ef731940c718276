/*
 * Compares two output files of a benchmark, value by value: bit for bit, or within a bound.
 *
 * usage: compare EXPECTED ACTUAL [BOUND]
 *
 * Status 0: the same number of values, all equal, or no further apart than BOUND. 1: they differ, and one line on standard output
 * says in how many values, where first, and by how much at most. 2: a file cannot be read. A NaN
 * equals nothing; +0 and -0 differ. Values are read as double, which holds every float and every
 * integer below 2^53.
 */
#include <math.h>

#include "grid.h"

struct values {
    double *value;
    size_t count;
};

/* Every value of a file; text that is no number, or an empty file, ends the program. */
static struct values read_all(const char *path)
{
    char *text = text_read(path);
    struct values all = {NULL, 0};
    size_t room = 0;
    for (char *at = text; at[strspn(at, " \t\r\n")] != '\0';) {
        if (all.count == room) {
            room = room == 0 ? 4096 : 2 * room;
            all.value = (double *)realloc(all.value, room * sizeof *all.value);
            if (all.value == NULL)
                fail("%s: no memory for %zu values", path, room);
        }
        char *end;
        all.value[all.count] = strtod(at, &end);
        if (end == at)
            fail("%s: the value after %zu cannot be read", path, all.count);
        all.count++;
        at = end;
    }
    if (all.count == 0)
        fail("%s: no values", path);
    free(text);
    return all;
}

static int equal(double a, double b, double bound)
{
    if (bound > 0.0)
        return fabs(a - b) <= bound;
    return a == b && !signbit(a) == !signbit(b);
}

/* The bound of the command line, which must be a positive number; 0: none is asked for. */
static double bound_argument(const char *text)
{
    if (text == NULL)
        return 0.0;
    char *end;
    const double bound = strtod(text, &end);
    if (*end != '\0' || !(bound > 0.0) || !isfinite(bound))
        fail("%s: the bound must be a positive number", text);
    return bound;
}

int main(int argc, char **argv)
{
    fail_status = 2;
    if (argc != 3 && argc != 4)
        fail("usage: %s EXPECTED ACTUAL [BOUND]", argv[0]);
    const double bound = bound_argument(argv[3]); /* NULL behind the last */
    const struct values expected = read_all(argv[1]), actual = read_all(argv[2]);
    if (expected.count != actual.count) {
        printf("%zu values expected, %zu found\n", expected.count, actual.count);
        return 1;
    }
    size_t differing = 0, first = 0;
    double most = 0.0;
    for (size_t i = 0; i < expected.count; i++) {
        if (equal(expected.value[i], actual.value[i], bound))
            continue;
        if (differing++ == 0)
            first = i;
        const double distance = fabs(expected.value[i] - actual.value[i]);
        if (!(distance <= most)) /* a NaN stays the largest */
            most = distance;
    }
    if (differing != 0)
        printf("%zu of %zu values differ, by %.9g at most; value %zu: %.17g expected, %.17g found\n",
               differing, expected.count, most, first + 1, expected.value[first],
               actual.value[first]);
    free(expected.value);
    free(actual.value);
    return differing != 0;
}
