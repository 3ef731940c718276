/*
 * Black-Scholes: what European options are worth. The textbook CUDA form.
 *
 * A grid of fixed size: its threads go through the options together, so that those of a warp always
 * have neighbours.
 *
 * usage: blackscholes_textbook OPTIONS SEED [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

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
__global__ void __launch_bounds__(BLOCK)
    evaluate(int count, const float *__restrict__ price, const float *__restrict__ strike,
             const float *__restrict__ years, float *__restrict__ call, float *__restrict__ put)
{
    const int threads = gridDim.x * BLOCK;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < count; i += threads) {
        const struct worth worth = option_worth(price[i], strike[i], years[i]);
        call[i] = worth.call;
        put[i] = worth.put;
    }
}

static void worths(const struct run *run)
{
    const size_t count = (size_t)run->count;
    const device_array<float> price(run->price, count);
    const device_array<float> strike(run->strike, count);
    const device_array<float> years(run->years, count);
    const device_array<float> call(count), put(count);
    const int blocks = min(BLOCKS, blocks_for(run->count, BLOCK));

    device_launch("evaluate", [&] {
        evaluate<<<blocks, BLOCK>>>(run->count, price, strike, years, call, put);
    });
    call.download(run->call);
    put.download(run->put);
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    worths(&run);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
