/*
 * Hybrid sort: sorts a list of floats. The serial form: merges sorted runs, twice as long each time.
 *
 * usage: hybridsort_serial (--values FILE | --generate COUNT SEED) [OUTPUT]
 */
#include "../common/clock.h"

#include "list.h"

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Merges the sorted runs from `first` up to `middle`, and from there up to `end`. */
static void merge(int first, int middle, int end, const float *from, float *to)
{
    int left = first, right = middle;
    for (int i = first; i < end; i++) {
        if (right == end || (left < middle && from[left] <= from[right]))
            to[i] = from[left++];
        else
            to[i] = from[right++];
    }
}

static void sort(int count, float *values, float *other)
{
    for (int width = 1; width < count; width *= 2) {
        for (int first = 0; first < count; first += 2 * width)
            merge(first, least(first + width, count), least(first + 2 * width, count), values,
                  other);
        memcpy(values, other, (size_t)count * sizeof *values);
    }
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    float *other = grid_allocate((size_t)run.count);
    const double start = clock_seconds();
    sort(run.count, run.values, other);
    run_finish(&run, clock_seconds() - start);
    free(other);
    return 0;
}
