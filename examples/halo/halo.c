/*
 * Heat flow in a square, split into bands of rows: each MPI rank has a band on
 * a device of its own and exchanges the rows at its borders with its
 * neighbours, straight from device memory (host_data use_device).
 *
 *   mpiexec -n 4 ./halo [SIDE [STEPS]]
 *
 * The result does not depend on the number of ranks, to the last bit.
 */
#include <mpi.h>
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>

/* Rows of `rank` among `ranks`: as equal as they can be. */
static int first_row(int side, int rank, int ranks)
{
    return (int)((long)side * rank / ranks);
}

/* One step: `to` is the mean of the neighbours in `from`; the border rows of
   the band, 0 and rows + 1, belong to others. */
static void step(int rows, int side, double from[rows + 2][side], double to[rows + 2][side])
{
    #pragma acc parallel loop collapse(2) present(from[0:rows + 2], to[0:rows + 2])
    for (int i = 1; i <= rows; i++)
        for (int j = 1; j < side - 1; j++)
            to[i][j] = 0.25 * (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
}

/* Sends the outer rows of the band, receives those of the neighbours. */
static void exchange(int rows, int side, double band[rows + 2][side], int above, int below)
{
    double *cells = &band[0][0];
    #pragma acc host_data use_device(cells)
    {
        double *first = cells + side, *last = cells + (long)rows * side, *after = last + side;
        MPI_Sendrecv(first, side, MPI_DOUBLE, above, 0, after, side, MPI_DOUBLE, below, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Sendrecv(last, side, MPI_DOUBLE, below, 1, cells, side, MPI_DOUBLE, above, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
}

/* The band after all steps, in `grid` or `other`, which is returned. */
static double *run(int rows, int side, double *grid, double *other, int steps, int above, int below)
{
    long cells = (long)(rows + 2) * side;
    #pragma acc data copy(grid[0:cells], other[0:cells])
    {
        for (int n = 0; n < steps; n++) {
            exchange(rows, side, (double(*)[side])grid, above, below);
            step(rows, side, (double(*)[side])grid, (double(*)[side])other);
            double *swapped = grid;
            grid = other;
            other = swapped;
        }
    }
    return grid;
}

/* The sum of all cells, added up row by row in one order whatever the bands. */
static double total(int rows, int side, const double *band, int rank, int ranks)
{
    double sum = 0;
    if (rank > 0)
        MPI_Recv(&sum, 1, MPI_DOUBLE, rank - 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (long k = side; k < (long)(rows + 1) * side; k++)
        sum += band[k];
    if (rank < ranks - 1)
        MPI_Send(&sum, 1, MPI_DOUBLE, rank + 1, 2, MPI_COMM_WORLD);
    MPI_Bcast(&sum, 1, MPI_DOUBLE, ranks - 1, MPI_COMM_WORLD);
    return sum;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int side = argc > 1 ? atoi(argv[1]) : 67, steps = argc > 2 ? atoi(argv[2]) : 50;
    if (side < 3 || steps < 0 || ranks > side - 2) {
        fprintf(stderr, "usage: halo [SIDE [STEPS]], at least one inner row a rank\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    int devices = acc_get_num_devices(acc_device_default);
    acc_set_device_num(rank % devices, acc_device_default);

    /* The outermost rows and columns are fixed: hot above, cold elsewhere. */
    int inner = side - 2;
    int start = first_row(inner, rank, ranks), rows = first_row(inner, rank + 1, ranks) - start;
    long cells = (long)(rows + 2) * side;
    double *grid = calloc((size_t)cells, sizeof *grid), *other = calloc((size_t)cells, sizeof *other);
    if (rank == 0)
        for (int j = 0; j < side; j++)
            grid[j] = other[j] = 100 + j;
    int above = rank > 0 ? rank - 1 : MPI_PROC_NULL, below = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
    double *result = run(rows, side, grid, other, steps, above, below);

    double sum = total(rows, side, result, rank, ranks);
    int used = acc_get_device_num(acc_device_default), highest;
    MPI_Reduce(&used, &highest, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d steps of %d x %d: %.17g, highest device %d\n", steps, side, side, sum, highest);
    free(grid);
    free(other);
    MPI_Finalize();
    return 0;
}
