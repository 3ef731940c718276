/*
 * Black-Scholes: what European options are worth. The hiCUDA form.
 *
 * A grid of fixed size: blocks take options in turn, so that threads of a block have neighbours.
 *
 * usage: blackscholes_hicuda OPTIONS SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "options.h"

#ifndef BLOCKS
#define BLOCKS 480 /* of the grid */
#endif
#ifndef BLOCK
#define BLOCK 128 /* threads of a block */
#endif
#if BLOCKS < 1 || BLOCK < 1 || BLOCK > 1024
#error "a grid has blocks, and a block 1 to 1024 threads"
#endif

/* What each option is worth. */
static void evaluate(int count, const float *restrict price, const float *restrict strike,
                     const float *restrict years, float *restrict call, float *restrict put)
{
    #pragma hicuda shape price[count]
    #pragma hicuda shape strike[count]
    #pragma hicuda shape years[count]
    #pragma hicuda shape call[count]
    #pragma hicuda shape put[count]
    #pragma hicuda global alloc price[*] copyin
    #pragma hicuda global alloc strike[*] copyin
    #pragma hicuda global alloc years[*] copyin
    #pragma hicuda global alloc call[*]
    #pragma hicuda global alloc put[*]
    #pragma hicuda kernel evaluate_options tblock(BLOCKS) thread(BLOCK)
    #pragma hicuda loop_partition over_tblock over_thread
    for (int i = 0; i < count; i++) {
        const struct worth worth = option_worth(price[i], strike[i], years[i]);
        call[i] = worth.call;
        put[i] = worth.put;
    }
    #pragma hicuda kernel_end
    #pragma hicuda global copyout call[*]
    #pragma hicuda global copyout put[*]
    #pragma hicuda global free price strike years call put
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    evaluate(run.count, run.price, run.strike, run.years, run.call, run.put);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
