/*
 * Backprop: a step of training for a network of two layers. The serial form.
 *
 * usage: backprop_serial INPUTS HIDDEN SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "network.h"

/* What each hidden unit gets from the inputs; there is a row of weights for each input. */
static void forward(int rows, int hidden, const float *input, const float (*weights)[hidden],
                    double *sums)
{
    for (int j = 0; j < hidden; j++)
        sums[j] = 0.0;
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < hidden; j++)
            sums[j] += weights[i][j] * input[i];
    }
}

/* Changes the weights against the errors of the hidden units, and some more of the last change. */
static void adjust(int rows, int hidden, const float *input, const float *errors,
                   float (*changes)[hidden], float (*weights)[hidden])
{
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < hidden; j++) {
            const float change = RATE * errors[j] * input[i] + MOMENTUM * changes[i][j];
            weights[i][j] += change;
            changes[i][j] = change;
        }
    }
}

int main(int argc, char **argv)
{
    struct run run = run_arguments(argc, argv);
    const int rows = run.inputs + 1, hidden = run.hidden;
    float (*weights)[hidden] = (float (*)[hidden])run.weights;
    double *sums = (double *)allocate((size_t)hidden, sizeof *sums);
    float *errors = grid_allocate((size_t)hidden);
    const double start = clock_seconds();
    forward(rows, hidden, run.input, (const float (*)[hidden])weights, sums);
    output_layer(&run, sums, errors);
    adjust(rows, hidden, run.input, errors, (float (*)[hidden])run.changes, weights);
    run_finish(&run, clock_seconds() - start);
    free(sums);
    free(errors);
    return 0;
}
