#include "profile.h"

#include "field.h"

void profile_write(const struct grid *grid, const double *bed, struct state *state, int row, double time, FILE *file)
{
    field_rows_to_host(grid, state->depth, row, row);
    fprintf(file, "# time %.9g\n", time);
    for (int i = 0; i < grid->nx; i++) {
        const int at = CELL(grid->pitch, i, row);
        fprintf(file, "%.9g %.9g %.9g\n", grid_x(grid, i), bed[at], bed[at] + state->depth[at]);
    }
    fputc('\n', file);
}

double profile_front(const struct grid *grid, const struct state *state, int row)
{
    for (int i = grid->nx - 1; i >= 0; i--)
        if (state->depth[CELL(grid->pitch, i, row)] >= DRY)
            return (i + 1) * grid->dx;
    return 0.0;
}

void profile_mean(const struct grid *grid, const struct state *state, double *restrict mean)
{
    const int nx = grid->nx, ny = grid->ny, pitch = grid->pitch, size = grid->size;
    const double *restrict h = state->depth;

    #pragma acc parallel loop present(h[0:size]) copyout(mean[0:nx])
    for (int i = 0; i < nx; i++) {
        double sum = 0.0;
        #pragma acc loop seq
        for (int j = 0; j < ny; j++)
            sum += h[CELL(pitch, i, j)];
        mean[i] = sum / ny;
    }
}
