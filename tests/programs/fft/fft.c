#include "fft.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The factors in ascending order. */
static int factor(int length, int *radix)
{
    int passes = 0;
    for (int prime = 2; length > 1; prime++)
        while (length % prime == 0) {
            radix[passes++] = prime;
            length /= prime;
        }
    return passes;
}

struct plan fft_create(int length, int queue)
{
    struct plan plan = {.length = length};
    plan.passes = factor(length, plan.radix);
    plan.root = malloc((size_t)length * sizeof *plan.root);
    if (plan.root == NULL) {
        fprintf(stderr, "fft: no memory for %d roots\n", length);
        exit(2);
    }
    for (int k = 0; k < length; k++) {
        const double angle = -2.0 * 3.14159265358979323846 * k / length;
        plan.root[k] = (float)cos(angle) + (float)sin(angle) * I;
    }
    #pragma acc enter data copyin(plan.root[0:length]) async(queue)
    return plan;
}

void fft_destroy(struct plan *plan)
{
    #pragma acc exit data delete(plan->root[0:plan->length])
    free(plan->root);
}

/*
 * One pass of radix r: `done` is the product of the radices before it. Each output is a sum of r
 * inputs with a stride of length / r, in order.
 */
static void pass(const struct plan *plan, int count, int radix, int done, int inverse, const sample *restrict from,
                 sample *restrict to, int queue)
{
    const int length = plan->length, stride = length / radix, groups = stride / done;
    const sample *restrict root = plan->root;

    #pragma acc parallel loop collapse(3) async(queue) \
        present(root[0:length], from[0:count * length], to[0:count * length])
    for (int s = 0; s < count; s++)
        for (int group = 0; group < groups; group++)
            for (int k = 0; k < done; k++) {
                const sample *in = from + s * length + group * done + k;
                sample *out = to + s * length + group * done * radix + k;
                for (int q = 0; q < radix; q++) {
                    const int turn = (k + q * done) * groups;
                    sample sum = in[0];
                    for (int p = 1; p < radix; p++) {
                        const sample w = root[p * turn % length];
                        sum += (inverse ? conjf(w) : w) * in[p * stride];
                    }
                    out[q * done] = sum;
                }
            }
}

void fft_transform(const struct plan *plan, int count, int inverse, sample *restrict data, sample *restrict buffer,
                   int queue)
{
    const int size = count * plan->length;
    sample *from = data, *to = buffer;
    for (int p = 0, done = 1; p < plan->passes; done *= plan->radix[p++]) {
        pass(plan, count, plan->radix[p], done, inverse, from, to, queue);
        sample *kept = from;
        from = to;
        to = kept;
    }
    if (from == data)
        return;
    #pragma acc parallel loop present(data[0:size], buffer[0:size]) async(queue)
    for (int i = 0; i < size; i++)
        data[i] = buffer[i];
}
