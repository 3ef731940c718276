#include <stdlib.h>

#include "matrix.h"

double conductance(int low, int high)
{
    return 0.25 * (1 + (low * 5 + high * 3) % 8);
}

static int partner_of(int cell, int cells)
{
    const int other = cells - 1 - cell;
    const int well = cell < other ? cell : other;
    return well % WELL_STRIDE == 0 ? other : cell;
}

/* The neighbours of a cell in ascending order, without itself and without repetition. */
static int neighbours(int cell, int nx, int ny, int *found)
{
    const int i = cell % nx, j = cell / nx;
    int count = 0;
    if (j > 0)
        found[count++] = cell - nx;
    if (i > 0)
        found[count++] = cell - 1;
    if (i < nx - 1)
        found[count++] = cell + 1;
    if (j < ny - 1)
        found[count++] = cell + nx;
    const int partner = partner_of(cell, nx * ny);
    int place = 0;
    while (place < count && found[place] < partner)
        place++;
    if (partner == cell || (place < count && found[place] == partner))
        return count;
    for (int k = count; k > place; k--)
        found[k] = found[k - 1];
    found[place] = partner;
    return count + 1;
}

struct matrix matrix_assemble(int nx, int ny)
{
    struct matrix matrix = {.rows = nx * ny};
    const size_t room = (size_t)matrix.rows * 6;
    matrix.row_start = malloc(((size_t)matrix.rows + 1) * sizeof *matrix.row_start);
    matrix.column = malloc(room * sizeof *matrix.column);
    matrix.value = malloc(room * sizeof *matrix.value);
    if (!matrix.row_start || !matrix.column || !matrix.value)
        abort();
    int at = 0;
    for (int row = 0; row < matrix.rows; row++) {
        int found[5];
        const int count = neighbours(row, nx, ny, found);
        int diagonal = -1;
        double sum = 0.0;
        matrix.row_start[row] = at;
        for (int k = 0; k < count; k++) {
            const int column = found[k];
            const double w = row < column ? conductance(row, column) : conductance(column, row);
            if (diagonal < 0 && column > row)
                diagonal = at++;
            matrix.column[at] = column;
            matrix.value[at++] = -w;
            sum += w;
        }
        if (diagonal < 0)
            diagonal = at++;
        matrix.column[diagonal] = row;
        matrix.value[diagonal] = sum + DOMINANCE;
    }
    matrix.row_start[matrix.rows] = at;
    matrix.entries = at;
    return matrix;
}

void matrix_free(struct matrix *matrix)
{
    free(matrix->row_start);
    free(matrix->column);
    free(matrix->value);
}
