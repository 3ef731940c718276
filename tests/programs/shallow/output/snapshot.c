#include "snapshot.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "error.h"

#define MAGIC UINT32_C(0x53574531)

struct restart {
    uint32_t magic;
    int32_t nx, ny, step;
    double time, dx, dy;
};

static FILE *open_file(const char *path, const char *mode)
{
    FILE *file = fopen(path, mode);
    if (file == NULL)
        error_exit("%s: %s", path, strerror(errno));
    return file;
}

static void close_file(FILE *file, const char *path)
{
    const int failed = ferror(file);
    if (fclose(file) != 0 || failed)
        error_exit("%s: %s", path, failed ? "not all could be read or written" : strerror(errno));
}

void snapshot_text(const struct grid *grid, const struct state *state, const char *path)
{
    FILE *file = open_file(path, "w");
    for (int j = 0; j < grid->ny; j++)
        for (int i = 0; i < grid->nx; i++) {
            const int at = CELL(grid->pitch, i, j);
            fprintf(file, "%a %a %a %a\n", state->depth[at], state->discharge_x[at], state->discharge_y[at],
                    state->tracer[at]);
        }
    close_file(file, path);
}

void snapshot_image(const struct grid *grid, const double *field, double low, double high, const char *path)
{
    FILE *file = open_file(path, "wb");
    const double scale = high > low ? 255.0 / (high - low) : 0.0;
    fprintf(file, "P5\n%d %d\n255\n", grid->nx, grid->ny);
    for (int j = grid->ny - 1; j >= 0; j--)
        for (int i = 0; i < grid->nx; i++) {
            double grey = (field[CELL(grid->pitch, i, j)] - low) * scale;
            if (grey < 0.0)
                grey = 0.0;
            fputc(grey > 255.0 ? 255 : (int)(grey + 0.5), file);
        }
    close_file(file, path);
}

void snapshot_save(const struct grid *grid, const struct state *state, double time, int step, const char *path)
{
    const struct restart restart = {MAGIC, grid->nx, grid->ny, step, time, grid->dx, grid->dy};
    const double *fields[] = {state->depth, state->discharge_x, state->discharge_y, state->tracer};
    FILE *file = open_file(path, "wb");
    fwrite(&restart, sizeof restart, 1, file);
    for (int k = 0; k < 4; k++)
        fwrite(fields[k], sizeof(double), (size_t)grid->size, file);
    close_file(file, path);
}

void snapshot_restore(const struct grid *grid, struct state *state, double *time, int *step, const char *path)
{
    struct restart restart;
    double *fields[] = {state->depth, state->discharge_x, state->discharge_y, state->tracer};
    FILE *file = open_file(path, "rb");
    if (fread(&restart, sizeof restart, 1, file) != 1 || restart.magic != MAGIC)
        error_exit("%s: no state of this program", path);
    if (restart.nx != grid->nx || restart.ny != grid->ny || restart.dx != grid->dx || restart.dy != grid->dy)
        error_exit("%s: a state of %d by %d cells, another grid", path, restart.nx, restart.ny);
    for (int k = 0; k < 4; k++)
        if (fread(fields[k], sizeof(double), (size_t)grid->size, file) != (size_t)grid->size)
            error_exit("%s: too short", path);
    *time = restart.time;
    *step = restart.step;
    close_file(file, path);
}
