#include "budget.h"

#include <errno.h>
#include <string.h>

#include "error.h"
#include "flux.h"
#include "memory.h"

static const char *const names[BUDGET_TERMS] = {"kinetic energy", "potential energy", "circulation",
                                                "potential enstrophy"};

struct budget budget_create(const struct grid *grid, const char *path)
{
    struct budget budget = {.path = path};
    const int count = BUDGET_TERMS * grid->ny;
    double *rows = memory_allocate((size_t)count, sizeof *rows, "rows of budgets");
    #pragma acc enter data create(rows[0:count])
    budget.rows = rows;
    budget.file = fopen(path, "w");
    if (budget.file == NULL)
        error_exit("%s: %s", path, strerror(errno));
    fputs("# time", budget.file);
    for (int term = 0; term < BUDGET_TERMS; term++)
        fprintf(budget.file, ", %s", names[term]);
    fputc('\n', budget.file);
    return budget;
}

void budget_destroy(const struct grid *grid, struct budget *budget)
{
    double *rows = budget->rows;
    const int count = BUDGET_TERMS * grid->ny;
    #pragma acc exit data delete(rows[0:count])
    memory_release(rows);
    if (fclose(budget->file) != 0)
        error_exit("%s: %s", budget->path, strerror(errno));
    *budget = (struct budget){0};
}

/* A velocity; still where the cell is dry. */
#pragma acc routine seq
static double velocity(double depth, double discharge)
{
    return depth < DRY ? 0.0 : discharge / depth;
}

static void compute_rows(const struct grid *grid, const double *restrict bed, const struct sources *sources,
                         const struct state *state, double *restrict rows)
{
    const int nx = grid->nx, ny = grid->ny, pitch = grid->pitch, size = grid->size, count = BUDGET_TERMS * grid->ny;
    const double *restrict h = state->depth, *restrict p = state->discharge_x, *restrict q = state->discharge_y;
    const double dx = grid->dx, dy = grid->dy, middle = sources->coriolis, beta = sources->beta;

    #pragma acc parallel loop present(bed[0:size], h[0:size], p[0:size], q[0:size], rows[0:count])
    for (int j = 0; j < ny; j++) {
        /* At the sides differences are taken to one side only. */
        const int below = j > 0 ? -pitch : 0, above = j < ny - 1 ? pitch : 0;
        const double height = dy * ((j > 0) + (j < ny - 1));
        const double coriolis = middle + beta * ((j + 0.5) - 0.5 * ny) * dy;
        double kinetic = 0.0, potential = 0.0, circulation = 0.0, enstrophy = 0.0;
        #pragma acc loop seq
        for (int i = 0; i < nx; i++) {
            const int at = CELL(pitch, i, j);
            const int west = i > 0 ? at - 1 : at, east = i < nx - 1 ? at + 1 : at;
            const double width = dx * ((i > 0) + (i < nx - 1));
            const double dv = velocity(h[east], q[east]) - velocity(h[west], q[west]);
            const double du = velocity(h[at + above], p[at + above]) - velocity(h[at + below], p[at + below]);
            const double vorticity = dv / width - du / height;
            const double depth = h[at];
            potential += 0.5 * GRAVITY * depth * (depth + 2.0 * bed[at]);
            circulation += vorticity;
            if (depth < DRY)
                continue;
            kinetic += 0.5 * (p[at] * p[at] + q[at] * q[at]) / depth;
            const double absolute = vorticity + coriolis;
            enstrophy += 0.5 * absolute * absolute / depth;
        }
        rows[BUDGET_KINETIC * ny + j] = kinetic;
        rows[BUDGET_POTENTIAL * ny + j] = potential;
        rows[BUDGET_CIRCULATION * ny + j] = circulation;
        rows[BUDGET_ENSTROPHY * ny + j] = enstrophy;
    }
}

void budget_record(struct budget *budget, const struct grid *grid, const double *bed, const struct sources *sources,
                   const struct state *state, double time)
{
    const int ny = grid->ny, count = BUDGET_TERMS * grid->ny;
    double *rows = budget->rows;
    const double area = grid->dx * grid->dy;

    compute_rows(grid, bed, sources, state, rows);
    #pragma acc update self(rows[0:count])
    fprintf(budget->file, "%.9g", time);
    for (int term = 0; term < BUDGET_TERMS; term++) {
        double sum = 0.0;
        for (int j = 0; j < ny; j++)
            sum += rows[term * ny + j];
        budget->now[term] = sum * area;
        fprintf(budget->file, " %.15g", budget->now[term]);
    }
    fputc('\n', budget->file);
    if (budget->records++ == 0)
        memcpy(budget->first, budget->now, sizeof budget->first);
}

void budget_summarise(const struct budget *budget, FILE *file)
{
    for (int term = 0; term < BUDGET_TERMS; term++)
        fprintf(file, "%s: %.6g in the beginning, %.6g in the end\n", names[term], budget->first[term],
                budget->now[term]);
}
