/*
 * Backprop: a step of training for a network of two layers. The OpenACC form: a gang adds up what a
 * hidden unit gets.
 *
 * usage: backprop INPUTS HIDDEN SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "network.h"

/* What each hidden unit gets from the inputs; there is a row of weights for each input. */
static void forward(int rows, int hidden, const float *restrict input,
                    const float (*restrict weights)[hidden], double *restrict sums)
{
    #pragma acc parallel loop gang present(input, weights) copyout(sums[0:hidden])
    for (int j = 0; j < hidden; j++) {
        double sum = 0.0;
        #pragma acc loop vector reduction(+ : sum)
        for (int i = 0; i < rows; i++)
            sum += weights[i][j] * input[i];
        sums[j] = sum;
    }
}

/* Changes the weights against the errors of the hidden units, and some more of the last change. */
static void adjust(int rows, int hidden, const float *restrict input,
                   const float *restrict errors, float (*restrict changes)[hidden],
                   float (*restrict weights)[hidden])
{
    #pragma acc parallel loop collapse(2) present(input, changes, weights) copyin(errors[0:hidden])
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < hidden; j++) {
            const float change = RATE * errors[j] * input[i] + MOMENTUM * changes[i][j];
            weights[i][j] += change;
            changes[i][j] = change;
        }
    }
}

/* The step on the device, but for what is done for the few hidden units. */
static void train(struct run *run, double *sums, float *errors)
{
    const int rows = run->inputs + 1, hidden = run->hidden;
    const float *input = run->input;
    float (*weights)[hidden] = (float (*)[hidden])run->weights;
    float (*changes)[hidden] = (float (*)[hidden])run->changes;

    #pragma acc data copyin(input[0:rows]) \
                     copy(weights[0:rows][0:hidden], changes[0:rows][0:hidden])
    {
        forward(rows, hidden, input, (const float (*)[hidden])weights, sums);
        output_layer(run, sums, errors);
        adjust(rows, hidden, input, errors, changes, weights);
    }
}

int main(int argc, char **argv)
{
    struct run run = run_arguments(argc, argv);
    double *sums = (double *)allocate((size_t)run.hidden, sizeof *sums);
    float *errors = grid_allocate((size_t)run.hidden);
    const double start = clock_seconds();
    train(&run, sums, errors);
    run_finish(&run, clock_seconds() - start);
    free(sums);
    free(errors);
    return 0;
}
