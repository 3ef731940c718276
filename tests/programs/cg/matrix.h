/*
 * Sparse matrices in compressed rows, and the one that is solved: diffusion with a jumping
 * coefficient on a rectangle of nx by ny cells, with wells that couple cells far apart.
 */
#ifndef MATRIX_H
#define MATRIX_H

/* Row r has the entries row_start[r] to row_start[r + 1] - 1, its columns ascending. */
struct matrix {
    int rows;
    int entries;
    int *row_start;
    int *column;
    double *value;
};

/* Every WELL_STRIDE-th cell is coupled to the cell as far from the other end. */
#define WELL_STRIDE 7

/* How much more the diagonal has than the rest of its row, in absolute values. */
#define DOMINANCE 1.0

/* The conductance between the cells `low` and `high`, low < high; between 1/4 and 2. */
double conductance(int low, int high);

struct matrix matrix_assemble(int nx, int ny);
void matrix_free(struct matrix *matrix);

#endif
