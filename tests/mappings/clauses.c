/*
 * Nests in which neighbours in memory differ in the outer loop, so that it would run along x; but
 * their clauses say otherwise.
 */
#include <stdio.h>

#define ROWS 70
#define COLUMNS 90

static int from[COLUMNS][ROWS], to[COLUMNS][ROWS];

static void without(void)
{
    #pragma acc parallel loop collapse(2) copyin(from) copyout(to)
    for (int free_row = 0; free_row < ROWS; free_row++)
        for (int free_column = 0; free_column < COLUMNS; free_column++)
            to[free_column][free_row] = from[free_column][free_row];
}

static void vector(void)
{
    #pragma acc parallel loop gang copyin(from) copyout(to)
    for (int gang_row = 0; gang_row < ROWS; gang_row++) {
        #pragma acc loop vector
        for (int vector_column = 0; vector_column < COLUMNS; vector_column++)
            to[vector_column][gang_row] = from[vector_column][gang_row];
    }
}

static void sized(void)
{
    #pragma acc kernels copyin(from) copyout(to)
    {
        #pragma acc loop independent gang
        for (int kernels_row = 0; kernels_row < ROWS; kernels_row++) {
            #pragma acc loop independent vector(96)
            for (int sized_column = 0; sized_column < COLUMNS; sized_column++)
                to[sized_column][kernels_row] = from[sized_column][kernels_row];
        }
    }
}

static void tiled(void)
{
    /* The first size is of the innermost loop. */
    #pragma acc parallel loop tile(4, 16) copyin(from) copyout(to)
    for (int tile_row = 0; tile_row < ROWS; tile_row++)
        for (int tile_column = 0; tile_column < COLUMNS; tile_column++)
            to[tile_column][tile_row] = from[tile_column][tile_row];
}

/* More than a block has room for. */
static void large(void)
{
    #pragma acc parallel loop tile(64, 64) copyin(from) copyout(to)
    for (int large_row = 0; large_row < ROWS; large_row++)
        for (int large_column = 0; large_column < COLUMNS; large_column++)
            to[large_column][large_row] = from[large_column][large_row];
}

static void collapsed(void)
{
    #pragma acc parallel copyin(from) copyout(to) num_workers(4) vector_length(64)
    {
        #pragma acc loop gang worker vector collapse(2)
        for (int one_row = 0; one_row < ROWS; one_row++)
            for (int one_column = 0; one_column < COLUMNS; one_column++)
                to[one_column][one_row] = from[one_column][one_row];
    }
}

static void workers(void)
{
    #pragma acc parallel loop gang worker num_workers(8) copyin(from) copyout(to)
    for (int worker_row = 0; worker_row < ROWS; worker_row++) {
        #pragma acc loop vector
        for (int lane_column = 0; lane_column < COLUMNS; lane_column++)
            to[lane_column][worker_row] = from[lane_column][worker_row];
    }
}

static void sequential(void)
{
    #pragma acc parallel loop gang vector vector_length(32) copyin(from) copyout(to)
    for (int long_row = 0; long_row < ROWS; long_row++) {
        #pragma acc loop seq
        for (int seq_column = 0; seq_column < COLUMNS; seq_column++)
            to[seq_column][long_row] = from[seq_column][long_row];
    }
}

int main(void)
{
    long sum = 0;

    for (int i = 0; i < ROWS * COLUMNS; i++)
        (&from[0][0])[i] = i;
    without();
    vector();
    sized();
    tiled();
    large();
    collapsed();
    workers();
    sequential();
    for (int i = 0; i < ROWS * COLUMNS; i++)
        sum += (&to[0][0])[i];
    printf("%ld\n", sum);
    return 0;
}
