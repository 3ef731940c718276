/*
 * Black-Scholes: what European options are worth. The serial form.
 *
 * usage: blackscholes_serial OPTIONS SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "options.h"

/* What each option is worth. */
static void evaluate(int count, const float *restrict price, const float *restrict strike,
                     const float *restrict years, float *restrict call, float *restrict put)
{
    for (int i = 0; i < count; i++) {
        const struct worth worth = option_worth(price[i], strike[i], years[i]);
        call[i] = worth.call;
        put[i] = worth.put;
    }
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    evaluate(run.count, run.price, run.strike, run.years, run.call, run.put);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
