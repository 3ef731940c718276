#include "esri.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "error.h"
#include "memory.h"

struct heading {
    long columns, rows;
    double x, y, size, missing;
};

static int same_word(const char *a, const char *b)
{
    for (; *a != '\0' && *b != '\0'; a++, b++) {
        const char lower = *a >= 'A' && *a <= 'Z' ? (char)(*a - 'A' + 'a') : *a;
        if (lower != *b)
            return 0;
    }
    return *a == *b;
}

static struct heading read_heading(FILE *file, const char *path)
{
    struct heading heading = {.missing = -9999.0};
    char key[32];
    double value;
    for (int line = 0; line < 6; line++) {
        const long start = ftell(file);
        if (fscanf(file, "%31s %lf", key, &value) != 2)
            error_exit("%s: a heading expected in line %d", path, line + 1);
        if (same_word(key, "ncols"))
            heading.columns = (long)value;
        else if (same_word(key, "nrows"))
            heading.rows = (long)value;
        else if (same_word(key, "xllcorner"))
            heading.x = value;
        else if (same_word(key, "yllcorner"))
            heading.y = value;
        else if (same_word(key, "cellsize"))
            heading.size = value;
        else if (same_word(key, "nodata_value"))
            heading.missing = value;
        else {
            /* The last line of the heading may be left out. */
            fseek(file, start, SEEK_SET);
            break;
        }
    }
    if (heading.columns < 1 || heading.rows < 1 || heading.columns > 100000 || heading.rows > 100000)
        error_exit("%s: %ld columns and %ld rows", path, heading.columns, heading.rows);
    return heading;
}

void esri_read(const char *path, const struct grid *grid, double *field)
{
    FILE *file = fopen(path, "r");
    if (file == NULL)
        error_exit("%s: %s", path, strerror(errno));
    const struct heading heading = read_heading(file, path);
    const size_t count = (size_t)heading.columns * (size_t)heading.rows;
    double *values = memory_allocate(count, sizeof *values, path);
    for (size_t k = 0; k < count; k++) {
        if (fscanf(file, "%lf", &values[k]) != 1)
            error_exit("%s: %zu values expected, found %zu", path, count, k);
        if (values[k] == heading.missing)
            values[k] = 0.0;
    }
    fclose(file);
    for (int j = 0; j < grid->ny; j++) {
        const long row = heading.rows - 1 - (long)((j + 0.5) / grid->ny * (double)heading.rows);
        for (int i = 0; i < grid->nx; i++) {
            const long column = (long)((i + 0.5) / grid->nx * (double)heading.columns);
            field[CELL(grid->pitch, i, j)] = values[row * heading.columns + column];
        }
    }
    memory_release(values);
}

void esri_write(const char *path, const struct grid *grid, const double *field)
{
    FILE *file = fopen(path, "w");
    if (file == NULL)
        error_exit("%s: %s", path, strerror(errno));
    fprintf(file, "ncols %d\nnrows %d\nxllcorner 0\nyllcorner 0\n", grid->nx, grid->ny);
    fprintf(file, "cellsize %.9g\nNODATA_value -9999\n", grid->dx);
    for (int j = grid->ny - 1; j >= 0; j--) {
        for (int i = 0; i < grid->nx; i++)
            fprintf(file, "%s%.9g", i > 0 ? " " : "", field[CELL(grid->pitch, i, j)]);
        fputc('\n', file);
    }
    if (fclose(file) != 0)
        error_exit("%s: %s", path, strerror(errno));
}
